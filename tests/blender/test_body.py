# SPDX-License-Identifier: GPL-3.0-or-later
"""The figure's own thickness: where its capsules stand."""

from __future__ import annotations

import bpy
import installed
import numpy as np
import pytest
from addon_scenes import arm
from mathutils import Vector


def capsules(rig: bpy.types.Object):
    bpy.context.view_layer.update()
    return installed.module("control.body").capsules(rig)


@pytest.mark.parametrize("scale", [1.0, 0.01])
def test_capsules_stand_where_the_bones_are(scale):
    rig = arm(3)
    rig.scale, rig.rotation_euler, rig.location = [scale] * 3, (0.3, 0.5, -0.7), (1.0, 2.0, 3.0)
    rig.pose.bones["b1"].scale = (2.0, 2.0, 2.0)
    for name, a, b, radius in (
        ("b0", (0, 0.1, 0), (0.2, 0.9, 0), 0.3),
        ("b2", (0, 0.5, 0.1), (0, 0, 0), 0.2),
    ):
        link = rig.articulate.body.links.add()
        link.name, link.a, link.b, link.radius = name, a, b, radius
    found = capsules(rig)
    assert found.bones == ("b0", "b2")
    for number, link in enumerate(rig.articulate.body.links):
        place = rig.matrix_world @ rig.pose.bones[link.name].matrix
        assert np.allclose(found.a[number], place @ Vector(link.a), atol=1e-6)
        assert np.allclose(found.b[number], place @ Vector(link.b), atol=1e-6)
    assert found.radius == pytest.approx([0.3 * scale, 0.4 * scale], rel=1e-5), "thick as the scaled bone"


def test_parts_that_are_off_or_gone_have_none():
    rig = arm(3)
    assert capsules(rig).bones == ("b0", "b1", "b2"), "by the bones' lengths, as in a solve"
    bpy.ops.articulate.body_fit()
    links = rig.articulate.body.links
    links["b0"].enabled, links["b1"].name = False, "lost"
    assert capsules(rig).bones == ("b2",)
    links["b2"].enabled = False
    assert capsules(rig).a.shape == (0, 3)
