# SPDX-License-Identifier: GPL-3.0-or-later
"""Keeps the root of rigs from older files pinned, which was the default before *Root* Automatic.

A .blend file does not store properties with default values. So a rig stores its *Root* explicitly as soon as
anything else is set. A rig with effectors or settings but without a stored *Root* is from an older file.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from bpy.props import PointerProperty

from .declared import declared

OLDER_ROOT = "PINNED"


def store_roots(armatures: Iterable[Any]) -> None:
    """Store the *Root* of all rigs with settings."""
    for armature in armatures:
        if armature.library is None and _lacks_root(armature):
            store_root(armature.articulate)


def store_root(rig: Any) -> None:
    """Store the present *Root*, if it is not stored yet."""
    if not rig.solver.is_property_set("root"):
        rig.solver.root = rig.solver.root


def pin_older_roots(armatures: Iterable[Any]) -> None:
    """Pin the roots of rigs from older files; for linked ones only in memory."""
    for armature in armatures:
        if _lacks_root(armature):
            armature.articulate.solver.root = OLDER_ROOT


def _lacks_root(armature: Any) -> bool:
    """Whether a rig has settings but no stored *Root*."""
    if not armature.is_property_set("articulate"):  # reading the settings would create them
        return False
    rig = armature.articulate
    solver = rig.solver
    if solver.is_property_set("root"):
        return False
    return len(rig.effectors) > 0 or any(map(solver.is_property_set, _stored(type(solver))))


def _stored(group: type) -> list[str]:
    """Names of the single values that a group stores; computed ones always count as set."""
    return [
        name
        for name, one in declared(group).items()
        if one.function is not PointerProperty and "get" not in one.keywords
    ]
