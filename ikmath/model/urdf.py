# SPDX-License-Identifier: GPL-3.0-or-later
"""Robots described in URDF, as skeletons.

Every URDF link becomes a `Joint` with the link's name and frame, without coordinates. Every moving URDF joint
becomes a `Joint` with its own name and the coordinate.

Not read: masses, meshes, collision shapes, transmissions, soft limits of safety controllers.
"""

import math
import os
import xml.etree.ElementTree as ElementTree
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final

import numpy as np

from .. import arguments
from ..errors import BadValue
from ..euler import matrix_from_euler
from ..registries import choose
from ..rotation import Array, exp
from .joint import Joint, Mimic, axes_with_y, hinge, slider
from .skeleton import Skeleton

_ENDLESS: Final = 1e3  # radians or metres; files use limits of at least this size for no limit
_ROUNDING: Final = 1e-9  # radians or metres


@dataclass(frozen=True)
class _UrdfJoint:
    """A URDF joint as it is in the file."""

    name: str
    kind: str
    parent: str
    child: str
    translation: Array
    rotation: Array
    axis: Array
    lower: float | None
    upper: float | None
    max_speed: float | None
    mimic: Mimic | None

    @property
    def what(self) -> str:
        """Its name in messages."""
        return f"URDF joint {self.name!r}"


def from_urdf(
    source: str | os.PathLike[str],
    *,
    root: str | None = None,
    tip: str | Sequence[str] | None = None,
    fixed: Mapping[str, float] | None = None,
    floating_base: bool = False,
) -> Skeleton:
    """A robot described in URDF, as a skeleton.

    Goals refer to links by their names, and `skeleton.columns("elbow_joint")` is the index of a URDF joint in
    `q`. If a link has the same name, "_joint" is appended to the joint's. The world frame is the root link's.

    Args:
        source: path of a file, or the XML text itself.
        root: name of the link to begin with; only its descendants are used. The file's root if None.
        tip: name of a link, or several names; only the chains from the root to these are used. All if None.
        fixed: name of a URDF joint -> position, radians or metres. These joints do not move, nor those that
            they mimic or that mimic them. Joints that mimic a moving one move with it, see `Mimic`.
        floating_base: whether the root link moves freely, with three translations and three rotations.

    Raises:
        BadValue: not URDF, xacro macros, links that are not one tree, an incomplete joint, a joint that
            mimics one that is not used, or a fixed position outside its limits; UnknownName: no such link or
            joint.
    """
    robot = _read(source)
    links = _links(robot)
    joints = [_joint(element, links) for element in robot.findall("joint")]
    above = _tree(joints, links)
    roots = [link for link in links if link not in above] if root is None else [choose(links, "link", root)]
    if len(roots) > 1:
        raise BadValue("The URDF", f"has several root links, {', '.join(roots)}; choose one by root=.")
    start = roots[0]
    kept = _kept(start, tip, links, above)
    positions, motions = _fixed(joints, fixed), _motions(joints, links)
    free = "xyz" if arguments.switch(floating_base, "floating_base") else ""
    parts = [Joint(start, turns=free, slides=free)]
    used = [joint for joint in joints if joint.child in kept and joint.child != start]
    _check_leaders(used, joints, positions)
    for joint in used:
        parts += _parts(joint, motions, positions)
    return Skeleton(parts)


# ---------------------------------------------------------------------- the file
def _read(source: str | os.PathLike[str]) -> ElementTree.Element:
    """Read the <robot> element."""
    text = source.lstrip("\ufeff \t\r\n") if isinstance(source, str) else ""
    if text.startswith("<"):
        what, data, encoding = "The URDF text", text.encode(), "utf-8"
    elif isinstance(source, str | os.PathLike):
        what, encoding = f"URDF file {os.fspath(source)!r}", None
        if Path(source).is_dir():  # as the empty path is
            raise BadValue(what, "is a directory; give the path of a file or the XML text.")
        data = Path(source).read_bytes()
    else:
        raise BadValue("URDF source", "must be a path or the XML text.")
    try:  # a file declares its encoding, that of a text is known
        robot = ElementTree.fromstring(data, ElementTree.XMLParser(encoding=encoding))
    except ElementTree.ParseError as error:
        raise BadValue(what, f"is not valid XML: {error}.") from error
    if any("xacro" in element.tag for element in robot.iter()):
        raise BadValue(what, "contains xacro macros; expand them first: xacro robot.xacro > robot.urdf.")
    if robot.tag != "robot":
        raise BadValue(what, f"has the root element <{robot.tag}>; URDF has <robot>.")
    return robot


def _links(robot: ElementTree.Element) -> dict[str, str]:
    """The names of all links, in the file's order, each by itself."""
    links: dict[str, str] = {}
    for link in robot.findall("link"):
        name = _attribute(link, "name", "A link")
        if name in links:
            raise BadValue(f"URDF link {name!r}", "is defined twice; names must differ.")
        links[name] = name
    if not links:
        raise BadValue("The URDF", "has no links.")
    return links


def _attribute(element: ElementTree.Element, name: str, what: str) -> str:
    value = element.get(name)
    if value is None:
        raise BadValue(what, f"has no attribute {name!r}.")
    return value


def _numbers(
    element: ElementTree.Element | None, name: str, default: str, what: str, count: int = 1
) -> Array:
    """The numbers (count,) of an attribute, or of the default if it is missing; one alone may be infinite."""
    text = default if element is None else element.get(name, default)
    try:
        values = np.array([float(word) for word in text.split()])
    except ValueError:
        values = np.empty(0)
    if len(values) != count or np.isnan(values).any() or (count > 1 and not np.isfinite(values).all()):
        raise BadValue(what, f"is {text!r}; give {'a number' if count == 1 else f'{count} finite numbers'}.")
    return values


def _number(element: ElementTree.Element | None, name: str, what: str, default: str = "0") -> float:
    return float(_numbers(element, name, default, f"{name} of {what}")[0])


def _joint(element: ElementTree.Element, links: Mapping[str, str]) -> _UrdfJoint:
    name = _attribute(element, "name", "A URDF joint")
    what = f"URDF joint {name!r}"
    ends = {}
    for end in ("parent", "child"):
        child = element.find(end)
        if child is None:
            raise BadValue(what, f"has no <{end}>.")
        ends[end] = choose(links, "link", _attribute(child, "link", f"<{end}> of {what}"))
    kind = _attribute(element, "type", what)
    if kind not in _KINDS:
        raise BadValue(what, f"has the type {kind!r}; use one of: {', '.join(_KINDS)}.")
    origin, axis, limit = element.find("origin"), element.find("axis"), element.find("limit")
    lower = upper = None
    if kind in ("revolute", "prismatic"):
        if limit is None:
            raise BadValue(what, "has no <limit>; give one. A joint that turns without limits is continuous.")
        lower, upper = _number(limit, "lower", what), _number(limit, "upper", what)
    speed = _number(limit, "velocity", what)
    if speed < 0.0:
        raise BadValue(f"velocity of {what}", f"is {speed:g}; it must be zero (none) or more.")
    mimic = element.find("mimic")
    return _UrdfJoint(
        name,
        kind,
        ends["parent"],
        ends["child"],
        _numbers(origin, "xyz", "0 0 0", f"origin xyz of {what}", 3),
        matrix_from_euler(_numbers(origin, "rpy", "0 0 0", f"origin rpy of {what}", 3)),
        _numbers(axis, "xyz", "1 0 0", f"axis of {what}", 3),
        lower if lower is None or lower > -_ENDLESS else None,
        upper if upper is None or upper < _ENDLESS else None,
        speed if 0.0 < speed < _ENDLESS else None,
        None
        if mimic is None or kind == "fixed"
        else Mimic(
            _attribute(mimic, "joint", f"<mimic> of {what}"),
            _number(mimic, "multiplier", what, "1"),
            _number(mimic, "offset", what),
        ),
    )


# ---------------------------------------------------------------------- the tree
def _tree(joints: Sequence[_UrdfJoint], links: Collection[str]) -> dict[str, str]:
    """Maps links to their parents; checks that they are a forest."""
    above: dict[str, str] = {}
    names: set[str] = set()
    for joint in joints:
        if joint.name in names:
            raise BadValue(joint.what, "is defined twice; names must differ.")
        if joint.child in above:
            raise BadValue(
                f"URDF link {joint.child!r}", "is the child of two joints; a link may have one parent."
            )
        names.add(joint.name)
        above[joint.child] = joint.parent
    for link in links:
        path = [link]
        while path[-1] in above and len(path) <= len(links):
            path.append(above[path[-1]])
            if path[-1] == link:
                raise BadValue(f"URDF link {link!r}", "is its own ancestor; links must form a tree.")
    return above


def _kept(
    start: str, tip: str | Sequence[str] | None, links: Mapping[str, str], above: Mapping[str, str]
) -> set[str]:
    """The links on paths from the start to the tips; to all links if no tip is given."""
    tips = list(links)
    if tip is not None:
        names = (tip,) if isinstance(tip, str) else arguments.several(tip, str, "tip")
        if not names:
            raise BadValue("tip", "is empty; name at least one link.")
        tips = [choose(links, "link", name) for name in names]
    kept = {start}
    for link in tips:
        path = [link]
        while path[-1] != start and path[-1] in above:
            path.append(above[path[-1]])
        if path[-1] == start:
            kept.update(path)
        elif tip is not None:
            raise BadValue(f"URDF link {link!r}", f"is not below the root {start!r}; choose another root.")
    return kept


# ---------------------------------------------------------------------- what moves
def _motions(joints: Sequence[_UrdfJoint], links: Collection[str]) -> dict[str, str]:
    """URDF joint -> name of the joint with its coordinate, because URDF links and joints may share names."""
    taken = {*links, *(joint.name for joint in joints)}
    motions = {}
    for joint in joints:
        motions[joint.name] = joint.name
        if joint.name in links:
            while motions[joint.name] in taken:
                motions[joint.name] += "_joint"
            taken.add(motions[joint.name])
    return motions


def _fixed(joints: Sequence[_UrdfJoint], given: Mapping[str, float] | None) -> dict[str, float]:
    """Positions of all joints that do not move: given, rigid, or coupled to one of these by mimicry."""
    positions = {joint.name: 0.0 for joint in joints if joint.kind == "fixed"}
    by_name = {joint.name: joint for joint in joints}
    given = {} if given is None else arguments.of_kind(given, Mapping, "fixed")  # type: ignore[type-abstract]
    for name, value in given.items():
        joint = choose(by_name, "URDF joint", name)
        if joint.kind in ("planar", "floating", "fixed"):
            raise BadValue(joint.what, f"is {joint.kind} and has no single position; leave it out of fixed.")
        positions[name] = _allowed(joint, value, f"fixed position of {joint.what}")
    followers = [(joint.name, joint.mimic) for joint in joints if joint.mimic is not None]
    for _ in followers:  # a follower may have followers
        for name, mimic in followers:
            leader = by_name.get(mimic.leader)
            if mimic.leader in positions:
                positions.setdefault(name, mimic.multiplier * positions[mimic.leader] + mimic.offset)
            elif name in positions and leader is not None and leader.kind not in ("planar", "floating"):
                value = (positions[name] - mimic.offset) / mimic.multiplier
                what = f"position of {leader.what}, which {name!r} follows,"
                positions[leader.name] = _allowed(leader, value, what)
    return positions


def _allowed(joint: _UrdfJoint, value: float, what: str) -> float:
    """A position within the joint's limits; one that is outside by rounding is put onto them."""
    least = -math.inf if joint.lower is None else joint.lower
    most = math.inf if joint.upper is None else joint.upper
    inside = min(max(arguments.number(value, what), least), most)
    near = abs(inside - value) < _ROUNDING
    return arguments.number(inside if near else value, what, least=least, most=most)


def _check_leaders(
    used: Sequence[_UrdfJoint], joints: Sequence[_UrdfJoint], positions: Mapping[str, float]
) -> None:
    """Check that the leader of every moving mimic joint is used."""
    present = {joint.name for joint in used}
    for joint in used:
        if joint.mimic is None or joint.name in positions:
            continue
        leader = choose({other.name: other for other in joints}, "URDF joint", joint.mimic.leader).name
        if leader not in present:
            out = f"mimics {leader!r}, which is left out; include it by tip=, or fix one of them by fixed=."
            raise BadValue(joint.what, out)


def _parts(joint: _UrdfJoint, motions: Mapping[str, str], positions: Mapping[str, float]) -> list[Joint]:
    """Convert a URDF joint and its child link to joints."""
    link, motion = joint.child, motions[joint.name]
    rest: dict[str, Any] = {"translation": joint.translation, "rotation": joint.rotation}
    if joint.name in positions:
        place, turn = _locked_frame(joint, positions[joint.name])
        return [Joint(link, joint.parent, turn, place, turns="")]
    if joint.kind == "floating":
        return [Joint(motion, joint.parent, slides="xyz", **rest), Joint(link, motion, turns="")]
    if joint.kind == "planar":
        turning, frame = hinge(link, joint.parent, joint.axis, motion=motion, **rest)
        return [replace(turning, slides="xz"), frame]
    make = slider if joint.kind == "prismatic" else hinge
    bounds: dict[str, Any] = {"lower": joint.lower, "upper": joint.upper, "max_speed": joint.max_speed}
    if joint.mimic is not None:
        bounds["mimic"] = replace(joint.mimic, leader=motions[joint.mimic.leader])
    return list(make(link, joint.parent, joint.axis, motion=motion, **rest, **bounds))


def _locked_frame(joint: _UrdfJoint, position: float) -> tuple[Array, Array]:
    """The frame of a joint's child in its parent at a position: translation (3,) and rotation (3, 3)."""
    if joint.kind == "fixed":
        return joint.translation, joint.rotation
    axis = axes_with_y(joint.axis, f"axis of {joint.what}")[:, 1]
    if joint.kind == "prismatic":
        return joint.translation + joint.rotation @ axis * position, joint.rotation
    return joint.translation, joint.rotation @ exp(axis * position)


_KINDS: Final = ("fixed", "revolute", "continuous", "prismatic", "planar", "floating")
