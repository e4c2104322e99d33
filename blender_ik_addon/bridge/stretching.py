# SPDX-License-Identifier: GPL-3.0-or-later
"""Bones that lengthen if a target is out of reach: their choice and their scale along the bone."""

from collections.abc import Collection
from dataclasses import dataclass

import numpy as np

from .armature import Array, Bones, Floats, PoseState
from .skeleton import Figure


@dataclass(frozen=True)
class Stretch:
    """The bones that one effector may lengthen.

    Attributes:
        row: of the effector in its plan.
        bones: indices of the bones whose scale is solved, parents first.
        shares: share of the stretch of each bone, up to 1; 0 for bones between or next to those that
            lengthen, which keep their length although they inherit a scale.
        most: the largest stretch, as a share of the length.
    """

    row: int
    bones: tuple[int, ...]
    shares: tuple[float, ...]
    most: float


def find_stretch(
    bones: Bones, row: int, bone: str, chain_root: str, most: float, in_limb: Collection[int]
) -> Stretch | None:
    """The bones that the effector in a row of the plan may lengthen; None if there are none.

    These are the bones of its chain with *IK Stretch*, in proportion to it. If there are none, they are the
    long bones `in_limb`. Outside of a limb they are the bones of the chain up to its root; without a root,
    those up to the first bone that is not connected. Bones with a locked Y scale are left out.

    `most` is the largest stretch, as a share of the length.
    """
    way = list(bones.chain(bone, chain_root))
    told = [number for number in way if bones.ik_stretch[number] > 0.0]
    limb = [number for number in way if number in in_limb]
    loose = [step for step, number in enumerate(way) if not bones.connected[number]]
    chosen = told or limb or (way[: loose[0] + 1] if loose and not chain_root else way)
    chosen = [number for number in chosen if not bones.lock_scale[number, 1]]
    if not chosen or most <= 0.0:
        return None
    shares = np.zeros(len(bones))
    shares[chosen] = bones.ik_stretch[chosen] if told else 1.0
    last, first = way.index(chosen[0]), way.index(chosen[-1])
    scaled = [number for number in way[max(last - 1, 0) : first + 1] if not bones.lock_scale[number, 1]]
    scaled.reverse()
    return Stretch(row, tuple(scaled), tuple((shares[scaled] / shares.max()).tolist()), most)


def unstretched(figure: Figure, state: PoseState, stretches: Collection[Stretch]) -> PoseState:
    """A pose with all bones that may lengthen at their rest length; the same object if they have it."""
    numbers = sorted({number for stretch in stretches for number in stretch.bones})
    if not numbers or (state.channels["scale"][numbers, 1] == 1.0).all():
        return state
    channels = state.channels.copy()
    channels["scale"][numbers, 1] = 1.0
    return figure.state_of(channels, state.matrix)


def lengthened(figure: Figure, state: PoseState, stretches: Collection[Stretch], factors: Array) -> Floats:
    """(B, 3) scales that give the bones other lengths in a pose.

    A bone that inherits the scale of a stretched parent gets a smaller scale of its own. The figure has all
    bones at their rest length. `factors` (E,) is the ratio of the length of an effector's bones to their rest
    length.
    """
    wanted: dict[int, float] = {}
    for stretch in stretches:
        for number, share in zip(stretch.bones, stretch.shares, strict=True):
            factor = 1.0 + share * (float(factors[stretch.row]) - 1.0)
            wanted[number] = max(wanted.get(number, 1.0), factor)
    channels = state.channels.copy()
    channels["scale"][list(wanted), 1] = 1.0
    for number in sorted(wanted, key=lambda one: figure.bones.depth[one]):
        now = figure.state_of(channels, figure.state.matrix).matrix
        own, is_now = (np.linalg.norm(matrix[number, :3, 1]) for matrix in (figure.state.matrix, now))
        channels["scale"][number, 1] *= wanted[number] * own / is_now
    return channels["scale"]
