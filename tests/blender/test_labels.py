# SPDX-License-Identifier: GPL-3.0-or-later
"""Labels in the 3D view do not cover one another."""

from __future__ import annotations

import installed
import numpy as np

labels = installed.module("viewport.overlay")


def covers(a, b) -> bool:
    return all(min(a[i] + a[i + 2], b[i] + b[i + 2]) - max(a[i], b[i]) > 1e-9 for i in (0, 1))


def test_labels_that_are_apart_stay_where_they_are():
    wanted = [(0.0, 0.0, 50.0, 14.0), (60.0, 0.0, 50.0, 14.0), (0.0, 14.0, 50.0, 14.0)]
    assert labels.arrange(wanted) == wanted


def test_no_label_covers_another_one_and_the_first_is_where_it_belongs():
    rng = np.random.default_rng(7)
    for _ in range(50):
        wanted = [(*rng.uniform(0, 120, 2), *rng.uniform((20, 10), (90, 16))) for _label in range(15)]
        found = labels.arrange(wanted)
        shown = [box for box in found if box is not None]
        assert found[0] == wanted[0] and len(shown) >= 3
        assert not any(covers(a, b) for n, a in enumerate(shown) for b in shown[:n])
        for box, place in zip(found, wanted, strict=True):
            assert box is None or (box[0] == place[0] and abs(box[1] - place[1]) <= 2 * place[3] + 1e-9)


def test_where_all_is_taken_a_label_is_left_out():
    found = labels.arrange([(0.0, 0.0, 50.0, 14.0)] * 7)
    assert [box is None for box in found] == [False] * 5 + [True] * 2
