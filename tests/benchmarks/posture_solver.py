# SPDX-License-Identifier: GPL-3.0-or-later
"""A plain solver to measure the posture objective with: goals are equalities, the objective chooses the rest.

Newton steps of the Lagrangian with the Gauss-Newton Hessian, damped until the merit falls. Knees and elbows
do not bend beyond straight: a step that would takes this as one more equality.
"""

from __future__ import annotations

import numpy as np

import ikmath as ik
from ikmath import rotation

_LARGEST, _ENOUGH, _SOFT = 0.4, 1e-7, 1e-12
_MERIT = 30.0  # weight of the goals' error beside the objective, in the measure of a step


def hinges(found, pose):
    """Knees and elbows: upper and lower joint, hinge and bone in the upper's axes, the other bone in its own.

    Args:
        found: the map; pose: that it was made of.
    """
    out = []
    for limb in found.limbs:
        upper, lower = limb.joints
        end = found.heads[limb.end] if limb.end >= 0 else found.tails[lower]
        first, second = found.heads[lower] - found.heads[upper], end - found.heads[lower]
        into, down = pose.rotation[upper].T, pose.rotation[lower].T
        first, second = first / np.linalg.norm(first), second / np.linalg.norm(second)
        out.append((upper, lower, into @ found.hinge[lower], into @ first, down @ second))
    return out


def bend_sines(pose, limbs):
    """Sines of the bends (k,), zero or more on the right side, and their Jacobian (k, n)."""
    sines, rows = np.zeros(len(limbs)), np.zeros((len(limbs), len(pose.q)))
    for k, (upper, lower, hinge, first, second) in enumerate(limbs):
        h, a = pose.rotation[upper] @ hinge, pose.rotation[upper] @ first
        e = pose.rotation[lower] @ second
        sines[k] = np.cross(a, e) @ h
        turning = pose.rotation_jacobian(lower) - pose.rotation_jacobian(upper)
        rows[k] = np.cross(e, np.cross(h, a)) @ turning
    return sines, rows


def solve(cost, q, goals, size, limbs=(), steps=80):
    """The pose (n,) of least cost that reaches the goals, and their largest error in sizes or radians.

    Args:
        cost: a `PostureCost`; q: (n,) to start from; goals: (joint, offset, place or None, rotation or None);
        size: of the figure; limbs: as `hinges` gives them; steps: at most.
    """
    figure, damping = cost.skeleton, 1e-4
    pose = ik.Pose.forward(figure, q)
    error, jacobian = _rows(pose, goals, size)
    term = cost.evaluate(pose)
    merit = term.value + _MERIT * np.abs(error).sum()
    scale = np.where(figure.is_turn, 1.0, size)
    for _ in range(steps):
        hessian = term.hessian + damping * np.diag(1e-1 / scale**2)
        root = np.linalg.cholesky(hessian)
        bends, slopes = bend_sines(pose, limbs)
        held = np.zeros(len(limbs), dtype=bool)
        for _ in range(3):
            wanted = np.concatenate([error, bends[held]])
            step = _step(root, term.gradient, np.concatenate([jacobian, slopes[held]]), wanted)
            beyond = bends + slopes @ step < -1e-9
            if not (beyond & ~held).any():
                break
            held |= beyond
        length = np.abs(step / scale).max()
        step *= min(1.0, _LARGEST / max(length, 1e-12))
        there = ik.Pose.forward(figure, q + step)
        if length < _LARGEST:  # what the goals' curvature leaves
            miss = np.concatenate([_rows(there, goals, size)[0], np.zeros(int(held.sum()))])
            step = step + _step(root, np.zeros(figure.n), np.concatenate([jacobian, slopes[held]]), miss)
            there = ik.Pose.forward(figure, q + step)
        error_there, jacobian_there = _rows(there, goals, size)
        value = cost.evaluate(there).value
        merit_there = value + _MERIT * np.abs(error_there).sum()
        if merit_there <= merit + 1e-12 or damping > 1e3:
            q, error, jacobian, merit = q + step, error_there, jacobian_there, merit_there
            pose = there
            term, damping = cost.evaluate(there), max(damping * 0.3, 1e-6)
            if length < _ENOUGH:
                break
        else:
            damping *= 10.0
    return q, float(np.abs(error).max(initial=0.0))


def _step(root, gradient, jacobian, error):
    """The step (n,) of least quadratic cost with `jacobian @ step = -error`, or nearest to that.

    Args:
        root: (n, n) Cholesky factor of the Hessian.
    """
    down = np.linalg.solve(root, np.column_stack([gradient, jacobian.T]))
    through = down[:, 1:]
    square = through.T @ through
    square[np.diag_indices_from(square)] += _SOFT * np.trace(square)  # goals that conflict
    force = np.linalg.solve(square, error - through.T @ down[:, 0])
    return -np.linalg.solve(root.T, down[:, 0] + through @ force)


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
