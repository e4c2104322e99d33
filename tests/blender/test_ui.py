# SPDX-License-Identifier: GPL-3.0-or-later
"""The panels, drawn without a window on a stand-in for the layout."""

from __future__ import annotations

from types import SimpleNamespace

import blf
import bpy
import installed
import pytest
from addon_scenes import add, arm, reach
from ui_layout import Layout, draw, drawn_labels


def test_without_an_armature_there_is_a_hint_and_nothing_else():
    drawn = draw()
    assert "Select the armature" in " ".join(drawn) and "articulate.solve" not in drawn
    rig = arm()
    bpy.ops.mesh.primitive_cube_add()
    assert "articulate.begin" not in draw()
    bpy.context.object.modifiers.new("Skin", "ARMATURE").object = rig
    assert draw() == ["articulate.begin"], "who clicks on a character means its armature"
    shown = bpy.data.objects.new("Shown", None)
    shown.instance_type, shown.instance_collection = "COLLECTION", bpy.data.collections.new("Cast")
    bpy.context.collection.objects.link(shown)
    bpy.context.view_layer.objects.active = shown
    assert "choose Object > Library Override > Make" in " ".join(draw())


def test_with_an_armature_the_buttons_and_what_to_do_first(monkeypatch):
    monkeypatch.setattr(installed.module("ui.tab"), "sidebar_width", lambda _context: 280.0)  # of a new one
    arm()
    bpy.ops.object.mode_set(mode="POSE")
    drawn = draw()
    assert {
        "articulate.effector_add",
        "articulate.effector_remove",
        "articulate.solve",
        "articulate.bake",
    } <= set(drawn)
    text = " ".join(drawn)
    assert "Drag any bone" in text and "Pin what must stay" in text and "ARTICULATE_MT_pins" in drawn
    assert "…" not in text
    bpy.ops.object.mode_set(mode="OBJECT")
    drawn = draw()
    assert "articulate.begin" in drawn and "ARTICULATE_MT_pins" not in drawn


def test_who_moves_a_target_has_the_armature_in_the_tab_and_can_solve():
    rig = arm()
    target = reach(rig, "b3", (1.0, 0.5, 2.5))
    add("b2", "ANY_OF")
    choice = rig.articulate.effectors["b2"].alternative_objects[0]
    rig.articulate.effectors["b2"].enabled = False
    for empty in (target, choice):
        bpy.context.view_layer.objects.active = empty
        assert "articulate.solve" in draw()
    assert bpy.ops.articulate.solve() == {"FINISHED"}
    assert rig.articulate.effectors["b3"].status == "REACHED"
    bpy.context.view_layer.objects.active = target
    rig.articulate.effectors["b3"].target = None
    assert "articulate.solve" not in draw(), "nobody follows it any more"


def test_a_target_has_its_armature_in_the_tab_after_both_were_renamed_or_copied():
    rig = arm()
    target = reach(rig, "b3", (1.0, 0.5, 2.5))
    rig.name, target.name = "Hero", "Ball"
    bpy.context.view_layer.objects.active = target
    assert "articulate.solve" in draw(), "the Empty knows the armature by the name that it had"
    for thing in (rig, target):
        thing.select_set(True)
    bpy.context.view_layer.objects.active = rig
    bpy.ops.object.duplicate()
    copy = bpy.context.object
    assert copy.articulate.effectors["b3"].target not in (target, None)
    bpy.context.view_layer.objects.active = copy.articulate.effectors["b3"].target
    assert "articulate.solve" in draw()
    assert bpy.ops.articulate.solve() == {"FINISHED"}
    assert copy.articulate.message and not rig.articulate.message, "the one that follows it is solved"


def test_one_begins_from_wherever_one_is():
    rig = arm()
    bpy.ops.articulate.begin()
    assert bpy.context.mode == "POSE"
    bpy.ops.object.mode_set(mode="EDIT")
    bpy.ops.articulate.begin()
    assert bpy.context.mode == "POSE"
    bpy.ops.object.mode_set(mode="OBJECT")
    bpy.ops.mesh.primitive_cube_add()
    cube = bpy.context.object
    with pytest.raises(RuntimeError, match="No armature is active"):
        bpy.ops.articulate.begin()
    cube.modifiers.new("Skin", "ARMATURE").object = rig
    rig.hide_set(True)
    bpy.ops.articulate.begin()
    assert bpy.context.mode == "POSE" and bpy.context.object == rig
    assert rig.select_get() and not cube.select_get()
    bpy.ops.object.mode_set(mode="OBJECT")
    bpy.context.view_layer.objects.active = cube
    rig.hide_viewport = True
    with pytest.raises(RuntimeError, match="is hidden: show it"):
        bpy.ops.articulate.begin()
    assert bpy.context.object == cube


@pytest.mark.parametrize("kind", ["POSITION", "ORIENTATION", "POSE"])
def test_an_effector_with_its_details_before_and_after_a_solve(kind):
    rig = arm()
    add("b3", kind)
    drawn = draw()
    assert {
        "bone",
        "kind",
        "target",
        "weight",
        "priority",
        "influence",
        "chain_root",
        "ARTICULATE_MT_method",
        "root",
        "step",
    } <= set(drawn)
    bpy.ops.articulate.solve()
    text = " ".join(draw())
    assert "b3 reached its target" in text and "0.0 mm" not in text, "Nobody can see how far it is off."
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
    assert any("40%" in text for text in drawn)
    with pytest.raises(RuntimeError, match="bake is running"):
        bpy.ops.articulate.solve()
    session.baking = False


def test_the_pose_menu_has_an_entry_that_draws():
    layout = Layout()
    installed.module("ui.menu").draw_entry(SimpleNamespace(layout=layout), bpy.context)
    assert layout.drawn == ["ARTICULATE_MT_pose"]
    installed.module("ui.menu").ARTICULATE_MT_pose.draw(SimpleNamespace(layout=layout), bpy.context)
    assert "articulate.bake" in layout.drawn


def test_who_searches_for_ik_or_obstacles_finds_them_in_the_pose_menu():
    """Blender's search (F3) looks through menus, by what is written there."""
    layout = Layout()
    installed.module("ui.menu").ARTICULATE_MT_pose.draw(SimpleNamespace(layout=layout), bpy.context)
    written = " / ".join(layout.drawn)
    for words, operator in (("Solve IK", "solve"), ("Bake IK to Keyframes", "bake"), ("IK", "drag")):
        assert words in written and f"articulate.{operator}" in layout.drawn
    assert {"articulate.obstacle_add", "articulate.body_fit", "articulate.report_show"} <= set(layout.drawn)


def test_the_preferences_draw():
    cls = installed.module("preferences").ArticulatePreferences
    preferences = bpy.context.preferences.addons[installed.package()].preferences
    layout = Layout()
    cls.draw(PreferencesSelf(preferences, layout), bpy.context)
    assert layout.drawn == ["target_display", "target_size", "show_hints"]


class PreferencesSelf:
    """The preferences with a layout to draw on."""

    def __init__(self, preferences, layout: Layout) -> None:
        self.bl_rna, self.layout = preferences.bl_rna, layout


KINDS = ("POSITION", "ORIENTATION", "POSE", "AIM", "POLE", "PLANE", "DISTANCE", "BALANCE", "LOOP", "ANY_OF")
OPTIONS = {
    "POSITION": {"target", "axes", "slack", "point", "offset", "planted"},
    "ORIENTATION": {"target", "turn_axes", "turn_slack"},
    "POSE": {"target", "axes", "slack", "turn_axes", "turn_slack", "point", "offset", "planted"},
    "AIM": {"target", "axis", "turn_slack", "point", "offset"},
    "POLE": {"target", "turn_slack"},
    "PLANE": {"target", "one_sided", "point", "offset"},
    "DISTANCE": {"target", "keep", "distance", "second_bone", "point", "offset"},
    "BALANCE": {"target", "over"},
    "LOOP": {"second_bone", "second_point", "second_offset", "rigid", "point", "offset"},
    "ANY_OF": {"alternatives", "axes", "slack", "point", "offset"},
}
ALL_OPTIONS = set().union(*OPTIONS.values(), {"space", "footprint", "margin", "second_rotation"})


@pytest.mark.parametrize("kind", KINDS)
def test_only_the_options_of_the_kind_are_shown(kind):
    arm()
    given = {"second_bone": "b1"} if kind == "LOOP" else {}
    add("b3", kind, **given)
    assert ALL_OPTIONS & set(draw()) == OPTIONS[kind]


def test_options_that_depend_on_others_come_with_them():
    arm()
    add("b1", planted=True)
    add("b3", axes=(True, False, True), planted=True)
    effector = bpy.context.object.articulate.effectors["b3"]
    assert {"space", "footprint"} <= set(draw())
    effector.kind, effector.over = "BALANCE", "SUPPORT"
    drawn = set(draw())
    assert "margin" in drawn and "target" not in drawn
    effector.kind, effector.second_bone = "DISTANCE", "b1"
    drawn = set(draw())
    assert "articulate.keep_as_posed" in drawn and "target" not in drawn
    effector.kind, effector.rigid = "LOOP", True
    assert "second_rotation" in draw()


def test_each_kind_is_in_the_menus_and_as_the_table_says():
    items = bpy.ops.articulate.effector_add.get_rna_type().properties["kind"].enum_items
    assert tuple(items.keys()) == KINDS
    assert len({item.icon for item in items}) == len(KINDS)
    taken = bpy.ops.articulate.effector_add.get_rna_type().properties
    assert ALL_OPTIONS - {"target"} <= set(taken.keys()), "every setting is an argument of the operator"


class Menu(Layout):
    """Notes which entries of a menu can be chosen."""

    def __init__(self, entries: dict[str, bool]) -> None:
        super().__init__()
        self.entries, self.enabled = entries, True

    def row(self, **_options: object) -> Menu:
        return Menu(self.entries)

    def operator(self, name: str, *, text: str = "", **options: object) -> SimpleNamespace:
        assert name == "articulate.method_set"
        entry = super().operator(name, text=text, **options)
        self.entries[text] = self.enabled
        return entry


def methods_to_choose() -> dict[str, bool]:
    """Labels of the method menu's entries, and whether they can be chosen."""
    entries: dict[str, bool] = {}
    menu = installed.module("ui.menu").ARTICULATE_MT_method
    menu.draw(SimpleNamespace(layout=Menu(entries)), bpy.context)
    return entries


def test_methods_that_cannot_take_an_effector_are_greyed_out():
    rig = arm(5)
    add("b4")
    assert all(methods_to_choose().values())
    for change in (
        lambda e: setattr(e, "kind", "ORIENTATION"),
        lambda e: (setattr(e, "kind", "POSITION"), setattr(e, "axes", (True, False, True))),
        lambda e: (setattr(e, "axes", (True, True, True)), add("b2", priority=3)),
    ):
        change(rig.articulate.effectors[0])
        open_ = methods_to_choose()
        assert open_["Hierarchical"] and open_["Damped Least Squares"] and not open_["FABRIK"], open_
    rig.articulate.effectors[1].enabled = False
    assert all(methods_to_choose().values())
    bpy.ops.mesh.primitive_cube_add(location=(9, 9, 9))
    bpy.context.view_layer.objects.active = rig
    bpy.ops.articulate.obstacle_add(object="Cube")
    open_ = methods_to_choose()
    assert open_["Hierarchical"] and not open_["Prioritized"] and not open_["Damped Least Squares"]
    rig.articulate.body.avoidance = "objective"
    open_ = methods_to_choose()
    assert not open_["Hierarchical"] and open_["Damped Least Squares"]


def test_what_the_method_cannot_take_is_said_before_solve_is_pressed():
    rig = arm()
    add("b3", "AIM", name="look")
    bpy.ops.articulate.method_set(method="fabrik")
    assert rig.articulate.solver.method == "fabrik"
    text = " ".join(draw())
    assert "Method FABRIK cannot take the effector 'look'; it takes only Position. Use Hierarchical." in text
    cls = installed.module("operators.solve").ARTICULATE_OT_method_set
    told = cls.description(bpy.context, SimpleNamespace(method="fabrik"))
    assert "reaching" in told and "cannot take the effector 'look'" in told
    with pytest.raises(RuntimeError, match="cannot take the effector 'look'"):
        bpy.ops.articulate.solve()
    rig.articulate.message = ""
    rig.articulate.effectors["look"].influence = 0.0
    assert "cannot take" not in " ".join(draw())


def test_how_it_ended_stands_beside_each_effector():
    rig = arm()
    effector = reach(rig, "b3", (9.0, 0.0, 0.0)) and rig.articulate.active
    bpy.ops.articulate.solve()
    assert effector.status == "BEST_EFFORT" and "out of reach" in effector.message
    text = " ".join(draw())
    assert "b3: 5" in text and "out of reach" in text
    effector.target.location = (1.0, 0.5, 2.5)
    bpy.ops.articulate.solve()
    assert effector.status == "REACHED" and "b3 reached its target" in " ".join(draw())
    effector.bone = "gone"
    assert "reached its target" not in " ".join(draw())
    effector.bone = "b3"
    effector.influence = 0.0
    bpy.ops.articulate.solve()
    assert effector.status == "OFF"
    draw()


def test_sentences_are_cut_where_the_sidebar_ends():
    """By the letters' own widths: those of Japanese names are twice as wide as others, and have no spaces."""
    text = installed.module("ui.tab")

    def width(words: str) -> float:
        return sum(2.0 if ord(letter) > 0x3000 else 1.0 for letter in words)

    sentences = (
        "Bone 'arm.L' cannot move: it cannot turn about any axis; unlock one.",
        "ボーン'左手首左手首左手首左手首左手首' cannot move",
        "A_very_long_name_without_any_space_at_all_but_for_this end",
        "",
    )
    for sentence in sentences:
        lines = list(text.wrap(sentence, 20.0, width))
        assert all(width(line) <= 20.0 for line in lines)
        assert "".join(lines).replace(" ", "") == sentence.replace(" ", "")
        assert len(lines) <= width(sentence) / 20.0 + 4
    assert list(text.wrap("one two three", 7.0, width)) == ["one two", "three"]


def test_what_only_a_student_of_the_methods_needs_is_in_advanced():
    """The switches of the overlay, as all settings: for an animator, or in a closed panel below."""
    arm()
    add("b3")
    drawn = {}
    for name in ("Viewport", "Advanced"):
        panel = getattr(bpy.types, f"ARTICULATE_PT_{name.lower()}")
        layout = Layout()
        view = SimpleNamespace(overlay=SimpleNamespace(show_overlays=True))
        rig = bpy.context.object.articulate
        panel.fill(panel, layout, SimpleNamespace(space_data=view), bpy.context.object, rig)
        drawn[name] = set(layout.drawn)
        assert name == "Viewport" or "DEFAULT_CLOSED" in panel.bl_options
    told = {"critical", "ellipsoid"}
    assert not told & drawn["Viewport"] and told <= drawn["Advanced"]
    assert {"limits", "balance", "lines"} <= drawn["Viewport"]


@pytest.mark.parametrize("kind", ["POSITION", "POSE", "PLANE", "DISTANCE", "BALANCE", "LOOP", "ANY_OF"])
def test_labels_are_not_cut_off_in_a_sidebar_of_the_usual_width(kind):
    rig = arm()
    bpy.ops.object.mode_set(mode="POSE")
    more = {"second_bone": "b1"} if kind == "LOOP" else {}
    bpy.ops.articulate.effector_add(bone="b3", kind=kind, **more)
    bpy.ops.articulate.body_fit()
    rig.articulate.solver.root = "FREE"
    rig.articulate.active.planted = True
    blf.size(0, 11)
    labels = dict(drawn_labels())
    assert ("Keep Posture" in labels and "Stretch" in labels) or kind not in ("POSITION", "POSE")
    room = {False: 82, True: 108}  # pixels beside a setting, and beside a switch, at a resolution scale of 1
    cut = [text for text, switch in labels.items() if blf.dimensions(0, text)[0] > room[switch]]
    assert not cut
