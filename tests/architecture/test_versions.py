# SPDX-License-Identifier: GPL-3.0-or-later
"""One version, wherever it is written; and one list of Blender versions."""

from __future__ import annotations

import re
import tomllib

from tests.architecture.source_tree import ADDON, LIBRARY, ROOT
from tooling import changelog, environment


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
    """Either it is released, or what it brings stands under Unreleased and it is above all released ones."""
    newest, *older = changelog.sections(_read("CHANGELOG.md"))
    if newest.version == changelog.UNRELEASED:
        assert _numbers(_library_version()) > _numbers(older[0].version)
    else:
        assert newest.version == _library_version()


def _numbers(version: str) -> list[int]:
    return [int(part) for part in version.split(".")]


def test_the_continuous_run_tests_every_blender():
    newest, *others = environment.BLENDERS
    lines = re.findall(r"^ *(?:[A-Z_]+=\S+ )?(?:build )?\"[^\"]+\" (.*)$", _read(".ci/run"), re.MULTILINE)
    # those that are no long-term release of today run only what each does in its own way
    lines = [line if "4.5" in line else line.removesuffix(' -k "$ITS_OWN"') for line in lines]
    steps = [line.removesuffix(' -- -m "not solver"') for line in lines]
    assert "test" in lines, "the README's command, which takes the newest"
    for blender in others:
        assert f"test --blender {blender}" in steps
    for blender in (newest, *others):
        assert blender in _read("build.py")
        assert blender in _read("docs/development.md")
    assert {"check", "test --python 3.11", "test --python 3.14", "test --gui", "test --gui sid"} <= set(steps)


def test_every_blender_of_the_readme_is_tested():
    told = re.search(r"Blender (.*) are tested with every change", _read("README.md"))
    assert told, "The README does not say which versions are tested."
    tested = [blender.rpartition(".")[0] for blender in environment.BLENDERS]
    assert re.findall(r"\d\.\d", told[1]) == tested


def test_the_stubs_are_of_the_newest_blender():
    checks = tomllib.loads(_read("pyproject.toml"))["dependency-groups"]["check"]
    newest = next(iter(environment.BLENDERS)).rpartition(".")[0]
    assert any(each.startswith(f"fake-bpy-module-{newest}==") for each in checks)


def test_the_library_says_which_python_it_needs():
    assert tomllib.loads(_read("pyproject.toml"))["project"]["requires-python"] == ">=3.11"
    assert min(environment.BLENDERS.values()) == environment.OLDEST_PYTHON == (3, 11)


def test_the_licence_is_the_manifests():
    manifest = tomllib.loads(_read(f"{ADDON}/blender_manifest.toml"))
    assert manifest["license"] == ["SPDX:GPL-3.0-or-later"]
    assert tomllib.loads(_read("pyproject.toml"))["project"]["license"] == "GPL-3.0-or-later"
    assert "GNU GENERAL PUBLIC LICENSE\n                       Version 3" in _read("LICENSE")
