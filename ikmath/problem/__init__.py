# SPDX-License-Identifier: GPL-3.0-or-later
"""A problem and its solution."""
