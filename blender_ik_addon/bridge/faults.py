# SPDX-License-Identifier: GPL-3.0-or-later
"""Faults in Blender's data, each as one sentence that names the object, bone or action.

A fault that prevents a solve is raised; others are shown as warnings. Both are a `Fault`, so that panels and
errors have the same text.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from ikmath.errors import IkError


@dataclass(frozen=True)
class Fault:
    """One fault.

    Attributes:
        subject: name of the object, bone or action with the fault.
        sentence: what is wrong and what to do, with this name.
        blocking: whether it prevents a solve; otherwise it is a warning.
    """

    subject: str
    sentence: str
    blocking: bool = True


class FigureFault(IkError):
    """A fault that prevents a solve or a bake; when it is raised, nothing has been changed.

    Attributes:
        fault: what is wrong.
        subject: name of the object, bone or action.
    """

    def __init__(self, subject: str, sentence: str) -> None:
        self.fault = Fault(subject, sentence)
        self.subject = subject
        super().__init__(sentence)


def require(faults: Iterable[Fault]) -> None:
    """Raise the first blocking fault.

    Raises:
        FigureFault: there is one.
    """
    for fault in faults:
        if fault.blocking:
            raise FigureFault(fault.subject, fault.sentence)
