# SPDX-License-Identifier: GPL-3.0-or-later
"""Registering can be repeated, is undone where it fails, and leaves nothing behind."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import addon_utils
import bpy
import installed
import pytest


def _names() -> set[str]:
    """What of the add-on Blender knows."""
    types = {name for name in dir(bpy.types) if name.startswith(("ARTICULATE_", "Articulate"))}
    operators = {f"articulate.{name}" for name in dir(bpy.ops.articulate)}
    handlers = {
        f"{name} {f.__name__}"
        for name, found in installed.handlers().items()
        for f in found
        if f.__module__.startswith(installed.package())
    }
    pointers = {
        owner.__name__
        for owner in (bpy.types.Object, bpy.types.WindowManager)
        if hasattr(owner, "articulate")
    }
    menus = {
        f.__name__
        for f in getattr(bpy.types.VIEW3D_MT_pose.draw, "_draw_funcs", ())
        if f.__module__.startswith(installed.package())
    }
    return types | operators | handlers | pointers | menus


def test_unregistering_leaves_nothing_and_registering_brings_all_back():
    addon = installed.module()
    before = _names()
    assert {"Object", "articulate.solve", "articulate.bake", "ARTICULATE_PT_main", "draw_entry"} <= before
    addon.unregister()
    try:
        assert _names() == set()
    finally:
        addon.register()
    assert _names() == before


def test_switching_it_off_and_on_again_and_again_leaves_each_handler_once():
    before = {name: len(found) for name, found in installed.handlers().items()}
    for _ in range(3):
        installed.disable()
        installed.enable()
    assert {name: len(found) for name, found in installed.handlers().items()} == before


def test_registering_twice_in_a_row_is_the_same_as_once():
    before = _names()
    installed.module().register()
    assert _names() == before
    menu = [f for f in bpy.types.VIEW3D_MT_pose.draw._draw_funcs if f.__name__ == "draw_entry"]
    assert len(menu) == 1


def test_unregistering_twice_is_no_error():
    addon = installed.module()
    addon.unregister()
    addon.unregister()
    addon.register()
    assert hasattr(bpy.types.Object, "articulate")


@pytest.mark.parametrize("where", ["properties", "operators", "ui", "handlers"])
def test_an_error_undoes_what_was_done_and_is_raised(where, monkeypatch):
    addon, module = installed.module(), installed.module(where)
    before = _names()
    addon.unregister()

    class Broken(bpy.types.Operator):
        bl_idname = "NotAllowed"
        bl_label = "Broken"

    with monkeypatch.context() as patch:
        patch.setattr(module, "CLASSES", (*getattr(module, "CLASSES", ()), Broken), raising=False)
        with pytest.raises((RuntimeError, ValueError, TypeError)):
            addon.register()
        assert _names() == set()
    addon.register()
    assert _names() == before


def test_a_failing_handler_or_pointer_is_undone_too(monkeypatch):
    addon, handlers = installed.module(), installed.module("handlers")
    addon.unregister()

    def fail():
        handlers_attach()
        raise OSError("stopped half-way")

    handlers_attach = handlers.attach
    with monkeypatch.context() as patch:
        patch.setattr(handlers, "attach", fail)
        with pytest.raises(OSError, match="half-way"):
            addon.register()
        assert _names() == set()
    addon.register()


def test_the_interpreter_can_end_while_the_add_on_is_enabled():
    """As a Python module Blender does not disable add-ons at its end, and 4.5 hangs over handlers then."""
    script = (
        "import bpy, addon_utils, atexit\n"
        "atexit.register(lambda: print('LEFT', hasattr(bpy.types.Object, 'articulate')))\n"
        f"addon_utils.enable({installed.package()!r})\n"
        "assert hasattr(bpy.types.Object, 'articulate')\n"
    )
    done = subprocess.run(
        [sys.executable, "-P", "-c", script],
        env={**os.environ, "PYTHONPATH": ""},
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert "LEFT False" in done.stdout, done.stdout + done.stderr
    # 4.2 crashes at its end as soon as any property had a callback once, even if it was unregistered since.
    assert done.returncode == 0 or bpy.app.version < (4, 3), done.stderr


def test_a_loaded_file_forgets_a_bake_that_was_running():
    bpy.context.window_manager.articulate.baking = True
    bpy.ops.wm.read_homefile(use_factory_startup=True, use_empty=True)
    assert not bpy.context.window_manager.articulate.baking


@pytest.fixture
def development_copy(tmp_path, monkeypatch):
    """Name of a copy of the add-on's source, on Python's path but not imported."""
    name = "articulate_in_development"
    shutil.copytree(Path(installed.module().__file__).parent, tmp_path / name)
    monkeypatch.syspath_prepend(tmp_path)
    yield name
    addon_utils.disable(name, default_set=True)
    for module in [module for module in sys.modules if module.partition(".")[0] == name]:
        del sys.modules[module]


def _works() -> None:
    """The installed add-on solves, and its handlers and interface are there."""
    from addon_scenes import arm, miss, reach

    bpy.ops.wm.read_homefile(use_factory_startup=True, use_empty=True)
    rig = arm()
    target = reach(rig, "b3", (1.5, 0.5, 2.0))
    rig.articulate.live = True
    target.location = (0.5, 1.0, 2.0)
    bpy.context.view_layer.update()
    assert miss(rig, "b3") < 1e-3


def test_a_second_copy_is_refused_with_a_sentence_and_the_first_one_stays(development_copy, capfd):
    _works()  # the library is loaded then
    names, library = _names(), sys.modules["ikmath"]
    handlers = installed.handlers()
    addon_utils.enable(development_copy, default_set=True)
    said = "".join(capfd.readouterr())
    assert f"Articulate is enabled already: '{installed.package()}' has its data" in said
    assert "disable or remove that copy" in said
    assert "Traceback" not in said
    assert development_copy not in [addon.module for addon in bpy.context.preferences.addons]
    assert _names() == names and installed.handlers() == handlers and sys.modules["ikmath"] is library
    _works()
    said = "".join(capfd.readouterr())
    assert "Traceback" not in said and "Error" not in said


def test_the_second_copy_can_be_used_when_the_first_one_is_disabled(development_copy, capfd):
    registration = installed.module("registration")
    addon_utils.enable(development_copy, default_set=True)
    installed.disable()
    try:
        second = addon_utils.enable(development_copy, default_set=True, handle_error=installed._raise)
        assert isinstance(second, ModuleType) and hasattr(bpy.types.Object, "articulate")
        with pytest.raises(ImportError, match=f"already: '{development_copy}'"):
            registration.register()
        group = bpy.types.PropertyGroup.bl_rna_get_subclass_py("ArticulateRig")
        assert group.__module__.startswith(development_copy)
        addon_utils.disable(development_copy, default_set=True)
    finally:
        installed.enable()
    _works()


def test_pointers_of_another_add_on_are_left_alone():
    addon = installed.module()
    before = _names()
    addon.unregister()

    class Foreign(bpy.types.PropertyGroup):
        pass

    bpy.utils.register_class(Foreign)
    bpy.types.Object.articulate = bpy.props.PointerProperty(type=Foreign)
    try:
        with pytest.raises(ImportError, match="enabled already"):
            addon.register()
        addon.unregister()
        assert hasattr(bpy.types.Object, "articulate")
    finally:
        del bpy.types.Object.articulate
        bpy.utils.unregister_class(Foreign)
        addon.register()
    assert _names() == before


def test_a_bake_that_ran_when_it_was_disabled_is_over():
    """Otherwise every button would be greyed out until another file is loaded."""
    bpy.ops.object.armature_add()
    bpy.context.window_manager.articulate.baking = bpy.context.object.session_uid
    assert not bpy.ops.articulate.pin.poll()
    installed.disable()
    installed.enable()
    assert not bpy.context.window_manager.articulate.baking and bpy.ops.articulate.pin.poll()
