# Every target does its own set-up; `make help` lists them.
# Environments are made under .venvs/ when they are first needed.

PYTHON ?= $(or $(shell command -v python3 || command -v python),$(error there is no python3 on the PATH))
PYTHONS ?=
TESTS ?=
PYTEST ?=
JOBS ?= 2
BENCH ?= bench/verify.py bench/decompile.py

.DEFAULT_GOAL := help
.PHONY: help test demo lint types format corpus bench gauntlet matrix clean

help: ## this list
	@echo "make TARGET, where TARGET is one of:"
	@grep -E '^[a-z]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/^([a-z]+):.*## /  \1\t/' | expand -t 13
	@echo "Quick feedback: make test PYTHONS=3.11 TESTS=tests/proof PYTEST='-x -k name'"

test: ## the tests on every CPython found, PyTorch's under one of them, then lint and types
	@$(PYTHON) -m tools.run_tests $(TESTS) --pythons="$(PYTHONS)" --pytest="$(PYTEST)" --jobs=$(JOBS)

demo: ## show what depyf does, on a small example
	@$(PYTHON) -m tools.demo

lint: ## ruff
	@$(PYTHON) -m tools.in_environment checks -m ruff check .

types: ## mypy --strict on the package
	@$(PYTHON) -m tools.in_environment checks -m mypy

corpus: ## round trip over the standard library of every CPython found (long)
	@$(PYTHON) -m tools.corpus --all $(ARGS)

bench: ## benchmarks on one Python (PYTHONS=3.11); those for PyTorch: PYTHONS=torch BENCH=bench/dispatch.py
	@for script in $(BENCH); do \
		$(PYTHON) -m tools.in_environment "$(or $(PYTHONS),any)" $$script || exit 1; done

gauntlet: ## models of transformers and timm through prepare_debug, into docs/models.md (hours; resumes; ARGS="--backend inductor")
	@$(PYTHON) -m tools.in_environment gauntlet -m gauntlet $(ARGS)

matrix: ## depyf on every PyTorch release from 2.2 on; writes docs/compatibility.md (hours, 9 GB; resumes)
	@$(PYTHON) -m tools.matrix $(ARGS)

clean: ## remove environments, caches and build products
	rm -rf .venvs build dist .pytest_cache .mypy_cache .ruff_cache .hypothesis depyf_demo
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
