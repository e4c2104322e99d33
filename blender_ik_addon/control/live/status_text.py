# SPDX-License-Identifier: GPL-3.0-or-later
"""The status text of a live figure in the panel, and the state of each effector.

Setting a property redraws the whole window. So during playback a changed number alone is not shown, and
causes are found after playback ends.
"""

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


def _sentence(armature: bpy.types.Object, plan: Plan, solved: Solved, *, playing: bool) -> str:
    """What keeps the figure from its targets, "" if the error is not visible; during playback no cause."""
    blocked = solved.status in ("BLOCKED", "INFEASIBLE")
    far, turned = (np.fmax(off, 0.0) for off in (solved.distance, solved.angle))  # NaN without a target
    if solved.status == "REACHED" or not (blocked or is_seen(armature, far.max(), turned.max())):
        return ""
    if playing and not (blocked or solved.sentence):  # these are known without a search
        for off, text in ((far, length_text(far.max() * plan.metre)), (turned, degrees_text(turned.max()))):
            if off.max() > plan.tolerance:
                return f"Live: {plan.effectors[off.argmax()].name} is {text} from its target."
    return f"Live: {naming_the_root(plan, solved.message)}"


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
    say(armature, _sentence(armature, plan, solved, playing=playing), playing=playing)
    worst = np.fmax(solved.distance, solved.angle).tolist()  # NaN if an effector is off
    missed = solved.status != "REACHED"
    state = [missed and error > plan.tolerance if error == error else None for error in worst]
    if state == told and (playing or True not in state):
        return told
    if task is not None and not playing:
        solved = replace(solved, why=partial(reasons, task, solved))
    write_effectors(armature, plan, [solved])
    return state
