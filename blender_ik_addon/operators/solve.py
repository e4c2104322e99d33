# SPDX-License-Identifier: GPL-3.0-or-later
"""Operators that pose the figure at once, and those that only tell: methods, kinds of bones, root, report."""

from typing import Any

import bpy
from bpy.props import EnumProperty

from ..control.report.report_text import find_text
from ..properties import unsaved as argument
from ..properties.access import active_armature, areas, rig_of
from ..properties.bone import KINDS
from ..properties.check import objections
from ..properties.menus import METHODS
from ..properties.refusal import Refused
from .active import Described, OnArmature, OnBones, Outcome

NO_REPORT = "There is no report yet: press Solve or Bake"


class ARTICULATE_OT_solve(OnArmature):
    """Pose the figure so that every effector reaches its target, in this frame."""

    bl_label = "Solve"

    def work(self, context: bpy.types.Context, armature: bpy.types.Object) -> None:
        from ..control.frame.solve import solve_now

        report = solve_now(armature, context)
        self.report({"INFO"}, report["message"])


class ARTICULATE_OT_method_set(OnArmature):
    """Solve with this method."""

    bl_label = "Choose Method"
    bl_options = {"REGISTER", "UNDO", "INTERNAL"}

    method: EnumProperty(description="Solving method", items=METHODS)

    @classmethod
    def description(cls, context: bpy.types.Context, properties: bpy.types.OperatorProperties) -> str:
        """The method's description, and the reason if it cannot be used."""
        armature, told = active_armature(context), {item[0]: item[2] for item in METHODS}
        objection = objections(armature)[properties.method] if armature else ""
        return "\n\n".join(filter(None, (told[properties.method], objection)))

    def work(self, _context: bpy.types.Context, armature: bpy.types.Object) -> None:
        rig_of(armature).solver.method = self.method


class ARTICULATE_OT_report_show(Described):
    """Open the report of the last solve or bake in a text editor."""

    bl_label = "Report"

    message: argument.String(description="The message beside the button, for its tooltip")

    @classmethod
    def description(cls, _context: bpy.types.Context, properties: bpy.types.OperatorProperties) -> str:
        return "\n\n".join(filter(None, (properties.message, cls.bl_description)))

    @classmethod
    def poll(cls, _context: bpy.types.Context) -> bool:
        return find_text() is not None or cls.greyed_out(NO_REPORT)

    def execute(self, context: bpy.types.Context) -> Outcome:
        """Show it in an open text editor or a new window; in background mode only name it."""
        text: Any = find_text()
        editor: Any = next((area.spaces.active for area in areas(context, "TEXT_EDITOR")), None)
        if editor is None and bpy.app.background:
            self.report({"INFO"}, f"The report is in the text '{text.name}'")
            return {"FINISHED"}
        if editor is None:
            bpy.ops.wm.window_new()
            area = context.window_manager.windows[-1].screen.areas[0]
            area.type = "TEXT_EDITOR"
            editor = area.spaces.active
        editor.text, editor.show_syntax_highlight, editor.top = text, False, 0
        return {"FINISHED"}


class ARTICULATE_OT_relaxed_stance(OnArmature):
    """Let the arms hang and bend elbows and knees slightly, as a person stands at ease."""

    bl_label = "Relaxed Stance"

    def work(self, context: bpy.types.Context, armature: bpy.types.Object) -> None:
        from ..control.frame.solve import stand_relaxed

        stand_relaxed(armature, context)


class ARTICULATE_OT_bone_kinds(OnBones):
    """Show what the selected bones are recognised as: hip, knee, spine and so on."""

    bl_label = "Recognised Kinds"
    bl_options = set()

    def work(self, context: bpy.types.Context, armature: bpy.types.Object) -> None:
        from ..bridge.bone_map import bone_map

        whole, names = bone_map(armature), self.bones(context, armature)
        missing = next((name for name in names if name not in whole.bones.index), None)
        if missing is not None:
            raise Refused(f"Armature '{armature.name}' has no bone '{missing}'")
        labels = {identifier: label for identifier, label, *_ in KINDS}
        told = [f"{name}: {labels[whole.kinds.kinds[whole.bones.number(name)]]}" for name in names]
        self.report({"INFO"}, "; ".join(told))


class ARTICULATE_OT_root_now(OnArmature):
    """Show whether the root moves or stays with the present effectors and pins."""

    bl_label = "Root Now"
    bl_options = set()

    @classmethod
    def description(cls, context: bpy.types.Context, _properties: bpy.types.OperatorProperties) -> str:
        """The same text as the report; without an armature, the description."""
        armature = active_armature(context)
        if armature is None:
            return cls.bl_description
        from ..control.frame.root import describe_root

        return describe_root(armature)

    def work(self, context: bpy.types.Context, _armature: bpy.types.Object) -> None:
        self.report({"INFO"}, self.description(context, self.properties))
