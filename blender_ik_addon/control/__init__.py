# SPDX-License-Identifier: GPL-3.0-or-later
"""What the tool does, with no event and no interface: add effectors, solve, bake.

Docstrings leave out the same as those of `bridge`. If they do not say otherwise: a plan, a figure and a
sample belong to the armature, the context has the scene, the view layer and the 3D view, and `sight` is the
view of its region.
"""
