# SPDX-License-Identifier: GPL-3.0-or-later
"""Weights by inertia: against plain sums, and what they are for."""

from __future__ import annotations

import numpy as np
import pytest

import ikmath as ik
from ikmath.classic.stepping import metric_of

CARRIED, HEAVIEST, SHORTEST, ROD = 100.0, 25.0, 10.0, np.sqrt(12.0)


def tree(rng: np.random.Generator, count: int) -> tuple[np.ndarray, ...]:
    parents = np.array([-1, *(int(rng.integers(0, k)) for k in range(1, count))])
    heads, centers = rng.normal(size=(2, count, 3))
    return parents, heads, rng.uniform(0.05, 0.6, count), rng.uniform(0.0, 2.0, count), centers


def by_plain_sums(parents, heads, lengths, masses, centers) -> tuple[np.ndarray, float]:
    """Weights of turns and of slides by the definition: every joint for itself, one link after the other."""
    count = len(parents)
    children = [[c for c in range(count) if parents[c] == j] for j in range(count)]

    def under(j: int) -> list[int]:
        return [j, *(k for child in children[j] for k in under(child))]

    def moment(links: list[int], about: np.ndarray) -> float:
        return sum(masses[k] * float(np.sum((centers[k] - about) ** 2)) for k in links)

    def limb(j: int) -> list[int]:
        if not children[j]:
            return [j]
        return [j, *limb(max(children[j], key=lambda c: moment(under(c), heads[j])))]

    middle = sum(m * c for m, c in zip(masses, centers, strict=True)) / masses.sum()
    whole = moment(list(range(count)), middle)
    gyration = np.sqrt(whole / masses.sum())
    out = []
    for j in range(count):
        carried = moment([k for k in under(j) if k not in limb(j)], heads[j]) / whole
        short = min(max(gyration / lengths[j], 1.0), SHORTEST)
        out.append(short * min(1.0 + CARRIED * carried, HEAVIEST))
    return np.array(out) / min(out), HEAVIEST / (ROD * gyration) ** 2


def test_weights_are_what_plain_sums_give():
    rng = np.random.default_rng(4)
    for count in (1, 2, 5, 12, 30):
        figure = tree(rng, count)
        found = ik.inertia_weights(*figure)
        turns, slides = by_plain_sums(*figure)
        np.testing.assert_allclose(found[:, 3], turns, rtol=1e-9)
        np.testing.assert_array_equal(found[:, 3:], found[:, 3:4].repeat(3, 1))
        np.testing.assert_allclose(found[:, :3], slides, rtol=1e-9)


def test_weight_and_place_of_the_figure_do_not_matter_and_its_size_only_where_it_slides():
    rng = np.random.default_rng(5)
    parents, heads, lengths, masses, centers = tree(rng, 20)
    plain = ik.inertia_weights(parents, heads, lengths, masses, centers)
    turn = ik.rotation.exp(rng.normal(size=3))
    away = np.array([30.0, -20.0, 50.0])
    moved = [100.0 * (places + away) @ turn.T for places in (heads, centers)]
    found = ik.inertia_weights(parents, moved[0], 100.0 * lengths, 7.0 * masses, moved[1])
    np.testing.assert_allclose(found[:, 3:], plain[:, 3:], rtol=1e-8)
    np.testing.assert_allclose(found[:, :3] * 100.0**2, plain[:, :3], rtol=1e-8)


def test_order_of_the_joints_does_not_matter():
    rng = np.random.default_rng(6)
    parents, *arrays = tree(rng, 15)
    order = rng.permutation(15)
    place = np.argsort(order)
    mixed = np.where(parents[order] < 0, -1, place[parents[order]])
    found = ik.inertia_weights(mixed, *(array[order] for array in arrays))
    np.testing.assert_allclose(found, ik.inertia_weights(parents, *arrays)[order], rtol=1e-9)


def test_a_chain_that_does_not_branch_is_as_even_as_its_bones_are_long():
    count = 12
    heads = np.stack([np.zeros(count), np.arange(count) / count, np.zeros(count)], 1)
    centers = heads + np.array([0.0, 0.5 / count, 0.0])
    found = ik.inertia_weights(
        np.arange(-1, count - 1), heads, np.full(count, 1 / count), np.ones(count), centers
    )
    np.testing.assert_allclose(found[:, 3:], 1.0, rtol=1e-9)


def test_a_figure_without_mass_or_extent_is_even():
    nothing = ik.inertia_weights([-1, 0], np.eye(2, 3), [1.0, 1.0], [0.0, 0.0], np.eye(2, 3))
    point = ik.inertia_weights([-1, 0], np.zeros((2, 3)), [0.0, 0.0], [1.0, 1.0], np.zeros((2, 3)))
    assert (nothing == 1.0).all() and (point == 1.0).all()


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"parents": [-1, 5]}, "parents must be from -1 to 1"),
        ({"parents": [1, 0]}, "must form a tree"),
        ({"parents": [0.5, 1.0]}, "whole numbers"),
        ({"masses": [1.0, -1.0]}, "masses must not be negative"),
        ({"lengths": [-1.0, 1.0]}, "lengths must not be negative"),
        ({"heads": np.zeros((3, 3))}, "heads"),
        ({"centers": np.full((2, 3), np.nan)}, "centers"),
    ],
)
def test_bad_input_is_named(change, words):
    told = {
        "parents": [-1, 0],
        "heads": np.eye(2, 3),
        "lengths": [1.0, 1.0],
        "masses": [1.0, 1.0],
        "centers": np.eye(2, 3),
    }
    with pytest.raises(ik.IkError, match=words):
        ik.inertia_weights(**{**told, **change})


# ------------------------------------------------------------------ as a metric
def person() -> ik.Skeleton:
    """A spine of three with an arm on either side, two bones each."""
    joints = [ik.Joint("hips"), ik.Joint("waist", "hips", translation=(0, 0.2, 0))]
    joints.append(ik.Joint("chest", "waist", translation=(0, 0.2, 0)))
    for side, s in (("L", 1.0), ("R", -1.0)):
        joints += [
            ik.Joint(f"arm.{side}", "chest", translation=(0.2 * s, 0.2, 0)),
            ik.Joint(f"forearm.{side}", f"arm.{side}", translation=(0.3 * s, 0, 0)),
        ]
    return ik.Skeleton(joints)


def weights_of(skeleton: ik.Skeleton) -> np.ndarray:
    heads = ik.Pose.forward(skeleton, np.zeros(skeleton.n)).position
    half = np.array([[0, 0.1, 0]] * 3 + [[0.15, 0, 0]] * 2 + [[-0.15, 0, 0]] * 2)
    lengths = 2.0 * np.linalg.norm(half, axis=1)
    return ik.inertia_weights(skeleton.parents, heads, lengths, lengths, heads + half)


def turned(skeleton: ik.Skeleton, q: np.ndarray, names: tuple[str, ...]) -> float:
    return float(sum(np.linalg.norm(q[skeleton.columns(name)]) for name in names))


def test_the_arm_does_what_it_can_before_the_spine_follows():
    skeleton = person()
    hand = {"joint": "forearm.L", "offset": (0.3, 0, 0)}
    for target in ((0.15, 0.6, 0.35), (0.1, 0.9, 0.1), (0.5, 0.4, 0.2)):
        share = []
        for figure in (skeleton, skeleton.with_inertia(weights_of(skeleton))):
            problem = ik.Problem(figure, [ik.Position(**hand, target=target), ik.Posture(np.zeros(figure.n))])
            solution = ik.solve(problem, figure.rest)
            assert solution.status is ik.Status.REACHED
            spine, arm = (
                turned(figure, solution.q, names)
                for names in (("hips", "waist", "chest"), ("arm.L", "forearm.L"))
            )
            share.append(spine / (spine + arm))
        assert share[1] < 0.3 * share[0], (target, share)
    far = ik.Position(**hand, target=(0.85, 0.75, 0.3))  # beyond the arm: now the spine has to
    figure = skeleton.with_inertia(weights_of(skeleton))
    solution = ik.solve(ik.Problem(figure, [far, ik.Posture(np.zeros(figure.n))]), figure.rest)
    assert solution.status is ik.Status.REACHED
    assert turned(figure, solution.q, ("hips", "waist", "chest")) > 0.2


def test_the_end_is_the_pose_nearest_to_the_posture_in_the_metric():
    """Compared with scipy, from the start and from where the solver ended."""
    from scipy.optimize import minimize

    skeleton = person()
    skeleton = skeleton.with_inertia(weights_of(skeleton))
    rng = np.random.default_rng(7)
    for _ in range(8):
        reach = ik.Pose.forward(skeleton, 0.5 * rng.normal(size=skeleton.n))
        goal = ik.Position("forearm.L", reach.point("forearm.L", (0.3, 0, 0)), (0.3, 0, 0))
        posture = 0.1 * rng.normal(size=skeleton.n)
        problem = ik.Problem(skeleton, [goal, ik.Posture(posture)])
        solution = ik.solve(problem, posture)
        assert solution.status is ik.Status.REACHED

        def away(q: np.ndarray, posture: np.ndarray = posture) -> float:
            return float(((q - posture) ** 2 / skeleton.mobility).sum())

        def missing(q: np.ndarray, goal: ik.Goal = goal) -> np.ndarray:
            return goal.evaluate(ik.Pose.forward(skeleton, q)).error

        best = minimize(away, solution.q, method="SLSQP", constraints={"type": "eq", "fun": missing})
        assert away(solution.q) < best.fun * 1.02 + 1e-3


def test_stiffness_comes_on_top():
    joints = [ik.Joint("a", turns="x", stiffness=0.5), ik.Joint("b", "a", translation=(0, 1, 0), turns="x")]
    skeleton = ik.Skeleton(joints)
    assert metric_of(ik.Skeleton([ik.Joint("a")])) is None and metric_of(skeleton) is not None
    weighed = skeleton.with_inertia([4.0, 2.0])
    np.testing.assert_allclose(weighed.mobility, [0.5 / 4.0, 1.0 / 2.0])
    np.testing.assert_allclose(skeleton.mobility, [0.5, 1.0])  # which has not changed
    assert weighed.with_rest(rest_translation=np.ones((2, 3))).mobility is not None
    np.testing.assert_allclose(weighed.with_rest(rest_translation=np.ones((2, 3))).mobility, weighed.mobility)


@pytest.mark.parametrize("bad", [[1.0], [0.0, 1.0], [-1.0, 1.0], [np.inf, 1.0], "heavy"])
def test_bad_weights_are_named(bad):
    skeleton = ik.Skeleton([ik.Joint("a", turns="xy")])
    with pytest.raises(ik.IkError, match="inertia"):
        skeleton.with_inertia(bad)
