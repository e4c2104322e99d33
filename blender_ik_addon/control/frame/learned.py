# SPDX-License-Identifier: GPL-3.0-or-later
"""A posture from the character's own actions: poses in which its effectors were at similar places."""

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
    """Example poses for some effectors of a plan.

    Attributes:
        examples: the fitted model; moves, turns: (E,) which effectors' positions and orientations it uses.
    """

    examples: Examples
    moves: Flags
    turns: Flags

    @classmethod
    def of(cls, plan: Plan, figure: Figure, want: Wanted, before: Self | None) -> Self | None:
        """The examples for the effectors of a frame; None without hips or without a target position.

        Those `before`, of another frame, are reused if the same effectors have the same kinds of targets.
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
        """The posture (n,) for the targets of a frame that starts from q (n,); motion: see `FramePosture`."""
        own, pose = self.examples, ik.Pose.forward(figure.shown, q)
        body = own.figure.body
        hips, middle = pose.rotation[body], pose.position[body]
        if motion is not None:
            hips, middle = motion.rotation @ hips, motion.places(middle)
        for row in np.flatnonzero(self.moves & self.turns):  # hips with a target are there
            if own.figure.kinds[figure.skeleton.index(want.bones[row])] == Kind.ROOT:
                hips = want.rotation[row]
                middle = want.position[row] - hips @ want.offset[row]
        rows = np.flatnonzero(self.moves)
        return own.posture(own.seen(hips, middle, want.position[rows], want.rotation[rows]), q)
