# SPDX-License-Identifier: GPL-3.0-or-later
"""Ki & Sheen, example 7.5, figure 16, as a scene: "ANIC being moved to grasp an object on the table".

The figure has the bones and lengths of `ikmath.figures.human`; knees and elbows have Blender's own IK limits.
It is posed by the add-on's operators alone. As a script it writes the scene and a picture of it:

    python build.py papers -- ki_sheen_scene
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

import installed

if __name__ == "__main__":  # in the tests conftest.py does this
    installed.hide_source()
    installed.make_profile()
    installed.install(installed.find_zip())

import bpy
import numpy as np
from addon_scenes import add, animate, tip
from bridge_rigs import make_rig
from mathutils import Vector

import ikmath as ik

OBJECT = np.array([0.05, -0.62, 0.80])
TABLE = ((-0.6, -1.0, 0.68), (0.6, -0.4, 0.72))
FRAMES = 16
FEET = ("toe.L", "toe.R")
LEAVES = {
    "head": (0, 0, 0.2),
    "wrist.L": (0.16, 0, 0),
    "wrist.R": (-0.16, 0, 0),
    "toe.L": (0, -0.08, 0),
    "toe.R": (0, -0.08, 0),
}
SKIN, WOOD, RED = (0.25, 0.42, 0.62, 1.0), (0.45, 0.32, 0.2, 1.0), (0.75, 0.2, 0.15, 1.0)


def figure() -> bpy.types.Object:
    """ANIC, standing, arms to the sides."""
    human = ik.figures.human()
    place = ik.Pose.forward(human, human.rest).position
    follower = {"pelvis": "lumbar", "thorax": "neck"}
    rows = []
    for index, name in enumerate(human.names):
        parent = human.names[human.parents[index]] if human.parents[index] >= 0 else None
        children = [child for child, above in zip(human.names, human.parents, strict=True) if above == index]
        after = follower.get(name) or (children[0] if children else None)
        tail = place[human.names.index(after)] if after else place[index] + LEAVES[name]
        rows.append((name, parent, tuple(place[index]), tuple(tail)))
    rig = make_rig(rows)
    for bone in rig.pose.bones:
        bone.rotation_mode = "QUATERNION"
        if bone.name.startswith(("knee", "elbow")):  # bent a little, the way they bend
            bone.use_ik_limit_x = bone.use_ik_limit_z = True
            bone.ik_min_x, bone.ik_max_x, bone.ik_min_z, bone.ik_max_z = -2.5, 2.5, -2.5, 2.5
            sign = -1.0 if bone.name.startswith("knee") else 1.0
            bone.rotation_quaternion = (0.995, sign * 0.1, 0.0, 0.0)
    bpy.context.view_layer.update()
    return rig


def box(name: str, low, high) -> bpy.types.Object:
    """A box from corner to corner."""
    mesh = bpy.data.meshes.new(name)
    corners = [(x, y, z) for x in (low[0], high[0]) for y in (low[1], high[1]) for z in (low[2], high[2])]
    faces = [(0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3)]
    mesh.from_pydata(corners, [], faces)
    thing = bpy.data.objects.new(name, mesh)
    bpy.context.collection.objects.link(thing)
    return thing


def act(method: str) -> tuple[bpy.types.Object, bpy.types.Object]:
    """Let the right hand go to the object along internal points while both feet stand; baked.

    Returns:
        The figure and the hand's target.
    """
    rig = figure()
    box("Table", *TABLE).color = WOOD
    box("Object", OBJECT - 0.03, OBJECT + 0.03).color = RED
    rig.articulate.solver.method, rig.articulate.solver.root = method, "FREE"
    for name in FEET:
        add(name, "POSE").pinned = True
    begin = tip(rig, "wrist.R")
    hand = add("wrist.R").target
    path = ik.subdivide(begin, OBJECT, FRAMES - 2, center=tip(rig, "clavicle.R"), smooth=True)
    animate(hand, dict(enumerate([begin, *path], start=1)))
    if bpy.ops.articulate.bake(frame_start=1, frame_end=FRAMES) != {"FINISHED"}:
        raise RuntimeError("The bake did not finish.")
    return rig, hand


# ------------------------------------------------------------------ to look at
def flesh(rig: bpy.types.Object) -> None:
    """A box around each bone and a ball for a head, since bones are not rendered."""
    for bone in rig.data.bones:
        thick = 0.03 if bone.name.startswith(("clavicle", "toe", "wrist")) else 0.045
        if bone.name == "head":
            bpy.ops.mesh.primitive_uv_sphere_add(radius=0.11)
            part = bpy.context.object
            local = (0.0, -0.07, 0.0)
        else:
            part = box(f"{bone.name} flesh", (-thick, -bone.length, -thick), (thick, 0.0, thick))
            local = (0.0, 0.0, 0.0)
        part.color = SKIN
        part.parent, part.parent_type, part.parent_bone = rig, "BONE", bone.name
        part.location = local


def picture(path: Path, rig: bpy.types.Object) -> None:
    """Start, middle and end side by side, by Workbench: no display is needed."""
    scene = bpy.context.scene
    camera = bpy.data.objects.new("Camera", bpy.data.cameras.new("Camera"))
    scene.collection.objects.link(camera)
    camera.location = (2.9, -3.3, 1.7)
    camera.rotation_euler = (Vector((0.0, -0.35, 0.85)) - camera.location).to_track_quat("-Z", "Y").to_euler()
    camera.data.lens = 46
    scene.camera = camera
    scene.world = bpy.data.worlds.new("Paper")
    scene.world.color = (1.0, 1.0, 1.0)
    scene.view_settings.view_transform = "Standard"
    scene.render.engine = "BLENDER_WORKBENCH"
    scene.display.shading.light, scene.display.shading.color_type = "STUDIO", "OBJECT"
    scene.display.shading.show_shadows = True
    scene.render.resolution_x, scene.render.resolution_y = 480, 560
    scene.render.image_settings.file_format = "PNG"
    parts = []
    for frame in (1, FRAMES // 2, FRAMES):
        scene.frame_set(frame)
        scene.render.filepath = str(path.with_name(f"{path.stem}_{frame:02d}.png"))
        bpy.ops.render.render(write_still=True)
        image = bpy.data.images.load(scene.render.filepath)
        parts.append(np.array(image.pixels[:]).reshape(image.size[1], image.size[0], 4))
        bpy.data.images.remove(image)
        Path(scene.render.filepath).unlink()
    whole = np.concatenate(parts, 1)
    image = bpy.data.images.new("Figure 16", whole.shape[1], whole.shape[0])
    image.pixels = whole.ravel()
    image.filepath_raw, image.file_format = str(path), "PNG"
    image.save()
    bpy.data.images.remove(image)


def main() -> None:
    """Make the scene, save it and a picture, say where the hand and the feet are."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path, default=Path("dist/papers"))
    parser.add_argument("--method", default="bounded")
    options = parser.parse_args()
    bpy.ops.wm.read_homefile(use_factory_startup=True, use_empty=True)
    options.out.mkdir(parents=True, exist_ok=True)
    rig, hand = act(options.method)
    begin = {}
    worst = feet = 0.0
    for frame in range(1, FRAMES + 1):
        bpy.context.scene.frame_set(frame)
        worst = max(worst, float(np.linalg.norm(tip(rig, "wrist.R") - hand.matrix_world.translation)))
        for name in FEET:
            begin.setdefault(name, tip(rig, name))
            feet = max(feet, float(np.linalg.norm(tip(rig, name) - begin[name])))
    short = float(np.linalg.norm(tip(rig, "wrist.R") - OBJECT))
    print(f"  hand short of the object by {short:.1e} m, of its path by {worst:.1e} m at most")
    print(f"  feet moved by {feet:.1e} m; {rig.articulate.report['message']}")
    flesh(rig)
    for x in (TABLE[0][0], TABLE[1][0] - 0.05):
        for y in (TABLE[0][1], TABLE[1][1] - 0.05):
            box("Leg", (x, y, 0.0), (x + 0.05, y + 0.05, TABLE[0][2])).color = WOOD
    picture(options.out / "ki_sheen_figure_16_scene.png", rig)
    bpy.ops.wm.save_as_mainfile(filepath=str((options.out / "ki_sheen_figure_16.blend").resolve()))
    print("  drawn: ki_sheen_figure_16_scene.png; saved: ki_sheen_figure_16.blend")


if __name__ == "__main__":
    main()
    installed.disable()
    installed.remove_profile()
    installed.leave(0)
