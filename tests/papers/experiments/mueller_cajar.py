# SPDX-License-Identifier: GPL-3.0-or-later
"""Mueller-Cajar & Mukundan, section 5, figures 2, 6, 7: which reading reproduces them; then further."""

from __future__ import annotations

import time
from functools import partial
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np

from tests.papers import mueller_cajar as paper
from tests.papers.report import INK, PALE, SECOND, TARGET, draw_plane, draw_targets, heading, save, table

SEED = 5
BEYOND = (
    ("ccd, as in the text", "ccd", {"leap": False, "stretch": False}),
    ("ccd", "ccd", {}),
    ("triangulation, as in the text", "triangulation", {"reshape": False, "finish": False}),
    ("triangulation, 90 degrees", "triangulation", {"too_near": "across", "reshape": False, "finish": False}),
    ("triangulation", "triangulation", {"finish": False}),
    ("reach_hierarchy", "reach_hierarchy", {"finish": False}),
    ("fabrik", "fabrik", {}),
    ("damped", "damped", {"rest": False}),
)


def run(out: Path) -> None:
    heading("Mueller-Cajar & Mukundan 2007: triangulation against cyclic coordinate descent")
    points = paper.random_targets(SEED)
    geometry(points)
    for limited in (False, True):
        readings(points, limited)
    counts(points)
    for limited in (False, True):
        beyond(points, limited)
    figure_6(points, out)
    figure_7(out)
    figure_limits(points, out)


def percent(flags: np.ndarray) -> str:
    return f"{100.0 * np.mean(flags):.2f}"


def geometry(points: np.ndarray) -> None:
    radius = np.linalg.norm(points, axis=1)
    many = np.linalg.norm(paper.random_targets(SEED + 1, 1_000_000), axis=1)
    low, _ = paper.reach(True)
    rows = [
        ("outside the radius", "8.27", percent(radius > 40), percent(many > 40)),
        ("further out of reach when limited", "2.23", percent(radius < low), percent(many < low)),
    ]
    table("Share of targets, %", ("", "text", "these 10,000", "a million"), rows)
    print(f"  The limited hand comes no nearer to the root than {low:.2f}, the tolerance of 0.5 taken off.")


def readings(points: np.ndarray, limited: bool) -> None:
    """The text's figures beside ours in every reading tried."""
    skeleton = paper.arm(limited)
    inside = np.linalg.norm(points, axis=1) <= 40.0
    triangulation = paper.triangulation(limited)
    ccds = {
        "straight start": paper.iterate(skeleton, points, paper.ccd()),
        "pose before": paper.carry_on(skeleton, points, paper.ccd()),
        "20 deg a turn": paper.iterate(skeleton, points, paper.ccd(20.0)),
        "5 deg a turn": paper.iterate(skeleton, points, paper.ccd(5.0)),
    }
    rows = [
        ("CCD: mean iterations, reached", "8.727" if limited else "8.351"),
        ("CCD: within 20, % of those inside", "92.97" if limited else "92.12"),
        ("CCD: within 20, % of reached", "92.97" if limited else "92.12"),
        ("CCD: reached, % of those inside", "100"),
        ("CCD: cost, final bends, reached", "173.9" if limited else "315.5"),
        ("CCD: cost, final bends, all", "173.9" if limited else "315.5"),
        ("CCD: cost, all turning, reached", "173.9" if limited else "315.5"),
    ]
    columns = []
    for outcome in ccds.values():
        reached, bent = outcome.reached, paper.bends(skeleton, outcome.q)
        quick = reached & (outcome.passes <= 20)
        columns.append(
            (
                f"{outcome.passes[reached].mean():.3f}",
                percent(quick[inside]),
                percent(quick[reached]),
                percent(reached[inside]),
                f"{bent[reached].mean():.1f}",
                f"{bent.mean():.1f}",
                f"{outcome.turned[reached].mean():.1f}",
            )
        )
    name = "limited (18, 18, 4)" if limited else "free (9, 9, 9, 9, 4)"
    table(
        f"CCD, {name} chain: the text and its readings",
        ("", "text", *ccds),
        [(*row, *values) for row, values in zip(rows, zip(*columns, strict=True), strict=True)],
    )
    passes = {
        "straight start": paper.iterate(skeleton, points, triangulation, most=1),
        "pose before": paper.carry_on(skeleton, points, triangulation, most=1),
    }
    cost = "141.5" if limited else "159.9"
    rows = [("reached, % of those inside", "100", *(percent(o.reached[inside]) for o in passes.values()))]
    for label, which in (
        ("reached", lambda o: o.reached),
        ("all", lambda o: np.ones(len(points), dtype=bool)),
    ):
        bent = (f"{paper.bends(skeleton, o.q)[which(o)].mean():.1f}" for o in passes.values())
        turned = (f"{o.turned[which(o)].mean():.1f}" for o in passes.values())
        rows += [(f"cost, final bends, {label}", cost, *bent), (f"cost, all turning, {label}", cost, *turned)]
    table(f"Triangulation, {name} chain: the text and its readings", ("", "text", *passes), rows)


def counts(points: np.ndarray) -> None:
    """Equations 9 and 10, with n for a dot product and r for a rotation."""
    skeleton = paper.arm(False)
    outcome = paper.iterate(skeleton, points, paper.ccd())
    mean = float(outcome.passes[outcome.reached].mean())
    joints = 5
    rows = [
        ("CCD, equation 9", "125.265 n + 41.755 r", f"{mean * joints * 3:.3f} n + {mean * joints:.3f} r"),
        ("triangulation, equation 10", "25 n + 5 r", f"{joints * 5} n + {joints} r"),
    ]
    table("Calculations a target, free chain", ("", "text", "ours"), rows)


def beyond(points: np.ndarray, limited: bool) -> None:
    """Every geometric method, and the Jacobian that the text calls expensive."""
    skeleton = paper.arm(limited)
    can = paper.reachable(points, limited)
    rows = []
    for label, method, options in BEYOND:
        began = time.perf_counter()
        outcome = paper.by_library(skeleton, points, method, **options)
        took = (time.perf_counter() - began) / len(points) * 1e6
        reached = outcome.reached
        rows.append(
            (
                label,
                percent(reached[can]),
                f"{outcome.passes[reached].mean():.3f}",
                outcome.passes[reached].max(),
                percent((reached & (outcome.passes <= 20))[can]),
                f"{paper.bends(skeleton, outcome.q)[reached].mean():.1f}",
                f"{took:.0f}",
            )
        )
    table(
        f"Beyond the text, {'limited' if limited else 'free'} chain, straight start",
        ("", "% of the reachable", "iterations", "most", "% within 20", "bends, deg", "us a target"),
        rows,
    )


def figure_6(points: np.ndarray, out: Path) -> None:
    """Iterations of CCD against the way that the hand had to go."""
    skeleton = paper.arm(False)
    outcome = paper.iterate(skeleton, points, paper.ccd())
    way = np.linalg.norm(points - np.array([0.0, 40.0, 0.0]), axis=1)
    shown = outcome.reached
    figure, axes = plt.subplots(figsize=(6, 4))
    axes.plot(outcome.passes[shown], way[shown], ".", ms=2, color=PALE, label="a target")
    edges = np.arange(0, 85, 5)
    middle = [
        (np.mean(outcome.passes[shown & (way >= low) & (way < low + 5)]), low + 2.5)
        for low in edges[:-1]
        if (shown & (way >= low) & (way < low + 5)).sum() > 20
    ]
    axes.plot(*zip(*middle, strict=True), "o-", ms=3, color=TARGET, label="mean of 5 units")
    axes.set(
        xlabel="Iterations",
        ylabel="Distance",
        xlim=(0, 100),
        ylim=(0, 80),
        title="CCD, free chain (figure 6)",
    )
    axes.legend(frameon=False)
    save(figure, out, "mueller_cajar_figure_6")


def figure_7(out: Path) -> None:
    """A target that is close: how the methods bend (figures 2 and 7)."""
    skeleton = paper.arm(False)
    target = np.array([16.0, 18.0, 0.0])
    triangulation = paper.triangulation(False)
    poses = {
        "CCD, first iteration": paper.iterate(skeleton, target[None], paper.ccd(), 1).q[0],
        "CCD, last iteration": paper.iterate(skeleton, target[None], paper.ccd()).q[0],
        "Triangulation": paper.iterate(skeleton, target[None], triangulation, 1).q[0],
        "Triangulation, 90 degrees": paper.iterate(
            skeleton, target[None], paper.triangulation(False, True), 1
        ).q[0],
        "Reach hierarchy": paper.by_library(skeleton, target[None], "reach_hierarchy").q[0],
        "Damped least squares": paper.by_library(skeleton, target[None], "damped").q[0],
    }
    figure, grid = plt.subplots(2, 3, figsize=(9, 6.4), sharex=True, sharey=True)
    for axes, (name, q) in zip(grid.flat, poses.items(), strict=True):
        draw_plane(axes, skeleton, np.asarray(skeleton.rest), PALE, 1.0, dots=False)
        draw_plane(axes, skeleton, q, SECOND if "CCD" in name else INK)
        draw_targets(axes, target[None])
        axes.set_title(f"{name}: {paper.bends(skeleton, q[None])[0]:.0f} deg", fontsize=9)
        axes.set_aspect("equal")
        axes.set(xlim=(-22, 22), ylim=(-12, 42))
    save(figure, out, "mueller_cajar_figure_7")


def figure_limits(points: np.ndarray, out: Path) -> None:
    """What share the limited chain reaches, by the target's distance from the root."""
    skeleton = paper.arm(True)
    radius = np.linalg.norm(points, axis=1)
    edges = np.arange(8.0, 43.0, 1.0)
    figure, axes = plt.subplots(figsize=(6, 3.6))
    solve = partial(paper.by_library, skeleton, points)
    for name, outcome, color in (
        ("CCD, as in the text", paper.iterate(skeleton, points, paper.ccd()), SECOND),
        (
            "triangulation, as in the text",
            paper.iterate(skeleton, points, paper.triangulation(True), 1),
            TARGET,
        ),
        ("triangulation, second pass", solve("triangulation", finish=False), INK),
    ):
        share = [100.0 * outcome.reached[(radius >= low) & (radius < low + 1.0)].mean() for low in edges[:-1]]
        axes.step(edges[:-1], share, where="post", color=color, label=name)
    low, high = paper.reach(True)
    axes.axvspan(low, high, color=PALE, alpha=0.25, lw=0, label="reachable")
    axes.set(
        xlabel="Distance of the target from the root", ylabel="reached, %", title="Limited chain (18, 18, 4)"
    )
    axes.legend(frameon=False, fontsize=8, loc="lower center")
    save(figure, out, "mueller_cajar_limits")
