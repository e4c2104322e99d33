# SPDX-License-Identifier: GPL-3.0-or-later
"""Kinds of joints that are told: they replace what the map finds by itself."""

from __future__ import annotations

import numpy as np
import pytest

import ikmath as ik
from ikmath.model.figure_map import Kind, map_figure
from tests.ikmath.postures import people

NAMES = [row[0] for row in people.PERSON]
LEGS = {f"{bone}.{side}": kind for side in "lr" for bone, kind in (("thigh", Kind.HIP), ("shin", Kind.KNEE))}


def numbered(told):
    return {NAMES.index(name): kind for name, kind in told.items()}


def stunted():
    """A person whose legs end in stubs, as importers leave bones without an end: no limb is found there."""
    parents, heads, tails = (np.array(each) for each in people.arrays(people.PERSON))
    for side in "lr":
        shin = NAMES.index(f"shin.{side}")
        for name in (f"foot.{side}", f"toe.{side}"):
            j = NAMES.index(name)
            heads[j] = heads[shin] + [0.0, 0.0, -1e-4]
            tails[j] = heads[j] + [0.0, -1e-4, 0.0]
        tails[shin] = heads[shin] + [0.0, 0.0, -1e-4]
    return parents, heads, tails


def test_to_tell_what_is_found_changes_nothing():
    arrays = people.arrays(people.PERSON)
    found = map_figure(*arrays)
    for told in ({NAMES.index("thigh.l"), NAMES.index("shin.l")}, set(range(len(NAMES)))):
        again = map_figure(*arrays, told={j: found.kinds[j] for j in told})
        assert again.kinds == found.kinds and again.body == found.body and again.head == found.head
    assert {frozenset(limb.joints) for limb in again.limbs} == {
        frozenset(limb.joints) for limb in found.limbs
    }
    np.testing.assert_array_equal(again.twin, found.twin)
    np.testing.assert_allclose(again.hinge, found.hinge, atol=1e-9)


def test_told_legs_are_limbs_although_they_are_not_alike():
    arrays = stunted()
    assert map_figure(*arrays).kinds[NAMES.index("thigh.l")] != Kind.HIP
    found = map_figure(*arrays, told=numbered(LEGS))
    assert found.kinds[NAMES.index("thigh.l")] == Kind.HIP
    assert found.kinds[NAMES.index("shin.r")] == Kind.KNEE
    assert found.kinds[NAMES.index("arm.l")] == Kind.SHOULDER
    legs = [limb for limb in found.limbs if not limb.front]
    assert {NAMES[limb.joints[0]] for limb in legs} == {"thigh.l", "thigh.r"}
    assert NAMES[found.twin[NAMES.index("thigh.l")]] == "thigh.r"
    assert found.body == NAMES.index("hips") and NAMES[found.head] == "head"


def test_a_limb_may_be_told_on_one_side_only():
    found = map_figure(*stunted(), told=numbered({"thigh.l": Kind.HIP}))
    assert found.kinds[NAMES.index("shin.l")] == Kind.KNEE
    assert found.kinds[NAMES.index("thigh.r")] != Kind.HIP
    (leg,) = [limb for limb in found.limbs if not limb.front]
    assert found.limbs[leg.twin] is leg and found.twin[leg.joints[0]] == leg.joints[0]


def test_arms_that_are_told_to_be_none_are_none():
    found = map_figure(*people.arrays(people.PERSON), told=numbered({"arm.l": Kind.OTHER}))
    assert len(found.limbs) == 2
    assert not any(kind in (Kind.SHOULDER, Kind.ELBOW) for kind in found.kinds)


def test_other_kinds_are_taken_as_they_are():
    told = numbered({"neck": Kind.HEAD, "head": Kind.OTHER, "clavicle.l": Kind.SPINE, "spine": Kind.ROOT})
    found = map_figure(*people.arrays(people.PERSON), told=told)
    assert all(found.kinds[j] == kind for j, kind in told.items())
    assert NAMES[found.head] == "neck" and NAMES[found.body] == "spine"


def test_joints_that_are_not_there_are_refused():
    with pytest.raises(ik.BadValue, match="told"):
        map_figure(*people.arrays(people.PERSON), told={len(NAMES): Kind.HIP})
