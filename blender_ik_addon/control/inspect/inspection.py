# SPDX-License-Identifier: GPL-3.0-or-later
"""Measurements of a figure for the overlay: limits, manipulability, thickness, balance, near obstacles.

Nothing is solved. Data that do not change while the figure moves are read once and kept by the `Inspector`.

Joint limits that are reached are arcs and swing boundaries in world space. The rotations of the joints are
those of the bones that Blender has evaluated, without forward kinematics.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, Final

import bpy
import numpy as np

import ikmath as ik
from ikmath import rotation
from ikmath.goals.balance import hull

from ...bridge.armature import Array, Bones, Flags, Floats, read_all, read_bones, read_state
from ...bridge.bone_map import bone_map
from ...bridge.chains import moving_bones
from ...bridge.goals import Masses
from ...bridge.memo import Memo
from ...bridge.skeleton import Figure, read_figure
from ...bridge.space import Space, nearest_rotation, read_space
from ...properties.bone import bone_settings
from ...properties.measures import metre
from ..collision.body import Capsules, placed, present_links, read_links, weigh
from ..collision.nearness import Critical, Neighbourhood, Subject
from ..frame.root import root_now

_CONTACT: Final = 0.05  # share of the figure's height within which a part counts as on the ground
_AROUND: Final = 2.0 * np.pi * np.arange(32) / 32
_RIM: Final = np.stack([np.cos(_AROUND), np.sin(_AROUND)], 1)  # corners of a circular contact area
AT_LIMIT: Final = 1e-3  # radians; the precision of a pose in single precision
_STEPS: Final = 24  # chords of an arc
_RADIUS: Final = 0.4  # of an arc, as a share of its bone's length


@dataclass(frozen=True, eq=False)
class Stand:
    """A figure on the ground; Z is up.

    Attributes:
        center: (3,) centre of mass, world.
        floor: height of the ground: that of the lowest contact.
        support: (K, 2) corners of the support polygon, counter-clockwise; K < 3 if it is degenerate.
        steady: whether the centre of mass is above the support polygon.
    """

    center: Array
    floor: float
    support: Array
    steady: bool


def stand(
    center: Array, parts: Capsules, planted: Sequence[tuple[Sequence[float], float]] = ()
) -> Stand | None:
    """Centre of mass and support polygon of a figure in its present pose, world; None without thickness.

    `planted` has contact points and the radii of their contact areas. If empty, the figure stands on the ends
    of its lowest capsules, each with its radius.
    """
    if planted:
        places = np.array([place for place, _ in planted])
        radius, floor = np.array([each for _, each in planted]), float(places[:, 2].min())
    elif len(parts):
        ends, thick = np.concatenate([parts["a"], parts["b"]]), np.tile(parts["radius"], 2)
        low, high = ends[:, 2] - thick, ends[:, 2] + thick
        floor = float(low.min())
        feet = low <= floor + _CONTACT * (float(high.max()) - floor)
        places, radius = ends[feet], thick[feet]
    else:
        return None
    rims = places[:, None, :2] + radius[:, None, None] * _RIM
    corners = np.array(hull(rims.reshape(-1, 2).tolist()))
    following = corners.take(np.arange(1, len(corners) + 1), 0, mode="wrap")
    way, off = following - corners, center[:2] - corners
    inside = (way[:, 0] * off[:, 1] - way[:, 1] * off[:, 0] >= 0.0).all()
    return Stand(center, floor, corners, bool(len(corners) > 2 and inside))


@dataclass(frozen=True, eq=False)
class Limit:
    """A joint limit that is reached, with the curve on which a point of the bone can move.

    Attributes:
        axis: "x", "y", "z" of the bone, or "xz" for a swing that both limits bound.
        curve: (S, 3) world: the arc within the limits, or the boundary of the swing.
        place: (3,) the point, world; head: (3,) the joint, world.
    """

    axis: str
    curve: Array
    place: Array
    head: Array


def at_limits(skeleton: ik.Skeleton, q: Array) -> Flags:
    """Which coordinates (..., n) are at a limit; without those whose limits leave no room to turn."""
    room: Flags = skeleton.upper - skeleton.lower > AT_LIMIT
    return np.asarray(skeleton.joint_limits.at_limit(q, AT_LIMIT) & room)


def reached_limits(figure: Figure, basis: Floats, matrix: Floats, space: Space) -> list[Limit]:
    """The joint limits that a figure is at; basis, matrix: (B, 4, 4) of the armature's bones now."""
    skeleton = figure.skeleton
    joints = np.unique(skeleton.owner[np.isfinite(skeleton.lower) | np.isfinite(skeleton.upper)])
    turns = np.zeros((len(figure.plan.bone), 3))
    turns[joints] = rotation.swing_twist_turns(nearest_rotation(basis[figure.plan.bone[joints], :3, :3]))
    at = at_limits(skeleton, np.where(skeleton.is_turn, turns[skeleton.owner, skeleton.slot - 3], 0.0))
    pairs = skeleton.joint_limits.pairs
    single = at.copy()
    single[pairs] = False
    found = [(column, column) for column in np.flatnonzero(single).tolist()]
    found += [(x, z) for x, z in pairs.tolist() if at[x] or at[z]]
    return [_limit(figure, x, z, turns[skeleton.owner[x]], matrix, space) for x, z in found]


def _limit(figure: Figure, x: int, z: int, now: Array, matrix: Floats, space: Space) -> Limit:
    """One limit, of a swing unless both columns are equal; now: (3,) the joint's rotation."""
    skeleton, joint = figure.skeleton, int(figure.skeleton.owner[x])
    axis, turns = _arc(skeleton, x, now) if x == z else _rim(skeleton, x, z, now)
    place = matrix[figure.plan.bone[joint]].astype(float)
    # A swing moves the tip. A twist does not, so its curve is for a point beside the bone.
    long = figure.bones.length[figure.plan.bone[joint]] * float(np.linalg.norm(place[:3, 1])) * space.scale
    arm = _RADIUS * long * np.array([1.0, 0.0, 0.0] if axis == "y" else [0.0, 1.0, 0.0])
    frame, head = nearest_rotation(place[:3, :3]), place[:3, 3] * space.scale
    base = frame @ rotation.swing_twist_matrix(now).T
    ways = rotation.swing_twist_matrix(turns) @ arm
    return Limit(
        axis=axis,
        curve=space.point_out(head + ways @ base.T),
        place=space.point_out(head + frame @ arm),
        head=space.point_out(head),
    )


def _arc(skeleton: ik.Skeleton, column: int, now: Array) -> tuple[str, Array]:
    """The axis, and the rotations (S, 3) of one coordinate between its limits."""
    turn = int(skeleton.slot[column]) - 3
    low, high = max(skeleton.lower[column], -np.pi), min(skeleton.upper[column], np.pi)
    turns = np.repeat(now[None], _STEPS + 1, 0)
    turns[:, turn] = np.linspace(low, high, _STEPS + 1)
    return "xyz"[turn], turns


def _rim(skeleton: ik.Skeleton, x: int, z: int, now: Array) -> tuple[str, Array]:
    """The boundary of the swings within two limits: Blender's ellipses in the sines of half angles."""
    ends = np.stack([skeleton.lower[[x, z]], skeleton.upper[[x, z]]])
    free = ~np.isfinite(ends).all(0)
    if free.any():
        return _arc(skeleton, z if free[0] else x, now)
    low, high = np.sin(0.5 * np.clip(ends, -np.pi, np.pi))
    centre = np.clip(0.0, low, high)
    angle = np.linspace(0.0, 2.0 * np.pi, 2 * _STEPS + 1)
    way = np.stack([np.cos(angle), np.sin(angle)], 1)
    sine = centre + way * np.where(way > 0.0, high - centre, centre - low)
    size = np.maximum(np.sqrt((sine * sine).sum(1, keepdims=True)), 1e-12)
    turns = np.repeat(now[None], len(angle), 0)
    turns[:, [0, 2]] = sine / size * 2.0 * np.arcsin(np.minimum(size, 1.0))
    return "xz", turns


class _Lever:
    """The K bones that turn a point of a bone of the figure, from this bone up to the chain root."""

    def __init__(self, figure: Figure, bone: str, chain_root: str) -> None:
        way = {int(figure.plan.bone[joint]): joint for joint in figure.plan.solved_joints.tolist()}
        numbers = [number for number in figure.bones.chain(bone, chain_root) if number in way]
        self._numbers = np.array(numbers, dtype=np.intp)
        # (K, 3) the axes about which they turn
        self._free = figure.plan.turns[[way[number] for number in numbers]]
        # whether each one also turns with the next one, or its head only moves with it
        self._inherits = figure.bones.inherit_rotation[self._numbers].tolist()
        # joints without parents and at rest, which turn about all axes
        self._joints = ik.Skeleton(ik.Joint(str(number), None, turns="xyz") for number in numbers)

    def jacobian(self, subject: Subject, point: Array) -> Array:
        """(C, 3) velocities of the point (3,) for unit velocities of the free turns, world."""
        if not len(self._numbers):
            return np.zeros((0, 3))
        turns = rotation.swing_twist_turns(nearest_rotation(subject.basis[self._numbers, :3, :3]))
        frames = subject.bones[self._numbers]
        at_rest = nearest_rotation(frames[:, :3, :3]) @ rotation.swing_twist_matrix(turns).swapaxes(1, 2)
        axes = ik.Pose.forward(self._joints, turns.ravel()).screws[0].reshape(-1, 3, 3)
        moved = [point]
        for frame, turned in zip(frames, self._inherits, strict=True):
            moved.append(moved[-1] if turned else frame[:3, 3])
        arms = np.array(moved[:-1]) - frames[:, :3, 3]
        return rotation.cross(axes @ at_rest.swapaxes(1, 2), arms[:, None])[self._free]


class Inspector:
    """Measures one armature repeatedly, and its `neighbourhood` of obstacles; keeps no Blender object."""

    def __init__(self) -> None:
        self._bones, self._figure, self._place = Memo[Bones](), Memo[Figure](), Memo[Space]()
        self._lever = Memo[_Lever]()
        self._flesh, self._placed = Memo[tuple[Capsules, Masses | None]](), Memo[Capsules]()
        self._told = Memo[Any]()
        self.neighbourhood = Neighbourhood()

    def bones(self, subject: Subject) -> Bones:
        """The bones, which do not change while the armature moves."""
        return self._bones.get(subject.structure, lambda: read_bones(subject.armature))

    def limits(self, subject: Subject) -> list[Limit]:
        """The joint limits that are reached in the present pose; refused if the figure cannot be solved."""
        if not subject.chains:
            return []
        return reached_limits(self._known(subject), subject.basis, subject.matrix, self._space(subject))

    def ellipsoid(
        self, subject: Subject, point: tuple[str, tuple[float, float, float]], chain_root: str
    ) -> tuple[Array, Array] | None:
        """Manipulability (Ge 3.1): velocities of a point of a bone for coordinate velocities of length 1.

        The point is given by the name of the bone, and its place in the bone's axes and the armature's units.
        Refused as `limits`.

        Returns:
            (3,) the point, and (3, 3) semi-axes in rows, longest first: singular values of the Jacobian,
                metres a radian, times their directions; world. None if the bone is not part of the figure.
        """
        bone, local = point
        figure = self._known(subject) if subject.chains else None
        if figure is None or bone not in figure.skeleton.names:
            return None
        lever = self._lever.get((subject.key, bone, chain_root), partial(_Lever, figure, bone, chain_root))
        own = subject.bones[figure.bones.index[bone]]
        center = own[:3, :3] @ local + own[:3, 3]
        jacobian = lever.jacobian(subject, center)
        # singular values and directions from the 3 x 3 matrix J J^T
        squares, directions = np.linalg.eigh(jacobian.T @ jacobian)
        return center, (directions * np.sqrt(np.maximum(squares, 0.0))).T[::-1]

    def flesh(self, subject: Subject) -> Any:
        """The settings of thickness and mass, as plain values."""
        deform = read_all(subject.armature.data.bones, "use_deform", 1, np.bool_)
        return self._links(subject), deform.tobytes()

    def _links(self, subject: Subject) -> Any:
        """Thickness and mass of single bones, read again if they may have changed."""
        armature = subject.armature

        def read() -> Any:
            return read_links(armature).tobytes(), bone_settings(armature, "mass")

        return self._told.get((armature.session_uid, subject.changes), read)

    def capsules(self, subject: Subject) -> Capsules:
        """The figure's capsules in the world."""
        parts, _ = self._thickness(subject)
        return self._placed.get(subject, lambda: placed(parts, self.bones(subject), subject.bones))

    def stand(self, subject: Subject, planted: Sequence[tuple[Sequence[float], float]]) -> Stand | None:
        """The figure's balance on its planted bones, or on its lowest parts, see `stand`; None if unknown."""
        _, masses = self._thickness(subject)
        if masses is None:
            return None
        return stand(masses.center(subject.bones), self.capsules(subject), planted)

    def critical(self, subject: Subject, depsgraph: bpy.types.Depsgraph) -> tuple[Critical, ...]:
        """The obstacles near the figure, see `Neighbourhood.look`."""
        if not subject.chains:
            return ()
        links, figure = self._links(subject), self._known(subject)
        return self.neighbourhood.look(subject, links, figure, self._space(subject), depsgraph)

    def _thickness(self, subject: Subject) -> tuple[Capsules, Masses | None]:
        """Thickness and masses, None without mass; read again if their settings have changed."""
        armature, bones, unit = subject.armature, self.bones(subject), metre(bpy.context.scene)

        def read() -> tuple[Capsules, Masses | None]:
            masses = weigh(armature, bones, unit)
            return present_links(armature, bones), masses if masses.mass.sum() > 0.0 else None

        scale = armature.matrix_world.median_scale
        return self._flesh.get((subject.structure, self.flesh(subject), scale, unit), read)

    def _known(self, subject: Subject) -> Figure:
        """The figure in any pose."""
        armature, bones, space = subject.armature, self.bones(subject), self._space(subject)

        def read() -> Figure:
            whole = bone_map(armature, bones)
            root = root_now(armature, whole).setting
            solved = moving_bones(whole, subject.chains, root)
            return read_figure(bones, read_state(armature, bones), space, solved, root=root)

        return self._figure.get(subject.key, read)

    def _space(self, subject: Subject) -> Space:
        """The armature's space, which rarely changes while its bones move."""
        return self._place.get(subject.world.tobytes(), lambda: read_space(subject.armature))
