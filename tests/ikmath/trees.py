# SPDX-License-Identifier: GPL-3.0-or-later
"""Random figures and poses, for hypothesis and for plain seeds.

What a joint is made of (parent, free turns, slides, limits, inheritance) is drawn, so that failures shrink to
small figures; the numbers come from a seed that is drawn too.
"""

from __future__ import annotations

import numpy as np
from hypothesis import strategies as st

import ikmath as ik
from tests.ikmath import oracle

LETTERS = ("", "x", "y", "z", "xy", "xz", "yz", "xyz")
NEARNESS = ("anywhere", "zero", "nearly zero", "nearly half a turn", "one turn nearly half")


def rotation(rng):
    """A rotation, uniform in its axis, up to half a turn."""
    axis = rng.normal(size=3)
    return oracle.rodrigues(axis / np.linalg.norm(axis) * rng.uniform(0, np.pi))


def joint(rng, name, parent, turns, slides, inherits, limits):
    """A joint with random constants; limits "none", "all", "some", "odd" (sides without room or rest)."""
    count = len(turns) + len(slides)
    high, low = rng.uniform(0.1, 2.5, count), -rng.uniform(0.1, 2.5, count)
    if limits in ("some", "odd"):
        low, high = (
            np.where(rng.random(count) < 0.4, -np.inf, low),
            np.where(rng.random(count) < 0.4, np.inf, high),
        )
    if limits == "odd":
        low = np.where(rng.random(count) < 0.25, 0.0, low)
        high = np.where(rng.random(count) < 0.25, 0.0, high)
        away = (rng.random(count) < 0.15) & np.isfinite(low) & np.isfinite(high)
        low, high = np.where(away, 0.2, low), np.where(away, np.maximum(high, 0.2) + 0.3, high)
    return ik.Joint(
        name,
        parent,
        rotation=rotation(rng) if rng.random() < 0.7 else np.eye(3),
        translation=rng.normal(size=3) * 0.5,
        turns=turns,
        slides=slides,
        lower=None if limits == "none" else low,
        upper=None if limits == "none" else high,
        stiffness=rng.uniform(0, 0.5) if rng.random() < 0.3 else 0.0,
        mass=float(rng.uniform(0.1, 3.0)),
        fixed=rng.normal(size=6) * 0.5,
        inherit_rotation=inherits,
    )


@st.composite
def skeletons(draw, max_joints=7, limits=("none",)):
    """Figures of any shape: forests, locked and sliding joints, joints that do not inherit rotation."""
    count = draw(st.integers(1, max_joints))
    rng = np.random.default_rng(draw(st.integers(0, 10_000)))
    joints = []
    for i in range(count):
        parent = draw(st.sampled_from([None, *(j.name for j in joints)])) if i else None
        joints.append(
            joint(
                rng,
                f"j{i}",
                parent,
                draw(st.sampled_from(LETTERS)),
                draw(st.sampled_from(LETTERS)) if draw(st.booleans()) else "",
                draw(st.sampled_from((True, True, True, False))),
                draw(st.sampled_from(limits)),
            )
        )
    return ik.Skeleton(joints)


def tree(rng, count=6, limits="none"):
    """A random figure that surely can move, from a generator alone."""
    joints = [joint(rng, "j0", None, "xyz", "xyz" if rng.random() < 0.3 else "", True, limits)]
    for i in range(1, count):
        turns = LETTERS[rng.integers(1, 8)]
        slides = LETTERS[rng.integers(0, 8)] if rng.random() < 0.2 else ""
        parent = joints[max(0, i - 1 - int(rng.integers(0, 3)))].name
        joints.append(joint(rng, f"j{i}", parent, turns, slides, bool(rng.random() < 0.8), limits))
    return ik.Skeleton(joints)


def coordinates(rng, skeleton, nearness="anywhere"):
    """Coordinates (n,), and where in the range of the turns they lie."""
    q = rng.normal(size=skeleton.n)
    if nearness == "zero":
        return np.zeros(skeleton.n)
    if nearness == "nearly zero":
        return q * 10.0 ** rng.uniform(-12, -3)
    if nearness.endswith("half a turn") or nearness.startswith("one"):
        swings = skeleton.joint_limits.free_pairs
        if nearness.startswith("one"):
            swings = swings[:1]
        for pair in swings:
            short = np.pi - 10.0 ** rng.uniform(-6, -2)
            q[pair] *= short / np.linalg.norm(q[pair])
        single = skeleton.is_turn & ~np.isin(np.arange(skeleton.n), skeleton.joint_limits.free_pairs)
        q[single] = np.where(rng.random(single.sum()) < 0.5, 1, -1) * (np.pi - 1e-3)
    return q


@st.composite
def posed(draw, max_joints=7, limits=("none",)):
    """(skeleton, coordinates, generator) of a figure somewhere."""
    skeleton = draw(skeletons(max_joints, limits))
    rng = np.random.default_rng(draw(st.integers(0, 10_000)))
    return skeleton, coordinates(rng, skeleton, draw(st.sampled_from(NEARNESS))), rng


def inside(rng, skeleton):
    """Coordinates inside the limits, away from rest."""
    return skeleton.joint_limits.project(rng.uniform(-1.2, 1.2, skeleton.n))
