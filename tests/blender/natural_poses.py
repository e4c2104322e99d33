# SPDX-License-Identifier: GPL-3.0-or-later
"""Poses that an animator has in mind when a hand, a paw or the hips are moved, and how a figure takes them.

Each scene pulls the tips of a few bones from the rest pose to places told by the figure's own measures, while
others are held. What is looked at is how far each part turned: the arm is to do what it can, and the trunk to
follow only where the arm is at its end.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass

import bpy
import metarig_clips
import numpy as np
from mathutils import Vector

Place = Callable[[bpy.types.Object], Vector]
PARTS = (
    ("trunk", r"(spine(\.00[0-3])?|pelvis|chest|hips?|Hips|Spine\d?)(\.[LR])?$"),
    ("neck", r"(spine\.0\d\d|neck.*|head|Neck|Head|skull)$"),
    ("girdle", r"(shoulder|LeftShoulder|RightShoulder|clavicle)"),
    ("limb", r".*(arm|thigh|shin|leg|Arm|Leg|Wing|tail|trunk)"),
    ("end", r".*(hand|foot|toe|hoof|Hand|Foot|Toe|f_|thumb|palm)"),
)


@dataclass(frozen=True)
class Scene:
    """One pose to be taken.

    Attributes:
        rig: see `rest_figure`; pulls: bones with the place for the tip of each; holds: bones that stay as
            they are, in place and rotation; free: whether the root may move.
    """

    rig: str
    pulls: Mapping[str, Place]
    holds: tuple[str, ...] = ()
    free: bool = False


@dataclass(frozen=True)
class Taken:
    """What came of it, as Blender shows it.

    Attributes:
        misses: (E,) distances of what was pulled from its places, metres.
        turns: degrees that each bone turned against its parent; lean: of the trunk's upper end in the world;
        parts: sums of the turns, see `PARTS`.
    """

    misses: np.ndarray
    turns: dict[str, float]
    lean: float
    parts: dict[str, float]


def tail(bone: str, offset: tuple[float, float, float] = (0.0, 0.0, 0.0)) -> Place:
    """A place beside the tail of a bone at rest, offset in the world in shares of the figure's height."""
    return lambda figure: (
        figure.matrix_world @ figure.data.bones[bone].tail_local + height(figure) * Vector(offset)
    )


def head(bone: str, offset: tuple[float, float, float] = (0.0, 0.0, 0.0)) -> Place:
    """The same beside its head."""
    return lambda figure: (
        figure.matrix_world @ figure.data.bones[bone].head_local + height(figure) * Vector(offset)
    )


def height(figure: bpy.types.Object) -> float:
    """Metres from the figure's lowest to its highest point at rest."""
    ends = [figure.matrix_world @ bone.tail_local for bone in figure.data.bones]
    return max(end.z for end in ends) - min(end.z for end in ends)


FEET = ("foot.L", "foot.R")
PAWS = ("front_toe.L", "front_toe.R", "toe.L", "toe.R")
SCENES = {
    "hand to mouth": Scene("human", {"hand.L": head("spine.006", (0.0, -0.09, 0.01))}),
    "hand overhead": Scene("human", {"hand.L": tail("spine.006", (0.06, 0.0, 0.12))}),
    "hand to other knee": Scene("human", {"hand.L": head("shin.R", (0.0, -0.06, 0.05))}),
    "hand to other shoulder": Scene("human", {"hand.L": head("upper_arm.R", (0.0, -0.06, 0.03))}),
    "reach to the floor": Scene("human", {"hand.L": tail("toe.L", (0.0, -0.05, 0.03))}),
    "reach to the side": Scene("human", {"hand.L": tail("hand.L", (0.15, 0.0, 0.05))}),
    "reach within": Scene("human", {"hand.L": tail("hand.L", (-0.12, -0.15, 0.05))}),
    "both hands forward": Scene(
        "human",
        {
            "hand.L": head("upper_arm.L", (0.0, -0.38, 0.0)),
            "hand.R": head("upper_arm.R", (0.0, -0.38, 0.0)),
        },
    ),
    "squat": Scene("human", {"spine": tail("spine", (0.0, 0.0, -0.2))}, FEET, free=True),
    "squat, hand to floor": Scene("human", {"hand.L": tail("toe.L", (0.0, -0.05, 0.03))}, FEET, free=True),
    "hand far ahead, to floor": Scene(
        "human", {"hand.L": tail("hand.L", (0.0, -0.52, -0.57))}, FEET, free=True
    ),
    "reach within, free": Scene("human", {"hand.L": tail("hand.L", (-0.12, -0.15, 0.05))}, FEET, free=True),
    "reach aside, free": Scene("human", {"hand.L": tail("hand.L", (0.15, 0.0, 0.05))}, FEET, free=True),
    "head up, free": Scene("human", {"spine.006": tail("spine.006", (0.0, -0.15, -0.1))}, FEET, free=True),
    "foot lift": Scene("human", {"foot.L": tail("foot.L", (0.0, -0.15, 0.25))}),
    "kick aside": Scene("human", {"foot.L": tail("foot.L", (0.3, 0.0, 0.2))}),
    "head aside": Scene("human", {"spine.006": tail("spine.006", (0.2, -0.02, -0.05))}),
    "plain hand to mouth": Scene("basic_human", {"hand.L": tail("spine.006", (0.0, -0.09, -0.09))}),
    "wolf, paw lift": Scene(
        "wolf",
        {"front_foot.L": tail("front_foot.L", (0.0, -0.15, 0.2))},
        ("foot.L", "foot.R", "front_foot.R"),
    ),
    "wolf, muzzle up": Scene("wolf", {"spine.011": tail("spine.011", (0.0, 0.1, 0.15))}, PAWS, free=True),
    "wolf, sit": Scene("wolf", {"spine.005": tail("spine.005", (0.0, 0.05, -0.4))}, PAWS, free=True),
    "horse, hoof lift": Scene("horse", {"forefoot.L": tail("forefoot.L", (0.0, -0.1, 0.2))}),
    "cat, paw lift": Scene("cat", {"hand.L": tail("hand.L", (0.0, -0.15, 0.2))}),
    "bird, foot lift": Scene("bird", {"foot.L": tail("foot.L", (0.0, -0.1, 0.2))}),
    "bird, wing up": Scene("bird", {"Wing.002.L": tail("Wing.002.L", (-0.2, 0.0, 0.4))}),
    "T-pose, hand to mouth": Scene("t_pose", {"LeftHand": head("Head", (0.0, -0.08, 0.0))}),
    "T-pose, hand overhead": Scene("t_pose", {"LeftHand": tail("Head", (0.06, 0.0, 0.12))}),
    "T-pose, hand to hip": Scene("t_pose", {"LeftHand": head("LeftUpLeg", (0.05, -0.03, 0.0))}),
    "T-pose, squat": Scene(
        "t_pose", {"Hips": tail("Hips", (0.0, 0.0, -0.2))}, ("LeftFoot", "RightFoot"), free=True
    ),
    "tail": Scene("tail", {"tail.16": tail("tail.16", (0.0, -0.25, 0.3))}),
}


def rest_figure(rig: str) -> bpy.types.Object:
    """One of Rigify's metarigs, a person as games have them ("t_pose", in centimetres), or a "tail"."""
    if rig in metarig_clips.RIGS:
        return metarig_clips.metarig(rig)
    bpy.ops.wm.read_homefile(use_factory_startup=True, use_empty=True)
    data = bpy.data.armatures.new(rig)
    figure = bpy.data.objects.new(rig, data)
    bpy.context.scene.collection.objects.link(figure)
    bpy.context.view_layer.objects.active = figure
    bpy.ops.object.mode_set(mode="EDIT")
    for name, parent, start, end in _t_pose() if rig == "t_pose" else _tail():
        bone = data.edit_bones.new(name)
        bone.head, bone.tail = start, end
        if parent:
            bone.parent = data.edit_bones[parent]
    bpy.ops.object.mode_set(mode="OBJECT")
    if rig == "t_pose":
        figure.scale = (0.01, 0.01, 0.01)
    bpy.context.view_layer.update()
    return figure


def _t_pose() -> list[tuple[str, str, tuple[float, ...], tuple[float, ...]]]:
    rows: list[tuple[str, str, tuple[float, ...], tuple[float, ...]]] = []

    def chain(parent: str, *joints: tuple[str, tuple[float, ...]], end: tuple[float, ...]) -> None:
        ends = [place for _, place in joints[1:]] + [end]
        for (name, start), stop in zip(joints, ends, strict=True):
            rows.append((name, parent, start, stop))
            parent = name

    chain(
        "", ("Hips", (0, 0, 100)), ("Spine", (0, 0, 110)), ("Spine1", (0, 1, 121)), ("Spine2", (0, 2, 133)),
        ("Neck", (0, 2, 150)), ("Head", (0, 0, 160)), end=(0, 0, 180),
    )  # fmt: skip
    for side, s in (("Left", 1.0), ("Right", -1.0)):
        chain(
            "Spine2", (f"{side}Shoulder", (5 * s, 2, 144)), (f"{side}Arm", (18 * s, 3, 144)),
            (f"{side}ForeArm", (46 * s, 3, 144)), (f"{side}Hand", (72 * s, 3, 144)), end=(81 * s, 2, 144),
        )  # fmt: skip
        for number, finger in enumerate(("Thumb", "Index", "Middle", "Ring", "Pinky")):
            y = -2.0 + 2.0 * number
            joints = [(f"{side}Hand{finger}{k + 1}", ((81 + 3 * k) * s, y, 144)) for k in range(3)]
            chain(f"{side}Hand", *joints, end=(90 * s, y, 144))
        chain(
            "Hips", (f"{side}UpLeg", (9 * s, 0, 96)), (f"{side}Leg", (9 * s, -1, 53)),
            (f"{side}Foot", (9 * s, 1, 9)), (f"{side}ToeBase", (9 * s, -12, 2)), end=(9 * s, -20, 2),
        )  # fmt: skip
    return rows


def _tail() -> list[tuple[str, str, tuple[float, ...], tuple[float, ...]]]:
    count, length = 16, 1.0
    places = [(0.0, length * k / count, 0.02 * float(np.sin(k))) for k in range(count + 1)]
    return [(f"tail.{k + 1:02}", f"tail.{k:02}" if k else "", places[k], places[k + 1]) for k in range(count)]


@dataclass(frozen=True)
class Stage:
    """A figure at rest with its effectors, and where they are pulled.

    Attributes:
        scene: what it is of; figure: the armature object; targets: what its effectors follow; ends: where to.
    """

    scene: Scene
    figure: bpy.types.Object
    targets: list[bpy.types.Object]
    ends: list[Vector]

    def take(self) -> Taken:
        """Solve, and see how far everything turned."""
        before = frames(self.figure)
        for target, end in zip(self.targets, self.ends, strict=True):
            target.location = end
        bpy.context.view_layer.update()
        bpy.ops.articulate.solve()
        bpy.context.view_layer.update()
        return self.compared(before)

    def compared(self, before: Mapping[str, np.ndarray]) -> Taken:
        """The pose as it is beside what `frames` were before."""
        figure, scene = self.figure, self.scene
        tips = [figure.matrix_world @ figure.pose.bones[bone].tail for bone in scene.pulls]
        misses = np.array([(tip - end).length for tip, end in zip(tips, self.ends, strict=True)])
        after = frames(figure)
        turns = turns_between(figure, before, after)
        top = top_of(figure, next(iter(scene.pulls)))
        return Taken(misses, turns, angle_between(before[top], after[top]), _by_part(turns))


def prepare(name: str, *, size: float = 1.0, **settings: object) -> Stage:
    """A scene with its effectors.

    Args:
        name: of the scene; size: times as large; settings: of the solver, in place of its own.
    """
    scene = SCENES[name]
    figure = rest_figure(scene.rig)
    figure.scale *= size
    bpy.context.view_layer.update()
    bpy.context.view_layer.objects.active = figure
    rig = figure.articulate
    for setting, value in settings.items():
        setattr(rig.solver, setting, value)
    rig.solver.root = "FREE" if scene.free else "PINNED"
    for bone in scene.holds:
        bpy.ops.articulate.effector_add(bone=bone, kind="POSE")
    for bone in scene.pulls:
        bpy.ops.articulate.effector_add(bone=bone, kind="POSITION")
    targets = [next(e for e in rig.effectors if e.bone == bone).target for bone in scene.pulls]
    return Stage(scene, figure, targets, [place(figure) for place in scene.pulls.values()])


def take(name: str, **settings: object) -> Taken:
    """Take a pose by one solve; arguments as for `prepare`."""
    return prepare(name, **settings).take()


def top_of(figure: bpy.types.Object, pulled: str) -> str:
    """The bone that carries the limb that is pulled: the last of the trunk above it."""
    pattern = re.compile(PARTS[0][1])
    above = [figure.data.bones[pulled], *figure.data.bones[pulled].parent_recursive]
    return next((bone.name for bone in above if pattern.match(bone.name)), above[-1].name)


def _by_part(turns: Mapping[str, float]) -> dict[str, float]:
    sums = dict.fromkeys((part for part, _ in PARTS), 0.0)
    for bone, angle in turns.items():
        part = next((part for part, pattern in PARTS if re.match(pattern, bone)), "")
        if part:
            sums[part] += angle
    return sums


def frames(figure: bpy.types.Object) -> dict[str, np.ndarray]:
    """How every bone is turned in the armature."""
    return {bone.name: np.array(bone.matrix.to_3x3().normalized()) for bone in figure.pose.bones}


def turns_between(
    figure: bpy.types.Object, before: Mapping[str, np.ndarray], after: Mapping[str, np.ndarray]
) -> dict[str, float]:
    """Degrees that each bone turned against its parent between two poses, see `frames`."""
    return {bone: angle_between(_own(figure, before, bone), _own(figure, after, bone)) for bone in before}


def _own(figure: bpy.types.Object, turned: Mapping[str, np.ndarray], bone: str) -> np.ndarray:
    parent = figure.data.bones[bone].parent
    return turned[bone] if parent is None else turned[parent.name].T @ turned[bone]


def angle_between(a: np.ndarray, b: np.ndarray) -> float:
    return float(np.degrees(np.arccos(np.clip((np.trace(a.T @ b) - 1.0) / 2.0, -1.0, 1.0))))
