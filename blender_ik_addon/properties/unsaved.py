# SPDX-License-Identifier: GPL-3.0-or-later
"""Properties that are not saved: the session's, and arguments of operators, which buttons do not fill in."""

from collections.abc import Iterable
from functools import partial
from typing import Any

from bpy import props

from .saved import declared

_UNSAVED: Any = {"SKIP_SAVE"}

Bool = partial(props.BoolProperty, options=_UNSAVED)
Enum = partial(props.EnumProperty, options=_UNSAVED)
Float = partial(props.FloatProperty, options=_UNSAVED)
FloatVector = partial(props.FloatVectorProperty, options=_UNSAVED)
Int = partial(props.IntProperty, options=_UNSAVED)
String = partial(props.StringProperty, options=_UNSAVED)


def copied(group: type, names: Iterable[str]) -> dict[str, Any]:
    """Properties of a group of settings as arguments."""
    found, own = declared(group), ("override", "update", "options")
    told = {name: {k: v for k, v in found[name].keywords.items() if k not in own} for name in names}
    return {name: found[name].function(**keywords, options=_UNSAVED) for name, keywords in told.items()}
