# SPDX-License-Identifier: GPL-3.0-or-later
"""A session of the extension's fuzzer: what draws and remembers, and the operators with their arguments."""

from __future__ import annotations

import collections
import io
from collections.abc import Callable
from pathlib import Path
from typing import Any

import bpy
import installed
import numpy as np
from bridge_rigs import any_flags, make_rig, shake, tree_rig
from fuzz_promises import Fault, handler_names, picture, reported_is_measured, same

NAMES = ("", "missing", 'a"]\\[0', "ünï.L", "x" * 63)
HELD = ("POSITION", "ORIENTATION", "POSE")
SIZES = (1.0, 1.0, 1.0, 0.01, 100.0, 1e-4, 1e4)


class Session:
    """Where a session is.

    Attributes:
        rng: draws everything; steps: what was done so far; counts: (step, how it ended) -> how often.
        console: what Python prints; handlers: of Blender, as they were.
    """

    def __init__(self, seed: int, folder: Path, counts: collections.Counter[tuple[str, str]]) -> None:
        self.seed, self.folder, self.counts = seed, folder, counts
        self.rng = np.random.default_rng(seed)
        self.steps: list[str] = []
        self.console = io.StringIO()
        self.handlers = handler_names()

    def printed(self) -> str:
        """What Python has printed since this was asked last."""
        said = self.console.getvalue()
        self.console.seek(0)
        self.console.truncate()
        return said

    def any(self, values: Any) -> Any:
        """One of several values."""
        values = list(values)
        return values[int(self.rng.integers(len(values)))]

    def chance(self, share: float) -> bool:
        return bool(self.rng.random() < share)

    def vector(self, size: float = 1.0) -> tuple[float, float, float]:
        return tuple((size * self.rng.normal(size=3)).tolist())

    @property
    def rig(self) -> bpy.types.Object:
        """The active armature, or another one that becomes active."""
        active = bpy.context.view_layer.objects.active
        if active is not None and active.type == "ARMATURE":
            return active
        things = bpy.context.view_layer.objects
        found = [thing for thing in things if thing.type == "ARMATURE" and thing.library is None]
        if not found:
            return new_figure(self)
        bpy.context.view_layer.objects.active = found[0]
        return found[0]

    @property
    def size(self) -> float:
        """Length of the figure in the world, about."""
        return max(max(self.rig.dimensions), 1e-3)

    def bone(self) -> str:
        """A bone's name, rarely a wrong one."""
        return self.any(NAMES if self.chance(0.1) else self.rig.pose.bones.keys() or NAMES)

    def thing(self) -> str:
        """An object's name, rarely a wrong one."""
        return self.any(NAMES) if self.chance(0.1) else self.any(bpy.data.objects.keys())

    def item(self, items: Any) -> str:
        """The name of an item of a list, rarely a wrong one."""
        return self.any(NAMES) if not items or self.chance(0.1) else self.any(items).name


def new_figure(s: Session) -> bpy.types.Object:
    kind = s.any(("chain", "chain", "person", "tree"))
    if bpy.context.mode != "OBJECT":
        bpy.ops.object.mode_set(mode="OBJECT")
    if kind == "tree":
        rig = tree_rig(int(s.rng.integers(1000)), int(s.rng.integers(1, 9)), any_flags)
        shake(rig, int(s.rng.integers(1000)), turn=s.any((0.0, 0.5)), scale=s.any(("NONE", "UNIFORM")))
    elif kind == "chain":
        rows = [(f"b{i}", f"b{i - 1}" if i else None, (0, 0, i), (0, 0, i + 1)) for i in range(4)]
        rig = make_rig(rows)
    else:
        rows = [("root", None, (0, 0, 0), (0, 0, 1)), ("chest", "root", (0, 0, 1), (0, 0.05, 2))]
        for side, x in (("L", 1), ("R", -1)):
            rows.append((f"arm.{side}", "chest", (0.2 * x, 0, 2), (x, 0.1, 2)))
            rows.append((f"hand.{side}", f"arm.{side}", (x, 0.1, 2), (1.8 * x, 0, 2)))
            leg = [(0.2 * x, y, z) for y, z in ((0, 0), (-0.05, -1), (0, -2), (-0.3, -2.2))]
            names = [f"{name}.{side}" for name in ("thigh", "shin", "foot")]
            rows += zip(names, ["root", *names], leg, leg[1:], strict=False)
        rig = make_rig(rows)
    rig.scale = (s.any(SIZES),) * 3
    rig.location, rig.rotation_euler = s.vector(), s.any(((0, 0, 0), s.vector()))
    return rig


def new_effector(s: Session) -> dict[str, Any]:
    kinds = installed.module("properties.kinds").KINDS
    given: dict[str, Any] = {"bone": s.bone(), "kind": "POSITION" if s.chance(0.5) else s.any(kinds)}
    if s.chance(0.1):
        given["target"] = s.thing()
    if s.chance(0.1):
        given["chain_root"] = s.bone()
    if s.chance(0.7 if "second_bone" in kinds[given["kind"]].options else 0.05):
        given["second_bone"] = s.bone()
    return given | ({"priority": s.any((0, 1, 2))} if s.chance(0.3) else {})


def effector(s: Session) -> dict[str, Any]:
    return {"effector": s.item(s.rig.articulate.effectors)}


def frames(s: Session) -> dict[str, Any]:
    start = int(s.rng.integers(-3, 12))
    flags = ("only_selected", "use_current_action", "clean_curves", "decimate")
    return {
        "frame_start": start,
        "frame_end": start + int(s.rng.integers(-1, 6)),
        "step": s.any((1, 1, 2, 50)),
        **{name: s.chance(0.3) for name in flags},
    }


def obstacle(s: Session) -> dict[str, Any]:
    meshes = [thing.name for thing in bpy.data.objects if thing.type == "MESH"]
    return {"object": s.any(meshes) if meshes and s.chance(0.8) else s.thing(), "margin": s.any((0.0, 0.01))}


def drag(s: Session) -> dict[str, Any]:
    way = {s.any(("move", "move", "turn")): s.vector(s.any((0.1, 1.0)) * s.size)}
    return {"bone": s.bone(), "levels": s.any((0, 0, 1, 3)), "root": s.any(("SETTING", "FREE")), **way}


OPERATORS: dict[str, tuple[int, Callable[[Session], dict[str, Any]]]] = {
    "effector_add": (12, new_effector),
    "effector_remove": (6, lambda s: effector(s) | {"delete_target": s.chance(0.5)}),
    "clear": (1, lambda s: {"delete_targets": s.chance(0.5)}),
    "target_create": (2, lambda s: effector(s)),
    "keep_as_posed": (2, lambda s: effector(s)),
    "target_move": (4, lambda s: effector(s) | {"move": s.vector(0.3 * s.size)}),
    "pin": (4, lambda s: {"bone": s.bone(), "kind": s.any(HELD), "motion": s.chance(0.3)}),
    "unpin": (2, lambda s: {"bone": s.bone()}),
    "unpin_all": (1, lambda _: {}),
    "mirror": (2, lambda s: {"bone": s.bone()}),
    "obstacle_add": (5, obstacle),
    "obstacle_remove": (2, lambda s: {"obstacle": s.item(s.rig.articulate.obstacles)}),
    "body_fit": (1, lambda _: {}),
    "body_clear": (1, lambda _: {}),
    "link_add": (2, lambda s: {"bone": s.bone()}),
    "link_remove": (2, lambda s: {"bone": s.item(s.rig.articulate.body.links)}),
    "pair_add": (2, lambda s: {"a": s.bone(), "b": s.bone(), "watched": s.chance(0.7)}),
    "pair_remove": (1, lambda s: {"index": s.any((-1, 0, 1, 99))}),
    "pairs_fill": (1, lambda _: {}),
    "relaxed_stance": (2, lambda _: {}),
    "solve": (12, lambda _: {}),
    "drag": (5, drag),
    "bake": (6, frames),
    "report_show": (1, lambda _: {}),
    "elephant_add": (1, lambda s: {"segments": s.any((3, 5)), "frames": s.any((0, 4))}),
}


def press(s: Session, name: str) -> None:
    """An operator: it works, and can be undone; or it refuses, and nothing has changed."""
    if s.chance(0.95):
        bpy.context.view_layer.objects.active = s.rig
    given = OPERATORS[name][1](s)
    s.steps[-1] += f"({', '.join(f'{key}={value!r}' for key, value in given.items())})"
    undone = name != "report_show" and s.chance(0.3)
    settle()
    bpy.ops.ed.undo_push(message="before")
    live = installed.module("properties.rig").any_live()
    before = picture()
    try:
        getattr(bpy.ops.articulate, name)("EXEC_DEFAULT", True, **given)
    except RuntimeError as refusal:
        if "Traceback" in str(refusal):
            raise Fault(str(refusal)) from None
        s.counts[name, "refused"] += 1
        same(before, picture(), "changed by what was refused", told=False)
        return
    s.counts[name, "done"] += 1
    if name == "solve" and not live:
        reported_is_measured(s.rig)
    if not undone:
        return
    s.steps[-1] += ", undone and redone"
    after = picture()
    bpy.ops.ed.undo()
    same(before, picture(), "not given back by an undo", told=not live)
    if name == "solve" and not live:
        bpy.ops.articulate.solve("EXEC_DEFAULT", True)
        same(after, picture(), "another answer the second time", told=False)
    else:
        bpy.ops.ed.redo()
        same(after, picture(), "not done again by a redo", told=not live)


def settle() -> None:
    """Let animation take what was changed without keys: it does so after an undo and a load, too."""
    scene = bpy.context.scene
    scene.frame_set(scene.frame_current, subframe=scene.frame_subframe)
