# SPDX-License-Identifier: GPL-3.0-or-later
"""The solving methods of the literature, with their linear algebra and avoidance methods."""
