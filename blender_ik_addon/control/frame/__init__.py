# SPDX-License-Identifier: GPL-3.0-or-later
"""The steps of one frame: sample, task, solve, write."""
