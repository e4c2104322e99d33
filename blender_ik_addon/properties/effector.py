# SPDX-License-Identifier: GPL-3.0-or-later
"""An effector: a point of a bone and its target. Saved with the armature object."""

from collections.abc import Callable, Mapping
from itertools import pairwise
from math import ceil, floor, inf, isfinite
from typing import Any, Final

import bpy
from mathutils import Vector

from .. import compat
from . import saved
from .kinds import ALL_AXES, AMOUNTS, KIND_ITEMS, KINDS, EffectorOptions, Kind
from .saved import ListItem
from .session import show_refusal

_STRAIGHT: Final = 0.005  # share of the limb's length; a joint nearer to its line has no direction
_SWITCHES: Final = {"influence": "influence", "enabled": "switch 'Enabled'", "weight": "weight"}
_ELSEWHERE: Final = frozenset({"target", "keeps_motion", "pinned", "alternatives", *AMOUNTS})
# Conditions for options that depend on others; other options always have an effect.
_MEANS_SOMETHING: Final[Mapping[str, Callable[["ArticulateEffector"], bool]]] = {
    "space": lambda e: not all(e.settings.get("axes", ALL_AXES) + e.settings.get("turn_axes", ALL_AXES)),
    "footprint": lambda e: e.planted,
    "target": lambda e: e.follows != "",
    "keeps_motion": lambda e: e.target is None,
    "pinned": lambda e: e.target is None and not e.keeps_motion,
    "second_point": lambda e: e.second_bone != "",
    "second_offset": lambda e: e.second_bone != "",
    "second_rotation": lambda e: e.rigid,
    "margin": lambda e: e.over == "SUPPORT",
}


def why_not_moved(effector: Any, frame: float) -> str:
    """Why a pin may not be moved in a frame, as a sentence; "" if it may.

    It may not if its influence, weight or *Enabled* is keyed, and the pin is off between this frame and
    others in which it is active. If a driver or an NLA strip sets one of these, it may be active anywhere.
    """
    if effector.follows != "PIN":
        return ""
    data = effector.id_data.animation_data
    curves = _by_property(effector, compat.played_curves(data))
    played = [curve for strip in compat.nla_strips(data) for curve in compat.played_curves(strip)]
    others = _by_property(effector, [*data.drivers, *played] if data is not None else [])
    if any(name in curves or name in others for name in ("pin_location", "pin_rotation")):
        return ""
    start = f"Pin '{effector.name}' has one place"
    remedy = "Give the effector a target (Create Target) and key the target, or remove"
    driven = [words for name, words in _SWITCHES.items() if name in others]
    if driven:
        return (
            f"{start}, and a driver or an NLA strip sets its {driven[0]}, so it may hold bone"
            f" '{effector.bone}' in other frames and cannot be moved in frame {frame:g}."
            f" {remedy} the driver or strip"
        )
    keyed = [name for name in _SWITCHES if name in curves]
    for first, last in _spans({name: curves[name] for name in keyed}):
        if not first <= frame <= last:
            where = f"from frame {first:g} on" if last == inf else f"up to frame {last:g}"
            if isfinite(last - first):
                where = f"frames {first:g} to {last:g}"
            return (
                f"{start}, where it holds bone '{effector.bone}' in other frames"
                f" ({where}), so it cannot be moved in frame {frame:g}. {remedy} the keys of"
                f" its {' and '.join(_SWITCHES[name] for name in keyed)}"
            )
    return ""


def _by_property(effector: Any, curves: Any) -> dict[str, Any]:
    """Those of some curves that are for an effector, by property name."""
    others = effector.id_data.articulate.effectors
    # `path_from_id` takes a millisecond, and this runs in redraws
    begin = f"articulate.effectors[{[other == effector for other in others].index(True)}]."
    return {
        curve.data_path.removeprefix(begin): curve for curve in curves if curve.data_path.startswith(begin)
    }


def _spans(curves: dict[str, Any]) -> list[tuple[float, float]]:
    """First and last frames of the ranges in which all of some keyed values of a pin let it hold."""
    keys = [float(point.co.x) for curve in curves.values() for point in curve.keyframe_points]
    if not keys:
        return []
    first, last = floor(min(keys)) - 1, ceil(max(keys)) + 1
    on = [False, *(_is_on(curves, frame) for frame in range(first, last + 1)), False]
    turns = [frame for frame, (before, now) in enumerate(pairwise(on), start=first) if before != now]
    spans = [(float(a), float(b - 1)) for a, b in zip(turns[::2], turns[1::2], strict=True)]
    # a range at the first or last key extends to infinity
    return [(-inf if a == first else a, inf if b == last else b) for a, b in spans]


def _is_on(curves: dict[str, Any], frame: int) -> bool:
    # Blender rounds the curve of a switch down
    return all(
        curve.evaluate(frame) > (1.0 - 1e-6 if name == "enabled" else 0.0) for name, curve in curves.items()
    )


def _hold_place(effector: "ArticulateEffector", context: bpy.types.Context) -> None:
    """When a pin is set, store the present place of the effector, world space.

    If the pin may not be moved in this frame, it keeps its stored place, and the panel shows the reason.
    """
    if not effector.pinned:
        return
    armature: Any = effector.id_data
    reason = why_not_moved(effector, context.scene.frame_current_final)
    if reason and effector.is_property_set("pin_location"):
        saved.moved(effector, context)
        show_refusal(armature.articulate, reason)
        return
    pose_bone = armature.pose.bones.get(effector.bone) if armature.pose else None
    if pose_bone is None:
        return
    matrix = armature.matrix_world @ pose_bone.matrix
    effector.pin_location = matrix @ effector.first_target(pose_bone)
    # a plane is pinned horizontally; for a slope, use a target
    level = (1.0, 0.0, 0.0, 0.0)
    effector.pin_rotation = level if effector.kind == "PLANE" else matrix.to_quaternion()


def bend_side(pose_bone: Any):
    """(3,) direction of a bone's knee or elbow from its limb's line, in the armature's axes.

    For a straight limb, this is the direction at rest; None if it is also straight there.
    """
    bone, above = pose_bone.bone, pose_bone.parent
    if above is not None:
        drawn = pose_bone.matrix @ bone.matrix_local.inverted_safe()
        rest = (bone.parent.head_local, bone.head_local, bone.tail_local)
        for root, middle, end in (
            (above.head, pose_bone.head, pose_bone.tail),
            tuple(drawn @ place for place in rest),
        ):
            line = end - root
            side = (middle - root) - (middle - root).project(line)
            if side.length > _STRAIGHT * line.length:
                return side.normalized()
    return None


class ArticulateEffector(EffectorOptions, ListItem, bpy.types.PropertyGroup):
    """An effector; scripts and messages refer to it by `name`."""

    __slots__ = ()

    bone: saved.String(description="Bone that is brought to the target", update=saved.named)
    kind: saved.Enum(description="What the bone does with the target", items=KIND_ITEMS, default="POSITION")
    target: saved.Pointer(
        description="Object to follow, usually an Empty. Move or animate it, then Solve or Bake",
        type=bpy.types.Object,
        # scripts can still set a bone of the figure itself that does not move
        poll=lambda effector, candidate: candidate is not effector.id_data,
        update=saved.named,
    )
    subtarget: saved.String(
        name="Target Bone", description="Bone to follow where the target is an armature", update=saved.named
    )
    enabled: saved.Bool(description="Off: the effector is ignored", default=True)
    weight: saved.Float(
        description="How much this effector counts if not all of one priority can be reached",
        default=1.0,
        min=0.0,
        soft_max=10.0,
    )
    priority: saved.Int(
        description=(
            "0 is the strongest. An effector with a higher number never disturbs a stronger one. Can be "
            "animated"
        ),
        min=0,
        max=15,
    )
    influence: saved.Share(
        description="0: the bone keeps its own animation, 1: it follows the target. Can be animated",
        default=1.0,
    )
    keeps_motion: saved.Bool(
        name="Keep Motion",
        description=(
            "Keep the bone at its own animation: where it was in each frame before the solve. Ignored if "
            "the effector has a target"
        ),
    )
    pinned: saved.Bool(
        description="Hold the bone where it is now. Ignored if the effector has a target", update=_hold_place
    )
    pin_location: saved.Point(description="Place of a pinned effector, in world space")
    pin_rotation: saved.Quaternion(description="Rotation of a pinned effector, in world space")
    chain_root: saved.String(
        name="Chain",
        description="Topmost bone of the chain that may move for this effector. Empty: the whole figure",
        update=saved.named,
    )
    status: saved.Text(description="How the last solve ended for this effector")
    error: saved.Measured(
        description="Distance to the target after the last solve; the worst frame after a bake"
    )
    angle: saved.Measured(
        description="Angle to the target's orientation after the last solve; the worst frame after a bake",
        subtype="ANGLE",
        precision=2,
    )
    message: saved.Text(description="Why this effector misses its target")

    @property
    def kind_info(self) -> Kind:
        return KINDS[self.kind]

    @property
    def follows(self) -> str:
        """What determines the target: "TARGET", "MOTION" (the bone's own animation), "PIN", or "MISSING".

        "" if the kind, with its present settings, needs no target.
        """
        has = self.kind_info.options
        if "target" not in has or (self.second_bone and "second_bone" in has):
            return ""
        if self.over == "SUPPORT" and "over" in has:
            return ""
        if self.target is not None:
            return "TARGET"
        if self.keeps_motion and "keeps_motion" in has:
            return "MOTION"
        return "PIN" if self.pinned and "pinned" in has else "MISSING"

    @property
    def alternative_objects(self) -> list[bpy.types.Object]:
        """The objects that the bone may choose from, for a kind with alternatives."""
        if "alternatives" not in self.kind_info.options or self.alternatives is None:
            return []
        return [thing for thing in self.alternatives.all_objects if thing is not self.id_data]

    @property
    def targets(self) -> list[bpy.types.Object]:
        """The target, if there is one, and the alternative ones."""
        return [thing for thing in (self.target, *self.alternative_objects) if thing is not None]

    @property
    def settings(self) -> dict[str, Any]:
        """The options of its kind as plain data, except the target and what is read in every frame."""
        told = {name: getattr(self, name) for name in self.kind_info.options if name not in _ELSEWHERE}
        return {n: v if isinstance(v, str | int | float | bool) else tuple(v) for n, v in told.items()}

    def shows(self, option: str) -> bool:
        """Whether an option of the kind has an effect with the present settings."""
        return option not in _MEANS_SOMETHING or _MEANS_SOMETHING[option](self)

    def first_target(self, pose_bone: bpy.types.PoseBone, scale: float = 1.0, side: Any = (0.0, 0.0, 1.0)):
        """(3,) position of a target for the present pose, in the bone's own axes.

        `scale` is the length of one of its units in the world. `side` (3,) is the bend direction of a limb.
        """
        bone, ahead = pose_bone.bone, 0.0
        if "pole" in self.kind_info.asks:
            bend = bend_side(pose_bone)
            if bend is not None:
                side = pose_bone.matrix.to_3x3().inverted_safe() @ bend
            return 2.0 * bone.length * Vector(side)
        if "aim" in self.kind_info.asks:
            ahead = 2.0 * bone.length
        elif "distance" in self.kind_info.options:
            ahead = self.distance / scale if scale > 0.0 else 0.0
        return self.point_in_bone(bone) + ahead * Vector(self.direction)
