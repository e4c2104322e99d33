# SPDX-License-Identifier: GPL-3.0-or-later
"""Converts Blender's data to numpy arrays and figures of ikmath, and back.

These modules keep no Blender objects and handle no events. The numeric work is in `ikmath`, except where it
depends on how Blender stores its data.

If a docstring does not say otherwise: an armature or an object is the original one, bones and space are its
own, `solved` and `chains` name bones, a depsgraph is evaluated, and `up` is (3,), armature space, of
any length.

A refusal (`Refused`) is raised before anything has changed, or everything is restored. Its text says why.
Docstrings do not repeat what stands in it.
"""
