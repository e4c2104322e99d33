# SPDX-License-Identifier: GPL-3.0-or-later
"""A figure looked at as it stands: at which limits it is, how well it can move, what it is near to.

Nothing is solved. What does not change while the figure moves is read once and kept by the `Inspector`.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Final, NamedTuple

import bpy
import numpy as np

import ikmath as ik
from ikmath import rotation
from ikmath.obstacles import Shape

from ..bridge.armature import Array, Flags, read_bones, read_state
from ..bridge.chains import chain_bones
from ..bridge.obstacles import ObstacleReader
from ..bridge.skeleton import Figure, read_figure
from ..bridge.space import Space, read_space
from ..properties.access import rig_of
from .surroundings import look_around, place_problems, read_surroundings

AT_LIMIT: Final = 1e-3  # radians; a pose in single precision does not keep to a limit more exactly
_STEPS: Final = 24  # chords of an arc
_DETECT: Final = 0.1  # share of the figure's size within which critical points are listed
Chain = tuple[str, str]


@dataclass(frozen=True, eq=False)
class Limit:
    """A limit at which a joint stands, as what a point of the bone may do there.

    Attributes:
        bone: its name; axis: "x", "y", "z" of the bone, or "xz" for a swing that both bound together.
        curve: (S, 3) world: where the point may go along the axis, or the rim that it cannot cross.
        place: (3,) where the point is; head: (3,) the joint.
    """

    bone: str
    axis: str
    curve: Array
    place: Array
    head: Array


@dataclass(frozen=True, eq=False)
class Ellipsoid:
    """Manipulability (Ge 3.1): velocities of a point for coordinate velocities of length 1.

    Attributes:
        center: (3,) the point, world.
        axes: (3, 3) semi-axes in rows, longest first: singular values of the Jacobian, metres a radian, times
            their directions, world.
    """

    center: Array
    axes: Array

    @property
    def measure(self) -> float:
        """Yoshikawa's measure, the product of the singular values: 0 in a singular pose."""
        return float(np.prod(np.sqrt((self.axes**2).sum(1))))


@dataclass(frozen=True, eq=False)
class Critical:
    """The nearest thing of every part of the figure that is near to something; P rows, nearest first.

    Attributes:
        bones: (P,) names; names: (P,) of the things, or of the other bones.
        point: (P, 3) on the figure; other: (P, 3) on the thing; world.
        clearance: (P,) metres; margin: (P,) what is to be kept.
    """

    bones: tuple[str, ...]
    names: tuple[str, ...]
    point: Array
    other: Array
    clearance: Array
    margin: Array


@dataclass(frozen=True, eq=False)
class Inspection:
    """A figure at one moment.

    Attributes:
        figure: measured at the pose.
        problem: it among its obstacles; None if it keeps clear of nothing, or nobody asked.
    """

    figure: Figure
    problem: ik.Problem | None = field(default=None, repr=False)

    @cached_property
    def pose(self) -> ik.Pose:
        """The figure's forward kinematics, figure space."""
        return ik.Pose.forward(self.figure.skeleton, self.figure.q)

    def limits(self) -> list[Limit]:
        """The limits at which joints stand."""
        skeleton = self.figure.skeleton
        at = at_limits(skeleton, self.figure.q)
        paired = np.zeros(skeleton.n, dtype=bool)
        paired[skeleton.region.pairs] = True
        found = [self._arc(int(column)) for column in np.flatnonzero(at & ~paired)]
        found += [self._rim(x, z) for x, z in skeleton.region.pairs.tolist() if at[x] or at[z]]
        return found

    def ellipsoid(self, bone: str, local: tuple[float, float, float], chain_root: str) -> Ellipsoid | None:
        """Manipulability of a point of a bone; None if the bone is not of the figure.

        Args:
            bone: its name.
            local: (3,) the point, in the bone's axes and the armature's units.
            chain_root: topmost bone that may move for it, "" for the whole figure.
        """
        skeleton, space = self.figure.skeleton, self.figure.space
        if bone not in skeleton.names:
            return None
        offset = self.figure.offset(bone, local)
        jacobian = self.pose.jacobian(bone, offset)[:, skeleton.is_turn]
        if chain_root in skeleton.names:
            below = skeleton.ancestors[skeleton.owner, skeleton.index(chain_root)]
            jacobian = jacobian * below[skeleton.is_turn]
        directions, lengths, _ = np.linalg.svd(jacobian, full_matrices=False)
        axes = np.zeros((3, 3))
        axes[: len(lengths)] = (directions * lengths).T
        return Ellipsoid(space.point_out(self.pose.point(bone, offset)), space.vector_out(axes))

    def critical(self) -> Critical | None:
        """Critical points of the parts that are near to something, and of the nearest part in any case."""
        scene = self.problem.scene if self.problem is not None else None
        if self.problem is None or scene is None:
            return None
        size = self.problem.length
        near = scene.near(self.pose, _DETECT * size)
        if not len(near):
            nearest = float(scene.clearance(self.pose))
            if not np.isfinite(nearest):
                return None
            near = scene.near(self.pose, nearest + 1e-6 * size)
        order = np.argsort(near.clearance, kind="stable")
        rows = order[np.sort(np.unique(near.link[order], return_index=True)[1])]
        space, names = self.figure.space, near.names
        return Critical(
            bones=tuple(scene.body.joints[link] for link in near.link[rows]),
            names=tuple(names[row] for row in rows),
            point=space.point_out(near.critical[rows]),
            other=space.point_out(near.point[rows]),
            clearance=near.clearance[rows],
            margin=near.margin[rows] + self.problem.margin,
        )

    def _arc(self, column: int) -> Limit:
        """The way that one turn has between its limits."""
        skeleton = self.figure.skeleton
        joint, slot = int(skeleton.owner[column]), int(skeleton.slot[column])
        low, high = max(skeleton.lower[column], -np.pi), min(skeleton.upper[column], np.pi)
        turns = np.repeat(self._turns(joint)[None], _STEPS + 1, 0)
        turns[:, slot - 3] = np.linspace(low, high, _STEPS + 1)
        return self._limit(joint, "xyz"[slot - 3], turns)

    def _rim(self, x: int, z: int) -> Limit:
        """The rim of the swings that two limits leave: Blender's ellipses in the sines of half angles."""
        skeleton = self.figure.skeleton
        ends = np.stack([skeleton.lower[[x, z]], skeleton.upper[[x, z]]])
        free = ~np.isfinite(ends).all(0)
        if free.any():
            return self._arc(z if free[0] else x)
        joint = int(skeleton.owner[x])
        low, high = np.sin(0.5 * np.clip(ends, -np.pi, np.pi))
        centre = np.clip(0.0, low, high)
        angle = np.linspace(0.0, 2.0 * np.pi, 2 * _STEPS + 1)
        way = np.stack([np.cos(angle), np.sin(angle)], 1)
        sine = centre + way * np.where(way > 0.0, high - centre, centre - low)
        size = np.maximum(np.sqrt((sine * sine).sum(1, keepdims=True)), 1e-12)
        turns = np.repeat(self._turns(joint)[None], len(angle), 0)
        turns[:, [0, 2]] = sine / size * 2.0 * np.arcsin(np.minimum(size, 1.0))
        return self._limit(joint, "xz", turns)

    def _turns(self, joint: int) -> Array:
        """(3,) the joint's turns as they are."""
        skeleton = self.figure.skeleton
        turns: Array = skeleton.fixed[joint, 3:].copy()
        own = np.flatnonzero((skeleton.owner == joint) & skeleton.is_turn)
        turns[skeleton.slot[own] - 3] = self.figure.q[own]
        return turns

    def _limit(self, joint: int, axis: str, turns: Array) -> Limit:
        """A limit from the turns (S, 3) that it leaves: the way of the tip, in a twist of the bone's side."""
        figure, bone = self.figure, self.figure.joints[joint]
        # The tip shows a swing; a twist does not move it, so there it is a point beside the bone.
        along = figure.tip(bone)
        radius = 0.4 * float(np.sqrt(along @ along))
        arm = radius * np.array([1.0, 0.0, 0.0] if axis == "y" else [0.0, 1.0, 0.0])
        base = figure.frames[joint] @ rotation.swing_twist_matrix(self._turns(joint)).T
        ways = rotation.swing_twist_matrix(turns) @ arm
        head, space = figure.heads[joint], figure.space
        return Limit(
            bone=bone,
            axis=axis,
            curve=space.point_out(head + ways @ base.T),
            place=space.point_out(head + figure.frames[joint] @ arm),
            head=space.point_out(head),
        )


def at_limits(skeleton: ik.Skeleton, q: Array) -> Flags:
    """Which coordinates (..., n) stand at a limit; what has no room to turn at all is not counted."""
    room: Flags = skeleton.upper - skeleton.lower > AT_LIMIT
    found: Flags = skeleton.region.at_limit(q, AT_LIMIT) & room
    return found


class Inspector:
    """Looks at one armature again and again; keeps no Blender object."""

    def __init__(self) -> None:
        self._key: tuple[Hashable, tuple[str, ...]] | None = None
        self._figure: Figure | None = None
        self._reader = ObstacleReader()
        self._place: tuple[bytes, Space] | None = None

    def look(
        self,
        armature: bpy.types.Object,
        chains: Sequence[Chain],
        structure: Hashable,
        depsgraph: bpy.types.Depsgraph | None = None,
    ) -> Inspection | None:
        """The figure as it stands now.

        Args:
            armature: the original object, up to date.
            chains: bones that are meant, each with the topmost that may move for it, "" for all.
            structure: equal as long as nothing has changed but the pose and where things are.
            depsgraph: evaluated, if it is to be seen what the figure is near to.

        Returns:
            None if there is no chain.

        Raises:
            Refused, FigureFault: it is no figure that could be solved; the sentence says why.
        """
        if not chains:
            return None
        known = self._figure if self._key and self._key[0] == (structure, tuple(chains)) else None
        bones = known.bones if known else read_bones(armature)
        solved = known.solved if known else chain_bones(bones, chains)
        # A method that knows no obstacles keeps clear of nothing.
        keeps_clear = depsgraph is not None and ik.METHODS[rig_of(armature).solver.method].obstacles
        around = read_surroundings(armature, bones, solved) if keeps_clear else None
        carried = tuple(link.bone for link in around.links) if around else ()
        state, space = read_state(armature, bones), self._space(armature)
        key = (structure, tuple(chains)), carried
        if known is None or key != self._key:
            root = rig_of(armature).solver.root
            self._figure = read_figure(bones, state, space, solved, root=root, carried=carried)
            self._key = key
            figure = self._figure
        else:
            figure = known.at(state, space)
        if around is None or depsgraph is None:
            return Inspection(figure)
        around = replace(around, reader=self._reader)  # it keeps the trees over the meshes
        shapes, _ = look_around(around, armature, space, depsgraph)
        plain = ik.Problem(figure.skeleton, [ik.Posture(figure.q)])
        return Inspection(figure, place_problems(around, [plain], [figure], [_Now(shapes)])[0])

    def _space(self, armature: bpy.types.Object) -> Space:
        """Where the armature is; it seldom moves while its bones do."""
        matrix = np.array(armature.matrix_world).tobytes()
        if self._place is None or self._place[0] != matrix:
            self._place = matrix, read_space(armature)
        return self._place[1]


class _Now(NamedTuple):
    """What `place_problems` wants to know of this moment."""

    obstacles: tuple[Shape, ...]
