# SPDX-License-Identifier: GPL-3.0-or-later
"""The zip: what is in it, that the tests run on it, and that enabling it can be undone and repeated."""

from __future__ import annotations

import os
import subprocess
import sys
import tomllib
import zipfile
from pathlib import Path

import bpy
import installed

import ikmath


def _manifest() -> dict[str, object]:
    package = Path(installed.module().__file__).parent
    return tomllib.loads((package / "blender_manifest.toml").read_text(encoding="utf-8"))


def test_the_library_is_the_installed_one():
    profile = Path(os.environ["BLENDER_USER_RESOURCES"]).resolve()
    assert Path(ikmath.__file__).resolve().is_relative_to(profile)
    assert Path(installed.module().__file__).resolve().is_relative_to(profile)


def test_versions_agree():
    base, post, moment = ikmath.__version__.partition(".post")
    assert (base, post, len(moment)) == (_manifest()["version"], ".post", 14)


def test_the_zip_holds_the_add_on_and_one_wheel_and_nothing_of_the_workshop():
    package = Path(installed.module().__file__).parent
    files = [path.relative_to(package).as_posix() for path in package.rglob("*") if path.is_file()]
    assert "LICENSE" in files
    (wheel,) = [name for name in files if name.endswith(".whl")]
    assert _manifest()["wheels"] == [f"./{wheel}"]
    assert not [name for name in files if name.startswith(("tests/", "docs/", ".git"))]
    with zipfile.ZipFile(package / wheel) as archive:
        tops = {name.split("/")[0] for name in archive.namelist()}
    assert tops == {"ikmath", f"ikmath-{ikmath.__version__}.dist-info"}


def test_it_survives_a_new_file():
    assert installed.package()
    assert hasattr(bpy.types.Object, "articulate")


def test_disable_and_enable_again():
    enabled = {name: len(found) for name, found in installed.handlers().items()}
    installed.disable()
    assert not hasattr(bpy.types.Object, "articulate")
    assert not [f for found in installed.handlers().values() for f in found if "articulate" in f.__module__]
    installed.enable()
    assert hasattr(bpy.types.Object, "articulate")
    assert {name: len(found) for name, found in installed.handlers().items()} == enabled


def test_blender_takes_a_later_build_for_the_higher_version():
    """It compares what follows the three numbers as text, so that has to grow as text."""
    from _bpy_internal.extensions.wheel_manager import wheel_version_from_filename_for_cmp as version

    base = ikmath.__version__.partition(".post")[0]
    names = [f"ikmath-{v}-py3-none-any.whl" for v in (base, ikmath.__version__, f"{base}.post20991231235959")]
    assert sorted(names, key=version) == names
    assert len({version(name) for name in names}) == 3


def test_an_update_in_a_running_blender_brings_its_own_library(tmp_path):
    """A changed zip, installed over the enabled one, must not go on with the library that is in memory."""
    changed = tmp_path / "changed.zip"
    _with_marked_library(installed.find_zip(), changed)
    script = (
        "import sys; sys.path.insert(0, sys.argv[1]); import installed, bpy, pathlib\n"
        "installed.install(pathlib.Path(sys.argv[2])); import ikmath; print('MARK', ikmath.__version__)\n"
        "installed.install(pathlib.Path(sys.argv[3])); import ikmath; print('MARK', ikmath.__version__)\n"
        "installed.disable(); installed.leave(0)\n"
    )
    arguments = [str(Path(installed.__file__).parent), str(installed.find_zip()), str(changed)]
    done = subprocess.run(
        [sys.executable, "-P", "-c", script, *arguments],
        env={**os.environ, "BLENDER_USER_RESOURCES": str(tmp_path / "profile"), "PYTHONPATH": ""},
        capture_output=True,
        text=True,
        timeout=120,
    )
    marks = [line.split()[1] for line in done.stdout.splitlines() if line.startswith("MARK")]
    assert marks == [ikmath.__version__, f"{ikmath.__version__}9"], done.stdout + done.stderr


def _with_marked_library(source: Path, target: Path) -> None:
    """Copy the zip with a library one version higher."""
    old, new = ikmath.__version__, f"{ikmath.__version__}9"
    with zipfile.ZipFile(source) as archive, zipfile.ZipFile(target, "w") as copy:
        for name in archive.namelist():
            data = archive.read(name)
            if name.endswith(".whl"):
                inner = target.with_suffix(".whl")
                inner.write_bytes(data)
                data = _renamed_wheel(inner, old, new)
            elif name == "blender_manifest.toml":
                data = data.replace(old.encode(), new.encode())
            copy.writestr(name.replace(old, new), data)


def _renamed_wheel(wheel: Path, old: str, new: str) -> bytes:
    """The wheel's bytes with another version throughout."""
    renamed = wheel.with_name("renamed.whl")
    with zipfile.ZipFile(wheel) as archive, zipfile.ZipFile(renamed, "w") as copy:
        for name in archive.namelist():
            copy.writestr(name.replace(old, new), archive.read(name).replace(old.encode(), new.encode()))
    return renamed.read_bytes()
