"""Random survival tables with ties, censoring and weights, and what R's survival and scikit-survival say of them.

``python tests/helpers/survival_reference.py > tests/fixtures/survival_reference.json`` computes the numbers anew; it
needs Rscript with the package survival, and scikit-survival and lifelines, which the tests themselves do without.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import NamedTuple

import numpy as np

N_TABLES = 60

R_SCRIPT = """
library(survival)
options(digits = 17, warn = -1)
table <- read.csv(commandArgs(TRUE)[1])
for (number in unique(table$table)) {
  d <- table[table$table == number, ]
  target <- Surv(d$time, d$event)
  repeated <- d[rep(seq_len(nrow(d)), d$whole), ]
  start <- coxph.control(iter.max = 0)
  values <- c(
    concordance(target ~ x, data = d, reverse = TRUE)$concordance,
    concordance(target ~ x, data = d, weights = weight, reverse = TRUE)$concordance,
    coxph(target ~ x, data = d, ties = "efron", control = start)$score,
    coxph(target ~ x, data = d, weights = weight, ties = "efron", control = start)$score,
    coxph(target ~ factor(group), data = d, ties = "efron", control = start)$score,
    survdiff(target ~ group, data = d)$chisq,
    survdiff(Surv(time, event) ~ group, data = repeated)$chisq)
  cat(number, format(values, digits = 17), "\\n")
}
"""
NAMES = (
    "concordance",
    "weighted_concordance",
    "cox",
    "weighted_cox",
    "cox_groups",
    "logrank",
    "whole_logrank",
)


class Table(NamedTuple):
    """One table: a column of numbers, one of groups, the target, weights of any kind and whole ones."""

    x: np.ndarray
    group: np.ndarray
    time: np.ndarray
    event: np.ndarray
    weight: np.ndarray
    whole: np.ndarray


def random_table(number: int) -> Table:
    """The same table for the same number, everywhere."""
    rng = np.random.default_rng([36, number])
    n = int(rng.integers(12, 80))
    x = rng.normal(size=n) if rng.random() < 0.5 else rng.integers(0, 6, n).astype(float)
    time = rng.exponential(size=n) * np.exp(-0.5 * x / 2)
    if rng.random() < 0.7:
        time = np.ceil(time * rng.integers(3, 12))
    event = rng.random(n) < rng.uniform(0.2, 1.0)
    group = np.arange(n) % int(rng.integers(2, 5))
    # Someone has an event while others of each group are still observed.
    first = int(np.argmin(time))
    event[first] = True
    order = rng.permutation(n)
    return Table(x[order], group, time[order], event[order], rng.uniform(0.2, 3.0, n), rng.integers(1, 4, n))


def main() -> None:
    from sksurv.metrics import concordance_index_censored, concordance_index_ipcw

    tables = [random_table(number) for number in range(N_TABLES)]
    with tempfile.TemporaryDirectory() as folder:
        path, script = Path(folder) / "tables.csv", Path(folder) / "script.R"
        script.write_text(R_SCRIPT)
        with path.open("w") as file:
            file.write("table,x,group,time,event,weight,whole\n")
            for number, table in enumerate(tables):
                for row in zip(*table, strict=True):
                    cells = ",".join(repr(float(cell)) for cell in row)
                    file.write(f"{number},{cells}\n")
        answer = subprocess.run(["Rscript", script, path], capture_output=True, text=True, check=True).stdout
    found = []
    for line, table in zip(answer.strip().splitlines(), tables, strict=True):
        known = dict(zip(NAMES, map(float, line.split()[1:]), strict=True))
        y = np.array(
            list(zip(table.event, table.time, strict=True)), dtype=[("event", bool), ("time", float)]
        )
        known["harrell"] = float(concordance_index_censored(table.event, table.time, table.x)[0])
        until = float(np.quantile(table.time, 0.7))
        try:
            known["uno"] = float(concordance_index_ipcw(y, y, table.x)[0])
            known["uno_until"] = float(concordance_index_ipcw(y, y, table.x, tau=until)[0])
        except (ValueError, ZeroDivisionError) as error:
            print(error, file=sys.stderr)
        found.append({name: value for name, value in known.items() if np.isfinite(value)})
    print(json.dumps(found, indent=0))


if __name__ == "__main__":
    main()
