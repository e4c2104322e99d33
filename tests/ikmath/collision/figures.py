# SPDX-License-Identifier: GPL-3.0-or-later
"""Random trees with bodies, for the tests of critical points."""

from __future__ import annotations

from zoo import ZOO, rotation

from ikmath import Joint, Skeleton
from ikmath.collision import Body, Link


def tree(rng, joints=9, inherit=1.0):
    made = []
    for i in range(joints):
        parent = None if i == 0 else f"j{rng.integers(max(0, i - 3), i)}"
        turns = "".join(letter for letter in "xyz" if rng.random() < 0.7)
        slides = "".join(letter for letter in "xyz" if rng.random() < (0.5 if i == 0 else 0.1))
        made.append(
            Joint(
                f"j{i}",
                parent,
                rotation=rotation(rng),
                translation=rng.normal(scale=0.4, size=3),
                turns=turns or "x",
                slides=slides,
                inherit_rotation=bool(rng.random() < inherit),
            )
        )
    return Skeleton(made)


def body(rng, skeleton):
    links = []
    for name in skeleton.names:
        for k in range(rng.integers(0, 3)):
            a = rng.normal(scale=0.2, size=3)
            b = a if rng.random() < 0.2 else rng.normal(scale=0.3, size=3)
            links.append(Link(name, a, b, rng.uniform(0, 0.1), name=f"{name}.{k}"))
    return Body(links or [Link(skeleton.names[-1], radius=0.1)])


def obstacles(rng, count=8):
    kinds = sorted(ZOO)
    made = []
    for i in range(count):
        shape = ZOO[kinds[i % len(kinds)]].make(rng)
        made.append(shape.moved(rotation(rng), rng.normal(size=3)))
    return made


def chain(links, radius=0.5):
    """A trunk of balls, as in the thesis."""
    joints = [Joint("b0")] + [Joint(f"b{i}", f"b{i - 1}", translation=(0, 1, 0)) for i in range(1, links)]
    return Skeleton(joints), Body([Link(f"b{i}", (0, 0.5, 0), (0, 0.5, 0), radius) for i in range(links)])
