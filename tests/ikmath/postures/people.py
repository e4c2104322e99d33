# SPDX-License-Identifier: GPL-3.0-or-later
"""A person and a dog made in code, as skeletons with free roots."""

from __future__ import annotations

import numpy as np

import ikmath as ik
from tests.ikmath import oracle

PERSON = (
    # name, parent, head, tail; metres, z up, facing -y, arms held out
    ("hips", None, (0, 0, 0.95), (0, 0, 1.08)),
    ("spine", "hips", (0, 0, 1.08), (0, 0.01, 1.25)),
    ("chest", "spine", (0, 0.01, 1.25), (0, 0, 1.48)),
    ("neck", "chest", (0, 0, 1.48), (0, 0, 1.58)),
    ("head", "neck", (0, 0, 1.58), (0, 0, 1.8)),
    *(
        row
        for side, s in (("l", 1), ("r", -1))
        for row in (
            (f"clavicle.{side}", "chest", (0.03 * s, 0, 1.44), (0.18 * s, 0.01, 1.45)),
            (f"arm.{side}", f"clavicle.{side}", (0.18 * s, 0.01, 1.45), (0.46 * s, 0.03, 1.45)),
            (f"forearm.{side}", f"arm.{side}", (0.46 * s, 0.03, 1.45), (0.72 * s, 0.0, 1.45)),
            (f"hand.{side}", f"forearm.{side}", (0.72 * s, 0, 1.45), (0.84 * s, -0.01, 1.45)),
            (f"thigh.{side}", "hips", (0.1 * s, 0, 0.93), (0.1 * s, -0.02, 0.5)),
            (f"shin.{side}", f"thigh.{side}", (0.1 * s, -0.02, 0.5), (0.1 * s, 0.03, 0.08)),
            (f"foot.{side}", f"shin.{side}", (0.1 * s, 0.03, 0.08), (0.1 * s, -0.1, 0.02)),
            (f"toe.{side}", f"foot.{side}", (0.1 * s, -0.1, 0.02), (0.1 * s, -0.17, 0.02)),
        )
    ),
)
DOG = (
    ("hips", None, (0, 0.35, 0.55), (0, 0.15, 0.56)),
    ("spine", "hips", (0, 0.15, 0.56), (0, -0.1, 0.56)),
    ("chest", "spine", (0, -0.1, 0.56), (0, -0.3, 0.6)),
    ("neck", "chest", (0, -0.3, 0.6), (0, -0.4, 0.75)),
    ("head", "neck", (0, -0.4, 0.75), (0, -0.58, 0.74)),
    ("tail", "hips", (0, 0.36, 0.56), (0, 0.5, 0.5)),
    ("tail2", "tail", (0, 0.5, 0.5), (0, 0.64, 0.4)),
    *(
        row
        for side, s in (("l", 1), ("r", -1))
        for row in (
            (f"shoulder.{side}", "chest", (0.06 * s, -0.2, 0.58), (0.08 * s, -0.3, 0.45)),
            (f"upper.{side}", f"shoulder.{side}", (0.08 * s, -0.3, 0.45), (0.08 * s, -0.2, 0.33)),
            (f"fore.{side}", f"upper.{side}", (0.08 * s, -0.2, 0.33), (0.08 * s, -0.24, 0.13)),
            (f"pastern.{side}", f"fore.{side}", (0.08 * s, -0.24, 0.13), (0.08 * s, -0.26, 0.03)),
            (f"paw.{side}", f"pastern.{side}", (0.08 * s, -0.26, 0.03), (0.08 * s, -0.31, 0.0)),
            (f"thigh.{side}", "hips", (0.07 * s, 0.3, 0.53), (0.09 * s, 0.2, 0.36)),
            (f"shin.{side}", f"thigh.{side}", (0.09 * s, 0.2, 0.36), (0.09 * s, 0.38, 0.22)),
            (f"hock.{side}", f"shin.{side}", (0.09 * s, 0.38, 0.22), (0.09 * s, 0.34, 0.05)),
            (f"hindpaw.{side}", f"hock.{side}", (0.09 * s, 0.34, 0.05), (0.09 * s, 0.27, 0.0)),
        )
    ),
)


def lowered():
    """The rows of a person whose arms hang down."""
    rows = []
    for name, above, head, tail in PERSON:
        s = 1 if name.endswith(".l") else -1
        ends = {
            "arm": ((0.18 * s, 0.01, 1.45), (0.22 * s, 0.03, 1.17)),
            "forearm": ((0.22 * s, 0.03, 1.17), (0.24 * s, 0.0, 0.91)),
            "hand": ((0.24 * s, 0.0, 0.91), (0.25 * s, -0.01, 0.8)),
        }
        rows.append((name, above, *ends.get(name.split(".")[0], (head, tail))))
    return tuple(rows)


def arrays(rows):
    """Parents, heads, tails."""
    names = [row[0] for row in rows]
    parents = np.array([-1 if row[1] is None else names.index(row[1]) for row in rows])
    return parents, np.array([row[2] for row in rows], float), np.array([row[3] for row in rows], float)


def skeleton(rows=PERSON, roll=0.0, scale=1.0, turn=0.0, names=None, stiffness=None):
    """A skeleton whose bones lie along their y axes, and the ends of the bones in their joints' axes.

    Args:
        roll: radians by which the bones are rolled about themselves, alternately; turn: of the world;
        names: others for the joints; stiffness: by joint.
    """
    parents, heads, tails = arrays(rows)
    called = [row[0] for row in rows] if names is None else names
    frames, joints = [], []
    world = oracle.rodrigues(np.array([0, 0, turn]))
    for k, (parent, head, tail) in enumerate(zip(parents, heads, tails, strict=True)):
        y = (tail - head) / np.linalg.norm(tail - head)
        x = np.cross(y, [0.3, 0.8, 0.52])
        x /= np.linalg.norm(x)
        frame = np.stack([x, y, np.cross(x, y)], 1) @ oracle.rodrigues(np.array([0, roll * (-1) ** k, 0]))
        frames.append(world @ frame)
        above = frames[parent] if parent >= 0 else np.eye(3)
        way = scale * world @ (head - (heads[parent] if parent >= 0 else 0))
        joints.append(
            ik.Joint(
                called[k],
                None if parent < 0 else called[parent],
                rotation=above.T @ frames[k],
                translation=above.T @ way,
                slides="xyz" if parent < 0 else "",
                stiffness=(stiffness or {}).get(rows[k][0], 0.0),
            )
        )
    length = scale * np.linalg.norm(tails - heads, axis=1)
    return ik.Skeleton(joints), length[:, None] * np.array([0.0, 1.0, 0.0])


def rotations(figure, turns, frames=None):
    """Coordinates in which joints are turned by rotation vectors of the world, seen from their rest pose.

    Args:
        figure: a skeleton; turns: (J, 3).
    """
    from ikmath import rotation

    rest = ik.Pose.forward(figure, figure.rest).rotation if frames is None else frames
    q = np.zeros(figure.n)
    for j in range(len(figure)):
        own = (figure.owner == j) & figure.is_turn
        q[own] = rotation.swing_twist_turns(rest[j].T @ rotation.exp(turns[j]) @ rest[j])
    return q
