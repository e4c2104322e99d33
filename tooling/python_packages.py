# SPDX-License-Identifier: GPL-3.0-or-later
"""The wheel and the sdist of `ikmath` for the package index."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path
from typing import NamedTuple

from .problem import Problem

_BUILD = """
import sys
from flit_core import buildapi
print(buildapi.build_wheel(sys.argv[1]))
print(buildapi.build_sdist(sys.argv[1]))
"""


class PythonPackages(NamedTuple):
    """Where the two files are."""

    wheel: Path
    sdist: Path


def build(python: Path, source: Path, out: Path, moment: int | None = None) -> PythonPackages:
    """Build both from a source tree, as `python -m build` does, without another environment.

    Args:
        python: an interpreter that has flit_core.
        source: the directory of pyproject.toml.
        out: an existing directory for the files.
        moment: seconds since 1970 that the archives carry; the same source then gives the same bytes.

    Raises:
        Problem: the build failed; its last lines are in the text.
    """
    env = dict(os.environ)
    if moment is not None:
        env["SOURCE_DATE_EPOCH"] = str(moment)
    command = [str(python), "-P", "-c", _BUILD, str(out.resolve())]
    done = subprocess.run(command, cwd=source, env=env, capture_output=True, text=True)
    if done.returncode != 0:
        raise Problem("Could not build ikmath's packages:\n" + "\n".join(done.stderr.splitlines()[-8:]))
    wheel, sdist = done.stdout.split()[-2:]
    return PythonPackages(out / wheel, out / sdist)
