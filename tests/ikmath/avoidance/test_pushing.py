# SPDX-License-Identifier: GPL-3.0-or-later
"""The texts' avoidance methods: their formulas, what they promise, and what they do not go with."""

from __future__ import annotations

import numpy as np
import pytest

import ikmath as ik
from ikmath.classic.avoidance import Objective, Situation, TaskPriority, Zones
from ikmath.classic.avoidance.costs import blended_cost, blending, cost
from ikmath.classic.avoidance.task_priority import influence, worst_two
from ikmath.collision import Scene

PUSHING = [name for name, entry in ik.AVOIDANCE.items() if not entry.bounds]
BY_JOINTS = [name for name in PUSHING if not name.startswith("cost")]
COSTS = [name for name in PUSHING if name.startswith("cost")]


def trunk(balls=10):
    skeleton = ik.figures.trunk(balls)
    body = ik.Body([ik.Link(f"ball{i}", (0, 0.5, 0), (0, 0.5, 0), 0.5) for i in range(balls)])
    return skeleton, body


def beside(count=1, gap=0.3):
    """A bent trunk with balls beside its middle, and the tip where it should stay."""
    skeleton, body = trunk()
    q = np.tile([0.12, 0.02, -0.05], 10)
    pose = ik.Pose.forward(skeleton, q)
    side = np.array([np.cos(0.3), np.sin(0.3), 0.0])
    things = [
        ik.Sphere(
            pose.point(f"ball{3 + 3 * k}", (0, 0.5, 0)) + (1.0 + gap) * (-1) ** k * side, 0.5, name=f"s{k}"
        )
        for k in range(count)
    ]
    return skeleton, body, things, q, pose.point("tip")


def situation(skeleton, body, things, q, goals, **options):
    pose = ik.Pose.forward(skeleton, q)
    problem = ik.Problem(skeleton, goals, obstacles=things, body=body)
    rows = problem.stack.evaluate(problem.tasks, pose)
    scaled = rows.jacobian * problem.stack.scale[:, None]
    near = Scene(skeleton, body, things).near(pose, 0.5 * problem.length)
    plain = options.get("plain", np.zeros(skeleton.n))
    error = rows.error * problem.stack.scale
    return Situation(near, pose, problem.length, 0.0, error, scaled, plain, None, {})


# ------------------------------------------------------------------ formulas
def test_gains_are_those_of_figure_4_2():
    zones = Zones(d_ta=0.01, d_ug=0.05, d_soi=0.1, speed=0.02)
    d = np.linspace(0.0, 0.15, 3001)
    slope = lambda values: np.gradient(values, d)  # noqa: E731
    h, o = zones.alpha_h(d), zones.alpha_o(d)
    assert (h[d <= 0.05] == 1.0).all() and (h[d >= 0.1] == 0.0).all() and (np.diff(h) <= 1e-15).all()
    assert np.abs(slope(h)[[1000, 2000]]).max() < 0.1 and np.abs(slope(h)).max() > 10
    assert zones.alpha_o(np.array(0.01)) == pytest.approx(0.02)
    assert (o[d >= 0.05] == 0.0).all() and (np.diff(o) <= 0.0).all() and abs(slope(o)[1000]) < 1e-2
    with pytest.raises(ik.BadValue, match="must rise"):
        Zones(d_ta=0.2)


def test_influence_of_pourazady_is_one_over_the_time_that_is_left():
    assert influence(0.3, -0.1, 0.02) == 0.0
    d, v, a = 0.3, 0.05, 0.02
    assert influence(d, v, a) == pytest.approx(1.0 / (2 * d / v - v / a))
    assert influence(1e-3, 0.5, 0.02) == np.inf
    method = TaskPriority(influence="pourazady")
    assert method.alpha_o(np.array(1e-3), 0.5) == pytest.approx(method.v_max)
    with pytest.raises(ik.BadValue, match=r"influence is .*polynomial.* or .*pourazady"):
        TaskPriority(influence="other")


def test_two_worst_obstacles_share():
    assert worst_two(np.array([0.2])) == (1.0,)
    assert worst_two(np.array([0.2, 0.2])) == (0.5, 0.5)
    shares = [worst_two(np.array([0.1, 0.1 * r]))[0] for r in (1.0, 1.5, 3.0, 10.0)]
    assert (np.diff(shares) > 0).all() and shares[-1] > 0.98


def test_blending_gains_add_up_to_one_and_favour_the_nearest():
    d = np.array([0.1, 0.3, 0.6])
    assert blending(d).sum() == pytest.approx(1.0) and (np.diff(blending(d)) < 0).all()
    assert blended_cost(np.array([0.2])) == cost(np.array([0.2])) == pytest.approx(25.0)


@pytest.mark.parametrize("count", [1, 2, 3])
def test_objective_pushes_down_the_slope_of_its_function(count):
    skeleton, body, things, q, tip = beside(count)
    at = situation(skeleton, body, things, q, [ik.Position("tip", tip)])
    length = skeleton.size

    def value(x):
        pose = ik.Pose.forward(skeleton, x)
        near = Scene(skeleton, body, things).near(pose, 0.5 * length)
        worst = np.full(len(things), np.inf)
        np.minimum.at(worst, near.obstacle, near.clearance)
        return ((worst / length) ** -2).sum()

    slope = np.array([(value(q + h) - value(q - h)) / 2e-6 for h in 1e-6 * np.eye(skeleton.n)])
    assert np.allclose(Objective(alpha=3e-6).vector(at), -3e-6 * slope, rtol=1e-5, atol=1e-9)


def test_cost_is_half_a_slope_for_what_moves_in_space():
    """For a camera, whose first coordinates are its place: the case the formula was made for."""
    camera = ik.Skeleton([ik.Joint("camera", slides="xyz", turns="xyz")])
    body = ik.Body([ik.Link("camera", radius=0.1)])
    wall = [ik.Sphere((1.0, 0.4, 0.2), 0.5, name="ball")]
    q = np.array([0.1, 0.0, 0.0, 0.3, 0.2, 0.1])
    at = situation(camera, body, wall, q, [])

    def value(x):
        return 1.0 / (np.linalg.norm(x[:3] - wall[0].center) - 0.6) ** 2

    slope = np.array([(value(q + h) - value(q - h)) / 2e-6 for h in 1e-6 * np.eye(6)])
    z = ik.AVOIDANCE["cost"].vector(at)
    assert np.allclose(z, -0.5 * ik.AVOIDANCE["cost"].alpha * slope, rtol=1e-6, atol=1e-15)


@pytest.mark.parametrize("name", COSTS)
def test_costs_fill_the_first_coordinates_only(name):
    skeleton, body, things, q, tip = beside(2)
    z = ik.AVOIDANCE[name].vector(situation(skeleton, body, things, q, [ik.Position("tip", tip)]))
    filled = 6 if "augmented" in name else 3
    assert z[:filled].any() and not z[filled:].any()


def test_augmented_cost_takes_no_more_obstacles_than_coordinates():
    chain = ik.figures.planar_chain([1.0, 1.0, 1.0, 1.0])
    body = ik.Body([ik.Link(f"link{i}", (0, 0, 0), (1, 0, 0), 0.05) for i in range(4)])
    things = [ik.Sphere((x, 0.5, 0.0), 0.2, name=f"s{x}") for x in (0.5, 1.5, 2.5)]
    at = situation(chain, body, things, np.zeros(4), [ik.Position("tip", (4, 0, 0))])
    for name in ("cost_augmented", "cost_blending_augmented", "task_priority_augmented"):
        assert ik.AVOIDANCE[name].step(at).shape == (4,)


def test_adaptive_cost_follows_the_distance():
    skeleton, body, things, q, tip = beside(1, gap=0.01)
    method = ik.AVOIDANCE["cost_adaptive"]
    near = situation(skeleton, body, things, q, [ik.Position("tip", tip)])
    first, second = method.vector(near), method.vector(near)
    assert near.memory["doublings"] == 2
    assert np.linalg.norm(second) > np.linalg.norm(first)
    skeleton, body, things, q, tip = beside(1, gap=1.5)
    far = situation(skeleton, body, things, q, [ik.Position("tip", tip)])
    for _ in range(20):
        method.vector(far)
    assert far.memory["doublings"] == -6


def test_task_priority_gives_the_point_the_speed_that_it_asks_for():
    """Equation 4.6 inside d_ug, where the goals leave enough free: the critical point moves at alpha_o."""
    skeleton, body, things, q, tip = beside(1, gap=0.2)
    at = situation(skeleton, body, things, q, [ik.Position("tip", tip)])
    method = TaskPriority(damping=1e-6)
    step = method.step(at)
    wanted = method.zones.alpha_o(at.distance[0])
    assert wanted > 0.0
    moved = at.critical_jacobian(0) @ step
    assert np.allclose(moved, wanted * at.away[0], atol=1e-3 * wanted)
    assert np.abs(at.jacobian @ step).max() < 1e-9
    assert at.rate[0] @ step == pytest.approx(wanted, rel=1e-3)


def test_task_priority_gives_up_the_goal_where_a_collision_is_next():
    skeleton, body, things, q, tip = beside(1, gap=0.05)
    goals = [ik.Position("tip", tip)]
    towards = -situation(skeleton, body, things, q, goals).rate[0]
    at = situation(skeleton, body, things, q, goals, plain=0.01 * towards)
    assert at.rate[0] @ TaskPriority().step(at) > 0.0
    assert at.rate[0] @ at.plain < 0.0


# ------------------------------------------------------------------ what they promise
@pytest.mark.parametrize("method", ["damped", "pseudoinverse"])
@pytest.mark.parametrize("name", BY_JOINTS)
@pytest.mark.parametrize("count", [1, 2])
def test_clearance_grows_and_the_tip_stays(name, method, count):
    skeleton, body, things, q, tip = beside(count)
    goal = ik.Position("tip", tip)
    problem = ik.Problem(skeleton, [goal], obstacles=things, body=body, avoidance=name)
    before = float(problem.scene.clearance(ik.Pose.forward(skeleton, q)))
    answer = ik.solve(problem, q, method)
    full = 0.85 * Zones().d_ug * problem.length  # there the push of the task priority methods dies away
    assert answer.clearance > min(full, 1.5 * before) if count == 1 else answer.clearance > 1.1 * before
    assert answer.clearance == pytest.approx(
        float(problem.scene.clearance(ik.Pose.forward(skeleton, answer.q)))
    )
    assert answer.errors.max() < 1e-2 * problem.length
    assert skeleton.joint_limits.violation(answer.q).max() < 1e-9


@pytest.mark.parametrize("name", PUSHING)
def test_far_from_everything_nothing_is_added(name):
    skeleton, body = trunk()
    far = [ik.Sphere((100, 0, 0), 1.0, name="far")]
    goal = ik.Position("tip", (3, 1, 7))
    with_it = ik.Problem(skeleton, [goal], obstacles=far, body=body, avoidance=name)
    answer = ik.solve(with_it, skeleton.rest, "damped")
    assert answer.status is ik.Status.REACHED and np.isfinite(answer.clearance)
    assert ik.solve(with_it, answer.q, "damped").iterations == 0


@pytest.mark.parametrize("name", BY_JOINTS)
def test_a_path_beside_an_obstacle_is_kept_and_nothing_is_entered(name):
    skeleton, body, things, q, tip = beside(2, gap=0.4)
    way = np.linspace(0, 2 * np.pi, 30)[:, None]
    path = tip + 0.8 * np.concatenate([np.sin(way), 1 - np.cos(way), 0 * way], 1)
    problem = ik.Problem(skeleton, [ik.Position("tip", path)], obstacles=things, body=body, avoidance=name)
    answer = ik.solve_track(problem, q, "damped", tolerance=1e-3)
    assert answer.clearance.min() > 0.0
    assert answer.errors.max() < 1e-2 * problem.length


@pytest.mark.parametrize("name", PUSHING)
def test_inside_nothing_breaks(name):
    """The texts' gains know no inside: there the push is the longest they know, outwards."""
    skeleton, body, _, q, tip = beside()
    inside = [ik.Sphere(ik.Pose.forward(skeleton, q).point("ball5", (0, 0.6, 0)), 0.4, name="in")]
    problem = ik.Problem(skeleton, [ik.Position("tip", tip)], obstacles=inside, body=body, avoidance=name)
    answer = ik.solve(problem, q, "damped", max_iterations=20)
    assert np.isfinite(answer.q).all()
    if name in BY_JOINTS:
        assert answer.clearance > float(problem.scene.clearance(ik.Pose.forward(skeleton, q)))


def test_own_limbs_are_obstacles_too():
    human = ik.figures.human()
    links = [("elbow.L", 0.26), ("elbow.R", 0.26), ("thorax", 0.24)]
    body = ik.Body([ik.Link(name, (0, 0, 0), (0, size, 0), 0.06) for name, size in links])
    pairs = ik.self_pairs(human, body)
    assert len(pairs)
    goals = [ik.Position("wrist.L", (-0.02, -0.35, 1.25)), ik.Position("wrist.R", (0.02, -0.38, 1.3))]
    problem = ik.Problem(human, goals, body=body, self_pairs=pairs, avoidance="objective")
    answer = ik.solve(problem, human.rest, "damped")
    assert np.isfinite(answer.clearance) and np.isfinite(answer.q).all()


def test_many_starts_equal_one_after_another():
    skeleton, body, things, q, tip = beside(1)
    problem = ik.Problem(
        skeleton, [ik.Position("tip", tip)], obstacles=things, body=body, avoidance="objective"
    )
    starts = np.array([q, 0.9 * q])
    together = ik.solve(problem, starts, "damped")
    single = [ik.solve(problem, start, "damped") for start in starts]
    assert np.array_equal(together.q, [one.q for one in single])
    assert np.array_equal(together.clearance, [one.clearance for one in single])


def test_stiff_joints_do_less_of_the_pushing():
    joints = [
        ik.Joint(
            f"b{i}", f"b{i - 1}" if i else None, translation=(0, 1.0 if i else 0, 0), turns="xz", stiffness=s
        )
        for i, s in enumerate((0.0, 0.0, 0.95, 0.0, 0.0, 0.0))
    ]
    skeleton = ik.Skeleton([*joints, ik.Joint("tip", "b5", translation=(0, 1, 0), turns="")])
    body = ik.Body([ik.Link(f"b{i}", (0, 0, 0), (0, 1, 0), 0.1) for i in range(6)])
    q = np.tile([0.2, 0.0], 6)
    tip = ik.Pose.forward(skeleton, q).point("tip")
    place = ik.Pose.forward(skeleton, q).point("b3") + np.array([0.4, 0, 0])
    problem = ik.Problem(
        skeleton,
        [ik.Position("tip", tip)],
        obstacles=[ik.Sphere(place, 0.1)],
        body=body,
        avoidance="objective",
    )
    moved = np.abs(ik.solve(problem, q, "damped", max_iterations=3).q - q).reshape(6, 2).max(1)
    assert moved[2] < 0.3 * moved.max()


# ------------------------------------------------------------------ what goes together
@pytest.mark.parametrize("name", PUSHING)
def test_hierarchical_refuses_those_that_push(name):
    skeleton, body, things, q, tip = beside()
    problem = ik.Problem(skeleton, [ik.Position("tip", tip)], obstacles=things, body=body, avoidance=name)
    with pytest.raises(
        ik.NotSupported, match=f"Hierarchical.*{ik.AVOIDANCE[name].label}; choose Velocity Damper"
    ):
        ik.solve(problem, q)


@pytest.mark.parametrize("method", ["damped", "pseudoinverse"])
def test_incremental_methods_refuse_the_one_that_bounds(method):
    skeleton, body, things, q, tip = beside()
    problem = ik.Problem(skeleton, [ik.Position("tip", tip)], obstacles=things, body=body)
    with pytest.raises(ik.NotSupported, match="Velocity Damper; choose Objective Function or Task Priority"):
        ik.solve(problem, q, method)


def test_parameters_of_ones_own():
    skeleton, body, things, q, tip = beside()
    own = Objective(alpha=1e-12)
    problem = ik.Problem(skeleton, [ik.Position("tip", tip)], obstacles=things, body=body, avoidance=own)
    weak = ik.solve(problem, q, "damped")
    problem = ik.Problem(
        skeleton, [ik.Position("tip", tip)], obstacles=things, body=body, avoidance="objective"
    )
    assert weak.clearance < ik.solve(problem, q, "damped").clearance


def test_a_number_in_place_of_zones_is_refused():
    with pytest.raises(ik.BadValue, match=r"zones is 0\.2; give a Zones"):
        TaskPriority(zones=0.2)
