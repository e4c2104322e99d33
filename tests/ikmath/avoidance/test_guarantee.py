# SPDX-License-Identifier: GPL-3.0-or-later
"""The default method's word: never inside anything, through nothing, and as near as one likes.

A few dozen scenes here; `tests/benchmarks/avoidance.py` does the same with thousands.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import ikmath as ik
from ikmath.diagnosis.error_bounds import is_hopeless
from ikmath.solvers.collision_guard import CollisionGuard
from tests.ikmath.avoidance import brute_force, scenes

COUNTS = {"trunk": 5, "human": 3, "arm": 6}
WALLS = ("rectangle", "sheet mesh")
DEEPEST = -1e-6


def watched(kind, seed, **options):
    scene = scenes.scene(kind, seed, **options)
    return scene, scenes.Watched(scene)


@pytest.mark.parametrize(("kind", "seed"), [(kind, seed) for kind in COUNTS for seed in range(COUNTS[kind])])
def test_no_step_enters_anything(kind, seed):
    scene, run = watched(kind, seed)
    assert scenes.deepest(scene, scene.start[None]) > 0.0
    assert scenes.deepest(scene, run.poses) >= DEEPEST
    assert scenes.passed_through(scene, run.moves) == 0


@pytest.mark.parametrize(("kind", "seed"), [(kind, seed) for kind in COUNTS for seed in (100, 101)])
def test_nothing_thin_is_passed_through(kind, seed):
    """Only walls without thickness, and no margin."""
    scene, run = watched(kind, seed, kinds=WALLS, margin=0.0)
    assert scenes.deepest(scene, run.poses) >= DEEPEST
    assert scenes.passed_through(scene, run.moves) == 0


def test_links_without_thickness_do_not_pass_a_wall_either():
    chain = ik.figures.ball_chain(4, 0.5)
    body = ik.Body([ik.Link(f"ball{i}", (0, 0, 0), (0, 0.5, 0), 0.0) for i in range(4)])
    wall = ik.Rectangle((0, 1.0, 0.5), (5, 0, 0), (0, 5, 0), name="wall")
    start = np.tile([0.05, 0.0, 0.0], 4)
    problem = ik.Problem(chain, [ik.Position("tip", (0, 1.2, 0.8))], obstacles=[wall], body=body)
    scene = scenes.Scene(problem, start)
    run = scenes.Watched(scene, max_iterations=100)
    assert scenes.passed_through(scene, run.moves) == 0
    assert run.solution.status is ik.Status.BLOCKED
    assert ik.Pose.forward(chain, run.solution.q).position[:, 2].max() <= 0.5 + 1e-9


@pytest.mark.parametrize(("kind", "seed"), [(kind, seed) for kind in COUNTS for seed in (*range(6), 14)])
def test_a_goal_that_touches_is_reached(kind, seed):
    """With one millimetre left between, to one millimetre, round what is in the way, and never by a leap."""
    scene = scenes.touching(kind, seed)
    run = scenes.Watched(scene)
    assert run.solution.errors.max() <= 1e-3
    assert scenes.deepest(scene, run.poses) >= DEEPEST
    assert scenes.passed_through(scene, run.moves) == 0
    # from the start to the answer by pieces of way that were looked at, one after the other
    been = {scene.problem.skeleton.project(scene.start).tobytes()}
    for old, new in run.moves:
        if old.tobytes() in been:
            been.add(new.tobytes())
    assert run.solution.q.tobytes() in been


def behind(depth):
    """A chain under a ceiling, its goal above it."""
    chain = ik.figures.ball_chain(6, 0.3)
    body = ik.Body([ik.Link(f"ball{i}", (0, 0, 0), (0, 0.3, 0), radius=0.04) for i in range(6)])
    ceiling = ik.HalfSpace((0, 0, 0.5), (0, 0, -1), name="ceiling")
    goal = ik.Position("tip", (0.2, 0.8, 0.5 + depth), name="hand")
    return ik.Problem(chain, [goal], obstacles=[ceiling], body=body)


@pytest.mark.parametrize("depth", [0.0, 0.1, 0.4])
def test_a_goal_behind_is_blocked_by_name_and_reached_as_near_as_can_be(depth):
    problem = behind(depth)
    answer = ik.solve(problem, np.tile([0.1, 0.0, 0.05], 6), max_iterations=200)
    assert answer.status is ik.Status.BLOCKED
    assert answer.message.endswith("stopped by ceiling.")
    assert answer.errors[0] == pytest.approx(depth + 0.04, abs=1e-3)  # the tip slid to below the goal


def test_what_is_met_nowhere_is_told_and_not_looked_for_at_length():
    problem, start = behind(0.2), np.tile([0.1, 0.0, 0.05], 6)
    answer = ik.solve(problem, start, max_iterations=200)
    assert answer.status is ik.Status.BLOCKED and answer.iterations < 60
    assert is_hopeless(problem, ik.Pose.forward(problem.skeleton, start), answer.errors, 1e-4, guarded=True)


@pytest.mark.parametrize(("kind", "seed"), [(kind, seed) for kind in COUNTS for seed in range(4)])
def test_a_goal_that_touches_is_not_hopeless_and_one_inside_is(kind, seed):
    scene = scenes.touching(kind, seed)
    problem, (goal,), (thing,) = scene.problem, scene.problem.goals, scene.problem.obstacles
    pose, short = ik.Pose.forward(problem.skeleton, scene.start), np.array([1.0])
    assert not is_hopeless(problem, pose, short, 1e-4, guarded=True)
    away = thing.nearest(goal.target).normal[0]
    inside = problem.with_targets([goal.with_targets(target=goal.target - 2e-3 * away)])
    assert is_hopeless(inside, pose, short, 1e-4, guarded=True)


def test_a_blocked_figure_rests():
    """Asked again and again, as a tool that is held does, it stays where it is."""
    problem = behind(0.2)
    answer = ik.solve(problem, np.tile([0.1, 0.0, 0.05], 6), max_iterations=200)
    tips = []
    for _ in range(20):
        answer = ik.solve(problem, answer.q, following=answer)
        tips.append(ik.Pose.forward(problem.skeleton, answer.q).position)
    assert np.abs(np.diff(tips[1:], axis=0)).max() < 1e-4 * problem.length


@pytest.mark.parametrize("kind", ["sphere", "cylinder", "capsule", "solid mesh"])
def test_who_starts_inside_is_pushed_out(kind):
    pushed = 0
    for seed in range(6):
        rng = np.random.default_rng(seed)
        skeleton, body, _ = scenes.figure("trunk", rng)
        start = scenes.pose(skeleton, rng, 0.3)
        place = ik.Pose.forward(skeleton, start).point("tip") + rng.normal(size=3) * 0.3
        thing = scenes.obstacle(kind, place, 0.1 * skeleton.size, rng, "thing")
        if brute_force.clearances(skeleton, body, [thing], start[None])[0, 0] > -0.05:
            continue
        free = ik.Problem(skeleton, obstacles=[thing], body=body)
        answer = ik.solve(free, start)
        assert brute_force.clearances(skeleton, body, [thing], answer.q[None])[0, 0] >= DEEPEST
        pushed += 1
    assert pushed >= 3


def rooted_in_a_pillar(seed):
    """A problem with a target for the tip, and a start whose root is in a pillar."""
    rng = np.random.default_rng(seed)
    skeleton, body, _ = scenes.figure("trunk", rng)
    start = scenes.pose(skeleton, rng, 0.2)
    root, tip = (ik.Pose.forward(skeleton, start).point(name) for name in (skeleton.names[0], "tip"))
    pillar = scenes.obstacle("cylinder", root, 0.2 * skeleton.size, rng, "pillar")
    target = tip + 0.3 * (root - tip)
    return ik.Problem(skeleton, [ik.Position("tip", target)], obstacles=[pillar], body=body), start


@pytest.mark.parametrize("search", [False, True])
def test_who_cannot_get_out_does_not_try_for_long(monkeypatch, search):
    """A figure that is rooted in a pillar: how many poses are measured, and that goals are followed all the
    same."""
    looks = []
    near = CollisionGuard.near
    monkeypatch.setattr(CollisionGuard, "near", lambda self, pose: looks.append(1) or near(self, pose))
    problem, start = rooted_in_a_pillar(4)
    before = problem.errors(ik.Pose.forward(problem.skeleton, start))[0]
    answer = ik.solve(problem, start, restarts=int(search))
    assert answer.status is ik.Status.INFEASIBLE and "pillar" in answer.message
    assert len(looks) < (400 if search else 120)
    assert answer.errors[0] < before


def test_who_cannot_get_out_moves_what_is_free(monkeypatch):
    """No step asks again for the way out that there is none of: the tip gets there, by few poses that are
    measured, and nothing goes deeper."""
    looks = []
    near = CollisionGuard.near
    monkeypatch.setattr(CollisionGuard, "near", lambda self, pose: looks.append(1) or near(self, pose))
    seeds = range(12)
    for seed in seeds:
        problem, start = rooted_in_a_pillar(seed)
        answer = ik.solve(problem, start)
        assert answer.errors[0] < 1e-3
        deepest = problem.scene.clearance(ik.Pose.forward(problem.skeleton, start))
        assert answer.clearance > deepest - 1e-6 * problem.length
    assert len(looks) < 45 * len(seeds)


def test_what_is_handed_on_to_the_frame_after_changes_nothing():
    """A track among meshes with the near pairs of the frame before, and without."""
    rng = np.random.default_rng(3)
    skeleton, body, _ = scenes.figure("trunk", rng)
    start = scenes.pose(skeleton, rng, 0.2)
    tip = ik.Pose.forward(skeleton, start).point("tip")
    way = np.linspace(0.0, 0.3, 12)[:, None] * skeleton.size * np.array([1.0, 0.3, -0.2])
    size = 0.1 * skeleton.size
    thing = scenes.obstacle("solid mesh", tip + way[-1] + (0.0, 0.0, 2.0 * size), size, rng, "thing")
    problem = ik.Problem(skeleton, [ik.Position("tip", tip + way)], obstacles=[thing], body=body)
    ends = []
    for handed in (True, False):
        answer = ik.solve(problem.at(0), start)
        for frame in range(1, len(way)):
            if not handed:
                answer = replace(answer, memory=answer.memory._replace(near=None))
            answer = ik.solve(problem.at(frame), answer.q, following=answer)
        ends.append(answer.q)
    np.testing.assert_allclose(ends[0], ends[1], atol=1e-9)


@pytest.mark.parametrize("height", [-0.2, 0.9, 2.0, 2.6, 4.0])
@pytest.mark.parametrize("up", [True, False])
def test_behind_an_open_surface_status_message_and_clearance_agree(height, up):
    """A chain along +Y, and a sheet across it or far away, as a floor or as a ceiling over another room."""
    arm = ik.figures.ball_chain(5)
    links = [ik.Link(name, (0, 0, 0), (0, 0.5, 0), 0.05) for name in arm.names]
    corners = [(x, height, z) for x, z in ((-9, -9), (9, -9), (9, 9), (-9, 9))]
    faces = [(0, 2, 1), (0, 3, 2)] if up else [(0, 1, 2), (0, 2, 3)]
    sheet = ik.TriangleMesh(corners, faces, mode="one_sided", name="sheet")
    goal = ik.Position(arm.names[-1], (0.8, 1.4, 0.3))
    answer = ik.solve(ik.Problem(arm, [goal], obstacles=[sheet], body=ik.Body(links)))
    assert (answer.clearance < -1e-4) == (answer.status == ik.Status.INFEASIBLE)
    assert (answer.clearance < -1e-4) == ("into sheet" in answer.message)
