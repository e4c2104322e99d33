# SPDX-License-Identifier: GPL-3.0-or-later
"""Operators `articulate.*`: short shells around `control`."""

from . import bake, drag, effector, obstacle, pin, solve

CLASSES = (*effector.CLASSES, *obstacle.CLASSES, *solve.CLASSES, *bake.CLASSES, *drag.CLASSES, *pin.CLASSES)
