# SPDX-License-Identifier: GPL-3.0-or-later
"""What must always be true of a file in which the extension is used, for its fuzzer."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

import bpy
import installed
import numpy as np

CHANNELS = ("location", "rotation_quaternion", "rotation_euler", "rotation_axis_angle", "scale")
MARK = "fuzz"
"""Name of a custom property by which items with keys, and texts of a person, are known."""
KEYED = {"effectors": "influence", "obstacles": "margin", "body.links": "radius"}
ITEM = re.compile(r"articulate\.(effectors|obstacles|body\.links)\[(\d+)\]\.(?:influence|margin|radius)$")
TOLD = {"message", "status", "error", "angle", "report_json", "clearance", "nearest", "notes"}
"""Properties that a solve writes; a live one may write them at any time."""
OWN = {"remembered_index", "list_sizes"}
"""Properties that the extension keeps for itself."""


class Fault(AssertionError):
    """Something that must always be true is not."""


def check(said: str, handlers: list[tuple[str, str, str]]) -> None:
    """Nothing was printed that is not meant for people, and the file is whole.

    Args:
        said: what was printed; handlers: in Blender, as they were.
    """
    for sign in ("Traceback", "RuntimeWarning"):
        if sign in said:
            raise Fault(f"on the console: {said[said.index(sign) :].strip()}")
    if sorted(handler_names()) != sorted(handlers):  # an extension that was reloaded comes last
        raise Fault(f"other handlers: {set(handler_names()) ^ set(handlers)}")
    for rig in (thing for thing in bpy.data.objects if thing.type == "ARMATURE"):
        for bone in rig.pose.bones:
            for channel in CHANNELS:
                if not np.isfinite(getattr(bone, channel)).all():
                    raise Fault(f"not finite: {channel} of bone '{bone.name}'")
        if rig.articulate.report:
            json.loads(rig.articulate.report_json, parse_constant=not_json)
        data = rig.animation_data
        if rig.override_library is None and data and data.action and data.action.users == 1:
            curves_are_with_their_items(rig)

    for text in bpy.data.texts:
        if MARK in text and text.as_string() != text[MARK]:
            raise Fault("a person's text was written to")


def not_json(constant: str) -> None:
    raise Fault(f"a report with {constant}")


def curves_are_with_their_items(rig: bpy.types.Object) -> None:
    """Keys have the value by which their item is marked."""
    for curve in curves_of(rig):
        found = ITEM.match(curve.data_path)
        if not found:
            continue
        items, index = rig.path_resolve(f"articulate.{found[1]}"), int(found[2])
        if index >= len(items):
            raise Fault(f"a curve of one of {found[1]} that is gone")
        if not any(abs(key.co.y - items[index].get(MARK, -1.0)) < 1e-5 for key in curve.keyframe_points):
            raise Fault(f"a curve that was another's of {found[1]}")


def curves_of(thing: bpy.types.Object) -> list[bpy.types.FCurve]:
    data = thing.animation_data
    if data is None or data.action is None:
        return []
    bag = installed.module("compat").find_bag(thing)
    return list(bag.fcurves) if bag else []


def reported_is_measured(rig: bpy.types.Object) -> None:
    """The distances of a report are what Blender shows, for effectors of which it is plain."""
    report = rig.articulate.report
    shown = rig.evaluated_get(bpy.context.evaluated_depsgraph_get())
    if any(bone.constraints for bone in rig.pose.bones) or rig.parent is not None:
        return
    size = max(max(rig.dimensions), max(np.abs(rig.scale)), 0.01 * max(np.abs(rig.location)))
    names = [effector.name for effector in rig.articulate.effectors]
    for effector in rig.articulate.effectors:
        row = report["effectors"].get(effector.name) if names.count(effector.name) == 1 else None
        if row is None or row["worst"] is None or effector.kind != "POSITION" or not is_plain(effector):
            continue
        bone = shown.pose.bones[effector.bone]
        place = shown.matrix_world @ bone.matrix @ effector.point_in_bone(rig.data.bones[effector.bone])
        target = effector.target.evaluated_get(bpy.context.evaluated_depsgraph_get()).matrix_world.translation
        away = (place - target).length
        rounding = 1e-6 * max(map(abs, target))  # Blender has single precision
        if abs(away - row["worst"]) > 1e-4 * max(size, away) + rounding:
            raise Fault(f"reported is not measured: {row['worst']:.6g}, is {away:.6g}")


def is_plain(effector: Any) -> bool:
    """Whether an effector's distance is that of its point to its target."""
    target = effector.target
    return (
        effector.follows == "TARGET"
        and target.type == "EMPTY"
        and target.parent is None
        and not effector.slack
        and effector.influence == 1.0  # less moves the target towards where the bone would be
        and all(effector.axes)
    )


def handler_names() -> list[tuple[str, str, str]]:
    """(list, module, name) of all handlers in Blender."""
    return [
        (name, getattr(function, "__module__", ""), getattr(function, "__qualname__", ""))
        for name, functions in installed.handlers().items()
        for function in functions
    ]


# ---------------------------------------------------------------------- the file as plain values
def picture() -> dict[str, Any]:
    """What a file holds, as plain values by name: what nobody may change unasked."""
    scene, active = bpy.context.scene, bpy.context.view_layer.objects.active
    rows: dict[str, Any] = {
        "frame": (scene.frame_current, scene.frame_subframe),
        "active": active and active.name,
        "selected": sorted(thing.name for thing in bpy.context.selected_objects),
        "actions": sorted(action.name for action in bpy.data.actions if action.users),
        "texts": sorted(text.name for text in bpy.data.texts),
        "collections": sorted(found.name for found in bpy.data.collections if found.users),
    }
    for thing in bpy.data.objects:
        if not thing.users or thing.library is not None:
            continue
        name = thing.name
        rows[f"{name}.matrix_basis"] = repr(thing.matrix_basis)
        rows[f"{name}.other"] = (thing.mode, thing.parent and thing.parent.name, thing.hide_get())
        rows[f"{name}.curves"] = [
            (curve.data_path, curve.array_index, [tuple(key.co) for key in curve.keyframe_points])
            for curve in curves_of(thing)
        ]
        if thing.type != "ARMATURE":
            continue
        for bone in thing.pose.bones:
            kept = "pose" if not thing.articulate.live else "live pose"
            values = [tuple(getattr(bone, channel)) for channel in CHANNELS]
            rows[f"{name}.{bone.name}.{kept}"] = (bone.rotation_mode, *values)
            rows[f"{name}.{bone.name}.ours"] = (bone.articulate.posture, bone.articulate.mass)
        for path, group in groups_of(thing.articulate, f"{name}.articulate"):
            for prop in group.bl_rna.properties:
                if prop.identifier in OWN:
                    continue
                if prop.type not in ("COLLECTION", "POINTER") or prop.fixed_type.identifier == "Object":
                    rows[f"{path}.{prop.identifier}"] = plain(getattr(group, prop.identifier))
    return rows


def groups_of(group: Any, path: str) -> Iterator[tuple[str, Any]]:
    """A property group of the extension, all groups in it and all items of its lists, with their paths."""
    yield path, group
    for prop in group.bl_rna.properties[1:]:  # the first one is the type
        found = getattr(group, prop.identifier)
        if prop.type == "COLLECTION":
            for index, item in enumerate(found):
                yield from groups_of(item, f"{path}.{prop.identifier}[{index}]")
        elif isinstance(found, bpy.types.PropertyGroup):
            yield from groups_of(found, f"{path}.{prop.identifier}")


def plain(value: Any) -> Any:
    if isinstance(value, bpy.types.ID):
        return value.name
    return tuple(value) if hasattr(value, "__len__") and not isinstance(value, str) else value


def same(before: dict[str, Any], after: dict[str, Any], sentence: str, *, told: bool) -> None:
    """Nothing is otherwise; without `told` but for what solves write, and what is live."""
    for name in {**before, **after}:
        last = name.rpartition(".")[2]
        if not told and (last in TOLD or last == "live pose" or name == "texts"):
            continue
        if repr(before.get(name)) != repr(after.get(name)):
            raise Fault(f"{sentence}: {name}: was {before.get(name)!r}, is {after.get(name)!r}")
