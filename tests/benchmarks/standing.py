# SPDX-License-Identifier: GPL-3.0-or-later
"""The pose of captured motion in which a figure stands, to read what its joints are and as its rest pose.

The rest pose of a file may be no pose: of some all bones point upwards.
"""

from __future__ import annotations

import numpy as np

STANDS = 1.1
"""Times as upright as the rest pose must a frame be that takes its place."""


def how_upright(places: np.ndarray, parents: np.ndarray) -> np.ndarray:
    """How far feet and shins are below the hips, on average over all joints.

    It is most where both legs stand straight, whatever the arms do. The hips are the first joint that carries
    several others.

    Args:
        places: (*batch, J, 3) of the joints, z up; parents: (J,), parents first.
    """
    hips = int(np.argmax(np.bincount(parents[parents >= 0], minlength=len(parents)) > 1))
    below = places[..., hips, None, 2] - places[..., 2]
    legs = below > 0.5 * below.max(-1, keepdims=True, initial=0.0)
    return np.asarray(np.where(legs, below, 0.0).sum(-1) / len(parents))
