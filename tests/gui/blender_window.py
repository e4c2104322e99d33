# SPDX-License-Identifier: GPL-3.0-or-later
"""A windowed Blender in a test's hand: it runs code inside, moves the mouse, looks at the screen."""

from __future__ import annotations

import json
import shutil
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterable
from pathlib import Path
from textwrap import indent
from typing import Any

from tests.gui.provision import environment, inside_command, provision
from tooling.environment import ROOT
from tooling.problem import Problem

SHOTS = ROOT / "dist" / "gui"
WIDTH, HEIGHT = 1280, 800
PATIENCE = 120.0  # seconds: software rendering on a busy machine, and shaders compiled at the first start
BUTTON_HEIGHT = 20  # pixels, at the resolution scale that a new Blender has
SETTLE_SECONDS = 0.15  # between synthetic events: a person's hand is slower still

BUTTONS = {"left": "1", "middle": "2", "right": "3", "wheel up": "4", "wheel down": "5"}


class BlenderWindow:
    """Blender in a virtual screen, with the extension installed, from start to `close`.

    Attributes:
        log: the file with all that Blender printed.
    """

    def __init__(self, zip_path: Path) -> None:
        """Provision if need be, install the zip into an empty profile, open the window and wait for it.

        Args:
            zip_path: the built extension.

        Raises:
            Problem: something did not start; the text has what it printed last.
        """
        self._root = provision()
        self._session = Path(tempfile.mkdtemp(prefix="session-", dir=self._root))
        self._home = f"/{self._session.name}"  # the same directory, seen from inside
        SHOTS.mkdir(parents=True, exist_ok=True)
        self.log = SHOTS / "blender.log"
        self._count = 0
        self._processes: list[subprocess.Popen[bytes]] = []
        shutil.copy(zip_path, self._session)
        shutil.copy(Path(__file__).with_name("inside.py"), self._session)
        try:
            self._install(zip_path.name)
            self._display = self._start_screen()
            self._start_blender()
        except BaseException:
            self.close()
            raise

    def close(self) -> None:
        """End Blender and the screen, the ones started here."""
        for process in reversed(self._processes):
            process.terminate()
            try:
                process.wait(timeout=10)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
        self._processes.clear()
        shutil.rmtree(self._session, ignore_errors=True)

    def run(self, code: str, timeout: float = PATIENCE) -> Any:
        """Run Python inside Blender, from a timer of its event loop.

        Args:
            code: it knows `bpy`, `window()`, `view()`, `pixel_of(point)`, and may set `result`.
            timeout: seconds.

        Returns:
            What it set `result` to, by way of JSON.

        Raises:
            AssertionError: it raised, or Blender did not answer.
        """
        self._count += 1
        name = self._session / f"{self._count:05d}"
        name.with_suffix(".part").write_text(code, encoding="utf-8")
        name.with_suffix(".part").rename(name.with_suffix(".code"))
        answer = name.with_suffix(".json")
        deadline = time.monotonic() + timeout
        while not answer.is_file():
            if self._processes[-1].poll() is not None:
                raise AssertionError(
                    f"Blender ended with {self._processes[-1].returncode}:\n{self._last_lines()}"
                )
            if time.monotonic() > deadline:
                raise AssertionError(f"Blender did not answer within {timeout} s:\n{self._last_lines()}")
            time.sleep(0.01)
        said = json.loads(answer.read_text(encoding="utf-8"))
        if "error" in said:
            raise AssertionError(said["error"])
        return said["result"]

    def operate(self, code: str, timeout: float = PATIENCE) -> Any:
        """As `run`, with the 3D view as the context, which operators need. Not for opening another file."""
        return self.run("with bpy.context.temp_override(**view()):\n" + indent(code, "    "), timeout)

    def wait_for(self, code: str, holds: Callable[[Any], bool], timeout: float = 30.0) -> Any:
        """Run code again and again until its result is as wanted: a window answers when it has drawn.

        Raises:
            AssertionError: it never was; with the last result.
        """
        deadline = time.monotonic() + timeout
        result = self.run(code)
        while not holds(result):
            if time.monotonic() > deadline:
                shot = self.screenshot("waited_in_vain").relative_to(ROOT)
                raise AssertionError(f"Still {result!r} after {timeout} s; see {shot}")
            self.settle()
            result = self.run(code)
        return result

    def show_tab(self, category: str) -> None:
        """Open the 3D view's sidebar at a tab."""
        self.run("view()['area'].spaces.active.show_region_ui = True; view()['area'].tag_redraw()")
        self.settle(0.5)  # the sidebar must be drawn once before it has tabs
        self.run(
            "area = view()['area']\n"
            "sidebar = next(region for region in area.regions if region.type == 'UI')\n"
            f"sidebar.active_panel_category = {category!r}; sidebar.tag_redraw(); result = sidebar.width"
        )
        self.settle(0.5)

    def pixel_of(self, point: Iterable[float]) -> tuple[float, float]:
        """Where a point of the world is on the screen."""
        x, y = self.run(f"result = pixel_of({tuple(point)!r})")
        return x, y

    def move(self, x: float, y: float) -> None:
        """Move the mouse to a pixel."""
        self._xdotool("mousemove", f"{x:.0f}", f"{y:.0f}")
        self.settle()

    def press(self, button: str = "left") -> None:
        """Press a mouse button and hold it."""
        self._xdotool("mousedown", BUTTONS[button])
        self.settle()

    def release(self, button: str = "left") -> None:
        """Let a mouse button go."""
        self._xdotool("mouseup", BUTTONS[button])
        self.settle()

    def click(self, x: float, y: float, button: str = "left") -> None:
        """Click at a pixel."""
        self.move(x, y)
        self.press(button)
        self.release(button)

    def drag(
        self, start: tuple[float, float], end: tuple[float, float], steps: int = 8, button: str = "left"
    ) -> None:
        """Press at one pixel, move in steps to another, let go."""
        self.move(*start)
        self.press(button)
        self.glide(start, end, steps)
        self.release(button)

    def glide(self, start: tuple[float, float], end: tuple[float, float], steps: int = 8) -> None:
        """Move in even steps, as a hand does; the events between are what a modal operator lives on."""
        for step in range(1, steps + 1):
            t = step / steps
            self.move(start[0] + t * (end[0] - start[0]), start[1] + t * (end[1] - start[1]))

    def key(self, *keys: str) -> None:
        """Press and release keys, by xdotool's names: "Escape", "ctrl+z", "Return"."""
        for key in keys:
            self._xdotool("key", key)
            self.settle()

    def key_down(self, key: str) -> None:
        """Press a key and hold it."""
        self._xdotool("keydown", key)
        self.settle()

    def key_up(self, key: str) -> None:
        """Let a key go."""
        self._xdotool("keyup", key)
        self.settle()

    def wheel(self, way: str) -> None:
        """Turn the mouse's wheel by a notch, "up" or "down"."""
        self._xdotool("click", BUTTONS[f"wheel {way}"])
        self.settle()

    def find_button(self, operator: str) -> tuple[float, float]:
        """Where the sidebar has a button of this operator; "articulate.solve".

        Blender tells by itself: Ctrl-C over an operator's button puts its Python into the clipboard.

        Raises:
            AssertionError: no button of it is on the screen.
        """
        left, top, width, height = self.run(
            "sidebar = next(region for region in view()['area'].regions if region.type == 'UI')\n"
            "top = window().height - sidebar.y - sidebar.height\n"
            "result = [sidebar.x, top, sidebar.width, sidebar.height]"
        )
        self.run("bpy.context.window_manager.clipboard = ''")
        columns = [left + share * width for share in (0.3, 0.7, 0.87)]
        for y in range(int(top) + 25, int(top + min(height, 400)), BUTTON_HEIGHT // 2):
            for x in columns:
                self._xdotool("mousemove", f"{x:.0f}", f"{y}", "sleep", "0.04", "key", "ctrl+c")
                self.settle(0.02)
                if self.run("result = bpy.context.window_manager.clipboard").startswith(
                    f"bpy.ops.{operator}("
                ):
                    return x, y
        self.screenshot("button_not_found")
        raise AssertionError(f"No button of {operator} was found; see dist/gui/button_not_found.png")

    def screenshot(self, name: str) -> Path:
        """Take a picture of the whole screen into dist/gui and return its path."""
        self.settle(0.3)
        self._tool("import", "-window", "root", f"{self._home}/{name}.png")
        return Path(shutil.move(self._session / f"{name}.png", SHOTS / f"{name}.png"))

    def settle(self, seconds: float = SETTLE_SECONDS) -> None:
        """Give Blender's event loop time to take in what came, however slow this machine is just now.

        An answer comes from a turn of the loop that has fetched the events of before, and the next one from
        after they were handled: without this a busy machine would still draw the first moves of a drag when
        the test looks for its end.
        """
        time.sleep(seconds)
        for _turn in range(2):
            self.run("")

    def complaints(self) -> list[str]:
        """Lines of Blender's console that tell of an error."""
        signs = ("Traceback", "Error", "error:", "unknown operator", "not found", "Exception")
        harmless = ("EGL_BAD_MATCH", "libdecor", "ALSA", "pulseaudio")
        lines = self.log.read_text(encoding="utf-8", errors="replace").splitlines()
        return [
            line for line in lines if any(s in line for s in signs) and not any(h in line for h in harmless)
        ]

    def _install(self, name: str) -> None:
        command = (
            "blender",
            "--command",
            "extension",
            "install-file",
            "-r",
            "user_default",
            "-e",
            f"{self._home}/{name}",
        )
        done = subprocess.run(
            inside_command(self._root, *command), env=self._environment(), capture_output=True, text=True
        )
        if done.returncode != 0:
            raise Problem(f"Blender did not install the zip:\n{done.stdout}{done.stderr}")

    def _start_screen(self) -> str:
        """Start the virtual screen and return its name."""
        screen = ("Xvfb", "-displayfd", "1", "-screen", "0", f"{WIDTH}x{HEIGHT}x24", "+extension", "GLX")
        command = inside_command(self._root, *screen, "-nolisten", "tcp")
        process = subprocess.Popen(
            command, env=self._environment(), stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
        )
        self._processes.append(process)
        number = process.stdout.readline().decode().strip() if process.stdout else ""
        if not number:
            raise Problem("The virtual screen (Xvfb) did not start.")
        return f":{number}"

    def _start_blender(self) -> None:
        geometry = ("-p", "0", "0", str(WIDTH), str(HEIGHT))
        command = inside_command(
            self._root, "blender", "-noaudio", *geometry, "--python", f"{self._home}/inside.py"
        )
        with self.log.open("wb") as log:
            process = subprocess.Popen(command, env=self._environment(), stdout=log, stderr=subprocess.STDOUT)
        self._processes.append(process)
        self.run("")

    def _environment(self) -> dict[str, str]:
        display = {"DISPLAY": self._display} if hasattr(self, "_display") else {}
        home = {"HOME": self._home, "BLENDER_USER_RESOURCES": f"{self._home}/profile"}
        return environment(LIBGL_ALWAYS_SOFTWARE="1", PYTHONUNBUFFERED="1", **home, **display)

    def _xdotool(self, *arguments: str) -> None:
        self._tool("xdotool", *arguments)

    def _tool(self, *command: str) -> None:
        subprocess.run(
            inside_command(self._root, *command), env=self._environment(), check=True, capture_output=True
        )

    def _last_lines(self) -> str:
        return "\n".join(self.log.read_text(encoding="utf-8", errors="replace").splitlines()[-15:])
