# SPDX-License-Identifier: GPL-3.0-or-later
"""Rewriting by hand, what a turtle leaves, and that a seed is a tree."""

from __future__ import annotations

import numpy as np
import pytest

from ikmath import IkError
from ikmath.examples.lsystem import Turtle, draw, grow


def test_the_algae_of_lindenmayer():
    """A -> AB, B -> A: the lengths of the words are Fibonacci's numbers."""
    rules = {"A": [(1.0, "AB")], "B": [(1.0, "A")]}
    words = [grow("A", rules, n) for n in range(7)]
    assert words[:5] == ["A", "AB", "ABA", "ABAAB", "ABAABABA"]
    assert [len(word) for word in words] == [1, 2, 3, 5, 8, 13, 21]


def test_letters_without_a_rule_stay():
    assert grow("F[+A]-A", {"A": [(1.0, "F")]}, 3) == "F[+F]-F"


def test_rules_are_drawn_by_their_weights():
    word = grow("A" * 4000, {"A": [(3.0, "x"), (1.0, "y")]}, 1, seed=1)
    assert word.count("x") == pytest.approx(3000, abs=100)
    assert word == grow("A" * 4000, {"A": [(3.0, "x"), (1.0, "y")]}, 1, seed=1)
    assert word != grow("A" * 4000, {"A": [(3.0, "x"), (1.0, "y")]}, 1, seed=2)


def test_a_turtle_walks_a_square_and_comes_home():
    found = draw("F+F+F+F", Turtle(length=2.0, radius=0.1, angle=90.0))
    assert found.start[0] == pytest.approx([0, 0, 0])
    assert found.end[0] == pytest.approx([0, 0, 2])
    assert found.end[-1] == pytest.approx([0, 0, 0])
    assert np.linalg.norm(found.end - found.start, axis=1) == pytest.approx([2.0] * 4)


@pytest.mark.parametrize(("there", "back"), ["+-", "&^", "/\\"])
def test_turns_go_back(there, back):
    turned, plain = (draw(word, Turtle(angle=33.0)) for word in (f"F{there}{back}+F", "F+F"))
    assert turned.end == pytest.approx(plain.end)


def test_brackets_keep_the_place_and_branches_become_thinner():
    found = draw("F[+!F]-!F", Turtle(length=1.0, radius=0.2, shorter=0.5, thinner=0.25))
    assert (found.start[1] == found.end[0]).all() and (found.start[2] == found.end[0]).all()
    assert found.start_radius == pytest.approx([0.2, 0.2, 0.2])
    assert found.end_radius == pytest.approx([0.2, 0.05, 0.05])
    assert np.linalg.norm(found.end - found.start, axis=1) == pytest.approx([1.0, 0.5, 0.5])
    assert found.end[1] == pytest.approx(found.end[2] * (-1, -1, 1)), "one to each side"


def test_a_seed_is_a_tree():
    one, same, other = (draw("F[+F]-F", Turtle(shaken=0.3), seed) for seed in (4, 4, 5))
    assert (one.end == same.end).all()
    assert np.abs(one.end - other.end).max() > 0.01


@pytest.mark.parametrize("word", ["F]", "F[", "F[[F]"])
def test_brackets_that_do_not_match_are_refused(word):
    with pytest.raises(IkError, match="bracket"):
        draw(word, Turtle())


def test_bad_rules_are_refused():
    with pytest.raises(IkError, match="weight"):
        grow("A", {"A": [(0.0, "B")]}, 1)
    with pytest.raises(IkError, match="generations"):
        grow("A", {}, -1)
    with pytest.raises(IkError, match="more than"):
        grow("A", {"A": [(1.0, "AA")]}, 30)


def test_nothing_drawn_is_no_branch():
    found = draw("+A-[]", Turtle())
    assert len(found) == 0 and found.start.shape == (0, 3)
