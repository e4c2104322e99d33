# SPDX-License-Identifier: GPL-3.0-or-later
"""What a pose bone knows besides its IK settings: `PoseBone.articulate`."""

import bpy
from bpy.props import FloatProperty

from .options import OVERRIDE, moved


class ArticulateBone(bpy.types.PropertyGroup):
    """Settings of one bone."""

    mass: FloatProperty(
        name="Mass",
        description=(
            "What the part of the figure on this bone weighs, for Balance, in kilograms. 0: as much as water"
            " of its volume"
        ),
        default=0.0,
        min=0.0,
        soft_max=100.0,
        precision=2,
        override=OVERRIDE,
        update=moved,
    )
