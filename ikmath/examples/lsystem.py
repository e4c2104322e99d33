# SPDX-License-Identifier: GPL-3.0-or-later
"""Trees grown by rewriting: an L-system with a turtle in space, as Ge's application has one for its tree.

A word is rewritten letter by letter, all letters at once, a few times; a turtle then reads it and leaves a
branch for every F (Prusinkiewicz & Lindenmayer 1990, chapter 1). Where a letter has several rules, one is
drawn by its weight; angles and lengths may be shaken. All that is drawn comes from one seed, so a tree is the
same tree every time.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
import numpy.typing as npt

from ..errors import BadValue
from ..rotation import Array, about

Rules = Mapping[str, Sequence[tuple[float, str]]]
"""Letter -> its rules: weight and replacement. Letters without a rule stay."""

_MOST: Final = 200_000  # letters of a word; more are a sign of a mistyped number of generations
_TURNS: Final = {"+": (2, 1.0), "-": (2, -1.0), "&": (0, 1.0), "^": (0, -1.0), "/": (1, 1.0), "\\": (1, -1.0)}


@dataclass(frozen=True, kw_only=True)
class Turtle:
    """How a word is drawn.

    Attributes:
        length, radius: of the first branch, metres.
        angle: of a turn, degrees.
        shorter, thinner: by what a "!" multiplies length and radius.
        shaken: relative spread of lengths and angles.
    """

    length: float = 1.0
    radius: float = 0.1
    angle: float = 25.0
    shorter: float = 0.75
    thinner: float = 0.7
    shaken: float = 0.0


@dataclass(frozen=True, eq=False)
class Branches:
    """B tapered rods; each begins where its parent ends.

    Attributes:
        start, end: (B, 3) metres.
        start_radius, end_radius: (B,) metres.
    """

    start: Array
    end: Array
    start_radius: Array
    end_radius: Array

    def __len__(self) -> int:
        return len(self.start)


def grow(axiom: str, rules: Rules, generations: int, seed: int = 0) -> str:
    """The word after some generations.

    Args:
        axiom: to begin with.
        rules: see `Rules`.
        generations: how often it is rewritten.
        seed: of the rules that are drawn.

    Raises:
        BadValue: a rule without positive weight, a negative number of generations, a word that becomes too
            long.
    """
    if generations < 0:
        raise BadValue(f"generations={generations}", "must be zero or more.")
    for letter, choices in rules.items():
        if not choices or min(weight for weight, _ in choices) <= 0.0:
            raise BadValue(f"The rules of {letter!r}", "must each have a positive weight.")
    drawn = np.random.default_rng(seed)
    word = axiom
    for _ in range(generations):
        word = "".join(_rewritten(letter, rules, drawn) for letter in word)
        if len(word) > _MOST:
            raise BadValue(f"generations={generations}", f"make a word of more than {_MOST} letters.")
    return word


def draw(word: str, turtle: Turtle, seed: int = 0) -> Branches:
    r"""The branches that a turtle draws; it starts at the origin and looks along +Z.

    F moves forward and draws a branch; + and -, & and ^, / and \ turn about the turtle's own z, x and y (its
    way); [ saves the state and ] restores it; ! makes the following branches shorter and thinner. All other
    letters are ignored.

    Args:
        word: what `grow` gave.
        turtle: see `Turtle`.
        seed: of what is shaken.

    Raises:
        BadValue: a bracket that is never opened or closed.
    """
    drawn = np.random.default_rng(seed)
    # what the turtle carries: place, rotation, length and radius of the next branch, radius where it stands
    place, rotation = np.zeros(3), about(0, np.pi / 2)
    length, radius, here = turtle.length, turtle.radius, turtle.radius
    kept: list[tuple[Array, Array, float, float, float]] = []
    rods: list[tuple[Array, Array, float, float]] = []
    for letter in word:
        if letter == "F":
            end = place + rotation[:, 1] * (length * _shake(drawn, turtle.shaken))
            rods.append((place, end, here, radius))
            place, here = end, radius
        elif letter in _TURNS:
            axis, side = _TURNS[letter]
            rotation = rotation @ about(axis, side * np.radians(turtle.angle) * _shake(drawn, turtle.shaken))
        elif letter == "!":
            length, radius = length * turtle.shorter, radius * turtle.thinner
        elif letter == "[":
            kept.append((place, rotation, length, radius, here))
        elif letter == "]":
            if not kept:
                raise BadValue("The word", "closes a bracket that it never opened.")
            place, rotation, length, radius, here = kept.pop()
    if kept:
        raise BadValue("The word", "opens a bracket that it never closes.")
    starts, ends, low, high = zip(*rods, strict=True) if rods else ((), (), (), ())
    return Branches(_array(starts, 3), _array(ends, 3), np.array(low, float), np.array(high, float))


def _rewritten(letter: str, rules: Rules, drawn: np.random.Generator) -> str:
    choices = rules.get(letter)
    if choices is None:
        return letter
    if len(choices) == 1:
        return choices[0][1]
    weights = np.cumsum([weight for weight, _ in choices])
    return choices[int(np.searchsorted(weights, drawn.random() * weights[-1], side="right"))][1]


def _shake(drawn: np.random.Generator, spread: float) -> float:
    return 1.0 + spread * float(drawn.uniform(-1.0, 1.0)) if spread else 1.0


def _array(rows: npt.ArrayLike, width: int) -> Array:
    return np.array(rows, dtype=float).reshape(-1, width)
