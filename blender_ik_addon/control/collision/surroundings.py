# SPDX-License-Identifier: GPL-3.0-or-later
"""What a figure keeps clear of: obstacles of the scene, and its own limbs.

The trees over meshes are built once and kept (`kept`); from frame to frame only the motions of the obstacles
change.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Final, Protocol

import bpy
import numpy as np
import numpy.typing as npt

import ikmath as ik
from ikmath.collision import Avoidance, Shape
from ikmath.parameters import configured

from ...bridge.armature import Array, Bones, Indices
from ...bridge.obstacles import ObstacleReader, Wanted
from ...bridge.skeleton import Figure
from ...bridge.space import Space
from ...properties.access import rig_of
from ...properties.refusal import Refused
from .body import LinkPlan, body_links, link_on
from .mesh_cache import kept_readers
from .rooted import Held, above_roots, held_links, roots_of
from .self_collision import watched_pairs

_SAME_SIZE: Final = 1e-5  # relative; by that much bones of one scale differ in single precision


@dataclass(frozen=True, kw_only=True, eq=False)
class Surroundings:
    """What stays the same over all frames.

    Attributes:
        links: the parts of the figure that count.
        margin: metres.
        self_collision: whether limbs keep out of each other; with pairs that are watched in any case, and
            pairs that are not.
        avoidance: the way to keep clear, with its parameters.
        reader: keeps the meshes' trees, and no Blender object.
    """

    links: tuple[LinkPlan, ...]
    margin: float
    self_collision: bool
    watched: tuple[tuple[str, str], ...]
    unwatched: tuple[tuple[str, str], ...]
    avoidance: Avoidance
    reader: ObstacleReader = field(repr=False)


@dataclass(frozen=True)
class Near:
    """What a figure is nearest to.

    Attributes:
        clearance: metres, negative inside; infinite if there is nothing.
        name: of the obstacle, or of two bones.
    """

    clearance: float
    name: str


NOWHERE: Final = Near(np.inf, "")


@dataclass(frozen=True, eq=False)
class Model:
    """What frames have in common whose links have the same sizes.

    Attributes:
        problem: of one of them, with a scene.
        sizes: (L, 3) of the links, see `link_sizes`.
        held: those that may be rooted in obstacles; roots: how deep they are, see `roots_of`.
    """

    problem: ik.Problem = field(repr=False)
    sizes: Array = field(repr=False)
    held: Held = field(repr=False)
    roots: tuple[int, ...]

    def holds(self, sizes: Array, figure: Figure, obstacles: Sequence[Shape]) -> bool:
        """Whether it is the model of a frame, too."""
        return same_sizes(sizes, self.sizes) and roots_of(self.held, figure, obstacles) == self.roots


class _Sampled(Protocol):
    """What is needed of a sampled frame."""

    @property
    def obstacles(self) -> tuple[Shape, ...]: ...


def read_surroundings(
    armature: bpy.types.Object, bones: Bones, solved: Sequence[str], instead: str = ""
) -> Surroundings | None:
    """What an armature's settings say it keeps clear of; None if of nothing.

    Obstacles count only for the parts that a solve can move: the rest could not get out of their way. It is
    there in self-collision, as something for the others to keep out of.

    Args:
        armature: the original object.
        bones: of it.
        solved: names of the bones that may move.
        instead: method in place of the one that is set; it keeps clear in a way that it knows.

    Raises:
        Refused: the method knows no obstacles, or a bone of the body is gone.
    """
    rig = rig_of(armature)
    body, method = rig.body, ik.METHODS[instead or rig.solver.method]
    if not any(obstacle.enabled for obstacle in rig.obstacles):
        kept_readers().forget(armature)
        if not body.self_collision:
            return None
    if not method.obstacles:
        able = " or ".join(entry.label for entry in ik.METHODS.values() if entry.obstacles)
        raise Refused(
            f"Method {method.label} does not support obstacles: choose {able}, or switch off the obstacles"
            f" and self-collision of '{armature.name}'"
        )
    links = body_links(armature, bones)
    for link in links:
        if link.bone not in bones.index:
            raise Refused(
                f"The body of '{armature.name}' has a capsule on bone '{link.bone}', which does not exist"
                " (renamed or deleted?): fit the body again"
            )
    moving = frozenset(solved)
    movable = [any(bones.names[n] in moving for n in bones.ancestors(link.bone)) for link in links]
    links = tuple(
        replace(link, moves=moves)
        for link, moves in zip(links, movable, strict=True)
        if moves or body.self_collision
    )
    avoidance = configured(ik.AVOIDANCE[body.avoidance], body.parameters.options(body.avoidance))
    if instead:
        ways = (avoidance, *ik.AVOIDANCE.values())
        avoidance = next(
            way for way in ways if not method.objection(ik.Requirements(goals=(), avoidance=way))
        )
    there = {link.bone for link in links}
    pairs = [(pair.a, pair.b, pair.watched) for pair in body.pairs if {pair.a, pair.b} <= there]
    return Surroundings(
        links=links,
        margin=body.margin,
        self_collision=body.self_collision,
        watched=tuple((a, b) for a, b, watched in pairs if watched and a != b),
        unwatched=tuple((a, b) for a, b, watched in pairs if not watched and a != b),
        avoidance=avoidance,
        reader=kept_readers().of(armature),
    )


def obstacles_of(armature: bpy.types.Object) -> list[Wanted]:
    """The objects that an armature's switched-on obstacles stand for."""
    wanted: list[Wanted] = []
    for obstacle in rig_of(armature).obstacles:
        if obstacle.enabled:
            how, name = (obstacle.mode, obstacle.margin), obstacle.shown_name
            gone = obstacle.collection is None and obstacle.object is None
            wanted += [Wanted(None, *how, name)] if gone else []
            wanted += [Wanted(thing, *how, name) for thing in obstacle.things]
    # One object twice, alone and with its collection: the first entry counts.
    once = {one.key or f"{row}": one for row, one in reversed([*enumerate(wanted)])}
    return list(once.values())[::-1]


def look_around(
    surroundings: Surroundings | None,
    armature: bpy.types.Object,
    space: Space,
    depsgraph: bpy.types.Depsgraph,
    reshaped: Collection[str] | None = None,
) -> tuple[tuple[Shape, ...], tuple[str, ...]]:
    """The obstacles in the frame that the dependency graph is at, and sentences on those that do not count.

    Args:
        surroundings: of the armature's plan.
        armature: the original object.
        space: where it is in this frame.
        depsgraph: evaluated.
        reshaped: see `ObstacleReader.read`.
    """
    if surroundings is None:
        return (), ()
    meshes, faults = surroundings.reader.read(obstacles_of(armature), armature, space, depsgraph, reshaped)
    return tuple(meshes), tuple(fault.sentence for fault in faults)


def place_problems(
    surroundings: Surroundings | None,
    problems: Sequence[ik.Problem],
    figures: Sequence[Figure],
    samples: Sequence[_Sampled],
    model: Model | None = None,
) -> list[tuple[ik.Problem, Model | None]]:
    """Put problems of single frames among what there is in these frames.

    Args:
        surroundings: of the plan.
        problems, figures, samples: one a frame.
        model: of a frame before.

    Returns:
        The problems, each with the model for later frames; None where there is nothing around.
    """
    if surroundings is None:
        return [(problem, None) for problem in problems]
    placed: list[tuple[ik.Problem, Model | None]] = []
    for problem, figure, sample in zip(problems, figures, samples, strict=True):
        numbers = [figure.bones.index[link.bone] for link in surroundings.links]
        now = link_sizes(numbers, figure.state.matrix, figure.space)
        if model is None or not model.holds(now, figure, sample.obstacles):
            model = make_model(surroundings, problem, figure, sample.obstacles, now)
        if model.problem.scene is None:
            model = None  # there is nothing in this frame; there may be in the next
        else:  # what is known of obstacles that stand still is kept from frame to frame
            problem = problem.with_obstacles(sample.obstacles, model.problem)
            model = replace(model, problem=problem)
        placed.append((problem, model))
    return placed


def nearest_thing(
    problem: ik.Problem, q: Array, skeleton: ik.Skeleton | None = None, clearance: float | None = None
) -> Near:
    """What the figure is nearest to.

    Args:
        problem: of the frame.
        q: (n,) the coordinates found.
        skeleton: the figure as Blender shows it, if it is not the problem's own.
        clearance: metres, if it is known; what has it is then looked for no farther away.
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
    """How far a figure, as Blender shows it, is inside of what the problem keeps clear of, metres."""
    if problem.scene is None:
        return 0.0
    return max(0.0, problem.margin - nearest_thing(problem, figure.q, figure.shown).clearance)


def make_model(
    surroundings: Surroundings, problem: ik.Problem, figure: Figure, obstacles: Sequence[Shape], sizes: Array
) -> Model:
    """The model of a frame.

    Args:
        surroundings: of the plan.
        problem, figure, obstacles: of the frame; sizes: (L, 3) of the links in it.
    """
    links = [link_on(figure, link) for link in surroundings.links]
    held = held_links(figure, links, surroundings.margin)
    roots = roots_of(held, figure, obstacles)
    body = ik.Body(above_roots(links, held, roots))
    pairs = np.zeros((0, 2), dtype=np.intp)
    if surroundings.self_collision:
        pairs = watched_pairs(
            figure,
            body,
            watched=surroundings.watched,
            unwatched=surroundings.unwatched,
            slack=surroundings.margin,
        )
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
    """(L, 3) how long the axes of the links' bones are in metres.

    Args:
        numbers: (L,) of the bones; matrix: (B, 4, 4) where all are, armature space.
        space: where the armature is.
    """
    axes = matrix[numbers, :3, :3].astype(float)
    sizes: Array = np.sqrt((axes * axes).sum(1)) * space.scale
    return sizes


def same_sizes(now: Array, then: Array) -> bool:
    """Whether links still are as thick and long as they were, by their sizes (L, 3)."""
    return bool(np.abs(now - then).max(initial=0.0) <= _SAME_SIZE)
