# SPDX-License-Identifier: GPL-3.0-or-later
"""Motions of random figures whose goals are in each other's way, or beyond reach: no bone jumps.

A target that leaps may ask for a jump, and a figure that a slow motion has led to where only another posture
reaches goes over to it in some frames, not in one.
"""

import numpy as np
import pytest

import ikmath as ik
from ikmath import rotation
from tests.ikmath import oracle

FRAMES = 60


def branching(rng):
    """A figure of one limb with branches, limits on most joints."""
    joints = [ik.Joint("j0")]
    for number in range(1, int(rng.integers(6, 16))):
        parent = number - 1 if rng.random() < 0.7 else int(rng.integers(number))
        turns = str(rng.choice(["xyz", "xyz", "x", "xz", "z"]))
        limited = rng.random() < 0.7
        joints.append(
            ik.Joint(
                f"j{number}",
                f"j{parent}",
                rotation=oracle.rodrigues(rng.normal(size=3)) if rng.random() < 0.4 else np.eye(3),
                translation=(0.0, rng.uniform(0.1, 0.5), 0.0),
                turns=turns,
                lower=-rng.uniform(0.2, 1.5, len(turns)) if limited else None,
                upper=rng.uniform(0.2, 1.5, len(turns)) if limited else None,
            )
        )
    return ik.Skeleton(joints)


def motion(rng, figure):
    """(FRAMES, n) a smooth motion inside the limits."""
    time = np.arange(FRAMES) * (2.0 * np.pi / FRAMES)
    wave = np.zeros((FRAMES, figure.n))
    for k in (1, 2):
        a, b = rng.normal(size=(2, figure.n)) / k
        wave += np.outer(np.cos(k * time), a) + np.outer(np.sin(k * time), b)
    wave = np.tanh(0.5 * (wave + rng.normal(size=figure.n)))
    low, high = np.maximum(figure.lower, -0.7), np.minimum(figure.upper, 0.7)
    return figure.joint_limits.project(0.5 * wave * np.where(wave > 0.0, high, -low))


def clip(seed, kind):
    """Places of a few joints over frames, each of its own motion or pushed outward."""
    rng = np.random.default_rng([77, seed])
    figure = branching(rng)
    names = [str(name) for name in rng.permutation(figure.names[2:])[: int(rng.integers(2, 5))]]
    tips = [ik.Pose.forward(figure, motion(rng, figure)).point(name, (0, 0.2, 0)) for name in names]
    places = np.stack(tips, 1)
    if kind == "out":
        places = places * rng.uniform(1.0, 1.5, (len(names), 1))
    goals = [
        ik.Position(name, places[:, row], offset=(0, 0.2, 0), priority=int(rng.integers(2)))
        for row, name in enumerate(names)
    ]
    return ik.Problem(figure, [*goals, ik.Posture(figure.rest, gain=0.1)])


def turns(figure, q):
    """(frames - 1,) degrees that a bone turns at most against its parent."""
    world = ik.Pose.forward(figure, q).rotation
    root = np.broadcast_to(np.eye(3), (len(world), 1, 3, 3))
    above = np.concatenate([world, root], 1)[:, figure.parents]
    local = np.swapaxes(above, -1, -2) @ world
    return np.degrees(rotation.angle(np.swapaxes(local[:-1], -1, -2) @ local[1:])).max(1)


@pytest.mark.parametrize("kind", ["conflict", "out"])
def test_no_bone_jumps_in_a_smooth_motion(kind):
    for seed in range(8):
        problem = clip(seed, kind)
        track = ik.solve_track(problem)
        assert turns(problem.skeleton, track.q).max() < 15.0, seed
        assert problem.skeleton.joint_limits.violation(track.q).max() < 1e-9


def held_at(elbow, frames):
    """An arm that is straight at first, and a target that comes a little nearer and stays."""
    arm = ik.Skeleton(
        [
            ik.Joint("upper", turns="x"),
            ik.Joint("lower", "upper", translation=(0, 1, 0), turns="x", lower=0.0, upper=2.5),
            ik.Joint("hand", "lower", translation=(0, 1, 0), turns=""),
        ]
    )
    far = 2.0 * np.cos(0.5 * elbow)
    places = np.tile([0.0, far, 0.0], (frames, 1))
    places[0] = 0.0, 2.0, 0.0
    return ik.Problem(arm, [ik.Position("hand", places)])


def test_what_would_be_a_jump_is_spread_over_frames_and_arrives():
    problem = held_at(1.0, 12)  # 12 % nearer is 57 degrees at the elbow
    track = ik.solve_track(problem, np.array([0.0, 0.0]))
    slow = held_at(0.8, 12)  # 8 % nearer is 46 degrees
    slowly = ik.solve_track(slow, np.array([0.0, 0.0]))
    assert turns(slow.skeleton, slowly.q).max() < 15.0
    assert slowly.message[1].endswith("it would need a jump to get there in one frame.")
    assert slowly.errors[-1] < 1e-4
    assert track.errors[-1] < 1e-4


def test_a_target_that_leaps_is_followed_at_once():
    rng = np.random.default_rng(5)
    arm = ik.figures.ball_chain(5, 0.4)
    poses = np.array([rng.uniform(-0.6, 0.6, arm.n) for _ in range(10)])
    places = ik.Pose.forward(arm, poses).point("tip")
    track = ik.solve_track(ik.Problem(arm, [ik.Position("tip", places)]), arm.rest)
    assert track.errors.max() < 1e-4


def far_path(seed, factor):
    """A chain of limited balls, and a straight path between two reachable places, both moved outward."""
    chain, rng = ik.figures.ball_chain(4, 0.5, limit=np.radians(60.0)), np.random.default_rng([seed, 11])
    low, high = np.maximum(chain.lower, -1.0), np.minimum(chain.upper, 1.0)
    ends = [
        ik.Pose.forward(chain, chain.joint_limits.project(rng.uniform(low, high))).point("tip") for _ in "ab"
    ]
    return ik.Problem(chain, [ik.Position("tip", factor * np.linspace(*ends, 40))])


def test_a_frame_that_avoids_a_jump_blames_no_other_effector():
    """Two straight arms on one trunk have to bend far: each would come nearer if the other need not reach."""
    joints = [ik.Joint("trunk", slides="x", turns="z")]
    for side, x in (("left", 0.3), ("right", -0.3)):
        joints += [
            ik.Joint(f"upper {side}", "trunk", translation=(x, 0, 0), turns="z"),
            ik.Joint(f"fore {side}", f"upper {side}", translation=(0, 1, 0), turns="z"),
            ik.Joint(f"hand {side}", f"fore {side}", translation=(0, 1, 0), turns=""),
        ]
    skeleton = ik.Skeleton(joints)
    places = np.tile([[0.3, 1.84, 0.0], [-0.3, 1.84, 0.0]], (12, 1, 1))
    places[0, :, 1] = 2.0
    goals = [ik.Position(f"hand {side}", places[:, k]) for k, side in enumerate(("left", "right"))]
    track = ik.solve_track(ik.Problem(skeleton, goals), skeleton.rest)
    assert track.errors[-1].max() < 1e-4 < track.errors[1].min()
    assert track.message[1].endswith("it would need a jump to get there in one frame.")


@pytest.mark.parametrize(("factor", "seeds"), [(1.2, (0, 1)), (1.5, (3, 4)), (3.0, (4, 12, 35))])
def test_a_steady_path_far_away_and_back_into_reach_makes_no_bone_jump(factor, seeds):
    for seed in seeds:
        problem = far_path(seed, factor)
        track = ik.solve_track(problem)
        assert turns(problem.skeleton, track.q).max() < 15.0, seed


@pytest.mark.parametrize("fastest", [8.0, 15.0, 18.0, 25.0])
def test_a_joint_turns_as_fast_as_its_target(fastest):
    """An ankle that gets fast in a few frames, as at the start of a leap, fell behind at 18 degrees."""
    leg = ik.Skeleton(
        [
            ik.Joint("hip"),
            *(ik.Joint(n, m, translation=(0, 0.45, 0)) for n, m in (("knee", "hip"), ("foot", "knee"))),
        ]
    )
    time = np.arange(24.0)
    ankle, knee = (np.cumsum(rate * np.exp(-(((time - 12) / width) ** 2))) for rate, width in
                   ((fastest, 2.0), (0.5 * fastest, 3.0)))  # fmt: skip
    q = np.zeros((len(time), leg.n))
    for name, degrees in (("hip", -10.0 - 0.5 * knee), ("knee", 20.0 + knee), ("foot", ankle)):
        q[:, leg.columns(name).start] = np.radians(degrees)
    pose = ik.Pose.forward(leg, q)
    place = ik.Position("foot", pose.point("foot", (0, 0.1, 0)), (0, 0.1, 0))
    problem = ik.Problem(leg, [place, ik.Orientation("foot", pose.frame("foot"))], posture=q[0])
    found = ik.solve_track(problem, q[0])
    assert found.errors.max() < 1e-3
