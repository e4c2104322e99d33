# SPDX-License-Identifier: GPL-3.0-or-later
"""The chain between any two joints, up to their common ancestor and down again (Ge, A.5.1)."""

import numpy as np
import numpy.typing as npt

from ..model.pose import Pose
from ..rotation import Array


def chain_between(
    pose: Pose, root: str | int, joint: str | int, offset: npt.ArrayLike = (0.0, 0.0, 0.0)
) -> tuple[Array, Array]:
    """A point at the end of a chain, as seen from its beginning.

    Args:
        root: the first joint of the chain; it need not be above the other.
        joint: the chain's last joint.
        offset: (3,) of a point fixed to it.

    Returns:
        The place of the point in the root's frame (*batch, 3), and its derivative by q (*batch, 3, n),
        which is zero for all joints that move both.
    """
    across = pose.point(joint, offset) - pose.point(root)
    turning = np.cross(pose.rotation_jacobian(root), across[..., None], axis=-2)
    moving = pose.jacobian(joint, offset) - pose.jacobian(root) - turning
    back = pose.frame(root).swapaxes(-1, -2)
    return (back @ across[..., None])[..., 0], back @ moving
