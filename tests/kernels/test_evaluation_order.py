"""No kernel depends on the order in which C evaluates operands, and the test of that finds those that would."""

from __future__ import annotations

from pathlib import Path

import pytest
from evaluation_order import Kernel, faults

from altsets import _kernels

FOLDER = Path(_kernels.__file__).parent


@pytest.mark.parametrize("name", _kernels.KERNELS)
def test_no_kernel_depends_on_the_order_of_evaluation(name):
    assert faults((FOLDER / f"{name}.py").read_text(encoding="utf-8")) == []


#: The search that gave one answer on ARM and another one on x86-64; the expression is to be filled in.
STRIPS = """
class Strips:
    def __init__(self, reached, tick=None):
        self.reached, self.tick, self.n, self.best = reached, tick, 3, 0.0

    def level(self, strip, y):
        self.reached[strip] += y
        return self.reached[strip]

    def through(self, strip, y):
        return self.level(strip, y)

    def peek(self, strip):
        return self.reached[strip] + self.n

    def grow(self):
        self.n += 1
        return self.n

    def ask(self):
        return self.tick()

    def search(self, strip, down, up):
        return 100 * strip + 10 * down + up

    def run(self, right, y, flag, out):
        {}


def bump(state, below):
    state[0] = state[0] * 7 % below
    return state[0]


def square(x):
    return x * x
"""

DEPENDENT = [
    "return self.search(right, self.level(right, y) - 1, self.reached[right])",
    "return self.search(right, self.through(right, y) - 1, self.reached[right])",
    "return self.search(self.level(right, y), self.n, y)",
    "return self.search(right, up=self.level(right, y), down=self.n)",
    "return self.search(self.level(right, y), self.peek(right), y)",
    "return self.search(self.level(right, y), self.grow(), y)",
    "return self.level(right, y) + self.reached[right]",
    "return self.n - self.grow()",
    "return self.level(right, y) < self.reached[right]",
    "return 0 < self.grow() < self.n",
    "return min(self.grow(), self.n)",
    "return self.reached[self.grow()]",
    "return out[self.n, self.grow()]",
    "return [self.grow(), self.n]",
    "return square(right) + self.grow()",
    "return bump(out, 5) + out[0]",
    "return bump(out, 5) - bump(out, 7)",
    "return self.best if flag else self.n + self.grow()",
    "return flag and self.n + self.grow()",
    "return -(self.n + self.grow())",
    "return self.n * self.tick()",
    "return self.n * self.ask()",
    "return y * self.n + max(0, self.through(right, y))",
    "self.n += self.grow()",
    "self.reached[right] += self.grow()",
    "out[0] += bump(out, 5)",
    "self.reached[right] = self.grow()",
    "out[self.n] = self.grow()",
    "y, out[self.n] = self.grow(), 0",
    "out[0], y = self.n, self.grow()",
    "y: int = self.n + self.grow()",
    "for y in range(self.grow(), self.n): pass",
    "while self.grow() < self.n: pass",
    "if (y := self.grow()) > 3: pass",
    "global bump",
    "return [self.n + self.grow() for _ in out]",
    "return (lambda: self.n + self.grow())()",
    "with self.tick(self.n, self.grow()): pass",
]

INDEPENDENT = [
    "return self.search(right, self.peek(right) - 1, self.reached[right])",
    "return self.search(right, self.level(right, y) - 1, y)",
    "return self.search(1, 2, self.through(right, self.level(right, y)))",
    "return self.n > 2 and self.grow() > 3 or self.peek(right) > 4",
    "return self.grow() if self.n > 3 else self.level(right, y)",
    "return self.peek(right) + self.reached[right] + self.n",
    "return bump(out, 5) * (1 + y * y) + abs(right)",
    "return self.level(right, y) + max(right, y)",
    "return square(right) + square(y) + self.n",
    "y += self.grow()",
    "self.n = self.grow()",
    "self.n, self.best = self.peek(right), self.reached[right]",
    "out[right] = self.grow()",
    "out[right] += self.peek(right)",
    "at = self.level(right, y)\n        return self.search(right, at - 1, self.reached[right])",
    "for y in range(self.n, self.peek(right)): self.grow()",
    "while not self.tick() and self.n > 3: pass",
]


@pytest.mark.parametrize("body", DEPENDENT)
def test_what_depends_on_the_order_is_found(body):
    assert faults(STRIPS.format(body))


@pytest.mark.parametrize("body", INDEPENDENT)
def test_what_does_not_is_not(body):
    assert faults(STRIPS.format(body)) == []


def test_functions_that_write_are_known_through_others():
    kernel = Kernel(STRIPS.format("return self.n"))
    assert kernel.writing == {"__init__", "level", "through", "grow", "ask", "bump"}
