# SPDX-License-Identifier: GPL-3.0-or-later
"""How the methods of the texts keep joint limits: what such a way promises, and the registry of all of them.

The default method keeps limits exactly, by the constraints of its steps. The ways themselves are in
`classic.limits` and are imported when first used.
"""

from collections.abc import Mapping
from typing import ClassVar, Final

from .registries import Entry, Registry


class LimitMethod(Entry):
    """A method that keeps joint limits; how it does so is in `classic.limits.base.StepLimits`.

    Attributes:
        strict: whether the limits hold at every iterate.
        adds_rows: whether it adds rows to the goals'; a batch is then solved one frame after another.
    """

    strict: ClassVar[bool] = True
    adds_rows: ClassVar[bool] = False


_FOLDER: Final = "ikmath.classic.limits"

LIMITS: Final[Mapping[str, LimitMethod]] = Registry(
    {
        "projection": f"{_FOLDER}.projection:Projection",
        "clipping": f"{_FOLDER}.clipping:Clipping",
        "penalty": f"{_FOLDER}.penalty:Penalty",
        "barrier": f"{_FOLDER}.barrier:InverseBarrier",
        "log_barrier": f"{_FOLDER}.barrier:LogarithmicBarrier",
    },
)
"""Name -> limit method."""
