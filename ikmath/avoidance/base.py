# SPDX-License-Identifier: GPL-3.0-or-later
"""What an obstacle-avoidance method is.

The texts' methods add to the step that an incremental method proposes; ours bounds it. Both read the same
critical points (`Proximity`), and both say of themselves which of the two they do.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from ..parameters import Parameter, check_parameters, parameters_of
from ..rotation import Array
from .situation import Situation


@dataclass(frozen=True, kw_only=True)
class Avoidance:
    """One way to keep clear of obstacles.

    Attributes:
        name, label, description, source: for registries and menus.
        bounds: whether it bounds steps by inequality rows, so that nothing is ever entered; the others push.
        sight: figure sizes of clearance from which an obstacle is looked at, for those that push.
    """

    name: ClassVar[str]
    label: ClassVar[str]
    description: ClassVar[str]
    source: ClassVar[str]
    bounds: ClassVar[bool] = False
    sight: ClassVar[float] = 0.3

    def __post_init__(self) -> None:
        check_parameters(self)

    @property
    def parameters(self) -> tuple[Parameter, ...]:
        """What a person may set of it."""
        return parameters_of(type(self))

    def step(self, at: Situation) -> Array:
        """The whole step (n,) in the presence of obstacles, for those that push; `at.plain` is without."""
        raise TypeError(f"{type(self).__name__} does not push.")


class Gradient(Avoidance):
    """Methods that give the arbitrary vector z of the general solution (Ge, eq. 4.2)."""

    def step(self, at: Situation) -> Array:
        return at.plain + at.bounded(at.homogeneous(self.vector(at)))

    def vector(self, at: Situation) -> Array:
        """The arbitrary vector (n,), before it is projected into what the goals leave free."""
        raise TypeError(f"{type(self).__name__} does not say where it pushes.")
