# SPDX-License-Identifier: GPL-3.0-or-later
"""What holds for every file, and what no lint rule says."""

from __future__ import annotations

import ast
import re

import pytest

from tests.architecture.source_tree import ADDON, LIBRARY, ROOT, files, parse, python_files

SHIPPED = (LIBRARY, ADDON)
SOURCE = (*SHIPPED, "build.py", "tooling", "demo", "tests", "docs")
LICENSED = re.compile(r"\.(py|toml|sh|c|css)$")
LONGEST_FILE = 400
PERSONAL = re.compile(r"(/(home|root|Users)/|[A-Z]:\\Users\\)[\w.-]+")


def _names(paths):
    return [str(path.relative_to(ROOT)) for path in paths]


def test_there_is_something_to_look_at():
    assert len(python_files(LIBRARY)) > 5
    assert len(python_files(ADDON)) > 5


def test_every_source_file_names_its_licence():
    wanted = [path for path in files() if LICENSED.search(path.name) or path == ROOT / ".ci" / "run"]
    heads = {path: path.read_text(encoding="utf-8").splitlines()[:3] for path in wanted}
    wrong = [
        path
        for path, head in heads.items()
        if not any("SPDX-License-Identifier: GPL-3.0-or-later" in l for l in head)
    ]
    assert not _names(wrong)


def test_every_module_says_why_it_exists():
    wrong = [path for path in python_files(*SHIPPED, "tooling") if not ast.get_docstring(parse(path))]
    assert not _names(wrong)


@pytest.mark.parametrize("top", SOURCE)
def test_a_file_holds_one_concept(top):
    wrong = [
        path
        for path in python_files(top)
        if len(path.read_text(encoding="utf-8").splitlines()) > LONGEST_FILE
    ]
    assert not _names(wrong)


def test_no_file_is_named_after_nothing():
    nothing = {"utils", "util", "helpers", "helper", "misc", "common"}
    assert not _names(path for path in python_files(*SHIPPED, "tooling") if path.stem in nothing)


def test_no_assertion_validates():
    wrong = [
        f"{path.relative_to(ROOT)}:{node.lineno}"
        for path in python_files(*SHIPPED, "tooling", "build.py", "demo")
        for node in ast.walk(parse(path))
        if isinstance(node, ast.Assert)
    ]
    assert not wrong


def test_no_error_is_swallowed():
    wrong = [
        f"{path.relative_to(ROOT)}:{node.lineno}"
        for path in python_files(*SHIPPED, "tooling", "build.py", "demo")
        for node in ast.walk(parse(path))
        if isinstance(node, ast.ExceptHandler)
        and (
            node.type is None
            or (_is_broad(node.type) and all(isinstance(s, ast.Pass | ast.Continue) for s in node.body))
        )
    ]
    assert not wrong


def test_no_path_of_a_persons_machine():
    wrong = []
    for path in files():
        try:
            text = path.read_text(encoding="utf-8")
        except UnicodeDecodeError:
            continue  # a picture
        if path != ROOT / "tests" / "architecture" / "test_house_rules.py" and PERSONAL.search(text):
            wrong.append(path)
    assert not _names(wrong)


def _is_broad(kind: ast.expr) -> bool:
    """Whether an except clause takes anything."""
    return any(name in ast.unparse(kind) for name in ("Exception", "BaseException"))


def test_the_map_of_the_house_names_what_is_there():
    """docs/development.md says where things are, in parts of the extension or of the library."""
    text = (ROOT / "docs" / "development.md").read_text(encoding="utf-8")
    named = re.findall(r"`(\w+/\w*)`", text[text.index("## Where things are") :])
    there = {str(path.relative_to(ROOT / top)) for top in SHIPPED for path in python_files(top)}
    rooms = {f"{top}/" for top in SHIPPED} | {place.rpartition("/")[0] + "/" for place in there}
    lost = [name for name in named if name not in rooms and f"{name}.py" not in there]
    assert named and not lost
