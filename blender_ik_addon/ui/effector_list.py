# SPDX-License-Identifier: GPL-3.0-or-later
"""The list of effectors: one line each, with what matters while posing."""

import bpy

from ..properties.kinds import KINDS


class ARTICULATE_UL_effectors(bpy.types.UIList):
    """Kind, name, target, weight, error, on or off."""

    bl_idname = "ARTICULATE_UL_effectors"

    def draw_item(
        self, _context, layout, rig, effector, _icon, _active_data, _active_property, _index=0, _flag=0
    ) -> None:
        """One line; red where the bone or the target is missing."""
        bones = rig.id_data.data.bones
        row = layout.row(align=True)
        row.active = effector.enabled
        name = row.row(align=True)
        name.alert = effector.bone not in bones
        name.prop(
            effector,
            "name",
            text="",
            emboss=False,
            icon=KINDS[effector.kind].icon if effector.kind else "ERROR",
        )
        target = row.row(align=True)
        target.alert = effector.target is None and not effector.pinned
        target.label(text=_target_text(effector), icon="PINNED" if _is_pin(effector) else "EMPTY_AXIS")
        row.label(text=error_text(effector))
        row.prop(
            effector, "enabled", text="", emboss=False, icon="HIDE_OFF" if effector.enabled else "HIDE_ON"
        )


def error_text(effector) -> str:
    """The error after the last solve, short; empty before it and where the effector was off."""
    if effector.status not in {"REACHED", "BEST_EFFORT"}:
        return ""
    parts = []
    if effector.kind_info.moves:
        parts.append(f"{effector.error * 1e3:.1f} mm" if effector.error < 1.0 else f"{effector.error:.2f} m")
    if effector.kind_info.turns:
        parts.append(f"{effector.angle * 57.29577951308232:.1f}°")
    return " ".join(parts)


def _is_pin(effector) -> bool:
    return effector.target is None and effector.pinned


def _target_text(effector) -> str:
    if effector.target is None:
        return "pinned" if effector.pinned else "no target"
    return effector.subtarget or effector.target.name


CLASSES = (ARTICULATE_UL_effectors,)
