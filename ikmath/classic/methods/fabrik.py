# SPDX-License-Identifier: GPL-3.0-or-later
"""FABRIK: forward and backward reaching, with positions instead of rotations.

Backward, from the effectors inward, every joint is moved along its link towards the new position of the next
one; where branches meet (a sub-base) the weighted mean is used. Forward, from the root outward, every joint
aims at these positions by a rotation within its limits (hinges, swing ellipses, twist intervals), so that the
figure has a valid pose after each pass. On a chain of free ball joints both halves only use points, and the
rotations are computed at the end, with the least twist. If the target of a single limb is out of reach, the
limb is stretched towards it at once.
"""

from typing import Any, ClassVar

import numpy as np

from ...problem.problem import Problem
from ...solvers.method import Options
from ..limbs.arithmetic import FLOATS, Arithmetic, Number, Vector, add, dot, scaled, subtract, taken
from ..limbs.posing import Posing
from ..limbs.stages import LEAST_GAIN, PATIENCE, QUICK, Run
from ..limbs.sweeps import Wish, slide, stretch_where_far, turn_group
from .geometric import Geometric, GeometricOptions


class Fabrik(Geometric):
    """See the module."""

    name: ClassVar[str] = "fabrik"
    label: ClassVar[str] = "FABRIK"
    description: ClassVar[str] = (
        "Forward and backward reaching: quick, with natural bends; branches meet in sub-bases."
    )
    source: ClassVar[str] = "Aristidou & Lasenby 2011"
    options: ClassVar[type[Options]] = GeometricOptions

    def bend(self, run: Run, problem: Problem, options: Any) -> None:
        gain = QUICK if options.finish else LEAST_GAIN
        if is_bare_chain(run):
            run.stage(reach_with_points(run, gain), limit=1, begin=stretch_where_far)
        else:
            run.stage(reach, begin=stretch_where_far, gain=gain)
        self.finish(run, options)


def reach(posing: Posing) -> None:
    """One pass backward and forward."""
    limbs = posing.limbs
    wanted: list[Vector] = [(0.0, 0.0, 0.0)] * len(limbs.groups)
    wishes: list[list[Wish]] = []
    for number in reversed(range(len(limbs.groups))):
        group = limbs.groups[number]
        head = posing.head[group.nodes[0]]
        own: list[Wish] = []
        mean: Vector = (0.0, 0.0, 0.0)
        total = 0.0
        for aim in group.aims:
            there = posing.targets[aim.effector] if aim.effector >= 0 else wanted[aim.group]
            weight = sum(limbs.effectors[end].weight for end, _, _ in aim.ends)
            own.append((aim, there, weight))
            place = subtract(there, aim.place.drift)
            mean = add(mean, scaled(drawn(posing.m, head, place, aim.length), weight))
            total += weight
        wanted[number] = scaled(mean, 1.0 / total) if total else head
        wishes.append(own)
    wishes.reverse()
    for number, group in enumerate(limbs.groups):
        first = group.nodes[0]
        posing.place(first)
        if limbs.nodes[first].slides:
            slide(posing, first, [(subtract(wanted[number], posing.head[first]), 1.0)])
        turn_group(posing, group, wishes[number])
    posing.place_tips()


def drawn(m: Arithmetic, point: Vector, to: Vector, length: Number) -> Vector:
    """The point, moved along its line to `to` until its distance is `length`."""
    way = subtract(point, to)
    return add(to, scaled(way, length / m.maximum(m.sqrt(dot(way, way)), 1e-30)))


def is_bare_chain(run: Run) -> bool:
    """Whether the limbs are one chain of free balls at different positions."""
    limbs = run.limbs
    return (
        limbs.free
        and len(limbs.effectors) == 1
        and all(len(group.nodes) == 1 and len(group.aims) == 1 for group in limbs.groups)
        and all(
            aim.place.drift == (0.0, 0.0, 0.0) and aim.length > 0.0 for g in limbs.groups for aim in g.aims
        )
    )


def reach_with_points(run: Run, gain: float) -> Any:
    """A pass that does all iterations of a chain on its points, then rotates the joints."""
    lengths = [group.aims[0].length for group in run.limbs.groups]

    def step(posing: Posing) -> None:
        most, tolerance = run.max_iterations, run.tolerance * (1.0 - 1e-9) + run.limbs.effectors[0].slack
        points = [*posing.head, posing.tip[0]]
        end, used = iterate_points(posing.m, points, lengths, posing.targets[0], tolerance, most, gain)
        run.iterations[posing.frames] += used - 1  # the stage itself counts one
        for number, group in enumerate(posing.limbs.groups):
            posing.place(group.nodes[0])
            turn_group(posing, group, [(group.aims[0], end[number + 1], 1.0)])
        posing.place_tips()

    return step


def iterate_points(
    m: Arithmetic,
    points: list[Vector],
    lengths: list[float],
    target: Vector,
    tolerance: float,
    most: int,
    gain: float = LEAST_GAIN,
) -> tuple[list[Vector], Any]:
    """FABRIK on the points of a chain, of one frame or of many.

    Args:
        m: the arithmetic; points: heads of the joints and the tip, metres; the first one does not move.
        lengths: of the links; target: of the tip; tolerance: metres; most: maximum number of iterations.
        gain: share of the squared distance by which an iteration must improve it to count as progress.

    Returns:
        The points when the tip is within the tolerance, does not improve any more, or at the maximum of
            iterations; and the number of iterations.
    """
    near = tolerance * tolerance
    miss = subtract(points[-1], target)
    square = dot(miss, miss)
    quiet: Number = 0
    if m is FLOATS:
        used = 0
        while used < most and quiet < PATIENCE and square > near:
            points = _both_ways(m, points, lengths, target)
            miss, last, used = subtract(points[-1], target), square, used + 1
            square = dot(miss, miss)
            quiet = 0 if square < last * (1.0 - gain) else quiet + 1
        return points, used
    rows = np.arange(len(square))
    points = [(x + 0.0 * square, y + 0.0 * square, z + 0.0 * square) for x, y, z in points]
    result = [(x.copy(), y.copy(), z.copy()) for x, y, z in points]
    iterations, quiet = np.zeros(len(rows), dtype=int), np.zeros(len(rows), dtype=int)
    for used in range(most + 1):
        ended = (square <= near) | (quiet >= PATIENCE) | (used == most)
        if ended.any():
            for point, out in zip(points, result, strict=True):
                for component, row in zip(point, out, strict=True):
                    row[rows[ended]] = component[ended]
            iterations[rows[ended]] = used
            rows, points, target, square, quiet = taken([rows, points, target, square, quiet], ~ended)
            if not len(rows):
                break
        points = _both_ways(m, points, lengths, target)
        miss, last = subtract(points[-1], target), square
        square = dot(miss, miss)
        quiet = np.where(square < last * (1.0 - gain), 0, quiet + 1)
    return result, iterations


def _both_ways(m: Arithmetic, points: list[Vector], lengths: list[float], target: Vector) -> list[Vector]:
    back = list(points)
    back[-1] = target
    for i in range(len(lengths) - 1, 0, -1):
        back[i] = drawn(m, points[i], back[i + 1], lengths[i])
    out = [points[0]]
    for i, length in enumerate(lengths):
        out.append(drawn(m, back[i + 1], out[i], length))
    return out
