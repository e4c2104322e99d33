# SPDX-License-Identifier: GPL-3.0-or-later
"""The report of a solve or bake as text, in a text block of the file."""

from collections.abc import Callable, Iterable, Sequence
from typing import Any, Final

import bpy

from ...properties.kinds import KINDS
from ...properties.measures import angle, length

NAME: Final = "Articulate report"
_MARK: Final = "articulate_report"  # holds the original name; a renamed or copied text belongs to the user
_NONE: Final = "-"


def write_text(armature: str, report: dict[str, Any]) -> bpy.types.Text:
    """Write a report to its text block in the file, replacing the previous report.

    A user's text with the same name is kept; the report then gets another name.
    """
    text: Any = find_text() or bpy.data.texts.new(NAME)
    text[_MARK] = text.name
    text.clear()
    text.write(readable(armature, report))
    text.cursor_set(0)
    return text


def find_text() -> bpy.types.Text | None:
    """The text block of this file that holds the report; linked texts are ignored."""
    own = (text for text in bpy.data.texts if text.library is None and text.get(_MARK) == text.name)
    return next(own, None)


def readable(armature: str, report: dict[str, Any]) -> str:
    """The report of an armature with a name, see `ArticulateRig.report`, in sentences and tables."""
    first, last = report["frame_start"], report["frame_end"]
    frames = f"frame {first}" if report["frames"] == 1 else f"frames {first} to {last}"
    head = f"{NAME}: {report['operation']} of '{armature}', {frames}, method {report['method']}"
    parts = [[head, "", f"{report['message'].rstrip('.')}."], _effectors(report)]
    if "nearest_things" in report:
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
    """The smallest clearance from each nearest obstacle, and the ignored obstacles."""
    rows = [[row["name"], length(row["clearance"]), str(row["frame"])] for row in report["nearest_things"]]
    said = [*report["ignored"]]
    if not rows:
        return ["Nothing that the figure could touch was near.", *said]
    return [*_table(["Nearest thing", "Clearance", "at frame"], rows), *([""] if said else []), *said]


def _limits(report: dict[str, Any]) -> list[str]:
    if not report["limits"]:
        return ["No bone is at a joint limit."]
    rows = [[row["bone"], row["axis"], str(row["frames"]), str(row["frame"])] for row in report["limits"]]
    return _table(["Bone at its limit", "Axis", "Frames", "first at"], rows)


def _table(header: Sequence[str], rows: Iterable[Sequence[str]]) -> list[str]:
    """Aligned columns, numbers to the right; empty columns are omitted."""
    lines = [list(header), *map(list, rows)]
    kept = [i for i in range(len(header)) if any(line[i] != _NONE for line in lines[1:])]
    wide = {i: max(len(line[i]) for line in lines) for i in kept}
    numbers = {i for i in kept if all(line[i][:1] in "-0123456789" for line in lines[1:])}
    cells = [
        [line[i].rjust(wide[i]) if i in numbers else line[i].ljust(wide[i]) for i in kept] for line in lines
    ]
    return ["  ".join(line).rstrip() for line in cells]
