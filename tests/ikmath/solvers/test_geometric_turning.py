# SPDX-License-Identifier: GPL-3.0-or-later
"""The best turn of one joint: against dense sampling, inside the limits, the same for floats and arrays."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import ikmath as ik
from ikmath.classic.limbs.alignment import davenport, value
from ikmath.classic.limbs.arithmetic import ARRAYS, FLOATS
from ikmath.classic.limbs.turning import turning
from tests.ikmath import oracle

KINDS = ("x", "y", "z", "xy", "yz", "xz", "xyz")


def joint_of(rng, free, limits, odd=False):
    """A kind, and a one-joint skeleton with the same limits."""
    low = np.where(rng.random(3) < 0.8, -rng.uniform(0.1, 2.5, 3), -np.inf) if limits else np.full(3, -np.inf)
    high = np.where(rng.random(3) < 0.8, rng.uniform(0.1, 2.5, 3), np.inf) if limits else np.full(3, np.inf)
    fixed = rng.uniform(-0.5, 0.5, 3) if odd else np.zeros(3)
    fixed = np.array([0.0 if "xyz"[i] in free else fixed[i] for i in range(3)])
    slots = [i for i in range(3) if "xyz"[i] in free]
    skeleton = ik.Skeleton(
        [ik.Joint("joint", turns=free, lower=low[slots], upper=high[slots], fixed=(0, 0, 0, *fixed))]
    )
    kind = turning(free, tuple(low.tolist()), tuple(high.tolist()), tuple(fixed.tolist()))
    return kind, skeleton, slots, fixed


def full(slots, fixed, q):
    turns = np.broadcast_to(fixed, (*np.shape(q)[:-1], 3)).copy()
    turns[..., slots] = q
    return turns


def matrix(turns):
    x, y, z = turns
    return oracle.rodrigues((x, 0.0, z)) @ oracle.rodrigues((0.0, y, 0.0))


def worth(pairs, turns):
    return sum(w * np.dot(t, matrix(turns) @ np.array(e)) for e, t, w in pairs)


def start_of(rng, kind, skeleton, slots, fixed):
    q = skeleton.joint_limits.project(rng.uniform(-1, 1, skeleton.n))
    return kind.start(FLOATS, tuple(full(slots, fixed, q).tolist())), q


def coordinates(kind, turned, slots, fixed, near):
    turns = kind.turns(FLOATS, turned, tuple(full(slots, fixed, near).tolist()))
    return np.array(turns)[slots]


@given(
    st.sampled_from(KINDS), st.booleans(), st.booleans(), st.sampled_from((1, 1, 3)), st.integers(0, 10_000)
)
@settings(max_examples=150, deadline=None)
def test_a_turn_gets_better_stays_inside_and_is_what_its_coordinates_say(free, limits, odd, count, seed):
    rng = np.random.default_rng(seed)
    kind, skeleton, slots, fixed = joint_of(rng, free, limits, odd)
    pairs = [(tuple(rng.normal(size=3)), tuple(rng.normal(size=3)), 1.0 + k) for k in range(count)]
    k, size = davenport(pairs)
    turned, q = start_of(rng, kind, skeleton, slots, fixed)
    before = worth(pairs, full(slots, fixed, q))
    assert value(k, turned[0]) == pytest.approx(before, abs=1e-9)
    for _ in range(3):
        turned = kind.best(FLOATS, turned, k, size, count > 1)
        q = coordinates(kind, turned, slots, fixed, q)
        assert skeleton.joint_limits.violation(q).max() <= 1e-9
        after = worth(pairs, full(slots, fixed, q))
        assert after >= before - 1e-9 * size
        assert value(k, turned[0]) == pytest.approx(after, abs=1e-9)
        before = after


@pytest.mark.parametrize("free", KINDS)
@pytest.mark.parametrize("limits", [False, True])
def test_no_small_turn_inside_the_limits_is_better(free, limits):
    """First-order optimality: a joint at rest in `best` cannot be improved by moving its coordinates."""
    rng = np.random.default_rng([KINDS.index(free), limits])
    for _ in range(25):
        kind, skeleton, slots, fixed = joint_of(rng, free, limits)
        pairs = [(tuple(rng.normal(size=3)), tuple(rng.normal(size=3)), 1.0)]
        k, size = davenport(pairs)
        turned, q = start_of(rng, kind, skeleton, slots, fixed)
        for _ in range(60):
            turned = kind.best(FLOATS, turned, k, size, False)
        q = coordinates(kind, turned, slots, fixed, q)
        here = worth(pairs, full(slots, fixed, q))
        for _ in range(40):
            other = skeleton.joint_limits.project(q + rng.normal(size=skeleton.n) * 1e-4)
            assert worth(pairs, full(slots, fixed, other)) <= here + 1e-7 * size


@pytest.mark.parametrize("free", ["x", "y", "z", "xyz"])
def test_a_free_joint_finds_the_best_of_all_turns_at_once(free):
    rng = np.random.default_rng(3)
    for _ in range(20):
        kind, skeleton, slots, fixed = joint_of(rng, free, False)
        e, t = rng.normal(size=3), rng.normal(size=3)
        k, size = davenport([(tuple(e), tuple(t), 1.0)])
        turned, _ = start_of(rng, kind, skeleton, slots, fixed)
        found = value(k, kind.best(FLOATS, turned, k, size, False)[0])
        if free == "xyz":
            assert found == pytest.approx(np.linalg.norm(e) * np.linalg.norm(t), rel=1e-12)
        else:
            grid = np.linspace(-np.pi, np.pi, 2001)[:, None]
            assert found >= max(worth([(e, t, 1.0)], full(slots, fixed, g)) for g in grid) - 1e-12


def test_the_shortest_turn_has_no_needless_twist():
    kind = turning("xyz", (-np.inf,) * 3, (np.inf,) * 3, (0.0, 0.0, 0.0))
    k, size = davenport([((0.0, 1.0, 0.0), (1.0, 1.0, 0.0), 1.0)])
    turned = kind.best(FLOATS, kind.start(FLOATS, (0.0, 0.0, 0.0)), k, size, False)
    assert kind.turns(FLOATS, turned, (0.0, 0.0, 0.0)) == pytest.approx((0.0, 0.0, -np.pi / 4), abs=1e-12)


@pytest.mark.parametrize("free", KINDS)
def test_turning_right_round_from_the_worst_place(free):
    """A point that is exactly opposite has no slope; the joint must find its way all the same."""
    kind = turning(free, (-np.inf,) * 3, (np.inf,) * 3, (0.0, 0.0, 0.0))
    e = (0.0, 0.0, 1.0) if free in ("x", "y") else (1.0, 0.0, 0.0) if free == "z" else (0.0, 1.0, 0.0)
    if free in ("xy", "yz"):
        e = (0.0, 0.0, 1.0) if free == "xy" else (1.0, 0.0, 0.0)
    k, size = davenport([(e, tuple(-c for c in e), 1.0)])
    turned = kind.start(FLOATS, (0.0, 0.0, 0.0))
    assert value(k, kind.best(FLOATS, turned, k, size, False)[0]) == pytest.approx(1.0, abs=1e-9)


@given(st.sampled_from(KINDS), st.booleans(), st.integers(0, 10_000), st.floats(-1, 1))
@settings(max_examples=150, deadline=None)
def test_a_level_between_here_and_the_best_is_met(free, limits, seed, share):
    rng = np.random.default_rng(seed)
    kind, skeleton, slots, fixed = joint_of(rng, free, limits)
    pairs = [(tuple(rng.normal(size=3)), tuple(rng.normal(size=3)), 1.0)]
    k, size = davenport(pairs)
    turned, q = start_of(rng, kind, skeleton, slots, fixed)
    here = value(k, turned[0])
    signed = k if share >= 0 else tuple(-entry for entry in k)
    end = value(k, kind.best(FLOATS, turned, signed, size, False)[0])
    level = here + abs(share) * (end - here)
    met = kind.levelled(FLOATS, turned, k, size, level)
    assert value(k, met[0]) == pytest.approx(level, abs=1e-8 * size)
    assert skeleton.joint_limits.violation(coordinates(kind, met, slots, fixed, q)).max() <= 1e-9


def test_a_level_is_met_with_the_least_turn():
    """Already there: nothing moves. Two places: the nearer one."""
    rng = np.random.default_rng(5)
    kind = turning("x", (-np.inf,) * 3, (np.inf,) * 3, (0.0, 0.0, 0.0))
    for _ in range(20):
        k, size = davenport([(tuple(rng.normal(size=3)), tuple(rng.normal(size=3)), 1.0)])
        angle = rng.uniform(-3, 3)
        turned = kind.start(FLOATS, (angle, 0.0, 0.0))
        again = kind.levelled(FLOATS, turned, k, size, value(k, turned[0]))
        assert again[1][0] == pytest.approx(angle, abs=1e-6)


@pytest.mark.parametrize("free", KINDS)
@pytest.mark.parametrize("limits", [False, True])
def test_arrays_give_bit_for_bit_what_floats_give(free, limits):
    rng = np.random.default_rng([KINDS.index(free), limits, 1])
    kind, skeleton, slots, fixed = joint_of(rng, free, limits)
    count = 200
    starts = full(slots, fixed, skeleton.joint_limits.project(rng.uniform(-1.5, 1.5, (count, skeleton.n))))
    e, t = rng.normal(size=(2, count, 3))
    e[:5], t[:5] = (0, 1, 0), (0, -1, 0)
    many = kind.start(ARRAYS, tuple(starts.T.copy()))
    k, size = davenport([(tuple(e.T.copy()), tuple(t.T.copy()), 1.0)])
    best = kind.best(ARRAYS, many, k, size, False)
    level = kind.levelled(ARRAYS, many, k, size, 0.3 * size)
    for i in range(count):
        one = kind.start(FLOATS, tuple(starts[i].tolist()))
        k1, size1 = davenport([(tuple(e[i].tolist()), tuple(t[i].tolist()), 1.0)])
        for whole, single in (
            (best, kind.best(FLOATS, one, k1, size1, False)),
            (level, kind.levelled(FLOATS, one, k1, size1, 0.3 * size1)),
        ):
            assert [c[i] for c in whole[0]] == list(single[0])
            assert [c[i] for c in whole[1]] == list(single[1])
