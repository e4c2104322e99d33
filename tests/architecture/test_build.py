# SPDX-License-Identifier: GPL-3.0-or-later
"""What the build promises: a version for every change, and sentences where something is missing."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tests.gui import provision
from tooling import commands, environment, package, selection
from tooling.problem import Problem


@pytest.fixture
def library(tmp_path, monkeypatch):
    """A library of one file, and no wheel built of it yet."""
    root = tmp_path / "library"
    root.mkdir()
    (root / "__init__.py").write_text("VALUE = 1\n")
    monkeypatch.setattr(environment, "ROOT", tmp_path)
    monkeypatch.setattr(package, "ROOT", tmp_path)
    monkeypatch.setattr(package, "LIBRARY", root)
    monkeypatch.setattr(package, "LAST_WHEEL", tmp_path / "last.json")
    monkeypatch.delenv("SOURCE_DATE_EPOCH", raising=False)
    (tmp_path / "pyproject.toml").write_text("")
    return root


def test_an_unchanged_library_keeps_its_version(library):
    assert package._version("0.1.0") == package._version("0.1.0")


def test_every_change_gives_a_higher_version_even_within_a_second(library):
    versions = []
    for value in range(4):
        (library / "__init__.py").write_text(f"VALUE = {value}\n")
        versions.append(package._version("0.1.0"))
    assert versions == sorted(set(versions))
    assert {len(version) for version in versions} == {len("0.1.0.post") + 14}


def test_a_new_release_starts_afresh(library):
    package._version("0.1.0")
    assert package._version("0.2.0").startswith("0.2.0.post")


def test_the_time_can_be_given(library, monkeypatch):
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "0")
    assert package._version("0.1.0") == "0.1.0.post19700101000000"


def test_an_unknown_blender_is_named():
    with pytest.raises(Problem, match=r"9\.9"):
        commands.run(type("Options", (), {"blender": "9.9", "command": "build"}), [])


@pytest.mark.parametrize("command", ["build", "check"])
def test_what_no_tool_would_get_is_refused(command):
    with pytest.raises(Problem, match="takes nothing after --, but got: -x"):
        commands.run(type("Options", (), {"command": command}), ["-x"])


ONE, OTHER = "tests/ikmath/test_pose.py", "tests/blender/test_bake.py::test_x"


@pytest.mark.parametrize(
    ("given", "paths"),
    [
        (["-x", ONE], [ONE]),
        (["--deselect", ONE], []),
        (["--deselect", ONE, OTHER], [OTHER]),
        ([ONE, "--deselect", ONE], [ONE]),
        (["--ignore", ONE, "-k", "tests", ONE, OTHER], [ONE, OTHER]),
        (["--hypothesis-profile", "tests"], []),
        (["-k", "tests"], []),
        ([], []),
    ],
)
def test_an_options_value_is_no_path_of_a_test(given, paths):
    found, rest = selection.split(Path(sys.executable), given)
    assert found == paths
    assert len(rest) == len(given) - len(paths)


def test_the_value_of_an_option_stays_with_it():
    found, rest = selection.split(Path(sys.executable), [ONE, "--deselect", ONE, "-x"])
    assert found == [ONE] and rest == ["--deselect", ONE, "-x"]


def test_what_pytest_does_not_understand_is_a_sentence():
    with pytest.raises(Problem, match="argument -k: expected one argument"):
        selection.split(Path(sys.executable), ["-k"])


def test_an_older_python_is_told_which_one_to_take():
    """build.py must run far enough on another Python to say what is wrong with it."""
    script = (
        "import runpy, sys; sys.version_info = (3, 9, 0); sys.argv = ['build.py'];"
        "runpy.run_path('build.py', run_name='__main__')"
    )
    done = subprocess.run([sys.executable, "-c", script], cwd=package.ROOT, capture_output=True, text=True)
    assert done.returncode == 2
    assert "needs Python 3.11; this is Python 3.9." in done.stderr


ONE_LINE = "deb [arch=amd64] http://mirror.test/debian trixie main\n"
STANZAS = """\
Types: deb
URIs: http://mirror.test/debian-security
Suites: trixie-security

Types: deb
# a comment
URIs: http://mirror.test/debian
Suites: trixie trixie-updates
"""


@pytest.mark.parametrize(("name", "text"), [("a.list", ONE_LINE), ("debian.sources", STANZAS)])
def test_the_mirror_is_apts_own(tmp_path, name, text):
    directory = tmp_path / "sources.list.d"
    directory.mkdir()
    (directory / name).write_text(text)
    assert provision.mirror(tmp_path) == "http://mirror.test/debian"


def test_no_debian_mirror_is_a_sentence(tmp_path):
    (tmp_path / "sources.list").write_text("deb http://mirror.test/ubuntu noble main\n")
    with pytest.raises(Problem, match="no Debian archive"):
        provision.mirror(tmp_path)
