// pgs: projected Gauss-Seidel, the baseline of game engines (Kaufman 2009, section 5.7.2).
//
//   cone   r_i <- P(r_i - omega û_i / L_i)                            L_i >= |W_ii|, û = u + mu |u_T| n
//   box    r_n <- max(0, r_n - omega u_n / W_nn),  r_t <- clamp(r_t - omega u_t / W_tt, -mu r_n, mu r_n), row by row
//
// u is up to date at every visit. Fixed points of the cone variant are exact Coulomb. The box variant replaces the disc
// of radius mu r_n by the square around it: exact in the plane, too much friction along diagonals in space, as the
// certificate then shows. Bilateral and scalar blocks go row by row in both.
#include <math.h>
#include <string.h>

#include "base/check.h"
#include "linalg/small.h"
#include "solve/contact/sweeper.h"
#include "solve/method.h"

#define CH_OPTION_PREFIX "pgs"
#define PGS_OPTIONS(X)                                                                        \
  X(int, box, 0, 0, 1, "friction law: 0 = the circular cone, 1 = a box of half width mu r_n") \
  X(int, check, 5, 1, 1000, "sweeps between checks of the error")                             \
  X(double, omega, 1.0, 0.1, 1.9, "relaxation of a sweep")
CH_OPTIONS(PGS_OPTIONS)

typedef struct Pgs {
  const ChSystem* s;
  bool box;
  double* step;  // 1 / L_i
} Pgs;

// Frobenius norms: they bound the spectral ones, and are equal to them for scalars.
static void measure_steps(const ChSystem* s, double* step) {
  for (int i = 0; i < s->n; ++i) {
    double sum = 0.0;
    for (int k = s->diagonal_at[i]; k < s->diagonal_at[i + 1]; ++k) sum += s->diagonal[k] * s->diagonal[k];
    step[i] = sum > 0.0 ? 1.0 / sqrt(sum) : 0.0;
  }
}

static void visit_rows(const ChSystem* s, int i, double omega, const double* b, double* r) {
  const double* W = s->diagonal + s->diagonal_at[i];
  const ChScaledBlock* block = &s->block[i];
  int d = s->dim[i];
  for (int a = 0; a < d; ++a) {
    double u = b[a];
    for (int c = 0; c < d; ++c) u += W[a * d + c] * r[c];
    if (W[a * d + a] > 0.0) r[a] = block->law->clamp(block, a, r[a] - omega * u / W[a * d + a], r);
  }
}

static void visit_cone(const Pgs* p, int i, double omega, const double* b, double* r) {
  const ChSystem* s = p->s;
  double u[CH_BLOCK_MAX], x[CH_BLOCK_MAX];
  ch_small_multiply(s->dim[i], s->diagonal + s->diagonal_at[i], r, u);
  for (int a = 0; a < s->dim[i]; ++a) u[a] += b[a];
  if (!s->relaxed) u[0] += s->block[i].mu * ch_system_slip(s, i, u);
  for (int a = 0; a < s->dim[i]; ++a) x[a] = r[a] - omega * p->step[i] * u[a];
  ch_system_project_block(s, i, x, r);
}

static void visit(void* user, int i, double omega, const double* b, double* r) {
  const Pgs* p = user;
  if (p->s->block[i].law->together && !p->box)
    visit_cone(p, i, omega, b, r);
  else
    visit_rows(p->s, i, omega, b, r);
}

static void solve(ChRun* run) {
  const ChSystem* s = run->system;
  Options o = read_options(run->options);
  Pgs pgs = {.s = s, .box = o.box != 0, .step = CH_TAKE(run->arena, s->n, double)};
  measure_steps(s, pgs.step);
  ChSweeper* sweeper = ch_sweeper_create(run->arena, s, false, 1);
  ch_sweeper_set_rule(sweeper, visit, &pgs);
  double* r = CH_TAKE(run->arena, s->rows, double);
  double* u = CH_TAKE(run->arena, s->rows, double);
  double* inside = CH_TAKE(run->arena, s->rows, double);
  memcpy(r, run->r, (size_t)s->rows * sizeof *r);
  long limit = run->max_iterations > 0 ? run->max_iterations : 100000;
  for (long sweep = 1; sweep <= limit; ++sweep) {
    ch_sweeper_sweep(sweeper, o.omega, r);
    ++run->outer;
    if (sweep % o.check != 0 && sweep != limit && !ch_limits_over()) {
      ch_run_note_between(run, sweep, r, u);
      continue;
    }
    ch_system_project(s, r, inside);  // corners of a box stick out of the cone
    ch_run_note(run, sweep, ch_run_offer_reaction(run, inside, u));
    if (ch_run_finished(run)) return;
  }
}

const ChMethod ch_method_pgs = {.name = "pgs",
                                .summary = "projected Gauss-Seidel over cones or, as game engines do, boxes",
                                .document = "Kaufman 2009",
                                .equation = "section 5.7.2",
                                .takes = CH_TAKES_COULOMB | CH_TAKES_ANY_LAW | CH_TAKES_POLYGON | CH_TAKES_RELAXED |
                                         CH_TAKES_UNFORMED | CH_TAKES_UNSYMMETRIC | CH_TAKES_DISC | CH_IS_EXACT,
                                .engine_sweeps = 10,
                                .options = option_rows,
                                .option_count = CH_OPTION_COUNT,
                                .solve = solve};
