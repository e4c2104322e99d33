# SPDX-License-Identifier: GPL-3.0-or-later
"""The extension's fuzzer, a few sessions; `python build.py fuzz --extension` goes on for longer."""

from __future__ import annotations

import collections

import fuzz_extension
import pytest


@pytest.mark.parametrize("seed", range(16))
def test_what_must_always_be_true_is_true(seed: int):
    fuzz_extension.run(seed, collections.Counter())
