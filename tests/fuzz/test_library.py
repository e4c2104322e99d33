# SPDX-License-Identifier: GPL-3.0-or-later
"""The library's fuzzer, seeded and bounded; `python build.py fuzz --minutes N` goes on for longer."""

from __future__ import annotations

import pytest
from hypothesis import given, settings

from tests.fuzz.properties import PROPERTIES


@pytest.mark.parametrize("one", PROPERTIES, ids=lambda one: one.name)
def test_promises_hold(one):
    settings(max_examples=one.examples)(given(*one.drawn)(one.check))()
