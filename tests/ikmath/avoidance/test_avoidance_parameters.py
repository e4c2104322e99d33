# SPDX-License-Identifier: GPL-3.0-or-later
"""What an interface is told of the ways to keep clear: enough to offer them, and true."""

import pytest

import ikmath as ik
from ikmath.parameters import configured

PARAMETERS = [(name, parameter) for name, way in ik.AVOIDANCE.items() for parameter in way.parameters]


def read(way, name):
    for part in name.split("."):
        way = getattr(way, part)
    return way


@pytest.mark.parametrize(("name", "parameter"), PARAMETERS, ids=lambda value: getattr(value, "name", value))
def test_parameters_are_read_changed_and_bounded(name, parameter):
    way = ik.AVOIDANCE[name]
    assert read(way, parameter.name) == parameter.default
    assert parameter.label
    assert parameter.description
    assert not parameter.description.endswith(".")
    if parameter.choices:
        values, bad = parameter.choices, "no such word"
    elif isinstance(parameter.default, bool):
        values, bad = (False, True), "perhaps"
    else:
        assert parameter.minimum <= parameter.default <= parameter.maximum
        values, bad = (parameter.default * 1.25,), -1.0
    for value in values:
        changed = configured(way, {parameter.name: value})
        assert type(changed) is type(way)
        assert read(changed, parameter.name) == value
        others = [other for other in way.parameters if other.name != parameter.name]
        assert all(read(changed, other.name) == other.default for other in others)
    assert read(way, parameter.name) == parameter.default, "the registered one stays as it was"
    with pytest.raises(ik.BadValue, match=parameter.name.rpartition(".")[2]):
        configured(way, {parameter.name: bad})


def test_the_texts_parameters_have_the_texts_names():
    names = {name: {one.name for one in way.parameters} for name, way in ik.AVOIDANCE.items()}
    zones = {"zones.d_ta", "zones.d_ug", "zones.d_soi", "zones.speed"}
    assert names["velocity_damper"] == set(), "nothing to tune"
    assert names["objective"] == names["cost"] == names["cost_blending"] == {"alpha"}
    assert names["cost_adaptive"] == {"alpha", "beta", *zones}
    assert names["task_priority"] == {"influence", "a_max", "v_max", "damping", "abort", *zones}


def test_what_there_is_not_is_refused():
    with pytest.raises(ik.UnknownName, match="alpha"):
        configured(ik.AVOIDANCE["objective"], {"alhpa": 1.0})
    with pytest.raises(ik.UnknownName, match="parameter"):
        configured(ik.AVOIDANCE["velocity_damper"], {"alpha": 1.0})
    with pytest.raises(ik.BadValue, match="order"):
        configured(ik.AVOIDANCE["task_priority"], {"zones.d_ta": 0.5})
