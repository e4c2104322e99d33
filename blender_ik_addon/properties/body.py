# SPDX-License-Identifier: GPL-3.0-or-later
"""The figure's capsules and the results of collision avoidance. Saved with the armature object."""

import bpy
from bpy.props import FloatProperty, StringProperty

from . import saved
from .menus import AVOIDANCE, DEFAULT_AVOIDANCE
from .parameters import ArticulateAvoidanceParameters
from .saved import ListItem


class ArticulateLink(ListItem, bpy.types.PropertyGroup):
    """A capsule on a bone, a ball if both ends coincide; its `name` is the bone's."""

    __slots__ = ()

    a: saved.FloatVector(
        name="First End",
        description="One end of the capsule's axis, along the bone's own axes from its head",
        subtype="XYZ",
        size=3,
        precision=4,
        update=saved.reshaped,
    )
    b: saved.FloatVector(
        name="Second End",
        description="The other end of the capsule's axis",
        subtype="XYZ",
        size=3,
        precision=4,
        update=saved.reshaped,
    )
    radius: saved.Float(
        name="Radius",
        description="Radius of the capsule, in the armature's own units",
        default=0.05,
        min=0.0,
        soft_max=1.0,
        precision=4,
        update=saved.reshaped,
    )
    enabled: saved.Bool(
        name="Enabled",
        description="Off: exclude this part from collision checks",
        default=True,
        update=saved.reshaped,
    )


class ArticulatePair(ListItem, bpy.types.PropertyGroup):
    """Two bones with their own setting for self-collision."""

    __slots__ = ()

    a: saved.String(name="Bone", description="One of the two bones")
    b: saved.String(name="Other Bone", description="The other of the two bones")
    watched: saved.Bool(
        name="Watched",
        description="On: keep them apart, even if they touch at rest. Off: let them touch",
        default=False,
    )


class ArticulateBody(bpy.types.PropertyGroup):
    """The figure's capsules and avoidance settings."""

    __slots__ = ()

    links: saved.List(name="Links", type=ArticulateLink)
    active_link: saved.Index(name="Active Link")
    show: saved.Switch(name="Show Capsules", description="Draw the capsules in the 3D view", default=False)
    margin: saved.Float(
        name="Margin",
        description="Distance to keep from every obstacle and between parts of the figure",
        default=0.0,
        min=0.0,
        soft_max=0.1,
        subtype="DISTANCE",
        precision=4,
    )
    self_collision: saved.Bool(
        name="Self-Collision",
        description="Keep parts of the figure apart, except those that touch at rest",
        default=False,
    )
    pairs: saved.List(name="Pairs", type=ArticulatePair)
    active_pair: saved.Index(name="Active Pair")
    avoidance: saved.Enum(
        name="Avoidance",
        description="How the figure avoids obstacles",
        items=AVOIDANCE,
        default=DEFAULT_AVOIDANCE,
    )
    parameters: saved.Group(
        name="Parameters",
        description="Parameters of the avoidance methods",
        type=ArticulateAvoidanceParameters,
    )

    # Written after a solve or a bake, read-only.
    clearance: FloatProperty(
        name="Clearance",
        description="Smallest distance to an obstacle after the last solve, or over all frames after a bake",
        subtype="DISTANCE",
        options={"HIDDEN"},
        precision=4,
    )
    nearest: StringProperty(
        name="Nearest", description="Nearest obstacle or pair of bones", options={"HIDDEN"}
    )
    notes: StringProperty(
        name="Notes", description="Ignored obstacles with reasons, one sentence per line", options={"HIDDEN"}
    )
