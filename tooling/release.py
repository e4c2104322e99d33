# SPDX-License-Identifier: GPL-3.0-or-later
"""Makes the files of a release in dist/release, from the commit that is checked out."""

from __future__ import annotations

import hashlib
import io
import shutil
import subprocess
import tarfile
import tempfile
import zipfile
from pathlib import Path

from . import changelog, package, publisher, python_packages
from .environment import ROOT, Environment
from .problem import Problem

OUT = package.DIST / "release"
NOTES = "RELEASE_NOTES.md"
CHECKSUMS = "SHA256SUMS"


def release(environment: Environment, *, checked: bool) -> int:
    """Run all checks and tests, then make the files.

    Args:
        environment: one with Blender and flit_core.
        checked: `.ci/run` has passed on this commit already, and is not run again.

    Returns:
        The exit code: 1 if a check or a test failed.

    Raises:
        Problem: the working tree has changes, the version is released already or not described.
    """
    version = library_version(ROOT)
    refuse_unfit(ROOT, version)
    notes = changelog.notes((ROOT / "CHANGELOG.md").read_text(encoding="utf-8"), version)
    if not checked and subprocess.run(["bash", ".ci/run"], cwd=ROOT).returncode != 0:
        print("Nothing was made: a check or a test failed.")
        return 1
    refuse_unfit(ROOT, version)  # nothing may have changed in the meantime
    shutil.rmtree(OUT, ignore_errors=True)
    OUT.mkdir(parents=True)
    built = package.build_zip(environment.python)
    shutil.copy(built, OUT)
    moment = int(_git(ROOT, "log", "-1", "--format=%ct"))
    with tempfile.TemporaryDirectory(dir=ROOT / "build", prefix="release-") as name:
        source = Path(name)
        export(ROOT, source)
        python_packages.build(environment.python, source, OUT, moment)
        pack_manual(source / "docs", OUT / f"articulate-{version}-manual.zip")
    (OUT / NOTES).write_text(notes, encoding="utf-8")
    write_checksums(OUT)
    print(f"Files of {version}, in {OUT.relative_to(ROOT)}:")
    for path in sorted(OUT.iterdir()):
        print(f"  {path.name}")
    if publisher.is_placeholder(ROOT):
        print("Not to be published like this: pyproject.toml has no real contact and addresses yet.")
    else:
        print(f"Next: git tag v{version}")
    return 0


def library_version(root: Path) -> str:
    """The version in ikmath/__init__.py, which is the extension's too (a test compares them).

    Raises:
        Problem: it has none.
    """
    found = package.VERSION_LINE.search((root / "ikmath" / "__init__.py").read_text(encoding="utf-8"))
    if found is None:
        raise Problem('ikmath/__init__.py must have a line `__version__ = "..."`.')
    return found[1]


def refuse_unfit(root: Path, version: str) -> None:
    """See that what is built is what is committed, and that the version is new.

    Raises:
        Problem: it is not.
    """
    changed = _git(root, "status", "--porcelain").splitlines()
    if changed:
        raise Problem("The working tree has changes; commit them first:\n" + "\n".join(changed[:8]))
    if _git(root, "tag", "--list", f"v{version}"):
        raise Problem(f"Version {version} is released: there is a tag v{version}. Raise the version first.")


def export(root: Path, target: Path) -> None:
    """Write the committed files into a directory."""
    done = subprocess.run(["git", "archive", "HEAD"], cwd=root, capture_output=True, check=True)
    with tarfile.open(fileobj=io.BytesIO(done.stdout)) as archive:
        archive.extractall(target, filter="data")


def pack_manual(docs: Path, target: Path) -> None:
    """Zip the manual's pages and pictures; the programs that make some of them stay out."""
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as archive:
        for path in sorted(docs.rglob("*")):
            if path.is_file() and path.suffix != ".py":
                archive.write(path, Path("manual") / path.relative_to(docs))


def write_checksums(directory: Path) -> None:
    """Write SHA256SUMS for all files of a directory, as `sha256sum --check` reads it."""
    lines = [
        f"{hashlib.sha256(path.read_bytes()).hexdigest()}  {path.name}\n"
        for path in sorted(directory.iterdir())
        if path.name != CHECKSUMS
    ]
    (directory / CHECKSUMS).write_text("".join(lines), encoding="utf-8")


def _git(root: Path, *arguments: str) -> str:
    """What git prints.

    Raises:
        Problem: it failed, for instance because this is no repository.
    """
    done = subprocess.run(["git", *arguments], cwd=root, capture_output=True, text=True)
    if done.returncode != 0:
        raise Problem(f"git {arguments[0]} failed: {done.stderr.strip()}")
    return done.stdout.strip()
