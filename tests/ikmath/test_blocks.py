# SPDX-License-Identifier: GPL-3.0-or-later
"""The Jacobian of a batch in blocks is the whole one, and so is all arithmetic on it."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import ikmath as ik
from ikmath.classic.jacobian_blocks import Blocks, evaluate_many, layout_of
from ikmath.classic.limit_crossings import CrossingsOfMany
from ikmath.classic.limits.projection import _ManyHold
from ikmath.classic.linalg.many import solve_in_place
from ikmath.examples import figures
from tests.ikmath import trees
from tests.ikmath.test_goal_contract import EXAMPLES, build, every_case, scenes


def dense(blocks):
    """(k, n, B), column by column."""
    _, n, frames = blocks.shape
    columns = [blocks.times(np.repeat(np.eye(n)[i][:, None], frames, 1)) for i in range(n)]
    return np.stack(columns, 1) if n else np.zeros(blocks.shape)


def many_frames(problem, pose):
    """Errors and blocks of a problem's tasks."""
    layout = layout_of(problem.skeleton, problem.tasks)
    return evaluate_many(problem.stack, layout, problem.tasks, pose)


def limbs(frames=4):
    """Five effectors of a person with places, and three turned joints: problem and blocks."""
    figure = figures.human()
    rng = np.random.default_rng(5)
    q = figure.joint_limits.project(rng.normal(size=(frames, figure.n)) * 0.4)
    ends = ["head", "wrist.L", "toe.R", "toe.L", "wrist.R"]
    turns = ik.rotation.exp(rng.normal(size=(frames, 3, 3)))
    goals = [
        ik.Position(ends, rng.normal(size=(frames, 5, 3)), rng.normal(size=(5, 3))),
        ik.Orientation(["wrist.L", "elbow.L", "pelvis"], turns, weight=0.3),
    ]
    problem = ik.Problem(figure, goals)
    pose = ik.Pose.forward(figure, q)
    return problem, many_frames(problem, pose)[1]()


@settings(max_examples=EXAMPLES)
@given(scene=scenes(frames=(3,)))
def test_blocks_of_every_goal_are_its_jacobian(scene):
    skeleton, met, many, rng = scene
    pose = ik.Pose.forward(skeleton, many)
    others = [ik.Position(skeleton.names[-1], np.zeros(3)), ik.Orientation(skeleton.names[0], np.eye(3))]
    for case in every_case():
        goal = build(case, skeleton, met, rng)
        if isinstance(goal, ik.Posture):
            continue
        problem = ik.Problem(skeleton, [goal, *others])
        error, blocks = many_frames(problem, pose)
        whole = problem.stack.evaluate(problem.tasks, pose)
        np.testing.assert_allclose(error, whole.error, atol=1e-13)
        expected = whole.jacobian.transpose(1, 2, 0) * problem.stack.scale[:, None, None]
        np.testing.assert_allclose(dense(blocks()), expected, atol=1e-12 * max(1.0, np.abs(expected).max()))


@given(trees.posed())
def test_blocks_where_rotation_is_not_inherited(figure):
    skeleton, q, rng = figure
    many = q + rng.normal(size=(2, skeleton.n))
    names = list(skeleton.names)
    problem = ik.Problem(skeleton, [ik.Position(names, rng.normal(size=(len(names), 3)), rng.normal(size=3))])
    pose = ik.Pose.forward(skeleton, many)
    blocks = many_frames(problem, pose)[1]()
    whole = pose.jacobian(names, problem.tasks[0].offset).reshape(2, 3 * len(names), skeleton.n)
    np.testing.assert_allclose(dense(blocks) * problem.length, whole.transpose(1, 2, 0), atol=1e-11)


def test_a_person_is_cut_into_limbs():
    problem, blocks = limbs()
    moved = np.concatenate([goal.moved(problem.skeleton) for goal in problem.tasks], 1)
    assert len(blocks.layout) == len(np.unique(moved, axis=0))
    held = sum(values.size for values in blocks.values)
    assert held < 0.4 * np.prod(blocks.shape)


@pytest.mark.parametrize("stiff", [False, True])
def test_arithmetic_is_that_of_the_whole(stiff):
    _, blocks = limbs()
    whole = dense(blocks)
    k, n, frames = blocks.shape
    rng = np.random.default_rng(0)
    metric = rng.uniform(0.1, 1.0, (n, 1)) if stiff else None
    weighed = whole if metric is None else whole * metric
    products = np.einsum("anb,cnb->acb", weighed, whole)
    upper = np.triu_indices(k)
    np.testing.assert_allclose(blocks.products(metric)[upper], products[upper], atol=1e-12)
    step, y = rng.normal(size=(n, frames)), rng.normal(size=(k, frames))
    np.testing.assert_allclose(blocks.times(step), np.einsum("anb,nb->ab", whole, step), atol=1e-12)
    np.testing.assert_allclose(blocks.back(y), np.einsum("anb,ab->nb", whole, y), atol=1e-12)
    some = np.array([2, 0])
    np.testing.assert_array_equal(dense(blocks.take(some)), whole[:, :, some])


@pytest.mark.parametrize("stiff", [False, True])
def test_normal_equations_without_what_is_held(stiff):
    """Held by hand: the step is the best of those that go their way along the held directions."""
    problem, blocks = limbs()
    whole, pairs = dense(blocks), problem.skeleton.joint_limits.pairs
    k, n, frames = blocks.shape
    rng = np.random.default_rng(1)
    metric = rng.uniform(0.1, 1.0, n) if stiff else None
    hold = _ManyHold(pairs, (n, frames), metric)
    lone = rng.uniform(size=(n, frames)) < 0.1
    lone[pairs] = False
    crossed = rng.uniform(size=(len(pairs), frames)) < 0.3
    normal = rng.normal(size=(2, crossed.sum()))
    normal /= np.sqrt((normal**2).sum(0))
    ends = pairs.T[:, crossed.nonzero()[0]] * frames + crossed.nonzero()[1]
    ways, pair_ways = rng.normal(size=lone.sum()), rng.normal(size=normal.shape)
    columns, crossing = lone.ravel().nonzero()[0], crossed.ravel().nonzero()[0]
    exits = CrossingsOfMany(frames, columns, ways, ways, crossing, ends, pair_ways, normal, pair_ways)
    hold.add(exits)
    held = hold.directions()
    error, damping = rng.normal(size=(k, frames)), 0.1
    products = blocks.products(None if metric is None else metric[:, None])
    products.reshape(-1, frames)[:: k + 1] += damping
    systems = np.concatenate([products, error[:, None]], 1)
    blocks.without(held, systems)
    step = -blocks.back(solve_in_place(systems))
    step = held.keep(step if metric is None else step * metric[:, None])
    weight = np.ones(n) if metric is None else metric
    for frame in range(frames):
        rows = [np.eye(n)[i] for i in lone[:, frame].nonzero()[0]]
        which = crossed.nonzero()[1] == frame
        for pair, (u, v) in zip(crossed[:, frame].nonzero()[0], normal[:, which].T, strict=True):
            rows.append(u * np.eye(n)[pairs[pair, 0]] + v * np.eye(n)[pairs[pair, 1]])
        wanted = [*ways[lone.nonzero()[1] == frame], *(normal * pair_ways)[:, which].sum(0)]
        constraints, jacobian = np.array(rows).reshape(-1, n), whole[:, :, frame]
        hessian = jacobian.T @ jacobian + damping * np.diag(1.0 / weight)
        kkt = np.block([[hessian, constraints.T], [constraints, np.zeros((len(rows), len(rows)))]])
        best = np.linalg.solve(kkt, np.concatenate([-jacobian.T @ error[:, frame], wanted]))[:n]
        np.testing.assert_allclose(step[:, frame], best, atol=1e-9)
    np.testing.assert_array_equal(dense(blocks), whole)  # untouched


def test_rows_of_some_frames_are_replaced():
    _, blocks = limbs()
    other = Blocks(blocks.shape, blocks.layout, [np.zeros_like(values) for values in blocks.values])
    whole, frames = dense(blocks), np.array([True, False, False, True])
    blocks.replace(frames, other)
    np.testing.assert_array_equal(dense(blocks), np.where(frames, 0.0, whole))


@pytest.mark.parametrize("posture", [False, True])
def test_stiff_figures_step_in_a_batch_as_one_by_one(posture):
    figure = figures.human()
    stiff = np.random.default_rng(2).uniform(0.0, 0.9, figure.n)
    joints = [
        replace(joint, stiffness=tuple(stiff[figure.owner == i])) for i, joint in enumerate(figure.joints)
    ]
    figure, rng = ik.Skeleton(joints), np.random.default_rng(3)
    places = ik.Pose.forward(figure, figure.rest).point(["wrist.L", "head", "toe.R"])
    targets = places + 0.4 * rng.normal(size=(6, 3, 3))
    goals = [ik.Position(["wrist.L", "head", "toe.R"], targets)]
    if posture:
        goals.append(ik.Posture(0.1 * rng.normal(size=figure.n), gain=0.3))
    problem = ik.Problem(figure, goals)
    options = {"method": "damped", "max_iterations": 6, "rest": False}
    together = ik.solve(problem, np.tile(figure.rest, (6, 1)), **options)
    for i in range(6):
        alone = ik.solve(problem.at(i), figure.rest, **options)
        np.testing.assert_allclose(together.q[i], alone.q, atol=1e-9)
    assert figure.joint_limits.at_limit(together.q).any()


@given(st.integers(1, 12), st.sampled_from([1, 7, 99, 100, 301]), st.integers(0, 2**31))
def test_many_systems_are_solved_by_their_upper_triangles(rows, frames, seed):
    rng = np.random.default_rng(seed)
    root = rng.normal(size=(frames, rows, rows))
    matrix = root @ root.swapaxes(1, 2) + 0.1 * np.eye(rows)
    right = rng.normal(size=(rows, frames))
    expected = np.linalg.solve(matrix, right.T[:, :, None])[:, :, 0].T
    asked = np.triu(matrix).transpose(1, 2, 0) + np.tril(rng.normal(size=(rows, rows)), -1)[:, :, None]
    np.testing.assert_allclose(
        solve_in_place(np.concatenate([asked, right[:, None]], 1)), expected, rtol=1e-8, atol=1e-9
    )


def test_sine_and_cosine():
    turns = np.concatenate([np.linspace(-20, 20, 4001), [0.0, 1e-300, 1e-9, np.pi, 2 * np.pi, -np.pi]])
    sine, cosine = ik.rotation.sine_and_cosine(turns)
    np.testing.assert_allclose(sine, np.sin(turns), atol=4e-15)
    np.testing.assert_allclose(cosine, np.cos(turns), atol=4e-15)
