# Two commands for a newcomer: `make run` and `make test`. Both set up .venv first, once.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready

.PHONY: run test check bench clean help

help: ## list the commands
	@grep -E '^[a-z]+:.*##' $(MAKEFILE_LIST) | sed 's/:.*## /\t/' | expand -t 10

$(READY): requirements.lock pyproject.toml
	@echo "==> setting up $(VENV) (a minute the first time)"
	@test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --only-binary :all: -r requirements.lock
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-build-isolation --no-deps -e .
	@touch $@

run: $(READY) ## match the example items against the example subscriptions, and say why
	@echo "==> matching the examples (the first time, kernels are compiled: half a minute)"
	@$(BIN)/python examples/tour.py

test: $(READY) ## run the tests
	@echo "==> running the tests (the first time, kernels are compiled)"
	@$(BIN)/python -m pytest

check: $(READY) ## lint, types, direction of imports
	@$(BIN)/ruff check . && $(BIN)/ruff format --check .
	@$(BIN)/mypy
	@$(BIN)/lint-imports

bench: $(READY) ## run every benchmark at small scale
	@$(BIN)/python -m benchmarks.keywords --scale small

clean: ## remove the virtual environment and all caches
	rm -rf $(VENV) build .mypy_cache .pytest_cache .ruff_cache .hypothesis
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
