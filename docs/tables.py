# SPDX-License-Identifier: GPL-3.0-or-later
"""Writes docs/methods.md from the library's registries: the manual cannot say less or more than there is.

python -m docs.tables
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import ikmath as ik

PAGE = Path(__file__).with_name("methods.md")
FLAGS = ("priorities", "trees", "limits", "obstacles", "batched")

HEAD = """# Methods

Everything that you choose by name. `docs/tables.py` writes this page from the registries of `ikmath`.
"""

METHODS = """
## Solving methods

`ik.solve(problem, q0, method="...")`; in Blender *Advanced > Method*. The default is `{default}`.

- *priorities*: levels are strict; a weaker goal never disturbs a stronger one.
- *trees*: solves several effectors on a figure with branches.
- *limits*: keeps joint limits.
- *obstacles*: keeps clear of obstacles.
- *batched*: solves many frames at once.
"""

LIMITS = """
## Ways to keep joint limits

`ik.Problem(..., limits="...")`; in Blender *Advanced > Joint Limits*. They go with the methods that take
steps by a Jacobian. `hierarchical` and the geometric methods always keep limits exactly, and ignore this.
"""

AVOIDANCE = """
## Ways to keep clear of obstacles

`ik.Problem(..., avoidance="...")`; in Blender *Advanced > Avoidance*. The first limits every step, so that
the figure never enters an obstacle. It goes with `hierarchical`. The others come from the texts: they push
the figure away within what the goals leave free, and can fail. They go with `damped` and `pseudoinverse`.
`python build.py papers -- ge_avoidance` compares them.
"""

SVD = """
## Singular value decompositions

`ik.solve(..., method="pseudoinverse", svd="...")`. They agree to rounding. The last two start from the
previous result.
"""


def page() -> str:
    """The page as it should be now."""
    parts = [
        HEAD,
        METHODS.format(default=ik.DEFAULT),
        _table(ik.METHODS, FLAGS),
        LIMITS,
        _table(ik.LIMITS, ()),
        AVOIDANCE,
        _table(ik.AVOIDANCE, ()),
        SVD,
        _table(ik.SVD, ()),
    ]
    return "\n".join(part.strip() + "\n" for part in parts)


def _table(registry: Mapping[str, Any], flags: tuple[str, ...]) -> str:
    """A registry as a table: name, description, flags, source."""
    head = ["name", "", *flags, "source"]
    rows = [head, ["---"] * len(head)]
    for name, entry in registry.items():
        marks = ["yes" if getattr(entry, flag) else "" for flag in flags]
        text = f"**{entry.label}.** {' '.join(entry.description.split())}"
        rows.append([f"`{name}`", text, *marks, " ".join(entry.source.split())])
    return "\n".join("| " + " | ".join(cell.replace("|", "\\|") for cell in row) + " |" for row in rows)


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
