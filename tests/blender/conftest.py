# SPDX-License-Identifier: GPL-3.0-or-later
"""The tests in this directory run inside Blender with the zip installed, each in an empty file of its own."""

from __future__ import annotations

import atexit
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))

import installed

STATUS = pytest.StashKey[int]()


def pytest_configure() -> None:
    """Install before the test files are read: they import the installed library at their top."""
    installed.hide_source()
    installed.make_profile()
    atexit.register(installed.remove_profile)
    atexit.register(installed.drop_handlers, installed.handlers())
    try:
        installed.install(installed.find_zip())
    except RuntimeError as error:
        raise pytest.UsageError(f"The extension could not be installed and enabled. {error}") from error


def pytest_sessionfinish(session: pytest.Session, exitstatus: int) -> None:
    """Keep the status for the end."""
    session.config.stash[STATUS] = int(exitstatus)


@pytest.hookimpl(trylast=True)
def pytest_unconfigure(config: pytest.Config) -> None:
    """Disable, so that the add-on removes its own timers: Blender lists them nowhere."""
    if installed.package():
        installed.disable()
    installed.leave(config.stash.get(STATUS, 1))


@pytest.fixture(autouse=True)
def empty_file() -> Iterator[None]:
    """Begin with an empty file. References to Blender's data from before it are dead.

    Auto-keying makes new F-curves, as it does not by default from 5.2 on; test_auto_key.py has both.
    """
    import bpy

    bpy.ops.wm.read_homefile(use_factory_startup=True, use_empty=True)
    bpy.context.preferences.edit.use_keyframe_insert_available = False
    yield
