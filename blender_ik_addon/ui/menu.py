# SPDX-License-Identifier: GPL-3.0-or-later
"""Entries of Blender's menus, and the manual page that "Online Manual" opens in a context menu."""

from pathlib import Path
from typing import Any, Final

import bpy

from ..properties.access import active_armature, posed_armature, rig_of
from ..properties.check import objections
from ..properties.menus import METHODS

_MANIFEST: Final = Path(__file__).resolve().parents[1] / "blender_manifest.toml"
_NATURAL: Final = "why_it_moves_like_that"
_OPERATORS: Final = {
    "dragging": ("drag", "begin", "take_parent", "select_taken"),
    "effectors": ("pin", "unpin", "mirror", "effector", "target", "keep_as_posed", "clear"),
    "obstacles": ("obstacle", "body", "link", "pair"),
    "baking": ("bake",),
    "solving": ("solve", "root_now"),
    _NATURAL: ("relaxed_stance", "bone_kinds"),
    "methods": ("method",),
    "seeing": ("report",),
    "elephant": ("elephant",),
    "": ("",),
}
"""The pages of the operators whose names begin so; the first match counts, "" is the start."""
_SETTINGS: Final = (
    ("methods", ("solver.method", "parameters")),
    (_NATURAL, ("solver.effort", "solver.posture", "solver.balance", "solver.keep_hips")),
    ("solving", ("solver",)),
    ("effectors", ("effector", "bone.mass")),
    ("obstacles", ("obstacle", "body", "link", "pair", "avoidance")),
    ("baking", ("bake",)),
    ("seeing", ("overlay",)),
    ("live", ("rig.live",)),
    ("dragging", ("rig.record",)),
    (_NATURAL, ("bone",)),
    ("", ("",)),
)
"""The same for settings: the group in lower case, and the property."""


class ARTICULATE_MT_pins(bpy.types.Menu):
    """Pin bones."""

    bl_label = "Pins"

    def draw(self, _context) -> None:
        layout = self.layout
        layout.operator_context = "INVOKE_REGION_WIN"  # the shortcut's menu would ask no question otherwise
        layout.operator("articulate.pin", text="Pin Position", icon="PINNED").kind = "POSITION"
        layout.operator("articulate.pin", text="Pin Rotation").kind = "ORIENTATION"
        layout.operator("articulate.pin", text="Pin Both").kind = "POSE"
        own = layout.operator("articulate.pin", text="Keep Motion", icon="ACTION")
        own.kind, own.motion = "POSE", True
        layout.separator()
        layout.operator("articulate.unpin", icon="UNPINNED")
        layout.operator("articulate.unpin_all")
        layout.separator()
        layout.operator("articulate.mirror", icon="MOD_MIRROR")


class ARTICULATE_MT_pose(bpy.types.Menu):
    """Add effectors to the selected bones, solve, bake."""

    bl_label = "Articulate"

    def draw(self, context) -> None:
        layout = self.layout
        layout.operator_menu_enum("articulate.effector_add", "kind", text="Add Effector")
        layout.operator("articulate.effector_remove")
        layout.operator("articulate.clear")
        layout.menu(ARTICULATE_MT_pins.__name__)
        layout.separator()
        active = context.active_pose_bone
        # "IK" is included because users search for it with F3.
        drag = layout.operator("articulate.drag", text="Drag Bone with IK")
        drag.bone = active.name if active else ""  # otherwise the bone under the menu
        layout.operator("articulate.solve", text="Solve IK")
        layout.operator("articulate.bake", text="Bake IK to Keyframes")
        layout.operator("articulate.report_show")
        layout.separator()
        layout.operator("articulate.obstacle_add")
        layout.operator("articulate.body_fit")


class ARTICULATE_MT_method(bpy.types.Menu):
    """The solving methods; those that do not support the effectors are greyed out."""

    bl_label = "Method"

    def draw(self, context) -> None:
        """One entry per method; its tooltip has the description and the reason if it is disabled."""
        armature = active_armature(context)
        chosen, wrong = rig_of(armature).solver.method, objections(armature)
        for name, label, *_ in METHODS:
            row = self.layout.row()
            row.enabled = not wrong[name]
            icon: Any = "RADIOBUT_ON" if name == chosen else "RADIOBUT_OFF"
            row.operator("articulate.method_set", text=label, icon=icon).method = name


def draw_entry(self: Any, _context: bpy.types.Context) -> None:
    """Entry of Blender's Pose menu, and of the context menu in Pose Mode."""
    self.layout.separator()
    self.layout.menu(ARTICULATE_MT_pose.__name__)


def draw_begin(self: Any, context: bpy.types.Context) -> None:
    """Entry of the context menu of a character in Object Mode."""
    if posed_armature(context) is not None:
        self.layout.separator()
        self.layout.operator("articulate.begin", icon="CON_KINEMATIC")


def draw_elephant(self: Any, _context: bpy.types.Context) -> None:
    """Entry of Blender's Add > Armature menu."""
    self.layout.operator("articulate.elephant_add", icon="OUTLINER_OB_ARMATURE")


def manual_map() -> tuple[str, tuple[tuple[str, str], ...]]:
    """URL of the manual, and the page of each identifier. The website is read from the manifest.

    It has the pages as `build.py docs` makes them: docs/live.md is live/, and docs/index.md the start.
    """
    import tomllib  # needed at a click, not at each start of Blender

    website = tomllib.loads(_MANIFEST.read_text(encoding="utf-8"))["website"].rstrip("/")
    found = [(f"ops.articulate.{name}", page) for page, names in _OPERATORS.items() for name in names]
    found += [(f"types.articulate{name}", page) for page, names in _SETTINGS for name in names]
    return f"{website}/", tuple((f"bpy.{name}*", page and f"{page}/") for name, page in found)
