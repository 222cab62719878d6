// relaxed: one pass of successive convex relaxation from s = 0 (LCP2 of Anitescu and Hart 2004,
// over circular cones the cone complementarity problem of Tasora and Anitescu 2011).
//
//   K contains r, K* contains u = W r + q, orthogonal
//
// Exact where nothing slips. Elsewhere a sliding contact leaves with u_n = mu |u_T| instead of 0, which the certificate
// of pose coulomb shows; in pose relaxed this is the law itself.
#include <math.h>
#include <string.h>

#include "solve/method.h"

// The answer of this method is the relaxed solution, also where another iterate has the smaller error in the pose that
// was asked for; only a method that calls this one keeps its best.
static void hand_over(ChRun* run, const double* r, double* u) {
  double error = ch_run_offer_reaction(run, r, u);
  ch_run_note(run, 1, error);
  if (run->depth > 0 || isnan(error)) return;
  memcpy(run->r, r, (size_t)run->system->rows * sizeof *r);
  run->error = error;
  run->answered = true;
}

static void solve(ChRun* run) {
  ChSystem system = *run->system;
  ChSolveOptions quiet = *run->options;
  system.relaxed = true;
  quiet.history = NULL;
  double* r = CH_TAKE(run->arena, system.rows, double);
  double* u = CH_TAKE(run->arena, system.rows, double);
  memcpy(r, run->r, (size_t)system.rows * sizeof *r);
  ChRun pass = *run;
  pass.system = &system;
  pass.options = &quiet;
  pass.r = r;
  pass.outer = pass.inner = pass.factorizations = 0;
  ch_system_velocity(&system, r, u);
  pass.error = ch_system_error(&system, r, u);
  if (!(pass.error <= pass.tolerance)) ch_method_find("successive")->solve(&pass);
  run->outer += pass.outer;
  run->inner += pass.inner;
  run->factorizations += pass.factorizations;
  hand_over(run, r, u);
}

const ChMethod ch_method_relaxed = {.name = "relaxed",
                                    .summary = "one convex solve with the slip left out; exact only if nothing slips",
                                    .document = "Anitescu and Hart 2004",
                                    .equation = "LCP2: (15) with Gamma = 0; Negrut and Serban 2016, (14), (15)",
                                    .literature = "Tasora and Anitescu 2011",
                                    .takes = CH_TAKES_COULOMB | CH_TAKES_ANY_LAW | CH_TAKES_POLYGON | CH_TAKES_RELAXED |
                                             CH_TAKES_UNFORMED | CH_TAKES_UNSYMMETRIC | CH_IS_OUTER,
                                    .solve = solve};
