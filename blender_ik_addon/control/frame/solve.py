# SPDX-License-Identifier: GPL-3.0-or-later
"""Solves the current frame and writes the pose."""

from __future__ import annotations

import time
from typing import Any

import bpy

from ...bridge.checks import limiting_constraint
from ..bake.autokey import pose_and_key
from ..report.report import Run, write_report
from .confirm import confirmed
from .plan import read_plan
from .sample import take_sample
from .solve_frame import solve_task
from .task import first_figure, make_tasks


def solve_now(armature: bpy.types.Object, context: bpy.types.Context) -> dict[str, Any]:
    """Pose an armature in the current frame so that its effectors reach their targets; returns the report.

    Raises:
        Refused, IkError: the frame cannot be solved; the message gives the reason and nothing is changed.
    """
    started = time.perf_counter()
    plan = read_plan(armature, context, carries="UNPLANTED")
    sample = take_sample(plan, armature, context.evaluated_depsgraph_get(), context.scene.frame_current)
    figure = first_figure(plan, armature, sample)
    (task,) = make_tasks(plan, figure, [sample])
    solved = solve_task(task)
    pose_and_key(armature, solved.channels, figure.keyed, context)
    sentence = limiting_constraint(armature, frozenset(plan.solved))
    if sentence:
        depsgraph = context.evaluated_depsgraph_get()
        solved = confirmed(plan, armature, figure, solved, depsgraph, sentence)
    seconds = time.perf_counter() - started
    return write_report(
        armature, Run(operation="solve", plan=plan, figure=figure, solved=[solved], seconds=seconds)
    )
