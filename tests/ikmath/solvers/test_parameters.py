# SPDX-License-Identifier: GPL-3.0-or-later
"""What an interface is told of the methods' options: enough to offer them, and true."""

import numpy as np
import pytest

import ikmath as ik

PARAMETERS = [(name, parameter) for name, method in ik.METHODS.items() for parameter in method.parameters]


@pytest.mark.parametrize(("method", "parameter"), PARAMETERS, ids=lambda value: getattr(value, "name", value))
def test_parameters_are_options_and_their_defaults_are_the_methods_own(method, parameter):
    chain = ik.figures.planar_chain([1, 1, 1])
    problem = ik.Problem(chain, [ik.Position("tip", (1.0, 1.5, 0))])
    start = np.array([0.4, 0.3, 0.2])
    plain = ik.solve(problem, start, method)
    told = ik.solve(problem, start, method, **{parameter.name: parameter.default})
    assert (plain.q == told.q).all()
    assert parameter.label
    assert parameter.description
    assert not parameter.description.endswith(".")
    if parameter.choices:
        assert parameter.default in parameter.choices
        for word in parameter.choices:
            ik.solve(problem, start, method, **{parameter.name: word})
    elif parameter.default is not None:
        assert parameter.minimum <= parameter.default <= parameter.maximum


@pytest.mark.parametrize(("method", "parameter"), PARAMETERS, ids=lambda value: getattr(value, "name", value))
def test_what_is_out_of_bounds_is_refused(method, parameter):
    problem = ik.Problem(ik.figures.planar_chain([1, 1]), [ik.Position("tip", (1.0, 1.0, 0))])
    bad = "no such word" if parameter.choices else -1.0
    with pytest.raises(ik.IkError, match=r"\w+"):
        ik.solve(problem, None, method, **{parameter.name: bad})


def test_the_papers_methods_have_the_parameters_of_the_papers():
    names = {name: {parameter.name for parameter in method.parameters} for name, method in ik.METHODS.items()}
    assert names["pseudoinverse"] == {"svd", "threshold", "tracking"}
    assert names["control"] == {"norm", "damping"}
    assert names["prioritized"] == {"damping", "threshold"}
    assert names["bounded"] == names["damped"] == {"damping"}
    assert names["nonlinear"] == {"gamma"}
    assert names["transpose"] == {"remember"}
    assert names["lagrange"] == {"objective", "form", "bounds"}
    assert names["hierarchical"] == set()
    assert names["lagrange"] == {"objective", "form", "bounds"}
