# SPDX-License-Identifier: GPL-3.0-or-later
"""A right-click on any button or setting opens its page of the manual."""

from __future__ import annotations

import tomllib
from pathlib import Path

import installed
import pytest
from test_tooltips import NAMES, own

DOCS = Path(__file__).resolve().parents[2] / "docs"
MANIFEST = DOCS.parent / "blender_ik_addon" / "blender_manifest.toml"
SITE = f"{tomllib.loads(MANIFEST.read_text(encoding='utf-8'))['website']}/"
"""Where the manual's site is. Of docs/live.md mkdocs makes the page live/, of docs/index.md the start."""


def page_of(rna_id: str) -> str | None:
    """What Blender finds for one of its names of an operator or a property."""
    from bl_operators.wm import WM_OT_doc_view_manual

    return WM_OT_doc_view_manual._lookup_rna_url(rna_id.lower(), verbose=False)


@pytest.mark.parametrize("name", NAMES)
def test_every_operator_and_setting_has_a_page(name: str):
    asked = [f"bpy.ops.{name}"] if "." in name else [f"bpy.types.{name}.{p.identifier}" for p in own(name)]
    for each in asked:
        page = page_of(each)
        assert page is not None and page.startswith(SITE), each
        name = page.removeprefix(SITE)
        assert not name or (name.endswith("/") and (DOCS / f"{name[:-1]}.md").is_file()), page


def test_the_pages_go_with_the_extension():
    installed.module("registration").unregister()
    assert "articulate" not in (page_of("bpy.ops.articulate.drag") or "")
    installed.module("registration").register()
    assert page_of("bpy.ops.articulate.drag") == f"{SITE}dragging/"
