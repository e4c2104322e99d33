# SPDX-License-Identifier: GPL-3.0-or-later
"""The obstacles of a figure and its self-collision, as problems of `ikmath`.

The trees over meshes are built once and cached (`mesh_cache`). From frame to frame only the transforms of the
obstacles change.

Some links are on joints that cannot move away from an obstacle: a lamp on its table, hips on a chair. If no
coordinate moves a joint, it stays at the obstacle, and so does the part of the link next to it, however the
joint turns. Keeping that part clear would almost block the joint, and the figure with it. So it is exempt.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from math import ceil
from typing import Any, Final

import bpy
import numpy as np
import numpy.typing as npt

import ikmath as ik
from ikmath.collision import Avoidance, Shape, TriangleMesh
from ikmath.parameters import configured

from ...bridge.armature import Array, Bones, Indices
from ...bridge.obstacles import Avoided, ObstacleReader
from ...bridge.skeleton import Figure
from ...bridge.space import Space
from ...properties.access import rig_of
from ...properties.refusal import Refused
from .body import Capsules, body_links, links_on, watched_pairs
from .mesh_cache import MeshCache

_LEAN: Final = 2.0  # exempt length from the joint, in thicknesses of the link; it can then lean by 60 degrees
_MOST: Final = 100  # thicknesses; a link that is deeper inside does not meet obstacles at all
_SAME_SIZE: Final = 1e-5  # relative difference in size of equally scaled bones in single precision


class HeldLinks:
    """The links of a figure on joints that no coordinate moves; K of them.

    The margin is the required clearance from all obstacles, metres.
    """

    def __init__(self, figure: Figure, links: Sequence[ik.Link], margin: float) -> None:
        skeleton = figure.skeleton
        self._rows, self._joints, thick = list[int](), list[int](), list[float]()
        for row, link in enumerate(links):
            joint = skeleton.index(link.joint)
            turns_itself = (skeleton.owner == joint) & skeleton.is_turn
            if link.meets_obstacles and not (skeleton.influence[:, joint] & ~turns_itself).any():
                self._rows.append(row)
                self._joints.append(joint)
                thick.append(float(link.radius) + margin)
        self._thick = np.array(thick)  # metres, required distance of the joint from obstacles

    def roots(self, figure: Figure, obstacles: Sequence[Shape]) -> tuple[int, ...]:
        """(K,) how deep the joints are inside the required clearance, in thicknesses; 0: free."""
        if not self._rows:
            return ()
        places = ik.Pose.forward(figure.skeleton, figure.q).position[self._joints]
        deep = [0] * len(self._rows)
        for shape in obstacles:
            center, radius = shape.bounds
            gap = places - center
            if not (gap * gap).sum(1).min() <= (radius + self._thick.max() + shape.margin) ** 2:
                continue  # runs in every frame, and most obstacles are far away
            keep = self._thick + shape.margin
            away = shape.nearest(places, float(keep.max())).distance
            for row, (lacks, thick) in enumerate(zip((keep - away).tolist(), keep.tolist(), strict=True)):
                if lacks > 0.0:
                    deep[row] = max(deep[row], ceil(min(lacks / thick, _MOST)))
        return tuple(deep)

    def above(self, links: Sequence[ik.Link], roots: Sequence[int]) -> list[ik.Link]:
        """All links, where rooted ones lack the part next to their joints; roots: (K,) depths."""
        found = list(links)
        for row, thick, root in zip(self._rows, self._thick.tolist(), roots, strict=True):
            if root:
                found[row] = _from(links[row], _LEAN * root * thick)
        return found


def _from(link: ik.Link, away: float) -> ik.Link:
    """A link without the part within `away` metres of its joint; it meets no obstacles if nothing is left."""
    a, b = np.asarray(link.a, dtype=float), np.asarray(link.b, dtype=float)
    near, far = sorted((a, b), key=np.linalg.norm)
    if not np.linalg.norm(far) > away:
        return replace(link, meets_obstacles=False)
    way = far - near
    # where |near + t way| = away
    square, half, rest = way @ way, near @ way, near @ near - away * away
    t = max(0.0, (-half + np.sqrt(max(half * half - square * rest, 0.0))) / square) if square > 0.0 else 0.0
    return replace(link, a=near + t * way, b=far)


@dataclass(frozen=True, kw_only=True, eq=False)
class Surroundings:
    """Obstacle settings, constant over all frames.

    Attributes:
        links: the capsules of the figure that are used.
        margin: metres.
        self_collision: whether links avoid each other; pairs: of bones, whether they count in any case.
        avoidance: the avoidance method with its parameters.
        reader: caches the meshes' trees; holds no Blender object.
    """

    links: Capsules
    margin: float
    self_collision: bool
    pairs: Mapping[tuple[str, str], bool]
    avoidance: Avoidance
    reader: ObstacleReader = field(repr=False)


@dataclass(frozen=True)
class Near:
    """The nearest obstacle or the nearest pair of bones.

    Attributes:
        clearance: metres, negative inside; infinite without obstacles.
        name: of the obstacle, or of the two bones.
    """

    clearance: float
    name: str


NOWHERE: Final = Near(np.inf, "")


@dataclass(frozen=True, eq=False)
class Model:
    """Data shared by frames whose links have the same sizes.

    Attributes:
        problem: of one of these frames, with a scene.
        sizes: (L, 3) of the links, see `link_sizes`.
        held: links that may be rooted in obstacles; roots: their depths, see `HeldLinks.roots`.
    """

    problem: ik.Problem = field(repr=False)
    sizes: Array = field(repr=False)
    held: HeldLinks = field(repr=False)
    roots: tuple[int, ...]

    def holds(self, sizes: Array, figure: Figure, obstacles: Sequence[Shape]) -> bool:
        """Whether the model is valid for a frame."""
        change = np.abs(sizes - self.sizes).max(initial=0.0)
        return bool(change <= _SAME_SIZE) and self.held.roots(figure, obstacles) == self.roots


def read_surroundings(
    armature: bpy.types.Object, bones: Bones, solved: Sequence[str], instead: str = ""
) -> Surroundings | None:
    """Read an armature's obstacle settings; None without obstacles and self-collision.

    Obstacles only affect links that a solve can move, because the others cannot avoid anything. In
    self-collision, all links count. If a method is given `instead` of the chosen one, an avoidance method
    that it supports replaces the chosen one, too.
    """
    rig = rig_of(armature)
    body, method = rig.body, ik.METHODS[instead or rig.solver.method]
    if not any(obstacle.enabled for obstacle in rig.obstacles):
        MeshCache.readers.pop(armature.session_uid, None)
        if not body.self_collision:
            return None
    if not method.obstacles:
        able = " or ".join(entry.label for entry in ik.METHODS.values() if entry.obstacles)
        raise Refused(
            f"Method {method.label} does not support obstacles: choose {able}, or switch off the obstacles"
            f" and self-collision of '{armature.name}'"
        )
    links = body_links(armature, bones)
    carriers = links["bone"].tolist()
    for bone in carriers:
        if bone not in bones.index:
            raise Refused(
                f"The body of '{armature.name}' has a capsule on bone '{bone}', which does not exist"
                " (renamed or deleted?): fit the body again"
            )
    moving = frozenset(solved)
    links["on"] = [any(bones.names[n] in moving for n in bones.ancestors(one)) for one in carriers]
    links = links[links["on"] | body.self_collision]
    avoidance = configured(ik.AVOIDANCE[body.avoidance], body.parameters.options(body.avoidance))
    if instead:
        ways = (avoidance, *ik.AVOIDANCE.values())
        avoidance = next(
            way for way in ways if not method.objection(ik.Requirements(goals=(), avoidance=way))
        )
    there = set(links["bone"].tolist())
    pairs = [pair for pair in body.pairs if {pair.a, pair.b} <= there and pair.a != pair.b]
    return Surroundings(
        links=links,
        margin=body.margin,
        self_collision=body.self_collision,
        pairs={(pair.a, pair.b): pair.watched for pair in pairs},
        avoidance=avoidance,
        reader=MeshCache.reader(armature),
    )


def obstacles_of(armature: bpy.types.Object) -> list[Avoided]:
    """The objects of an armature's enabled obstacles."""
    wanted: list[Avoided] = []
    for obstacle in rig_of(armature).obstacles:
        if obstacle.enabled:
            how, name = (obstacle.mode, obstacle.margin), obstacle.shown_name
            gone = obstacle.collection is None and obstacle.object is None
            wanted += [Avoided(None, *how, name)] if gone else []
            wanted += [Avoided(thing, *how, name) for thing in obstacle.things]
    # If an object is listed twice, alone and in its collection, the first entry counts.
    once = {one.key or f"{row}": one for row, one in reversed([*enumerate(wanted)])}
    return list(once.values())[::-1]


def look_around(
    surroundings: Surroundings | None,
    armature: bpy.types.Object,
    space: Space,
    depsgraph: bpy.types.Depsgraph,
    reshaped: Collection[str] | None = None,
) -> tuple[tuple[TriangleMesh, ...], tuple[str, ...]]:
    """The obstacles in the depsgraph's frame, and sentences on ignored ones; see `ObstacleReader.read`."""
    if surroundings is None:
        return (), ()
    meshes, ignored = surroundings.reader.read(obstacles_of(armature), armature, space, depsgraph, reshaped)
    return tuple(meshes), tuple(ignored)


def place_problem(
    surroundings: Surroundings | None,
    problem: ik.Problem,
    figure: Figure,
    obstacles: Sequence[Shape],
    model: Model | None,
) -> tuple[ik.Problem, Model | None]:
    """Add the obstacles of a frame to its problem; model: of an earlier frame, None without obstacles.

    Returns the problem, and the model for later frames.
    """
    if surroundings is None:
        return problem, None
    numbers = [figure.bones.index[bone] for bone in surroundings.links["bone"].tolist()]
    now = link_sizes(numbers, figure.state.matrix, figure.space)
    if model is None or not model.holds(now, figure, obstacles):
        model = make_model(surroundings, problem, figure, obstacles, now)
    if model.problem.scene is None:
        return problem, None  # the next frame may have obstacles
    # cached distances to static obstacles are reused in the next frame
    placed = problem.with_obstacles(obstacles, model.problem)
    return placed, replace(model, problem=placed)


def nearest_thing(
    problem: ik.Problem, q: Array, skeleton: ik.Skeleton | None = None, clearance: float | None = None
) -> Near:
    """The nearest obstacle or pair of bones of a figure.

    Args:
        problem, q: of the frame, and its solution.
        skeleton: the figure as Blender shows it, if it differs from the problem's.
        clearance: metres, if known; limits the search distance.
    """
    scene = problem.scene
    if scene is None:
        return NOWHERE
    if skeleton is not None:
        scene = scene.with_skeleton(skeleton)
    pose = ik.Pose.forward(scene.skeleton, q)
    if clearance is None:
        clearance = float(scene.clearance(pose, behind=problem.detection_distance))
    if not np.isfinite(clearance):
        return NOWHERE
    near = scene.near(pose, abs(clearance) + 1e-6 * problem.length, behind=problem.detection_distance)
    return Near(clearance, near.names[int(np.argmin(near.clearance))] if len(near) else "")


def depth_of(problem: ik.Problem, figure: Figure) -> float:
    """How deep a figure, as Blender shows it, is inside obstacles or their margin, metres."""
    if problem.scene is None:
        return 0.0
    return max(0.0, problem.margin - nearest_thing(problem, figure.q, figure.shown).clearance)


def make_model(
    surroundings: Surroundings, problem: ik.Problem, figure: Figure, obstacles: Sequence[Shape], sizes: Array
) -> Model:
    """Build the model of a frame; sizes: (L, 3) of the links in this frame."""
    links = links_on(figure, surroundings.links)
    held = HeldLinks(figure, links, surroundings.margin)
    roots = held.roots(figure, obstacles)
    body = ik.Body(held.above(links, roots))
    pairs = np.zeros((0, 2), dtype=np.intp)
    if surroundings.self_collision:
        pairs = watched_pairs(figure, body, surroundings.margin, surroundings.pairs)
    among = ik.Problem(
        figure.skeleton,
        problem.goals,
        obstacles=obstacles,
        body=body,
        avoidance=surroundings.avoidance,
        margin=surroundings.margin,
        self_pairs=pairs,
        metre=problem.metre,
    )
    return Model(among, sizes, held, roots)


def link_sizes(
    numbers: Sequence[int] | Indices, matrix: npt.NDArray[np.floating[Any]], space: Space
) -> Array:
    """(L, 3) lengths of the axes of the links' bones, metres; matrix: (B, 4, 4), armature space."""
    axes = matrix[numbers, :3, :3].astype(float)
    return np.sqrt((axes * axes).sum(1)) * space.scale
