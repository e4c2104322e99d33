# SPDX-License-Identifier: GPL-3.0-or-later
"""Pairs that the broad phase could not rule out, and their exact measuring."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..rotation import Array
from .candidate_set import Shortlist
from .closest_pairs import Part
from .coherence_cache import Watch
from .shape_group import Group, Index


class Question(NamedTuple):
    """Pairs that may be near and are to be measured; P rows.

    Attributes:
        group: what the links are measured against.
        start: number of the group's first obstacle.
        places: (P, 3, 3) ends and middle of the links' axes, as rows.
        frame: (P,) pose of the batch, None for a single one.
        moving: (P,) frame of the obstacles, None if they stand still.
        link: (P,) the link.
        which: (P,) the obstacle, or where `other` is given the row of the group.
        other: (P,) the other link, None for obstacles.
        thick: (P,) radius of the link and margin of the obstacle, metres.
        ends_only: only the ends are of interest.
        watch: what is known of the pairs from before, None if nothing is; pairs: (P,) their numbers there.
        shortlist: what their nearest triangles are among, or to be filled with that.
    """

    group: Group
    start: int
    places: Array
    frame: Index | None
    moving: Index | None
    link: Index
    which: Index
    other: Index | None
    thick: Array
    ends_only: bool = False
    watch: Watch | None = None
    pairs: Index | None = None
    shortlist: Shortlist | None = None

    def take(self, rows: Index) -> Question:
        """Some of the rows; without shortlist."""
        return self._replace(
            places=self.places.take(rows, 0),
            frame=None if self.frame is None else self.frame.take(rows),
            moving=None if self.moving is None else self.moving.take(rows),
            link=self.link.take(rows),
            which=self.which.take(rows),
            other=None if self.other is None else self.other.take(rows),
            thick=self.thick.take(rows),
            pairs=None if self.pairs is None else self.pairs.take(rows),
            shortlist=None,
        )

    def after(self, places: Array) -> Question:
        """The same where all links of a single pose (L, 3, 3) are now."""
        return self._replace(places=places.take(self.link, 0))

    def measured(self, detect: float, ends: bool, behind: float | None = None) -> Part:
        """The near rows, measured.

        Args:
            detect: metres of clearance, the obstacles' margins not counted, up to which a row is near.
            ends: also the two ends of each link, as rows of their own.
            behind: metres behind an open surface up to which a row is behind it; `detect` if not told.
        """
        asked, (a, b) = self, (self.places[:, 0], self.places[:, 1])
        count = len(self.link)
        if ends:
            asked = self.take(np.tile(np.arange(count), 2 if self.ends_only else 3))
            a, b = (
                np.concatenate([a, b] if self.ends_only else [a, a, b]),
                np.concatenate([a, b] if self.ends_only else [b, a, b]),
            )
        which = asked.which - self.start if self.start else asked.which
        within = asked.thick + detect
        limit = within if self.group.limited else None
        reach, watch, pairs = limit, self.watch, asked.pairs
        if limit is not None and watch is not None and pairs is not None:
            reach = watch.reach(pairs, limit)
        if limit is not None and behind is not None:
            limit = np.minimum(limit, asked.thick + behind)
        distance, point, parameter, normal = self.group.segments(
            a, b, which, asked.moving, limit, reach, asked.shortlist
        )
        if watch is not None and pairs is not None:
            if reach is not None:
                watch.learn(pairs, distance, reach)
            watch.keep(asked, distance, detect)
        near = distance < within
        if ends:
            parameter[-2 * count : -count], parameter[-count:] = 0.0, 1.0
            if not self.ends_only:  # an end that is the critical point is listed already
                near[count : 2 * count] &= parameter[:count] != 0.0
                near[2 * count :] &= parameter[:count] != 1.0
        obstacle = asked.which if asked.other is None else None
        part = Part(asked.frame, asked.link, obstacle, asked.other, distance, point, parameter, normal)
        kept = near.nonzero()[0]
        return part if len(kept) == len(near) else part.take(kept)
