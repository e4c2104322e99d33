# SPDX-License-Identifier: GPL-3.0-or-later
"""The capsules of a figure: fitting them, reading them, and placing them in the world."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import bpy
import numpy as np

import ikmath as ik

from ...bridge.armature import Array, Bones, Flags, read_bones
from ...bridge.item_animation import remove_items
from ...bridge.skeleton import Figure
from ...bridge.skin import fit_body, read_skin, skinned_meshes
from ...bridge.space import Space, read_space
from ...properties.access import rig_of
from ...properties.body import ArticulateBody, ArticulateLink
from ...properties.refusal import Refused
from ..rig.items import library_name, remove_or_switch_off


@dataclass(frozen=True, kw_only=True, eq=False)
class Capsules:
    """L capsules on bones, in the bones' axes and the armature's units, or placed in the world.

    Attributes:
        bones: (L,) names.
        a, b: (L, 3) ends of the axes; radius: (L,).
        on: (L,) which are enabled; in a solve, which it can move. The others are still obstacles for these.
    """

    bones: tuple[str, ...]
    a: Array
    b: Array
    radius: Array
    on: Flags

    def some(self, rows: Sequence[int]) -> Capsules:
        """Some of the capsules."""
        rows = list(rows)
        bones = tuple(self.bones[row] for row in rows)
        return Capsules(
            bones=bones, a=self.a[rows], b=self.b[rows], radius=self.radius[rows], on=self.on[rows]
        )

    def placed(self, bones: Bones, matrix: Array) -> Capsules:
        """The capsules in the world.

        Args:
            bones: of the armature; matrix: (B, 4, 4) of these, world.
        """
        own = matrix.take(np.array([bones.index[name] for name in self.bones], dtype=np.intp), 0)
        placed = np.matmul(own[:, :3, :3], np.stack([self.a, self.b], -1)) + own[:, :3, 3:]
        across = np.sqrt((own[:, :3, (0, 2)] ** 2).sum(1)).mean(1)
        return replace(self, a=placed[:, :, 0], b=placed[:, :, 1], radius=across * self.radius)


def read_links(armature: bpy.types.Object) -> Capsules:
    """Read the body's list with `foreach_get`, whose number of calls does not depend on its length."""
    links: Any = rig_of(armature).body.links
    count = len(links)
    a, b, radius = (np.empty(width * count, dtype=np.float32) for width in (3, 3, 1))
    on = np.empty(count, dtype=np.bool_)
    for name, values in (("a", a), ("b", b), ("radius", radius), ("enabled", on)):
        links.foreach_get(name, values)
    ends = [each.reshape(-1, 3).astype(float) for each in (a, b)]
    return Capsules(bones=tuple(links.keys()), a=ends[0], b=ends[1], radius=radius.astype(float), on=on)


def body_links(armature: bpy.types.Object, bones: Bones) -> Capsules:
    """The enabled capsules of a figure, or capsules derived from bone lengths if the list is empty."""
    links = read_links(armature)
    return links.some(np.flatnonzero(links.on).tolist()) if links.bones else slender_links(bones)


def present_links(armature: bpy.types.Object, bones: Bones) -> Capsules:
    """The same, without capsules on missing bones."""
    links = body_links(armature, bones)
    return links.some([row for row, bone in enumerate(links.bones) if bone in bones.index])


def fit(armature: bpy.types.Object, scene: bpy.types.Scene) -> int:
    """Fit capsules to the meshes that the armature deforms, or else to its bones, and replace the list.

    Bones without skin get no capsule, unless no bone has skin. If a bone already had a capsule, this keeps
    its place in the list and its animation. The other capsules are removed, or disabled if they come from a
    library.

    Args:
        armature: the original object.
        scene: whose meshes are considered.

    Returns:
        The number of capsules.

    Raises:
        Refused: the armature's scale does not allow a figure.
    """
    bones, space = read_bones(armature), read_space(armature)
    skin = read_skin(armature, skinned_meshes(armature, scene.objects), bones, space)
    if skin is None:
        links = slender_links(bones, _thick(armature, bones))
    else:
        fleshy = sorted(set(skin.bone.tolist()))
        names = [bones.names[number] for number in fleshy]
        links = _in_units(fit_body(bones, names, space, skin), space.scale)
    body = rig_of(armature).body
    old = [index for index, link in enumerate(body.links) if link.name not in links.bones]
    for left in remove_items(armature, body.links, old):
        left.enabled = False
    for row in range(len(links.bones)):
        _put(body, links, row)
    body.active_link = 0
    return len(links.bones)


def _thick(armature: bpy.types.Object, bones: Bones) -> list[str]:
    """Bones that deform, or all if none does. Control bones have no thickness."""
    deforming = [name for name in bones.names if armature.data.bones[name].use_deform]
    return deforming or list(bones.names)


def slender_links(bones: Bones, which: Sequence[str] | None = None) -> Capsules:
    """Capsules derived from the lengths of the bones alone, for a figure without fitted capsules."""
    names = list(bones.names if which is None else which)
    own_units = Space(np.eye(3), np.zeros(3), 1.0)
    return _in_units(fit_body(bones, names, own_units, None) if names else [], 1.0)


def add_link(armature: bpy.types.Object, bone: str, scene: bpy.types.Scene) -> None:
    """Add a capsule to a bone, sized by the bone's length, or enable its disabled capsule.

    If the list is empty, the whole body is fitted first.

    Args:
        armature: the original object; bone: a name; scene: whose meshes the body is fitted to.

    Raises:
        Refused: the bone does not exist or already has a capsule; see also `fit`.
    """
    body = rig_of(armature).body
    if bone not in armature.data.bones:
        raise Refused(f"Armature '{armature.name}' has no bone '{bone}': choose one that it has")
    if not body.links:
        fit(armature, scene)
        if bone in body.links:
            return
    link = next((link for link in body.links if link.name == bone), None)
    if link is not None and link.enabled:
        raise Refused(f"Bone '{bone}' has a capsule already: change its radius in the list")
    if link is None:
        link = _put(body, slender_links(read_bones(armature), [bone]), 0)
    link.enabled = True
    body.active_link = body.links.find(bone)


def remove_link(armature: bpy.types.Object, bone: str) -> str:
    """Remove a bone's capsule.

    Returns:
        A sentence if it comes from a library and was disabled instead of removed, else "".

    Raises:
        Refused: the bone has no capsule, or it comes from a library and is already disabled.
    """
    body = rig_of(armature).body
    number = body.links.find(bone)
    if number < 0:
        raise Refused(f"Bone '{bone}' of armature '{armature.name}' has no capsule: choose one in the list")
    off = remove_or_switch_off(armature, body.links, [number], "Capsule")
    body.active_link = max(0, min(body.active_link, len(body.links) - 1))
    return off


def clear_links(armature: bpy.types.Object) -> None:
    """Remove all capsules.

    Raises:
        Refused: some come from a library; nothing is changed.
    """
    links, override = rig_of(armature).body.links, armature.override_library
    original: Any = override.reference if override is not None else None
    if original is not None and rig_of(original).body.links:
        raise Refused(
            f"Armature '{armature.name}' has capsules of library '{library_name(armature)}', which cannot be"
            " removed here: fit the body again, switch single capsules off, or clear them in that file"
        )
    remove_items(armature, links, range(len(links)))


def _in_units(links: Sequence[ik.Link], scale: float) -> Capsules:
    """Convert capsules from metres to the armature's units.

    Args:
        links: in the frames of their bones.
        scale: metres a unit.
    """
    a, b = (np.array([getattr(link, end) for link in links]).reshape(-1, 3) / scale for end in ("a", "b"))
    return Capsules(
        bones=tuple(link.joint for link in links),
        a=a,
        b=b,
        radius=np.array([link.radius for link in links], dtype=float) / scale,
        on=np.ones(len(links), dtype=bool),
    )


def links_on(figure: Figure, links: Capsules) -> list[ik.Link]:
    """Capsules in their joints' frames, metres, with the present scale of the bones applied."""
    found = []
    for name, a, b, radius, moves in zip(links.bones, links.a, links.b, links.radius, links.on, strict=True):
        across = [np.linalg.norm(figure.offset(name, axis)) for axis in ((1.0, 0.0, 0.0), (0.0, 0.0, 1.0))]
        thick = float(radius) * float(np.mean(across))
        ends = figure.offset(name, a), figure.offset(name, b)
        found.append(ik.Link(name, *ends, thick, meets_obstacles=bool(moves)))
    return found


def _put(body: ArticulateBody, links: Capsules, row: int) -> ArticulateLink:
    """Set the capsule of a bone; adds one if necessary."""
    item = body.links.get(links.bones[row]) or body.links.add()
    item.name, item.radius = links.bones[row], float(links.radius[row])
    item.a, item.b = links.a[row].tolist(), links.b[row].tolist()
    item.enabled = True
    return item
