# SPDX-License-Identifier: GPL-3.0-or-later
"""Which of the arguments for pytest are paths of tests, and which belong to its options.

What an option's value is, only pytest can tell: `-x tests/ikmath` runs that,
`--deselect tests/ikmath` does not.
"""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

from .environment import ROOT, Environment, clean_environment
from .problem import Problem

# Prints the places of the paths among the arguments; a path keeps being the same object through the parser.
_ASK_PYTEST = """
import json, sys
from _pytest.config import get_config
given = sys.argv[1:]
config = get_config(given)
config.pluginmanager.load_setuptools_entrypoints("pytest11")  # they have options, too
paths = {id(path) for path in config._parser.parse_known_args(given).file_or_dir}
print(json.dumps([number for number, each in enumerate(given) if id(each) in paths]))
"""


def split(environment: Environment, arguments: list[str]) -> tuple[list[str], list[str]]:
    """Take the paths of tests (perhaps with ::name) out of what pytest is given.

    Args:
        environment: one with pytest.
        arguments: what stood after `--`.

    Returns:
        The paths that are there, and all other arguments in their order.

    Raises:
        Problem: pytest does not understand the arguments; the text has what it said.
    """
    if not arguments:
        return [], []
    asked = subprocess.run(
        environment.command("-P", "-c", _ASK_PYTEST, *arguments),
        capture_output=True,
        text=True,
        cwd=ROOT,
        env=clean_environment(),
    )
    if asked.returncode != 0:
        said = asked.stderr.strip().splitlines()[-1].rpartition("error: ")[2]
        raise Problem(f"pytest does not understand the arguments after --: {said}")
    taken = {number for number in json.loads(asked.stdout) if _exists(arguments[number])}
    paths = [each for number, each in enumerate(arguments) if number in taken]
    return paths, [each for number, each in enumerate(arguments) if number not in taken]


def _exists(path: str) -> bool:
    return Path(ROOT, path.split("::")[0]).exists()
