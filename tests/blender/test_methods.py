# SPDX-License-Identifier: GPL-3.0-or-later
"""Every method through the panel's menu, on a bone chain of Blender; measured by Blender."""

from __future__ import annotations

import bpy
import pytest
from addon_scenes import arm, miss, reach, two_arms

GEOMETRIC = ("ccd", "fabrik", "triangulation", "reach_hierarchy")
INCREMENTAL = ("hierarchical", "damped", "pseudoinverse", "control", "prioritized", "bounded", "nonlinear")


@pytest.mark.parametrize("method", [*GEOMETRIC, *INCREMENTAL])
def test_reaches_on_a_chain(method):
    rig = arm(5)
    reach(rig, "b4", (1.5, 0.5, 2.5))
    rig.articulate.solver.method = method
    bpy.ops.articulate.solve()
    assert miss(rig, "b4") < 2e-3, rig.articulate.report["message"]


@pytest.mark.parametrize("method", GEOMETRIC)
@pytest.mark.parametrize("scale", [0.01, 100.0])
def test_geometric_methods_respect_inheritance_and_scale(method, scale):
    rig = arm(5)
    rig.data.bones["b2"].use_inherit_rotation = False
    rig.data.bones["b3"].inherit_scale = "NONE"
    rig.scale = (scale, scale, scale)
    rig.rotation_euler = (0.3, -0.4, 1.0)
    bpy.context.view_layer.update()
    place = rig.matrix_world @ rig.pose.bones["b4"].tail
    aim = rig.matrix_world @ (rig.pose.bones["b4"].tail * 0.8)
    reach(rig, "b4", place.lerp(aim, 0.8))
    rig.articulate.solver.method = method
    bpy.ops.articulate.solve()
    near = max(2e-3 * scale, rig.articulate.solver.tolerance)
    assert miss(rig, "b4") < near, rig.articulate.report["message"]


def test_two_bone_bends_a_limb():
    rig = two_arms()
    reach(rig, "hand.L", (1.2, 0.5, 1.8), chain_root="arm.L")
    rig.articulate.solver.method = "two_bone"
    bpy.ops.articulate.solve()
    assert miss(rig, "hand.L") < 2e-3, rig.articulate.report["message"]


def test_what_a_method_cannot_take_is_said():
    rig = arm()
    bpy.ops.articulate.effector_add(bone="b3", kind="ORIENTATION")
    rig.articulate.solver.method = "fabrik"
    with pytest.raises(RuntimeError, match="cannot take"):
        bpy.ops.articulate.solve()
