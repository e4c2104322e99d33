# SPDX-License-Identifier: GPL-3.0-or-later
"""What a person may set of a method, so that an interface can offer it without knowing the method.

An option that is meant for people is declared with `setting`; the rest of a method's options is for scripts.
What stands in the declaration is all that a panel needs: a name, a sentence, a kind, bounds. Options may be
grouped in a dataclass of their own, as Ge's zones are; they are then called by both names, with a dot.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, fields, is_dataclass, replace
from typing import Any, Final, TypeVar

import numpy as np

from . import arguments
from .registries import choose

_KEY: Final = "parameter"

Configured = TypeVar("Configured")


@dataclass(frozen=True)
class Parameter:
    """One option of a method, as people see it.

    Attributes:
        name: of the option, "group.option" where it stands in a group; label, description: for people.
        default: a bool, int, float or one of the choices; None where the method chooses by itself.
        minimum, maximum: bounds of a number; it may be infinite only where the maximum is.
        choices: the words that may be given, empty for numbers and switches.
    """

    name: str
    label: str
    description: str
    default: Any
    minimum: float = 0.0
    maximum: float = arguments.LARGEST
    choices: tuple[str, ...] = ()


def setting(default: Any, label: str, description: str, **bounds: Any) -> Any:
    """A dataclass field for an option that people may set; bounds: the rest of its `Parameter`."""
    return field(default=default, metadata={_KEY: Parameter("", label, description, default, **bounds)})


def parameters_of(options: type) -> tuple[Parameter, ...]:
    """The parameters among a dataclass of options, in its order; those of its groups in their places."""
    found: list[Parameter] = []
    for entry in fields(options):
        if _KEY in entry.metadata:
            found.append(replace(entry.metadata[_KEY], name=entry.name))
            continue
        group: Any = entry.default_factory
        if isinstance(group, type) and is_dataclass(group):
            found += [replace(one, name=f"{entry.name}.{one.name}") for one in parameters_of(group)]
    return tuple(found)


def configured(options: Configured, given: Mapping[str, Any]) -> Configured:
    """The same options with other values of some parameters.

    Args:
        options: a dataclass.
        given: by the names that `parameters_of` gives.

    Raises:
        UnknownName: no such parameter; BadValue: a value that is out of bounds.
    """
    known = {parameter.name: parameter for parameter in parameters_of(type(options))}
    for name in given:
        choose(known, "parameter", name)
    own: dict[str, Any] = {}
    groups: dict[str, dict[str, Any]] = {}
    for name, value in given.items():
        group, _, inside = name.partition(".")
        if inside:
            groups.setdefault(group, {})[inside] = value
        else:
            own[name] = value
    own |= {group: configured(getattr(options, group), values) for group, values in groups.items()}
    changed: Any = options
    return replace(changed, **own)  # type: ignore[no-any-return]


def check_parameters(options: Any) -> None:
    """Refuse options of a dataclass that are of another sort than their default, or out of their bounds.

    It is called while the options, frozen afterwards, are being made. Counts become whole numbers, and
    numbers of numpy become Python's.

    Of those that are not declared with `setting`, switches and counts are looked at; the rest is for the
    dataclass itself.

    Raises:
        BadValue: it names the option and says what can be given.
    """
    for entry in fields(options):
        name = entry.name
        told: Parameter | None = entry.metadata.get(_KEY)
        value = arguments.of_python(getattr(options, name))
        object.__setattr__(options, name, value)
        if told is not None and value is None and entry.default is None:
            continue
        if told is not None and told.choices:
            arguments.word(value, name, told.choices)
        elif isinstance(entry.default_factory, type):  # a group, see the module
            arguments.of_kind(value, entry.default_factory, name)
        elif isinstance(entry.default, bool):
            arguments.switch(value, name)
        elif isinstance(entry.default, int):
            count = arguments.whole(value, name, least=0 if told is None else int(told.minimum))
            object.__setattr__(options, name, count)  # which may have come as 3.0
        elif told is not None:
            most = told.maximum
            arguments.number(value, name, least=told.minimum, most=most, endless=np.isinf(most))
