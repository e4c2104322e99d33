# SPDX-License-Identifier: GPL-3.0-or-later
"""What every answer must hold to, whatever was asked."""

from __future__ import annotations

import warnings
from contextlib import contextmanager

import numpy as np

import ikmath as ik
from tests.fuzz import plain_errors
from tests.fuzz.cases import Own
from tests.ikmath import oracle

TOLERANCE = 1e-4


@contextmanager
def quiet():
    """Warnings of numpy are failures."""
    with warnings.catch_warnings(), np.errstate(all="warn", under="ignore"):
        warnings.simplefilter("error")
        yield


def keeps_its_promises(problem, answer, tolerance=TOLERANCE):
    """Check the answer to a problem of one frame, or each frame of several."""
    if np.ndim(answer.q) == 1:
        _one(problem, answer.q, answer.errors, answer.status, answer.message, tolerance)
        return
    statuses, messages = np.asarray(answer.status), np.asarray(answer.message)
    for frame in range(len(answer.q)):
        now = problem if problem.frames is None else problem.at(frame)
        told = answer.errors[frame], statuses[frame], messages[frame]
        _one(now, answer.q[frame], *told, tolerance, follows=frame > 0)


def _one(problem, q, errors, status, message, tolerance, follows=False):
    skeleton = problem.skeleton
    assert q.shape == (skeleton.n,) and errors.shape == (len(problem.effectors),)
    assert np.isfinite(q).all(), "coordinates that are not finite"
    assert np.isfinite(errors).all(), "errors that are not finite"
    span = plain_errors.extent(skeleton, q)
    inside = beyond_limits(skeleton, q) <= 1e-9
    assert inside or not problem.limits.strict, f"outside its limits by {beyond_limits(skeleton, q):.3g}"
    first = 0
    for goal in problem.tasks:
        told, first = errors[first : first + goal.effectors], first + goal.effectors
        if follows and goal.kind == "AnyOf":
            continue  # it prefers what was chosen in the frame before, which an answer does not tell
        for one, plain in zip(told.tolist(), plain_errors.sizes(skeleton, q, goal), strict=True):
            if plain is not None:
                size = max(span, _size(goal))
                rounding = 1e-6 if goal.unit == "rad" else 1e-9 * size
                assert abs(one - plain) <= 1e-6 * plain + rounding, f"{goal}: told {one:g}, is {plain:g}"
    reached = bool((errors <= tolerance).all())
    assert status in ik.Status
    if status is not ik.Status.INFEASIBLE:
        assert (status is ik.Status.REACHED) == reached, f"{status} with errors {errors}"
    assert message.endswith(".") and "nan" not in message and "inf " not in message


def _size(goal):
    """The largest number of a goal."""
    if isinstance(goal, Own):
        return float(np.abs(goal.goal_target).max())
    if isinstance(goal, ik.AnyOf):
        return max(map(_size, goal.goals))
    numbers = (getattr(goal, name, None) for name in ("target", "offset", "origin", "place", "distance"))
    return max((float(np.abs(value).max(initial=0.0)) for value in numbers if value is not None), default=0.0)


def beyond_limits(skeleton, q):
    """How far q is outside the limits: radians, half-angle sines, and slides in shares of their limit."""
    slides = ~skeleton.is_turn
    told = oracle.outside_region(skeleton, q)
    if told <= 1e-9 or not slides.any():
        return told
    unit = np.maximum(np.maximum(_finite(skeleton.lower), _finite(skeleton.upper)), 1.0)
    slid = np.maximum(skeleton.lower - q, q - skeleton.upper)[slides] / unit[slides]
    joints = [
        ik.Joint(**{**vars(joint), "slides": "", "fixed": 0.0 * np.zeros(6), **_turns_only(joint)})
        for joint in skeleton.joints
    ]
    turns = oracle.outside_region(ik.Skeleton(joints), q[skeleton.is_turn])
    return max(float(slid.max()), turns)


def _turns_only(joint):
    count, free = len(joint.slides), len(joint.slides) + len(joint.turns)
    return {
        name: None if value is None else np.broadcast_to(np.asarray(value, float), free)[count:]
        for name, value in (("lower", joint.lower), ("upper", joint.upper))
    } | {"stiffness": 0.0}


def _finite(limit):
    return np.where(np.isfinite(limit), np.abs(limit), 0.0)


def same_bits(some, other):
    """Whether two answers are the same, bit for bit."""
    return some.q.tobytes() == other.q.tobytes() and some.errors.tobytes() == other.errors.tobytes()
