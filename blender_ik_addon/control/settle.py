# SPDX-License-Identifier: GPL-3.0-or-later
"""Frames of a figure that is not exact: solve, see what Blender makes of it, correct, keep the best round.

Rigid joints describe bones in a sheared space only near the pose at which they were measured. What is
reported of such a frame are the errors in Blender, not those of the figure.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Final

import numpy as np

import ikmath as ik
from ikmath import rotation

from ..bridge.armature import Array, Channels, Flags
from ..bridge.correction import Correction
from ..bridge.goals import Wanted
from ..bridge.skeleton import Figure
from .plan import Plan

_ROUNDS: Final = 12
_PATIENCE: Final = 3  # rounds that bring nothing, one after another
_GAIN: Final = 0.98  # depths and squared errors that fall by less in a round have stopped falling
_GOOD: Final = 1e-4  # of the figure's size; closer than this nobody sees it, and single precision is not far
_LOOSE: Final = 1e-3  # of it; errors below that matter only where nothing else does
_SAME: Final = 1e-6  # of the figure's size, by which depths may differ for rounding
_SHARES: Final = (0.5, 0.25, 0.125)  # of a way that leads deeper


@dataclass(frozen=True, kw_only=True)
class Settled:
    """The best round.

    Attributes:
        channels: of all bones; q: (n,) the coordinates that make them; solution: of that round.
        distance: (E,) metres; angle: (E,) radians: how far the effectors are from their targets in Blender;
            NaN where an effector does not ask for it or is off.
        began: how far all of them together were at the start, see `together`.
    """

    channels: Channels
    q: Array
    solution: ik.Solution = field(repr=False)
    distance: Array
    angle: Array
    began: float


def settle(
    figure: Figure,
    want: Wanted,
    asks: tuple[Flags, Flags],
    previous: Channels | None,
    measure: Callable[[Figure], Array],
    solve: Callable[[Figure, Wanted, int | None, bool], ik.Solution],
    depth: Callable[[Figure], float],
    tolerance: float,
    most: int | None,
) -> Settled:
    """Bring the effectors to their targets in Blender, and never deeper into anything.

    A figure may keep clear where Blender does not. But it is right near the pose at which it was measured:
    where a round leads deeper than the best one, a part of the way from there to it may do.

    Args:
        figure: measured at the pose that the solve starts from.
        want: targets of the frame.
        asks: (E,) which effectors ask for a place; (E,) which ask for an orientation.
        previous: channels of the frame before.
        measure: the effectors' points (E, 3) in their joints' frames, of a figure.
        solve: solves for targets, of a figure, in so many iterations at most; as the frame is begun, or else
            from the pose that the figure was measured at.
        depth: how far a figure is inside of what it should keep clear of, metres; 0 where it is clear.
        tolerance: metres and radians, within which a target counts as reached.
        most: iterations of all rounds together at most; None for no such bound. Each takes half of what is
            left: the next one puts right what Blender makes of it.
    """
    look = _Look(figure, want, asks, previous, measure, depth, tolerance)
    learnt, moves, stale = Correction(int(look.moves.sum())), look.moves, 0
    first = here = best = look.at(figure, figure.q)
    found: ik.Solution | None = None
    for _ in range(_ROUNDS):
        start, asked = here, want.position.copy()
        asked[moves] = learnt.targets(start.places[moves], want.position[moves])
        # Who stands in a wall by now starts afresh: he may not find the way out of it.
        afresh = found is None or start.inside > 0.0
        asks_for = replace(start.want, position=asked)
        solution = solve(start.figure, asks_for, most and -(-most // 2), afresh)
        here = look.at(start.figure, solution.q)
        learnt.learn((here.promised - start.places)[moves], (here.places - start.places)[moves])
        shown = look.not_deeper(here, best)
        gained = look.is_better(shown, best)
        if not look.is_better(best, shown, share=1.0):
            best, found = shown, solution
        found = found or solution
        corrected = np.abs(asked - want.position)[moves].max(initial=0.0)
        short = solution.status is ik.Status.REACHED and here.off_by > tolerance
        if here.broken < _GOOD and not short and (corrected / look.size < _GOOD or not gained):
            break  # Blender did what the figure promised, and to ask otherwise brings nothing more
        stale, most = 0 if gained else stale + 1, most and max(0, most - solution.iterations)
        if stale == _PATIENCE or most == 0:
            break
    if found is None:
        raise RuntimeError("no round was made")
    return Settled(
        channels=best.channels,
        q=best.q,
        solution=replace(found, q=best.q),
        distance=best.distance,
        angle=best.angle,
        began=together(first.distance, first.angle),
    )


def together(distance: Array, angle: Array) -> float:
    """How far effectors are off by (E,) metres and (E,) radians, as one number; NaN counts as nothing."""
    return float(np.nansum(distance) + np.nansum(angle))


@dataclass(frozen=True, kw_only=True)
class _Seen:
    """What Blender makes of coordinates.

    Attributes:
        q: (n,) of the figure that was asked; channels: that they make; figure: measured there.
        want: with the effectors' points there; places: (E, 3) of these; promised: (E, 3) by the figure asked.
        distance, angle: see `Settled`; off_by: the largest of them.
        broken: by how much the figure's promise was, in figure sizes and radians.
        inside: metres; costs: that, 0 where nobody sees it, and the squared errors of each priority.
    """

    q: Array
    channels: Channels
    figure: Figure
    want: Wanted
    places: Array
    promised: Array
    distance: Array
    angle: Array
    broken: float
    inside: float
    costs: list[float]

    @property
    def off_by(self) -> float:
        """See the class."""
        return float(np.nan_to_num([self.distance, self.angle]).max(initial=0.0))


class _Look:
    """How the poses of one frame are looked at; see `settle`.

    Attributes:
        moves: (E,) which effectors are to be at a place; size: length scale of the figure with its effectors'
            points, metres; 1 where all of it is one point.
    """

    def __init__(
        self,
        figure: Figure,
        want: Wanted,
        asks: tuple[Flags, Flags],
        previous: Channels | None,
        measure: Callable[[Figure], Array],
        depth: Callable[[Figure], float],
        tolerance: float,
    ) -> None:
        self.want, self._previous, self._measure, self._depth = want, previous, measure, depth
        self.moves, self._turns = (flags & (want.weight > 0.0) for flags in asks)
        # Who aims or stays on a plane: they are right if point and bone are where the figure says.
        self._others = (want.weight > 0.0) & ~self.moves & ~self._turns
        far = float(np.sqrt((want.offset**2).sum(-1)).max(initial=0.0))
        self.size = (figure.skeleton.size + far) or 1.0
        self._floor, self._loose = tolerance**2, (_LOOSE * self.size) ** 2
        self._levels = [want.priority == level for level in np.unique(want.priority)]

    def at(self, figure: Figure, q: Array) -> _Seen:
        """What Blender makes of the coordinates (n,) of a figure."""
        channels = figure.channels(q, self._previous)
        posed = figure.posed(channels)
        want = replace(self.want, offset=self._measure(posed))
        promised, frames = _at(figure.skeleton, want, q)
        places, shown = _at(posed.shown, want, posed.q)
        distance = np.where(self.moves, np.sqrt(((places - want.position) ** 2).sum(-1)), np.nan)
        angle = np.where(self._turns, _between(shown, want.rotation), np.nan)
        away, turned = np.sqrt(((places - promised) ** 2).sum(-1)), _between(frames, shown)
        off = np.where(self._others, away**2 + (self.size * turned) ** 2, 0.0)
        off += np.nan_to_num(distance) ** 2 + (self.size * np.nan_to_num(angle)) ** 2
        off *= want.weight
        inside = self._depth(posed)
        return _Seen(
            q=q,
            channels=channels,
            figure=posed,
            want=want,
            places=places,
            promised=promised,
            distance=distance,
            angle=angle,
            broken=max(
                away[self.moves | self._others].max(initial=0.0) / self.size,
                turned[self._turns | self._others].max(initial=0.0),
            ),
            inside=inside,
            costs=[
                inside if inside > _GOOD * self.size else 0.0,
                *(max(float(off[level].sum()) - self._loose, 0.0) for level in self._levels),
                float(off.sum()),
            ],
        )

    def not_deeper(self, here: _Seen, best: _Seen) -> _Seen:
        """A pose, or a part of the way to it from the best one so far, where all of it leads deeper."""
        shown, way = here, here.figure.q - best.figure.q
        for share in _SHARES:
            if shown.inside <= max(best.inside + _SAME * self.size, _GOOD * self.size):
                break
            shown = self.at(best.figure, best.figure.q + share * way)
        return shown

    def is_better(self, here: _Seen, best: _Seen, share: float = _GAIN) -> bool:
        """Whether of the costs of two poses the first that tells them apart is below a share of the other."""
        for now, then in zip(here.costs, best.costs, strict=True):
            if now < share * then - self._floor:
                return True
            if now > then + self._floor:
                return False
        return False


def honest(solution: ik.Solution, plan: Plan, distance: Array, angle: Array) -> ik.Solution:
    """What the figure has reached, but not Blender, is not reached.

    Args:
        solution: as the solver gave it; plan: of the armature.
        distance: (E,) metres, angle: (E,) radians: how far the effectors are off in Blender; NaN where they
            do not ask for it.
    """
    off = np.fmax(np.nan_to_num(distance), np.nan_to_num(angle))
    row = int(off.argmax())
    if solution.status is not ik.Status.REACHED or off[row] <= plan.tolerance:
        return solution
    far = distance[row] > plan.tolerance
    how = (
        f"stays {1000 * distance[row]:.2g} mm short"
        if far
        else f"is {np.degrees(angle[row]):.2g} degrees off"
    )
    message = (
        f"Bone '{plan.effectors[row].bone}' {how}: a bone above is scaled unevenly, or locked in single"
        " components of its rotation; scale it evenly, or use its IK locks."
    )
    return replace(solution, status=ik.Status.BEST_EFFORT, sentence=message)


def _at(skeleton: ik.Skeleton, want: Wanted, q: Array) -> tuple[Array, Array]:
    """(E, 3) places of the effectors' points and (E, 3, 3) their frames, figure space."""
    pose = ik.Pose.forward(skeleton, q)
    return pose.point(want.bones, want.offset), pose.frame(want.bones)


def _between(a: Array, b: Array) -> Array:
    """(E,) angles between frames (E, 3, 3)."""
    return rotation.angle(np.swapaxes(a, -1, -2) @ b)
