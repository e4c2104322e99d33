# SPDX-License-Identifier: GPL-3.0-or-later
"""Operators for the lists of obstacles, capsules and pairs of bones."""

from collections.abc import Sequence
from typing import Any

import bpy

from ..compat import bone_selected
from ..properties import unsaved as argument
from ..properties.access import active_bone, rig_of
from ..properties.check import library_refusal
from ..properties.measures import counted
from ..properties.obstacle import MODES, has_surface
from ..properties.refusal import Refused
from .active import OnArmature, Outcome
from .status_bar import CANCEL, Key, show_keys

KEYS: tuple[Key, ...] = ((("MOUSE_LMB",), "Pick"), CANCEL)
PICKING = "Click on an object that the figure must not enter"
_WARNINGS = 3  # about objects of a large collection; the panel has all
NOTHING = "There is no surface: click on a mesh, or press Esc"


class ARTICULATE_OT_obstacle_add(OnArmature):
    """Keep the figure clear of an object: click on it in the view.

    In Object Mode, the selected objects become obstacles, if there are any.
    """

    bl_label = "Add Obstacle"

    object: argument.String(description="Name of the object. Empty: all selected surfaces")
    collection: argument.String(description="Name of a collection, instead of an object")
    mode: argument.Enum(
        description=(
            "What counts as inside. By default an obstacle around most of the figure, such as a room, is "
            "two-sided, and all others are solid"
        ),
        items=MODES,
        default="SOLID",
    )
    margin: argument.Float(description="Distance to keep from it", default=0.0, min=0.0, subtype="DISTANCE")

    def invoke(self, context: bpy.types.Context, _event: bpy.types.Event) -> Outcome:
        """Wait for a click on the object, unless it is already known."""
        armature = self.find(context)
        chosen = context.mode == "OBJECT" and bool(_selected_surfaces(context, armature))
        if self.object or self.collection or chosen or library_refusal(armature) is not None:
            return self.execute(context)
        context.window.cursor_modal_set("EYEDROPPER")
        show_keys(context, KEYS, PICKING)
        context.window_manager.modal_handler_add(self)
        return {"RUNNING_MODAL"}

    def modal(self, context: bpy.types.Context, event: bpy.types.Event) -> Outcome:
        """Take the clicked object, as long as there is an armature; navigation still works."""
        if self.find(context) is None or (event.type in {"ESC", "RIGHTMOUSE"} and event.value == "PRESS"):
            self.cancel(context)
            return {"CANCELLED"}
        if event.type != "LEFTMOUSE" or event.value != "PRESS":
            return {"PASS_THROUGH"}
        found = _surface_under(context, self.find(context), event)
        if found is None:
            self.report({"INFO"}, NOTHING)
            return {"RUNNING_MODAL"}
        self.cancel(context)
        self.object = found.name
        return self.execute(context)

    def cancel(self, context: bpy.types.Context) -> None:
        context.window.cursor_modal_restore()
        show_keys(context, None)

    def work(self, context: bpy.types.Context, armature: bpy.types.Object) -> None:
        from ..control.collision.body import fit
        from ..control.collision.obstacles import add_obstacles, look_at_added, require_obstacles

        rig, things = rig_of(armature), self._things(context, armature)
        require_obstacles(armature, things)
        if not rig.body.links:
            fit(armature, context.scene)
        before = len(rig.obstacles)
        add_obstacles(armature, things, mode=self.mode, margin=self.margin)
        ignored, around = look_at_added(armature, before, context.evaluated_depsgraph_get())
        several = f"{len(things)} objects are now obstacles"
        self.tell(several if things[1:] else f"'{things[0].name}' is now an obstacle")
        more = [f"{len(ignored) - _WARNINGS} more remarks are in the panel Obstacles"]
        for sentence in ignored[:_WARNINGS] + (more if ignored[_WARNINGS:] else []):
            self.report({"WARNING"}, sentence)
        for name in () if self.properties.is_property_set("mode") else around:
            obstacle = rig.obstacles[name]
            obstacle.mode = "TWO_SIDED"
            told = f"The figure is inside or behind '{obstacle.shown_name}', as in a room: it is two-sided"
            self.report({"INFO"}, told)

    def _things(
        self, context: bpy.types.Context, armature: bpy.types.Object
    ) -> Sequence[bpy.types.Object | bpy.types.Collection]:
        for name, kind, known in (
            (self.collection, "collection", bpy.data.collections),
            (self.object, "object", bpy.data.objects),
        ):
            if name:
                thing = known.get(name)
                if thing is None:
                    raise Refused(f"There is no {kind} '{name}' that could be an obstacle")
                return [thing]
        chosen = _selected_surfaces(context, armature)
        if not chosen:
            raise Refused(
                "No surface is selected: select an object for the figure to stay clear of, or name it"
            )
        return chosen


def _selected_surfaces(context: bpy.types.Context, armature: bpy.types.Object) -> list[bpy.types.Object]:
    return [o for o in context.view_layer.objects.selected if has_surface(o) and o is not armature]


def _surface_under(
    context: bpy.types.Context, armature: bpy.types.Object, event: bpy.types.Event
) -> bpy.types.Object | None:
    """The object under the mouse in any 3D view, None outside of them."""
    from ..control.collision.obstacles import surface_at
    from ..control.drag.view import read_sight

    x, y = event.mouse_x, event.mouse_y
    for area in context.screen.areas:
        under = [r for r in area.regions if 0 <= x - r.x < r.width and 0 <= y - r.y < r.height]
        if area.type != "VIEW_3D" or any(region.type != "WINDOW" for region in under):
            continue  # the sidebar and the headers overlap the view
        views: Any = area.spaces.active
        every = [region for region in area.regions if region.type == "WINDOW"]
        for region, view in zip(every, views.region_quadviews or [views.region_3d], strict=False):
            if region in under:
                return surface_at(context, armature, read_sight(region, view), (x - region.x, y - region.y))
    return None


class ARTICULATE_OT_obstacle_remove(OnArmature):
    """Remove the obstacle from the list. The object stays."""

    bl_label = "Remove Obstacle"

    obstacle: argument.String(description="Name of the obstacle. Empty: the active one")

    def work(self, _context: bpy.types.Context, armature: bpy.types.Object) -> None:
        from ..control.collision.obstacles import remove_obstacle

        rig, name = rig_of(armature), self.obstacle
        if not name:
            if not 0 <= rig.active_obstacle < len(rig.obstacles):
                raise Refused(f"No obstacle of armature '{armature.name}' is active: choose one in the list")
            name = rig.obstacles[rig.active_obstacle].name
        self.tell(remove_obstacle(armature, name))


class ARTICULATE_OT_body_fit(OnArmature):
    """Measure the thickness of the bones on the meshes that they move, or estimate it from their length."""

    bl_label = "Fit Body"

    def work(self, context: bpy.types.Context, armature: bpy.types.Object) -> None:
        from ..control.collision.body import fit

        count = fit(armature, context.scene)
        self.report({"INFO"}, f"{counted(count, 'bone')} measured")


class ARTICULATE_OT_body_clear(OnArmature):
    """Remove all capsules. The thickness is then estimated from the length of the bones."""

    bl_label = "Clear Body"

    def work(self, _context: bpy.types.Context, armature: bpy.types.Object) -> None:
        from ..control.collision.body import clear_links

        clear_links(armature)


class ARTICULATE_OT_link_add(OnArmature):
    """Add a capsule to a bone, sized by the bone's length."""

    bl_label = "Add Capsule"

    bone: argument.String(description="Empty: the active bone")

    def work(self, context: bpy.types.Context, armature: bpy.types.Object) -> None:
        from ..control.collision.body import add_link

        active = active_bone(context, armature)
        if not self.bone and active is None:
            raise Refused(
                f"No bone of armature '{armature.name}' is active: choose one in Pose Mode, or name it"
            )
        add_link(armature, self.bone or active.name, context.scene)


class ARTICULATE_OT_link_remove(OnArmature):
    """Remove a bone's capsule. The bone can then pass through everything."""

    bl_label = "Remove Capsule"

    bone: argument.String(description="Empty: the active line of the list")

    def work(self, _context: bpy.types.Context, armature: bpy.types.Object) -> None:
        from ..control.collision.body import remove_link

        body, name = rig_of(armature).body, self.bone
        if not name and 0 <= body.active_link < len(body.links):
            name = body.links[body.active_link].name
        self.tell(remove_link(armature, name))


class ARTICULATE_OT_pair_add(OnArmature):
    """Set whether the two selected bones are kept apart or may touch."""

    bl_label = "Add Pair"

    a: argument.String(name="Bone", description="Empty: the selected bones")
    b: argument.String(name="Other Bone", description="Empty: the selected bones")
    watched: argument.Bool(
        name="Keep Apart",
        description="On: keep them apart, even if they touch at rest. Off: let them touch",
        default=True,
    )

    def work(self, _context: bpy.types.Context, armature: bpy.types.Object) -> None:
        from ..control.collision.body import add_pairs

        named = [name for name in (self.a, self.b) if name]
        selected = [bone.name for bone in armature.pose.bones if bone_selected(bone)]
        add_pairs(armature, named or selected, watched=self.watched)


class ARTICULATE_OT_pair_remove(OnArmature):
    """Remove the pair from the list. It is checked again, unless it touches in the rest pose."""

    bl_label = "Remove Pair"

    index: argument.Int(description="Index in the list. -1: the active one", default=-1, min=-1)

    def work(self, _context: bpy.types.Context, armature: bpy.types.Object) -> None:
        from ..control.collision.body import remove_pair

        remove_pair(armature, rig_of(armature).body.active_pair if self.index < 0 else self.index)


class ARTICULATE_OT_pairs_fill(OnArmature):
    """Fill the list with the parts that touch in the rest pose, and so may touch.

    Tick those to keep apart.
    """

    bl_label = "Refill Pairs"

    def work(self, context: bpy.types.Context, armature: bpy.types.Object) -> None:
        from ..control.collision.body import list_contacts

        count = list_contacts(armature, context.evaluated_depsgraph_get())
        self.report({"INFO"}, f"Found {counted(count, 'touching pair')} in the rest pose")
