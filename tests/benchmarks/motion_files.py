# SPDX-License-Identifier: GPL-3.0-or-later
"""Captured motion out of BVH and glTF files, as joints and their world frames in every frame."""

from __future__ import annotations

import json
import struct
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from ikmath import rotation

_Y_UP = np.array([[1.0, 0, 0], [0, 0, -1.0], [0, 1.0, 0]])  # to z up


@dataclass
class Motion:
    """One action of a figure, z up, in the file's unit.

    Attributes:
        name: of file and action; joints: (J,) names; parents: (J,), parents first.
        tips: (J, 3) ends of bones in their joints' axes.
        rotation: (F, J, 3, 3), position: (F, J, 3) world frames; rest: the same of the file's rest pose.
        rate: frames a second.
    """

    name: str
    joints: list[str]
    parents: np.ndarray
    tips: np.ndarray
    rotation: np.ndarray
    position: np.ndarray
    rest: tuple[np.ndarray, np.ndarray]
    rate: float


def read_bvh(path: Path) -> Motion:
    """A BVH file; the vertical is the axis along which the first frame is tallest."""
    words = path.read_text().split()
    names, parents, offsets, channels, ends, stack = [], [], [], [], {}, []
    at = 0
    while words[at] != "MOTION":
        word = words[at]
        if word in ("ROOT", "JOINT"):
            names.append(words[at + 1])
            parents.append(stack[-1] if stack else -1)
            stack.append(len(names) - 1)
        elif word == "End":
            stack.append(-1)
        elif word == "OFFSET":
            place = [float(x) for x in words[at + 1 : at + 4]]
            if stack[-1] < 0:
                ends[stack[-2]] = place
            else:
                offsets.append(place)
        elif word == "CHANNELS":
            count = int(words[at + 1])
            channels.append(words[at + 2 : at + 2 + count])
        elif word == "}":
            stack.pop()
        at += 1
    frames, time = int(words[at + 2]), float(words[at + 5])
    values = np.array(words[at + 6 :], dtype=float).reshape(frames, -1)
    count, above, offset = len(names), np.array(parents), np.array(offsets)
    local, place, column = np.tile(np.eye(3), (frames, count, 1, 1)), np.tile(offset, (frames, 1, 1)), 0
    for j, own in enumerate(channels):
        for channel in own:
            axis, number = "XYZ".index(channel[0]), values[:, column]
            if channel.endswith("position"):
                place[:, j, axis] = number + (offset[j, axis] if j == 0 else 0.0)
            else:
                local[:, j] = local[:, j] @ rotation.about(axis, np.radians(number))
            column += 1
    tips = _tips(above, offset, ends)
    frames_world = _compose(above, local, place)
    rest = _compose(above, np.tile(np.eye(3), (1, count, 1, 1)), offset[None])
    spans = np.ptp(frames_world[1][0], axis=0)
    turn = _Y_UP if spans[1] > spans[2] else np.eye(3)
    return Motion(
        path.stem, names, above, tips, turn @ frames_world[0], frames_world[1] @ turn.T,
        (turn @ rest[0][0], rest[1][0] @ turn.T), 1.0 / time,
    )  # fmt: skip


def _tips(parents: np.ndarray, offset: np.ndarray, ends: dict[int, list[float]]) -> np.ndarray:
    tips = np.zeros_like(offset)
    for j in range(len(parents)):
        own = np.flatnonzero(parents == j)
        if len(own):
            tips[j] = offset[own[np.argmax((offset[own] ** 2).sum(1))]]
        elif j in ends:
            tips[j] = ends[j]
    return tips


def _compose(parents: np.ndarray, local: np.ndarray, place: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """World frames (F, J, 3, 3) and (F, J, 3)."""
    turned, there = local.copy(), place.copy()
    for j, parent in enumerate(parents.tolist()):
        if parent >= 0:
            turned[:, j] = turned[:, parent] @ local[:, j]
            there[:, j] = there[:, parent] + np.einsum("fij,fj->fi", turned[:, parent], place[:, j])
    return turned, there


_TYPES = {5126: "f4", 5123: "u2", 5125: "u4", 5121: "u1"}
_WIDTHS = {"SCALAR": 1, "VEC3": 3, "VEC4": 4, "MAT4": 16}


def read_glb(path: Path, rate: float = 30.0) -> list[Motion]:
    """The actions of the largest tree of joints in a binary glTF file, sampled evenly."""
    data = path.read_bytes()
    length = struct.unpack("<I", data[12:16])[0]
    told, binary = json.loads(data[20 : 20 + length]), data[28 + length :]

    def values(number: int) -> np.ndarray:
        accessor = told["accessors"][number]
        view, wide = told["bufferViews"][accessor["bufferView"]], _WIDTHS[accessor["type"]]
        start = view.get("byteOffset", 0) + accessor.get("byteOffset", 0)
        kind = np.dtype(_TYPES[accessor["componentType"]])
        flat = np.frombuffer(binary, kind, accessor["count"] * wide, start)
        return flat.reshape(accessor["count"], wide).astype(float)

    nodes = told["nodes"]
    above = {child: i for i, node in enumerate(nodes) for child in node.get("children", ())}
    skin = set(told["skins"][0]["joints"])
    trees: dict[int, list[int]] = {}
    for node in sorted(skin, key=lambda i: _depth(i, above)):
        top = node
        while above.get(top) in skin:
            top = above[top]
        trees.setdefault(top, []).append(node)
    own = max(trees.values(), key=len)
    index = {node: j for j, node in enumerate(own)}
    parents = np.array([index.get(above.get(node, -1), -1) for node in own])
    base = _base(above.get(own[0], -1), nodes, above)
    scale = float(np.cbrt(np.linalg.det(base)))
    turn = base / scale

    def still(node: int) -> tuple[np.ndarray, np.ndarray]:
        x, y, z, w = nodes[node].get("rotation", (0, 0, 0, 1))
        place = scale * np.array(nodes[node].get("translation", (0.0, 0, 0)))
        return rotation.matrix_from_quaternion([w, x, y, z]), place

    rest = [still(node) for node in own]
    ends = {
        index[node]: (scale * np.array(nodes[child]["translation"])).tolist()
        for node in own
        for child in nodes[node].get("children", ())
        if child not in skin or nodes[child].get("name", "").endswith("_end")
    }
    offset = np.array([place for _, place in rest])
    motions = []
    for action in told["animations"]:
        times = [values(sampler["input"])[:, 0] for sampler in action["samplers"]]
        when = np.arange(0.0, max(t[-1] for t in times) + 1e-6, 1.0 / rate)
        local = np.tile(np.array([turned for turned, _ in rest]), (len(when), 1, 1, 1))
        place = np.tile(offset, (len(when), 1, 1))
        for channel in action["channels"]:
            j, what = index.get(channel["target"]["node"]), channel["target"]["path"]
            if j is None or what == "scale":
                continue
            sampler = action["samplers"][channel["sampler"]]
            keys, time = values(sampler["output"]), times[channel["sampler"]]
            if what == "rotation":
                keys = keys[:, [3, 0, 1, 2]]
                signs = np.cumprod(np.where((keys[1:] * keys[:-1]).sum(1) < 0, -1.0, 1.0))
                keys[1:] *= signs[:, None]
            sampled = np.stack([np.interp(when, time, column) for column in keys.T], 1)
            if what == "rotation":
                local[:, j] = rotation.matrix_from_quaternion(sampled)
            else:
                place[:, j] = scale * sampled
        frames = _compose(parents, local, place)
        still_frames = _compose(parents, np.array([[turned for turned, _ in rest]]), offset[None])
        to_up = _Y_UP @ turn
        motions.append(
            Motion(
                f"{path.stem} {action['name'].rpartition('|')[2]}",
                [nodes[n].get("name", str(n)) for n in own],
                parents, _tips(parents, offset, ends), to_up @ frames[0], frames[1] @ to_up.T,
                (to_up @ still_frames[0][0], still_frames[1][0] @ to_up.T), rate,
            )
        )  # fmt: skip
    return motions


def _depth(node: int, above: dict[int, int]) -> int:
    depth = 0
    while node in above:
        node, depth = above[node], depth + 1
    return depth


def _base(node: int, nodes: list[dict], above: dict[int, int]) -> np.ndarray:
    """(3, 3) rotation and scale of what stands above the joints."""
    out = np.eye(3)
    while node >= 0:
        x, y, z, w = nodes[node].get("rotation", (0, 0, 0, 1))
        own = rotation.matrix_from_quaternion([w, x, y, z]) * np.array(nodes[node].get("scale", (1.0, 1, 1)))
        out, node = own @ out, above.get(node, -1)
    return out
