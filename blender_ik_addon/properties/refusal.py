# SPDX-License-Identifier: GPL-3.0-or-later
"""The error of a refusal: one sentence that names the item at fault and the remedy."""

from collections.abc import Iterable

import bpy


class Refused(Exception):
    """Something cannot be solved, baked or added; nothing has been changed.

    Its text is a complete message for the user.
    """


class Unreadable(Refused, OSError):
    """A file that is needed was not found; on another machine it may be there."""


def absence(thing: bpy.types.ID) -> Refused | None:
    """Why a data-block of another file is only a placeholder; None if it is there."""
    if not thing.is_missing or thing.library is None:
        return None
    path = thing.library.filepath
    if thing.library.is_missing:
        return Unreadable(
            f"'{thing.name}' is missing, because the file '{path}' was not found: restore it, then open this"
            " file again"
        )
    return Refused(f"'{thing.name}' is not in '{path}' (renamed or deleted there?): link another one")


def require(refusals: Iterable[Refused]) -> None:
    """Raise the first refusal, if there is one."""
    for refusal in refusals:
        raise refusal
