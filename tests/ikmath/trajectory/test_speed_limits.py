# SPDX-License-Identifier: GPL-3.0-or-later
"""Speed limits of coordinates in motions."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest

import ikmath as ik
from ikmath.solvers.step_bounds import short_way
from tests.ikmath import trees

DT = 0.1


def _arm(speeds=(2.0, 3.0, 4.0), slide=None):
    rail = ik.Joint("rail", turns="", slides="x", max_speed=slide)
    axes = ((0, 0, 1), (0, 0, 1), (0, 0, 1))
    parts, parent = [rail], "rail"
    for number, (axis, speed) in enumerate(zip(axes, speeds, strict=True)):
        place = (0.0, 0.0, 0.0) if number == 0 else (1.0, 0.0, 0.0)
        parts += ik.hinge(f"link{number}", parent, axis, translation=place, max_speed=speed)
        parent = f"link{number}"
    return ik.Skeleton([*parts, ik.Joint("tool", parent, translation=(0.5, 0.0, 0.0), turns="")])


def _speed(track, skeleton):
    """The largest speed of any coordinate, as a share of its limit."""
    moved = np.abs(np.diff(track.q, axis=0)) / DT
    return float((moved / skeleton.max_speed).max())


def test_a_target_that_leaps_is_followed_as_fast_as_the_joints_allow():
    skeleton = _arm(slide=0.1)
    targets = np.repeat([[1.5, 1.0, 0.0], [-1.5, -1.0, 0.0]], (1, 40), axis=0)
    problem = ik.Problem(skeleton, [ik.Position("tool", targets)])
    track = ik.solve_track(problem, np.full(4, 0.1), dt=DT)
    assert _speed(track, skeleton) == pytest.approx(1.0, abs=1e-9)
    assert track.status[-1] is ik.Status.REACHED
    assert (np.diff(track.errors[1:, 0]) < 1e-5).all()  # it goes there and not elsewhere
    late = int(np.argmax(track.errors[1:, 0] < 1e-4))
    assert 5 < late < 25


def test_without_dt_speeds_do_not_count():
    slow, free = _arm((0.1, 0.1, 0.1)), _arm((None, None, None))
    targets = np.linspace((1.5, 1.0, 0.0), (0.5, 1.5, 0.0), 20)
    tracks = [ik.solve_track(ik.Problem(one, [ik.Position("tool", targets)])) for one in (slow, free)]
    np.testing.assert_array_equal(tracks[0].q, tracks[1].q)


def test_speeds_that_are_not_reached_change_nothing():
    skeleton = _arm((50.0, 50.0, 50.0))
    targets = np.linspace((1.5, 1.0, 0.0), (0.5, 1.5, 0.0), 30)
    problem = ik.Problem(skeleton, [ik.Position("tool", targets)])
    np.testing.assert_array_equal(ik.solve_track(problem, dt=DT).q, ik.solve_track(problem).q)


@pytest.mark.parametrize("limits", ["none", "all", "odd"])
@pytest.mark.parametrize("seed", range(4))
def test_no_coordinate_of_any_figure_is_too_fast(seed, limits):
    rng = np.random.default_rng(seed)
    tree = trees.tree(rng, 6, limits)
    speeds = rng.uniform(0.05, 3.0, len(tree.joints))
    skeleton = ik.Skeleton(
        [replace(joint, max_speed=speed) for joint, speed in zip(tree.joints, speeds, strict=True)]
    )
    targets = rng.normal(size=(8, 3)) * skeleton.size
    problem = ik.Problem(skeleton, [ik.Position(skeleton.names[-1], np.repeat(targets, 3, axis=0))])
    track = ik.solve_track(problem, dt=DT)
    region = skeleton.joint_limits
    moved = np.abs([short_way(region, a, b) for a, b in pairwise(track.q)])
    assert (moved <= skeleton.max_speed * DT + 1e-9).all()
    np.testing.assert_allclose([region.project(q) for q in track.q], track.q, atol=1e-9)


def test_one_frame_at_a_time():
    skeleton = _arm()
    solver = ik.Solver(dt=DT)
    before = solver.solve(ik.Problem(skeleton, [ik.Position("tool", (1.5, 1.0, 0.0))]))
    after = solver.follow(ik.Problem(skeleton, [ik.Position("tool", (-1.5, 0.0, 0.0))]), before)
    turned = np.abs(after.q - before.q)[1:]
    assert (turned <= skeleton.max_speed[1:] * DT + 1e-9).all() and turned.max() > 0.19


@pytest.mark.parametrize("dt", [0.0, -1.0, np.nan, "fast"])
def test_a_time_is_above_zero(dt):
    with pytest.raises(ik.IkError, match="dt"):
        ik.Solver(dt=dt)
