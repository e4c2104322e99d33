# SPDX-License-Identifier: GPL-3.0-or-later
"""Which bones take part in a solve: the chains of the effectors, and bones needed between and beside them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from ..properties.refusal import Refused
from .armature import Array, Bones, Indices
from .feet import carrier

Chain = tuple[str, str]
"""A bone, and the topmost bone that may move for it; "" for no limit."""


def chain_bones(bones: Bones, chains: Iterable[Chain]) -> tuple[str, ...]:
    """Names of all bones on the chains, each once, parents first.

    Raises:
        Refused: a bone does not exist, or a chain root is not above its bone.
    """
    order, _ = bones.parents_first
    chosen = np.zeros(len(bones), dtype=bool)
    for name, root in chains:
        if root and bones.number(root) not in bones.ancestors(name):
            raise Refused(
                f"Chain root '{root}' is not '{name}' or a bone above it in armature '{bones.armature}'; "
                "choose one of its parents or leave it empty."
            )
        chosen[list(bones.chain(name, root))] = True
    return tuple(bones.names[number] for number in order[chosen[order]].tolist())


def moving_bones(bones: Bones, chains: Sequence[Chain], root: str, up: Array) -> tuple[str, ...]:
    """The same as `chain_bones`, without bones that stay on the ground while a FREE root moves the hips."""
    solved = chain_bones(bones, chains)
    top = carrier(bones, up) if root == "FREE" else -1
    if top < 0 or any(top not in bones.ancestors(name) for name, _ in chains):
        return solved
    still = {bones.names[number] for number in bones.ancestors(top)[1:]}
    return solved if still & {above for _, above in chains} else tuple(n for n in solved if n not in still)


def figure_bones(bones: Bones, solved: Indices, carried: Indices) -> Indices:
    """Indices of the bones that become joints, parents first.

    These are the solved bones, unsolved ones between two of them, and those between a solved and a carried
    bone.
    """
    is_solved = np.zeros(len(bones), dtype=bool)
    is_solved[solved] = True
    joints = is_solved.copy()
    for leaf in {*solved.tolist(), *carried.tolist()}:
        way = bones.ancestors(leaf)
        above = [step for step, number in enumerate(way) if is_solved[number]]
        if above:
            joints[list(way[: above[-1] + 1])] = True
    joints[carried] = True
    order, _ = bones.parents_first
    return order[joints[order]]
