# SPDX-License-Identifier: GPL-3.0-or-later
"""The centre of mass over a place, or over the area that the feet span (Ki & Sheen, section 2).

A standing figure whose centre of mass leaves its support looks as if it fell. The centre is a mean of points,
so its Jacobian is one too: for each coordinate, the mass that it moves and that mass's own centre are summed
by products with matrices that the structure of the figure gives.
"""

from collections.abc import Mapping
from copy import deepcopy
from typing import ClassVar, Final, NamedTuple

import numpy as np
import numpy.typing as npt

from .. import arguments
from ..errors import BadShape, BadValue
from ..model.pose import Pose
from ..model.residual import Residual, unit_vectors
from ..model.skeleton import Skeleton
from ..rotation import Array, across
from .base import Goal

_AXES: Final = "xyz"
_FLAT: Final = 1e-9  # metres; an area thinner than this has no inside
Point = tuple[float, float]
Masses = Mapping[str, float] | npt.ArrayLike
Centers = Mapping[str, npt.ArrayLike] | npt.ArrayLike


class _Weights(NamedTuple):
    """The masses of a figure, as shares of the whole."""

    shares: Array  # (J,)
    offsets: Array | None  # (J, 3) where they are in their joints' frames; None at the origins
    below: Array  # (J,) of each joint and all that hangs from it
    moved: Array  # (n,) what each coordinate moves

    def places(self, pose: Pose) -> Array:
        """(*batch, J, 3) places of the masses."""
        if self.offsets is None:
            return pose.position
        return np.asarray(pose.position + np.matmul(pose.rotation, self.offsets[:, :, None])[..., 0])


class Balance(Goal):
    """The centre of mass should be above a place, or above the inside of a support.

    Args:
        target: (*batch, 2) the place, in the two axes besides `up` in alphabetical order, metres, or (*batch,
            3) in the world; None with a support.
        weight, priority, name: see `Goal`.
        support: (*batch, K, 2) or (*batch, K, 3) points on which the figure stands, K at least 1; the area
            that they span is what the centre of mass should keep above, one-sided.
        margin: how far from the area's edge the centre should keep inside, metres.
        masses: by joint name, or (J,) in the figure's order; the skeleton's own if not given.
        centers: where each joint's mass is in its own frame, metres, by joint name or (J, 3); the frame's
            origin if not given.
        up: the axis that is vertical, "x", "y" or "z", or (3,) a direction; with that, places have three
            components.
    """

    kind: str = "Balance"
    targets: ClassVar[Mapping[str, int]] = {"target": 1, "normals": 2, "offsets": 1}
    rows: int = 2

    def __init__(
        self,
        target: npt.ArrayLike | None = None,
        weight: npt.ArrayLike = 1.0,
        priority: int = 0,
        *,
        support: npt.ArrayLike | None = None,
        margin: float = 0.0,
        masses: Masses | None = None,
        centers: Centers | None = None,
        up: str | npt.ArrayLike = "z",
        name: str | None = None,
    ) -> None:
        self._begin(("balance",), weight, priority, name)
        if (target is None) == (support is None):
            raise BadValue(self.describe(), "needs either a target or a support.")
        self.level = self._level(up)
        margin = arguments.number(margin, f"margin of {self.describe()}", least=0)
        if margin and support is None:
            raise BadValue(f"margin of {self.describe()}", "is for a support; give support=, or no margin.")
        self.target = None if target is None else self._flat(target, "target", 1)
        self.normals, self.offsets = np.zeros((0, 2)), np.zeros(0)
        if support is not None:
            self.normals, self.offsets = self._area(self._flat(support, "support", 2), margin)
            self.rows = self.normals.shape[-2]
        self.one_sided = support is not None
        try:
            self._masses, self._centers = deepcopy((masses, centers))
        except TypeError as error:  # a module, for example
            raise BadValue(f"masses or centers of {self.describe()}", "are no numbers.") from error
        self._known: tuple[object, _Weights | None] = (None, None)

    def _level(self, up: str | npt.ArrayLike) -> Array:
        """(2, 3) the two directions that are level."""
        what = f"up of {self.describe()}"
        if isinstance(up, str):
            return np.delete(np.eye(3), _AXES.index(arguments.word(up, what, _AXES)), 0)
        return across(unit_vectors(arguments.shaped(up, what, (3,)), what))

    def _flat(self, places: npt.ArrayLike, what: str, least: int) -> Array:
        """Places (..., 2) as they are, or (..., 3) of the world, over the level plane (..., 2)."""
        array = arguments.numbers(places, f"{what} of {self.describe()}")
        plain = (self.level == self.level.astype(bool)).all()  # two axes of the world: two numbers will do
        if array.ndim < least or array.shape[-1] not in ((2, 3) if plain else (3,)):
            expected = "(..., 2) or (..., 3)" if plain else "(..., 3)"
            raise BadShape(f"{what} of {self.describe()}", expected, array.shape)
        return array if array.shape[-1] == 2 else np.asarray(array @ self.level.T)

    def _area(self, points: Array, margin: float) -> tuple[Array, Array]:
        """The area that level points (*batch, K, 2) span, narrowed by the margin, as half planes.

        They meet in it, `normals @ x >= offsets`: unit, inward normals (*batch, K, 2) and offsets (*batch,
        K), metres. A line or a point has no room for a margin and stays.
        """
        *batch, count, _ = points.shape
        if not count:
            expected = "(..., K, 2) or (..., K, 3), K at least 1"
            raise BadShape(f"support of {self.describe()}", expected, points.shape)
        edges = [_half_planes(hull(corners.tolist()), margin) for corners in points.reshape(-1, count, 2)]
        most = max((len(normals) for normals, _ in edges), default=0)
        # areas of fewer edges are filled up with half planes that hold everywhere
        all_normals, all_offsets = np.zeros((len(edges), most, 2)), np.full((len(edges), most), -1.0)
        for i, (normals, offsets) in enumerate(edges):
            all_normals[i, : len(normals)], all_offsets[i, : len(offsets)] = normals, offsets
        return all_normals.reshape(*batch, most, 2), all_offsets.reshape(*batch, most)

    # ------------------------------------------------------------------ the centre of mass
    def center(self, pose: Pose) -> Array:
        """The centre of mass (*batch, 3), world, metres."""
        own = self._weights(arguments.of_kind(pose, Pose, "pose").skeleton)
        return np.asarray(own.shares @ own.places(pose))

    def _moving(self, pose: Pose) -> tuple[Array, Array]:
        """The centre over the level plane (*batch, 2) and its derivative (*batch, 2, n)."""
        self.check_frames(pose)
        skeleton, own = pose.skeleton, self._weights(pose.skeleton)
        places = own.places(pose)
        weighed = own.shares[:, None] * places
        for joint in skeleton.topology.cuts.tolist():  # carried as the head of one that does not turn along
            weighed[..., int(skeleton.parents[joint]), :] += own.below[joint] * pose.position[..., joint, :]
        moment = np.matmul(skeleton.topology.turned_along.T, weighed)[..., skeleton.owner, :]
        # frames innermost
        w, v = pose.screws if pose.batch else (each.T[:, :, None] for each in pose.screws)
        slopes = np.cross(w, moment.reshape(v.shape[-1], skeleton.n, 3).T, axis=0) + v * own.moved[:, None]
        rows = np.tensordot(self.level, slopes, 1).transpose(2, 0, 1)
        return (own.shares @ places) @ self.level.T, rows.reshape(*pose.batch, 2, skeleton.n)

    # ------------------------------------------------------------------ the goal
    def evaluate(self, pose: Pose) -> Residual:
        if self.target is None:
            return super().evaluate(pose)
        center, jacobian = self._moving(pose)
        return Residual(center - self.target, jacobian)

    def inequality(self, pose: Pose) -> Residual:
        """How far inside each edge of the support, less the margin, the centre is."""
        center, jacobian = self._moving(pose)
        error = (self.normals * center[..., None, :]).sum(-1) - self.offsets
        rows: Array = self.normals[..., :1] * jacobian[..., :1, :]
        return Residual(error, rows + self.normals[..., 1:] * jacobian[..., 1:, :])

    def check(self, skeleton: Skeleton) -> None:
        self._weights(skeleton)

    def _weights(self, skeleton: Skeleton) -> _Weights:
        """The masses of a figure, read once for all of its structure."""
        topology, known = self._known  # both at once: another thread may use another figure
        if known is not None and topology is skeleton.topology:
            return known
        masses = self._table(self._masses, skeleton, (), "masses")
        masses, what = skeleton.mass if masses is None else masses, f"masses of {self.describe()}"
        if (masses < 0).any():
            subject = skeleton.names[int((masses < 0).argmax())]
            raise BadValue(what, f"are negative for joint {subject!r}.")
        if not masses.sum() > 0:
            raise BadValue(what, "must be above zero for some joint; give masses=, or a mass to the joints.")
        shares = masses / masses.sum()
        below = skeleton.topology.above.T @ shares
        offsets = self._table(self._centers, skeleton, (3,), "centers")
        known = _Weights(shares, offsets, below, below[skeleton.owner])
        self._known = skeleton.topology, known
        return known

    def _table(
        self, given: Masses | Centers | None, skeleton: Skeleton, shape: tuple[int, ...], what: str
    ) -> Array | None:
        """Values for all joints (J, *shape) from values by name (zero if not given) or in order."""
        if given is None:
            return None
        if not isinstance(given, Mapping):
            return arguments.shaped(given, f"{what} of {self.describe()}", (len(skeleton), *shape))
        table = np.zeros((len(skeleton), *shape))
        for joint, value in given.items():
            told = arguments.shaped(value, f"{what}[{joint!r}] of {self.describe()}", shape)
            table[skeleton.index(joint)] = told
        return table


def hull(points: list[list[float]]) -> list[Point]:
    """Corners of the convex hull, counter-clockwise (Andrew's monotone chain); one or two if it is flat."""
    ordered = sorted({(x, y) for x, y in points})

    # No tolerance here: of points that are as good as in line it would throw away the outermost one.
    def chain(way: list[Point]) -> list[Point]:
        out: list[Point] = []
        for point in way:
            while len(out) > 1 and _turn(out[-2], out[-1], point) <= 0.0:
                out.pop()
            out.append(point)
        return out[:-1]

    if len(ordered) < 3:
        return ordered
    corners = chain(ordered) + chain(ordered[::-1])
    before = corners[-1:] + corners[:-1]
    corners = [at for last, at in zip(before, corners, strict=True) if _length(last, at) > _FLAT]
    if not corners:
        return ordered[:1]
    far = max(corners, key=lambda corner: _length(corners[0], corner))
    wide = max(abs(_turn(corners[0], far, corner)) for corner in corners)
    return corners if wide > _FLAT * _length(corners[0], far) else [corners[0], far]


def _half_planes(corners: list[Point], margin: float) -> tuple[Array, Array]:
    """Inward unit normals (K, 2) and offsets (K,) of a hull; a line and a point are boxes without room."""
    place = np.array(corners)
    if len(corners) > 2:
        way = np.roll(place, -1, 0) - place
        normals = np.stack([-way[:, 1], way[:, 0]], -1) / np.linalg.norm(way, axis=1)[:, None]
        return normals, (normals * place).sum(1) + margin
    along = place[-1] - place[0]
    length = float(np.linalg.norm(along))
    along = along / length if length > _FLAT else np.array([1.0, 0.0])
    across = np.array([-along[1], along[0]])
    inset = min(margin, 0.5 * length)
    normals = np.array([across, -across, along, -along])
    ends = np.array([place[0], place[0], place[0], place[-1]])
    return normals, (normals * ends).sum(1) + np.array([0.0, 0.0, inset, inset])


def _turn(a: Point, b: Point, c: Point) -> float:
    """Twice the area of a triangle, positive if it runs counter-clockwise."""
    return (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0])


def _length(a: Point, b: Point) -> float:
    return float(np.hypot(b[0] - a[0], b[1] - a[1]))
