# SPDX-License-Identifier: GPL-3.0-or-later
"""A plain solver to measure the posture objective with: goals as equalities, the objective in what they leave.

Newton steps of the Lagrangian with the Gauss-Newton Hessian, damped until the merit falls. No limits.
"""

from __future__ import annotations

import numpy as np

import ikmath as ik
from ikmath import rotation

_STEPS, _LARGEST, _ENOUGH = 80, 0.4, 1e-7
_MERIT = 30.0  # weight of the goals' error beside the objective, in the measure of a step


def solve(cost, q, goals, size):
    """The pose (n,) of least cost that reaches the goals, and their largest error in sizes or radians.

    Args:
        cost: a `PostureCost`; q: (n,) to start from; goals: (joint, offset, place or None, rotation or None);
        size: of the figure.
    """
    figure, damping = cost.skeleton, 1e-4
    pose = ik.Pose.forward(figure, q)
    error, jacobian = _rows(pose, goals, size)
    term = cost.evaluate(pose)
    merit = term.value + _MERIT * np.abs(error).sum()
    scale = np.where(figure.is_turn, 1.0, size)
    for _ in range(_STEPS):
        hessian = term.hessian + damping * np.diag(1e-1 / scale**2)
        root = np.linalg.cholesky(hessian)
        down = np.linalg.solve(root, np.column_stack([term.gradient, jacobian.T]))
        through = down[:, 1:]
        force = np.linalg.lstsq(
            through.T @ through + 1e-12 * np.eye(len(error)), error - through.T @ down[:, 0], rcond=None
        )[0]
        step = -np.linalg.solve(root.T, down[:, 0] + through @ force)
        length = np.abs(step / scale).max()
        step *= min(1.0, _LARGEST / max(length, 1e-12))
        there = ik.Pose.forward(figure, q + step)
        error_there, jacobian_there = _rows(there, goals, size)
        value = cost.value(there)
        merit_there = value + _MERIT * np.abs(error_there).sum()
        if merit_there <= merit + 1e-12 or damping > 1e3:
            q, error, jacobian, merit = q + step, error_there, jacobian_there, merit_there
            term, damping = cost.evaluate(there), max(damping * 0.3, 1e-6)
            if length < _ENOUGH:
                break
        else:
            damping *= 10.0
    return q, float(np.abs(error).max(initial=0.0))


def _rows(pose, goals, size):
    """Errors (k,) and their Jacobian (k, n), places in sizes."""
    errors, rows = [np.zeros(0)], [np.zeros((0, len(pose.q)))]
    for joint, offset, place, turned in goals:
        if place is not None:
            errors.append((pose.point(joint, offset) - place) / size)
            rows.append(pose.jacobian(joint, offset) / size)
        if turned is not None:
            off = rotation.log(pose.rotation[joint] @ turned.T)
            angle = float(np.linalg.norm(off))
            far = max(angle, 1e-4)
            last = 1 / far**2 - 0.5 / (far * np.tan(0.5 * far)) if angle > 1e-4 else 1 / 12
            twist = rotation.skew(off)  # inverse of the left Jacobian
            errors.append(off)
            rows.append((np.eye(3) - 0.5 * twist + last * twist @ twist) @ pose.rotation_jacobian(joint))
    return np.concatenate(errors), np.concatenate(rows)
