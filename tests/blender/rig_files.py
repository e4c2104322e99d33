# SPDX-License-Identifier: GPL-3.0-or-later
"""Small glTF and BVH files of an animated figure in centimetres, as game and capture tools write them."""

from __future__ import annotations

import base64
import json
from pathlib import Path

import numpy as np

# name, parent, offset from the parent in centimetres (Y up)
BODY = (
    ("mixamorig:Hips", None, (0.0, 95.0, 0.0)),
    ("mixamorig:Spine", "mixamorig:Hips", (0.0, 12.0, -1.0)),
    ("mixamorig:Head", "mixamorig:Spine", (0.0, 45.0, 2.0)),
    ("mixamorig:LeftArm", "mixamorig:Spine", (18.0, 38.0, 0.0)),
    ("mixamorig:LeftForeArm", "mixamorig:LeftArm", (27.0, 0.0, 0.0)),
    ("mixamorig:LeftHand", "mixamorig:LeftForeArm", (25.0, 0.0, 1.0)),
    ("mixamorig:LeftUpLeg", "mixamorig:Hips", (9.0, -5.0, 0.0)),
    ("mixamorig:LeftLeg", "mixamorig:LeftUpLeg", (0.0, -42.0, 0.5)),
    ("mixamorig:LeftFoot", "mixamorig:LeftLeg", (0.0, -41.0, -1.0)),
)
FRAMES = 6


def write_bvh(path: Path) -> None:
    """The figure with a few frames of motion."""
    children: dict[str | None, list[str]] = {}
    for name, parent, _ in BODY:
        children.setdefault(parent, []).append(name)
    offsets = {name: offset for name, _, offset in BODY}
    order: list[str] = []

    def joint(name: str, depth: int) -> list[str]:
        order.append(name)
        pad = "  " * depth
        turns = "Zrotation Xrotation Yrotation"
        channels = f"6 Xposition Yposition Zposition {turns}" if depth == 0 else f"3 {turns}"
        lines = [f"{pad}{'ROOT' if depth == 0 else 'JOINT'} {name}", pad + "{"]
        lines.append(f"{pad}  OFFSET {' '.join(f'{v:.4f}' for v in offsets[name])}")
        lines.append(f"{pad}  CHANNELS {channels}")
        for child in children.get(name, []):
            lines += joint(child, depth + 1)
        if name not in children:
            lines += [f"{pad}  End Site", pad + "  {", f"{pad}    OFFSET 0 8 2", pad + "  }"]
        return [*lines, pad + "}"]

    lines = ["HIERARCHY", *joint(BODY[0][0], 0), "MOTION", f"Frames: {FRAMES}", "Frame Time: 0.0333333"]
    rng = np.random.default_rng(4)
    for frame in range(FRAMES):
        turns = 15 * np.sin(0.5 * frame + rng.random(3 * len(order)))
        lines.append(" ".join(f"{v:.4f}" for v in (frame, 95.0, 0.5 * frame, *turns)))
    path.write_text("\n".join(lines) + "\n")


def write_gltf(path: Path) -> None:
    """The figure as a skinned mesh under a node that scales centimetres to metres."""
    rng = np.random.default_rng(5)
    chunks: list[bytes] = []
    views: list[dict] = []
    accessors: list[dict] = []

    def accessor(array: np.ndarray, kind: str, component: int) -> int:
        data = array.tobytes()
        views.append({"buffer": 0, "byteOffset": sum(map(len, chunks)), "byteLength": len(data)})
        chunks.append(data + b"\0" * (-len(data) % 4))
        row: dict = {
            "bufferView": len(views) - 1,
            "componentType": component,
            "count": len(array),
            "type": kind,
        }
        if component == 5126 and kind in ("VEC3", "SCALAR"):
            row["min"] = np.atleast_1d(array.min(0)).tolist()
            row["max"] = np.atleast_1d(array.max(0)).tolist()
        accessors.append(row)
        return len(accessors) - 1

    places: dict[str, np.ndarray] = {}
    for name, parent, offset in BODY:
        places[name] = np.array(offset) + (places[parent] if parent else 0)
    count = len(BODY)
    inverse = np.tile(np.eye(4, dtype=np.float32), (count, 1, 1))
    inverse[:, 3, :3] = [-places[name] for name, _, _ in BODY]  # column-major
    corners = np.array([places[BODY[i][0]] for i in (0, 2, 5)], dtype=np.float32)
    joints = np.zeros((3, 4), dtype=np.uint8)
    joints[:, 0] = (0, 2, 5)
    weights = np.zeros((3, 4), dtype=np.float32)
    weights[:, 0] = 1
    mesh = {
        "attributes": {
            "POSITION": accessor(corners, "VEC3", 5126),
            "JOINTS_0": accessor(joints, "VEC4", 5121),
            "WEIGHTS_0": accessor(weights, "VEC4", 5126),
        }
    }
    names = [name for name, _, _ in BODY]
    nodes: list[dict] = []
    for name, _, offset in BODY:
        turn = rng.normal(size=4) * 0.05 + (0, 0, 0, 1)
        node: dict = {
            "name": name,
            "translation": list(offset),
            "rotation": (turn / np.linalg.norm(turn)).tolist(),
        }
        below = [names.index(child) for child, parent, _ in BODY if parent == name]
        if below:
            node["children"] = below
        nodes.append(node)
    nodes.append({"name": "Armature", "children": [0, count + 1], "scale": [0.01] * 3})
    nodes.append({"name": "Skin", "mesh": 0, "skin": 0})
    times = accessor(np.arange(FRAMES, dtype=np.float32) / 24, "SCALAR", 5126)
    samplers, channels = [], []
    for i in range(count):
        turns = rng.normal(size=(FRAMES, 4)) * 0.1 + (0, 0, 0, 1)
        turns = (turns / np.linalg.norm(turns, axis=-1, keepdims=True)).astype(np.float32)
        samplers.append({"input": times, "output": accessor(turns, "VEC4", 5126), "interpolation": "LINEAR"})
        channels.append({"sampler": i, "target": {"node": i, "path": "rotation"}})
    skin = {"joints": list(range(count)), "inverseBindMatrices": accessor(inverse, "MAT4", 5126)}
    blob = b"".join(chunks)
    uri = "data:application/octet-stream;base64," + base64.b64encode(blob).decode()
    document = {
        "asset": {"version": "2.0"},
        "scene": 0,
        "scenes": [{"nodes": [count]}],
        "nodes": nodes,
        "meshes": [{"primitives": [mesh]}],
        "skins": [skin],
        "animations": [{"name": "Move", "samplers": samplers, "channels": channels}],
        "buffers": [{"byteLength": len(blob), "uri": uri}],
        "bufferViews": views,
        "accessors": accessors,
    }
    path.write_text(json.dumps(document))
