# SPDX-License-Identifier: GPL-3.0-or-later
"""A windowed Blender in a test's hand: it runs code inside, moves the mouse, looks at the screen."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterable
from itertools import product
from pathlib import Path
from textwrap import indent
from typing import Any

from tests.gui.provision import environment, inside_command, provision
from tests.gui.screen import Screen, end
from tooling.environment import ROOT
from tooling.problem import Problem

BACKEND = os.environ.get("ARTICULATE_GPU", "")  # "vulkan", else Blender's default
SHOTS = ROOT / "dist" / "gui" / "-".join(filter(None, (os.environ.get("ARTICULATE_WINDOW"), BACKEND)))
WIDTH, HEIGHT = 1280, 800
PATIENCE = 120.0  # seconds: software rendering on a busy machine, and shaders compiled at the first start
BUTTON_HEIGHT = 20  # pixels, at the resolution scale that a new Blender has
TURNS = 3  # answers after which an event has been handled and its result drawn, see `settle`
FINE_DRAWS = 8  # of a view, by which Blender smooths its edges
SMOOTHING = """
system = bpy.context.preferences.system
system.viewport_aa, system.use_overlay_smooth_wire = {}
view()['area'].tag_redraw()
"""
ANSWER_SECONDS = 0.002  # between looks for an answer

BUTTONS = {"left": "1", "middle": "2", "right": "3", "wheel up": "4", "wheel down": "5"}


class BlenderWindow:
    """Blender in a virtual screen, with the extension installed, from start to `close`.

    Attributes:
        home: a directory for its files, as it is called inside.
        log: the file with all that Blender printed.
        screen: what it is on, with mouse and keyboard.
    """

    def __init__(self, zip_path: Path) -> None:
        """Provision if need be, install the zip into an empty profile, open the window and wait for it.

        Args:
            zip_path: the built extension.

        Raises:
            Problem: something did not start; the text has what it printed last.
        """
        self._root = provision(os.environ["ARTICULATE_WINDOW"])
        self._session = Path(tempfile.mkdtemp(prefix="session-", dir=self._root))
        self.home = f"/{self._session.name}"  # the same directory, seen from inside
        SHOTS.mkdir(parents=True, exist_ok=True)
        self.log = SHOTS / "blender.log"
        self._count = 0
        self._process: subprocess.Popen[bytes] | None = None
        self.screen = Screen(self._root, self._session, (WIDTH, HEIGHT))
        shutil.copy(zip_path, self._session)
        shutil.copy(Path(__file__).with_name("inside.py"), self._session)
        try:
            self._install(zip_path.name)
            self._start_blender()
        except BaseException:
            self.close()
            raise

    def close(self) -> None:
        """End Blender and the screen, the ones started here."""
        if self._process is not None:
            end(self._process)
        self.screen.close()
        shutil.rmtree(self._session, ignore_errors=True)

    def share(self, directory: Path) -> str:
        """Copy a directory to where Blender finds it, and return its path there."""
        shutil.copytree(directory, self._session / directory.name, dirs_exist_ok=True)
        return f"{self.home}/{directory.name}"

    def run(self, code: str, timeout: float = PATIENCE) -> Any:
        """Run Python inside Blender, from a timer of its event loop.

        Args:
            code: it knows `bpy`, `window()`, `view()`, `pixel_of(point)`, `curves_of(thing)`,
                `hide_bone(bone, hidden)`, `select_bone(bone, select)`, and may set `result`.
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
            if self._process.poll() is not None:
                raise AssertionError(f"Blender ended with {self._process.returncode}:\n{self._last_lines()}")
            if time.monotonic() > deadline:
                raise AssertionError(f"Blender did not answer within {timeout} s:\n{self._last_lines()}")
            time.sleep(ANSWER_SECONDS)
        said = json.loads(answer.read_text(encoding="utf-8"))
        if "error" in said:
            raise AssertionError(said["error"])
        return said["result"]

    def operate(self, code: str, timeout: float = PATIENCE) -> Any:
        """As `run`, with the 3D view as the context, which operators need. Not for opening another file."""
        return self.run("with bpy.context.temp_override(**view()):\n" + indent(code, "    "), timeout)

    def wait_for(self, code: str, holds: Callable[[Any], bool], timeout: float = PATIENCE) -> Any:
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

    def background(self, *arguments: str, script: str) -> str:
        """Run a Blender without a window, in the same profile, and return what it printed.

        Args:
            arguments: before and after `--python`, which takes the place of "SCRIPT".
            script: Python that it runs there.

        Raises:
            AssertionError: it failed.
        """
        (self._session / "script.py").write_text(script, encoding="utf-8")
        given = [
            part
            for each in arguments
            for part in (("--python", f"{self.home}/script.py") if each == "SCRIPT" else (each,))
        ]
        done = subprocess.run(
            inside_command(self._root, "blender", "-b", *given),
            env=self._environment(),
            capture_output=True,
            text=True,
        )
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout + done.stderr

    def show_tab(self, category: str) -> None:
        """Open the 3D view's sidebar at a tab."""
        self.run("view()['area'].spaces.active.show_region_ui = True; view()['area'].tag_redraw()")
        self.settle()  # the sidebar must be drawn once before it has tabs
        self.run(
            "area = view()['area']\n"
            "sidebar = next(region for region in area.regions if region.type == 'UI')\n"
            f"sidebar.active_panel_category = {category!r}; sidebar.tag_redraw(); result = sidebar.width"
        )
        self.settle()

    def pixel_of(self, point: Iterable[float]) -> tuple[float, float]:
        """Where a point of the world is on the screen."""
        x, y = self.run(f"result = pixel_of({tuple(point)!r})")
        return x, y

    def move(self, x: float, y: float) -> None:
        """Move the mouse to a pixel."""
        self.screen.xdotool("mousemove", f"{x:.0f}", f"{y:.0f}")
        self.settle()

    def press(self, button: str = "left") -> None:
        """Press a mouse button and hold it."""
        self.screen.xdotool("mousedown", BUTTONS[button])
        self.settle()

    def release(self, button: str = "left") -> None:
        """Let a mouse button go."""
        self.screen.xdotool("mouseup", BUTTONS[button])
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
            self.screen.xdotool("key", key)
            self.settle()

    def key_down(self, key: str) -> None:
        """Press a key and hold it."""
        self.screen.xdotool("keydown", key)
        self.settle()

    def key_up(self, key: str) -> None:
        """Let a key go."""
        self.screen.xdotool("keyup", key)
        self.settle()

    def wheel(self, way: str) -> None:
        """Turn the mouse's wheel by a notch, "up" or "down"."""
        self.screen.xdotool("click", BUTTONS[f"wheel {way}"])
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
        columns = [left + share * width for share in (0.3, 0.78, 0.87)]
        rows = range(int(top) + 25, int(top + min(height, 400)), BUTTON_HEIGHT - 4)
        self.run("bpy.context.window_manager.clipboard = ''")
        for y, x in product([*rows, *rows], columns):  # twice, since a slow window may not have drawn it yet
            self.screen.xdotool("mousemove", f"{x:.0f}", f"{y}", "key", "ctrl+c")
            self.settle()
            copied = self.run("result = bpy.context.window_manager.clipboard")
            if copied.startswith(f"bpy.ops.{operator}("):
                return x, y
        self.screenshot("button_not_found")
        raise AssertionError(f"No button of {operator} was found; see dist/gui/button_not_found.png")

    def screenshot(self, name: str, *, fine: bool = False) -> Path:
        """Take a picture of the whole screen into dist/gui and return its path.

        Args:
            name: of the file, without its ending.
            fine: with smooth edges, for the manual; takes longer.
        """
        if fine:
            self.run(SMOOTHING.format(("8", True)))
        for _draw in range(FINE_DRAWS if fine else 1):
            self.settle()
        path = SHOTS / f"{name}.png"
        self.screen.picture().save(path, compress_level=1)
        if fine:
            self.run(SMOOTHING.format(("OFF", False)))
        return path

    def settle(self, seconds: float = 0.0) -> None:
        """Let Blender's event loop handle what came and draw it, however slow this machine is just now.

        A turn of the loop fetches events, handles them, answers the test, and draws. So the first answer may
        come from a turn that had fetched before the event came; the second is from after it was handled, the
        third from after that was drawn. Without this a busy machine would still handle the first moves of a
        drag when the test looks for its end.

        Args:
            seconds: to wait before, where time itself matters.
        """
        time.sleep(seconds)
        for _turn in range(TURNS):
            self.run("")

    def complaints(self) -> list[str]:
        """Lines of Blender's console that tell of an error."""
        signs = ("Traceback", "Error", "error:", "unknown operator", "not found", "Exception")
        harmless = ("EGL_BAD_MATCH", "libdecor", "ALSA", "pulseaudio", "sync required")
        lines = self.log.read_text(encoding="utf-8", errors="replace").splitlines()
        return [
            line for line in lines if any(s in line for s in signs) and not any(h in line for h in harmless)
        ]

    def _install(self, name: str) -> None:
        command = ("blender", "--command", "extension", "install-file", "-r", "user_default", "-e")
        done = subprocess.run(
            inside_command(self._root, *command, f"{self.home}/{name}"),
            env=self._environment(),
            capture_output=True,
            text=True,
        )
        if done.returncode != 0:
            raise Problem(f"Blender did not install the zip:\n{done.stdout}{done.stderr}")

    def _start_blender(self) -> None:
        backend = ("--gpu-backend", BACKEND) if BACKEND else ()
        geometry = (*backend, "-p", "0", "0", str(WIDTH), str(HEIGHT))
        command = inside_command(
            self._root, "blender", "-noaudio", *geometry, "--python", f"{self.home}/inside.py"
        )
        display = {"DISPLAY": self.screen.display}
        with self.log.open("wb") as log:
            self._process = subprocess.Popen(
                command, env=self._environment() | display, stdout=log, stderr=subprocess.STDOUT
            )
        self.run("")

    def _environment(self) -> dict[str, str]:
        home = {"HOME": self.home, "BLENDER_USER_RESOURCES": f"{self.home}/profile"}
        # What the drawing software has compiled is kept from one Blender to the next.
        kept = {"MESA_SHADER_CACHE_DIR": "/var/cache/mesa"}
        return environment(LIBGL_ALWAYS_SOFTWARE="1", PYTHONUNBUFFERED="1", **kept, **home)

    def _last_lines(self) -> str:
        return "\n".join(self.log.read_text(encoding="utf-8", errors="replace").splitlines()[-15:])
