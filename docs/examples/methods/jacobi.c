// jacobi: projected Jacobi, all blocks at once and damped. The worked example of docs/adding_a_method.md.
//
//   r <- r + omega (P(r - û) - r),   û = u + mu |u_T| n  (u itself in pose relaxed),   u = W r + q
//
// In scaled variables the diagonal blocks of W have mean eigenvalue 1, so that 1 is the natural step of a lone block.
// Blocks that pull together need less: omega is halved where the error has grown ten times above the best.
#include <string.h>

#include "solve/method.h"

#define CH_OPTION_PREFIX "jacobi"
#define JACOBI_OPTIONS(X) X(double, omega, 0.3, 1e-6, 1.0, "share of a full step at the start")
CH_OPTIONS(JACOBI_OPTIONS)

static void step(const ChSystem* s, double omega, const double* u, double* target, double* r) {
  for (int i = 0; i < s->n; ++i) {
    const int row = s->row[i];
    for (int a = row; a < s->row[i + 1]; ++a) target[a] = r[a] - u[a];
    if (!s->relaxed) target[row] -= s->block[i].mu * ch_system_slip(s, i, u + row);
  }
  ch_system_project(s, target, target);
  for (int a = 0; a < s->rows; ++a) r[a] += omega * (target[a] - r[a]);
}

static void solve(ChRun* run) {
  const ChSystem* s = run->system;
  double omega = read_options(run->options).omega;
  double* r = CH_TAKE(run->arena, s->rows, double);
  double* u = CH_TAKE(run->arena, s->rows, double);
  double* target = CH_TAKE(run->arena, s->rows, double);
  memcpy(r, run->r, (size_t)s->rows * sizeof *r);
  const long limit = run->max_iterations > 0 ? run->max_iterations : 100000;
  for (long k = 1; k <= limit && !ch_run_finished(run); ++k) {
    ch_system_velocity(s, r, u);
    const double error = ch_run_offer(run, r, u);
    ch_run_note(run, k, error);
    ++run->outer;
    if (!(error <= 10.0 * run->error)) {  // NaN too: back to the best, with shorter steps
      memcpy(r, run->r, (size_t)s->rows * sizeof *r);
      omega *= 0.5;
      continue;
    }
    step(s, omega, u, target, r);
  }
}

const ChMethod ch_method_jacobi = {
    .name = "jacobi",
    .summary = "projected Jacobi, damped",
    .document = "textbooks",
    .equation = "the splitting at the head of this file",
    .takes = CH_TAKES_COULOMB | CH_TAKES_RELAXED | CH_TAKES_UNFORMED | CH_TAKES_UNSYMMETRIC | CH_IS_EXACT,
    .options = option_rows,
    .option_count = CH_OPTION_COUNT,
    .solve = solve};
