# SPDX-License-Identifier: GPL-3.0-or-later
"""The arguments of operators; a button does not fill them in from the last call."""

from collections.abc import Iterable
from functools import partial
from typing import Any

from bpy.props import (
    BoolProperty,
    EnumProperty,
    FloatProperty,
    FloatVectorProperty,
    IntProperty,
    StringProperty,
)

from ..properties.saved import declared

_FRESH: Any = {"SKIP_SAVE"}

Bool = partial(BoolProperty, options=_FRESH)
Enum = partial(EnumProperty, options=_FRESH)
Float = partial(FloatProperty, options=_FRESH)
FloatVector = partial(FloatVectorProperty, options=_FRESH)
Int = partial(IntProperty, options=_FRESH)
String = partial(StringProperty, options=_FRESH)


def copied(group: type, names: Iterable[str]) -> dict[str, Any]:
    """Properties of a group of settings as arguments."""
    found, own = declared(group), ("override", "update", "options")
    told = {name: {k: v for k, v in found[name].keywords.items() if k not in own} for name in names}
    return {name: found[name].function(**keywords, options=_FRESH) for name, keywords in told.items()}
