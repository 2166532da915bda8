# Every target of `make help-all` can be the first command on a fresh clone: the virtual environment is
# a file target.
PYTHON ?= python3
VENV   ?= .venv
SCALE  ?= 0.01
SEED   ?= 0
EVENTS ?= 100000
CASES  ?= 64
BIN    := $(VENV)/bin
# Bytecode is kept also where the environment switches it off: to compile all modules for each worker
# and each program that a test starts takes a fifth of the time of `make test`.
PYTEST := PYTHONDONTWRITEBYTECODE= PYTHONPYCACHEPREFIX=$(CURDIR)/build/bytecode $(BIN)/python -m pytest --quiet
# p4warden itself, for the demo; and with the tools of its developers, for everything else.
INSTALLED := $(VENV)/.installed
READY  := $(VENV)/.ready
NEEDED := $(VENV)/.needed
TOOLS  := $(VENV)/.tools
MUSL   := $(shell uname -m)-unknown-linux-musl
PIP    := $(BIN)/python -m pip --quiet --disable-pip-version-check
# rustup installs a `cargo` that fails as long as no toolchain is installed, so cargo is run once
# to test it.
CARGO  := $(shell cargo --version >/dev/null 2>&1 && command -v cargo)
# Prints the packages that a section and key of setup.cfg list.
LISTED := import configparser, sys; cfg = configparser.RawConfigParser(); cfg.read("setup.cfg"); print(cfg[sys.argv[1]][sys.argv[2]])
GATE   := triggers/gate/Cargo.lock $(shell find triggers/gate/src triggers/gate/log/src triggers/gate/index/src -name '*.rs' 2>/dev/null) \
          triggers/gate/Cargo.toml triggers/gate/log/Cargo.toml triggers/gate/index/Cargo.toml \
          triggers/gate/version.rs triggers/p4warden/__init__.py

# Answers questions of the Python tests about forms; the tests build it as well, but its first build
# takes longer than a test may.
ORACLE := triggers/gate/target/debug/examples/oracle

P4D_SETS := $(addprefix test-p4d-,2019.1 2024.2 2026.1)

# The programs of another commit, to compare with.
OTHER  := $(if $(OLD),build/compared/$(OLD)/.venv/.ready)

.PHONY: help help-all demo test test-python test-gate test-long test-journey test-prove test-p4d $(P4D_SETS) test-variants test-pythons \
        test-vendor test-spark lint bench bench-smallest fuzz faults compare docs file release format clean cargo musl chromium picture

help:
	@echo "make demo           refuse a whole-depot client, a polling tool and a sync of everything, on a temporary server"
	@echo "make test           run the tests that have no target of their own"
	@echo "make lint           ruff, shellcheck, mypy --strict, import directions, links of pages, clippy, rustfmt"
	@echo "make file           build dist/p4warden-VERSION.pyz: all of p4warden in one file, for this kind of machine and Python 3.10 to 3.14"
	@echo "make docs           write the generated pages and tables.json: the policy's schema and reference, a page for each rule, and the known programs"
	@echo "make clean          remove the files made by the other targets"
	@echo "make help-all       show the other targets too"

help-all: help
	@echo "make test-long      run the tests with random input on all their examples, and long matrices"
	@echo "make test-journey   test an administrator's whole way, from a clone to the uninstall, and upgrades"
	@echo "make test-prove     test p4warden prove on whole servers, conforming and faulty ones"
	@echo "make test-p4d       run the tests for a real server on the sandbox, in the shape of three p4d releases; P4D=FILE runs them on a p4d"
	@echo "make test-variants  run the tests under each way in which a real p4d may differ from the sandbox"
	@echo "make test-pythons   run the demo and the Python tests on every other installed Python from 3.10 on"
	@echo "make test-vendor    run the vendor's own tests and clients against the sandbox; downloads them"
	@echo "make test-spark     run the queries of docs/sql in a local Spark session; needs pyspark and java"
	@echo "make bench          measure triggers, submits, the worst forms, many saves at once, logs, the index and estimates; OLD=COMMIT also that commit's triggers"
	@echo "make bench-smallest run each script of bench/ and fuzz/ at its smallest size"
	@echo "make fuzz           compare random inputs with oracles, a hundredth of a full run; SCALE=1 for all of it, SEED=N for other inputs"
	@echo "make faults         damage the files of a home, kill triggers and commands, and replace the policy under load, a tenth of a full run; SCALE, SEED as above"
	@echo "make compare OLD=COMMIT  compare answers to random events, logs and checkpoints with those of a commit"
	@echo "make release        build it twice for all kinds of machines, and fail if the two differ; KEY=FILE signs it"
	@echo "make format         format the code with ruff and rustfmt"
	@echo "make picture        draw docs/report.svg anew, the report of the demo; needs chromium"
	@echo "make chromium       install Debian's chromium, in which tests look at the pages, where apt can"

$(NEEDED): setup.cfg | cargo
	@echo "setting up, 1 of 2: the virtual environment $(VENV), and what p4warden needs, from pip's index"
	@test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	@$(BIN)/python -c '$(LISTED)' options install_requires | $(PIP) install --requirement /dev/stdin
	@touch $@

$(TOOLS): $(NEEDED)
	@echo "setting up: the tools of p4warden's developers, from pip's index"
	@$(BIN)/python -c '$(LISTED)' options.extras_require dev | $(PIP) install --requirement /dev/stdin
	@touch $@

$(INSTALLED): $(NEEDED) setup.py pyproject.toml $(GATE) | musl
	@echo "setting up, 2 of 2: p4warden itself and its gate: cargo compiles for minutes the first time"
	@$(PIP) install --editable .
	@touch $@

$(READY): $(INSTALLED) $(TOOLS)
	@touch $@

$(ORACLE): triggers/gate/examples/oracle.rs $(GATE) | cargo
	@cd triggers/gate && MAKEFLAGS= cargo build --quiet --locked --profile=test --example=oracle
	@touch $@

cargo:
	@test -n "$(CARGO)" || { echo "p4warden needs cargo: https://rustup.rs, or on Debian 12 apt-get install cargo-web"; exit 1; }

# Install Rust's musl target, if rustup is there: a gate built for musl starts in a fraction of the
# time. Without that target the gate is built for static glibc.
musl:
	@if command -v rustup >/dev/null; then \
	    rustup target list --installed | grep -q '^$(MUSL)$$' || { \
	    echo "setting up: rust's target $(MUSL)"; \
	    rustup target add $(MUSL) >/dev/null 2>&1 || echo "no $(MUSL) target: the gate is built for glibc"; }; \
	fi

demo: $(INSTALLED)
	@mkdir -p build
	@PATH="$(abspath $(BIN)):$$PATH" demo/run.sh build/demo-report.html

# Once they are compiled, the Rust tests take a tenth of the time of the Python tests.
test: $(READY) $(ORACLE)
	@$(MAKE) --no-print-directory --output-sync=target --jobs=2 test-python test-gate

test-python: $(READY) $(ORACLE)
	$(PYTEST) --numprocesses=2 -m "not long" --ignore=tests/journey --ignore=tests/prove/whole

# Run the tests of which `make test` runs a part: those with random input on all their examples (there
# on a fifth, and in Rust on a quarter), and long matrices.
test-long: $(READY) $(ORACLE)
	@$(MAKE) --no-print-directory test-gate CASES=256
	$(PYTEST) --numprocesses=2 --hypothesis-profile=all -m "hypothesis or sampled or long"

# Test an administrator's work from a clone to the uninstallation, and upgrades; takes a minute.
test-journey: $(READY)
	$(PYTEST) --numprocesses=2 tests/journey

# Run the end-to-end tests of `p4warden prove`: all experiments, on temporary sandbox servers and, if
# P4D names a p4d or one is on PATH, on that p4d.
test-prove: $(READY)
	$(PYTEST) --numprocesses=2 tests/prove/whole

# Run the tests marked with `touches` under each value of the variants of p4d that they name, and
# tests marked with `*` also under every two values together; and all tests of servers beside
# triggers of another tool that print.
test-variants: $(READY)
	$(PYTEST) --numprocesses=2 --variants=all -m touches
	$(PYTEST) --numprocesses=2 --variant=other-triggers=print -m "not p4d and not long" tests/server

test-gate:
	cd triggers/gate && MAKEFLAGS= PROPTEST_CASES=$(CASES) cargo test --quiet --locked --workspace

# Run the tests for a real server on the p4d that P4D names, or else on the sandbox with p4d's
# command line, as each of three releases.
test-p4d: $(READY)
ifdef P4D
	P4D="$(P4D)" $(PYTEST) -m p4d
else
	@$(MAKE) --no-print-directory --output-sync=target --jobs=2 $(P4D_SETS)
endif

$(P4D_SETS): test-p4d-%: $(READY)
	@echo "the sandbox in the shape of p4d $*"
	@P4WARDEN_SANDBOX_PYTHON="$(abspath $(BIN))/python" P4WARDEN_SANDBOX_LIKE=$* P4D="$(CURDIR)/tests/support/p4d" \
	    $(PYTEST) -m p4d -p no:cacheprovider

# Run the demo and the Python tests on every other Python of this machine; the Rust tests do not
# depend on Python.
test-pythons: $(READY)
	@.ci/pythons

test-vendor: $(READY)
	@tests/vendor/run.sh $(BIN)

test-spark: $(READY)
	$(BIN)/python tests/spark/run.py

lint: $(READY)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/shellcheck deploy/*.sh demo/run.sh tests/journey/bare_host.sh tests/support/p4d tests/vendor/run.sh .ci/pythons .ci/run
	$(BIN)/mypy
	$(BIN)/lint-imports --no-logo
	$(PYTEST) tests/sources/test_rust_rooms.py tests/docs/test_links.py
	@if cargo fmt --version >/dev/null 2>&1; then cd triggers/gate && cargo fmt --all --check; \
	else echo "no rustfmt: the layout of triggers/gate/ is not checked"; fi
	@if cargo clippy --version >/dev/null 2>&1; then \
	    cd triggers/gate && cargo clippy --quiet --locked --workspace --all-targets -- -D warnings; \
	else echo "no clippy: triggers/gate/ is not linted"; fi

bench: $(READY) $(OTHER)
	$(BIN)/python bench/run.py
	$(BIN)/python bench/costs.py $(OTHER:.ready=bin)
	$(BIN)/python bench/submits.py $(OTHER:.ready=bin)
	$(BIN)/python bench/forms.py
	$(BIN)/python bench/saves.py
	$(BIN)/python bench/logs.py
	$(BIN)/python bench/index.py
	$(BIN)/python bench/estimates.py

# The gate for the other C library is compiled without optimizations, to save minutes.
SMALLEST := ROUNDS=1 CLIENTS=200 REVISIONS=2000 LATER=2000 MEGABYTES=1 DIRECTORIES=2000 DECISIONS=20 SAVES=1 KEYS=200 \
            CARGO_PROFILE_RELEASE_OPT_LEVEL=0 CARGO_PROFILE_RELEASE_LTO=off

# Run each script of bench/ and fuzz/ once, as small as it can be, to see that it still works.
bench-smallest: $(READY) $(ORACLE)
	@$(SMALLEST) $(MAKE) --no-print-directory bench
	@$(MAKE) --no-print-directory fuzz faults SCALE=0
	$(BIN)/python fuzz/compare_builds.py $(BIN) --events 100 --files 1

fuzz: $(READY) $(ORACLE)
	$(BIN)/python fuzz/run.py --scale $(SCALE) --seed $(SEED)

faults: SCALE = 0.1
faults: $(READY)
	$(BIN)/python fuzz/run.py --scale $(SCALE) --seed $(SEED) damaged-files killed-events killed-commands replaced-policy

build/compared/$(OLD)/.venv/.ready:
	@test -d build/compared/$(OLD) || git worktree add --detach build/compared/$(OLD) $(OLD) >/dev/null
	@$(MAKE) --no-print-directory -C build/compared/$(OLD) .venv/.ready >/dev/null

# Compare the answers of the commit OLD with those of this tree; EVENTS=N random events.
compare: $(READY) $(OTHER)
	$(BIN)/python fuzz/compare_builds.py $(OTHER:.ready=bin) --events $(EVENTS) --seed $(SEED)

docs: $(READY)
	$(BIN)/p4warden-gate tables | $(BIN)/python -m json.tool --indent 1 >triggers/p4warden/asking/tables.json
	PYTHONPATH=docs:tests $(BIN)/python -m pages.write

# Draw the report of the demo anew, as README shows it.
picture: $(READY) chromium
	@mkdir -p build
	@PATH="$(abspath $(BIN)):$$PATH" demo/run.sh build/demo-report.html >build/demo.txt
	PYTHONPATH=docs:tests $(BIN)/python -m pages.picture build/demo-report.html docs/report.svg

# Install Debian's chromium, in which tests look at p4warden's pages. Where apt cannot, they are skipped.
APT = $(shell test "$$(id -u)" = 0 || echo sudo -n) timeout 300 apt-get -qq -o Acquire::Retries=0 -o Acquire::http::Timeout=20
chromium:
	@command -v chromedriver >/dev/null || \
	    { $(APT) update && $(APT) install --yes --no-install-recommends chromium chromium-driver; } >/dev/null 2>&1 || \
	    echo "apt-get cannot install chromium and chromium-driver: no page is tried in a browser"

file: $(READY)
	@$(BIN)/python one_file/build.py $(BIN)

# Build the file for every kind of machine, on a clean commit whose section in CHANGELOG.md has a date.
release: $(TOOLS)
	@rustup --quiet target add x86_64-unknown-linux-musl aarch64-unknown-linux-musl || \
	    { echo "make release needs rustup, for programs of all processors: https://rustup.rs"; exit 1; }
	@$(BIN)/python one_file/release.py "$(KEY)"

format: $(READY)
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .
	cd triggers/gate && cargo fmt --all

clean:
	rm -rf $(VENV) .venv-* build dist triggers/*.egg-info triggers/gate/target
	rm -rf .mypy_cache .ruff_cache .pytest_cache .import_linter_cache .hypothesis
