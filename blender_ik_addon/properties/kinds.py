# SPDX-License-Identifier: GPL-3.0-or-later
"""The kinds of effectors in one table, which defines menus, icons, targets and goals.

A new kind needs an entry here and a function in `bridge.goals`. New options are properties in `options`;
panel, operators and plan find them by name.
"""

from __future__ import annotations

from dataclasses import dataclass

_PLACE = ("point", "offset", "axes", "space", "slack", "planted", "footprint")
_TURN = ("turn_axes", "space", "turn_slack")
_STAYS = ("keeps_motion", "pinned")
_ANGLES = frozenset({"orientation", "aim", "pole"})
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
        """Whether it has a target orientation."""
        return "orientation" in self.asks

    @property
    def only_turns(self) -> bool:
        """Whether it has only a target orientation."""
        return self.asks == ("orientation",)

    @property
    def in_metres(self) -> bool:
        """Whether it has an error in metres."""
        return bool(set(self.asks) - _ANGLES)

    @property
    def in_radians(self) -> bool:
        """Whether it has an error in radians."""
        return bool(_ANGLES & set(self.asks))


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
            ("target", *_STAYS, "stretch", *_PLACE),
        ),
        Kind(
            "ORIENTATION",
            "Orientation",
            "Turn the bone as the target is turned",
            "ORIENTATION_GIMBAL",
            1,
            ("orientation",),
            ("target", *_STAYS, *_TURN),
            target="ARROWS",
        ),
        Kind(
            "POSE",
            "Pose",
            "Bring the bone's tip to the target, and turn the bone as the target is turned",
            "OUTLINER_OB_ARMATURE",
            2,
            ("position", "orientation"),
            (
                "target",
                *_STAYS,
                "stretch",
                "point",
                "offset",
                "axes",
                "slack",
                *_TURN,
                "planted",
                "footprint",
            ),
            target="ARROWS",
        ),
        Kind(
            "AIM",
            "Look At / Aim",
            "Let the bone look at the target: an axis of it points there",
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
            "Keep the bone's tip on the target's ground plane, or above it",
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
            "Bring the bone's tip to one of several targets, the one that costs least",
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
