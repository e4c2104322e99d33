# SPDX-License-Identifier: GPL-3.0-or-later
"""What a person may set of a method, so that an interface can offer it without knowing the method.

An option that is meant for people is declared with `setting`; the rest of a method's options is for
scripts. What
stands in the declaration is all that a panel needs: a name, a sentence, a kind, bounds.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, fields
from typing import Any, Final

import numpy as np

_KEY: Final = "parameter"


@dataclass(frozen=True, kw_only=True)
class Parameter:
    """One option of a method, as people see it.

    Attributes:
        name: of the option in `solve`; label, description: for people.
        default: a bool, int, float or one of the choices; None where the method chooses by itself.
        minimum, maximum: bounds of a number.
        choices: the words that may be given, empty for numbers and switches.
    """

    name: str
    label: str
    description: str
    default: Any
    minimum: float = 0.0
    maximum: float = np.inf
    choices: tuple[str, ...] = ()

    @property
    def automatic(self) -> bool:
        """Whether None may be given."""
        return self.default is None


def setting(
    default: Any,
    label: str,
    description: str,
    *,
    minimum: float = 0.0,
    maximum: float = np.inf,
    choices: Sequence[str] = (),
) -> Any:
    """A dataclass field for an option that people may set; see `Parameter`."""
    told = {"label": label, "description": description, "minimum": minimum, "maximum": maximum}
    return field(default=default, metadata={_KEY: {**told, "choices": tuple(choices)}})


def parameters_of(options: type) -> tuple[Parameter, ...]:
    """The parameters among a dataclass of options, in its order."""
    return tuple(
        Parameter(name=entry.name, default=entry.default, **entry.metadata[_KEY])
        for entry in fields(options)
        if _KEY in entry.metadata
    )
