# From a fresh clone: `make run` runs the main job, `make test` the checks. Both set everything up.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.installed
export PYTHONUTF8 := 1

.PHONY: run test test-all fuzz crash venv lint clean

QUICK := liars-dice-1x4-quick

run: venv
	mkdir -p runs
	$(BIN)/tacit train $(QUICK) --plot runs/$(QUICK).png \
	    $(if $(wildcard runs/$(QUICK)/settings.json),--resume)

test: venv lint
	$(BIN)/pytest -m "not slow" -n 2

test-all: venv lint
	$(BIN)/pytest -n 2

# An hour of mutated inputs for every reader; interrupted, it resumes with the same command.
fuzz: venv
	mkdir -p runs
	cd tests && ../$(BIN)/python -m fuzz.run --minutes 60 --state ../runs/fuzz.json

# A hundred kills at random moments of every command that writes.
crash: venv
	cd tests && ../$(BIN)/python -m crash.run --kills 100

lint: venv
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/lint-imports

venv: $(STAMP)

$(STAMP): pyproject.toml constraints.txt
	$(PYTHON) -m venv $(VENV)
	$(BIN)/pip install --quiet --constraint constraints.txt --editable '.[dev,openspiel,ray]'
	$(BIN)/tacit warm-up
	touch $(STAMP)

clean:
	rm -rf $(VENV) .mypy_cache .ruff_cache .pytest_cache .import_linter_cache runs
