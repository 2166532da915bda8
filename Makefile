# Every target works as the first command on a fresh clone: the virtual environment is a file target.
PYTHON ?= python3
VENV   ?= .venv
BIN    := $(VENV)/bin
READY  := $(VENV)/.ready

.PHONY: help demo test lint format clean

help:
	@echo "make demo    a whole-depot client refused, on a throw-away server (touches no real one)"
	@echo "make test    all tests"
	@echo "make lint    ruff, mypy --strict, import directions"
	@echo "make format  let ruff lay the code out"
	@echo "make clean   remove what the other targets made"

$(READY): setup.cfg setup.py pyproject.toml
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[dev]'
	@touch $@

demo: $(READY)
	@PATH="$(abspath $(BIN)):$$PATH" demo/run.sh

test: $(READY)
	$(BIN)/python -m pytest --quiet

lint: $(READY)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

format: $(READY)
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

clean:
	rm -rf $(VENV) build dist triggers/*.egg-info .mypy_cache .ruff_cache .pytest_cache .import_linter_cache .hypothesis
