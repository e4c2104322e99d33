# SPDX-License-Identifier: GPL-3.0-or-later
"""Writes the publisher's contact and addresses wherever they are needed. Run it after changing them.

python -m tooling.publisher

They are set in one place: `maintainers` and `urls` in pyproject.toml. The extension's manifest, the library's
README, the manual's site and CITATION.cff get them from there; a test tells when they are out of date.
"""

from __future__ import annotations

import re
import tomllib
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
MANIFEST = "blender_ik_addon/blender_manifest.toml"
WITH_ADDRESSES = ("ikmath/README.md", "CITATION.cff", "mkdocs.yml")
_MAINTAINER = re.compile(r'^maintainer = ".*"$', re.MULTILINE)
_WEBSITE = re.compile(r'^website = "(.*)"$', re.MULTILINE)


def files(root: Path) -> dict[str, str]:
    """The files that name the publisher, as they should be.

    Args:
        root: the repository.

    Returns:
        The text of each, by its path from the root.
    """
    project = _project(root)
    maintainer, website = project["maintainers"][0], project["urls"]["Homepage"]
    manifest = (root / MANIFEST).read_text(encoding="utf-8")
    before = _WEBSITE.findall(manifest)[0]
    texts = {name: (root / name).read_text(encoding="utf-8") for name in WITH_ADDRESSES}
    texts = {name: text.replace(before, website) for name, text in texts.items()}
    contact = f"{maintainer['name']} <{maintainer['email']}>"
    manifest = _MAINTAINER.sub(lambda _: f'maintainer = "{contact}"', manifest)
    texts[MANIFEST] = _WEBSITE.sub(lambda _: f'website = "{website}"', manifest)
    return texts


def is_placeholder(root: Path) -> bool:
    """Whether the contact or an address is still an example (RFC 2606)."""
    project = _project(root)
    given = [project["maintainers"][0]["email"], *project["urls"].values()]
    return any(re.search(r"\.example(/|$)", each) for each in given)


def _project(root: Path) -> dict[str, Any]:
    project: dict[str, Any] = tomllib.loads((root / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    return project


if __name__ == "__main__":
    for name, text in files(ROOT).items():
        (ROOT / name).write_text(text, encoding="utf-8")
