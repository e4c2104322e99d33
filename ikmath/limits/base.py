# SPDX-License-Identifier: GPL-3.0-or-later
"""What a joint-limit method is.

An incremental method proposes a step from linear rows; a limit method decides what becomes of it. It may
add rows of its own before the step is worked out (penalty, barrier), and it turns the proposed step into
new coordinates (clipping, projection), for which it may ask for the step again with some of the
coordinates held.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import ClassVar, Protocol

import numpy as np
import numpy.typing as npt

from ..blocks import Held
from ..pose import Pose
from ..region import Region
from ..residual import Residual
from ..rotation import Array

Propose = Callable[[Array, Array], Array]
"""(error (k,), jacobian (k, n)) -> step (n,): the method's step for these rows."""


class ProposeMany(Protocol):
    """`Propose` for many frames, which can be asked for some of them, too."""

    @property
    def metric(self) -> Array | None:
        """(n,) units in which steps are measured, squared, or None where all are alike."""

    def __call__(self, error: Array, held: Held | None = None, /) -> Array:
        """Steps (n, B) for errors (k, B), of the rows without what is held."""

    def of(self, frames: npt.NDArray[np.intp]) -> ProposeMany:
        """The same for some of the frames."""


class LimitMethod:
    """One way to keep joint limits.

    Attributes:
        name, label, description, source: for registries and menus.
        strict: whether the limits hold at every iterate.
        exact: whether figures come to the best pose inside the limits; others lock, exceed or avoid them.
        adds_rows: whether `rows` may give any; a batch is then solved one frame after another.
    """

    name: ClassVar[str]
    label: ClassVar[str]
    description: ClassVar[str]
    source: ClassVar[str]
    strict: ClassVar[bool] = True
    exact: ClassVar[bool] = False
    adds_rows: ClassVar[bool] = False

    def rows(self, pose: Pose) -> Residual | None:
        """Rows to add to the goals', scaled as they should count (lengths in figure sizes); None for none."""
        return None

    def step(
        self,
        region: Region,
        q: Array,
        error: Array,
        jacobian: Array,
        propose: Propose,
        metric: Array | None = None,
    ) -> Array:
        """New coordinates (n,) from q (n,), rows (k,), (k, n) and what proposes steps.

        Args:
            region, q, error, jacobian, propose: as said;
            metric: (n,) mobilities in which the steps are shortest, or None where all are alike.
        """
        raise TypeError(f"{type(self).__name__} does not say how it steps.")

    def step_many(self, region: Region, q: Array, error: Array, propose: ProposeMany) -> Array:
        """As `step`, for many frames, frames innermost."""
        raise TypeError(f"{type(self).__name__} does not say how many frames step.")
