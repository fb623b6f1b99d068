"""The integer-programming solver (HiGHS), wrapped once: every answer checked, every limit kept."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

from altsets.arrays import Floats, Ints
from altsets.search.run import Run

#: What the solver calls feasible. Any tighter, presolve has been seen to cut off optima; its default is 1e-6.
FEASIBILITY_TOLERANCE = 1e-7
#: By how much the objective is enlarged: an improvement by less than the tolerance is none to the solver.
OBJECTIVE_FACTOR = 1e5
#: By how many tolerances its bound may be off, in the enlarged objective: each programme on the way, and each
#: improvement that it dropped, is off by one.
BOUND_ERROR = 100
#: Coefficients below this are dropped. Its default, 1e-9, drops the difference of nearly equal scores.
DROPPED_COEFFICIENT = 1e-12
#: The absolute gap at which it stops, in the enlarged objective. Its default, 1e-6, is too much.
ABSOLUTE_GAP = 1e-11
#: The tolerance of linear programmes, primal and dual.
LP_TOLERANCE = 1e-9
#: What is added to a bound that no second argument confirms: presolve has been seen to be off by its tolerance.
UNCONFIRMED = 5e-7
#: Steps of the run that a node of the solver's search counts as.
STEPS_PER_NODE = 10
#: Seconds that it gets at least, even if time is up.
MIN_SECONDS = 0.01


@dataclass(frozen=True)
class Solution:
    """What the solver found: values (None if none), and a bound (-inf if proven infeasible)."""

    values: Floats | None
    bound: float


class Programme:
    """An integer programme: maximise a linear function of bounded variables. Coefficients should be of order one."""

    def __init__(self) -> None:
        self._lower: list[float] = []
        self._upper: list[float] = []
        self._cost: list[float] = []
        self._integer: list[bool] = []
        self._row_lower: list[float] = []
        self._row_upper: list[float] = []
        self._of_objective: list[bool] = []
        self._found: Floats | None = None
        self._start: list[int] = [0]
        self._index: list[int] = []
        self._value: list[float] = []

    def variable(self, upper: float, *, cost: float = 0.0, integer: bool = True, lower: float = 0.0) -> int:
        """Add a variable and return its number."""
        self._lower.append(lower)
        self._upper.append(upper)
        self._cost.append(cost)
        self._integer.append(integer)
        return len(self._cost) - 1

    def row(
        self,
        terms: dict[int, float],
        *,
        lower: float = -math.inf,
        upper: float = math.inf,
        of_objective: bool = False,
    ) -> None:
        """Add lower <= terms <= upper; a row ``of_objective`` only defines a variable of the objective."""
        self._of_objective.append(of_objective)
        self._index.extend(terms)
        self._value.extend(terms.values())
        self._start.append(len(self._index))
        self._row_lower.append(lower)
        self._row_upper.append(upper)

    def fix_least(self, variable: int, lower: float) -> None:
        """Raise a variable's lower bound and take it out of the objective."""
        self._lower[variable], self._cost[variable] = lower, 0.0

    def set_cost(self, variable: int, cost: float) -> None:
        """Change a variable's part in the objective."""
        self._cost[variable] = cost

    def maximise(self, run: Run, gap: float = 0.0, *, presolve: bool = True) -> Solution:
        """Solve until proven up to a relative gap, out of time or interrupted; start from the last values found."""
        # One run alone proves nothing, as presolve has been seen to lose solutions.
        import highspy

        solver = self._solve(highspy, self._model(highspy), run, gap, presolve=presolve)
        solution = self._solution(solver, highspy)
        if solution.values is not None:
            self._found = solution.values
        return solution

    def written(self, names: dict[int, str], factor: float, suffix: str) -> bytes:
        """The programme as a file of this kind; variables are called so, and the objective is enlarged."""
        import highspy

        solver, model = _silent_solver(highspy), self._model(highspy)
        model.col_cost_ = np.array(self._cost) * factor
        model.col_names_ = [names.get(number, f"v{number}") for number in range(len(self._cost))]
        solver.passModel(model)
        with TemporaryDirectory() as folder:
            path = Path(folder) / f"model{suffix}"
            solver.writeModel(str(path))
            return path.read_bytes()

    def is_empty(self, run: Run) -> bool:
        """Whether it is confirmed that no values satisfy the rows."""
        # Presolve has been seen to call programmes infeasible whose objective holds numbers of very different size: so
        # there is no objective here, and no presolve if other rows have fractions.
        import highspy

        model = self._model(highspy, objective=False)
        solver = self._solve(highspy, model, run, presolve=self._is_integral)
        return bool(solver.getModelStatus() == highspy.HighsModelStatus.kInfeasible)

    @property
    def _is_integral(self) -> bool:
        """Whether all rows but those of the objective have whole numbers only."""
        kept = ~np.repeat(np.array(self._of_objective, dtype=bool), np.diff(self._start))
        numbers = np.array([*np.array(self._value)[kept], *self._row_lower, *self._row_upper])
        numbers = numbers[np.isfinite(numbers)]
        return bool((numbers == np.rint(numbers)).all())

    def _solve(self, highspy: Any, model: Any, run: Run, gap: float = 0.0, *, presolve: bool = True) -> Any:
        """The solver when it is done, out of time or interrupted."""
        solver = _silent_solver(highspy)
        self._set_options(solver, run, gap)
        solver.setOptionValue("presolve", "choose" if presolve else "off")
        solver.passModel(model)
        if self._found is not None and len(self._found) == len(self._cost):
            known = highspy.HighsSolution()
            known.col_value = self._found.tolist()
            solver.setSolution(known)

        def on_interrupt(event: Any) -> None:
            # event.interrupt() does the same since highspy 1.11.
            if run.tick(0) and event.data_in is not None:
                event.data_in.user_interrupt = True

        solver.cbMipInterrupt += on_interrupt
        solver.cbSimplexInterrupt += on_interrupt
        solver.run()
        run.tick(STEPS_PER_NODE * max(int(solver.getInfo().mip_node_count), 1))
        return solver

    def _set_options(self, solver: Any, run: Run, gap: float) -> None:
        # The defaults call 0.01 % off "optimal".
        solver.setOptionValue("mip_rel_gap", gap)
        solver.setOptionValue("mip_abs_gap", ABSOLUTE_GAP)
        solver.setOptionValue("small_matrix_value", DROPPED_COEFFICIENT)
        solver.setOptionValue("mip_feasibility_tolerance", FEASIBILITY_TOLERANCE)
        if math.isfinite(run.remaining):
            solver.setOptionValue("time_limit", max(run.remaining, MIN_SECONDS))
        if math.isfinite(run.steps_left):
            # The solver stops by nodes alone, so that its answer does not depend on the clock.
            solver.setOptionValue("mip_max_nodes", max(int(run.steps_left) // STEPS_PER_NODE, 1))

    def _solution(self, solver: Any, highspy: Any) -> Solution:
        """What the solver found, with a bound that allows for its tolerances."""
        status = solver.getModelStatus()
        if status in (highspy.HighsModelStatus.kInfeasible, highspy.HighsModelStatus.kUnboundedOrInfeasible):
            return Solution(None, -math.inf)
        info = solver.getInfo()
        bound = float(info.mip_dual_bound) if any(self._integer) else math.inf
        if status == highspy.HighsModelStatus.kOptimal and not any(self._integer):
            bound = float(info.objective_function_value)
        bound = (bound + BOUND_ERROR * FEASIBILITY_TOLERANCE) / OBJECTIVE_FACTOR
        values = np.array(solver.getSolution().col_value)
        if info.primal_solution_status != 2 or not len(values):
            return Solution(None, bound)
        return Solution(values, bound)

    def _model(self, highspy: Any, *, objective: bool = True) -> Any:
        """The programme as the solver takes it, with its objective or without."""
        costs = np.array(self._cost) * OBJECTIVE_FACTOR
        lower, upper = np.array([self._row_lower, self._row_upper], dtype=np.float64)
        if not objective:
            free = np.array(self._of_objective, dtype=bool)
            lower[free], upper[free] = -math.inf, math.inf
        lp = highspy.HighsLp()
        lp.num_col_, lp.num_row_ = len(costs), len(lower)
        lp.sense_ = highspy.ObjSense.kMaximize
        lp.col_cost_ = costs if objective else np.zeros(len(costs))
        lp.col_lower_, lp.col_upper_ = np.array(self._lower), np.array(self._upper)
        lp.row_lower_, lp.row_upper_ = lower, upper
        lp.a_matrix_.format_ = highspy.MatrixFormat.kRowwise
        lp.a_matrix_.start_, lp.a_matrix_.index_ = np.array(self._start), np.array(self._index)
        lp.a_matrix_.value_ = np.array(self._value)
        kinds = highspy.HighsVarType
        lp.integrality_ = [kinds.kInteger if integer else kinds.kContinuous for integer in self._integer]
        return lp


def _silent_solver(highspy: Any) -> Any:
    solver = highspy.Highs()
    solver.setOptionValue("output_flag", False)
    solver.setOptionValue("threads", 1)
    return solver


class LinearProgramme:
    """A linear programme over variables >= 0 that grows by columns and rows and is solved from where it was.

    Additions are passed on when it is solved: the solver takes as long for one row as for many.
    """

    def __init__(self) -> None:
        import highspy

        self._solver = _silent_solver(highspy)
        self._solver.setOptionValue("presolve", "off")
        for tolerance in ("primal_feasibility_tolerance", "dual_feasibility_tolerance"):
            self._solver.setOptionValue(tolerance, LP_TOLERANCE)
        self._solver.changeObjectiveSense(highspy.ObjSense.kMaximize)
        self._optimal = highspy.HighsModelStatus.kOptimal
        self._has_new_columns = False
        self._infinity = highspy.kHighsInf
        # Rows that the solver has; cost and terms of columns, limits and terms of rows that it does not have yet.
        self._n_rows = 0
        self._columns: list[tuple[float, dict[int, float]]] = []
        self._rows: list[tuple[float, float, dict[int, float]]] = []
        self._n_columns = 0

    @property
    def n_rows(self) -> int:
        """How many rows there are."""
        return self._n_rows + len(self._rows)

    def add_row(self, terms: dict[int, float], *, lower: float = -math.inf, upper: float = math.inf) -> int:
        """Add a row over the columns that are there, and return its number."""
        self._rows.append((max(lower, -self._infinity), min(upper, self._infinity), dict(terms)))
        self._has_new_columns = False
        return self.n_rows - 1

    def add_column(self, cost: float, terms: dict[int, float]) -> int:
        """Add a variable with its part in the objective and in the rows that are there, and return its number."""
        column, there = self._n_columns + len(self._columns), dict(terms)
        if self._rows:
            # Rows come after columns, and bring along what these count in them.
            there = {row: value for row, value in terms.items() if row < self._n_rows}
            for row in terms.keys() - there.keys():
                self._rows[row - self._n_rows][2][column] = terms[row]
        self._columns.append((cost, there))
        self._has_new_columns = True
        return column

    def _hand_over(self) -> None:
        """Give the solver what it does not have yet."""
        if self._columns:
            count = len(self._columns)
            costs = np.array([cost for cost, _ in self._columns])
            matrix = _compressed([terms for _, terms in self._columns])
            self._solver.addCols(count, costs, np.zeros(count), np.full(count, self._infinity), *matrix)
            self._n_columns += count
            self._columns = []
        if self._rows:
            count = len(self._rows)
            lower, upper = np.array([limits[:2] for limits in self._rows]).T.copy()
            self._solver.addRows(count, lower, upper, *_compressed([terms for _, _, terms in self._rows]))
            self._n_rows += count
            self._rows = []

    def maximise(self) -> tuple[Floats, Floats] | None:
        """Values of the variables and prices of the rows; None if the solver did not come to an end."""
        self._hand_over()
        # With new columns the old solution is feasible (primal simplex), with new rows its prices are (dual simplex).
        self._solver.setOptionValue("simplex_strategy", 4 if self._has_new_columns else 1)
        self._solver.run()
        if self._solver.getModelStatus() != self._optimal:
            return None
        solution = self._solver.getSolution()
        return np.array(solution.col_value), np.array(solution.row_dual)


def _compressed(lines: Sequence[dict[int, float]]) -> tuple[int, Ints, Ints, Floats]:
    """Columns or rows one after the other: how many numbers, where each line begins, their places, the numbers."""
    places = [place for terms in lines for place in terms]
    values = [value for terms in lines for value in terms.values()]
    starts = np.zeros(len(lines), dtype=np.int32)
    np.cumsum([len(terms) for terms in lines[:-1]], out=starts[1:])
    return len(places), starts, np.array(places, dtype=np.int32), np.array(values, dtype=np.float64)
