# SPDX-License-Identifier: GPL-3.0-or-later
"""The command line, called as Blender calls it."""

from __future__ import annotations

import json
from pathlib import Path

import bpy
import installed
import pytest
from addon_scenes import animate, arm, curves, miss, reach


@pytest.fixture
def run():
    return installed.module("cli").run


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """A file with an arm that reaches for a moving target, and another armature without effectors."""
    arm().name = "Other"
    rig = arm()
    rig.name = "Rig"
    animate(reach(rig, "b3", (1.5, 0.5, 2.0)), {1: (1.5, 0.5, 2.0), 8: (0.0, 1.5, 2.0)})
    bpy.context.scene.frame_end = 8
    path = tmp_path / "scene.blend"
    bpy.ops.wm.save_as_mainfile(filepath=str(path))
    bpy.ops.wm.read_homefile(use_factory_startup=True, use_empty=True)
    return path


def test_a_bake_is_saved_where_it_is_said_and_reported(run, file, tmp_path, capfd):
    out, report = tmp_path / "baked.blend", tmp_path / "report.json"
    assert run(["bake", str(file), "--end", "6", "--output", str(out), "--report", str(report)]) == 0
    assert "Rig: Baked 6 frames" in capfd.readouterr().out
    assert json.loads(report.read_text())["Rig"]["frames"] == 6
    bpy.ops.wm.open_mainfile(filepath=str(out))
    rig = bpy.data.objects["Rig"]
    assert all(len(keys) == 6 for keys in curves(rig).values()) and not curves(bpy.data.objects["Other"])
    for frame in (1, 6):
        bpy.context.scene.frame_set(frame)
        assert miss(rig, "b3") < 1e-3
    bpy.ops.wm.open_mainfile(filepath=str(file))
    assert not curves(bpy.data.objects["Rig"])


def test_a_solve(run, file, tmp_path):
    out = tmp_path / "solved.blend"
    assert run(["solve", str(file), "--armature", "Rig", "--output", str(out)]) == 0
    bpy.ops.wm.open_mainfile(filepath=str(out))
    assert miss(bpy.data.objects["Rig"], "b3") < 1e-3


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--armature", "Nobody"], "Nobody"),
        (["--armature", "Other"], "no effectors"),
        (["--start", "9", "--end", "2"], "9 to 2"),
    ],
)
def test_what_cannot_be_baked_is_said(run, file, capfd, arguments, words):
    assert run(["bake", str(file), *arguments]) == 1
    assert words in capfd.readouterr().out


def test_a_file_that_is_not_there(run, tmp_path, capfd):
    assert run(["bake", str(tmp_path / "none.blend")]) == 1
    assert "none.blend" in capfd.readouterr().out


def test_help(run, capfd):
    with pytest.raises(SystemExit) as ended:
        run(["--help"])
    assert ended.value.code == 0 and "bake" in capfd.readouterr().out
