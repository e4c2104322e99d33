# SPDX-License-Identifier: GPL-3.0-or-later
"""What `python build.py release` promises, and the form of what it takes its words from."""

from __future__ import annotations

import hashlib
import re
import shutil
import subprocess
import tomllib
import zipfile

import pytest

from tests.architecture.source_tree import ROOT
from tooling import changelog, package, publisher, release
from tooling.environment import Environment
from tooling.problem import Problem

CHANGELOG = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
KINDS = {"Added", "Changed", "Deprecated", "Removed", "Fixed", "Security"}
LONGEST = 25


def test_the_changelog_keeps_the_form():
    found = changelog.sections(CHANGELOG)
    assert CHANGELOG.startswith("# Changelog\n")
    assert CHANGELOG.count("\n## ") == len(found)
    days = [section.day for section in found if section.day]
    assert days == sorted(days, reverse=True)
    assert all(section.version == changelog.UNRELEASED or section.day for section in found)
    for section in found:
        kinds = re.findall(r"^### (.*)$", section.body, re.MULTILINE)
        assert set(kinds) <= KINDS and len(set(kinds)) == len(kinds), section.version


def test_a_change_is_one_short_line():
    lines = [line[2:] for line in CHANGELOG.splitlines() if line.startswith("- ")]
    assert len(lines) > 40
    assert not [line for line in lines if len(line.split()) > LONGEST]
    body = CHANGELOG[CHANGELOG.index("\n## ") :]
    others = [line for line in body.splitlines() if line and not re.match(r"- \S|#+ |[^-\s].*:$", line)]
    assert not others, "a change goes on in a second line"


ONE = """# Changelog

## [Unreleased]

## [0.2.0] - 2026-12-01

### Added

- A thing.

## [0.1.0] - 2026-11-23

- Old.
"""


def test_the_notes_are_the_section_of_the_version():
    assert changelog.notes(ONE, "0.2.0") == "# 0.2.0, 2026-12-01\n\n### Added\n\n- A thing.\n"


@pytest.mark.parametrize(
    ("text", "version", "words"),
    [
        (ONE, "0.3.0", "no section for 0.3.0"),
        (ONE.replace("- A thing.\n", "").replace("### Added\n", ""), "0.2.0", "no section for 0.2.0"),
        (ONE.replace("[Unreleased]\n", "[Unreleased]\n\n- More.\n"), "0.2.0", "unreleased changes"),
        (ONE.replace(" - 2026-12-01", ""), "0.2.0", "needs a date"),
        (ONE.replace("2026-12-01", "soon"), "0.2.0", "needs a date"),
    ],
)
def test_what_is_not_described_is_not_released(text, version, words):
    with pytest.raises(Problem, match=words):
        changelog.notes(text, version)


def git(root, *arguments):
    who = ("-c", "user.name=n", "-c", "user.email=e@mail.example")
    subprocess.run(["git", *who, *arguments], cwd=root, check=True, capture_output=True)


@pytest.fixture
def repository(tmp_path):
    (tmp_path / "ikmath").mkdir()
    (tmp_path / "ikmath" / "__init__.py").write_text('__version__ = "0.2.0"\n')
    git(tmp_path, "init")
    git(tmp_path, "add", ".")
    git(tmp_path, "commit", "-m", "First")
    return tmp_path


def test_a_clean_tree_and_a_new_version_are_fit(repository):
    assert release.library_version(repository) == "0.2.0"
    release.refuse_unfit(repository, "0.2.0")


def test_a_dirty_tree_is_refused(repository):
    (repository / "new.py").write_text("")
    with pytest.raises(Problem, match=r"has changes; commit them first:\n.*new\.py"):
        release.refuse_unfit(repository, "0.2.0")


def test_a_version_that_exists_is_refused(repository):
    git(repository, "tag", "v0.2.0")
    with pytest.raises(Problem, match=r"0\.2\.0 is released"):
        release.refuse_unfit(repository, "0.2.0")
    release.refuse_unfit(repository, "0.2.1")


def test_nothing_is_made_where_a_check_fails(repository, monkeypatch):
    (repository / ".ci").mkdir()
    (repository / ".ci" / "run").write_text("exit 1\n")
    (repository / "CHANGELOG.md").write_text(ONE)
    git(repository, "add", ".")
    git(repository, "commit", "-m", "Second")
    monkeypatch.setattr(release, "ROOT", repository)
    monkeypatch.setattr(release, "OUT", repository / "out")
    assert release.release(Environment(repository), checked=False) == 1
    assert not (repository / "out").exists()


def test_a_release_is_made_of_what_is_committed(repository, tmp_path_factory):
    (repository / "ikmath" / "__init__.py").write_text("")
    target = tmp_path_factory.mktemp("export")
    release.export(repository, target)
    assert release.library_version(target) == "0.2.0"


def test_checksums(tmp_path):
    (tmp_path / "a").write_bytes(b"content")
    release.write_checksums(tmp_path)
    release.write_checksums(tmp_path)  # not of itself
    assert (tmp_path / release.CHECKSUMS).read_text() == f"{hashlib.sha256(b'content').hexdigest()}  a\n"


def test_the_manual_has_all_pages_and_no_programs(tmp_path):
    target = tmp_path / "manual.zip"
    release.pack_manual(ROOT / "docs", target)
    names = set(zipfile.ZipFile(target).namelist())
    assert {f"manual/{page.name}" for page in (ROOT / "docs").glob("*.md")} <= names
    assert not [name for name in names if name.endswith(".py")]


def test_the_publisher_is_named_in_one_place():
    for name, text in publisher.files(ROOT).items():
        assert (ROOT / name).read_text(encoding="utf-8") == text, "run: python -m tooling.publisher"


def test_another_publisher_is_written_everywhere(tmp_path):
    for name in (*publisher.WITH_ADDRESSES, publisher.MANIFEST, "pyproject.toml"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        shutil.copy(ROOT / name, tmp_path / name)
    assert publisher.is_placeholder(tmp_path)
    project = tmp_path / "pyproject.toml"
    text = project.read_text().replace("articulate.example", "figures.test")
    project.write_text(text.replace("The Articulate contributors", 'Ann "A" O\'Neil'.replace('"', "")))
    texts = publisher.files(tmp_path)
    assert "site_url: https://figures.test/" in texts["mkdocs.yml"]
    assert not publisher.is_placeholder(tmp_path)
    assert not [name for name, each in texts.items() if "articulate.example" in each]
    manifest = tomllib.loads(texts[publisher.MANIFEST])
    assert manifest["website"] == "https://figures.test"
    assert manifest["maintainer"] == "Ann A O'Neil <contact@figures.test>"


def test_the_manifest_passes_the_platforms_list():
    """Of what the platform's moderators look at in the manifest; Blender's builder checks its form."""
    manifest = tomllib.loads((package.ADDON / "blender_manifest.toml").read_text(encoding="utf-8"))
    assert re.fullmatch(r".+ <[^@\s]+@[^@\s]+>", manifest["maintainer"])
    assert manifest["website"].startswith("https://")
    assert set(manifest["tags"]) <= {"Animation", "Rigging"}
    assert len(manifest["tagline"]) <= 64 and manifest["tagline"][-1].isalnum()
    assert "blender" not in manifest["name"].lower()
    assert list(manifest["permissions"]) == ["files"]
    assert all(len(why) <= 64 and why[-1].isalnum() for why in manifest["permissions"].values())


def test_the_extension_uses_no_network_and_no_path_of_its_own_to_write():
    network = re.compile(r"\b(socket|urllib|http\.client|requests|ftplib|subprocess|ctypes)\b")
    text = {path: path.read_text(encoding="utf-8") for path in package.ADDON.rglob("*.py")}
    assert not [path for path, each in text.items() if network.search(each)]
    assert not [path for path, each in text.items() if "sys.path" in each]
    binaries = {".so", ".pyd", ".dll", ".dylib", ".exe", ".pyc"}
    assert not [path for path in package.ADDON.rglob("*") if path.suffix in binaries - {".pyc"}]


def test_the_citation_has_the_version():
    text = (ROOT / "CITATION.cff").read_text(encoding="utf-8")
    assert f"\nversion: {release.library_version(ROOT)}\n" in text
    assert text.count("  - type: ") == 5
