# SPDX-License-Identifier: GPL-3.0-or-later
"""The one error of the tooling, so that a person reads a sentence and not a traceback."""


class Problem(Exception):
    """Something on this machine or in this tree is missing; the text says what, and what to do."""
