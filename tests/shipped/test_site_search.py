# SPDX-License-Identifier: GPL-3.0-or-later
"""Searching the manual's site: its own search, run by Node, finds what people type."""

from __future__ import annotations

import json
import subprocess
from typing import Final

import pytest

from tooling import pythons
from tooling.environment import OLDEST_PYTHON, ROOT, ensure_without_blender

SEARCH: Final = ROOT / "tests" / "shipped" / "site_search.mjs"
WORDS: Final = {
    "pole": "glossary/#pole",
    "IK/FK": "glossary/#ikfk",
    "foot lock": "glossary/#foot-lock",
    "look at": "glossary/#look-at",
    "preset": "glossary/#preset",
    "mocap": "glossary/#mocap",
    "BVH": "glossary/#bvh",
    "FBX": "glossary/#fbx",
    "glTF": "glossary/#gltf",
    "VRM": "glossary/#vrm",
    "symmetry": "glossary/#symmetry",
    "stretch": "effectors/#stretch",
    "retarget": "glossary/#retarget",
    "balance": "effectors/#balance",
    "priority": "effectors/#weight-and-priority",
    "obstacle": "obstacles/",
    "bake": "baking/#bake-a-range-of-frames",
    "symm": "glossary/#symmetry",
    "poles": "glossary/#pole",
    "retargeting": "glossary/#retarget",
    "physics": "glossary/#more-terms",
    "ragdoll": "glossary/#more-terms",
    "shortcut": "glossary/#more-terms",
    "knee": "knees/",
    "auto-key": "dragging/#auto-key",
    "Mixamo": "characters/#by-source",
}
"""What is typed, and the section that must be on one of the first pages."""
PAGES: Final = 4


@pytest.fixture(scope="module")
def found(node, tmp_path_factory) -> dict[str, list[list[str]]]:
    site = tmp_path_factory.mktemp("site")
    environment = ensure_without_blender("docs", pythons.require(OLDEST_PYTHON, "The site"), ("docs",))
    command = ("-m", "mkdocs", "build", "--quiet", "--site-dir", site)
    assert environment.run(*command, NO_MKDOCS_2_WARNING="1") == 0
    done = subprocess.run([node, SEARCH, site, *WORDS], capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    answer: dict[str, list[list[str]]] = json.loads(done.stdout)
    return answer


@pytest.mark.parametrize("word", WORDS)
def test_a_search_leads_to_a_page_that_helps(found, word):
    first = [section for page in found[word][:PAGES] for section in page]
    assert WORDS[word] in first, first
