# Cardhouse's front door; CMake does the building. `make help` lists the commands.
BUILD ?= build
PREFIX ?= /usr/local
PROBLEMS ?=
JOBS ?= $(shell nproc 2>/dev/null || echo 1)
FUZZ_SECONDS ?= 600
RESULTS ?= bench/RESULTS.md
FLAGS ?=

CMAKE_FLAGS ?=
SOURCES = $(shell find include src apps tests bench docs/examples python/src -name '*.c' -o -name '*.h')

# Builds in place use what this processor has; what is installed or packed runs on any (cmake/flags.cmake).
IN_PLACE = -DCH_NATIVE=ON
PORTABLE = -DCH_NATIVE=OFF -DCH_LEVELS=ON -DBUILD_SHARED_LIBS=ON -DCH_TESTS=OFF

.DEFAULT_GOAL := build
.PHONY: build run test page tables conformance bench-build bench-solvers bench-laws bench-portfolio bench-ordering bench-large bench-engines bench-collide bench-scale bench-meshes mesh-oracle joint-energy \
  bench-viewer bench-python bench-mujoco-grade looks pictures validation granular repose install deb deb-try format format-check tidy coverage asan ubsan sanitize tsan debug \
  blender-check fuzz crafted python python-fuzz docs clean help

help:
	@echo "make                                build/cardhouse and libcardhouse; installs what is missing"
	@echo "make run                            builds, runs a card house, prints its certificate, shows it"
	@echo "make test                           builds and runs every test"
	@echo "make conformance [PROBLEMS=folder]  every method over every problem of a folder (or generated ones)"
	@echo "make bench-solvers PROBLEMS=folder  our methods beside Siconos' on a folder of problems"
	@echo "make bench-laws                     every convex law over 200 generated problems, solved by auto; FLAGS: --law NAME, --only INDEX, --method NAME"
	@echo "make repose                         the angle of repose over the resistance to rolling, docs/repose.md"
	@echo "make bench-portfolio PROBLEMS=folder  auto beside each of its members: work, time, profiles"
	@echo "make bench-ordering                 our methods on one card house, beside the figures of Kaufman 2009"
	@echo "make bench-engines [QUICK=1]        us beside MuJoCo, ODE and Bullet on six scenes that turn on friction"
	@echo "make joint-energy [STEPS=1000000]  energy and joints of linkages with the variational integrators"
	@echo "make mesh-oracle [PAIRS=100000] [FIRST=0]  contacts of moving meshes against a slow oracle"
	@echo "make bench-large | bench-collide | bench-viewer  large structures, collision by itself, many browsers"
	@echo "make bench-scale                    beds of ever more pebbles: time, sweeps and memory a step"
	@echo "make bench-meshes [BEFORE=program]  exact beside sampled contact of meshes; other scenes beside an earlier build"
	@echo "make bench-python                   steps a second from Python, in C, in batches, of MuJoCo"
	@echo "make bench-mujoco-grade             MuJoCo's steps graded by the law of friction: docs/python_mujoco.md"
	@echo "                                    all benchmarks take FLAGS=\"...\" and write RESULTS=bench/RESULTS.md"
	@echo "make pictures                       the viewer's pictures in docs/, anew, in a browser without a window"
	@echo "make looks                          eight scenes of the viewer at two sizes, light and dark, in build/looks: look at them"
	@echo "make validation                     every experiment of the documents anew: build/report, docs/validation.md"
	@echo "make granular [QUICK=1]             grains beside the laws of granular matter: docs/granular_physics.md, ten minutes"
	@echo "make docs                           the documentation as a site with search and live replays, in build/site"
	@echo "make page                           the viewer's page, bundled anew and kept in web/dist"
	@echo "make tables                         what is made from the tables of joints and shapes: schema, page's types"
	@echo "make python                         the Python module as a wheel, in build/python: docs/python.md"
	@echo "make python-fuzz [FUZZ_SECONDS=300] wrong calls of the Python module, at random, under the address sanitizer"
	@echo "make install [PREFIX=/usr/local]    program, libraries, headers, files for pkg-config and CMake, man page"
	@echo "make deb                            Debian packages in build-deb, checked by lintian; make deb-try tries them"
	@echo "make debug | asan | ubsan           tests in a debug or sanitizer build, in folders of their own"
	@echo "make sanitize                       tests with both sanitizers at once"
	@echo "make tsan                           threads under a sanitizer: a scene, a solve, the viewer with four clients"
	@echo "make blender-check                  what \`cardhouse export\` writes, opened in Blender (apt-get install blender)"
	@echo "make fuzz [FUZZ_SECONDS=600]        fuzzes the readers of files and messages, two targets at a time"
	@echo "make crafted                        every crafted recording, checkpoint and problem through every reader"
	@echo "make format | format-check          clang-format over the sources"
	@echo "make tidy                           clang-tidy with the checks of .clang-tidy"
	@echo "make coverage                       which lines the tests run"
	@echo "make clean                          removes the build folders"

# TARGETS: all of them unless some are named.
build:
	@tools/install-packages build
	@cmake -S . -B $(BUILD) -DCMAKE_BUILD_TYPE=Release $(IN_PLACE) $(CMAKE_FLAGS) >$(BUILD).log 2>&1 || { cat $(BUILD).log; exit 1; }
	@grep -E 'Missing:|left out' $(BUILD).log || true
	@rm -f $(BUILD).log
	@MAKEFLAGS=--no-print-directory cmake --build $(BUILD) --parallel $(JOBS) $(if $(TARGETS),--target $(TARGETS))

run:
	@$(MAKE) --no-print-directory build TARGETS="cardhouse make_problems"
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
	@tools/install-packages build page test
	@$(MAKE) --no-print-directory build CMAKE_FLAGS="$(CMAKE_FLAGS) -DCH_TESTS=ON"
	@ctest --test-dir $(BUILD) --output-on-failure --no-tests=error --parallel $(JOBS)

tables: build
	@$(BUILD)/cardhouse scene schema >$(BUILD)/scene.schema.json && mv $(BUILD)/scene.schema.json docs/
	@$(BUILD)/page_types >$(BUILD)/world_types.ts && mv $(BUILD)/world_types.ts web/src/

conformance:
	@tools/install-packages build page test
	@$(MAKE) --no-print-directory build
	@$(BUILD)/conformance $(if $(PROBLEMS),$(PROBLEMS),--generated)

# Every convex law over generated problems, solved by auto.
bench-laws:
	@tools/install-packages build
	@$(MAKE) --no-print-directory build TARGETS=solve_laws
	@$(BUILD)/solve_laws $(FLAGS)

# Runs a benchmark and makes what it prints its section of the results.
RECORD = python3 bench/results_section.py --results $(RESULTS)

bench-build:
	@tools/install-packages build bench
	@$(MAKE) --no-print-directory build CMAKE_FLAGS="$(CMAKE_FLAGS) -DCH_BENCH=ON"

bench-solvers:
	@if [ -z "$(PROBLEMS)" ]; then echo "make bench-solvers PROBLEMS=folder: say which problems" >&2; exit 2; fi
	@$(MAKE) --no-print-directory bench-build
	@$(RECORD) solvers -- $(BUILD)/bench/solvers $(PROBLEMS) --csv $(BUILD)/bench/solvers.csv --svg $(BUILD)/bench $(FLAGS)

# The whole table, hours of one core for a large folder; `FLAGS="--members auto"` measures one of them.
bench-portfolio:
	@if [ -z "$(PROBLEMS)" ]; then echo "make bench-portfolio PROBLEMS=folder: say which problems" >&2; exit 2; fi
	@$(MAKE) --no-print-directory bench-build
	@$(RECORD) portfolio -- python3 bench/portfolio.py --build $(BUILD) --problems $(PROBLEMS) --csv $(BUILD)/bench/portfolio.csv \
	  --svg $(BUILD)/bench/portfolio.svg $(FLAGS)

bench-ordering: bench-build
	@$(RECORD) ordering -- $(BUILD)/bench/ordering $(FLAGS)

bench-large: bench-build
	@$(RECORD) large -- python3 bench/large.py --build $(BUILD) $(FLAGS)

bench-engines:
	@tools/install-packages build engines
	@$(MAKE) --no-print-directory build CMAKE_FLAGS="$(CMAKE_FLAGS) -DCH_BENCH=ON"
	@$(RECORD) engines -- $(BUILD)/bench/engines $(if $(QUICK),--quick) --csv $(BUILD)/bench/engines.csv $(FLAGS)
	@python3 bench/engines_plot.py $(BUILD)/bench/engines.csv $(BUILD)/bench/engines.svg

# Gap, normal and time of first contact of moving meshes against a slow oracle; PAIRS=1 FIRST=N tries number N alone.
mesh-oracle: PAIRS = 100000
mesh-oracle: FIRST = 0
mesh-oracle: build
	@$(MAKE) --no-print-directory build CMAKE_FLAGS="$(CMAKE_FLAGS) -DCH_TESTS=ON" TARGETS=test_mesh_oracle
	@$(BUILD)/tests/test_mesh_oracle $(PAIRS) $(FIRST)

# Energy and joints of a double pendulum and a slider-crank over a million steps, with every integrator whose joints hold.
joint-energy: STEPS = 1000000
joint-energy: build
	@$(MAKE) --no-print-directory build CMAKE_FLAGS="$(CMAKE_FLAGS) -DCH_TESTS=ON" TARGETS=test_held_joints
	@$(BUILD)/tests/test_held_joints $(STEPS)

bench-collide: bench-build
	@$(RECORD) collide -- $(BUILD)/bench/collide $(FLAGS)

# FLAGS="40000 400000" takes a quarter of an hour and 4 GB.
bench-scale: bench-build
	@$(RECORD) scale -- $(BUILD)/bench/scale $(FLAGS)

# BEFORE=program, the cardhouse of an earlier commit, is run on scenes without meshes beside this one.
bench-meshes: build
	@$(RECORD) meshes -- python3 bench/meshes.py --build $(BUILD) $(if $(BEFORE),--before $(BEFORE)) $(FLAGS)

# Open build/site/index.html: nothing is served and nothing is fetched.
docs:
	@$(MAKE) --no-print-directory build TARGETS=cardhouse
	@python3 tools/docs_site.py --program $(BUILD)/cardhouse --out $(BUILD)/site

# The page of the viewer, bundled anew and kept in web/dist: after a change below web/.
page:
	@tools/install-packages build page
	@$(MAKE) --no-print-directory build TARGETS=page

bench-viewer:
	@tools/install-packages build page pictures
	@$(MAKE) --no-print-directory build TARGETS="cardhouse viewer_modules"
	@$(RECORD) viewer -- node bench/viewer_load.mjs --program $(BUILD)/cardhouse --modules $(BUILD)/web/node_modules $(FLAGS)

# The module is that of the build folder, not an installed one.
IN_BUILD = env PYTHONPATH=$(BUILD)/python/lib OPENBLAS_NUM_THREADS=1 /usr/bin/python3

bench-python:
	@tools/install-packages build python engines
	@$(MAKE) --no-print-directory build TARGETS="python_module bench_python_loop" CMAKE_FLAGS="$(CMAKE_FLAGS) -DCH_BENCH=ON"
	@$(RECORD) python -- $(IN_BUILD) bench/python_speed.py --build $(BUILD) $(FLAGS)

bench-mujoco-grade:
	@tools/install-packages build python engines
	@$(MAKE) --no-print-directory build TARGETS=python_module
	@$(IN_BUILD) bench/mujoco_grade.py --page docs/python_mujoco.md

pictures:
	@tools/install-packages build page pictures python
	@$(MAKE) --no-print-directory build TARGETS="cardhouse viewer_modules python_module"
	@node docs/pictures/viewer.mjs --program $(BUILD)/cardhouse --modules $(BUILD)/web/node_modules --out docs/pictures $(PICTURES)

# Eight scenes of the viewer at two sizes, light and dark, to be looked at: build/looks.
looks:
	@tools/install-packages build page pictures
	@$(MAKE) --no-print-directory build TARGETS="cardhouse viewer_modules"
	@node docs/pictures/looks.mjs --program $(BUILD)/cardhouse --modules $(BUILD)/web/node_modules --out $(BUILD)/looks $(PICTURES)

validation:
	@tools/install-packages build pictures
	@$(MAKE) --no-print-directory build
	@$(BUILD)/cardhouse reproduce all --fresh --out $(BUILD)/report --markdown docs/validation.md \
	  --revision "$$(git describe --always --dirty)"

# The physics of compliant grains: QUICK=1 for the form of the tests, which leaves the page in docs/ alone.
GRANULAR = granular-hertz granular-repose granular-janssen granular-collapse granular-beverloo
granular:
	@$(MAKE) --no-print-directory build TARGETS=cardhouse
	@$(BUILD)/cardhouse reproduce $(GRANULAR) --fresh $(if $(QUICK),--quick --out $(BUILD)/granular-quick,--pictures off \
	  --out $(BUILD)/granular --markdown docs/granular_physics.md --charts pictures --revision "$$(git describe --always --dirty)")

# The angle of repose over the resistance to rolling, with its plot.
repose:
	@$(MAKE) --no-print-directory build TARGETS=cardhouse
	@$(BUILD)/cardhouse reproduce granular-rolling --fresh --pictures off --out $(BUILD)/repose \
	  --markdown docs/repose.md --charts pictures --revision "$$(git describe --always --dirty)"

# The wheel has the engine in it, and is for this processor, as all that is built in place.
python:
	@tools/install-packages build python
	@$(MAKE) --no-print-directory build TARGETS=python_wheel
	@ls $(BUILD)/python/*.whl

# The interpreter has no sanitizer in it: the loader brings it. What Python itself leaves behind is no leak of ours.
python-fuzz: FUZZ_SECONDS = 300
python-fuzz:
	@tools/install-packages build python
	@$(MAKE) --no-print-directory build BUILD=build-asan TARGETS=python_module \
	  CMAKE_FLAGS="-DCMAKE_BUILD_TYPE=RelWithDebInfo -DCH_SANITIZE=address"
	@LD_PRELOAD=$$(cc -print-file-name=libasan.so) ASAN_OPTIONS=detect_leaks=0 PYTHONPATH=build-asan/python/lib \
	  /usr/bin/python3 -X faulthandler python/tests/fuzz_calls.py $(FUZZ_SECONDS)

# In a folder of its own: the build in place is for this processor only.
install:
	@$(MAKE) --no-print-directory build BUILD=build-install IN_PLACE="$(PORTABLE)"
	@cmake --install build-install --prefix $(PREFIX)

deb:
	@tools/install-packages build deb
	@tools/make-deb build-deb

deb-try:
	@test -n "$(wildcard build-deb/*.deb)" || $(MAKE) --no-print-directory deb
	@tools/try-deb build-deb

debug:
	@$(MAKE) --no-print-directory test BUILD=build-debug CMAKE_FLAGS="-DCMAKE_BUILD_TYPE=Debug"

asan:
	@$(MAKE) --no-print-directory test BUILD=build-asan CMAKE_FLAGS="-DCMAKE_BUILD_TYPE=RelWithDebInfo -DCH_SANITIZE=address"

ubsan:
	@$(MAKE) --no-print-directory test BUILD=build-ubsan \
	  CMAKE_FLAGS="-DCMAKE_BUILD_TYPE=RelWithDebInfo -DCH_SANITIZE=undefined"

# Little optimisation: what it would save in the run it costs twice in the build.
sanitize:
	@$(MAKE) --no-print-directory test BUILD=build-sanitize \
	  CMAKE_FLAGS="-DCMAKE_BUILD_TYPE=RelWithDebInfo -DCMAKE_C_FLAGS_RELWITHDEBINFO='-O1 -g1' -DCH_SANITIZE=address,undefined"

# With clang, whose OpenMP tells the sanitizer what its barriers order; only what is run is built.
tsan:
	@tools/install-packages build tsan
	@cmake -S . -B build-tsan $(IN_PLACE) -DCMAKE_C_COMPILER=clang -DCMAKE_BUILD_TYPE=RelWithDebInfo \
	  -DCMAKE_C_FLAGS_RELWITHDEBINFO="-O1 -gline-tables-only" -DCH_SANITIZE=thread \
	  -DCH_TESTS=OFF $(CMAKE_FLAGS) >build-tsan.log 2>&1 || { cat build-tsan.log; exit 1; }
	@rm -f build-tsan.log
	@MAKEFLAGS=--no-print-directory cmake --build build-tsan --parallel $(JOBS) --target cardhouse make_problems
	@python3 tests/tools/threads.py build-tsan/cardhouse build-tsan/make_problems

# Not part of any other target: Blender is large.
blender-check:
	@$(MAKE) --no-print-directory build TARGETS=cardhouse
	@/usr/bin/python3 tools/blender-check.py $(BUILD)

fuzz:
	@tools/install-packages build fuzz
	@tests/fuzz/run.sh $(FUZZ_SECONDS)

crafted:
	@tools/install-packages build page test
	@$(MAKE) --no-print-directory build
	@CARDHOUSE=$(BUILD)/cardhouse CRAFTED_SECONDS=0 /usr/bin/python3 tests/test_crafted.py

format:
	@tools/install-packages format
	@clang-format -i $(SOURCES)

format-check:
	@tools/install-packages format
	@clang-format --dry-run --Werror $(SOURCES)
	@echo "format: $(words $(SOURCES)) files as .clang-format says"

# Every C file of src/ and apps/ with the checks of .clang-tidy.
tidy:
	@tools/install-packages build tidy
	@$(MAKE) --no-print-directory build TARGETS=viewer_page CMAKE_FLAGS="$(CMAKE_FLAGS) -DCMAKE_EXPORT_COMPILE_COMMANDS=ON"
	@find src apps -name '*.c' | xargs -P $(JOBS) -n 8 clang-tidy --quiet -p $(BUILD) 2>/dev/null
	@echo "tidy: as .clang-tidy says"

# Lines and branches of src/ and apps/ that the tests run; the figure in CONTRIBUTING.md is of this.
coverage:
	@tools/install-packages build coverage
	@$(MAKE) --no-print-directory test BUILD=build-coverage IN_PLACE= \
	  CMAKE_FLAGS="-DCMAKE_BUILD_TYPE=Debug -DCMAKE_C_FLAGS='-O1 --coverage -fprofile-update=atomic'" || true
	@gcovr --root . --object-directory build-coverage --filter src/ --filter apps/ --gcov-ignore-parse-errors \
	  --exclude-directories '.*without_viewer.*' \
	  --html build-coverage/coverage.html --print-summary

clean:
	rm -rf build build-debug build-asan build-ubsan build-sanitize build-tsan build-fuzz build-install build-deb build-coverage build-matrix-*
