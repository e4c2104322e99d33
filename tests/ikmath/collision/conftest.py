# SPDX-License-Identifier: GPL-3.0-or-later
"""Every contract test runs once for each registered shape."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import pytest

sys.path.insert(0, str(Path(__file__).parent))

from zoo import ZOO


@pytest.fixture(params=sorted(ZOO))
def kind(request):
    return request.param


@pytest.fixture
def entry(kind):
    return ZOO[kind]


@pytest.fixture
def rng():
    return np.random.default_rng(7)
