# SPDX-License-Identifier: GPL-3.0-or-later
"""Posture costs, which choose among all poses that satisfy the goals."""

from .cost import JointPosture, PostureCost, PostureTerm

__all__ = ["JointPosture", "PostureCost", "PostureTerm"]
