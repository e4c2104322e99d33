# SPDX-License-Identifier: GPL-3.0-or-later
"""The root of all saved data: `Object.articulate`. It is used on armature objects only."""

import json
from typing import Any

import bpy
from bpy.props import EnumProperty, IntVectorProperty, StringProperty

from . import saved
from .bake import ArticulateBake
from .body import ArticulateBody
from .bone_names import all_armatures
from .effector import ArticulateEffector
from .obstacle import ArticulateObstacle
from .overlay import ArticulateOverlay
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


def _live_changed(rig: "ArticulateRig", context: bpy.types.Context) -> None:
    """Update the session, so that handlers know whether an armature is live."""
    if not rig.live:
        for name in (LIVE_START, LIVE_POSE):
            rig.pop(name, None)
        saved.forget_message(rig.id_data)
    manager: Any = context.window_manager
    manager.articulate.live_changes += 1
    manager.articulate.any_live = rig.live or any_live()


def any_live() -> bool:
    """Whether an armature of the file is live."""
    return any(armature.articulate.live for armature in all_armatures())


class ArticulateRig(bpy.types.PropertyGroup):
    """Effectors and settings of one armature."""

    __slots__ = ()

    effectors: saved.List(name="Effectors", type=ArticulateEffector)
    active_effector: saved.Index(name="Active Effector")
    solver: saved.Group(name="Solver", type=ArticulateSolver)
    bake: saved.Group(name="Bake", type=ArticulateBake)
    obstacles: saved.List(name="Obstacles", type=ArticulateObstacle)
    active_obstacle: saved.Index(name="Active Obstacle")
    body: saved.Group(name="Body", type=ArticulateBody)
    overlay: saved.Group(name="Viewport", type=ArticulateOverlay)
    live: saved.Switch(
        name="Live",
        description="Solve in every frame, and when a target or a pin moves. Sets no keys",
        default=False,
        options=set(),  # not animatable: the influence of effectors fades in and out
        update=_live_changed,
    )
    live_mode: EnumProperty(
        name="Live Mode",
        description="What a frame starts from",
        items=LIVE_MODES,
        default="EACH",
        options=set(),
        override=saved.OVERRIDE,
    )
    record: saved.Switch(
        name="Record",
        description="While the animation plays, a drag sets keys on the frames that pass",
        default=False,
    )
    message: StringProperty(
        name="Message", description="How the last solve or bake ended, in one sentence", options={"HIDDEN"}
    )
    # in the order of `LISTS`; -1 if indices were never stored
    list_sizes: IntVectorProperty(
        name="List Sizes",
        description="Former numbers of list items, to update animation when they change",
        size=len(LISTS),
        default=(-1,) * len(LISTS),
        options={"HIDDEN"},
    )
    # a .blend file cannot store a dict, so it is stored as text
    report_json: StringProperty(options={"HIDDEN"})

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
        """The active effector in the list."""
        index = self.active_effector
        return self.effectors[index] if 0 <= index < len(self.effectors) else None

    @property
    def keeps_clear(self) -> bool:
        """Whether obstacles or self-collision are enabled."""
        return self.body.self_collision or any(obstacle.enabled for obstacle in self.obstacles)

    @property
    def enabled_effectors(self) -> list[ArticulateEffector]:
        """The enabled effectors."""
        return [effector for effector in self.effectors if effector.enabled]
