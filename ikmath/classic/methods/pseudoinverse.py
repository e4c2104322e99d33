# SPDX-License-Identifier: GPL-3.0-or-later
"""The method of the texts: `dh = J^+ dX + (I - J^+ J) z`, repeated until the goals are reached.

The pseudo-inverse (Ki & Sheen, section 4; Ge, 2.2.1, 4.2; Parent, eq. 13; Whitney's positioning) uses an
exchangeable singular value decomposition, warm-started if that helps. The null-space vector z is the step
towards the posture. Singular values below a share of the largest one count as zero; where one crosses this
threshold the step jumps (Ki & Sheen, section 7; Ge, 3.2), which is the reason for `damped`.

Whitney's control of the tracking error: a step is halved if its result differs from the linear prediction by
more than a share of its length. Programs after Whitney compare the new position with the goal; comparing it
with the prediction is equivalent and also works if the goal is out of reach.

Joint stiffness is the metric of the coordinates: the pseudo-inverse is that of `J W^(1/2)`.
"""

from dataclasses import dataclass
from typing import Any, ClassVar, Final

import numpy as np

from ...model.pose import Pose
from ...parameters import setting
from ...problem.problem import Problem, Solution
from ...rotation import Array
from ...solvers.method import Options
from ..linalg.pseudoinverse import least_squares, project_to_null_space
from ..loop import Incremental, solve_one
from ..stepping import Linear, SteppingOptions
from ..svd.svd import SVD, backend

_ALL: Final = 1e6  # a tracking value that accepts every step
_SHORTEST: Final = 2.0**-12  # halvings end here; smaller steps are not more linear


@dataclass(frozen=True, kw_only=True)
class PseudoinverseOptions(SteppingOptions):
    """Options of `pseudoinverse`.

    Attributes:
        svd: name of the decomposition, see `ikmath.SVD`.
        threshold: singular values up to this share of the largest one count as zero.
        tracking: share of a step by which its result may differ from the linear prediction before it is
            halved; a million and more, or infinity, accepts every step, as plain Euler integration.
    """

    svd: str = setting(
        "lapack", "SVD", "How the Jacobian is decomposed; the result is the same", choices=tuple(SVD)
    )
    threshold: float = setting(
        1e-3, "Threshold", "Singular values up to this share of the largest one count as zero", maximum=0.999
    )
    tracking: float = setting(
        2.0,
        "Tracking",
        "How far a step may miss its linear prediction, as a share of its length, before it is halved; a "
        "million accepts every step",
        minimum=1e-3,
        maximum=np.inf,
    )


class Pseudoinverse(Incremental):
    """See the module."""

    name: ClassVar[str] = "pseudoinverse"
    label: ClassVar[str] = "Pseudo-Inverse"
    description: ClassVar[str] = (
        "The shortest step that reaches the goals. Exact, but unsteady near stretched poses."
    )
    source: ClassVar[str] = "Ki & Sheen, section 4; Ge 2000, 2.2.1 and 3.1; Parent; Whitney"
    options: ClassVar[type[Options]] = PseudoinverseOptions
    obstacles: ClassVar[bool] = True

    def solve(self, problem: Problem, q: Array, options: Any) -> Solution:
        # Plain Euler integration takes every step, also one that increases the error.
        return solve_one(_EULER if options.tracking >= _ALL else self, problem, q, options)

    def step(self, error: Array, jacobian: Array, state: Linear, options: Any) -> Array:
        root = None if state.mobility is None else np.sqrt(state.mobility)
        weighed = jacobian if root is None else jacobian * root
        chosen = backend(options.svd)
        basis = state.memory.get("basis")
        if basis is not None and basis.matrix.shape[0] not in weighed.shape:
            basis = None  # a limit method added or removed rows
        decomposition, state.memory["basis"] = chosen.decompose(weighed, basis)
        towards = least_squares(decomposition, -error, threshold=options.threshold)
        if state.posture_step is not None:
            posture_step = state.posture_step if root is None else state.posture_step / root
            towards = towards + project_to_null_space(
                decomposition, posture_step, threshold=options.threshold
            )
        dq = towards if root is None else root * towards
        return dq if options.tracking >= _ALL else self._halved(dq, error, jacobian, state, options.tracking)

    def _halved(self, dq: Array, error: Array, jacobian: Array, state: Linear, tracking: float) -> Array:
        """The step, halved until its result agrees with the linear prediction."""
        problem, rows = state.problem, state.problem.stack.rows
        scale = problem.stack.scale
        promised = jacobian[:rows].dot(dq)
        allowed = tracking * float(np.linalg.norm(promised))
        # Refused nevertheless (a limit changed the step, or the goals contradict each other): shorter, from
        # the same q.
        at, caution, refusals = state.memory.get("at", (None, 0.0, 0))
        if at is not state.q:
            refusals = 0
        elif state.caution > caution:
            refusals += 1
        state.memory["at"] = (state.q, state.caution, refusals)
        share = 0.5**refusals
        while share > _SHORTEST:
            raw, _ = problem.stack.evaluate(
                problem.tasks, Pose.trusted(problem.skeleton, state.q + share * dq)
            )
            missed = raw * scale - error[:rows] - share * promised
            if float(np.linalg.norm(missed)) <= share * allowed:
                break
            share *= 0.5
        return dq if share == 1.0 else share * dq


class _Euler(Pseudoinverse):
    """Without control of the tracking error."""

    careful: ClassVar[bool] = False


_EULER: Final = _Euler()
