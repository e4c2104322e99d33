# SPDX-License-Identifier: GPL-3.0-or-later
"""The examples run, and reach what they are asked for."""

from __future__ import annotations

import importlib.util
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
