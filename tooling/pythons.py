# SPDX-License-Identifier: GPL-3.0-or-later
"""Which Python interpreters this machine has, on PATH or in pyenv, and what installs one that is missing."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from .problem import Problem

Version = tuple[int, int]

_DEBIAN = {(3, 11): "Debian 12", (3, 13): "Debian 13"}
_PROBE = "import sys; print(sys.executable, *sys.version_info[:2], sep='\\n'); import ensurepip, venv"


def name_of(version: Version) -> str:
    """The version as text, "3.13"."""
    return ".".join(map(str, version))


def parse(text: str) -> Version:
    """The version of a text such as "3.13".

    Raises:
        Problem: it is none.
    """
    numbers = text.split(".")
    if len(numbers) != 2 or not all(number.isdecimal() for number in numbers):
        raise Problem(f"{text!r} is no version of Python; give one like 3.13.")
    return int(numbers[0]), int(numbers[1])


@cache
def find(version: Version) -> Path | None:
    """An interpreter of a version that can make virtual environments, None if there is none."""
    wanted = list(map(str, version))
    for candidate in _candidates(version):
        try:
            probe = subprocess.run([candidate, "-c", _PROBE], capture_output=True, text=True, timeout=60)
        except OSError:
            continue
        executable, *found = probe.stdout.split("\n")[:3] or [""]
        if probe.returncode == 0 and found == wanted:
            return Path(executable)
    return None


def require(version: Version, purpose: str) -> Path:
    """An interpreter of a version.

    Args:
        version: for instance (3, 13).
        purpose: what needs it, the beginning of the sentence where it is missing.

    Raises:
        Problem: it is not here; the text has the line that installs it.
    """
    found = find(version)
    if found is None:
        raise Problem(f"{purpose} needs Python {name_of(version)} with venv. {how_to_install(version)}")
    return found


def how_to_install(version: Version) -> str:
    """The line that installs a Python version."""
    name = name_of(version)
    elsewhere = f"pyenv install {name}"
    if os.name == "nt":
        return f"Install it: winget install Python.Python.{name}"
    if version in _DEBIAN:
        return f"Install it: apt-get install python{name}-venv ({_DEBIAN[version]}), or: {elsewhere}"
    return f"Install it: {elsewhere}"


def _candidates(version: Version) -> Iterator[str]:
    """Interpreters to try. pyenv puts a command for every version on the PATH, which may not be in use."""
    name = name_of(version)
    if sys.version_info[:2] == version:
        yield sys.executable
    for command in (f"python{name}", "python3", "python"):
        for directory in os.environ.get("PATH", "").split(os.pathsep):
            found = shutil.which(command, path=directory)
            if found:
                yield found
    pyenv = Path(os.environ.get("PYENV_ROOT") or Path.home() / ".pyenv")
    yield from map(str, sorted((pyenv / "versions").glob(f"{name}*/bin/python{name}"), reverse=True))
    launcher = shutil.which("py")
    if launcher:  # Windows
        asked = [launcher, f"-{name}", "-c", "import sys; print(sys.executable)"]
        yield from subprocess.run(asked, capture_output=True, text=True).stdout.split("\n")[:1]
