#!/bin/sh
# Fuzzes the readers of problem, mesh and scene files, of recordings and checkpoints, and of what pages send to the
# viewer, with AddressSanitizer and UndefinedBehaviorSanitizer, two targets at a time:
#
#   tests/fuzz/run.sh [SECONDS each, 600] [BUILD FOLDER, build-fuzz] [TARGET, all of them]
#
# The corpus stays in the build folder, so that a later run goes on from where this one ended. A finding ends the run
# with status 1 and leaves its input in BUILD/findings.
set -eu

seconds=${1:-600}
source=$(cd "$(dirname "$0")/../.." && pwd)
build=${2:-$source/build-fuzz}
only=${3-}

# Target and largest input.
targets='fuzz_siconos 4096
fuzz_mesh 4096
fuzz_tet 4096
fuzz_scene 8192
fuzz_robot 8192
fuzz_order 4096
fuzz_fclib 65536
fuzz_trajectory 131072
fuzz_checkpoint 16384
fuzz_shapes 64'

# Reports of children are findings unless the fault was met inside libhdf5: the innermost frame of libhdf5 or of ours says.
sift_reports() {
  excused=0 found=0
  for report in "$build/findings/$1.report".*; do
    [ -e "$report" ] || continue
    # A refused allocation of an absurd size is a warning only: malloc would return NULL.
    grep -qE 'ERROR:|runtime error:' "$report" || { rm "$report"; continue; }
    frame=$(grep -E '^ *#[0-9]+ ' "$report" | grep -E "libhdf5|$source/" | sed -n 1p)
    case "$frame" in
      *libhdf5*) rm "$report"; excused=$((excused + 1)) ;;
      *) found=$((found + 1)) ;;
    esac
  done
  [ "$excused" = 0 ] || echo "$1: libhdf5 broke down in the child process on $excused inputs, as it may"
  [ "$found" = 0 ] || { echo "$1: $found findings in the child process; see $build/findings" >&2; exit 1; }
}

fuzz() { # NAME LARGEST-INPUT
  corpus=$build/corpus-$1
  mkdir -p "$corpus"
  # libhdf5 is not instrumented and does not free everything when it meets a damaged file; a leak of ours is still seen.
  export LSAN_OPTIONS="suppressions=$build/leaks:print_suppressions=0"
  # The library reads HDF5 in a child process, silent and with default signals; these make the child's faults visible.
  export ASAN_OPTIONS="allocator_may_return_null=1:handle_segv=2:handle_sigbus=2:handle_abort=2:log_path=$build/findings/$1.report"
  if [ -z "${TMPDIR-}" ] && [ -w /dev/shm ]; then export TMPDIR=/dev/shm; fi
  "$build/fuzz/$1" --seeds "$corpus"
  # A child that hangs is given up after 60 seconds, so an input may take longer than that.
  "$build/fuzz/$1" -max_total_time="$seconds" -max_len="$2" -timeout=90 -rss_limit_mb=2048 -malloc_limit_mb=1024 \
    -artifact_prefix="$build/findings/$1-" -print_final_stats=1 "$corpus" >"$build/$1.log" 2>&1 ||
    { tail -n 60 "$build/$1.log" >&2; cat "$build/findings/$1.report".* >&2 2>/dev/null; \
      echo "$1: a finding; its input is in $build/findings" >&2; exit 1; }
  sift_reports "$1"
  echo "$1: $seconds seconds, $(sed -n 's/stat::number_of_executed_units: *//p' "$build/$1.log") inputs"
}

if [ -n "$only" ]; then
  fuzz "$only" "$(echo "$targets" | sed -n "s/^$only //p")"
  exit 0
fi

# Little optimisation: what it would save in the run it costs in the build.
cmake -S "$source" -B "$build" -DCMAKE_C_COMPILER=clang -DCMAKE_BUILD_TYPE=RelWithDebInfo \
  -DCMAKE_C_FLAGS_RELWITHDEBINFO="-O1 -gline-tables-only" -DCH_FUZZ=ON -DCH_TESTS=OFF \
  -DCH_SANITIZE=address,undefined -DCH_NATIVE=OFF >"$build.log" 2>&1 || { cat "$build.log" >&2; exit 2; }
# shellcheck disable=SC2046
cmake --build "$build" --target $(echo "$targets" | cut -d' ' -f1) -j "$(nproc)" >>"$build.log" 2>&1 ||
  { cat "$build.log" >&2; exit 2; }
mkdir -p "$build/findings"
printf 'leak:libhdf5\n' >"$build/leaks"
echo "$targets" | cut -d' ' -f1 | xargs -P 2 -n 1 "$source/tests/fuzz/run.sh" "$seconds" "$build" || exit 1
echo "no findings"
