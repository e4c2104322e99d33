# SPDX-License-Identifier: GPL-3.0-or-later
"""A posture from the character's own actions: the poses in which its effectors were placed alike."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Self

import numpy as np

import ikmath as ik
from ikmath.model.figure_map import Kind
from ikmath.postures.alignment import RigidMotion
from ikmath.postures.examples import Examples

from ...bridge.armature import Array, Flags
from ...bridge.goals import Wanted
from ...bridge.skeleton import Figure
from .plan import Plan, plain


@dataclass(frozen=True, eq=False)
class Learned:
    """Examples for some effectors of a plan.

    Attributes:
        examples: fitted; moves, turns: (E,) which effectors' places and orientations they contain.
    """

    examples: Examples
    moves: Flags
    turns: Flags

    @classmethod
    def of(cls, plan: Plan, figure: Figure, want: Wanted, before: Self | None) -> Self | None:
        """The examples for the effectors of a frame; None without hips or without a placed effector.

        Args:
            plan: with the poses; figure: at any pose; want: what its effectors want.
            before: of another frame, kept as long as the same effectors ask for the same.
        """
        moves, turns = plain(plan, want)
        if before is not None and (before.moves == moves).all() and (before.turns == turns).all():
            return before
        if plan.bone_map is None or plan.examples is None or not moves.any():
            return None
        found = plan.bone_map.kinds.selected(figure.plan.bone.tolist())
        if found.body < 0:
            return None
        states = figure.state_of(plan.examples, figure.state.matrix).each()
        poses = np.array([own.q for own in figure.at_each(states, [figure.space] * len(states))])
        rows = np.flatnonzero(moves)
        joints = [figure.skeleton.index(want.bones[row]) for row in rows]
        examples = Examples(
            figure.skeleton,
            replace(found, size=figure.space.scale * found.size),
            poses,
            joints,
            want.offset[rows],
            turns[rows].tolist(),
        )
        return cls(examples, moves, turns)

    def posture(self, figure: Figure, want: Wanted, q: Array, motion: RigidMotion | None) -> Array:
        """The posture (n,) for what the effectors want.

        Args:
            figure: of the frame; want: of it; q: (n,) the pose that the frame starts from.
            motion: to where the targets are.
        """
        own, pose = self.examples, ik.Pose.forward(figure.shown, q)
        body = own.figure.body
        hips, middle = pose.rotation[body], pose.position[body]
        if motion is not None:
            hips, middle = motion.rotation @ hips, motion.places(middle)
        for row in np.flatnonzero(self.moves & self.turns):  # hips with a target are at their target
            if own.figure.kinds[figure.skeleton.index(want.bones[row])] == Kind.ROOT:
                hips = want.rotation[row]
                middle = want.position[row] - hips @ want.offset[row]
        rows = np.flatnonzero(self.moves)
        return own.posture(own.seen(hips, middle, want.position[rows], want.rotation[rows]), q)
