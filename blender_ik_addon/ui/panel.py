# SPDX-License-Identifier: GPL-3.0-or-later
"""The tab "Articulate" in the 3D View's sidebar."""

from typing import Final

import bpy

from ..properties.access import active_armature, active_bone, is_tool_active, posed_armature, rig_of
from ..properties.check import refusals
from ..properties.kinds import AMOUNTS, PLACE, TURN
from ..properties.menus import takes_posture_cost
from ..properties.session import is_refusal, own_session
from ..properties.solver import LEARNED
from .effector_list import ENDED, ARTICULATE_UL_effectors, ended_text, how_it_ended
from .tab import (
    SubPanel,
    Tab,
    draw_all,
    draw_fixed,
    draw_labelled,
    draw_list,
    draw_of_bone,
    draw_text,
    sidebar_width,
)

HINT = "Select the armature of a character, or the character itself, to pose it"
INSTANCE = (
    "An instance cannot be posed. If it is linked, choose Object > Library Override > Make, "
    "else Object > Apply > Make Instances Real"
)
FIRST_STEP: Final = "Drag any bone: the body follows. Pin what must stay. + adds targets to follow."
_ROWS: Final = 3  # of a message
_REPORT_BUTTON: Final = 40.0  # width beside the message, pixels at a resolution scale of 1
DETAILS: Final = frozenset((*PLACE, *TURN, "second_point", "second_offset", "second_rotation"))
"""Options of effectors that are rarely changed."""


class ARTICULATE_PT_main(Tab, bpy.types.Panel):
    """Effectors and the Solve button."""

    bl_label = "Articulate"

    def draw(self, context) -> None:
        layout = self.layout
        if posed_armature(context) is None:
            shown = getattr(context.object, "instance_collection", None)
            draw_text(layout, context, HINT if shown is None else INSTANCE, icon="INFO")
            return
        row = layout.row()
        row.scale_y = 1.3
        row.operator("articulate.begin", icon="CON_KINEMATIC", depress=is_tool_active(context))
        armature = active_armature(context)
        if armature is None:
            return
        if context.mode == "POSE":
            row = layout.row(align=True)
            row.menu("ARTICULATE_MT_pins", text="Pin", icon="PINNED")
            row.operator("articulate.unpin", text="Unpin", icon="UNPINNED")
            row.operator("articulate.unpin_all", text="", icon="X")
        rig = rig_of(armature)
        column = draw_list(layout, ARTICULATE_UL_effectors, rig, "effectors", "active_effector")
        column.operator_menu_enum("articulate.effector_add", "kind", text="", icon="ADD")
        column.operator("articulate.effector_remove", text="", icon="REMOVE").effector = ""
        column.operator("articulate.clear", text="", icon="TRASH")
        self._draw_solve(context, armature)

    def _draw_solve(self, context, armature) -> None:
        """Live, Record, Solve and Bake, and the message below at a fixed place."""
        layout, rig = self.layout, rig_of(armature)
        row = layout.row()
        row.prop(rig, "live", icon="FILE_REFRESH", toggle=True)
        row.prop(rig, "record", icon="REC", toggle=True)
        refusal = next(refusals(armature, context.scene), None)
        row = layout.row()
        row.scale_y = 1.3
        row.enabled = refusal is None and not own_session().baking
        row.operator("articulate.solve", icon="CON_ARMATURE")
        row.operator("articulate.bake", icon="KEYINGSET")
        draw_message(layout, context, armature, refusal)


class ARTICULATE_PT_effector(SubPanel, bpy.types.Panel):
    """Details of the active effector."""

    bl_label = "Effector"
    bl_options = set()

    @classmethod
    def poll(cls, context) -> bool:
        armature = active_armature(context)
        return armature is not None and rig_of(armature).active is not None

    def fill(self, layout, context, armature, rig) -> None:
        effector, bone = rig.active, active_bone(context, armature)
        column = layout.column()
        column.prop(effector, "kind")
        column.prop_search(effector, "bone", armature.data, "bones")
        for option in shown_options(effector):
            if option not in DETAILS:
                draw_option(layout, armature, effector, option)
        if "over" in effector.kind_info.options and bone is not None:
            draw_of_bone(layout, bone.name).prop(bone.articulate, "mass")
        column = layout.column()
        column.prop_search(effector, "chain_root", armature.data, "bones")
        column.use_property_decorate = True
        draw_all(column, effector, ("priority", "weight", "influence"))
        icon = ENDED.get(how_it_ended(effector), "NONE")
        draw_fixed(layout.row(), context, ended_text(effector), _ROWS, icon=icon)


class ARTICULATE_PT_details(SubPanel, bpy.types.Panel):
    """Options of an effector that are rarely changed."""

    bl_label = "Point, Axes and Slack"
    bl_parent_id = "ARTICULATE_PT_effector"

    @classmethod
    def poll(cls, context) -> bool:
        armature = active_armature(context)
        effector = rig_of(armature).active if armature is not None else None
        return effector is not None and not DETAILS.isdisjoint(shown_options(effector))

    def fill(self, layout, _context, armature, rig) -> None:
        for option in shown_options(rig.active):
            if option in DETAILS:
                draw_option(layout, armature, rig.active, option)


def shown_options(effector) -> list[str]:
    """The options of an effector's kind that have an effect with its present settings."""
    return [option for option in effector.kind_info.options if effector.shows(option)]


def draw_option(layout, armature, effector, option) -> None:
    """Draw one option of the effector's kind; animatable options have a key dot."""
    column = layout.column()
    column.use_property_decorate = option in AMOUNTS
    if option in ("axes", "turn_axes"):
        row = column.row(align=True, heading=effector.bl_rna.properties[option].name)
        for index, letter in enumerate("XYZ"):
            row.prop(effector, option, index=index, text=letter, toggle=True)
    elif option == "second_bone":
        column.prop_search(effector, option, armature.data, "bones")
        if effector.second_bone:
            column.operator("articulate.keep_as_posed", icon="LINKED").effector = effector.name
    elif option == "target":
        column.prop(effector, option)
        if effector.target is None:
            column.operator("articulate.target_create", icon="EMPTY_AXIS").effector = effector.name
        elif effector.target.type == "ARMATURE":
            column.prop_search(effector, "subtarget", effector.target.data, "bones")
    elif option == "second_offset":
        column.prop(effector, option, text="2nd Offset")
    elif option in ("over", "keep"):
        column.row().prop(effector, option, expand=True)
    else:
        column.prop(effector, option)


class ARTICULATE_PT_posture(SubPanel, bpy.types.Panel):
    """Settings that hold the figure or choose among its poses."""

    bl_label = "Posture"

    def fill(self, layout, context, armature, rig) -> None:
        solver, bone = rig.solver, active_bone(context, armature)
        column = layout.column()
        row = column.row(align=True)
        row.prop(solver, "root")
        row.operator("articulate.root_now", text="", icon="INFO")
        column.row().prop(solver, "hold", expand=True)
        if takes_posture_cost(solver.method):
            column.row().prop(solver, "effort", expand=True)
            row = column.row(align=True)
            row.prop(solver, "posture_from")
            row.operator("articulate.relaxed_stance", text="", icon="ARMATURE_DATA")
            if solver.posture_from in LEARNED:
                column.prop(solver, "posture_actions", icon="VIEWZOOM")
            support = column.column(heading="Support")
            support.active = solver.effort == "WEIGHT"
            support.prop(solver, "balance")
            support.prop(solver, "keep_hips")
        column.prop(solver, "posture")
        if bone is not None:
            column = draw_of_bone(layout, bone.name)
            column.prop(bone.articulate, "posture")
            row = column.row(align=True)
            row.prop(bone.articulate, "kind")
            row.operator("articulate.bone_kinds", text="", icon="INFO")


class ARTICULATE_PT_bake(SubPanel, bpy.types.Panel):
    """Settings of live solving and of the bake."""

    bl_label = "Live and Bake"

    def fill(self, layout, context, _armature, rig) -> None:
        settings = rig.bake
        layout.column().prop(rig, "live_mode")
        # a render poses live figures from its own thread
        lock = draw_labelled(layout, "Render")
        lock.use_property_split = False
        lock.prop(context.scene.render, "use_lock_interface", text="Lock Interface")
        layout.column(heading="Range").prop(settings, "use_range")
        frames = layout.column(align=True)
        frames.active = settings.use_range
        frames.prop(settings, "frame_start")
        frames.prop(settings, "frame_end")
        layout.column().prop(settings, "step")
        column = layout.column()
        column.prop(settings, "only_selected", text="Only Selected")
        column.prop(settings, "use_current_action", text="Overwrite Action")
        column.prop(settings, "clean_curves")
        column.prop(settings, "decimate")
        margin = column.column()
        margin.active = settings.decimate
        margin.prop(settings, "remove_error_margin", text="Max Error")


def draw_message(layout, context, armature, refusal) -> None:
    """Draw the message, one sentence that never moves the buttons, and the report button.

    `refusal` is why the armature cannot be solved, None if it can.
    """
    session = own_session()
    row = layout.row()
    if session.baking:
        column = row.column(align=True)
        column.scale_y = 0.8  # as lines of text
        column.progress(factor=session.progress, text=f"Baking {session.progress:.0%} (Esc: cancel)")
        for _line in range(_ROWS - 1):
            column.label(text="")
        return
    rig, icon = rig_of(armature), "NONE"
    message = "" if session.outdated and is_refusal(rig) else rig.message
    if refusal is not None and (rig.effectors or armature.library is not None):
        text, icon = str(refusal), "ERROR"
    elif message or rig.effectors:
        text = message
    else:
        text, icon = FIRST_STEP, "INFO"
    row = row.split(factor=1.0 - _REPORT_BUTTON / sidebar_width(context))
    draw_fixed(row, context, text, _ROWS, icon=icon)
    row.operator("articulate.report_show", text="", icon="TEXT").message = text
