# SPDX-License-Identifier: GPL-3.0-or-later
"""The ways to keep joint limits, one a file."""
