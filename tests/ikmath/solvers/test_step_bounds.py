# SPDX-License-Identifier: GPL-3.0-or-later
"""Steps inside swing regions, narrow ones too."""

from __future__ import annotations

import numpy as np
import pytest

import ikmath as ik
from ikmath.linalg.hierarchical_qp import Level, hierarchical_qp
from ikmath.solvers.parameters import DEFAULTS
from ikmath.solvers.step_bounds import Bounds, StepBounds
from ikmath.solvers.step_model import Metric


@pytest.mark.parametrize("wanted", [(-0.06, 0.12), (0.06, 0.12), (-0.06, -0.06), (0.3, 0.06)])
def test_a_step_lands_where_it_was_foreseen_although_the_boundary_bends_sharply(
    wanted: tuple[float, float],
) -> None:
    """A tangent where a step crosses, put in place of the one before, would send it back and forth."""
    narrow = np.radians(2.0)
    joint = ik.Joint("knee", turns="xz", lower=(-narrow, -narrow), upper=(2.0, narrow))
    figure = ik.Skeleton([joint])
    region = figure.joint_limits
    bounds, metric = StepBounds(figure, DEFAULTS), Metric(np.ones(2), None)
    foreseen = []

    def best(bounds: Bounds) -> np.ndarray:
        step = hierarchical_qp([Level(np.eye(2), np.array(wanted), 1e-8)], bounds.by(metric))
        foreseen.append(step.z)
        return step.z

    start = region.project(np.array([0.02, narrow]))
    end = bounds.step(start, best)
    np.testing.assert_allclose(end, start + foreseen[-1], atol=0.05 * np.linalg.norm(foreseen[-1]))
    assert region.violation(end).max() < 1e-9
