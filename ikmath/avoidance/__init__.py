# SPDX-License-Identifier: GPL-3.0-or-later
"""The ways to keep clear of obstacles, one a file."""

from collections.abc import Mapping
from typing import Final

from ..registries import registry
from .base import Avoidance
from .velocity_damper import VelocityDamper

AVOIDANCE: Final[Mapping[str, Avoidance]] = registry([VelocityDamper()])

__all__ = ["AVOIDANCE", "Avoidance", "VelocityDamper"]
