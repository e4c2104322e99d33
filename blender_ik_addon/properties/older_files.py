# SPDX-License-Identifier: GPL-3.0-or-later
"""Rigs of files from before *Root* could be Automatic: they stay pinned, as their default was then.

A .blend stores no property that has its default. Therefore a rig stores its *Root* as soon as something is
set up on it, also if that is the default. A rig with effectors or settings but without a stored *Root* is
from an older file.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from bpy.props import PointerProperty

from .declared import declared

OLDER_ROOT = "PINNED"


def store_roots(armatures: Iterable[Any]) -> None:
    """Store the *Root* of all rigs on which something is set up."""
    for armature in armatures:
        if armature.library is None and _lacks_root(armature):
            store_root(armature.articulate)


def store_root(rig: Any) -> None:
    """Store *Root* as it is, if that was not done yet."""
    if not rig.solver.is_property_set("root"):
        rig.solver.root = rig.solver.root


def pin_older_roots(armatures: Iterable[Any]) -> None:
    """Pin the roots of rigs from older files; linked ones in memory only."""
    for armature in armatures:
        if _lacks_root(armature):
            armature.articulate.solver.root = OLDER_ROOT


def _lacks_root(armature: Any) -> bool:
    """Whether something is set up, but no *Root* is stored."""
    if not armature.is_property_set("articulate"):  # to look at its settings would make them
        return False
    rig = armature.articulate
    solver = rig.solver
    if solver.is_property_set("root"):
        return False
    return len(rig.effectors) > 0 or any(map(solver.is_property_set, _stored(type(solver))))


def _stored(group: type) -> list[str]:
    """Names of the single values that a group stores; what is computed always counts as set."""
    return [
        name
        for name, one in declared(group).items()
        if one.function is not PointerProperty and "get" not in one.keywords
    ]
