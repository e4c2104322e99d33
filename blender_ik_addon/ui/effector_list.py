# SPDX-License-Identifier: GPL-3.0-or-later
"""The list of effectors: one line each, with what matters while posing."""

import bpy

from ..properties.kinds import KINDS
from ..properties.measures import angle, length


class ARTICULATE_UL_effectors(bpy.types.UIList):
    """Kind, name, target, weight, error, on or off."""

    bl_idname = "ARTICULATE_UL_effectors"

    def draw_item(
        self, _context, layout, rig, effector, _icon, _active_data, _active_property, _index=0, _flag=0
    ) -> None:
        """One line; red where the bone or the target is missing. A weight of 1 is not worth the room."""
        line = layout.row(align=True)
        line.active = effector.enabled
        split = line.split(factor=0.42, align=True)
        name = split.row(align=True)
        name.alert = effector.bone not in rig.id_data.data.bones
        name.prop(effector, "name", text="", emboss=False, icon=KINDS[effector.kind].icon)
        split = split.split(factor=0.5, align=True)
        target = split.row(align=True)
        target.alert = effector.target is None and not effector.pinned
        target.label(text=_target_text(effector))
        numbers = split.row(align=True)
        numbers.alignment = "RIGHT"
        if effector.weight != 1.0:
            numbers.label(text=f"×{effector.weight:.3g}")
        numbers.label(text=error_text(effector))
        line.prop(
            effector, "enabled", text="", emboss=False, icon="HIDE_OFF" if effector.enabled else "HIDE_ON"
        )


def error_text(effector) -> str:
    """The error after the last solve, short; empty before it and where the effector was off."""
    if effector.status not in {"REACHED", "BEST_EFFORT"}:
        return ""
    parts = []
    if effector.kind_info.in_metres:
        parts.append(length(effector.error))
    if effector.kind_info.in_radians:
        parts.append(angle(effector.angle))
    return " ".join(parts)


def _target_text(effector) -> str:
    if effector.target is None:
        return "pinned" if effector.pinned else "no target"
    return effector.subtarget or effector.target.name.removeprefix("Target ")  # as the add-on names its own


CLASSES = (ARTICULATE_UL_effectors,)
