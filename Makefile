# Cardhouse's front door; CMake does the building. `make help` lists the commands.
BUILD ?= build
PREFIX ?= /usr/local
PROBLEMS ?=
JOBS ?= $(shell nproc 2>/dev/null || echo 1)
FUZZ_SECONDS ?= 300

CMAKE_FLAGS ?=
SOURCES = $(shell find include src tests bench -name '*.c' -o -name '*.h')

.DEFAULT_GOAL := build
.PHONY: build run test conformance bench-solvers bench-ordering bench-engines pictures validation install format format-check asan ubsan sanitize debug fuzz clean help

help:
	@echo "make                                build/cardhouse and libcardhouse; installs what is missing"
	@echo "make run                            builds, runs a card house, prints its certificate, shows it"
	@echo "make test                           builds and runs every test"
	@echo "make conformance [PROBLEMS=folder]  every method over every problem of a folder (or generated ones)"
	@echo "make bench-solvers PROBLEMS=folder  our methods beside Siconos' on a folder of problems"
	@echo "make bench-ordering                 our methods on one card house, beside the figures of Kaufman 2009"
	@echo "make bench-engines [QUICK=1]        us beside MuJoCo, ODE and Bullet on six scenes that turn on friction"
	@echo "make pictures                       the viewer's pictures in docs/, anew, in a browser without a window"
	@echo "make validation                     every experiment of the documents anew: build/report, docs/validation.md"
	@echo "make install [PREFIX=/usr/local]    program, library, headers, pkg-config file, man page"
	@echo "make debug | asan | ubsan           tests in a debug or sanitizer build, in folders of their own"
	@echo "make sanitize                       tests with both sanitizers at once"
	@echo "make fuzz [FUZZ_SECONDS=300]        fuzzes the readers of files and messages"
	@echo "make format | format-check          clang-format over the sources"
	@echo "make clean                          removes the build folders"

build:
	@tools/install-packages build
	@cmake -S . -B $(BUILD) -DCMAKE_BUILD_TYPE=Release $(CMAKE_FLAGS) >$(BUILD).log 2>&1 || { cat $(BUILD).log; exit 1; }
	@rm -f $(BUILD).log
	@MAKEFLAGS=--no-print-directory cmake --build $(BUILD) --parallel $(JOBS)

run: build
	@echo
	@echo "A card house of four levels, held up by friction alone, for five seconds:"
	@echo
	@$(BUILD)/cardhouse run cards --until 5 --every 10 --out $(BUILD)/cards.h5
	@$(BUILD)/make_problems cards --levels 4 --out $(BUILD)/cards.hdf5
	@echo
	@echo "Next:  $(BUILD)/cardhouse scene list                     other scenes that are built in"
	@echo "       $(BUILD)/cardhouse run YOUR-SCENE.json            a scene of your own: docs/first_scene.md"
	@echo "       $(BUILD)/cardhouse solve $(BUILD)/cards.hdf5            one step of the house as a contact problem"
	@echo "       $(BUILD)/cards.h5 is the motion, in HDF5: docs/trajectory.md tells what it holds"
	@echo
	@if [ -t 0 ] && [ -t 1 ]; then echo "The house, live:"; $(BUILD)/cardhouse view cards || true; \
	  else echo "Look:  $(BUILD)/cardhouse view cards                     the house, live, in your browser"; fi

test:
	@tools/install-packages build test
	@$(MAKE) --no-print-directory build CMAKE_FLAGS="$(CMAKE_FLAGS) -DCH_TESTS=ON"
	@ctest --test-dir $(BUILD) --output-on-failure --no-tests=error --parallel $(JOBS)

conformance:
	@tools/install-packages build test
	@$(MAKE) --no-print-directory build
	@$(BUILD)/conformance $(if $(PROBLEMS),$(PROBLEMS),--generated)

bench-solvers:
	@if [ -z "$(PROBLEMS)" ]; then echo "make bench-solvers PROBLEMS=folder: say which problems" >&2; exit 2; fi
	@tools/install-packages build bench
	@$(MAKE) --no-print-directory build CMAKE_FLAGS="$(CMAKE_FLAGS) -DCH_BENCH=ON"
	@$(BUILD)/bench/solvers $(PROBLEMS) --csv $(BUILD)/bench/solvers.csv --svg $(BUILD)/bench
	@$(BUILD)/bench/ordering

bench-ordering:
	@tools/install-packages build bench
	@$(MAKE) --no-print-directory build CMAKE_FLAGS="$(CMAKE_FLAGS) -DCH_BENCH=ON"
	@$(BUILD)/bench/ordering

bench-engines:
	@tools/install-packages build engines
	@$(MAKE) --no-print-directory build CMAKE_FLAGS="$(CMAKE_FLAGS) -DCH_BENCH=ON"
	@$(BUILD)/bench/engines $(if $(QUICK),--quick) --csv $(BUILD)/bench/engines.csv
	@python3 bench/engines_plot.py $(BUILD)/bench/engines.csv $(BUILD)/bench/engines.svg

pictures:
	@tools/install-packages build pictures
	@$(MAKE) --no-print-directory build
	@node docs/pictures/viewer.mjs --program $(BUILD)/cardhouse --modules $(BUILD)/web/node_modules --out docs/pictures $(PICTURES)

validation:
	@tools/install-packages build pictures
	@$(MAKE) --no-print-directory build
	@$(BUILD)/cardhouse reproduce all --fresh --out $(BUILD)/report --markdown docs/validation.md \
	  --revision "$$(git describe --always --dirty)"

install: build
	@cmake --install $(BUILD) --prefix $(PREFIX)

debug:
	@$(MAKE) --no-print-directory test BUILD=build-debug CMAKE_FLAGS="-DCMAKE_BUILD_TYPE=Debug"

asan:
	@$(MAKE) --no-print-directory test BUILD=build-asan CMAKE_FLAGS="-DCMAKE_BUILD_TYPE=RelWithDebInfo -DCH_SANITIZE=address"

ubsan:
	@$(MAKE) --no-print-directory test BUILD=build-ubsan \
	  CMAKE_FLAGS="-DCMAKE_BUILD_TYPE=RelWithDebInfo -DCH_SANITIZE=undefined"

sanitize:
	@$(MAKE) --no-print-directory test BUILD=build-sanitize \
	  CMAKE_FLAGS="-DCMAKE_BUILD_TYPE=RelWithDebInfo -DCH_SANITIZE=address,undefined"

fuzz:
	@tools/install-packages build fuzz
	@tests/fuzz/run.sh $(FUZZ_SECONDS)

format:
	@tools/install-packages format
	@clang-format -i $(SOURCES)

format-check:
	@tools/install-packages format
	@clang-format --dry-run --Werror $(SOURCES)
	@echo "format: $(words $(SOURCES)) files as .clang-format says"

clean:
	rm -rf build build-debug build-asan build-ubsan build-sanitize build-fuzz
