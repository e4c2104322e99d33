# SPDX-License-Identifier: GPL-3.0-or-later
"""The errors that refuse a solve or a bake: an invalid setup, or an error of the library."""

from ...properties.refusal import Refused


def reasons() -> tuple[type[Exception], ...]:
    """These errors; the library is loaded at the first of them."""
    from ikmath.errors import IkError

    return Refused, IkError
