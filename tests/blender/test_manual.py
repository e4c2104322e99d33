# SPDX-License-Identifier: GPL-3.0-or-later
"""The manual's examples for Blender run as they stand, each page in order, in a new file."""

from __future__ import annotations

import re
from pathlib import Path

import installed
import pytest

PAGES = [installed.ROOT / "README.md", *sorted((installed.ROOT / "docs").glob("*.md"))]
PYTHON = re.compile(r"^```python\n(.*?)^```", re.MULTILINE | re.DOTALL)


def _examples(page: Path) -> list[str]:
    return [block for block in PYTHON.findall(page.read_text(encoding="utf-8")) if "bpy" in block]


@pytest.mark.parametrize("page", [page for page in PAGES if _examples(page)], ids=lambda page: page.name)
def test_examples_run(page):
    names: dict[str, object] = {}
    for number, block in enumerate(_examples(page), start=1):
        exec(compile(block, f"{page.name}, example {number}", "exec"), names)
