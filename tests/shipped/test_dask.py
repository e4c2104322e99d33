# SPDX-License-Identifier: GPL-3.0-or-later
"""examples/dask_many.py on a local cluster of two processes, against one process: equal bits."""

from __future__ import annotations

import sys
from collections.abc import Iterator

import numpy as np
import pytest

from tests.shipped import empty_environment
from tests.shipped.empty_environment import EmptyEnvironment
from tooling.environment import ROOT

EXAMPLE = ROOT / "examples" / "dask_many.py"


@pytest.fixture(scope="module")
def environment(tmp_path_factory) -> Iterator[EmptyEnvironment]:
    made = empty_environment.make(tmp_path_factory.mktemp("dask") / "env", f"3.{sys.version_info[1]}")
    made.pip("install", "numpy", "distributed")
    yield made


@pytest.mark.parametrize("kind", ["targets", "clips"])
def test_two_processes_give_the_bits_of_one(environment, tmp_path, kind):
    out = tmp_path / "q.npy"
    arguments = ["--count", 45, "--chunk", 10, "--workers", 2, "--check", "--output", out]
    done = environment.run(
        EXAMPLE, *map(str, arguments), *(["--clips"] if kind == "clips" else []), PYTHONPATH=str(ROOT)
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert "45 targets, 2 workers" in done.stdout and "equal bits: True" in done.stdout
    q = np.load(out)
    assert q.shape == (45, 66) and np.isfinite(q).all() and q.any(1).all()
