# SPDX-License-Identifier: GPL-3.0-or-later
"""The report of a solve or a bake: a dict for scripts, and the effectors' fields for the list."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import bpy
import numpy as np

import ikmath as ik
from ikmath.diagnosis.explanation import degrees_text, length_text

from ...bridge.armature import Array
from ...bridge.skeleton import Figure
from ...properties.access import rig_of
from ...properties.measures import counted, is_seen
from ..frame.held_back import naming_the_root
from ..frame.plan import EffectorPlan, Plan, find_armature, find_effector
from ..frame.solved import Solved
from ..inspect.inspection import at_limits
from .report_text import write_text

_OUT = 1e-2  # radians beyond a limit that are mentioned


@dataclass(frozen=True, kw_only=True)
class Run:
    """The results of a solve or bake.

    Attributes:
        operation: "solve" or "bake".
        figure: in the first frame; the coordinates of all frames refer to it.
        solved: the frames in order.
        seconds: wall time.
    """

    operation: str
    plan: Plan
    figure: Figure
    solved: Sequence[Solved]
    seconds: float


def write_report(armature: bpy.types.Object, run: Run) -> dict[str, Any]:
    """Store the report of a run on the armature and return it."""
    frames = [solved.frame for solved in run.solved]
    # the frame that is inside an obstacle or has the largest error; the last one if all are reached
    missed = (solved for solved in run.solved if solved.status != "REACHED")
    worst = max(missed, key=lambda one: (one.status == "INFEASIBLE", one.worst), default=run.solved[-1])
    rows = write_effectors(armature, run.plan, run.solved)
    report = {
        "operation": run.operation,
        "status": worst.status,
        "message": _message(run, worst, rows),
        "method": run.plan.method,
        "seconds": run.seconds,
        "frames": len(frames),
        "frame_start": frames[0],
        "frame_end": frames[-1],
        "effectors": rows,
        "limits": _limits(run),
        **_surroundings(run),
    }
    rig_of(armature).report_json = json.dumps(report)
    rig_of(armature).message = report["message"]
    body = rig_of(armature).body
    body.clearance, body.nearest = report.get("clearance") or 0.0, report.get("nearest", "")
    body.notes = "\n".join(report.get("ignored", ()))
    write_text(armature.name, report)
    return report


def write_effectors(
    armature: bpy.types.Object, plan: Plan, frames: Sequence[Solved]
) -> dict[str, dict[str, Any]]:
    """Write each effector's result into the list; returns the rows of the report, by name."""
    rows: dict[str, dict[str, Any]] = {}
    for column, effector in enumerate(plan.effectors):
        row = _row(plan, frames, column)
        # a script or a user can give two effectors the same name
        same = [other.name for other in plan.effectors[:column]].count(effector.name)
        rows[f"{effector.name} ({same + 1})" if same else effector.name] = row
        item = find_effector(armature, effector)
        if item is None:
            continue  # a script has changed the list during a bake
        values = {"error": row["worst"] or 0.0, "angle": row["angle_worst"] or 0.0}
        for name, value in {**values, "status": row["status"], "message": row["message"]}.items():
            # assigning an equal value would still cause an update and a redraw
            if getattr(item, name) != (np.float32(value) if name in values else value):
                setattr(item, name, value)
    return rows


def _surroundings(run: Run) -> dict[str, Any]:
    """Clearances from the obstacles; empty without obstacles."""
    if run.plan.surroundings is None:
        return {}
    found: dict[str, dict[str, Any]] = {}
    nearest_first = sorted(run.solved, key=lambda solved: solved.nearest.clearance)
    for near, frame in ((solved.nearest, solved.frame) for solved in nearest_first):
        if np.isfinite(near.clearance):  # JSON has no infinity
            found.setdefault(near.name, {"name": near.name, "clearance": near.clearance, "frame": frame})
    return {
        "clearance": min((thing["clearance"] for thing in found.values()), default=None),
        "nearest": nearest_first[0].nearest.name,
        "clearance_frame": nearest_first[0].frame,
        "nearest_things": list(found.values()),
        "ignored": list(dict.fromkeys(sentence for solved in run.solved for sentence in solved.ignored)),
    }


def _limits(run: Run) -> list[dict[str, Any]]:
    """Bones at joint limits: the axes, the number of frames, and the first frame."""
    skeleton = run.figure.skeleton
    at = at_limits(skeleton, np.array([solved.q for solved in run.solved]))
    rows = []
    for joint in dict.fromkeys(skeleton.owner[at.any(0)].tolist()):
        own = np.flatnonzero((skeleton.owner == joint) & at.any(0))
        frames = np.flatnonzero(at[:, own].any(1))
        rows.append(
            {
                "bone": skeleton.names[joint],
                "axis": "".join("xyz"[skeleton.slot[column] - 3] for column in own.tolist()),
                "frames": len(frames),
                "frame": run.solved[frames[0]].frame,
            }
        )
    return rows


def _beyond_limits(run: Run) -> str:
    """The end of a sentence: which bone is farthest beyond its limit, with a method that permits it."""
    if ik.LIMITS[run.plan.limits].strict:
        return ""
    skeleton = run.figure.skeleton
    q = np.array([solved.q for solved in run.solved])
    outside = skeleton.is_turn & (skeleton.joint_limits.violation(q) > 0.0)
    out = np.where(outside, np.abs(q - skeleton.project(q)), 0.0).max(0)
    worst = int(out.argmax())
    if not out[worst] > _OUT:
        return ""
    return f", but {skeleton.names[skeleton.owner[worst]]} is {degrees_text(out[worst])} beyond its limit"


def _row(plan: Plan, frames: Sequence[Solved], column: int) -> dict[str, Any]:
    effector: EffectorPlan = plan.effectors[column]
    distance = np.array([solved.distance[column] for solved in frames])
    angle = np.array([solved.angle[column] for solved in frames])
    numbers = [solved.frame for solved in frames]
    row: dict[str, Any] = {
        "bone": effector.bone,
        "kind": effector.kind.name,
        "target": effector.target,
        "priority": effector.priority,
    }
    if effector.second:
        row["second_bone"] = effector.second
    if effector.alternatives:
        row["chosen"] = _choices(effector, frames, column)
    row.update(_summary("", numbers, distance), **_summary("angle_", numbers, angle))
    far, turned = row["worst"] or 0.0, row["angle_worst"] or 0.0
    short = [length_text(far * plan.metre)] if far > plan.tolerance else []
    short += [degrees_text(turned)] if turned > plan.tolerance else []
    frame = row["worst_frame"] if far else row["angle_worst_frame"]
    if row["worst"] is None and row["angle_worst"] is None:
        row["status"], row["message"] = "OFF", "Its weight or its influence is 0"
    elif not short:
        row["status"], row["message"] = "REACHED", ""
    else:
        solved = frames[numbers.index(frame)]
        row["status"] = "BLOCKED" if solved.status == "BLOCKED" else "BEST_EFFORT"
        where = f" at frame {frame}" if len(frames) > 1 else ""
        why = f": {solved.reasons[column]}" if solved.reasons[column] else ""
        row["message"] = f"{' and '.join(short)} from its target{where}{why}"
    return row


def _choices(effector: EffectorPlan, frames: Sequence[Solved], column: int) -> list[tuple[int, str]]:
    """Frames at which an effector switched to another alternative, with its name."""
    found: list[tuple[int, str]] = []
    for solved in frames:
        name = effector.alternatives[solved.chosen[column]] if solved.chosen[column] >= 0 else ""
        if name and (not found or found[-1][1] != name):
            found.append((solved.frame, name))
    return found


def _summary(prefix: str, frames: list[int], errors: Array) -> dict[str, Any]:
    """Mean and worst of errors (F,), and the frame of the worst; NaN is ignored."""
    mean = worst = frame = None
    if np.isfinite(errors).any():
        row = int(np.nanargmax(errors))
        mean, worst, frame = float(np.nanmean(errors)), float(errors[row]), frames[row]
    return {f"{prefix}mean": mean, f"{prefix}worst": worst, f"{prefix}worst_frame": frame}


def _message(run: Run, worst: Solved, rows: dict[str, Any]) -> str:
    """What came out, the most important first: the panel cuts what does not fit."""
    took = f"{run.seconds * 1e3:.0f} ms" if run.seconds < 1.0 else f"{run.seconds:.1f} s"
    count = len(run.solved)
    what = "Solved" if run.operation == "solve" else f"Baked {counted(count, 'frame')}"
    armature = find_armature(run.plan)
    missed = [
        name
        for name, row in rows.items()
        if row["status"] in ("BEST_EFFORT", "BLOCKED")
        and is_seen(armature, row["worst"] or 0.0, row["angle_worst"] or 0.0)
    ]
    where = f"Frame {worst.frame}: " if run.operation == "bake" else ""
    why = f"{where}{naming_the_root(run.plan, worst.message).removesuffix('.')}. {what} in {took}"
    if not missed and worst.status == "INFEASIBLE":
        return f"{why}."
    if not missed:
        off = [name for name, row in rows.items() if row["status"] == "OFF"]
        if len(off) == len(rows):
            return f"{what} in {took}: no effector counts. Raise the weight or the influence of one"
        counts = " that counts" if off else ""
        return f"{what} in {took}: every effector{counts} reached its target{_beyond_limits(run)}"
    total = f"; {len(missed)} of {len(rows)} effectors fell short" if len(rows) > 1 else ""
    return f"{why}{total}."
