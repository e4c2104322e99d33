# SPDX-License-Identifier: GPL-3.0-or-later
"""The extension as a person has it: a zip that Blender has installed and enabled, in a profile of its own.

Tests get the add-on's modules from here, by `module("bridge.skeleton")`: where an extension lives in Python's
module tree depends on the repository it was installed into.
"""

from __future__ import annotations

import importlib
import os
import shutil
import sys
import tempfile
from pathlib import Path
from types import ModuleType

ROOT = Path(__file__).resolve().parents[2]
EXTENSION_ID = "articulate"


def make_profile() -> None:
    """Point Blender to an empty profile; before `import bpy`, which reads it once.

    Raises:
        RuntimeError: Blender runs already, on the profile of the person at this machine perhaps.
    """
    if "bpy" in sys.modules:
        if "BLENDER_USER_RESOURCES" not in os.environ:
            raise RuntimeError(
                "Set BLENDER_USER_RESOURCES to an empty directory: these tests change the profile."
            )
        return
    os.environ["BLENDER_USER_RESOURCES"] = tempfile.mkdtemp(prefix="articulate-profile-")


def remove_profile() -> None:
    """Remove the profile, if it is one of ours."""
    profile = Path(os.environ["BLENDER_USER_RESOURCES"])
    if profile.name.startswith("articulate-profile-"):
        shutil.rmtree(profile, ignore_errors=True)


def hide_source() -> None:
    """Take the source tree off the import path, so that `import ikmath` finds the installed one.

    Raises:
        RuntimeError: the source was imported already.
    """
    sys.path[:] = [entry for entry in sys.path if Path(entry or ".").resolve() != ROOT]
    library = sys.modules.get("ikmath")
    if library is not None and Path(library.__file__ or "").is_relative_to(ROOT):
        raise RuntimeError(
            "ikmath was imported from the source tree before tests/blender, which need the installed one. "
            "Run them as a process of their own: python build.py test -- tests/blender"
        )


def find_zip() -> Path:
    """The zip to test: what build.py names, else one built now with the running interpreter."""
    named = os.environ.get("ARTICULATE_ZIP")
    if named:
        return Path(named)
    sys.path.insert(0, str(ROOT))
    try:
        package = importlib.import_module("tooling.package")
    finally:
        sys.path.remove(str(ROOT))
    return Path(package.build_zip(Path(sys.executable)))


def install(zip_path: Path) -> None:
    """Install and enable, as "Install from Disk" does."""
    import bpy

    done = bpy.ops.extensions.package_install_files(
        filepath=str(zip_path), repo="user_default", enable_on_install=True
    )
    if done != {"FINISHED"} or package() not in sys.modules:
        raise RuntimeError(f"Blender did not install and enable {zip_path.name}; what it printed says why.")


def package() -> str:
    """The add-on's module name, as Blender lists it among the enabled add-ons ("" if it is not enabled)."""
    import bpy

    names = [addon.module for addon in bpy.context.preferences.addons]
    return next((name for name in names if name.rpartition(".")[2] == EXTENSION_ID), "")


def module(name: str = "") -> ModuleType:
    """A module of the installed add-on: "" is its package, "bridge.skeleton" one within."""
    return importlib.import_module(f"{package()}.{name}" if name else package())


def enable() -> None:
    """Enable the installed extension."""
    import addon_utils

    addon_utils.enable(_installed_name(), default_set=True, handle_error=_raise)


def disable() -> None:
    """Disable the extension; it stays installed."""
    import addon_utils

    addon_utils.disable(package(), default_set=True, handle_error=_raise)


def handlers() -> dict[str, list[object]]:
    """Blender's lists of Python handlers as they are now, by name; copies."""
    import bpy

    found = {name: getattr(bpy.app.handlers, name) for name in dir(bpy.app.handlers)}
    return {name: list(value) for name, value in found.items() if isinstance(value, list)}


def drop_handlers(keep: dict[str, list[object]]) -> None:
    """Leave no Python handler of ours to Blender's exit: with one, 4.2 crashes there and 4.5 never ends."""
    import bpy

    for name, kept in keep.items():
        found = getattr(bpy.app.handlers, name)
        found[:] = [handler for handler in found if handler in kept]


def leave(status: int) -> None:
    """End the process here: the way out of Python leads through faults of Blender as a Python module.

    4.2 crashes there, once a property group with a method or a callback was registered, Rigify's or ours,
    even if it no longer is: the leaked class keeps the module from being freed in time. 4.5 may wait for
    ever, after many files were read, for a thread of its own that closes them.
    """
    remove_profile()
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(status)


def _installed_name() -> str:
    """The add-on's module name, enabled or not."""
    import addon_utils

    names = [found.__name__ for found in addon_utils.modules(refresh=True)]
    return next(name for name in names if name.rpartition(".")[2] == EXTENSION_ID)


def _raise(error: Exception) -> None:
    """Let a failing register or unregister fail the test, where Blender would print and go on."""
    raise error
