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
    """

    name: str
    label: str
    description: str
    icon: str
    number: int
    asks: tuple[str, ...]

    @property
    def moves(self) -> bool:
        """Whether it asks for a place, so that it has a point and an error in metres."""
        return "position" in self.asks

    @property
    def turns(self) -> bool:
        """Whether it asks for an orientation, so that its target is turned and its error is an angle."""
        return "orientation" in self.asks


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
        ),
        Kind(
            "POSE",
            "Pose",
            "Bring the bone's tip to the target and turn it alike",
            "OUTLINER_OB_ARMATURE",
            2,
            ("position", "orientation"),
        ),
    )
}


def kind_items() -> tuple[tuple[str, str, str, str, int], ...]:
    """The table as the items of an enum property."""
    return tuple((k.name, k.label, k.description, k.icon, k.number) for k in KINDS.values())
