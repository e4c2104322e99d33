# SPDX-License-Identifier: GPL-3.0-or-later
"""The command line, called as Blender calls it."""

from __future__ import annotations

import errno
import json
import os
from collections.abc import Iterator
from contextlib import contextmanager
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
    bpy.data.scenes.new("Empty")
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
        (["--scene", "Empty"], "has effectors: add one to a bone"),
        (["--start", "9", "--end", "2"], "9 to 2"),
    ],
)
def test_what_cannot_be_baked_is_said(run, file, capfd, arguments, words):
    assert run(["bake", str(file), *arguments]) == 1
    assert words in capfd.readouterr().err


def test_a_name_that_is_not_there_is_in_the_report_and_nothing_is_baked(run, file, tmp_path, monkeypatch):
    monkeypatch.setattr(installed.module("cli"), "_do", lambda *_: pytest.fail("baked for nothing"))
    report = tmp_path / "report.json"
    names = ["--armature", "Rig", "--armature", "Nobody"]
    assert run(["bake", str(file), *names, "--report", str(report)]) == 1
    told = json.loads(report.read_text())["Nobody"]
    assert told["status"] == "FAILED" and told["operation"] == "bake"
    assert "no armature 'Nobody'" in told["message"] and "'Rig'" in told["message"]


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["none.blend"], "none.blend"),
        (["scene.blend", "--scene", "Third"], "no scene 'Third'"),
        (["scene.blend", "--output", "nowhere/baked.blend"], "--output"),
    ],
)
def test_what_is_wrong_with_the_file_as_a_whole_is_in_the_report_by_its_name(
    run, file, tmp_path, monkeypatch, arguments, words
):
    monkeypatch.chdir(tmp_path)
    assert run(["bake", *arguments, "--report", "report.json"]) == 1
    told = json.loads(Path("report.json").read_text())[arguments[0]]
    assert told["status"] == "FAILED" and words in told["message"]


def test_one_armature_that_fails_is_told_of_beside_the_others_and_nothing_is_saved(
    run, file, tmp_path, capfd
):
    out, report = tmp_path / "baked.blend", tmp_path / "report.json"
    names = ["--armature", "Rig", "--armature", "Other"]
    assert run(["bake", str(file), *names, "--output", str(out), "--report", str(report)]) == 1
    told = json.loads(report.read_text())
    assert told["Rig"]["status"] == "REACHED" and told["Rig"]["frames"] == 8
    assert told["Other"]["status"] == "FAILED" and "no effectors" in told["Other"]["message"]
    said = capfd.readouterr()
    assert "Rig: Baked 8 frames" in said.out and "Other: Armature 'Other' has no effectors" in said.err
    assert not out.exists()


@pytest.mark.parametrize("option", ["--output", "--report"])
def test_a_place_that_cannot_be_written_is_said_before_anything_is_baked(
    run, file, tmp_path, capfd, option, monkeypatch
):
    monkeypatch.setattr(installed.module("cli"), "_do", lambda *_: pytest.fail("baked for nothing"))
    assert run(["bake", str(file), option, str(tmp_path / "nowhere" / "file")]) == 1
    assert f"'{tmp_path / 'nowhere'}' for {option}" in capfd.readouterr().err


def test_a_solve_in_a_frame(run, file, tmp_path):
    out = tmp_path / "solved.blend"
    assert run(["solve", str(file), "--frame", "8", "--output", str(out)]) == 0
    bpy.ops.wm.open_mainfile(filepath=str(out))
    assert bpy.context.scene.frame_current == 8
    assert miss(bpy.data.objects["Rig"], "b3") < 1e-3


@pytest.mark.parametrize("what", ["solve", "bake"])
def test_what_others_follow_comes_before_them(run, tmp_path, what):
    follower, leader = arm(), arm()
    follower.name, leader.name = "A", "B"
    animate(reach(leader, "b3", (1.5, 0.5, 2.0)), {1: (1.5, 0.5, 2.0), 8: (0.0, 1.5, 2.0)})
    bpy.context.view_layer.objects.active = follower
    target = reach(follower, "b3", (0.0, -0.5, 0.0))
    target.parent, target.parent_type, target.parent_bone = leader, "BONE", "b3"
    bpy.context.scene.frame_end = 8
    file = str(tmp_path / "two.blend")
    bpy.ops.wm.save_as_mainfile(filepath=file)
    assert run([what, file, "--output", file]) == 0
    bpy.ops.wm.open_mainfile(filepath=file)
    for frame in (1, 8) if what == "bake" else ():
        bpy.context.scene.frame_set(frame)
        assert miss(bpy.data.objects["A"], "b3") < 1e-3
    assert miss(bpy.data.objects["A"], "b3") < 1e-3


def test_another_scene(run, file, tmp_path, capfd):
    bpy.ops.wm.open_mainfile(filepath=str(file))
    first, second = bpy.context.scene, bpy.data.scenes.new("Second")
    second.frame_end = 3
    for thing in [*first.collection.objects]:
        second.collection.objects.link(thing)
        first.collection.objects.unlink(thing)
    bpy.ops.wm.save_mainfile()
    out = tmp_path / "baked.blend"
    assert run(["bake", str(file)]) == 1
    assert run(["bake", str(file), "--scene", "Third"]) == 1
    said = capfd.readouterr().err
    assert "No armature in scene 'Scene'" in said and "no scene 'Third'" in said and "'Second'" in said
    assert run(["bake", str(file), "--scene", "Second", "--output", str(out)]) == 0
    assert "Baked 3 frames" in capfd.readouterr().out
    bpy.ops.wm.open_mainfile(filepath=str(out))
    assert all(len(keys) == 3 for keys in curves(bpy.data.objects["Rig"]).values())


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ([], "ACTION"),
        (["bake"], "file"),
        (["frobnicate", "scene.blend"], "frobnicate"),
        (["bake", "scene.blend", "--step", "0"], "'0' must be a whole number above zero"),
        (["bake", "scene.blend", "--step", "-1"], "--step"),
        (["bake", "scene.blend", "--start", "x"], "--start"),
        (
            ["bake", "scene.blend", "--end", "99999999999"],
            "'99999999999' must be a whole number from -1048574",
        ),
        (["bake", "scene.blend", "--start", "-1048575"], "--start"),
        (["solve", "scene.blend", "--frame", "99999999999"], "'99999999999' must be a whole number"),
        (["solve", "scene.blend", "--frame", "9" * 5000], "must be a whole number"),
        (["bake", "scene.blend", "--decimate", "nan"], "'nan' must be a length of zero or more"),
        (["bake", "scene.blend", "--decimate", "-0.1"], "--decimate"),
        (["bake", "scene.blend", "--decimate", "much"], "'much' must be a length of zero or more"),
        (["bake", "scene.blend", "--report", "./scene.blend"], "--report would replace the .blend file"),
        (["bake", "a.blend", "--output", "b", "--report", "./b"], "--report would replace --output"),
        (["bake", "scene.blend", "--frame", "1"], "--frame"),
        (["solve", "scene.blend", "--start", "1"], "--start"),
    ],
)
def test_a_wrong_command_line_ends_with_2_and_says_what_is_wrong(run, capfd, arguments, words):
    with pytest.raises(SystemExit) as ended:
        run(arguments)
    assert ended.value.code == 2 and words in capfd.readouterr().err


def test_a_file_that_is_not_there(run, tmp_path, capfd):
    assert run(["bake", str(tmp_path / "none.blend")]) == 1
    assert "none.blend" in capfd.readouterr().err


def test_help(run, capfd):
    with pytest.raises(SystemExit) as ended:
        run(["--help"])
    assert ended.value.code == 0 and "bake" in capfd.readouterr().out


@contextmanager
def largest_file(size: int) -> Iterator[None]:
    """No file may grow larger: what is beyond is lost, as on a full disk."""
    resource = pytest.importorskip("resource")
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)


@pytest.mark.parametrize("compress", [False, True])
@pytest.mark.parametrize("lost", [600, 5_000, 50_000])
def test_a_file_that_is_cut_off_by_a_full_disk_is_not_saved_and_the_old_one_stays(
    run, file, tmp_path, capfd, monkeypatch, compress, lost
):
    """Compressed, Blender says FINISHED of a file whose end is missing."""
    out, report = tmp_path / "out" / "baked.blend", tmp_path / "report.json"
    out.parent.mkdir()
    bpy.ops.wm.open_mainfile(filepath=str(file))
    monkeypatch.setattr(bpy.context.preferences.filepaths, "use_file_compression", compress)
    bpy.ops.wm.save_mainfile(compress=compress)
    assert run(["bake", str(file), "--output", str(out)]) == 0
    before = out.read_bytes()
    with largest_file(len(before) - lost):
        assert run(["bake", str(file), "--output", str(out), "--report", str(report)]) == 1
    said = capfd.readouterr().err
    assert "baked.blend' could not be saved and is unchanged" in said and "MB are free" in said
    told = json.loads(report.read_text())["scene.blend"]
    assert told["status"] == "FAILED" and "could not be saved" in told["message"]
    assert out.read_bytes() == before and os.listdir(out.parent) == ["baked.blend"]


def test_a_report_that_cannot_be_written_leaves_the_old_one(run, file, tmp_path, capsys):
    report = tmp_path / "report.json"
    report.write_text("{}")
    with largest_file(100):
        assert run(["solve", str(file), "--report", str(report)]) == 1
    assert os.strerror(errno.EFBIG) in capsys.readouterr().err
    assert report.read_text() == "{}"
    assert sorted(each.suffix for each in tmp_path.iterdir()) == [".blend", ".json"]


@pytest.mark.parametrize("option", ["--output", "--report"])
def test_what_is_no_file_is_not_replaced_by_one(run, file, tmp_path, capfd, option, monkeypatch):
    monkeypatch.setattr(installed.module("cli"), "_do", lambda *_: pytest.fail("baked for nothing"))
    for place in (tmp_path, Path(os.devnull)):
        assert run(["bake", str(file), option, str(place)]) == 1
        assert f"'{place}' for {option} is not a file" in capfd.readouterr().err


def test_a_result_may_take_the_place_of_the_file_itself(run, file):
    assert run(["bake", str(file), "--output", str(file)]) == 0
    bpy.ops.wm.open_mainfile(filepath=str(file))
    assert curves(bpy.data.objects["Rig"])


def test_a_name_that_is_no_text_is_said(run, tmp_path, capfd):
    report = tmp_path / "report.json"
    assert run(["bake", str(tmp_path / "\udcff.blend"), "--report", str(report)]) == 1
    assert [told["status"] for told in json.loads(report.read_text()).values()] == ["FAILED"]


def test_frames_that_blender_does_not_have_are_refused():
    rig = arm()
    reach(rig, "b3", (1.5, 0.5, 2.0))
    with pytest.raises(RuntimeError, match="1 to 2147483647 goes beyond -1048574 to 1048574"):
        bpy.ops.articulate.bake(frame_start=1, frame_end=2**31 - 1)
    assert not curves(rig)
