# SPDX-License-Identifier: GPL-3.0-or-later
"""Prints the reports of many files, one line per armature: the last task of a farm job."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

FAILED = "FAILED"
"""Status in the report of an armature that was not solved or baked."""


def summarise(places: Sequence[Path]) -> int:
    """Print the lines; those of failures to standard error.

    Args:
        places: reports, or directories of reports (`*.json`).

    Returns:
        0 on success, 1 if something failed or a report cannot be read.
    """
    failures = 0
    for path in (each for place in places for each in _reports(place)):
        for status, line in _lines(path):
            failures += status == FAILED
            print(line, file=sys.stderr if status == FAILED else sys.stdout, flush=True)
    return int(failures > 0)


def _reports(place: Path) -> list[Path]:
    """The reports in a directory; the path itself if there are none, so that this is reported."""
    return (sorted(place.glob("*.json")) if place.is_dir() else []) or [place]


def _lines(path: Path) -> Iterator[tuple[str, str]]:
    """Status and text for each armature in a report."""
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
        found = [(name, report["status"], report["message"]) for name, report in content.items()]
    except OSError as reason:
        yield FAILED, f"{path}: FAILED: {_unreadable(path, reason)}"
        return
    except (ValueError, TypeError, KeyError, AttributeError):
        yield FAILED, f"{path}: FAILED: this is not a report, or it is incomplete; bake the shot again"
        return
    if not found:
        yield FAILED, f"{path}: FAILED: the report is empty"
    for name, status, message in found:
        yield status, f"{path}: {name}: {status}: {message}"


def _unreadable(path: Path, reason: OSError) -> str:
    if path.is_dir():
        return "there is no report (*.json) in this directory"
    if not path.exists():
        return "there is no such file or directory"
    return f"it cannot be read: {reason.strerror}"
