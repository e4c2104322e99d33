# SPDX-License-Identifier: GPL-3.0-or-later
"""A shot with live figures is saved in a window and rendered by a Blender without one, as on a farm."""

from __future__ import annotations

import json

from tests.gui.blender_window import BlenderWindow
from tests.gui.test_dragging import FIGURE

FRAMES = (1, 4, 7)
SHOT = """
rig = bpy.data.objects['Figure']
bpy.ops.articulate.effector_add(bone='hand.L')
target = rig.articulate.effectors['hand.L'].target
for frame, x, z in ((1, 0.9, 1.45), (7, 0.5, 2.0)):
    target.location.x, target.location.z = x, z
    target.keyframe_insert('location', frame=frame)
second = rig.copy()
second.name, second.location.y = 'Second', 1.0
bpy.context.collection.objects.link(second)
for effector in second.articulate.effectors:
    effector.pin_location.y += 1.0
bpy.ops.object.mode_set(mode='OBJECT')
bpy.ops.mesh.primitive_cube_add(size=0.4, location=(0.75, 0.0, 1.95))
box = bpy.context.object
box.name = 'Box'
bpy.context.view_layer.objects.active = rig
bpy.ops.articulate.body_fit()
bpy.ops.articulate.obstacle_add(object='Box')
rig.articulate.live = second.articulate.live = True
scene = bpy.context.scene
camera = bpy.data.objects.new('Camera', bpy.data.cameras.new('Camera'))
scene.collection.objects.link(camera)
scene.camera = camera
scene.frame_start, scene.frame_end, scene.frame_step = 1, 7, 3
scene.render.engine, scene.cycles.samples, scene.cycles.use_denoising = 'CYCLES', 1, False
scene.render.resolution_x = scene.render.resolution_y = 16
scene.render.filepath = 'HOME/frame-'
bpy.ops.wm.save_as_mainfile(filepath='HOME/shot.blend')
"""
POSES = (
    "{n: [list(b.rotation_quaternion) for b in bpy.data.objects[n].pose.bones] for n in ('Figure', 'Second')}"
)
LOOK = f"""
import json
import bpy
def look(scene, depsgraph):
    if depsgraph.mode == 'RENDER':
        print('POSED', json.dumps([scene.frame_current, {POSES}]))
bpy.app.handlers.frame_change_post.append(look)
"""


def test_what_a_farm_renders_is_what_was_seen(window: BlenderWindow):
    window.operate(FIGURE)
    window.operate(SHOT.replace("HOME", window.home))
    seen = {}
    for frame in FRAMES:
        seen[frame] = window.run(f"bpy.context.scene.frame_set({frame})\nresult = {POSES}")
    printed = window.background(f"{window.home}/shot.blend", "SCRIPT", "-a", script=LOOK)
    lines = [line.removeprefix("POSED ") for line in printed.splitlines() if line.startswith("POSED ")]
    rendered = dict(json.loads(line) for line in lines)
    assert sorted(rendered) == list(FRAMES), printed
    for frame in FRAMES:
        assert seen[frame] == rendered[frame], f"frame {frame}"
    assert seen[7]["Figure"] != seen[7]["Second"], "The box is in the way of the first one only."
