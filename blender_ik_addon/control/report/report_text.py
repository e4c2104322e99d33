# SPDX-License-Identifier: GPL-3.0-or-later
"""The report of a solve or bake as a text that a person reads, in a text block of the file."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any, Final

import bpy

from ...properties.kinds import KINDS
from ...properties.measures import angle, length

NAME: Final = "Articulate report"
_NONE: Final = "-"


def write_text(armature: str, report: dict[str, Any]) -> bpy.types.Text:
    """Put a report into the file's text block for it, in place of the one before.

    Args:
        armature: name of the armature; report: see `ArticulateRig.report`.
    """
    text = find_text() or bpy.data.texts.new(NAME)
    text.clear()
    text.write(readable(armature, report))
    text.cursor_set(0)
    return text


def find_text() -> bpy.types.Text | None:
    """The text block of this file that holds the report; one that is linked from another does not count."""
    return next((text for text in bpy.data.texts if text.name == NAME and text.library is None), None)


def readable(armature: str, report: dict[str, Any]) -> str:
    """A report in sentences and tables.

    Args:
        armature: name of the armature; report: see `ArticulateRig.report`.
    """
    first, last = report["frame_start"], report["frame_end"]
    frames = f"frame {first}" if report["frames"] == 1 else f"frames {first} to {last}"
    head = f"{NAME}: {report['operation']} of '{armature}', {frames}, method {report['method']}"
    parts = [[head, "", f"{report['message'].rstrip('.')}."], _effectors(report)]
    if "clearances" in report:
        parts.append(_clearances(report))
    parts.append(_limits(report))
    return "\n".join("\n".join(part) + "\n" for part in parts if part)


def _effectors(report: dict[str, Any]) -> list[str]:
    many = report["frames"] > 1
    rows = []
    for name, row in report["effectors"].items():
        cells = [
            name,
            KINDS[row["kind"]].label,
            str(row["priority"]),
            row["status"].lower().replace("_", " "),
        ]
        for prefix, shown in (("", length), ("angle_", angle)):
            cells += _errors(row, prefix, shown, many=many)
        rows.append(cells)
    header = ["Effector", "Kind", "Priority", "Status"]
    for what in ("", " angle"):
        header += [f"Mean{what}", f"Worst{what}", "at frame"] if many else [f"Error{what}"]
    said = [f"{name}: {row['message']}." for name, row in report["effectors"].items() if row["message"]]
    return [*_table(header, rows), *([""] if said else []), *said]


def _errors(row: dict[str, Any], prefix: str, shown: Callable[[float], str], *, many: bool) -> list[str]:
    worst = row[f"{prefix}worst"]
    if worst is None:
        return [_NONE] * (3 if many else 1)
    if not many:
        return [shown(worst)]
    return [shown(row[f"{prefix}mean"]), shown(worst), str(row[f"{prefix}worst_frame"])]


def _clearances(report: dict[str, Any]) -> list[str]:
    """The smallest clearance to everything that was ever the nearest, and what was left out."""
    step = (report["frame_end"] - report["frame_start"]) // max(report["frames"] - 1, 1)
    nearest: dict[str, tuple[float, int]] = {}
    for number, (clearance, name) in enumerate(zip(report["clearances"], report["nearests"], strict=True)):
        frame = report["frame_start"] + number * step
        if clearance is not None and (name not in nearest or clearance < nearest[name][0]):
            nearest[name] = clearance, frame
    rows = [
        [name, length(value), str(frame)] for name, (value, frame) in sorted(nearest.items(), key=_by_value)
    ]
    said = [*report["ignored"]]
    if not rows:
        return ["Nothing was near that the figure could touch.", *said]
    return [*_table(["Nearest thing", "Clearance", "at frame"], rows), *([""] if said else []), *said]


def _by_value(entry: tuple[str, tuple[float, int]]) -> float:
    return entry[1][0]


def _limits(report: dict[str, Any]) -> list[str]:
    if not report["limits"]:
        return ["No bone is at a joint limit."]
    rows = [[row["bone"], row["axis"], str(row["frames"]), str(row["frame"])] for row in report["limits"]]
    return _table(["Bone at its limit", "Axis", "Frames", "first at"], rows)


def _table(header: Sequence[str], rows: Iterable[Sequence[str]]) -> list[str]:
    """Columns side by side, numbers to the right; a column in which nothing stands is left out."""
    lines = [list(header), *map(list, rows)]
    kept = [i for i in range(len(header)) if any(line[i] != _NONE for line in lines[1:])]
    wide = {i: max(len(line[i]) for line in lines) for i in kept}
    numbers = {i for i in kept if all(line[i][:1] in "-0123456789" for line in lines[1:])}
    cells = [
        [line[i].rjust(wide[i]) if i in numbers else line[i].ljust(wide[i]) for i in kept] for line in lines
    ]
    return ["  ".join(line).rstrip() for line in cells]
