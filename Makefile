# Two commands do all set-up by themselves: `make demo` and `make test`. `make help` lists the rest.
PYTHON ?= python3
DEV := .venv
RUN := .cache/run-environment
CACHE := $(CURDIR)/.cache

# Nothing here reads or writes the user's cluster settings, and byte code is always kept: imports cost 2-3x without.
unexport KUBECONFIG CORRAL_CONTEXT PYTHONDONTWRITEBYTECODE PYTHONPATH PYTHONHOME
export CORRAL_HOME := $(CACHE)/home
MAKEFLAGS += --no-print-directory

# With CI=true the real control plane must take part, so it is built first; elsewhere it does when it is in the cache.
REAL := if [ "$$CI" = true ]; then $(DEV)/bin/python -m corral.testing.control_plane build; fi

# All of them are run, whatever the first ones miss.
BENCHES := tools.bench tools.bench.training tools.bench.node tools.bench.cli tools.bench.placement tools.bench.placement.gangs \
	tools.bench.placement.why tools.bench.scheduling

.PHONY: help demo demo-durability test test-full check bench kubernetes lock reference clean dev-environment run-environment

help:  ## list the targets
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | awk -F'\t' '{printf "  make %-16s %s\n", $$1, $$2}'

demo: run-environment  ## train a network across processes and kill a worker on the way; FRAMEWORK=jax|torch|tensorflow|mpi|xgboost
	@PYTHONPATH=src:. $(RUN)/bin/python -m tools.demo

demo-durability: run-environment  ## kill -9 the API server while it is written to: nothing is lost, nothing comes twice
	@PYTHONPATH=src:. $(RUN)/bin/python -m tools.demo.durability

test: check  ## everything that must hold: check, then the tests
	@$(REAL)
	@$(DEV)/bin/python tools/tests.py

test-full: check  ## the tests with long sweeps and waits as well
	@$(REAL)
	@CORRAL_TEST_FULL=1 $(DEV)/bin/python tools/tests.py

check: dev-environment  ## format, lint, types, import contracts, shape
	@$(DEV)/bin/ruff format --check --quiet . || { echo "hint: .venv/bin/ruff format ."; exit 1; }
	@$(DEV)/bin/ruff check --quiet .
	@$(DEV)/bin/mypy --no-error-summary
	@$(DEV)/bin/lint-imports --no-logo > $(CACHE)/lint-imports.log 2>&1 || { cat $(CACHE)/lint-imports.log; exit 1; }
	@$(DEV)/bin/python tools/shape.py
	@echo "check: format, lint, types, import contracts and shape are good"

bench: dev-environment  ## measure, next to a real control plane when its binaries are there, and next to doing it by hand
	@missed=""; for part in $(BENCHES); do \
		CORRAL_BENCH_PEER="$(PEER)" $(DEV)/bin/python -m $$part || missed="$$missed $$part"; \
	done; [ -z "$$missed" ] || { echo "bench: missed or incomplete:$$missed" >&2; exit 1; }

kubernetes: dev-environment  ## build etcd and Kubernetes from Go modules into ~/.cache/corral
	@$(DEV)/bin/python -m corral.testing.control_plane build

lock: dev-environment  ## resolve the dependencies again and rewrite requirements*.lock
	@$(DEV)/bin/python tools/lock.py

reference: dev-environment  ## rewrite docs/reference from the code
	@$(DEV)/bin/python -m tools.reference

clean:  ## stop what runs from this checkout and remove everything that was made
	@if [ -x $(RUN)/bin/python ]; then PYTHONPATH=src $(RUN)/bin/python -m corral down >/dev/null 2>&1 || true; fi
	@rm -rf $(DEV) .cache .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache dist build
	@find src tests tools -name __pycache__ -type d -prune -exec rm -rf {} +

dev-environment:
	@mkdir -p $(CACHE)
	@command -v $(PYTHON) >/dev/null || { echo "$(PYTHON) is not there. hint: install Python 3.11 or newer" >&2; exit 1; }
	@$(PYTHON) tools/environment.py $(DEV) requirements-dev.lock --editable

run-environment:
	@mkdir -p $(CACHE)
	@command -v $(PYTHON) >/dev/null || { echo "$(PYTHON) is not there. hint: install Python 3.11 or newer" >&2; exit 1; }
	@$(PYTHON) tools/environment.py $(RUN) requirements.lock
