# SPDX-License-Identifier: GPL-3.0-or-later
"""A virtual screen with mouse and keyboard, below the directory that `provision` makes."""

from __future__ import annotations

import mmap
import shlex
import struct
import subprocess
from pathlib import Path

from PIL import Image

from tests.gui.provision import environment, inside_command
from tooling.problem import Problem

_HEADER = struct.Struct(">25I")  # of the X window dump in which the virtual screen keeps its pixels
_COLOUR_BYTES = 12


class Screen:
    """Xvfb, and a shell beside it through which xdotool moves the mouse and types.

    Attributes:
        display: its name, for DISPLAY.
    """

    def __init__(self, root: Path, directory: Path, size: tuple[int, int]) -> None:
        """Start both.

        Args:
            root: of the Debian that they run in.
            directory: in it, for the pixels.
            size: of the screen.

        Raises:
            Problem: the screen did not start.
        """
        where = f"/{directory.relative_to(root)}"
        screen = ("-screen", "0", f"{size[0]}x{size[1]}x24", "-fbdir", where)
        self._server = subprocess.Popen(
            inside_command(root, "Xvfb", "-displayfd", "1", *screen, "+extension", "GLX", "-nolisten", "tcp"),
            env=environment(),
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
        )
        number = self._server.stdout.readline().decode().strip() if self._server.stdout else ""
        if not number:
            raise Problem("The virtual screen (Xvfb) did not start.")
        self.display = f":{number}"
        self._pixels = directory / "Xvfb_screen0"
        self._shell = subprocess.Popen(
            inside_command(root, "sh"),
            env=environment(DISPLAY=self.display),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            bufsize=1,
        )

    def close(self) -> None:
        """End both."""
        end(self._shell)
        end(self._server)

    def xdotool(self, *arguments: str) -> None:
        """Move, press or type; when this returns, the screen has told those who draw on it.

        Raises:
            AssertionError: xdotool did not like it.
        """
        command = shlex.join(("xdotool", *arguments))
        self._shell.stdin.write(f"{command} >/dev/null; echo $?\n")
        code = self._shell.stdout.readline().strip()
        assert code == "0", f"{command} ended with {code or 'the shell'}"

    def picture(self) -> Image.Image:
        """What is on the screen now."""
        self.xdotool("getmouselocation")  # the screen answers when it has done what came before
        with self._pixels.open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as pixels:
            header = _HEADER.unpack_from(pixels)
            offset, width, height, row, colours = (header[number] for number in (0, 4, 5, 12, 19))
            start = offset + _COLOUR_BYTES * colours
            data = pixels[start : start + row * height]
        return Image.frombytes("RGB", (width, height), data, "raw", "BGRX", row)


def end(process: subprocess.Popen[str] | subprocess.Popen[bytes]) -> None:
    """End a process that was started here."""
    process.terminate()
    try:
        process.wait(timeout=10)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
