# SPDX-License-Identifier: GPL-3.0-or-later
"""Runs inside the windowed Blender: takes Python from the tests, one file at a time, and writes back JSON.

It polls from a timer, so Blender stays a program with an event loop, that mouse and keyboard reach as usual.
"""

import json
import sys
import traceback
from pathlib import Path

import bpy

SESSION = Path(__file__).parent
INTERVAL = 0.0  # seconds: at every turn of the event loop, which rests for 5 ms when nothing happens


def window():
    """The one window."""
    return bpy.context.window_manager.windows[0]


def view():
    """For `bpy.context.temp_override(**view())`: the window, area and region of the 3D view."""
    area = next(area for area in window().screen.areas if area.type == "VIEW_3D")
    region = next(region for region in area.regions if region.type == "WINDOW")
    return {"window": window(), "screen": window().screen, "area": area, "region": region}


def pixel_of(point):
    """Where a point of the world is on the screen, (x, y) from the top left."""
    from bpy_extras.view3d_utils import location_3d_to_region_2d

    region = view()["region"]
    found = location_3d_to_region_2d(region, view()["area"].spaces.active.region_3d, point)
    return [region.x + found.x, window().height - 1 - (region.y + found.y)]


def curves_of(thing):
    """The F-curves that animate an object: in its slot's channel bag, since 4.4, or in its action."""
    data = thing.animation_data
    if data is None or data.action is None:
        return []
    if not hasattr(data.action, "layers"):
        return list(data.action.fcurves)
    bags = [strip.channelbag(data.action_slot) for layer in data.action.layers for strip in layer.strips]
    return [curve for bag in bags if bag for curve in bag.fcurves]


def hide_bone(bone, hidden):
    """Hide a pose bone, or show it; 5.0 moved this from the bone to the pose bone."""
    (bone if hasattr(bone, "hide") else bone.bone).hide = hidden


def select_bone(bone, select):
    """Select a pose bone, or deselect it; 5.0 moved this too."""
    (bone if hasattr(bone, "select") else bone.bone).select = select


def poll():
    """Run the next piece of code that was handed in, if there is one."""
    for source in sorted(SESSION.glob("*.code")):
        names = {"bpy": bpy, "window": window, "view": view, "pixel_of": pixel_of}
        names |= {"curves_of": curves_of, "hide_bone": hide_bone, "select_bone": select_bone}
        names["result"] = None
        try:
            exec(compile(source.read_text(encoding="utf-8"), source.name, "exec"), names)
            answer = {"result": names["result"]}
        except BaseException:
            answer = {"error": traceback.format_exc()}
        source.unlink()
        written = source.with_suffix(".part")
        written.write_text(json.dumps(answer), encoding="utf-8")
        written.rename(source.with_suffix(".json"))
        sys.stdout.flush()
    return INTERVAL


def start():
    """First thing once the window is there."""
    preferences = bpy.context.preferences
    preferences.view.show_splash = False
    preferences.view.smooth_view = 0  # views turn at once, and so stand still when the test looks
    preferences.view.show_tooltips = False  # they would come into some pictures, by how slow the machine is
    preferences.inputs.mouse_double_click_time = 1  # milliseconds: tests click faster than people
    # Without a graphics card a smooth view is drawn eight times over, each time half as fast.
    preferences.system.viewport_aa, preferences.system.use_overlay_smooth_wire = "OFF", False
    preferences.edit.undo_steps = 64
    preferences.edit.use_keyframe_insert_available = False  # on from 5.2 on; then auto-key makes no new curve
    for name, addon in preferences.addons.items():
        if name.endswith(".articulate"):
            addon.preferences.show_hints = False  # a new user's; tests of hints switch them on
    bpy.app.timers.register(poll, persistent=True)


start()
