# SPDX-License-Identifier: GPL-3.0-or-later
"""The extension zip: the add-on and, inside it, `ikmath` as a wheel.

Blender unpacks the wheels of all extensions into one directory and knows a wheel by name and version alone: a
changed wheel of a known version is not unpacked again, and of two versions only the higher is. It compares
the first three numbers as numbers and what follows as text. So every change of `ikmath` gets a
version `0.1.0.post<UTC time, fourteen digits>`: new, higher than every one before, and sorted right as text.
"""

from __future__ import annotations

import calendar
import json
import os
import re
import shutil
import subprocess
import tempfile
import time
from pathlib import Path

from .environment import ROOT, fingerprint
from .problem import Problem

ADDON = ROOT / "blender_ik_addon"
LIBRARY = ROOT / "ikmath"
DIST = ROOT / "dist"
LAST_WHEEL = ROOT / "build" / "last_wheel.json"

VERSION_LINE = re.compile(r'^__version__ = "([^"]+)"$', re.MULTILINE)
WHEELS_LINE = re.compile(r"^wheels = \[\].*$", re.MULTILINE)
STAMP = "%Y%m%d%H%M%S"
JUNK = shutil.ignore_patterns("__pycache__", "*.pyc", ".*_cache")

MAKE_WHEEL = "import sys; from flit_core import buildapi; print(buildapi.build_wheel(sys.argv[1]))"
FIND_BUILDER = """
import importlib.util, pathlib
for directory in importlib.util.find_spec("bpy").submodule_search_locations:
    for script in pathlib.Path(directory).glob("*/scripts/addons_core/bl_pkg/cli/blender_ext.py"):
        print(script)
"""


def build_zip(python: Path) -> Path:
    """Build `dist/articulate-<version>.zip`; the tracked files stay untouched.

    Args:
        python: an interpreter that has the `bpy` wheel and flit_core.

    Returns:
        The zip's path.

    Raises:
        Problem: a part is missing or Blender's builder refuses the manifest.
    """
    (ROOT / "build").mkdir(exist_ok=True)
    DIST.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory(dir=ROOT / "build", prefix="stage-") as name:
        stage = Path(name)
        addon = stage / "addon"
        shutil.copytree(ADDON, addon, ignore=JUNK)
        shutil.copy(ROOT / "LICENSE", addon)
        wheel = _build_wheel(python, stage / "wheel", addon / "wheels")
        manifest = addon / "blender_manifest.toml"
        text, found = WHEELS_LINE.subn(f'wheels = ["./wheels/{wheel}"]', manifest.read_text(encoding="utf-8"))
        if found != 1:
            raise Problem(
                "blender_manifest.toml must have exactly one line `wheels = []`, for the build to fill in."
            )
        manifest.write_text(text, encoding="utf-8")
        builder = _output([python, "-c", FIND_BUILDER], "find Blender's extension builder").split()[-1]
        out = stage / "out"
        out.mkdir()
        _output([python, builder, "build", "--source-dir", addon, "--output-dir", out], "build the extension")
        (made,) = out.glob("*.zip")
        # In one step: a test run that reads the zip at this moment sees the old one or the new one, whole.
        return made.replace(DIST / made.name)


def _build_wheel(python: Path, stage: Path, wheels: Path) -> str:
    """Write the wheel of `ikmath` into `wheels` and return its file name."""
    wheels.mkdir()
    shutil.copytree(LIBRARY, stage / LIBRARY.name, ignore=JUNK)
    for name in ("pyproject.toml", "LICENSE"):
        shutil.copy(ROOT / name, stage)
    init = stage / LIBRARY.name / "__init__.py"
    source = init.read_text(encoding="utf-8")
    version = VERSION_LINE.search(source)
    if version is None:
        raise Problem('ikmath/__init__.py must have a line `__version__ = "..."`.')
    staged = _version(version[1])
    init.write_text(VERSION_LINE.sub(f'__version__ = "{staged}"', source), encoding="utf-8")
    return _output([python, "-c", MAKE_WHEEL, wheels], "build the wheel of ikmath", cwd=stage).split()[-1]


def _version(base: str) -> str:
    """The version for the wheel: the last one if nothing changed since, else one higher than all before."""
    files = [path for path in LIBRARY.rglob("*") if path.is_file() and "__pycache__" not in path.parts]
    content = fingerprint([*files, ROOT / "pyproject.toml"])
    last = json.loads(LAST_WHEEL.read_text(encoding="utf-8")) if LAST_WHEEL.is_file() else {}
    if last.get("content") == content and last["version"].startswith(f"{base}.post"):
        return str(last["version"])
    moment = int(os.environ.get("SOURCE_DATE_EPOCH", time.time()))
    if last.get("version", "").startswith(f"{base}.post"):
        # Two builds within one second, or a clock set back, must not give the same version or a lower one.
        before = time.strptime(last["version"].removeprefix(f"{base}.post"), STAMP)
        moment = max(moment, calendar.timegm(before) + 1)
    version = f"{base}.post{time.strftime(STAMP, time.gmtime(moment))}"
    LAST_WHEEL.write_text(json.dumps({"content": content, "version": version}), encoding="utf-8")
    return version


def _output(command: list[str | Path], purpose: str, cwd: Path | None = None) -> str:
    """Run a command and return what it printed.

    Raises:
        Problem: it failed; what it said is in the text.
    """
    done = subprocess.run([str(part) for part in command], capture_output=True, text=True, cwd=cwd)
    if done.returncode != 0:
        said = "\n".join((done.stdout + done.stderr).strip().splitlines()[-8:])
        raise Problem(f"Could not {purpose}:\n{said}")
    return done.stdout
