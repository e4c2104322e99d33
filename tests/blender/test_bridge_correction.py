# SPDX-License-Identifier: GPL-3.0-or-later
"""Figures in sheared spaces reach their targets in Blender, not only in the figure of rigid joints."""

from __future__ import annotations

import bpy
import numpy as np
import pytest
from bridge_rigs import evaluated, metarig
from installed import module

import ikmath as ik

armature = module("bridge.armature")
chains = module("bridge.chains")
correction = module("control.frame.inexact_figure")
skeleton = module("bridge.skeleton")
space = module("bridge.space")

HANDS = ("hand.L", "hand.R")


def points(figure, q=None) -> np.ndarray:
    tips = np.array([figure.tip(name) for name in HANDS])
    return ik.Pose.forward(figure.skeleton, figure.q if q is None else q).point(HANDS, tips)


def squashed(scale: tuple) -> bpy.types.Object:
    rig = metarig("human")
    rig.pose.bones["spine.003"].scale = scale
    rig.pose.bones["upper_arm.L"].scale = (0.9, 1.2, 0.9)
    return rig


@pytest.mark.parametrize("scale", [(1.2, 0.9, 1.2), (1.5, 0.7, 1.5), (0.6, 1.6, 0.6)])
@pytest.mark.parametrize("far", [0.02, 0.1])
def test_squashed_chest(scale: tuple, far: float) -> None:
    rig = squashed(scale)
    bones, shown = armature.read_bones(rig), evaluated(rig)
    names = chains.chain_bones(bones, [(name, "") for name in HANDS])
    figure = skeleton.read_figure(bones, armature.read_state(shown, bones), space.read_space(shown), names)
    assert not figure.exact
    now = points(figure)
    wanted = now + far * np.array([[-0.5, -0.6, 0.6], [0.5, -0.7, 0.5]])
    learnt, errors = correction.Correction(len(HANDS)), []
    for _ in range(12):
        tips = np.array([figure.tip(name) for name in HANDS])
        goal = ik.Position(HANDS, learnt.targets(now, wanted), tips)
        solution = ik.solve(ik.Problem(figure.skeleton, [goal]), figure.q, method="damped", tolerance=1e-6)
        channels = figure.channels(solution.q)
        promised = points(figure, solution.q) - now
        figure = figure.posed(channels)
        learnt.learn(promised, points(figure) - now)
        now = points(figure)
        errors.append(np.linalg.norm(now - wanted, axis=-1).max())
    assert min(errors) < 1e-3 and errors[-1] < 3e-3, errors
    armature.write_channels(rig, channels)
    tails = [np.array(evaluated(rig).matrix_world @ evaluated(rig).pose.bones[n].tail) for n in HANDS]
    assert np.abs(figure.space.point_in(tails) - now).max() < 1e-5


def test_a_linear_answer_is_learnt() -> None:
    rng = np.random.default_rng(0)
    answer = np.eye(6) + 0.5 * rng.normal(size=(6, 6))
    learnt, now, wanted = correction.Correction(2), np.zeros((2, 3)), rng.normal(size=(2, 3))
    left = []
    for _ in range(40):
        asked = learnt.targets(now, wanted) - now
        moved = (answer @ asked.ravel()).reshape(2, 3)
        learnt.learn(asked, moved)
        now = now + moved
        left.append(np.abs(wanted - now).max())
    assert left[-1] < 1e-6
    assert np.array_equal(correction.Correction(2).targets(np.zeros((2, 3)), wanted), wanted)


def test_no_motion_teaches_nothing() -> None:
    learnt = correction.Correction(1)
    learnt.learn(np.zeros((1, 3)), np.zeros((1, 3)))
    assert np.array_equal(learnt.targets(np.zeros((1, 3)), [[1, 2, 3]]), [[1, 2, 3]])
