# SPDX-License-Identifier: GPL-3.0-or-later
"""`ikmath` in layers: each part may import the parts of the layers before it, and no other."""

from __future__ import annotations

import sys

from tests.architecture.source_tree import LIBRARY, cycle, imports, unit

LAYERS = (
    {"errors"},
    {"registries", "rotation", "linalg"},
    {"region", "kinematics"},
    {"skeleton"},
    {"pose"},
    {"goals", "limits", "obstacles"},
    {"avoidance"},
    {"problem"},
    {"solvers"},
    {"trajectory"},
    {"figures"},
)
RANK = {part: rank for rank, layer in enumerate(LAYERS) for part in layer}

COMMON_GROUND = {
    "goals": {"base"},
    "limits": {"base", "registry"},
    "obstacles": {"shape", "vectors", "segments", "bvh"},
    "avoidance": {"base", "registry"},
    "solvers": {"registry", "loop", "arithmetic", "alignment", "swinging", "turning"},
}
"""In a family, what its members share. A goal, a solver, a shape knows these, but no other of its kind."""


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


def test_siblings_do_not_know_each_other():
    wrong = {
        f"{one} (if several build on it, name it in COMMON_GROUND)"
        for one in imports(LIBRARY)
        if _is_sibling(one.importer, one.imported)
        and one.imported.split(".")[2] not in COMMON_GROUND[unit(one.imported)]
        and one.importer.split(".")[2] != "registry"
    }
    assert not wrong, "\n".join(sorted(wrong))


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


def _is_sibling(importer: str, imported: str) -> bool:
    """Whether both are modules of the same family."""
    a, b = importer.split("."), imported.split(".")
    return len(a) == len(b) == 3 and a[:2] == b[:2] and a[1] in COMMON_GROUND and a != b
