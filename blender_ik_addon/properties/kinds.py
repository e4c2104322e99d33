# SPDX-License-Identifier: GPL-3.0-or-later
"""The kinds of effectors in one table, which defines menus, icons, targets and goals.

A new kind needs an entry here and a function in `bridge.goals`. New options are properties of
`EffectorOptions`; panel, operators and plan find them by name.
"""

from dataclasses import dataclass
from typing import Any, Final

import bpy
from mathutils import Vector

from . import saved

_GROUND = ("planted", "footprint")
PLACE = ("point", "offset", "axes", "space", "slack", *_GROUND)
TURN = ("turn_axes", "space", "turn_slack")
_STAYS = ("keeps_motion", "pinned")
_SECOND = ("second_bone", "second_point", "second_offset")

AMOUNTS = ("slack", "turn_slack", "distance", "margin", "planted", "footprint")
"""Options that are numbers or flags: they can be animated, and are read in every frame."""


@dataclass(frozen=True)
class Kind:
    """One kind of effector.

    Attributes:
        name: identifier, saved in the file.
        label: shown in menus.
        description: the tooltip, for users who do not know inverse kinematics.
        icon: name of a Blender icon.
        number: stored in files; never reused for another kind.
        asks: names of the goals that it makes, see `bridge.goals`.
        options: the properties of an effector that apply to this kind, in the order of the panel.
        target: display type of a new Empty; "" for that of the preferences.
        repeats: whether one point may have several effectors of this kind.
    """

    name: str
    label: str
    description: str
    icon: str
    number: int
    asks: tuple[str, ...]
    options: tuple[str, ...]
    target: str = ""
    repeats: bool = False

    @property
    def moves(self) -> bool:
        """Whether it has a target position."""
        return "position" in self.asks

    @property
    def places(self) -> bool:
        """Whether it brings a point of its bone to a target, possibly one of several."""
        return self.moves or "any_of" in self.asks

    @property
    def turns(self) -> bool:
        """Whether it has a target orientation; that of a sole yields about the ankle."""
        return "orientation" in self.asks or "sole" in self.asks

    @property
    def only_turns(self) -> bool:
        """Whether it has only a target orientation."""
        return self.asks == ("orientation",)


KINDS: dict[str, Kind] = {
    kind.name: kind
    for kind in (
        Kind(
            "POSITION",
            "Position",
            "Bring the bone's tip to the target",
            "EMPTY_AXIS",
            0,
            ("position",),
            ("target", *_STAYS, "stretch", *PLACE),
        ),
        Kind(
            "ORIENTATION",
            "Orientation",
            "Turn the bone to the rotation of the target",
            "ORIENTATION_GIMBAL",
            1,
            ("orientation",),
            ("target", *_STAYS, *TURN),
            target="ARROWS",
        ),
        Kind(
            "POSE",
            "Pose",
            "Bring the bone's tip to the target, and turn the bone to the rotation of the target",
            "OUTLINER_OB_ARMATURE",
            2,
            ("position", "orientation"),
            ("target", *_STAYS, "stretch", "point", "offset", "axes", "slack", *TURN, *_GROUND),
            target="ARROWS",
        ),
        Kind(
            "AIM",
            "Look At / Aim",
            "Point an axis of the bone at the target, as a head looks at something",
            "CON_TRACKTO",
            3,
            ("aim",),
            ("target", "pinned", "axis", "turn_slack", "point", "offset"),
        ),
        Kind(
            "POLE",
            "Pole",
            "Turn the limb so that its knee or elbow points at the target. Add it to the shin or forearm",
            "CON_LOCKTRACK",
            9,
            ("pole",),
            ("target", "pinned", "turn_slack"),
        ),
        Kind(
            "PLANE",
            "Plane",
            "Keep the bone's tip on the target's XY plane, or above it",
            "MESH_PLANE",
            4,
            ("plane",),
            ("target", "pinned", "one_sided", "point", "offset"),
            target="SINGLE_ARROW",
            repeats=True,
        ),
        Kind(
            "DISTANCE",
            "Distance",
            "Keep the bone's tip at, within or outside a distance from the target or from another bone",
            "CON_DISTLIMIT",
            5,
            ("distance",),
            ("keep", "distance", "point", "offset", *_SECOND, "target"),
            repeats=True,
        ),
        Kind(
            "BALANCE",
            "Balance",
            "Keep the centre of mass over the target, or over the area that planted effectors span",
            "SNAP_FACE_CENTER",
            6,
            ("balance",),
            ("over", "target", "margin"),
            target="CIRCLE",
        ),
        Kind(
            "LOOP",
            "Loop",
            "Join the bone to a second one, for instance both hands on one prop",
            "LINKED",
            7,
            ("loop",),
            (*_SECOND, "rigid", "second_rotation", "point", "offset"),
            repeats=True,
        ),
        Kind(
            "ANY_OF",
            "Any Of",
            "Bring the bone's tip to the nearest of several targets",
            "PARTICLE_POINT",
            8,
            ("any_of",),
            ("alternatives", "point", "offset", "axes", "space", "slack"),
            repeats=True,
        ),
    )
}
KIND_ITEMS = tuple((k.name, k.label, k.description, k.icon, k.number) for k in KINDS.values())
"""The kinds as items of an enum property."""


POINTS = (
    ("TIP", "Tip", "The tip of the bone is brought to the target", "BONE_DATA", 0),
    ("HEAD", "Head", "The head of the bone is brought to the target", "BONE_DATA", 1),
)

AXES = (
    ("X", "X", "Across the bone, along its own X axis", 0),
    ("Y", "Y", "Along the bone, from its head to its tip", 1),
    ("Z", "Z", "Across the bone, along its own Z axis", 2),
    ("-X", "-X", "Across the bone, against its own X axis", 3),
    ("-Y", "-Y", "Against the bone, from its tip to its head", 4),
    ("-Z", "-Z", "Across the bone, against its own Z axis", 5),
)

SPACES = (
    ("WORLD", "World", "The axes of the world", 0),
    ("TARGET", "Target", "The target's own axes", 1),
    ("BONE", "Bone", "The bone's own axes", 2),
)

KEEPS = (
    ("AT", "At", "Exactly at this distance, as on a rod", 0),
    ("INSIDE", "Within", "Not farther away than this, as on a leash", 1),
    ("OUTSIDE", "Outside", "Not nearer than this", 2),
)

OVERS = (
    ("TARGET", "Target", "The centre of mass is over the target", 0),
    ("SUPPORT", "Support", "The centre of mass is over the area that the planted effectors span", 1),
)

ALL_AXES: Final = (True, True, True)


def _point(bone: bpy.types.Bone, end: str, offset: Any):
    return Vector((0.0, bone.length if end == "TIP" else 0.0, 0.0)) + Vector(offset)


class EffectorOptions:
    """The option properties, and functions of these alone."""

    __slots__ = ()

    point: saved.Enum(
        description="Point of the bone that is brought to the target",
        items=POINTS,
        default="TIP",
    )
    offset: saved.Point(description="Offset of that point along the bone's axes. Y runs along the bone")
    axis: saved.Enum(
        description="Axis of the bone that points at the target; Y runs along the bone",
        items=AXES,
        default="Y",
    )
    one_sided: saved.Bool(
        name="One-Sided",
        description="A floor: the bone may be anywhere on the side to which the target's Z axis points",
    )
    axes: saved.Axes(description="Along which axes the bone's place counts; along the others it is free")
    turn_axes: saved.Axes(
        description="About which axes the bone's orientation counts; about the others it is free"
    )
    space: saved.Enum(description="Whose axes are meant", items=SPACES, default="WORLD")
    slack: saved.Length(
        description="Radius around the target inside which the bone is free. Can be animated", soft_max=1.0
    )
    turn_slack: saved.Float(
        name="Slack Angle",
        description="Angle to the target inside which the bone is free. Can be animated",
        min=0.0,
        max=3.141592653589793,
        subtype="ANGLE",
    )
    stretch: saved.Share(
        description=(
            "How far the limb may lengthen where the target is out of its reach, as a share of its length. 0:"
            " not at all"
        ),
        soft_max=1.0,
        max=10.0,
    )
    planted: saved.Bool(description="The figure stands on this effector: Balance counts it. Can be animated")
    footprint: saved.Length(
        description="Radius of the ground that a planted effector covers around its target", soft_max=0.5
    )
    keep: saved.Enum(description="On which side of the distance the bone is kept", items=KEEPS, default="AT")
    distance: saved.Float(
        description="Length that is kept, in world space. Can be animated",
        default=1.0,
        soft_min=0.0,
        soft_max=10.0,
        subtype="DISTANCE",
        precision=4,
    )
    second_bone: saved.String(
        description="The bone that this one is joined to, or kept at a distance from", update=saved.named
    )
    second_point: saved.Enum(description="Point of the second bone that counts", items=POINTS, default="TIP")
    second_offset: saved.Point(description="Offset of that point along the second bone's axes", precision=4)
    second_rotation: saved.Quaternion(
        description="Rotation of the bone in the second bone's axes, if they are joined rigidly"
    )
    rigid: saved.Bool(
        description="Join the bones as if welded. Off: join them at one point, about which they can turn"
    )
    over: saved.Enum(description="What the centre of mass is kept over", items=OVERS, default="TARGET")
    margin: saved.Length(
        description="How far inside the edge of the supporting area the centre of mass is kept", soft_max=0.2
    )
    alternatives: saved.Pointer(
        name="Targets",
        description="Collection of objects, usually Empties; the bone goes to one of them",
        type=bpy.types.Collection,
    )

    def point_in_bone(self, bone: bpy.types.Bone):
        """(3,) the effector's point in the bone's own axes, the armature's units."""
        return _point(bone, self.point, self.offset)

    def second_in_bone(self, bone: bpy.types.Bone):
        """(3,) the second bone's point in that bone's own axes, the armature's units."""
        return _point(bone, self.second_point, self.second_offset)

    @property
    def direction(self) -> tuple[float, float, float]:
        """The aiming direction in the bone's own axes, a unit vector."""
        x, y, z = (float(self.axis[-1] == letter) for letter in "XYZ")
        return (-x, -y, -z) if self.axis.startswith("-") else (x, y, z)
