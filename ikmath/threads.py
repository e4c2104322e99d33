# SPDX-License-Identifier: GPL-3.0-or-later
"""Linear algebra on one thread while a figure is solved, or what holds it back is looked for.

Most builds of numpy come with OpenBLAS, which hands even a system of six rows to all processors and has each
wait for the others: twice the time on an idle machine, and a hundred times as much where other work keeps the
processors busy, as a render does. What a figure needs is small, so it is quicker on one. How many threads
there are is a setting of the whole process; it is as it was when the last of the solves ends that run at the
same time, as a render's and the viewport's may. On another number of threads results round otherwise.
"""

import ctypes
from collections.abc import Callable
from contextlib import ContextDecorator
from dataclasses import dataclass, field
from pathlib import Path
from threading import Lock
from typing import Any, Final

import numpy as np


class OneThread(ContextDecorator):
    """Within this, OpenBLAS works on the calling thread only; without OpenBLAS nothing happens.

    For a block, `with OneThread():`, or for a whole function, `@OneThread()`.
    """

    def __enter__(self) -> None:
        if _OPENBLAS is not None:
            with _OPENBLAS.lock:
                if not _OPENBLAS.working:
                    _OPENBLAS.count = _OPENBLAS.read()
                    if _OPENBLAS.count != 1:
                        _OPENBLAS.set(1)
                _OPENBLAS.working += 1

    def __exit__(self, *_error: object) -> None:
        if _OPENBLAS is not None:
            with _OPENBLAS.lock:
                _OPENBLAS.working -= 1
                if not _OPENBLAS.working and _OPENBLAS.count != 1:
                    _OPENBLAS.set(_OPENBLAS.count)


@dataclass
class _OpenBlas:
    """The setting that the whole process shares."""

    read: Callable[[], int]
    set: Callable[[int], Any]
    lock: Lock = field(default_factory=Lock)  # of the numbers below
    working: int = 0  # solves at work
    count: int = 1  # threads that the first of them found, and the last one leaves


def _openblas() -> _OpenBlas | None:
    """The one that numpy works with; None where it works with something else."""
    package = Path(np.__file__).parent
    names = [f"{front}openblas_{{}}_num_threads{end}" for front in ("", "scipy_") for end in ("64_", "")]
    # the module that links it; on Windows the library itself
    for pattern in ("numpy/linalg/_umath_linalg*.*", "numpy.libs/*openblas*"):
        for path in sorted(package.parent.glob(pattern)):
            try:
                library = ctypes.CDLL(str(path))
            except OSError:  # a file of another kind
                continue
            for name in names:
                try:
                    tell, keep = (getattr(library, name.format(what)) for what in ("get", "set"))
                except AttributeError:  # other builds have other names
                    continue
                tell.argtypes, tell.restype = [], ctypes.c_int
                keep.argtypes, keep.restype = [ctypes.c_int], None
                return _OpenBlas(tell, keep)
    return None


_OPENBLAS: Final = _openblas()  # one for all threads of the process
