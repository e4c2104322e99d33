# SPDX-License-Identifier: GPL-3.0-or-later
"""What mkdocs calls while it builds the manual: adds the CHANGELOG as a page, and ranks pages in searches."""

from __future__ import annotations

from pathlib import Path
from typing import Any

CHANGELOG = Path(__file__).resolve().parent.parent / "CHANGELOG.md"
SEARCHED = {"changelog": {"exclude": True}, "reference": {"boost": 0.1}, "development": {"boost": 0.1}}
"""Pages that are found last or not at all: most people search for how something is done."""


def on_files(files: Any, config: Any) -> Any:
    """Add `changelog.md`, which lies outside of the manual's directory."""
    from mkdocs.structure.files import File

    files.append(File.generated(config, "changelog.md", content=CHANGELOG.read_text(encoding="utf-8")))
    return files


def on_page_markdown(markdown: str, page: Any, config: Any, files: Any) -> str:
    """Tell the search how much a page counts; the text stays as it is."""
    name = Path(page.file.src_uri).stem
    if name in SEARCHED:
        page.meta["search"] = SEARCHED[name]
    return markdown
