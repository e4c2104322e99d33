# SPDX-License-Identifier: GPL-3.0-or-later
"""What chooses among all poses that serve the goals."""

from .cost import JointPosture, PostureCost, PostureTerm

__all__ = ["JointPosture", "PostureCost", "PostureTerm"]
