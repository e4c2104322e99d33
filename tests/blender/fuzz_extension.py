# SPDX-License-Identifier: GPL-3.0-or-later
"""The extension's fuzzer: sessions of random operators and edits, each repeatable from its seed.

A session builds a random figure and takes random steps from the tables `OPERATORS` and `EDITS`. After each
step `check` holds the file to what must always be true. As a script it goes on for some minutes, a process
for every few sessions, so that a crash of Blender is one more fault: `python build.py fuzz --extension`.
"""

from __future__ import annotations

import argparse
import collections
import contextlib
import io
import json
import subprocess
import sys
import tempfile
import time
import traceback
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

sys.path.insert(0, str(Path(__file__).parent))

import installed

if __name__ == "__main__":  # before bpy, which reads the profile once
    installed.hide_source()
    installed.make_profile()

import os

import bpy
from bridge_rigs import MODES, any_flags, make_rig, shake, tree_rig
from fuzz_promises import OWN, Fault, check, groups_of, handler_names, picture, reported_is_measured, same

SHOW = os.environ.get("SHOW")
STEPS = 40  # of a session
BATCH = 10  # sessions of one process of a night
PATIENCE = 600.0  # seconds for a batch; what takes longer hangs
REPLAY = "python build.py fuzz --extension --minutes 0 --seed {}"
NAMES = ("", "missing", 'a"]\\[0', "ünï.L", "x" * 63)
HELD = ("POSITION", "ORIENTATION", "POSE")
SIZES = (1.0, 1.0, 1.0, 0.01, 100.0, 1e-4, 1e4)
KEPT = {"weight", "report_json", "message", *OWN}
"""Properties that no random value is written to: `weight` marks an effector, see `key_influence`."""


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


# ---------------------------------------------------------------------- operators and their arguments
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
    "obstacle_add": (4, lambda s: {"object": s.thing(), "margin": s.any((0.0, 0.01)) * s.size}),
    "obstacle_remove": (2, lambda s: {"obstacle": s.item(s.rig.articulate.obstacles)}),
    "body_fit": (1, lambda _: {}),
    "body_clear": (1, lambda _: {}),
    "link_add": (2, lambda s: {"bone": s.bone()}),
    "link_remove": (2, lambda s: {"bone": s.item(s.rig.articulate.body.links)}),
    "pair_add": (2, lambda s: {"a": s.bone(), "b": s.bone(), "watched": s.chance(0.7)}),
    "pair_remove": (1, lambda s: {"index": s.any((-1, 0, 1, 99))}),
    "pairs_fill": (1, lambda _: {}),
    "relaxed_stance": (1, lambda _: {}),
    "solve": (12, lambda _: {}),
    "drag": (5, drag),
    "bake": (6, frames),
    "report_show": (1, lambda _: {}),
    "elephant_add": (1, lambda s: {"segments": s.any((3, 5)), "frames": s.any((0, 4))}),
}


def press(s: Session, name: str) -> None:
    """An operator: it works, and can be undone; or it refuses, and nothing has changed."""
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
        if SHOW:
            sys.__stdout__.write(f"   {name}: {refusal}\n")
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


# ---------------------------------------------------------------------- what people and scripts do
def new_figure(s: Session) -> bpy.types.Object:
    kind = s.any(("chain", "chain", "arms", "tree"))
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
        rig = make_rig(rows)
    rig.scale = (s.any(SIZES),) * 3
    rig.location, rig.rotation_euler = s.vector(), s.vector()
    return rig


def new_mesh(s: Session) -> None:
    bpy.ops.mesh.primitive_cube_add(size=float(s.rng.uniform(0.1, 1.0)) * s.size, location=s.vector(s.size))
    if s.chance(0.2):
        bpy.context.object.data.clear_geometry()


def move_thing(s: Session) -> None:
    thing = s.any(bpy.data.objects)
    thing.location = np.array(thing.location) + s.rng.normal(size=3) * s.any((0.1, 1.0, 1.0, 1e6)) * s.size
    if s.chance(0.3):
        thing.rotation_euler = s.vector()


def scale_thing(s: Session) -> None:
    s.any(bpy.data.objects).scale = s.any(((0, 0, 0), (1, 0, 1), (-1, 1, 1), (2, 1, 0.5), (1e-6,) * 3))


def pose_bone(s: Session) -> None:
    bone = s.any(s.rig.pose.bones)
    bone.rotation_mode = s.any(MODES)
    bone.rotation_quaternion, bone.rotation_euler = s.rng.normal(size=4), s.vector()
    bone.location, bone.scale = s.vector(0.2), s.any(((1, 1, 1), (1, 1, 1), (1, 2, 1), (0, 0, 0)))


def lock_bone(s: Session) -> None:
    bone, axis = s.any(s.rig.pose.bones), s.any("xyz")
    bone.lock_rotation = (s.rng.random(3) < 0.4).tolist()
    setattr(bone, f"lock_ik_{axis}", s.chance(0.5))
    setattr(bone, f"ik_stiffness_{axis}", s.any((0.0, 0.9)))
    setattr(bone, f"use_ik_limit_{axis}", s.chance(0.7))
    setattr(bone, f"ik_min_{axis}", -s.rng.uniform(0.0, 3.2))
    setattr(bone, f"ik_max_{axis}", s.rng.uniform(0.0, 3.2))


def constrain_bone(s: Session) -> None:
    made = s.any(s.rig.pose.bones).constraints.new(
        s.any(("COPY_LOCATION", "COPY_ROTATION", "LIMIT_ROTATION"))
    )
    if hasattr(made, "target"):
        made.target = s.any(bpy.data.objects)


def set_anything(s: Session) -> None:
    """Any property of the extension, to a value that the interface allows."""
    groups = [group for _, group in groups_of(s.rig.articulate, "")] + [s.any(s.rig.pose.bones).articulate]
    group = s.any(groups)
    found = [p for p in group.bl_rna.properties if not p.is_readonly and p.identifier not in {"name", *KEPT}]
    prop = s.any(found)
    value = {"BOOLEAN": flag, "INT": number, "FLOAT": number, "ENUM": choice}.get(prop.type, pointer)(s, prop)
    s.steps[-1] += f"({group.path_from_id()}.{prop.identifier} = {value!r})"
    setattr(group, prop.identifier, value)


def flag(s: Session, prop: Any) -> Any:
    return s.chance(0.5) if not prop.is_array else (s.rng.random(prop.array_length) < 0.5).tolist()


def number(s: Session, prop: Any) -> Any:
    most = 40 if prop.identifier == "max_iterations" else prop.hard_max
    values = (prop.hard_min, most, prop.soft_min, min(prop.soft_max, most), 0, 1)
    found = [s.any(values) for _ in range(prop.array_length or 1)]
    return found if prop.is_array else found[0]


def choice(s: Session, prop: Any) -> Any:
    return s.any(prop.enum_items).identifier


def pointer(s: Session, prop: Any) -> Any:
    if prop.type == "STRING":
        return s.bone()
    pool = bpy.data.objects if prop.fixed_type.identifier == "Object" else bpy.data.collections
    return s.any([None, *pool])


def key_influence(s: Session) -> None:
    """Key an effector's influence by the value of its weight, so that the curve shows whose it is."""
    effector = s.any(s.rig.articulate.effectors)
    effector.weight = float(s.rng.uniform(0.2, 0.9))
    effector.influence = effector.weight
    effector.keyframe_insert("influence", frame=s.any((1, 5)))


def key_pose(s: Session) -> None:
    bone = s.any(s.rig.pose.bones)
    for channel in ("location", "rotation_quaternion", "rotation_euler"):
        bone.keyframe_insert(channel, frame=int(s.rng.integers(0, 10)))


def key_thing(s: Session) -> None:
    thing = s.any(bpy.data.objects)
    for frame in (1, 8):
        thing.location = s.vector(s.size)
        thing.keyframe_insert("location", frame=frame)


def rename(s: Session) -> None:
    items = [*s.rig.data.bones, *s.rig.articulate.effectors, *s.rig.articulate.obstacles, *bpy.data.objects]
    s.any(items).name = s.any((*NAMES[1:], "b1", "hand.R", f"n{s.rng.integers(9)}"))


def delete_bone(s: Session) -> None:
    bones = s.rig.data
    bpy.ops.object.mode_set(mode="EDIT")
    bones.edit_bones.remove(s.any(bones.edit_bones))
    bpy.ops.object.mode_set(mode=s.any(("OBJECT", "POSE")))


def delete_thing(s: Session) -> None:
    bpy.data.objects.remove(
        s.any([thing for thing in bpy.data.objects if thing is not s.rig or s.chance(0.1)])
    )


def duplicate(s: Session) -> None:
    if bpy.context.mode == "OBJECT":
        s.rig.select_set(True)
        bpy.ops.object.duplicate(linked=s.chance(0.5))


def parent(s: Session) -> None:
    s.any(bpy.data.objects).parent = s.any([None, *bpy.data.objects])


def change_mode(s: Session) -> None:
    rig = s.rig
    bpy.ops.object.mode_set(mode="POSE" if rig.mode == "OBJECT" else "OBJECT")
    for bone in rig.data.bones if bpy.app.version < (5, 0) else rig.pose.bones:
        bone.select = s.chance(0.3)


def go_live(s: Session) -> None:
    s.rig.articulate.live = not s.rig.articulate.live


def set_frame(s: Session) -> None:
    bpy.context.scene.frame_set(int(s.rng.integers(-2, 12)), subframe=s.any((0.0, 0.0, 0.5)))


def set_units(s: Session) -> None:
    bpy.context.scene.unit_settings.scale_length = s.any((1.0, 0.01, 1000.0))


def auto_key(s: Session) -> None:
    bpy.context.scene.tool_settings.use_keyframe_insert_auto = s.chance(0.5)


def undo(s: Session) -> None:
    bpy.ops.ed.undo_push(message="edit")
    for verb in ("undo", "undo", "redo")[: int(s.rng.integers(1, 4))]:
        getattr(bpy.ops.ed, verb)()


def save_and_load(s: Session) -> None:
    """What is saved is what is loaded."""
    path = str(s.folder / "saved.blend")
    settle()
    live = installed.module("properties.rig").any_live()
    bpy.ops.wm.save_as_mainfile(filepath=path)
    before = picture()
    bpy.ops.wm.open_mainfile(filepath=path)
    if bpy.data.libraries:  # an override is made anew from its library
        return
    same(before, picture(), "lost by saving", told=not live)


def remove_by_script(s: Session) -> None:
    """A script takes an item off a list; its curves go at the next save."""
    effectors = s.rig.articulate.effectors
    effectors.remove(int(s.rng.integers(len(effectors))))
    bpy.ops.wm.save_as_mainfile(filepath=str(s.folder / "saved.blend"))


def link_into_a_shot(s: Session) -> None:
    """All that is there becomes a library; go on with an override of it."""
    if bpy.data.libraries:
        return
    cast = bpy.data.collections.new("Cast")
    bpy.context.scene.collection.children.link(cast)
    for thing in bpy.data.objects:
        cast.objects.link(thing)
    path = str(s.folder / "library.blend")
    bpy.ops.wm.save_as_mainfile(filepath=path)
    empty_file()
    with bpy.data.libraries.load(path, link=True) as (_there, here):
        here.collections = ["Cast"]
    bpy.context.scene.collection.children.link(here.collections[0])
    here.collections[0].override_hierarchy_create(
        bpy.context.scene, bpy.context.view_layer, do_fully_editable=True
    )


def reload_extension(s: Session) -> None:
    """Disabled, nothing of it is left; enabled again, all is there."""
    installed.disable()
    left = [name for name, owner, _ in handler_names() if "articulate" in owner]
    if left:
        raise Fault(f"handlers left: {left}")
    installed.enable()


EDITS: dict[Callable[[Session], Any], int] = {
    new_figure: 1,
    new_mesh: 3,
    move_thing: 10,
    scale_thing: 2,
    pose_bone: 4,
    lock_bone: 4,
    constrain_bone: 2,
    set_anything: 14,
    key_influence: 6,
    key_pose: 3,
    key_thing: 3,
    rename: 4,
    delete_bone: 2,
    delete_thing: 1,
    duplicate: 1,
    parent: 2,
    change_mode: 4,
    go_live: 3,
    set_frame: 5,
    set_units: 1,
    auto_key: 1,
    undo: 3,
    save_and_load: 3,
    remove_by_script: 2,
    link_into_a_shot: 1,
    reload_extension: 1,
}


def edit(s: Session, what: Callable[[Session], Any]) -> None:
    """An edit; Blender itself may refuse it, of an override for instance."""
    try:
        what(s)
    except (RuntimeError, AttributeError, TypeError, ValueError, ReferenceError) as refusal:
        s.counts[what.__name__, "not possible"] += 1
        s.steps[-1] += f" (not possible: {str(refusal).strip()[:80]})"
    else:
        s.counts[what.__name__, "done"] += 1


# ---------------------------------------------------------------------- sessions
def empty_file() -> None:
    bpy.ops.wm.read_homefile(use_factory_startup=True, use_empty=True)
    bpy.context.preferences.edit.use_keyframe_insert_available = False


def run(seed: int, counts: collections.Counter[tuple[str, str]], steps: int = STEPS) -> None:
    """One session.

    Raises:
        Fault: its text has the seed, what was done, and how to repeat it.
    """
    empty_file()
    names = [*(("press", name) for name in OPERATORS), *(("edit", what) for what in EDITS)]
    weights = np.array([weight for weight, _ in OPERATORS.values()] + list(EDITS.values()), dtype=float)
    with tempfile.TemporaryDirectory(prefix="articulate-fuzz-") as folder:
        s = Session(seed, Path(folder), counts)
        try:
            with contextlib.redirect_stderr(s.console), contextlib.redirect_stdout(s.console):
                new_figure(s)
                for name in ["effector_add"] * 3:
                    s.steps.append(name)
                    press(s, name)
                for _ in range(steps):
                    how, what = names[int(s.rng.choice(len(names), p=weights / weights.sum()))]
                    s.steps.append(what if how == "press" else what.__name__)
                    press(s, what) if how == "press" else edit(s, what)
                    bpy.context.view_layer.update()
                    check(s.printed(), s.handlers)
        except Exception as error:
            done = "\n  ".join(s.steps)
            reason = f"{type(error).__name__}: {error}"
            if not isinstance(error, Fault):
                reason = traceback.format_exc()
            raise Fault(f"{reason}\nseed {seed}: {REPLAY.format(seed)}\n  {done}") from error
        finally:
            empty_file()


def sessions(first: int, count: int, until: float) -> int:
    """Run sessions in this process and print every fault; how many there were."""
    counts: collections.Counter[tuple[str, str]] = collections.Counter()
    faults = 0
    for seed in range(first, first + count):
        if time.time() > until:
            break
        print(f"seed {seed}", flush=True)
        try:
            run(seed, counts)
        except Fault as fault:
            faults += 1
            print(f"FAULT {fault}\n", flush=True)
    print(f"COUNTS {json.dumps([[*key, value] for key, value in counts.items()])}", flush=True)
    return faults


def night(first: int, minutes: float) -> int:
    """Run batches of sessions in processes of their own until the time is over; 1 if there was a fault."""
    until, seed, faults = time.time() + 60.0 * minutes, first, 0
    counts: collections.Counter[str] = collections.Counter()
    while True:
        count = BATCH if minutes else 1
        command = [sys.executable, __file__, "--seed", str(seed), "--sessions", str(count)]
        try:
            done = subprocess.run(
                [*command, "--until", str(until if minutes else until + PATIENCE)],
                capture_output=True, text=True, timeout=PATIENCE, check=False,
            )  # fmt: skip
            said, code = done.stdout, done.returncode
        except subprocess.TimeoutExpired as late:
            said, code = (late.stdout or b"").decode(), None
        tried = said.count("\nseed ") + said.startswith("seed ")
        counts["sessions"] += tried
        for line in said.splitlines():
            if line.startswith("COUNTS "):
                for name, how, value in json.loads(line[7:]):
                    counts[f"{name}, {how}"] += value
            elif not line.startswith("seed "):
                print(line, flush=True)
        faults += said.count("FAULT ")
        if code not in (0, 1):
            faults += 1
            last = seed + max(tried - 1, 0)
            print(f"FAULT {'hangs' if code is None else f'exit status {code}'}")
            print(f"seed {last}: {REPLAY.format(last)}")
        seed += count
        if time.time() >= until:
            break
    print("\n".join(f"{value} {name}" for name, value in sorted(counts.items())))
    print(f"{counts['sessions']} sessions from seed {first}, {faults} faults")
    return int(faults > 0)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--minutes", type=float, default=60.0)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument(
        "--sessions", type=int, default=0, help="in this process; 0: as many as there is time"
    )
    parser.add_argument("--until", type=float, default=0.0, help="when this process ends, seconds since 1970")
    options = parser.parse_args()
    if not options.sessions:
        return night(options.seed, options.minutes)
    kept = installed.handlers()
    installed.install(installed.find_zip())
    faults = sessions(options.seed, options.sessions, options.until)
    installed.drop_handlers(kept)
    installed.leave(int(faults > 0))
    return 0


if __name__ == "__main__":
    sys.exit(main())
