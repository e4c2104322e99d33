# SPDX-License-Identifier: GPL-3.0-or-later
"""Solving the current frame, into the pose."""

from __future__ import annotations

import time
from typing import Any

import bpy

from ..bridge.pose import write_channels
from .frame import first_figure, solve_frame
from .plan import read_plan
from .report import Run, write_report
from .sample import take_sample


def solve_now(armature: bpy.types.Object, context: bpy.types.Context) -> dict[str, Any]:
    """Pose an armature so that its effectors reach their targets, in the current frame.

    Args:
        armature: the original object.
        context: scene and view layer.

    Returns:
        The report, see `ArticulateRig.report`.

    Raises:
        Refused, IkError: it cannot be solved; nothing has been changed and the sentence says why.
    """
    started = time.perf_counter()
    plan = read_plan(armature, context)
    sample = take_sample(plan, armature, context.evaluated_depsgraph_get(), context.scene.frame_current)
    solved = solve_frame(plan, first_figure(plan, armature, sample), sample)
    write_channels(armature, solved.channels)
    seconds = time.perf_counter() - started
    return write_report(armature, Run(operation="solve", plan=plan, solved=[solved], seconds=seconds))
