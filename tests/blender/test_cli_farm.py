# SPDX-License-Identifier: GPL-3.0-or-later
"""The command line as a farm uses it: what is worth another attempt, and the reports of many shots."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path

import bpy
import installed
import pytest
from addon_scenes import arm, reach


@pytest.fixture
def run():
    return installed.module("cli").run


@pytest.fixture
def file(tmp_path: Path) -> Path:
    rig = arm()
    rig.name = "Rig"
    reach(rig, "b3", (1.5, 0.5, 2.0))
    bpy.context.scene.frame_end = 2
    path = tmp_path / "shot.blend"
    bpy.ops.wm.save_as_mainfile(filepath=str(path))
    bpy.ops.wm.read_homefile(use_factory_startup=True, use_empty=True)
    return path


def told(report: Path) -> dict:
    ((_, entry),) = json.loads(report.read_text()).items()
    return entry


def test_what_no_machine_can_bake_is_no_failure_of_the_task(run, file, tmp_path):
    report = tmp_path / "report.json"
    arguments = ["bake", str(file), "--armature", "Nobody", "--report", str(report)]
    assert run(arguments) == 1
    assert run([*arguments, "--exit-zero"]) == 0
    assert told(report)["status"] == "FAILED" and told(report)["retry"] is False


def test_what_another_machine_may_do_is_one(run, file, tmp_path):
    """A file that is not there yet, a directory that is not mounted here."""
    report = tmp_path / "report.json"
    gone, lost = str(tmp_path / "gone.blend"), str(tmp_path / "lost" / "out.blend")
    assert run(["bake", gone, "--report", str(report), "--exit-zero"]) == 1
    assert told(report)["retry"] is True
    assert run(["bake", str(file), "--output", lost, "--report", str(report), "--exit-zero"]) == 1
    assert told(report)["retry"] is True


def test_a_bake_that_succeeds(run, file, tmp_path):
    report = tmp_path / "report.json"
    assert run(["bake", str(file), "--report", str(report), "--exit-zero"]) == 0
    assert told(report)["frames"] == 2


def test_a_failure_without_a_report_would_be_lost(run, file, capfd):
    with pytest.raises(SystemExit) as stopped:
        run(["bake", str(file), "--exit-zero"])
    assert stopped.value.code == 2 and "--report" in capfd.readouterr().err


def test_the_summary_of_many_shots(run, file, tmp_path, capfd):
    good, bad, gone = (tmp_path / name for name in ("good.json", "bad.json", "gone.json"))
    assert run(["bake", str(file), "--report", str(good)]) == 0
    assert run(["bake", str(file), "--armature", "Nobody", "--report", str(bad), "--exit-zero"]) == 0
    capfd.readouterr()
    assert run(["summary", str(good)]) == 0
    assert "good.json: Rig: REACHED: Baked 2 frames" in capfd.readouterr().out
    assert run(["summary", str(good), str(bad), str(gone)]) == 1
    said = capfd.readouterr()
    assert "good.json: Rig: REACHED" in said.out
    assert "bad.json: Nobody: FAILED: There is no armature" in said.err
    assert "gone.json: FAILED: there is no such file or directory" in said.err


def test_the_summary_of_a_directory(run, file, tmp_path, capfd):
    reports = tmp_path / "reports"
    reports.mkdir()
    assert run(["summary", str(reports)]) == 1
    assert f"{reports}: FAILED: there is no report (*.json) in this directory" in capfd.readouterr().err
    assert run(["bake", str(file), "--report", str(reports / "shot.json")]) == 0
    assert run(["summary", str(reports)]) == 0


def test_the_command_lines_of_the_flamenco_job_type(run, file, tmp_path):
    """What farm/flamenco/articulate.js compiles is understood, and does it."""
    node = shutil.which("node")
    if node is None:
        pytest.skip("Node is not here (apt-get install nodejs).")
    manager = Path(__file__).parents[1] / "shipped" / "flamenco_manager.mjs"
    out = tmp_path / "baked"
    settings = {"shots": str(file), "output_dir": str(out), "frames": "-1-2", "step": 1, "armatures": "Rig"}
    made = subprocess.run([node, manager, json.dumps(settings)], capture_output=True, text=True, check=True)
    bake, summary = json.loads(made.stdout)
    report = Path(bake[bake.index("--report") + 1])
    report.parent.mkdir(parents=True)
    after = bake.index("--command") + 2
    assert run(bake[after:]) == 0
    assert told(report)["frames"] == 4 and (out / file.name).is_file()
    assert run(summary[after:]) == 0


@pytest.mark.parametrize("content", ["", "{", "{}", "[]", '{"Rig": 3}', '{"Rig": {}}'])
def test_a_damaged_report_is_a_failure(run, tmp_path, capfd, content):
    report = tmp_path / "report.json"
    report.write_text(content)
    assert run(["summary", str(report)]) == 1
    said = capfd.readouterr().err
    assert f"{report}: FAILED: " in said and "Error" not in said, "plain words, no Python exception"


@pytest.fixture
def no_python(file):
    """Python in files does not run, as on workers with factory settings."""
    bpy.ops.wm.open_mainfile(filepath=str(file), use_scripts=False)
    yield
    bpy.ops.wm.open_mainfile(filepath=str(file), use_scripts=True)


@pytest.mark.parametrize("needed", [True, False])
@pytest.mark.usefixtures("no_python")
def test_a_target_whose_driver_does_not_run(run, file, tmp_path, needed: bool):
    target = bpy.data.objects["Target b3"]
    other = bpy.data.objects.new("Other", None)
    bpy.context.scene.collection.objects.link(other)
    for thing, python in ((target, needed), (other, True)):
        expression = "bpy.app.version[0] / 3" if python else "1.5 - 0.01 * frame"
        thing.driver_add("location", 0).driver.expression = expression
    bpy.ops.wm.save_mainfile()
    report = tmp_path / "report.json"
    assert run(["bake", str(file), "--report", str(report)]) == int(needed)
    told = json.loads(report.read_text())["Rig"]
    if needed:
        assert told["status"] == "FAILED" and not told["retry"]
        assert "driver of 'Target b3'" in told["message"] and "-y" in told["message"]
    else:
        assert told["status"] == "REACHED"
