# SPDX-License-Identifier: GPL-3.0-or-later
"""Virtual environments with nothing but what a test puts in."""

from __future__ import annotations

import os
import subprocess
from dataclasses import dataclass
from pathlib import Path

import pytest

from tooling import pythons


@dataclass(frozen=True)
class EmptyEnvironment:
    """An environment away from the repository: `import ikmath` there is the installed one."""

    directory: Path

    def pip(self, *arguments: str | Path) -> None:
        """Run pip; the test fails with its last lines if it does."""
        done = self.run("-m", "pip", "--disable-pip-version-check", "--quiet", *arguments)
        assert done.returncode == 0, done.stderr[-2000:]

    @property
    def python(self) -> Path:
        """Its interpreter."""
        return self.directory / ("Scripts/python.exe" if os.name == "nt" else "bin/python")

    def run(self, *arguments: str | Path, **variables: str) -> subprocess.CompletedProcess[str]:
        """Run its Python on one thread, away from the repository and the user's packages."""
        unwanted = {"PYTHONPATH", "PYTHONHOME", "VIRTUAL_ENV"}
        env = {name: value for name, value in os.environ.items() if name not in unwanted}
        env |= {"PYTHONNOUSERSITE": "1", "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1", **variables}
        command = [str(self.python), *map(str, arguments)]
        return subprocess.run(command, capture_output=True, text=True, cwd=self.directory, env=env)


def make(directory: Path, version: str) -> EmptyEnvironment:
    """A new environment of a Python version; the test is skipped where that Python is not installed."""
    interpreter = pythons.find(pythons.parse(version))
    if interpreter is None:
        pytest.skip(f"Python {version} is not here. {pythons.how_to_install(pythons.parse(version))}")
    done = subprocess.run([interpreter, "-m", "venv", directory], capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    return EmptyEnvironment(directory)
