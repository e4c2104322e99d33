# SPDX-License-Identifier: GPL-3.0-or-later
"""The figure as frozen arrays: its joints, their tree, and their freedom.

You write a `Joint`; the solvers read a `Skeleton`. All structure that does not change while a figure moves
(ancestors, which coordinate moves what, limits) is computed once, here.

A joint's frame in its parent's frame is, from left to right, the translation to its rest place, its rest
rotation, its slides (metres, along the axes of the rest frame) and its turns (radians,
`Swing(x, z) @ Twist(y)`):

    frame = Translation(translation) @ Rotation(rotation) @ Translation(slides) @ SwingTwist(turns)
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cached_property
from typing import Final

import numpy as np
import numpy.typing as npt

from .. import arguments
from ..arrays import Array, Index, Mask
from ..errors import BadValue
from ..lean import Lean
from ..registries import choose
from ..rotation import swing_twist_turns
from .forward_kinematics import Constants
from .joint import Joint, coupling_of, parents_first
from .joint_limits import JointLimits
from .many_frames import ForwardMany
from .swing import without_swing
from .topology import Topology

SLOT_NAMES: Final = ("slide_x", "slide_y", "slide_z", "turn_x", "turn_y", "turn_z")
_MOST_TURN: Final = 4 * np.pi  # no joint has a limit farther away; 13 and more are degrees by mistake
_STRAIGHT: Final = np.eye(3)[None]
_ORTHONORMAL: Final = 1e-5  # single precision, in which Blender keeps its matrices, is good to about 1e-6


class Skeleton(Lean):
    """A forest of joints as arrays; never changed after it is made.

    Args:
        joints: in any order; parents are put before their children.

    Raises:
        BadValue: no joints, two of one name, parents in a circle, limits the wrong way round, a rotation that
            is none, NaN; UnknownName: a parent that does not exist; BadShape: arrays of the wrong shape.

    Attributes:
        joints: the joints, parents first.
        names: their names; J of them.
        parents: (J,) index of each parent, -1 for roots.
        rest_rotation: (J, 3, 3), rest_translation: (J, 3), fixed: (J, 6), see `Joint`.
        n: number of free coordinates, the length of `q`.
        owner: (n,) the joint of each coordinate; slot: (n,) which of its six (0-2 slides, 3-5 turns).
        lower, upper: (n,) limits, infinite where there is none.
        stiffness: (n,); max_speed: (n,) radians or metres a second, infinite where there is none; mass: (J,).
        coupling: which coordinates follow others (`Joint.mimic`), None if none does.
        inertia: (n,) see `with_inertia`; None unless given.
        inherits: (J,) bool, `Joint.inherit_rotation`; limits_turned: (J,) see `with_limits`.
        ancestors: (J, J) bool, [i, j] where j is i or above i.
        joint_limits: the region that the limits leave to `q`.
        topology: of the tree; copies share it, so two skeletons of the same structure have the same topology.
    """

    def __init__(self, joints: Iterable[Joint]) -> None:
        self.joints = parents_first(arguments.several(joints, Joint, "joints"))
        self.names = tuple(joint.name for joint in self.joints)
        self._index = {name: i for i, name in enumerate(self.names)}
        count = len(self.joints)
        self.parents = np.array([-1 if j.parent is None else self._index[j.parent] for j in self.joints])
        inherits = ((j.inherit_rotation, f"inherit_rotation of joint {j.name!r}") for j in self.joints)
        self.inherits = np.array([arguments.switch(*given) for given in inherits])
        self.rest_rotation = _numbers(self.joints, "rotation", (3, 3))
        self.rest_translation = _numbers(self.joints, "translation", (3,))
        self.fixed = _numbers(self.joints, "fixed", (6,))
        self.mass = _numbers(self.joints, "mass", ())
        _check_rotations(self.names, self.rest_rotation)
        slots = [joint.slots for joint in self.joints]
        self.owner = np.repeat(np.arange(count), [len(s) for s in slots])
        self.slot = np.array([k for s in slots for k in s], dtype=int)
        self.n = len(self.owner)
        self.lower = _per_coordinate(self.joints, slots, "lower", -np.inf)
        self.upper = _per_coordinate(self.joints, slots, "upper", np.inf)
        self.stiffness = _per_coordinate(self.joints, slots, "stiffness", 0.0)
        self.max_speed = _per_coordinate(self.joints, slots, "max_speed", np.inf)
        self.inertia: Array | None = None
        self.limits_turned = np.zeros(count)
        self.coupling = coupling_of(self.joints)
        self._limit()
        self.topology = Topology(self.parents, self.inherits, self.owner, self.slot)
        self.ancestors = self.topology.above > 0.0
        for array in vars(self).values():
            if isinstance(array, np.ndarray):
                array.flags.writeable = False

    def _limit(self) -> None:
        """Set the region that the limits leave, and check what all coordinates have."""
        if self.coupling is not None:
            self.lower, self.upper = self.coupling.narrowed(self.lower, self.upper)
        self.lower, self.upper = arguments.frozen(self.lower), arguments.frozen(self.upper)
        sides = np.abs([self.lower, self.upper])
        far = ((sides > _MOST_TURN) & np.isfinite(sides)).any(0)
        for bad, reason in (
            (np.isnan(self.lower) | np.isnan(self.upper), "has a limit that is not a number."),
            (
                (self.lower > arguments.LARGEST) | (self.upper < -arguments.LARGEST),
                "has limits outside the range of its axis; give smaller ones.",
            ),
            (
                far & (self.slot >= 3),
                "has a limit above two turns, probably in degrees; give radians (numpy.radians), or None.",
            ),
            (
                self.lower > self.upper,
                "has its lower limit above its upper limit; swap them, or widen those of its mimic joints.",
            ),
            (
                without_swing(self.owner, self.slot, self.lower, self.upper),
                "is part of a swing whose limits begin half a turn or more from rest; change the limits.",
            ),
            (~((self.stiffness >= 0) & (self.stiffness < 1)), "has a stiffness outside [0, 1)."),
            (~(self.max_speed > 0), "has a max_speed that is not above zero; give None for no limit."),
        ):
            if bad.any():
                raise BadValue(f"Coordinate {self.coordinate_names[int(bad.argmax())]!r}", reason)
        if (self.mass < 0).any():
            raise BadValue(f"Joint {self.names[int((self.mass < 0).argmax())]!r}", "has a negative mass.")
        self.joint_limits = JointLimits(
            self.owner, self.slot, self.lower, self.upper, self.coupling, self.limits_turned
        )

    def __len__(self) -> int:
        return len(self.names)

    def __repr__(self) -> str:
        return f"Skeleton({len(self)} joints, {self.n} coordinates)"

    def index(self, name: str) -> int:
        """Index of the joint of that name.

        Raises:
            UnknownName: there is none.
        """
        return choose(self._index, "joint", name)

    def columns(self, name: str) -> slice:
        """Where the coordinates of a joint stand in `q`."""
        joint = self.index(name)
        return slice(*np.searchsorted(self.owner, (joint, joint + 1)).tolist())

    def set_turn(self, q: Array, joint: int, turn: Array) -> None:
        """Set the free turns of a joint in coordinates q (n,) to a rotation (3, 3) from its rest frame."""
        own = np.flatnonzero((self.owner == joint) & self.is_turn)
        q[own] = swing_twist_turns(turn)[self.slot[own] - 3]

    def with_rest(
        self,
        rest_rotation: npt.ArrayLike | None = None,
        rest_translation: npt.ArrayLike | None = None,
        fixed: npt.ArrayLike | None = None,
    ) -> Skeleton:
        """The same figure with other constants, sharing all structure: cheap enough for each frame of a clip.

        Args:
            rest_rotation: (J, 3, 3) rotations, taken as they are.
            rest_translation: (J, 3) metres.
            fixed: (J, 6) values of the coordinates that are not free.
        """
        other = self._without("size", "constants", "many_frames")
        constants = {"rest_rotation": rest_rotation, "rest_translation": rest_translation, "fixed": fixed}
        for name, value in constants.items():
            if value is not None:
                given = arguments.shaped(value, name, getattr(self, name).shape)
                setattr(other, name, arguments.frozen(given))
        return other

    def with_inertia(self, inertia: npt.ArrayLike) -> Skeleton:
        """The same figure with an inertia for each coordinate: heavy ones move less if others can.

        Stiffness adds to this.

        Args:
            inertia: (n,) above zero, of turns without unit, of slides for each squared metre.

        Raises:
            BadShape, BadValue: something else.
        """
        given = arguments.shaped(inertia, "inertia", (self.n,))
        if not (given > 0).all():
            raise BadValue("inertia", "must be above zero.")
        other = self._without()
        other.inertia = arguments.frozen(given)
        return other

    def with_limits(
        self, lower: npt.ArrayLike, upper: npt.ArrayLike, turned: npt.ArrayLike | None = None
    ) -> Skeleton:
        """The same figure with other limits.

        Args:
            lower, upper: (n,) of the coordinates.
            turned: (J,) radians by which the axes x and z are turned about y, about which the limits of a
                joint that is free in both are meant: of a knee that bends about neither. None: as they are.

        Raises:
            BadShape, BadValue: limits that no joint could have.
        """
        other = self._without("rest")
        for name, given in (("lower", lower), ("upper", upper)):
            setattr(other, name, arguments.shaped(given, name, (self.n,), endless=True))
        if turned is not None:
            other.limits_turned = arguments.frozen(arguments.shaped(turned, "turned", (len(self),)))
        other._limit()
        return other

    @cached_property
    def coordinate_names(self) -> tuple[str, ...]:
        """(n,) names such as "knee.turn_x"."""
        pairs = zip(self.owner.tolist(), self.slot.tolist(), strict=True)
        return tuple(f"{self.names[joint]}.{SLOT_NAMES[slot]}" for joint, slot in pairs)

    @cached_property
    def is_turn(self) -> Mask:
        """(n,) which coordinates are turns; the others are slides."""
        return self.slot >= 3

    @cached_property
    def influence(self) -> Mask:
        """(n, J) which joints' frames a coordinate moves."""
        return np.ascontiguousarray(self.ancestors[:, self.owner].T)

    @cached_property
    def turn_influence(self) -> Mask:
        """(n, J) which joints' rotations a coordinate turns: `influence`, cut at uninherited rotations."""
        turns = self.topology.turned_along[:, self.owner].T > 0.0
        return np.asarray(turns & self.is_turn[:, None], order="C")

    def cuts_above(self, joints: Index) -> list[tuple[int, Mask, int]]:
        """Where rotation is not inherited above joints: (number in `joints`, coordinates, carrier).

        The coordinates (n,) above a carrier move what hangs on it as they move the carrier's head, since it
        does not turn with them. The uppermost carrier comes last: it decides for the coordinates above it.
        """
        cuts = []
        for number, joint in enumerate(joints.tolist()):
            while (above := int(self.parents[joint])) >= 0:
                if not self.inherits[joint]:
                    cuts.append((number, self.ancestors[above, self.owner], joint))
                joint = above
        return cuts

    @cached_property
    def size(self) -> float:
        """Length scale of the figure, metres: the longest way from a root to a leaf."""
        lengths = np.sqrt((self.rest_translation**2).sum(-1))
        lengths = np.where(self.parents < 0, 0.0, lengths)
        return float((self.ancestors @ lengths).max())

    @cached_property
    def constants(self) -> Constants:
        """What forward kinematics needs of the figure besides its structure."""
        turned = (self.rest_rotation != _STRAIGHT).any()
        rest = np.concatenate((self.rest_rotation, _STRAIGHT)).T.copy().T if turned else None
        slides = self.fixed[:, :3].copy()
        slides[self.owner[self.slot < 3], self.slot[self.slot < 3]] = 0.0
        translation = self.rest_translation
        if slides.any():
            translation = translation + np.matmul(self.rest_rotation, slides[:, :, None])[:, :, 0]
        fixed = self.fixed.copy()
        fixed[:, :3] = 0.0
        columns = self.topology.slide_columns
        along = np.zeros((len(columns), len(self), 3))
        owner, slot = self.owner[columns], self.slot[columns]
        along[np.arange(len(columns)), owner] = self.rest_rotation[owner, :, slot]
        ground = np.zeros((self.topology.first_turn, 6))
        ground[:, 3:] = self.rest_rotation[self.topology.sliding].swapaxes(1, 2).reshape(-1, 3)
        place = translation if rest is None else np.matmul(rest[:-1].swapaxes(1, 2), translation[:, :, None])
        inputs = np.concatenate((np.zeros(self.n), fixed[:, 3:].ravel(), place.ravel(), (0.0, 1.0)))
        return Constants(rest, translation, fixed, along.reshape(len(columns), 3 * len(self)), ground, inputs)

    @cached_property
    def many_frames(self) -> ForwardMany:
        """Forward kinematics of many poses."""
        return ForwardMany(self.topology, self.constants)

    def mobility_for(self, length: float) -> Array:
        """(n,) how readily a coordinate moves, by stiffness as Blender's own solver weighs it; metric of `q`.

        Args:
            length: metres of a slide that cost as much as one radian. Ignored if the figure has an inertia,
                which compares metres and radians.
        """
        free = 1.0 - self.stiffness
        if self.inertia is not None:
            return np.asarray(free / self.inertia)
        return np.where(self.is_turn, free, free * length * length)

    @property
    def mobility(self) -> Array:
        """(n,) `mobility_for` the figure's own size, so that it moves alike in metres and in centimetres."""
        return self.mobility_for(self.size or 1.0)

    @cached_property
    def rest(self) -> Array:
        """(n,) the rest pose: zeros, put inside the limits; copy it before you change it."""
        return arguments.frozen(self.project(np.zeros(self.n)))

    def project(self, q: npt.ArrayLike) -> Array:
        """Coordinates (*batch, n) put inside the limits, and followers where their leaders put them."""
        return self.joint_limits.project(arguments.coordinates(q, self.n, "q"))


def _numbers(joints: Sequence[Joint], field: str, shape: tuple[int, ...]) -> Array:
    return np.array(
        [
            arguments.shaped(getattr(joint, field), f"{field} of joint {joint.name!r}", shape)
            for joint in joints
        ]
    )


def _check_rotations(names: Sequence[str], rotations: Array) -> None:
    error = np.abs(rotations @ np.swapaxes(rotations, -1, -2) - np.eye(3)).max((-1, -2))
    bad = (error > _ORTHONORMAL) | (np.linalg.det(rotations) < 0)
    if bad.any():
        what = f"rotation of joint {names[int(bad.argmax())]!r}"
        raise BadValue(what, "is not a rotation matrix; remove scale, shear and mirroring from it.")


def _per_coordinate(joints: Sequence[Joint], slots: list[list[int]], field: str, default: float) -> Array:
    rows: list[Array] = []
    for joint, own in zip(joints, slots, strict=True):
        value = getattr(joint, field)
        if field != "stiffness" and isinstance(value, list | tuple):
            value = [default if one is None else one for one in value]
        what = f"{field} of joint {joint.name!r}"
        given = default if value is None else value
        array = arguments.shaped(given, what, (), (len(own),), endless=True)
        rows.append(np.broadcast_to(array, (len(own),)))
    return np.concatenate(rows)
