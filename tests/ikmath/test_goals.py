# SPDX-License-Identifier: GPL-3.0-or-later
"""What each kind of goal means, beyond the contract that all of them keep."""

from __future__ import annotations

from typing import ClassVar

import numpy as np
import pytest

import ikmath as ik
from tests.ikmath import oracle, trees


def direction(pose, joint, way):
    return pose.frame(joint) @ np.asarray(way, dtype=float)


# ---------------------------------------------------------------------------------------------- position
def test_slack_is_free_inside_and_counts_from_its_edge():
    skeleton = ik.figures.planar_chain([1.0, 1.0])
    pose = ik.Pose.forward(skeleton, skeleton.rest)
    inside = ik.Position("tip", (2.05, 0, 0), slack=0.1).evaluate(pose)
    assert not inside.error.any()
    assert not inside.jacobian.any()
    outside = ik.Position("tip", (2.3, 0, 0), slack=0.1)
    assert outside.errors(pose) == pytest.approx([0.2])
    np.testing.assert_allclose(outside.evaluate(pose).error, [-0.2, 0, 0], atol=1e-15)


def test_axes_that_do_not_count_cost_nothing():
    skeleton = ik.figures.planar_chain([1.0, 1.0])
    pose = ik.Pose.forward(skeleton, skeleton.rest)
    assert ik.Position("tip", (2, 5, 7), axes="x").errors(pose) == pytest.approx([0.0])
    turned = oracle.rodrigues((0, 0, np.pi / 2))
    assert ik.Position("tip", (2, 5, 7), axes="y", space="target", frame=turned).errors(
        pose
    ) == pytest.approx([0.0], abs=1e-12)


# ---------------------------------------------------------------------------------------------- orientation
@pytest.mark.parametrize("short", [1e-3, 1e-6, 0.0])
def test_orientation_is_exact_up_to_half_a_turn(short):
    axis = np.array([0.6, 0.0, 0.8])
    skeleton = ik.figures.ball_chain(1)
    pose = ik.Pose.forward(skeleton, np.zeros(3))
    goal = ik.Orientation("tip", oracle.rodrigues(axis * (np.pi - short)))
    error = goal.evaluate(pose).error
    assert goal.errors(pose) == pytest.approx([np.pi - short], abs=1e-12)
    np.testing.assert_allclose(np.cross(error, axis), 0, atol=1e-7)


def test_a_target_in_single_precision_is_taken_as_the_rotation_it_means():
    rng = np.random.default_rng(0)
    target = trees.rotation(rng)
    goal = ik.Orientation("tip", target.astype(np.float32))
    np.testing.assert_allclose(goal.target[0] @ goal.target[0].T, np.eye(3), atol=1e-14)
    np.testing.assert_allclose(goal.target[0], target, atol=1e-6)


@pytest.mark.parametrize("bad", [np.diag([1, 1, -1]), 2 * np.eye(3), [[1, 0.1, 0], [0, 1, 0], [0, 0, 1]]])
def test_what_is_no_rotation_is_refused(bad):
    with pytest.raises(ik.BadValue, match="not a rotation matrix"):
        ik.Orientation("tip", bad)


# ---------------------------------------------------------------------------------------------- aim
def test_aim_turns_the_shortest_way_and_leaves_the_rest_free():
    skeleton = ik.figures.human()
    rng = np.random.default_rng(1)
    for place in ((0.4, -1.0, 1.6), (-0.6, -1.5, 1.9), (0.1, -0.5, 1.2)):
        goal = ik.Aim("head", place, offset=(0, 0.1, 0.08), direction=(0, 0, 1))
        solution = ik.solve(
            ik.Problem(skeleton, [goal]), skeleton.joint_limits.project(0.02 * rng.normal(size=66))
        )
        assert solution.status is ik.Status.REACHED
        rotation, head = oracle.frames(skeleton, solution.q)["head"]
        eye = head + rotation @ (0, 0.1, 0.08)
        way = (np.array(place) - eye) / np.linalg.norm(np.array(place) - eye)
        assert np.arccos(min(1.0, way @ rotation[:, 2])) < 2e-4


@pytest.mark.parametrize("turn", [0.0, 1e-12, 1e-9, 1e-7, 1e-5, 1e-3, 0.3])
def test_a_target_behind_is_turned_to(turn):
    """Straight behind the difference of the two directions has no slope; the angle has."""
    for free, way in (
        ("xyz", (0, 1, 0)),
        ("z", (0, 1, 0)),
        ("x", (0, 1, 0)),
        ("xz", (1, 1, 1)),
        ("y", (0, 0, 1)),
    ):
        skeleton = ik.Skeleton([ik.Joint("eye", turns=free)])
        behind = -np.array(way, dtype=float)
        if free == "xz":
            skeleton = ik.Skeleton([ik.Joint("neck", turns="xz"), ik.Joint("eye", "neck", turns="xyz")])
        tilt = oracle.rodrigues(
            np.array({"x": (1, 0, 0), "z": (0, 0, 1), "y": (0, 1, 0)}.get(free[-1])) * turn
        )
        goal = ik.Aim("eye", 3.0 * tilt @ behind, direction=way)
        start = np.zeros(skeleton.n)
        assert goal.errors(ik.Pose.forward(skeleton, start))[0] > np.pi - 2 * turn - 1e-7
        solution = ik.solve(ik.Problem(skeleton, [goal]), start, max_iterations=100)
        assert solution.errors[0] < 1e-4, free


def test_aim_near_half_a_turn_has_its_exact_slope():
    rng = np.random.default_rng(3)
    for short in (0.3, 0.1, 0.05, 0.01):
        skeleton = trees.tree(rng, 4)
        q = rng.normal(size=skeleton.n)
        pose = ik.Pose.forward(skeleton, q)
        way = direction(pose, "j3", (0, 1, 0))
        across = np.cross(way, rng.normal(size=3))
        turned = oracle.rodrigues(across / np.linalg.norm(across) * (np.pi - short)) @ way
        goal = ik.Aim("j3", pose.point("j3") + 2.0 * turned)
        assert goal.errors(pose) == pytest.approx([np.pi - short], abs=1e-9)
        error = lambda at, g=goal, s=skeleton: g.evaluate(ik.Pose.forward(s, at)).error  # noqa: E731
        slope, _ = oracle.differences(error, q, 1e-7)
        np.testing.assert_allclose(goal.evaluate(pose).jacobian, slope, atol=1e-6 / short**2)


def test_a_target_in_the_eye_itself_costs_nothing():
    skeleton = ik.figures.ball_chain(2)
    pose = ik.Pose.forward(skeleton, np.full(6, 0.2))
    residual = ik.Aim("tip", pose.point("tip")).evaluate(pose)
    assert not residual.error.any()
    assert np.isfinite(residual.jacobian).all()


def test_the_cone_of_an_aim():
    skeleton = ik.figures.ball_chain(1)
    pose = ik.Pose.forward(skeleton, np.zeros(3))
    target = np.array([np.sin(0.3), 1 + np.cos(0.3), 0])
    assert ik.Aim("tip", target, slack=0.31).errors(pose) == pytest.approx([0.0])
    assert ik.Aim("tip", target, slack=0.1).errors(pose) == pytest.approx([0.2])


# ---------------------------------------------------------------------------------------------- plane
def test_a_floor_only_holds_from_below():
    skeleton = ik.figures.planar_chain([1.0, 1.0])
    pose = ik.Pose.forward(skeleton, skeleton.rest)
    floor = ik.Plane("tip", (0, -0.5, 0), (0, 2, 0), one_sided=True)
    assert floor.one_sided
    assert floor.errors(pose) == pytest.approx([0.0])
    assert floor.inequality(pose).error == pytest.approx([0.5])
    assert ik.Plane("tip", (0, 0.5, 0), (0, 2, 0), one_sided=True).errors(pose) == pytest.approx([0.5])
    solution = ik.solve(ik.Problem(skeleton, [ik.Plane("tip", (0, 0.5, 0), (0, 1, 0), one_sided=True)]))
    assert oracle.point(skeleton, solution.q, "tip")[1] >= 0.5 - 1e-4


def test_several_points_may_share_a_plane():
    skeleton = ik.figures.planar_chain([1.0, 1.0])
    pose = ik.Pose.forward(skeleton, [0.3, 0.4])
    shared = ik.Plane(["link1", "tip"], (0, 0.1, 0), (0, 1, 0))
    single = [ik.Plane(joint, (0, 0.1, 0), (0, 1, 0)).errors(pose)[0] for joint in ("link1", "tip")]
    assert shared.errors(pose) == pytest.approx(single)


@pytest.mark.parametrize("space", ["world", "target", "bone"])
@pytest.mark.parametrize("axes", ["x", "zy", "xyz"])
def test_only_axes_that_count_have_rows(axes, space):
    skeleton = ik.figures.ball_chain(4)
    pose = ik.Pose.forward(skeleton, np.linspace(0.1, 0.5, 12))
    frame = np.eye(3) if space == "target" else None
    goals = [ik.Position("tip", (1, 1, 1), axes=axes, space=space, frame=frame)]
    if space != "bone":
        goals.append(ik.Orientation("tip", np.eye(3), axes=axes, space=space))
    for goal in goals:
        error, jacobian = goal.evaluate(pose)
        assert len(error) == len(jacobian) == goal.rows == len(axes)
        assert np.linalg.matrix_rank(jacobian) == len(axes)


@pytest.mark.parametrize("target", [(0.3, 9, 0.2), (0.1, -9, 0.1), (0, -9, 0), (0, 9, 0)])
def test_aiming_has_two_rows_ahead_and_behind(target):
    skeleton = ik.figures.ball_chain(3)
    goal = ik.Aim("ball2", target)
    error, jacobian = goal.evaluate(ik.Pose.forward(skeleton, np.zeros(9)))
    assert len(error) == goal.rows == 2
    assert np.linalg.matrix_rank(jacobian, tol=1e-6) == 2


@pytest.mark.parametrize("batch", [(), (4,)])
def test_towards_other_targets_is_the_goal_made_anew(batch):
    skeleton, names = ik.figures.ball_chain(4), ["ball1", "tip"]
    rng = np.random.default_rng(6)
    points, more = rng.normal(size=(2, *batch, 2, 3)), rng.normal(size=(2, *batch, 2, 3))
    frames, axes = ik.rotation.exp(rng.normal(size=(2, 2, *batch, 2, 3)))
    more /= np.linalg.norm(more, axis=-1, keepdims=True)
    masked = {"axes": "xz", "space": "target"}
    made = [
        (ik.Position, {"slack": 0.1}, {"target": points}),
        (ik.Position, masked, {"target": points, "frame": axes}),
        (ik.Orientation, masked, {"target": frames, "frame": axes}),
        (ik.Aim, {"direction": (0.0, 1.0, 0.0)}, {"target": points}),
        (ik.Pole, {"root": ["ball0", "ball1"], "offset": (0.1, 1.0, 0.0)}, {"target": points}),
        (ik.Plane, {"one_sided": True}, {"origin": points, "normal": more}),
    ]
    pose = ik.Pose.forward(skeleton, rng.normal(size=(*batch, skeleton.n)))
    for kind, told, targets in made:
        first, fresh = (kind(names, **told, **{n: t[k] for n, t in targets.items()}) for k in (0, 1))
        first.evaluate(pose)
        moved = first.with_targets(**{name: target[1] for name, target in targets.items()})
        for one, other in zip(moved.evaluate(pose), fresh.evaluate(pose), strict=True):
            np.testing.assert_allclose(one, other, atol=1e-14)
        assert moved.frames == fresh.frames


@pytest.mark.parametrize("frames", [(), (4,)])
def test_two_eyes_look_at_one_place(frames):
    eyes, place = ["wrist.L", "wrist.R"], np.random.default_rng(0).normal(size=(*frames, 1, 3))
    skeleton = ik.figures.human()
    pose = ik.Pose.forward(skeleton, np.zeros((*frames, skeleton.n)))
    each = ik.Aim(eyes, np.repeat(place, 2, axis=-2)).evaluate(pose)
    for given in [place] if frames else [place, place[0]]:
        shared = ik.Aim(eyes, given).evaluate(pose)
        assert np.array_equal(shared.error, each.error)
        assert np.array_equal(shared.jacobian, each.jacobian)


class Height(ik.Goal):
    """As in the manual; its target is what was given."""

    kind, unit, rows = "Height", "m", 1
    targets: ClassVar = {"height": 0}

    def __init__(self, joint, height):
        self._begin([joint], 1.0, 0, None)
        self.joint, self.height = joint, height

    def evaluate(self, pose):
        error = pose.point(self.joint)[..., 2:] - np.expand_dims(self.height, -1)
        return ik.Residual(error, pose.jacobian(self.joint)[..., 2:, :])


@pytest.mark.parametrize("method", ["hierarchical", "damped", "prioritized"])
def test_targets_of_your_own_may_be_numbers_and_lists(method):
    figure = ik.figures.ball_chain(3)
    one = ik.solve(ik.Problem(figure, [Height("tip", 0.5)]), method=method)
    assert one.status is ik.Status.REACHED
    many = ik.Problem(figure, [Height("tip", [0.2, 0.5])])
    assert many.frames == 2
    for answer in (ik.solve(many, method=method), ik.solve_track(many, method=method)):
        assert ik.Pose.forward(figure, answer.q).point("tip")[:, 2] == pytest.approx([0.2, 0.5], abs=2e-4)
