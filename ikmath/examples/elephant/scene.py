# SPDX-License-Identifier: GPL-3.0-or-later
"""The table and the tree around the elephant, and the path of the tip of its trunk (Ge 2000, chapter 5)."""

from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Final

import numpy as np

from ...arrays import Index
from ...collision import Capsule, Shape, TriangleMesh, self_pairs
from ...goals import Position
from ...model.pose import Pose
from ...problem.problem import Problem
from ...rotation import Array
from .. import lsystem
from ..solids import Solid, blocks, capsule
from .figure import Elephant

TABLE: Final = ((0.40, 1.50), (-3.10, -2.20), 0.85)  # metres: its extent along x and y, its height
_TOP, _LEG, _INSET = 0.07, 0.09, 0.05
TREE: Final = (-0.90, -2.30, 0.0)  # where it stands
_RULES: Final = {"A": [(2.0, "[&!FA]////[&!FA]////[&!FA]"), (1.0, "[&!FA]//////[&!FA]")]}
_TURTLE: Final = lsystem.Turtle(length=0.75, radius=0.11, angle=34.0, shorter=0.78, thinner=0.68, shaken=0.2)
_AXIOM: Final = "FA"
_GENERATIONS: Final = 3
_WAY: Final = (  # of the tip, after the place that it has at rest
    (0.45, -2.50, 1.20), (1.05, -2.70, 1.15), (1.25, -2.50, 1.00),  # over the table
    (1.00, -2.45, 0.86), (0.78, -2.40, 1.04), (0.72, -1.95, 1.05),  # onto it, deeper than the table allows
    (0.75, -1.75, 0.78), (0.75, -1.95, 0.50), (0.85, -2.40, 0.40), (1.10, -2.55, 0.40),  # under it
    (1.05, -2.10, 0.45), (0.50, -1.85, 0.55), (0.00, -2.20, 0.65),
    (-0.45, -2.45, 0.50), (-0.75, -2.62, 0.48), (-1.05, -2.62, 0.55), (-1.00, -2.68, 0.70),  # round the tree
    (-0.65, -2.65, 0.78), (-0.40, -2.30, 0.85),
    (-0.45, -1.90, 1.00), (-0.72, -1.90, 1.50), (-0.72, -2.05, 1.95), (-0.35, -2.15, 1.40),  # up its crown
)  # fmt: skip


@dataclass(frozen=True, kw_only=True)
class ElephantScene:
    """Ge's scene.

    Args:
        elephant: the figure.
        seed: of the tree.
    """

    elephant: Elephant = field(default_factory=Elephant)
    seed: int = 5

    @cached_property
    def branches(self) -> lsystem.Branches:
        """The tree's."""
        word = lsystem.grow(_AXIOM, _RULES, _GENERATIONS, self.seed)
        found = lsystem.draw(word, _TURTLE, self.seed)
        at = np.array(TREE)
        return lsystem.Branches(found.start + at, found.end + at, found.start_radius, found.end_radius)

    @property
    def table(self) -> Solid:
        """The table: a top with four legs, one closed surface."""
        (left, right), (front, back), height = TABLE
        xs = (left, left + _INSET, left + _INSET + _LEG, right - _INSET - _LEG, right - _INSET, right)
        ys = (front, front + _INSET, front + _INSET + _LEG, back - _INSET - _LEG, back - _INSET, back)
        filled = np.zeros((5, 5, 2), dtype=bool)
        filled[:, :, 1] = True
        filled[1::2, 1::2, 0] = True
        return blocks(xs, ys, (0.0, height - _TOP, height), filled)

    @property
    def tree(self) -> list[Solid]:
        """The tree: a tapered rod a branch."""
        b = self.branches
        return [capsule(*each) for each in zip(b.start, b.end, b.start_radius, b.end_radius, strict=True)]

    @cached_property
    def obstacles(self) -> tuple[Shape, ...]:
        """Table and tree, the branches as capsules that their rods lie in."""
        table, b = self.table, self.branches
        mesh = TriangleMesh(table.vertices, table.triangles, name="table")
        thick = np.maximum(b.start_radius, b.end_radius)
        return (
            mesh,
            *(Capsule(b.start[k], b.end[k], thick[k], name=f"branch {k}") for k in range(len(b))),
        )

    @cached_property
    def self_pairs(self) -> Index:
        """(P, 2) links of the body that the trunk's joints can bring against each other."""
        skeleton, body = self.elephant.skeleton, self.elephant.body
        pairs = self_pairs(skeleton, body)
        carried = skeleton.influence[:, body.bind(skeleton)]
        apart = (carried[:, pairs[:, 0]] != carried[:, pairs[:, 1]]).any(0)
        return np.asarray(pairs[apart])

    def problem(self, frames: int = 300, **options: Any) -> Problem:
        """The problem of the tip on its path, with the table, the tree and the elephant's own body.

        Args:
            frames: of the way.
            **options: of `Problem`.
        """
        goal = Position("tip", self.path(frames))
        elephant = self.elephant
        return Problem(
            elephant.skeleton,
            [goal],
            obstacles=self.obstacles,
            body=elephant.body,
            self_pairs=self.self_pairs,
            **options,
        )

    def path(self, frames: int = 300) -> Array:
        """(frames, 3) where the tip should be: a round at even speed, from its place at rest and back."""
        skeleton = self.elephant.skeleton
        start = Pose.forward(skeleton, skeleton.rest).point("tip")
        fine = _round(np.array([start, *_WAY]), 64)
        far = np.concatenate([[0.0], np.cumsum(np.linalg.norm(np.diff(fine, axis=0), axis=1))])
        asked = np.linspace(0.0, far[-1], frames)
        return np.stack([np.interp(asked, far, fine[:, axis]) for axis in range(3)], 1)


def _round(knots: Array, steps: int) -> Array:
    """A smooth closed curve through places (K, 3), `steps` points a stretch (Catmull & Rom 1974)."""
    before, here, after, later = (np.roll(knots, shift, 0)[:, None] for shift in (1, 0, -1, -2))
    t = np.linspace(0.0, 1.0, steps, endpoint=False)[:, None]
    curve = 0.5 * (
        2.0 * here
        + (after - before) * t
        + (2.0 * before - 5.0 * here + 4.0 * after - later) * t**2
        + (3.0 * here - before - 3.0 * after + later) * t**3
    )
    flat = curve.reshape(-1, 3)
    return np.concatenate([flat, flat[:1]])
