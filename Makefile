# Two commands: `make demo` shows the main job, `make test` checks everything. Both make what they
# need; a stamp file keeps a second run from installing again.

PYTHON ?= python3
BIN := .venv/bin
WHEEL_BIN := .venv-wheel/bin
WHEEL_TESTS := build/wheel-tests
PIP_FLAGS := --quiet --disable-pip-version-check

.PHONY: demo test lint types unit wheel oracles docs clean

demo: .venv/.demo
	$(BIN)/python -m beliefgraph.simulate examples/interviews/bus_lanes_tyt.csv --do "Bus speed=0.8"

test: lint types unit wheel

lint: .venv/.dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: .venv/.dev
	$(BIN)/mypy

unit: .venv/.dev
	$(BIN)/python -m pytest

# The wheel, in an environment with default dependencies and pytest only, from a folder without the
# checkout; tests that need an extra skip and say so.
wheel: .venv/.dev .venv-wheel/.deps
	rm -rf build dist
	$(BIN)/python -m build --wheel --outdir dist . > .venv/build.log 2>&1 || (cat .venv/build.log; exit 1)
	$(WHEEL_BIN)/pip install $(PIP_FLAGS) --force-reinstall --no-deps dist/*.whl
	mkdir -p $(WHEEL_TESTS)
	cp -R tests examples docs benchmarks *.md Makefile pyproject.toml $(WHEEL_TESTS)
	cd $(WHEEL_TESTS) && BELIEFGRAPH_INSTALLED=1 ../../$(WHEEL_BIN)/python -m pytest

.venv/bin/python:
	$(PYTHON) -m venv .venv

.venv/.demo: .venv/bin/python pyproject.toml
	$(BIN)/pip install $(PIP_FLAGS) -e ".[en]"
	touch $@

.venv/.dev: .venv/bin/python pyproject.toml
	$(BIN)/pip install $(PIP_FLAGS) -e ".[dev]"
	touch $@ .venv/.demo

.venv-wheel/.deps: pyproject.toml .venv/.dev
	$(PYTHON) -m venv --clear .venv-wheel
	$(BIN)/python -c 'import tomllib; print("\n".join(tomllib.load(open("pyproject.toml", "rb"))["project"]["dependencies"]))' > .venv/default.txt
	$(WHEEL_BIN)/pip install $(PIP_FLAGS) -r .venv/default.txt "pytest>=8"
	touch $@

# Second opinions on the engine from pgmpy and sempler, in an environment of their own (pgmpy needs
# torch: constraints.txt keeps it to a release with a build for processors alone).
oracles: .venv-oracles/.deps
	.venv-oracles/bin/python -m pytest tests/test_simulate_*.py

.venv-oracles/.deps: pyproject.toml constraints.txt
	$(PYTHON) -m venv --clear .venv-oracles
	.venv-oracles/bin/pip install $(PIP_FLAGS) torch -c constraints.txt
	.venv-oracles/bin/pip install $(PIP_FLAGS) -c constraints.txt -e ".[en,frames,fast,pgmpy]" "hypothesis>=6.100" "pytest>=8" sempler
	touch $@

docs: .venv/.dev
	$(BIN)/python docs/refresh.py

clean:
	rm -rf .venv .venv-wheel .venv-oracles build dist *.egg-info .mypy_cache .pytest_cache .ruff_cache .hypothesis
