# SPDX-License-Identifier: GPL-3.0-or-later
"""The capsules of a figure: fitting them, reading them, and placing them in the world."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import bpy
import numpy as np

import ikmath as ik

from ...bridge.armature import Array, Bones, Flags, Indices, read_bones
from ...bridge.item_animation import remove_items
from ...bridge.skeleton import Figure
from ...bridge.skin import fit_body, read_skin, skinned_meshes
from ...bridge.space import Space, read_space
from ...properties.access import rig_of
from ...properties.body import ArticulateBody, ArticulateLink
from ...properties.refusal import Refused
from ..rig.removal import library_name, remove_or_switch_off


@dataclass(frozen=True, kw_only=True)
class LinkPlan:
    """A capsule on a bone, in the bone's own axes and the armature's units.

    Attributes:
        moves: whether a solve can move it. A capsule that cannot move is still an obstacle for the other
            ones.
    """

    bone: str
    a: tuple[float, float, float]
    b: tuple[float, float, float]
    radius: float
    moves: bool = True


@dataclass(frozen=True, kw_only=True, eq=False)
class Capsules:
    """Placed capsules, for drawing and measuring.

    Attributes:
        bones: (L,) names.
        a, b: (L, 3) ends of the axes, world; radius: (L,) in the world's units.
    """

    bones: tuple[str, ...]
    a: Array
    b: Array
    radius: Array


@dataclass(frozen=True, eq=False)
class LinkTable:
    """The L capsules in the body's list as arrays, in the bones' axes and the armature's units.

    Attributes:
        names: (L,) of the bones; a, b: (L, 3); radius: (L,); enabled: (L,).
    """

    names: list[str]
    a: Array
    b: Array
    radius: Array
    enabled: Flags


@dataclass(frozen=True, eq=False)
class Parts:
    """The L capsules that a solve uses, in the bones' axes and the armature's units.

    Attributes:
        names: (L,) of the bones; numbers: (L,) their indices among the armature's bones; a, b: (L, 3);
        radius: (L,).
    """

    names: tuple[str, ...]
    numbers: Indices
    a: Array
    b: Array
    radius: Array

    def placed(self, matrix: Array) -> Capsules:
        """The capsules in the world, for bone matrices (B, 4, 4) in the world."""
        own = matrix.take(self.numbers, 0)
        ends = np.stack([self.a, self.b], -1)
        placed = np.matmul(own[:, :3, :3], ends) + own[:, :3, 3:]
        across = np.sqrt((own[:, :3, (0, 2)] ** 2).sum(1)).mean(1)
        radius = across * self.radius
        return Capsules(bones=self.names, a=placed[:, :, 0], b=placed[:, :, 1], radius=radius)


def read_links(armature: bpy.types.Object) -> LinkTable:
    """Read the body's list with `foreach_get`, whose number of calls does not depend on its length."""
    links: Any = rig_of(armature).body.links
    count = len(links)
    a, b, radius = (np.empty(width * count, dtype=np.float32) for width in (3, 3, 1))
    enabled = np.empty(count, dtype=np.bool_)
    for name, values in (("a", a), ("b", b), ("radius", radius), ("enabled", enabled)):
        links.foreach_get(name, values)
    ends = [each.reshape(-1, 3).astype(float) for each in (a, b)]
    return LinkTable(links.keys(), ends[0], ends[1], radius.astype(float), enabled)


def read_parts(table: LinkTable, bones: Bones) -> Parts:
    """The capsules of a body's list that a solve uses.

    Disabled capsules and capsules on missing bones are skipped. An empty list gives capsules derived from the
    lengths of the bones.

    Args:
        table: the list; bones: those of the armature.
    """
    if not table.names:
        plans = slender_links(bones)
        ends = [np.array([getattr(link, end) for link in plans]).reshape(-1, 3) for end in ("a", "b")]
        radius = np.array([link.radius for link in plans])
        on = np.ones(len(plans), dtype=bool)
        table = LinkTable([link.bone for link in plans], ends[0], ends[1], radius, on)
    kept = [row for row, name in enumerate(table.names) if table.enabled[row] and name in bones.index]
    names = tuple(table.names[row] for row in kept)
    numbers = np.array([bones.index[name] for name in names], dtype=np.intp)
    return Parts(names, numbers, table.a[kept], table.b[kept], table.radius[kept])


def body_links(armature: bpy.types.Object, bones: Bones | None = None) -> tuple[LinkPlan, ...]:
    """The enabled capsules of a figure, or capsules derived from bone lengths if the list is empty.

    Args:
        armature: the armature object; bones: its bones, if already read.
    """
    links = rig_of(armature).body.links
    if not links:
        return slender_links(bones or read_bones(armature))
    return tuple(
        LinkPlan(bone=link.name, a=tuple(link.a), b=tuple(link.b), radius=link.radius)
        for link in links
        if link.enabled
    )


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
        Refused, FigureFault: the armature's scale does not allow a figure.
    """
    bones, space = read_bones(armature), read_space(armature)
    skin = read_skin(armature, skinned_meshes(armature, scene.objects), bones, space)
    if skin is None:
        links = slender_links(bones, _thick(armature, bones))
    else:
        fleshy = sorted(set(skin.bone.tolist()))
        names = [bones.names[number] for number in fleshy]
        links = plan_links(fit_body(bones, names, space, skin), space.scale)
    body, fitted = rig_of(armature).body, {link.bone for link in links}
    old = [index for index, link in enumerate(body.links) if link.name not in fitted]
    for left in remove_items(armature, body.links, old):
        left.enabled = False
    for plan in links:
        _put(body, plan)
    body.active_link = 0
    return len(links)


def _thick(armature: bpy.types.Object, bones: Bones) -> list[str]:
    """Bones that deform, or all if none does. Control bones have no thickness."""
    deforming = [name for name in bones.names if armature.data.bones[name].use_deform]
    return deforming or list(bones.names)


def slender_links(bones: Bones, which: Sequence[str] | None = None) -> tuple[LinkPlan, ...]:
    """Capsules derived from the lengths of the bones alone, for a figure without fitted capsules."""
    names = list(bones.names if which is None else which)
    own_units = Space(np.eye(3), np.zeros(3), 1.0)
    return plan_links(fit_body(bones, names, own_units, None))


def add_link(armature: bpy.types.Object, bone: str, scene: bpy.types.Scene) -> None:
    """Add a capsule to a bone, sized by the bone's length, or enable its disabled capsule.

    If the list is empty, the whole body is fitted first.

    Args:
        armature: the original object; bone: a name; scene: whose meshes the body is fitted to.

    Raises:
        Refused: the bone does not exist or already has a capsule; FigureFault: see `fit`.
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
        (plan,) = slender_links(read_bones(armature), [bone])
        link = _put(body, plan)
    link.enabled = True
    body.active_link = body.links.find(bone)


def remove_link(armature: bpy.types.Object, bone: str) -> list[str]:
    """Remove a bone's capsule.

    Returns:
        Its name if it comes from a library and was disabled instead of removed.

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


def plan_links(links: Sequence[ik.Link], scale: float = 1.0) -> tuple[LinkPlan, ...]:
    """Convert capsules from metres to the armature's units.

    Args:
        links: in the frames of their bones.
        scale: metres a unit.
    """
    return tuple(
        LinkPlan(
            bone=link.joint, a=_triple(link.a, scale), b=_triple(link.b, scale), radius=link.radius / scale
        )
        for link in links
    )


def link_on(figure: Figure, link: LinkPlan) -> ik.Link:
    """A capsule in its joint's frame, metres, with the present scale of its bone applied."""
    name = link.bone
    across = [np.linalg.norm(figure.offset(name, axis)) for axis in ((1.0, 0.0, 0.0), (0.0, 0.0, 1.0))]
    radius = link.radius * float(np.mean(across))
    return ik.Link(
        name,
        figure.offset(name, link.a),
        figure.offset(name, link.b),
        radius,
        meets_obstacles=link.moves,
    )


def _put(body: ArticulateBody, link: LinkPlan) -> ArticulateLink:
    """Set the capsule of a bone; adds one if necessary."""
    item = body.links.get(link.bone) or body.links.add()
    item.name, item.a, item.b, item.radius = link.bone, link.a, link.b, link.radius
    item.enabled = True
    return item


def _triple(place: object, scale: float) -> tuple[float, float, float]:
    x, y, z = (np.asarray(place, dtype=float) / scale).tolist()
    return x, y, z
