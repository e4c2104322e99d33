# SPDX-License-Identifier: GPL-3.0-or-later
"""The same facts a second time, in plain loops that share nothing with the library.

Forward kinematics joint after joint, Blender's limit region as it was measured, derivatives by differences:
slow and easy to believe. A test that compares the library with itself would hold its mistakes, too.
"""

from __future__ import annotations

import math

import numpy as np


def rodrigues(v):
    """Rotation about v by |v|."""
    t = math.sqrt(sum(x * x for x in v))
    if t == 0.0:
        return np.eye(3)
    x, y, z = (component / t for component in v)
    c, s = math.cos(t), math.sin(t)
    return np.array(
        [
            [c + x * x * (1 - c), x * y * (1 - c) - z * s, x * z * (1 - c) + y * s],
            [y * x * (1 - c) + z * s, c + y * y * (1 - c), y * z * (1 - c) - x * s],
            [z * x * (1 - c) - y * s, z * y * (1 - c) + x * s, c + z * z * (1 - c)],
        ]
    )


def frames(skeleton, q):
    """World rotation and place of every joint, {name: (R (3, 3), p (3,))}, from the joints as written."""
    world = {}
    taken = 0
    for joint in skeleton.joints:
        values = [float(v) for v in np.broadcast_to(np.asarray(joint.fixed, dtype=float), 6)]
        for letter in (0, 1, 2):
            if "xyz"[letter] in joint.slides:
                values[letter] = float(q[taken])
                taken += 1
        for letter in (0, 1, 2):
            if "xyz"[letter] in joint.turns:
                values[3 + letter] = float(q[taken])
                taken += 1
        slide, (x, y, z) = np.array(values[:3]), values[3:]
        rest = np.asarray(joint.rotation, dtype=float)
        local = rodrigues((x, 0.0, z)) @ rodrigues((0.0, y, 0.0))
        parent_rotation, parent_place = (
            (np.eye(3), np.zeros(3)) if joint.parent is None else world[joint.parent]
        )
        place = parent_place + parent_rotation @ (np.asarray(joint.translation, dtype=float) + rest @ slide)
        rotation = (parent_rotation if joint.inherit_rotation else np.eye(3)) @ rest @ local
        world[joint.name] = rotation, place
    assert taken == len(q)
    return world


def point(skeleton, q, joint, offset=(0.0, 0.0, 0.0)):
    """World place of a point fixed to a joint."""
    rotation, place = frames(skeleton, q)[joint]
    return place + rotation @ np.asarray(offset, dtype=float)


def outside_region(skeleton, q):
    """By how much q is outside what the joints' limits allow, the worst of all: 0 or less is inside.

    For a joint free in both swing turns with a limit on one of them: Blender's quarter ellipses and strips in
    half-angle sines, told as the excess of `sqrt((S.x / r.x)^2 + (S.z / r.z)^2)` over 1 times the smaller
    radius, around the centre nearest to zero. All else: how far the coordinate is beyond its interval.
    """
    worst = -math.inf
    taken = 0
    for joint in skeleton.joints:
        free = [f"slide{c}" for c in "xyz" if c in joint.slides] + [
            f"turn{c}" for c in "xyz" if c in joint.turns
        ]
        lower = np.broadcast_to(
            -math.inf if joint.lower is None else np.asarray(joint.lower, dtype=float), len(free)
        )
        upper = np.broadcast_to(
            math.inf if joint.upper is None else np.asarray(joint.upper, dtype=float), len(free)
        )
        own = {name: (float(q[taken + i]), float(lower[i]), float(upper[i])) for i, name in enumerate(free)}
        taken += len(free)
        swing = [own.get("turnx"), own.get("turnz")]
        if all(swing) and any(math.isfinite(side) for turn in swing for side in turn[1:]):
            worst = max(worst, _outside_swing(*swing))
            own.pop("turnx"), own.pop("turnz")
        for value, low, high in own.values():
            worst = max(worst, low - value, value - high)
    return worst


def _outside_swing(x, z):
    turn = math.hypot(x[0], z[0])
    measure, smallest = 0.0, 1.0
    for value, low, high in (x, z):
        low = max(low, -math.pi) if math.isfinite(low) else low
        high = min(high, math.pi) if math.isfinite(high) else high
        centre = min(max(0.0, low), high)
        # component of the swing quaternion's vector part
        sine = 0.5 * value if turn == 0.0 else math.sin(turn / 2) * value / turn
        s = sine - math.sin(centre / 2)
        side = high if s >= 0 else low
        if not math.isfinite(side):
            continue
        radius = abs(math.sin(side / 2) - math.sin(centre / 2))
        if radius < 1e-9:  # no room on this side: what is there is outside by itself
            if abs(s) > 1e-9:
                return abs(s)
            continue
        smallest = min(smallest, radius)
        measure += (s / radius) ** 2
    return (math.sqrt(measure) - 1.0) * smallest


def differences(function, q, step=1e-6):
    """Central differences of function(q) (k,) by q (n,): (k, n); and how far the one-sided ones differ."""
    here = np.asarray(function(q))
    slope, kink = np.empty((here.size, len(q))), 0.0
    for i in range(len(q)):
        way = np.zeros(len(q))
        way[i] = step
        ahead, behind = np.asarray(function(q + way)), np.asarray(function(q - way))
        slope[:, i] = (ahead - behind) / (2 * step)
        kink = max(kink, float(np.abs(ahead - 2 * here + behind).max(initial=0.0)) / step)
    return slope, kink
