# SPDX-License-Identifier: GPL-3.0-or-later
"""The answer for a frame that is one of many: what is far out of reach is not worth the time of ten."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

import numpy as np

import ikmath as ik
from ikmath.diagnosis import explain

from ..bridge.armature import Array
from .plan import Plan

_BRIEFLY = 12  # steps that a frame may take in which an effector stays short by more than
_NEARLY = 0.02  # of the figure's length,
_FURTHER = 6  # and how many more as long as each time they leave less than
_LEFT = 0.9  # of what it was short by


def briefly(plan: Plan, problem: ik.Problem, q: Array) -> ik.Solution:
    """Solve from coordinates (n,); nobody is told that the time was short, but what is in the way."""
    answer = plan.solver(brief=True, rough=True, most=_BRIEFLY).solve(problem, q)
    if answer.status is not ik.Status.STOPPED:
        return answer
    short, left = _shortfall(problem, answer), 0.0
    while answer.status is ik.Status.STOPPED and short > _NEARLY and left <= _LEFT:
        answer = plan.solver(brief=True, most=_FURTHER).solve(problem, answer.q)
        short, before = _shortfall(problem, answer), short
        left = short / before
    if answer.status is ik.Status.STOPPED and short <= _NEARLY:
        answer = plan.solver(brief=True).solve(problem, answer.q)
    if answer.status is not ik.Status.STOPPED:
        return answer
    told = partial(explain, problem, answer.q, answer.errors, plan.tolerance, stalled=True)
    return replace(answer, sentence=told)


def _shortfall(problem: ik.Problem, answer: ik.Solution) -> float:
    """By how much the goal is short that is farthest from being met: of the figure's length, or radians."""
    metric = np.array(problem.units) == "m"
    return float(np.where(metric, answer.errors / problem.length, answer.errors).max(initial=0.0))
