# SPDX-License-Identifier: GPL-3.0-or-later
"""Work that pauses, done without pauses."""

from __future__ import annotations

from ikmath.solvers.method import Pausing, Result


def complete(work: Pausing[Result]) -> Result:
    """The result."""
    while True:
        try:
            next(work)
        except StopIteration as end:
            return end.value
