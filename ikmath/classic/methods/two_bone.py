# SPDX-License-Identifier: GPL-3.0-or-later
"""Two bones in closed form: the law of cosines for the middle joint, one aim for the upper one, a pole.

For arms and legs. The middle joint (elbow, knee; hinge or ball, with any bone directions) rotates until the
effector is as far from the upper joint as the target; its limits set the range of distances. The upper joint
points the effector at the target; with a pole, it also rotates the limb about that line until the middle
joint is on the pole's side. All other joints are unchanged.

Two practical problems: a limb snaps when it becomes straight, because the rate of the middle joint's angle is
unbounded; with soft reach, the effector lags behind a little so that the limb never quite reaches its full
length. A pole on the line from root to target has no side; then the limb keeps its plane.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, ClassVar, Final

import numpy as np
import numpy.typing as npt

from ... import arguments
from ...arrays import Array
from ...errors import BadShape, NotSupported, UnknownName
from ...problem.problem import Problem
from ...solvers.method import Options
from ..limbs.arithmetic import Number, Vector, add, chosen, conjugate, dot, length, rotate, scaled, subtract
from ..limbs.chains import Aim, Group, Limbs, Place
from ..limbs.leaps import accelerated_sweep
from ..limbs.levels import level_group, stiff_tip
from ..limbs.posing import Posing
from ..limbs.stages import Run
from ..limbs.sweeps import Wish, turn_group
from .geometric import Geometric, GeometricOptions

_POLE: Final = 1e-3  # weight of the pole relative to the target, if limits bring them into conflict
_FLAT: Final = 1e-6  # of the limb's length; a pole or an elbow nearer to the line has no side


@dataclass(frozen=True, kw_only=True)
class TwoBoneOptions(GeometricOptions):
    """Options of `two_bone`.

    Attributes:
        pole: a point (3,), or one for each effector (E, 3), to whose side the middle joint bends, world
            space, metres; None keeps the plane of the limb.
        softness: last share of the limb's length in which the effector lags behind the target, in [0, 1); 0
            follows it exactly until the limb is straight.
        middle: name of the middle joint, or one for each effector; None for the joint with the longest bones
            on both sides.
    """

    pole: npt.ArrayLike | None = None
    softness: float = 0.0
    middle: str | Sequence[str] | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        arguments.number(self.softness, "softness", least=0, below=1)
        if self.pole is not None:
            arguments.coordinates(self.pole, 3, "pole")
        if self.middle is not None and not isinstance(self.middle, str):
            arguments.several(self.middle, str, "middle")


@dataclass(frozen=True)
class Limb:
    """The two joints that bend for an effector.

    Attributes:
        effector: its index; upper, middle: the groups, the same one if the upper bone has no length;
        to_middle, to_tip: their aims.
    """

    effector: int
    upper: Group
    middle: Group
    to_middle: Aim
    to_tip: Aim


class TwoBone(Geometric):
    """See the module."""

    name: ClassVar[str] = "two_bone"
    label: ClassVar[str] = "Two Bones"
    description: ClassVar[str] = (
        "Closed form for arms and legs, with a pole and soft reach; moves two joints a limb."
    )
    source: ClassVar[str] = "Ge 2000, section 2.1; law of cosines"
    options: ClassVar[type[Options]] = TwoBoneOptions

    def bend(self, run: Run, problem: Problem, options: Any) -> None:
        limbs = find_limbs(run.limbs, options.middle, problem.effectors)
        count = len(run.limbs.effectors)
        poles: list[Vector] | None = None
        if options.pole is not None:
            given = arguments.shaped(options.pole, "pole", (3,), (count, 3))
            poles = [(x, y, z) for x, y, z in np.broadcast_to(given, (count, 3)).tolist()]
        run.moving = {node for limb in limbs for node in (*limb.upper.nodes, *limb.middle.nodes)}
        if options.softness > 0.0:
            run.targets = softened(run, limbs, options.softness)
        run.stage(partial(bend_limbs, limbs=limbs, poles=poles), limit=1)
        if options.finish:
            run.stage(accelerated_sweep)
        run.stalled |= run.reached  # further iterations cannot reach the real target


def find_limbs(limbs: Limbs, middle: str | Sequence[str] | None, labels: Sequence[str]) -> list[Limb]:
    """The two joints that bend for each effector.

    Args:
        limbs: of the figure; middle: see `TwoBoneOptions`; labels: names of the effectors in messages.

    Raises:
        NotSupported: an effector has fewer than two joints that can rotate, or two effectors are on one limb;
        UnknownName: a middle joint is not above its effector.
    """
    names = [middle] * len(limbs.effectors) if middle is None or isinstance(middle, str) else list(middle)
    if len(names) != len(limbs.effectors):
        raise BadShape("middle", f"one name or {len(limbs.effectors)} names", (len(names),))
    found = [_limb(limbs, effector, name, labels[effector]) for effector, name in enumerate(names)]
    used: set[int] = set()
    for limb in found:
        nodes = {*limb.upper.nodes, *limb.middle.nodes}
        if used & nodes:
            raise NotSupported(
                "Method Two Bones",
                "cannot solve two effectors on one limb; give each its own, or use FABRIK or Hierarchical.",
            )
        used |= nodes
    return found


def _limb(limbs: Limbs, effector: int, name: str | None, label: str) -> Limb:
    groups = [limbs.groups[g] for g in dict.fromkeys(limbs.group_of[node] for node in limbs.ways[effector])]
    way = []
    for group in groups:
        aim = next(aim for aim in group.aims if any(end == effector for end, _, _ in aim.ends))
        if any(limbs.nodes[node].turning is not None for node in group.nodes):
            way.append((group, aim))
    joints = limbs.skeleton.names
    if name is None:
        bones = [_bones(way, k, effector) for k in range(len(way))]
        best = max(range(len(way)), key=lambda k: (round(bones[k], 9), k), default=0)
    else:
        on_way = [{joints[limbs.nodes[node].joint] for node in group.nodes} for group, _ in way]
        best = next((k for k, inside in enumerate(on_way) if name in inside), -1)
        if best < 0:
            raise UnknownName("middle joint", name, sorted(set().union(*on_way)))
    if way and best == 0 and sum(limbs.nodes[node].turning is not None for node in way[0][0].nodes) > 1:
        group, aim = way[0]  # the upper bone has no length
        return Limb(effector, group, group, aim, aim)
    if best < 1:
        raise NotSupported(
            "Method Two Bones", f"needs two joints that can turn above effector {label}; use another method."
        )
    return Limb(effector, way[best - 1][0], way[best][0], way[best - 1][1], way[best][1])


def _bones(way: list[tuple[Group, Aim]], k: int, effector: int) -> float:
    """The shorter of the bones on both sides of a joint, at rest, metres."""
    if k == 0:
        return -1.0
    rest = next(rest for end, rest, _ in way[k][1].ends if end == effector)
    return min(way[k - 1][1].length, way[k][1].length + rest)


def _stretched(posing: Posing, limb: Limb) -> Number:
    """The largest distance from upper joint to tip in the middle joint's limits; straightens the limb."""
    anchor = posing.head[limb.upper.nodes[0]]
    tip = stiff_tip(posing, limb.to_tip, limb.effector)
    level_group(posing, limb.middle, tip, anchor, lambda a, c: -a * c)
    return length(posing.m, subtract(posing.placed(tip.place), anchor))


def softened(run: Run, limbs: list[Limb], softness: float) -> Array:
    """Targets moved inward so that the limbs never quite stretch: (B, E, 3), world space, metres.

    Up to `(1 - softness)` of the full reach, targets are unchanged. Beyond, the distance is `d + s x / (1 +
    x)` with the excess x in units of s: the slope is continuous and the full reach is never exceeded.
    """
    targets = run.targets.copy()
    for posing in run.posings(np.arange(len(targets))):
        m = posing.m
        for limb in limbs:
            full = _stretched(posing, limb)
            soft = m.maximum(softness * full, 1e-12)
            hard = full - soft
            root = posing.head[limb.upper.nodes[0]]
            way = subtract(posing.targets[limb.effector], root)
            distance = length(m, way)
            x = m.maximum(distance - hard, 0.0) / soft
            wanted = m.where(x > 0.0, hard + soft * x / (1.0 + x), distance)
            drawn = add(root, scaled(way, wanted / m.maximum(distance, 1e-12)))
            for axis in range(3):
                targets[posing.frames, limb.effector, axis] = drawn[axis]
    return targets


def bend_limbs(posing: Posing, limbs: Sequence[Limb], poles: Sequence[Vector] | None) -> None:
    """Bend each limb to its target."""
    for limb in limbs:
        root = posing.head[limb.upper.nodes[0]]
        drift = next(drift for end, _, drift in limb.to_middle.ends if end == limb.effector)
        target = subtract(posing.targets[limb.effector], drift)
        way = subtract(target, root)
        if limb.middle is limb.upper:
            turn_group(posing, limb.upper, [(stiff_tip(posing, limb.to_tip, limb.effector), target, 1.0)])
            posing.place_all()
            continue
        square = dot(way, way)
        tip = stiff_tip(posing, limb.to_tip, limb.effector)
        level_group(posing, limb.middle, tip, root, partial(_at_distance, square=square))
        posing.place_all()
        whole = stiff_tip(posing, limb.to_middle, limb.effector)
        turn_group(posing, limb.upper, [(whole, target, 1.0)])
        if poles is not None:
            posing.place_all()
            now = posing.placed(whole.place)
            turn_group(posing, limb.upper, [(whole, now, 1.0), _to_pole(posing, limb, poles[limb.effector])])
        posing.place_all()


def _at_distance(a: Number, c: Number, square: Number) -> Number:
    return 0.5 * (a * a + c * c - square)


def _to_pole(posing: Posing, limb: Limb, pole: Vector) -> Wish:
    """A target for the middle joint on the pole's side of the line from root to tip.

    It only applies to the middle joint's offset from that line, so that it only rotates the limb about the
    line.
    """
    m = posing.m
    root, middle = posing.head[limb.upper.nodes[0]], posing.placed(limb.to_middle.place)
    line = subtract(posing.tip[limb.effector], root)
    axis = scaled(line, 1.0 / m.maximum(length(m, line), 1e-12))
    out, side = (
        subtract(way, scaled(axis, dot(way, axis))) for way in (subtract(middle, root), subtract(pole, root))
    )
    width, radius = length(m, side), length(m, out)
    flat = _FLAT * (limb.to_middle.length + limb.to_tip.length)
    clear = (width > flat) & (radius > flat)
    wanted = chosen(m, clear, scaled(side, radius / m.maximum(width, 1e-12)), out)
    node = limb.to_middle.place.node
    arm = Place(node, rotate(conjugate(posing.frame[node]), out), (0.0, 0.0, 0.0))
    return Aim(arm, 0.0, -1, -1, ()), add(posing.head[node], wanted), _POLE
