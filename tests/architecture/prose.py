# SPDX-License-Identifier: GPL-3.0-or-later
"""The sentences of a Markdown page. Code blocks, tables, headings and comments are not prose."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

_FENCE = re.compile(r"^\s*(```|~~~)")
_NOT_PROSE = re.compile(r"^\s*(\||#|<|!!! |:::|\[[^]]+\]: |---+\s*$)")
_ITEM = re.compile(r"^\s*([-*+]|\d+[.)])\s+")
_COMMENT = re.compile(r"<!--.*?-->", re.DOTALL)
_END = re.compile(r"(?<=[.!?])[\"')]*\s+(?=[\"'(]*[`A-Z0-9])")
_WORD = re.compile(r"[^\W_]")


@dataclass(frozen=True)
class Sentence:
    """A sentence without markup.

    Attributes:
        line: number of the line, from 1, where its paragraph begins.
        text: the words.
    """

    line: int
    text: str

    @property
    def words(self) -> int:
        """How many words it has. A formula or a name in code counts as one."""
        return count(self.text)


@dataclass(frozen=True)
class Paragraph:
    """A paragraph or an item of a list."""

    line: int
    text: str

    @property
    def sentences(self) -> list[Sentence]:
        """Its sentences."""
        return [Sentence(self.line, part) for part in _END.split(self.text) if count(part)]


def count(text: str) -> int:
    """How many words a text has."""
    return sum(bool(_WORD.search(word)) for word in text.split())


def paragraphs(page: str) -> list[Paragraph]:
    """The paragraphs of a page, without markup."""
    page = _COMMENT.sub(lambda found: "\n" * found[0].count("\n"), page)
    return [Paragraph(line, plain(text)) for line, text in _blocks(page) if count(plain(text))]


def plain(text: str) -> str:
    """A text without pictures, addresses and emphasis; code becomes one word."""
    text = re.sub(r"`[^`]+`", lambda code: re.sub(r"[\s.!?]+", "_", code[0]), text)
    text = re.sub(r"!\[([^]]*)\]\([^)]*\)", r"\1", text)
    text = re.sub(r"\[([^]]*)\]\([^)]*\)", r"\1", text)
    text = re.sub(r"\*+", "", text)
    return " ".join(text.split())


def _blocks(page: str) -> Iterator[tuple[int, str]]:
    """(first line, text) of each paragraph and of each item of a list."""
    begun, lines, in_code = 0, list[str](), False
    for number, line in enumerate([*page.splitlines(), ""], start=1):
        fence = bool(_FENCE.match(line))
        in_code ^= fence
        ends = fence or in_code or not line.strip() or bool(_NOT_PROSE.match(line) or _ITEM.match(line))
        if ends and lines:
            yield begun, " ".join(lines)
            lines = []
        if fence or in_code or not line.strip() or _NOT_PROSE.match(line):
            continue
        if not lines:
            begun = number
        lines.append(_ITEM.sub("", line).strip())
