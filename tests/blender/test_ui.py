# SPDX-License-Identifier: GPL-3.0-or-later
"""The panels, drawn without a window: a stand-in for the layout notes what is drawn and that it exists."""

from __future__ import annotations

from types import SimpleNamespace

import bpy
import installed
import pytest
from addon_scenes import add, arm, reach


class Layout:
    """Takes what a panel draws; every property and operator that it names has to exist."""

    def __init__(self, drawn: list[str] | None = None) -> None:
        self.drawn = [] if drawn is None else drawn

    def _within(self, **_options: object) -> Layout:
        """Attributes such as `alert` or `alignment` may be set on it and change nothing."""
        return Layout(self.drawn)

    row = column = box = split = _within

    def separator(self, **_options: object) -> None:
        pass

    def label(self, *, text: str = "", icon: str = "NONE") -> None:
        _check_icon(icon)
        self.drawn.append(text)

    def progress(self, *, factor: float, text: str = "") -> None:
        self.drawn.append(text)

    def prop(self, data: bpy.types.bpy_struct, name: str, *, icon: str = "NONE", **_options: object) -> None:
        _check_icon(icon)
        assert name in data.bl_rna.properties, name
        self.drawn.append(name)

    def prop_search(self, data, name: str, where, what: str, **_options: object) -> None:
        assert name in data.bl_rna.properties and what in where.bl_rna.properties
        self.drawn.append(name)

    def operator(self, name: str, *, icon: str = "NONE", **_options: object) -> SimpleNamespace:
        _check_icon(icon)
        module, _dot, function = name.partition(".")
        getattr(getattr(bpy.ops, module), function).get_rna_type()  # raises if there is none
        self.drawn.append(name)
        return SimpleNamespace()

    def operator_menu_enum(self, name: str, prop: str, **options: object) -> None:
        self.operator(name, icon=options.get("icon", "NONE"))
        assert prop in bpy.ops.articulate.effector_add.get_rna_type().properties

    def menu(self, name: str, **_options: object) -> None:
        assert hasattr(bpy.types, name)
        self.drawn.append(name)

    def template_list(
        self, kind: str, _id: str, data, name: str, active_data, active: str, **_options: object
    ) -> None:
        assert name in data.bl_rna.properties and active in active_data.bl_rna.properties
        for item in getattr(data, name):
            draw_list_item(self, data, item)


def _check_icon(icon: str) -> None:
    icons = bpy.types.UILayout.bl_rna.functions["label"].parameters["icon"].enum_items
    assert icon in icons, icon


def draw_list_item(layout: Layout, rig, effector) -> None:
    """One line of the list."""
    cls = installed.module("ui.effector_list").ARTICULATE_UL_effectors
    cls.draw_item(SimpleNamespace(), bpy.context, layout, rig, effector, 0, rig, "active_effector", 0, 0)


def draw() -> list[str]:
    """Everything that the tab shows now."""
    drawn: list[str] = []
    for cls in installed.module("ui.panel").CLASSES:
        if not hasattr(cls, "poll") or cls.poll(bpy.context):
            cls.draw(Panel(cls, Layout(drawn)), bpy.context)
    return drawn


class Panel:
    """A panel's self: its layout and its own methods."""

    def __init__(self, cls: type, layout: Layout) -> None:
        self._cls, self.layout = cls, layout

    def __getattr__(self, name: str):
        found = getattr(self._cls, name)
        return (
            found.__get__(self)
            if name in vars(self._cls) and not isinstance(vars(self._cls)[name], staticmethod)
            else found
        )


def test_without_an_armature_there_is_a_hint_and_nothing_else():
    drawn = draw()
    assert "Select an armature" in " ".join(drawn) and "articulate.solve" not in drawn


def test_with_an_armature_the_buttons_and_what_to_do_first():
    arm()
    drawn = draw()
    assert {
        "articulate.effector_add",
        "articulate.effector_remove",
        "articulate.solve",
        "articulate.bake",
    } <= set(drawn)
    assert "no effectors" in " ".join(drawn)


@pytest.mark.parametrize("kind", ["POSITION", "ORIENTATION", "POSE"])
def test_an_effector_with_its_details_before_and_after_a_solve(kind):
    rig = arm()
    effector = add("b3", kind)
    drawn = draw()
    assert {
        "bone",
        "kind",
        "target",
        "weight",
        "priority",
        "influence",
        "chain_root",
        "method",
        "root",
        "step",
    } <= set(drawn)
    assert effector.target.name.removeprefix("Target ") in drawn
    bpy.ops.articulate.solve()
    text = " ".join(draw())
    assert ("mm" in text) == (kind != "ORIENTATION") and ("°" in text) == (kind != "POSITION")
    assert rig.articulate.message.split()[0] in text


def test_what_is_wrong_is_said():
    rig = arm()
    effector = add("b3")
    effector.target = None
    text = " ".join(draw())
    assert "b3" in text and "no target" in text and "articulate.target_create" in text
    effector.bone = "gone"
    assert "gone" in " ".join(draw())
    rig.articulate.effectors[0].pinned = True
    draw()


def test_an_effector_that_is_short_says_by_how_much():
    rig = arm()
    reach(rig, "b3", (9.0, 0.0, 0.0))
    bpy.ops.articulate.solve()
    assert "5.0" in " ".join(draw()) or "5 m" in " ".join(draw())


def test_the_list_shows_target_weight_and_error():
    rig = arm()
    effector = add("b3")
    effector.weight = 2.5
    bpy.ops.articulate.solve()
    layout = Layout()
    draw_list_item(layout, rig.articulate, effector)
    assert layout.drawn == ["name", "b3", "×2.5", "0.0 mm", "enabled"]
    effector.target, effector.pinned = None, True
    layout = Layout()
    draw_list_item(layout, rig.articulate, effector)
    assert "pinned" in layout.drawn


def test_a_target_that_is_an_armature_offers_its_bones():
    other = arm()
    other.name = "Other"
    arm()
    add("b3", target="Other", subtarget="b1")
    assert "subtarget" in draw()


def test_progress_is_shown_while_baking():
    arm()
    add("b3")
    session = bpy.context.window_manager.articulate
    session.baking, session.progress = True, 0.4
    drawn = draw()
    assert any("40%" in text for text in drawn) and "articulate.solve" not in drawn
    with pytest.raises(RuntimeError, match="bake is running"):
        bpy.ops.articulate.solve()
    session.baking = False


def test_the_pose_menu_has_an_entry_that_draws():
    layout = Layout()
    installed.module("ui.menu").draw_entry(SimpleNamespace(layout=layout), bpy.context)
    assert layout.drawn == ["ARTICULATE_MT_pose"]
    installed.module("ui.menu").ARTICULATE_MT_pose.draw(SimpleNamespace(layout=layout), bpy.context)
    assert "articulate.bake" in layout.drawn


def test_the_preferences_draw():
    cls = installed.module("preferences").ArticulatePreferences
    preferences = bpy.context.preferences.addons[installed.package()].preferences
    layout = Layout()
    cls.draw(PreferencesSelf(preferences, layout), bpy.context)
    assert layout.drawn == ["target_display", "target_size"]


class PreferencesSelf:
    """The preferences with a layout to draw on."""

    def __init__(self, preferences, layout: Layout) -> None:
        self.bl_rna, self.layout = preferences.bl_rna, layout
