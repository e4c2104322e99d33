# SPDX-License-Identifier: GPL-3.0-or-later
"""How a drag feels: hands, feet and hips led along straight ways, by small and large steps.

What animators feel is told by two numbers: the farthest that any bone turns in one small step of the mouse,
and how far the pose at the end depends on the steps in which the mouse came there.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import bpy
import natural_poses as natural
import numpy as np
import standing_figures
from bridge_rigs import make_rig

ENDLESS = 1e6
"""A budget that never runs out: a drag hurries as in the window, and each run is the same."""

RESTING = 300
"""Updates in which a figure comes to rest."""

WAYS: Mapping[str, Mapping[str, tuple[float, float, float]]] = {
    "hand": {
        "to the mouth": (-0.25, -0.12, 0.1),
        "across": (-0.4, -0.15, -0.1),
        "to the floor": (0.0, -0.15, -0.6),
        "back": (-0.1, 0.25, -0.1),
    },
    "foot": {
        "lift": (0.0, -0.15, 0.25),
        "kick aside": (0.3, 0.0, 0.2),
        "back": (0.0, 0.3, 0.2),
        "forward": (0.0, -0.4, 0.25),
        "up": (0.0, 0.0, 0.3),
    },
    "knee": {"up": (0.0, -0.25, 0.2), "aside": (0.2, -0.1, 0.1)},
    "elbow": {"up": (0.05, -0.05, 0.2), "across": (-0.2, -0.2, 0.0)},
    "head": {"aside": (0.2, -0.02, -0.05), "back": (0.0, 0.2, -0.05)},
    "hips": {"down": (0.0, 0.0, -0.2), "aside": (0.12, 0.0, -0.05)},
}
"""By part, in shares of the figure's height; all figures face -Y, and left is +X."""

PARTS: Mapping[str, Mapping[str, str]] = {
    "human": {
        "hand": "hand.L", "foot": "foot.L", "knee": "thigh.L", "elbow": "upper_arm.L", "head": "spine.006",
        "hips": "spine",
    },
    "t_pose": {
        "hand": "LeftHand", "foot": "LeftFoot", "knee": "LeftUpLeg", "elbow": "LeftArm", "head": "Head",
        "hips": "Hips",
    },
    "person": {"hand": "b.4", "foot": "c.3", "knee": "c.1", "elbow": "b.2", "head": "a.5", "hips": "a.1"},
    "straight": {
        "hand": "hand.L", "foot": "foot.L", "knee": "thigh.L", "elbow": "arm.L", "head": "head",
        "hips": "hips",
    },
    "wolf": {"hand": "front_foot.L", "foot": "foot.L"},
}  # fmt: skip
"""Figures, with the bone whose tip each part is: Rigify's metarigs, a person as games have them ("t_pose"),
one whose bones have no names, and one whose arms and legs are drawn without any bend."""


@dataclass(frozen=True)
class Felt:
    """What a drag came to.

    Attributes:
        leap: most degrees that a bone turned in one step; leaper: that bone; late: the same in the updates
            after the hand has let go.
        error: how far the hand was from where it wanted to be, metres; lean: of the trunk's upper end.
        poses: frames of all bones, after each step and at last when the hand has let go.
    """

    leap: float
    leaper: str
    late: float
    error: float
    lean: float
    poses: list[dict[str, np.ndarray]] = field(repr=False)


def figure(name: str) -> bpy.types.Object:
    """One of the figures, at rest, in an empty file."""
    if name not in ("person", "straight"):
        return natural.rest_figure(name)
    bpy.ops.wm.read_homefile(use_factory_startup=True, use_empty=True)
    return make_rig(standing_figures.person() if name == "person" else _straight())


def lead(
    drag: Any,
    rig: bpy.types.Object,
    bone: str,
    way: tuple[float, float, float],
    step: float,
    budget: float = ENDLESS,
) -> Felt:
    """Drag the tip of a bone along a way as a mouse would, let it go, and put everything back.

    Args:
        drag: the add-on's module; rig: the figure; bone: what is held.
        way: see `WAYS`; step: of the mouse, in shares of the figure's height; budget: of an update, seconds.
    """
    held = drag.Drag(rig, bpy.context, drag.Grip(bone=bone), budget=budget)
    end, count = natural.height(rig) * np.array(way), max(1, round(float(np.linalg.norm(way)) / step))
    poses, turns = [natural.frames(rig)], []
    for share in np.linspace(0.0, 1.0, count + 1)[1:]:
        held.move_to(held.anchor + share * end)
        turns.append(_turned(rig, poses))
    held.move_to(held.anchor + end)  # let go of, as the operator does
    late, _ = _turned(rig, poses)
    for _ in range(RESTING):
        if held.moved.arrived:
            break
        held.move_to(held.anchor + end)
        late = max(late, _turned(rig, poses)[0])
    held.finish(bpy.context)
    late = max(late, _turned(rig, poses)[0])
    error = held.moved.error
    held.cancel()
    bpy.context.view_layer.update()
    top = natural.top_of(rig, bone)
    lean = natural.angle_between(poses[0][top], poses[-1][top])
    return Felt(*max(turns), late=late, error=error, lean=lean, poses=poses[1:])


def _turned(rig: bpy.types.Object, poses: list[dict[str, np.ndarray]]) -> tuple[float, str]:
    """Take the pose as it is now; most degrees that a bone has turned since the last one, and that bone."""
    bpy.context.view_layer.update()
    poses.append(natural.frames(rig))
    return max((angle, bone) for bone, angle in natural.turns_between(rig, *poses[-2:]).items())


def _straight() -> standing_figures.Rows:
    rows: standing_figures.Rows = [
        ("hips", None, (0, 0, 1), (0, 0, 1.1)), ("spine", "hips", (0, 0, 1.1), (0, 0, 1.3)),
        ("chest", "spine", (0, 0, 1.3), (0, 0, 1.5)), ("neck", "chest", (0, 0, 1.5), (0, 0, 1.6)),
        ("head", "neck", (0, 0, 1.6), (0, 0, 1.8)),
    ]  # fmt: skip
    for s, n in ((1.0, "L"), (-1.0, "R")):
        rows += [
            (f"shoulder.{n}", "chest", (0.03 * s, 0, 1.45), (0.18 * s, 0, 1.45)),
            (f"arm.{n}", f"shoulder.{n}", (0.18 * s, 0, 1.45), (0.46 * s, 0, 1.45)),
            (f"forearm.{n}", f"arm.{n}", (0.46 * s, 0, 1.45), (0.72 * s, 0, 1.45)),
            (f"hand.{n}", f"forearm.{n}", (0.72 * s, 0, 1.45), (0.9 * s, 0, 1.45)),
            (f"thigh.{n}", "hips", (0.1 * s, 0, 0.95), (0.1 * s, 0, 0.5)),
            (f"shin.{n}", f"thigh.{n}", (0.1 * s, 0, 0.5), (0.1 * s, 0, 0.08)),
            (f"foot.{n}", f"shin.{n}", (0.1 * s, 0, 0.08), (0.1 * s, -0.15, 0.02)),
            (f"toe.{n}", f"foot.{n}", (0.1 * s, -0.15, 0.02), (0.1 * s, -0.22, 0.02)),
        ]
    return rows
