#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Solve many targets, or many clips, in several processes with Dask.

pip install . distributed    # in the repository
python examples/dask_many.py --count 100000 --workers 8 --output q.npy

The figure is sent to each worker once. A task is a chunk of targets; its result is coordinates and errors.
Only a few chunks for each worker are under way at any time, so that neither the scheduler nor this process
has to hold all of them. `--scheduler` uses a running cluster in place of local processes. `--check` solves
the same in this process too and compares both bit for bit.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

import ikmath as ik

try:
    from distributed import Client, LocalCluster, as_completed
except ModuleNotFoundError:
    raise SystemExit("This example needs dask.distributed. Install it: pip install distributed") from None

Array = npt.NDArray[np.float64]
PER_WORKER = 3
"""Chunks under way for each worker: one that it solves, and others that are already there when it is done."""


class Solved(NamedTuple):
    """What comes back of a chunk: coordinates (B, n) and errors (B, E) in metres."""

    q: Array
    errors: Array


def figure_and_targets(count: int, seed: int = 0) -> tuple[ik.Skeleton, Array]:
    """A person of 66 coordinates, and places around its left hand, (count, 3) metres."""
    around = np.random.default_rng(seed).uniform(-0.3, 0.3, (count, 3))
    return ik.figures.human(), np.array((0.35, -0.3, 1.1)) + around


def solve_chunk(figure: ik.Skeleton, targets: Array, clips: bool) -> Solved:
    """Solve one chunk: frames that follow one another (a clip), or independent targets."""
    problem = ik.Problem(figure, [ik.Position("wrist.L", targets), ik.Position("ankle.L", (0.1, 0.0, 0.1))])
    solution = ik.solve_track(problem) if clips else ik.solve(problem)
    return Solved(solution.q, solution.errors)


def chunks(count: int, size: int) -> list[slice]:
    """Consecutive parts of at most `size`: the same for any number of workers, and so are the bits."""
    return [slice(start, min(start + size, count)) for start in range(0, count, size)]


def solve_here(figure: ik.Skeleton, targets: Array, size: int, clips: bool) -> Iterator[tuple[slice, Solved]]:
    """Every chunk, in this process."""
    for part in chunks(len(targets), size):
        yield part, solve_chunk(figure, targets[part], clips)


def solve_on(
    client: Client, figure: ik.Skeleton, targets: Array, size: int, clips: bool
) -> Iterator[tuple[slice, Solved]]:
    """Every chunk, on the workers of a cluster, in the order in which they are done."""
    sent = client.scatter(figure, broadcast=True)
    waiting = iter(chunks(len(targets), size))
    parts: dict[str, slice] = {}

    def submit(part: slice) -> object:
        future = client.submit(solve_chunk, sent, targets[part], clips, pure=False)
        parts[future.key] = part
        return future

    limit = PER_WORKER * len(client.scheduler_info()["workers"])
    running = as_completed([submit(part) for _, part in zip(range(limit), waiting, strict=False)])
    for future in running:
        yield parts.pop(future.key), future.result()
        following = next(waiting, None)
        if following is not None:
            running.add(submit(following))


def main() -> int:
    """Solve, print a summary and return the exit status: 1 if `--check` found a difference."""
    options = _parser().parse_args()
    figure, targets = figure_and_targets(options.count)
    shape = (len(targets), figure.n)
    q = np.empty(shape)
    if options.output:  # on disk: a million poses of this figure take 528 MB
        q = np.lib.format.open_memmap(  # type: ignore[no-untyped-call]
            options.output, "w+", np.float64, shape
        )
    worst = 0.0
    with _client(options) as client:
        workers = len(client.scheduler_info()["workers"])
        began = time.perf_counter()
        for part, solved in solve_on(client, figure, targets, options.chunk, options.clips):
            q[part] = solved.q
            worst = max(worst, float(solved.errors.max()))
        seconds = time.perf_counter() - began
    rate = len(targets) / seconds
    print(f"{len(targets)} targets, {workers} workers: {seconds:.1f} s, {rate:.0f} a second")
    print(f"worst error {worst:.1e} m")
    if not options.check:
        return 0
    began = time.perf_counter()
    again = solve_here(figure, targets, options.chunk, options.clips)
    equal = not sum(not np.array_equal(q[part], solved.q) for part, solved in again)
    seconds = time.perf_counter() - began
    rate = len(targets) / seconds
    print(f"{len(targets)} targets, this process: {seconds:.1f} s, {rate:.0f} a second; equal bits: {equal}")
    return 0 if equal else 1


def _client(options: argparse.Namespace) -> Client:
    """A client of the cluster that was named, else of local processes with one thread each."""
    if options.scheduler:
        return Client(options.scheduler)
    return Client(
        LocalCluster(n_workers=options.workers, threads_per_worker=1, processes=True, dashboard_address=None)
    )


def _count(text: str) -> int:
    """A whole number above zero, for argparse."""
    if not text.isdecimal() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"'{text}' must be a whole number above zero")
    return int(text)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(description="Solve many targets in several processes with Dask.")
    parser.add_argument("--count", type=_count, default=10_000, help="targets in all (default: 10000)")
    parser.add_argument("--chunk", type=_count, default=250, help="targets a task, or frames a clip (250)")
    parser.add_argument("--clips", action="store_true", help="the targets of a chunk are frames of one clip")
    parser.add_argument("--workers", type=_count, default=2, help="local processes (default: 2)")
    parser.add_argument("--scheduler", help="address of a running Dask scheduler to use instead")
    parser.add_argument("--output", type=Path, help="write the coordinates here, as .npy")
    parser.add_argument("--check", action="store_true", help="compare with this process alone")
    return parser


if __name__ == "__main__":
    raise SystemExit(main())
