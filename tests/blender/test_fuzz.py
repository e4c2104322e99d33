# SPDX-License-Identifier: GPL-3.0-or-later
"""The extension's fuzzer, a few sessions; `python build.py fuzz --extension` goes on for longer."""

from __future__ import annotations

import collections

import bpy
import fuzz_extension
import pytest

# each of the older Blenders tries some that the newest does not
SEEDS = range(16) if bpy.app.version >= (5, 2) else range(16, 24)


@pytest.mark.parametrize("seed", SEEDS)
def test_what_must_always_be_true_is_true(seed: int):
    fuzz_extension.run(seed, collections.Counter())
