# SPDX-License-Identifier: GPL-3.0-or-later
"""The library's fuzzer for a night: tries random problems for some minutes and lists every fault it finds.

A fault is known by its error and by the place in the library where it was raised. The shortest example of
each is printed as code, to be pasted into a test, and with its seed, which repeats it. Run by
`python build.py fuzz --library --minutes N`.
"""

from __future__ import annotations

import argparse
import collections
import contextlib
import math
import sys
import time
import traceback
from pathlib import Path

from hypothesis import HealthCheck, Phase, given, seed, settings
from hypothesis import strategies as st

from tests.fuzz.properties import PROPERTIES

LIBRARY = Path(__file__).parents[2] / "ikmath"
ROUND = 40  # examples with one seed
REPLAY = "python build.py fuzz --library --minutes 0 --seed {}"


class Night:
    """What was tried, and the faults: (property, error, place) -> shortest example, and its seed."""

    def __init__(self) -> None:
        self.tried: collections.Counter[str] = collections.Counter()
        self.counts: collections.Counter[tuple[str, str, str]] = collections.Counter()
        self.shortest: dict[tuple[str, str, str], str] = {}
        self.seeds: dict[tuple[str, str, str], int] = {}

    def round(self, one, number, until):
        """Try one property with one seed."""

        @seed(number)
        @settings(
            max_examples=ROUND, derandomize=False, database=None, deadline=None, phases=(Phase.generate,),
            suppress_health_check=list(HealthCheck),
        )  # fmt: skip
        @given(st.tuples(*one.drawn))
        def attempt(drawn):
            if time.monotonic() > until:
                return
            self.tried[one.name] += 1
            try:
                one.check(*drawn)
            except Exception as error:  # noqa: BLE001  # each is a finding
                self.note(one, error, drawn, number)

        attempt()

    def note(self, one, error, drawn, number):
        steps = traceback.extract_tb(error.__traceback__)
        own = [step for step in steps if LIBRARY in Path(step.filename).parents]
        last = own[-1] if own else steps[-1]
        place = f"{Path(last.filename).relative_to(LIBRARY.parent)}:{last.lineno} {last.name}"
        summary = (
            str(error).strip().split("\n")[0].split(" by ")[0].split(" with ")[0].split(": told")[0][:80]
        )
        key = one.name, f"{type(error).__name__}: {summary}", place
        example = f"{one.check.__name__}({', '.join(map(repr, drawn))})"
        self.counts[key] += 1
        if len(example) < len(self.shortest.get(key, example + " ")):
            self.shortest[key], self.seeds[key] = example, number

    def report(self):
        print("\n".join(f"{count} problems: {name}" for name, count in self.tried.items()))
        print(f"{len(self.counts)} kinds of faults")
        for key, count in self.counts.most_common():
            name, error, place = key
            print(f"\n{count} times, {name}: {error}\n  {place}\n  {self.shortest[key]}")
            print(f"  seed {self.seeds[key]}: {REPLAY.format(self.seeds[key])}")


def main(arguments=None):
    """Run until the time is over; 1 if anything was found."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--minutes", type=float, default=60.0, help="how long; 0: one seed")
    parser.add_argument("--seed", type=int, default=0, help="the first one")
    options = parser.parse_args(arguments)
    night, number = Night(), options.seed
    until = time.monotonic() + 60.0 * options.minutes
    with contextlib.suppress(KeyboardInterrupt):
        while number == options.seed or time.monotonic() < until:
            for one in PROPERTIES:
                night.round(one, number, until if options.minutes else math.inf)
            number += 1
    print(f"seeds {options.seed} to {number - 1}")
    night.report()
    return 1 if night.counts else 0


if __name__ == "__main__":
    sys.exit(main())
