# SPDX-License-Identifier: GPL-3.0-or-later
"""What the person is asked to do, in effectors and their targets; all else follows from them.

The feet stand, the left hand lies on the table, the right hand follows the ball and the head looks at it.
Knees, hips, spine, neck, shoulders and elbows are told nothing.
"""

from __future__ import annotations

import math

import bpy
from mathutils import Matrix, Vector
from stage import BALL_RADIUS, FRAMES, TABLE_TOP

FEET = {"foot.L": (0.05, -0.02, 12.0), "foot.R": (-0.07, 0.05, -16.0)}
"""How far each foot stands from where the metarig has it (x, y, metres); how it is turned out (degrees)."""
HAND_ON_TABLE = (0.43, -0.22, TABLE_TOP + 0.026)
"""Where the end of the left hand's bone lies: the middle of the palm, half its thickness above the table."""
HAND_DIRECTION = 25.0
"""Degrees from straight ahead, outwards."""
TABLE_MARGIN = 0.005
"""Metres that the rest of the body keeps from the table."""
EYES = 0.105
"""Metres above the head bone's beginning; they look along its +Z."""


def direct(figure: bpy.types.Object, ball: bpy.types.Object) -> None:
    """Give the figure its effectors.

    Args:
        figure: the metarig, active and in Pose Mode, with the extension enabled.
        ball: for the right hand and the eyes to follow.
    """
    figure.articulate.solver.root = "FREE"
    for bone, (x, y, degrees) in FEET.items():
        foot = _effector(figure, bone, "POSE")
        turn = Matrix.Rotation(math.radians(degrees), 4, "Z")
        place = foot.target.matrix_world.translation + Vector((x, y, 0.0))
        foot.target.matrix_world = (
            Matrix.Translation(place) @ turn @ foot.target.matrix_world.to_3x3().to_4x4()
        )
    _lay_hand(_effector(figure, "hand.L", "POSE").target)
    hand = _effector(figure, "hand.R", "POSITION", target=ball.name)
    # The ball's centre, seen from the middle of the palm: beyond it, on the palm's side.
    hand.offset = (-0.035 - 0.3 * BALL_RADIUS, 0.075 + 0.3 * BALL_RADIUS, 0.0)
    head = _effector(figure, "spine.006", "AIM", target=ball.name)
    head.axis, head.point, head.offset = "Z", "HEAD", (0.0, EYES, 0.0)
    _mind_the_table(figure)
    figure.articulate.body.self_collision = True


def lying_bones(figure: bpy.types.Object) -> set[str]:
    """The hand on the table with its fingers: what may touch it."""
    hand = figure.data.bones["hand.L"]
    return {hand.name, *(bone.name for bone in hand.children_recursive)}


def parts_apart(figure: bpy.types.Object) -> list[tuple[set[str], set[str]]]:
    """Each forearm with its hand, and what it must not go into: all but the arm that it belongs to."""
    bones = figure.data.bones
    every, pairs = {bone.name for bone in bones}, []
    for side in ("L", "R"):
        forearm, shoulder = bones[f"forearm.{side}"], bones[f"shoulder.{side}"]
        own = {forearm.name, *(bone.name for bone in forearm.children_recursive)}
        pairs.append((own, every - {shoulder.name, *(bone.name for bone in shoulder.children_recursive)}))
    return pairs


def _mind_the_table(figure: bpy.types.Object) -> None:
    """The body keeps out of the table, but for the hand that lies on it."""
    bpy.ops.articulate.obstacle_add(object="Table", margin=TABLE_MARGIN)
    lying = lying_bones(figure)
    for link in figure.articulate.body.links:
        link.enabled = link.name not in lying


def _effector(figure: bpy.types.Object, bone: str, kind: str, target: str = "") -> bpy.types.PropertyGroup:
    bpy.ops.articulate.effector_add(bone=bone, kind=kind, target=target)
    return figure.articulate.effectors[bone]


def _lay_hand(target: bpy.types.Object) -> None:
    """The palm is the side of the left hand's +X; the bone runs along +Y."""
    a = math.radians(HAND_DIRECTION)
    palm, along = Vector((0.0, 0.0, -1.0)), Vector((math.sin(a), -math.cos(a), 0.0))
    axes = Matrix((palm, along, palm.cross(along))).transposed()
    target.matrix_world = Matrix.Translation(HAND_ON_TABLE) @ axes.to_4x4()


def bake(figure: bpy.types.Object) -> dict:
    """Bake the clip with the extension's own operator; its report."""
    done = bpy.ops.articulate.bake(frame_start=1, frame_end=FRAMES)
    if done != {"FINISHED"}:
        raise RuntimeError(f"The bake did not finish: {figure.articulate.message}")
    return dict(figure.articulate.report)
