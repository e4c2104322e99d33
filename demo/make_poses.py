#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Pictures of everyday poses for the manual: a person, a wolf and a hand, with even and with natural effort.

python demo/make_poses.py ZIP OUT [NAME ...] with Blender as a Python module. The extension is installed into
a profile of its own. The person is seen from two sides; wolf and hand from one, and before it as well.
"""

from __future__ import annotations

import os
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent))

EFFORTS = ("EVEN", "WEIGHT")
AWAY = 6.0  # of the camera, metres


@dataclass(frozen=True)
class Cast:
    """Who takes the poses, and how they are seen.

    Attributes:
        module: with `dress` and, unless another has them, `POSES`; poses: the module with these.
        metarig: of Rigify; hips: bone that the camera looks at from above; prefix: of the pictures' names.
        relaxed: whether it stands at ease before; before: whether this is shown.
        views: from where; size: of a picture, pixels; wide, middle: metres that it shows, and height of its
            middle.
    """

    module: str
    poses: str
    metarig: str
    hips: str
    prefix: str
    relaxed: bool
    before: bool
    views: tuple[tuple[float, float, float], ...]
    size: tuple[int, int]
    wide: float
    middle: float


CASTS = (
    Cast(
        "body", "everyday", "human", "spine", "pose", relaxed=True, before=False,
        views=((2.2, -3.2, 1.3), (4.0, 0.0, 1.0)), size=(360, 400), wide=2.7, middle=1.05,
    ),
    Cast(
        "wolf", "wolf", "wolf", "spine.007", "pose-wolf", relaxed=False, before=True,
        views=((3.4, -2.2, 1.1),), size=(480, 360), wide=2.3, middle=0.55,
    ),
    Cast(
        "body", "hand", "human", "palm.02.L", "pose-hand", relaxed=False, before=True,
        views=((-0.9, -2.6, 0.7),), size=(360, 270), wide=0.42, middle=1.16,
    ),
)  # fmt: skip


def main() -> None:
    """Make them."""
    zip_path, out, names = Path(sys.argv[1]).resolve(), Path(sys.argv[2]), sys.argv[3:]
    with tempfile.TemporaryDirectory(prefix="articulate-poses-") as profile:
        os.environ["BLENDER_USER_RESOURCES"] = profile
        import bpy

        bpy.ops.extensions.package_install_files(
            filepath=str(zip_path), repo="user_default", enable_on_install=True
        )
        import importlib

        import pictures

        for cast in CASTS:
            for name, pose in importlib.import_module(cast.poses).POSES.items():
                picture = f"{cast.prefix}-{name.replace(' ', '-')}"
                if not names or picture in names:
                    parts = [part for effort in EFFORTS for part in _take(cast, pose, effort)]
                    pictures.save_picture(_beside(parts, cast.size), out / f"{picture}.webp")


def _take(cast: Cast, pose: Any, effort: str) -> list[Any]:
    """The figure in a pose, from all sides; with even effort also before, if that is to be shown."""
    import importlib

    import bpy
    import everyday
    import stage

    bpy.ops.wm.read_homefile(use_factory_startup=True, use_empty=True)
    import addon_utils

    addon_utils.enable("rigify", default_set=True)
    materials = stage.make_materials()
    getattr(bpy.ops.object, f"armature_{cast.metarig}_metarig_add")()
    figure = bpy.context.object
    importlib.import_module(cast.module).dress(figure, materials)
    figure.hide_render = True
    bpy.ops.mesh.primitive_plane_add(size=40)
    bpy.context.object.data.materials.append(materials["Room"])
    if pose.block:
        stage.add_block(pose.block, materials["Wood"])
    figure.articulate.solver.effort = effort
    bpy.context.view_layer.update()
    bpy.context.view_layer.objects.active = figure
    if cast.relaxed:
        bpy.ops.articulate.relaxed_stance()
        bpy.context.view_layer.update()
    rendered = _seen(cast, figure) if cast.before and effort == EFFORTS[0] else []
    print(everyday.take(figure, pose))
    return rendered + _seen(cast, figure)


def _seen(cast: Cast, figure: Any) -> list[Any]:
    """What there is, from all sides."""
    import bpy
    import pictures
    from mathutils import Vector

    eye = bpy.data.objects.new("Eye", bpy.data.cameras.new("Eye"))
    bpy.context.scene.collection.objects.link(eye)
    eye.data.type, eye.data.ortho_scale = "ORTHO", cast.wide
    bpy.context.scene.camera = eye
    hips = figure.pose.bones[cast.hips].head
    middle = Vector((hips.x, hips.y, cast.middle))
    rendered = []
    for view in cast.views:
        eye.location = middle + AWAY * Vector(view).normalized()
        eye.rotation_euler = (middle - eye.location).to_track_quat("-Z", "Y").to_euler()
        rendered += pictures.render_frames([1], cast.size)
    return rendered


def _beside(parts: Sequence[Any], size: tuple[int, int]) -> Any:
    """Pictures in a row."""
    from PIL import Image

    row = Image.new("RGB", (size[0] * len(parts), size[1]))
    for number, part in enumerate(parts):
        row.paste(part, (size[0] * number, 0))
    return row


if __name__ == "__main__":
    main()
