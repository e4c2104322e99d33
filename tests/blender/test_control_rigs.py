# SPDX-License-Identifier: GPL-3.0-or-later
"""Rigify's control rigs: constraints hold most bones, and the sentences lead to what can be solved."""

from __future__ import annotations

import re

import bpy
import numpy as np
import pytest
from addon_scenes import add, miss
from bridge_rigs import metarig

ADVICE = re.compile(r"or choose '(.*)' as the chain root of '(.*)'\.")


@pytest.fixture
def rig() -> bpy.types.Object:
    """The control rig of the basic human."""
    template = metarig("basic")
    bpy.ops.pose.rigify_generate()
    made = next(o for o in bpy.data.objects if o.type == "ARMATURE" and o != template)
    bpy.context.view_layer.objects.active = made
    return made


def test_fk_bones_are_solved_once_the_advice_is_taken(rig: bpy.types.Object) -> None:
    for bone in ("hand_fk.L", "foot_fk.R", "spine_fk.003"):
        effector = add(bone)
        with pytest.raises(RuntimeError, match="would override the result") as refused:
            bpy.ops.articulate.solve()
        advice = ADVICE.search(str(refused.value))
        assert advice and advice[2] == bone
        effector.chain_root = advice[1]
        pivot = rig.pose.bones[bone].head
        about = np.array(effector.target.location) - np.array(pivot)
        # aside, at the same distance from the bone's head, so that it is in reach of any chain
        aside = np.cross(about, (0.3, 1.0, 0.2))
        place = about + 0.3 * np.linalg.norm(about) * aside / np.linalg.norm(aside)
        effector.target.location = np.array(pivot) + place * np.linalg.norm(about) / np.linalg.norm(place)
        bpy.context.view_layer.update()
        bpy.ops.articulate.solve()
        assert miss(rig, bone) < 1e-3
        bpy.ops.articulate.clear(delete_targets=True)


def test_a_bone_that_is_held_itself_is_named_first(rig: bpy.types.Object) -> None:
    add("DEF-forearm.L")
    with pytest.raises(RuntimeError, match=r"of bone 'DEF-forearm\.L' moves it") as refused:
        bpy.ops.articulate.solve()
    assert not ADVICE.search(str(refused.value))
