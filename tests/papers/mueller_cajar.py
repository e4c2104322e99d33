# SPDX-License-Identifier: GPL-3.0-or-later
"""The experiment of Mueller-Cajar & Mukundan (2007), section 4: two chains, 10,000 targets, two methods.

The text leaves open where a solve starts and how cost counts. So the plain methods run here in a loop of
their own, which takes any start and keeps account of every turn; the library's loop, with its leaps and
second tries, is for the comparison that goes beyond the text.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, fields
from functools import partial

import numpy as np

import ikmath as ik
from ikmath.classic.limbs.chains import read_limbs, targets
from ikmath.classic.limbs.posing import Posing
from ikmath.classic.limbs.shells import shells
from ikmath.classic.limbs.sweeps import sweep
from ikmath.classic.limbs.triangle import triangulate

TARGETS, BOX, TOLERANCE, MOST = 10_000, 60.0, 0.5, 99
ELBOW, WRIST = np.radians(126.0), np.radians(90.0)
Step = Callable[[Posing], None]


def arm(limited: bool) -> ik.Skeleton:
    """Straight up along Y: four links of 9 and one of 4, or 18, 18, 4 with cones at elbow and wrist."""
    lengths = (18.0, 18.0, 4.0) if limited else (9.0, 9.0, 9.0, 9.0, 4.0)
    cones = (None, ELBOW, WRIST) if limited else (None,) * 5
    joints = []
    for i, cone in enumerate(cones):
        # equal limits of both swings are a cone: the swing's ellipse is a circle
        bounds = {} if cone is None else {"lower": (-cone, -np.inf, -cone), "upper": (cone, np.inf, cone)}
        parent, place = (f"link{i - 1}", (0, lengths[i - 1], 0)) if i else (None, (0, 0, 0))
        joints.append(ik.Joint(f"link{i}", parent, translation=place, **bounds))
    tip = ik.Joint("hand", joints[-1].name, translation=(0, lengths[-1], 0), turns="")
    return ik.Skeleton([*joints, tip])


def random_targets(seed: int, count: int = TARGETS) -> np.ndarray:
    """In a box about the root, which reaches beyond the chain's 40 units at its corners."""
    return np.random.default_rng(seed).uniform(-BOX / 2, BOX / 2, (count, 3))


def reach(limited: bool) -> tuple[float, float]:
    """Least and largest distance of a target that the hand can come within the tolerance of.

    The limited chain's least is with elbow and wrist bent as far as they go, the same way.
    """
    if not limited:
        return 0.0, 40.0 + TOLERANCE
    fist = abs(18.0 + 18.0 * np.exp(1j * ELBOW) + 4.0 * np.exp(1j * (ELBOW + WRIST)))
    return fist - TOLERANCE, 40.0 + TOLERANCE


def reachable(points: np.ndarray, limited: bool) -> np.ndarray:
    """Which targets the chain can reach by its geometry."""
    low, high = reach(limited)
    radius = np.linalg.norm(points, axis=1)
    return (radius >= low) & (radius < high)


def bends(skeleton: ik.Skeleton, q: np.ndarray) -> np.ndarray:
    """(frames,) degrees: the angles between the links, the first one's from straight up, summed."""
    links = np.diff(ik.Pose.forward(skeleton, q).position, axis=1)
    links /= np.linalg.norm(links, axis=-1, keepdims=True)
    before = np.concatenate([np.broadcast_to([0.0, 1.0, 0.0], links[:, :1].shape), links[:, :-1]], 1)
    angles = np.arctan2(np.linalg.norm(np.cross(before, links), axis=-1), (before * links).sum(-1))
    return np.degrees(angles.sum(1))


@dataclass(frozen=True)
class Outcome:
    """What became of some targets, one row each: coordinates, the hand's distance, passes, degrees turned."""

    q: np.ndarray
    miss: np.ndarray
    passes: np.ndarray
    turned: np.ndarray

    @property
    def reached(self) -> np.ndarray:
        return self.miss < TOLERANCE


def ccd(degrees: float = np.inf) -> Step:
    """Whole sweeps, from the tip to the root; degrees: damping of each turn."""
    return partial(sweep, damping=np.radians(degrees))


def triangulation(limited: bool, across: bool = False) -> Step:
    """The text's pass; with limits, its shortened b."""
    problem = ik.Problem(arm(limited), [ik.Position("hand", (1.0, 2.0, 3.0))])
    folded = shells(read_limbs(problem, "Triangulation")) if limited else None
    return partial(triangulate, across=across, shells=folded)


def iterate(
    skeleton: ik.Skeleton, points: np.ndarray, step: Step, most: int = MOST, q0: np.ndarray | None = None
) -> Outcome:
    """The plain method: passes until the hand is within the tolerance, from straight up or from poses."""
    problem = ik.Problem(skeleton, [ik.Position("hand", points)])
    count = len(points)
    q = np.tile(skeleton.rest, (count, 1)) if q0 is None else q0.copy()
    passes, turned = np.zeros(count, dtype=int), np.zeros(count)
    posing = Posing(read_limbs(problem, "experiment"), q, targets(problem, (count,)))
    while True:
        _, there = posing.judge(TOLERANCE * (1.0 - 1e-12))
        ended = np.broadcast_to(there, posing.frames.shape) | (passes[posing.frames] >= most)
        q[posing.frames[ended]] = posing.coordinates(posing.state(), np.flatnonzero(ended))
        if ended.all():
            break
        posing.keep(np.flatnonzero(~ended))
        posing.place_all()
        before = [np.stack(np.broadcast_arrays(*turn[0])) for turn in posing.turned]
        step(posing)
        passes[posing.frames] += 1
        for old, new in zip(before, posing.turned, strict=True):
            cosine = np.abs((old * np.stack(np.broadcast_arrays(*new[0]))).sum(0))
            turned[posing.frames] += 2.0 * np.arccos(np.minimum(cosine, 1.0))
    hand = ik.Pose.forward(skeleton, q).point("hand")
    return Outcome(q, np.linalg.norm(hand - points, axis=1), passes, np.degrees(turned))


def carry_on(skeleton: ik.Skeleton, points: np.ndarray, step: Step, most: int = MOST) -> Outcome:
    """As `iterate`, each solve from the pose before, in 25 rounds of sessions side by side."""
    rounds = points.reshape(-1, 25, 3)
    q, outcomes = None, []
    for k in range(rounds.shape[1]):
        outcomes.append(iterate(skeleton, rounds[:, k], step, most, q))
        q = outcomes[-1].q
    names = [field.name for field in fields(Outcome)]
    columns = {name: np.stack([getattr(outcome, name) for outcome in outcomes], 1) for name in names}
    return Outcome(
        **{name: values.reshape(len(points), *values.shape[2:]) for name, values in columns.items()}
    )


def by_library(skeleton: ik.Skeleton, points: np.ndarray, method: str, **options: object) -> Outcome:
    """A method as the library has it, all targets in one call."""
    problem = ik.Problem(skeleton, [ik.Position("hand", points)])
    solution = ik.solve(problem, method=method, max_iterations=MOST, tolerance=TOLERANCE, **options)
    return Outcome(solution.q, solution.errors[:, 0], solution.iterations, np.full(len(points), np.nan))
