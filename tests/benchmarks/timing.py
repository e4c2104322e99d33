# SPDX-License-Identifier: GPL-3.0-or-later
"""How things are timed: one thread, warm, medians, beside a fixed load that tells how fast the machine is.

The clock is the thread's own processor time: on an idle machine the same as wall time, and on a busy one
not lengthened by what others do (their use of caches and memory still counts).
"""

from __future__ import annotations

import platform
import statistics
import time
from collections.abc import Callable, Iterable, Sequence

import numpy as np

clock = time.thread_time


def calibration() -> float:
    """Microseconds of a fixed mix of numpy calls and Python (least of 20): compare it first."""
    a = np.arange(90.0).reshape(30, 3)
    best = float("inf")
    for _ in range(20):
        start = clock()
        for k in range(100):
            _ = a @ a.T
            c = np.sin(a)
            _ = a * 2.0 + c
            total = 0.0
            for v in (1.0, 2.0, 3.0, 4.0, 5.0):
                total += v * k
        best = min(best, clock() - start)
    return best * 1e4


def each(work: Callable[[], object], repeats: int = 200, rounds: int = 7) -> float:
    """Seconds of one call: the median over rounds of the mean over repeats."""
    work()
    took = []
    for _ in range(rounds):
        start = clock()
        for _ in range(repeats):
            work()
        took.append((clock() - start) / repeats)
    return statistics.median(took)


def interleaved(works: Sequence[Callable[[], object]], repeats: int = 200, rounds: int = 9) -> list[float]:
    """As `each`, for several, turn by turn, so that a disturbance hits all alike."""
    took: list[list[float]] = [[] for _ in works]
    for work in works:
        work()
    for _ in range(rounds):
        for work, times in zip(works, took, strict=True):
            start = clock()
            for _ in range(repeats):
                work()
            times.append((clock() - start) / repeats)
    return [statistics.median(times) for times in took]


def machine() -> str:
    """One line: what this ran on."""
    return (
        f"Python {platform.python_version()}, numpy {np.__version__}, calibration load {calibration():.2f} us"
    )


def table(header: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """A table in plain text (Markdown's form); numbers stand to the right."""
    cells = [[str(cell) for cell in row] for row in rows]
    wide = [max(len(row[i]) for row in [list(header), *cells]) for i in range(len(header))]
    left = [all(not _number(row[i]) for row in cells) for i in range(len(header))]

    def line(row: Sequence[str]) -> str:
        parts = [c.ljust(w) if flush else c.rjust(w) for c, w, flush in zip(row, wide, left, strict=True)]
        return "| " + " | ".join(parts) + " |"

    rule = (
        "|"
        + "|".join("-" * (w + 1) + ("-" if flush else ":") for w, flush in zip(wide, left, strict=True))
        + "|"
    )
    return "\n".join([line(list(header)), rule, *(line(row) for row in cells)])


def _number(text: str) -> bool:
    return text[:1].isdigit() or text[:1] in "-." or text == ""
