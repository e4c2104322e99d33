# SPDX-License-Identifier: GPL-3.0-or-later
"""The status text of a live figure in the panel, and the state of each effector.

Setting a property redraws the whole window. So during playback a changed number alone is not shown, and
causes are found after playback ends.
"""

from __future__ import annotations

import re
from dataclasses import replace
from functools import partial
from typing import Any, Final

import bpy
import numpy as np

from ikmath.diagnosis.explanation import degrees_text, length_text

from ...properties.access import rig_of
from ...properties.measures import is_seen
from ..frame.held_back import naming_the_root
from ..frame.plan import Plan
from ..frame.solve_frame import reasons
from ..frame.solved import Solved
from ..frame.task import Task
from ..report.report import write_effectors

_NUMBERS: Final = re.compile(r"[\d.]+")


def say(armature: bpy.types.Object, message: str, *, playing: bool) -> None:
    """Show a sentence; during playback not if only numbers differ."""
    shown = rig_of(armature).message
    if message != shown and not (playing and _NUMBERS.sub("", message) == _NUMBERS.sub("", shown)):
        rig_of(armature).message = message


def _in_passing(plan: Plan, solved: Solved) -> str:
    """The sentence during playback: the effector and its error, without the cause."""
    if solved.sentence or solved.status in ("BLOCKED", "INFEASIBLE"):
        return solved.message  # the obstacle is known
    far, turned = (np.fmax(off, 0.0) for off in (solved.distance, solved.angle))  # NaN without a target
    if far.max() > plan.tolerance:
        return (
            f"{plan.effectors[far.argmax()].name} is {length_text(far.max() * plan.metre)} from its target."
        )
    if turned.max() > plan.tolerance:
        return f"{plan.effectors[turned.argmax()].name} is {degrees_text(turned.max())} from its target."
    return solved.message


def _shows(armature: bpy.types.Object, solved: Solved) -> bool:
    """Whether the error is visible, or an obstacle blocks the figure."""
    if solved.status in ("BLOCKED", "INFEASIBLE"):
        return True
    far, turned = (float(np.nanmax(off, initial=0.0)) for off in (solved.distance, solved.angle))
    return is_seen(armature, far, turned)


def tell(
    armature: bpy.types.Object,
    plan: Plan,
    solved: Solved,
    told: Any,
    *,
    task: Task | None,
    playing: bool,
) -> Any:
    """Show the result of a frame, and return the state that was shown, `told` in the next call.

    The solved task is given if it is still known. While `playing`, frames pass in playback or scrubbing.
    """
    sentence = ""
    if solved.status != "REACHED" and _shows(armature, solved):
        message = _in_passing(plan, solved) if playing else naming_the_root(plan, solved.message)
        sentence = f"Live: {message}"
    say(armature, sentence, playing=playing)
    worst = np.fmax(solved.distance, solved.angle).tolist()  # NaN if an effector is off
    missed = solved.status != "REACHED"
    state = [missed and error > plan.tolerance if error == error else None for error in worst]
    if state == told and (playing or True not in state):
        return told
    if task is not None and not playing:
        solved = replace(solved, why=partial(reasons, task, solved))
    write_effectors(armature, plan, [solved])
    return state
