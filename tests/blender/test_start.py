# SPDX-License-Identifier: GPL-3.0-or-later
"""What enabling the extension loads, which every start of Blender pays for."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import textwrap
from pathlib import Path

import installed

SCRIPT = """
import json, sys
sys.path.insert(0, {directory!r})
import installed
installed.make_profile()
import bpy
from pathlib import Path
installed.install(Path({zip!r}))
def loaded():
    ours = {{name.removeprefix(installed.package() + ".") for name in sys.modules}}
    heavy = ("ikmath", "bridge.armature", "bridge.skeleton", "control.frame.", "control.drag.")
    return sorted(name for name in ours if name.startswith(heavy))
seen = {{"enabled": loaded()}}
bpy.ops.wm.read_homefile(use_factory_startup=True)
bpy.context.scene.frame_set(5)
bpy.context.view_layer.update()
bpy.context.object.location.x = 1.0
bpy.context.view_layer.update()
seen["used without a figure"] = loaded()
bpy.ops.object.armature_add()
bpy.ops.articulate.effector_add(bone="Bone")
bpy.ops.articulate.solve()
seen["solved"] = "ikmath.solvers" in loaded()
print("SEEN", json.dumps(seen))
installed.leave(0)
"""


def test_the_library_is_loaded_when_it_is_first_used():
    directory = str(Path(__file__).parent)
    script = textwrap.dedent(SCRIPT).format(directory=directory, zip=str(installed.find_zip()))
    variables = {key: value for key, value in os.environ.items() if key != "BLENDER_USER_RESOURCES"}
    done = subprocess.run(
        [sys.executable, "-P", "-c", script], env=variables, capture_output=True, text=True, timeout=300
    )
    assert done.returncode == 0, done.stdout[-2000:] + done.stderr[-2000:]
    assert "Traceback" not in done.stderr, done.stderr[-2000:]
    (seen,) = [json.loads(line[5:]) for line in done.stdout.splitlines() if line.startswith("SEEN ")]
    assert seen == {"enabled": [], "used without a figure": [], "solved": True}
