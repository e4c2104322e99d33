# SPDX-License-Identifier: GPL-3.0-or-later
"""One virtual environment for each Blender version: each Blender (the `bpy` wheel) wants packages of its own.

An environment is made on demand under `.venv/<version>`. A stamp in it holds what was asked for, so that the
next run neither installs nor asks the network for anything; a change in pyproject.toml brings it up to date.
"""

from __future__ import annotations

import hashlib
import importlib.util
import json
import os
import re
import shutil
import subprocess
import sys
import tomllib
import venv
from dataclasses import dataclass
from pathlib import Path

from .problem import Problem

ROOT = Path(__file__).resolve().parent.parent
BLENDERS = ("5.0.1", "4.5.15", "4.2.23")
"""The Blender versions that everything is tested on, newest first."""

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
    """A virtual environment with Blender as a Python module.

    Attributes:
        blender: Blender's version, "5.0.1".
        directory: where the environment lives.
    """

    blender: str
    directory: Path

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
        # What a person's own shell puts on Python's path must not decide what the tests see.
        inherited = {
            k: v for k, v in os.environ.items() if k not in {"PYTHONPATH", "PYTHONHOME", "PYTHONSTARTUP"}
        }
        command = [str(self.python), *(str(argument) for argument in arguments)]
        sys.stdout.flush()
        return subprocess.run(
            command, cwd=ROOT, env={**inherited, "PYTHONNOUSERSITE": "1", **variables}
        ).returncode


def requirements(blender: str) -> list[str]:
    """What pip is asked for: Blender itself and the groups of pyproject.toml."""
    groups = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["dependency-groups"]
    newest = blender == BLENDERS[0]
    return [f"bpy=={blender}", *groups["test"], *(groups["dev"] if newest else [])]


def ensure(blender: str) -> Environment:
    """The environment of a Blender version, made or brought up to date if need be.

    Raises:
        Problem: the network, a system library or Python's `venv` is missing.
    """
    environment = Environment(blender, ROOT / ".venv" / blender)
    wanted = requirements(blender)
    stamp = environment.directory / "installed.json"
    content = json.dumps({"python": sys.version, "requirements": wanted, "test": IMPORT_TEST}, indent=1)
    if stamp.is_file() and stamp.read_text(encoding="utf-8") == content and environment.python.exists():
        return environment
    _create(environment)
    _install(environment, wanted)
    _check_import(environment)
    stamp.write_text(content, encoding="utf-8")
    return environment


def fingerprint(paths: list[Path]) -> str:
    """A hash over names and contents of files, in sorted order."""
    digest = hashlib.sha256()
    for path in sorted(paths):
        digest.update(f"{path.relative_to(ROOT).as_posix()}\0{path.stat().st_size}\0".encode())
        digest.update(path.read_bytes())
    return digest.hexdigest()


def _create(environment: Environment) -> None:
    """Make the bare environment, unless a sound one is there."""
    if environment.python.exists():
        probe = [str(environment.python), "-c", "import sys, pip; print(*sys.version_info[:2])"]
        found = subprocess.run(probe, capture_output=True, text=True).stdout.split()
        if found == [str(number) for number in sys.version_info[:2]]:
            return
    if importlib.util.find_spec("ensurepip") is None:
        raise Problem(
            "This Python cannot make virtual environments. On Debian and Ubuntu: "
            f"apt-get install python{sys.version_info[0]}.{sys.version_info[1]}-venv"
        )
    print(f"Making {environment.directory.relative_to(ROOT)} ...", flush=True)
    shutil.rmtree(environment.directory, ignore_errors=True)
    venv.create(environment.directory, with_pip=True)


def _install(environment: Environment, wanted: list[str]) -> None:
    """Let pip install what is wanted.

    Raises:
        Problem: pip failed; its last lines are in the text.
    """
    print(
        f"Installing Blender {environment.blender} and tools (some hundred megabytes, once) ...", flush=True
    )
    command = [environment.python, "-m", "pip", "install", "--disable-pip-version-check", "--quiet", *wanted]
    done = subprocess.run([str(part) for part in command], capture_output=True, text=True)
    if done.returncode == 0:
        return
    lines = [line[:300] for line in done.stderr.strip().splitlines()]
    unreached = [line for line in lines if NO_NETWORK.search(line)]
    if unreached:
        raise Problem(
            f"The package index cannot be reached; Blender comes from there. pip said:\n{unreached[-1]}"
        )
    reason = "\n".join(lines[-6:])
    raise Problem(f"pip could not install what Blender {environment.blender} needs. It said:\n{reason}")


def _check_import(environment: Environment) -> None:
    """See that Blender starts here.

    Raises:
        Problem: it does not; a missing system library is named with the line that installs it.
    """
    command = [str(environment.python), "-c", IMPORT_TEST]
    done = subprocess.run(command, capture_output=True, text=True, cwd=environment.directory)
    if done.returncode == 0:
        return
    reason = done.stderr.strip().splitlines()[-1:] or [f"exit code {done.returncode}"]
    library = re.search(r"(\S+\.so[.\d]*): cannot open shared object file", done.stderr)
    if library:
        raise Problem(f"A system library is missing: {library[1]}. On Debian and Ubuntu:\n  {APT_LINE}")
    raise Problem(f"Blender {environment.blender} was installed, but does not start: {reason[0]}")
