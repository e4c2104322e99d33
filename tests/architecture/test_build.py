# SPDX-License-Identifier: GPL-3.0-or-later
"""What the build promises: a version for every change, and sentences where something is missing."""

from __future__ import annotations

import argparse
import subprocess
import sys
from pathlib import Path

import pytest

from tests.gui import provision
from tooling import commands, environment, package, pythons, selection
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


HERE = environment.Environment(Path(sys.prefix))
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
    found, rest = selection.split(HERE, given)
    assert found == paths
    assert len(rest) == len(given) - len(paths)


def test_the_value_of_an_option_stays_with_it():
    found, rest = selection.split(HERE, [ONE, "--deselect", ONE, "-x"])
    assert found == [ONE] and rest == ["--deselect", ONE, "-x"]


def test_what_pytest_does_not_understand_is_a_sentence():
    with pytest.raises(Problem, match="argument -k: expected one argument"):
        selection.split(HERE, ["-k"])


def test_an_older_python_is_told_which_one_to_take():
    """build.py must run far enough on another Python to say what is wrong with it."""
    script = (
        "import runpy, sys; sys.version_info = (3, 9, 0); sys.argv = ['build.py'];"
        "runpy.run_path('build.py', run_name='__main__')"
    )
    done = subprocess.run([sys.executable, "-c", script], cwd=package.ROOT, capture_output=True, text=True)
    assert done.returncode == 2
    assert "build.py needs Python 3.11 or newer; this is Python 3.9." in done.stderr


@pytest.fixture
def machine(tmp_path, monkeypatch):
    """A machine without Blender's environments; gives what sets its Python versions."""
    monkeypatch.setattr(environment, "ROOT", tmp_path)

    def has(*versions):
        monkeypatch.setattr(pythons, "find", lambda version: Path("python") if version in versions else None)

    return has


@pytest.mark.parametrize(
    ("versions", "blender"),
    [
        ([(3, 11)], "5.0.1"),
        ([(3, 13)], "5.2.3"),
        ([(3, 11), (3, 13)], "5.2.3"),
        ([(3, 12), (3, 11)], "5.0.1"),
    ],
)
def test_the_default_is_the_newest_blender_for_which_there_is_a_python(machine, versions, blender):
    machine(*versions)
    assert environment.default_blender() == blender


def test_what_is_missing_is_said_with_the_line_that_installs_it(machine):
    machine((3, 12))
    with pytest.raises(
        Problem, match=r"apt-get install python3\.13-venv.*\n.*apt-get install python3\.11-venv"
    ):
        environment.default_blender()
    with pytest.raises(Problem, match=r"Blender 4\.2\.23 needs Python 3\.11.*python3\.11-venv"):
        pythons.require((3, 11), "Blender 4.2.23")


def test_an_older_blender_than_the_newest_is_told(machine, monkeypatch, capsys):
    machine((3, 11))
    monkeypatch.setattr(commands, "test", lambda blender, extra: 0)
    options = argparse.Namespace(command="test", gui=None, python=None)
    assert commands.run(options, []) == 0
    said = capsys.readouterr().out
    assert "Blender 5.0.1 is used: 5.2.3 needs Python 3.13." in said and "python3.13-venv" in said


def test_this_python_is_found_and_one_that_cannot_run_is_not(tmp_path, monkeypatch):
    version = sys.version_info[:2]
    pythons.find.cache_clear()
    assert pythons.find(version) is not None
    broken = tmp_path / "python9.9"
    broken.write_text("#!/bin/sh\nexit 127\n")
    broken.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    assert pythons.find((9, 9)) is None


def test_a_python_of_pyenv_is_found_though_its_command_is_not_in_use(tmp_path, monkeypatch):
    chosen = tmp_path / "versions" / "9.8.1" / "bin" / "python9.8"
    chosen.parent.mkdir(parents=True)
    chosen.write_text("#!/bin/sh\nprintf '/there/python\\n9\\n8\\n'\n")
    chosen.chmod(0o755)
    monkeypatch.setenv("PYENV_ROOT", str(tmp_path))
    monkeypatch.setenv("PATH", "/usr/bin:/bin")
    assert pythons.find((9, 8)) == Path("/there/python")


@pytest.mark.parametrize("text", ["3", "three", "3.x", "3.11.2"])
def test_a_version_of_python_is_two_numbers(text):
    with pytest.raises(Problem, match="no version of Python"):
        pythons.parse(text)


def test_a_python_that_is_too_old_for_the_library_is_refused():
    with pytest.raises(Problem, match=r"Python 3\.9 is too old: the library needs 3\.11 or newer"):
        commands.test_library("3.9", [])


def test_a_suite_without_blender_today_is_one_line_and_no_failure(monkeypatch, capsys):
    def refuse(suite):
        raise provision.NotInstallable("There is no blender.")

    monkeypatch.setattr(provision, "provision", refuse)
    monkeypatch.setattr(commands, "ensure", lambda blender: HERE)
    assert commands.test_gui("sid", []) == 0
    (line,) = capsys.readouterr().out.splitlines()
    assert line.startswith("Not tested in a window: the Blender of Debian sid.")


def test_only_a_suite_that_changes_daily_may_be_without_blender(tmp_path, monkeypatch):
    def fail(root, suite, archive):
        raise Problem("No package blender.")

    monkeypatch.setattr(provision, "ROOT", tmp_path)
    monkeypatch.setattr(provision, "_install", fail)
    monkeypatch.setattr(provision, "mirror", lambda: "http://mirror.test/debian")
    monkeypatch.setattr(provision.os, "geteuid", lambda: 0)
    monkeypatch.setattr(provision.shutil, "which", lambda tool: tool)
    with pytest.raises(provision.NotInstallable):
        provision.provision("sid")
    with pytest.raises(Problem) as caught:
        provision.provision("trixie")
    assert type(caught.value) is Problem


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
