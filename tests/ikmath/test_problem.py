# SPDX-License-Identifier: GPL-3.0-or-later
"""A question to a solver: what is checked, what its rows are, what the answer says."""

from __future__ import annotations

import numpy as np
import pytest

import ikmath as ik
from ikmath.goals.stack import TaskStack


@pytest.fixture
def skeleton():
    return ik.figures.planar_chain([1.0, 1.0, 1.0], limit=2.5)


def test_effectors_are_labelled_in_order(skeleton):
    goals = [
        ik.Position(["tip", "link1"], np.zeros((2, 3))),
        ik.Posture(np.zeros(3)),
        ik.Orientation("tip", np.eye(3), name="nose"),
        ik.Position(["link1", "tip"], np.zeros((2, 3)), name="foot"),
    ]
    problem = ik.Problem(skeleton, goals)
    assert problem.effectors == ("tip", "link1", "nose", "foot link1", "foot tip")
    assert problem.units == ("m", "m", "rad", "m", "m")
    assert problem.posture is goals[1]
    assert len(problem.tasks) == 3


def test_what_is_printed_tells_what_it_is(skeleton):
    problem = ik.Problem(skeleton, [ik.Position("tip", np.zeros((4, 3))), ik.Posture(np.zeros(3))])
    goals = "Position goal tip, Posture goal posture"
    assert repr(problem) == f"<Problem of Skeleton(4 joints, 3 coordinates) over 4 frames: {goals}>"
    assert repr(problem.goals[0]) == "<Position goal tip>"


def test_lengths_count_in_figure_sizes(skeleton):
    goals = [
        ik.Position("tip", (0, 0, 0), offset=(0, 3.0, 4.0), weight=4.0),
        ik.Orientation("tip", np.eye(3), weight=9.0, priority=2),
    ]
    problem = ik.Problem(skeleton, goals)
    assert problem.length == pytest.approx(3.0 + 5.0)
    np.testing.assert_allclose(problem.stack.scale, [1 / 8] * 3 + [1.0] * 3)
    np.testing.assert_array_equal(problem.stack.level, [0] * 3 + [2] * 3)


@pytest.mark.parametrize("batch", [(), (4,)])
def test_rows_are_the_goals_on_top_of_one_another(skeleton, batch):
    rng = np.random.default_rng(0)
    goals = [
        ik.Position(["tip", "link1"], rng.normal(size=(2, 3))),
        ik.Plane("tip", (0, 0, 0), (0, 1, 0)),
        ik.Orientation("tip", np.eye(3)),
    ]
    problem = ik.Problem(skeleton, goals)
    stack = TaskStack(problem.skeleton, problem.tasks, problem.length)
    assert stack.rows == 10
    np.testing.assert_array_equal(stack.starts, [0, 3, 6, 7])
    pose = ik.Pose.forward(skeleton, rng.normal(size=(*batch, 3)))
    error, jacobian = stack.evaluate(problem.tasks, pose)
    assert jacobian.shape == (*batch, 10, 3)
    np.testing.assert_array_equal(error, np.concatenate([g.evaluate(pose).error for g in goals], -1))
    np.testing.assert_array_equal(jacobian, np.concatenate([g.evaluate(pose).jacobian for g in goals], -2))
    np.testing.assert_allclose(np.sqrt(stack.squares(error)), problem.errors(pose), atol=1e-12)


def test_frames(skeleton):
    targets = np.arange(12.0).reshape(4, 3)
    problem = ik.Problem(skeleton, [ik.Position("tip", targets), ik.Orientation("tip", np.eye(3))])
    assert problem.frames == 4
    third = problem.at(2)
    assert third.frames is None
    np.testing.assert_array_equal(third.tasks[0].target, targets[2][None])
    assert third.tasks[1] is problem.tasks[1]
    assert ik.Problem(skeleton, [ik.Position("tip", targets[0])]).frames is None
    with pytest.raises(ik.BadValue, match="frames"):
        ik.Problem(skeleton, [ik.Position("tip", targets), ik.Position("link1", targets[:3])])


def test_on_another_figure(skeleton):
    problem = ik.Problem(skeleton, [ik.Position("tip", (1, 1, 0))])
    longer = skeleton.with_rest(rest_translation=2 * skeleton.rest_translation)
    assert problem.with_skeleton(longer).skeleton is longer
    solution = ik.solve(problem.with_skeleton(longer), np.full(3, 0.3))
    np.testing.assert_allclose(ik.Pose.forward(longer, solution.q).point("tip"), (1, 1, 0), atol=1e-4)
    with pytest.raises(ik.BadValue, match="built otherwise"):
        problem.with_skeleton(ik.figures.planar_chain([1.0, 1.0, 1.0]))


def test_starts_are_copied_and_put_inside(skeleton):
    problem = ik.Problem(skeleton)
    q0 = np.array([9.0, -9.0, 0.1])
    start = ik.solve(problem, q0).q
    np.testing.assert_allclose(start, [2.5, -2.5, 0.1])
    np.testing.assert_array_equal(q0, [9.0, -9.0, 0.1])
    rest = ik.solve(problem).q
    rest[:] = 7
    np.testing.assert_array_equal(skeleton.rest, 0)


BAD = {
    "no goal": (lambda s: ik.Problem(s, ["tip"]), r"goals\[0\] is 'tip'; give a Goal"),
    "two postures": (
        lambda s: ik.Problem(s, [ik.Posture(np.zeros(3)), ik.Posture(np.zeros(3))]),
        "more than one",
    ),
    "posture length": (lambda s: ik.Problem(s, [ik.Posture(np.zeros(4))]), r"q of .*\(\.\.\., 3\)"),
    "joint": (lambda s: ik.Problem(s, [ik.Position("top", (0, 0, 0))]), "'top'.*'tip'"),
    "limits": (lambda s: ik.Problem(s, limits="project"), "'project'.*'projection'"),
    "avoidance": (lambda s: ik.Problem(s, avoidance="none"), "'none'"),
    "margin": (lambda s: ik.Problem(s, margin=-1.0), "margin"),
    "metre": (lambda s: ik.Problem(s, metre=0.0), "metre"),
    "margin nan": (lambda s: ik.Problem(s, margin=np.nan), "margin"),
}


@pytest.mark.parametrize("what", BAD)
def test_a_bad_problem_names_what_is_wrong(skeleton, what):
    build, words = BAD[what]
    with pytest.raises(ik.IkError, match=words):
        build(skeleton)


# ---------------------------------------------------------------------------------------------- answers
def test_messages_say_lengths_in_metres_whatever_the_unit(skeleton):
    goal = ik.Position("tip", (5, 0, 0))
    far = ik.solve(ik.Problem(skeleton, [goal], metre=0.01), np.full(3, 0.2))
    assert "tip is 20 mm from its target" in far.message
    assert far.errors == pytest.approx(2.0, abs=1e-3)
    assert ik.Problem(skeleton, [goal], metre=0.01).with_targets([goal, goal]).metre == 0.01
    body = ik.Body([ik.Link("tip", (0, 0, 0), (0, 0.1, 0), radius=0.1)])
    stuck = [
        ik.solve(
            ik.Problem(
                skeleton, [ik.Position("tip", (1, 1, 0))], [ik.Sphere((0, 0, 0), 9.0)], body, metre=metre
            ),
            np.full(3, 0.2),
        ).message
        for metre in (1.0, 0.001)
    ]
    deep, shallow = (message.split(" goes ")[1].split(" into ")[0].split() for message in stuck)
    assert deep[1] == "m"
    assert shallow[1] == "mm"
    assert float(shallow[0]) == pytest.approx(float(deep[0]), rel=1e-2)


def test_messages_say_what_holds_the_figure_back(skeleton):
    far = ik.solve(ik.Problem(skeleton, [ik.Position("tip", (5, 0, 0))]), np.full(3, 0.2))
    assert far.status is ik.Status.BEST_EFFORT
    assert "tip is 2 m from its target" in far.message
    assert "out of reach" in far.message
    stiff = ik.figures.planar_chain([1.0, 1.0], limit=0.3)
    limited = ik.solve(ik.Problem(stiff, [ik.Position("tip", (0.0, 1.5, 0))]), np.full(2, 0.05))
    assert "joint limit" in limited.message
    goals = [ik.Position("tip", (1, 2, 0), name="left"), ik.Position("tip", (2, 1, 0), name="right")]
    torn = ik.solve(ik.Problem(skeleton, goals), np.full(3, 0.2))
    assert "in conflict with" in torn.message
    assert "left" in torn.message
    assert "right" in torn.message
    met = ik.solve(ik.Problem(skeleton, [ik.Position("tip", (1, 2, 0))]), np.full(3, 0.2))
    assert met.message == "All goals are reached."


def test_messages_do_not_claim_what_is_not_so(skeleton):
    """Within reach by the lengths of the links, a target is not said to be out of it."""
    stuck = ik.solve(ik.Problem(skeleton, [ik.Position("tip", (1, 0, 0))]), None, "damped", rest=False)
    assert stuck.message == "tip is 2 m from its target: no small turn of the joints brings it nearer."
    slider = ik.Skeleton([ik.Joint("rail", slides="x", lower=-1, upper=1, turns=""), ik.Joint("tip", "rail")])
    for away, words in ((0.5, "no small turn"), (1.5, "out of reach")):
        message = ik.solve(ik.Problem(slider, [ik.Position("tip", (0, away, 0))])).message
        assert words in message, message
    idle = ik.solve(ik.Problem(skeleton, [ik.Position("tip", (1, 2, 0), weight=0.0)]), np.full(3, 0.2))
    assert idle.status is ik.Status.BEST_EFFORT and idle.message.endswith("its weight is zero.")


def test_what_is_beyond_reach_along_an_axis_that_does_not_count_hides_nothing():
    """Such a target is no farther away than what is asked of it: a way round an obstacle is looked for."""
    chain = ik.figures.ball_chain(4, 0.5)
    links = [ik.Link(f"ball{i}", (0, 0, 0), (0, 0.5, 0), radius=0.05) for i in range(4)]
    wall = ik.Rectangle((0.5, 1.2, 0), (0, 0.6, 0), (0, 0, 0.6), name="wall")
    body = ik.Body(links)
    for height in (1.4, 50.0):  # which does not count
        goal = ik.Position("tip", (1.0, height, 0.1), axes="xz")
        answer = ik.solve(ik.Problem(chain, [goal], obstacles=[wall], body=body), np.full(chain.n, 0.05))
        assert answer.status is ik.Status.REACHED, answer.message


def test_a_heavier_goal_gets_its_way(skeleton):
    goals = [ik.Position("tip", (1, 2, 0), weight=1e4), ik.Position("tip", (2, 1, 0), weight=1.0)]
    torn = ik.solve(ik.Problem(skeleton, goals), np.full(3, 0.2), "damped")
    assert torn.errors[0] < 1e-3 < torn.errors[1]


def test_a_posture_decides_what_the_goals_leave_free():
    skeleton = ik.figures.planar_chain([1.0, 1.0, 1.0])
    wish = np.array([0.9, 0.2, -0.5])
    goals = [ik.Position("tip", (1.5, 1.5, 0)), ik.Posture(wish)]
    for method in ("damped", "hierarchical"):
        solution = ik.solve(
            ik.Problem(skeleton, goals), np.array([0.2, 0.6, 0.9]), method, max_iterations=200
        )
        assert solution.status is ik.Status.REACHED
        jacobian = ik.Pose.forward(skeleton, solution.q).jacobian("tip")[:2]
        null = np.linalg.svd(jacobian)[2][2]
        assert abs(null @ (wish - solution.q)) < 0.02, method


def test_solutions_cannot_be_changed(skeleton):
    solution = ik.solve(ik.Problem(skeleton))
    with pytest.raises(AttributeError):
        solution.q = None


def test_towards_other_targets_is_the_problem_made_anew(skeleton):
    def goals(seed: int, weight: float = 1.0, offset: float = 0.2):
        rng = np.random.default_rng(seed)
        return [
            ik.Position(["tip", "link1"], rng.normal(size=(2, 3)), (0, offset, 0), weight),
            ik.Orientation("tip", ik.rotation.exp(rng.normal(size=3)), priority=1),
            ik.Posture(rng.normal(size=3)),
        ]

    problem = ik.Problem(skeleton, goals(0))
    problem.stack
    for others in (goals(1), goals(1, weight=3.0), goals(1, offset=0.5), goals(1)[:2]):
        moved, fresh = problem.with_targets(others), ik.Problem(skeleton, others)
        q = np.array([0.3, -0.2, 0.5])
        pose = ik.Pose.forward(skeleton, q)
        np.testing.assert_array_equal(moved.errors(pose), fresh.errors(pose))
        np.testing.assert_array_equal(moved.stack.scale, fresh.stack.scale)
        assert moved.length == fresh.length and (moved.posture is None) == (fresh.posture is None)
        np.testing.assert_array_equal(ik.solve(moved, q).q, ik.solve(fresh, q).q)


def test_a_start_that_was_looked_at_before_is_taken_as_it_is_and_others_are_looked_at() -> None:
    problem = ik.Problem(ik.figures.human())
    inside = ik.solve(problem, np.full(problem.skeleton.n, 9.0)).q
    for start in (inside, inside.copy()):
        found = ik.solve(problem, start).q
        assert np.array_equal(found, inside) and found is not start
    found[:] = 9.0  # who asked may write to it
    assert np.array_equal(ik.solve(problem, inside).q, inside)
    assert np.array_equal(ik.solve(problem, found).q, inside)
    for wrong in (np.full_like(inside, np.nan), np.full_like(inside, np.inf)):
        with pytest.raises(ik.BadValue):
            ik.solve(problem, wrong)
    with pytest.raises(ik.BadShape):
        ik.solve(problem, inside[1:])


def test_a_solution_that_somebody_writes_to_is_looked_at_when_a_solve_begins_there() -> None:
    figure = ik.figures.human()
    solver = ik.Solver(brief=True)
    problem = ik.Problem(figure, [ik.Position("wrist.L", (0.4, -0.3, 1.2))])
    first = solver.solve(problem)
    there = solver.solve(problem, first.q, following=first)
    assert np.array_equal(figure.project(there.q), there.q)
    there.q[:] = 9.0
    again = solver.solve(problem, there.q, following=there)
    assert np.array_equal(figure.project(again.q), again.q)


def test_a_problem_that_aims_elsewhere_keeps_the_rest() -> None:
    figure = ik.figures.planar_chain([1.0, 1.0, 1.0])
    tip, posture = ik.Position(figure.names[-1], (1.0, 1.0, 0.0)), ik.Posture(figure.rest)
    problem = ik.Problem(figure, [tip, posture])
    there = tip.with_targets(target=np.array([[0.0, 2.0, 0.0]]))
    aimed = problem.with_goals((there, posture))
    assert aimed.tasks == (there,) and aimed.posture is posture and problem.tasks == (tip,)
    asked = problem.with_targets([there, posture])
    assert (aimed.goals, aimed.tasks, aimed.posture) == (asked.goals, asked.tasks, asked.posture)
    assert np.array_equal(ik.solve(aimed).q, ik.solve(ik.Problem(figure, [there, posture])).q)


def test_obstacles_that_move_over_several_axes_are_refused():
    ball = ik.Sphere((0, 0, 0), 0.1).moved(np.eye(3), np.zeros((4, 2, 3)))
    arm = ik.figures.ball_chain(2)
    with pytest.raises(ik.BadValue, match=r"obstacles move over leading axes \(4, 2\); give one axis"):
        ik.Problem(arm, obstacles=[ball], body=ik.Body([ik.Link(arm.names[0])]))


def test_choices_are_made_at_coordinates_in_a_list_too():
    arm = ik.figures.ball_chain(2)
    problem = ik.Problem(arm, [ik.AnyOf([ik.Position("tip", (0, 9, 0)), ik.Position("tip", (0, 2, 0))])])
    assert problem.with_choices([0] * arm.n).goals[0].chosen == 1
    with pytest.raises(ik.BadShape, match="q has shape"):
        problem.with_choices([0, 1])


def test_some_frames_are_solved_as_all_of_them():
    arm = ik.figures.ball_chain(3)
    moving = ik.Problem(arm, [ik.Position("tip", np.linspace((0.5, 1, 0), (0, 1, 0.5), 5))])
    some = moving.at([3, 1])
    assert some.frames == 2 and moving.at(np.array(3)).frames is moving.at(3).frames is None
    for method in ("hierarchical", "damped", "fabrik"):
        q = ik.solve(moving, method=method).q
        np.testing.assert_array_equal(ik.solve(some, method=method).q, q[[3, 1]])
    track = ik.solve_track(some)
    assert track.q.shape == (2, arm.n) and all(status is ik.Status.REACHED for status in track.status)
