# SPDX-License-Identifier: GPL-3.0-or-later
"""What is wrong with what Blender holds, as data and as one sentence that names the culprit.

A fault that keeps a figure from being solved is raised; one that can be lived with is shown. Both are made of
the same `Fault`, so that a panel and an error say the same words.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from ikmath.errors import IkError


@dataclass(frozen=True)
class Fault:
    """One thing that is wrong.

    Attributes:
        culprit: name of the object, bone or action that is to blame.
        sentence: what is wrong with it and what to do, naming the culprit.
        blocking: nothing can be solved before it is put right; otherwise a warning.
    """

    culprit: str
    sentence: str
    blocking: bool = True


class FigureFault(IkError):
    """A fault that stops a solve or a bake; nothing has been changed when it is raised.

    Attributes:
        fault: what is wrong.
        culprit: name of what is to blame.
    """

    def __init__(self, culprit: str, sentence: str) -> None:
        self.fault = Fault(culprit, sentence)
        self.culprit = culprit
        super().__init__(sentence)


def require(faults: Iterable[Fault]) -> None:
    """Raise the first fault that blocks.

    Raises:
        FigureFault: there is one.
    """
    for fault in faults:
        if fault.blocking:
            raise FigureFault(fault.culprit, fault.sentence)
