# SPDX-License-Identifier: GPL-3.0-or-later
"""What an obstacle-avoidance method is.

The texts' methods change the step that an incremental method proposes; ours bounds it. Both read the same
critical points (`Proximity`), and both say of themselves which of the two they do.
"""

from __future__ import annotations

from typing import ClassVar


class Avoidance:
    """One way to keep clear of obstacles.

    Attributes:
        name, label, description, source: for registries and menus.
        bounds: whether it bounds steps by inequality rows, so that nothing is ever entered; the others push.
    """

    name: ClassVar[str]
    label: ClassVar[str]
    description: ClassVar[str]
    source: ClassVar[str]
    bounds: ClassVar[bool] = False
