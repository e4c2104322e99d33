# SPDX-License-Identifier: GPL-3.0-or-later
"""The present settings of a figure as plain values, to detect changes.

Comparing them shows whether cached data of an armature is still valid. Settings are the properties with an
update (see `saved`); results of a solve have none. Values that are read in every frame are excluded.
"""

from collections.abc import Callable
from operator import attrgetter
from typing import Any

import bpy
from bpy.props import BoolVectorProperty, FloatVectorProperty, PointerProperty

from .bone import bone_settings
from .effector import ArticulateEffector
from .kinds import AMOUNTS, KINDS, EffectorOptions
from .menus import ArticulateParameters
from .obstacle import ArticulateBody, ArticulateLink, ArticulateObstacle, ArticulatePair
from .rig import ArticulateRig
from .saved import declared
from .solver import ArticulateSolver

EACH_FRAME = {"weight", "influence", "priority", "pin_location", "pin_rotation", *AMOUNTS}
"""Settings of effectors that are read in every frame."""

_ID: type[bpy.types.ID] = bpy.types.ID  # looking it up takes as long as reading all the rest
Reader = Callable[[Any], tuple[Any, ...]]


def _reader(group: type, without: frozenset[str] = frozenset()) -> Reader:
    """A function that reads a group's own settings: vectors as tuples, objects as session ids."""
    vectors: list[str] = []
    objects: list[str] = []
    plain = ["name"]
    for name, declaration in declared(group).items():
        if name in EACH_FRAME | without or "update" not in getattr(declaration, "keywords", ()):
            continue
        kind = declaration.function
        if kind in (FloatVectorProperty, BoolVectorProperty):
            vectors.append(name)
        else:
            (objects if kind is PointerProperty else plain).append(name)
    # runs in every frame: one call for all plain properties
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
    """Settings that can change without an update of the armature: the members of its lists."""
    return rig.effectors.keys(), len(rig.obstacles)


def effector_settings(rig: ArticulateRig) -> Any:
    """The settings of the effectors."""
    return [_settings_of(effector) for effector in rig.effectors]


def frame_settings(rig: ArticulateRig) -> Any:
    """Settings that can change between frames: solver, effectors, whether there are obstacles."""
    return _solver(rig.solver), effector_settings(rig), rig.keeps_clear


def _settings_of(effector: ArticulateEffector) -> Any:
    if not effector.enabled:
        return effector.name
    read, choices = _effectors[effector.kind](effector), effector.alternatives
    return read if choices is None else (read, [thing.session_uid for thing in effector.alternative_objects])


def other_settings(rig: ArticulateRig) -> Any:
    """Other settings: parameters of the methods, the body and masses."""
    body = rig.body
    armature: Any = rig.id_data
    bones = [bone_settings(armature, name) for name in ("mass", "posture", "kind")]
    links, pairs = [_link(link) for link in body.links], [_pair(pair) for pair in body.pairs]
    return _parameters(rig.solver.parameters), _body(body), links, pairs, bones


def obstacle_settings(rig: ArticulateRig) -> Any:
    """The settings of the obstacles."""
    return [_obstacle(obstacle) for obstacle in rig.obstacles]


def settings_around(rig: ArticulateRig) -> Any:
    """The settings of obstacles and self-collision, except the list of capsules."""
    body = rig.body
    return rig.solver.method, _body(body), [_pair(pair) for pair in body.pairs], obstacle_settings(rig)
