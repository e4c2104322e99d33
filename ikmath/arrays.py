# SPDX-License-Identifier: GPL-3.0-or-later
"""What arrays hold: numbers, places in other arrays, or what is so and what is not."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[np.float64]
Index = npt.NDArray[np.intp]
Mask = npt.NDArray[np.bool_]
