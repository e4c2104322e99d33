# SPDX-License-Identifier: GPL-3.0-or-later
"""The figure's own thickness: capsules fixed to its joints, and how its coordinates move them."""

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from .. import arguments
from ..arrays import Array, Index
from ..model.pose import Pose
from ..model.skeleton import Skeleton
from .vectors import cross


@dataclass(frozen=True)
class Link:
    """A capsule fixed to a joint; a ball where both ends coincide.

    Args:
        joint: name of the joint that carries it.
        a: (3,) first end of its axis in the joint's frame, metres.
        b: (3,) second end.
        radius: metres, zero or more.
        name: shown in messages; the joint's name if left empty.
        meets_obstacles: whether it is kept out of obstacles. Set it to False for bones that are not solved;
            other links still keep clear of them.
    """

    joint: str
    a: npt.ArrayLike = (0.0, 0.0, 0.0)
    b: npt.ArrayLike = (0.0, 0.0, 0.0)
    radius: float = 0.0
    name: str = ""
    meets_obstacles: bool = True


class Body:
    """The links of a figure; never changed after it is made.

    Args:
        links: in any order; several may hang on one joint.

    Raises:
        BadShape, BadValue: ends that are not finite points, a radius below zero; the message names the link.

    Attributes:
        names: L names, joints: L names of joints.
        ends: (L, 3, 3) ends a and b and the middle, one a row, in the joints' frames.
        radius: (L,) metres, length: (L,) of the axes.
        outward: (M,) numbers of the links that are kept out of obstacles.
    """

    def __init__(self, links: Iterable[Link]) -> None:
        self.links = arguments.several(links, Link, "links")
        self.joints = tuple(arguments.text(link.joint, "joint of a link") for link in self.links)
        self.names = tuple(arguments.text(link.name, "name of a link") or link.joint for link in self.links)
        self.ends = np.zeros((len(self.links), 3, 3))
        self.radius, outward = np.zeros(len(self.links)), np.zeros(len(self.links), dtype=bool)
        for i, (link, name) in enumerate(zip(self.links, self.names, strict=True)):
            for row, (what, end) in enumerate((("a", link.a), ("b", link.b))):
                self.ends[i, row] = arguments.shaped(end, f"{what} of link {name!r}", (3,))
            self.radius[i] = arguments.number(link.radius, f"radius of link {name!r}", least=0)
            outward[i] = arguments.switch(link.meets_obstacles, f"meets_obstacles of link {name!r}")
        self.ends[:, 2] = 0.5 * (self.ends[:, 0] + self.ends[:, 1])
        self.length = np.sqrt(((self.ends[:, 1] - self.ends[:, 0]) ** 2).sum(-1))
        self.outward = np.flatnonzero(outward)
        for array in (self.ends, self.radius, self.length, self.outward):
            array.flags.writeable = False

    def __len__(self) -> int:
        return len(self.links)

    def __repr__(self) -> str:
        return f"Body({len(self)} links)"

    def bind(self, skeleton: Skeleton) -> Index:
        """(L,) index of each link's joint.

        Raises:
            UnknownName: the skeleton does not have the joint of a link.
        """
        return np.array([skeleton.index(joint) for joint in self.joints], dtype=np.intp)

    def segments(self, pose: Pose) -> tuple[Array, Array]:
        """World ends of all axes: (*b, L, 3) each."""
        places = self.places(pose, self.bind(pose.skeleton))
        return places[..., 0, :], places[..., 1, :]

    def places(self, pose: Pose, joints: Index) -> Array:
        """Ends a and b and the middle of every axis, in the world, one a row; (*b, L, 3, 3).

        Args:
            pose: of the skeleton that `joints` was bound to.
            joints: (L,) from `bind`.
        """
        rotation = arguments.of_kind(pose, Pose, "pose").rotation
        turned: Array = np.matmul(self.ends, rotation.take(joints, -3).swapaxes(-1, -2))
        turned += pose.position.take(joints, -2)[..., None, :]
        return turned


class LinkMotion:
    """A body bound to a skeleton.

    Attributes:
        joints: (L,) index of the joint of each link.
        moves: (L + 1, n) 1 where a coordinate moves a link; a row of zeros at the end stands for "no link".
    """

    def __init__(self, skeleton: Skeleton, body: Body) -> None:
        self.joints = body.bind(skeleton)
        self.moves = np.zeros((len(body) + 1, skeleton.n))
        self.moves[:-1] = skeleton.influence[:, self.joints].T
        self._cuts = skeleton.cuts_above(self.joints)

    def derivatives(
        self, pose: Pose, frame: Index | None, point: Array, normal: Array, link: Index, other: Index | None
    ) -> Array:
        """(P, n) derivatives of the positions of points on links along normals, less those on other links.

        Args:
            pose: one pose or a batch.
            frame: (P,) pose of each row in the flattened batch; None for a single pose.
            point, normal: (P, 3) world. Any point on the line along the normal serves for both links.
            link, other: (P,) the links, -1 for none; no other links at all if `other` is None.
        """
        rows = _moved_by_all(pose, frame, point, normal)
        own = self._of_links(pose, frame, normal, rows, link)
        return own if other is None else own - self._of_links(pose, frame, normal, rows, other)

    def _of_links(self, pose: Pose, frame: Index | None, normal: Array, rows: Array, links: Index) -> Array:
        """The rows for links (P,): only what moves them, as their carriers' heads where rotation is cut."""
        rows = rows * self.moves.take(links, 0)
        for link, above, carrier in self._cuts:
            own = (links == link).nonzero()[0]
            if not len(own):
                continue
            at = np.zeros(len(own), dtype=np.intp) if frame is None else frame.take(own)
            position = pose.position.reshape(-1, len(pose.skeleton), 3)[at, carrier]
            swept = _moved_by_all(pose, None if frame is None else at, position, normal[own])
            rows[own] = np.where(above, swept, rows[own])
        return rows


def _moved_by_all(pose: Pose, frame: Index | None, point: Array, normal: Array) -> Array:
    """(P, n) derivatives of points along normals (P, 3), if all coordinates moved them."""
    wrench = np.concatenate([cross(point, normal), normal], 1)
    if frame is None:
        return np.asarray(wrench.dot(pose.twists.T))
    screws = np.ascontiguousarray(np.concatenate(pose.screws).transpose(2, 0, 1)).take(frame, 0)
    return np.asarray(np.matmul(wrench[:, None], screws)[:, 0])
