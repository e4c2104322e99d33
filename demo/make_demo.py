#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""A person reaches for a ball: the extension's whole way, from the zip to a film, without a window.

`python build.py demo` runs this with Blender as a Python module. The extension is installed from its zip into
the profile that BLENDER_USER_RESOURCES names; the clip is made by its operators, as an animator makes it, and
then measured by Blender alone. It writes reach.blend, reach.mp4, reach.png and report.json.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent))

STILL_FRAME = 62


def main() -> int:
    """Make the demo."""
    options = _options()
    options.out.mkdir(parents=True, exist_ok=True)
    if "BLENDER_USER_RESOURCES" in os.environ:
        return _make(options)
    with tempfile.TemporaryDirectory(prefix="articulate-demo-") as profile:
        os.environ["BLENDER_USER_RESOURCES"] = profile
        return _make(options)


def _make(options: argparse.Namespace) -> int:
    # Blender reads the profile's place once, when it is imported.
    import bpy

    bpy.ops.wm.read_homefile(use_factory_startup=True, use_empty=True)
    _install(options.zip)
    # What is seen is modelled with the library, which comes with the extension.
    return {"elephant": _elephant, "person": _person}[options.figure](options)


def _elephant(options: argparse.Namespace) -> int:
    import elephant

    elephant.run(options.out, options.manual or options.out, set(options.skip))
    return 0


def _person(options: argparse.Namespace) -> int:
    import acting
    import bpy
    import figure
    import measuring
    import pictures
    import stage
    from body import dress

    materials = stage.make_materials()
    ball = stage.set_stage(materials)
    person = figure.make_figure()
    dress(person, materials)
    bpy.context.view_layer.update()

    acting.direct(person, ball)
    frames = range(1, stage.FRAMES + 1)
    changing = measuring.frame_change(frames)
    started, busy = time.perf_counter(), time.process_time()
    solver = acting.bake(person)
    seconds, busy = time.perf_counter() - started, time.process_time() - busy
    report = {
        "blender": bpy.app.version_string,
        "bones": len(person.pose.bones),
        "frames": len(frames),
        "bake_seconds": seconds,
        "ms_a_frame": 1e3 * seconds / len(frames),
        "ms_a_frame_of_processor": 1e3 * busy / len(frames),
        "ms_a_frame_change": 1e3 * changing,
        "method": solver["method"],
        "status": solver["status"],
        "message": solver["message"],
        "effectors": measuring.measure(person, frames),
        "largest_turn": measuring.largest_turn(person, frames),
        "clearance": measuring.clearance(
            person, bpy.data.objects["Table"], acting.lying_bones(person), frames
        ),
        "own_clearance": measuring.own_clearance(person, acting.parts_apart(person), frames),
    }
    files = _write(options, report, person, pictures)
    print(_table(report, files))
    return 0


def _write(options: argparse.Namespace, report: dict[str, Any], person: Any, pictures: Any) -> list[Path]:
    import bpy

    paths = {kind: options.out / name for kind, name in (
        ("still", "reach.png"), ("film", "reach.mp4"), ("blend", "reach.blend"), ("report", "report.json"),
    )}  # fmt: skip
    person.hide_render = True
    log = options.out / "render.log"
    log.unlink(missing_ok=True)
    print(f"Rendering, some minutes without a graphics card; Blender's own lines go to {log} ...", flush=True)
    with pictures.logged(log):
        if "still" not in options.skip:
            pictures.render_still(paths["still"], STILL_FRAME)
        if options.manual is not None:
            pictures.write_manual(options.manual, paths["still"])
        if "film" not in options.skip:
            pictures.render_film(paths["film"])
    bpy.context.scene.frame_set(1)
    bpy.ops.wm.save_as_mainfile(filepath=str(paths["blend"].resolve()), compress=True, check_existing=False)
    paths["report"].write_text(json.dumps(report, indent=1) + "\n", encoding="utf-8")
    return [path for kind, path in paths.items() if kind not in options.skip]


def _install(zip_path: Path) -> None:
    """Install and enable the extension, as "Install from Disk" does."""
    import bpy

    done = bpy.ops.extensions.package_install_files(
        filepath=str(zip_path.resolve()), repo="user_default", enable_on_install=True
    )
    if done != {"FINISHED"} or not hasattr(bpy.types.Object, "articulate"):
        raise SystemExit(f"Blender did not install and enable {zip_path}; what it printed says why.")


def _table(report: dict[str, Any], files: list[Path]) -> str:
    how = f"{report['frames']} frames baked with '{report['method']}', {report['ms_a_frame']:.2f} ms a frame"
    change = (
        f"{report['ms_a_frame_of_processor']:.2f} ms of it by the processor,"
        f" {report['ms_a_frame_change']:.2f} ms Blender's own change of frame"
    )
    lines = [
        f"\nBlender {report['blender']}, {report['bones']} bones: {how} ({change}).\n{report['message']}.",
        "Errors as Blender's evaluated pose shows them after the bake:\n",
        f"{'effector':12} {'kind':12} {'mean mm':>9} {'worst mm':>9} {'mean deg':>9} {'worst deg':>9}",
    ]
    for name, row in report["effectors"].items():
        cells = [row.get(key) for key in ("mean_mm", "worst_mm", "mean_degrees", "worst_degrees")]
        numbers = " ".join(f"{'-' if cell is None else format(cell, '.3f'):>9}" for cell in cells)
        lines.append(f"{name:12} {row['kind']:12} {numbers}")
    turn = report["largest_turn"]
    lines.append(f"\nFastest turn of a bone: {turn['degrees']:.2f} degrees in one frame ({turn['bone']}).")
    near = report["clearance"]
    if near["mm"] is not None:
        lines.append(
            f"The skin comes as near as {near['mm']:.1f} mm to the table (frame {near['frame']}), but for the"
            " hand that lies on it."
        )
    own = report["own_clearance"]
    if own["mm"] is not None:
        lines.append(
            f"Forearms and hands come as near as {own['mm']:.1f} mm to the body (frame {own['frame']})."
        )
    lines += [f"{path}  {path.stat().st_size / 1e3:.0f} kB" for path in files]
    return "\n".join(lines)


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n\n")[0])
    parser.add_argument("--zip", type=Path, required=True, help="the extension, as build.py makes it")
    parser.add_argument("--out", type=Path, default=Path("dist/demo"), help="directory for the results")
    parser.add_argument(
        "--skip", nargs="*", default=[], choices=["still", "film"], help="pictures to leave out"
    )
    parser.add_argument(
        "--figure",
        default="person",
        choices=["person", "elephant"],
        help="what to make: the person's clip, the elephant's, or the pictures of the manual's task pages",
    )
    parser.add_argument("--manual", type=Path, help="write the manual's pictures to this directory too")
    return parser.parse_args()


if __name__ == "__main__":
    result = main()
    sys.stdout.flush()
    # Not sys.exit: with Python handlers of add-ons left, Blender 4.2 crashes at its exit and 4.5 may hang.
    os._exit(result)
