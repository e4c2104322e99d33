# SPDX-License-Identifier: GPL-3.0-or-later
"""An armature's bones as arrays: their fixed data (`Bones`) and the pose at one moment (`PoseState`).

Reading one bone at a time takes milliseconds on a real rig. `foreach_get` takes a few microseconds per
attribute. Arrays of a pose stay in single precision, so that they can be written back without change.
"""

from dataclasses import dataclass
from functools import cached_property
from hashlib import blake2b
from typing import Any, Final, Self

import bpy
import numpy as np
import numpy.typing as npt

from ..properties.refusal import Refused

Floats = npt.NDArray[np.float32]
Array = npt.NDArray[np.float64]
Flags = npt.NDArray[np.bool_]
Indices = npt.NDArray[np.intp]
Matrices = npt.NDArray[np.floating[Any]]

AXES: Final = "xyz"


class Bones:
    """Data that does not change while an armature moves; B bones in the order of `object.pose.bones`.

    Made by `read_bones`, which checks the object.

    Attributes:
        armature: name of the object, for messages.
        names: (B,) names; index: name -> index.
        parents: (B,) index of the parent, -1 for none.
        rest: (B, 4, 4) rest matrices, armature space.
        offset: (B, 4, 4) rest matrix in the parent's rest matrix (`Rp^-1 R`); the rest matrix itself for a
            root.
        length: (B,) Blender units.
        connected: (B,) head is at the parent's tail, location has no effect.
        inherit_rotation: (B,); local_location: (B,).
        inherit_scale: (B,) names: FULL, FIX_SHEAR, ALIGNED, AVERAGE, NONE, NONE_LEGACY.
        rotation_mode: (B,) names: QUATERNION, AXIS_ANGLE or an Euler order.
        lock_location: (B, 3); lock_rotation: (B, 3); lock_rotation_w: (B,).
        lock_rotations_4d: (B,) the locks apply to components of a quaternion or of axis and angle.
        lock_scale: (B, 3).
        lock_ik: (B, 3); use_ik_limit: (B, 3); ik_min, ik_max: (B, 3) radians; ik_stiffness: (B, 3).
        ik_stretch: (B,).
    """

    def __init__(self, armature: bpy.types.Object) -> None:
        pose, data = armature.pose.bones, armature.data.bones
        self.armature = armature.name
        self.names: tuple[str, ...] = tuple(bone.name for bone in pose)
        self.index = {name: number for number, name in enumerate(self.names)}
        self._above = [self.index[bone.parent.name] if bone.parent else -1 for bone in pose]
        self.parents: Indices = np.array(self._above, dtype=np.intp)
        child = self.parents >= 0
        order = np.argsort([self.index[bone.name] for bone in data])
        self.rest: Array = _get_matrices(data, "matrix_local")[order].astype(float)
        self.offset = self.rest.copy()
        self.offset[child] = np.linalg.inv(self.rest[self.parents[child]]) @ self.rest[child]
        self.length: Array = read_all(data, "length")[order].astype(float)
        self.connected: Flags = read_all(data, "use_connect", 1, bool)[order] & child
        self.inherit_rotation: Flags = read_all(data, "use_inherit_rotation", 1, bool)[order]
        self.local_location: Flags = read_all(data, "use_local_location", 1, bool)[order]
        self.inherit_scale = _get_enum(data, bpy.types.Bone, "inherit_scale")[order]
        self.rotation_mode = _get_enum(pose, bpy.types.PoseBone, "rotation_mode")
        self.lock_location: Flags = read_all(pose, "lock_location", 3, bool)
        self.lock_rotation: Flags = read_all(pose, "lock_rotation", 3, bool)
        self.lock_rotation_w: Flags = read_all(pose, "lock_rotation_w", 1, bool)
        self.lock_rotations_4d: Flags = read_all(pose, "lock_rotations_4d", 1, bool)
        self.lock_scale: Flags = read_all(pose, "lock_scale", 3, bool)
        self.lock_ik: Flags = _by_axis(pose, "lock_ik", bool)
        self.use_ik_limit: Flags = _by_axis(pose, "use_ik_limit", bool)
        self.ik_min: Array = _by_axis(pose, "ik_min").astype(float)
        self.ik_max: Array = _by_axis(pose, "ik_max").astype(float)
        self.ik_stiffness: Array = _by_axis(pose, "ik_stiffness").astype(float)
        self.ik_stretch: Array = read_all(pose, "ik_stretch").astype(float)

    def __len__(self) -> int:
        return len(self.names)

    @cached_property
    def heads(self) -> Array:
        """(B, 3) at rest, armature space."""
        return self.rest[:, :3, 3]

    @cached_property
    def tails(self) -> Array:
        """(B, 3) at rest, armature space."""
        return self.heads + self.rest[:, :3, 1] * self.length[:, None]

    @cached_property
    def extent(self) -> float:
        """The largest extent at rest along an axis, Blender units."""
        return float(np.ptp(np.concatenate([self.heads, self.tails]), axis=0).max())

    @cached_property
    def depth(self) -> Indices:
        """(B,) number of ancestors."""
        depth = np.zeros(len(self), dtype=np.intp)
        above = self.parents
        while (above >= 0).any():
            depth += above >= 0
            above = np.where(above >= 0, self.parents[above], -1)
        return depth

    @cached_property
    def levels(self) -> tuple[Indices, ...]:
        """Indices of the bones by depth, roots first."""
        return tuple(np.flatnonzero(self.depth == d) for d in range(int(self.depth.max()) + 1))

    @cached_property
    def parents_first(self) -> tuple[Indices, Indices]:
        """(B,) indices of all bones, parents first, and (B,) the row of each one's parent there, or -1."""
        order = np.concatenate(self.levels)
        return order, np.append(np.argsort(order), -1)[self.parents[order]]

    def number(self, name: str) -> int:
        """Index of the bone with a name; refused if there is none."""
        try:
            return self.index[name]
        except KeyError:
            raise Refused(
                f"Bone '{name}' does not exist in armature '{self.armature}'; it was renamed or deleted."
            ) from None

    def ancestors(self, bone: str | int) -> tuple[int, ...]:
        """Indices of a bone, given by name or index, and its ancestors, the bone first."""
        way = [self.number(bone) if isinstance(bone, str) else bone]
        while (parent := self._above[way[-1]]) >= 0:
            way.append(parent)
        return tuple(way)

    def chain(self, name: str, root: str) -> tuple[int, ...]:
        """Indices of a bone and its ancestors up to `root`; all of them if that is not one of these."""
        way, top = self.ancestors(name), self.index.get(root, -1)
        return way[: way.index(top) + 1] if top in way else way

    def nearest(self, numbers: Indices) -> Indices:
        """(B,) row in `numbers` of each bone or of its nearest ancestor there; -1 if there is none."""
        found = np.full(len(self), -1)
        found[numbers] = np.arange(len(numbers))
        for level in self.levels[1:]:
            found[level] = np.where(found[level] >= 0, found[level], found[self.parents[level]])
        return found


CHANNELS_AT_REST: Final[dict[str, tuple[float, ...]]] = {
    "location": (0.0, 0.0, 0.0),
    "rotation_quaternion": (1.0, 0.0, 0.0, 0.0),
    "rotation_euler": (0.0, 0.0, 0.0),
    "rotation_axis_angle": (0.0, 0.0, 1.0, 0.0),
    "scale": (1.0, 1.0, 1.0),
}
CHANNEL_WIDTHS: Final = {name: len(rest) for name, rest in CHANNELS_AT_REST.items()}
Channels = npt.NDArray[np.void]
"""Records of the bones' channels by name, (B,) of all bones, or (F, B) of several poses.

`location` (3,), `rotation_quaternion` (4,) w x y z, `rotation_euler` (3,) radians, `rotation_axis_angle` (4,)
angle, x, y, z, and `scale` (3,). Those that are read from Blender are in single precision, as there.
"""


def channel_records(kind: Any) -> np.dtype[np.void]:
    """The type of records with the channels of a bone, in numbers or flags of a kind."""
    return np.dtype([(name, kind, (width,)) for name, width in CHANNEL_WIDTHS.items()])


AT_REST: Final = np.array(tuple(CHANNELS_AT_REST.values()), channel_records(np.float32))


def components(records: Channels) -> npt.NDArray[Any]:
    """All components (..., 17) of contiguous records of channels, as a view."""
    return records.view(records.dtype[0].base).reshape(*records.shape, -1)


@dataclass(frozen=True)
class PoseState:
    """The pose of all bones at one moment.

    Attributes:
        channels: the keyable values.
        basis: (B, 4, 4) `matrix_basis`, from the channels.
        matrix: (B, 4, 4) pose matrices, armature space, with constraints.
    """

    channels: Channels
    basis: Matrices
    matrix: Matrices

    def each(self) -> list[Self]:
        """Split a state whose arrays have a leading axis into single poses."""
        return [type(self)(*own) for own in zip(self.channels, self.basis, self.matrix, strict=True)]

    @cached_property
    def digest(self) -> bytes:
        """A short hash of the pose; a bake stores it for every frame."""
        digest = blake2b(self.channels.tobytes(), digest_size=16)
        digest.update(_columns(self.matrix))
        return digest.digest()


def read_bones(armature: bpy.types.Object) -> Bones:
    """Read the data that does not change while the armature moves; locks are those of the given object."""
    if armature is None or armature.type != "ARMATURE" or armature.pose is None:
        name = getattr(armature, "name", "nothing")
        raise Refused(f"'{name}' is not an armature; choose an armature object.")
    names = {bone.name for bone in armature.pose.bones}
    if not names:
        raise Refused(f"Armature '{armature.name}' has no bones; add some.")
    if {bone.name for bone in armature.data.bones} != names:
        raise Refused(
            f"The pose of '{armature.name}' is not up to date with its bones; leave Edit Mode and try again."
        )
    return Bones(armature)


def read_channels(armature: bpy.types.Object) -> Channels:
    """Read the channels of all bones; from the original object, a snapshot for `write_channels`."""
    bones = armature.pose.bones
    channels = np.empty(len(bones), AT_REST.dtype)
    for name, width in CHANNEL_WIDTHS.items():
        channels[name] = read_all(bones, name, width)
    return channels


def write_channels(
    armature: bpy.types.Object, channels: Channels, *, present: Channels | None = None
) -> None:
    """Write the channels of all bones to the pose and tag the object, without an update.

    Not only the solved ones: in a render the original object still has the values of the first frame, and
    tagging it makes the dependency graph read all of them. What `present` has already is not written.
    """
    pose = armature.pose.bones
    if len(pose) != len(channels):
        raise Refused(f"The bones of '{armature.name}' have changed in the meantime; start again.")
    for name in CHANNEL_WIDTHS:
        values = channels[name].ravel()
        if present is None or values.tobytes() != present[name].tobytes():
            pose.foreach_set(name, values)
    # `DATA` would also evaluate the armature's data, which takes half as long again.
    armature.update_tag(refresh={"OBJECT"})


def read_state(armature: bpy.types.Object, bones: Bones, before: PoseState | None = None) -> PoseState:
    """Read the present pose of all bones; `before` is returned if nothing has changed.

    Pass the evaluated object. The original has the same pose only after an update of the viewport, and never
    in a render.
    """
    pose = armature.pose.bones
    if len(pose) != len(bones):
        raise Refused(f"The bones of '{bones.armature}' have changed in the meantime; start again.")
    channels, matrix = read_channels(armature), _get_matrices(pose, "matrix")
    if before is not None and channels.tobytes() == before.channels.tobytes():
        if _columns(matrix) == _columns(before.matrix):
            return before
        channels = before.channels
    return PoseState(channels, _get_matrices(pose, "matrix_basis"), matrix)


def pose_matrices(armature: bpy.types.Object, which: str = "matrix") -> Floats:
    """One matrix (B, 4, 4) per bone: "matrix" in armature space, or "matrix_basis", of the channels alone."""
    return _get_matrices(armature.pose.bones, which)


def read_all(collection: Any, name: str, width: int = 1, kind: Any = np.float32) -> npt.NDArray[Any]:
    """One attribute of all elements of a collection, (B,) or (B, width)."""
    out = np.empty(len(collection) * width, dtype=kind)
    collection.foreach_get(name, out)
    return out.reshape(-1, width) if width > 1 else out


def _by_axis(pose: Any, name: str, kind: Any = np.float32) -> npt.NDArray[Any]:
    """(B, 3) an attribute that pose bones have once for each axis."""
    return np.stack([read_all(pose, f"{name}_{axis}", 1, kind) for axis in AXES], -1)


def _get_matrices(collection: Any, name: str) -> Floats:
    """One matrix of all elements, (B, 4, 4); Blender stores columns first."""
    return read_all(collection, name, 16).reshape(-1, 4, 4).transpose(0, 2, 1)


def _columns(matrices: Matrices) -> bytes:
    return matrices.swapaxes(-1, -2).tobytes()  # Blender's order in memory


def _get_enum(collection: Any, owner: type[bpy.types.bpy_struct], name: str) -> npt.NDArray[np.str_]:
    """One enum attribute of all elements as identifiers."""
    described: Any = owner.bl_rna.properties[name]
    words = {item.value: item.identifier for item in described.enum_items}
    return np.array([words[number] for number in read_all(collection, name, kind=np.int32).tolist()])
