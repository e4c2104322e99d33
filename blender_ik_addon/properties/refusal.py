# SPDX-License-Identifier: GPL-3.0-or-later
"""The error of a refusal: one sentence that names the item at fault and the remedy."""

from __future__ import annotations

from collections.abc import Iterable


class Refused(Exception):
    """Something cannot be solved, baked or added; nothing has been changed.

    Its text is a complete message for the user.
    """


def require(refusals: Iterable[Refused]) -> None:
    """Raise the first refusal, if there is one."""
    for refusal in refusals:
        raise refusal
