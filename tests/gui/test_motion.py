# SPDX-License-Identifier: GPL-3.0-or-later
"""The mouse against a wall; and while the animation plays: a drag is recorded, a live target is moved."""

from __future__ import annotations

import math

import pytest

from tests.gui.blender_window import BlenderWindow
from tests.gui.test_dragging import FIGURE, PLACES

WALL = """
bpy.ops.object.mode_set(mode='OBJECT')
bpy.ops.mesh.primitive_cube_add(size=2.0, location=(1.7, 0.0, 1.2), scale=(0.6, 1.0, 1.2))
bpy.context.object.name = 'Wall'
rig = bpy.data.objects['Figure']
bpy.context.view_layer.objects.active = rig
bpy.ops.object.mode_set(mode='POSE')
bpy.ops.articulate.obstacle_add(object='Wall')
bpy.ops.wm.tool_set_by_id(name='articulate.drag_bone')
"""
WATCH = """
# After every update of the scene: how near the bones' own lines are to the wall, by Blender's own search.
nearest = []
def look(scene, depsgraph):
    rig = bpy.data.objects['Figure'].evaluated_get(depsgraph)
    wall = bpy.data.objects['Wall'].evaluated_get(depsgraph)
    into = wall.matrix_world.inverted()
    for bone in rig.pose.bones:
        for share in (0.0, 0.25, 0.5, 0.75, 1.0):
            point = rig.matrix_world @ bone.head.lerp(bone.tail, share)
            found, place, normal, _ = wall.closest_point_on_mesh(into @ point)
            way = point - wall.matrix_world @ place
            inside = (into @ point - place).dot(normal) < 0.0
            nearest.append(-way.length if inside else way.length)
bpy.app.driver_namespace['nearest'] = nearest
bpy.app.driver_namespace['look'] = look
bpy.app.handlers.depsgraph_update_post.append(look)
"""
UNWATCH = """
bpy.app.handlers.depsgraph_update_post.remove(bpy.app.driver_namespace.pop('look'))
nearest = bpy.app.driver_namespace.pop('nearest')
result = [len(nearest), min(nearest)]
"""
KEYS = """
curves = curves_of(bpy.data.objects['Figure'])
result = {f'{c.data_path} {c.array_index}': [list(k.co) for k in c.keyframe_points] for c in curves}
"""
PLAY = "bpy.ops.screen.animation_play()"
STOP = "bpy.ops.screen.animation_cancel(restore_frame=False)"
HEADER_SECONDS = 2.0


@pytest.fixture
def figure(window: BlenderWindow) -> BlenderWindow:
    """A figure in Pose Mode, seen from the front, both feet pinned, with the tool in hand."""
    window.operate(FIGURE)
    window.settle()
    return window


def test_a_hand_stops_at_a_wall_and_nothing_enters_it(figure: BlenderWindow):
    figure.operate(WALL)
    figure.settle()
    figure.run(WATCH)
    start = figure.pixel_of(figure.run(PLACES)["hand.L"])
    figure.move(*start)
    figure.press()
    figure.glide(start, figure.pixel_of((1.9, 0.0, 1.2)), steps=12)
    figure.settle(HEADER_SECONDS)
    figure.screenshot("drag_against_wall", fine=True)
    figure.release()
    figure.settle()
    count, least = figure.run(UNWATCH)
    assert count > 500
    assert least > 0.0, "A bone was in the wall on the way."
    after = figure.run(PLACES)["hand.L"]
    assert 0.95 < after[0] < 1.1, "The hand did not go up to the wall."
    message = figure.run("result = bpy.data.objects['Figure'].articulate.message")
    assert "Wall" in message
    figure.screenshot("dragged_against_wall")


def test_a_drag_during_playback_is_recorded_in_one_undo_step(figure: BlenderWindow):
    figure.operate(
        "bpy.context.scene.frame_end = 200\n"
        "bpy.data.objects['Figure'].articulate.record = True\n"
        "bpy.ops.ed.undo_push(message='record')\n" + PLAY
    )
    figure.show_tab("Articulate")
    start = figure.pixel_of(figure.run(PLACES)["hand.L"])
    figure.move(*start)
    figure.press()
    figure.glide(start, figure.pixel_of((0.7, 0.0, 2.0)), steps=10)
    figure.glide(figure.pixel_of((0.7, 0.0, 2.0)), figure.pixel_of((0.9, 0.0, 1.2)), steps=10)
    figure.screenshot("recording")
    assert figure.run(KEYS) == {}
    figure.release()
    keys = figure.wait_for(KEYS, lambda now: len(now) > 0)
    figure.operate(STOP)
    figure.screenshot("recorded")
    frames = [[key[0] for key in curve] for curve in keys.values()]
    assert all(one == frames[0] for one in frames) and len(frames[0]) > 5
    highest = max(keys, key=lambda name: max(k[1] for k in keys[name]) - min(k[1] for k in keys[name]))
    figure.run(f"bpy.context.scene.frame_set({int(frames[0][len(frames[0]) // 2])})")
    assert figure.run(PLACES)["hand.L"][2] > 1.5, f"It is not played again ({highest} moves most)."
    figure.key("ctrl+z")
    figure.wait_for(KEYS, lambda now: now == {})


def test_escape_during_playback_sets_no_key(figure: BlenderWindow):
    before = figure.run(PLACES)
    figure.operate("bpy.data.objects['Figure'].articulate.record = True\n" + PLAY)
    start = figure.pixel_of(before["hand.L"])
    figure.move(*start)
    figure.press()
    figure.glide(start, figure.pixel_of((0.7, 0.0, 2.0)), steps=6)
    figure.key("Escape")
    figure.release()
    figure.operate(STOP)
    figure.wait_for(PLACES, lambda now: math.dist(now["hand.L"], before["hand.L"]) < 1e-5)
    assert figure.run(KEYS) == {}


def test_a_target_that_is_moved_by_mouse_during_playback_is_followed(figure: BlenderWindow):
    figure.operate(
        "bpy.ops.articulate.effector_add(bone='hand.L')\n"
        "rig = bpy.data.objects['Figure']\n"
        "rig.articulate.live = True\n"
        "bpy.ops.object.mode_set(mode='OBJECT')\n"
        "bpy.ops.object.select_all(action='DESELECT')\n"
        "target = rig.articulate.effectors['hand.L'].target\n"
        "target.select_set(True); bpy.context.view_layer.objects.active = target\n" + PLAY
    )
    start = figure.pixel_of(figure.run(PLACES)["hand.L"])
    figure.move(*start)
    figure.key("g")
    figure.glide(start, figure.pixel_of((0.6, 0.0, 1.95)), steps=8)
    figure.screenshot("live_target_in_hand")
    figure.click(*figure.pixel_of((0.6, 0.0, 1.95)))
    figure.settle()
    figure.operate(STOP)
    place = figure.run("result = list(bpy.data.objects['Target hand.L'].matrix_world.translation)")
    assert math.dist((place[0], place[2]), (0.6, 1.95)) < 0.03
    figure.wait_for(PLACES, lambda now: math.dist(now["hand.L"], place) < 1e-3)
    assert figure.run("result = bpy.context.scene.frame_current") > 1
    assert figure.run(KEYS) == {}
    figure.screenshot("live_target_moved")


RENDER = """
import threading
import time
rig = bpy.data.objects['Figure']
bpy.ops.articulate.effector_add(bone='hand.L')
target = rig.articulate.effectors['hand.L'].target
for frame, z in ((1, 1.45), (8, 2.0)):
    target.location.z = z
    target.keyframe_insert('location', frame=frame)
rig.articulate.live = True
scene = bpy.context.scene
scene.frame_start, scene.frame_end = 1, 8
scene.render.engine = 'CYCLES'
scene.render.use_lock_interface = True
scene.cycles.samples = 1
scene.cycles.use_denoising = False
scene.render.resolution_x = scene.render.resolution_y = 16
scene.render.filepath = '/tmp/articulate-render-'
camera = bpy.data.objects.new('Camera', bpy.data.cameras.new('Camera'))
scene.collection.objects.link(camera)
scene.camera = camera
poses, ended, hovers = {}, [], []
def hover():
    if bpy.app.is_job_running('RENDER'):
        groups = bpy.types.GizmoGroup.__subclasses__()
        with bpy.context.temp_override(**view()):
            hovers.extend(one.poll(bpy.context) for one in groups if one.bl_idname == 'ARTICULATE_GGT_hover')
    return None if hovers or ended else 0.0
def look(scene, depsgraph):
    if depsgraph.mode == 'RENDER':
        for _ in range(500):
            if not hovers:
                time.sleep(0.01)
        bones = bpy.data.objects['Figure'].pose.bones
        pose = [list(b.rotation_quaternion) for b in bones]
        poses[scene.frame_current] = [pose, threading.current_thread() is threading.main_thread()]
bpy.app.handlers.frame_change_post.append(look)
bpy.app.handlers.render_complete.append(lambda *_: ended.append(True))
bpy.app.timers.register(hover)
bpy.app.driver_namespace['render'] = (look, poses, ended, hovers)
bpy.ops.render.render('INVOKE_DEFAULT', animation=True)
"""
RENDERED = """
look, poses, ended, hovers = bpy.app.driver_namespace['render']
result = [bool(ended), poses, hovers]
"""
POSE = """
bpy.context.scene.frame_set({frame})
result = [list(b.rotation_quaternion) for b in bpy.data.objects['Figure'].pose.bones]
"""


def test_a_render_by_the_window_on_a_thread_of_its_own_shows_what_scrubbing_shows(figure: BlenderWindow):
    figure.operate(RENDER)
    _, poses, hovers = figure.wait_for(RENDERED, lambda found: found[0], 120.0)
    figure.screenshot("rendered_live")
    figure.key("Escape")
    figure.run("bpy.app.handlers.frame_change_post.remove(bpy.app.driver_namespace.pop('render')[0])")
    figure.run("bpy.app.handlers.render_complete.clear()")
    assert sorted(map(int, poses)) == list(range(1, 9))
    assert not all(main for _, main in poses.values()), "Blender rendered on the main thread."
    assert hovers == [False], (
        "A gizmo ran Python in the meantime, after which Blender may refuse all writing."
    )
    for frame, (pose, _) in poses.items():
        scrubbed = figure.run(POSE.format(frame=frame))
        away = max(
            abs(a - b)
            for one, other in zip(pose, scrubbed, strict=True)
            for a, b in zip(one, other, strict=True)
        )
        assert away < 1e-6, f"Frame {frame} was rendered otherwise than it is shown."
