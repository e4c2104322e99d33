# SPDX-License-Identifier: GPL-3.0-or-later
"""Rigs for the tests of the bridge: metarigs, trees with every inheritance flag, and how to shake them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import bpy
import installed
import numpy as np

INHERIT_SCALE = ("FULL", "FIX_SHEAR", "ALIGNED", "AVERAGE", "NONE", "NONE_LEGACY")
MODES = ("QUATERNION", "AXIS_ANGLE", "XYZ", "XZY", "YXZ", "YZX", "ZXY", "ZYX")


def metarig(kind: str = "human") -> bpy.types.Object:
    """Rigify's human (159 bones) or basic (29 bones) metarig."""
    import addon_utils  # there only after bpy

    addon_utils.enable("rigify", default_set=True)
    if kind == "human":
        bpy.ops.object.armature_human_metarig_add()
    else:
        bpy.ops.object.armature_basic_human_metarig_add()
    return bpy.context.object


def map_of(rig: bpy.types.Object, bones: Any) -> Any:
    """The add-on's map of an armature."""
    up = installed.module("bridge.space").upward(rig)
    return installed.module("bridge.bone_map").bone_map(rig, bones, up)


def make_rig(
    bones: Sequence[tuple[str, str | None, Sequence[float], Sequence[float]]],
    edit: Callable[[bpy.types.EditBone], None] | None = None,
) -> bpy.types.Object:
    """An armature of (name, parent, head, tail); `edit` may set flags on every edit bone."""
    data = bpy.data.armatures.new("Rig")
    rig = bpy.data.objects.new("Rig", data)
    bpy.context.collection.objects.link(rig)
    bpy.context.view_layer.objects.active = rig
    bpy.ops.object.mode_set(mode="EDIT")
    for name, parent, head, tail in bones:
        bone = data.edit_bones.new(name)
        bone.head, bone.tail = head, tail
        if parent:
            bone.parent = data.edit_bones[parent]
    for bone in data.edit_bones:
        if edit:
            edit(bone)
    bpy.ops.object.mode_set(mode="OBJECT")
    return rig


def chain_rig(count: int = 4, *, connected: bool = True, length: float = 1.0) -> bpy.types.Object:
    """A straight chain b0, b1, ... upwards."""
    names = [f"b{i}" for i in range(count)]
    rows = [
        (name, names[i - 1] if i else None, (0, 0, i * length), (0, 0, (i + 1) * length))
        for i, name in enumerate(names)
    ]

    def edit(bone: bpy.types.EditBone) -> None:
        bone.use_connect = connected and bone.parent is not None

    return make_rig(rows, edit)


def tree_rig(seed: int, count: int = 24, flags: Callable[[np.random.Generator], dict] | None = None):
    """A random tree of randomly lying, rolled bones, a third of them connected; `flags` gives each bone's."""
    rng = np.random.default_rng(seed)
    rows: list = []
    for i in range(count):
        parent = int(rng.integers(0, i)) if i and rng.random() > 0.05 else None
        head = (
            rng.normal(size=3) if parent is None else np.asarray(rows[parent][3]) + 0.2 * rng.normal(size=3)
        )
        rows.append((f"b{i}", None if parent is None else f"b{parent}", head, head + rng.normal(size=3)))

    def edit(bone: bpy.types.EditBone) -> None:
        bone.roll = rng.uniform(-3, 3)
        if bone.parent is not None and rng.random() < 0.3:
            bone.use_connect = True
        for name, value in (flags(rng) if flags else {}).items():
            setattr(bone, name, value)

    return make_rig(rows, edit)


def any_flags(rng: np.random.Generator) -> dict:
    """One random combination of the inheritance flags."""
    return {
        "inherit_scale": str(rng.choice(INHERIT_SCALE)),
        "use_inherit_rotation": bool(rng.random() < 0.6),
        "use_local_location": bool(rng.random() < 0.6),
    }


def shake(
    rig: bpy.types.Object,
    seed: int,
    *,
    turn: float = 1.0,
    move: float = 0.2,
    scale: str = "NONE",
    modes: Sequence[str] = MODES,
) -> None:
    """Random rotation modes and channels; scale NONE, UNIFORM or FREE."""
    rng = np.random.default_rng(seed)
    for bone in rig.pose.bones:
        bone.rotation_mode = str(rng.choice(modes))
        vector = turn * rng.normal(size=3)
        angle = float(np.linalg.norm(vector))
        axis = vector / max(angle, 1e-9)
        bone.rotation_axis_angle = (angle, *axis)
        bone.rotation_euler = vector
        bone.rotation_quaternion = (np.cos(angle / 2), *(np.sin(angle / 2) * axis))
        bone.location = move * rng.normal(size=3)
        if scale == "UNIFORM":
            bone.scale = [float(rng.uniform(0.6, 1.5))] * 3
        elif scale == "FREE":
            bone.scale = rng.uniform(0.6, 1.5, size=3)
    bpy.context.view_layer.update()


def evaluated(rig: bpy.types.Object) -> bpy.types.Object:
    """The evaluated object after an update."""
    return rig.evaluated_get(bpy.context.evaluated_depsgraph_get())


def pose_matrices(rig: bpy.types.Object) -> np.ndarray:
    """(B, 4, 4) what Blender shows, read the slow and plain way."""
    return np.array([np.array(bone.matrix) for bone in evaluated(rig).pose.bones])
