# SPDX-License-Identifier: GPL-3.0-or-later
"""Live solving: solves whenever a frame or a target changes."""
