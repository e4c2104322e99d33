# SPDX-License-Identifier: GPL-3.0-or-later
"""One version, wherever it is written; and one list of Blender versions."""

from __future__ import annotations

import re
import tomllib

from tests.architecture.source_tree import ADDON, LIBRARY, ROOT


def _read(name: str) -> str:
    return (ROOT / name).read_text(encoding="utf-8")


def _library_version() -> str:
    found = re.search(r'^__version__ = "([^"]+)"$', _read(f"{LIBRARY}/__init__.py"), re.MULTILINE)
    assert found, 'ikmath/__init__.py has no line __version__ = "..."'
    return found[1]


def test_the_extension_and_the_library_have_one_version():
    manifest = tomllib.loads(_read(f"{ADDON}/blender_manifest.toml"))
    assert manifest["version"] == _library_version()


def test_the_library_says_its_version_itself():
    project = tomllib.loads(_read("pyproject.toml"))["project"]
    assert "version" in project["dynamic"]
    assert "version" not in project


def test_the_changelog_has_the_version():
    released = re.findall(r"^## \[(\d+\.\d+\.\d+)\]", _read("CHANGELOG.md"), re.MULTILINE)
    assert released[0] == _library_version()


def test_the_continuous_run_tests_every_blender():
    from tooling.environment import BLENDERS

    for blender in BLENDERS:
        assert blender in _read(".ci/run")
        assert blender in _read("build.py")


def test_the_licence_is_the_manifests():
    manifest = tomllib.loads(_read(f"{ADDON}/blender_manifest.toml"))
    assert manifest["license"] == ["SPDX:GPL-3.0-or-later"]
    assert tomllib.loads(_read("pyproject.toml"))["project"]["license"] == "GPL-3.0-or-later"
    assert "GNU GENERAL PUBLIC LICENSE\n                       Version 3" in _read("LICENSE")
