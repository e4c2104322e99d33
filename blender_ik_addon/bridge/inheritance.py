# SPDX-License-Identifier: GPL-3.0-or-later
"""How a bone inherits its parent's transform in Blender, for every inheritance flag.

Blender computes poses only in its dependency graph. A solver needs them for other channel values, also on
rigs with stretched parents and unusual inheritance. This is Blender's own formula on arrays. Tests compare it
with `pose_bone.matrix`.
"""

import numpy as np

from .armature import Array, Bones, Indices

_NEGLIGIBLE_SHEAR = 1e-4  # cosine below which Blender leaves two axes unchanged


def column_lengths(m: Array) -> Array:
    """Lengths of the columns of (..., 3, 3); (..., 3)."""
    return np.sqrt((m * m).sum(-2))


def without_shear(m: Array, *, normalize: bool) -> Array:
    """Matrices (..., 3, 3) without their shear, by Blender's method; of unit columns, or of the same volume.

    Y keeps its direction, X and Z are made perpendicular to it, and both turn equally to become perpendicular
    to each other. Like in Blender, a shear of less than 1e-4 between X and Z is kept.
    """
    y = m[..., :, 1]
    y_square = (y * y).sum(-1, keepdims=True)
    safe = np.where(y_square > 0, y_square, 1.0)
    x = m[..., :, 0] - y * ((m[..., :, 0] * y).sum(-1, keepdims=True) / safe)
    z = m[..., :, 2] - y * ((m[..., :, 2] * y).sum(-1, keepdims=True) / safe)
    x_length, z_length = _length(x), _length(z)
    x_unit, z_unit = _unit(x, x_length), _unit(z, z_length)
    cosine = (x_unit * z_unit).sum(-1, keepdims=True)
    sheared = (np.abs(cosine) > _NEGLIGIBLE_SHEAR) & (np.abs(cosine) < 1.0 - 1.2e-7)
    together, apart = x_unit + z_unit, x_unit - z_unit
    together, apart = _unit(together, _length(together)), _unit(apart, _length(apart))
    x_unit = np.where(sheared, (together + apart) * np.sqrt(0.5), x_unit)
    z_unit = np.where(sheared, (together - apart) * np.sqrt(0.5), z_unit)
    if normalize:
        return np.stack([x_unit, y / np.sqrt(safe), z_unit], -1)
    keep = np.where(sheared, np.sqrt(np.sqrt(np.maximum(1.0 - cosine * cosine, 0.0))), 1.0)
    return np.stack([x_unit * (x_length * keep), y, z_unit * (z_length * keep)], -1)


def _length(v: Array) -> Array:
    return np.sqrt((v * v).sum(-1, keepdims=True))


def _unit(v: Array, length: Array) -> Array:
    return v / np.where(length > 0, length, 1.0)


def _true_size(m: Array) -> Array:
    """Column lengths (..., 3), scaled so that their product is the volume of the sheared matrix."""
    lengths = column_lengths(m)
    product = lengths.prod(-1, keepdims=True)
    volume = np.abs(np.linalg.det(m))[..., None]
    return lengths * np.where(product > 0, np.cbrt(volume / np.where(product > 0, product, 1.0)), 1.0)


def parent_transforms(bones: Bones, which: Indices, parent_pose: Array) -> tuple[Array, Array, Array]:
    """The parts of the parents' transforms that k bones inherit.

    A bone's pose matrix is `(turn @ basis)` with its columns scaled by `post`, at `place @ location`. The
    pose matrices (..., k, 4, 4) of the parents are ignored without a parent.

    Returns:
        turn (..., k, 4, 4), place (..., k, 4, 4), post (..., k, 3).
    """
    child = bones.parents[which] >= 0
    parent = np.where(child[:, None, None], parent_pose, np.eye(4))
    carried = parent @ bones.offset[which]
    local = bones.local_location[which]
    post = np.ones((*carried.shape[:-2], 3))
    plain = ~child | (bones.inherit_rotation[which] & (bones.inherit_scale[which] == "FULL"))
    if plain.all() and local.all():
        return carried, carried, post

    turn, place = carried.copy(), carried.copy()
    odd = np.flatnonzero(~plain)
    if odd.size:
        turn[..., odd, :, :], post[..., odd, :] = _odd_transforms(bones, which[odd], parent[..., odd, :, :])
    place[..., ~local, :3, :3] = parent[..., ~local, :3, :3]
    return turn, place, post


def _odd_transforms(bones: Bones, which: Indices, parent: Array) -> tuple[Array, Array]:
    """`turn` and `post` of bones without plain inheritance (see `parent_transforms`)."""
    each, offset = parent.shape[:-2], bones.offset[which]
    inherits = np.broadcast_to(bones.inherit_rotation[which], each)
    scale = np.broadcast_to(bones.inherit_scale[which], each)
    post = np.ones((*each, 3))
    pose = parent[..., :3, :3]
    base = np.where(inherits[..., None, None], pose, bones.rest[bones.parents[which], :3, :3])

    rows = inherits & np.isin(scale, ("NONE", "AVERAGE"))
    base[rows] = without_shear(base[rows], normalize=True)
    rows = inherits & (scale == "ALIGNED")
    straight = without_shear(base[rows], normalize=False)
    post[rows] = column_lengths(straight)
    base[rows] = _unit(straight, post[rows][:, None])
    rows = inherits & (scale == "NONE_LEGACY")
    base[rows] = _unit(base[rows], column_lengths(base[rows])[:, None])
    rows = ~inherits & (scale == "FULL")
    base[rows] *= column_lengths(pose[rows])[:, None, :]
    rows = ~inherits & (scale == "FIX_SHEAR")
    base[rows] *= _true_size(pose[rows])[:, None, :]
    rows = ~inherits & (scale == "ALIGNED")
    post[rows] = _true_size(pose[rows])
    rows = scale == "AVERAGE"
    base[rows] *= np.cbrt(np.abs(np.linalg.det(pose[rows])))[:, None, None]

    turn = parent @ offset
    turn[..., :3, :3] = base @ offset[:, :3, :3]
    rows = scale == "FIX_SHEAR"
    turn[rows, :3, :3] = without_shear(turn[rows, :3, :3], normalize=False)
    return turn, post


def forward(bones: Bones, basis: Array, matrix: Array, which: Indices) -> Array:
    """Pose matrices (..., B, 4, 4) of the bones, as Blender would compute them without constraints.

    Args:
        bones: the armature.
        basis: (..., B, 4, 4) `matrix_basis` (see `rotation_channels.basis_matrices`) of the computed bones.
        matrix: (..., B, 4, 4) pose matrices of the other bones, armature space.
        which: indices of the bones to compute. Their other descendants are not changed.
    """
    own = np.asarray(basis, dtype=float)
    out = np.array(matrix, dtype=float)
    wanted = np.zeros(len(bones), dtype=bool)
    wanted[which] = True
    for level in bones.levels:
        rows = level[wanted[level]]
        if not rows.size:
            continue
        turn, place, post = parent_transforms(bones, rows, out[..., bones.parents[rows], :, :])
        location = own[..., rows, :3, 3:] * ~bones.connected[rows, None, None]
        out[..., rows, :3, :3] = (turn[..., :3, :3] @ own[..., rows, :3, :3]) * post[..., None, :]
        out[..., rows, :3, 3:] = place[..., :3, 3:] + place[..., :3, :3] @ location
        out[..., rows, 3, 3] = 1.0
    return out
