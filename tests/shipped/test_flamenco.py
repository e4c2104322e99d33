# SPDX-License-Identifier: GPL-3.0-or-later
"""The Flamenco job type, run by Node against Flamenco's documented interface (flamenco.test.mjs)."""

from __future__ import annotations

import subprocess

from tooling.environment import ROOT

TESTS = ROOT / "tests" / "shipped" / "flamenco.test.mjs"


def test_the_job_type(node):
    done = subprocess.run([node, "--test", str(TESTS)], capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "fail 0" in done.stdout and "pass 0" not in done.stdout
