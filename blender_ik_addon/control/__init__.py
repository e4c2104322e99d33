# SPDX-License-Identifier: GPL-3.0-or-later
"""What the tool does, with no event and no interface: add effectors, solve, bake.

Docstrings leave out the same as those of `bridge`.
"""
