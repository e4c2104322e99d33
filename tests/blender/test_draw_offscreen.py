# SPDX-License-Identifier: GPL-3.0-or-later
"""The overlay's drawing on the GPU of this very version of Blender, without a window."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import installed
import pytest


def test_lines_and_points_are_drawn_where_they_should_be(tmp_path):
    out = tmp_path / "seen.json"
    variables = {key: value for key, value in os.environ.items() if key != "BLENDER_USER_RESOURCES"}
    script = Path(__file__).with_name("draw_offscreen.py")
    done = subprocess.run(
        [sys.executable, str(script), str(installed.find_zip()), str(out)],
        env=variables,
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert done.returncode == 0 and out.is_file(), done.stdout[-2000:] + done.stderr[-2000:]
    seen = json.loads(out.read_text(encoding="utf-8"))
    # The buffer is 256 pixels wide and -1 to 1: a line across at a quarter of the height, 2 pixels thick.
    assert seen["red"]["x"] == pytest.approx([26, 230], abs=3) and seen["red"]["y"] == pytest.approx(
        [64, 64], abs=2
    )
    assert seen["blue"]["x"] == pytest.approx([64, 64], abs=2) and seen["blue"]["y"] == pytest.approx(
        [26, 230], abs=3
    )
    assert seen["green"]["x"] == pytest.approx([188, 195], abs=2), "a point of 7 pixels"
    assert seen["green"]["y"] == pytest.approx([188, 195], abs=2)
    assert seen["red"]["count"] > 300 and seen["green"]["count"] > 25
