# SPDX-License-Identifier: GPL-3.0-or-later
"""What the geometric methods see of a figure, and the moves they make: chains that are turned and bent.

`chains` reads the limbs and `posing` holds them while they are bent; `turning` is what each kind of joint can
do; `sweeps`, `levels` and `triangle` are passes over a limb, `stages` the order of passes over a figure.
"""
