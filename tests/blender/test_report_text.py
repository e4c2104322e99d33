# SPDX-License-Identifier: GPL-3.0-or-later
"""The report of a solve or bake as a text in the file, and what it says of limits and clearances."""

from __future__ import annotations

import re

import bpy
import numpy as np
import pytest
from addon_scenes import add, animate, arm, miss, reach, two_arms
from bridge_rigs import chain_rig

NAME = "Articulate report"


def text() -> str:
    """What the report says."""
    return bpy.data.texts[NAME].as_string()


def cells(line: str) -> list[str]:
    """A line of a table."""
    return re.split(r" {2,}", line)


def row(name: str) -> dict[str, str]:
    """A line of the table of effectors, by the heads of the columns."""
    lines = text().splitlines()
    head = next(line for line in lines if line.startswith("Effector"))
    found = next(line for line in lines if re.match(rf"{re.escape(name)}  ", line))
    return dict(zip(cells(head), cells(found), strict=True))


def test_a_solve_is_told():
    rig = two_arms()
    reach(rig, "hand.L", (9.0, 0.0, 2.0), chain_root="arm.L")
    add("hand.R", "POSE", chain_root="arm.R")
    assert NAME not in bpy.data.texts
    bpy.ops.articulate.solve()
    lines = text().splitlines()
    assert lines[0] == f"{NAME}: solve of 'Rig', frame 1, method hierarchical"
    assert row("hand.L")["Status"] == "best effort" and row("hand.R")["Status"] == "reached"
    shown = row("hand.L")["Error"]
    assert float(shown.split()[0]) == pytest.approx(miss(rig, "hand.L"), abs=0.006) and shown.endswith(" m")
    assert row("hand.R")["Error"] == "0.0 mm" and row("hand.R")["Error angle"] == "0.0°"
    assert any(line.startswith("hand.L: ") and line.endswith(".") for line in lines)
    assert "No bone is at a joint limit." in lines


def test_effectors_that_do_not_count_are_not_said_to_have_reached_anything():
    rig = two_arms()
    reach(rig, "hand.L", (9.0, 0.0, 2.0), chain_root="arm.L")
    rig.articulate.effectors["hand.L"].weight = 0.0
    bpy.ops.articulate.solve()
    assert "no effector counts" in rig.articulate.message and "reached" not in rig.articulate.message
    add("hand.R", "POSE", chain_root="arm.R")
    bpy.ops.articulate.solve()
    assert rig.articulate.message.endswith("every effector that counts reached its target")
    rig.articulate.effectors["hand.L"].influence = 0.0
    rig.articulate.effectors["hand.L"].weight = 1.0
    bpy.ops.articulate.solve()
    assert rig.articulate.message.endswith("every effector that counts reached its target")


def test_a_bake_is_told_with_means_and_the_worst_frames():
    rig = arm(4)
    target = reach(rig, "b3", (1.0, 0.5, 2.5))
    animate(target, {1: (1.0, 0.5, 2.5), 10: (7.0, 0.0, 0.0), 20: (1.0, 0.5, 2.5)})
    bpy.ops.articulate.bake(frame_start=1, frame_end=20)
    errors = []
    for frame in range(1, 21):
        bpy.context.scene.frame_set(frame)
        errors.append(miss(rig, "b3"))
    found = row("b3")
    assert int(found["at frame"]) == 1 + int(np.argmax(errors))
    assert float(found["Worst"].split()[0]) == pytest.approx(max(errors), abs=0.006)
    mean = float(np.mean(errors))
    assert float(found["Mean"].split()[0]) == pytest.approx(mean, abs=0.006) and found["Mean"].endswith(" m")
    assert f"{NAME}: bake of 'Rig', frames 1 to 20" in text()


def test_there_is_one_text_only_and_the_next_report_takes_the_place_of_the_last():
    rig = arm(3)
    reach(rig, "b2", (1.0, 0.5, 1.5))
    bpy.ops.articulate.solve()
    first = text()
    rig.name = "Other"
    bpy.ops.articulate.solve()
    assert [each.name for each in bpy.data.texts] == [NAME]
    assert "'Other'" in text() and "'Rig'" not in text() and len(text()) < 1.5 * len(first)


def test_bones_at_their_limits_are_named():
    rig = arm(3)
    for name in ("b0", "b1", "b2"):
        bone = rig.pose.bones[name]
        bone.rotation_mode = "XYZ"
        bone.rotation_euler = (0.1, 0.0, 0.0)
        bone.lock_ik_x = name != "b1"
        bone.lock_ik_y = bone.lock_ik_z = True
    bone = rig.pose.bones["b1"]
    bone.use_ik_limit_x, bone.ik_min_x, bone.ik_max_x = True, -0.2, 0.3
    target = reach(rig, "b2", (0.0, -0.2, 2.9))
    animate(target, {1: (0.0, 0.4, 2.8), 8: (0.0, 2.0, 0.2)})
    bpy.ops.articulate.bake(frame_start=1, frame_end=8)
    at = []
    for frame in range(1, 9):
        bpy.context.scene.frame_set(frame)
        turn = rig.pose.bones["b1"].rotation_euler.x
        if min(abs(turn + 0.2), abs(turn - 0.3)) < 1e-3:
            at.append(frame)
    assert at
    assert rig.articulate.report["limits"] == [{"bone": "b1", "axis": "x", "frames": len(at), "frame": at[0]}]
    lines = [cells(line) for line in text().splitlines()]
    assert ["Bone at its limit", "Axis", "Frames", "first at"] in lines
    assert ["b1", "x", str(len(at)), str(at[0])] in lines


def test_clearances_are_told_for_everything_that_was_the_nearest():
    rig = two_arms()
    target = reach(rig, "hand.L", (1.5, 0.0, 2.0))
    animate(target, {1: (1.5, 0.0, 2.4), 9: (1.5, 0.0, 1.6)})
    for name, z in (("Ceiling", 3.3), ("Floor", 0.7)):
        bpy.ops.mesh.primitive_cube_add(size=1.0, location=(1.6, 0.0, z))
        bpy.context.object.name = name
        bpy.context.view_layer.objects.active = rig
        bpy.ops.articulate.obstacle_add(object=name)
    bpy.ops.articulate.bake(frame_start=1, frame_end=9, step=2)
    report = rig.articulate.report
    lines = [cells(line) for line in text().splitlines()]
    first = lines.index(["Nearest thing", "Clearance", "at frame"])
    told = {name: (value, int(frame)) for name, value, frame in lines[first + 1 : first + 3]}
    assert told.keys() == {"Ceiling", "Floor"}
    rows = {row["name"]: row for row in report["nearest_things"]}
    assert rows.keys() == told.keys()
    for name, (value, frame) in told.items():
        assert float(value.split()[0]) == pytest.approx(1e3 * rows[name]["clearance"], abs=0.06)
        assert rows[name]["frame"] == frame
        bpy.context.scene.frame_set(frame)
        bpy.ops.articulate.solve()  # what is baked in this frame is there already
        again = rig.articulate.report
        assert (again["nearest"], again["clearance"]) == (
            name,
            pytest.approx(rows[name]["clearance"], abs=1e-4),
        )
    assert lines[first + 1][1] == f"{1e3 * report['clearance']:.1f} mm", "the smallest one first"


def test_what_was_left_out_is_told():
    rig = two_arms()
    add("hand.L")
    bpy.ops.mesh.primitive_cube_add(location=(0, 0, 9))
    cube = bpy.context.object
    bpy.context.view_layer.objects.active = rig
    bpy.ops.articulate.obstacle_add(object=cube.name)
    cube.hide_set(True)
    bpy.ops.articulate.solve()
    assert (
        "Obstacle 'Cube' is hidden and ignored; show it, or remove it from the list." in text().splitlines()
    )
    assert "Nothing that the figure could touch was near." in text().splitlines()


def test_the_report_is_shown_on_request_only_if_there_is_one():
    two_arms()
    add("hand.L")
    assert not bpy.ops.articulate.report_show.poll()
    bpy.ops.articulate.solve()
    assert bpy.ops.articulate.report_show() == {"FINISHED"}


def test_a_bake_that_fails_leaves_the_text_as_it_was():
    rig = arm(3)
    reach(rig, "b2", (1.0, 0.5, 1.5))
    bpy.ops.articulate.solve()
    before = text()
    rig.articulate.effectors[0].target = None
    with pytest.raises(RuntimeError):
        bpy.ops.articulate.bake(frame_start=1, frame_end=3)
    assert text() == before


def test_a_text_of_a_persons_is_left_alone():
    rig = arm()
    mine = bpy.data.texts.new(NAME)
    mine.write("Shopping list")
    assert not bpy.ops.articulate.report_show.poll()
    reach(rig, "b3", (1.0, 0.5, 2.0))
    for _ in range(2):
        bpy.ops.articulate.solve()
    assert mine.as_string() == "Shopping list" and len(bpy.data.texts) == 2
    (report,) = (each for each in bpy.data.texts if each != mine)
    assert report.as_string().startswith(f"{NAME}: solve of 'Rig'")
    report.name = "Kept"
    copy = report.copy()
    bpy.ops.articulate.solve()
    report.write("Note")
    bpy.ops.articulate.solve()
    assert len(bpy.data.texts) == 4 and report.as_string().startswith("Note") and copy.name == "Kept.001"


@pytest.mark.parametrize("found", ["{", "nonsense", "[1, 2]", "3", "\x00", "[" * 100_000])
def test_a_damaged_report_reads_as_empty(found: str):
    rig = arm()
    reach(rig, "b3", (1.0, 0.5, 2.0))
    rig.articulate.report_json = found
    assert rig.articulate.report == {}
    bpy.ops.articulate.solve()
    assert rig.articulate.report["status"] == "REACHED"


def test_a_report_does_not_grow_with_the_frames():
    rig = arm(5)
    reach(rig, "b4", (1.5, 0.5, 2.5))
    bpy.ops.mesh.primitive_cube_add(size=1.0, location=(4.0, 0.0, 2.0))
    thing = bpy.context.object.name
    bpy.context.view_layer.objects.active = rig
    bpy.ops.articulate.obstacle_add(object=thing)
    sizes = []
    for last in (10, 110):
        bpy.ops.articulate.bake(frame_start=1, frame_end=last)
        sizes.append(len(rig.articulate.report_json))
    assert abs(sizes[1] - sizes[0]) < 60, sizes  # digits


def test_two_effectors_of_one_name_have_a_row_each():
    rig = two_arms()
    reach(rig, "hand.L", (9.0, 0.0, 2.0), chain_root="arm.L")
    reach(rig, "hand.R", (-1.5, -0.3, 2.0), chain_root="arm.R")
    rig.articulate.effectors[1].name = "hand.L"
    bpy.ops.articulate.solve()
    assert {name: row["bone"] for name, row in rig.articulate.report["effectors"].items()} == {
        "hand.L": "hand.L",
        "hand.L (2)": "hand.R",
    }
    assert "1 of 2 effectors fell short" in rig.articulate.message


def test_of_many_effectors_that_fall_short_the_worst_are_examined():
    rig = chain_rig(14)
    bpy.ops.object.mode_set(mode="POSE")
    for number, bone in enumerate(rig.pose.bones):
        reach(rig, bone.name, (20.0 + 2.0 * number, 0.0, 1.0))
    bpy.ops.articulate.solve()
    rows = rig.articulate.report["effectors"]
    left = {name for name, one in rows.items() if "not examined, because 10 others" in one["message"]}
    assert len(rows) == 14 and len(left) == 4
    others = [one["worst"] for name, one in rows.items() if name not in left]
    assert max(rows[name]["worst"] for name in left) <= min(others)
    assert " and 8 others" in rig.articulate.message  # of those that hold the worst one back
