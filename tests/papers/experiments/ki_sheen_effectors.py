# SPDX-License-Identifier: GPL-3.0-or-later
"""Ki & Sheen, examples 5.7, 6.20 and 6.21: two, three and four end effectors (figures 5, 6, 8, 9)."""

from __future__ import annotations

from pathlib import Path

import numpy as np

import ikmath as ik
from ikmath.classic.internal_points import subdivide
from tests.papers import ki_sheen, report

POINTS = 7
START = {
    1: 1.5, 2: 0.3, 3: -0.3, 4: 0.4, 5: 0.7, 6: 0.9, 7: -0.6, 8: 0.9, 9: 1.0, 10: -1.0, 11: 1.1,
}  # fmt: skip
"""The paper prints no angles; these look like its figures."""

EXAMPLES = (
    ("5.7, figure 5: both move", "two", {"P9": (0.5, -1.0), "P6": (-0.5, -1.0)}, "ki_sheen_figure_05"),
    ("5.7, figure 6: one moves", "two", {"P9": (0.0, 0.0), "P6": (-1.0, -1.0)}, "ki_sheen_figure_06"),
    (
        "6.20, figure 8: three move", "three",
        {"P9": (0, -1), "P6": (-1, -1), "P11": (1, -1)}, "ki_sheen_figure_08",
    ),
    (
        "6.21, figure 9: a fourth is inserted", "four",
        {"P9": (0, -1), "P6": (-1, -1), "P11": (1, -1), "P2": (0, -1)}, "ki_sheen_figure_09",
    ),
)  # fmt: skip


def follow(
    which: str, moves: dict[str, tuple[float, float]], **options
) -> tuple[ik.Skeleton, np.ndarray, np.ndarray, ik.Solution]:
    """Skeleton, start (n,), paths (frames, M, 3), the track; each effector is a level as in the text."""
    skeleton = ki_sheen.tree(which)
    count = len(ki_sheen.columns_of(skeleton))
    start = np.zeros(skeleton.n)
    start[ki_sheen.columns_of(skeleton)] = [START[i] for i in range(1, count + 1)]
    names = list(ki_sheen.CHAINS[which])
    begin = ik.Pose.forward(skeleton, start).point(names)
    target = begin + [(*moves[name], 0.0) for name in names]
    paths = subdivide(begin, target, POINTS)
    goals = [ik.Position(name, paths[:, i], priority=i) for i, name in enumerate(names)]
    return (
        skeleton,
        start,
        paths,
        ik.solve_track(ik.Problem(skeleton, goals), start, "prioritized", **options),
    )


def run(out: Path) -> None:
    report.heading("Ki & Sheen, sections 5 and 6: several end effectors by the recursion 6.1 to 6.4")
    print('Moves as printed in (6.5); "P5" there is a misprint for P6 (its formula has six links).')
    rows = []
    for title, which, moves, name in EXAMPLES:
        figure, axes = report.panels(1, 1, 5.2)
        for form, options in (("as printed", {"damping": 0.0, "threshold": 0.0}), ("damped", {})):
            skeleton, start, paths, track = follow(which, moves, **options)
            steps = np.diff(np.vstack([start, track.q]), axis=0)
            rows.append(
                (
                    title if form == "as printed" else "", form, f"{track.errors.max():.1e}",
                    f"{np.mean(track.iterations):.1f}", f"{np.abs(steps).max():.3f}",
                    " ".join(sorted({status.name for status in track.status})),
                )
            )  # fmt: skip
        report.draw_motion(axes[0], skeleton, [start, *track.q], labels=True)
        for i in range(paths.shape[1]):
            report.draw_targets(axes[0], paths[:, i])
        report.plain(axes[0], f"Example {title}")
        report.save(figure, out, name)
    report.table(
        "All effectors, all internal points",
        ("example", "form", "worst error", "steps a point", "largest turn", "status"), rows,
    )  # fmt: skip
