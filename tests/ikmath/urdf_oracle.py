# SPDX-License-Identifier: GPL-3.0-or-later
"""Forward kinematics of URDF in plain loops over the file's elements, after the format's own definition."""

from __future__ import annotations

import math
import xml.etree.ElementTree as ElementTree

import numpy as np

from tests.ikmath.oracle import rodrigues


def rpy(roll, pitch, yaw):
    """Fixed axes: roll about x, then pitch about y, then yaw about z."""
    return rodrigues((0, 0, yaw)) @ rodrigues((0, pitch, 0)) @ rodrigues((roll, 0, 0))


def _three(element, name, default):
    return np.array([float(v) for v in (default if element is None else element.get(name, default)).split()])


def frames(text, positions, root=None):
    """World rotation and place of every link below the root, {link: (R, p)}.

    positions: joint -> radians or metres, 0 for those that are left out.
    """
    robot = ElementTree.fromstring(text)
    joints = robot.findall("joint")
    if root is None:
        children = {joint.find("child").get("link") for joint in joints}
        (root,) = [e.get("name") for e in robot.findall("link") if e.get("name") not in children]
    world = {root: (np.eye(3), np.zeros(3))}
    for _ in joints:
        for joint in joints:
            parent, child = joint.find("parent").get("link"), joint.find("child").get("link")
            if parent not in world or child in world or child == root:
                continue
            rotation, place = world[parent]
            place = place + rotation @ _three(joint.find("origin"), "xyz", "0 0 0")
            rotation = rotation @ rpy(*_three(joint.find("origin"), "rpy", "0 0 0"))
            kind, axis = joint.get("type"), _three(joint.find("axis"), "xyz", "1 0 0")
            axis = axis / math.sqrt(sum(v * v for v in axis)) if kind != "fixed" else axis
            position = _position(joints, joint, positions)
            if kind in ("revolute", "continuous"):
                rotation = rotation @ rodrigues(axis * position)
            elif kind == "prismatic":
                place = place + rotation @ axis * position
            world[child] = rotation, place
    return world


def _position(joints, joint, positions):
    mimic = joint.find("mimic")
    if joint.get("type") == "fixed":
        return 0.0
    if joint.get("name") in positions or mimic is None:
        return positions.get(joint.get("name"), 0.0)
    (leader,) = [other for other in joints if other.get("name") == mimic.get("joint")]
    factor, offset = float(mimic.get("multiplier", 1.0)), float(mimic.get("offset", 0.0))
    return factor * _position(joints, leader, positions) + offset
