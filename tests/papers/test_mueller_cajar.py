# SPDX-License-Identifier: GPL-3.0-or-later
"""What must hold of Mueller-Cajar & Mukundan's experiment, whichever way it is read; and what goes beyond."""

from __future__ import annotations

import numpy as np
import pytest

import ikmath as ik
from tests.papers import mueller_cajar as paper

SOME = 2500


@pytest.fixture(scope="module")
def points():
    return paper.random_targets(11, SOME)


@pytest.fixture(scope="module")
def outcomes(points):
    """(limited, method) -> outcome in the reading that fits best: straight start, sweeps, no damping."""
    return {
        (limited, name): paper.iterate(paper.arm(limited), points, step, most)
        for limited in (False, True)
        for name, step, most in (
            ("ccd", paper.ccd(), paper.MOST),
            ("triangulation", paper.triangulation(limited), 1),
        )
    }


def test_the_reach_of_the_limited_chain_is_that_of_its_poses():
    """Against dense sampling of elbow, wrist and the wrist's plane."""
    elbow, wrist, plane = np.meshgrid(
        np.linspace(0, paper.ELBOW, 200),
        np.linspace(0, paper.WRIST, 100),
        np.linspace(0, np.pi, 60),
        indexing="ij",
    )
    x = (
        18
        + 18 * np.cos(elbow)
        + 4 * (np.cos(elbow) * np.cos(wrist) - np.sin(elbow) * np.sin(wrist) * np.cos(plane))
    )
    y = 18 * np.sin(elbow) + 4 * (
        np.sin(elbow) * np.cos(wrist) + np.cos(elbow) * np.sin(wrist) * np.cos(plane)
    )
    z = 4 * np.sin(wrist) * np.sin(plane)
    sampled = np.sqrt(x * x + y * y + z * z)
    low, high = paper.reach(True)
    assert sampled.min() == pytest.approx(low + paper.TOLERANCE, abs=1e-9)
    assert sampled.max() == pytest.approx(high - paper.TOLERANCE, abs=1e-9)


def test_the_free_chain_reaches_every_reachable_target_in_one_pass(points, outcomes):
    outcome = outcomes[False, "triangulation"]
    assert outcome.reached[paper.reachable(points, False)].all()
    assert outcome.passes.max() == 1
    inside = np.linalg.norm(points, axis=1) < 40.0
    assert outcome.miss[inside].max() < 1e-6


def test_the_90_degree_variant_reaches_as_much_and_turns_less(points, outcomes):
    """What the authors say should be investigated: it does reduce the cost."""
    skeleton = paper.arm(False)
    across = paper.iterate(skeleton, points, paper.triangulation(False, across=True), 1)
    assert across.reached[paper.reachable(points, False)].all()
    assert across.turned.mean() < 0.95 * outcomes[False, "triangulation"].turned.mean()


def test_out_of_reach_the_chain_points_straight_at_the_target(points, outcomes):
    outcome = outcomes[False, "triangulation"]
    far = np.linalg.norm(points, axis=1) > 40.0
    assert np.allclose(outcome.miss[far], np.linalg.norm(points[far], axis=1) - 40.0, atol=1e-6)


@pytest.mark.parametrize("limited", [False, True])
def test_triangulation_costs_less_than_ccd(points, outcomes, limited):
    skeleton = paper.arm(limited)
    ccd, triangulation = outcomes[limited, "ccd"], outcomes[limited, "triangulation"]
    both = ccd.reached & triangulation.reached
    assert paper.bends(skeleton, triangulation.q)[both].mean() < paper.bends(skeleton, ccd.q)[both].mean()
    assert triangulation.turned[both].mean() < ccd.turned[both].mean()


def test_the_reading_that_fits_reproduces_the_text(points, outcomes):
    """Within three standard deviations of the mean over samples of this size."""
    ccd = outcomes[False, "ccd"]
    inside = np.linalg.norm(points, axis=1) <= 40.0
    assert np.mean(~inside) * 100 == pytest.approx(7.88, abs=3 * 0.60)
    assert ccd.passes[ccd.reached].mean() == pytest.approx(8.351, abs=3 * 0.3)
    assert (ccd.reached & (ccd.passes <= 20))[inside].mean() * 100 == pytest.approx(92.12, abs=3 * 0.6)


@pytest.mark.parametrize("limited", [False, True])
def test_limits_hold_in_every_outcome(outcomes, limited):
    region = paper.arm(limited).joint_limits
    for (which, _), outcome in outcomes.items():
        if which is limited:
            assert region.violation(outcome.q).max() <= 1e-9


def test_two_passes_reach_all_that_the_limited_chain_can_reach(points, outcomes):
    """The text's pass leaves one target in twenty; the second pass leaves none."""
    skeleton = paper.arm(True)
    can = paper.reachable(points, True)
    assert outcomes[True, "triangulation"].reached[can].mean() < 0.97
    for method in ("triangulation", "reach_hierarchy"):
        outcome = paper.by_library(skeleton, points, method, finish=False)
        assert outcome.reached[can].all()
        assert outcome.passes.max() <= 2
        assert skeleton.joint_limits.violation(outcome.q).max() <= 1e-9


@pytest.mark.parametrize("limited", [False, True])
def test_damped_least_squares_reaches_everything_in_a_few_steps(points, limited):
    """The text's "computationally expensive" does not hold: fewer steps than the sweeps of CCD."""
    outcome = paper.by_library(paper.arm(limited), points, "damped")
    can = paper.reachable(points, limited)
    assert outcome.reached[can].mean() > 0.999
    assert outcome.passes[outcome.reached].mean() < 8.0


def test_the_library_gives_what_the_plain_loop_gives(points, outcomes):
    """With leaps and stretching off, `ccd` is the plain method."""
    skeleton = paper.arm(False)
    plain = outcomes[False, "ccd"]
    outcome = paper.by_library(skeleton, points, "ccd", leap=False, stretch=False)
    reached = outcome.reached & plain.reached
    assert reached.sum() >= plain.reached.sum() - 2
    assert np.abs(outcome.q - plain.q)[reached].max() < 1e-9
    assert (outcome.passes == plain.passes)[reached].all()


def test_counts_of_equations_9_and_10():
    """Per joint CCD takes a dot product, twice its cost for an axis, a rotation; triangulation 2 n more."""
    assert pytest.approx(125.265) == 8.351 * 5 * 3
    assert pytest.approx(41.755) == 8.351 * 5


def test_two_arms_on_one_chest_are_served_together():
    """Future work of the text: several effectors on a tree."""
    joints = [ik.Joint("chest"), ik.Joint("neck", "chest", translation=(0, 2, 0))]
    for side, sign in (("left", 1.0), ("right", -1.0)):
        joints += [
            ik.Joint(f"{side}1", "neck", translation=(sign * 0.5, 0, 0)),
            ik.Joint(f"{side}2", f"{side}1", translation=(sign * 1.5, 0, 0)),
            ik.Joint(f"{side}3", f"{side}2", translation=(sign * 1.5, 0, 0), turns=""),
        ]
    skeleton = ik.Skeleton(joints)
    goal = ik.Position(["left3", "right3"], [[2.0, 3.0, 1.0], [-1.0, 4.5, -0.5]])
    solution = ik.solve(ik.Problem(skeleton, [goal]), method="triangulation")
    assert solution.status is ik.Status.REACHED
