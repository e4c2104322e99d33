# SPDX-License-Identifier: GPL-3.0-or-later
"""How experiments print and draw, so that all of them look alike."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import matplotlib

matplotlib.use("Agg")  # before anything draws: there may be no screen

import matplotlib.pyplot as plt
import numpy as np

import ikmath as ik

INK, PALE, TARGET, SECOND = "#1b1b1b", "#b9b9b9", "#c0392b", "#2471a3"


def heading(text: str) -> None:
    print(f"\n{text}\n{'=' * len(text)}")


def table(title: str, columns: Sequence[str], rows: Iterable[Sequence[Any]]) -> None:
    """Print a table; floats as they come, so format what needs it."""
    cells = [[str(cell) for cell in row] for row in rows]
    widths = [max(len(line[i]) for line in [list(columns), *cells]) for i in range(len(columns))]
    print(f"\n{title}")
    print("  " + "  ".join(name.ljust(width) for name, width in zip(columns, widths, strict=True)))
    print("  " + "  ".join("-" * width for width in widths))
    for line in cells:
        print("  " + "  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)))


def draw_plane(
    axes: Any, skeleton: ik.Skeleton, q: np.ndarray, color: str = INK, width: float = 2.0, dots: bool = True
) -> None:
    """Draw a figure that lives in the plane of X and Y: links as lines, joints as rings."""
    position = ik.Pose.forward(skeleton, q).position
    for joint, parent in enumerate(skeleton.parents):
        if parent >= 0:
            line = position[[parent, joint]]
            axes.plot(line[:, 0], line[:, 1], color=color, lw=width, solid_capstyle="round", zorder=2)
    if dots:
        axes.plot(position[:, 0], position[:, 1], "o", ms=4, mfc="white", mec=color, zorder=3)


def draw_motion(axes: Any, skeleton: ik.Skeleton, motion: Sequence[np.ndarray], labels: bool = False) -> None:
    """The first pose black, those on the way pale, the last blue; with the names of its joints."""
    for q in motion[1:-1]:
        draw_plane(axes, skeleton, q, PALE, 1.0, dots=False)
    draw_plane(axes, skeleton, motion[0], INK)
    draw_plane(axes, skeleton, motion[-1], SECOND)
    if labels:
        name_joints(axes, skeleton, motion[0])


def name_joints(axes: Any, skeleton: ik.Skeleton, q: np.ndarray) -> None:
    """P_i at the end of link i, as the papers' figures have it, for figures with links L1, L2, ..."""
    position = ik.Pose.forward(skeleton, q).position
    for joint, parent in enumerate(skeleton.parents):
        if parent >= 0:
            axes.annotate(
                f"$P_{{{skeleton.names[parent][1:]}}}$", position[joint, :2],
                xytext=(5, 3), textcoords="offset points", fontsize=7, color=INK, zorder=5,
            )  # fmt: skip


def draw_targets(axes: Any, path: np.ndarray, numbered: bool = False) -> None:
    """Targets (frames, 2 or 3) as stars, with their numbers."""
    axes.plot(path[:, 0], path[:, 1], "*", color=TARGET, ms=7, zorder=4)
    for number, place in enumerate(path if numbered else [], 1):
        axes.annotate(
            str(number), place[:2], xytext=(5, -3), textcoords="offset points", fontsize=7, color=TARGET,
            zorder=5,
        )  # fmt: skip


def panels(
    count: int, columns: int = 2, size: float = 4.2, height: float | None = None, **options: Any
) -> tuple[Any, list[Any]]:
    """A picture of several panels, each `size` inches wide and as high or `height` high."""
    rows = -(-count // columns)
    whole = (size * columns, (height or size) * rows)
    figure, axes = plt.subplots(rows, columns, figsize=whole, squeeze=False, **options)
    flat = list(axes.flat)
    for spare in flat[count:]:
        spare.set_axis_off()
    return figure, flat[:count]


def plain(axes: Any, title: str) -> None:
    axes.set_aspect("equal")
    axes.set_title(title, fontsize=9)
    axes.tick_params(labelsize=7)
    axes.grid(color="#eeeeee", lw=0.5)
    axes.margins(0.08)


def save(figure: Any, out: Path, name: str) -> None:
    figure.tight_layout()
    figure.savefig(out / f"{name}.png", dpi=110)
    figure.savefig(out / f"{name}.svg")
    plt.close(figure)
    print(f"  drawn: {name}.png, {name}.svg")
