# SPDX-License-Identifier: GPL-3.0-or-later
"""The methods of the texts, with the linear algebra and the avoidance that only they need."""
