# SPDX-License-Identifier: GPL-3.0-or-later
"""Buttons and settings that the manual names, in italics, are labels of the extension or of Blender."""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Iterator

from tests.architecture.source_tree import ADDON, ROOT, parse, python_files

BLENDER = """
Add  Affect  Align Rotation  Animation  Apply  Auto IK  Batch Rename  Ctrl-P  Cursor  Cycles
Default to Advanced Numeric Input
Duplicate Linked  Edge  Edge Center  Edit  Extrapolation  FBX  Face  File  Flip Names  Get Extensions
Gimbal  Global  Grid  IK Stiffness  IK Stretch  Import  Increment  Inherit Scale  Full  Install from Disk
Inverse Kinematics  Join  None
Library Override  Limit Rotation  Limit X  Local  Lock IK Y  Lock IK Z  Lock Interface  Make  Max  Min
Make Instances Real  Motion Capture  Normal  Nothing  Online Manual  Object (Keep Transform)  Object Data
Only Active Keying Set  Only Insert Available  Output Properties  Parent  Pose Options  Pose Position
Preferences  Relative Mirror  Render  Replace  Rest Position  Rotation Increment  Samples to Keys  Scale
Snap Base  Stretch  Target Selection  Transform  Uninstall  Unit Scale  Vertex  View  X-Axis Mirror
"""
"""Blender's own labels, at least two spaces apart."""
OTHERS = """
Articulate Bake  CommandLine  Flamenco 3  Output Dir  Refresh  Shots  Look At  Reached  Unreleased  Yes
"""
"""Labels of render farms, and words that are in italics for another reason."""

ITALIC = re.compile(r"(?<![*\w])\*([A-Z][^*\n|]+)\*(?![*\w])")
CODE = re.compile(r"^```.*?^```", re.MULTILINE | re.DOTALL)


def _words(text: str) -> set[str]:
    return set(re.split(r"\s{2,}|\n", text.strip()))


def _labels() -> Iterator[str]:
    """All strings of the extension, and the labels of what the library registers."""
    for path in python_files(ADDON):
        for node in ast.walk(parse(path)):
            if isinstance(node, ast.Constant) and isinstance(node.value, str):
                yield node.value
            elif isinstance(node, ast.AnnAssign) and isinstance(declared := node.annotation, ast.Call):
                yield from () if "name" in {given.arg for given in declared.keywords} else [_label(node)]
    registries = json.loads((ROOT / ADDON / "properties" / "registries.json").read_text(encoding="utf-8"))
    for family in ("methods", "avoidance", "limits"):
        for entry in registries[family].values():
            yield entry["label"]
            yield from (parameter["label"] for parameter in entry["parameters"])


def _label(declared: ast.AnnAssign) -> str:
    """The label that the registration gives a property without one."""
    return ast.unparse(declared.target).replace("_", " ").title()


def test_labels_that_the_manual_names_exist():
    known = {*_labels(), *_words(BLENDER), *_words(OTHERS)}
    wrong = []
    for page in sorted((ROOT / "docs").glob("*.md")):
        text = CODE.sub("", page.read_text(encoding="utf-8"))
        for phrase in ITALIC.findall(text):
            if phrase.endswith((".", '"')) or "=" in phrase or "(q)" in phrase:
                continue  # a sentence, a message or a formula
            unknown = [
                part for part in re.split(r" > |: ", phrase) if part[:1].isupper() and part not in known
            ]
            wrong += [f"{page.name}: {part!r} in *{phrase}*" for part in unknown]
    assert not wrong, "\n".join(wrong)
