# SPDX-License-Identifier: GPL-3.0-or-later
"""Which bones a figure stands on, and which one carries it."""

from __future__ import annotations

import re
from typing import Final

import numpy as np

from .armature import Bones

_FOOT: Final = re.compile(r"(?<![a-z])(foot|feet|paw|hoof|fuss|pied)(?![a-z])", re.IGNORECASE)
_SAME_HEIGHT: Final = 0.05  # of the figure's height: ends that are no higher than this stand on the ground
_LEGS: Final = 0.1  # of the figure's height: the root is at least that far above the ground of what has legs

_MOST: Final = 0.8  # of the bones, that hang from the one that carries the figure


def feet(bones: Bones) -> tuple[str, ...]:
    """Names of the bones that a figure stands on, at rest: those called so, else the lowest ends of it.

    Of bones below one another the topmost counts. A figure whose root is on the ground has no feet.

    Args:
        bones: the armature.
    """
    named = {i for i, name in enumerate(bones.names) if _FOOT.search(_plain(name))}
    found = {i for i in named if not named & set(bones.ancestors(bones.names[i])[1:])} or _lowest_ends(bones)
    return tuple(bones.names[i] for i in sorted(found))


def carrier(bones: Bones) -> int:
    """Number of the bone that carries a figure on its feet; -1 where that is just the topmost one.

    Figures of games have a bone on the ground above their hips, that says where in the world they are. It is
    not to sink into the floor when the hips go down: they move by themselves.

    Args:
        bones: the armature.
    """
    stands = [set(bones.ancestors(name)) for name in feet(bones)]
    if not stands:
        return -1
    size = np.zeros(len(bones), dtype=int)  # of what hangs from a bone, with it
    for name in bones.names:
        size[list(bones.ancestors(name))] += 1
    below, found = min(set.intersection(*stands), key=lambda i: -size[i], default=-1), -1
    while below >= 0:
        hung = np.flatnonzero(bones.parents == below)
        below = next(
            (i for i in hung.tolist() if size[i] >= _MOST * size[below] and all(i in way for way in stands)),
            -1,
        )
        if below >= 0 and not bones.connected[below] and not bones.lock_location[below].all():
            found = below
    return found


def _plain(name: str) -> str:
    """A name in which words are parted: "LeftFoot", "mixamorig:LeftFoot" and "foot.L" alike."""
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", name).replace("_", " ")


def _lowest_ends(bones: Bones) -> set[int]:
    heads = bones.rest[:, 2, 3]
    tails = heads + bones.rest[:, 2, 1] * bones.length
    ground, height = float(min(heads.min(), tails.min())), float(np.ptp(np.concatenate([heads, tails])))
    roots = np.flatnonzero(bones.parents < 0)
    if height <= 0.0 or heads[roots].min() < ground + _LEGS * height:
        return set()
    ends = np.setdiff1d(np.arange(len(bones)), bones.parents)
    return set(ends[tails[ends] < ground + _SAME_HEIGHT * height].tolist())
