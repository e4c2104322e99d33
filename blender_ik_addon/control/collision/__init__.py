# SPDX-License-Identifier: GPL-3.0-or-later
"""What a figure keeps clear of: obstacles and its own body."""
