# SPDX-License-Identifier: GPL-3.0-or-later
"""The panels of obstacles and body, drawn without a window."""

from __future__ import annotations

import bpy
import installed
import numpy as np
import pytest
from addon_scenes import arm, reach
from test_obstacles import among, box
from ui_layout import Layout, Panel, classes

import ikmath as ik


class Lists(Layout):
    """Draws the lines of any list by the list's own class."""

    def _within(self, **_options: object) -> Lists:
        return Lists(self.drawn)

    row = column = box = split = _within

    def template_list(self, kind: str, _id: str, data, name, active_data, active, **_options) -> None:
        cls = getattr(installed.module("ui.surroundings"), kind)
        assert active in active_data.bl_rna.properties
        for item in getattr(data, name):
            cls.draw_item(Panel(cls, self), bpy.context, self, data, item, 0, active_data, active, 0, 0)


def drawn(part: str = "surroundings") -> list[str]:
    """What the panels of a module of the interface show now."""
    texts: list[str] = []
    for cls in (cls for cls in classes(part) if issubclass(cls, bpy.types.Panel)):
        assert "DEFAULT_CLOSED" in cls.bl_options and cls.poll(bpy.context)
        panel = Panel(cls, Lists(texts))
        for header in ("draw_header", "draw_header_preset"):
            if hasattr(cls, header):
                getattr(cls, header)(panel, bpy.context)
        cls.draw(panel, bpy.context)
    return texts


def test_what_is_near_and_what_is_ignored_is_shown():
    rig = arm()
    texts = drawn()
    assert "" in texts, "what is nearest has its line before it is known, so that nothing moves"
    assert {"articulate.obstacle_add", "articulate.body_fit", "self_collision", "margin"} <= set(texts)
    for name, x in (("Wall", 1.6), ("Veil", 5.0)):
        bpy.ops.mesh.primitive_cube_add(size=1.0, location=(x, 0.0, 2.0))
        bpy.context.object.name = name
    bpy.data.objects["Veil"].hide_viewport = True
    bpy.context.view_layer.objects.active = rig
    for name in ("Wall", "Veil"):
        bpy.ops.articulate.obstacle_add(object=name, margin=0.02)
    texts = drawn()
    assert {"Wall", "Veil", "+20 mm", "mode", "enabled", "b0", "radius", "articulate.body_clear"} <= set(
        texts
    )
    reach(rig, "b3", (1.6, 0.0, 2.0))
    bpy.ops.articulate.solve()
    text = " ".join(drawn())
    shown = f"Nearest: Wall, {rig.articulate.report['clearance'] * 1e3:.1f} mm"
    assert shown in text and "'Veil' is hidden" in text
    rig.articulate.obstacles["Wall"].object = None
    drawn()


def test_notes_of_ignored_obstacles_move_nothing_and_that_of_the_active_one_comes_first():
    rig = arm()
    for name in ("Near", "Bare", "Hidden"):
        among(rig, box(name))
    before = drawn()
    for name in ("Bare", "Hidden"):
        bpy.data.objects[name].hide_viewport = True
    rig.articulate.body.notes = "\n".join(f"Obstacle '{name}' is hidden" for name in ("Bare", "Hidden"))
    for active, first in ((1, "Bare"), (2, "Hidden")):
        rig.articulate.active_obstacle = active
        texts = drawn()
        assert len(texts) == len(before)
        note = next(text for text in texts if text.startswith("Obstacle '"))
        assert first in note
    assert all(name in before for name in ("Near", "Bare", "Hidden"))


def test_the_list_of_pairs_and_the_active_bone_are_shown():
    rig = arm()
    pair = rig.articulate.body.pairs.add()
    pair.a, pair.b = "b0", "lost"
    assert {"b0", "lost", "watched", "articulate.pair_add", "articulate.pairs_fill"} <= set(drawn())
    bpy.ops.articulate.body_fit()
    bpy.ops.object.mode_set(mode="POSE")
    rig.data.bones.active = rig.data.bones["b1"]
    assert drawn().count("radius") == 5, "four lines and the active bone"
    bpy.ops.articulate.link_remove(bone="b1")
    assert drawn().count("articulate.link_add") == 2


def test_the_ways_to_keep_clear_show_their_own_parameters():
    rig = arm()
    body = rig.articulate.body
    for name, way in ik.AVOIDANCE.items():
        body.avoidance = name
        texts = drawn("advanced")
        for other in ik.AVOIDANCE:
            wanted = set(body.parameters.names(other))
            assert wanted <= set(texts) if other == name else not wanted & set(texts)
        for parameter in way.parameters:
            attribute = f"{name}_{parameter.name.replace('.', '_')}"
            assert getattr(body.parameters, attribute) == pytest.approx(parameter.default)
            assert body.parameters.bl_rna.properties[attribute].name == parameter.label


def test_what_is_set_reaches_the_way():
    rig = arm(5)
    bpy.ops.mesh.primitive_uv_sphere_add(radius=0.4, location=(0.6, 0.0, 2.5))
    ball = bpy.context.object
    bpy.context.view_layer.objects.active = rig
    bpy.ops.articulate.obstacle_add(object=ball.name)
    target = reach(rig, "b4", (0.4, 0.1, 4.5))
    rig.articulate.solver.method, body = "damped", rig.articulate.body
    body.avoidance = "objective"
    clearances = []
    for alpha in (0.0, 1e-4):
        for bone in rig.pose.bones:
            bone.rotation_quaternion = (1.0, 0.1, 0.0, 0.0)
        bpy.context.view_layer.update()
        body.parameters.objective_alpha = alpha
        bpy.ops.articulate.solve()
        clearances.append(rig.articulate.report["clearance"])
    assert clearances[1] > clearances[0] + 0.02, "a larger alpha keeps farther away"
    assert target.name
    body.avoidance = "task_priority"
    body.parameters.task_priority_zones_d_ta = 0.9
    with pytest.raises(RuntimeError, match="order"):
        bpy.ops.articulate.solve()


def test_without_an_armature_they_are_not_there():
    panels = installed.module("ui.surroundings")
    assert not panels.ARTICULATE_PT_obstacles.poll(bpy.context) and not panels.ARTICULATE_PT_body.poll(
        bpy.context
    )


def test_an_ignored_obstacle_is_told_when_it_is_added_and_after_a_drag(capsys):
    rig = arm()
    bare, hidden = box("Bare"), box("Hidden")
    bare.data.clear_geometry()
    among(rig, bare)
    notes = rig.articulate.body.notes
    assert "'Bare' has no faces" in notes and "'Bare' has no faces" in capsys.readouterr().out
    among(rig, hidden)
    assert rig.articulate.body.notes == notes and "Bare" not in capsys.readouterr().out
    hidden.hide_viewport = True
    bpy.context.view_layer.update()
    drag = installed.module("control.drag.drag")
    held = drag.Drag(rig, bpy.context, drag.Grip(bone="b3"))
    held.move_to(held.anchor + np.array([0.3, 0.0, -0.2]))
    held.finish(bpy.context)
    assert [name for name in ("Bare", "Hidden") if f"'{name}'" in rig.articulate.body.notes] == [
        "Bare",
        "Hidden",
    ]
    bpy.ops.articulate.obstacle_remove(obstacle="Bare")
    assert "Bare" not in rig.articulate.body.notes and "'Hidden'" in rig.articulate.body.notes


def test_what_was_added_is_said_also_while_the_panel_is_closed(capfd):
    rig = arm()
    among(rig, box(place=(3.0, 0.0, 0.0)))
    assert "Info: 'Table' is now an obstacle" in capfd.readouterr().out
    panel = Panel(installed.module("ui.surroundings").ARTICULATE_PT_obstacles, Layout(texts := []))
    panel.draw_header_preset(bpy.context)
    assert "1" in texts
    rig.articulate.obstacles.clear()
    texts.clear()
    panel.draw_header_preset(bpy.context)
    assert "0" not in texts


def test_a_collection_of_many_open_meshes_gives_few_warnings(capfd):
    arm()
    leaves = bpy.data.collections.new("Leaves")
    bpy.context.scene.collection.children.link(leaves)
    leaf = bpy.data.meshes.new("Leaf")
    leaf.from_pydata([(0, 0, 0), (0.1, 0, 0), (0, 0.1, 0)], [], [(0, 1, 2)])
    for number in range(20):
        each = bpy.data.objects.new("Leaf", leaf)
        each.location.x = 5.0 + number
        leaves.objects.link(each)
    bpy.ops.articulate.obstacle_add(collection="Leaves")
    told = capfd.readouterr().out.splitlines()
    warnings = [line for line in told if line.startswith("Warning:")]
    assert len(warnings) <= 4 and "17 more remarks" in warnings[-1], warnings
    assert len(bpy.context.object.articulate.body.notes.splitlines()) == 20
