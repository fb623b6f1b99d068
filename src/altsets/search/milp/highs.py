"""The integer-programming solver (HiGHS), wrapped once: every answer checked, every limit kept."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from altsets.arrays import Floats
from altsets.search.milp.limits import MILP_LIMITS, MilpLimits
from altsets.search.run import Run

__all__ = ["LinearProgramme", "Programme", "Solution"]


@dataclass(frozen=True)
class Solution:
    """What the solver found: values (None if none), and a bound (-inf if proven infeasible)."""

    values: Floats | None
    bound: float


class Programme:
    """An integer programme under construction: maximise a linear function of bounded variables.

    Coefficients should be of order one: the solver's tolerances are absolute.
    """

    def __init__(self, limits: MilpLimits = MILP_LIMITS) -> None:
        self._limits = limits
        self._lower: list[float] = []
        self._upper: list[float] = []
        self._cost: list[float] = []
        self._integer: list[bool] = []
        self._row_lower: list[float] = []
        self._row_upper: list[float] = []
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

    def row(self, terms: dict[int, float], *, lower: float = -math.inf, upper: float = math.inf) -> None:
        """Add a row: lower <= sum of coefficient * variable <= upper."""
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

    def maximise(self, run: Run, gap: float = 0.0) -> Solution:
        """Solve until proven but for a relative gap, out of time or interrupted."""
        import highspy

        solver = _silent_solver(highspy)
        self._set_options(solver, run, gap)
        solver.passModel(self._model(highspy))

        def on_interrupt(event: Any) -> None:
            if run.tick(0):
                event.interrupt()

        solver.cbMipInterrupt += on_interrupt
        solver.cbSimplexInterrupt += on_interrupt
        solver.run()
        run.tick(self._limits.steps_per_node * max(int(solver.getInfo().mip_node_count), 1))
        return self._solution(solver, highspy)

    def _set_options(self, solver: Any, run: Run, gap: float) -> None:
        limits = self._limits
        # The defaults call 0.01 % off "optimal".
        solver.setOptionValue("mip_rel_gap", gap)
        solver.setOptionValue("mip_abs_gap", limits.absolute_gap)
        solver.setOptionValue("small_matrix_value", limits.dropped_coefficient)
        solver.setOptionValue("mip_feasibility_tolerance", limits.feasibility_tolerance)
        if math.isfinite(run.remaining):
            solver.setOptionValue("time_limit", max(run.remaining, limits.min_seconds))
        if math.isfinite(run.steps_left):
            # The solver decides by nodes alone how far it goes, so the clock has no say in what it finds.
            solver.setOptionValue("mip_max_nodes", max(int(run.steps_left) // limits.steps_per_node, 1))

    def _solution(self, solver: Any, highspy: Any) -> Solution:
        """What the solver found, with a bound that allows for its tolerances."""
        status, limits = solver.getModelStatus(), self._limits
        if status in (highspy.HighsModelStatus.kInfeasible, highspy.HighsModelStatus.kUnboundedOrInfeasible):
            return Solution(None, -math.inf)
        info = solver.getInfo()
        bound = float(info.mip_dual_bound) if any(self._integer) else math.inf
        if status == highspy.HighsModelStatus.kOptimal and not any(self._integer):
            bound = float(info.objective_function_value)
        bound = (bound + limits.bound_error * limits.feasibility_tolerance) / limits.objective_factor
        values = np.array(solver.getSolution().col_value)
        if info.primal_solution_status != 2 or not len(values):
            return Solution(None, bound)
        return Solution(values, bound)

    def _model(self, highspy: Any) -> Any:
        lp = highspy.HighsLp()
        lp.num_col_ = len(self._cost)
        lp.num_row_ = len(self._row_lower)
        lp.sense_ = highspy.ObjSense.kMaximize
        lp.col_cost_ = np.array(self._cost) * self._limits.objective_factor
        lp.col_lower_ = np.array(self._lower)
        lp.col_upper_ = np.array(self._upper)
        lp.row_lower_ = np.array(self._row_lower)
        lp.row_upper_ = np.array(self._row_upper)
        lp.a_matrix_.format_ = highspy.MatrixFormat.kRowwise
        lp.a_matrix_.start_ = np.array(self._start)
        lp.a_matrix_.index_ = np.array(self._index)
        lp.a_matrix_.value_ = np.array(self._value)
        kinds = highspy.HighsVarType
        lp.integrality_ = [kinds.kInteger if integer else kinds.kContinuous for integer in self._integer]
        return lp


def _silent_solver(highspy: Any) -> Any:
    """A solver that prints nothing and takes one thread."""
    solver = highspy.Highs()
    solver.setOptionValue("output_flag", False)
    solver.setOptionValue("threads", 1)
    return solver


class LinearProgramme:
    """A linear programme that grows by columns and rows and is solved again from where it was.

    Maximises over variables >= 0.
    """

    def __init__(self, limits: MilpLimits = MILP_LIMITS) -> None:
        import highspy

        limits = limits
        self._solver = _silent_solver(highspy)
        self._solver.setOptionValue("presolve", "off")
        for tolerance in ("primal_feasibility_tolerance", "dual_feasibility_tolerance"):
            self._solver.setOptionValue(tolerance, limits.lp_tolerance)
        self._solver.changeObjectiveSense(highspy.ObjSense.kMaximize)
        self._optimal = highspy.HighsModelStatus.kOptimal
        self._has_new_columns = False
        self._infinity = highspy.kHighsInf

    def add_row(self, terms: dict[int, float], *, lower: float = -math.inf, upper: float = math.inf) -> None:
        """Add a row over the columns that are there."""
        indices, values = np.array(list(terms), dtype=np.int32), np.array(list(terms.values()))
        low, high = max(lower, -self._infinity), min(upper, self._infinity)
        self._solver.addRow(low, high, len(indices), indices, values)
        self._has_new_columns = False

    def limit_row(self, row: int, lower: float, upper: float) -> None:
        """Give a row other limits."""
        self._solver.changeRowBounds(row, lower, upper)
        self._has_new_columns = False

    def add_column(self, cost: float, terms: dict[int, float]) -> None:
        """Add a variable with its part in the objective and in the rows that are there."""
        indices, values = np.array(list(terms), dtype=np.int32), np.array(list(terms.values()))
        self._solver.addCol(cost, 0.0, self._infinity, len(indices), indices, values)
        self._has_new_columns = True

    def maximise(self) -> tuple[Floats, Floats] | None:
        """Values of the variables and prices of the rows; None if the solver did not come to an end."""
        # With new columns the old solution is feasible (primal simplex), with new rows its prices are (dual simplex).
        self._solver.setOptionValue("simplex_strategy", 4 if self._has_new_columns else 1)
        self._solver.run()
        if self._solver.getModelStatus() != self._optimal:
            return None
        solution = self._solver.getSolution()
        return np.array(solution.col_value), np.array(solution.row_dual)
