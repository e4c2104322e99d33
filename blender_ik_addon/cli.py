# SPDX-License-Identifier: GPL-3.0-or-later
"""`blender --command articulate`: solve and bake files without a window, for farms and scripts."""

import argparse
import json
import math
import os
import shutil
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import bpy

from .control.report import reasons
from .properties.access import rig_of
from .properties.refusal import Refused
from .properties.rig import frame_limits

NAME = "articulate"
_OF_FILES = (RuntimeError, OSError, UnicodeError)  # errors of Blender and Python about files and their names
FAILED = "FAILED"
"""Status in the report of an armature that was not solved or baked."""


def run(arguments: list[str]) -> int:
    """Run the command.

    Args:
        arguments: the ones after `--command articulate`.

    Returns:
        0 on success, 1 if something could not be solved, baked or saved. Then nothing is saved, and the
            reason is printed and in the report. With `--exit-zero` it is also 0 if another machine would
            fail, too.

    Raises:
        SystemExit: 2 for a wrong command line; 0 after --help.
    """
    parser = _parser()
    options = parser.parse_args(arguments)
    if options.action == "summary":
        return summarise(options.reports)
    if options.exit_zero and not options.report:
        parser.error("--exit-zero needs --report: without it no failure is reported")
    for what, path in (("the .blend file", options.file), ("--output", options.output)):
        if path and options.report and path.resolve() == options.report.resolve():
            parser.error(f"--report would replace {what}, '{path}': choose another file")
    reports: dict[str, dict[str, Any]] = {}
    try:
        _require_place("--report", options.report)
    except OSError as reason:
        _say(str(reason), failed=True)
        return 1
    try:
        _solve_or_bake(options, reports)
    except (*reasons(), *_OF_FILES) as reason:
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
    """Solve or bake, save, and add to the reports; raises errors that concern the whole file."""
    from .control.live.following import Following

    _require_place("--output", options.output)
    bpy.ops.wm.open_mainfile(filepath=str(options.file.resolve()))
    if options.scene is not None:
        scene = bpy.data.scenes.get(options.scene)
        if scene is None:
            raise _unknown("scene", options.scene, options.file, bpy.data.scenes.keys())
        for window in bpy.context.window_manager.windows:
            window.scene = scene
    if options.action == "solve" and options.frame is not None:
        bpy.context.scene.frame_set(options.frame)
    rigs = {o.name: o for o in bpy.context.scene.objects if o.type == "ARMATURE"}
    for name in options.armature or ():
        if name not in rigs:
            reports[name] = _failed(options, _unknown("armature", name, options.file, rigs))
    chosen = dict.fromkeys(options.armature or (name for name, rig in rigs.items() if rig_of(rig).effectors))
    if not chosen:
        raise Refused(
            f"No armature in scene '{bpy.context.scene.name}' of {options.file.name} has effectors: "
            "add one to a bone, and save the file"
        )
    for rig, _ in () if reports else Following().order([rigs[name] for name in chosen]):
        reports[rig.name] = _do(rig, options)
    if options.output and not _any_failed(reports):
        _save(options.output)


def _save(output: Path) -> None:
    """Save the file and read it back, because Blender may report success on a full disk.

    Raises:
        OSError: the file could not be saved; an existing file is unchanged.
    """
    try:
        with _replacing(output) as beside:
            bpy.ops.wm.save_as_mainfile(filepath=str(beside), copy=True)
            reading: Any = bpy.data.libraries.load(str(beside))
            with reading:
                pass  # reads the index at the end of the file
    except _OF_FILES as reason:
        free = shutil.disk_usage(output.resolve().parent).free / 1e6
        raise OSError(
            f"'{output}' could not be saved and is unchanged: {_sentence(reason)}"
            f" ({free:.1f} MB are free there)"
        ) from reason


@contextmanager
def _replacing(path: Path) -> Iterator[Path]:
    """A temporary file beside another one, which replaces it when complete."""
    path = path.resolve()
    beside = path.with_name(f".{path.stem}-{os.getpid()}{path.suffix}")
    try:
        yield beside
        with beside.open("rb+") as written:
            os.fsync(written.fileno())  # some file systems report a full disk only now
        beside.replace(path)
    finally:
        beside.unlink(missing_ok=True)


def _do(rig: bpy.types.Object, options: argparse.Namespace) -> dict[str, Any]:
    """The report of one armature; a failure does not prevent the other ones."""
    from .control.frame.solve import solve_now

    try:
        _require_drivers(rig)
        return solve_now(rig, bpy.context) if options.action == "solve" else _bake(rig, options)
    except (*reasons(), RuntimeError) as reason:
        return _failed(options, reason)


def _require_drivers(rig: bpy.types.Object) -> None:
    """Refuse a figure that depends on a driver that Blender skipped, which is 0 then."""
    from .bridge.evaluated import all_followed

    bpy.context.evaluated_depsgraph_get()
    for thing in all_followed(rig) if bpy.app.autoexec_fail else ():
        for data in filter(None, (owner.animation_data for owner in (thing, thing.data) if owner)):
            for curve in data.drivers:
                if not (curve.mute or curve.driver.is_valid):
                    raise Refused(
                        f"The driver of '{thing.name}' on {curve.data_path} did not run, because Python in"
                        " files is not allowed: start Blender with -y to allow it"
                    )


def _failed(options: argparse.Namespace, reason: Exception) -> dict[str, Any]:
    """The report of a failure; `retry` is whether another attempt or machine may succeed."""
    retry = isinstance(reason, RuntimeError | OSError)
    return {"operation": options.action, "status": FAILED, "message": _sentence(reason), "retry": retry}


def _any_failed(reports: dict[str, dict[str, Any]]) -> bool:
    return any(report["status"] == FAILED for report in reports.values())


def _bake(rig: bpy.types.Object, options: argparse.Namespace) -> dict[str, Any]:
    from .control.bake.bake import Bake, BakeOptions

    given = {
        "frame_start": options.start,
        "frame_end": options.end,
        "step": options.step,
        "clean_curves": options.clean or None,
        "decimate": None if options.decimate is None else True,
        "remove_error_margin": options.decimate,
    }
    settings = rig_of(rig).bake.options(bpy.context.scene)
    settings |= {name: value for name, value in given.items() if value is not None}
    return Bake(rig, bpy.context, BakeOptions(**settings)).run(bpy.context)


def _require_place(option: str, path: Path | None) -> None:
    """Check that a file can be written, before an hour of baking.

    Raises:
        OSError: it cannot. Another machine may succeed, because a missing directory may be a mount.
    """
    if path is None:
        return
    if not path.resolve().parent.is_dir():
        raise OSError(f"There is no directory '{path.resolve().parent}' for {option}: make it first")
    if path.exists() and not (path.is_file() and os.access(path, os.W_OK)):
        raise OSError(f"'{path}' for {option} is not a file that can be written: choose another one")


def _sentence(reason: Exception) -> str:
    """The message of an error, without Blender's prefix."""
    return str(reason).removeprefix("Error: ").strip()


def _unknown(what: str, name: str, file: Path, there: Iterable[str]) -> Refused:
    """The refusal of a name that a file does not have."""
    known = ", ".join(f"'{each}'" for each in there) or "none"
    return Refused(f"There is no {what} '{name}' in {file.name}; it has: {known}")


def _parser() -> argparse.ArgumentParser:
    first, last = frame_limits()
    frame = _between(int, first, last, f"a whole number from {first} to {last}")
    count = _between(int, 1, math.inf, "a whole number above zero")
    length = _between(float, 0.0, sys.float_info.max, "a length of zero or more")
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
    solve.add_argument("--frame", type=frame, metavar="FRAME", help="which frame (default: as in the file)")
    bake = actions.add_parser("bake", parents=[both], help="keyframes over a range of frames")
    bake.add_argument("--start", type=frame, metavar="FRAME", help="first frame (default: as in the file)")
    bake.add_argument("--end", type=frame, metavar="FRAME", help="last frame (default: as in the file)")
    bake.add_argument("--step", type=count, metavar="FRAMES", help="bake every nth frame, and the last")
    bake.add_argument("--clean", action="store_true", help="remove keys that change nothing")
    bake.add_argument(
        "--decimate",
        type=length,
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


def _between(kind: Callable[[str], float], first: float, last: float, what: str) -> Callable[[str], float]:
    """A number of a kind, from the first to the last one, for argparse."""

    def read(text: str) -> float:
        try:
            value = kind(text)
        except ValueError:
            value = math.nan
        if not first <= value <= last:
            raise argparse.ArgumentTypeError(f"'{text}' must be {what}")
        return value

    return read


def _say(text: str, *, failed: bool = False) -> None:
    print(text, file=sys.stderr if failed else sys.stdout, flush=True)


class _Command:
    """The registered command; Blender's handle is needed to unregister it."""

    handle: Any = None


def attach() -> None:
    """Register the command."""
    _Command.handle = bpy.utils.register_cli_command(NAME, run)


def detach() -> None:
    """Unregister the command."""
    if _Command.handle is not None:
        bpy.utils.unregister_cli_command(_Command.handle)
        _Command.handle = None


def summarise(places: Sequence[Path]) -> int:
    """Print the lines of reports, or of directories of reports (`*.json`); failures to standard error.

    Returns 1 if something failed or a report cannot be read, else 0.
    """
    failures = 0
    for place in places:
        # the directory itself if it has no reports, so that this is reported
        for path in (sorted(place.glob("*.json")) if place.is_dir() else []) or [place]:
            for status, line in _lines(path):
                failures += status == FAILED
                _say(line, failed=status == FAILED)
    return int(failures > 0)


def _lines(path: Path) -> Iterator[tuple[str, str]]:
    """Status and text for each armature in a report."""
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
        found = [(name, report["status"], report["message"]) for name, report in content.items()]
    except OSError as reason:
        why = f"it cannot be read: {reason.strerror}"
        if path.is_dir():
            why = "there is no report (*.json) in this directory"
        elif not path.exists():
            why = "there is no such file or directory"
        yield FAILED, f"{path}: FAILED: {why}"
        return
    except (ValueError, TypeError, KeyError, AttributeError):
        yield FAILED, f"{path}: FAILED: this is not a report, or it is incomplete; bake the shot again"
        return
    if not found:
        yield FAILED, f"{path}: FAILED: the report is empty"
    for name, status, message in found:
        yield status, f"{path}: {name}: {status}: {message}"
