# SPDX-License-Identifier: GPL-3.0-or-later
"""The add-on in layers, and what only one of its rooms may do."""

from __future__ import annotations

import ast
import sys

from tests.architecture.source_tree import (
    ADDON,
    LIBRARY,
    ROOT,
    cycle,
    imports,
    module_name,
    parse,
    python_files,
    unit,
)

LAYERS = (
    {"compat", "copies"},
    {"properties", "preferences"},
    {"bridge"},
    {"control"},
    {"operators", "handlers", "viewport", "cli"},
    {"registration"},
)
RANK = {part: rank for rank, layer in enumerate(LAYERS) for part in layer}
SEEN_BY_UI = {"ui", "properties", "preferences", "compat"}
"""The interface reads properties and calls operators by name."""

MAY_IMPORT_THE_LIBRARY = {"bridge", "control"}
FILLS_MENUS = f"{ADDON}.properties.menus"
"""The one file elsewhere that imports the library: it reads the registries, for the menus."""


def test_rooms_import_only_rooms_before_their_own():
    wrong = []
    for one in imports(ADDON):
        a, b = unit(one.importer), unit(one.imported)
        if not one.imported.startswith(f"{ADDON}.") or a in ("", b, "ui"):
            continue  # not ours, or inside one room, or the interface, which has a test of its own
        if b == "ui":
            if a != "registration":
                wrong.append(str(one))
        elif a in RANK and b in RANK and RANK[b] >= RANK[a]:
            wrong.append(str(one))
    assert not wrong, "\n".join(wrong)


def test_every_room_has_a_layer():
    rooms = {unit(one.importer) for one in imports(ADDON)} - {"", "ui"}
    assert not rooms - RANK.keys(), "Say in LAYERS where these stand."


def test_the_interface_sees_properties_only():
    wrong = [
        str(one)
        for one in imports(ADDON)
        if unit(one.importer) == "ui"
        and one.imported.startswith(f"{ADDON}.")
        and unit(one.imported) not in SEEN_BY_UI
    ]
    assert not wrong, "\n".join(wrong)


def test_the_library_is_asked_by_bridge_and_control_only():
    wrong = [
        str(one)
        for one in imports(ADDON)
        if one.imported.split(".")[0] == LIBRARY
        and unit(one.importer) not in MAY_IMPORT_THE_LIBRARY
        and one.importer != FILLS_MENUS
    ]
    assert not wrong, "\n".join(wrong)


def test_no_ring_of_imports():
    assert not cycle(ADDON)


def test_the_add_on_imports_itself_relatively():
    wrong = [
        str(one)
        for one in imports(ADDON)
        if one.imported.split(".")[0] in {ADDON, "bl_ext"} and not one.relative
    ]
    assert not wrong, "\n".join(wrong)


def test_what_blender_brings_and_nothing_else():
    blender = {
        "bpy",
        "bpy_extras",
        "mathutils",
        "gpu",
        "gpu_extras",
        "blf",
        "bl_math",
        "bl_ui",
        "bmesh",
        "addon_utils",
        "rna_keymap_ui",
        "rna_prop_ui",
    }
    allowed = {ADDON, LIBRARY, "numpy", *blender, *sys.stdlib_module_names}
    wrong = [str(one) for one in imports(ADDON) if one.imported.split(".")[0] not in allowed]
    assert not wrong, "\n".join(wrong)


def test_only_compat_asks_for_blenders_version():
    asked = {"version", "version_string", "version_cycle", "version_file"}
    wrong = [
        f"{module_name(path)} line {node.lineno}"
        for path in python_files(ADDON)
        if path != ROOT / ADDON / "compat.py"
        for node in ast.walk(parse(path))
        if isinstance(node, ast.Attribute) and node.attr in asked and ast.unparse(node.value).endswith("app")
    ]
    assert not wrong, "\n".join(wrong)


def test_no_module_path_of_an_installed_extension():
    """Where an extension lives depends on the repository that it was installed from; `__package__` knows."""
    wrong = [
        f"{module_name(path)} line {node.lineno}"
        for path in python_files(ADDON)
        for node in ast.walk(parse(path))
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and "bl_ext." in node.value
    ]
    assert not wrong, "\n".join(wrong)
