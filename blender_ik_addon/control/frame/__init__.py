# SPDX-License-Identifier: GPL-3.0-or-later
"""What happens to one frame: sample, task, solve, write."""
