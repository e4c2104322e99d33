# SPDX-License-Identifier: GPL-3.0-or-later
"""Which parts of a figure keep out of each other, and the list in which a person says otherwise.

All parts do, except neighbours, parts that nothing moves against each other, and parts that touch in the rest
pose. The list holds the exceptions to that: pairs that are watched in any case, and pairs that are not.
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
from ...properties.body import ArticulatePair
from ...properties.refusal import Refused
from ..rig.removal import library_name
from .body import body_links, link_on

Pair = tuple[str, str]
_OVERLAPPING: Final = -1e30  # metres: as slack, it lets parts count as apart that touch at rest


def watched_pairs(
    figure: Figure, body: ik.Body, *, watched: Iterable[Pair], unwatched: Iterable[Pair], slack: float
) -> npt.NDArray[np.intp]:
    """(P, 2) links of a body that are kept out of each other.

    Args:
        figure: the figure; body: its capsules.
        watched, unwatched: exceptions, by bones.
        slack: metres; parts nearer than this in the rest pose count as touching.
    """
    pairs = ik.self_pairs(figure.skeleton, body, add=watched, remove=unwatched, slack=slack)
    # Parts of a stiff hand cannot get out of each other's way.
    carried = figure.skeleton.influence[:, body.bind(figure.skeleton)]
    return pairs[(carried[:, pairs[:, 0]] != carried[:, pairs[:, 1]]).any(0)]


def resting_contacts(armature: bpy.types.Object, depsgraph: bpy.types.Depsgraph) -> list[Pair]:
    """Pairs of bones that could keep out of each other, but touch in the rest pose and so are not watched.

    Args:
        armature: the original object; depsgraph: evaluated.

    Raises:
        FigureFault: the armature has no figure, or a part is on a bone that is gone.
    """
    bones, shown = read_bones(armature), armature.evaluated_get(depsgraph)
    figure = read_figure(bones, read_state(shown, bones), read_space(shown), bones.names)
    body = ik.Body([link_on(figure, link) for link in body_links(armature, bones)])
    margin = rig_of(armature).body.margin
    every, clear = (
        watched_pairs(figure, body, watched=(), unwatched=(), slack=slack) for slack in (_OVERLAPPING, margin)
    )
    apart = set(map(tuple, clear.tolist()))
    touching = [(body.names[i], body.names[j]) for i, j in every.tolist() if (i, j) not in apart]
    return list(dict.fromkeys(pair for pair in touching if pair[0] != pair[1]))


def list_contacts(armature: bpy.types.Object, depsgraph: bpy.types.Depsgraph) -> int:
    """Fill the list with what touches in the rest pose, in place of what it held; how many there are.

    A pair that was listed before keeps its place on the list and its animation; one that comes from a
    library and does not touch stays as it is.
    """
    found, pairs = resting_contacts(armature, depsgraph), rig_of(armature).body.pairs
    touching = {frozenset(pair) for pair in found}
    listed = [frozenset((pair.a, pair.b)) for pair in pairs]
    remove_items(armature, pairs, [index for index, pair in enumerate(listed) if pair not in touching])
    for bones in found:
        pair = _listed(armature, bones) or _append(armature, bones)
        pair.watched = False
    return len(found)


def add_pairs(armature: bpy.types.Object, bones: Sequence[str], *, watched: bool) -> list[ArticulatePair]:
    """Say of every two out of some bones whether they are kept apart.

    Args:
        armature: the original object.
        bones: names, two or more.
        watched: whether they are kept apart, though they touch at rest; otherwise they may touch.

    Raises:
        Refused: fewer than two bones, or one that has no part of the body; nothing is changed.
    """
    chosen = list(dict.fromkeys(bones))
    if len(chosen) < 2:
        raise Refused(
            f"A pair takes two bones of armature '{armature.name}': select both in Pose Mode, or name them"
        )
    known = {link.bone for link in body_links(armature)}
    for name in chosen:
        if name not in known:
            raise Refused(
                f"Bone '{name}' has no capsule that is switched on, so it cannot touch anything: add one, or"
                " choose another bone"
            )
    found = []
    for a, b in combinations(chosen, 2):
        pair = _listed(armature, (a, b)) or _append(armature, (a, b))
        pair.watched = watched
        found.append(pair)
    return found


def remove_pair(armature: bpy.types.Object, index: int) -> None:
    """Take a pair off the list; the rule for all holds for it again.

    Raises:
        Refused: there is none of that number, or it comes from a library.
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


def _listed(armature: bpy.types.Object, bones: Pair) -> ArticulatePair | None:
    """What the list says of two bones; None if it does not name them."""
    pairs = rig_of(armature).body.pairs
    return next((pair for pair in pairs if {pair.a, pair.b} == set(bones)), None)


def _append(armature: bpy.types.Object, bones: Pair) -> ArticulatePair:
    body = rig_of(armature).body
    pair = body.pairs.add()
    pair.a, pair.b = bones
    body.active_pair = len(body.pairs) - 1
    return pair
