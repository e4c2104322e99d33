# SPDX-License-Identifier: GPL-3.0-or-later
"""A relaxed stance in one step: arms hang, elbows and knees are slightly bent."""

from __future__ import annotations

from typing import Any

import bpy

from ikmath.postures.stance import stance, stands_on_two

from ...bridge.armature import read_bones, read_state
from ...bridge.figure_map import bone_map, joint_map
from ...bridge.skeleton import read_figure
from ...bridge.space import read_space, upward
from ...properties.refusal import Refused
from ..bake.autokey import pose_and_key


def stand_relaxed(armature: bpy.types.Object, context: bpy.types.Context) -> None:
    """Pose the arms and legs of an armature like a person standing at ease; other bones are unchanged.

    Raises:
        Refused: the figure does not stand on two legs, or it cannot be posed.
    """
    bones = read_bones(armature)
    whole = bone_map(armature, bones, upward(armature))
    limbs = [bones.names[j] for limb in whole.kinds.limbs for j in (*limb.joints, limb.end) if j >= 0]
    if not stands_on_two(whole.kinds):
        raise Refused(
            f"No pair of legs was found on '{armature.name}': a relaxed stance is for figures that stand on"
            " two legs"
        )
    evaluated: Any = armature.evaluated_get(context.evaluated_depsgraph_get())
    figure = read_figure(bones, read_state(evaluated, bones), read_space(evaluated), limbs)
    q = stance(figure.shown, joint_map(whole, figure), figure.q)
    pose_and_key(armature, figure.channels(q), figure.keyed, context)
