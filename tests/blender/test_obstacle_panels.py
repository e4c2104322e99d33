# SPDX-License-Identifier: GPL-3.0-or-later
"""The panels of obstacles and body, drawn without a window."""

from __future__ import annotations

from types import SimpleNamespace

import bpy
import installed
from addon_scenes import arm, reach
from test_ui import Layout


class Lists(Layout):
    """Draws the lines of any list by the list's own class."""

    def _within(self, **_options: object) -> Lists:
        return Lists(self.drawn)

    row = column = box = split = _within

    def template_list(self, kind: str, _id: str, data, name, active_data, active, **_options) -> None:
        cls = getattr(installed.module("ui.surroundings"), kind)
        assert active in active_data.bl_rna.properties
        for item in getattr(data, name):
            cls.draw_item(SimpleNamespace(), bpy.context, self, data, item, 0, active_data, active, 0, 0)


def drawn() -> list[str]:
    """What both panels show now."""
    panels, texts = installed.module("ui.surroundings"), []
    for cls in (panels.ARTICULATE_PT_obstacles, panels.ARTICULATE_PT_body):
        assert "DEFAULT_CLOSED" in cls.bl_options and cls.poll(bpy.context)
        cls.draw(SimpleNamespace(layout=Lists(texts)), bpy.context)
    return texts


def test_what_is_near_and_what_is_ignored_is_shown():
    rig = arm()
    texts = drawn()
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


def test_without_an_armature_they_are_not_there():
    panels = installed.module("ui.surroundings")
    assert not panels.ARTICULATE_PT_obstacles.poll(bpy.context) and not panels.ARTICULATE_PT_body.poll(
        bpy.context
    )
