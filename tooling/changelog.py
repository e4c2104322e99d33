# SPDX-License-Identifier: GPL-3.0-or-later
"""Reads CHANGELOG.md, which has the form of Keep a Changelog: a section for each version, newest first."""

from __future__ import annotations

import re
from datetime import date
from typing import NamedTuple

from .problem import Problem

UNRELEASED = "Unreleased"
_HEADING = re.compile(r"^## \[(?P<version>[^]]+)\](?: - (?P<day>\S+))?$", re.MULTILINE)


class Section(NamedTuple):
    """What changed in a version.

    Attributes:
        version: for instance "0.2.0", or `UNRELEASED`.
        day: of the release; None for what is unreleased.
        body: the text below the heading.
    """

    version: str
    day: date | None
    body: str


def sections(text: str) -> list[Section]:
    """All sections, in the order of the file.

    Raises:
        Problem: a released version has no date, or one that is none.
    """
    headings = list(_HEADING.finditer(text))
    ends = [following.start() for following in headings[1:]] + [len(text)]
    return [
        Section(each["version"], _day(each["version"], each["day"]), text[each.end() : end].strip())
        for each, end in zip(headings, ends, strict=True)
    ]


def notes(text: str, version: str) -> str:
    """The release notes of a version: its section.

    Raises:
        Problem: there is no section for it, it is empty, or changes stand above it as unreleased.
    """
    found = {section.version: section for section in sections(text)}
    if found.get(UNRELEASED, Section("", None, "")).body:
        raise Problem(f"CHANGELOG.md has unreleased changes: head them ## [{version}] - YYYY-MM-DD")
    if version not in found or not found[version].body:
        raise Problem(f"CHANGELOG.md has no section for {version}.")
    return f"# {version}, {found[version].day}\n\n{found[version].body}\n"


def _day(version: str, text: str | None) -> date | None:
    if version == UNRELEASED and text is None:
        return None
    try:
        return date.fromisoformat(text or "")
    except ValueError:
        raise Problem(
            f"CHANGELOG.md: the heading of {version} needs a date: ## [{version}] - YYYY-MM-DD"
        ) from None
