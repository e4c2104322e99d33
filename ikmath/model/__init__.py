# SPDX-License-Identifier: GPL-3.0-or-later
"""The model of a figure: joints, their limits, and forward kinematics."""
