# SPDX-License-Identifier: GPL-3.0-or-later
"""Poses a figure in the current frame: by its effectors, or in a relaxed stance."""

import time
from typing import Any

import bpy

from ikmath.postures.stance import stance, stands_on_two

from ...bridge.armature import read_state
from ...bridge.bone_map import bone_map
from ...bridge.checks import armature_refusals, limiting_constraint
from ...bridge.figure_map import joint_map
from ...bridge.skeleton import read_figure
from ...bridge.space import read_space
from ...properties.refusal import Refused, require
from ..bake.autokey import pose_and_key
from ..report.report import Run, write_report
from .plan import read_plan
from .sample import take_sample
from .solve_frame import solve_task
from .solved import confirmed
from .task import first_figure, make_task


def solve_now(armature: bpy.types.Object, context: bpy.types.Context) -> dict[str, Any]:
    """Pose an armature in the current frame so that its effectors reach their targets; returns the report."""
    started = time.perf_counter()
    plan = read_plan(armature, context, carries="UNPLANTED")
    sample = take_sample(plan, armature, context.evaluated_depsgraph_get(), context.scene.frame_current)
    figure = first_figure(plan, armature, sample)
    solved = solve_task(make_task(plan, figure, sample))
    pose_and_key(armature, solved.channels, figure.plan.keyed, context)
    sentence = limiting_constraint(armature, frozenset(plan.solved))
    if sentence:
        depsgraph = context.evaluated_depsgraph_get()
        solved = confirmed(plan, armature, figure, solved, depsgraph, sentence)
    seconds = time.perf_counter() - started
    return write_report(
        armature, Run(operation="solve", plan=plan, figure=figure, solved=[solved], seconds=seconds)
    )


def stand_relaxed(armature: bpy.types.Object, context: bpy.types.Context) -> None:
    """Pose the arms and legs of an armature like a person standing at ease; other bones are unchanged."""
    require(armature_refusals(armature))
    whole = bone_map(armature)
    bones = whole.bones
    limbs = [bones.names[j] for limb in whole.kinds.limbs for j in (*limb.joints, limb.end) if j >= 0]
    if not stands_on_two(whole.kinds):
        raise Refused(
            f"No pair of legs was found on '{armature.name}': a relaxed stance is for figures that stand on"
            " two legs"
        )
    evaluated: Any = armature.evaluated_get(context.evaluated_depsgraph_get())
    figure = read_figure(bones, read_state(evaluated, bones), read_space(evaluated), limbs)
    q = stance(figure.shown, joint_map(whole, figure), figure.q)
    pose_and_key(armature, figure.channels(q), figure.plan.keyed, context)
