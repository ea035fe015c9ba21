# make run · make test · make lint · make bench · make test-long · make demo · make lock
SHELL := bash
PYTHON ?= python3
UV := $(shell command -v uv 2>/dev/null)
APP := .venv/bin/python
KERNEL := .venv-kernel/bin/python

.PHONY: setup run test test-long lint bench demo lock chromium clean

setup: .venv/.ready .venv-kernel/.ready

.venv/.ready: requirements-dev.lock
	$(call venv,.venv,requirements-dev.lock)

.venv-kernel/.ready: requirements-kernel.lock
	$(call venv,.venv-kernel,requirements-kernel.lock)

# $(1) folder, $(2) lock file. Byte-compiled, or the first start of every kernel pays for it.
define venv
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "Python 3.11 or newer is needed: make setup PYTHON=python3.12")'
	@echo "Setting up $(1): a minute or two, the first time only."
	rm -rf $(1)
	$(if $(UV),$(UV) venv --quiet --python $(PYTHON) $(1),$(PYTHON) -m venv $(1))
	$(if $(UV),$(UV) pip install --quiet --compile-bytecode --python $(1)/bin/python -r $(2),$(1)/bin/python -m pip install --quiet --disable-pip-version-check -r $(2))
	touch $@
endef

run: setup
	$(APP) app.py

test: setup chromium
	$(APP) -m pytest -m "not long" -n 2

test-long: setup chromium
	$(APP) -m pytest -m long

lint: setup
	$(APP) -m ruff check .
	$(APP) -m ruff format --check .
	$(APP) -m mypy

bench: setup chromium
	@for each in benchmarks/bench_*.py; do $(APP) -m benchmarks.$$(basename $$each .py) || exit 1; done

# Builds the bundled suite anew, out of the kernels' packages.
demo: setup
	$(KERNEL) assets/demo/build.py

chromium:
	@command -v chromium >/dev/null || { \
	  as_root=$$([ "$$(id -u)" = 0 ] || echo sudo); \
	  $$as_root apt-get update -qq && $$as_root apt-get install -y -qq chromium >/dev/null; }

# Needs uv. Direct pins stand in requirements*.txt.
lock:
	for each in requirements requirements-dev requirements-kernel; do \
	  uv pip compile --quiet --universal --python-version 3.11 --no-header --no-annotate $$each.txt -o $$each.lock || exit 1; done

clean:
	rm -rf .venv .venv-kernel
