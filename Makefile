SHELL := /bin/bash
BIN := .venv/bin
PYTHON ?= $(shell for each in python3.11 python3.12 python3.13 python3; do \
	$$each -c 'import sys; sys.exit(not (3, 11) <= sys.version_info[:2] <= (3, 13))' 2>/dev/null && echo $$each && break; done)

.DEFAULT_GOAL := help
.PHONY: help install jars browser demo test torture bench lint format docs build lock clean

help: ## list what there is to make
	@awk -F ':.*## ' '/^[a-z]+:.*## / {printf "  make %-9s %s\n", $$1, $$2}' Makefile

install: ## the environment in .venv, from the hashed lock
	@scripts/install.sh "$(PYTHON)"

jars: install ## the jars of Delta and Iceberg, fetched once into the user's cache
	@$(BIN)/python -m lakelogic.engines.spark.jars delta iceberg

browser: ## Chromium, for the tests that look at pages
	@scripts/browser.sh

demo: install ## the home page's contract, then a week of an insurer, layer by layer
	@scripts/demo.sh

test: jars browser ## unit, conformance and scenario tests, with a real Spark
	$(BIN)/pytest -n 2 --dist loadfile -m "not slow and not bench" $(ARGS)

torture: jars ## the slow tests: kills, races, large inputs; a slice (ARGS="-k spark-delta") adds to the record
	$(if $(ARGS),,rm -f build/torture.jsonl)
	LAKELOGIC_TORTURE=build/torture.jsonl $(BIN)/pytest -m slow $(ARGS); ended=$$?; \
	$(BIN)/python -m scripts.reliability build/torture.jsonl && exit $$ended

bench: jars ## speed against hand-written Spark and others
	$(BIN)/python -m benchmarks $(ARGS)

lint: install ## style, types and layers
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports --no-logo

format: install ## let ruff mend what it can
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

docs: install ## the reference from the code, and all pages into site/
	$(BIN)/python -m scripts.reference
	$(BIN)/python -m scripts.portability
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict

build: install ## wheel and source archive, into dist/
	$(BIN)/python -m build --no-isolation

lock: install ## resolve the lock anew
	@scripts/lock.sh

clean: ## remove what was made, except .venv
	rm -rf build dist site demo .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache
