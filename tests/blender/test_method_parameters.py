# SPDX-License-Identifier: GPL-3.0-or-later
"""The methods' own parameters: in the panel, saved with the armature, given to the solver."""

from __future__ import annotations

import bpy
import installed
import pytest
from addon_scenes import arm, miss, reach
from ui_layout import draw

import ikmath as ik

TAKING = [name for name, method in ik.METHODS.items() if method.parameters]


def parameters(rig: bpy.types.Object) -> bpy.types.PropertyGroup:
    return rig.articulate.solver.parameters


def test_every_parameter_of_every_method_is_a_property_with_its_default():
    group = parameters(arm())
    for name, method in ik.METHODS.items():
        assert group.names(name) == [f"{name}_{parameter.name}" for parameter in method.parameters]
        for parameter in method.parameters:
            value = getattr(group, f"{name}_{parameter.name}")
            assert value == pytest.approx(0.0 if parameter.default is None else parameter.default)
            shown = group.bl_rna.properties[f"{name}_{parameter.name}"]
            assert shown.name == parameter.label
            assert parameter.description in shown.description


def test_the_panel_shows_those_of_the_chosen_method_only():
    rig = arm()
    reach(rig, "b3", (1.5, 0.5, 2.0))
    for name in ik.METHODS:
        rig.articulate.solver.method = name
        drawn = draw()
        for other in ik.METHODS:
            wanted = set(parameters(rig).names(other))
            assert wanted <= set(drawn) if other == name else not wanted & set(drawn)


@pytest.mark.parametrize("method", TAKING)
def test_a_solve_with_the_defaults_reaches(method):
    rig = arm()
    reach(rig, "b3", (1.2, 0.5, 2.5))
    rig.articulate.solver.method = method
    bpy.ops.articulate.solve()
    assert miss(rig, "b3") < 1e-3


def test_what_is_set_reaches_the_method():
    rig = arm()
    reach(rig, "b3", (1.2, 0.5, 2.5))
    rig.articulate.solver.method = "nonlinear"
    parameters(rig).nonlinear_gamma = 1.0
    bpy.ops.articulate.solve()
    assert miss(rig, "b3") > 0.05, "a large gamma keeps the pose"


def others(parameter):
    """Values that may be set beside the default: every word, the other switch, numbers inside the bounds."""
    if parameter.choices:
        return [word for word in parameter.choices if word != parameter.default]
    if isinstance(parameter.default, bool):
        return [not parameter.default]
    if isinstance(parameter.default, int):
        return [parameter.default + 2]
    return [0.125, max(parameter.minimum, 0.03125)]


@pytest.mark.parametrize(
    ("method", "parameter"),
    [(name, parameter) for name in TAKING for parameter in ik.METHODS[name].parameters],
    ids=lambda value: getattr(value, "name", value),
)
def test_every_value_goes_from_the_panel_through_the_operator_to_the_solver(monkeypatch, method, parameter):
    seen = []
    kind = type(ik.METHODS[method])
    solve = kind.solve

    def listening(self, problem, q, options):
        seen.append(getattr(options, parameter.name))
        return solve(self, problem, q, options)

    monkeypatch.setattr(kind, "solve", listening)
    for value in [parameter.default, *others(parameter)]:
        rig = arm(2)  # four coordinates with hinges: few enough for every combination of limits
        for bone in rig.pose.bones:
            bone.lock_ik_y = bone.lock_ik_z = True
            bone.use_ik_limit_x, bone.ik_min_x, bone.ik_max_x = True, -1.5, 1.5
        place = rig.matrix_world @ rig.pose.bones["b1"].tail
        reach(rig, "b1", (place.x, place.y + 0.6, place.z - 0.3))
        rig.articulate.solver.method = method
        if value is not None:
            setattr(parameters(rig), f"{method}_{parameter.name}", value)
        before = rig.pose.bones["b0"].matrix.copy()
        del seen[:]
        bpy.ops.articulate.solve()
        assert seen, "the operator ran this method"
        single = isinstance(value, float)  # Blender keeps numbers in single precision
        assert all(told == (pytest.approx(value, rel=1e-6) if single else value) for told in seen)
        assert rig.pose.bones["b0"].matrix != before, "the figure moved"
        assert rig.articulate.report["message"].endswith(".")


def test_a_million_lets_the_pseudo_inverse_take_plain_euler_steps():
    """What the largest number in the panel stands for, the text's own form."""
    rig = arm()
    place = rig.matrix_world @ rig.pose.bones["b3"].tail
    reach(rig, "b3", (place.x + 0.2, place.y + 0.1, place.z - 0.2))  # near: far ones overshoot
    rig.articulate.solver.method = "pseudoinverse"
    parameters(rig).pseudoinverse_tracking = 1e9
    assert parameters(rig).pseudoinverse_tracking == 1e6
    bpy.ops.articulate.solve()
    assert miss(rig, "b3") < 1e-3


def test_nought_lets_a_method_choose():
    group = parameters(arm())
    assert group.options("damped") == {"damping": None}
    group.damped_damping = 0.25
    assert group.options("damped") == {"damping": pytest.approx(0.25)}
    assert group.options("lagrange") == {"objective": "posture", "form": "reduced", "bounds": "method"}


def test_a_method_that_cannot_says_so():
    """Six joints of three turns are too many for all combinations of limits."""
    rig = arm(6)
    for bone in rig.pose.bones:
        bone.use_ik_limit_x, bone.ik_min_x, bone.ik_max_x = True, -1.0, 1.0
    reach(rig, "b5", (1.0, 0.5, 4.0))
    rig.articulate.solver.method = "lagrange"
    parameters(rig).lagrange_bounds = "active"
    with pytest.raises(RuntimeError, match="at most"):
        bpy.ops.articulate.solve()


def test_parameters_are_saved(tmp_path):
    rig = arm()
    name = rig.name
    parameters(rig).prioritized_damping = 0.125
    parameters(rig).pseudoinverse_svd = "row_givens"
    path = str(tmp_path / "saved.blend")
    bpy.ops.wm.save_as_mainfile(filepath=path)
    bpy.ops.wm.open_mainfile(filepath=path)
    kept = parameters(bpy.data.objects[name])
    assert kept.prioritized_damping == pytest.approx(0.125)
    assert kept.pseudoinverse_svd == "row_givens"
    assert installed.package()


def test_a_method_has_as_many_steps_as_it_needs_unless_told():
    """The transpose needs hundreds of its small ones; nought leaves that to the method."""
    rig = arm()
    reach(rig, "b3", (1.2, 0.5, 2.5))
    rig.articulate.solver.method = "transpose"
    rig.articulate.solver.max_iterations = 3
    bpy.ops.articulate.solve()
    assert miss(rig, "b3") > 1e-3
    rig.articulate.solver.max_iterations = 0
    bpy.ops.articulate.solve()
    assert miss(rig, "b3") < 1e-3
