# SPDX-License-Identifier: GPL-3.0-or-later
"""Several moments of one figure measured at once: each is what it is by itself."""

from __future__ import annotations

import numpy as np
import pytest
from bridge_rigs import any_flags, chain_rig, evaluated, shake, tree_rig
from installed import module

armature = module("bridge.armature")
skeleton = module("bridge.skeleton")
space = module("bridge.space")
refusal = module("properties.refusal")


def figure_of(rig, **options):
    bones, shown = armature.read_bones(rig), evaluated(rig)
    state = armature.read_state(shown, bones)
    return skeleton.read_figure(bones, state, space.read_space(shown), bones.names, **options)


@pytest.mark.parametrize("root", ["PINNED", "FREE"])
@pytest.mark.parametrize("sheared", [False, True])
def test_several_moments_at_once_are_each_by_itself(root: str, sheared: bool) -> None:
    rig = tree_rig(4, 12, any_flags)
    figure = figure_of(rig, root=root)
    states, spaces = [figure.state, figure.state], [figure.space]
    for seed in range(4):
        shake(rig, seed, scale="FREE" if sheared and seed % 2 else "UNIFORM")
        rig.scale = (1.0 + seed % 2,) * 3
        shown = evaluated(rig)
        states.append(armature.read_state(shown, figure.bones))
        spaces.append(space.read_space(shown))
    spaces.insert(1, spaces[-1])  # the same pose elsewhere
    together = figure.at_each(states, spaces)
    assert figure.at(figure.state) is figure
    for one, state, place in zip(together, states, spaces, strict=True):
        alone = skeleton.read_figure(figure.bones, state, place, figure.bones.names, root=root)
        assert one.state is state and one.space is place and one.exact == alone.exact
        for name in ("q", "frames", "heads", "slide_map", "measured"):
            np.testing.assert_allclose(getattr(one, name), getattr(alone, name), atol=1e-12)
        for name in ("rest_rotation", "rest_translation", "fixed"):
            found, expected = getattr(one.skeleton, name), getattr(alone.skeleton, name)
            np.testing.assert_allclose(found, expected, atol=1e-12)
    assert all(one.exact for one in together) != sheared


def test_a_moment_that_cannot_be_measured_is_named_among_others() -> None:
    rig = chain_rig(4)
    figure = figure_of(rig)
    rig.pose.bones["b2"].scale = (0.0, 0.0, 0.0)
    flat = armature.read_state(evaluated(rig), figure.bones)
    with pytest.raises(refusal.Refused, match=r"'b2'.*scaled to zero"):
        figure.at_each([figure.state, flat], [figure.space] * 2)
