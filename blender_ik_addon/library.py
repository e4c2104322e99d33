# SPDX-License-Identifier: GPL-3.0-or-later
"""An update in a running Blender replaces the files of `ikmath`, not the `ikmath` in Python's memory.

Without this the new add-on would run on the old library until the next start.
"""

import sys
from importlib import metadata

NAME = "ikmath"


def forget_if_replaced() -> None:
    """Drop the library from memory if another version lies on disk; the next import then reads that one."""
    loaded = sys.modules.get(NAME)
    if loaded is None:
        return
    try:
        on_disk = metadata.version(NAME)
    except metadata.PackageNotFoundError:  # run from the source tree, nothing was installed
        return
    if on_disk != loaded.__version__:
        for name in [name for name in sys.modules if name.partition(".")[0] == NAME]:
            del sys.modules[name]
