# SPDX-License-Identifier: GPL-3.0-or-later
"""`blender --command articulate`: solve and bake files without a window, for farms and scripts."""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import Any

import bpy

from .control.bake import Bake, BakeOptions
from .control.reasons import REASONS
from .control.solve import solve_now
from .properties.access import rig_of
from .properties.refusal import Refused

NAME = "articulate"


def run(arguments: list[str]) -> int:
    """Do what the command line says.

    Args:
        arguments: what follows `--command articulate`.

    Returns:
        0 if it was done, 1 if something could not be solved or baked; what and why is printed.
    """
    options = _parser().parse_args(arguments)
    try:
        bpy.ops.wm.open_mainfile(filepath=str(options.file.resolve()))
        reports = {rig.name: _do(rig, options) for rig in _armatures(options)}
        if options.output:
            bpy.ops.wm.save_as_mainfile(filepath=str(options.output.resolve()), copy=True)
    except (*REASONS, RuntimeError) as reason:
        _say(str(reason).removeprefix("Error: ").strip())
        return 1
    for name, report in reports.items():
        _say(f"{name}: {report['message']}")
    if options.report:
        options.report.write_text(json.dumps(reports, indent=2), encoding="utf-8")
    return 0


def _do(rig: bpy.types.Object, options: argparse.Namespace) -> dict[str, Any]:
    context = bpy.context
    if options.action == "solve":
        return solve_now(rig, context)
    settings = rig_of(rig).bake
    start, end = settings.range_in(context.scene)
    given = BakeOptions(
        frame_start=start if options.start is None else options.start,
        frame_end=end if options.end is None else options.end,
        step=settings.step if options.step is None else options.step,
        only_selected=settings.only_selected,
        use_current_action=settings.use_current_action,
        clean_curves=settings.clean_curves or options.clean,
    )
    return Bake(rig, context, given).run(context)


def _armatures(options: argparse.Namespace) -> list[bpy.types.Object]:
    """The armatures that are named, else all that have effectors."""
    found = [o for o in bpy.context.scene.objects if o.type == "ARMATURE"]
    if not options.armature:
        found = [rig for rig in found if rig_of(rig).effectors]
        if not found:
            raise Refused(
                f"No armature in scene '{bpy.context.scene.name}' of {options.file.name} has effectors"
            )
        return found
    by_name = {rig.name: rig for rig in found}
    for name in options.armature:
        if name not in by_name:
            known = ", ".join(f"'{rig}'" for rig in by_name) or "none"
            raise Refused(f"There is no armature '{name}' in {options.file.name}; there is: {known}")
    return [by_name[name] for name in options.armature]


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog=f"blender --command {NAME}", description="Solve or bake the figures of a .blend file."
    )
    parser.add_argument("action", choices=("solve", "bake"), help="solve the current frame, or bake a range")
    parser.add_argument("file", type=Path, help="the .blend file")
    parser.add_argument(
        "--armature", action="append", metavar="NAME", help="only this one; may be repeated (default: all)"
    )
    parser.add_argument("--start", type=int, metavar="FRAME", help="first frame (default: as in the file)")
    parser.add_argument("--end", type=int, metavar="FRAME", help="last frame (default: as in the file)")
    parser.add_argument("--step", type=int, metavar="FRAMES", help="bake every so many frames")
    parser.add_argument("--clean", action="store_true", help="remove keys that change nothing")
    parser.add_argument("--output", type=Path, metavar="FILE", help="save the result here (default: nowhere)")
    parser.add_argument("--report", type=Path, metavar="FILE", help="write the report here, as JSON")
    return parser


def _say(text: str) -> None:
    """To the shell: a command line has no other place to speak."""
    print(text, flush=True)  # noqa: T201


class _Command:
    """The registered command: Blender gives a handle for it, which alone can unregister it."""

    handle: Any = None


CLASSES: tuple[type, ...] = ()


def attach() -> None:
    """Register the command."""
    _Command.handle = bpy.utils.register_cli_command(NAME, run)


def detach() -> None:
    """Unregister it."""
    if _Command.handle is not None:
        bpy.utils.unregister_cli_command(_Command.handle)
        _Command.handle = None
