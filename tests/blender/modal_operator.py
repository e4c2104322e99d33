# SPDX-License-Identifier: GPL-3.0-or-later
"""A stand-in for Blender's part of a modal operator, so that a test can send it events."""

from __future__ import annotations

from types import MethodType, SimpleNamespace
from typing import Any, ClassVar

import installed


class ModalOperator:
    """An operator without Blender's part of it; what is given are its properties that somebody has set."""

    module: ClassVar[str]
    cls: ClassVar[str]

    def __init__(self, **given: object) -> None:
        self._cls = getattr(installed.module(self.module), self.cls)
        self.reports: list[str] = []
        self.properties = SimpleNamespace(is_property_set=lambda name: name in given)
        for name, value in given.items():
            setattr(self, name, value)

    def report(self, _kind: set[str], text: str) -> None:
        self.reports.append(text)

    def __getattr__(self, name: str) -> Any:
        return MethodType(getattr(self._cls, name), self)
