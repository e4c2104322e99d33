# SPDX-License-Identifier: GPL-3.0-or-later
"""Figures built in code: those of the papers, and simple ones for examples, tests and measurements."""

from collections.abc import Sequence
from typing import Final

import numpy as np

from .. import arguments
from ..errors import BadValue
from ..model.joint import Joint
from ..model.skeleton import Skeleton
from ..rotation import Array, about

_UP: Final = about(0, np.pi / 2)  # turns local +Y to world +Z: bones of a standing figure


def planar_chain(lengths: Sequence[float], limit: float | None = None) -> Skeleton:
    """Hinges about Z in a row, in the plane of X and Y (Ki & Sheen, example 3.1; Parent).

    The links lie along +X at rest, so that `x = sum l_i cos w_i`, `y = sum l_i sin w_i` with `w_i` the sum of
    the first i angles. The tip is the joint "tip", which has no coordinates.

    Args:
        lengths: of the links, metres.
        limit: the largest turn of every hinge to each side, radians; None for no limit.
    """
    lengths = arguments.numbers(lengths, "lengths of the chain").tolist()
    if not isinstance(lengths, list) or not lengths:
        raise BadValue("lengths of the chain", "must be a list; give at least one length.")
    lower, upper = _to_each_side(limit)
    joints = [
        Joint(
            f"link{i}",
            f"link{i - 1}" if i else None,
            translation=(lengths[i - 1] if i else 0, 0, 0),
            turns="z",
            lower=lower,
            upper=upper,
        )
        for i in range(len(lengths))
    ]
    tip = Joint("tip", joints[-1].name, translation=(lengths[-1], 0, 0), turns="")
    return Skeleton([*joints, tip])


def _to_each_side(limit: float | None) -> tuple[float | None, float | None]:
    if limit is None:
        return None, None
    high = arguments.number(limit, "limit of the chain", least=0)
    return -high, high


def ball_chain(count: int, length: float = 1.0, limit: float | None = None) -> Skeleton:
    """Ball joints in a row along +Y, with a "tip" without coordinates; limit as in `planar_chain`."""
    count = arguments.whole(count, "count of joints in the chain", least=1)
    lower, upper = _to_each_side(limit)
    joints = [
        Joint(
            f"ball{i}",
            f"ball{i - 1}" if i else None,
            translation=(0, length if i else 0, 0),
            lower=lower,
            upper=upper,
        )
        for i in range(count)
    ]
    return Skeleton([*joints, Joint("tip", joints[-1].name, translation=(0, length, 0), turns="")])


def trunk(balls: int = 30, diameter: float = 1.0, bend: float = 30.0, twist: float = 15.0) -> Skeleton:
    """Ge's trunk: spheres in a row, each a ball joint with limits; 90 degrees of freedom with 30 of them.

    It stands upright along +Z from the origin; joints are "ball0" ..., the end of the last is "tip".

    Args:
        balls: how many; diameter: of each, metres; bend, twist: limits to each side, degrees.
    """
    balls = arguments.whole(balls, "balls of the trunk", least=1)
    bend, twist = (arguments.number(value, "limit of the trunk", least=0) for value in (bend, twist))
    high = np.radians([bend, twist, bend])
    joints = [
        Joint(
            f"ball{i}",
            f"ball{i - 1}" if i else None,
            rotation=np.eye(3) if i else _UP,
            translation=(0, diameter if i else 0, 0),
            lower=-high,
            upper=high,
        )
        for i in range(balls)
    ]
    return Skeleton([*joints, Joint("tip", joints[-1].name, translation=(0, diameter, 0), turns="")])


def arm() -> Skeleton:
    """A robot arm of seven hinges (shoulder, elbow, wrist) with usual sizes; its end is the joint "tool"."""
    heights = (0.36, 0.0, 0.21, 0.21, 0.2, 0.2, 0.081)
    limits = np.radians([170, 120, 170, 120, 170, 120, 175])
    joints = [
        Joint(
            f"a{i + 1}",
            f"a{i}" if i else None,
            rotation=np.eye(3) if i else _UP,
            translation=(0, heights[i], 0) if i else (0, 0, heights[0]),
            turns="y" if i % 2 == 0 else "x",
            lower=-limits[i],
            upper=limits[i],
        )
        for i in range(7)
    ]
    return Skeleton([*joints, Joint("tool", "a7", translation=(0, 0.045, 0), turns="")])


def human() -> Skeleton:
    """A person of 1.7 m with 66 degrees of freedom: a sliding, turning root, 21 joints, anatomical limits.

    Stands upright along +Z looking along -Y, arms to the sides (left at +X). Joints: pelvis, lumbar, thorax,
    neck, head, and clavicle, shoulder, elbow, wrist, hip, knee, ankle, toe with ".L" and ".R".
    """
    d = np.radians

    def joint(
        name: str,
        parent: str | None,
        way: Sequence[float],
        low: Sequence[float],
        high: Sequence[float],
        rotation: Array | None = None,
        slides: str = "",
    ) -> Joint:
        lower, upper = d(np.array(low, dtype=float)), d(np.array(high, dtype=float))
        if slides:
            lower, upper = np.concatenate([[-0.5] * 3, lower]), np.concatenate([[0.5] * 3, upper])
        turned = np.eye(3) if rotation is None else rotation
        return Joint(name, parent, rotation=turned, translation=way, slides=slides, lower=lower, upper=upper)

    # bone frames: Y along the bone, X to the figure's left for the spine, so that x bends forward and back
    joints = [
        joint("pelvis", None, (0, 0, 0.95), (-60, -90, -60), (60, 90, 60), _UP, "xyz"),
        joint("lumbar", "pelvis", (0, 0.10, 0), (-20, -25, -25), (45, 25, 25)),
        joint("thorax", "lumbar", (0, 0.18, 0), (-15, -30, -20), (35, 30, 20)),
        joint("neck", "thorax", (0, 0.24, 0), (-40, -50, -35), (40, 50, 35)),
        joint("head", "neck", (0, 0.10, 0), (-25, -30, -15), (25, 30, 15)),
    ]
    for side, sign in ((".L", 1.0), (".R", -1.0)):
        # the arm's long axis points to the side, the leg's down
        out = about(2, -sign * np.pi / 2)
        down = about(2, np.pi)
        # lifting an arm is a turn about +Z on the left, about -Z on the right
        shrug, lift = ((-10, 30), (-90, 80)) if sign > 0 else ((-30, 10), (-80, 90))
        joints += [
            joint(
                "clavicle" + side,
                "thorax",
                (0.03 * sign, 0.20, 0),
                (-15, -5, shrug[0]),
                (15, 5, shrug[1]),
                rotation=out,
            ),
            joint("shoulder" + side, "clavicle" + side, (0, 0.15, 0), (-80, -90, lift[0]), (80, 90, lift[1])),
            joint("elbow" + side, "shoulder" + side, (0, 0.28, 0), (-2, -80, -2), (145, 80, 2)),
            joint("wrist" + side, "elbow" + side, (0, 0.26, 0), (-60, -5, -25), (60, 5, 25)),
            joint(
                "hip" + side, "pelvis", (0.09 * sign, -0.05, 0), (-25, -35, -40), (110, 35, 40), rotation=down
            ),
            joint("knee" + side, "hip" + side, (0, 0.42, 0), (-145, -5, -2), (2, 5, 2)),
            joint("ankle" + side, "knee" + side, (0, 0.42, 0), (-25, -15, -20), (40, 15, 20)),
            joint("toe" + side, "ankle" + side, (0, 0.05, 0.12), (-20, -3, -3), (40, 3, 3)),
        ]
    return Skeleton(joints)
