# SPDX-License-Identifier: GPL-3.0-or-later
"""Looking at a figure without solving."""
