# SPDX-License-Identifier: GPL-3.0-or-later
"""The default solver before version 0.2, kept for comparison."""
