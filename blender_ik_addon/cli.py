# SPDX-License-Identifier: GPL-3.0-or-later
"""`blender --command articulate`: solve and bake files without a window, for farms and scripts."""

from __future__ import annotations

import argparse
import json
import math
import os
import shutil
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import bpy

from .cli_summary import FAILED, summarise
from .properties.access import rig_of
from .properties.refusal import Refused

NAME = "articulate"
_OF_FILES = (RuntimeError, OSError, UnicodeError)  # what Blender and Python say of files and their names


def run(arguments: list[str]) -> int:
    """Do what the command line says.

    Args:
        arguments: what follows `--command articulate`.

    Returns:
        0 if it was done, 1 if something could not be solved, baked or saved; what and why is printed, and is
        in the report. Nothing is saved then. With `--exit-zero` it is 0 too where another machine would get
        no further.

    Raises:
        SystemExit: 2, the command line is wrong; 0, it asks for help.
    """
    from .control.report.reasons import REASONS

    parser = _parser()
    options = parser.parse_args(arguments)
    if options.action == "summary":
        return summarise(options.reports)
    if options.exit_zero and not options.report:
        parser.error("--exit-zero needs --report: without it no failure is reported")
    reports: dict[str, dict[str, Any]] = {}
    try:
        _require_place("--report", options.report)
    except OSError as reason:
        _say(str(reason), failed=True)
        return 1
    try:
        _solve_or_bake(options, reports)
    except (*REASONS, *_OF_FILES) as reason:
        reports[options.file.name] = _failed(options, reason)
    for name, report in reports.items():
        _say(f"{name}: {report['message']}", failed=report["status"] == FAILED)
    try:
        if options.report:
            with _replacing(options.report) as beside:
                beside.write_text(json.dumps(reports, indent=2), encoding="utf-8")
    except _OF_FILES as reason:
        _say(f"The report '{options.report}' could not be written: {reason}", failed=True)
        return 1
    if options.exit_zero:
        return int(any(report.get("retry", False) for report in reports.values()))
    return int(_any_failed(reports))


def _solve_or_bake(options: argparse.Namespace, reports: dict[str, dict[str, Any]]) -> None:
    """Do it and save, adding to the reports; what is raised is about the file as a whole."""
    _require_place("--output", options.output)
    bpy.ops.wm.open_mainfile(filepath=str(options.file.resolve()))
    _go_to(options)
    reports |= {name: _failed(options, reason) for name, reason in _unknown(options).items()}
    for rig in () if reports else _armatures(options):
        reports[rig.name] = _do(rig, options)
    if options.output and not _any_failed(reports):
        _save(options.output)


def _save(output: Path) -> None:
    """Save the file, and read it back: on a full disk Blender may say that it has saved half of it.

    Raises:
        OSError: it could not be saved; what was there is as it was.
    """
    try:
        with _replacing(output) as beside:
            bpy.ops.wm.save_as_mainfile(filepath=str(beside), copy=True)
            reading: Any = bpy.data.libraries.load(str(beside))
            with reading:
                pass  # its index stands at the end
    except _OF_FILES as reason:
        free = shutil.disk_usage(output.resolve().parent).free / 1e6
        raise OSError(
            f"'{output}' could not be saved and is unchanged: {_sentence(reason)}"
            f" ({free:.1f} MB are free there)"
        ) from reason


@contextmanager
def _replacing(path: Path) -> Iterator[Path]:
    """A file to write beside another one, whose place it takes once it is whole."""
    path = path.resolve()
    beside = path.with_name(f".{path.stem}-{os.getpid()}{path.suffix}")
    try:
        yield beside
        with beside.open("rb+") as written:
            os.fsync(written.fileno())  # some file systems find out only now that there is no room
        beside.replace(path)
    finally:
        beside.unlink(missing_ok=True)


def _do(rig: bpy.types.Object, options: argparse.Namespace) -> dict[str, Any]:
    """The report of one armature; one that cannot be solved does not keep others from being told about."""
    from .control.frame.solve import solve_now
    from .control.report.reasons import REASONS

    try:
        return solve_now(rig, bpy.context) if options.action == "solve" else _bake(rig, options)
    except (*REASONS, RuntimeError) as reason:
        return _failed(options, reason)


def _failed(options: argparse.Namespace, reason: Exception) -> dict[str, Any]:
    """The report of what was not done; `retry` is whether another attempt or machine may do it."""
    retry = isinstance(reason, RuntimeError | OSError)
    return {"operation": options.action, "status": FAILED, "message": _sentence(reason), "retry": retry}


def _any_failed(reports: dict[str, dict[str, Any]]) -> bool:
    return any(report["status"] == FAILED for report in reports.values())


def _bake(rig: bpy.types.Object, options: argparse.Namespace) -> dict[str, Any]:
    from .control.bake.bake import Bake, BakeOptions

    context = bpy.context
    settings = rig_of(rig).bake
    start, end = settings.range_in(context.scene)
    given = BakeOptions(
        frame_start=start if options.start is None else options.start,
        frame_end=end if options.end is None else options.end,
        step=settings.step if options.step is None else options.step,
        only_selected=settings.only_selected,
        use_current_action=settings.use_current_action,
        clean_curves=settings.clean_curves or options.clean,
        decimate=settings.decimate or options.decimate is not None,
        remove_error_margin=settings.remove_error_margin if options.decimate is None else options.decimate,
    )
    return Bake(rig, context, given).run(context)


def _require_place(option: str, path: Path | None) -> None:
    """See that a file can be written: better before an hour of baking than after it.

    Raises:
        OSError: it cannot. On another machine it may: a directory that is missing may not be mounted here.
    """
    if path is None:
        return
    if not path.resolve().parent.is_dir():
        raise OSError(f"There is no directory '{path.resolve().parent}' for {option}: make it first")
    if path.exists() and not (path.is_file() and os.access(path, os.W_OK)):
        raise OSError(f"'{path}' for {option} is not a file that can be written: choose another one")


def _go_to(options: argparse.Namespace) -> None:
    """Go to the scene, and to the frame that is to be solved."""
    if options.scene is not None:
        scene = bpy.data.scenes.get(options.scene)
        if scene is None:
            known = ", ".join(f"'{each.name}'" for each in bpy.data.scenes)
            raise Refused(f"There is no scene '{options.scene}' in {options.file.name}; it has: {known}")
        for window in bpy.context.window_manager.windows:
            window.scene = scene
    if options.action == "solve" and options.frame is not None:
        bpy.context.scene.frame_set(options.frame)


def _sentence(reason: Exception) -> str:
    """What an error says, without what Blender puts around it."""
    return str(reason).removeprefix("Error: ").strip()


def _unknown(options: argparse.Namespace) -> dict[str, Refused]:
    """Names of armatures that are asked for and are not there, each with what to say of it."""
    there = [o.name for o in bpy.context.scene.objects if o.type == "ARMATURE"]
    known = ", ".join(f"'{name}'" for name in there) or "none"
    return {
        name: Refused(f"There is no armature '{name}' in {options.file.name}; it has: {known}")
        for name in options.armature or ()
        if name not in there
    }


def _armatures(options: argparse.Namespace) -> list[bpy.types.Object]:
    """The armatures that are named, else all that have effectors."""
    found = [o for o in bpy.context.scene.objects if o.type == "ARMATURE"]
    if options.armature:
        by_name = {rig.name: rig for rig in found}
        return [by_name[name] for name in dict.fromkeys(options.armature)]
    found = [rig for rig in found if rig_of(rig).effectors]
    if not found:
        raise Refused(f"No armature in scene '{bpy.context.scene.name}' of {options.file.name} has effectors")
    return found


def _parser() -> argparse.ArgumentParser:
    both = argparse.ArgumentParser(add_help=False)
    both.add_argument("file", type=Path, help="the .blend file")
    both.add_argument(
        "--armature",
        action="append",
        metavar="NAME",
        help="only this one; may be repeated (default: all with effectors)",
    )
    both.add_argument("--scene", metavar="NAME", help="the scene (default: the one that was active)")
    both.add_argument("--output", type=Path, metavar="FILE", help="save the result here (default: nowhere)")
    both.add_argument("--report", type=Path, metavar="FILE", help="write the report here, as JSON")
    both.add_argument(
        "--exit-zero",
        action="store_true",
        help="exit with 0 also if a figure cannot be solved or baked as it is set up: another attempt on a "
        "farm would fail too. The report has the status FAILED; see `summary`",
    )
    parser = argparse.ArgumentParser(
        prog=f"blender --command {NAME}",
        description="Solve or bake the figures of a .blend file.",
        epilog="Exit status: 0 done, 1 something could not be solved, baked or saved, 2 wrong command line.",
    )
    actions = parser.add_subparsers(dest="action", metavar="ACTION", required=True)
    solve = actions.add_parser("solve", parents=[both], help="pose the figures in one frame")
    solve.add_argument("--frame", type=_frame, metavar="FRAME", help="which frame (default: as in the file)")
    bake = actions.add_parser("bake", parents=[both], help="keyframes over a range of frames")
    bake.add_argument("--start", type=_frame, metavar="FRAME", help="first frame (default: as in the file)")
    bake.add_argument("--end", type=_frame, metavar="FRAME", help="last frame (default: as in the file)")
    bake.add_argument("--step", type=_count, metavar="FRAMES", help="bake every nth frame")
    bake.add_argument("--clean", action="store_true", help="remove keys that change nothing")
    bake.add_argument(
        "--decimate",
        type=_length,
        metavar="METRES",
        help="remove keys that the motion does not need, within this margin of error",
    )
    summary = actions.add_parser(
        "summary",
        help="print what the reports of many files say",
        description="Print a line for each armature of each report.",
        epilog="Exit status: 0 all was done, 1 something was not, or a report is missing.",
    )
    summary.add_argument(
        "reports", type=Path, nargs="+", metavar="FILE", help="a report, or a directory of reports"
    )
    return parser


def _count(text: str) -> int:
    """A whole number above zero, for argparse."""
    if not text.isdecimal() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"'{text}' must be a whole number above zero")
    return int(text)


def _frame(text: str) -> int:
    """A frame that Blender can go to, for argparse."""
    from .control.bake.bake import frame_limits

    first, last = frame_limits()
    try:
        frame = int(text)
    except ValueError:
        frame = last + 1
    if not first <= frame <= last:
        raise argparse.ArgumentTypeError(f"'{text}' must be a frame from {first} to {last}")
    return frame


def _length(text: str) -> float:
    """A length of zero or more, for argparse."""
    try:
        length = float(text)
    except ValueError:
        length = math.nan
    if not 0.0 <= length < math.inf:
        raise argparse.ArgumentTypeError(f"'{text}' must be a length of zero or more")
    return length


def _say(text: str, *, failed: bool = False) -> None:
    """To the shell: a command line has no other place to speak."""
    print(text, file=sys.stderr if failed else sys.stdout, flush=True)


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
