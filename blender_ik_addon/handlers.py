# SPDX-License-Identifier: GPL-3.0-or-later
"""Handlers: live solving, and updates after loading a file or an undo.

While nothing is live, the handlers return immediately and the library is not loaded. Their input is
evaluated, and Blender evaluates what they write in the same frame. They only update the given depsgraph,
between figures that depend on each other.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import bpy
from bpy.app.handlers import persistent

from .bridge.item_animation import follow
from .control.collision.mesh_cache import MeshCache
from .properties.bone_names import all_armatures, follow_renamed, remember
from .properties.rig import any_live
from .properties.saved import pin_older_roots, prepare_overrides, store_roots
from .properties.session import outdate_refusal, own_session

if TYPE_CHECKING:
    from .control.live.live import LiveFigures


def attach() -> None:
    """Add the handlers, which own the data that they keep between calls."""
    for name, function in _make():
        getattr(bpy.app.handlers, name).append(function)
    if hasattr(bpy.data, "objects"):
        _look_at_open_file()
    else:  # Blender restricts data while it enables an extension
        bpy.app.timers.register(_look_at_open_file)


def detach() -> None:
    """Remove all handlers of the extension, from whatever lists they are in."""
    every = (getattr(bpy.app.handlers, name) for name in dir(bpy.app.handlers))
    for functions in (each for each in every if isinstance(each, list)):
        for function in [f for f in functions if getattr(f, "__module__", "").startswith(f"{__package__}.")]:
            functions.remove(function)
    if bpy.app.timers.is_registered(_look_at_open_file):
        bpy.app.timers.unregister(_look_at_open_file)
    MeshCache.readers.clear()


def _make() -> list[tuple[str, Callable[..., None]]]:
    """The handlers, which share the live figures. These are created when something is live.

    That loads the library.
    """
    figures: LiveFigures | None = None

    def ensure() -> LiveFigures:
        nonlocal figures
        if figures is None:
            from .control.live.live import LiveFigures

            figures = LiveFigures()
        return figures

    @persistent
    def look_at_loaded(*_args: object) -> None:
        """After a load: discard the live figures' caches."""
        MeshCache.readers.clear()
        if figures is not None:
            figures.forget()
        _look_at_file()

    @persistent
    def count_live(*_args: object) -> None:
        """After an undo: discard the live figures' caches, and look for live armatures."""
        if figures is not None:
            figures.forget()
        _look_again()

    @persistent
    def keep_overrides(*_args: object) -> None:
        """Before a save: prepare overrides and animation so that nothing is lost."""
        store_roots(all_armatures())
        prepare_overrides()
        _look_again()

    @persistent
    def solve_frame(_scene: bpy.types.Scene, depsgraph: bpy.types.Depsgraph) -> None:
        """In every frame, also those of a render."""
        if own_session().any_live:
            ensure().solve(depsgraph)

    @persistent
    def solve_change(_scene: bpy.types.Scene, depsgraph: bpy.types.Depsgraph) -> None:
        """After a change of a target, a pin or a live armature."""
        if figures is not None:
            if figures.solving:  # it updates figures that others depend on
                return
            figures.following.forget()
        session = own_session()
        outdate_refusal(session)
        if depsgraph.id_type_updated("ARMATURE"):
            changed = {update.id.original for update in depsgraph.updates}
            follow_renamed(one for one in all_armatures() if one.data in changed)
        if depsgraph.id_type_updated("COLLECTION"):  # objects may have been linked or appended
            session.any_live = any_live()
            pin_older_roots(all_armatures())
        if not session.any_live:
            return
        from .control.live.following import watched

        live, changed = ensure(), {update.id.original for update in depsgraph.updates}
        concerned = False
        for armature in live.armatures(depsgraph):
            if armature in changed or armature.data in changed:
                live.changed(armature)
                concerned = True
            concerned = concerned or not changed.isdisjoint(watched(armature))
        if concerned:
            live.solve(depsgraph, new_frame=False)

    @persistent
    def tell_rest(_scene: bpy.types.Scene, depsgraph: bpy.types.Depsgraph) -> None:
        """After a playback: show the full results."""
        if own_session().any_live:
            ensure().tell(depsgraph)

    return [
        ("load_post", look_at_loaded),
        ("save_pre", keep_overrides),
        ("undo_post", count_live),
        ("redo_post", count_live),
        ("frame_change_post", solve_frame),
        ("depsgraph_update_post", solve_change),
        ("animation_playback_post", tell_rest),
    ]


def _look_at_open_file() -> None:
    """After the extension was enabled: look at the file, and update what was not solved meanwhile."""
    _look_at_file()
    for armature in (one for one in all_armatures() if one.articulate.live):
        armature.update_tag()


def _look_at_file() -> None:
    """Update what another file, or one that was edited without the extension, may lack; end a bake."""
    session = own_session()
    session.baking, session.progress = 0, 0.0
    pin_older_roots(all_armatures())
    _look_again()
    for armature in all_armatures():
        remember(armature)


def _look_again() -> None:
    """Look for live armatures, renamed bones, and items of lists that have moved (see `item_animation`)."""
    own_session().any_live = any_live()
    follow_renamed(all_armatures())
    for armature in all_armatures():
        follow(armature)
