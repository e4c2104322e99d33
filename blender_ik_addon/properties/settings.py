# SPDX-License-Identifier: GPL-3.0-or-later
"""What a figure's settings are at a moment, as plain values that can be compared later.

Comparing them shows whether data read from an armature is still valid. What is read again in every frame, and
what a solve writes, is left out.
"""

from __future__ import annotations

from collections.abc import Callable
from operator import attrgetter
from typing import Any

import bpy
from bpy.props import BoolVectorProperty, CollectionProperty, FloatVectorProperty, PointerProperty

from .body import ArticulateBody, ArticulateLink, ArticulatePair
from .bone import bone_settings
from .declared import declared
from .effector import ArticulateEffector
from .kinds import AMOUNTS, KINDS
from .obstacle import ArticulateObstacle
from .options import EffectorOptions
from .parameters import ArticulateParameters
from .rig import ArticulateRig
from .solver import ArticulateSolver

_EACH_FRAME = {"weight", "influence", "priority", "pin_location", "pin_rotation", *AMOUNTS}
_RESULTS = {
    "status",
    "error",
    "angle",
    "message",
    "clearance",
    "notes",
    "active_link",
    "show",
    "remembered_index",
}

_ID: type[bpy.types.ID] = bpy.types.ID  # to look it up takes as long as to read all the rest
Reader = Callable[[Any], tuple[Any, ...]]


def _reader(group: type, without: frozenset[str] = frozenset()) -> Reader:
    """What reads a group's own properties: vectors as tuples, objects by their session ids."""
    vectors: list[str] = []
    objects: list[str] = []
    plain = ["name"]
    for name, declaration in declared(group).items():
        kind = getattr(declaration, "function", CollectionProperty)  # else it is no property of Blender's
        if kind is CollectionProperty or name in _EACH_FRAME | _RESULTS | without:
            continue
        if kind in (FloatVectorProperty, BoolVectorProperty):
            vectors.append(name)
        else:
            (objects if kind is PointerProperty else plain).append(name)
    # this is asked in every frame: one call for all that needs no care
    simple: Reader = attrgetter(*plain)
    if not vectors and not objects:
        return simple

    def read(item: Any) -> tuple[Any, ...]:
        things = [getattr(item, name) for name in objects]
        return (
            simple(item),
            [tuple(getattr(item, name)) for name in vectors],
            [thing.session_uid if isinstance(thing, _ID) else None for thing in things],
        )

    return read


_options = frozenset(declared(EffectorOptions))
_effectors = {
    name: _reader(ArticulateEffector, _options - frozenset(kind.options)) for name, kind in KINDS.items()
}
_solver, _parameters = map(_reader, (ArticulateSolver, ArticulateParameters))
_body, _link, _pair = map(_reader, (ArticulateBody, ArticulateLink, ArticulatePair))
_obstacle = _reader(ArticulateObstacle)


def settings_untold(rig: ArticulateRig) -> Any:
    """What can change without Blender evaluating the armature anew: who is in the lists."""
    return rig.effectors.keys(), len(rig.obstacles)


def effector_settings(rig: ArticulateRig) -> Any:
    """The effectors."""
    return [_settings_of(effector) for effector in rig.effectors]


def frame_settings(rig: ArticulateRig) -> Any:
    """What can change from one frame to the next: solver, effectors, whether anything is kept clear of."""
    around = rig.body.self_collision or any(obstacle.enabled for obstacle in rig.obstacles)
    return _solver(rig.solver), effector_settings(rig), around


def _settings_of(effector: ArticulateEffector) -> Any:
    if not effector.enabled:
        return effector.name
    read, choices = _effectors[effector.kind](effector), effector.alternatives
    return read if choices is None else (read, [thing.session_uid for thing in effector.alternative_objects])


def other_settings(rig: ArticulateRig) -> Any:
    """The rest: the methods' own parameters, the body and what it weighs."""
    body = rig.body
    armature: Any = rig.id_data
    bones = [bone_settings(armature, name) for name in ("mass", "posture", "kind")]
    links, pairs = [_link(link) for link in body.links], [_pair(pair) for pair in body.pairs]
    return _parameters(rig.solver.parameters), _body(body), links, pairs, bones


def obstacle_settings(rig: ArticulateRig) -> Any:
    """The list of obstacles."""
    return [_obstacle(obstacle) for obstacle in rig.obstacles]


def settings_around(rig: ArticulateRig) -> Any:
    """What says what a figure keeps clear of, but for the list of its capsules."""
    body = rig.body
    return rig.solver.method, _body(body), [_pair(pair) for pair in body.pairs], obstacle_settings(rig)
