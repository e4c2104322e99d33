# SPDX-License-Identifier: GPL-3.0-or-later
"""One iteration of damped least squares in as few numpy calls as we know how: what the machine allows.

No goals, no acceptance, no statuses: only forward kinematics, Jacobian, normal equations, step, limits.
Balls are three turns about x, y, z (`models`), one effector a row of three. It is the yardstick that
`iteration` holds the library against, and nothing else.

Limits are intervals here. With `locking` they are kept as the library keeps them: what would leave is held
at its limit and the step solved again without it, in up to `ROUNDS` further rounds, then clipped. Without,
the one step is clipped, which is less work for each iteration, but needs several times as many of them: where
limits are met, only the first is the same work.
"""

from __future__ import annotations

import numpy as np
from models import Array, Model

einsum = np.core.multiarray.c_einsum if np.__version__ < "2" else np._core.multiarray.c_einsum
ROUNDS = 3
CROSS = np.zeros((3, 9))  # v @ CROSS, as a matrix M of three rows: w @ M = w x v
for _i, _j, _k in ((0, 1, 2), (1, 2, 0), (2, 0, 1)):
    CROSS[_i, 3 * _j + _k], CROSS[_i, 3 * _k + _j] = -1.0, 1.0


class Figure:
    """A model of balls as nodes; its effectors are nodes too, the world is the last one."""

    def __init__(self, model: Model) -> None:
        self.slides = [i for i, joint in enumerate(model.joints) if joint[4]]
        node = dict.fromkeys(self.slides, -1)
        for number, first in enumerate(model.balls):
            node.update({first + i: number for i in range(3)})
        n, e = self.n, self.e = len(model.balls), len(model.effectors)
        parent = [node.get(model.joints[first][1], -1) for first in model.balls]
        parent += [node[joint] for _, joint, _ in model.effectors]
        self.parent = np.array([n + e if p < 0 else p for p in parent])
        self.offset = np.array(
            [model.joints[first][2] for first in model.balls] + [point for _, _, point in model.effectors]
        )
        if self.slides:
            root = np.sum([model.joints[i][2] for i in self.slides], axis=0)
            self.offset[:n][self.parent[:n] == n + e] += root
        self.above = np.eye(n + e)
        for i, p in enumerate(self.parent.tolist()):
            if p < n + e:
                self.above[i] += self.above[p]
        self.depth = self.above[:n].sum(1).astype(int)
        self.turns = np.array([first + i for first in model.balls for i in range(3)])
        self.lower, self.upper = model.lower[self.turns], model.upper[self.turns]
        self.moves = self.above[n:, :n].T  # (n, e)


class One:
    """One pose: joints are the batch, rotations by doubling pointers."""

    def __init__(self, model: Model) -> None:
        figure = self.figure = Figure(model)
        n, e = figure.n, figure.e
        self.jumps = []
        jump = np.append(figure.parent, n + e)
        reached = 1
        while reached < figure.depth.max():
            self.jumps.append(jump)
            jump, reached = jump[jump], reached * 2
        self.waves = np.ones((n, 3, 3))
        self.local = np.tile(np.eye(3), (n + e + 1, 1, 1))
        self.carried = np.zeros((n + e, 3, 4))  # turn axes x, y, z and offset, in the parent's frame
        self.carried[:n, 0, 0] = 1.0
        self.carried[:, :, 3] = figure.offset
        self.map = _euler_map()
        lift = np.zeros((3 * e, 3, 3 * e))
        for k in range(e):
            lift[3 * k : 3 * k + 3, :, 3 * k : 3 * k + 3] = CROSS.reshape(3, 3, 3)
        self.lift = lift.reshape(3 * e, -1)
        self.mask = np.repeat(np.repeat(figure.moves, 3, 0), 3, 1)
        self.all_move = bool(self.mask.all())
        self.rows = 3 * e
        self.jacobian = np.zeros((3 * n + len(figure.slides), 3 * e))
        if figure.slides:
            self.jacobian[3 * n :] = np.tile(np.eye(3), (1, e))

    def iterate(
        self, turns: Array, slide: Array | None, target: Array, damping: float, locking: bool = False
    ) -> tuple[Array, Array | None]:
        """One iteration: turns (3 n,), slide (3,) or None, target (3 e,) -> the next ones."""
        figure, n, e = self.figure, self.figure.n, self.figure.e
        angles = turns.reshape(n, 3)
        np.cos(angles, out=self.waves[:, :, 1])
        np.sin(angles, out=self.waves[:, :, 2])
        w = self.waves
        outer = (w[:, 0, :, None] * w[:, 1, None, :]).reshape(n, 9, 1) * w[:, 2, None, :]
        local = outer.reshape(n, 27).dot(self.map).reshape(n, 3, 5)
        self.local[:n] = local[:, :, :3]
        self.carried[:n, :, 1:3] = local[:, :, 3:]
        rotation = self.local
        for jump in self.jumps:
            rotation = np.matmul(rotation.take(jump, 0), rotation)
        carried = np.matmul(rotation.take(figure.parent, 0), self.carried)
        place = figure.above.dot(carried[:, :, 3])
        if slide is not None:
            place += slide
        tip = place[n:].reshape(-1)
        axes = carried[:n, :, :3].transpose(0, 2, 1)
        moment = np.matmul(axes, place[:n].dot(CROSS).reshape(n, 3, 3)).reshape(3 * n, 3)
        rows = axes.reshape(3 * n, 3).dot(tip.dot(self.lift).reshape(3, -1))
        rows.reshape(3 * n, e, 3)[...] -= moment[:, None]
        if not self.all_move:
            rows *= self.mask
        if slide is not None:
            self.jacobian[: 3 * n] = rows
            rows = self.jacobian
        error = target - tip
        step = self._step(rows, error, damping)
        if locking:
            step = self._locked(rows, error, damping, step, turns)
        turns = turns + step[: 3 * n]
        np.maximum(turns, figure.lower, out=turns)
        np.minimum(turns, figure.upper, out=turns)
        return turns, None if slide is None else slide + step[3 * n :]

    def _step(self, rows: Array, error: Array, damping: float) -> Array:
        normal = rows.T.dot(rows)
        normal.ravel()[:: self.rows + 1] += damping
        return rows.dot(np.linalg.solve(normal, error))

    def _locked(self, rows: Array, error: Array, damping: float, step: Array, turns: Array) -> Array:
        """The step solved again without what leaves its limits."""
        count, lower, upper = len(turns), self.figure.lower, self.figure.upper
        free = fixed = None
        for _ in range(ROUNDS):
            to = turns + step[:count]
            out = ((to < lower) | (to > upper)).nonzero()[0]
            if not len(out):
                break
            if free is None:
                free, fixed = rows.copy(), np.zeros(len(rows))
            free[out] = 0.0
            fixed[out] = np.minimum(np.maximum(to[out], lower[out]), upper[out]) - turns[out]
            step = self._step(free, error - fixed.dot(rows), damping) + fixed
        return step


def _euler_map() -> Array:
    """(27, 15): products of (1, cos, sin) of x, y, z -> rows of [Rx Ry Rz | axis y | axis z]."""
    draw, waves, wanted = np.random.default_rng(0), [], []
    for _ in range(200):
        x, y, z = draw.uniform(-3, 3, 3)
        parts = [np.array([1.0, np.cos(a), np.sin(a)]) for a in (x, y, z)]
        cx, sx, cy, sy, cz, sz = np.cos(x), np.sin(x), np.cos(y), np.sin(y), np.cos(z), np.sin(z)
        rx = np.array([[1, 0, 0], [0, cx, -sx], [0, sx, cx]])
        ry = np.array([[cy, 0, sy], [0, 1, 0], [-sy, 0, cy]])
        rz = np.array([[cz, -sz, 0], [sz, cz, 0], [0, 0, 1]])
        waves.append(np.einsum("i,j,k", *parts).ravel())
        wanted.append(np.column_stack([rx @ ry @ rz, rx[:, 1], (rx @ ry)[:, 2]]).ravel())
    return np.round(np.linalg.lstsq(np.array(waves), np.array(wanted), rcond=None)[0])


class Many:
    """B poses, frames innermost; turns as tangents of quarter angles, so that nothing needs a sine."""

    def __init__(self, model: Model, frames: int) -> None:
        figure = self.figure = Figure(model)
        n, e = figure.n, figure.e
        self.frames = frames
        order = self.order = np.argsort(figure.depth, kind="stable")
        place = np.append(np.argsort(order), n)  # node -> position; the world stays last
        parent = np.where(figure.parent >= n, n, figure.parent)
        self.parent = place[parent[:n]][order]
        self.tip_parent = place[parent[n:]]
        depth = figure.depth[order]
        self.levels = [
            (int(np.flatnonzero(depth == d)[0]), int(np.flatnonzero(depth == d)[-1]) + 1)
            for d in range(1, depth.max() + 1)
        ]
        self.offset, self.tip_offset = figure.offset[:n][order], figure.offset[n:]
        self.above = np.ascontiguousarray(figure.above[:n, :n][np.ix_(order, order)])
        self.moves = figure.moves[order].astype(bool)
        self.lower = np.tan(figure.lower.reshape(n, 3)[order].T / 4)[:, :, None]
        self.upper = np.tan(figure.upper.reshape(n, 3)[order].T / 4)[:, :, None]
        self.slides = len(figure.slides)
        self.world = np.empty((n + 1, 4, frames))
        self.world[n] = np.array([1.0, 0, 0, 0])[:, None]
        self.right = np.empty((n, 4, 4, frames))
        self.jacobian = np.zeros((3 * e, 3 * n + self.slides, frames))
        for c in range(self.slides):
            self.jacobian[c::3, 3 * n + c] = 1.0
        # coordinates that move the same effectors share one dense block of the normal equations
        reach = np.concatenate([np.tile(self.moves, (3, 1)), np.ones((self.slides, e), bool)])
        self.groups = []
        for key in np.unique(reach, axis=0):
            rows = np.flatnonzero(np.repeat(key, 3))
            self.groups.append((np.ix_(rows, np.flatnonzero((reach == key).all(1))), np.ix_(rows, rows)))

    def pack(self, turns: Array) -> Array:
        """(B, 3 n) angles -> the state (3, n, B)."""
        angles = turns.reshape(self.frames, -1, 3)[:, self.order]
        return np.ascontiguousarray(np.tan(angles.transpose(2, 1, 0) / 4))

    def iterate(
        self, t: Array, slide: Array | None, target: Array, damping: float, locking: bool = False
    ) -> tuple[Array, Array | None]:
        """One iteration: state (3, n, B), slide (3, B) or None, target (3 e, B)."""
        n, e = self.figure.n, self.figure.e
        place, tip, axes = self._forward(t, slide)
        jacobian = self._jacobian(place, tip, axes)
        error = target - tip.reshape(3 * e, -1)
        step = self._step(jacobian, error, damping)
        if locking:
            step = self._locked(jacobian, error, damping, step, t)
        d = step[: 3 * n].reshape(3, n, -1) * 0.25
        t = (t + d) / (1.0 - t * d)
        np.maximum(t, self.lower, out=t)
        np.minimum(t, self.upper, out=t)
        return t, None if slide is None else slide + step[3 * n :]

    def _locked(self, jacobian: Array, error: Array, damping: float, step: Array, t: Array) -> Array:
        """The step solved again without what leaves its limits."""
        turns = 3 * self.figure.n
        angle, lower, upper = (4.0 * np.arctan(x) for x in (t, self.lower, self.upper))
        free = None
        for _ in range(ROUNDS):
            to = angle + step[:turns].reshape(t.shape)
            out = (to < lower) | (to > upper)
            if not out.any():
                break
            if free is None:
                free, fixed = jacobian.copy(), np.zeros(jacobian.shape[1:])
            out_flat = out.reshape(turns, -1)
            free[:, :turns][:, out_flat] = 0.0
            way = np.minimum(np.maximum(to, lower), upper) - angle
            fixed[:turns][out_flat] = way[out]
            step = self._step(free, error - einsum("anb,nb->ab", jacobian, fixed), damping)
            step += fixed
        return step

    def _step(self, jacobian: Array, error: Array, damping: float) -> Array:
        e = self.figure.e
        if len(self.groups) == 1:
            normal = einsum("anb,cnb->acb", jacobian, jacobian)
        else:
            normal = np.zeros((3 * e, 3 * e, self.frames))
            for rows, block in self.groups:
                part = jacobian[rows]
                normal[block] += einsum("anb,cnb->acb", part, part)
        diagonal = np.arange(3 * e)
        normal[diagonal, diagonal] += damping
        return einsum("anb,ab->nb", jacobian, _cholesky(normal, error))

    def _forward(self, t: Array, slide: Array | None) -> tuple[Array, Array, Array]:
        n, frames = self.figure.n, self.frames
        square = t * t
        below = 1.0 / (1.0 + square)
        c, s = (1.0 - square) * below, (t + t) * below  # of the half angles
        (cx, cy, cz), (sx, sy, sz) = c, s
        cc, ss, cs, sc = cy * cz, sy * sz, cy * sz, sy * cz
        w, x, y, z = cx * cc - sx * ss, sx * cc + cx * ss, cx * sc - sx * cs, cx * cs + sx * sc
        right = self.right  # p -> p * local
        for i in range(4):
            right[:, i, i] = w
        for i, j, part in ((1, 0, x), (2, 3, x), (2, 0, y), (3, 1, y), (3, 0, z), (1, 2, z)):
            right[:, i, j] = part
            np.negative(part, out=right[:, j, i])
        world = self.world
        for first, last in self.levels:
            if last - first == 1:
                einsum("ijb,jb->ib", right[first], world[self.parent[first]], out=world[first])
            else:
                world[first:last] = einsum("kijb,kjb->kib", right[first:last], world[self.parent[first:last]])
        rotation = _matrices(world, frames)
        above = rotation.take(self.parent, 2)
        place = np.matmul(self.above, einsum("ijnb,nj->inb", above, self.offset))
        if slide is not None:
            place += slide[:, None]
        tip = np.empty((self.figure.e, 3, frames))
        for k, parent in enumerate(self.tip_parent):
            tip[k] = place[:, parent] + einsum("ijb,j->ib", rotation[:, :, parent], self.tip_offset[k])
        cosine, sine = cx * cx - sx * sx, 2.0 * cx * sx
        axes = np.empty((3, 3, n, frames))
        axes[0] = above[:, 0]
        np.multiply(above[:, 1], cosine, out=axes[1])
        axes[1] += above[:, 2] * sine
        axes[2] = rotation[:, 2, :n]
        return place, tip, axes

    def _jacobian(self, place: Array, tip: Array, axes: Array) -> Array:
        n, jacobian = self.figure.n, self.jacobian
        for k in range(self.figure.e):
            arm = tip[k][:, None] - place
            if not self.moves[:, k].all():
                arm *= self.moves[None, :, k, None]
            for turn in range(3):
                for i, j, l in ((0, 1, 2), (1, 2, 0), (2, 0, 1)):
                    out = jacobian[3 * k + i, turn * n : turn * n + n]
                    np.multiply(axes[turn, j], arm[l], out=out)
                    out -= axes[turn, l] * arm[j]
        return jacobian


def _matrices(q: Array, frames: int) -> Array:
    """(n, 4, B) quaternions -> (3, 3, n, B)."""
    w, x, y, z = (q[:, i] for i in range(4))
    x2, y2, z2 = x + x, y + y, z + z
    xx, yy, zz = x * x2, y * y2, z * z2
    out = np.empty((3, 3, len(q), frames))
    np.subtract(1.0 - yy, zz, out=out[0, 0])
    np.subtract(1.0 - xx, zz, out=out[1, 1])
    np.subtract(1.0 - xx, yy, out=out[2, 2])
    for i, j, product, part in ((0, 1, x * y2, w * z2), (2, 0, x * z2, w * y2), (1, 2, y * z2, w * x2)):
        np.subtract(product, part, out=out[i, j])
        np.add(product, part, out=out[j, i])
    return out


def _cholesky(matrix: Array, right: Array) -> Array:
    """Solve (m, m, B) y = (m, B), symmetric and positive; the matrix is overwritten."""
    m, y = len(matrix), right.copy()
    for j in range(m):
        if j:
            matrix[j, j] -= einsum("kb,kb->b", matrix[j, :j], matrix[j, :j])
        below = 1.0 / np.sqrt(matrix[j, j])
        matrix[j, j] = below
        if j + 1 < m:
            if j:
                matrix[j + 1 :, j] -= einsum("ikb,kb->ib", matrix[j + 1 :, :j], matrix[j, :j])
            matrix[j + 1 :, j] *= below
    for i in range(m):
        if i:
            y[i] -= einsum("kb,kb->b", matrix[i, :i], y[:i])
        y[i] *= matrix[i, i]
    for i in range(m - 1, -1, -1):
        if i + 1 < m:
            y[i] -= einsum("kb,kb->b", matrix[i + 1 :, i], y[i + 1 :])
        y[i] *= matrix[i, i]
    return y
