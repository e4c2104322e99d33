# SPDX-License-Identifier: GPL-3.0-or-later
"""Cuts the manual's pictures of the window out of what the tests in a window photograph.

python build.py test --gui
python build.py test --gui -- tests/gui/films.py tests/gui/page_pictures.py    # all with a person
python -m docs.pictures

The pictures of the demo come from `python build.py demo -- --manual docs/pictures`, with `--figure elephant`
those of the elephant.
"""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Final

from PIL import Image

SHOTS: Final = Path(__file__).resolve().parents[1] / "dist" / "gui" / "trixie"
PICTURES: Final = Path(__file__).with_name("pictures")
Box = tuple[int, int, int, int]

VIEW: Final[Box] = (0, 28, 1056, 718)
TASKS: Final = ("pose", "feet", "knees", "props", "mend")
CUTS: Final[dict[str, tuple[str, Box]]] = {
    "pins": ("person_pins", VIEW),
    "solved": ("person_solved", VIEW),
    "limits": ("person_limits", VIEW),
    "seeing": ("person_overlay", VIEW),
    "gizmo": ("person_gizmo", VIEW),
    "obstacle": ("person_at_wall", VIEW),
    "baked": ("person_baked", VIEW),
    "install": ("person_in_object_mode", VIEW),
    "live": ("person_live", VIEW),
    **{f"task-{task}": (f"task_{task}", VIEW) for task in (*TASKS, "characters", "farm", "wrong")},
}
"""Picture of the manual -> the photograph, and which part of it (left, top, right, bottom in pixels)."""


FILMS: Final = ("film-drag", "film-bake", "film-obstacle")


def main() -> None:
    """Write all pictures whose photographs are there, and say which are not."""
    for film in FILMS:
        if (SHOTS / f"{film}.webp").exists():
            shutil.copy(SHOTS / f"{film}.webp", PICTURES)
    for name, (shot, box) in CUTS.items():
        path = SHOTS / f"{shot}.png"
        if not path.exists():
            print(f"{path} is missing; run: python build.py test --gui")
            continue
        Image.open(path).convert("RGB").crop(box).save(PICTURES / f"{name}.webp", quality=80, method=6)


if __name__ == "__main__":
    main()
