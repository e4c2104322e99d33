# SPDX-License-Identifier: GPL-3.0-or-later
"""One virtual environment for each Blender version: each `bpy` wheel needs a Python and packages of its own.

An environment is made on demand under `.venv/<version>`. A stamp in it holds what was asked for, so that the
next run installs nothing and needs no network; a change in pyproject.toml brings it up to date.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
import tomllib
from dataclasses import dataclass
from pathlib import Path

from . import pythons
from .problem import Problem

ROOT = Path(__file__).resolve().parent.parent
BLENDERS = {"5.2.3": (3, 13), "5.0.1": (3, 11), "4.5.15": (3, 11), "4.2.23": (3, 11)}
"""The Blender versions that everything is tested on, newest first, and the Python that each wheel needs."""
OLDEST_PYTHON = (3, 11)
"""Of all of them, and so of the library."""

APT_LINE = (
    "apt-get install --no-install-recommends libx11-6 libxrender1 libxxf86vm1 libxfixes3 libxi6 "
    "libxkbcommon0 libsm6 libice6 libgl1 libgomp1 libegl1 libgl1-mesa-dri"
)
"""All that `import bpy` and a Workbench render need on Debian and Ubuntu (.ci/run reads it here)."""

IMPORT_TEST = "import bpy, ctypes; ctypes.CDLL('libEGL.so.1')" if sys.platform == "linux" else "import bpy"
NO_NETWORK = re.compile(
    r"Temporary failure in name resolution|Failed to establish|Connection|timed out|ProxyError|SSLError"
)


@dataclass(frozen=True)
class Environment:
    """A virtual environment.

    Attributes:
        directory: where the environment lives.
        prefix: of every command line, where the interpreter does not run as it is.
    """

    directory: Path
    prefix: tuple[str, ...] = ()

    @property
    def python(self) -> Path:
        """The environment's interpreter."""
        return self.directory / ("Scripts/python.exe" if os.name == "nt" else "bin/python")

    def run(self, *arguments: str | Path, **variables: str) -> int:
        """Run the interpreter from the repository's root and return its exit code.

        Args:
            arguments: after `python`.
            variables: added to the process environment.
        """
        sys.stdout.flush()
        return subprocess.run(
            self.command(*arguments), cwd=ROOT, env=clean_environment(PYTHONNOUSERSITE="1", **variables)
        ).returncode

    def command(self, *arguments: str | Path) -> list[str]:
        """The command line that runs the interpreter."""
        return [*self.prefix, str(self.python), *(str(argument) for argument in arguments)]


def clean_environment(**variables: str) -> dict[str, str]:
    """The process environment without what a shell adds to Python's path, and with some variables."""
    unwanted = {"PYTHONPATH", "PYTHONHOME", "PYTHONSTARTUP"}
    return {**{k: v for k, v in os.environ.items() if k not in unwanted}, **variables}


def default_blender() -> str:
    """The newest Blender for which this machine has the Python that it needs.

    Raises:
        Problem: there is none; the text has the lines that install one.
    """
    for blender, version in BLENDERS.items():
        if _is_ready(blender) or pythons.find(version):
            return blender
    lines = {f"  {pythons.how_to_install(version)}" for version in BLENDERS.values()}
    raise Problem(
        "Blender as a Python module needs Python 3.13 (for the newest one) or 3.11 with venv; none is here:\n"
        + "\n".join(sorted(lines, reverse=True))
    )


def requirements(blender: str, *, tools: bool) -> list[str]:
    """What pip is asked for: Blender itself and the groups of pyproject.toml.

    Args:
        blender: a key of `BLENDERS`.
        tools: with what the library's tests and the benchmarks need.
    """
    return [f"bpy=={blender}", *group("test"), *(group("library") if tools else [])]


def group(name: str) -> list[str]:
    """A dependency group of pyproject.toml."""
    groups = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["dependency-groups"]
    return list(groups[name])


def ensure(blender: str) -> Environment:
    """The environment of a Blender version, made or brought up to date if need be.

    The default Blender's has the packages for the library's tests too.

    Raises:
        Problem: Python, the network or a system library is missing.
    """
    environment = Environment(ROOT / ".venv" / blender)
    wanted = requirements(blender, tools=blender == default_blender())
    if not _is_current(environment, wanted):
        _create(environment, pythons.require(BLENDERS[blender], f"Blender {blender}"))
        print(f"Installing Blender {blender} and tools (some hundred megabytes, once) ...", flush=True)
        _install(environment, wanted, f"Blender {blender}")
        _check_import(environment, blender)
        _stamp(environment).write_text(_content(wanted), encoding="utf-8")
    return environment


def ensure_without_blender(
    name: str, interpreter: Path, groups: tuple[str, ...], prefix: tuple[str, ...] = ()
) -> Environment:
    """An environment without Blender, made or brought up to date if need be.

    Args:
        name: of its directory in `.venv`.
        interpreter: the Python to use.
        groups: of pyproject.toml, that it gets.
        prefix: of every command line, where the interpreter does not run as it is.

    Raises:
        Problem: the network is missing.
    """
    environment = Environment(ROOT / ".venv" / name, prefix)
    wanted = [requirement for each in groups for requirement in group(each)]
    if not _is_current(environment, wanted):
        _create(environment, interpreter)
        print(f"Installing packages into {environment.directory.relative_to(ROOT)} ...", flush=True)
        _install(environment, wanted, name)
        _stamp(environment).write_text(_content(wanted), encoding="utf-8")
    return environment


def _is_current(environment: Environment, wanted: list[str]) -> bool:
    """Whether the environment is there and was made of these requirements."""
    stamp, python = _stamp(environment), environment.python
    there = os.path.lexists(python) if environment.prefix else python.exists()
    return there and stamp.is_file() and stamp.read_text(encoding="utf-8") == _content(wanted)


def _stamp(environment: Environment) -> Path:
    return environment.directory / "installed.json"


def _content(wanted: list[str]) -> str:
    return json.dumps({"requirements": wanted, "test": IMPORT_TEST}, indent=1)


def _is_ready(blender: str) -> bool:
    """Whether the environment of a Blender version was made, with the tools or without."""
    environment = Environment(ROOT / ".venv" / blender)
    return environment.python.exists() and _stamp(environment).is_file()


def fingerprint(paths: list[Path]) -> str:
    """A hash over names and contents of files, in sorted order."""
    digest = hashlib.sha256()
    for path in sorted(paths):
        digest.update(f"{path.relative_to(ROOT).as_posix()}\0{path.stat().st_size}\0".encode())
        digest.update(path.read_bytes())
    return digest.hexdigest()


def _create(environment: Environment, interpreter: Path) -> None:
    """Make the bare environment, unless one of the same Python is there."""
    version = "import sys; print(sys.version)"
    found = _output(environment.command("-c", f"import pip; {version}"))
    if found and found == _output([*environment.prefix, str(interpreter), "-c", version]):
        return
    print(f"Making {environment.directory.relative_to(ROOT)} ...", flush=True)
    shutil.rmtree(environment.directory, ignore_errors=True)
    command = [*environment.prefix, str(interpreter), "-m", "venv", str(environment.directory)]
    subprocess.run(command, check=True, env=clean_environment())


def _output(command: list[str]) -> str:
    """What a command prints; nothing if it fails or is not there."""
    try:
        done = subprocess.run(command, capture_output=True, text=True, env=clean_environment())
    except OSError:
        return ""
    return done.stdout if done.returncode == 0 else ""


def _install(environment: Environment, wanted: list[str], what: str) -> None:
    """Let pip install requirements; only what is imported is compiled, not all of Blender.

    Raises:
        Problem: pip failed; its last lines are in the text.
    """
    options = ("--disable-pip-version-check", "--no-compile", "--quiet")
    command = environment.command("-m", "pip", "install", *options, *wanted)
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode == 0:
        return
    lines = [line[:300] for line in done.stderr.strip().splitlines()]
    unreached = [line for line in lines if NO_NETWORK.search(line)]
    if unreached:
        raise Problem(
            f"The package index cannot be reached; {what} comes from there. pip printed:\n{unreached[-1]}"
        )
    reason = "\n".join(lines[-6:])
    raise Problem(f"pip could not install what {what} needs. It printed:\n{reason}")


def _check_import(environment: Environment, blender: str) -> None:
    """See that Blender starts here.

    Raises:
        Problem: it does not; a missing system library is named with the line that installs it.
    """
    command = environment.command("-c", IMPORT_TEST)
    done = subprocess.run(command, capture_output=True, text=True, cwd=environment.directory)
    if done.returncode == 0:
        return
    reason = done.stderr.strip().splitlines()[-1:] or [f"exit code {done.returncode}"]
    library = re.search(r"(\S+\.so[.\d]*): cannot open shared object file", done.stderr)
    if library:
        raise Problem(f"A system library is missing: {library[1]}. On Debian and Ubuntu:\n  {APT_LINE}")
    raise Problem(f"Blender {blender} was installed, but does not start: {reason[0]}")
