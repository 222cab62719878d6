// seeded: an interior point for a start, then sweeps with momentum from there.
//
//   s <- ipm, some iterations          (from several starting points the one of the least error)
//   r <- ansgs from s
//
// Sweeps settle velocities soon and creep along self-stress, reactions that bodies hardly feel. The interior point
// moves all of these at once, in the middle of their cones, and need not come near a solution: where grains jam it ends
// at errors of 0.01 to 0.5, and sweeps from there have the right amount of self-stress already. docs/theory/seeded.md
// has the figures.
#include <string.h>

#include "solve/method.h"

#define CH_OPTION_PREFIX "seeded"
#define SEEDED_OPTIONS(X)                                                         \
  X(int, inside, 30, 1, 1000, "iterations of the interior point from each start") \
  X(int, starts, 1, 1, 3, "number of starting sizes: 0.1, 0.01, 10, in this order")
CH_OPTIONS(SEEDED_OPTIONS)

extern const ChMethod ch_method_ansgs, ch_method_ipm;

static void solve(ChRun* run) {
  static const double size[] = {0.1, 0.01, 10.0};
  const Options o = read_options(run->options);
  const size_t bytes = (size_t)run->system->rows * sizeof(double);
  double *found = CH_TAKE(run->arena, run->system->rows, double),
         *seed = CH_TAKE(run->arena, run->system->rows, double);
  if (!found || !seed) return;
  double least = run->error;
  memcpy(seed, run->r, bytes);  // a warm start may be better than what the interior point finds
  for (int k = 0; k < o.starts && !ch_run_finished(run); ++k) {
    const double error = ch_run_nested(
        run, &(ChNested){.method = &ch_method_ipm, .max_iterations = o.inside, .setting = {{"ipm.start", size[k]}}},
        found);
    if (!(error < least)) continue;
    least = error;
    memcpy(seed, found, bytes);
  }
  if (!ch_run_finished(run)) ch_run_nested(run, &(ChNested){.method = &ch_method_ansgs, .start = seed}, NULL);
}

const ChMethod ch_method_seeded = {
    .name = "seeded",
    .summary = "interior point for a start, then Gauss-Seidel with momentum",
    .document = "Cardhouse's own",
    .equation = "docs/theory/seeded.md",
    .takes = CH_TAKES_COULOMB | CH_TAKES_RELAXED | CH_TAKES_UNFORMED | CH_TAKES_UNSYMMETRIC | CH_IS_EXACT,
    .options = option_rows,
    .option_count = CH_OPTION_COUNT,
    .solve = solve};
