# SPDX-License-Identifier: GPL-3.0-or-later
"""What a figure is: joints, their limits, and forward kinematics."""
