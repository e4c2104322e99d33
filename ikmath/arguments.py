# SPDX-License-Identifier: GPL-3.0-or-later
"""Reads the arguments of callers: each is checked once, copied, or refused with a sentence that names it.

Each function takes a value and `what` it is, such as "offset of Position goal hand"; the sentence begins with
that. A value of the wrong type or out of bounds raises `BadValue`, an array with other axes `BadShape`.
"""

from collections.abc import Iterable, Sequence
from typing import Any, Final, TypeVar

import numpy as np
import numpy.typing as npt

from .arrays import Array, Index
from .errors import BadShape, BadValue, told

LARGEST: Final = 1e30
"""The largest number that is accepted: products of larger ones can overflow."""
SMALLEST: Final = 1e-30
"""The smallest number that is accepted where it must be above zero: products of smaller ones' reciprocals
overflow.
"""
NEGLIGIBLE: Final = 1e-60
"""Smaller numbers are taken as zero: their fourth powers underflow, and then a length divides by zero."""
_MOST: Final = 2**31 - 1  # the largest whole number that integer arrays hold on every system

Wanted = TypeVar("Wanted")
Frozen = TypeVar("Frozen", bound=npt.NDArray[Any])


def numbers(value: npt.ArrayLike, what: str, *, endless: bool = False) -> Array:
    """A fresh array (order C) of finite numbers up to `LARGEST`; those below `NEGLIGIBLE` become zero.

    If `endless`, numbers are taken as they are, also infinite ones and NaN.
    """
    try:
        given = np.asarray(value)
    except (TypeError, ValueError):  # rows of different length
        given = np.empty(0, dtype=object)
    if given.dtype.kind not in "biuf":
        raise BadValue(what, f"is {told(value)}; give numbers.")
    if isinstance(value, np.ma.MaskedArray) and np.any(value.mask):
        raise BadValue(what, "has masked values, which are not known; fill them or leave them out.")
    array = np.array(given, dtype=float, order="C")
    if endless:
        return array
    size = np.abs(array)
    if size.max(initial=0.0) <= LARGEST:  # False for NaN
        array[size < NEGLIGIBLE] = 0.0
        return array
    if np.isfinite(array).all():
        raise BadValue(what, f"has a value above {LARGEST:g}, which is too large to compute with.")
    raise BadValue(what, "must consist of finite numbers.")


def frozen(array: Frozen) -> Frozen:
    """The same array, read-only from now on."""
    array.flags.writeable = False
    return array


def coordinates(value: npt.ArrayLike, count: int, what: str, *, endless: bool = False) -> Array:
    """A fresh array (..., count) of numbers, see `numbers`."""
    array = numbers(value, what, endless=endless)
    if array.ndim < 1 or array.shape[-1] != count:
        raise BadShape(what, f"(..., {count})", array.shape)
    return array


def indices(value: npt.ArrayLike, what: str) -> Index:
    """A fresh array of whole numbers; an empty list gives an empty array."""
    try:
        given = np.asarray(value)
    except (TypeError, ValueError):  # rows of different length
        given = np.empty(1, dtype=object)
    if given.size and given.dtype.kind not in "iu":
        raise BadValue(what, f"is {told(value)}; give whole numbers.")
    return given.astype(np.intp)


def frames(value: Any, count: int, what: str) -> int | Index:
    """The number of one of `count` frames, or an array of them; those below zero count from the end."""
    if isinstance(value, np.ndarray | list | tuple):
        several = indices(value, what)
        if ((several >= -count) & (several < count)).all():
            return several
    elif (one := whole(value, what, least=-count)) < count:
        return one
    raise BadValue(what, f"is {told(value)}, but there are {count} frames.")


def shaped(value: npt.ArrayLike, what: str, *shapes: tuple[int, ...], endless: bool = False) -> Array:
    """A fresh array of numbers, see `numbers`, in one of some shapes."""
    array = numbers(value, what, endless=endless)
    if array.shape not in shapes:
        names = ["a number" if not shape else str(shape) for shape in shapes]
        raise BadShape(what, " or ".join(names), array.shape)
    return array


def number(
    value: Any,
    what: str,
    *,
    least: float = -np.inf,
    above: float = -np.inf,
    most: float = np.inf,
    below: float = np.inf,
    endless: bool = False,
) -> float:
    """A finite number within bounds, or infinity if `endless`. Numbers above zero are at least `SMALLEST`."""
    plain = isinstance(value, int | float | np.integer | np.floating) or (
        isinstance(value, np.ndarray) and value.ndim == 0 and value.dtype.kind in "biuf"
    )
    value = of_python(value)
    fit = plain and (abs(value) <= LARGEST or (endless and value == np.inf))
    if fit and above == 0.0 < value < SMALLEST:
        raise BadValue(what, f"is {told(value)}, which is too small to compute with.")
    if fit and least <= value <= most and above < value and (value < below or below == np.inf):
        return float(value)
    wanted = ["number" if endless else "finite number"]
    for name, bound in (("at least", least), ("above", above), ("at most", most), ("below", below)):
        if abs(bound) < LARGEST:
            wanted.append(f"{name} {bound:g}")
    raise BadValue(what, f"is {told(value)}; give a {', '.join(wanted)}.")


def whole(value: Any, what: str, *, least: int) -> int:
    """A whole number, which may come as a float such as 3.0."""
    plain = isinstance(value, int | float | np.integer | np.floating)
    value = of_python(value)
    if plain and least <= value <= _MOST and int(value) == value:
        return int(value)
    most = f", at most {_MOST}" if plain and value > _MOST else ""
    raise BadValue(what, f"is {told(value)}; give a whole number, {least} or more{most}.")


def of_python(value: Any) -> Any:
    """Converts a single numpy number to a Python number; anything else is returned as it is.

    numpy 2 casts a Python number to the type of the numpy number beside it. In single precision `LARGEST`
    would be infinity, and results would have seven digits.
    """
    single = isinstance(value, np.generic) or (isinstance(value, np.ndarray) and value.ndim == 0)
    return value.item() if single else value


def switch(value: Any, what: str) -> bool:
    """True or False."""
    if isinstance(value, bool | int | np.bool_ | np.integer) and value in (0, 1):
        return bool(value)
    raise BadValue(what, f"is {told(value)}; give True or False.")


def text(value: Any, what: str) -> str:
    """A string."""
    if isinstance(value, str):
        return value
    raise BadValue(what, f"is {told(value)}; give a text.")


def word(value: Any, what: str, known: Sequence[str]) -> str:
    """One of several known words."""
    if isinstance(value, str) and value in known:
        return value
    raise BadValue(what, f"is {told(value)}; give {' or '.join(map(repr, known))}.")


def letters(value: Any, what: str) -> str:
    """Letters out of "xyz", each once at most."""
    if isinstance(value, str) and not set(value) - set("xyz") and len(set(value)) == len(value):
        return value
    raise BadValue(what, f"is {told(value)}; give letters out of 'xyz', each once.")


def of_kind(value: Any, kind: type[Wanted], what: str) -> Wanted:
    """An instance of a class."""
    if isinstance(value, kind):
        return value
    raise BadValue(what, f"is {told(value)}; give a {kind.__name__}.")


def several(values: Any, kind: type[Wanted], what: str) -> tuple[Wanted, ...]:
    """Instances of a class, from any iterable."""
    scalar = isinstance(values, np.ndarray) and not values.ndim
    if not isinstance(values, Iterable) or isinstance(values, str | bytes) or scalar:
        raise BadValue(what, f"are {told(values)}; give a list, each a {kind.__name__}.")
    return tuple(of_kind(thing, kind, f"{what}[{i}]") for i, thing in enumerate(values))
