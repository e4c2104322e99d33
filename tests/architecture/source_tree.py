# SPDX-License-Identifier: GPL-3.0-or-later
"""The source as data: its files, and who imports whom, read by `ast` so that nothing has to run."""

from __future__ import annotations

import ast
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
LIBRARY = "ikmath"
ADDON = "blender_ik_addon"
MADE = {".git", ".venv", "build", "dist", "__pycache__"}
"""Directories that hold what was made from the source, and are no part of it."""


@dataclass(frozen=True)
class Import:
    """One import: the module `importer` has `imported` (both dotted, absolute), and how it is written."""

    importer: str
    imported: str
    line: int
    relative: bool

    def __str__(self) -> str:
        return f"{self.importer} line {self.line} imports {self.imported}"


@cache
def files() -> tuple[Path, ...]:
    """All files of the project: those that git knows or would add, else (no git) those that lie there."""
    command = ["git", "ls-files", "--cached", "--others", "--exclude-standard", "-z"]
    try:
        listed = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout
        found = [ROOT / name for name in listed.split("\0") if name]
    except (OSError, subprocess.CalledProcessError):
        found = [path for path in ROOT.rglob("*") if not MADE & set(path.relative_to(ROOT).parts)]
    return tuple(sorted(path for path in found if path.is_file()))


def python_files(*tops: str) -> list[Path]:
    """The Python files below the named directories (or the named files)."""
    chosen = [ROOT / top for top in tops]
    return [f for f in files() if f.suffix == ".py" and any(f == top or top in f.parents for top in chosen)]


def parse(path: Path) -> ast.Module:
    """The syntax tree of a file."""
    return ast.parse(path.read_text(encoding="utf-8"), filename=str(path))


def module_name(path: Path) -> str:
    """`ikmath/goals/aim.py` -> "ikmath.goals.aim"; a package is named after its directory."""
    parts = path.relative_to(ROOT).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


@cache
def imports(package: str) -> tuple[Import, ...]:
    """All imports in a package, also inside functions and `if TYPE_CHECKING:`.

    The package itself may import for the type checker what it offers lazily.
    """
    modules = {module_name(path) for path in python_files(package)}
    return tuple(one for path in python_files(package) for one in _imports_of(path, modules))


def unit(module: str) -> str:
    """The part of a package that a module is in: "ikmath.goals.aim" -> "goals"; of the package itself ""."""
    return module.split(".")[1] if "." in module else ""


def _imports_of(path: Path, modules: set[str]) -> Iterator[Import]:
    importer = module_name(path)
    package = importer if path.name == "__init__.py" else importer.rpartition(".")[0]
    module = parse(path)
    for node in ast.walk(_without_lazy_names(module) if importer == LIBRARY else module):
        if isinstance(node, ast.Import):
            for alias in node.names:
                yield Import(importer, alias.name, node.lineno, relative=False)
        elif isinstance(node, ast.ImportFrom):
            base = (
                ".".join(package.split(".")[: len(package.split(".")) - node.level + 1]) if node.level else ""
            )
            source = ".".join(part for part in (base, node.module) if part)
            for alias in node.names:
                # `from . import svd` imports the module svd; `from .svd import lapack` something in it.
                inner = f"{source}.{alias.name}"
                imported = inner if inner in modules or node.module is None else source
                yield Import(importer, imported, node.lineno, relative=node.level > 0)


def _without_lazy_names(module: ast.Module) -> ast.Module:
    """A module without the bodies of its `if TYPE_CHECKING:`."""
    body = [
        node
        for node in module.body
        if not (isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test))
    ]
    return ast.Module(body, module.type_ignores)


def cycle(package: str) -> list[str]:
    """A ring of modules of a package that import each other; empty if there is none."""
    graph: dict[str, set[str]] = {}
    for one in imports(package):
        if one.imported.split(".")[0] == package and one.imported != one.importer:
            graph.setdefault(one.importer, set()).add(one.imported)
    done: set[str] = set()

    def visit(module: str, trail: list[str]) -> list[str]:
        if module in trail:
            return [*trail[trail.index(module) :], module]
        if module in done:
            return []
        for other in sorted(graph.get(module, ())):
            ring = visit(other, [*trail, module])
            if ring:
                return ring
        done.add(module)
        return []

    return next((ring for ring in (visit(module, []) for module in sorted(graph)) if ring), [])
