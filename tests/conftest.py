# SPDX-License-Identifier: GPL-3.0-or-later
"""For all tests: what hypothesis tries depends on the test alone, so a failure comes back in the next run."""

from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

SLOW = [
    Path(__file__).parent / name
    for name in (
        "ikmath/solvers",
        "ikmath/avoidance",
        "ikmath/collision",
        "ikmath/trajectory",
        "ikmath/limits",
        "ikmath/linalg",
        "ikmath/postures",
        "ikmath/test_attribution.py",
        "ikmath/test_goals_of_whole_figures.py",
        "papers",
    )
]
"""Directories and files whose tests all have the mark `solver`."""


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark what lies there."""
    for item in items:
        if any(item.path.is_relative_to(place) for place in SLOW):
            item.add_marker("solver")


settings.register_profile(
    "repeatable",
    derandomize=True,
    deadline=None,  # the first call of a test pays for imports, and machines differ
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture],
    print_blob=True,
)
settings.load_profile("repeatable")
