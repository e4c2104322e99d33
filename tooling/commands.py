# SPDX-License-Identifier: GPL-3.0-or-later
"""The commands of build.py, each a short function: which environment, which script, what it is given."""

from __future__ import annotations

import argparse
import tempfile
from pathlib import Path

from . import package, pythons, release, selection
from .environment import (
    BLENDERS,
    OLDEST_PYTHON,
    ROOT,
    Environment,
    default_blender,
    ensure,
    ensure_without_blender,
)
from .problem import Problem

NUMERIC_SUITES = ("tests/ikmath", "tests/fuzz", "tests/papers")
LIBRARY_SUITES = (*NUMERIC_SUITES, "tests/architecture")
BLENDER_SUITE = "tests/blender"
GUI_SUITE = "tests/gui"
EXTENSION_FUZZER = "tests/blender/fuzz_extension.py"

PYTEST = ("-P", "-m", "pytest")
"""-P keeps the current directory, and so the source of the library, off the import path."""
NO_TESTS_COLLECTED = 5
ALONE = {
    "build": "python build.py",
    "check": "python build.py check",
    "docs": "python build.py docs",
    "fuzz": "python build.py fuzz",
    "release": "python build.py release",
}
"""Commands with no one tool behind them."""
# The matrices of a figure are small: a second thread costs more than it does, in tests as in benchmarks.
ONE_THREAD = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1")


def run(options: argparse.Namespace, extra: list[str]) -> int:
    """Run the command that was asked for and return its exit code.

    Args:
        options: the parsed command line.
        extra: what stood after `--`, for the tool behind the command.

    Raises:
        Problem: something is missing; the text says what.
    """
    blender = getattr(options, "blender", None)
    if blender is not None and blender not in BLENDERS:
        raise Problem(f"Blender {blender} is not one of {', '.join(BLENDERS)}.")
    if extra and options.command in ALONE:
        raise Problem(f"{ALONE[options.command]} takes nothing after --, but got: {' '.join(extra)}")
    if options.command == "test" and options.python:
        return test_library(options.python, extra)
    if options.command == "check":
        return check()
    if options.command == "docs":
        return docs()
    blender = blender or default_blender()
    _tell_older(blender)
    if options.command == "test":
        return test_gui(options.gui, extra) if options.gui else test(blender, extra)
    if options.command == "demo":
        return demo(blender, extra)
    if options.command == "bench":
        return _script(ensure(blender), "tests/benchmarks/run.py", extra)
    if options.command == "fuzz":
        return fuzz(blender, options)
    if options.command == "papers":
        return _script(ensure(default_blender()), "tests/papers/run.py", extra)
    if options.command == "release":
        return release.release(ensure(blender), checked=options.checked)
    print(package.build_zip(ensure(blender).python).relative_to(ROOT))
    return 0


def _tell_older(blender: str) -> None:
    """Say so where it is not the newest Blender only because a Python is missing."""
    newest, version = next(iter(BLENDERS.items()))
    if blender == default_blender() != newest:
        print(f"Blender {blender} is used: {newest} needs Python {pythons.name_of(version)}.", flush=True)
        print(pythons.how_to_install(version), flush=True)


def test(blender: str, extra: list[str]) -> int:
    """The library's tests, in the default Blender's environment only, and the extension's, in two processes.

    Two, because the extension's tests must import the library that came with the zip, not the source.
    """
    paths, extra = selection.split(ensure(default_blender()), extra)
    if any(_within(path, GUI_SUITE) for path in paths):
        raise Problem("Tests in a window run with: python build.py test --gui")
    if paths:
        library = [path for path in paths if not _within(path, BLENDER_SUITE)]
        inside = [path for path in paths if _within(path, BLENDER_SUITE)]
    else:
        library = list(LIBRARY_SUITES) if blender == default_blender() else []
        inside = [BLENDER_SUITE]
    codes = []
    if library:
        codes.append(ensure(default_blender()).run(*PYTEST, *extra, *library, **ONE_THREAD))
    if inside:
        environment = ensure(blender)
        built = package.build_zip(environment.python)
        print(f"\nBlender {blender}, {built.relative_to(ROOT)}", flush=True)
        codes.append(environment.run(*PYTEST, *extra, *inside, ARTICULATE_ZIP=str(built), **ONE_THREAD))
    if any(
        code == 0 for code in codes
    ):  # a selection (-k) may leave one of the two without a test, but not both
        codes = [code for code in codes if code != NO_TESTS_COLLECTED]
    return max(codes, key=abs)


def test_library(version: str, extra: list[str]) -> int:
    """The library's tests on a Python version, without Blender and with the newest numpy for it.

    A Python that is newer than this machine's comes from Debian sid, where that can be installed.
    """
    from tests.gui import provision  # needs what only Debian has

    wanted = pythons.parse(version)
    if wanted < OLDEST_PYTHON:
        oldest = pythons.name_of(OLDEST_PYTHON)
        raise Problem(f"Python {version} is too old: the library needs {oldest} or newer.")
    found = pythons.find(wanted)
    prefix: tuple[str, ...] = ()
    if found is None:
        try:
            found, prefix = Path("/usr/bin/python3"), provision.python_of_sid(wanted)
        except provision.NotInstallable as reason:
            print(f"Not tested on Python {version}: {reason}")
            return 0
        except Problem as reason:
            how = pythons.how_to_install(wanted)
            raise Problem(f"Python {version} is not here. {how}\nFrom Debian sid: {reason}") from reason
    environment = ensure_without_blender(f"python-{version}", found, ("test", "library"), prefix)
    print(f"\nPython {version}", flush=True)
    paths, options = selection.split(environment, extra)
    return environment.run(*PYTEST, *options, *(paths or NUMERIC_SUITES), **ONE_THREAD)


def test_gui(suite: str, extra: list[str]) -> int:
    """The tests in a real Blender window; the environment only hosts pytest, Blender is the real program."""
    from tests.gui import provision

    environment = ensure(default_blender())
    try:
        provision.provision(suite)
    except provision.NotInstallable as reason:
        print(f"Not tested in a window: the Blender of Debian {suite}. {reason}")
        return 0
    built = package.build_zip(environment.python)
    paths, options = selection.split(environment, extra)
    return environment.run(
        *PYTEST, *options, *(paths or [GUI_SUITE]), ARTICULATE_ZIP=str(built), ARTICULATE_WINDOW=suite
    )


def check() -> int:
    """Lint, format, types and architecture; all of them run, whatever the first ones say.

    Types are checked with the oldest numpy: each version of it declares them otherwise.
    """
    oldest = pythons.require(OLDEST_PYTHON, "The type checker, for the oldest Python and numpy,")
    environment = ensure_without_blender("check", oldest, ("test", "check"))
    checks = (
        ("ruff check", "-m", "ruff", "check", "."),
        ("ruff format --check", "-m", "ruff", "format", "--check", "."),
        ("mypy", "-m", "mypy"),
        ("tests/architecture", *PYTEST, "-q", "tests/architecture"),
    )
    failed = []
    for name, *command in checks:
        print(f"\n{name}", flush=True)
        if environment.run(*command) != 0:
            failed.append(name)
    print(f"\nFailed: {', '.join(failed)}" if failed else "\nAll checks passed.")
    return 1 if failed else 0


def docs() -> int:
    """The manual as a site, dist/site. A link or an anchor that leads nowhere is an error."""
    interpreter = pythons.require(OLDEST_PYTHON, "The manual's site")
    environment = ensure_without_blender("docs", interpreter, ("docs",))
    return environment.run("-m", "mkdocs", "build", "--strict", "--clean", NO_MKDOCS_2_WARNING="1")


def demo(blender: str, extra: list[str]) -> int:
    """Build the zip and let the demo install and use it, in a Blender profile that is then thrown away."""
    environment = ensure(blender)
    built = package.build_zip(environment.python)
    out = package.DIST / "demo"
    out.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="articulate-demo-") as profile:
        arguments = ["--zip", str(built), "--out", str(out), *extra]
        return _script(environment, "demo/make_demo.py", arguments, BLENDER_USER_RESOURCES=profile)


def fuzz(blender: str, options: argparse.Namespace) -> int:
    """Random problems for the library, random sessions for the extension, or one of them."""
    told = ["--minutes", str(options.minutes), "--seed", str(options.seed)]
    both, code = options.library == options.extension, 0
    if both or options.library:
        code = _script(ensure(default_blender()), "tests/fuzz/run.py", told)
    if both or options.extension:
        environment = ensure(blender)
        built = package.build_zip(environment.python)
        code = max(
            code, environment.run(EXTENSION_FUZZER, *told, ARTICULATE_ZIP=str(built), **ONE_THREAD), key=abs
        )
    return code


def _script(environment: Environment, script: str, extra: list[str], **variables: str) -> int:
    """Run one of the repository's scripts; `import ikmath` finds the source unless a profile is given."""
    if not (ROOT / script).is_file():
        raise Problem(f"{script} is not there.")
    if "BLENDER_USER_RESOURCES" not in variables:
        variables = {"PYTHONPATH": str(ROOT), **ONE_THREAD, **variables}
    return environment.run(script, *extra, **variables)


def _within(path: str, suite: str) -> bool:
    """Whether a test's path (perhaps with ::name) lies in a suite's directory."""
    return Path(ROOT, path.split("::")[0]).resolve().is_relative_to(ROOT / suite)
