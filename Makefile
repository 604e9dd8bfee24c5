# The commands of the project; `make help` lists them. All of them work from a fresh clone.
SHELL       := bash
.SHELLFLAGS := -euo pipefail -c
.DELETE_ON_ERROR:
.DEFAULT_GOAL := help

PYTHON ?= python3
VENV   ?= .venv
BIN    := $(VENV)/bin
SITE   := book/_build/html
# Notebooks and test files are spread over this many processes.
JOBS   ?= 2

# Outcomes of the claims: the book, the notebooks, the tests and 'attnsel claims' share them.
export ATTNSEL_CACHE ?= $(CURDIR)/book/_build/.claims

# Without byte code every kernel would compile its imports anew, which doubles the time of a build.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: help env book test lint format sync check-site diff-figures lock clean fresh

help: ## list the targets
	@sed -nE 's/^([a-z-]+):.*## (.*)/  make \1 \2/p' $(MAKEFILE_LIST) | while read -r m t d; do printf '  %s %-14s%s\n' $$m $$t "$$d"; done

env: $(VENV)/.installed ## create or refresh .venv from requirements.lock

book: $(VENV)/.installed ## build the site into book/_build/html; any warning fails
	$(BIN)/jupyter-book build book/ --all
	@echo "The site: $(abspath $(SITE))/intro.html"

test: $(VENV)/.installed lint ## ruff, the unit, property and canary tests, then the notebooks
	$(BIN)/python -m pytest -n $(JOBS) tests
	$(BIN)/python -m pytest --nbval -n $(JOBS) notebooks

lint: $(VENV)/.installed ## ruff, rules and format
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

format: $(VENV)/.installed ## let ruff rewrite what it can
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

sync: $(VENV)/.installed ## execute changed chapters and store their outputs in notebooks/ (FORCE=1: all)
	$(BIN)/python tools/notebooks.py sync $(if $(FORCE),--force)

check-site: $(VENV)/.installed ## drive a headless browser over every page that 'make book' built
	$(BIN)/python -m pytest -n $(JOBS) --dist load --site $(SITE) tests/site $(if $(SCREENSHOTS),--screenshots $(SCREENSHOTS))

diff-figures: $(VENV)/.installed ## what moved between two built sites: make diff-figures OLD=dir NEW=dir
	$(BIN)/attnsel diff-figures $(OLD) $(NEW)

lock: $(VENV)/.installed ## write requirements.lock from the environment
	{ sed -n '/^#/p' requirements.lock; \
	  $(BIN)/python -m pip freeze --all --exclude attnsel-lib | sed 's/+[a-z0-9.]*$$//'; } > requirements.lock.new
	mv requirements.lock.new requirements.lock

clean: ## remove the built site, keep the environment
	rm -rf book/_build

fresh: ## remove the site and the environment, then build from nothing
	rm -rf book/_build $(VENV)
	$(MAKE) book

# Each stamp is written last, so an interrupted installation is begun again.
$(VENV)/.locked: requirements.lock
	@$(PYTHON) -c 'import sys; sys.exit(not (3, 11) <= sys.version_info[:2] < (3, 14))' || { \
	  echo "Python 3.11, 3.12 or 3.13 is needed, not '$$($(PYTHON) --version 2>&1)': make PYTHON=/path/to/python3.12 ..." >&2; exit 1; }
	$(PYTHON) -m venv --clear $(VENV)
	$(BIN)/python -m pip install --quiet --upgrade "$$(grep '^pip==' requirements.lock)"
	$(BIN)/python -m pip install --quiet --no-compile -r requirements.lock
	@# On all processors in half of pip's time; a few packages carry templates that do not compile.
	@$(BIN)/python -m compileall -q -j 0 $(VENV)/lib > /dev/null 2>&1 || true
	@touch $@

$(VENV)/.installed: $(VENV)/.locked pyproject.toml
	$(BIN)/python -m pip install -qq --no-deps --no-build-isolation -e .
	@# Matplotlib builds its font cache on first use and says so on stderr, which would fail a page.
	$(BIN)/python -c 'import matplotlib.pyplot'
	@touch $@
