// The numbered properties of 000 (Anitescu and Hart), 001 (Negrut and Serban) and of the rod and the card of 004 that
// concern one contact problem. Elsewhere: I1, I3, I54 with Lemke's method, I10 and I11 over more problems in
// test_outer_loops, I13 and the numbers of I49 in test_limits, theorem 2 of 003 (I53) over general problems in
// test_mcp, staggered projections (I30 to I45) in test_staggered.
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "cardhouse/analysis.h"
#include "solve/lcp/polygon_lcp.h"
#include "solve/qp/contact_forms.h"
#include "solve/qp/convex_qp.h"
#include "support/random.h"
#include "support/small.h"
#include "support/solved.h"
#include "system/system.h"

enum { MULTIPLIERS_MAX = 8192 };

static ChSolved a, b;
static double gamma_[CH_SOLVED_MAX], multiplier[MULTIPLIERS_MAX], point[2 * CH_SOLVED_MAX];

static int set_up(void** state) {
  *state = ch_arena_create(NULL);
  return *state == NULL;
}

static int tear_down(void** state) {
  ch_arena_destroy(*state);
  return 0;
}

static double norm_inf(int n, const double* x) {
  double largest = 0.0;
  for (int i = 0; i < n; ++i)
    if (!(fabs(x[i]) <= largest)) largest = fabs(x[i]);
  return largest;
}

static double distance_inf(int n, const double* x, const double* y) {
  double largest = 0.0;
  for (int i = 0; i < n; ++i)
    if (!(fabs(x[i] - y[i]) <= largest)) largest = fabs(x[i] - y[i]);
  return largest;
}

// --- programmes, in numbers that are those of no method

// P1(Gamma) of 000 (16): Gamma enters where the gap does.
static void solve_shifted(ChProblem* p, const char* method, const double* gamma, ChSolved* out) {
  ChSolveOptions options = ch_options_for(method, CH_POSE_RELAXED, 1e-11);
  for (int i = 0; i < p->block_count; ++i)
    if (p->blocks[i].law == CH_LAW_CONTACT) p->w[p->blocks[i].row] += gamma[i];
  ch_must_solve(p, &options, out);
  for (int i = 0; i < p->block_count; ++i)
    if (p->blocks[i].law == CH_LAW_CONTACT) {
      p->w[p->blocks[i].row] -= gamma[i];
      out->u[p->blocks[i].row] -= gamma[i];
    }
}

static void random_gamma(const ChProblem* p, ChRandom* random, double size) {
  for (int i = 0; i < p->block_count; ++i) gamma_[i] = ch_random_uniform(random, 0.0, size);
}

// r_T = sum beta_j d_j, beta >= 0 with the least sum: the two directions that enclose it.
static double split(const ChBlock* block, const double* r, double* beta) {
  int m = ch_direction_count(block);
  memset(beta, 0, (size_t)m * sizeof *beta);
  if (block->dimension == 2) return beta[r[1] < 0.0] = fabs(r[1]);
  for (int j = 0; j < m; ++j) {
    double d[2], e[2];
    ch_direction(block, j, d);
    ch_direction(block, (j + 1) % m, e);
    double area = d[0] * e[1] - d[1] * e[0];
    double first = (r[1] * e[1] - r[2] * e[0]) / area, second = (d[0] * r[2] - d[1] * r[1]) / area;
    double rounding = 1e-15 * (fabs(r[1]) + fabs(r[2]));
    if (!(first >= -rounding && second >= -rounding)) continue;
    beta[j] = fmax(first, 0.0), beta[(j + 1) % m] = fmax(second, 0.0);
    return beta[j] + beta[(j + 1) % m];
  }
  fail_msg("a reaction that no two directions enclose");
  return NAN;
}

static int joint_multipliers(const ChProblem* p, const double* r) {
  int at = 0;
  for (int i = 0; i < p->block_count; ++i)
    for (int k = 0; p->blocks[i].law == CH_LAW_BILATERAL && k < p->blocks[i].dimension; ++k)
      multiplier[at++] = r[p->blocks[i].row + k];
  return at;
}

// Multipliers of 000 (15): r = sum_j y_j (1, mu d_j); what the two enclosing edges leave goes to all edges alike.
static void facet_multipliers(const ChProblem* p, const double* r) {
  int at = joint_multipliers(p, r);
  for (int i = 0; i < p->block_count; ++i) {
    const ChBlock* block = &p->blocks[i];
    if (block->law == CH_LAW_UNILATERAL) multiplier[at++] = r[block->row];
    int m = ch_direction_count(block);
    if (m == 0) continue;
    double beta[64], mu = block->mu[0], sum = split(block, r + block->row, beta);
    double rest = mu > 0.0 ? r[block->row] - sum / mu : r[block->row];
    for (int j = 0; j < m; ++j) multiplier[at++] = (mu > 0.0 ? beta[j] / mu : 0.0) + rest / m;
  }
}

// x = (v, Lambda(v)) and the multipliers c_n, beta, zeta of 000 (14).
static void slip_point(const ChProblem* p, const ChSolved* s) {
  int at = joint_multipliers(p, s->r), slips = 0, last;
  double beta[64];
  memcpy(point, s->v, (size_t)p->dof * sizeof *point);
  for (int i = 0; i < p->block_count; ++i)
    if (p->blocks[i].law == CH_LAW_CONTACT || p->blocks[i].law == CH_LAW_UNILATERAL)
      multiplier[at++] = s->r[p->blocks[i].row];
  last = at;
  for (int i = 0; i < p->block_count; ++i) last += ch_direction_count(&p->blocks[i]);
  for (int i = 0; i < p->block_count; ++i) {
    const ChBlock* block = &p->blocks[i];
    if (block->law != CH_LAW_CONTACT) continue;
    double sum = split(block, s->r + block->row, beta);
    for (int j = 0; j < ch_direction_count(block); ++j) multiplier[at++] = beta[j];
    multiplier[last + slips] = block->mu[0] * s->r[block->row] - sum;
    point[p->dof + slips++] = ch_slip_bound(block, s->u + block->row);
  }
}

// The programme's optimum by the dual active-set method, which knows nothing of contacts.
static const double* optimum(ChArena* arena, const ChQp* qp) {
  double *H = CH_TAKE(arena, qp->n * qp->n, double), *N = CH_TAKE(arena, qp->rows * qp->n, double);
  for (int j = 0; j < qp->n; ++j) {
    for (int k = qp->H.start[j]; k < qp->H.start[j + 1]; ++k) H[qp->H.index[k] * qp->n + j] = qp->H.value[k];
    for (int k = qp->A.start[j]; k < qp->A.start[j + 1]; ++k) N[qp->A.index[k] * qp->n + j] = qp->A.value[k];
  }
  ChConvexQp dense = {.n = qp->n,
                      .m = qp->rows,
                      .equalities = qp->equalities,
                      .H = H,
                      .c = qp->c,
                      .N = N,
                      .b = qp->b,
                      .tolerance = 1e-12,
                      .deadline = ch_deadline_in(10.0, INFINITY)};
  ChConvexQpAnswer answer = {.x = CH_TAKE(arena, qp->n, double), .y = CH_TAKE(arena, qp->rows, double)};
  assert_int_equal(ch_convex_qp_solve(arena, &dense, &answer), CH_DUAL_SOLVED);
  return answer.x;
}

typedef struct Case {
  const char *family, *settings;
  int sides;
} Case;

static const Case cases[] = {
    {"disks", "n=4 mu=0.3 noise=0.05", 0}, {"disks", "n=3 mu=0.8 gap=0.000005", 0},
    {"planar-wall", "n=2 noise=0.02", 0},  {"incline", "angle=35 mu=0.4 heading=10", 8},
    {"pile", "n=3 mu=0.3 noise=0.05", 4},  {"hexagon", "mu=0.2 noise=0.1", 6},
    {"chain", "n=3 mu=0.5 noise=0.1", 8},  {"door", "n=1 mu=0.5 noise=0.1", 4},
    {"beads", "n=3 noise=0.1", 0},         {"rain", "n=3 mu=0.3 noise=0.5", 8},
};
enum { CASES = sizeof cases / sizeof cases[0] };

static ChProblem* make_case(int k) {
  return ch_make(cases[k].family, cases[k].settings, CH_FORM_GLOBAL, cases[k].sides);
}

// The relaxed complementarity problem (12)-(13), solved as such, is the optimum of (14) with lambda = Lambda(v) and of
// (15). `boxmin` knows neither programme; accelerated gradient, which knows another one, finds the same velocity.
static void I4_relaxed_complementarity_is_the_optimum_of_both_programmes(void** state) {
  ChRandom random = ch_random_seeded(4);
  for (int k = 0; k < CASES; ++k) {
    ChContext context = {0};
    ChProblem* p = make_case(k);
    ChQp slip, velocity;
    ChArenaMark mark = ch_arena_mark(*state);
    random_gamma(p, &random, k % 2 ? 0.0 : 0.05);
    solve_shifted(p, "boxmin", gamma_, &a);
    double scale = norm_inf(p->dof, p->f);
    CHECK_OK(context, ch_qp_slip(&context, *state, p, gamma_, &slip));
    slip_point(p, &a);
    assert_int_equal(slip.n, p->dof + ch_problem_count(p, CH_LAW_CONTACT));
    CHECK_AT_MOST(ch_qp_residual(*state, &slip, point, multiplier), 1e-8 * scale);
    CHECK_OK(context, ch_qp_velocity(&context, *state, p, gamma_, &velocity));
    facet_multipliers(p, a.r);
    CHECK_AT_MOST(ch_qp_residual(*state, &velocity, a.v, multiplier), 1e-8 * scale);
    solve_shifted(p, "apgd", gamma_, &b);
    CHECK_AT_MOST(distance_inf(p->dof, a.v, b.v), 1e-7 * norm_inf(p->dof, a.v));
    CHECK_AT_MOST(distance_inf(p->dof, a.v, optimum(*state, &velocity)), 1e-7 * norm_inf(p->dof, a.v));
    CHECK_AT_MOST(distance_inf(p->dof, a.v, optimum(*state, &slip)), 1e-6 * norm_inf(p->dof, a.v));
    ch_arena_release(*state, mark);
    ch_problem_destroy(p);
  }
}

// v = 0 is feasible for (15) where Gamma, Delta >= 0, and its optimum is one: other starts lead to the same velocity.
static void I5_velocity_programme_is_feasible_and_has_one_answer(void** state) {
  ChRandom random = ch_random_seeded(5);
  for (int k = 0; k < CASES; ++k) {
    ChContext context = {0};
    ChProblem* p = make_case(k);
    ChQp qp;
    random_gamma(p, &random, 0.05);
    CHECK_OK(context, ch_qp_velocity(&context, *state, p, gamma_, &qp));
    for (int i = 0; i < qp.rows; ++i) assert_true(i < qp.equalities ? qp.b[i] == 0.0 : qp.b[i] <= 0.0);
    ChSolveOptions options = ch_options_for("newton", CH_POSE_RELAXED, 1e-11);
    ch_must_solve(p, &options, &a);
    double* warm = CH_TAKE(*state, p->rows, double);
    for (int i = 0; i < p->rows; ++i) warm[i] = a.r[i] + norm_inf(p->rows, a.r) * ch_random_uniform(&random, 0.0, 1.0);
    options.warm = warm;
    ch_must_solve(p, &options, &b);
    CHECK_AT_MOST(distance_inf(p->dof, a.v, b.v), 1e-7 * norm_inf(p->dof, a.v));
    ch_problem_destroy(p);
  }
}

// Largest |min(y, A y + b)|, |A y + b| on free rows: zero exactly at solutions of the Stewart-Trinkle problem.
static double lcp_residual(ChArena* arena, const ChPolygonLcp* lcp, const double* y) {
  double *w = CH_TAKE(arena, lcp->n, double), largest = 0.0;
  memcpy(w, lcp->b, (size_t)lcp->n * sizeof *w);
  for (int j = 0; j < lcp->n; ++j)
    for (int k = lcp->A.start[j]; k < lcp->A.start[j + 1]; ++k) w[lcp->A.index[k]] += lcp->A.value[k] * y[j];
  for (int i = 0; i < lcp->n; ++i) {
    double error = fabs(lcp->free[i] ? w[i] : fmin(y[i], w[i]));
    if (!(error <= largest)) largest = error;
  }
  return largest;
}

// The first part of a problem and its complementarity problem, in scaled variables.
static ChComponent first_part(ChArena* arena, const ChProblem* p, ChPolygonLcp* lcp) {
  ChContext context = {0};
  ChPrepared parts;
  CHECK_OK(context, ch_prepare(&context, arena, p, CH_POSE_COULOMB, NULL, &parts));
  assert_true(parts.count > 0);
  *lcp = ch_polygon_lcp(arena, &parts.component[0].system);
  return parts.component[0];
}

// chi_1(v) = v exactly where v is a velocity of (6)-(7): Lemke's solution is the optimum of (15) with Gamma = mu Lambda
// of itself, and what successive relaxation ends with solves the complementarity problem.
static void I6_fixed_points_are_solutions(void** state) {
  for (int k = 0; k < 5; ++k) {
    ChContext context = {0};
    ChProblem* p = make_case(k);
    ChQp qp;
    ChSolveOptions options = ch_options_for("lemke", CH_POSE_COULOMB, 1e-11);
    ch_must_solve(p, &options, &a);
    for (int i = 0; i < p->block_count; ++i)
      gamma_[i] = p->blocks[i].mu[0] * ch_slip_bound(&p->blocks[i], a.u + p->blocks[i].row);
    CHECK_OK(context, ch_qp_velocity(&context, *state, p, gamma_, &qp));
    facet_multipliers(p, a.r);
    CHECK_AT_MOST(ch_qp_residual(*state, &qp, a.v, multiplier), 1e-8 * norm_inf(p->dof, p->f));

    options.method = "successive";
    ch_must_solve(p, &options, &b);
    ChPolygonLcp lcp;
    ChComponent part = first_part(*state, p, &lcp);
    double* y = CH_TAKE(*state, lcp.n, double);
    double* r = CH_TAKE(*state, part.system.rows, double);
    double* u = CH_TAKE(*state, part.system.rows, double);
    for (int row = 0; row < part.system.rows; ++row) r[row] = b.r[part.source[row]] / (part.c * part.g[row]);
    ch_system_velocity(&part.system, r, u);
    ch_polygon_lcp_point(&part.system, r, u, y);
    CHECK_AT_MOST(lcp_residual(*state, &lcp, y), 1e-9);
    ch_problem_destroy(p);
  }
}

// (6)-(7) of the pyramid on six corners: weight on the odd or on the even ones, lambda = 1 on the others. The mean of
// the two keeps every linear condition and breaks mu c_n _|_ lambda.
static void I2_hexagonal_pyramid_has_two_solutions_and_no_third_between(void** state) {
  static const double mus[] = {0.01, 0.3, 1.0};
  for (int k = 0; k < 3; ++k) {
    ChProblem* p = ch_make("hexagon", "", CH_FORM_GLOBAL, 4);
    for (int i = 0; i < 6; ++i) p->blocks[i].mu[0] = p->blocks[i].mu[1] = mus[k];
    ChPolygonLcp lcp;
    ChComponent part = first_part(*state, p, &lcp);
    const double weight = 0.001 * 1.0 * 9.81;  // h m g of the family
    double *odd = CH_TAKE(*state, lcp.n, double), *even = CH_TAKE(*state, lcp.n, double),
           *mean = CH_TAKE(*state, lcp.n, double), violated = INFINITY;
    for (int i = 0, at = 0; i < 6; at += ch_polygon_lcp_variables(&part.system, i), ++i) {
      int block = part.source[part.system.row[i]] / 3, slip = at + ch_polygon_lcp_variables(&part.system, i) - 1;
      double alpha = weight / 3.0 / (part.c * part.g[part.system.row[i]]);
      odd[at] = block % 2 ? alpha : 0.0, odd[slip] = block % 2 ? 0.0 : 1.0;
      even[at] = block % 2 ? 0.0 : alpha, even[slip] = block % 2 ? 1.0 : 0.0;
      violated = fmin(0.5, 0.5 * mus[k] * alpha);
    }
    for (int j = 0; j < lcp.n; ++j) mean[j] = 0.5 * (odd[j] + even[j]);
    CHECK_AT_MOST(lcp_residual(*state, &lcp, odd), 1e-12);
    CHECK_AT_MOST(lcp_residual(*state, &lcp, even), 1e-12);
    CHECK_NEAR(lcp_residual(*state, &lcp, mean), violated, 1e-12);
    ch_problem_destroy(p);
  }
}

// --- what the theorems of 000 promise

// f'M^-1 f, with v = M^-1 f from the problem itself: no reactions.
static double free_energy(const ChProblem* p) {
  ChContext context = {0};
  memset(b.r, 0, sizeof b.r);
  CHECK_OK(context, ch_problem_velocity(&context, p, b.r, b.v, b.u));
  double energy = 0.0;
  for (int j = 0; j < p->dof; ++j) energy += p->f[j] * b.v[j];
  return energy;
}

static double energy(const ChProblem* p, const double* v) {
  double sum = 0.0;
  for (int j = 0; j < p->dof; ++j)
    for (int k = p->M.start[j]; k < p->M.start[j + 1]; ++k) sum += v[p->M.index[k]] * p->M.value[k] * v[j];
  return sum;
}

// Theorem 4.1 (i): whatever Gamma >= 0, no more energy than without any constraint.
static void I7_relaxed_step_gains_no_energy(void** state) {
  (void)state;
  ChRandom random = ch_random_seeded(7);
  for (int k = 0; k < CASES; ++k) {
    ChProblem* p = make_case(k);
    double bound = free_energy(p);
    for (int draw = 0; draw < 5; ++draw) {
      random_gamma(p, &random, draw * 0.05);
      solve_shifted(p, "newton", gamma_, &a);
      CHECK_AT_MOST(energy(p, a.v), bound * (1.0 + 1e-9));
    }
    ch_problem_destroy(p);
  }
}

static void set_mu(ChProblem* p, double mu) {
  for (int i = 0; i < p->block_count; ++i) p->blocks[i].mu[0] = p->blocks[i].mu[1] = mu;
}

// Largest |chi_1(v) - chi_1(v')| / |v - v'| seen over random pairs of velocities of size `speed`.
static double contraction(ChProblem* p, double speed, int pairs) {
  ChRandom random = ch_random_seeded(8);
  static double v[2][CH_SOLVED_MAX];
  double largest = 0.0, u[3];
  for (int pair = 0; pair < pairs; ++pair) {
    for (int side = 0; side < 2; ++side) {
      for (int j = 0; j < p->dof; ++j) v[side][j] = ch_random_uniform(&random, -speed, speed);
      for (int i = 0; i < p->block_count; ++i) {
        for (int axis = 0; axis < p->blocks[i].dimension; ++axis) {
          int column = p->blocks[i].row + axis;
          u[axis] = 0.0;
          for (int k = p->H.start[column]; k < p->H.start[column + 1]; ++k)
            u[axis] += p->H.value[k] * v[side][p->H.index[k]];
        }
        gamma_[i] = p->blocks[i].mu[0] * ch_slip_bound(&p->blocks[i], u);
      }
      solve_shifted(p, "newton", gamma_, side ? &b : &a);
    }
    largest = fmax(largest, distance_inf(p->dof, a.v, b.v) / distance_inf(p->dof, v[0], v[1]));
  }
  return largest;
}

// Theorem 4.1 (ii): the factor is at most mu L K_D, so it falls with mu, and below some mu it is at most 1/2.
static void I8_contraction_factor_is_proportional_to_mu(void** state) {
  (void)state;
  ChProblem* p = ch_make("disks", "n=3 h=0.05", CH_FORM_GLOBAL, 0);
  double factor[3], mu = 0.02;
  for (int k = 0; k < 3; ++k, mu *= 0.5) {
    set_mu(p, mu);
    factor[k] = contraction(p, 0.5, 20);
  }
  CHECK_AT_MOST(factor[2], 0.5);
  for (int k = 0; k < 2; ++k) CHECK_NEAR(factor[k + 1] / factor[k], 0.5, 0.1);  // L itself changes a little with mu
  ch_problem_destroy(p);
}

// Theorem 4.2: |v* - chi_1(0)| <= L |mu Lambda(v*)|, L the Lipschitz constant of P1. Between two values of Gamma P1 is
// Lipschitz along the segment, so that L is bounded from below by what short pieces of the segment from 0 to
// mu Lambda(v*) show, and the sum of the pieces bounds the distance.
static void I9_one_pass_errs_by_no_more_than_slip_times_friction(void** state) {
  (void)state;
  static const double mus[] = {0.05, 0.2, 0.4};
  ChProblem* p = ch_make("disks", "n=4 h=0.05", CH_FORM_GLOBAL, 0);
  for (int k = 0; k < 3; ++k) {
    enum { PIECES = 8 };
    static double full[CH_SOLVED_MAX], before[CH_SOLVED_MAX], first[CH_SOLVED_MAX], exact[CH_SOLVED_MAX];
    set_mu(p, mus[k]);
    ChSolveOptions options = ch_options_for("auto", CH_POSE_COULOMB, 1e-11);
    ch_must_solve(p, &options, &a);
    memcpy(exact, a.v, sizeof exact);
    for (int i = 0; i < p->block_count; ++i) full[i] = mus[k] * ch_slip_bound(&p->blocks[i], a.u + p->blocks[i].row);
    double slip = norm_inf(p->block_count, full), L = 0.0;
    for (int piece = 0; piece <= PIECES; ++piece) {
      for (int i = 0; i < p->block_count; ++i) gamma_[i] = full[i] * piece / PIECES;
      solve_shifted(p, "newton", gamma_, &a);
      if (piece == 0) memcpy(first, a.v, sizeof first);
      if (piece > 0) L = fmax(L, distance_inf(p->dof, a.v, before) / (slip / PIECES));
      memcpy(before, a.v, sizeof before);
    }
    assert_true(slip > 0.0 && isfinite(L));
    CHECK_AT_MOST(distance_inf(p->dof, exact, before), 1e-7);  // P1(mu Lambda(v*)) = v*: I6 again
    CHECK_AT_MOST(distance_inf(p->dof, exact, first), L * slip + 1e-7);
  }
  ch_problem_destroy(p);
}

// LCP2 meets every condition of (6)-(7) but n'v _|_ c_n, and there the error is mu Lambda: over polygons to the letter.
static void I11_relaxed_errs_by_mu_lambda_over_polygons(void** state) {
  (void)state;
  for (int k = 0; k < CASES; ++k) {
    ChProblem* p = make_case(k);
    ChSolveOptions options = ch_options_for("relaxed", CH_POSE_RELAXED, 1e-11);
    ch_must_solve(p, &options, &a);
    double speed = norm_inf(p->rows, a.u), load = norm_inf(p->rows, a.r), largest = 0.0, sum = 0.0;
    int loaded = 0;
    for (int i = 0; i < p->block_count; ++i) {
      const ChBlock* block = &p->blocks[i];
      if (block->law != CH_LAW_CONTACT) continue;
      const double *r = a.r + block->row, *u = a.u + block->row, error = block->mu[0] * ch_slip_bound(block, u);
      double beta[64], friction = split(block, r, beta);
      CHECK_AT_MOST(error, u[0] + 1e-8 * speed);
      CHECK_AT_MOST(friction, block->mu[0] * r[0] + 1e-8 * load);
      if (r[0] <= 1e-6 * load) continue;
      CHECK_NEAR(u[0], error, 1e-7 * speed);
      largest = fmax(largest, error), sum += error, ++loaded;
    }
    ChTakeOff take_off = ch_take_off(p, a.r, a.u);
    if (loaded == take_off.contacts && loaded > 0) {
      CHECK_NEAR(take_off.largest, largest, 1e-7 * speed);
      CHECK_NEAR(take_off.mean, sum / loaded, 1e-7 * speed);
    }
    ch_problem_destroy(p);
  }
}

static ChSolveOptions as_printed(double rule) {
  ChSolveOptions options = ch_options_for("successive", CH_POSE_COULOMB, 1e-4);
  static ChSetting setting = {"successive.paper_rule", 0.0};
  setting.value = rule;
  options.settings = &setting;
  options.setting_count = 1;
  return options;
}

// The pyramid's reactions are not unique and their set is not convex; the velocity iteration converges all the same.
// The cone is pointed whatever mu: all contacts can be lifted off a floor.
static void I12_successive_converges_on_the_pyramid(void** state) {
  (void)state;
  for (int k = 0; k < 4; ++k) {
    static const char* const settings[] = {"mu=0.05 noise=0", "mu=0.05 noise=0.3", "mu=0.1 noise=0.3",
                                           "mu=0.2 noise=0.3"};
    ChProblem* p = ch_make("hexagon", settings[k], CH_FORM_GLOBAL, 8);
    ChSolveOptions options = as_printed(1e-9);
    options.tolerance = 1e-7;
    ch_must_solve(p, &options, &a);
    CHECK_AT_MOST(a.info.outer, k == 0 ? 1 : 40);
    for (double factor = 0.0; factor < 50.0; factor = 2.0 * factor + 1.0) {
      ChContext context = {0};
      ChLimit limit;
      CHECK_OK(context, ch_self_stress_find(&context, p, factor, NULL, (ChLimitState){0}, &limit));
      assert_false(limit.exists);
    }
    ch_problem_destroy(p);
  }
}

// A particle on a floor, stepped with LCP2: v' is no faster than v + h g, hence no faster than |v0| + g t for any h.
static void I14_relaxed_stepping_keeps_velocities_bounded(void** state) {
  (void)state;
  const ChBlock contact = {.law = CH_LAW_CONTACT, .dimension = 2, .mu = {0.5, 0.5}};
  const double W[4] = {1, 0, 0, 1}, g = 9.81, end = 0.5;
  ChSolveOptions options = ch_options_for("relaxed", CH_POSE_RELAXED, 1e-10);
  for (double h = 0.1; h > 5e-4; h *= 0.1) {
    double gap = 0.05, normal = -0.5, tangent = 3.0, start = hypot(normal, tangent), t = 0.0;
    for (; t < end - 0.5 * h; t += h) {
      const double q[2] = {normal - g * h + gap / h, tangent};
      ChProblem* p = ch_small_local(2, 1, &contact, W, q);
      ch_must_solve(p, &options, &a);
      ch_problem_destroy(p);
      normal = a.u[0] - gap / h;
      tangent = a.u[1];
      gap += h * normal;
      CHECK_AT_MOST(-1e-9, gap);
      CHECK_AT_MOST(hypot(normal, tangent), start + g * (t + h) + 1e-7);
    }
    assert_true(fabs(tangent) < 3.0);
  }
}

// Table 1, 210 disks at rest: LCP2 errs at mu 0.1, 0.2 and 0.4, most at 0.2 of the first two, and not at all at 0.6 and
// 0.8, where LCP1 with its rule of 1e-5 stops after the first pass.
static void I15_error_of_the_pile_vanishes_with_friction(void** state) {
  (void)state;
  static const double mus[] = {0.1, 0.2, 0.4, 0.6, 0.8};
  double error[5];
  ChProblem* p = ch_make("disks", "n=20 h=0.05", CH_FORM_GLOBAL, 0);
  for (int k = 0; k < 5; ++k) {
    set_mu(p, mus[k]);
    ChSolveOptions options = ch_options_for("relaxed", CH_POSE_RELAXED, 1e-8);
    ch_must_solve(p, &options, &a);
    error[k] = ch_take_off(p, a.r, a.u).mean;
    if (k < 3) continue;
    options = as_printed(1e-5);
    options.tolerance = 1e-8;  // passes are solved to the tolerance, and this one has to show that nothing slips
    ch_must_solve(p, &options, &a);
    assert_int_equal(a.info.outer, 1);
  }
  for (int k = 0; k < 3; ++k) CHECK_AT_MOST(1e-3, error[k]);
  assert_true(error[1] > error[0]);
  for (int k = 3; k < 5; ++k) CHECK_AT_MOST(error[k], 1e-7);
  ch_problem_destroy(p);
}

// --- 001

// The cone complementarity problem (11) says of every contact what (9d) says: with d = u, gamma . d = 0, d in the dual
// cone, slip only on the surface of the cone and against friction.
static void I16_cone_complementarity_is_the_relaxed_law(void** state) {
  (void)state;
  static const char* const settings[] = {"n=3 mu=0.3 noise=0.05", "n=4 mu=0.1 noise=0.1", "n=4 mu=0.8"};
  for (int k = 0; k < 3; ++k) {
    ChProblem* p = ch_make("pile", settings[k], CH_FORM_GLOBAL, 0);
    ChSolveOptions options = ch_options_for("apgd", CH_POSE_RELAXED, 1e-11);
    ch_must_solve(p, &options, &a);
    double speed = fmax(norm_inf(p->rows, a.u), 0.001 * 9.81);  // at rest: what one step of falling would give
    double load = norm_inf(p->rows, a.r), power = speed * load;
    for (int i = 0; i < p->block_count; ++i) {
      const double *r = a.r + p->blocks[i].row, *u = a.u + p->blocks[i].row, mu = p->blocks[i].mu[0];
      double slip = hypot(u[1], u[2]), friction = hypot(r[1], r[2]), rise = u[0] - mu * slip;
      CHECK_NEAR(r[0] * u[0] + r[1] * u[1] + r[2] * u[2], 0.0, 1e-8 * power);  // (11)
      CHECK_AT_MOST(-1e-8 * speed, rise);
      CHECK_NEAR(r[0] * rise, 0.0, 1e-8 * power);  // (9d), first row
      CHECK_NEAR(slip * (mu * r[0] - friction), 0.0, 1e-8 * power);
      CHECK_NEAR(r[1] * u[2] - r[2] * u[1], 0.0, 1e-7 * power);
      CHECK_AT_MOST(r[1] * u[1] + r[2] * u[2], 1e-8 * power);
    }
    ch_problem_destroy(p);
  }
}

// (15) over reactions and 002 (2) over velocities are dual: both feasible and no gap between them, so both optimal.
static void I17_reaction_and_velocity_programmes_are_dual(void** state) {
  (void)state;
  static const char* const families[] = {"pile", "pyramid", "tower", "cards"};
  for (int k = 0; k < 4; ++k) {
    ChProblem* p = ch_make(families[k], "n=3 mu=0.3 noise=0.05 gap=0.000005", CH_FORM_GLOBAL, 0);
    ChSolveOptions options = ch_options_for("newton", CH_POSE_RELAXED, 1e-11);
    ch_must_solve(p, &options, &a);
    double primal = 0.5 * energy(p, a.v), dual = -0.5 * energy(p, a.v), scale = fabs(dual),
           speed = norm_inf(p->rows, a.u);
    for (int j = 0; j < p->dof; ++j) primal -= p->f[j] * a.v[j];
    for (int row = 0; row < p->rows; ++row) dual -= p->w[row] * a.r[row];
    CHECK_NEAR(primal, dual, 1e-8 * scale);
    for (int i = 0; i < p->block_count; ++i) {
      const double *r = a.r + p->blocks[i].row, *u = a.u + p->blocks[i].row;
      CHECK_AT_MOST(0.3 * hypot(u[1], u[2]), u[0] + 1e-8 * speed);
      CHECK_AT_MOST(hypot(r[1], r[2]), 0.3 * r[0] * (1.0 + 1e-10) + 1e-300);
    }
    ch_problem_destroy(p);
  }
}

// A table on more than three legs: the reactions depend on the start, the velocity does not.
static void I18_redundant_contacts_share_loads_in_many_ways(void** state) {
  (void)state;
  ChProblem* p = ch_make("hexagon", "mu=0.3", CH_FORM_GLOBAL, 0);
  ChSolveOptions options = ch_options_for("apgd", CH_POSE_RELAXED, 1e-11);
  double warm[18] = {0.0};
  ch_must_solve(p, &options, &a);
  for (int i = 0; i < 6; i += 2) warm[3 * i] = 0.001 * 9.81 / 3.0;
  options.warm = warm;
  ch_must_solve(p, &options, &b);
  CHECK_AT_MOST(1e-4, distance_inf(p->rows, a.r, b.r));
  CHECK_AT_MOST(norm_inf(p->dof, a.v), 1e-10);
  CHECK_AT_MOST(norm_inf(p->dof, b.v), 1e-10);
  ChContext context = {0};
  ChAnalysis analysis;
  CHECK_OK(context, ch_problem_analyze(&context, p, &analysis));
  assert_int_equal(analysis.rank, 6);
  assert_int_equal(analysis.redundant, 12);
  ch_problem_destroy(p);
}

// --- 003, 004

// Theorem 2 of 003 where friction meets it: A of the relaxed problem is positive semidefinite, and one start is enough.
static void I53_relaxed_contact_problems_are_solved_from_one_start(void** state) {
  (void)state;
  for (int k = 0; k < CASES; ++k) {
    ChProblem* p = make_case(k);
    // One of these ends at 2.3e-8 or below 1e-8, by the order in which OpenBLAS adds: the fact is the one start.
    ChSolveOptions options = ch_options_for("boxmin", CH_POSE_RELAXED, 1e-7);
    options.settings = &(ChSetting){"boxmin.restarts", 0};
    options.setting_count = 1;
    ch_must_solve(p, &options, &a);
    assert_non_null(strstr(a.info.note, "from 1 start;"));
    ch_problem_destroy(p);
  }
}

// A rod with its foot on the floor and its centre at (cos, sin) of theta from it.
static ChProblem* rod(double theta, double inertia, double mu, const double velocity[3]) {
  const double gravity[3] = {0, -9.81, 0}, turning[9] = {[8] = inertia}, centre[3] = {cos(theta), sin(theta), 0};
  const double foot[3] = {0, 0, 0}, up[3] = {0, 1, 0};
  ChContext context = {0};
  ChProblem* p;
  ChRig* rig = ch_rig_create(2, 0.001, gravity);
  const int body = ch_rig_add_body(rig, 1.0, turning, centre);
  ch_rig_push(rig, body, velocity);
  ch_rig_add_contact(rig, CH_RIG_GROUND, body, foot, up, mu);
  CHECK_OK(context, ch_rig_build(&context, rig, CH_FORM_GLOBAL, &p));
  ch_rig_destroy(rig);
  return p;
}

// Critical friction W_nn / |W_nT| = (1 / T + (1 + 1/I) T) I with T = cot theta: least 2 I sqrt(1 + 1/I), which is 2
// sqrt 2 for M = I and 4/3 for a uniform rod of length 2, I = 1/3.
static void I49_painleves_threshold(void** state) {
  (void)state;
  static const double inertia[] = {1.0, 1.0 / 3.0};
  const double still[3] = {0, 0, 0}, known[] = {2.0 * sqrt(2.0), 4.0 / 3.0};
  for (int k = 0; k < 2; ++k) {
    double lowest = INFINITY, best = atan(sqrt(1.0 + 1.0 / inertia[k]));
    for (double theta = best - 0.5; theta < best + 0.3; theta += 0.05) {
      ChContext context = {0};
      double critical;
      ChProblem* p = rod(theta, inertia[k], 1.0, still);
      CHECK_OK(context, ch_problem_painleve(&context, p, NULL, &critical));
      lowest = fmin(lowest, critical);
      ch_problem_destroy(p);
    }
    CHECK_NEAR(lowest, known[k], 1e-9);
  }
}

// Beyond the threshold no acceleration exists for some states; impulses always do.
static void I49_impulses_exist_beyond_the_threshold(void** state) {
  (void)state;
  static const char* const methods[] = {"lemke", "auto"};
  for (double mu = 0.5; mu < 20.0; mu *= 2.0)
    for (double theta = 0.3; theta < 1.5; theta += 0.2)
      for (int way = -1; way <= 1; way += 2)
        for (int m = 0; m < 2; ++m) {
          const double velocity[3] = {2.0 * way, 0.0, 0.0};
          ChProblem* p = rod(theta, 1.0 / 3.0, mu, velocity);
          ChSolveOptions options = ch_options_for(methods[m], CH_POSE_COULOMB, 1e-9);
          ch_must_solve(p, &options, &a);
          ch_problem_destroy(p);
        }
}

// Velocity of the foot after an impulse there.
static void kick(const ChProblem* p, double theta, double inertia, double ix, double iy, double* vx, double* vy) {
  (void)p;
  const double lever[2] = {-cos(theta), -sin(theta)}, spin = (lever[0] * iy - lever[1] * ix) / inertia;
  *vx = ix - spin * lever[1];
  *vy = iy + spin * lever[0];
}

// A card leans to the right, its foot slips outwards, to the left. Friction against that presses the foot into the
// floor, and the floor's push drives it further out: W_nT has the sign that couples both, and it is the sign of the
// problem's own W.
static void I56_leaning_card_couples_the_wrong_way(void** state) {
  (void)state;
  const double inertia = 1.0 / 3.0, still[3] = {0, 0, 0};
  for (double theta = 0.2; theta < 1.5; theta += 0.2) {
    ChProblem* p = rod(theta, inertia, 0.8, still);
    double vx, vy, r[2] = {0.0, 0.0}, u[2], rest[2], v[3];
    ChContext context = {0};
    kick(p, theta, inertia, 1.0, 0.0, &vx, &vy);
    assert_true(vy < 0.0);
    double coupling = vy;
    kick(p, theta, inertia, 0.0, 1.0, &vx, &vy);
    assert_true(vx < 0.0);
    CHECK_NEAR(vx, coupling, 1e-14);  // W is symmetric
    CHECK_OK(context, ch_problem_velocity(&context, p, r, v, rest));
    r[1] = 1.0;
    CHECK_OK(context, ch_problem_velocity(&context, p, r, v, u));
    CHECK_NEAR(fabs(u[0] - rest[0]), fabs(coupling), 1e-12);
    ch_problem_destroy(p);
  }
}

// Row n + mu d_j of (15) stands at the friction angle from the normal: for a particle, atan(mu).
static void I57_relaxation_tilts_its_constraints(void** state) {
  const double gravity[3] = {0, 0, -9.81}, origin[3] = {0, 0, 0}, up[3] = {0, 0, 1};
  const double inertia[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
  for (double mu = 0.05; mu < 2.0; mu *= 2.0) {
    ChContext context = {0};
    ChProblem* p;
    ChQp qp;
    ChRig* rig = ch_rig_create(3, 0.001, gravity);
    ch_rig_add_contact(rig, CH_RIG_GROUND, ch_rig_add_body(rig, 1.0, inertia, origin), origin, up, mu);
    CHECK_OK(context, ch_rig_build(&context, rig, CH_FORM_GLOBAL, &p));
    CHECK_OK(context, ch_problem_set_polygon(&context, p, 8, false));
    CHECK_OK(context, ch_qp_velocity(&context, *state, p, NULL, &qp));
    assert_int_equal(qp.rows, 8);
    double row[8][3] = {{0.0}};
    for (int j = 0; j < 3; ++j)
      for (int k = qp.A.start[j]; k < qp.A.start[j + 1]; ++k) row[qp.A.index[k]][j] = qp.A.value[k];
    for (int i = 0; i < 8; ++i) CHECK_NEAR(atan2(hypot(row[i][0], row[i][1]), row[i][2]), atan(mu), 1e-12);
    ch_problem_destroy(p);
    ch_rig_destroy(rig);
  }
}

// LCP1 as printed settles at mu = 0.05 and goes round in circles at 0.2; staggered projections, plain too, solve both.
static void I57_successive_fails_where_staggered_works(void** state) {
  (void)state;
  ChProblem* p = ch_make("disks", "n=8 h=0.05", CH_FORM_GLOBAL, 0);
  for (int k = 0; k < 2; ++k) {
    set_mu(p, k == 0 ? 0.05 : 0.2);
    ChSolveOptions options = as_printed(1e-5);
    options.max_iterations = 60;
    ch_run_solve(p, &options, &a);
    assert_int_equal(a.status, k == 0 ? CH_OK : CH_MAX_ITER);
    if (k == 0) CHECK_AT_MOST(a.info.outer, 20);
    options = ch_options_for("staggered", CH_POSE_COULOMB, 1e-8);
    options.settings = &(ChSetting){"staggered.anderson", 0};
    options.setting_count = 1;
    ch_must_solve(p, &options, &b);
  }
  ch_problem_destroy(p);
}

// --- 004 (5.11), (5.23), (5.24): at a solution, each half is the optimum of its programme

static void I50_halves_of_a_solution_are_optimal(void** state) {
  for (int k = 0; k < 5; ++k) {
    ChContext context = {0};
    ChProblem* p = make_case(k);
    ChQp primal, dual, friction;
    ChSolveOptions options = ch_options_for("lemke", CH_POSE_COULOMB, 1e-11);
    ch_must_solve(p, &options, &a);
    double load = norm_inf(p->dof, p->f), speed = norm_inf(p->rows, a.u);
    int at = joint_multipliers(p, a.r), alphas = 0, betas = 0;
    for (int i = 0; i < p->block_count; ++i) {
      multiplier[at++] = a.r[p->blocks[i].row];
      point[alphas++] = a.r[p->blocks[i].row];
    }
    CHECK_OK(context, ch_qp_contact_primal(&context, *state, p, a.r, &primal));
    CHECK_AT_MOST(ch_qp_residual(*state, &primal, a.v, multiplier), 1e-8 * load);
    CHECK_OK(context, ch_qp_contact_dual(&context, *state, p, a.r, &dual));
    for (int i = 0; i < p->block_count; ++i) multiplier[i] = a.u[p->blocks[i].row];
    CHECK_AT_MOST(ch_qp_residual(*state, &dual, point, multiplier), 1e-8 * fmax(1.0, load) * speed);

    CHECK_AT_MOST(distance_inf(p->dof, a.v, optimum(*state, &primal)), 1e-7 * norm_inf(p->dof, a.v));
    const double* alpha = optimum(*state, &dual);  // perhaps not the same alpha, but the same velocity
    memcpy(b.r, a.r, (size_t)p->rows * sizeof *b.r);
    for (int i = 0; i < p->block_count; ++i) b.r[p->blocks[i].row] = alpha[i];
    CHECK_OK(context, ch_problem_velocity(&context, p, b.r, b.v, b.u));
    CHECK_AT_MOST(distance_inf(p->dof, a.v, b.v), 1e-6 * norm_inf(p->dof, a.v));

    CHECK_OK(context, ch_qp_friction(&context, *state, p, a.r, &friction));
    for (int i = 0; i < p->block_count; ++i) {
      const ChBlock* block = &p->blocks[i];
      const double* u = a.u + block->row;
      double slip = ch_slip_bound(block, u), d[2];
      split(block, a.r + block->row, point + betas);
      for (int j = 0; j < ch_direction_count(block); ++j, ++betas) {  // D'v + lambda e, and lambda below
        ch_direction(block, j, d);
        multiplier[betas] = slip + d[0] * u[1] + (block->dimension == 3 ? d[1] * u[2] : 0.0);
      }
    }
    for (int i = 0; i < p->block_count; ++i)
      multiplier[betas + i] = ch_slip_bound(&p->blocks[i], a.u + p->blocks[i].row);
    assert_int_equal(friction.n, betas);
    CHECK_AT_MOST(ch_qp_residual(*state, &friction, point, multiplier), 1e-8 * fmax(1.0, load) * speed);
    ch_problem_destroy(p);
  }
}

// Smooth cones, limits and the local form have no such programme, and that is said.
static void programmes_refuse_what_they_cannot_hold(void** state) {
  ChContext context = {0};
  ChQp qp;
  ChProblem* smooth = ch_make("pile", "n=2", CH_FORM_GLOBAL, 0);
  ChProblem* local = ch_make("disks", "n=2", CH_FORM_LOCAL, 0);
  ChProblem* limits = ch_make("wheels", "n=1", CH_FORM_GLOBAL, 8);
  assert_int_equal(ch_qp_slip(&context, *state, smooth, NULL, &qp), CH_ERR_UNSUPPORTED);
  assert_int_equal(ch_qp_velocity(&context, *state, local, NULL, &qp), CH_ERR_UNSUPPORTED);
  assert_int_equal(ch_qp_friction(&context, *state, limits, NULL, &qp), CH_ERR_UNSUPPORTED);
  ch_problem_destroy(smooth);
  ch_problem_destroy(local);
  ch_problem_destroy(limits);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(I2_hexagonal_pyramid_has_two_solutions_and_no_third_between),
      cmocka_unit_test(I4_relaxed_complementarity_is_the_optimum_of_both_programmes),
      cmocka_unit_test(I5_velocity_programme_is_feasible_and_has_one_answer),
      cmocka_unit_test(I6_fixed_points_are_solutions),
      cmocka_unit_test(I7_relaxed_step_gains_no_energy),
      cmocka_unit_test(I8_contraction_factor_is_proportional_to_mu),
      cmocka_unit_test(I9_one_pass_errs_by_no_more_than_slip_times_friction),
      cmocka_unit_test(I11_relaxed_errs_by_mu_lambda_over_polygons),
      cmocka_unit_test(I12_successive_converges_on_the_pyramid),
      cmocka_unit_test(I14_relaxed_stepping_keeps_velocities_bounded),
      cmocka_unit_test(I15_error_of_the_pile_vanishes_with_friction),
      cmocka_unit_test(I16_cone_complementarity_is_the_relaxed_law),
      cmocka_unit_test(I17_reaction_and_velocity_programmes_are_dual),
      cmocka_unit_test(I18_redundant_contacts_share_loads_in_many_ways),
      cmocka_unit_test(I49_painleves_threshold),
      cmocka_unit_test(I49_impulses_exist_beyond_the_threshold),
      cmocka_unit_test(I50_halves_of_a_solution_are_optimal),
      cmocka_unit_test(I53_relaxed_contact_problems_are_solved_from_one_start),
      cmocka_unit_test(I56_leaning_card_couples_the_wrong_way),
      cmocka_unit_test(I57_relaxation_tilts_its_constraints),
      cmocka_unit_test(I57_successive_fails_where_staggered_works),
      cmocka_unit_test(programmes_refuse_what_they_cannot_hold),
  };
  return cmocka_run_group_tests(tests, set_up, tear_down);
}
