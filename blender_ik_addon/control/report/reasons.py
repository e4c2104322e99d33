# SPDX-License-Identifier: GPL-3.0-or-later
"""What may keep a solve or a bake from being done: a wrong set-up, or an error of the mathematics."""

from __future__ import annotations

from ikmath.errors import IkError

from ...properties.refusal import Refused

REASONS: tuple[type[Exception], ...] = (Refused, IkError)
