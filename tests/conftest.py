# SPDX-License-Identifier: GPL-3.0-or-later
"""For all tests: what hypothesis tries depends on the test alone, so a failure comes back in the next run."""

from hypothesis import HealthCheck, settings

settings.register_profile(
    "repeatable",
    derandomize=True,
    deadline=None,  # the first call of a test pays for imports, and machines differ
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture],
    print_blob=True,
)
settings.load_profile("repeatable")
