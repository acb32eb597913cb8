# make run    set up, pull what is missing, talk to it at http://localhost:8080
# make test   set up, pull what is missing, check and test everything
# make check  the gate without the tests: format, lint, types, layers, page types
# make bench  the figures of a turn over the question clips

PYTHON ?= python3
CLIPS ?= tests/data/questions
BIN := .venv/bin
TEST_MODELS := smollm2-135m-instruct whisper-base all-minilm-l6-v2

.PHONY: run test check bench setup clean

run: setup
	$(BIN)/assistant models pull
	$(BIN)/assistant serve

test: check
	$(BIN)/assistant models pull
	$(BIN)/assistant models pull $(TEST_MODELS)
	$(BIN)/pytest

check: setup
	$(BIN)/ruff format --check
	$(BIN)/ruff check
	$(BIN)/mypy
	$(BIN)/lint-imports
	@if command -v npm >/dev/null; then npm install --silent --no-audit --no-fund --prefix client_web && npm run --silent --prefix client_web check; \
	else echo "node is not here: the page's types are not checked"; fi

bench: setup
	$(BIN)/assistant models pull
	$(BIN)/assistant bench turns --clips $(CLIPS)

setup: .venv/installed

.venv/installed: pyproject.toml
	$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "Parley needs Python 3.11 or newer; set PYTHON=python3.11")'
	test -x $(BIN)/python || $(PYTHON) -m venv .venv
	$(BIN)/python -m pip install --upgrade pip
	$(BIN)/pip install --editable '.[dev]'
	touch $@

clean:
	rm -rf .venv client_web/node_modules
