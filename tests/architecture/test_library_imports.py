# SPDX-License-Identifier: GPL-3.0-or-later
"""`ikmath` in layers: each part may import the parts of the layers before it, and no other."""

from __future__ import annotations

import ast
import sys
from collections.abc import Mapping

import ikmath
from tests.architecture.source_tree import LIBRARY, cycle, imports, module_name, parse, python_files, unit

LAYERS = (
    {"arrays", "errors", "lean"},
    {"arguments", "registries"},
    {"parameters", "rotation", "linalg", "threads"},
    {"euler"},
    {"model"},
    {"goals", "limits", "collision", "postures"},
    {"problem"},
    {"diagnosis"},
    {"solvers"},
    {"trajectory"},
    {"classic", "examples"},
)
RANK = {part: rank for rank, layer in enumerate(LAYERS) for part in layer}


def test_parts_import_only_layers_before_their_own():
    wrong = [
        str(one)
        for one in imports(LIBRARY)
        if one.imported.startswith(f"{LIBRARY}.")
        and unit(one.importer)
        and unit(one.imported) != unit(one.importer)
        and not _before(unit(one.imported), unit(one.importer))
    ]
    assert not wrong, "\n".join(wrong)


def test_every_part_has_a_layer():
    parts = {unit(one.importer) for one in imports(LIBRARY)} - {""}
    assert not parts - RANK.keys(), "Say in LAYERS where these stand."


def test_nothing_inside_imports_the_package_itself():
    wrong = [str(one) for one in imports(LIBRARY) if one.imported == LIBRARY and one.importer != LIBRARY]
    assert not wrong, "\n".join(wrong)


def test_members_of_a_family_do_not_know_each_other():
    """A goal, a solver, a shape builds on what its family shares, never on another goal, solver, shape."""
    for members in _families():
        wrong = [str(one) for one in imports(LIBRARY) if {one.importer, one.imported} <= members]
        assert not wrong, "\n".join(wrong)


def test_no_ring_of_imports():
    assert not cycle(LIBRARY)


def test_numpy_and_the_standard_library_only():
    allowed = {LIBRARY, "numpy", *sys.stdlib_module_names}
    wrong = [str(one) for one in imports(LIBRARY) if one.imported.split(".")[0] not in allowed]
    assert not wrong, "\n".join(wrong)


def test_imports_inside_are_relative():
    wrong = [
        str(one) for one in imports(LIBRARY) if one.imported.split(".")[0] == LIBRARY and not one.relative
    ]
    assert not wrong, "\n".join(wrong)


def _before(imported: str, importer: str) -> bool:
    """Whether a part may be imported by another; parts without a layer are another test's matter."""
    if imported not in RANK or importer not in RANK:
        return True
    return RANK[imported] < RANK[importer]


def _families() -> list[set[str]]:
    """For each family the modules of its members: what its registry holds, or what derives from its base."""
    registered = [
        {entry.__module__ if isinstance(entry, type) else type(entry).__module__ for entry in found.values()}
        for found in (*vars(ikmath).values(), ikmath.SVD)
        if isinstance(found, Mapping)
    ]
    shapes = {
        module_name(path)
        for path in python_files(f"{LIBRARY}/collision")
        for node in ast.walk(parse(path))
        if isinstance(node, ast.ClassDef) and "Shape" in {ast.unparse(base) for base in node.bases}
    }
    return [*registered, shapes]


def test_the_families_are_found():
    assert len([members for members in _families() if len(members) > 1]) >= 4
