#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Build, try and test Articulate. Needs Python 3.13 or 3.11 and nothing else; its environments are in .venv.

  python build.py          the extension, dist/articulate-<version>.zip
  python build.py demo     install it into a throw-away Blender profile and bake a character, into dist/demo
  python build.py test     the tests, inside Blender on the built and installed zip
  python build.py check    lint, format, types, architecture
  python build.py bench    speed and quality, beside other software
  python build.py fuzz     random problems and sessions for some minutes, and the faults that they show
  python build.py papers   the texts' experiments, as tables
  python build.py docs     the manual as a site, in dist/site
  python build.py release  run all checks, then make the files of a release in dist/release

Arguments after -- go to the tool behind a command: python build.py test -- -k quaternion -x
"""

import argparse
import importlib.util
import os
import runpy
import shutil
import subprocess
import sys
from typing import List, Optional

PYTHON = (3, 11)
"""The oldest Python that this script runs on. Each Blender gets the Python that its wheel needs."""


def main(arguments: List[str]) -> int:
    """Run one command and return the exit code."""
    if "--" in arguments:
        split = arguments.index("--")
        arguments, extra = arguments[:split], arguments[split + 1 :]
    else:
        extra = []
    options = _parser().parse_args(arguments)
    sentence = _wrong_python()
    if sentence:
        print(sentence, file=sys.stderr)
        return 2

    from tooling import commands
    from tooling.problem import Problem

    try:
        return commands.run(options, extra)
    except Problem as problem:
        print(problem, file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        return 130


def _parser() -> argparse.ArgumentParser:
    """The command line."""
    blender = argparse.ArgumentParser(add_help=False)
    blender.add_argument(
        "--blender",
        metavar="VERSION",
        default=argparse.SUPPRESS,
        help="the Blender to use: 5.2.3 (Python 3.13), 5.0.1, 4.5.15 or 4.2.23 (Python 3.11). Default: the "
        "newest one for which the Python is here",
    )
    parser = argparse.ArgumentParser(
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        parents=[blender],
    )
    commands = parser.add_subparsers(metavar="COMMAND", dest="command")
    commands.add_parser(
        "demo",
        parents=[blender],
        help="bake a character with the installed extension",
        description="Builds the zip, installs it into a throw-away Blender profile, poses and bakes a "
        "character with it, renders, and prints a table of errors and times. Files: dist/demo.",
    )
    test = commands.add_parser(
        "test",
        parents=[blender],
        help="run the tests",
        description="Tests of the library run in the default Blender's environment (they do not use "
        "Blender); those of the extension run inside the Blender you name, on the built and installed zip. "
        "With paths after --, only those: python build.py test -- tests/ikmath/test_pose.py",
    )
    test.add_argument(
        "--gui",
        metavar="SUITE",
        nargs="?",
        const="trixie",
        choices=("trixie", "sid"),
        help="instead, drive a real Blender window with mouse and keyboard (on Debian or Ubuntu, as root; "
        "see docs/development.md): Blender 4.3 of Debian trixie, or the newest one of sid; screenshots in "
        "dist/gui",
    )
    test.add_argument(
        "--python",
        metavar="VERSION",
        help="instead, run the library's tests on this version of Python, for instance 3.14, without Blender",
    )
    commands.add_parser(
        "check", help="lint, format, types, architecture", description="ruff, mypy and tests/architecture."
    )
    commands.add_parser(
        "bench",
        parents=[blender],
        help="measure speed and quality",
        description="Runs tests/benchmarks/run.py on one thread. Its help: python build.py bench -- --help",
    )
    fuzz = commands.add_parser(
        "fuzz",
        parents=[blender],
        help="try random problems and sessions for some minutes",
        description="Solves random problems with all methods of the library, and takes random steps with the "
        "extension in Blender. Lists every fault, each with its seed and the command that repeats it. The "
        "ordinary tests try a few hundred problems and a few sessions.",
    )
    fuzz.add_argument("--minutes", type=float, default=60.0, help="for each; 60 by default, 0: one seed only")
    fuzz.add_argument("--seed", type=int, default=0, help="the first one; the others follow it")
    for name in ("library", "extension"):
        fuzz.add_argument(f"--{name}", action="store_true", help=f"only the {name}")
    commands.add_parser(
        "papers",
        help="the papers' experiments, as tables",
        description="Runs tests/papers/run.py. Its help: python build.py papers -- --help",
    )
    commands.add_parser(
        "docs",
        help="make the manual's site",
        description="Makes dist/site from docs/ with mkdocs-material, and fails if a link or an anchor leads "
        "nowhere.",
    )
    release = commands.add_parser(
        "release",
        help="run all checks and make the files of a release",
        description="Runs .ci/run, then makes dist/release: the extension, ikmath's wheel and sdist, the "
        "manual, checksums and release notes. Refuses uncommitted changes, a version that has a tag, and a "
        "version that CHANGELOG.md does not describe.",
    )
    release.add_argument(
        "--checked", action="store_true", help=".ci/run has passed on this commit: do not run it again"
    )
    parser.set_defaults(command="build")
    return parser


def _wrong_python() -> Optional[str]:
    """A sentence if this Python will not do, else None."""
    if sys.version_info[:2] >= PYTHON:
        return None
    wanted, found = ".".join(map(str, PYTHON)), ".".join(map(str, sys.version_info[:2]))
    sentence = f"build.py needs Python {wanted} or newer; this is Python {found}."
    for name in ("python3.13", "python3.11", "python3"):
        newer = [name, "-c", f"import sys; sys.exit(sys.version_info[:2] < {PYTHON})"]
        if shutil.which(name) and subprocess.run(newer, stderr=subprocess.DEVNULL).returncode == 0:
            return f"{sentence} It is installed here: {name} {' '.join(sys.argv)}"
    return f"{sentence} Install Python 3.13 (Debian 13: apt-get install python3.13-venv; pyenv install 3.13)."


def _run_build_package() -> None:
    """Run the package `build`. In this directory `python -m build` finds this file first."""
    here = os.path.dirname(os.path.abspath(__file__))
    sys.path = [entry for entry in sys.path if os.path.abspath(entry) != here]
    if importlib.util.find_spec("build") is None:
        sys.exit("python -m build needs the package of that name: pip install build")
    runpy.run_module("build", run_name="__main__", alter_sys=True)


if __name__ == "__main__":
    if __spec__ is not None:  # started with -m
        _run_build_package()
    else:
        sys.exit(main(sys.argv[1:]))
