# SPDX-License-Identifier: GPL-3.0-or-later
"""What the reports of many files say, a line for each armature: the last task of a job on a farm."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

FAILED = "FAILED"
"""Status in the report of an armature of which nothing was solved or baked."""


def summarise(places: Sequence[Path]) -> int:
    """Print the lines, those of failures to standard error.

    Args:
        places: reports, or directories of reports (`*.json`).

    Returns:
        0 if everything was done, 1 if something was not or a report cannot be read.
    """
    failures = 0
    for path in (each for place in places for each in _reports(place)):
        for status, line in _lines(path):
            failures += status == FAILED
            print(line, file=sys.stderr if status == FAILED else sys.stdout, flush=True)
    return int(failures > 0)


def _reports(place: Path) -> list[Path]:
    """The reports at a place; the place itself if there is none, to be told about."""
    return (sorted(place.glob("*.json")) if place.is_dir() else []) or [place]


def _lines(path: Path) -> Iterator[tuple[str, str]]:
    """The status of each armature in a report, and what to print about it."""
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
        found = [(name, report["status"], report["message"]) for name, report in content.items()]
    except (OSError, ValueError, TypeError, KeyError, AttributeError) as reason:
        yield FAILED, f"{path}: FAILED: there is no report ({type(reason).__name__}: {reason})"
        return
    if not found:
        yield FAILED, f"{path}: FAILED: the report is empty"
    for name, status, message in found:
        yield status, f"{path}: {name}: {status}: {message}"
