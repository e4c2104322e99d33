# SPDX-License-Identifier: GPL-3.0-or-later
"""Critical points of whole figures against plain loops, and their Jacobian against finite differences."""

from __future__ import annotations

from dataclasses import replace

import figures
import meshes
import numpy as np
import pytest

from ikmath import IkError, Joint, Pose, Skeleton
from ikmath.collision import (
    MODES,
    Body,
    Capsule,
    HalfSpace,
    Link,
    Scene,
    Sphere,
    TriangleMesh,
    critical_points,
    self_pairs,
)


def world_ends(pose, body, i):
    """Ends of link i of a single pose, by hand."""
    joint = pose.skeleton.index(body.joints[i])
    turn, place = pose.rotation[joint], pose.position[joint]
    return [turn @ np.asarray(end) + place for end in (body.links[i].a, body.links[i].b)]


def plain(pose, body, obstacles, pairs):
    """Clearance of every pair by plain loops: {(link, obstacle, other): clearance}."""
    found = {}
    for i, link in enumerate(body.links):
        a, b = world_ends(pose, body, i)
        for k, shape in enumerate(obstacles):
            found[i, k, -1] = float(shape.nearest_segment(a, b).distance) - link.radius
    for i, j in pairs:
        a, b = world_ends(pose, body, i)
        c, d = world_ends(pose, body, j)
        rod = Capsule(c, d, 1.0)
        gap = float(rod.nearest_segment(a, b).distance) + 1.0
        found[i, -1, j] = gap - body.links[i].radius - body.links[j].radius
    return found


def scene_of(seed, inherit=1.0):
    rng = np.random.default_rng(seed)
    skeleton = figures.tree(rng, inherit=inherit)
    body = figures.body(rng, skeleton)
    pairs = self_pairs(skeleton, body)
    return rng, skeleton, body, figures.obstacles(rng), pairs


@pytest.mark.parametrize("seed", range(12))
def test_near_pairs_equal_a_plain_loop(seed):
    """The broad phase changes nothing: every pair below the cut-off is there, no other, with the same
    clearance."""
    rng, skeleton, body, obstacles, pairs = scene_of(seed)
    scene = Scene(skeleton, body, obstacles, pairs)
    for _ in range(4):
        pose = Pose.forward(skeleton, rng.normal(size=skeleton.n))
        every = plain(pose, body, obstacles, pairs)
        assert float(scene.clearance(pose)) == pytest.approx(min(every.values()), abs=1e-12)
        for detect in (0.05, 0.4, np.inf):
            near = scene.near(pose, detect)
            expected = {key: value for key, value in every.items() if value < detect}
            rows = zip(near.link, near.obstacle, near.other, near.clearance, strict=True)
            got = {(int(i), int(k), int(j)): value for i, k, j, value in rows}
            assert set(got) == set(expected)
            for key, value in expected.items():
                assert got[key] == pytest.approx(value, abs=1e-12)
            assert float(near.worst) == pytest.approx(min(expected.values(), default=np.inf), abs=1e-12)


@pytest.mark.parametrize("seed", range(6))
def test_critical_points_explain_the_clearance(seed):
    rng, skeleton, body, obstacles, pairs = scene_of(seed)
    pose = Pose.forward(skeleton, rng.normal(size=skeleton.n))
    near = critical_points(pose, body, obstacles, pairs)
    assert len(near) == len(body) * len(obstacles) + len(pairs)
    np.testing.assert_allclose(near.critical - near.point, near.clearance[:, None] * near.normal, atol=1e-12)
    for row in range(len(near)):
        i = near.link[row]
        a, b = world_ends(pose, body, i)
        axis = a + near.parameter[row] * (b - a)
        np.testing.assert_allclose(axis - body.radius[i] * near.normal[row], near.critical[row], atol=1e-12)
        assert near.motion.joints[near.link[row]] == skeleton.index(body.joints[i])
        if near.obstacle[row] >= 0:
            assert near.names[row] == obstacles[near.obstacle[row]].name
            assert abs(obstacles[near.obstacle[row]].nearest(near.point[row]).distance) < 1e-9
        else:
            assert near.names[row] == f"{body.names[i]} and {body.names[near.other[row]]}"


@pytest.mark.parametrize("inherit", [1.0, 0.5])
@pytest.mark.parametrize("seed", range(6))
def test_jacobian_is_the_derivative_of_the_clearance(seed, inherit):
    rng, skeleton, body, obstacles, pairs = scene_of(seed, inherit)
    scene = Scene(skeleton, body, obstacles, pairs)
    q = rng.normal(size=skeleton.n)
    pose = Pose.forward(skeleton, q)
    near = scene.near(pose, np.inf)
    jacobian = near.jacobian(pose)
    step = 1e-6
    smooth = np.ones(len(near), bool)
    differences = np.empty_like(jacobian)
    for c in range(skeleton.n):
        sides = [
            scene.near(Pose.forward(skeleton, q + sign * step * np.eye(skeleton.n)[c]), np.inf)
            for sign in (1, -1)
        ]
        for side in sides:
            assert (side.link == near.link).all() and (side.obstacle == near.obstacle).all()
            smooth &= np.abs(side.normal - near.normal).max(-1) < 1e-3
        differences[:, c] = (sides[0].clearance - sides[1].clearance) / (2 * step)
    smooth &= ~on_ridge(near, body, obstacles)
    assert smooth.mean() > 0.8
    np.testing.assert_allclose(jacobian[smooth], differences[smooth], atol=3e-5)


def on_ridge(near, body, obstacles):
    """Where the deepest point of a link sits on a ridge inside a shape: the clearance has a kink."""
    ridged = np.array([i >= 0 and obstacles[i].kind in ("box", "cylinder") for i in near.obstacle])
    return ridged & (near.clearance + body.radius[near.link] < 0)


@pytest.mark.parametrize("inherit", [1.0, 0.5])
@pytest.mark.parametrize("shape", [(5,), (2, 3)])
def test_batch_equals_loop(shape, inherit):
    rng, skeleton, body, obstacles, pairs = scene_of(3, inherit)
    scene = Scene(skeleton, body, obstacles, pairs)
    q = rng.normal(size=(*shape, skeleton.n))
    many = Pose.forward(skeleton, q)
    near = scene.near(many, 0.3)
    jacobian = near.jacobian(many)
    assert near.worst.shape == shape == scene.clearance(many).shape
    assert (np.diff(near.frame) >= 0).all()
    for number, where in enumerate(np.ndindex(*shape)):
        one = Pose.forward(skeleton, q[where])
        alone = scene.near(one, 0.3)
        rows = near.frame == number
        for field in ("link", "obstacle", "other", "clearance", "parameter"):
            np.testing.assert_allclose(getattr(near, field)[rows], getattr(alone, field), atol=1e-12)
        sure = ~on_ridge(alone, body, obstacles)  # on a ridge two places are as near, and rounding chooses
        assert sure.mean() > 0.7
        for field in ("critical", "point", "normal"):
            np.testing.assert_allclose(
                getattr(near, field)[rows][sure], getattr(alone, field)[sure], atol=1e-12
            )
        np.testing.assert_allclose(jacobian[rows][sure], alone.jacobian(one)[sure], atol=1e-12)
        assert near.worst[where] == pytest.approx(float(alone.worst), abs=1e-12)
        assert scene.clearance(many)[where] == pytest.approx(float(scene.clearance(one)), abs=1e-12)


def test_moving_obstacles_meet_the_pose_of_their_frame():
    rng, skeleton, body, obstacles, pairs = scene_of(4)
    turns = np.stack([figures.rotation(rng) for _ in range(3)])
    shifts = rng.normal(scale=0.3, size=(3, 3))
    moving = [shape.moved(turns, shifts) if i % 2 else shape for i, shape in enumerate(obstacles)]
    scene = Scene(skeleton, body, moving, pairs)
    q = rng.normal(size=(3, skeleton.n))
    poses = Pose.forward(skeleton, q)
    near = scene.near(poses, 0.3)
    for frame in range(3):
        alone = scene.at(frame).near(Pose.forward(skeleton, q[frame]), 0.3)
        rows = near.frame == frame
        np.testing.assert_allclose(near.clearance[rows], alone.clearance, atol=1e-12)
        np.testing.assert_array_equal(near.obstacle[rows], alone.obstacle)
        assert scene.clearance(poses)[frame] == pytest.approx(float(alone.worst), abs=1e-12)
    seeds = Pose.forward(skeleton, np.stack([q, q + 0.1]))  # several tries of the whole track
    np.testing.assert_allclose(scene.near(seeds, 0.3).worst[0], near.worst, atol=1e-12)
    with pytest.raises(IkError, match="frame"):
        scene.near(Pose.forward(skeleton, q[0]), 0.3)


def test_margin_of_an_obstacle_widens_the_search_and_is_reported():
    skeleton, body = figures.chain(2)
    ball = Sphere((3, 0.5, 0), 1.0, name="ball", margin=1.0)
    pose = Pose.forward(skeleton, np.zeros(6))
    near = Scene(skeleton, body, [ball]).near(pose, 0.6)
    assert near.names == ["ball"]
    assert near.clearance[0] == pytest.approx(1.5) and near.margin[0] == 1.0
    assert float(near.worst) == pytest.approx(0.5)
    assert len(Scene(skeleton, body, [ball]).near(pose, 0.4)) == 0


def test_self_pairs_leave_out_neighbours_and_touching_ones():
    names = ["hip", "spine", "neck", "arm", "hand"]
    parents = [None, "hip", "spine", "spine", "arm"]
    skeleton = Skeleton([Joint(n, p, translation=(0.1, 1, 0)) for n, p in zip(names, parents, strict=True)])
    body = Body([Link(n, (0, 0, 0), (0, 0.8, 0), 0.05) for n in names if n != "arm"])
    links = dict(zip(body.names, range(4), strict=True))
    pairs = {tuple(pair) for pair in self_pairs(skeleton, body).tolist()}
    # spine and hand have no link between them; neck and hand touch nowhere and are no neighbours
    assert (links["spine"], links["hand"]) not in pairs
    assert (links["hip"], links["neck"]) in pairs and (links["hip"], links["hand"]) in pairs
    assert (links["hip"], links["spine"]) not in pairs
    wide = Body([Link(n, (0, 0, 0), (0, 0.8, 0), 0.7) for n in names if n != "arm"])
    assert (links["hip"], links["neck"]) not in {tuple(p) for p in self_pairs(skeleton, wide).tolist()}
    more = {
        tuple(p) for p in self_pairs(skeleton, body, add=[("spine", "hip")], remove=[("neck", 0)]).tolist()
    }
    assert (links["hip"], links["spine"]) in more and (links["hip"], links["neck"]) not in more
    with pytest.raises(IkError, match="nek"):
        self_pairs(skeleton, body, add=[("nek", "hip")])
    with pytest.raises(IkError, match="itself"):
        self_pairs(skeleton, body, add=[("hip", "hip")])


def test_empty_scenes():
    skeleton, body = figures.chain(3)
    pose = Pose.forward(skeleton, np.zeros(9))
    for scene in (Scene(skeleton, body), Scene(skeleton, Body([]), [HalfSpace((0, 0, 0), (0, 0, 1))])):
        near = scene.near(pose, 1.0)
        assert len(near) == 0 and near.jacobian(pose).shape == (0, 9)
        assert scene.clearance(pose) == np.inf and near.worst == np.inf
    with pytest.raises(IkError, match="b7"):
        Scene(skeleton, Body([Link("b7")]))
    with pytest.raises(IkError, match="elbow"):
        Body([Link("elbow", radius=-1.0)])
    with pytest.raises(IkError, match="elbow"):
        Body([Link("elbow", a=(np.nan, 0, 0))])


def test_a_free_joint_that_does_not_inherit_rotation_still_follows_its_parent():
    skeleton = Skeleton(
        [
            Joint("a"),
            Joint("b", "a", translation=(0, 1, 0), inherit_rotation=False),
            Joint("c", "b", translation=(0, 1, 0)),
        ]
    )
    body = Body([Link("c", (0, 0, 0), (0, 1, 0), 0.1)])
    scene = Scene(skeleton, body, [Sphere((2, 2, 0.3), 0.5)])
    rng = np.random.default_rng(0)
    q = rng.normal(size=9)
    row = scene.near(Pose.forward(skeleton, q), np.inf).jacobian(Pose.forward(skeleton, q))[0]
    step = 1e-6
    for c in range(9):
        up, down = (scene.clearance(Pose.forward(skeleton, q + s * step * np.eye(9)[c])) for s in (1, -1))
        assert row[c] == pytest.approx((up - down) / (2 * step), abs=1e-7)


@pytest.mark.parametrize("detect", [0.1, np.inf])
def test_several_meshes_answer_as_one(detect):
    """Still, moving, with foreign trees, beside other shapes: the same as each alone."""
    rng = np.random.default_rng(8)
    skeleton = figures.tree(rng)
    body = figures.body(rng, skeleton)
    made = [TriangleMesh(*meshes.bumpy(rng, 12, 7), mode=mode, name=mode) for mode in MODES]
    made += [TriangleMesh(*meshes.grid(4), mode="one_sided", name="ground"), Sphere((1, 0, 0), 0.4)]
    turns = np.stack([figures.rotation(rng) for _ in range(3)])
    shifts = rng.normal(size=(3, 3))
    obstacles = [shape.moved(turns, shifts) if i in (1, 4) else shape for i, shape in enumerate(made)]
    scene = Scene(skeleton, body, obstacles)
    q = rng.normal(size=(3, skeleton.n))
    near = scene.near(Pose.forward(skeleton, q), detect)
    for frame in range(3):
        pose = Pose.forward(skeleton, q[frame])
        expected = plain(pose, body, [shape.at(frame) for shape in obstacles], [])
        rows = near.frame == frame
        got = {
            (int(i), int(k), -1): value
            for i, k, value in zip(near.link[rows], near.obstacle[rows], near.clearance[rows], strict=True)
        }
        assert set(got) == {key for key, value in expected.items() if value < detect}
        for key, value in got.items():
            assert value == pytest.approx(expected[key], abs=1e-9)


def test_a_carried_scene_keeps_its_meshes():
    rng = np.random.default_rng(2)
    skeleton = figures.tree(rng)
    body = figures.body(rng, skeleton)
    made = [TriangleMesh(*meshes.bumpy(rng, 12, 7)), Sphere((1, 0, 0), 0.4), TriangleMesh(*meshes.box())]
    scene = Scene(skeleton, body, made, self_pairs(skeleton, body))
    pose = Pose.forward(skeleton, rng.normal(size=skeleton.n))
    moved = [shape.moved(figures.rotation(rng), rng.normal(size=3)) for shape in made]
    others = [TriangleMesh(*meshes.globe()), *moved[1:]]
    for obstacles in (moved, others, moved[:2], [moved[1], moved[0], moved[2]]):
        carried, fresh = scene.with_obstacles(obstacles), Scene(skeleton, body, obstacles, scene.pairs)
        near, expected = carried.near(pose, 0.3), fresh.near(pose, 0.3)
        np.testing.assert_array_equal(near.clearance, expected.clearance)
        np.testing.assert_array_equal(near.obstacle, expected.obstacle)
    kept = dict(vars(scene.with_obstacles(moved).broad_phase.groups[0]))
    assert kept["distance"] is scene.broad_phase.groups[0].distance
    many = scene.with_obstacles([shape.moved(np.stack([np.eye(3)] * 4), np.zeros((4, 3))) for shape in made])
    assert many.frames == (4,)


def test_scenes_of_the_same_meshes_share_what_is_costly():
    rng = np.random.default_rng(3)
    skeleton = figures.tree(rng)
    body = figures.body(rng, skeleton)
    made = [TriangleMesh(*meshes.bumpy(rng, 12, 7), mode="two_sided") for _ in range(3)]
    pose = Pose.forward(skeleton, rng.normal(size=skeleton.n))

    def prepared(scene):
        return scene.broad_phase.groups[0].distance

    first = Scene(skeleton, body, made)
    moved = [mesh.named("other").moved(figures.rotation(rng), rng.normal(size=3)) for mesh in made]
    made[0].nearest((0, 0, 0))  # asked alone meanwhile
    assert prepared(Scene(skeleton, body, moved)) is prepared(first)
    solid = [moved[0].named("solid", mode="solid"), *moved[1:]]
    assert prepared(Scene(skeleton, body, solid)) is not prepared(first)
    for obstacles in (made, moved, solid, moved[:2], moved[::-1]):
        near = Scene(skeleton, body, obstacles).near(pose, 0.3)
        expected = {key: value for key, value in plain(pose, body, obstacles, []).items() if value < 0.3}
        assert len(near) == len(expected)
        for row in range(len(near)):
            key = int(near.link[row]), int(near.obstacle[row]), -1
            assert near.clearance[row] == pytest.approx(expected[key], abs=1e-9)


@pytest.mark.parametrize("batch", [(), (4,)])
def test_links_that_meet_no_obstacles_still_meet_each_other(batch):
    """The pairs are those of the whole body, without the obstacles' pairs of such links."""
    rng, skeleton, whole, obstacles, pairs = scene_of(3)
    still = set(range(0, len(whole), 2))
    body = Body([replace(link, meets_obstacles=i not in still) for i, link in enumerate(whole.links)])
    scene = Scene(skeleton, body, obstacles, pairs)
    pose = Pose.forward(skeleton, rng.normal(scale=0.5, size=(*batch, skeleton.n)))
    for row in np.ndindex(batch):
        one = Pose.forward(skeleton, pose.q[row])
        expected = {
            key: value
            for key, value in plain(one, whole, obstacles, pairs).items()
            if key[0] not in still or key[1] < 0
        }
        near = scene.near(one, np.inf)
        keys = zip(near.link.tolist(), near.obstacle.tolist(), near.other.tolist(), strict=True)
        found = dict(zip(keys, near.clearance.tolist(), strict=True))
        assert found == pytest.approx(expected, abs=1e-9)
        assert float(scene.clearance(pose)[row]) == pytest.approx(min(expected.values()), abs=1e-9)


@pytest.mark.parametrize("seed", range(4))
def test_ends_of_links_are_measured_where_they_are_not_the_closest_points(seed):
    rng, skeleton, body, obstacles, pairs = scene_of(seed)
    pose = Pose.forward(skeleton, rng.normal(scale=0.5, size=skeleton.n))
    scene = Scene(skeleton, body, obstacles, pairs)
    near = scene.near(pose, 0.5)
    expected = {}
    for pair, link, k, at in zip(near.pair, near.link, near.obstacle, near.parameter, strict=True):
        for end, place in enumerate(world_ends(pose, body, link) if k >= 0 else ()):
            gap = float(obstacles[k].nearest_segment(place, place).distance) - body.links[link].radius
            apart = at != end and body.length[link] > 0.0
            if apart and gap < 0.5 + obstacles[k].margin:
                expected[int(pair), end] = gap
    ends = scene.at_ends(near)
    assert len(expected) > 3
    found = dict(
        zip(zip(ends.pair.tolist(), ends.parameter.tolist(), strict=True), ends.clearance, strict=True)
    )
    assert found == pytest.approx(expected, abs=1e-9)


def test_a_link_is_no_partner_of_its_own():
    arm = Skeleton([Joint("a"), Joint("b", "a", translation=(0, 1, 0))])
    with pytest.raises(IkError, match="pairs of different links"):
        Scene(arm, Body([Link("a"), Link("b")]), self_pairs=[(0, 1), (1, 1)])
