# SPDX-License-Identifier: GPL-3.0-or-later
"""The list of effectors: one line each, with what matters while posing."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

import bpy

from ..properties.kinds import KINDS
from ..properties.measures import angle, length

ENDED: Mapping[str, Any] = MappingProxyType(
    {"REACHED": "CHECKMARK", "BEST_EFFORT": "ERROR", "BLOCKED": "CANCEL", "OFF": "RADIOBUT_OFF"}
)
"""Icons for how the last solve ended for an effector."""

_NAME = 0.43  # share of a line that is the name's beside words,
_ALONE = 0.7  # and beside icons


class ARTICULATE_UL_effectors(bpy.types.UIList):
    """Kind, name, a target that is not its own, weight, error, on or off."""

    bl_idname = "ARTICULATE_UL_effectors"

    def draw_item(
        self, _context, layout, rig, effector, _icon, _active_data, _active_property, _index=0, _flag=0
    ) -> None:
        """One line; red where the bone or the target is missing. What is as usual is not worth the room."""
        line = layout.row(align=True)
        line.active = effector.enabled
        text, icon = _target_text(effector), "PINNED" if effector.follows == "PIN" else "NONE"
        short = _worst(effector) if effector.status in ENDED and effector.status != "REACHED" else ""
        words = text or short or effector.weight != 1.0
        halves = line.split(factor=_NAME if words else _ALONE, align=True)  # else words leave names no room
        name = halves.row(align=True)
        name.alert = effector.bone not in rig.id_data.data.bones
        name.prop(effector, "name", text="", emboss=False, icon=KINDS[effector.kind].icon)
        told = halves.row(align=True)
        told.alignment = "RIGHT"
        if text or icon != "NONE":  # an empty label takes room, too
            target = told.row(align=True)
            target.alert = effector.follows == "MISSING"
            target.label(text=text, icon=icon)
        if effector.weight != 1.0:
            told.label(text=f"×{effector.weight:.3g}")
        if effector.status in ENDED:
            told.label(text=short, icon=ENDED[effector.status])
        line.prop(
            effector, "enabled", text="", emboss=False, icon="HIDE_OFF" if effector.enabled else "HIDE_ON"
        )


def error_text(effector) -> str:
    """The error after the last solve, short; empty before it and where the effector was off."""
    return " ".join(_errors(effector))


def _worst(effector) -> str:
    """Of two errors the one that is more to be seen; a list has no room for both."""
    errors = _errors(effector, short=True)
    return errors[-1] if effector.angle > effector.error else "".join(errors[:1])


def _errors(effector, *, short: bool = False) -> list[str]:
    """Distance and angle, as far as the kind has them; short where there is little room."""
    parts: list[str] = []
    if effector.status not in {"REACHED", "BEST_EFFORT", "BLOCKED"}:
        return parts
    if effector.kind_info.in_metres:
        parts.append(length(effector.error, short=short))
    if effector.kind_info.in_radians:
        parts.append(angle(effector.angle, short=short))
    return parts


def ended_text(effector) -> str:
    """How the last solve or bake ended for an effector, as one sentence."""
    if effector.message:
        return f"{effector.name}: {effector.message}"
    return f"{effector.name} is there ({error_text(effector)} off)"


def _target_text(effector) -> str:
    """What it follows, where that is not its own Empty or pin."""
    follows = effector.follows
    if effector.alternatives is not None and "alternatives" in effector.kind_info.options:
        return _unless_own(effector.alternatives.name, "Targets ", effector)
    if follows != "TARGET":
        return {"PIN": "", "MISSING": "no target"}.get(follows, effector.second_bone or "feet")
    return effector.subtarget or _unless_own(effector.target.name, "Target ", effector)


def _unless_own(name: str, prefix: str, effector) -> str:
    """A name, but for one as the add-on names its own."""
    return "" if name in (prefix + effector.name, prefix + effector.bone) else name


CLASSES = (ARTICULATE_UL_effectors,)
