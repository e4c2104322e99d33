# SPDX-License-Identifier: GPL-3.0-or-later
"""What somebody reads who follows one solve through the library: files, lines, functions (`pytest -s`)."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from types import FrameType
from typing import Any

import numpy as np

import ikmath as ik

ROOT = Path(ik.__file__).parent


def arm(target: tuple[float, float, float], **more: Any) -> Callable[[], ik.Solution]:
    """The solve of the README, its problem made before; more: goals besides."""
    joints = [
        ik.Joint("shoulder"),
        ik.Joint("elbow", "shoulder", translation=(0.0, 0.3, 0.0), turns="x", lower=0.0, upper=2.5),
        ik.Joint("wrist", "elbow", translation=(0.0, 0.25, 0.0)),
    ]
    skeleton = ik.Skeleton(joints)
    goals = [ik.Position("wrist", target, offset=(0.0, 0.1, 0.0)), *more.values()]
    problem = ik.Problem(skeleton, goals)
    return lambda: ik.solve(problem, skeleton.rest)


def walk(solve: Callable[[], Any]) -> dict[str, set[str]]:
    """The functions of each file of the library that one solve enters, after all has been loaded."""
    entered: dict[str, set[str]] = {}

    def note(frame: FrameType, event: str, _: Any) -> None:
        path = Path(frame.f_code.co_filename)
        if event == "call" and path.is_relative_to(ROOT):
            entered.setdefault(str(path.relative_to(ROOT)), set()).add(frame.f_code.co_name)

    solve()
    sys.setprofile(note)
    try:
        solve()
    finally:
        sys.setprofile(None)
    return entered


def measured(entered: dict[str, set[str]]) -> tuple[int, int, int]:
    """Files, their lines, and functions; printed file by file."""
    lines = {name: len((ROOT / name).read_text(encoding="utf-8").splitlines()) for name in sorted(entered)}
    for name, count in lines.items():
        print(f"{name:36} {count:4} lines  {', '.join(sorted(entered[name]))}")
    found = len(lines), sum(lines.values()), sum(map(len, entered.values()))
    print("{} files, {} lines, {} functions".format(*found))
    return found


def test_one_solve_is_read_in_an_hour() -> None:
    files, lines, functions = measured(walk(arm((0.2, 0.3, 0.1))))
    assert files <= 16
    assert lines <= 3200
    assert functions <= 70


def test_one_solve_out_of_reach_with_two_levels_and_a_posture_is_read_in_two() -> None:
    weak = ik.Orientation("wrist", np.eye(3), priority=1)
    files, lines, _ = measured(walk(arm((0.9, 0.3, 0.1), weak=weak, rest=ik.Posture(np.zeros(7)))))
    assert files <= 24
    assert lines <= 4500
