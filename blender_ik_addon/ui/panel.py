# SPDX-License-Identifier: GPL-3.0-or-later
"""The tab "Articulate" in the 3D View's sidebar."""

import bpy

from ..properties.access import active_armature, posed_armature, rig_of, session_of
from ..properties.check import library_refusal, objections, refusals
from ..properties.kinds import AMOUNTS
from ..properties.menus import method_items, takes_posture_cost, weighs
from .effector_list import ENDED, ARTICULATE_UL_effectors, ended_text
from .tab import SubPanel, Tab
from .text import draw_text

TOOL = "articulate.drag_bone"
HINT = "Select the armature of a character, or the character itself, to pose it"
FIRST_STEPS = (
    "Pull any bone with Drag Bone, and the body follows. Pin bones that are to stay where they are.",
    "With + a selected bone follows an object, which can be animated.",
)
DETAILS = (
    "point",
    "offset",
    "second_point",
    "second_offset",
    "second_rotation",
    "axes",
    "turn_axes",
    "space",
    "slack",
    "turn_slack",
    "planted",
    "footprint",
)
"""Options of effectors that are seldom touched."""


class ARTICULATE_PT_main(Tab, bpy.types.Panel):
    """Effectors and the Solve button."""

    bl_idname = "ARTICULATE_PT_main"
    bl_label = "Articulate"

    def draw(self, context) -> None:
        """The list, the buttons beside it, what is wrong, Solve."""
        layout = self.layout
        armature = active_armature(context)
        if armature is None:
            if posed_armature(context) is None:
                draw_text(layout, context, HINT, icon="INFO")
            else:
                self._draw_begin(context)
            return
        rig = rig_of(armature)
        self._draw_drag(context)
        row = layout.row()
        row.template_list(
            ARTICULATE_UL_effectors.bl_idname,
            "",
            rig,
            "effectors",
            rig,
            "active_effector",
            rows=4 if rig.effectors else 2,
        )
        column = row.column(align=True)
        column.operator_menu_enum("articulate.effector_add", "kind", text="", icon="ADD")
        column.operator("articulate.effector_remove", text="", icon="REMOVE").effector = ""
        if rig.effectors:
            column.separator()
            column.operator("articulate.clear", text="", icon="TRASH")
        self._draw_solve(context, armature)

    def _draw_begin(self, context) -> None:
        """The button that takes the tool, from wherever one is."""
        row = self.layout.row()
        row.scale_y = 1.3
        tool = context.workspace.tools.from_space_view3d_mode("POSE", create=False)
        active = context.mode == "POSE" and tool is not None and tool.idname == TOOL
        row.operator("articulate.begin", icon="CON_KINEMATIC", depress=active)

    def _draw_drag(self, context) -> None:
        """What one begins with: the tool, and pins."""
        self._draw_begin(context)
        if context.mode == "POSE":
            row = self.layout.row(align=True)
            row.menu("ARTICULATE_MT_pins", text="Pin", icon="PINNED")
            row.operator("articulate.unpin", text="Unpin", icon="UNPINNED")
            row.operator("articulate.unpin_all", text="", icon="X")

    def _draw_solve(self, context, armature) -> None:
        layout, rig = self.layout, rig_of(armature)
        session = session_of(context)
        if session.baking:
            layout.progress(factor=session.progress, text=f"Baking {session.progress:.0%} (Esc: cancel)")
            return
        row = layout.row()
        row.prop(rig, "live", icon="PLAY", toggle=True)
        row.prop(rig, "record", icon="REC", toggle=True)
        if rig.live:
            layout.prop(rig, "live_mode", text="")
            render = context.scene.render
            if not render.use_lock_interface:  # a render poses the figure from a thread of its own
                layout.prop(render, "use_lock_interface", text="Lock Interface while Rendering")
        if rig.record:
            draw_decimate(layout.column(), rig.bake)
        refusal = next(refusals(armature, context.scene), None)
        row = layout.row()
        row.scale_y = 1.3
        row.enabled = refusal is None
        row.operator("articulate.solve", icon="CON_ARMATURE")
        row.operator("articulate.bake", icon="KEYINGSET")
        foreign = library_refusal(armature) is not None
        if refusal is not None and (rig.effectors or foreign):
            draw_text(layout, context, str(refusal), icon="ERROR")
        elif rig.message:
            draw_text(layout, context, rig.message)
        if not rig.effectors and not foreign:
            for sentence in FIRST_STEPS:
                draw_text(layout, context, sentence, icon="INFO")
        if rig.report_json:
            layout.operator("articulate.report_show", icon="TEXT")


class ARTICULATE_PT_effector(SubPanel, bpy.types.Panel):
    """Details of the effector that is highlighted in the list."""

    bl_idname = "ARTICULATE_PT_effector"
    bl_label = "Effector"
    bl_options = set()

    @classmethod
    def poll(cls, context) -> bool:
        """Only where an effector is active."""
        armature = active_armature(context)
        return armature is not None and rig_of(armature).active is not None

    def draw(self, context) -> None:
        """Bone, kind, target, how much it counts; what the last solve left."""
        armature = active_armature(context)
        effector = rig_of(armature).active
        layout = self.layout
        layout.use_property_split = True
        layout.use_property_decorate = False
        if effector.status in ENDED:
            draw_text(layout, context, ended_text(effector), icon=ENDED[effector.status])
        column = layout.column()
        column.prop(effector, "kind")
        column.prop_search(effector, "bone", armature.data, "bones")
        for option in shown_options(effector):
            if option not in DETAILS:
                draw_option(layout, armature, effector, option)
        bone = context.active_pose_bone
        if "over" in effector.kind_info.options and bone is not None and bone.id_data is armature:
            layout.column().prop(bone.articulate, "mass", text=f"Mass of {bone.name}")
        column = layout.column()
        column.prop_search(effector, "chain_root", armature.data, "bones")
        column.use_property_decorate = True
        for name in ("priority", "weight", "influence"):
            column.prop(effector, name)


class ARTICULATE_PT_details(SubPanel, bpy.types.Panel):
    """What of an effector is seldom touched."""

    bl_idname = "ARTICULATE_PT_details"
    bl_label = "Point, Axes and Slack"
    bl_parent_id = "ARTICULATE_PT_effector"

    @classmethod
    def poll(cls, context) -> bool:
        """Only where there is any of it."""
        armature = active_armature(context)
        effector = rig_of(armature).active if armature is not None else None
        return effector is not None and bool(set(shown_options(effector)) & set(DETAILS))

    def draw(self, context) -> None:
        """As the effector's kind has them."""
        armature = active_armature(context)
        effector = rig_of(armature).active
        layout = self.layout
        layout.use_property_split = True
        layout.use_property_decorate = False
        for option in shown_options(effector):
            if option in DETAILS:
                draw_option(layout, armature, effector, option)


def shown_options(effector) -> list[str]:
    """The options that an effector's kind has and that mean something beside the others."""
    return [option for option in effector.kind_info.options if effector.shows(option)]


def draw_option(layout, armature, effector, option) -> None:
    """One option of the effector's kind; what can be animated has its dot."""
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
    elif option in ("over", "keep"):
        column.row().prop(effector, option, expand=True)
    else:
        column.prop(effector, option)


class ARTICULATE_PT_solver(SubPanel, bpy.types.Panel):
    """How the figure is solved."""

    bl_idname = "ARTICULATE_PT_solver"
    bl_label = "Solver"

    def draw(self, context) -> None:
        """The solver's settings."""
        layout = self.layout
        layout.use_property_split = True
        layout.use_property_decorate = False
        armature = active_armature(context)
        solver = rig_of(armature).solver
        column = layout.column()
        column.row().prop(solver, "root", expand=True)
        if solver.root == "FREE":
            column.prop(solver, "root_location_stiffness")
            column.prop(solver, "root_rotation_stiffness")
        layout.column().row().prop(solver, "unpinned", expand=True)
        self._draw_method(layout, context, armature)
        column = layout.column()
        if weighs(solver.method):
            column.row().prop(solver, "effort", expand=True)
        for name in solver.parameters.names(solver.method):
            column.prop(solver.parameters, name)
        if takes_posture_cost(solver.method):
            row = column.row(align=True)
            row.prop(solver, "posture_from")
            row.operator("articulate.relaxed_stance", text="", icon="ARMATURE_DATA")
        column.prop(solver, "posture")
        bone = context.active_pose_bone
        if bone is not None and bone.id_data is armature:
            column.prop(bone.articulate, "posture", text=f"of {bone.name}")
        for name in ("limits", "max_iterations", "tolerance"):
            column.prop(solver, name)

    @staticmethod
    def _draw_method(layout, context, armature) -> None:
        """The method, whose menu greys out what cannot take what is asked; and why this one cannot."""
        method = rig_of(armature).solver.method
        label = next(item[1] for item in method_items() if item[0] == method)
        wrong = objections(armature)[method]
        line = layout.split(factor=0.4, align=True)
        name = line.row()
        name.alignment = "RIGHT"
        name.label(text="Method")
        choice = line.row()
        choice.alert = bool(wrong)
        choice.menu("ARTICULATE_MT_method", text=label)
        if wrong:
            draw_text(layout, context, wrong, icon="ERROR")


class ARTICULATE_PT_bake(SubPanel, bpy.types.Panel):
    """What the bake writes."""

    bl_idname = "ARTICULATE_PT_bake"
    bl_label = "Bake"

    def draw(self, context) -> None:
        """The bake's settings."""
        layout = self.layout
        layout.use_property_split = True
        layout.use_property_decorate = False
        settings = rig_of(active_armature(context)).bake
        layout.column(heading="Range").prop(settings, "use_range")
        frames = layout.column(align=True)
        frames.active = settings.use_range
        frames.prop(settings, "frame_start")
        frames.prop(settings, "frame_end")
        layout.column().prop(settings, "step")
        column = layout.column()
        column.prop(settings, "only_selected")
        column.prop(settings, "use_current_action", text="Overwrite Action")
        column.prop(settings, "clean_curves")
        draw_decimate(column, settings)


def draw_decimate(layout, settings) -> None:
    """How many keys a bake leaves, and a recording."""
    layout.prop(settings, "decimate")
    margin = layout.column()
    margin.active = settings.decimate
    margin.prop(settings, "remove_error_margin", text="Max Error")


CLASSES = (
    ARTICULATE_PT_main,
    ARTICULATE_PT_effector,
    ARTICULATE_PT_details,
    ARTICULATE_PT_solver,
    ARTICULATE_PT_bake,
)
