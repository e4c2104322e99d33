# SPDX-License-Identifier: GPL-3.0-or-later
"""Self-collision: which parts of a figure avoid each other, and the list of exceptions.

All pairs count except neighbours, parts that no coordinate moves relative to each other, and parts that touch
in the rest pose. The list holds exceptions: pairs that always count, and pairs that never count.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import combinations
from typing import Final

import bpy
import numpy as np
import numpy.typing as npt

import ikmath as ik

from ...bridge.armature import read_bones, read_state
from ...bridge.item_animation import remove_items
from ...bridge.skeleton import Figure, read_figure
from ...bridge.space import read_space
from ...properties.access import rig_of
from ...properties.refusal import Refused
from ..rig.items import library_name
from .body import body_links, links_on

Pair = tuple[str, str]
_OVERLAPPING: Final = -1e30  # metres; with this slack, parts that touch at rest count as apart


def watched_pairs(
    figure: Figure, body: ik.Body, *, watched: Iterable[Pair], unwatched: Iterable[Pair], slack: float
) -> npt.NDArray[np.intp]:
    """(P, 2) links of a body that must not touch each other.

    Args:
        figure: the figure; body: its capsules.
        watched, unwatched: pairs of bones that always count, and that never count.
        slack: metres; parts closer than this in the rest pose count as touching.
    """
    pairs = ik.self_pairs(figure.skeleton, body, add=watched, remove=unwatched, slack=slack)
    # Rigidly connected parts cannot avoid each other.
    carried = figure.skeleton.influence[:, body.bind(figure.skeleton)]
    return pairs[(carried[:, pairs[:, 0]] != carried[:, pairs[:, 1]]).any(0)]


def resting_contacts(armature: bpy.types.Object, depsgraph: bpy.types.Depsgraph) -> list[Pair]:
    """Pairs of bones that are ignored only because they touch in the rest pose.

    Args:
        armature: the original object; depsgraph: evaluated.

    Raises:
        Refused: the armature has no valid figure, or a capsule is on a missing bone.
    """
    bones, shown = read_bones(armature), armature.evaluated_get(depsgraph)
    figure = read_figure(bones, read_state(shown, bones), read_space(shown), bones.names)
    body = ik.Body(links_on(figure, body_links(armature, bones)))
    margin = rig_of(armature).body.margin
    every, clear = (
        watched_pairs(figure, body, watched=(), unwatched=(), slack=slack) for slack in (_OVERLAPPING, margin)
    )
    apart = set(map(tuple, clear.tolist()))
    touching = [(body.names[i], body.names[j]) for i, j in every.tolist() if (i, j) not in apart]
    return list(dict.fromkeys(pair for pair in touching if pair[0] != pair[1]))


def list_contacts(armature: bpy.types.Object, depsgraph: bpy.types.Depsgraph) -> int:
    """Replace the list by the pairs that touch in the rest pose; returns their number.

    A pair that is already listed keeps its place and its animation. A pair from a library that does not touch
    is unchanged.
    """
    found, pairs = resting_contacts(armature, depsgraph), rig_of(armature).body.pairs
    touching = {frozenset(pair) for pair in found}
    listed = [frozenset((pair.a, pair.b)) for pair in pairs]
    remove_items(armature, pairs, [index for index, pair in enumerate(listed) if pair not in touching])
    for bones in found:
        _set_pair(armature, bones, watched=False)
    return len(found)


def add_pairs(armature: bpy.types.Object, bones: Sequence[str], *, watched: bool) -> None:
    """Set for each two of some bones whether they must not touch.

    Args:
        armature: the original object.
        bones: names, two or more.
        watched: True to keep them apart even if they touch at rest, False to let them touch.

    Raises:
        Refused: fewer than two bones, or a bone without an enabled capsule; nothing is changed.
    """
    chosen = list(dict.fromkeys(bones))
    if len(chosen) < 2:
        raise Refused(
            f"A pair takes two bones of armature '{armature.name}': select both in Pose Mode, or name them"
        )
    known = body_links(armature, read_bones(armature)).bones
    for name in chosen:
        if name not in known:
            raise Refused(
                f"Bone '{name}' has no capsule that is switched on, so it cannot touch anything: add one, or"
                " choose another bone"
            )
    for pair in combinations(chosen, 2):
        _set_pair(armature, pair, watched=watched)


def remove_pair(armature: bpy.types.Object, index: int) -> None:
    """Remove a pair from the list; the general rule applies to it again.

    Raises:
        Refused: there is no such item, or it comes from a library.
    """
    body = rig_of(armature).body
    if not 0 <= index < len(body.pairs):
        raise Refused(f"No pair of armature '{armature.name}' is active: choose one in the list")
    for pair in remove_items(armature, body.pairs, [index]):
        raise Refused(
            f"The pair of '{pair.a}' and '{pair.b}' comes from library '{library_name(armature)}':"
            " tick or untick it here, or remove it in that file"
        )
    body.active_pair = max(0, min(body.active_pair, len(body.pairs) - 1))


def _set_pair(armature: bpy.types.Object, bones: Pair, *, watched: bool) -> None:
    """Set the list item of two bones; adds one if necessary."""
    body = rig_of(armature).body
    pair = next((pair for pair in body.pairs if {pair.a, pair.b} == set(bones)), None)
    if pair is None:
        pair = body.pairs.add()
        pair.a, pair.b = bones
        body.active_pair = len(body.pairs) - 1
    pair.watched = watched
