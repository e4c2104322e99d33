# SPDX-License-Identifier: GPL-3.0-or-later
"""Settings of the solver. Saved with the armature object."""

from typing import Any, Final

import bpy
from bpy.props import EnumProperty

from . import saved
from .menus import DEFAULT_LIMITS, DEFAULT_METHOD, LIMITS, METHODS, ArticulateParameters, takes_posture_cost

# Root and Effort have no icons: with them, the labels do not fit in the sidebar.
ROOTS = (
    (
        "AUTO",
        "Automatic",
        (
            "The root moves if effectors or pins place the hips, or a foot and a hand. With feet alone, only"
            " if legs are too short. Otherwise it stays"
        ),
        2,
    ),
    ("PINNED", "Pinned", "The topmost bone stays in its place; it may still turn", 0),
    ("FREE", "Free", "The topmost bone may move too, unless it is connected or its location is locked", 1),
)

HOLDS = (
    (
        "FEET",
        "Feet",
        (
            "Feet without pins or effectors of their own hold. While the figure stands on feet, the root "
            "moves along. Without feet, the root holds"
        ),
        "CON_FLOOR",
        0,
    ),
    (
        "ROOT",
        "Root",
        "The feet do not hold by themselves. The root holds or moves, as Root is set",
        "PINNED",
        1,
    ),
)

_HOLDS = [identifier for identifier, *_ in HOLDS]
# elsewhere than in the context of armatures, feet are a unit of length
_HOLD: Final[Any] = {"items": HOLDS, "default": "FEET", "translation_context": "Armature"}


EFFORTS = (
    (
        "WEIGHT",
        "Natural",
        "As a body moves: light limbs before the heavy trunk, joints that bend easily before stiff ones",
        0,
    ),
    ("EVEN", "Even", "All bones turn alike", 1),
)


POSTURES = (
    (
        "AUTO",
        "Automatic",
        (
            "The pose that the frame starts from. If the whole figure follows its targets, arms and legs in"
            " their rest pose take a relaxed stance"
        ),
        0,
    ),
    ("POSE", "Own Pose", "The pose that the frame starts from", 1),
    (
        "ACTIONS",
        "From Actions",
        "Poses of the armature's other actions, in which the effectors are at similar places",
        2,
    ),
    (
        "LIBRARY",
        "From Pose Library",
        "Poses of the file that are marked as assets, in which the effectors are at similar places",
        3,
    ),
)

LEARNED: Final = {"ACTIONS": "From Actions", "LIBRARY": "From Pose Library"}
"""The postures that are learned from actions."""


class ArticulateSolver(bpy.types.PropertyGroup):
    """Method and limits of the solver."""

    __slots__ = ()

    method: saved.Enum(description="Solving method", items=METHODS, default=DEFAULT_METHOD)
    root: saved.Enum(description="Whether the whole figure may move", items=ROOTS, default="AUTO")
    hold: EnumProperty(
        description="What keeps the figure in place while a bone is dragged, besides its pins and effectors",
        override=saved.OVERRIDE,
        get=lambda solver: _HOLDS.index(solver.unpinned),
        set=lambda solver, number: setattr(solver, "unpinned", _HOLDS[number]),
        **_HOLD,
    )
    unpinned: saved.Enum(
        name="Hold",
        description="As Hold, which files store under this name",
        options={"HIDDEN"},
        **_HOLD,
    )
    effort: saved.Enum(
        description=("Which bones turn if several could do the same. Their IK stiffness adds to this"),
        items=EFFORTS,
        default="WEIGHT",
    )
    root_location_stiffness: saved.Point(
        description=("Resistance of a free root to moving along each of its own axes. Near 1 it moves last"),
        min=0.0,
        max=0.99,
    )
    root_rotation_stiffness: saved.Point(
        description="Resistance of a free root to turning about each of its own axes. Near 1 it turns last",
        min=0.0,
        max=0.99,
    )
    limits: saved.Enum(
        name="Joint Limits",
        description="How the bones' own IK limits (Bone properties > Inverse Kinematics) are held",
        items=LIMITS,
        default=DEFAULT_LIMITS,
    )
    max_iterations: saved.Int(
        name="Iterations",
        description="The most steps of a solve. 0: the method chooses",
        min=0,
        soft_max=500,
        max=10000,
    )
    tolerance: saved.Float(
        description=(
            "A target is reached within this distance (metres; on small figures a ten thousandth of their "
            "size) or angle (radians)"
        ),
        default=1e-5,
        min=1e-9,
        soft_max=0.1,
        max=10.0,
        precision=6,
    )
    posture: saved.Share(
        name="Keep Posture",
        description="How strongly the figure keeps its pose where the effectors leave it free",
        default=1.0,
    )
    balance: saved.Bool(
        description="A figure that stands keeps its weight over its feet, unless its hips are moved",
        default=True,
    )
    keep_hips: saved.Bool(
        description="A figure that sits, lies or leans keeps its hips in place, unless they are moved",
        default=True,
    )
    posture_from: saved.Enum(
        name="Posture",
        description="The pose that the figure keeps where the effectors leave it free",
        items=POSTURES,
        default="AUTO",
    )
    posture_actions: saved.String(
        name="Actions",
        description="Only actions with one of these words in their name; commas between words. Empty: all",
    )
    parameters: saved.Group(description="Parameters of the methods", type=ArticulateParameters)

    def chooses_naturally(self, method: str) -> bool:
        """Whether the posture objective chooses among poses, with one of the methods."""
        return takes_posture_cost(method) and self.effort == "WEIGHT"
