# SPDX-License-Identifier: GPL-3.0-or-later
"""How the methods of the texts keep joint limits: what such a way promises, and the registry of all of them.

The default method keeps limits exactly, by the constraints of its steps. The ways themselves are in
`classic.limits` and are imported when first used; their classes can be had from here by name.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar, Final

from .model.joint_limits import JointLimits
from .model.pose import Pose
from .model.residual import Residual
from .registries import Entry, LazyRegistry, load
from .rotation import Array


class LimitMethod(Entry):
    """A method that keeps joint limits.

    An incremental method proposes a step from linear rows, and a limit method changes it. It may add rows
    before the step is solved (penalty, barrier), and it computes new coordinates from the proposed step
    (clipping, projection). For this it may solve for the step again with some coordinates held.

    Attributes:
        strict: whether the limits hold at every iterate.
        exact: whether a solve ends at the best pose inside the limits; other methods lock, exceed the limits,
            or stay away from them.
        adds_rows: whether `rows` may give any; a batch is then solved one frame after another.
    """

    strict: ClassVar[bool] = True
    exact: ClassVar[bool] = False
    adds_rows: ClassVar[bool] = False

    def rows(self, pose: Pose) -> Residual | None:
        """Rows to add to the goals', scaled as they should count (lengths in figure sizes); None for none."""
        return None

    def step(self, region: JointLimits, q: Array, error: Array, propose: Any) -> Array:
        """New coordinates (n,) from q (n,), the rows' error (k,) and a `classic.limits.base.Proposer`."""
        raise TypeError(f"{type(self).__name__} must implement a step.")

    def step_many(self, region: JointLimits, q: Array, error: Array, propose: Any) -> Array:
        """As `step`, for many frames, frames innermost."""
        raise TypeError(f"{type(self).__name__} must implement a step for many frames.")


_WAYS: Final = "ikmath.classic.limits"
_PLACES: Final = {
    "projection": f"{_WAYS}.projection:Projection",
    "clipping": f"{_WAYS}.clipping:Clipping",
    "penalty": f"{_WAYS}.penalty:Penalty",
    "barrier": f"{_WAYS}.barrier:InverseBarrier",
    "log_barrier": f"{_WAYS}.barrier:LogarithmicBarrier",
}
LIMITS: Final[Mapping[str, LimitMethod]] = LazyRegistry([], _PLACES)
"""Name -> limit method."""
_CLASSES: Final = {place.partition(":")[2]: place for place in _PLACES.values()}


def __getattr__(name: str) -> Any:
    if name not in _CLASSES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return load(_CLASSES[name])
