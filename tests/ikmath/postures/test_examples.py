# SPDX-License-Identifier: GPL-3.0-or-later
"""Postures learned from examples."""

from __future__ import annotations

import numpy as np
import pytest

import ikmath as ik
from ikmath import rotation
from ikmath.model.figure_map import Kind, map_skeleton
from ikmath.postures.examples import Examples
from tests.ikmath.postures import people


def _made(count, seed=0):
    """A person's smooth poses: arms and legs swing by three numbers."""
    figure, tips = people.skeleton()
    rng, poses = np.random.default_rng(seed), []
    for a, b, c in rng.uniform(-1, 1, (count, 3)):
        turns = np.zeros((len(figure), 3))
        turns[figure.index("arm.l")] = (0.3 * b, 1.0 + 0.4 * a, 0.2 * c)
        turns[figure.index("forearm.l")] = (0, 0, -0.6 - 0.5 * a)
        turns[figure.index("thigh.r")] = (-0.5 - 0.4 * c, 0, 0)
        turns[figure.index("shin.r")] = (0.6 + 0.5 * c, 0, 0)
        turns[figure.index("spine")] = (0.2 * b, 0, 0.3 * a)
        poses.append(people.rotations(figure, turns))
    return figure, tips, np.array(poses)


def _learn(figure, tips, poses, oriented=True, **options):
    found = map_skeleton(figure, tips=tips)
    effectors = found.of_kind(Kind.HEAD, Kind.WRIST, Kind.ANKLE)
    return Examples(
        figure, found, poses, effectors, tips[list(effectors)], [oriented] * len(effectors), **options
    )


def _seen(examples, pose):
    points = examples.points
    body = examples.figure.body
    return examples.seen(
        pose.rotation[body], pose.position[body], pose.points(points), pose.rotation[points.joints]
    )


def _off(a, b):
    return np.degrees(rotation.angle(a.rotation.swapaxes(1, 2) @ b.rotation).mean())


@pytest.mark.parametrize("oriented", [True, False])
def test_more_examples_come_nearer_and_eight_help(oriented):
    figure, tips, poses = _made(140)
    errors = [_off(ik.Pose.forward(figure, figure.rest), ik.Pose.forward(figure, q)) for q in poses[128:]]
    means = [np.mean(errors)]
    for count in (8, 128):
        examples = _learn(figure, tips, poses[:count], oriented)
        errors = []
        for q in poses[128:]:
            truth = ik.Pose.forward(figure, q)
            own = examples.posture(_seen(examples, truth), figure.rest)
            errors.append(_off(ik.Pose.forward(figure, own), truth))
        means.append(np.mean(errors))
    assert means[0] > 1.5 * means[1] > 1.5 * means[2]


def test_far_from_all_examples_the_posture_of_the_frame_stays():
    figure, tips, poses = _made(40)
    examples = _learn(figure, tips, poses)
    rng = np.random.default_rng(4)
    strange = ik.Pose.forward(figure, 1.2 * rng.normal(size=figure.n))
    frame = 0.2 * rng.normal(size=figure.n)
    seen = _seen(examples, strange)
    own = ik.Pose.forward(figure, examples.posture(seen, frame))
    assert _off(own, ik.Pose.forward(figure, frame)) < 0.5


def test_mirrored_poses_are_known_too():
    figure, tips, poses = _made(60)
    found = map_skeleton(figure, tips=tips)
    mirror = np.diag([-1.0, 1, 1])
    rest = ik.Pose.forward(figure, figure.rest).rotation
    truth = ik.Pose.forward(figure, poses[7])
    turned = (mirror @ (truth.rotation @ rest.swapaxes(1, 2)) @ mirror)[found.twin] @ rest
    q = np.zeros(figure.n)
    for j, parent in enumerate(figure.parents.tolist()):
        local = turned[parent].T @ turned[j] if parent >= 0 else turned[j]
        own = (figure.owner == j) & figure.is_turn
        q[own] = rotation.swing_twist_turns(figure.rest_rotation[j].T @ local)
    other = ik.Pose.forward(figure, q)
    errors = []
    for mirrored in (False, True):
        examples = _learn(figure, tips, poses, mirrored=mirrored)
        own = examples.posture(_seen(examples, other), figure.rest)
        errors.append(_off(ik.Pose.forward(figure, own), other))
    assert errors[1] < 0.5 * errors[0]


def test_where_the_figure_stands_and_faces_does_not_matter():
    figure, tips, poses = _made(30)
    examples = _learn(figure, tips, poses)
    truth = ik.Pose.forward(figure, poses[3])
    seen = _seen(examples, truth)
    turn, way = rotation.exp([0, 0, 2.0]), np.array([5.0, 1, 0])
    body, points = examples.figure.body, examples.points
    elsewhere = examples.seen(
        turn @ truth.rotation[body],
        turn @ truth.position[body] + way,
        truth.points(points) @ turn.T + way,
        turn @ truth.rotation[points.joints],
    )
    np.testing.assert_allclose(
        examples.posture(seen, figure.rest), examples.posture(elsewhere, figure.rest), atol=1e-9
    )


def test_no_more_poses_are_kept_than_told_and_equal_ones_count_once():
    figure, tips, poses = _made(400)
    assert len(_learn(figure, tips, poses)) == 300
    assert len(_learn(figure, tips, np.repeat(poses[:1], 50, 0), mirrored=False)) == 1


def test_wrong_input_is_named():
    figure, tips, poses = _made(3)
    with pytest.raises(ik.IkError, match="q has shape"):
        _learn(figure, tips, poses[0])
