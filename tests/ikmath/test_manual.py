# SPDX-License-Identifier: GPL-3.0-or-later
"""The manual is true: its examples run (those with Blender in tests/blender), its tables are current."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from docs import tables

ROOT = Path(__file__).resolve().parents[2]
PAGES = [ROOT / "README.md", ROOT / "ikmath" / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
PYTHON = re.compile(r"^```python\n(.*?)^```", re.MULTILINE | re.DOTALL)
LINK = re.compile(r"\]\(([^)#:]+)(?:#[^)]*)?\)")


def _name(page: Path) -> str:
    return page.relative_to(ROOT).as_posix()


def _examples(page: Path) -> list[str]:
    return [block for block in PYTHON.findall(page.read_text(encoding="utf-8")) if "bpy" not in block]


@pytest.mark.parametrize("page", [page for page in PAGES if _examples(page)], ids=_name)
def test_examples_run(page, capsys):
    names: dict[str, object] = {}
    for number, block in enumerate(_examples(page), start=1):
        exec(compile(block, f"{page.name}, example {number}", "exec"), names)


def test_tables_are_what_the_registries_say():
    assert tables.PAGE.read_text(encoding="utf-8") == tables.page(), "Run: python -m docs.tables"


@pytest.mark.parametrize("page", PAGES, ids=_name)
def test_links_lead_somewhere(page):
    wrong = [
        name for name in LINK.findall(page.read_text(encoding="utf-8")) if not (page.parent / name).exists()
    ]
    assert not wrong
