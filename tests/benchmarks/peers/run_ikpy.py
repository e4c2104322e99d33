# SPDX-License-Identifier: GPL-3.0-or-later
"""ikpy (scipy's bounded least squares on its own kinematics): single chains, by its own reasons to stop."""

from __future__ import annotations

import job
import numpy as np
from ikpy.chain import Chain
from ikpy.link import OriginLink, URDFLink


def main() -> None:
    """Solve the job."""
    task = job.read()
    links = [OriginLink()]
    for name, offset, axis, low, high in zip(
        task.names, task.offsets, task.axes, task.lower, task.upper, strict=True
    ):
        links.append(
            URDFLink(
                name,
                origin_translation=offset,
                origin_orientation=np.zeros(3),
                rotation=axis,
                bounds=(low, high),
            )
        )
    (_, _, tip), *others = task.effectors
    if others or any(task.slides) or list(task.parents) != list(range(-1, task.n - 1)):
        raise SystemExit("ikpy solves single chains of hinges only")
    links.append(
        URDFLink(
            "tip", origin_translation=tip, origin_orientation=np.zeros(3), rotation=None, joint_type="fixed"
        )
    )
    chain = Chain(links, active_links_mask=[False, *[True] * task.n, False])

    def solve(start: np.ndarray, places: np.ndarray, frame: np.ndarray | None) -> tuple[np.ndarray, int]:
        asked = {} if frame is None else {"target_orientation": frame, "orientation_mode": "all"}
        q = chain.inverse_kinematics(
            target_position=places[0], initial_position=np.concatenate([[0.0], start, [0.0]]), **asked
        )
        return np.clip(q[1:-1], task.lower, task.upper), 0

    task.run(solve)


if __name__ == "__main__":
    main()
