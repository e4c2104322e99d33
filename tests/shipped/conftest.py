# SPDX-License-Identifier: GPL-3.0-or-later
"""Node, which runs the farm's job type and the search of the manual's site."""

from __future__ import annotations

import os
import shutil

import pytest


@pytest.fixture(scope="session")
def node() -> str:
    """The path of Node. A hosted CI must have it."""
    found = shutil.which("node")
    if found is None and "CI" not in os.environ:
        pytest.skip("Node is not here (apt-get install nodejs).")
    assert found, "Node is not here (apt-get install nodejs)."
    return found
