# SPDX-License-Identifier: GPL-3.0-or-later
"""The Flamenco job type, run by Node against Flamenco's documented interface (flamenco.test.mjs)."""

from __future__ import annotations

import os
import shutil
import subprocess

import pytest

from tooling.environment import ROOT

TESTS = ROOT / "tests" / "shipped" / "flamenco.test.mjs"


def test_the_job_type():
    node = shutil.which("node")
    if node is None and "CI" not in os.environ:
        pytest.skip("Node is not here (apt-get install nodejs).")
    assert node, "Node is not here (apt-get install nodejs)."
    done = subprocess.run([node, "--test", str(TESTS)], capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "fail 0" in done.stdout and "pass 0" not in done.stdout
