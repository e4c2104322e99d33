# SPDX-License-Identifier: GPL-3.0-or-later
"""The body of a figure: its capsules, their masses, and which of them avoid each other.

All pairs count except neighbours, parts that no coordinate moves relative to each other, and parts that touch
in the rest pose. The list holds exceptions: pairs that always count, and pairs that never count.

The mass of a bone is the one that the user has set, or else that of water in the volume of its capsule. The
capsules are the fitted body or, without one, derived from the lengths of the bones. Only deforming bones
count, unless none deforms or a bone has a set mass.
"""

from collections.abc import Mapping, Sequence
from itertools import combinations
from types import MappingProxyType
from typing import Any, Final

import bpy
import numpy as np
import numpy.typing as npt

import ikmath as ik

from ...bridge.armature import Array, Bones, read_all, read_bones, read_state
from ...bridge.goals import Masses
from ...bridge.item_animation import library_name, remove_items, remove_or_switch_off
from ...bridge.skeleton import Figure, read_figure
from ...bridge.skin import fit_body, read_skin, skinned_meshes
from ...bridge.space import Space, read_space
from ...properties.access import rig_of
from ...properties.bone import bone_settings
from ...properties.obstacle import ArticulateBody, ArticulateLink
from ...properties.refusal import Refused

Pair = tuple[str, str]
_OVERLAPPING: Final = -1e30  # metres; with this slack, parts that touch at rest count as apart
_WATER: Final = 1000.0  # kg per cubic metre


# Blender's bones have names of at most 63 bytes.
_CAPSULE: Final = np.dtype(
    [("bone", "U64"), ("a", float, (3,)), ("b", float, (3,)), ("radius", float), ("on", bool)]
)
Capsules = npt.NDArray[np.void]
"""Records (L,) of capsules on bones, in the bones' axes and the armature's units, or placed in the world.

`bone` is its name, `a` and `b` (3,) are the ends of the axis, with the `radius` around it. `on` is whether it
is enabled; in a solve, whether this can move it. The others are still obstacles for these.
"""


def placed(links: Capsules, bones: Bones, matrix: Array) -> Capsules:
    """Capsules in the world; matrix: (B, 4, 4) of the armature's bones there."""
    own = matrix.take(np.array([bones.index[name] for name in links["bone"].tolist()], dtype=np.intp), 0)
    ends = np.matmul(own[:, :3, :3], np.stack([links["a"], links["b"]], -1)) + own[:, :3, 3:]
    found = links.copy()
    found["a"], found["b"] = ends[:, :, 0], ends[:, :, 1]
    found["radius"] *= np.sqrt((own[:, :3, (0, 2)] ** 2).sum(1)).mean(1)
    return found


def read_links(armature: bpy.types.Object) -> Capsules:
    """Read the body's list."""
    links: Any = rig_of(armature).body.links
    found = np.zeros(len(links), _CAPSULE)
    found["bone"], found["on"] = links.keys(), read_all(links, "enabled", 1, np.bool_)
    for name, width in (("a", 3), ("b", 3), ("radius", 1)):
        found[name] = read_all(links, name, width)
    return found


def body_links(armature: bpy.types.Object, bones: Bones) -> Capsules:
    """The enabled capsules of a figure, or capsules derived from bone lengths if the list is empty."""
    links = read_links(armature)
    return links[links["on"]] if len(links) else slender_links(bones)


def present_links(armature: bpy.types.Object, bones: Bones) -> Capsules:
    """The same, without capsules on missing bones."""
    links = body_links(armature, bones)
    return links[np.isin(links["bone"], bones.names)]


def fit(armature: bpy.types.Object, scene: bpy.types.Scene) -> int:
    """Fit capsules to meshes that the armature deforms, else to its bones, and replace the list; how many.

    Bones without skin get no capsule, unless no bone has skin. If a bone already had a capsule, this keeps
    its place in the list and its animation. The other capsules are removed, or disabled if they come from a
    library.
    """
    bones, space = read_bones(armature), read_space(armature)
    skin = read_skin(armature, skinned_meshes(armature, scene.objects), bones, space)
    if skin is None:  # control bones have no thickness, unless no bone deforms
        names = [name for name in bones.names if armature.data.bones[name].use_deform] or [*bones.names]
    else:
        names = [bones.names[number] for number in sorted(set(skin.bone.tolist()))]
    links = _in_units(fit_body(bones, names, space, skin), space.scale)
    body = rig_of(armature).body
    old = [index for index, link in enumerate(body.links) if link.name not in links["bone"]]
    for left in remove_items(body, "links", old):
        left.enabled = False
    for link in links:
        _put(body, link)
    body.active_link = 0
    return len(links)


def slender_links(bones: Bones, which: Sequence[str] | None = None) -> Capsules:
    """Capsules derived from the lengths of the bones alone, for a figure without fitted capsules."""
    names = list(bones.names if which is None else which)
    own_units = Space(np.eye(3), np.zeros(3), 1.0)
    return _in_units(fit_body(bones, names, own_units, None) if names else [], 1.0)


def add_link(armature: bpy.types.Object, bone: str, scene: bpy.types.Scene) -> None:
    """Add a capsule to a bone, sized by the bone's length, or enable its disabled capsule.

    If the list is empty, the whole body is fitted first.
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
        link = _put(body, slender_links(read_bones(armature), [bone])[0])
    link.enabled = True
    body.active_link = body.links.find(bone)


def remove_link(armature: bpy.types.Object, bone: str) -> str:
    """Remove a bone's capsule, see `remove_or_switch_off`; refused if it has none."""
    body = rig_of(armature).body
    number = body.links.find(bone)
    if number < 0:
        raise Refused(f"Bone '{bone}' of armature '{armature.name}' has no capsule: choose one in the list")
    return remove_or_switch_off(body, "links", [number], "Capsule")


def clear_links(armature: bpy.types.Object) -> None:
    """Remove all capsules; refused if some come from a library."""
    links, override = rig_of(armature).body.links, armature.override_library
    original: Any = override.reference if override is not None else None
    if original is not None and rig_of(original).body.links:
        raise Refused(
            f"Armature '{armature.name}' has capsules of library '{library_name(armature)}', which cannot be"
            " removed here: fit the body again, switch single capsules off, or clear them in that file"
        )
    remove_items(rig_of(armature).body, "links", range(len(links)))


def _in_units(links: Sequence[ik.Link], scale: float) -> Capsules:
    """Convert capsules in the frames of their bones from metres to the armature's units."""
    found = np.array([(one.joint, one.a, one.b, one.radius, True) for one in links], _CAPSULE)
    for length in ("a", "b", "radius"):
        found[length] /= scale
    return found


def links_on(figure: Figure, links: Capsules) -> list[ik.Link]:
    """Capsules in their joints' frames, metres, with the present scale of the bones applied."""
    found = []
    for name, a, b, radius, moves in links.tolist():
        across = [np.linalg.norm(figure.offset(name, axis)) for axis in ((1.0, 0.0, 0.0), (0.0, 0.0, 1.0))]
        thick = radius * float(np.mean(across))
        ends = figure.offset(name, a), figure.offset(name, b)
        found.append(ik.Link(name, *ends, thick, meets_obstacles=moves))
    return found


def _put(body: ArticulateBody, link: Any) -> ArticulateLink:
    """Set the capsule of a bone; adds one if necessary."""
    bone, a, b, radius, _ = link.item()
    item = body.links.get(bone) or body.links.add()
    item.name, item.radius, item.a, item.b, item.enabled = bone, radius, a, b, True
    return item


def watched_pairs(
    figure: Figure, body: ik.Body, slack: float, told: Mapping[Pair, bool] = MappingProxyType({})
) -> npt.NDArray[np.intp]:
    """(P, 2) links of a body that must not touch each other.

    Parts closer than `slack`, metres, in the rest pose count as touching. `told` is whether pairs of bones
    count all the same.
    """
    add, remove = ([pair for pair, counts in told.items() if counts == which] for which in (True, False))
    pairs = ik.self_pairs(figure.skeleton, body, add=add, remove=remove, slack=slack)
    # Rigidly connected parts cannot avoid each other.
    carried = figure.skeleton.influence[:, body.bind(figure.skeleton)]
    return pairs[(carried[:, pairs[:, 0]] != carried[:, pairs[:, 1]]).any(0)]


def list_contacts(armature: bpy.types.Object, depsgraph: bpy.types.Depsgraph) -> int:
    """Replace the list by the pairs that are ignored only because they touch in the rest pose; how many.

    A pair that is already listed keeps its place and its animation. A pair from a library that does not touch
    is unchanged.
    """
    bones, shown = read_bones(armature), armature.evaluated_get(depsgraph)
    figure = read_figure(bones, read_state(shown, bones), read_space(shown), bones.names)
    body, pairs = ik.Body(links_on(figure, body_links(armature, bones))), rig_of(armature).body.pairs
    margin = rig_of(armature).body.margin
    every, clear = (watched_pairs(figure, body, slack) for slack in (_OVERLAPPING, margin))
    apart = set(map(tuple, clear.tolist()))
    close = [(body.names[i], body.names[j]) for i, j in every.tolist() if (i, j) not in apart]
    found = list(dict.fromkeys(pair for pair in close if pair[0] != pair[1]))
    touching = {frozenset(pair) for pair in found}
    listed = [frozenset((item.a, item.b)) for item in pairs]
    remove_items(
        rig_of(armature).body, "pairs", [index for index, both in enumerate(listed) if both not in touching]
    )
    for pair in found:
        _set_pair(armature, pair, watched=False)
    return len(found)


def add_pairs(armature: bpy.types.Object, bones: Sequence[str], *, watched: bool) -> None:
    """Set for each two of some bones whether they must not touch, even if they touch at rest."""
    chosen = list(dict.fromkeys(bones))
    if len(chosen) < 2:
        raise Refused(
            f"A pair takes two bones of armature '{armature.name}': select both in Pose Mode, or name them"
        )
    known = body_links(armature, read_bones(armature))["bone"]
    for name in chosen:
        if name not in known:
            raise Refused(
                f"Bone '{name}' has no capsule that is switched on, so it cannot touch anything: add one, or"
                " choose another bone"
            )
    for pair in combinations(chosen, 2):
        _set_pair(armature, pair, watched=watched)


def remove_pair(armature: bpy.types.Object, index: int) -> None:
    """Remove a pair from the list, unless it comes from a library; the general rule applies to it again."""
    body = rig_of(armature).body
    if not 0 <= index < len(body.pairs):
        raise Refused(f"No pair of armature '{armature.name}' is active: choose one in the list")
    for pair in remove_items(body, "pairs", [index]):
        raise Refused(
            f"The pair of '{pair.a}' and '{pair.b}' comes from library '{library_name(armature)}':"
            " tick or untick it here, or remove it in that file"
        )


def _set_pair(armature: bpy.types.Object, bones: Pair, *, watched: bool) -> None:
    """Set the list item of two bones; adds one if necessary."""
    body = rig_of(armature).body
    pair = next((pair for pair in body.pairs if {pair.a, pair.b} == set(bones)), None)
    if pair is None:
        pair = body.pairs.add()
        pair.a, pair.b = bones
        body.active_pair = len(body.pairs) - 1
    pair.watched = watched


def read_masses(armature: bpy.types.Object, bones: Bones, metre: float) -> Masses:
    """The masses of an armature's bones; metre: metres per Blender unit. Refused if no bone has a mass."""
    masses = weigh(armature, bones, metre)
    if not masses.mass.sum() > 0.0:
        raise Refused(
            f"Armature '{armature.name}' has no mass to balance: switch Deform on for some of its bones, or"
            " give them a mass"
        )
    return masses


def weigh(armature: bpy.types.Object, bones: Bones, metre: float) -> Masses:
    """The masses; all of them may be zero."""
    scale = armature.matrix_world.median_scale * metre
    deforming = {bone.name for bone in armature.data.bones if bone.use_deform} or set(bones.names)
    given = {name: mass for name, mass in bone_settings(armature, "mass").items() if mass > 0.0}
    table, counts = read_links(armature), (deforming | given.keys()) & bones.index.keys()
    fitted = np.isin(table["bone"], list(counts))
    others = given.keys() - set(table["bone"].tolist()) if len(table) else counts
    bare = [name for name in bones.names if name in others]
    links = np.concatenate([table[fitted], slender_links(bones, bare)])
    names, a, b, radius = links["bone"].tolist(), links["a"], links["b"], links["radius"]
    length = np.sqrt(((b - a) ** 2).sum(1))
    volumes = np.pi * radius**2 * (length + 4.0 / 3.0 * radius)
    weights = (_WATER * scale**3 * volumes).tolist()
    return Masses(
        names=tuple(names),
        numbers=np.array([bones.index[name] for name in names], dtype=np.intp),
        mass=np.array([given.get(name, weight) for name, weight in zip(names, weights, strict=True)]),
        centers=0.5 * (a + b),
    )
