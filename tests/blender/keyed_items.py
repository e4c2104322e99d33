# SPDX-License-Identifier: GPL-3.0-or-later
"""Figures whose effectors have keys, and what Blender plays of them."""

from __future__ import annotations

from typing import Any

import bpy
from addon_scenes import add, curves

NAMES = ("a", "b", "c", "d")
START, END = 1, 11


def keyed(rig: bpy.types.Object) -> bpy.types.Object:
    """Four effectors with different influences at both ends of a curve each."""
    for bone, name in zip(("b0", "b1", "b2", "b3"), NAMES, strict=True):
        add(bone, name=name)
    for number, name in enumerate(NAMES):
        key(rig, name, 0.1 * number)
    return rig


def key(rig: bpy.types.Object, name: str, value: float) -> None:
    effector = rig.articulate.effectors[name]
    for frame, influence in ((START, value), (END, value + 0.5)):
        effector.influence = influence
        effector.keyframe_insert("influence", frame=frame)


def values(rig: bpy.types.Object) -> dict[str, tuple[float, float]]:
    """The influences as Blender plays them, by name, at both ends."""
    found: dict[str, list[float]] = {}
    for frame in (START, END):
        bpy.context.scene.frame_set(frame)
        for effector in rig.articulate.effectors:
            found.setdefault(effector.name, []).append(round(effector.influence, 4))
    return {name: (first, last) for name, (first, last) in found.items()}


def expected(*names: str) -> dict[str, tuple[float, float]]:
    return {
        name: (round(0.1 * NAMES.index(name), 4), round(0.1 * NAMES.index(name) + 0.5, 4)) for name in names
    }


def paths(rig: bpy.types.Object) -> set[str]:
    return {path for path, _ in curves(rig)}


def dead(rig: bpy.types.Object) -> list[str]:
    """Curves and drivers of the lists that lead nowhere."""
    every = paths(rig) | {driver.data_path for driver in rig.animation_data.drivers}
    wrong = []
    for path in every:
        try:
            rig.path_resolve(path)
        except ValueError:
            wrong.append(path)
    return wrong


def remove(name: str) -> None:
    bpy.ops.articulate.effector_remove(effector=name)


def driven(owner: Any, name: str, source: bpy.types.Object, path: str) -> bpy.types.FCurve:
    curve = owner.driver_add(name)
    variable = curve.driver.variables.new()
    variable.targets[0].id, variable.targets[0].data_path = source, path
    curve.driver.expression = variable.name
    return curve
