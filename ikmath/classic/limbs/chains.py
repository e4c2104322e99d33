# SPDX-License-Identifier: GPL-3.0-or-later
"""A figure as the geometric methods use it: the joints above the effectors, as chains and branches.

A skeleton may have any rest frames, rigid joints, joints that coincide (three hinges as a ball joint) and
joints that do not inherit rotation. This module converts it once to

- nodes: joints that can move an effector; the rigid joints between them become constants;
- groups: nodes at the same position, which aim together at the next one;
- aims: points that a group carries at a fixed distance: heads of the next groups, and effectors. A group with
  several aims is a sub-base, where chains branch.

A carried point is `head + R socket + drift`. The drift is the part below a joint that does not inherit
rotation, which has a constant direction in world space.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from ...arrays import Mask
from ...errors import NotSupported
from ...goals import Position
from ...model.skeleton import Skeleton
from ...problem.problem import Problem
from ...rotation import Array, quaternion_from_matrix, swing_twist_matrix
from .arithmetic import IDENTITY, Quaternion, Vector, add, dot, multiply, rotate
from .turning import Free, Turning, turning

_TOGETHER: Final = 1e-9  # of the figure's length; joints nearer than this coincide
_ORIGIN: Final[Vector] = (0.0, 0.0, 0.0)


@dataclass(frozen=True)
class Place:
    """A point carried by node `node` (-1: the world): socket in its frame, drift in world space, metres."""

    node: int
    socket: Vector
    drift: Vector


@dataclass(frozen=True)
class Slide:
    """A free translation: axis 0, 1 or 2 of the rest frame, its column in q, its limits in metres."""

    axis: int
    column: int
    low: float
    high: float


@dataclass(frozen=True)
class Node:
    """A joint that can move.

    Attributes:
        joint: its index in the skeleton; place: its rest position.
        attached: whether its rest frame rotates with node `place.node`; otherwise it is constant in world
            space.
        rest: its rest rotation, in that node's frame or world space.
        slides: its free translations; rail: the rotation of their axes, relative to the carrying node if
            `railed` (a joint that does not inherit rotation still moves along its parent's axes).
        turning: its kind of rotation, None if it only translates.
        columns: columns in q of the rotations x, y, z, -1 for one that is not free; fixed: values of these.
        mobility: 1 - stiffness of the rotations, the largest.
    """

    joint: int
    place: Place
    attached: bool
    rest: Quaternion
    slides: tuple[Slide, ...]
    rail: Quaternion
    railed: bool
    turning: Turning | None
    columns: tuple[int, int, int]
    fixed: Vector
    mobility: float


@dataclass(frozen=True)
class Effector:
    """A point with a target; index: of the effector in the problem."""

    index: int
    place: Place
    weight: float
    slack: float


@dataclass(frozen=True)
class Aim:
    """A point that a group carries.

    Attributes:
        place: of the point, relative to one of the group's nodes; length: metres from the group's head.
        group: the group whose head it is, or -1; effector: the effector, or -1.
        ends: the effectors at and below it, each with the sum of the links to it (metres) and the sum of the
            drifts from here, including that of this aim.
    """

    place: Place
    length: float
    group: int
    effector: int
    ends: tuple[tuple[int, float, Vector], ...]


@dataclass(frozen=True)
class Group:
    """Nodes at one position, parents first, and the points that they carry."""

    nodes: tuple[int, ...]
    aims: tuple[Aim, ...]


@dataclass(frozen=True)
class Pull:
    """A point that a node carries: an effector's tip, or the head of a node with a constant direction.

    Attributes:
        effectors: those below the point; node: the node whose head it is, or -1 for the tip of one effector.
        heads: nodes that do not inherit rotation, at and below the point, whose heads move with it.
        drift: the part of the vector from the node's head to the point with a constant direction, metres.
    """

    effectors: tuple[int, ...]
    node: int
    heads: tuple[int, ...]
    drift: Vector


@dataclass(frozen=True)
class Limbs:
    """The moving part of a figure.

    Attributes:
        nodes: parents first; groups: parents first; group_of: group of each node; effectors.
        pulls: the points that each node carries.
        ways: the nodes above each effector, from the root.
        free: whether all nodes are ball joints without limits and translations.
    """

    skeleton: Skeleton
    nodes: tuple[Node, ...]
    groups: tuple[Group, ...]
    group_of: tuple[int, ...]
    effectors: tuple[Effector, ...]
    pulls: tuple[tuple[Pull, ...], ...]
    ways: tuple[tuple[int, ...], ...]
    free: bool


def targets(problem: Problem, batch: tuple[int, ...]) -> Array:
    """Targets of all effectors, (*batch, E, 3), world space, metres."""
    parts = [
        np.broadcast_to(goal.target, (*batch, goal.effectors, 3))
        for goal in problem.tasks
        if isinstance(goal, Position)
    ]
    return np.concatenate(parts, -2) if parts else np.empty((*batch, 0, 3))


def read_limbs(problem: Problem, method: str, *, slides: bool = True) -> Limbs:
    """Read the limbs of a problem's goals.

    Args:
        problem: with complete Position goals of one priority only, as the flags of the geometric methods
            require.
        method: label of the method, for the error message.
        slides: whether the method supports translations of all joints; otherwise only those of roots.

    Raises:
        NotSupported: a joint that is no root translates.
    """
    skeleton = problem.skeleton
    goals = [goal for goal in problem.tasks if isinstance(goal, Position)]
    joints = [skeleton.index(name) for goal in goals for name in goal.joints]
    needed = skeleton.ancestors[joints].any(0)
    frames, nodes = _nodes(skeleton, needed)
    effectors: list[Effector] = []
    for goal in goals:
        offsets = np.broadcast_to(goal.offset, (goal.effectors, 3)).tolist()
        for name, offset, weight in zip(goal.joints, offsets, goal.weight.tolist(), strict=True):
            place = _carried(frames[skeleton.index(name)], (offset[0], offset[1], offset[2]))
            effectors.append(Effector(len(effectors), place, weight, goal.slack))
    for node in nodes:
        if node.slides and not slides and node.place.node >= 0:
            raise NotSupported(
                f"Method {method}",
                f"cannot move the slides of {skeleton.names[node.joint]!r}, which is not a root; lock them "
                "or use Hierarchical.",
            )
    return _assembled(skeleton, nodes, effectors, problem.length)


@dataclass(frozen=True)
class _Frame:
    """A joint's frame, relative to its node; rotation in the node's frame if attached, else world space."""

    place: Place
    attached: bool
    rotation: Quaternion


def _carried(frame: _Frame, offset: Vector) -> Place:
    shift = rotate(frame.rotation, offset)
    place = frame.place
    if frame.attached:
        return Place(place.node, add(place.socket, shift), place.drift)
    return Place(place.node, place.socket, add(place.drift, shift))


def _nodes(skeleton: Skeleton, needed: Mask) -> tuple[dict[int, _Frame], list[Node]]:
    """Frames of the needed joints, and the nodes."""
    frames: dict[int, _Frame] = {-1: _Frame(Place(-1, _ORIGIN, _ORIGIN), False, IDENTITY)}
    nodes: list[Node] = []
    rests = _quaternions(skeleton.rest_rotation)
    stills = _quaternions(swing_twist_matrix(skeleton.fixed[:, 3:]))
    columns_of: dict[int, dict[int, int]] = {}
    for column, (joint, slot) in enumerate(zip(skeleton.owner.tolist(), skeleton.slot.tolist(), strict=True)):
        columns_of.setdefault(joint, {})[slot] = column
    for joint in np.flatnonzero(needed).tolist():
        parent = frames[int(skeleton.parents[joint])]
        inherits = bool(skeleton.inherits[joint])
        rest = multiply(parent.rotation, rests[joint]) if inherits else rests[joint]
        attached = parent.attached and inherits
        place = _carried(parent, _vector(skeleton.rest_translation[joint].tolist()))
        columns = columns_of.get(joint, {})
        rail = multiply(parent.rotation, rests[joint])
        constant = [0.0 if axis in columns else float(skeleton.fixed[joint, axis]) for axis in range(3)]
        place = _carried(_Frame(place, parent.attached, rail), _vector(constant))
        turns = any(slot >= 3 for slot in columns)
        if columns:
            nodes.append(_node(skeleton, joint, place, (attached, rest), (parent.attached, rail), columns))
            inner = IDENTITY if turns else stills[joint]
            frames[joint] = _Frame(Place(len(nodes) - 1, _ORIGIN, _ORIGIN), True, inner)
        else:
            frames[joint] = _Frame(place, attached, multiply(rest, stills[joint]))
    return frames, nodes


def _quaternions(rotations: Array) -> list[Quaternion]:
    return [(w, x, y, z) for w, x, y, z in quaternion_from_matrix(rotations).tolist()]


def _vector(values: Sequence[float]) -> Vector:
    return values[0], values[1], values[2]


def _node(
    skeleton: Skeleton,
    joint: int,
    place: Place,
    rest: tuple[bool, Quaternion],
    rail: tuple[bool, Quaternion],
    columns: dict[int, int],
) -> Node:
    low, high = skeleton.lower, skeleton.upper
    slides = tuple(Slide(axis, c, float(low[c]), float(high[c])) for axis, c in columns.items() if axis < 3)
    of_turns = [columns.get(3 + axis, -1) for axis in range(3)]
    free = "".join(letter for letter, column in zip("xyz", of_turns, strict=True) if column >= 0)
    fixed = _vector([float(skeleton.fixed[joint, 3 + a]) if of_turns[a] < 0 else 0.0 for a in range(3)])
    lower = _vector([float(low[c]) if c >= 0 else -math.inf for c in of_turns])
    upper = _vector([float(high[c]) if c >= 0 else math.inf for c in of_turns])
    kind = turning(free, lower, upper, fixed) if free else None
    stiffness = [float(skeleton.stiffness[c]) for c in of_turns if c >= 0]
    return Node(
        joint,
        place,
        rest[0],
        rest[1],
        slides,
        rail[1],
        rail[0],
        kind,
        (of_turns[0], of_turns[1], of_turns[2]),
        fixed,
        1.0 - min(stiffness, default=0.0),
    )


def _assembled(skeleton: Skeleton, nodes: list[Node], effectors: list[Effector], length: float) -> Limbs:
    near = _TOGETHER * length
    group_of: list[int] = []
    members: list[list[int]] = []
    for index, node in enumerate(nodes):
        place = node.place
        together = place.node >= 0 and not node.slides and max(map(abs, place.socket + place.drift)) <= near
        if together:
            group_of.append(group_of[place.node])
            members[group_of[-1]].append(index)
        else:
            group_of.append(len(members))
            members.append([index])
    raw: list[list[tuple[Place, int, int]]] = [[] for _ in members]
    for group, inside in enumerate(members):
        place = nodes[inside[0]].place
        if place.node >= 0:
            raw[group_of[place.node]].append((place, group, -1))
    for effector in effectors:
        if effector.place.node >= 0:
            raw[group_of[effector.place.node]].append((effector.place, -1, effector.index))
    aims: list[tuple[Aim, ...]] = [()] * len(members)
    for group in reversed(range(len(members))):
        aims[group] = tuple(_aim(place, kid, effector, aims) for place, kid, effector in raw[group])
    ways = tuple(_way(nodes, effector.place.node) for effector in effectors)
    pulls = tuple(_pulls(nodes, effectors, ways, index) for index in range(len(nodes)))
    return Limbs(
        skeleton,
        tuple(nodes),
        tuple(Group(tuple(m), a) for m, a in zip(members, aims, strict=True)),
        tuple(group_of),
        tuple(effectors),
        pulls,
        ways,
        all(isinstance(node.turning, Free) and not node.slides for node in nodes),
    )


def _aim(place: Place, group: int, effector: int, aims: list[tuple[Aim, ...]]) -> Aim:
    length = math.sqrt(dot(place.socket, place.socket))
    if effector >= 0:
        return Aim(place, length, group, effector, ((effector, 0.0, place.drift),))
    ends = tuple(
        (end, aim.length + rest, add(place.drift, drift))
        for aim in aims[group]
        for end, rest, drift in aim.ends
    )
    return Aim(place, length, group, effector, ends)


def _way(nodes: list[Node], last: int) -> tuple[int, ...]:
    way = []
    while last >= 0:
        way.append(last)
        last = nodes[last].place.node
    return tuple(reversed(way))


def _pulls(
    nodes: list[Node], effectors: list[Effector], ways: tuple[tuple[int, ...], ...], node: int
) -> tuple[Pull, ...]:
    """For each effector below a node: the first node below that does not inherit rotation, or the tip."""
    found: dict[tuple[int, int], tuple[list[int], dict[int, None], Vector]] = {}
    for effector, way in zip(effectors, ways, strict=True):
        if node not in way:
            continue
        below = way[way.index(node) + 1 :]
        drift, stop = _ORIGIN, -1
        for other in below:
            drift = add(drift, nodes[other].place.drift)
            if not nodes[other].attached:
                stop = other
                break
        else:
            drift = add(drift, effector.place.drift)
        key = (stop, -1 if stop >= 0 else effector.index)
        carried = found.setdefault(key, ([], {}, drift))
        carried[0].append(effector.index)
        carried[1].update((other, None) for other in below if not nodes[other].attached)
    return tuple(
        Pull(tuple(ends), stop, tuple(heads), drift) for (stop, _), (ends, heads, drift) in found.items()
    )
