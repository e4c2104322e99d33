# SPDX-License-Identifier: GPL-3.0-or-later
"""Solving by itself whenever a frame or a target changes."""
