# SPDX-License-Identifier: GPL-3.0-or-later
"""The solving methods of the literature, one per file."""
