# SPDX-License-Identifier: GPL-3.0-or-later
"""Makes goals of `ikmath` from effectors: one function for each kind of goal.

Goals in `MANY` are made for several effectors at once. Goals in `ALONE` are made for one effector, with more
context. These functions also apply the influence: at 0 the goal is the present pose,
so that an influence fades in without a jump.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from itertools import compress
from typing import Any, Final

import numpy as np

import ikmath as ik
from ikmath import rotation
from ikmath.goals import Goal

from .armature import AXES, Array, Indices
from .feet import ANKLE_BENDS, FlatFoot
from .skeleton import Figure
from .space import Target, applied

Options = dict[str, Any]  # keyword arguments of a goal

_CORNERS: Final = 8  # corners of a footprint
_LEAST: Final = 1e-6  # metres, smallest distance, because a distance that fades in may start at 0


@dataclass(frozen=True, kw_only=True, eq=False)
class Masses:
    """The masses of W bones, independent of the pose.

    Attributes:
        names: (W,) of the bones; numbers: (W,) their indices.
        mass: (W,) kilograms; centers: (W, 3) in the bones' own axes and the armature's units.
    """

    names: tuple[str, ...]
    numbers: Indices
    mass: Array
    centers: Array

    def center(self, matrix: Array) -> Array:
        """The centre of mass (3,), for bone matrices (B, 4, 4); in the space of these."""
        own = matrix.take(self.numbers, 0)
        places = applied(own[:, :3, :3], self.centers) + own[:, :3, 3]
        return np.asarray(self.mass @ places / self.mass.sum())


@dataclass(frozen=True, kw_only=True)
class Wanted:
    """The targets of a frame's effectors; E effectors in the order of the plan, figure space, metres.

    Attributes:
        bones: (E,) names of the joints.
        offset: (E, 3) the point in the joint's frame.
        axis: (E, 3) aiming direction in the joint's frame.
        weight: (E,), multiplied by the influence; 0 if an effector is off.
        influence: (E,) in [0, 1]; priority: (E,).
        position: (E, 3) and rotation: (E, 3, 3) of the targets, blended by the influence for kinds in `MANY`.
        world: (3, 3) the axes of the world, as columns.
        settings: (E,) options of the kinds; amounts: (E,) options that are read in every frame.
        alternatives: (E,) alternative targets, K or none for each.
        start: the pose that the frame starts from.
        masses: of the figure, None if no effector needs them.
    """

    bones: tuple[str, ...]
    offset: Array
    axis: Array
    weight: Array
    influence: Array
    priority: Indices
    position: Array
    rotation: Array
    world: Array
    settings: tuple[Mapping[str, Any], ...]
    amounts: tuple[Mapping[str, float], ...]
    alternatives: tuple[Target, ...]
    start: ik.Pose = field(repr=False)
    masses: Masses | None = field(default=None, repr=False)


# --------------------------------------------------------------------- one goal object for many effectors
@dataclass(frozen=True)
class Many:
    """A kind of goal with one goal object for many effectors.

    Attributes:
        goal: its class.
        told: (wanted, rows) -> its attributes, among them those in `_TARGETS`.
        shares: settings and amounts that must be equal for all of them.
    """

    goal: Callable[..., Goal]
    told: Callable[[Wanted, Indices], Options]
    shares: tuple[str, ...]

    def make(self, want: Wanted, rows: Indices, priority: int) -> Goal:
        joints = [want.bones[row] for row in rows]
        return self.goal(joint=joints, weight=want.weight[rows], priority=priority, **self.told(want, rows))

    def targets(self, want: Wanted, rows: Indices) -> Options:
        """The attributes of the goal that change with the targets."""
        return {name: value for name, value in self.told(want, rows).items() if name in _TARGETS}


def _position(want: Wanted, rows: Indices) -> Options:
    told = {"slack": want.amounts[rows[0]].get("slack", 0.0), **_axes(want, rows, "axes")}
    return {"target": want.position[rows], "offset": want.offset[rows], **told}


def _orientation(want: Wanted, rows: Indices) -> Options:
    return {"target": want.rotation[rows], **_turn_slack(want, rows), **_axes(want, rows, "turn_axes")}


def _aim(want: Wanted, rows: Indices) -> Options:
    return {**_point_at(want, rows), "direction": want.axis[rows]}


def _pole(want: Wanted, rows: Indices) -> Options:
    return {**_point_at(want, rows), "root": [str(want.settings[row]["root"]) for row in rows]}


def _plane(want: Wanted, rows: Indices) -> Options:
    one_sided = bool(want.settings[rows[0]].get("one_sided", False))
    place = {"origin": want.position[rows], "normal": want.rotation[rows, :, 2]}
    return {**place, "offset": want.offset[rows], "one_sided": one_sided}


def _point_at(want: Wanted, rows: Indices) -> Options:
    return {"target": want.position[rows], "offset": want.offset[rows], **_turn_slack(want, rows)}


def _flat_foot(want: Wanted, rows: Indices) -> Options:
    skeleton = want.start.skeleton
    hinge = np.array([want.settings[row]["hinge"] for row in rows], dtype=np.intp)
    side = np.array([want.settings[row]["side"] for row in rows])
    joints = np.array([skeleton.index(want.bones[row]) for row in rows])
    column = ((skeleton.owner == joints[:, None]) & (skeleton.slot == 3 + hinge[:, None])).argmax(1)
    most = np.maximum(ANKLE_BENDS, -side * want.start.q[column])  # one that is bent by more may stay so
    most = np.minimum(most, np.where(side > 0.0, -skeleton.lower[column], skeleton.upper[column]))
    return {"target": want.rotation[rows], "hinge": hinge, "side": side, "column": column, "most": most}


def _turn_slack(want: Wanted, rows: Indices) -> Options:
    return {"slack": want.amounts[rows[0]].get("turn_slack", 0.0)}


def _counted(axes: tuple[bool, ...], space: str) -> Options:
    """Flags of the axes that count and their space, as keyword arguments; empty if all axes count."""
    if all(axes):
        return {}
    return {"axes": "".join(compress(AXES, axes)), "space": "bone" if space == "BONE" else "target"}


def _axes(want: Wanted, rows: Indices, flags: str) -> Options:
    """The same with the frames of the counted axes, (E, 3, 3), unless these are the bone's own axes."""
    told = want.settings[rows[0]]
    space = told.get("space", "")
    counted = _counted(told.get(flags, ()), space)
    if not counted or space == "BONE":
        return counted
    # figure space may be rotated against the world
    world = np.tile(want.world, (len(rows), 1, 1))
    return {**counted, "frame": world if space == "WORLD" else want.rotation[rows]}


_TARGETS: Final = frozenset({"target", "origin", "normal", "frame"})
MANY: Final[Mapping[str, Many]] = {
    "position": Many(ik.Position, _position, ("axes", "space", "slack")),
    "orientation": Many(ik.Orientation, _orientation, ("turn_axes", "space", "turn_slack")),
    "sole": Many(FlatFoot, _flat_foot, ()),
    "aim": Many(ik.Aim, _aim, ("turn_slack",)),
    "pole": Many(ik.Pole, _pole, ("turn_slack",)),
    "plane": Many(ik.Plane, _plane, ("one_sided",)),
}


# ------------------------------------------------------------------------ one goal object for one effector
class EffectorRow:
    """One effector in one frame.

    Attributes:
        want: all effectors; row: index of this one.
        figure: the solved one; start: see `Wanted`.
        bone: name of the joint; offset: (3,) the point in its frame, metres; here: (3,) the point in `start`.
        told: the settings; amounts: those that are read in every frame; share: the influence.
        place: (3,) position of the target.
        second: name of the second bone's joint, "" if there is none.
        weighed: weight and priority as keyword arguments.
    """

    def __init__(self, want: Wanted, row: int, figure: Figure) -> None:
        self.want, self.row, self.figure, self.start = want, row, figure, want.start
        self.bone, self.told, self.amounts = want.bones[row], want.settings[row], want.amounts[row]
        self.offset, self.place = np.asarray(want.offset[row]), np.asarray(want.position[row])
        self.here = want.start.point(self.bone, self.offset)
        self.share = float(want.influence[row])
        self.second = str(self.told.get("second_bone", ""))
        self.weighed: Options = {"weight": float(want.weight[row]), "priority": int(want.priority[row])}

    @cached_property
    def second_offset(self) -> Array:
        """(3,) the second bone's point in its joint's frame, metres."""
        return self.figure.offset(self.second, self.told["second_local"])


def _distance(one: EffectorRow) -> Goal:
    """Keep the point at, within or outside a distance of the target or of the second bone's point."""
    keep, wanted = one.told["keep"].lower(), one.amounts["distance"]
    to: str | Array = one.second or one.place
    offset = one.second_offset if one.second else np.zeros(3)
    there = one.start.point(one.second, one.second_offset) if one.second else one.place
    now = float(np.sqrt(((one.here - there) ** 2).sum()))
    short = {"at": now != wanted, "inside": now > wanted, "outside": now < wanted}[keep]
    if short:
        wanted = max(now + one.share * (wanted - now), _LEAST)
    return ik.Distance(one.bone, one.offset, to, offset, wanted, mode=keep, **one.weighed)


def _loop(one: EffectorRow) -> Goal:
    """Keep the point at a point of the second bone; if rigid, also the relative rotation."""
    rigid, offset, turn = bool(one.told["rigid"]), one.second_offset, None
    if rigid:
        turn = rotation.matrix_from_quaternion(one.told["second_rotation"])
    if one.share < 1.0:
        frame = one.start.frame(one.second)
        now = frame.T @ (one.here - one.start.point(one.second))
        offset = now + one.share * (offset - now)
        if turn is not None:
            held = frame.T @ one.start.frame(one.bone)
            turn = rotation.exp(one.share * rotation.log(turn @ held.T)) @ held
    return ik.Loop(one.bone, one.offset, one.second, offset, rigid=rigid, rotation=turn, **one.weighed)


def _balance(one: EffectorRow) -> Goal | None:
    """Keep the centre of mass over the target or the planted effectors; None without planted effectors."""
    masses, up = one.want.masses, one.want.world[:, 2]
    told: dict[str, Any] = {
        "masses": dict(zip(masses.names, masses.mass.tolist(), strict=True)),
        "centers": {
            bone: one.figure.offset(bone, center)
            for bone, center in zip(masses.names, masses.centers, strict=True)
        },
        "up": up,
    }
    over_target = one.told["over"] == "TARGET"
    corners = np.empty((0, 3)) if over_target else contacts(one.want)
    if not over_target and not len(corners):
        return None
    center = one.place
    if one.share < 1.0:
        now = ik.Balance((0.0, 0.0, 0.0), **told).center(one.start)
        center = now + one.share * ((center if over_target else corners.mean(0)) - now)
    if over_target:
        return ik.Balance(center, **told, **one.weighed)
    if one.share < 1.0:
        corners = np.concatenate([corners, center[None]])  # the area is extended to the present centre
    return ik.Balance(support=corners, margin=one.amounts["margin"], **told, **one.weighed)


def contacts(want: Wanted) -> Array:
    """(K, 3) corners of the support area of the planted effectors."""
    level = want.world[:, :2]
    around = np.linspace(0.0, 2.0 * np.pi, _CORNERS, endpoint=False)
    circle = np.stack([np.cos(around), np.sin(around)], -1) @ level.T
    found = [
        want.position[row] + radius * circle if (radius := amounts["footprint"]) else want.position[row, None]
        for row, amounts in enumerate(want.amounts)
        if amounts.get("planted", 0.0) and want.weight[row] > 0.0
    ]
    return np.concatenate(found) if found else np.empty((0, 3))


def _any_of(one: EffectorRow) -> Goal:
    """Bring the point to one of several targets."""
    choices = one.want.alternatives[one.row]
    goals = []
    for place, turn in zip(choices.position, choices.rotation, strict=True):
        told = _counted(tuple(one.told["axes"]), str(one.told["space"]))
        frame = (one.want.world if one.told["space"] == "WORLD" else turn)[None] if told else None
        drawn = one.here + one.share * (place - one.here)
        slack = one.amounts["slack"]
        goals.append(ik.Position([one.bone], drawn[None], one.offset, frame=frame, slack=slack, **told))
    return ik.AnyOf(goals, **one.weighed)


ALONE: Final[Mapping[str, Callable[[EffectorRow], Goal | None]]] = {
    "distance": _distance,
    "loop": _loop,
    "balance": _balance,
    "any_of": _any_of,
}
