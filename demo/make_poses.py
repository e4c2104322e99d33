#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Pictures of everyday poses for the manual: each solved with even and with natural effort, seen from the front and the side.

python demo/make_poses.py ZIP OUT [NAME ...] with Blender as a Python module. The extension is installed into
a profile of its own.
"""

from __future__ import annotations

import os
import sys
import tempfile
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent))

EFFORTS = ("EVEN", "WEIGHT")
SIZE = (360, 400)
VIEWS = ((2.2, -3.2, 1.3), (4.0, 0.0, 1.0))  # from where, metres
AWAY, WIDE, MIDDLE = 6.0, 2.7, 1.05  # of the camera: distance, metres that it shows, height it looks at


def main() -> None:
    """Make them."""
    zip_path, out, names = Path(sys.argv[1]).resolve(), Path(sys.argv[2]), sys.argv[3:]
    with tempfile.TemporaryDirectory(prefix="articulate-poses-") as profile:
        os.environ["BLENDER_USER_RESOURCES"] = profile
        import bpy

        bpy.ops.extensions.package_install_files(
            filepath=str(zip_path), repo="user_default", enable_on_install=True
        )
        import everyday
        import pictures

        for name in names or everyday.POSES:
            parts = [part for effort in EFFORTS for part in _take(everyday.POSES[name], effort)]
            pictures.save_picture(_beside(parts), out / f"pose-{name.replace(' ', '-')}.webp")


def _take(pose: Any, effort: str) -> list[Any]:
    """The figure in a pose, from all sides."""
    import bpy
    import everyday
    import pictures
    import stage
    from body import dress
    from mathutils import Vector

    bpy.ops.wm.read_homefile(use_factory_startup=True, use_empty=True)
    import addon_utils

    addon_utils.enable("rigify", default_set=True)
    materials = stage.make_materials()
    bpy.ops.object.armature_human_metarig_add()
    person = bpy.context.object
    dress(person, materials)
    person.hide_render = True
    bpy.ops.mesh.primitive_plane_add(size=40)
    bpy.context.object.data.materials.append(materials["Room"])
    person.articulate.solver.effort = effort
    bpy.context.view_layer.update()
    bpy.context.view_layer.objects.active = person
    bpy.ops.articulate.relaxed_stance()
    bpy.context.view_layer.update()
    print(everyday.take(person, pose))
    eye = bpy.data.objects.new("Eye", bpy.data.cameras.new("Eye"))
    bpy.context.scene.collection.objects.link(eye)
    eye.data.type, eye.data.ortho_scale = "ORTHO", WIDE
    bpy.context.scene.camera = eye
    hips = person.pose.bones["spine"].head
    middle = Vector((hips.x, hips.y, MIDDLE))
    rendered = []
    for view in VIEWS:
        eye.location = middle + AWAY * Vector(view).normalized()
        eye.rotation_euler = (middle - eye.location).to_track_quat("-Z", "Y").to_euler()
        rendered += pictures.render_frames([1], SIZE)
    return rendered


def _beside(parts: list[Any]) -> Any:
    """Pictures in a row."""
    from PIL import Image

    row = Image.new("RGB", (SIZE[0] * len(parts), SIZE[1]))
    for number, part in enumerate(parts):
        row.paste(part, (SIZE[0] * number, 0))
    return row


if __name__ == "__main__":
    main()
