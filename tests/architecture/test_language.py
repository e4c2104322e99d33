# SPDX-License-Identifier: GPL-3.0-or-later
"""Pages and tooltips are short and plain: what a person reads, by rules that can be counted."""

from __future__ import annotations

import ast
import json
import re
import tokenize
from collections.abc import Iterator
from itertools import pairwise

import pytest

from tests.architecture import prose
from tests.architecture.source_tree import ADDON, ROOT, files, parse, python_files

MEAN_SENTENCE = 17
LONGEST_SENTENCE = 40
LONGEST_PARAGRAPH = 90
"""Words."""
LONGEST_TOOLTIP = 160
"""Characters."""

PAGES = tuple(path for path in files() if path.suffix == ".md" and path.name != "CHANGELOG.md")

NOT_SAID = {
    "who does this gets that": r"(?:^|[.;:,] )(?:[Ww]ho|[Ww]hoever) \w+(?:s|es)\b(?![^.]*\?)",
    "private words": r"\b(?:culprits?|shortfalls?|shortlist|tether|sieve|creeping|picture rows)\b",
    "private idiom": r"has the end of it|touches what it likes|nobody means|the first who asks|asks briefly"
    r"|all of this is left out|has (?:his|its) knees ahead|the right way round that point|lets go of both",
    "personified code": r"\b(?:asks|wishes|knows nothing of|knows no |minds)\b",
    "a house": r"\b(?:the|our|this) house\b",
    "a value described by what it is not": r"that is not a finite number",
}
"""What it is -> what the guide says not to write."""
NOT_SAID_OF_CODE = {
    "who does this gets that": NOT_SAID["who does this gets that"],
    "personified code": r"\b(?:asks(?!:)|wish(?:es)?|knows nothing of|knows no |whoever|nobody|somebody)\b",
}
"""The same of docstrings and comments; `asks:` begins the description of an attribute with that name."""
PLAIN_CODE = (
    "blender_ik_addon",
    "ikmath/classic",
    "ikmath/collision",
    "ikmath/diagnosis",
    "ikmath/goals",
    "ikmath/limits.py",
    "ikmath/linalg",
    "ikmath/model",
    "ikmath/postures",
    "ikmath/problem",
    "ikmath/solvers",
    "ikmath/trajectory",
)
"""Packages whose docstrings and comments follow the guide; to be extended."""


def _name(path) -> str:
    return path.relative_to(ROOT).as_posix()


def _faults(text: str) -> Iterator[str]:
    """What is wrong with a page: line, words, sentence."""
    blocks = prose.paragraphs(text)
    sentences = [each for block in blocks for each in block.sentences]
    for block in blocks:
        words = prose.count(block.text)
        if words > LONGEST_PARAGRAPH:
            yield f"{block.line}: a paragraph of {words} words: {block.text[:60]} ..."
        for kind, pattern in NOT_SAID.items():
            found = re.search(pattern, block.text)
            if found:
                yield f"{block.line}: {kind}: {found[0]!r} in: {block.text[:200]}"
    for sentence in sentences:
        if sentence.words > LONGEST_SENTENCE:
            yield f"{sentence.line}: {sentence.words} words: {sentence.text}"
    counted = [sentence for sentence in sentences if sentence.words > 2]
    mean = sum(sentence.words for sentence in counted) / max(len(counted), 1)
    if mean > MEAN_SENTENCE:
        longest = max(counted, key=lambda sentence: sentence.words)
        yield f"{longest.line}: a mean sentence of {mean:.1f} words; the longest is: {longest.text}"


@pytest.mark.parametrize("page", PAGES, ids=_name)
def test_a_page_is_short_and_plain(page):
    faults = [f"{_name(page)}:{fault}" for fault in _faults(page.read_text(encoding="utf-8"))]
    assert not faults, "\n".join(faults)


def test_the_site_has_every_page():
    """`build.py docs` fails otherwise; here it shows without the site's environment."""
    listed = set(re.findall(r"(\w+\.md)", (ROOT / "mkdocs.yml").read_text(encoding="utf-8")))
    assert listed - {"changelog.md"} == {page.name for page in PAGES if page.parent == ROOT / "docs"}


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("Who lifts both feet lets go of both.", "who does this"),
        ("The solver asks for a pose.", "personified"),
        (f"{'Word ' * 41}.", "41 words"),
        (f"{'Five words of a sentence. ' * 19}", "paragraph of 95"),
        (f"{'Word ' * 18}.\n", "mean sentence of 18.0"),
    ],
)
def test_a_fault_is_found(text, fault):
    assert any(fault in found for found in _faults(text))


def test_code_tables_and_headings_are_not_prose():
    page = "# A heading\n\n```\n" + "code " * 50 + "\n```\n\n| a | b |\n\nOne `a. b` two.\n- An item.\n"
    assert [each.text for each in prose.paragraphs(page)] == ["One `a_b` two.", "An item."]


SEARCHED = """
pole  IK/FK  foot lock  look at  preset  mocap  BVH  FBX  glTF  VRM  symmetry  stretch  retarget
Auto IK  control rig  Mixamo  Unreal  Rigify  MakeHuman  DAZ  CMU
"""
"""What people type into the manual's search, at least two spaces apart."""


@pytest.mark.parametrize("words", re.split(r"\s{2,}|\n", SEARCHED.strip()))
def test_searching_the_manual_finds_a_sentence(words):
    wanted = re.compile(rf"\b{re.escape(words)}\b", re.IGNORECASE)
    manual = [page.read_text(encoding="utf-8") for page in PAGES if page.parent == ROOT / "docs"]
    found = [told for page in manual for head, told in _entries(page) if wanted.search(head)]
    assert max(map(prose.count, found), default=0) > 4


def _entries(page: str) -> Iterator[tuple[str, str]]:
    """(heading, line below it) and (first cell, rest of the row) of a page."""
    lines = [line for line in page.splitlines() if line.strip()]
    for line, below in pairwise([*lines, ""]):
        if line.startswith("#"):
            yield line, below
        elif line.startswith("| "):
            yield tuple(line[1:].split("|", 1))


def _tooltips() -> Iterator[tuple[str, str]]:
    """(place, text) of everything that Blender shows as a tooltip, as far as the source says it."""
    for path in python_files(ADDON):
        for node in ast.walk(parse(path)):
            for value in _descriptions(node):
                text = _text(value)
                if text is not None:
                    yield f"{_name(path)}:{value.lineno}", text
    registries = json.loads((ROOT / ADDON / "properties" / "registries.json").read_text(encoding="utf-8"))
    yield from ((f"registries: {place}", text) for place, text in _described(registries, ""))


def _descriptions(node: ast.AST) -> Iterator[ast.expr]:
    """Where a description stands: an argument, a class or its attribute, an item of an enumeration."""
    if isinstance(node, ast.ClassDef) and "_OT_" in node.name and isinstance(node.body[0], ast.Expr):
        yield node.body[0].value
    if isinstance(node, ast.keyword) and node.arg == "description":
        yield node.value
    if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
        if node.targets[0].id == "bl_description":
            yield node.value
        if node.targets[0].id == "DESCRIPTIONS" and isinstance(node.value, ast.Dict):
            yield from node.value.values
    if isinstance(node, ast.Tuple) and 3 <= len(node.elts) <= 5:
        identifier, label, description = (_text(each) for each in node.elts[:3])
        if identifier and label and description and identifier.isupper():
            yield node.elts[2]


def _text(value: ast.expr) -> str | None:
    try:
        text = ast.literal_eval(value)
    except ValueError:
        return None
    return text if isinstance(text, str) else None


def _described(node: object, place: str) -> Iterator[tuple[str, str]]:
    if isinstance(node, dict):
        for key, value in node.items():
            if key == "description":
                yield place, value
            else:
                yield from _described(value, f"{place}/{key}")
    elif isinstance(node, list):
        for value in node:
            yield from _described(value, place)


def test_tooltips_are_short():
    found = list(_tooltips())
    assert len(found) > 200
    wrong = [
        f"{place}: {len(text)} characters: {text}" for place, text in found if len(text) > LONGEST_TOOLTIP
    ]
    assert not wrong, "\n".join(wrong)


@pytest.mark.parametrize("package", PLAIN_CODE)
def test_docstrings_and_comments_are_plain(package):
    wrong = [
        f"{_name(path)}:{line}: {kind}: {text}"
        for path in python_files(package)
        for line, text in _explained(path)
        for kind, pattern in NOT_SAID_OF_CODE.items()
        if re.search(pattern, text)
    ]
    assert not wrong, "\n".join(wrong)


def _explained(path) -> Iterator[tuple[int, str]]:
    """(line, text) of a file's docstrings and comments."""
    for node in ast.walk(parse(path)):
        if isinstance(node, ast.Expr) and _text(node.value) is not None:
            yield node.lineno, " ".join(_text(node.value).split())
    with path.open("rb") as file:
        tokens = tokenize.tokenize(file.readline)
        yield from ((each.start[0], each.string) for each in tokens if each.type == tokenize.COMMENT)


def test_tooltips_are_plain():
    wrong = [
        f"{place}: {kind}: {text}"
        for place, text in _tooltips()
        for kind, pattern in NOT_SAID.items()
        if re.search(pattern, text)
    ]
    assert not wrong, "\n".join(wrong)
