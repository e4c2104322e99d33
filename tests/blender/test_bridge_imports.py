# SPDX-License-Identifier: GPL-3.0-or-later
"""Rigs from other programs, brought in by Blender's own importers at a hundredth of the scale."""

from __future__ import annotations

from pathlib import Path

import bpy
import numpy as np
import pytest
from bridge_rigs import evaluated
from installed import module
from rig_files import BODY, write_bvh, write_gltf

import ikmath as ik

armature = module("bridge.armature")
action = module("bridge.action")
chains = module("bridge.chains")
checks = module("bridge.checks")
skeleton = module("bridge.skeleton")
space = module("bridge.space")


@pytest.fixture(params=["gltf", "bvh"])
def rig(request: pytest.FixtureRequest, tmp_path: Path) -> bpy.types.Object:
    import addon_utils

    if request.param == "gltf":
        addon_utils.enable("io_scene_gltf2", default_set=True)
        write_gltf(tmp_path / "figure.gltf")
        bpy.ops.import_scene.gltf(filepath=str(tmp_path / "figure.gltf"))
    else:
        addon_utils.enable("io_anim_bvh", default_set=True)
        write_bvh(tmp_path / "figure.bvh")
        bpy.ops.import_anim.bvh(filepath=str(tmp_path / "figure.bvh"), rotate_mode="NATIVE")
        bpy.data.objects["figure"].scale = (0.01,) * 3
    found = next(each for each in bpy.data.objects if each.type == "ARMATURE")
    bpy.context.scene.frame_set(3)
    return found


def read(rig: bpy.types.Object, root: str = "FREE"):
    bones = armature.read_bones(rig)
    shown = evaluated(rig)
    names = chains.chain_bones(bones, [("mixamorig:LeftHand", ""), ("mixamorig:LeftFoot", "")])
    return skeleton.read_figure(
        bones, armature.read_state(shown, bones), space.read_space(shown), names, root=root
    )


def test_the_figure_is_metres_and_where_blender_has_it(rig: bpy.types.Object) -> None:
    assert list(checks.armature_refusals(rig)) == []
    figure = read(rig)
    assert figure.exact and figure.space.scale == pytest.approx(0.01, rel=1e-5)
    assert 1.0 < figure.skeleton.size < 2.0
    assert set(figure.plan.names) <= {name for name, _, _ in BODY}
    assert list(checks.figure_refusals(rig, figure, [("mixamorig:LeftHand", "")])) == []
    q = figure.q + 0.1 * np.random.default_rng(0).normal(size=figure.skeleton.n)
    for coordinates in (figure.q, q):
        armature.write_channels(rig, figure.channels(coordinates))
        found, shown = ik.Pose.forward(figure.skeleton, coordinates), evaluated(rig)
        for name in figure.plan.names:
            tail = np.array(shown.matrix_world @ shown.pose.bones[name].tail)
            assert np.abs(figure.space.point_out(found.point(name, figure.tip(name))) - tail).max() < 2e-5


def test_its_animation_is_the_start_of_every_frame_and_can_be_baked(rig: bpy.types.Object) -> None:
    figure = read(rig)
    turned, solved = [], []
    frames = range(1, 6)
    for frame in frames:
        bpy.context.scene.frame_set(frame)
        shown = evaluated(rig)
        figure = figure.at(armature.read_state(shown, figure.bones), space.read_space(shown))
        turned.append(figure.q)
        solved.append(figure.channels(figure.q + 0.05, solved[-1] if solved else None))
    assert np.abs(np.diff(turned, axis=0)).max() > 0.01
    curves = module("bridge.curves").gather_curves(figure.bones, figure.plan.keyed, frames, solved)
    backup = action.write_keys(rig, curves)
    for frame, channels in zip(frames, solved, strict=True):
        bpy.context.scene.frame_set(frame)
        shown = armature.read_channels(evaluated(rig))
        for bone, channel, index in figure.plan.keyed:
            number = figure.bones.number(bone)
            wanted = channels[channel][number, index]
            assert shown[channel][number, index] == pytest.approx(wanted, abs=1e-6)
    backup.close()
    bpy.context.scene.frame_set(3)
    assert np.abs(read(rig).q - turned[2]).max() < 1e-5
