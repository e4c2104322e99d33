# SPDX-License-Identifier: GPL-3.0-or-later
"""Writes docs/reference.md from what the installed extension has registered: all names that scripts can use.

python -m docs.reference
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

PAGE = Path(__file__).with_name("reference.md")

HEAD = """# Reference for scripts

Every property and operator by its name. `docs/reference.py` writes this page from what the extension
registers. The pages on [effectors](effectors.md), [solving](solving.md), [baking](baking.md),
[obstacles](obstacles.md) and [live](live.md) explain them, and [scripting](scripting.md) has examples.
Lengths are in Blender units, which are metres in scenes with a Unit Scale of 1. Angles are in radians.
"""

# Path in a script, name of the class, what it is.
GROUPS = (
    (
        "armature.articulate",
        "ArticulateRig",
        "The settings of an armature. `report`, `active` and `loops` are read-only.",
    ),
    ("armature.articulate.effectors[name]", "ArticulateEffector", "One effector."),
    ("armature.articulate.solver", "ArticulateSolver", "The settings of the solver."),
    ("armature.articulate.bake", "ArticulateBake", "What a bake does by default."),
    ("armature.articulate.obstacles[name]", "ArticulateObstacle", "One obstacle."),
    (
        "armature.articulate.body",
        "ArticulateBody",
        "The thickness of the figure, and how it keeps clear of obstacles.",
    ),
    ("armature.articulate.body.links[bone]", "ArticulateLink", "The capsule of one bone."),
    ("armature.articulate.body.pairs[number]", "ArticulatePair", "An exception of self-collision."),
    ("armature.articulate.overlay", "ArticulateOverlay", "What the 3D view shows."),
    ("armature.pose.bones[name].articulate", "ArticulateBone", "Settings of one bone."),
)
HIDDEN = ("rna_type", "name", "unpinned", "remembered_name", "remembered_index", "list_sizes", "report_json")
ELSEWHERE = {"method": "See [Methods](methods.md)"}
"""Enumerations whose choices have a page of their own."""


def page() -> str:
    """The page as it should be now, with the extension enabled."""
    import bpy

    classes = {each.__name__: each for each in bpy.types.PropertyGroup.__subclasses__()}
    parts = [HEAD.rstrip()]
    for path, name, what in GROUPS:
        parts += [f"\n## `{path}`\n", what, "\n| property | default | |\n|---|---|---|"]
        parts += [_row(each) for each in _shown(classes[name])]
    parts.append(
        "\n## Operators\n\n`bpy.ops.articulate.*`, each with its arguments. They work on the active armature."
    )
    for name in sorted(dir(bpy.ops.articulate)):
        operator = getattr(bpy.ops.articulate, name).get_rna_type()
        parts.append(f"\n### `{name}`\n\n{_sentence(operator.description)}")
        arguments = [_row(each) for each in operator.properties if each.identifier != "rna_type"]
        if arguments:
            parts += ["\n| argument | default | |\n|---|---|---|", *arguments]
    return "\n".join(parts) + "\n"


def _shown(group: Any) -> Iterator[Any]:
    for each in group.bl_rna.properties:
        name = each.identifier
        if name not in HIDDEN and not name.startswith("active_"):
            yield each


def _row(each: Any) -> str:
    return f"| `{each.identifier}` | {_default(each)} | {_text(each)} |"


def _default(each: Any) -> str:
    """What it is unless somebody sets it, or what it holds."""
    if each.type == "COLLECTION":
        return "a collection"
    if each.type == "POINTER":
        kind = each.fixed_type.name
        return "settings" if kind.startswith("Articulate") else f"none ({kind.lower()})"
    if each.type in ("FLOAT", "INT", "BOOLEAN") and each.is_array:
        values = [_number(value) for value in each.default_array]
        return f"`({', '.join(values)})`"
    return f"`{_number(each.default)}`"


def _number(value: Any) -> str:
    if isinstance(value, float):
        return f"{value:.4g}"  # Blender keeps single precision
    return f'"{value}"' if isinstance(value, str) else str(value)


def _text(each: Any) -> str:
    words = _sentence(each.description)
    if each.type == "ENUM":
        choices = ", ".join(f"`{item.identifier}`" for item in each.enum_items)
        words += f" {ELSEWHERE.get(each.identifier, choices)}."
    return words.replace("|", "\\|")


def _sentence(text: str) -> str:
    text = " ".join(text.split())
    return text if not text or text.endswith((".", "?", "!")) else text + "."


def main() -> None:
    """Install the built extension into an empty profile and write the page."""
    sys.path.insert(0, str(PAGE.parents[1] / "tests" / "blender"))
    import installed

    installed.make_profile()
    installed.install(installed.find_zip())
    PAGE.write_text(page(), encoding="utf-8")
    installed.disable()
    installed.leave(0)


if __name__ == "__main__":
    main()
