# SPDX-License-Identifier: GPL-3.0-or-later
"""Reports of solves and bakes, and the errors that refuse them."""

from ...properties.refusal import Refused


def reasons() -> tuple[type[Exception], ...]:
    """The errors of an invalid setup and of the library, which is loaded at the first of them."""
    from ikmath.errors import IkError

    return Refused, IkError
