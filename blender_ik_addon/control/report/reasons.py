# SPDX-License-Identifier: GPL-3.0-or-later
"""The errors that refuse a solve or a bake: an invalid setup, or an error of the library."""

from __future__ import annotations

from ikmath.errors import IkError

from ...properties.refusal import Refused

REASONS: tuple[type[Exception], ...] = (Refused, IkError)
