# SPDX-License-Identifier: GPL-3.0-or-later
"""The errors that arguments of a caller can raise.

Every error is a `ValueError` whose message is one sentence that names the value at fault and says what to do.
The facts behind the sentence are attributes, so that an interface can phrase it differently.
"""

import difflib
from collections.abc import Sequence
from reprlib import Repr
from typing import Any


class IkError(ValueError):
    """Base of all errors that leave this library."""

    def __reduce__(self) -> tuple[Any, ...]:
        """Makes errors picklable, although their arguments are facts and not the sentence."""
        return type(self).__new__, (type(self), *self.args), vars(self)


def told(value: object) -> str:
    """A short form of a value, for a sentence."""
    short = Repr()
    short.maxother = short.maxstring = 60
    return " ".join(short.repr(value).split())


class UnknownName(IkError):
    """A joint, method or option that does not exist.

    Attributes:
        kind: what was looked for ("joint", "method", ...).
        name: the name that was not found.
        known: the names that exist.
    """

    def __init__(self, kind: str, name: object, known: Sequence[str]) -> None:
        self.kind, self.name, self.known = kind, name, tuple(known)
        near = difflib.get_close_matches(name, self.known, 3) if isinstance(name, str) else []
        if near:
            hint = "did you mean " + " or ".join(repr(word) for word in near) + "?"
        elif not self.known:
            hint = "there is none."
        else:
            shown = ", ".join(self.known[:12]) + (", ..." if len(self.known) > 12 else "")
            hint = f"use one of: {shown}."
        super().__init__(f"There is no {kind} {told(name)}; {hint}")


class BadShape(IkError):
    """An array of the wrong shape.

    Attributes:
        what: the argument, expected: its shape in words, got: the shape that came.
    """

    def __init__(self, what: str, expected: str, got: Sequence[int]) -> None:
        self.what, self.expected, self.got = what, expected, tuple(got)
        super().__init__(f"{what} has shape {self.got}; give {expected}.")


class BadValue(IkError):
    """A value that cannot be used.

    Attributes:
        what: the value at fault, reason: what is wrong with it and what to do.
    """

    def __init__(self, what: str, reason: str) -> None:
        self.what, self.reason = what, reason
        super().__init__(f"{what} {reason}")


class NotSupported(IkError):
    """A method does not support something in the problem.

    Attributes:
        who: the method, what: what it cannot take and what to use in its place.
    """

    def __init__(self, who: str, what: str) -> None:
        self.who, self.what = who, what
        super().__init__(f"{who} {what}")
