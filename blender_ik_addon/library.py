# SPDX-License-Identifier: GPL-3.0-or-later
"""Lets an update take effect without a restart of Blender.

An update in a running Blender replaces the files of `ikmath`, but not the modules in Python's memory. The new
extension would call the old library until Blender is restarted. So, if the versions in memory and on disk
differ, the old modules of `ikmath`, and no others, are removed from `sys.modules`.
"""

import sys
from importlib import metadata

NAME = "ikmath"


def forget_if_replaced() -> None:
    """Remove the library from memory if the version on disk differs; the next import loads that one."""
    loaded = sys.modules.get(NAME)
    if loaded is None:
        return
    try:
        on_disk = metadata.version(NAME)
    except metadata.PackageNotFoundError:  # running from the source tree, not installed
        return
    if on_disk != loaded.__version__:
        for name in [name for name in sys.modules if name.partition(".")[0] == NAME]:
            del sys.modules[name]
