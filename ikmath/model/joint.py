# SPDX-License-Identifier: GPL-3.0-or-later
"""The description of joints: free ones, hinges about any axis, and those that follow others.

A `Joint` turns about its own x, y and z. A hinge about another axis is therefore two joints in one place. The
first carries the coordinate: its local y is the axis. The second has no coordinate and turns the frame back,
so that its own frame is `Translation(translation) @ Rotation(rotation) @ Rotation(axis, angle)`.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from .. import arguments
from ..arrays import Array, Index
from ..errors import BadValue
from ..registries import choose
from ..rotation import across


@dataclass(frozen=True)
class Mimic:
    """`coordinate = multiplier * coordinate of leader + offset`, as in URDF.

    Args:
        leader: name of the joint to follow, of a hinge "NAME hinge"; both joints have one coordinate.
        multiplier: radians or metres of this joint for each of the leader's, not zero.
        offset: radians or metres.
    """

    leader: str
    multiplier: float = 1.0
    offset: float = 0.0

    def __post_init__(self) -> None:
        arguments.text(self.leader, "leader of a mimic joint")
        what = f"of the joint that mimics {self.leader!r}"
        arguments.number(self.offset, f"offset {what}")
        if arguments.number(self.multiplier, f"multiplier {what}") == 0.0:
            raise BadValue(f"multiplier {what}", "is zero; lock the joint: turns='', fixed=.")


@dataclass(frozen=True, eq=False)
class Joint:
    """One joint, at a rest frame in its parent; its long axis is local +Y.

    Args:
        name: unique in the figure.
        parent: name of the parent joint, None for a root.
        rotation: (3, 3) rest rotation in the parent's frame.
        translation: (3,) rest place in the parent's frame, metres.
        turns: the free turns, letters out of "xyz".
        slides: the free slides, letters out of "xyz".
        lower, upper: limits of the free coordinates, slides first, then turns, each in the order x, y, z;
            one number for all of them; None, for all or for one of them, is no limit. Radians and metres.
        stiffness: 0 moves freely, towards 1 moves last; one number or one a free coordinate, in [0, 1).
        max_speed: radians or metres a second, above zero; one number or one a free coordinate; None is no
            limit.
        mimic: the joint that this one follows; both have one coordinate.
        mass: kilograms (or any unit, all alike), at the joint's own frame; for balance.
        fixed: six values (slides x y z, turns x y z), of which those count that are not free.
        inherit_rotation: False when the joint's rotation is relative to the world while its place still
            follows the parent (Blender's `use_inherit_rotation`).
    """

    name: str
    parent: str | None = None
    rotation: npt.ArrayLike = ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0))
    translation: npt.ArrayLike = (0.0, 0.0, 0.0)
    turns: str = "xyz"
    slides: str = ""
    lower: npt.ArrayLike | None = None
    upper: npt.ArrayLike | None = None
    stiffness: npt.ArrayLike = 0.0
    mass: float = 0.0
    fixed: npt.ArrayLike = (0.0, 0.0, 0.0, 0.0, 0.0, 0.0)
    inherit_rotation: bool = True
    max_speed: npt.ArrayLike | None = None
    mimic: Mimic | None = None

    @property
    def slots(self) -> list[int]:
        """The free ones of the six coordinates, in order."""
        slides = arguments.letters(self.slides, f"slides of joint {self.name!r}")
        turns = arguments.letters(self.turns, f"turns of joint {self.name!r}")
        return [k for k in range(3) if "xyz"[k] in slides] + [3 + k for k in range(3) if "xyz"[k] in turns]


def parents_first(joints: Sequence[Joint]) -> tuple[Joint, ...]:
    """Parents before children, otherwise in the given order."""
    if not joints:
        raise BadValue("The skeleton", "has no joints; give at least one.")
    by_name: dict[str, Joint] = {}
    for joint in joints:
        arguments.text(joint.name, "name of a joint")
        if joint.mimic is not None:
            arguments.of_kind(joint.mimic, Mimic, f"mimic of joint {joint.name!r}")
        if joint.parent is not None:
            arguments.text(joint.parent, f"parent of joint {joint.name!r}")
        if joint.name in by_name:
            raise BadValue(f"Joint {joint.name!r}", "is defined twice; names must differ.")
        by_name[joint.name] = joint
    done: dict[str, Joint] = {}
    for joint in joints:
        way: list[Joint] = []
        walk: Joint | None = joint
        while walk is not None and walk.name not in done:
            if any(walk is earlier for earlier in way):
                raise BadValue(f"Joint {walk.name!r}", "is its own ancestor; parents must form a tree.")
            way.append(walk)
            walk = None if walk.parent is None else choose(by_name, "joint", walk.parent)
        done.update((step.name, step) for step in reversed(way))
    return tuple(done.values())


class Coupling:
    """`q = factor * q[leader] + offset`, for all coordinates (n,); free ones lead themselves.

    Attributes:
        followers: (f,) the coordinates that follow.
    """

    def __init__(self, leader: Index, factor: Array, offset: Array) -> None:
        self._leader, self._factor, self._offset = leader, factor, offset
        self.followers = (leader != np.arange(len(leader))).nonzero()[0]
        self._rows = np.eye(len(leader))[self.followers]
        self._rows[np.arange(len(self.followers)), leader[self.followers]] -= factor[self.followers]
        self._values = offset[self.followers]

    def apply(self, q: Array) -> Array:
        """Coordinates (*batch, n) in which all followers are where their leaders put them."""
        return np.asarray(q[..., self._leader] * self._factor + self._offset)

    def equations(self, q: Array, metric: float | Array = 1.0) -> tuple[Array, Array]:
        """Rows (f, n) and values (f,): `rows z = values` for steps `dq = metric z` from q (n,)."""
        return self._rows * metric, self._values - self._rows.dot(q)

    def fold(self, rows: Array) -> Array:
        """Derivatives by all coordinates (..., n) -> by the free ones; those of followers are zero."""
        folded = rows.copy()
        for one in self.followers.tolist():
            folded[..., self._leader[one]] += self._factor[one] * rows[..., one]
        folded[..., self.followers] = 0.0
        return folded

    def narrowed(self, lower: Array, upper: Array) -> tuple[Array, Array]:
        """Limits (n,) within which leaders keep their followers inside of theirs."""
        sides = (np.stack([lower, upper])[:, self.followers] - self._values) / self._factor[self.followers]
        lower, upper = lower.copy(), upper.copy()
        np.maximum.at(lower, self._leader[self.followers], sides.min(0))
        np.minimum.at(upper, self._leader[self.followers], sides.max(0))
        return lower, upper


def coupling_of(joints: Sequence[Joint]) -> Coupling | None:
    """The coupling of joints in the order of their coordinates, None if none follows another.

    Raises:
        UnknownName: a leader that does not exist; BadValue: joints that do not have one coordinate, or follow
            themselves.
    """
    if all(joint.mimic is None for joint in joints):
        return None
    by_name = {joint.name: joint for joint in joints}
    starts = np.cumsum([0, *(len(joint.slots) for joint in joints)])
    column = {joint.name: int(start) for joint, start in zip(joints, starts, strict=False)}
    count = int(starts[-1])
    leader, factor, offset = np.arange(count), np.ones(count), np.zeros(count)
    for joint in joints:
        at, ahead, path = column[joint.name], joint, [joint.name]
        while (mimic := ahead.mimic) is not None:
            leading = choose(by_name, "joint", mimic.leader)
            if mimic.leader in path:
                raise BadValue(f"Joint {joint.name!r}", "follows itself; a leader must be free.")
            for one in (ahead, leading):
                if len(one.slots) != 1:
                    raise BadValue(f"Joint {one.name!r}", "leads or follows; give it one coordinate.")
            offset[at] += factor[at] * mimic.offset
            factor[at] *= mimic.multiplier
            ahead = leading
            path.append(ahead.name)
            leader[at] = column[ahead.name]
    return Coupling(leader, factor, offset)


def hinge(
    name: str,
    parent: str | None = None,
    axis: npt.ArrayLike = (0.0, 0.0, 1.0),
    *,
    motion: str | None = None,
    translation: npt.ArrayLike = (0.0, 0.0, 0.0),
    rotation: npt.ArrayLike = ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)),
    **options: Any,
) -> tuple[Joint, Joint]:
    """A link that turns about any axis.

    Args:
        name: of the link, for goals and children; its frame is turned about the axis and not otherwise.
        parent: name of the parent, None for a root.
        axis: (3,) direction in the link's own frame, of any length.
        motion: name of the joint that has the coordinate, `MOTION.turn_y`; "NAME hinge" if not given.
        translation, rotation: the link's rest frame in its parent, as for `Joint`.
        **options: of the coordinate: `lower`, `upper`, `stiffness`, `max_speed`, `mimic`, as for `Joint`.

    Returns:
        The joint with the coordinate and the link, for `Skeleton([..., *hinge(...), ...])`.

    Raises:
        BadValue, BadShape: an axis without length, or a matrix that is not a rotation.
    """
    what = f"link {arguments.text(name, 'name of a link')!r}"
    if not options.keys().isdisjoint(("turns", "slides", "fixed")):
        raise BadValue(what, "has one coordinate, about its axis; leave out turns=, slides= and fixed=.")
    frame = axes_with_y(axis, f"axis of {what}")
    rest = arguments.shaped(rotation, f"rotation of {what}", (3, 3))
    motion = f"{name} hinge" if motion is None else motion
    moving = Joint(motion, parent, rest @ frame, translation, turns="y", **options)
    return moving, Joint(name, motion, frame.T, turns="")


def slider(
    name: str,
    parent: str | None = None,
    axis: npt.ArrayLike = (0.0, 0.0, 1.0),
    *,
    motion: str | None = None,
    **options: Any,
) -> tuple[Joint, Joint]:
    """A link that slides along any axis, given as to `hinge`. Its coordinate is `MOTION.slide_y`, metres."""
    motion = f"{name} slider" if motion is None else motion
    turning, link = hinge(name, parent, axis, motion=motion, **options)
    return replace(turning, turns="", slides="y"), link


def axes_with_y(axis: npt.ArrayLike, what: str) -> Array:
    """A rotation (3, 3) whose y axis is the direction (3,).

    Raises:
        BadValue: a direction without length; `what` names it.
    """
    given = arguments.shaped(axis, what, (3,))
    length = float(np.sqrt(given @ given))
    if length < 1e-9:
        raise BadValue(what, "has no length; give a direction.")
    y = given / length
    z, x = across(y)
    return np.stack([x, y, z], axis=1)
