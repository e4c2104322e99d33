# SPDX-License-Identifier: GPL-3.0-or-later
"""The manual page that "Online Manual" opens, in the context menu of a button or setting.

The website has the pages as `build.py docs` makes them: docs/live.md is live/, and docs/index.md the start.
"""

from __future__ import annotations

from pathlib import Path
from typing import Final

_MANIFEST: Final = Path(__file__).resolve().parents[1] / "blender_manifest.toml"
_NATURAL: Final = ("effort", "posture", "balance", "keep_hips")
PAGES: Final = (
    ("bpy.ops.articulate.drag*", "dragging"),
    ("bpy.ops.articulate.begin*", "dragging"),
    ("bpy.ops.articulate.take_parent*", "dragging"),
    ("bpy.ops.articulate.select_taken*", "dragging"),
    ("bpy.ops.articulate.pin*", "effectors"),
    ("bpy.ops.articulate.unpin*", "effectors"),
    ("bpy.ops.articulate.mirror*", "effectors"),
    ("bpy.ops.articulate.effector*", "effectors"),
    ("bpy.ops.articulate.target*", "effectors"),
    ("bpy.ops.articulate.keep_as_posed*", "effectors"),
    ("bpy.ops.articulate.clear*", "effectors"),
    ("bpy.ops.articulate.obstacle*", "obstacles"),
    ("bpy.ops.articulate.body*", "obstacles"),
    ("bpy.ops.articulate.link*", "obstacles"),
    ("bpy.ops.articulate.pair*", "obstacles"),
    ("bpy.ops.articulate.bake*", "baking"),
    ("bpy.ops.articulate.solve*", "solving"),
    ("bpy.ops.articulate.root_now*", "solving"),
    ("bpy.ops.articulate.relaxed_stance*", "why_it_moves_like_that"),
    ("bpy.ops.articulate.bone_kinds*", "why_it_moves_like_that"),
    ("bpy.ops.articulate.method*", "methods"),
    ("bpy.ops.articulate.report*", "seeing"),
    ("bpy.ops.articulate.elephant*", "elephant"),
    ("bpy.types.articulatesolver.method*", "methods"),
    *((f"bpy.types.articulatesolver.{name}*", "why_it_moves_like_that") for name in _NATURAL),
    ("bpy.types.articulatesolver*", "solving"),
    ("bpy.types.articulateparameters*", "methods"),
    ("bpy.types.articulateeffector*", "effectors"),
    ("bpy.types.articulateobstacle*", "obstacles"),
    ("bpy.types.articulatebody*", "obstacles"),
    ("bpy.types.articulatelink*", "obstacles"),
    ("bpy.types.articulatepair*", "obstacles"),
    ("bpy.types.articulateavoidance*", "obstacles"),
    ("bpy.types.articulatebake*", "baking"),
    ("bpy.types.articulateoverlay*", "seeing"),
    ("bpy.types.articulaterig.live*", "live"),
    ("bpy.types.articulaterig.record*", "dragging"),
    ("bpy.types.articulatebone.mass*", "effectors"),
    ("bpy.types.articulatebone*", "why_it_moves_like_that"),
    ("bpy.ops.articulate.*", "index"),
    ("bpy.types.articulate*", "index"),
)
"""Blender's identifiers of operators and properties (lower case, wildcards), and the page of each.

The first match counts.
"""


def manual_map() -> tuple[str, tuple[tuple[str, str], ...]]:
    """URL of the manual, and the page of each identifier. The website is read from the manifest."""
    import tomllib  # needed at a click, not at each start of Blender

    website = tomllib.loads(_MANIFEST.read_text(encoding="utf-8"))["website"].rstrip("/")
    return f"{website}/", tuple((name, "" if page == "index" else f"{page}/") for name, page in PAGES)
