# SPDX-License-Identifier: GPL-3.0-or-later
"""The kinds of effector, in one table: menus, icons, targets and goals are made from it."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Kind:
    """One kind of effector.

    Attributes:
        name: identifier, saved in the file.
        label: what the menus show.
        description: the tooltip, for someone who does not know inverse kinematics.
        icon: name of a Blender icon.
        number: what the file stores; never reused for another kind.
        asks: what the kind wants of its bone, names of makers of goals in `control.goals`.
        target: how an Empty that is made for it is drawn; "" as the preferences say.
    """

    name: str
    label: str
    description: str
    icon: str
    number: int
    asks: tuple[str, ...]
    target: str = ""

    @property
    def moves(self) -> bool:
        """Whether it asks for a place."""
        return "position" in self.asks

    @property
    def turns(self) -> bool:
        """Whether it asks for an orientation, so that its target is turned as the bone is to be."""
        return "orientation" in self.asks

    @property
    def in_metres(self) -> bool:
        """Whether it has an error that is a distance."""
        return bool({"position", "plane"} & set(self.asks))

    @property
    def in_radians(self) -> bool:
        """Whether it has an error that is an angle."""
        return bool({"orientation", "aim"} & set(self.asks))

    @property
    def has_point(self) -> bool:
        """Whether it matters which point of the bone it is about."""
        return self.asks != ("orientation",)


KINDS: dict[str, Kind] = {
    kind.name: kind
    for kind in (
        Kind("POSITION", "Position", "Bring the bone's tip to the target", "EMPTY_AXIS", 0, ("position",)),
        Kind(
            "ORIENTATION",
            "Orientation",
            "Turn the bone as the target is turned",
            "ORIENTATION_GIMBAL",
            1,
            ("orientation",),
            "ARROWS",
        ),
        Kind(
            "POSE",
            "Pose",
            "Bring the bone's tip to the target and turn it alike",
            "OUTLINER_OB_ARMATURE",
            2,
            ("position", "orientation"),
            "ARROWS",
        ),
        Kind("AIM", "Aim", "Point an axis of the bone at the target", "CON_TRACKTO", 3, ("aim",)),
        Kind(
            "PLANE",
            "Plane",
            "Keep the bone's tip on the target's ground plane, or above it",
            "MESH_PLANE",
            4,
            ("plane",),
            "SINGLE_ARROW",
        ),
    )
}


def kind_items() -> tuple[tuple[str, str, str, str, int], ...]:
    """The table as the items of an enum property."""
    return tuple((k.name, k.label, k.description, k.icon, k.number) for k in KINDS.values())
