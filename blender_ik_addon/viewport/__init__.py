# SPDX-License-Identifier: GPL-3.0-or-later
"""Everything in the 3D view: the tool, its keys, the overlay and the gizmos."""
