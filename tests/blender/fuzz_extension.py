# SPDX-License-Identifier: GPL-3.0-or-later
"""The extension's fuzzer: sessions of random operators and edits, each repeatable from its seed.

A session builds a random figure and takes random steps from the tables `OPERATORS` and `EDITS`. After each
step `check` holds the file to what must always be true. As a script it goes on for some minutes, a process
for every few sessions, so that a crash of Blender is one more fault: `python build.py fuzz --extension`.
"""

from __future__ import annotations

import argparse
import collections
import contextlib
import json
import re
import subprocess
import sys
import tempfile
import time
import traceback
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).parent))

import installed

if __name__ == "__main__":  # before bpy, which reads the profile once
    installed.hide_source()
    installed.make_profile()

import bpy
from fuzz_edits import EDITS, edit, empty_file, new_mesh
from fuzz_operators import OPERATORS, Session, new_figure, press
from fuzz_promises import Fault, check

STEPS = 40  # of a session
BATCH = 10  # sessions of one process of a night
PATIENCE = 600.0  # seconds for a batch; what takes longer hangs
REPLAY = "python build.py fuzz --extension --minutes 0 --seed {}"


def run(seed: int, counts: collections.Counter[tuple[str, str]], steps: int = STEPS) -> None:
    """One session.

    Raises:
        Fault: its text has the seed, what was done, and how to repeat it.
    """
    empty_file()
    names = [*(("press", name) for name in OPERATORS), *(("edit", what) for what in EDITS)]
    weights = np.array([weight for weight, _ in OPERATORS.values()] + list(EDITS.values()), dtype=float)
    with tempfile.TemporaryDirectory(prefix="articulate-fuzz-") as folder:
        s = Session(seed, Path(folder), counts)
        try:
            with contextlib.redirect_stderr(s.console), contextlib.redirect_stdout(s.console):
                new_figure(s)
                new_mesh(s)
                for name in ["effector_add"] * 3:
                    s.steps.append(name)
                    press(s, name)
                for _ in range(steps):
                    how, what = names[int(s.rng.choice(len(names), p=weights / weights.sum()))]
                    s.steps.append(what if how == "press" else what.__name__)
                    press(s, what) if how == "press" else edit(s, what)
                    bpy.context.view_layer.update()
                    check(s.printed(), s.handlers)
        except Exception as error:
            done = "\n  ".join(s.steps)
            reason = f"{type(error).__name__}: {error}"
            if not isinstance(error, Fault):
                reason = traceback.format_exc()
            raise Fault(f"{reason}\nseed {seed}: {REPLAY.format(seed)}\n  {done}") from error
        finally:
            empty_file()


def sessions(first: int, count: int, until: float) -> int:
    """Run sessions in this process and print every fault; how many there were."""
    counts: collections.Counter[tuple[str, str]] = collections.Counter()
    faults = 0
    for seed in range(first, first + count):
        if time.time() > until:
            break
        print(f"seed {seed}", flush=True)
        try:
            run(seed, counts)
        except Fault as fault:
            faults += 1
            print(f"FAULT {fault}\n", flush=True)
    print(f"COUNTS {json.dumps([[*key, value] for key, value in counts.items()])}", flush=True)
    return faults


def night(first: int, minutes: float) -> int:
    """Run batches of sessions in processes of their own until the time is over; 1 if there was a fault."""
    until, seed, faults = time.time() + 60.0 * minutes, first, 0
    counts: collections.Counter[str] = collections.Counter()
    while True:
        count = BATCH if minutes else 1
        command = [sys.executable, __file__, "--seed", str(seed), "--sessions", str(count)]
        try:
            done = subprocess.run(
                [*command, "--until", str(until if minutes else until + PATIENCE)],
                capture_output=True, text=True, timeout=PATIENCE, check=False,
            )  # fmt: skip
            said, code = done.stdout, done.returncode
        except subprocess.TimeoutExpired as late:
            said, code = (late.stdout or b"").decode(), None
        tried = len(re.findall(r"^seed \d+$", said, re.M))
        counts["sessions"] += tried
        for fault in re.findall(r"^FAULT .*?\n\n", said, re.M | re.S):
            print(fault, flush=True)
        for line in said.splitlines():
            if line.startswith("COUNTS "):
                for name, how, value in json.loads(line[7:]):
                    counts[f"{name}, {how}"] += value
        faults += said.count("FAULT ")
        if code not in (0, 1):
            faults += 1
            last = seed + max(tried - 1, 0)
            print(f"FAULT {'hangs' if code is None else f'exit status {code}'}")
            print(f"seed {last}: {REPLAY.format(last)}")
        seed += count
        if time.time() >= until:
            break
    print("\n".join(f"{value} {name}" for name, value in sorted(counts.items())))
    print(f"{counts['sessions']} sessions from seed {first}, {faults} faults")
    return int(faults > 0)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--minutes", type=float, default=60.0)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument(
        "--sessions", type=int, default=0, help="in this process; 0: as many as there is time"
    )
    parser.add_argument("--until", type=float, default=0.0, help="when this process ends, seconds since 1970")
    options = parser.parse_args()
    if not options.sessions:
        return night(options.seed, options.minutes)
    kept = installed.handlers()
    installed.install(installed.find_zip())
    faults = sessions(options.seed, options.sessions, options.until)
    installed.drop_handlers(kept)
    installed.leave(int(faults > 0))
    return 0


if __name__ == "__main__":
    sys.exit(main())
