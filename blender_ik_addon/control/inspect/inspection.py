# SPDX-License-Identifier: GPL-3.0-or-later
"""Measurements of a figure for the overlay: limits, manipulability, thickness, balance, near obstacles.

Nothing is solved. Data that do not change while the figure moves are read once and kept by the `Inspector`.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import bpy
import numpy as np

from ...bridge.armature import Array, Bones, Floats, pose_matrices, read_bones, read_state
from ...bridge.chains import Chain, moving_bones
from ...bridge.changes import Changes
from ...bridge.skeleton import Figure, read_figure
from ...bridge.space import Space, read_space, upward
from ...properties.access import rig_of
from ...properties.bone import bone_settings
from ...properties.measures import metre
from ...properties.refusal import Refused
from ..collision.body import Capsules, present_links, read_links
from ..collision.nearness import Critical, Neighbourhood
from ..frame.masses import Weights, read_masses
from ..frame.root import root_setting
from .balance import Stand, stand
from .limit_arcs import Limit, LimitedJoints
from .turns import Lever


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
class Standing:
    """The transforms of an armature's bones at one moment.

    Attributes:
        matrix: (B, 4, 4) armature space; basis: (B, 4, 4) from their channels.
        world: (4, 4) of the armature object.
        told: a key that stays equal while the bones do not move.
        changes: a key that stays equal while thickness and mass do not change; both may be animated.
    """

    matrix: Floats
    basis: Floats
    world: Array
    told: Hashable
    changes: Hashable

    @classmethod
    def of(cls, armature: bpy.types.Object, frame: int, count: int | None = None) -> Standing:
        """Read an original armature that is up to date in a frame; count: of its bones, if known."""
        matrix = pose_matrices(armature, "matrix", count)
        basis = pose_matrices(armature, "matrix_basis", len(matrix))
        manager: Any = bpy.data.window_managers[0]
        changes = manager.articulate.flesh_changes, len(rig_of(armature).body.links), frame
        world = np.array(armature.matrix_world, dtype=float)
        # columns first, the order in memory
        told = world.tobytes(), matrix.swapaxes(1, 2).tobytes()
        return cls(matrix, basis, world, told, changes)

    @cached_property
    def bones(self) -> Array:
        """(B, 4, 4) the bones in the world."""
        # columns, which is the order in memory, are the rows of one product
        columns = self.matrix.swapaxes(1, 2).astype(float).reshape(-1, 4)
        found: Array = columns.dot(self.world.T).reshape(self.matrix.shape)
        return found.swapaxes(1, 2)


@dataclass(frozen=True, eq=False)
class _Flesh:
    """Thickness and masses of a figure; weights is None without mass."""

    parts: Capsules
    weights: Weights | None


class Inspector:
    """Measures one armature repeatedly; keeps no Blender object."""

    def __init__(self) -> None:
        self._bones: tuple[Hashable, Bones] | None = None
        self._figure: tuple[Any, Figure] | None = None
        self._limited: LimitedJoints | None = None
        self._place: tuple[bytes, Space] | None = None
        self._placed: tuple[Capsules, Standing, Capsules] | None = None
        self._lever: tuple[Any, Lever] | None = None
        self._flesh: tuple[Any, _Flesh] | None = None
        self._told: tuple[Any, Any] | None = None
        self._neighbourhood = Neighbourhood()

    def bones(self, armature: bpy.types.Object, structure: Hashable) -> Bones:
        """The bones, which do not change while the armature moves.

        Args:
            armature: the original object.
            structure: a key that stays equal while only poses and transforms change.
        """
        if self._bones is None or self._bones[0] != structure:
            self._bones = structure, read_bones(armature)
        return self._bones[1]

    def limits(
        self, armature: bpy.types.Object, standing: Standing, chains: Sequence[Chain], structure: Hashable
    ) -> list[Limit]:
        """The joint limits that are reached in the present pose.

        Args:
            armature: the original object; standing: its present transforms.
            chains: of the bones that may move.
            structure: see `bones`.

        Raises:
            Refused: the figure cannot be solved; the message gives the reason.
        """
        if not chains:
            return []
        figure = self._known(armature, chains, structure)
        if self._limited is None or self._limited.figure is not figure:
            self._limited = LimitedJoints.of(figure)
        return self._limited.standing(standing.basis, standing.matrix, self._space(armature, standing))

    def ellipsoid(
        self,
        armature: bpy.types.Object,
        standing: Standing,
        chains: Sequence[Chain],
        structure: Hashable,
        point: tuple[str, tuple[float, float, float]],
        chain_root: str,
    ) -> Ellipsoid | None:
        """Manipulability of a point of a bone; None if the bone is not part of the figure.

        Args:
            armature, standing, chains, structure: see `limits`, also for what is raised.
            point: name of the bone, and a point in the bone's axes and the armature's units.
            chain_root: topmost bone that may move for it, "" for the whole figure.
        """
        bone, local = point
        if not chains:
            return None
        figure = self._known(armature, chains, structure)
        if bone not in figure.skeleton.names:
            return None
        told = bone, chain_root
        if self._lever is None or self._lever[0] != told or self._lever[1].figure is not figure:
            self._lever = told, Lever.of(figure, bone, chain_root)
        lever = self._lever[1]
        own = standing.bones[lever.bone]
        place = own[:3, :3] @ local + own[:3, 3]
        jacobian = lever.jacobian(standing.basis, standing.bones, place)
        # singular values and directions from the 3 x 3 matrix J J^T
        squares, directions = np.linalg.eigh(jacobian @ jacobian.T)
        return Ellipsoid(place, (directions * np.sqrt(np.maximum(squares, 0.0))).T[::-1])

    def flesh(self, armature: bpy.types.Object, standing: Standing) -> Any:
        """The settings of thickness and mass, as plain values."""
        data: Any = armature.data
        deform = np.empty(len(standing.matrix), dtype=np.bool_)
        data.bones.foreach_get("use_deform", deform)
        return self._links(armature, standing), deform.tobytes()

    def _links(self, armature: bpy.types.Object, standing: Standing) -> Any:
        """Thickness and mass of single bones, read again if they may have changed."""
        asked = armature.session_uid, standing.changes
        if self._told is None or self._told[0] != asked:
            links = read_links(armature)
            arrays = [each.tobytes() for each in (links.a, links.b, links.radius, links.on)]
            self._told = asked, (links.bones, arrays, bone_settings(armature, "mass"))
        return self._told[1]

    def capsules(self, armature: bpy.types.Object, standing: Standing, structure: Hashable) -> Capsules:
        """The figure's capsules in the world; see `limits` for the arguments."""
        parts = self._thickness(armature, standing, structure).parts
        known = self._placed
        if known is None or known[0] is not parts or known[1] is not standing:
            bones = self.bones(armature, structure)
            known = self._placed = parts, standing, parts.placed(bones, standing.bones)
        return known[2]

    def stand(
        self,
        armature: bpy.types.Object,
        standing: Standing,
        structure: Hashable,
        planted: Sequence[tuple[Sequence[float], float]],
    ) -> Stand | None:
        """The figure's balance on its planted bones, or on its lowest parts; None if unknown.

        See `limits` and `balance.stand` for the arguments.
        """
        flesh = self._thickness(armature, standing, structure)
        if flesh.weights is None:
            return None
        center = flesh.weights.center(standing.bones)
        return stand(center, self.capsules(armature, standing, structure), planted)

    def critical(
        self,
        armature: bpy.types.Object,
        standing: Standing,
        chains: Sequence[Chain],
        structure: Hashable,
        depsgraph: bpy.types.Depsgraph,
        changes: Changes,
    ) -> Critical | None:
        """The obstacles near the figure, see `Neighbourhood.look`.

        Args:
            armature, standing, chains, structure: see `limits`, also for what is raised.
            depsgraph: evaluated; changes: since the last call.
        """
        self._neighbourhood.changed(changes)
        if not chains:
            return None
        return self._neighbourhood.look(
            armature,
            (structure, tuple(chains)),
            self._known(armature, chains, structure),
            self._links(armature, standing),
            standing.matrix,
            standing.told,
            self._space(armature, standing),
            depsgraph,
        )

    def _thickness(self, armature: bpy.types.Object, standing: Standing, structure: Hashable) -> _Flesh:
        """Thickness and masses of the figure, read again if their settings have changed."""
        bones, unit = self.bones(armature, structure), metre(bpy.context.scene)
        told = structure, self.flesh(armature, standing), armature.matrix_world.median_scale, unit
        if self._flesh is None or self._flesh[0] != told:
            try:
                weights = Weights.of(read_masses(armature, bones, unit), bones)
            except Refused:
                weights = None  # no part has a mass
            self._flesh = told, _Flesh(present_links(armature, bones), weights)
        return self._flesh[1]

    def _known(self, armature: bpy.types.Object, chains: Sequence[Chain], structure: Hashable) -> Figure:
        """The figure in any pose."""
        key = structure, tuple(chains)
        if self._figure is None or self._figure[0] != key:
            bones, space = self.bones(armature, structure), self._space(armature)
            root = root_setting(armature, bones)
            solved = moving_bones(bones, chains, root, upward(armature))
            self._figure = key, read_figure(bones, read_state(armature, bones), space, solved, root=root)
        return self._figure[1]

    def _space(self, armature: bpy.types.Object, standing: Standing | None = None) -> Space:
        """The armature's space, which rarely changes while its bones move."""
        world = np.array(armature.matrix_world, dtype=float) if standing is None else standing.world
        matrix = world.tobytes()
        if self._place is None or self._place[0] != matrix:
            self._place = matrix, read_space(armature)
        return self._place[1]
