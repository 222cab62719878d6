// two-pass: contacts first, friction then, and no more: what ad-hoc methods do (Kaufman 2009, section 2.8.1; Bridson,
// Fedkiw and Anderson 2002).
//
//   first pass    r_N <- argmin 1/2 r_N W_NN r_N + r_N q_N                over half lines, as if there were no friction
//   second pass   f   <- argmin 1/2 f W_TT f + f (q_T + W_TN r_N)         over discs |f_i| <= mu_i r_N,i, or polygons
//
// The first two projections of `staggered` from no friction. What friction does to the normal velocities nobody asks
// again: u_N = W_NT f is left at contacts that the first pass had brought to rest. Exact where W_NT = 0.
#include "solve/methods/staggered.h"

#define CH_OPTION_PREFIX "two-pass"
#define TWO_PASS_OPTIONS(X) X(double, tol, 1e-9, 1e-15, 1e-2, "error of each of the two passes, |q| = 1")
CH_OPTIONS(TWO_PASS_OPTIONS)

static void solve(ChRun* run) {
  ChStaggered g;
  Options o = read_options(run->options);
  ch_staggered_init(&g, run, false, 0);
  ch_staggered_contact(&g, g.x, o.tol, run->deadline);
  ch_staggered_friction(&g, g.r_n, g.x, o.tol);
  ch_staggered_join(&g, g.r_n, g.f);
  ++run->outer;
  ch_run_answer(run, g.r, g.u);
  ch_run_note(run, 1, run->error);
}

const ChMethod ch_method_two_pass = {
    .name = "two-pass",
    .summary = "one contact projection, then one friction projection, and no more",
    .document = "Kaufman 2009",
    .equation = "section 2.8.1; (6.1), (6.2) once each",
    .literature = "Bridson, Fedkiw and Anderson 2002",
    .takes = CH_TAKES_COULOMB | CH_TAKES_POLYGON | CH_TAKES_UNSYMMETRIC | CH_IS_OUTER | CH_IS_BASELINE,
    .engine_sweeps = 1,
    .options = option_rows,
    .option_count = CH_OPTION_COUNT,
    .solve = solve};
