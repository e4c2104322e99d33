# SPDX-License-Identifier: GPL-3.0-or-later
"""Trees over meshes from one press of *Solve* to the next: kept while nothing changed, and no longer."""

from __future__ import annotations

import bpy
import numpy as np
import pytest
from addon_scenes import arm, reach
from installed import module
from test_obstacles import among, box, distance

RADIUS = 0.1


@pytest.fixture
def built(monkeypatch):
    """Names of the meshes that were made anew, in order."""
    obstacles = module("bridge.obstacles")
    names, make = [], obstacles.TriangleMesh

    def counted(*arguments, **options):
        names.append(options["name"])
        return make(*arguments, **options)

    monkeypatch.setattr(obstacles, "TriangleMesh", counted)
    return names


def scene() -> tuple[bpy.types.Object, bpy.types.Object]:
    rig = arm()
    wall = box("Wall", (0.2, 6.0, 8.0), (1.6, 0.0, 2.0))
    among(rig, wall)
    reach(rig, "b3", (2.6, 0.0, 2.0))
    return rig, wall


def solve() -> None:
    assert bpy.ops.articulate.solve() == {"FINISHED"}


def test_nothing_is_built_again_for_the_same_mesh(built):
    rig, wall = scene()
    solve()
    first = distance(rig, wall)
    assert built == ["Wall"]
    solve()
    bpy.ops.articulate.bake(frame_start=1, frame_end=3)
    assert built == ["Wall"] and first > RADIUS - 0.01


@pytest.mark.solver
def test_a_mesh_that_moved_is_kept_and_one_that_changed_is_not(built):
    rig, wall = scene()
    solve()
    wall.location.x = 1.4
    solve()
    assert built == ["Wall"] and distance(rig, wall) > RADIUS - 0.01
    wall.data.vertices[0].co.x -= 0.3
    wall.data.update()
    solve()
    assert built == ["Wall", "Wall"] and distance(rig, wall) > RADIUS - 0.01
    wall.scale.y = 3.0
    solve()
    assert built == ["Wall"] * 3


def test_what_is_kept_goes_with_the_obstacles_the_figure_and_the_file(built):
    rig, _wall = scene()
    readers = module("control.collision.mesh_cache").MeshCache.readers
    solve()
    assert len(readers) == 1
    rig.articulate.obstacles["Wall"].enabled = False
    solve()
    assert not readers
    rig.articulate.obstacles["Wall"].enabled = True
    solve()
    assert built == ["Wall", "Wall"] and len(readers) == 1
    bpy.ops.wm.read_homefile(use_factory_startup=True, use_empty=True)
    assert not module("control.collision.mesh_cache").MeshCache.readers


def test_each_figure_keeps_its_own(built):
    first, wall = scene()
    solve()
    second = arm()
    other = box("Ball", (0.3, 0.3, 0.3), (3.0, 3.0, 3.0))
    among(second, other)
    reach(second, "b3", (0.5, 0.5, 2.0))
    solve()
    for rig in (first, second):
        bpy.context.view_layer.objects.active = rig
        solve()
    assert built == ["Wall", "Ball"]
    assert np.isfinite(distance(first, wall))
    bpy.data.objects.remove(second)
    bpy.context.view_layer.objects.active = first
    solve()
    assert len(module("control.collision.mesh_cache").MeshCache.readers) == 1
