# SPDX-License-Identifier: GPL-3.0-or-later
"""The ways to keep joint limits, one a file."""

from collections.abc import Mapping
from typing import Final

from ..registries import registry
from .base import LimitMethod, Propose
from .projection import Projection

LIMITS: Final[Mapping[str, LimitMethod]] = registry([Projection()])

__all__ = ["LIMITS", "LimitMethod", "Projection", "Propose"]
