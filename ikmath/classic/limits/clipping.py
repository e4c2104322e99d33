# SPDX-License-Identifier: GPL-3.0-or-later
"""Limits by clipping: the whole step is cut short where the first joint meets its limit.

Ge's other mapping (thesis, 5.1, figure 5.2, point b). It is kept because it is in the text, and to show its
defect: "if the intended movement continues when one of the joint angles is at its boundary, the entire chain
will lock at that position". To avoid this, use projection.
"""

from typing import Any, ClassVar, Final

import numpy as np

from ...arrays import Mask
from ...model.joint_limits import JointLimits
from ...rotation import Array
from ..limit_crossings import leaving
from .base import Proposer, StepLimits

_HALVINGS: Final = 40


class Clipping(StepLimits):
    """See the module."""

    name: ClassVar[str] = "clipping"
    label: ClassVar[str] = "Clipping"
    description: ClassVar[str] = (
        "Ends the step of all joints where the first one meets its limit. The figure can lock."
    )
    source: ClassVar[str] = "Ge 2000, section 5.1"

    def step(self, region: JointLimits, q: Array, error: Array, propose: Proposer[Any]) -> Array:
        dq = propose(error)
        return region.project_first(q + _room(region, q, dq) * dq)

    step_many = step


def _room(region: JointLimits, q: Array, dq: Array) -> Array:
    """Share of the step (n, ...) that stays inside, (...) from 0 to 1, from q (n, ...) inside."""
    share = np.ones(q.shape[1:])
    bounds = leaving(region, q, dq)
    if bounds is None:
        return share
    ratio = np.ones_like(dq)
    np.divide(bounds.shift, dq, out=ratio, where=bounds.held)
    share = np.asarray(np.clip(ratio.min(0, initial=1.0), 0.0, 1.0))
    if not bounds.leaving.any():
        return share
    # A swing ellipse has no closed form along a line in coordinates: halve the interval.
    low, high = np.zeros_like(share), share
    if not _outside(region, q, share * dq).any():
        return share
    for _ in range(_HALVINGS):
        middle = 0.5 * (low + high)
        out = _outside(region, q, middle * dq)
        low, high = np.where(out, low, middle), np.where(out, middle, high)
    return np.asarray(np.where(_outside(region, q, share * dq), low, share))


def _outside(region: JointLimits, q: Array, dq: Array) -> Mask:
    """(...) whether the step ends outside."""
    bounds = leaving(region, q, dq)
    if bounds is None:
        return np.zeros(q.shape[1:], dtype=bool)
    return np.asarray(bounds.held.any(0) | bounds.leaving.any(0))
