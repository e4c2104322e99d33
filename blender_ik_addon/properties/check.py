# SPDX-License-Identifier: GPL-3.0-or-later
"""Errors in the settings alone, checked at every redraw of the panel and before a solve."""

from collections.abc import Iterator
from itertools import chain

import bpy

from .access import holds, rig_of
from .effector import ArticulateEffector
from .measures import metre
from .menus import method_objections
from .refusal import Refused, absence

SAME_PLACE = 1e-6  # Blender units; offsets closer than this mean the same point


def refusals(
    armature: bpy.types.Object, scene: bpy.types.Scene, *, needs_effectors: bool = True
) -> Iterator[Refused]:
    """All reasons why an armature cannot be solved in a scene, the most basic first."""
    rig = rig_of(armature)
    foreign = library_refusal(armature)
    if foreign is not None:
        yield foreign
    if needs_effectors and not rig.effectors:
        yield Refused(f"Armature '{armature.name}' has no effectors: select a bone in Pose Mode and add one")
    elif needs_effectors and not rig.enabled_effectors:
        yield Refused(f"All effectors of armature '{armature.name}' are switched off: enable at least one")
    seen: list[ArticulateEffector] = []
    for effector in rig.enabled_effectors:
        faults = (
            _bone_faults(armature, effector),
            _option_faults(armature, effector),
            _choice_faults(effector, scene),
            _target_faults(effector, scene),
        )
        for sentence in chain(*faults):
            yield Refused(f"Effector '{effector.name}': {sentence}")
        twin = next((other for other in seen if _same_place(other, effector)), None)
        if twin is not None:
            yield Refused(
                f"Effectors '{twin.name}' and '{effector.name}' are both of the kind "
                f"{effector.kind_info.label} on bone '{effector.bone}': remove or disable one of them"
            )
        seen.append(effector)
    objection = objections(armature)[rig.solver.method] if needs_effectors else ""
    if objection:
        yield Refused(objection)


def library_refusal(armature: bpy.types.Object) -> Refused | None:
    """Why an armature from another file cannot be changed here; None if it can."""
    override = armature.override_library
    if missing := absence(armature) or absence(armature.data):
        return missing
    if armature.library is not None:
        found = "is linked"
    elif override is not None and override.is_system_override:
        found = "is an uneditable override"
    else:
        return None
    return Refused(f"Armature '{armature.name}' {found}: choose Object > Library Override > Make")


def objections(armature: bpy.types.Object) -> dict[str, str]:
    """Why each solving method cannot solve an armature with its settings; "" if it can.

    Effectors that are disabled, or have no weight or influence at present, are ignored.
    """
    rig = rig_of(armature)
    asking = [e for e in rig.enabled_effectors if e.weight > 0.0 and e.influence > 0.0]
    asked = [
        {
            "kind": ask.title().replace("_", ""),
            "name": f"effector '{effector.name}'",
            "single_axes": ask != "orientation" and not all(effector.settings.get("axes", (True,))),
            "part": _is_part(armature, effector, asking),
            "priority": effector.priority,
        }
        for effector in asking
        for ask in effector.kind_info.asks
    ]
    return method_objections(asked, rig.body.avoidance if rig.keeps_clear else "")


def _is_part(
    armature: bpy.types.Object, effector: ArticulateEffector, others: list[ArticulateEffector]
) -> bool:
    """Whether a bone above an effector's chain moves for another effector."""
    bones = armature.data.bones
    root = bones.get(effector.chain_root) if effector.chain_root else None
    if root is None:
        return False
    above = {bone.name for bone in root.parent_recursive}
    for other in others:
        bone, top = bones.get(other.bone), other.chain_root
        way = [bone.name, *(parent.name for parent in bone.parent_recursive)] if bone else []
        if above & set(way[: way.index(top) + 1] if top in way else way):
            return True
    return False


def _same_place(a: ArticulateEffector, b: ArticulateEffector) -> bool:
    """Whether two effectors of one kind have the same point; some kinds, for example Plane, allow this."""
    if a.kind_info.repeats:
        return False
    apart = max(abs(x - y) for x, y in zip(a.offset, b.offset, strict=True))
    return (a.bone, a.kind, a.point) == (b.bone, b.kind, b.point) and apart < SAME_PLACE


def _bone_faults(armature: bpy.types.Object, effector: ArticulateEffector) -> Iterator[str]:
    """Faults of an effector's bone and chain root, in the words after the effector's name."""
    bones = armature.data.bones
    bone, root = bones.get(effector.bone), effector.chain_root
    if bone is None:
        named = f"the armature '{armature.name}' has no bone '{effector.bone}' (renamed or deleted?)"
        yield f"{named if effector.bone else 'it has no bone'}; choose its bone again"
    if root and bones.get(root) is None:
        yield (
            f"its chain root '{root}' is not a bone of '{armature.name}' (renamed or deleted?); choose it"
            " again or leave it empty for the whole figure"
        )
    elif root and bone is not None and root not in {bone.name, *(b.name for b in bone.parent_recursive)}:
        yield f"its chain root '{root}' is not an ancestor of bone '{bone.name}'; choose a bone above it"


def _option_faults(armature: bpy.types.Object, effector: ArticulateEffector) -> Iterator[str]:
    """Faults of the options of an effector's kind, except its target."""
    told, bones = effector.settings, armature.data.bones
    for name, what in (("axes", "place"), ("turn_axes", "orientation")):
        if not any(told.get(name, (True,))):
            yield f"no axis of its {what} counts: switch at least one on, or the effector off"
    second = told.get("second_bone", "")
    if second and second not in bones:
        yield (
            f"armature '{armature.name}' has no bone '{second}' (renamed or deleted?) to use as its second"
            " bone; choose it again"
        )
    elif second and second == effector.bone:
        yield f"bone '{second}' is its bone and its second bone; choose another one"
    elif not second and "loop" in effector.kind_info.asks:
        yield f"it has no second bone to join bone '{effector.bone}' to; choose one"
    bone = bones.get(effector.bone)
    if "pole" in effector.kind_info.asks and bone is not None and bone.parent is None:
        yield f"bone '{bone.name}' has no bone above it, so no knee or elbow; choose a shin or a forearm"
    if "distance" in effector.kind_info.options and not effector.distance > 0.0:
        metres = effector.distance * metre(bpy.context.scene)
        yield (
            f"its distance is {metres:g} m; give a length above zero, or use a Position or a Loop for two"
            " points in one place"
        )
    if "over" in told and told["over"] == "SUPPORT":
        rig = rig_of(armature)
        if not any(e.planted and "planted" in e.kind_info.options for e in rig.enabled_effectors):
            yield (
                "no enabled effector is planted, so there is nothing to stand on; switch Planted on for the"
                " effectors of the feet, or keep the balance over a target"
            )


def _choice_faults(effector: ArticulateEffector, scene: bpy.types.Scene) -> Iterator[str]:
    """Faults of an effector's alternative targets."""
    if "alternatives" not in effector.kind_info.options:
        return
    if effector.alternatives is None:
        yield "it has no targets to choose from; choose a collection"
        return
    things = effector.alternative_objects
    if len(things) < 2:
        there = "one target" if things else "no targets"
        yield (
            f"collection '{effector.alternatives.name}' holds {there} to choose from; put at least two"
            " objects into it"
        )
    for thing in things:
        if not holds(scene.objects, thing):
            yield f"its target '{thing.name}' is not in scene '{scene.name}'; link its collection there"


def _target_faults(effector: ArticulateEffector, scene: bpy.types.Scene) -> Iterator[str]:
    """Faults of an effector's target."""
    target = effector.target
    if effector.follows == "MISSING":
        yield "it has no target; choose or create one"
    if effector.follows != "TARGET":
        return
    if not holds(scene.objects, target):
        yield f"its target '{target.name}' is not in scene '{scene.name}' (deleted?); choose another"
    if effector.subtarget and (target.type != "ARMATURE" or effector.subtarget not in target.data.bones):
        yield (
            f"its target '{target.name}' has no bone '{effector.subtarget}' (renamed or deleted?); choose it"
            " again"
        )
