# SPDX-License-Identifier: GPL-3.0-or-later
"""Ki & Sheen, example 7.5, as a scene: a human figure grasps an object on a table, by several methods.

The figure has the bones and lengths of `ikmath.figures.human`; knees and elbows have Blender's own IK
limits. The same
example as numbers and as a picture: tests/papers/experiments/ki_sheen_grasp.py.
"""

from __future__ import annotations

import bpy
import installed
import numpy as np
import pytest
from addon_scenes import add, animate, evaluated, tip
from bridge_rigs import make_rig

import ikmath as ik

OBJECT = np.array([0.05, -0.62, 0.80])
TABLE = ((-0.6, -1.0, 0.68), (0.6, -0.4, 0.72))
FRAMES = 16
LEAVES = {
    "head": (0, 0, 0.2),
    "wrist.L": (0.16, 0, 0),
    "wrist.R": (-0.16, 0, 0),
    "toe.L": (0, -0.08, 0),
    "toe.R": (0, -0.08, 0),
}
FEET = ("toe.L", "toe.R")


def anic() -> bpy.types.Object:
    """The figure, standing, arms to the sides."""
    figure = ik.figures.human()
    place = ik.Pose.forward(figure, figure.rest).position
    follower = {"pelvis": "lumbar", "thorax": "neck"}
    rows = []
    for index, name in enumerate(figure.names):
        parent = figure.names[figure.parents[index]] if figure.parents[index] >= 0 else None
        children = [
            child for child, above in zip(figure.names, figure.parents, strict=True) if above == index
        ]
        after = follower.get(name) or (children[0] if children else None)
        tail = place[figure.names.index(after)] if after else place[index] + LEAVES[name]
        rows.append((name, parent, tuple(place[index]), tuple(tail)))
    rig = make_rig(rows)
    for bone in rig.pose.bones:
        bone.rotation_mode = "QUATERNION"
        if bone.name.startswith(("knee", "elbow")):  # bent a little, the way they bend
            bone.use_ik_limit_x = bone.use_ik_limit_z = True
            bone.ik_min_x, bone.ik_max_x, bone.ik_min_z, bone.ik_max_z = -2.5, 2.5, -2.5, 2.5
            sign = -1.0 if bone.name.startswith("knee") else 1.0
            bone.rotation_quaternion = (0.995, sign * 0.1, 0.0, 0.0)
    bpy.context.view_layer.update()
    return rig


def box(name: str, low, high) -> bpy.types.Object:
    """A box from corner to corner."""
    mesh = bpy.data.meshes.new(name)
    corners = [(x, y, z) for x in (low[0], high[0]) for y in (low[1], high[1]) for z in (low[2], high[2])]
    faces = [(0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3)]
    mesh.from_pydata(corners, [], faces)
    thing = bpy.data.objects.new(name, mesh)
    bpy.context.collection.objects.link(thing)
    return thing


@pytest.mark.parametrize("method", ["hierarchical", "bounded", "prioritized", "damped", "nonlinear"])
def test_anic_grasps_the_object_and_stands(method):
    rig = anic()
    box("Table", *TABLE)
    box("Object", OBJECT - 0.03, OBJECT + 0.03)
    rig.articulate.solver.method, rig.articulate.solver.root = method, "FREE"
    feet = {name: tip(rig, name) for name in FEET}
    for name in FEET:
        effector = add(name, "POSE")
        effector.pinned = True
    begin = tip(rig, "wrist.R")
    hand = add("wrist.R").target
    path = ik.subdivide(begin, OBJECT, FRAMES - 2, center=tip(rig, "clavicle.R"), smooth=True)
    animate(hand, dict(enumerate([begin, *path], start=1)))
    assert bpy.ops.articulate.bake(frame_start=1, frame_end=FRAMES) == {"FINISHED"}
    previous = None
    for frame in range(1, FRAMES + 1):
        bpy.context.scene.frame_set(frame)
        assert np.linalg.norm(tip(rig, "wrist.R") - evaluated(hand).matrix_world.translation) < 2e-3
        for name in FEET:
            assert np.linalg.norm(tip(rig, name) - feet[name]) < 2e-3
        heads = np.array([bone.head for bone in evaluated(rig).pose.bones])
        assert previous is None or np.abs(heads - previous).max() < 0.15, "no jump"
        previous = heads
    assert np.linalg.norm(tip(rig, "wrist.R") - OBJECT) < 2e-3
    assert rig.articulate.report["status"] == "REACHED"
    assert installed.package()
