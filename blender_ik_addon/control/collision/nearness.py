# SPDX-License-Identifier: GPL-3.0-or-later
"""The obstacles near a figure, measured repeatedly while it moves, without a solve.

Everything independent of the pose is read once and kept: the scene of links and obstacles, and the previous
distances, which rule out most pairs in the next query. The links follow Blender's evaluated bones.
"""

from collections.abc import Hashable, Sequence
from dataclasses import replace
from functools import cached_property, partial
from typing import Any, Final, NamedTuple

import bpy
import numpy as np

import ikmath as ik
from ikmath.collision import ClosestPairs, Scene, Shape
from ikmath.collision.coherence_cache import CoherenceCache

from ...bridge.armature import Array, Floats, pose_matrices, read_state
from ...bridge.bone_map import bone_map
from ...bridge.chains import Chain
from ...bridge.evaluated import UNKNOWN, Changes
from ...bridge.memo import Memo
from ...bridge.obstacles import ObstacleReader
from ...bridge.skeleton import Figure, read_figure
from ...bridge.space import Space
from ...properties.access import rig_of
from ...properties.session import own_session
from ...properties.settings import settings_around
from ..frame.root import root_now
from .surroundings import Surroundings, link_sizes, look_around, make_model, read_surroundings

_DETECT: Final = 0.05  # share of the figure's size within which critical points are listed
_FARTHER: Final = 2.0  # factor by which the detection distance grows if nothing is that near
_SIMILAR: Final = 1.1  # detection distance of the next query, as a factor of the smallest clearance
_LITTLE: Final = 1.02  # it is kept as long as its ratio to the smallest clearance is between these two
_MUCH: Final = 1.3
_SAME_SHAPE: Final = 2e-5  # difference in scale of equally scaled bones in single precision


class Critical(NamedTuple):
    """The nearest obstacle of a link that is near to something.

    Attributes:
        name: of the obstacle, or of the other bone.
        clearance: metres; margin: metres, required clearance.
        point: (3,) on the figure; other: (3,) on the obstacle; world.
    """

    name: str
    clearance: float
    margin: float
    point: tuple[float, float, float]
    other: tuple[float, float, float]


class Subject:
    """An armature in one redraw, the original, which is up to date in a frame.

    Attributes:
        armature: the object.
        structure: a key that stays equal while only poses and transforms change.
        chains: of the bones that may move; none until they are set.
        matrix: (B, 4, 4) of its bones, armature space; basis: (B, 4, 4) from their channels.
        world: (4, 4) of the armature object.
        told: a key that stays equal while the bones do not move.
        changes: a key that stays equal while thickness and mass do not change; both may be animated.
    """

    def __init__(self, armature: bpy.types.Object, frame: int, structure: Hashable) -> None:
        self.armature, self.structure, self.chains = armature, structure, list[Chain]()
        self.matrix = pose_matrices(armature)
        self.basis = pose_matrices(armature, "matrix_basis")
        self.world = np.array(armature.matrix_world, dtype=float)
        # columns first, the order in memory
        self.told: Hashable = self.world.tobytes(), self.matrix.swapaxes(1, 2).tobytes()
        links = rig_of(armature).body.links
        self.changes: Hashable = own_session().flesh_changes, len(links), frame

    @cached_property
    def bones(self) -> Array:
        """(B, 4, 4) the bones in the world."""
        return np.asarray(self.world @ self.matrix.astype(float))

    @property
    def key(self) -> Hashable:
        """A key that stays equal while the same bones may move."""
        return self.structure, tuple(self.chains)


class _Model:
    """The links with the present scale of the bones; valid until the settings change.

    Attributes:
        above: L, the parent link of each, -1 for none.
        problem: with the scene, if there are obstacles or pairs.
    """

    def __init__(
        self,
        armature: bpy.types.Object,
        around: Surroundings,
        figure: Figure,
        space: Space,
        shapes: Sequence[Shape],
    ) -> None:
        bones, carried = figure.bones, around.links["bone"].tolist()
        state = read_state(armature, bones)
        root = root_now(armature, bone_map(armature, bones)).setting
        figure = read_figure(bones, state, space, figure.solved, root=root, carried=carried)
        plain = ik.Problem(figure.skeleton, [ik.Posture(figure.q)])
        self._numbers = numbers = np.array([bones.index[name] for name in carried], dtype=np.intp)
        sizes = link_sizes(numbers, figure.state.matrix, figure.space)
        self.problem = make_model(around, plain, figure, shapes, sizes).problem
        parents = bones.parents[numbers]
        self.above = np.where(parents >= 0, bones.nearest(numbers)[parents], -1).tolist()
        own = figure.state.matrix.take(numbers, 0).astype(float)
        self._scale, self._shape = space.scale, _shape(own)
        # ends and middles of the links' axes in their bones' axes, homogeneous columns
        self._ends = np.ones((len(numbers), 4, 3))
        scene = self.problem.scene
        if scene is not None:
            places = scene.body.places(ik.Pose.forward(figure.shown, figure.q), scene.motion.joints)
            self._ends[:, :3] = places.swapaxes(1, 2) / space.scale
            self._ends = np.linalg.solve(own, self._ends)

    def places(self, matrix: Floats, scale: float) -> Array | None:
        """(L, 3, 3) ends and middles of the links' axes in rows, figure space, for bones in armature space.

        None if the scale or shear of the links has changed.
        """
        own = matrix.take(self._numbers, 0).astype(float)
        alike = np.abs(_shape(own) - self._shape).max(initial=0.0) <= _SAME_SHAPE
        if not alike or abs(scale / self._scale - 1.0) > _SAME_SHAPE:
            return None
        return scale * np.matmul(own[:, :3], self._ends).swapaxes(1, 2)


class Neighbourhood:
    """Measures around one armature repeatedly; keeps no Blender object.

    `changes` are those of the scene since the obstacles were read.
    """

    def __init__(self) -> None:
        self._reader = ObstacleReader()
        self._key: Any = None
        self._around: Surroundings | None = None
        self._model: _Model | None = None
        self._scene, self._found = Memo[Scene](), Memo[tuple[Critical, ...]]()
        self._watched = Memo[CoherenceCache | None]()
        self._sight = 0.0
        self.changes = UNKNOWN
        self._shapes: tuple[Space, tuple[Shape, ...]] | None = None

    def look(
        self, subject: Subject, links: Hashable, figure: Figure, space: Space, depsgraph: bpy.types.Depsgraph
    ) -> tuple[Critical, ...]:
        """Critical points of the links that are near to something, and of the nearest link in any case.

        Empty if the figure has no obstacles and no self-collision. The figure is in any pose. `links` is a
        key that stays equal while the thickness does not change.
        """
        armature = subject.armature
        if not ik.METHODS[rig_of(armature).solver.method].obstacles:
            return ()  # a method that does not support obstacles
        seen = depsgraph.scene.session_uid, depsgraph.view_layer.name
        key = subject.key, links, settings_around(rig_of(armature)), seen
        if key != self._key:
            around = read_surroundings(armature, figure.bones, figure.solved)
            # the reader caches the trees of the meshes itself
            self._around = None if around is None else replace(around, reader=self._reader)
            self._key, self._model, self._shapes, self._found = key, None, None, Memo()
        around, known = self._around, self._shapes
        if around is None:
            return ()
        if known is None or known[0] is not space or self._reader.concerned(self.changes):
            found, _ = look_around(around, armature, space, depsgraph, self.changes.reshaped)
            known = self._shapes = space, found
        self.changes, shapes = Changes(), known[1]

        def measure() -> tuple[Critical, ...]:
            model = self._model
            places = None if model is None else model.places(subject.matrix, space.scale)
            if model is None or places is None:
                model = self._model = _Model(armature, around, figure, space, shapes)
                places = model.places(subject.matrix, space.scale)
            scene = model.problem.scene
            if scene is None:
                self._model = None
            if scene is None or places is None:
                return ()
            scene = self._scene.get((scene, shapes), partial(scene.with_obstacles, shapes))
            near = self._near(scene, places, model.problem.length)
            return () if near is None else _listed(model, near, space)

        return self._found.get((shapes, subject.told), measure)

    def _near(self, scene: Scene, places: Array, size: float) -> ClosestPairs | None:
        """All near pairs. If there are none, some that include the nearest; None without any obstacle."""
        cache = self._watched.get(scene.broad_phase, scene.coherence_cache)
        sight = max(_DETECT * size, self._sight)
        near = scene.near_places(places, sight, cache=cache)
        if not len(near):
            farthest = scene.broad_phase.upper_bound(places)
            while not len(near) and sight < farthest < np.inf:
                sight *= _FARTHER
                near = scene.near_places(places, sight, cache=cache)
        if not len(near):
            return None
        # If everything is far away, the nearest distance will be similar in the next query.
        least = float(np.minimum.reduce(near.clearance))
        if not least * _LITTLE <= self._sight <= least * _MUCH:
            self._sight = _SIMILAR * least
        return near


def _listed(model: _Model, near: ClosestPairs, space: Space) -> tuple[Critical, ...]:
    """Select the near pairs to show, nearest first; of neighbouring links near one obstacle the nearest."""
    # plain numbers are faster for the few rows
    links, names = near.link.tolist(), near.names
    clearance, room = near.clearance.tolist(), near.room.tolist()
    order = sorted(range(len(links)), key=clearance.__getitem__)
    reach = _DETECT * model.problem.length
    within = [row for row in order if room[row] < reach]
    nearest: dict[int, int] = {}
    for row in within or order[:1]:  # if everything is far away, show the nearest only
        nearest.setdefault(links[row], row)
    hidden = set()
    for link, row in nearest.items():
        parent = model.above[link]
        other = nearest.get(parent, -1)
        if other >= 0 and names[other] == names[row] and clearance[other] != clearance[row]:
            hidden.add(link if clearance[other] < clearance[row] else parent)
    shown = [row for link, row in nearest.items() if link not in hidden]
    rows = np.array(shown)
    points = (space.point_out(where.take(rows, 0)) for where in (near.critical, near.point))
    columns = near.clearance.take(rows), near.margin.take(rows) + model.problem.margin, *points
    return tuple(map(Critical, [names[row] for row in shown], *(column.tolist() for column in columns)))


def _shape(matrix: Array) -> Array:
    """(L, 10) rotation invariants of matrices: the dot products of the axes, and the volume."""
    axes = matrix[:, :3, :3]
    return np.column_stack([np.matmul(axes.swapaxes(1, 2), axes).reshape(-1, 9), np.linalg.det(axes)])
