# SPDX-License-Identifier: GPL-3.0-or-later
"""The figure measured from a rig: where Blender has its bones, here and where exact everywhere."""

from __future__ import annotations

import bpy
import numpy as np
import pytest
from bridge_rigs import INHERIT_SCALE, MODES, any_flags, chain_rig, evaluated, metarig, shake, tree_rig
from installed import module

import ikmath as ik

armature = module("bridge.armature")
skeleton = module("bridge.skeleton")
chains = module("bridge.chains")
space = module("bridge.space")
refusal = module("properties.refusal")


def figure_of(rig: bpy.types.Object, solved=None, **options):
    bones = armature.read_bones(rig)
    shown = evaluated(rig)
    names = bones.names if solved is None else solved
    return skeleton.read_figure(
        bones, armature.read_state(shown, bones), space.read_space(shown), names, **options
    )


def assert_same_place(figure, q, rig: bpy.types.Object, tolerance: float = 2e-6) -> None:
    """Heads, tails and axes of the figure at q are those of the bones in Blender's world."""
    found = ik.Pose.forward(figure.skeleton, q)
    shown = evaluated(rig)
    world = np.array(shown.matrix_world)
    extent = np.abs(np.concatenate([world @ [*bone.tail, 1.0] for bone in shown.pose.bones])).max()
    allowed = tolerance * max(float(extent), figure.space.scale)
    for name in figure.plan.names:
        if name not in figure.bones.index:  # a joint that only slides
            continue
        bone = shown.pose.bones[name]
        matrix = world @ np.array(bone.matrix)
        tail = (matrix @ [0, bone.bone.length, 0, 1])[:3]
        head_found, tail_found = (
            figure.space.point_out(found.point(name, p)) for p in ((0, 0, 0), figure.tip(name))
        )
        assert np.abs(head_found - matrix[:3, 3]).max() < allowed, name
        assert np.abs(tail_found - tail).max() < allowed, name
        turned = figure.space.rotation_out(found.rotation[figure.skeleton.index(name)])
        axis = matrix[:3, 1] / np.linalg.norm(matrix[:3, 1])
        assert np.abs(turned[:, 1] - axis).max() < 10 * tolerance, name


def wiggled(figure, seed: int, size: float = 0.5) -> np.ndarray:
    return figure.q + size * np.random.default_rng(seed).normal(size=figure.skeleton.n)


# Blender's rest matrices are orthonormal to 1e-5 only, and it computes with them as they are; so far from the
# pose that was measured, a figure of true rotations can agree with it no better.
REST = 1e-5


def assert_same_after_writing(figure, rig: bpy.types.Object, seed: int = 1, tolerance: float = REST) -> None:
    q = wiggled(figure, seed)
    armature.write_channels(rig, figure.channels(q))
    assert_same_place(figure, q, rig, tolerance)


@pytest.mark.parametrize("kind", ["human", "basic"])
@pytest.mark.parametrize("root", ["PINNED", "FREE"])
def test_metarig(kind: str, root: str) -> None:
    rig = metarig(kind)
    shake(rig, 1, turn=0.4, scale="UNIFORM", move=0.05)
    figure = figure_of(rig, root=root)
    assert figure.exact
    assert figure.skeleton.n == 3 * len(figure.bones) + (3 if root == "FREE" else 0)
    assert_same_place(figure, figure.q, rig)
    assert_same_after_writing(figure, rig)


@pytest.mark.parametrize("seed", range(10))
@pytest.mark.parametrize("root", ["PINNED", "FREE"])
def test_every_flag_with_uniform_scales(seed: int, root: str) -> None:
    rig = tree_rig(seed, 20, any_flags)
    shake(rig, seed + 20, scale="UNIFORM")
    figure = figure_of(rig, root=root)
    assert figure.exact
    assert_same_place(figure, figure.q, rig)
    assert_same_after_writing(figure, rig)


@pytest.mark.parametrize("inherit_scale", ["ALIGNED", "AVERAGE", "NONE", "NONE_LEGACY"])
def test_uneven_scales_that_shear_nothing_are_exact(inherit_scale: str) -> None:
    rig = tree_rig(4, 16, lambda _rng: {"inherit_scale": inherit_scale})
    shake(rig, 5, scale="FREE")
    figure = figure_of(rig, root="FREE")
    assert figure.exact
    assert_same_place(figure, figure.q, rig)
    assert_same_after_writing(figure, rig)


@pytest.mark.parametrize("inherit_scale", INHERIT_SCALE)
@pytest.mark.parametrize("seed", range(3))
def test_sheared_rigs_are_the_same_at_the_pose_and_after_measuring_again(
    inherit_scale: str, seed: int
) -> None:
    def flags(rng: np.random.Generator) -> dict:
        return {**any_flags(rng), "inherit_scale": inherit_scale if rng.random() < 0.7 else "FULL"}

    rig = tree_rig(seed, 16, flags)
    shake(rig, seed, scale="FREE")
    figure = figure_of(rig, root="FREE")
    assert not figure.exact
    assert_same_place(figure, figure.q, rig)
    channels = figure.channels(wiggled(figure, seed))
    again = figure.posed(channels)
    armature.write_channels(rig, channels)
    assert_same_place(again, again.q, rig, 4e-6)


def test_measuring_again_leads_to_blenders_true_pose() -> None:
    rig = chain_rig(5)
    shake(rig, 3, turn=0.3, move=0.0)
    for i, bone in enumerate(rig.pose.bones):
        bone.scale = (0.85, 1.15, 1.0) if i % 2 else (1.1, 0.9, 1.15)
    figure = figure_of(rig)
    assert not figure.exact
    goal = ik.Pose.forward(figure.skeleton, wiggled(figure, 7, 0.2)).point("b4", figure.tip("b4"))
    tip = figure.tip("b4")
    for _ in range(15):
        q = figure.q
        for _ in range(5):
            found = ik.Pose.forward(figure.skeleton, q)
            jacobian = found.jacobian("b4", tip)
            step = np.linalg.solve(jacobian @ jacobian.T + 0.01 * np.eye(3), goal - found.point("b4", tip))
            q = q + jacobian.T @ step
        channels = figure.channels(q)
        figure = figure.posed(channels)
        tip = figure.tip("b4")
    armature.write_channels(rig, channels)
    bone = evaluated(rig).pose.bones["b4"]
    assert np.abs(np.array(bone.tail) - goal).max() < 1e-5


@pytest.mark.parametrize("scale", [0.01, 1.0, 100.0])
def test_moved_turned_scaled_under_an_animated_parent(scale: float) -> None:
    rig = tree_rig(9, 14, any_flags)
    carrier = bpy.data.objects.new("Carrier", None)
    bpy.context.collection.objects.link(carrier)
    for frame, place in ((1, (1, 2, 3)), (11, (-4, 1, 0))):
        carrier.location = place
        carrier.rotation_euler = (0.3 * frame, -0.2, 0.5)
        carrier.keyframe_insert("location", frame=frame)
        carrier.keyframe_insert("rotation_euler", frame=frame)
    rig.parent = carrier
    rig.location, rig.rotation_euler, rig.scale = (0.5, -1, 2), (0.4, 0.5, -2), (scale,) * 3
    shake(rig, 10, scale="UNIFORM")
    bpy.context.scene.frame_set(1)
    figure = figure_of(rig, root="FREE")
    assert figure.space.scale == pytest.approx(scale, rel=1e-5)
    assert_same_place(figure, figure.q, rig, 1e-5)
    bpy.context.scene.frame_set(7)
    shown = evaluated(rig)
    later = figure.at(armature.read_state(shown, figure.bones), space.read_space(shown))
    assert_same_place(later, later.q, rig, 1e-5)
    assert_same_after_writing(later, rig, tolerance=1e-5)


def test_unsolved_bones_between_solved_ones_come_along() -> None:
    rig = metarig("human")
    shake(rig, 2, turn=0.3)
    bones = armature.read_bones(rig)
    solved = chains.chain_bones(bones, [("hand.L", "upper_arm.L"), ("spine.002", "spine.001")])
    figure = figure_of(rig, solved)
    assert set(figure.solved) == {"spine.001", "spine.002", "upper_arm.L", "forearm.L", "hand.L"} | (
        set(solved) - set(figure.plan.names)
    )
    assert (
        "spine.003" in figure.plan.names
        and "shoulder.L" in figure.plan.names
        and "spine" not in figure.plan.names
    )
    assert figure.skeleton.n == 15
    assert_same_place(figure, figure.q, rig)
    assert_same_after_writing(figure, rig)


def test_carried_bones_are_rigid_joints() -> None:
    rig = metarig("human")
    figure = figure_of(rig, ["spine", "spine.001"], carried=["hand.L", "foot.R"])
    assert {"hand.L", "forearm.L", "foot.R", "thigh.R"} <= set(figure.plan.names)
    assert figure.skeleton.n == 6
    assert_same_after_writing(figure, rig)


def test_an_unsolved_animated_parent_carries_the_figure() -> None:
    rig = chain_rig(5)
    shake(rig, 4, turn=0.5, move=0)
    figure = figure_of(rig, ["b3", "b4"])
    rig.pose.bones["b1"].rotation_mode = "XYZ"
    rig.pose.bones["b1"].rotation_euler = (1, 1, 0)
    later = figure_of(rig, ["b3", "b4"])
    again = figure.at(later.state)
    assert np.abs(later.skeleton.rest_rotation - figure.skeleton.rest_rotation).max() > 0.1
    assert np.array_equal(later.skeleton.rest_rotation, again.skeleton.rest_rotation)
    assert_same_after_writing(later, rig)


def test_coordinates_follow_locks_and_limits() -> None:
    rig = chain_rig(4)
    for bone in rig.pose.bones:
        bone.rotation_mode = "XYZ"
    hinge, reset, kept, full = rig.pose.bones
    hinge.lock_ik_y = hinge.lock_ik_z = True
    hinge.use_ik_limit_x, hinge.ik_min_x, hinge.ik_max_x, hinge.ik_stiffness_x = True, -0.1, 2.0, 0.5
    reset.lock_ik_x = True
    reset.rotation_euler = (0.4, 0, 0)
    kept.lock_rotation = (False, False, True)
    kept.lock_ik_z = True
    kept.rotation_euler = (0, 0, 0.3)
    full.use_ik_limit_y, full.ik_min_y, full.ik_max_y = True, -1, 1
    figure = figure_of(rig)
    s = figure.skeleton
    assert s.coordinate_names == (
        "b0.turn_x",
        "b1.turn_y", "b1.turn_z",
        "b2.turn_x", "b2.turn_y",
        "b3.turn_x", "b3.turn_y", "b3.turn_z",
    )  # fmt: skip
    assert s.lower[0] == pytest.approx(-0.1) and s.upper[0] == 2.0 and s.stiffness[0] == 0.5
    assert np.isinf(s.lower[1:6]).all() and s.lower[6] == -1 and s.upper[6] == 1 and np.isinf(s.lower[7])
    assert figure.skeleton.fixed[1, 3] == 0.0  # as Blender's own inverse kinematics does
    assert figure.skeleton.fixed[2, 5] == pytest.approx(0.3)  # lock_rotation wins
    channels = figure.channels(figure.q)
    assert np.abs(channels["rotation_euler"][1]).max() < 1e-7
    assert channels["rotation_euler"][2, 2] == np.float32(0.3)


def test_all_axes_locked_for_ik_becomes_rest() -> None:
    rig = chain_rig(2)
    bone = rig.pose.bones["b0"]
    bone.lock_ik_x = bone.lock_ik_y = bone.lock_ik_z = True
    shake(rig, 1, modes=["QUATERNION"])
    figure = figure_of(rig)
    assert figure.skeleton.n == 3
    assert np.allclose(figure.channels(figure.q)["rotation_quaternion"][0], (1, 0, 0, 0), atol=1e-7)


def test_free_root_slides_unless_connected_or_locked() -> None:
    rig = chain_rig(3, connected=True)
    assert figure_of(rig, root="FREE").skeleton.coordinate_names[:3] == (
        "b0.slide_x",
        "b0.slide_y",
        "b0.slide_z",
    )
    assert figure_of(rig, ["b1", "b2"], root="FREE").skeleton.n == 6
    rig.pose.bones["b0"].lock_location = (True, False, True)
    assert figure_of(rig, root="FREE").skeleton.coordinate_names[:2] == ("b0.slide_y", "b0.turn_x")
    assert figure_of(rig, root="PINNED").skeleton.n == 9


@pytest.mark.parametrize("local", [True, False])
@pytest.mark.parametrize("inherit", [True, False])
@pytest.mark.parametrize("locks", [(False, False, False), (True, False, False), (False, True, True)])
def test_free_root_below_another_bone_with_locks(local: bool, inherit: bool, locks: tuple) -> None:
    rig = tree_rig(2, 6, lambda _rng: {"use_local_location": local, "use_inherit_rotation": inherit})
    shake(rig, 3, scale="UNIFORM")
    names = [b.name for b in rig.data.bones if b.parent and not b.use_connect]
    bone = rig.pose.bones[names[0]]
    bone.lock_location = locks
    held = tuple(bone.location)
    figure = figure_of(rig, [bone.name], root="FREE")
    assert figure.skeleton.n == 3 + 3 - sum(locks)
    assert_same_place(figure, figure.q, rig)
    assert_same_after_writing(figure, rig)
    for i in range(3):
        assert (bone.location[i] == held[i]) == locks[i]


@pytest.mark.parametrize("mode", MODES)
def test_writing_the_coordinates_read_changes_nothing(mode: str) -> None:
    rig = metarig("human")
    shake(rig, 5, turn=1.2, modes=[mode])
    figure = figure_of(rig, root="FREE")
    out = figure.channels(figure.q)
    for name in armature.CHANNEL_WIDTHS:
        assert np.abs(out[name] - figure.state.channels[name]).max() < 5e-6, name


def test_locked_components_are_left_alone_and_corrected_for() -> None:
    rig = chain_rig(3)
    shake(rig, 6, modes=["XYZ"], turn=0.4, move=0)
    rig.pose.bones["b1"].lock_rotation = (False, True, False)
    held = rig.pose.bones["b1"].rotation_euler[1]
    figure = figure_of(rig)
    assert not figure.exact
    channels = figure.channels(wiggled(figure, 1))
    again = figure.posed(channels)
    armature.write_channels(rig, channels)
    assert rig.pose.bones["b1"].rotation_euler[1] == held
    assert_same_place(again, again.q, rig)
    assert ("b1", "rotation_euler", 1) not in figure.plan.keyed
    assert ("b1", "rotation_euler", 0) in figure.plan.keyed


def test_a_hinge_by_rotation_locks_is_exact() -> None:
    rig = chain_rig(3)
    for bone in rig.pose.bones:
        bone.rotation_mode, bone.lock_rotation = "XYZ", (False, True, True)
    figure = figure_of(rig)
    assert figure.exact and figure.skeleton.n == 3
    assert [key[2] for key in figure.plan.keyed] == [0, 0, 0]
    assert_same_after_writing(figure, rig)


def test_keyed_is_what_a_bake_writes() -> None:
    rig = chain_rig(3)
    quaternion, euler, axis = rig.pose.bones
    euler.rotation_mode, axis.rotation_mode = "ZXY", "AXIS_ANGLE"
    quaternion.lock_location = (False, True, False)
    axis.lock_rotation = (True, True, True)
    figure = figure_of(rig, root="FREE")
    assert figure.plan.keyed == (
        ("b0", "location", 0), ("b0", "location", 2),
        *(("b0", "rotation_quaternion", i) for i in range(4)),
        *(("b1", "rotation_euler", i) for i in range(3)),
    )  # fmt: skip


def test_chains() -> None:
    rig = metarig("human")
    bones = armature.read_bones(rig)
    assert chains.chain_bones(bones, [("hand.L", "upper_arm.L")]) == ("upper_arm.L", "forearm.L", "hand.L")
    whole = chains.chain_bones(bones, [("hand.L", ""), ("foot.R", "")])
    assert whole[0] == "spine" and {"thigh.R", "shoulder.L", "spine.003"} <= set(whole)
    assert all(
        bones.parents[bones.index[name]] < 0
        or whole.index(bones.names[bones.parents[bones.index[name]]]) < whole.index(name)
        for name in whole
    )
    with pytest.raises(refusal.Refused, match=r"Chain root 'thigh\.L' is not 'hand\.L' or a bone"):
        chains.chain_bones(bones, [("hand.L", "thigh.L")])
    with pytest.raises(refusal.Refused, match="Bone 'Hand' does not exist"):
        chains.chain_bones(bones, [("Hand", "")])
    with pytest.raises(refusal.Refused, match="add an effector"):
        figure_of(rig, [])


@pytest.mark.parametrize(
    ("scale", "words"),
    [
        ((1, 0, 1), "scaled to zero"),
        ((0, 0, 0), "scaled to zero"),
        ((-1, 1, 1), "mirrored"),
        ((float("nan"), 1, 1), "finite"),
    ],
)
def test_bad_bones_are_named(scale: tuple, words: str) -> None:
    rig = chain_rig(3)
    rig.pose.bones["b1"].scale = scale
    with pytest.raises(refusal.Refused, match=rf"Bone 'b1' of 'Rig' .*{words}"):
        figure_of(rig)


@pytest.mark.parametrize(
    ("scale", "words"),
    [((1, 1.2, 1), "unevenly"), ((0, 0, 0), "scaled to zero"), ((-1, -1, -1), "mirrored")],
)
def test_bad_object_scales_are_named(scale: tuple, words: str) -> None:
    rig = chain_rig(3)
    rig.scale = scale
    with pytest.raises(refusal.Refused, match=rf"'Rig'.*{words}"):
        figure_of(rig)


def test_space_there_and_back() -> None:
    rig = chain_rig(2)
    rig.location, rig.rotation_euler, rig.scale = (3, -1, 2), (1, 2, 3), (0.01,) * 3
    s = space.read_space(evaluated(rig))
    rng = np.random.default_rng(0)
    points = rng.normal(size=(4, 5, 3))
    assert np.abs(s.point_out(s.point_in(points)) - points).max() < 1e-12
    turns = np.linalg.qr(rng.normal(size=(4, 3, 3)))[0]
    assert np.abs(s.rotation_out(s.rotation_in(turns)) - turns).max() < 1e-12
