# SPDX-License-Identifier: GPL-3.0-or-later
"""Linear algebra for inverse kinematics. Arrays in, arrays out; it knows no skeleton and keeps no state."""
