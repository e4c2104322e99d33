# SPDX-License-Identifier: GPL-3.0-or-later
"""Motion over time: clips solved frame by frame."""
