# SPDX-License-Identifier: GPL-3.0-or-later
"""The kind of each joint of any figure: spine, head, shoulder, elbow, hip, knee, tail and so on.

Read from the tree, the lengths of the bones and where they are in one pose; names are not used, so a renamed
figure has the same map. Limbs come in pairs of equal depth and length and have two long bones in a row. The
pair nearest to the head has shoulders and elbows, the other pairs have hips and knees.
"""

from collections.abc import Iterable, Mapping
from itertools import pairwise
from types import MappingProxyType
from typing import Final

import numpy as np
import numpy.typing as npt

from .. import arguments
from ..arrays import Array, Index
from ..errors import BadShape, BadValue
from .figure_kinds import TRUNK
from .figure_kinds import FigureMap as FigureMap
from .figure_kinds import Kind as Kind
from .figure_kinds import Limb as Limb
from .hand import finger_axes, hands_alone
from .limb_rows import LIMB_KINDS, FoundLimb, Rows, children_of, limbs_of
from .pose import Pose
from .residual import unit_vectors
from .skeleton import Skeleton
from .told_limbs import with_told_limbs
from .trunk import Trunk, trunk_of

_FOOT: Final = float(np.sin(np.radians(30.0)))  # against the line of its leg; a straighter bone is no foot
_AHEAD: Final = 0.15  # of the figure's size, that a body or a head lies ahead to tell where a figure faces
_TOES: Final = 0.05  # the same that toes point ahead to tell it of a figure on two legs
_NOWHERE: Final = 1e-6  # of the figure's size; a shorter way has no direction
_STUB: Final = 0.5  # of a skull's length: a shorter bone, farther from its tail, only carries the face
_BENT: Final = float(np.sin(np.radians(20.0)))  # a joint that is bent by more shows how it bends
_BEND: Final = float(np.sin(np.radians(10.0)))  # any other counts as bent by so much in the usual way
_LINE: Final = float(np.sin(np.radians(0.5)))  # less bend is none
NOTHING_TOLD: Final[Mapping[int, Kind]] = MappingProxyType({})


def bone_tips(skeleton: Skeleton) -> Array:
    """(J, 3) end of each bone in its joint's axes: at its only or farthest child, straight on for a leaf.

    A bone without a child is as long as half the way from its parent.
    """
    tips = np.zeros((len(skeleton), 3))
    for j, own in enumerate(children_of(skeleton.parents)):
        if own:
            far = max(own, key=lambda c: float(np.linalg.norm(skeleton.rest_translation[c])))
            tips[j] = skeleton.rest_translation[far]
        elif skeleton.parents[j] >= 0:
            way = skeleton.rest_translation[j]
            tips[j] = 0.5 * skeleton.rest_rotation[j].T @ way
    return tips


def map_skeleton(
    skeleton: Skeleton,
    q: npt.ArrayLike | None = None,
    tips: npt.ArrayLike | None = None,
    up: npt.ArrayLike = (0.0, 0.0, 1.0),
) -> FigureMap:
    """The map of a skeleton.

    Args:
        skeleton: the figure; q: (n,) of a pose in which it stands, the rest pose by default.
        tips: (J, 3) ends of the bones in their joints' axes; `bone_tips` by default.
        up: (3,) away from the ground.
    """
    pose = Pose.forward(skeleton, skeleton.rest if q is None else q)
    ends = bone_tips(skeleton) if tips is None else arguments.shaped(tips, "tips", (len(skeleton), 3))
    tails = pose.position + np.matmul(pose.rotation, ends[:, :, None])[:, :, 0]
    return map_figure(skeleton.parents, pose.position, tails, up)


def map_figure(
    parents: npt.ArrayLike,
    heads: npt.ArrayLike,
    tails: npt.ArrayLike,
    up: npt.ArrayLike = (0.0, 0.0, 1.0),
    told: Mapping[int, Kind] = NOTHING_TOLD,
) -> FigureMap:
    """The map of a tree of bones.

    Args:
        parents: (J,) index of each parent, -1 for roots, parents first.
        heads, tails: (J, 3) ends of the bones in a pose in which the figure stands; up: (3,).
        told: kinds of joints that are known, by index. A shoulder or a hip begins a limb; its elbow or knee
            and its end are the told ones below it, else the next bones.

    Raises:
        BadShape, BadValue: arrays that do not fit together.
    """
    above = arguments.indices(parents, "parents")
    if above.ndim != 1:
        raise BadShape("parents", "(J,)", above.shape)
    if ((above < -1) | (above >= np.arange(len(above)))).any():
        raise BadValue("parents", "must come before their children.")
    head = arguments.shaped(heads, "heads", (len(above), 3))
    tail = arguments.shaped(tails, "tails", (len(above), 3))
    known = {arguments.whole(j, "joint of told", least=0): Kind(kind) for j, kind in told.items()}
    if any(j >= len(above) for j in known):
        raise BadValue("told", f"names joints beyond the {len(above)} of the figure.")
    return _Mapping(above, head, tail, unit_vectors(arguments.shaped(up, "up", (3,)), "up"), known).result()


class _Mapping:
    """The steps of `map_figure`."""

    def __init__(
        self, parents: Index, heads: Array, tails: Array, up: Array, told: Mapping[int, Kind]
    ) -> None:
        self.parents, self.heads, self.tails, self.up, self.told = parents, heads, tails, up, told
        self.rows = Rows(parents, heads, tails)
        self.children, self.ways = self.rows.children, self.rows.ways
        self.size = _diameter(np.concatenate([heads, tails])) or 1.0
        self.kinds = [Kind.OTHER] * len(parents)
        self.hinge = np.zeros_like(heads)

    def result(self) -> FigureMap:
        hands = hands_alone(self.rows)
        pairs = with_told_limbs(self.rows, limbs_of(self.rows, self.size, self.up, hands), self.told)
        trunk = trunk_of(self.rows, pairs, self.size, self.up)
        found = [one for pair in trunk.pairs for one in pair]
        body = next((j for j, kind in self.told.items() if kind == Kind.ROOT), trunk.body)
        limbs: tuple[Limb, ...] = ()
        feet: tuple[int, ...] = ()
        for pair, front, walks in zip(trunk.pairs, trunk.front, trunk.ground, strict=True):
            twins = range(len(limbs), len(limbs) + len(pair))[::-1]
            own = tuple(self._limb(one, front, twin) for one, twin in zip(pair, twins, strict=True))
            limbs += own
            feet += tuple(limb.foot for limb in own if walks)
        self._name_trunk(trunk, body)
        forward, left = self._axes(limbs, feet, trunk.head_way)
        for limb, one, kind in zip(limbs, found, self._first_kinds(limbs, feet, forward), strict=True):
            self._name_limb(limb, LIMB_KINDS[one.kind or kind])
        self._bend(limbs, forward)
        self._name_fingers(limbs, feet, left, hands)
        for one in found:
            self._twist_halves(one)
        for joint, kind in self.told.items():
            self.kinds[joint] = kind
        self._name_appendages(body)
        head = next((j for j, kind in enumerate(self.kinds) if kind == Kind.HEAD), -1)
        return FigureMap(
            tuple(self.kinds), self._row_lengths(body), self.rows.reach, limbs, feet, self.hinge,
            self._twins(limbs), body, head, self.heads, self.tails, self.up, forward, left, self.size,
        )  # fmt: skip

    def _name(self, bones: Iterable[int], kind: Kind) -> None:
        for bone in bones:
            self.kinds[bone] = kind

    def _name_trunk(self, trunk: Trunk, body: int) -> None:
        if body < 0:
            self._name(np.flatnonzero(self.parents < 0).tolist(), Kind.ROOT)
            return
        carrying = {bone for j in trunk.carrying for bone in self.ways[j]}
        beyond = [bone for bone in trunk.head_way if bone not in carrying]
        self._name(carrying, Kind.SPINE)
        self._name(beyond, Kind.NECK if len(trunk.carrying) > 1 else Kind.SPINE)
        self._name(self._head(beyond), Kind.HEAD)
        self._name(self.ways[body], Kind.ROOT)
        self._name([bone for way in trunk.tails for bone in way], Kind.TAIL)

    def _head(self, way: list[int]) -> list[int]:
        """The last bone, or the skull and what is beyond, from where a stub beside it carries the face."""
        length = self.rows.length
        for place, (skull, face) in enumerate(pairwise(way)):
            beside = float(np.linalg.norm(self.heads[face] - self.tails[skull]))
            if beside > _STUB * length[skull] > length[face]:
                return way[place:]
        return way[-1:]

    # ------------------------------------------------------------------ limbs
    def _limb(self, found: FoundLimb, front: bool, twin: int) -> Limb:
        bones, front = found.bones, front if found.kind is None else found.kind != Kind.HIP
        girdle, rest = bones[: found.joints[0]], bones[found.end :]
        joints = tuple(bones[k] for k in found.joints)
        folds = joints[1:]
        if front and len(joints) > 2:  # a shoulder blade that folds with the leg
            girdle, joints = (*girdle, joints[0]), joints[1:]
        if len(joints) > 2:  # the third long bone of a leg hangs from its ankle
            rest, joints = (joints[2], *rest), joints[:2]
        end = rest[0] if rest else -1
        return Limb(girdle, joints, end, rest[1:], bones, folds, twin, front, int(self.parents[bones[0]]))

    def _first_kinds(self, limbs: tuple[Limb, ...], feet: tuple[int, ...], forward: Array) -> list[Kind]:
        """The kind of the first joint of each limb.

        Of the pairs at the front of a figure with more than two, the one that walks has shoulders, else the
        one farthest ahead; the others are wings.
        """

        def arms(limb: Limb) -> tuple[bool, float]:
            sides = [*limb.joints, *limbs[limb.twin].joints]
            return limb.foot in feet, float(self.heads[sides].sum(0) @ forward)

        front = [limb for limb in limbs if limb.front]
        first = max(front, key=arms) if len(limbs) > 4 and front else None
        own = front if first is None else [first, limbs[first.twin]]
        return [Kind.HIP if not limb.front else Kind.SHOULDER if limb in own else Kind.WING for limb in limbs]

    def _name_limb(self, limb: Limb, kinds: tuple[Kind, ...]) -> None:
        upper, lower, end, beyond = kinds
        self._name(limb.girdle, Kind.CLAVICLE)
        self.kinds[limb.joints[0]], self.kinds[limb.joints[1]] = upper, lower
        if limb.end >= 0:
            self.kinds[limb.end] = end
        if upper != Kind.SHOULDER or len(self.children[limb.end]) < 2:  # else fingers
            self._name(limb.rest, beyond)

    def _name_fingers(
        self, limbs: tuple[Limb, ...], feet: tuple[int, ...], left: Array, hands: list[int]
    ) -> None:
        found: dict[int, Array] = {}
        for limb in limbs:
            shoulder, elbow = limb.joints
            if limb.end < 0 or limb.end in feet or self.kinds[shoulder] != Kind.SHOULDER:
                continue
            across = self.heads[shoulder] - self.heads[limbs[limb.twin].joints[0]]
            found.update(finger_axes(self.rows, elbow, limb.end, left=bool(across @ left > 0.0)))
        in_limbs = {bone for limb in limbs for bone in limb.row}
        for hand in hands:
            if hand not in in_limbs:
                found.update(finger_axes(self.rows, int(self.parents[hand]), hand, left=None))
        for joint, axis in found.items():
            self.kinds[joint], self.hinge[joint] = Kind.FINGER, axis

    def _name_appendages(self, body: int) -> None:
        """What hangs on trunk or head and carries nothing that is known: ears, jaws, hair, capes."""
        carrying = {bone for j, kind in enumerate(self.kinds) if kind != Kind.OTHER for bone in self.ways[j]}
        for j, way in enumerate(self.ways):
            hangs = body in way and self.kinds[self.parents[j]] in (*TRUNK, Kind.APPENDAGE)
            if hangs and j not in carrying and j not in self.told:
                self.kinds[j] = Kind.APPENDAGE

    def _axes(
        self, limbs: tuple[Limb, ...], feet: tuple[int, ...], head_way: list[int]
    ) -> tuple[Array, Array]:
        """Forward and left, level unit vectors."""
        hind = [limb for limb in limbs if not limb.front]
        front = [limb for limb in limbs if limb.front]
        upright = not any(limb.foot in feet for limb in front)
        way = self._ahead(hind, front, head_way, upright)
        side, across = np.cross(self.up, way), np.zeros(3)
        for limb in hind or front:
            twin = limbs[limb.twin]
            apart = self._level(self.heads[limb.joints[0]] - self.heads[twin.joints[0]])
            side = side if side.any() else apart  # forwards or backwards
            across += apart * (1.0 if float(side @ apart) >= 0 else -1.0)
        if float(np.linalg.norm(across)) > _NOWHERE * self.size:
            left = across / np.linalg.norm(across)
            return np.cross(left, self.up), left
        if not way.any():
            way = self._level(np.eye(3)[int(np.abs(self.up).argmin())])
        forward = way / np.linalg.norm(way)
        return forward, np.cross(self.up, forward)

    def _ahead(self, hind: list[Limb], front: list[Limb], head_way: list[int], upright: bool) -> Array:
        """(3,) the way ahead, level, by the first that tells it; zero if nothing does.

        A long body lies ahead of its hips, and an insect's head ahead of its legs. Toes point ahead, knees
        bend to the front and elbows to the back. Upright figures lean, so their toes come first.
        """
        nothing = np.zeros(3)
        begins = [self.heads[[limb.joints[0] for limb in own]].mean(0) for own in (hind, front) if own]
        body = begins[-1] - begins[0] if len(begins) == 2 else nothing
        head = self.tails[head_way[-1]] - np.mean(begins, axis=0) if begins and head_way else nothing
        toes = [self._toes(limb, np.sum(limb.long_bones(self.heads, self.tails), axis=0)) for limb in hind]
        bent = [
            0.5 * (second - first) * (1.0 if limb.front else -1.0)
            for limb in (*hind, *front)
            for first, second in [limb.long_bones(self.heads, self.tails)]
        ]
        feet, knees = np.sum([nothing, *toes], 0), np.sum([nothing, *bent], 0)
        clear, any_way = [(body, _AHEAD), (head, _AHEAD)], [(way, _NOWHERE) for way in (feet, knees, head)]
        first = [(feet, _TOES)] if upright else []
        for way, least in (*first, *clear, *any_way):
            level = self._level(way)
            if float(np.linalg.norm(level)) > least * self.size:
                return level
        return nothing

    def _level(self, v: Array) -> Array:
        return np.asarray(v - self.up * (v @ self.up))

    def _bend(self, limbs: tuple[Limb, ...], forward: Array) -> None:
        """The axes of knees and elbows: as they are bent, else knees towards toes and elbows back."""
        for limb in limbs:
            first, second = limb.long_bones(self.heads, self.tails)
            ahead = -forward if limb.front else self._toes(limb, first + second)
            usual = np.cross(ahead if ahead.any() else forward, first + second)
            self.hinge[limb.joints[1]] = _hinge_axis(first, second, usual)

    def _toes(self, limb: Limb, line: Array) -> Array:
        """(3,) direction of a foot across the line (3,) of its leg; zero without a foot."""
        way = self.tails[limb.end] - self.heads[limb.end] if limb.end >= 0 else np.zeros(3)
        aside = way - line * (float(way @ line) / (float(line @ line) or 1.0))
        return np.asarray(aside if np.linalg.norm(aside) > _FOOT * np.linalg.norm(way) else np.zeros(3))

    def _twist_halves(self, found: FoundLimb) -> None:
        """Second halves of long bones twist about themselves, and hardly bend."""
        first, end = found.joints[0], found.end
        for bone, way in zip(found.bones[first:end], self.rows.spans(found.bones)[first:end], strict=True):
            if self.kinds[bone] == Kind.OTHER and way.any():
                self.hinge[bone] = way / np.linalg.norm(way)

    # ------------------------------------------------------------------ rows and sides
    def _row_lengths(self, body: int) -> Index:
        """(J,) how many joints of one kind hang from one another, each with one such child."""
        # the root of a figure without limbs is the first joint of its row
        kinds = [Kind.OTHER if body < 0 and kind == Kind.ROOT else kind for kind in self.kinds]
        rowed = (Kind.SPINE, Kind.NECK, Kind.TAIL, Kind.OTHER)
        depth, group = np.ones(len(kinds), dtype=np.intp), np.arange(len(kinds))
        for j, parent in enumerate(self.parents.tolist()):
            if parent >= 0 and kinds[j] in rowed and kinds[j] == kinds[parent]:
                alike = [c for c in self.children[parent] if kinds[c] == kinds[j]]
                if len(alike) == 1:
                    depth[j], group[j] = depth[parent] + 1, group[parent]
        longest = np.zeros_like(depth)
        np.maximum.at(longest, group, depth)
        return np.asarray(longest[group])

    def _twins(self, limbs: tuple[Limb, ...]) -> Index:
        twin = np.arange(len(self.parents))
        for limb in limbs:
            other = limbs[limb.twin]
            for own, its in (
                (limb.girdle, other.girdle),
                ((*limb.joints, limb.end, *limb.rest), (*other.joints, other.end, *other.rest)),
            ):
                for a, b in zip(own, its, strict=False):
                    if min(a, b) >= 0:
                        twin[a] = b
        return twin


def _diameter(points: Array) -> float:
    """The largest distance between two of some points (P, 3), by those alone that are far from the middle."""
    away = np.linalg.norm(points - points.mean(0), axis=1)
    least = np.linalg.norm(points - points[away.argmax()], axis=1).max()
    ends = points[away >= (1.0 - 1e-9) * least - away.max()]
    return float(np.sqrt(((ends[:, None] - ends) ** 2).sum(-1).max()))


def _hinge_axis(first: Array, second: Array, usual: Array) -> Array:
    """(3,) unit vector about which two bones bend as at a knee or an elbow; zero if it is not known.

    A leg that is nearly straight may be bent from the front alone, but its knee bends to the front.

    Args:
        first, second: (3,) along the bones; usual: (3,) the axis of a straight limb, zero if not known.
    """
    far = float(np.linalg.norm(first) * np.linalg.norm(second)) or 1.0
    axis = np.cross(first, second) / far  # as long as the sine of the bend
    size = float(np.linalg.norm(usual))
    if np.linalg.norm(axis) < _BENT and size > 0.0:
        known = usual / size
        own = float(axis @ known)
        axis = axis + known * ((-1.0 if own < -_LINE else 1.0) * max(abs(own), _BEND) - own)
    length = float(np.linalg.norm(axis))
    return np.asarray(axis / length if length > 1e-9 else np.zeros(3))
