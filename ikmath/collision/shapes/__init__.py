# SPDX-License-Identifier: GPL-3.0-or-later
"""The shapes of obstacles, one a file."""
