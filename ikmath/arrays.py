# SPDX-License-Identifier: GPL-3.0-or-later
"""Types of arrays: floats, indices and booleans."""

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[np.float64]
Index = npt.NDArray[np.intp]
Mask = npt.NDArray[np.bool_]
