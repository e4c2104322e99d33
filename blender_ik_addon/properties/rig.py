# SPDX-License-Identifier: GPL-3.0-or-later
"""The root of all saved data: `Object.articulate`, with the settings of the bake and of the overlay.

It is used on armature objects only. The settings of the bake are named as in Blender's own Bake Action.
"""

import json
from typing import Any

import bpy
from bpy.props import EnumProperty, FloatProperty, IntVectorProperty

from . import saved
from .bone_names import all_armatures
from .effector import ArticulateEffector
from .obstacle import ArticulateBody, ArticulateObstacle
from .saved import declared
from .session import own_session
from .solver import ArticulateSolver

LIVE_MODES = (
    (
        "EACH",
        "Each Frame",
        "Start from the frame's own pose: the same for scrubbing, playing and rendering",
        0,
    ),
    (
        "CONTINUOUS",
        "Continuous",
        "Continue from the frame shown before: the result depends on the way there",
        1,
    ),
)
LISTS = ("effectors", "obstacles", "body.links", "body.pairs")
"""All lists of a rig; their items are `ListItem`s."""

LIVE_START, LIVE_POSE = "live_start", "live_pose"
"""Custom properties in which a live rig stores its start pose and its solved pose."""


class ArticulateBake(bpy.types.PropertyGroup):
    """Settings of the bake."""

    __slots__ = ()

    use_range: saved.Switch(
        name="Custom Range", description="Off: the preview range if it is on, else the scene's frame range"
    )
    frame_start: saved.Number(name="Start Frame", description="First frame that is baked", default=1)
    frame_end: saved.Number(name="End Frame", description="Last frame that is baked", default=250)
    step: saved.Number(
        name="Frame Step", description="Bake every nth frame, and the last", default=1, min=1, max=120
    )
    only_selected: saved.Switch(
        name="Only Selected Bones", description="Key only the solved bones that are selected"
    )
    use_current_action: saved.Switch(
        name="Overwrite Current Action",
        description="Write into the armature's action. Off: write into a copy, and use the copy",
    )
    clean_curves: saved.Switch(description="After baking, remove keys that change nothing")
    decimate: saved.Switch(
        description="After baking or recording, remove all keys that the motion does not need"
    )
    remove_error_margin: FloatProperty(
        name="Max Error Margin",
        description="Largest distance by which Decimate may move any point of the figure, in any frame",
        default=0.005,
        min=0.0,
        soft_max=0.1,
        precision=4,
        subtype="DISTANCE",
        override=saved.OVERRIDE,
    )

    def options(self, scene: bpy.types.Scene) -> dict[str, Any]:
        """The options by name; without a custom range, of the preview range or the scene."""
        found = {name: getattr(self, name) for name in BAKE_OPTIONS}
        if self.use_range:
            return found
        if scene.use_preview_range:
            return {**found, "frame_start": scene.frame_preview_start, "frame_end": scene.frame_preview_end}
        return {**found, "frame_start": scene.frame_start, "frame_end": scene.frame_end}


BAKE_OPTIONS = tuple(name for name in declared(ArticulateBake) if name != "use_range")
"""The settings that are also arguments of the operator."""


def frame_limits() -> tuple[int, int]:
    """The first and the last frame that Blender allows."""
    described: Any = bpy.types.Scene.bl_rna.properties["frame_current"]
    return described.hard_min, described.hard_max


class ArticulateOverlay(bpy.types.PropertyGroup):
    """One switch for each part of the overlay; the one for capsules is on the body."""

    __slots__ = ()

    lines: saved.Switch(
        name="Effectors",
        description="Lines from the bones to their targets: green if reached, amber if short, red if far",
        default=True,
    )
    pins: saved.Switch(description="Bones that are pinned, with the colour of what is held", default=True)
    limits: saved.Switch(
        name="Joint Limits",
        description="Arcs and cones of the joint limits that are reached",
        default=True,
    )
    chain: saved.Switch(
        description=(
            "Bones that move for the active effector or, with the tool Drag Bone, for the bone under the "
            "mouse"
        ),
        default=True,
    )
    gizmos: saved.Switch(
        name="Target Gizmo",
        description="Arrows and rings on the targets and pins of the selected bones, and of the effector that"
        " is active in the list",
        default=True,
    )
    critical: saved.Switch(
        name="Critical Points",
        description="Shortest distances to obstacles and between parts of the figure",
    )
    balance: saved.Switch(description="The centre of mass, and the area on which the figure stands")
    ellipsoid: saved.Switch(
        name="Manipulability",
        description="How fast the active effector's point can move in every direction, as an ellipsoid;"
        " flat where it can hardly move",
    )


def _live_changed(rig: "ArticulateRig", context: bpy.types.Context) -> None:
    """Update the session, so that handlers know whether an armature is live."""
    if not rig.live:
        for name in (LIVE_START, LIVE_POSE):
            rig.pop(name, None)
        saved.forget_message(rig.id_data)
    session = own_session()
    session.live_changes += 1
    session.any_live = rig.live or any_live()


def any_live() -> bool:
    """Whether an armature of the file is live."""
    return any(armature.articulate.live for armature in all_armatures())


class ArticulateRig(bpy.types.PropertyGroup):
    """Effectors and settings of one armature."""

    __slots__ = ()

    effectors: saved.List(type=ArticulateEffector)
    active_effector: saved.Index()
    solver: saved.Group(type=ArticulateSolver)
    bake: saved.Group(type=ArticulateBake)
    obstacles: saved.List(type=ArticulateObstacle)
    active_obstacle: saved.Index()
    body: saved.Group(type=ArticulateBody)
    overlay: saved.Group(name="Viewport", type=ArticulateOverlay)
    live: saved.Switch(
        description="Solve in every frame, and when a target or a pin moves. Sets no keys",
        options=set(),  # not animatable: the influence of effectors fades in and out
        update=_live_changed,
    )
    live_mode: EnumProperty(
        description="What a frame starts from",
        items=LIVE_MODES,
        default="EACH",
        options=set(),
        override=saved.OVERRIDE,
    )
    record: saved.Switch(description="While the animation plays, a drag sets keys on the frames that pass")
    message: saved.Text(description="How the last solve or bake ended, in one sentence")
    # in the order of `LISTS`; -1 if indices were never stored
    list_sizes: IntVectorProperty(
        description="Former numbers of list items, to update animation when they change",
        size=len(LISTS),
        default=(-1,) * len(LISTS),
        options={"HIDDEN"},
    )
    # a .blend file cannot store a dict, so it is stored as text
    report_json: saved.Text()

    @property
    def report(self) -> dict[str, Any]:
        """The report of the last solve or bake; empty before the first, or if it is unreadable.

        Keys: `operation` ("solve" or "bake"), `status`, `message`, `method`, `seconds`, `frames`,
        `frame_start`, `frame_end`, and `effectors`: for each by name `bone`, `kind`, `target`, `priority`,
        `status`, `message`, `mean` and `worst` error in metres with `worst_frame`, `angle_mean` and
        `angle_worst` in radians with `angle_worst_frame`. Errors that a kind does not have are None. Optional
        keys are `second_bone`, and `chosen`: pairs of a frame and the name of the alternative that is chosen
        from then on.

        `limits`: for each bone at a joint limit `bone`, `axis` (of the bone, "xz" for a swing that two limits
        bound together), the number of `frames`, and the first `frame`.

        With obstacles also `clearance` (the smallest one, metres), `nearest` (its obstacle),
        `clearance_frame`, `nearest_things` (for each nearest obstacle of a frame its `name`, smallest
        `clearance` and the `frame` of that), and `ignored`: sentences on ignored obstacles.
        """
        try:
            report = json.loads(self.report_json)
        except (ValueError, RecursionError):  # empty, or invalid data from a script or a damaged file
            return {}
        return report if isinstance(report, dict) else {}

    @property
    def loops(self) -> list[ArticulateEffector]:
        """The effectors that join two bones (kind LOOP); they are also in `effectors`."""
        return [effector for effector in self.effectors if "loop" in effector.kind_info.asks]

    @property
    def active(self) -> ArticulateEffector | None:
        index = self.active_effector
        return self.effectors[index] if 0 <= index < len(self.effectors) else None

    @property
    def keeps_clear(self) -> bool:
        """Whether obstacles or self-collision are enabled."""
        return self.body.self_collision or any(obstacle.enabled for obstacle in self.obstacles)

    @property
    def enabled_effectors(self) -> list[ArticulateEffector]:
        return [effector for effector in self.effectors if effector.enabled]
