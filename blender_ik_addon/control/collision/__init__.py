# SPDX-License-Identifier: GPL-3.0-or-later
"""Obstacles and self-collision of a figure."""
