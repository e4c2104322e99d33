# SPDX-License-Identifier: GPL-3.0-or-later
"""What goals cannot be made of is named."""

from __future__ import annotations

import numpy as np
import pytest

import ikmath as ik

NAN3 = (0.0, float("nan"), 0.0)
BAD = {
    "no joint": lambda: ik.Position([], np.zeros((0, 3))),
    "target shape": lambda: ik.Position("tip", (1, 2)),
    "target number": lambda: ik.Position(["tip", "link0"], (1, 2, 3)),
    "target nan": lambda: ik.Position("tip", NAN3),
    "offset shape": lambda: ik.Position("tip", (0, 0, 0), offset=(1, 2)),
    "offset nan": lambda: ik.Position("tip", (0, 0, 0), offset=NAN3),
    "weight negative": lambda: ik.Position("tip", (0, 0, 0), weight=-1.0),
    "weight nan": lambda: ik.Position("tip", (0, 0, 0), weight=float("nan")),
    "weight shape": lambda: ik.Position("tip", (0, 0, 0), weight=[1, 2]),
    "priority negative": lambda: ik.Position("tip", (0, 0, 0), priority=-1),
    "priority half": lambda: ik.Position("tip", (0, 0, 0), priority=0.5),
    "axes none": lambda: ik.Position("tip", (0, 0, 0), axes=""),
    "axes other": lambda: ik.Position("tip", (0, 0, 0), axes="xw"),
    "axes twice": lambda: ik.Orientation("tip", np.eye(3), axes="xx"),
    "space": lambda: ik.Position("tip", (0, 0, 0), axes="x", space="camera"),
    "slack negative": lambda: ik.Position("tip", (0, 0, 0), slack=-0.1),
    "slack nan": lambda: ik.Aim("tip", (0, 0, 0), slack=float("nan")),
    "rotation shape": lambda: ik.Orientation("tip", (0, 0, 0)),
    "rotation nan": lambda: ik.Orientation("tip", np.full((3, 3), np.nan)),
    "direction zero": lambda: ik.Aim("tip", (0, 0, 0), direction=(0, 0, 0)),
    "direction nan": lambda: ik.Aim("tip", (0, 0, 0), direction=NAN3),
    "direction shape": lambda: ik.Aim("tip", (0, 0, 0), direction=(1, 0)),
    "normal zero": lambda: ik.Plane("tip", (0, 0, 0), (0, 0, 0)),
    "normal nan": lambda: ik.Plane("tip", (0, 0, 0), NAN3),
    "origin shape": lambda: ik.Plane("tip", (0, 0), (0, 0, 1)),
    "distance zero": lambda: ik.Distance("tip", (0, 0, 0), (1, 0, 0), distance=0.0),
    "distance nan": lambda: ik.Distance("tip", (0, 0, 0), (1, 0, 0), distance=float("nan")),
    "distance count": lambda: ik.Distance(["tip", "link0"], (0, 0, 0), ["a", "b"], distance=[1.0, 1.0, 1.0]),
    "distance mode": lambda: ik.Distance("tip", (0, 0, 0), (1, 0, 0), mode="near"),
    "distance place": lambda: ik.Distance("tip", (0, 0, 0), (1, 0)),
    "pair counts": lambda: ik.Distance(["tip", "link0"], (0, 0, 0), ["tip"]),
    "loop offset": lambda: ik.Loop("tip", NAN3, "link0"),
    "loop rotation": lambda: ik.Loop("tip", (0, 0, 0), "link0", rigid=True, rotation=np.zeros((3, 3))),
    "loop not rigid": lambda: ik.Loop("tip", (0, 0, 0), "link0", rotation=np.eye(3)),
    "balance nothing": lambda: ik.Balance(),
    "balance both": lambda: ik.Balance((0, 0), support=[(0, 0)]),
    "balance shape": lambda: ik.Balance((0, 0, 0, 0)),
    "balance nan": lambda: ik.Balance((0, float("nan"))),
    "balance up": lambda: ik.Balance((0, 0), up="w"),
    "balance up of no length": lambda: ik.Balance((0, 0, 0), up=(0, 0, 0)),
    "balance place without height": lambda: ik.Balance((0, 0), up=(0, 1, 1)),
    "balance margin": lambda: ik.Balance(support=[(0, 0), (1, 0), (0, 1)], margin=-1.0),
    "support shape": lambda: ik.Balance(support=(0, 0)),
    "support empty": lambda: ik.Balance(support=np.zeros((0, 2))),
    "support nan": lambda: ik.Balance(support=[NAN3]),
    "masses none": lambda: ik.Problem(ik.figures.ball_chain(2), [ik.Balance((0, 0))]),
    "masses negative": lambda: ik.Problem(
        ik.figures.ball_chain(2), [ik.Balance((0, 0), masses={"tip": -1.0})]
    ),
    "masses name": lambda: ik.Problem(ik.figures.ball_chain(2), [ik.Balance((0, 0), masses={"top": 1.0})]),
    "masses shape": lambda: ik.Problem(ik.figures.ball_chain(2), [ik.Balance((0, 0), masses=[1.0])]),
    "any of one": lambda: ik.AnyOf([ik.Position("tip", (0, 0, 0))]),
    "any of posture": lambda: ik.AnyOf([ik.Position("tip", (0, 0, 0)), ik.Posture([0.0])]),
    "any of words": lambda: ik.AnyOf(["tip", "link0"]),
    "any of units": lambda: ik.AnyOf([ik.Position("tip", (0, 0, 0)), ik.Orientation("tip", np.eye(3))]),
    "any of preference": lambda: ik.AnyOf([ik.Position("tip", (0, 0, 0))] * 2, preference=-1.0),
    "posture shape": lambda: ik.Posture(1.0),
    "posture nan": lambda: ik.Posture([0, float("nan")]),
    "posture gain": lambda: ik.Posture([0, 0], gain=-1.0),
    "posture gain shape": lambda: ik.Posture([0, 0], gain=[1, 1, 1]),
}


@pytest.mark.parametrize("what", BAD)
def test_bad_input_is_named(what):
    with pytest.raises(ik.IkError) as caught:
        BAD[what]()
    assert len(str(caught.value)) > 20
    assert str(caught.value).rstrip().endswith((".", "?"))


def test_an_unknown_joint_is_named_when_the_goal_meets_the_figure():
    skeleton = ik.figures.human()
    with pytest.raises(ik.UnknownName, match=r"'wrist.l'.*'wrist\.L'"):
        ik.Problem(skeleton, [ik.Position("wrist.l", (0, 0, 0))])


def test_a_negative_mass_is_named():
    with pytest.raises(ik.BadValue, match="'ball1'"):
        ik.Problem(ik.figures.ball_chain(3), [ik.Balance((0, 0), masses={"ball1": -1.0, "tip": 2.0})])
