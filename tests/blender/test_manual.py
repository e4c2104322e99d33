# SPDX-License-Identifier: GPL-3.0-or-later
"""The manual's examples for Blender run as they stand, each page in order, in a new file."""

from __future__ import annotations

import importlib.util
import re
from pathlib import Path

import bpy
import installed
import numpy as np
import pytest
from addon_scenes import tip

PAGES = [installed.ROOT / "README.md", *sorted((installed.ROOT / "docs").glob("*.md"))]
PYTHON = re.compile(r"^```python\n(.*?)^```", re.MULTILINE | re.DOTALL)


def _examples(page: Path) -> list[str]:
    return [block for block in PYTHON.findall(page.read_text(encoding="utf-8")) if "bpy" in block]


@pytest.mark.parametrize("page", [page for page in PAGES if _examples(page)], ids=lambda page: page.name)
def test_examples_run(page):
    names: dict[str, object] = {}
    for number, block in enumerate(_examples(page), start=1):
        exec(compile(block, f"{page.name}, example {number}", "exec"), names)


def test_feet_that_slide_stand_in_every_step_after_the_manuals_way():
    names: dict[str, object] = {}
    for block in _examples(installed.ROOT / "docs" / "mend.md"):
        exec(compile(block, "mend.md", "exec"), names)
    rig, scene = bpy.context.object, bpy.context.scene
    steps = {"foot.L": [(1, 25), (35, 60)], "foot.R": [(1, 15), (25, 45)]}

    def slid() -> list[float]:
        found = []
        for foot, spans in steps.items():
            for first, last in spans:
                places = []
                for frame in range(first, last + 1):
                    scene.frame_set(frame)
                    places.append(tip(rig, foot))
                found.append(float(np.linalg.norm(np.array(places) - places[0], axis=-1).max()))
        return found

    assert max(slid()) < 1e-4
    baked, clip = rig.animation_data.action, next(a for a in bpy.data.actions if a.name == "metarigAction")
    assert baked != clip
    rig.animation_data.action = clip
    assert min(slid()) > 0.02, "they slid before"


def test_the_reference_says_nothing_that_is_not_so():
    """What it says of defaults, arguments and choices is what the extension registers."""
    spec = importlib.util.spec_from_file_location("reference", installed.ROOT / "docs" / "reference.py")
    reference = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(reference)
    now, written = (_rows(text) for text in (reference.page(), reference.PAGE.read_text(encoding="utf-8")))
    assert written and not written - now, "Run: python -m docs.reference"
    assert {name for _, name, rest in written if "(methods.md)" in rest} == {"`method`"}


def _rows(page: str) -> set[tuple[str, str, str]]:
    """(what it is about, name, default and choices) of all rows of the tables of a page."""
    rows, about = set(), ""
    for line in page.splitlines():
        if line.startswith("#"):
            about = line
        elif line.startswith("| `"):
            name, rest = re.match(r"\| (`\w+`) \| (.*) \|$", line).groups()
            rows.add((about, name, rest))
    return rows
