# SPDX-License-Identifier: GPL-3.0-or-later
"""Ki & Sheen's planar figures, as skeletons and as their printed formulas, and their end-effector formula
of section 2.

The printed formulas are written out in plain numpy; they share nothing with the library.
"""

from __future__ import annotations

import numpy as np

import ikmath as ik

CHAINS = {
    # which links lie, in order, between the base and each end effector
    "two": {"P9": (1, 2, 3, 7, 8, 9), "P6": (1, 2, 3, 4, 5, 6)},
    "three": {"P9": (1, 2, 3, 7, 8, 9), "P6": (1, 2, 3, 4, 5, 6), "P11": (1, 10, 11)},
    "four": {"P9": (1, 2, 3, 7, 8, 9), "P6": (1, 2, 3, 4, 5, 6), "P11": (1, 10, 11), "P2": (1, 2)},
}
"""Figures 4, 7 and 9. Example 6.20 moves "P5", but its formula for x_2 sums six links: it is P6."""


def tree(which: str, lengths=None, limits=None) -> ik.Skeleton:
    """The figure as hinges about Z; "L<i>" turns with h_i, "P<i>" is the end of link i."""
    chains = CHAINS[which]
    count = max(max(links) for links in chains.values())
    lengths = np.ones(count) if lengths is None else np.asarray(lengths, dtype=float)
    before = {}
    for links in chains.values():
        before.update(zip(links, (None, *links[:-1]), strict=True))
    joints = []
    for link in range(1, count + 1):
        parent = before[link]
        lower, upper = (limits or {}).get(link, (None, None))
        joints.append(
            ik.Joint(
                f"L{link}", f"L{parent}" if parent else None,
                translation=(lengths[parent - 1] if parent else 0.0, 0, 0),
                turns="z", lower=lower, upper=upper,
            )
        )  # fmt: skip
    ends = [link for name in chains for link in (int(name[1:]),)]
    joints += [
        ik.Joint(f"P{link}", f"L{link}", translation=(lengths[link - 1], 0, 0), turns="") for link in ends
    ]
    return ik.Skeleton(joints)


def columns_of(skeleton: ik.Skeleton) -> np.ndarray:
    """Where h_1, h_2, ... stand in q."""
    count = sum(name.startswith("L") for name in skeleton.names)
    return np.array([skeleton.columns(f"L{i}").start for i in range(1, count + 1)])


def positions(which: str, h: np.ndarray, lengths: np.ndarray) -> np.ndarray:
    """The printed x_e, y_e (examples 5.7, 6.20, 6.21): (M, 2)."""
    out = []
    for links in CHAINS[which].values():
        w = np.cumsum([h[link - 1] for link in links])
        l = np.array([lengths[link - 1] for link in links])
        out.append([np.sum(l * np.cos(w)), np.sum(l * np.sin(w))])
    return np.array(out)


def jacobians(which: str, h: np.ndarray, lengths: np.ndarray) -> list[np.ndarray]:
    """The printed J_e: M matrices (2, n), zero where the printed ones have O."""
    out = []
    for links in CHAINS[which].values():
        w = np.cumsum([h[link - 1] for link in links])
        l = np.array([lengths[link - 1] for link in links])
        matrix = np.zeros((2, len(h)))
        for i, link in enumerate(links):
            matrix[:, link - 1] = -np.sum((l * np.sin(w))[i:]), np.sum((l * np.cos(w))[i:])
        out.append(matrix)
    return out


# ------------------------------------------------------------------ section 2, in space
def printed_rotations(h: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """R_x, R_y, R_z as printed: rotations of ROW vectors."""
    (cx, cy, cz), (sx, sy, sz) = np.cos(h), np.sin(h)
    return (
        np.array([[1, 0, 0], [0, cx, sx], [0, -sx, cx]]),
        np.array([[cy, 0, -sy], [0, 1, 0], [sy, 0, cy]]),
        np.array([[cz, sz, 0], [-sz, cz, 0], [0, 0, 1]]),
    )


def printed_rotation(h: np.ndarray) -> np.ndarray:
    """R(h) = R_z R_y R_x."""
    rx, ry, rz = printed_rotations(h)
    return rz @ ry @ rx


def end_effector(h: np.ndarray, rest: np.ndarray, row_vectors: bool) -> np.ndarray:
    """f(h) by the printed sum: h (N, 3), rest (N, 3) the rest positions P_1..P_N, P_0 = 0.

    Args:
        row_vectors: whether vectors stand to the left of the printed matrices, where the printed R_x, R_y,
        R_z
            belong, or to the right of them, as printed.
    """
    total, product, before = np.zeros(3), np.eye(3), np.zeros(3)
    for angles, place in zip(h, rest, strict=True):
        product = printed_rotation(angles) @ product  # R_j R_(j-1) ... R_1
        link = place - before
        total = total + (link @ product if row_vectors else product @ link)
        before = place
    return total


def end_effector_recursion(h: np.ndarray, rest: np.ndarray) -> np.ndarray:
    """P_N^(N) by the printed recursion, joint after joint, matrices to the left as printed."""
    points = np.vstack([np.zeros(3), rest])
    for n, angles in enumerate(h):
        pivot = points[n].copy()
        points[n + 1 :] = (points[n + 1 :] - pivot) @ printed_rotation(angles).T + pivot
    return points[-1]
