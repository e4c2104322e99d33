# SPDX-License-Identifier: GPL-3.0-or-later
"""Linear algebra for inverse kinematics. Functions of arrays, without skeletons and without state."""
