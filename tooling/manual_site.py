# SPDX-License-Identifier: GPL-3.0-or-later
"""What mkdocs calls while it builds the manual: adds the CHANGELOG as a page."""

from __future__ import annotations

from pathlib import Path
from typing import Any

CHANGELOG = Path(__file__).resolve().parent.parent / "CHANGELOG.md"


def on_files(files: Any, config: Any) -> Any:
    """Add `changelog.md`, which lies outside of the manual's directory."""
    from mkdocs.structure.files import File

    files.append(File.generated(config, "changelog.md", content=CHANGELOG.read_text(encoding="utf-8")))
    return files
