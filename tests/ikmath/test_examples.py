# SPDX-License-Identifier: GPL-3.0-or-later
"""The examples run, and reach what they are asked for."""

from __future__ import annotations

import importlib.util
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import ikmath as ik

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"


@pytest.mark.parametrize("name", ["robot_pose", "robot_path", "hinge_by_hand"])
def test_robots_reach_their_targets(name, capsys):
    spec = importlib.util.spec_from_file_location(name, EXAMPLES / f"{name}.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    solution = module.main()
    assert (np.atleast_1d(solution.status) == ik.Status.REACHED).all()
    assert capsys.readouterr().out


def _run_many(tmp_path: Path, *arguments: str, installed: bool) -> subprocess.CompletedProcess[str]:
    """Run the example with Dask where `distributed` is a stand-in, or cannot be imported."""
    stand_in = "Client = LocalCluster = as_completed = None" if installed else "raise ModuleNotFoundError()"
    (tmp_path / "distributed.py").write_text(stand_in)
    path = os.pathsep.join([str(tmp_path), str(EXAMPLES.parent)])
    command = [sys.executable, str(EXAMPLES / "dask_many.py"), *arguments]
    return subprocess.run(command, capture_output=True, text=True, env={**os.environ, "PYTHONPATH": path})


def test_without_dask_the_example_says_what_installs_it(tmp_path):
    done = _run_many(tmp_path, installed=False)
    assert done.returncode == 1 and "Traceback" not in done.stderr
    assert done.stderr.count("\n") == 1 and "pip install distributed" in done.stderr


@pytest.mark.parametrize("option", ["--count", "--chunk", "--workers"])
@pytest.mark.parametrize("value", ["0", "-3", "many"])
def test_the_example_with_dask_refuses_numbers_below_one(tmp_path, option, value):
    done = _run_many(tmp_path, option, value, installed=True)
    assert done.returncode == 2 and "Traceback" not in done.stderr
    assert f"{option}: '{value}' must be a whole number above zero" in done.stderr
