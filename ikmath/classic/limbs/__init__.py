# SPDX-License-Identifier: GPL-3.0-or-later
"""A figure as chains of joints, and the operations of the geometric methods on it.

`chains` reads the limbs, and `posing` has their current pose; `turning` computes the rotations of each kind
of joint. `sweeps`, `levels` and `triangle` are passes over a limb; `stages` repeats passes over a figure.
"""
