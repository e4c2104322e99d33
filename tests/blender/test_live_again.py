# SPDX-License-Identifier: GPL-3.0-or-later
"""A live frame has the same bits whichever frames were solved before it, and after loading the file."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import bpy
import numpy as np
import pytest
from addon_scenes import animate, arm, reach
from bridge_rigs import make_rig
from standing_figures import person

FRAMES = (1, 4, 7)
HAND = "b.4"


def plain(rig: bpy.types.Object) -> None:
    """Nothing but an animated target, and pins."""


def posed(rig: bpy.types.Object) -> None:
    """Fingers, which are not solved, are bent, so that they weigh elsewhere."""
    rig.pose.bones["b.5"].rotation_quaternion = (0.8, 0.0, 0.0, 0.6)
    rig.pose.bones["a.5"].rotation_quaternion = (0.8, 0.6, 0.0, 0.0)


def animated(rig: bpy.types.Object) -> None:
    """Bones that are solved, and one that is not, have keys."""
    for bone in ("a.2", "d.2", "d.5"):
        for frame, turn in ((1, 0.1), (7, 0.5)):
            rig.pose.bones[bone].rotation_quaternion = (1.0, turn, 0.0, 0.2)
            rig.pose.bones[bone].keyframe_insert("rotation_quaternion", frame=frame)


def among_things(rig: bpy.types.Object) -> None:
    """A box is in the way of the hand."""
    bpy.ops.mesh.primitive_cube_add(size=0.4, location=(0.7, 0.0, 1.75))
    box = bpy.context.object
    bpy.context.view_layer.objects.active = rig
    bpy.ops.articulate.body_fit()
    bpy.ops.articulate.obstacle_add(object=box.name)


def frames(order: tuple[int, ...]) -> dict[int, list[list[float]]]:
    """The channels of all bones in frames that are gone through in an order."""
    found = {}
    for frame in order:
        bpy.context.scene.frame_set(frame)
        bones = bpy.data.objects["Rig"].pose.bones
        found[frame] = [[*bone.location, *bone.rotation_quaternion] for bone in bones]
    return found


def standing() -> bpy.types.Object:
    """A person with pinned feet, turned and moved, whose hand follows an animated target."""
    rig = make_rig(person())
    rig.rotation_euler, rig.location.x = (0.0, 0.0, 0.4), 0.3
    bpy.ops.object.mode_set(mode="POSE")
    rig.articulate.solver.root = "FREE"
    for foot in ("c.2", "e.2"):
        bpy.ops.articulate.pin(bone=foot)
    bpy.ops.object.mode_set(mode="OBJECT")
    animate(reach(rig, HAND, (0.7, -0.3, 1.5)), {1: (0.7, -0.3, 1.5), 7: (0.4, 0.2, 2.1)})
    return rig


def seen_again(rig: bpy.types.Object, path: str) -> None:
    """Whether frames are the same in another order, and after loading."""
    rig.articulate.live = True
    seen = frames(FRAMES)
    assert np.ptp([seen[frame] for frame in FRAMES], axis=0).max() > 0.1
    assert frames(FRAMES[::-1]) == seen
    bpy.ops.wm.save_as_mainfile(filepath=path)
    bpy.ops.wm.read_homefile(use_factory_startup=True, use_empty=True)
    bpy.ops.wm.open_mainfile(filepath=path)
    assert frames(FRAMES[::-1]) == seen


@pytest.mark.parametrize("scene", [plain, posed, animated, among_things])
def test_a_frame_is_the_same_after_loading(scene: Callable[[bpy.types.Object], None], tmp_path: Path) -> None:
    rig = standing()
    scene(rig)
    seen_again(rig, str(tmp_path / "shot.blend"))


def test_an_arm_on_a_constrained_bone_is_the_same_after_loading(tmp_path: Path) -> None:
    rig = arm(5)
    carrier = bpy.data.objects.new("Carrier", None)
    bpy.context.collection.objects.link(carrier)
    carrier.rotation_euler.y = 0.3
    constraint = rig.pose.bones["b0"].constraints.new("COPY_ROTATION")
    constraint.target = carrier
    animate(reach(rig, "b4", (2.5, 0.5, 3.0), chain_root="b1"), {1: (2.5, 0.5, 3.0), 7: (-1.5, 2.0, 3.0)})
    seen_again(rig, str(tmp_path / "shot.blend"))
