# Two commands for a newcomer: `make run` and `make test`. Both set up .venv first, once.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready

.PHONY: run tour demo quick test check mutants bounds docs bench peers soak newest-numba wheel clean help

help: ## list the commands
	@grep -E '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed 's/:.*## /\t/' | expand -t 14

$(READY): requirements.lock pyproject.toml
	@echo "==> setting up $(VENV) (a few minutes the first time, most of it for Spark)"
	@test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --only-binary :all: --no-binary pyspark -r requirements.lock
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-build-isolation --no-deps -e .
	@touch $@

run: $(READY) ## stream the example feeds through Spark to three readers' inboxes, and say why
	@$(BIN)/python examples/newsroom.py

demo: $(READY) ## the console over a month of made-up news, with a story every few seconds; no Java, no network
	@$(BIN)/watchword demo --open

tour: $(READY) ## a first look at the library, without Spark
	@$(BIN)/python examples/tour.py

# Two processes, which take groups of tests as they come free: a language, Spark, a file (tests/conftest.py has the
# order). What Python makes of the test files is kept, whatever the environment says; it takes seconds each time.
unexport PYTHONDONTWRITEBYTECODE
TESTS := $(BIN)/python -m pytest -n 2 --no-loadscope-reorder

# Seconds that `make quick` may take on two cores once kernels are compiled; a test above half a second is marked slow.
BUDGET := 60

quick: $(READY) ## run the tests that are worth running after every change, in less than a minute
	@start=$$(date +%s); \
	$(TESTS) -m "not slow and not spark" --methods auto --few; status=$$?; \
	took=$$(($$(date +%s) - start)); \
	echo "==> make quick took $$took s; its budget is $(BUDGET) s"; \
	test $$took -le $(BUDGET) || echo "==> above the budget: pytest --durations=20 names the tests to mark slow"; \
	exit $$status

test: $(READY) ## run all tests, in two processes
	@$(TESTS)

check: $(READY) ## lint, types, direction of imports
	@$(BIN)/ruff check . && $(BIN)/ruff format --check .
	@$(BIN)/mypy
	@$(BIN)/lint-imports

KILLS := 100

soak: $(READY) ## kill runs, and processes that post, deliver and notify, a hundred times at random moments; nothing may be lost or doubled
	@WATCHWORD_KILLS=$(KILLS) WATCHWORD_RUNS=2 $(BIN)/python -m pytest tests/spark/test_exactly_once.py \
		tests/posted/test_kills.py tests/serve/test_kills.py tests/notify/test_kills.py

NEWEST := build/newest-numba

newest-numba: ## run the tests of kernels with the newest numba that pip has, whatever pyproject.toml allows
	@$(PYTHON) -m venv $(NEWEST)
	@$(NEWEST)/bin/python -m pip install --quiet --disable-pip-version-check --upgrade --only-binary :all: --pre \
		numba pyarrow rich typer lxml PyStemmer psutil hypothesis pytest pytest-xdist
	@$(NEWEST)/bin/python -c 'import numba; print("numba", numba.__version__)'
	@PYTHONPATH=$(CURDIR)/src $(NEWEST)/bin/python -m pytest -p no:cacheprovider tests/kernels

SHIPPED := src/watchword/kernels/shipped

wheel: $(READY) ## build a wheel with kernels for x86-64-v3, so that the first use on such machines compiles nothing
	@rm -rf $(SHIPPED) build/shipped && mkdir -p $(SHIPPED) build/shipped dist
	@NUMBA_CPU_NAME=x86-64-v3 NUMBA_CPU_FEATURES= $(BIN)/watchword warm --archive build/shipped/warm.tar.gz
	@tar -xzf build/shipped/warm.tar.gz --strip-components=1 -C $(SHIPPED)
	@$(BIN)/python -m pip wheel --quiet --disable-pip-version-check --no-deps --no-build-isolation -w dist . ; \
		status=$$?; rm -rf $(SHIPPED) build/lib; exit $$status

MUTANTS := 100

mutants: $(READY) ## change the code in a hundred places, one at a time, and list the changes that no test notices
	@$(BIN)/python -m tests.mutants --count $(MUTANTS)

# Kernels are compiled once more, with checks, into a folder of their own; that takes most of the time.
CHECKED := kernels contract text sets keywords patterns paths predicates properties papers/workloads

bounds: $(READY) ## run the tests of kernels and languages with numba's bounds checks: no kernel may leave an array
	@NUMBA_BOUNDSCHECK=1 WATCHWORD_CACHE=$(CURDIR)/build/bounds \
		$(TESTS) -m "not slow" --few $(foreach folder,$(CHECKED),tests/$(folder))

docs: $(READY) ## build the site of all pages and the reference of the public classes: build/docs/index.html
	@$(BIN)/python -m sphinx -q -W --keep-going -b html -c docs -d build/docs-trees . build/docs
	@echo "==> build/docs/index.html"

bench: $(READY) ## run every benchmark at small scale
	@$(BIN)/python -m benchmarks.keywords --scale small
	@$(BIN)/python -m benchmarks.patterns --scale small
	@$(BIN)/python -m benchmarks.paths --scale small
	@$(BIN)/python -m benchmarks.properties --scale small
	@$(BIN)/python -m benchmarks.predicates --scale small
	@$(BIN)/python -m benchmarks.searches --scale small
	@$(BIN)/python -m benchmarks.combined --scale small
	@$(BIN)/python -m benchmarks.spark --scale small
	@$(BIN)/python -m benchmarks.scale --scale small
	@$(BIN)/python -m benchmarks.notify --scale small

peers: $(READY) ## compare with event-ruler, a-tree and Lucene Monitor, built here where mvn and cargo are
	@$(BIN)/python -m benchmarks.peers --scale paper

clean: ## remove the virtual environment and all caches
	rm -rf $(VENV) build .mypy_cache .pytest_cache .ruff_cache .hypothesis benchmarks/peers/*/target
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
