# SPDX-License-Identifier: GPL-3.0-or-later
"""Writes what the add-on must know of the library's registries while Blender starts. Run it when they change.

python -m tooling.registries

With it the add-on registers its menus and parameters without loading the library, which takes longer than all
the rest of the start.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

import ikmath as ik

FILE = Path(__file__).parents[1] / "blender_ik_addon" / "properties" / "registries.json"


def registries() -> str:
    """The text of the file."""
    found: dict[str, Any] = {
        "default": ik.DEFAULT,
        "methods": _entries(ik.METHODS),
        "avoidance": _entries(ik.AVOIDANCE),
        "limits": _entries(ik.LIMITS),
    }
    return json.dumps(found, indent=1) + "\n"


def _entries(registry: Mapping[str, Any]) -> dict[str, Any]:
    return {
        name: {
            "label": entry.label,
            "description": entry.description,
            "posture_costs": getattr(entry, "posture_costs", False),
            "parameters": [asdict(parameter) for parameter in getattr(entry, "parameters", ())],
        }
        for name, entry in registry.items()
    }


if __name__ == "__main__":
    FILE.write_text(registries(), encoding="utf-8")
