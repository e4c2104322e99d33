# SPDX-License-Identifier: GPL-3.0-or-later
"""Robots from URDF: frames as the format defines them, names, limits, and what is refused."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import ikmath as ik
from tests.ikmath import urdf_oracle

ARM = """<?xml version="1.0" encoding="latin-1"?>
<robot name="arm" xmlns:xacro="http://www.ros.org/wiki/xacro">
  <!-- a comment with an umlaut: ü -->
  <link name="base"/><link name="upper"/><link name="fore"/><link name="hand"/><link name="tool0"/>
  <link name="rail"/><link name="camera"/><link name="left"/><link name="right"/>
  <joint name="shoulder" type="revolute">
    <parent link="base"/><child link="upper"/>
    <origin xyz="0.1 -0.2 0.3" rpy="0.4 -1.2 2.5"/><axis xyz="0 0 -2"/>
    <limit lower="-3" upper="2" velocity="1.5" effort="1"/>
    <safety_controller soft_lower_limit="-1" k_velocity="1"/>
  </joint>
  <joint name="wrist" type="continuous">
    <parent link="fore"/><child link="hand"/><origin xyz="0 0 0.4"/><axis xyz="0.3 -0.5 0.8"/>
  </joint>
  <joint name="elbow" type="revolute">
    <parent link="upper"/><child link="fore"/><origin rpy="0 0 1" xyz="0.3 0 0"/><axis xyz="0 1 0"/>
    <limit lower="-1e16" upper="1e16" velocity="0" effort="0"/>
  </joint>
  <joint name="flange" type="fixed">
    <parent link="hand"/><child link="tool0"/><origin xyz="0 0.05 0.1" rpy="-1.5707963 0 0.7"/>
  </joint>
  <joint name="rail" type="prismatic">
    <parent link="base"/><child link="rail"/><origin rpy="0.1 0.2 0.3"/><axis xyz="1 1 0"/>
    <limit lower="-0.5" upper="0.7" velocity="2" effort="1"/>
  </joint>
  <joint name="mount" type="fixed"><parent link="rail"/><child link="camera"/><mimic joint="wrist"/></joint>
  <joint name="finger" type="prismatic">
    <parent link="tool0"/><child link="left"/><axis xyz="0 1 0"/>
    <limit lower="0" upper="0.04" velocity="1" effort="1"/>
  </joint>
  <joint name="follower" type="revolute">
    <parent link="tool0"/><child link="right"/><origin rpy="1 0 0"/><axis xyz="0 1 1"/>
    <limit lower="-1" upper="1" velocity="1" effort="1"/><mimic joint="finger" multiplier="-2" offset="0.5"/>
  </joint>
  <transmission name="t"><joint name="shoulder"/></transmission>
</robot>
"""
THUMB = """
  <link name="thumb"/>
  <joint name="thumb" type="revolute">
    <parent link="tool0"/><child link="thumb"/><axis xyz="1 0 0"/>
    <limit lower="-1" upper="1" velocity="1" effort="1"/><mimic joint="follower" multiplier="0.5"/>
  </joint>
"""
MOVING = ("shoulder", "elbow", "wrist", "rail_joint")


def _coordinates(skeleton, **positions):
    q = np.zeros(skeleton.n)
    for name, value in positions.items():
        q[skeleton.columns(name)] = value
    return q


def _agree(skeleton, q, expected):
    pose = ik.Pose.forward(skeleton, q)
    for link in set(skeleton.names) & set(expected):
        rotation, place = expected[link]
        np.testing.assert_allclose(pose.frame(link), rotation, atol=1e-12)
        np.testing.assert_allclose(pose.point(link), place, atol=1e-12)


@pytest.mark.parametrize("seed", range(5))
def test_every_link_is_where_the_format_puts_it(seed):
    skeleton = ik.from_urdf(ARM, fixed={"finger": 0.03})
    rng = np.random.default_rng(seed)
    positions = {name: rng.uniform(-4.0, 4.0) for name in MOVING}
    told = {name.removesuffix("_joint"): value for name, value in positions.items()}
    expected = urdf_oracle.frames(ARM.encode("latin-1"), {**told, "finger": 0.03})
    assert set(expected) <= set(skeleton.names)
    _agree(skeleton, _coordinates(skeleton, **positions), expected)


def test_a_part_of_a_robot_begins_at_any_link():
    skeleton = ik.from_urdf(ARM, root="upper", tip="tool0")
    expected = urdf_oracle.frames(ARM.encode("latin-1"), {"elbow": 1.1, "wrist": -2.0}, root="upper")
    _agree(skeleton, _coordinates(skeleton, elbow=1.1, wrist=-2.0), expected)
    assert set(skeleton.names) == {"upper", "elbow", "fore", "wrist", "hand", "tool0"}
    several = ik.from_urdf(ARM, tip=["camera", "fore"])
    rest = {"base", "rail_joint", "rail", "camera", "shoulder", "upper", "elbow", "fore"}
    assert set(several.names) == rest


def test_names_limits_and_speeds():
    skeleton = ik.from_urdf(ARM, tip=("tool0", "camera"))
    assert skeleton.n == 4
    names = dict(zip(skeleton.coordinate_names, range(skeleton.n), strict=True))
    assert set(names) == {"shoulder.turn_y", "elbow.turn_y", "wrist.turn_y", "rail_joint.slide_y"}
    expected = {"shoulder": (-3, 2, 1.5), "rail_joint": (-0.5, 0.7, 2.0)}
    for joint in MOVING:
        bounds = skeleton.lower, skeleton.upper, skeleton.max_speed
        found = [float(array[skeleton.columns(joint)][0]) for array in bounds]
        assert found == list(expected.get(joint, (-np.inf, np.inf, np.inf)))


def test_goals_name_links_and_mean_their_frames():
    skeleton = ik.from_urdf(ARM, tip="tool0")
    expected = urdf_oracle.frames(ARM.encode("latin-1"), {"shoulder": 0.5, "elbow": 1.0, "wrist": -0.7})
    rotation, place = expected["tool0"]
    goals = [ik.Position("tool0", place), ik.Orientation("tool0", rotation)]
    solution = ik.solve(ik.Problem(skeleton, goals), tolerance=1e-8)
    assert solution.status is ik.Status.REACHED
    told = {name: float(solution.q[skeleton.columns(name)][0]) for name in ("shoulder", "elbow", "wrist")}
    found = urdf_oracle.frames(ARM.encode("latin-1"), told)["tool0"]
    np.testing.assert_allclose(found[1], place, atol=1e-7)
    np.testing.assert_allclose(found[0], rotation, atol=1e-7)


def test_a_floating_base_moves_freely():
    skeleton = ik.from_urdf(ARM, tip="fore", floating_base=True)
    assert skeleton.n == 8
    q = _coordinates(skeleton, base=(0.1, 0.2, 0.3, 0.4, 0.5, 0.6))
    pose, still = ik.Pose.forward(skeleton, q), ik.from_urdf(ARM, tip="fore")
    at_rest = ik.Pose.forward(still, np.zeros(2))
    np.testing.assert_allclose(pose.point("base"), (0.1, 0.2, 0.3), atol=1e-15)
    moved = pose.point("base") + pose.frame("base") @ at_rest.point("fore")
    np.testing.assert_allclose(pose.point("fore"), moved, atol=1e-12)


def test_planar_and_floating_joints_move_as_the_format_says():
    text = _robot(
        '<joint name="plane" type="planar"><parent link="a"/><child link="b"/>'
        '<origin xyz="1 2 3" rpy="0.3 0.2 1"/><axis xyz="1 2 2"/></joint>'
        '<joint name="free" type="floating"><parent link="b"/><child link="c"/><origin rpy="1 0 0"/></joint>',
        "abc",
    )
    skeleton = ik.from_urdf(text)
    assert skeleton.n == 3 + 6
    rest = urdf_oracle.rpy(0.3, 0.2, 1.0)
    normal = rest @ np.array([1.0, 2.0, 2.0]) / 3.0
    rng = np.random.default_rng(0)
    pose = ik.Pose.forward(skeleton, q := rng.uniform(-1.0, 1.0, 9))
    assert abs((pose.point("b") - (1, 2, 3)) @ normal) < 1e-12
    assert np.linalg.norm(pose.point("b") - (1, 2, 3)) == pytest.approx(np.linalg.norm(q[:2]))
    np.testing.assert_allclose(pose.frame("b"), urdf_oracle.rodrigues(normal * q[2]) @ rest, atol=1e-12)
    targets = rng.normal(size=3), urdf_oracle.rpy(*rng.uniform(-1.0, 1.0, 3))
    goals = [ik.Position("c", targets[0]), ik.Orientation("c", targets[1])]
    assert ik.solve(ik.Problem(skeleton, goals)).status is ik.Status.REACHED


def test_a_file_is_read_by_its_path(tmp_path):
    path = tmp_path / "arm.urdf"
    path.write_bytes(ARM.encode("latin-1"))
    for source in (path, str(path), "\n" + ARM):
        assert ik.from_urdf(source, tip="hand").names == ik.from_urdf(ARM, tip="hand").names
    with pytest.raises(FileNotFoundError):
        ik.from_urdf(tmp_path / "none.urdf")


def _robot(joints: str, links: str = "ab") -> str:
    return f'<robot name="r">{"".join(f"<link name={l!r}/>" for l in links)}{joints}</robot>'


def _hinge(name="j", parent="a", child="b", more='<limit lower="0" upper="1"/>', kind="revolute") -> str:
    ends = f'<parent link="{parent}"/><child link="{child}"/>'
    return f'<joint name="{name}" type="{kind}">{ends}{more}</joint>'


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("<robot><link", "not valid XML"),
        ("<sdf/>", "root element <sdf>"),
        ("<robot name='r'/>", "no links"),
        ('<robot xmlns:xacro="http://ros.org/wiki/xacro"><xacro:include filename="x"/></robot>', "xacro"),
        (_robot("", "aa"), "'a' is defined twice"),
        (_robot(""), "several root links, a, b; choose one by root="),
        (_robot(_hinge() + _hinge()), "joint 'j' is defined twice|'b' is the child of two joints"),
        (_robot(_hinge() + _hinge("k")), "'b' is the child of two joints"),
        (_robot(_hinge() + _hinge("k", "b", "a")), "is its own ancestor"),
        (_robot(_hinge(child="z")), "no link 'z'"),
        (_robot('<joint name="j" type="fixed"><parent link="a"/></joint>'), "'j' has no <child>"),
        (_robot(_hinge(kind="screw")), "'j' has the type 'screw'"),
        (_robot(_hinge(more="")), "'j' has no <limit>"),
        (_robot(_hinge(more='<limit lower="x" upper="1"/>')), "lower of URDF joint 'j' is 'x'"),
        (_robot(_hinge(more='<limit lower="2" upper="1"/>')), "'j.turn_y' has its lower limit above"),
        (_robot(_hinge(more='<limit upper="1" velocity="-2"/>')), "velocity of URDF joint 'j' is -2"),
        (_robot(_hinge(more='<limit lower="-180" upper="180"/>')), "'j.turn_y' .* radians"),
        (_robot(_hinge(more='<limit upper="1"/><axis xyz="0 0 0"/>')), "axis of link 'b' has no length"),
        (_robot(_hinge(more='<limit upper="1"/><axis xyz="0 1"/>')), "axis of URDF joint 'j' is '0 1'"),
        (_robot(_hinge(more='<limit upper="1"/><mimic joint="q"/>')), "no URDF joint 'q'"),
        (_robot(_hinge(more='<limit upper="1"/><mimic joint="j"/>')), "'j' follows itself"),
        (_robot(_hinge(more='<limit upper="1"/><mimic joint="j" multiplier="0"/>')), "multiplier .* is zero"),
    ],
)
def test_what_is_wrong_is_named(text, message):
    with pytest.raises(ik.IkError, match=message):
        ik.from_urdf(text)


def test_a_joint_that_mimics_one_that_moves_moves_with_it():
    skeleton = ik.from_urdf(ARM)
    leader, follower = (int(skeleton.columns(name).start) for name in ("finger", "follower"))
    expected = urdf_oracle.frames(ARM.encode("latin-1"), {"finger": 0.03, "elbow": 0.4})
    q = skeleton.project(_coordinates(skeleton, finger=0.03, elbow=0.4))
    assert q[follower] == pytest.approx(0.5 - 2.0 * 0.03, abs=1e-15)
    _agree(skeleton, q, expected)
    goals = [ik.Position(link, expected[link][1], priority=1) for link in ("left", "hand")]
    solution = ik.solve(ik.Problem(skeleton, [ik.Orientation("right", expected["right"][0]), *goals]))
    assert solution.status is ik.Status.REACHED
    assert solution.q[follower] == pytest.approx(0.5 - 2.0 * solution.q[leader], abs=1e-12)


def test_a_joint_that_mimics_one_that_is_left_out_is_refused_by_name():
    with pytest.raises(ik.BadValue, match=r"'follower' mimics 'finger', which is left out.*tip=.*fixed="):
        ik.from_urdf(ARM, tip=["right"])
    assert "right" not in ik.from_urdf(ARM, tip=["tool0", "left"]).names


def test_a_joint_that_mimics_may_be_fixed_itself():
    """Its leader and the other followers are then where this puts them."""
    text = ARM.replace("</robot>", THUMB + "</robot>")
    for tip, position in ((None, 0.46), (None, 0.42), (["thumb", "right"], 0.44)):
        skeleton = ik.from_urdf(text, tip=tip, fixed={"follower": position})
        assert not {"finger", "follower", "thumb_joint"} & set(skeleton.names)
        expected = urdf_oracle.frames(text.encode("latin-1"), {"finger": (position - 0.5) / -2.0})
        _agree(skeleton, skeleton.rest, expected)
    with pytest.raises(ik.BadValue, match=r"'finger', which 'follower' follows, is 0\.1; .* at most 0.04"):
        ik.from_urdf(text, fixed={"follower": 0.3})
    skeleton = ik.from_urdf(text, fixed={"finger": 0.02, "follower": 0.3})  # as measured
    expected = urdf_oracle.frames(text.encode("latin-1"), {"finger": 0.02, "follower": 0.3})
    _agree(skeleton, skeleton.rest, expected)


def test_wrong_arguments_are_named():
    for arguments, message in (
        ({"tip": "tool"}, "no link 'tool'; did you mean 'tool0'"),
        ({"tip": []}, "tip is empty"),
        ({"root": "rail", "tip": "hand"}, "'hand' is not below the root 'rail'"),
        ({"fixed": {"fingr": 0.0}}, "no URDF joint 'fingr'"),
        ({"fixed": {"finger": "open"}}, "fixed position of URDF joint 'finger'"),
        ({"fixed": {"finger": 9.0}}, "fixed position of URDF joint 'finger' is 9.0; give .* at most 0.04"),
        ({"fixed": ["finger"]}, r"fixed is \['finger'\]; give a Mapping"),
        ({"floating_base": "no"}, "floating_base is 'no'; give True or False"),
    ):
        with pytest.raises(ik.IkError, match=message):
            ik.from_urdf(ARM, **arguments)
    with pytest.raises(ik.BadValue, match="path or the XML text"):
        ik.from_urdf(3)
    for directory in ("", Path(__file__).parent):
        with pytest.raises(ik.BadValue, match="is a directory; give the path of a file"):
            ik.from_urdf(directory)


def test_a_text_may_begin_with_a_byte_order_mark():
    assert ik.from_urdf('\ufeff\n<robot name="r"><link name="a"/></robot>').names == ("a",)
