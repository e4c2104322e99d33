# SPDX-License-Identifier: GPL-3.0-or-later
"""The order in which live figures are solved: a figure comes before those that depend on it."""

from collections.abc import Iterable, Sequence
from typing import Any

import bpy

from ...bridge.evaluated import all_followed, obstacle_objects, with_parents
from ...properties.access import rig_of
from ...properties.settings import effector_settings, obstacle_settings


def watched(armature: bpy.types.Object) -> set[bpy.types.ID]:
    """The objects that a live armature depends on: targets, obstacles and their parents."""
    targets = [thing for effector in rig_of(armature).enabled_effectors for thing in effector.targets]
    return {each for thing in (*targets, *obstacle_objects(armature)) for each in with_parents(thing)}


class Following:
    """The order in which live armatures are solved; plain data without Blender objects.

    Finding it requires a search of parents, constraints and drivers, so it is cached until the scene is
    updated.
    """

    def __init__(self) -> None:
        self._asked: Any = None
        self._leaders: dict[int, frozenset[int]] = {}

    def forget(self) -> None:
        """Discard the cached order: parents, constraints or drivers may have changed."""
        self._asked = None

    def order(self, armatures: Sequence[bpy.types.Object]) -> list[tuple[bpy.types.Object, frozenset[int]]]:
        """Armatures sorted so that dependencies come first, each with the session ids of its dependencies.

        A cycle is cut at any figure.
        """
        if len(armatures) < 2:
            return [(armature, frozenset()) for armature in armatures]
        asked = [
            (one.session_uid, effector_settings(rig_of(one)), obstacle_settings(rig_of(one)))
            for one in armatures
        ]
        if asked != self._asked:
            self._asked = asked
            self._leaders = {one.session_uid: _leaders(one, armatures) for one in armatures}
        by_id = {one.session_uid: one for one in armatures}
        found: dict[int, bpy.types.Object] = {}
        pending = set[int]()

        def add(uid: int) -> None:
            if uid not in pending:
                pending.add(uid)
                for leader in sorted(self._leaders[uid]):
                    add(leader)
                found[uid] = by_id[uid]

        for armature in armatures:
            add(armature.session_uid)
        return [(one, self._leaders[uid]) for uid, one in found.items()]


def _leaders(armature: bpy.types.Object, armatures: Iterable[bpy.types.Object]) -> frozenset[int]:
    """Session ids of the armatures that one depends on in any way."""
    followed = all_followed(armature)
    return frozenset(one.session_uid for one in armatures if one in followed and one != armature)
