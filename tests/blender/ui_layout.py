# SPDX-License-Identifier: GPL-3.0-or-later
"""A stand-in for Blender's layout, which notes what a panel draws and that it exists."""

from __future__ import annotations

from collections.abc import Callable
from types import SimpleNamespace

import bpy
import installed


class Layout:
    """Takes what a panel draws; every property and operator that it names has to exist.

    Attributes:
        drawn: texts and names in order.
        labels: of settings, and whether each is a switch, whose label has more room.
    """

    def __init__(self, drawn: list[str] | None = None, labels: list[tuple[str, bool]] | None = None) -> None:
        self.drawn = [] if drawn is None else drawn
        self.labels = [] if labels is None else labels

    def _within(self, **_options: object) -> Layout:
        """Attributes such as `alert` or `alignment` may be set on it and change nothing."""
        return Layout(self.drawn, self.labels)

    row = column = box = split = _within

    def separator(self, **_options: object) -> None:
        pass

    def label(self, *, text: str = "", icon: str = "NONE") -> None:
        _check_icon(icon)
        self.drawn.append(text)

    def progress(self, *, factor: float, text: str = "") -> None:
        self.drawn.append(text)

    def prop(self, data: bpy.types.bpy_struct, name: str, *, icon: str = "NONE", **options: object) -> None:
        _check_icon(icon)
        assert name in data.bl_rna.properties, name
        self.drawn.append(name)
        setting = data.bl_rna.properties[name]
        axis = " X" if getattr(setting, "is_array", False) and "index" not in options else ""
        self.labels.append((str(options.get("text", setting.name)) + axis, setting.type == "BOOLEAN"))

    def prop_search(self, data, name: str, where, what: str, **_options: object) -> None:
        assert name in data.bl_rna.properties and what in where.bl_rna.properties
        self.drawn.append(name)

    def operator(
        self, name: str, *, text: str = "", icon: str = "NONE", **_options: object
    ) -> SimpleNamespace:
        _check_icon(icon)
        self.drawn += [text] if text else []
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
        for item in getattr(data, name) if name == "effectors" else ():
            draw_list_item(self, data, item)


def _check_icon(icon: str) -> None:
    icons = bpy.types.UILayout.bl_rna.functions["label"].parameters["icon"].enum_items
    assert icon in icons, icon


def draw_list_item(layout: Layout, rig, effector, sidebar: float | None = None) -> None:
    """One line of the list, in a sidebar of so many pixels; None for one of the usual width."""
    cls = installed.module("ui.effector_list").ARTICULATE_UL_effectors
    region = None if sidebar is None else SimpleNamespace(width=sidebar)
    context = SimpleNamespace(region=region, preferences=bpy.context.preferences)
    cls.draw_item(Panel(cls, layout), context, layout, rig, effector, 0, rig, "active_effector", 0, 0)


def classes(*parts: str) -> list[type]:
    """The classes of some modules of the interface."""
    names = [installed.module(f"ui.{part}").__name__ for part in parts]
    return [cls for cls in installed.module("ui").CLASSES if cls.__module__ in names]


def draw() -> list[str]:
    """Everything that the tab shows now."""
    layout = Layout()
    for cls in classes("panel", "advanced"):
        if not hasattr(cls, "poll") or cls.poll(bpy.context):
            cls.draw(Panel(cls, layout), bpy.context)
    return layout.drawn


def drawn_labels() -> list[tuple[str, bool]]:
    """`Layout.labels` of all subpanels, those of obstacles and the body included."""
    layout = Layout()
    for cls in classes("panel", "surroundings", "advanced"):
        if issubclass(cls, bpy.types.Panel) and hasattr(cls, "fill") and cls.poll(bpy.context):
            cls.draw(Panel(cls, layout), bpy.context)
    return layout.labels


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


def status_bar(draw: Callable[[SimpleNamespace, object], None] | None) -> str | None:
    """What is to be read where something draws the status bar; None where Blender does."""
    if draw is None:
        return None
    layout = Layout()
    draw(SimpleNamespace(layout=layout), None)
    return " ".join(layout.drawn)
