# SPDX-License-Identifier: GPL-3.0-or-later
"""A figure looked at as it stands: at which limits it is, how well it moves, what it is near to.

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
from ikmath.obstacles import Shape

from ..bridge.armature import Array, Bones, pose_matrices, read_bones, read_state
from ..bridge.chains import chain_bones
from ..bridge.obstacles import ObstacleReader
from ..bridge.skeleton import Figure, read_figure
from ..bridge.space import Space, read_space
from ..properties.access import rig_of
from .limit_arcs import Limit, LimitedJoints
from .surroundings import look_around, place_problems, read_surroundings

_DETECT: Final = 0.1  # share of the figure's size within which critical points are listed
Chain = tuple[str, str]


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
        return ik.Pose.forward(self.figure.shown, self.figure.q)

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


class Inspector:
    """Looks at one armature again and again; keeps no Blender object."""

    def __init__(self) -> None:
        self._key: tuple[Hashable, tuple[str, ...]] | None = None
        self._bones: tuple[Hashable, Bones] | None = None
        self._figure: Figure | None = None
        self._limited: LimitedJoints | None = None
        self._reader = ObstacleReader()
        self._place: tuple[bytes, Space] | None = None

    def bones(self, armature: bpy.types.Object, structure: Hashable) -> Bones:
        """What does not change while the armature moves; see `look` for the arguments."""
        if self._bones is None or self._bones[0] != structure:
            self._bones = structure, read_bones(armature)
        return self._bones[1]

    def limits(self, armature: bpy.types.Object, chains: Sequence[Chain], structure: Hashable) -> list[Limit]:
        """The limits at which joints stand now; see `look` for the arguments and what it raises."""
        if not chains:
            return []
        figure = self._known(armature, chains, structure)
        if self._limited is None or self._limited.figure is not figure:
            self._limited = LimitedJoints.of(figure)
        basis, matrix = (pose_matrices(armature, name) for name in ("matrix_basis", "matrix"))
        return self._limited.standing(basis, matrix, self._space(armature))

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
        known = self._known(armature, chains, structure)
        # A method that knows no obstacles keeps clear of nothing.
        keeps_clear = depsgraph is not None and ik.METHODS[rig_of(armature).solver.method].obstacles
        around = read_surroundings(armature, known.bones, known.solved) if keeps_clear else None
        if around is not None:
            known = self._known(armature, chains, structure, tuple(link.bone for link in around.links))
        space = self._space(armature)
        figure = known.at(read_state(armature, known.bones), space)
        if around is None or depsgraph is None:
            return Inspection(figure)
        around = replace(around, reader=self._reader)  # it keeps the trees over the meshes
        shapes, _ = look_around(around, armature, space, depsgraph)
        plain = ik.Problem(figure.skeleton, [ik.Posture(figure.q)])
        return Inspection(figure, place_problems(around, [plain], [figure], [_Now(shapes)])[0])

    def _known(
        self,
        armature: bpy.types.Object,
        chains: Sequence[Chain],
        structure: Hashable,
        carried: tuple[str, ...] | None = None,
    ) -> Figure:
        """The figure at some moment, with these bones carried along; None: with whichever."""
        key = (structure, tuple(chains))
        same = self._figure if self._key is not None and self._key[0] == key else None
        if same is not None and self._key is not None and carried in (None, self._key[1]):
            return same
        bones = self.bones(armature, structure)
        solved = same.solved if same else chain_bones(bones, chains)
        state, space, root = read_state(armature, bones), self._space(armature), rig_of(armature).solver.root
        self._figure = read_figure(bones, state, space, solved, root=root, carried=carried or ())
        self._key = key, carried or ()
        return self._figure

    def _space(self, armature: bpy.types.Object) -> Space:
        """Where the armature is; it seldom moves while its bones do."""
        matrix = np.array(armature.matrix_world).tobytes()
        if self._place is None or self._place[0] != matrix:
            self._place = matrix, read_space(armature)
        return self._place[1]


class _Now(NamedTuple):
    """What `place_problems` wants to know of this moment."""

    obstacles: tuple[Shape, ...]
