# SPDX-License-Identifier: GPL-3.0-or-later
"""Switches of the overlay over the 3D view. Saved with the armature object."""

import bpy

from . import saved


class ArticulateOverlay(bpy.types.PropertyGroup):
    """One switch for each part of the overlay; the one for capsules is on the body."""

    __slots__ = ()

    lines: saved.Switch(
        name="Effectors",
        description="Lines from the bones to their targets: green where they are reached, red far off",
        default=True,
    )
    pins: saved.Switch(
        name="Pins",
        description="Bones that are pinned, with the colour of what is held",
        default=True,
    )
    limits: saved.Switch(
        name="Joint Limits",
        description="Arcs and cones of the joint limits that are reached",
        default=True,
    )
    chain: saved.Switch(
        name="Chain",
        description=(
            "Bones that move for the active effector or, with the tool Drag Bone, for the bone under the "
            "mouse"
        ),
        default=True,
    )
    gizmos: saved.Switch(
        name="Target Gizmo",
        description="Arrows and rings on the targets and pins of the selected bones, and of the effector that"
        " is active in the list",
        default=True,
    )
    critical: saved.Switch(
        name="Critical Points",
        description="Shortest distances to obstacles and between parts of the figure",
    )
    balance: saved.Switch(
        name="Balance",
        description="The centre of mass, and the area on which the figure stands",
    )
    ellipsoid: saved.Switch(
        name="Manipulability",
        description="How fast the active effector's point can move in every direction, as an ellipsoid;"
        " flat where it can hardly move",
    )
