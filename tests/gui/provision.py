# SPDX-License-Identifier: GPL-3.0-or-later
"""A real Blender with a window, on a machine that has neither: Debian's own, in a directory of its own.

The bpy wheels have no window, so what an animator does with the mouse cannot be tested there. Debian trixie
has Blender 4.3.2, sid has the newest that Debian has; debootstrap puts them, with a virtual screen and mouse,
below `.venv/gui-trixie` and `.venv/gui-sid`. The machine itself is not changed. Needs root (for debootstrap
and chroot) and apt's own configuration, from which the mirror is taken. Run again, it does nothing.
"""

from __future__ import annotations

import contextlib
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

if __name__ == "__main__":  # run as a script: the repository's root is not on the path then
    sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from tooling.environment import ROOT
from tooling.problem import Problem

PACKAGES = (
    "blender",
    "libgl1-mesa-dri",
    "python3-numpy",
    "xdotool",
    "xvfb",
)
SUITES = {"trixie": PACKAGES, "sid": (*PACKAGES, "mesa-vulkan-drivers", "python3-venv")}
"""Debian's suites and what is installed of them; the first one is stable and must be there."""
CHANGING = "sid"


class NotInstallable(Problem):
    """A suite that changes every day has no Blender that can be installed today."""


def provision(suite: str) -> Path:
    """Make the directory with Debian and Blender in it, unless it is there.

    Args:
        suite: a key of `SUITES`.

    Returns:
        The directory, to chroot into.

    Raises:
        NotInstallable: only where the suite changes every day.
        Problem: not root, no debootstrap, no Debian mirror, or no network.
    """
    root = ROOT / ".venv" / f"gui-{suite}"
    if _is_ready(root, suite):
        return root
    if os.geteuid() != 0:
        raise Problem("A window for the tests is made with debootstrap and chroot, which need root.")
    for tool, package in (("debootstrap", "debootstrap"), ("unshare", "util-linux")):
        if shutil.which(tool) is None:
            raise Problem(f"{tool} is missing: apt-get install --no-install-recommends {package}")
    archive = mirror()
    try:
        with _alone(root):
            if not _is_ready(root, suite):
                _install(root, suite, archive)
                (root / "installed").write_text(_content(suite), encoding="utf-8")
    except Problem as problem:
        if suite == CHANGING:
            raise NotInstallable(str(problem)) from problem
        raise
    return root


def _is_ready(root: Path, suite: str) -> bool:
    stamp = root / "installed"
    return stamp.is_file() and stamp.read_text(encoding="utf-8") == _content(suite)


def _content(suite: str) -> str:
    return " ".join((suite, *SUITES[suite]))


@contextlib.contextmanager
def _alone(root: Path) -> Iterator[None]:
    """Wait while another process makes the same directory: steps of a run that go on side by side need it."""
    import fcntl  # not on Windows, where this module is imported too

    root.parent.mkdir(parents=True, exist_ok=True)
    with root.with_name(f"{root.name}.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def _install(root: Path, suite: str, archive: str) -> None:
    """Make the Debian, and install the packages in it."""
    if not (root / "bootstrapped").is_file():
        _bootstrap(root, suite, archive)
    print(f"Installing Blender with a window from Debian {suite} (once) ...", flush=True)
    _inside(root, "apt-get", "update", "-q")
    _inside(root, "apt-get", "install", "-y", "-q", "--no-install-recommends", *SUITES[suite])
    _inside(root, "apt-get", "clean")


def mirror(apt: Path = Path("/etc/apt")) -> str:
    """The address of the Debian archive that this machine's apt uses.

    Raises:
        Problem: apt's sources name none.
    """
    for address, suite in _sources(apt):
        if re.fullmatch(r"\S+/debian/?", address) and "security" not in suite:
            return address
    raise Problem(
        "apt's sources on this machine name no Debian archive, from which a Blender with a window could come."
    )


def _sources(apt: Path) -> list[tuple[str, str]]:
    """All (address, suite) of apt's sources, in both of its formats."""
    found = []
    for path in sorted([*apt.glob("sources.list"), *apt.glob("sources.list.d/*.list")]):
        pattern = r"^deb\s+(?:\[[^]]*\]\s+)?(\S+)\s+(\S+)"
        found += re.findall(pattern, path.read_text(encoding="utf-8"), re.MULTILINE)
    for path in sorted(apt.glob("sources.list.d/*.sources")):
        for stanza in path.read_text(encoding="utf-8").split("\n\n"):
            fields = dict(re.findall(r"^([A-Za-z-]+):[ \t]*(.*)$", stanza, re.MULTILINE))
            if "deb" in fields.get("Types", "").split():
                suites = fields.get("Suites", "").split()
                found += [(address, suite) for address in fields.get("URIs", "").split() for suite in suites]
    return found


def _bootstrap(root: Path, suite: str, archive: str) -> None:
    """The bare Debian, made beside and then moved to its place: half of one is never taken for a whole."""
    print(f"Making a small Debian in {root.relative_to(ROOT)} (once) ...", flush=True)
    partial = root.with_name(root.name + ".partial")
    for old in (partial, root):
        shutil.rmtree(old, ignore_errors=True)
    partial.parent.mkdir(parents=True, exist_ok=True)
    command = ["debootstrap", "--variant=minbase", "--include=ca-certificates", suite, str(partial), archive]
    _checked(command, "make a Debian to put Blender in")
    # How this machine's apt reaches its mirror (a proxy, certificates, names) is how the one inside has to.
    for settings in sorted(Path("/etc/apt/apt.conf.d").glob("*")):
        shutil.copy(settings, partial / "etc/apt/apt.conf.d")
    for name in ("/etc/resolv.conf", "/etc/ssl/certs/ca-certificates.crt"):
        if Path(name).is_file():
            shutil.copy(name, partial / name.lstrip("/"))
    (partial / "bootstrapped").touch()
    partial.rename(root)


def python_of_sid(version: tuple[int, int]) -> tuple[str, ...]:
    """What runs a command in sid, in this repository and under its own path, for sid's Python.

    Args:
        version: what sid's Python is to be.

    Raises:
        NotInstallable: sid cannot be installed today, or has another Python.
        Problem: see `provision`.
    """
    root = provision("sid")
    (root / ROOT.relative_to("/")).mkdir(parents=True, exist_ok=True)
    prefix = (*_in_namespace(f'mount --bind "{ROOT}" "$0{ROOT}" &&', root), "env", f"--chdir={ROOT}")
    asked = [*prefix, "python3", "-c", "import sys; print(*sys.version_info[:2])"]
    found = tuple(map(int, subprocess.run(asked, capture_output=True, text=True).stdout.split()))
    if found != version:
        raise NotInstallable(f"Debian sid has Python {'.'.join(map(str, found))}.")
    return prefix


def inside_command(root: Path, *command: str) -> list[str]:
    """The command line that runs a command inside, with /proc and /dev that vanish when it ends."""
    return [*_in_namespace("", root), *command]


def _in_namespace(mounts: str, root: Path) -> list[str]:
    """The beginning of a command line that runs inside.

    The mounts belong to that process alone: removing the directory can never reach the machine's own /dev.
    """
    mounts += ' mount --bind /proc "$0/proc" && mount --rbind /dev "$0/dev" && exec chroot "$0" "$@"'
    return ["unshare", "--mount", "--propagation", "private", "sh", "-c", mounts, str(root)]


def environment(**variables: str) -> dict[str, str]:
    """The environment for commands inside: the machine's proxy settings and nothing else of it."""
    kept = {name: value for name, value in os.environ.items() if name.lower().endswith("_proxy")}
    plain = {"PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "LANG": "C.UTF-8", "HOME": "/root"}
    return {**kept, **plain, "DEBIAN_FRONTEND": "noninteractive", **variables}


def _inside(root: Path, *command: str) -> None:
    _checked(inside_command(root, *command), f"run {command[0]} inside {root.name}")


def _checked(command: list[str], purpose: str) -> None:
    """Run a command; say what it said if it fails."""
    done = subprocess.run(command, env=environment(), capture_output=True, text=True)
    if done.returncode != 0:
        said = "\n".join((done.stdout + done.stderr).strip().splitlines()[-8:])
        raise Problem(f"Could not {purpose}:\n{said}")


if __name__ == "__main__":
    try:
        for each in sys.argv[1:] or SUITES:
            try:
                print(provision(each))
            except NotInstallable as reason:
                print(f"Nothing from Debian {each}: {reason}")
    except Problem as problem:
        sys.exit(str(problem))
