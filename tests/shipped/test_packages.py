# SPDX-License-Identifier: GPL-3.0-or-later
"""ikmath's wheel and sdist in empty environments, on every Python and numpy that they are for."""

from __future__ import annotations

import re
import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path

import pytest

from tests.shipped import empty_environment
from tooling import python_packages
from tooling.environment import ROOT

# There is no numpy 1.26 for Python 3.13.
COMBINATIONS = [("3.11", "1.26"), ("3.11", "2"), ("3.12", "1.26"), ("3.12", "2"), ("3.13", "2")]
EXAMPLES = ("reach.py", "track.py")

TRY = """
import importlib.resources, pickle, sys
import numpy as np, ikmath as ik
assert np.__version__.startswith(sys.argv[1] + "."), np.__version__
assert "site-packages" in ik.__file__, ik.__file__
assert importlib.resources.files("ikmath").joinpath("py.typed").is_file()
figure = ik.figures.human()
goals = [ik.Position(["wrist.L", "ankle.R"], [(0.4, -0.4, 1.2), (-0.1, 0.0, 0.1)])]
problem = pickle.loads(pickle.dumps(ik.Problem(figure, goals)))
for method in ("hierarchical", "damped", "pseudoinverse"):
    found = ik.solve(problem, method=method)
    assert found.status is ik.Status.REACHED, (method, found.message)
print("tried", ik.__version__)
"""


@pytest.fixture(scope="module")
def packages(tmp_path_factory) -> dict[str, Path]:
    """The wheel and the sdist of the working tree."""
    made = python_packages.build(Path(sys.executable), ROOT, tmp_path_factory.mktemp("packages"))
    return {"wheel": made.wheel, "sdist": made.sdist}


def test_the_sdist_has_the_library_and_nothing_else(packages):
    with tarfile.open(packages["sdist"]) as archive:
        names = {name.partition("/")[2] for name in archive.getnames()}
    assert {"pyproject.toml", "LICENSE", "PKG-INFO", "ikmath/py.typed", "ikmath/README.md"} <= names
    assert not [name for name in names if "/" in name and not name.startswith("ikmath/")]


def test_the_same_source_gives_the_same_bytes(tmp_path):
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
        python_packages.build(Path(sys.executable), ROOT, tmp_path / name, moment=1_700_000_000)
    for path in (tmp_path / "one").iterdir():
        assert path.read_bytes() == (tmp_path / "two" / path.name).read_bytes()


def test_the_index_gets_the_librarys_own_readme_and_absolute_links(packages):
    with zipfile.ZipFile(packages["wheel"]) as archive:
        (name,) = [name for name in archive.namelist() if name.endswith(".dist-info/METADATA")]
        text = archive.read(name).decode()
    assert "# ikmath\n" in text and "Requires-Dist: numpy" in text
    assert "Description-Content-Type: text/markdown" in text
    links = re.findall(r"\]\(([^)]*)\)", text)
    assert links and all(link.startswith("https://") for link in links)


@pytest.mark.parametrize(("python", "numpy"), COMBINATIONS)
def test_installed_in_an_empty_environment(packages, tmp_path, python, numpy):
    environment = empty_environment.make(tmp_path / "env", python)
    for package in packages.values():
        environment.pip("install", package, f"numpy=={numpy}.*")
        done = environment.run("-c", TRY, numpy)
        assert done.returncode == 0, done.stderr
        for example in EXAMPLES:
            done = environment.run(ROOT / "examples" / example)
            assert done.returncode == 0, done.stderr
        environment.pip("uninstall", "--yes", "ikmath")


def test_python_m_build_works_beside_build_py(tmp_path):
    """In the repository, `-m build` finds build.py, which hands over to the package of that name."""
    environment = empty_environment.make(tmp_path / "env", f"3.{sys.version_info[1]}")
    environment.pip("install", "build", "flit_core>=3.11,<5")
    command = [environment.python, "-m", "build", "--no-isolation", "--outdir", tmp_path / "out"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    assert sorted(path.suffix for path in (tmp_path / "out").iterdir()) == [".gz", ".whl"]


def test_python_m_build_without_that_package_is_a_sentence(tmp_path):
    environment = empty_environment.make(tmp_path / "env", f"3.{sys.version_info[1]}")
    done = subprocess.run([environment.python, "-m", "build"], cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 1 and "pip install build" in done.stderr
