# SPDX-License-Identifier: GPL-3.0-or-later
"""The list of effectors: one line each, with the information needed while posing."""

from collections.abc import Callable, Mapping
from typing import Any, Final

import bpy

from ..properties.kinds import KINDS
from ..properties.measures import angle, is_seen, length
from .tab import ICON, ItemList, letters, sidebar_width

ENDED: Final[Mapping[str, Any]] = {
    "REACHED": "CHECKMARK",
    "BEST_EFFORT": "ERROR",
    "BLOCKED": "CANCEL",
    "OFF": "RADIOBUT_OFF",
}
"""Icons for the result of the last solve of an effector."""

_SHORT = frozenset({"BEST_EFFORT", "BLOCKED"})
_HELD: Final[Mapping[str, Any]] = {"PIN": "PINNED", "MOTION": "ACTION"}
"""Icons for effectors without a target."""

Label = tuple[str, str]  # text and icon
_NO_TARGET = "no target"

# Pixels at a resolution scale of 1. Blender does not lay out a line by its contents; names get the rest.
_BESIDE = 114.0  # part of the sidebar's width beside a line of the list
_MARGIN = 16.0  # on both sides of a text
_EDGE = 28.0  # on both sides of a name, which is a text field
_MOST = 0.6  # share of a line up to which a name is not shortened


class ARTICULATE_UL_effectors(ItemList, bpy.types.UIList):
    """Kind, name, a target that is not the effector's own, weight, error, on or off."""

    def fill(self, line, context, rig, effector) -> None:
        """Red if the bone or the target is missing. Default values are not shown."""
        room, width = max(sidebar_width(context) - _BESIDE, 1.0), letters(context)
        own = min(ICON + width(effector.name) + _EDGE, _MOST * room)
        labels, taken = _labels(effector, room - own, width)
        halves = line.split(factor=max(1.0 - taken / room, 1.0 - _MOST), align=True)
        name = halves.row(align=True)
        name.alert = effector.bone not in rig.id_data.data.bones
        name.prop(effector, "name", text="", emboss=False, icon=KINDS[effector.kind].icon)
        told = halves.row(align=True)
        told.alignment = "RIGHT"
        told.alert = any(text == _NO_TARGET for text, _icon in labels)
        for text, icon in labels:  # in rows of their own they would be equally wide
            told.label(text=text, icon=icon)


def _labels(effector, room: float, width: Callable[[str], float]) -> tuple[list[Label], float]:
    """The labels beside the name, the result before the settings, and the width that they get."""
    pin = _HELD.get(effector.follows, "NONE")
    target = _target_text(effector), pin
    weight = f"×{effector.weight:.3g}" if effector.weight != 1.0 else "", "NONE"
    status = how_it_ended(effector)
    ended = _worst(effector) if status in _SHORT else "", ENDED.get(status, "NONE")
    told: list[Label] = []
    taken = 0.0
    least = ("", pin) if ended[0] else target  # alone it is shortened, not omitted
    ways = [(target, weight, ended), (target, ended), (least, ended)]
    if ended[0]:
        ways += [(ended,), (("", ended[1]),), ()]  # in a narrow sidebar its icon alone, or nothing
    for several in ways:
        told = [label for label in several if label != ("", "NONE")]  # an empty label takes space, too
        taken = sum(ICON * (icon != "NONE") + (width(text) + _MARGIN if text else 0.0) for text, icon in told)
        if taken <= room:
            break
    return told, taken if ended[0] else min(taken, room)


def _worst(effector) -> str:
    """The more visible one of both errors, because the list has no space for both; a missing one is 0."""
    if effector.angle > effector.error:
        return angle(effector.angle, short=True)
    return length(effector.error, short=True)


def how_it_ended(effector) -> str:
    """Status after the last solve or bake, "" without bone or target; invisible errors count as reached."""
    if effector.follows == "MISSING" or effector.bone not in effector.id_data.data.bones:
        return ""
    if effector.status in _SHORT and not is_seen(effector.id_data, effector.error, effector.angle):
        return "REACHED"
    return str(effector.status)


def ended_text(effector) -> str:
    """The result of the last solve or bake for an effector, as one sentence; "" if there was none."""
    ended = how_it_ended(effector)
    if ended == "REACHED":
        return f"{effector.name} reached its target"
    return f"{effector.name}: {effector.message}" if effector.message else ""


def _target_text(effector) -> str:
    """The name of its target, unless that is its own Empty or pin."""
    follows = effector.follows
    if effector.alternatives is not None and "alternatives" in effector.kind_info.options:
        return _unless_own(effector.alternatives.name, "Targets ", effector)
    if follows != "TARGET":
        told = {"MISSING": _NO_TARGET, **dict.fromkeys(_HELD, "")}
        return told.get(follows, effector.second_bone or "feet")
    return effector.subtarget or _unless_own(effector.target.name, "Target ", effector)


def _unless_own(name: str, prefix: str, effector) -> str:
    """A name, or "" if it is a default name of the add-on."""
    return "" if name in (prefix + effector.name, prefix + effector.bone) else name
