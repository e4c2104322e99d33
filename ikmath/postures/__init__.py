# SPDX-License-Identifier: GPL-3.0-or-later
"""Which pose is chosen among those that serve the goals."""
