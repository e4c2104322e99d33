# SPDX-License-Identifier: GPL-3.0-or-later
"""Linear algebra on one thread while a figure is solved, or what holds it back is looked for.

Most builds of numpy come with OpenBLAS, which hands even a system of six rows to all processors and has each
wait for the others: twice the time on an idle machine, and a hundred times as much where other work keeps the
processors busy, as a render does. What a figure needs is small, so it is quicker on one. How many threads
there are is a setting of the whole process; it is as it was when a solve ends.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from functools import cache, wraps
from pathlib import Path
from typing import Any, ParamSpec, TypeVar

import numpy as np

Given = ParamSpec("Given")
Found = TypeVar("Found")


class OneThread:
    """Within this, OpenBLAS works on the calling thread only; without OpenBLAS nothing happens.

    For a block, `with OneThread():`, or for a whole function, `@OneThread()`.
    """

    def __call__(self, work: Callable[Given, Found]) -> Callable[Given, Found]:
        @wraps(work)
        def alone(*args: Given.args, **kwargs: Given.kwargs) -> Found:
            with OneThread():
                return work(*args, **kwargs)

        return alone

    def __enter__(self) -> None:
        found = _openblas()
        self._count = 1 if found is None else found[0]()
        if found is not None and self._count != 1:
            found[1](1)

    def __exit__(self, *_error: object) -> None:
        found = _openblas()
        if found is not None and self._count != 1:
            found[1](self._count)


@cache
def _openblas() -> tuple[Callable[[], int], Callable[[int], Any]] | None:
    """What tells and what sets the number of threads; None where numpy works with something else."""
    package = Path(np.__file__).parent
    # by what is linked with it, wherever that is; Windows asks for the library itself
    for pattern in ("numpy/linalg/_umath_linalg*.*", "numpy.libs/*openblas*"):
        for path in sorted(package.parent.glob(pattern)):
            try:
                library = ctypes.CDLL(str(path))
            except OSError:  # a file of another kind
                continue
            for name in ("openblas_{}_num_threads", "scipy_openblas_{}_num_threads"):
                for suffix in ("64_", ""):
                    try:
                        tell = getattr(library, name.format("get") + suffix)
                        keep = getattr(library, name.format("set") + suffix)
                    except AttributeError:  # other builds have other names
                        continue
                    tell.argtypes, tell.restype = [], ctypes.c_int
                    keep.argtypes, keep.restype = [ctypes.c_int], None
                    return tell, keep
    return None
