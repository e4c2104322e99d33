# SPDX-License-Identifier: GPL-3.0-or-later
"""Opens the report of the last solve or bake."""

from __future__ import annotations

from typing import Any

import bpy

from ..properties.access import areas
from .active import Outcome

NO_REPORT = "There is no report yet: press Solve or Bake"


class ARTICULATE_OT_report_show(bpy.types.Operator):
    """Show the report."""

    bl_idname = "articulate.report_show"
    bl_label = "Report"
    bl_description = "Open the report of the last solve or bake in a text editor"

    @classmethod
    def poll(cls, _context: bpy.types.Context) -> bool:
        """Whether there is a report."""
        from ..control.report.report_text import find_text

        if find_text() is None:
            cls.poll_message_set(NO_REPORT)
            return False
        return True

    def execute(self, context: bpy.types.Context) -> Outcome:
        """Show it in an open text editor or a new window; in background mode only name it."""
        from ..control.report.report_text import find_text

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


CLASSES = (ARTICULATE_OT_report_show,)
