#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""The papers' examples, tables and figures again: numbers beside the printed ones, pictures as the papers'.

python build.py papers                     all of them, pictures into dist/papers
python build.py papers -- ki_sheen         those whose name begins so
python build.py papers -- --list           their names
"""

from __future__ import annotations

import argparse
import importlib
import time
from pathlib import Path

EXPERIMENTS = (
    "ki_sheen_path",
    "ki_sheen_effectors",
    "ki_sheen_damping",
    "ki_sheen_limits",
    "ki_sheen_grasp",
    "ki_sheen_scene",
    "parent_control",
    "ge_joint_limits",
    "ge_svd",
    "ge_avoidance",
    "ge_elephant",
    "mueller_cajar",
)
"""Modules of `tests.papers.experiments`; each has `run(out: Path)`, which prints tables and draws."""


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("names", nargs="*", help="beginnings of names; all if none is given")
    parser.add_argument("--out", type=Path, default=Path("dist/papers"), help="where pictures go")
    parser.add_argument("--list", action="store_true", help="print the names and stop")
    options = parser.parse_args()
    chosen = [name for name in EXPERIMENTS if not options.names or name.startswith(tuple(options.names))]
    if options.list or not chosen:
        print("\n".join(EXPERIMENTS))
        return 0 if options.list else 2
    options.out.mkdir(parents=True, exist_ok=True)
    for name in chosen:
        began = time.perf_counter()
        importlib.import_module(f"tests.papers.experiments.{name}").run(options.out)
        print(f"[{name}: {time.perf_counter() - began:.1f} s]\n")
    print(f"Pictures are in {options.out}.")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
