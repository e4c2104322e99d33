# SPDX-License-Identifier: GPL-3.0-or-later
"""Ki & Sheen, example 7.5, figure 16, as a scene in Blender, made by the installed extension.

In a process of its own: the extension brings its own copy of the library.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from tests.papers import report

SCRIPT = Path(__file__).parents[2] / "blender" / "anic_scene.py"


def run(out: Path) -> None:
    report.heading("Ki & Sheen, example 7.5, figure 16, as a scene in Blender, by method Bounded")
    sys.stdout.flush()
    done = subprocess.run(
        [sys.executable, "-P", str(SCRIPT), "--out", str(out.resolve())],
        check=True, capture_output=True, text=True,
    )  # fmt: skip
    print("\n".join(line for line in done.stdout.splitlines() if line.startswith("  ")))
