// The certificate: how exactly r meets the contact problem, from the problem and r alone.
//
//   u = W r + q                          W = H^T M^-1 H, q = H^T M^-1 f + w in the global form
//   rho_i = d / trace(W_ii)              per row for a bilateral block, whose rows may differ in unit, and per group of
//                                        rows where forces and moments share a law (rolling): P_K is then the
//                                        projection in the metric of 1 / rho
//   e(r)  = | (r_i - P_K(r_i - rho_i hat u_i)) / sqrt(rho_i) |      over all blocks, in root joule
//   natural = e(r) / max(e(0), 1e-6 |sqrt(rho) q|)
//
// Where a law is one of u_n + c r_n (compliant), W stands for W + diag(c) in all of these, and `rigid` is what natural
// would be with c = 0, of the same r: how far the answer is from one of rigid bodies.
//
// Where mu depends on the speed of slip, K is that of the branch which the block is nearer to: mu of what sticks, with
// |sqrt(rho) u_T| an error of its own, or mu(|u_T|). `cone` takes the widest that there is.
//
// natural is never less than what round-off hides behind reactions that large, eps |r / sqrt(rho)| over the same, where
// that is more than 1e-12: of reactions a million million times the load, u = W r + q has no digit left to grade.
//
// Nothing here is shared with a solver: not the scaling, not the factorisation of M, not the velocity. u always follows
// from r; a velocity v that the caller hands in is graded by `balance` alone and never trusted.
#include "cardhouse/certificate.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "base/check.h"
#include "linalg/sparse.h"
#include "problem/compliance.h"
#include "problem/cones.h"
#include "problem/contact_problem.h"
#include "problem/grader.h"

// A problem whose contacts are nearly all far apart has a tiny e(0); this share of |sqrt(rho) q| bounds it from below.
static const double FLOOR_SHARE = 1e-6;
static const double CONE_LIMIT = 1e-10;
static const double BLIND_FROM = 1e-12;
static const double SLIP_LEAST = 1e-9;  // of |r|, in impulses: slower is round-off

struct ChGrader {
  const ChProblem* problem;
  ChPose pose;
  ChArena* arena;
  const ChCompliance* mass;  // of the groundwork, as are the next four
  const double *free_velocity, *q, *diagonal, *inertia;
  double* rho;                // per row; 0 for a row that no reaction can move
  double* rigid_rho;          // the same without compliance; NULL where no law has any
  double scale, rigid_scale;  // of natural and of rigid
  double size_q, largest_q;
  double *u, *velocity, *impulse, *momentum;  // of the r that is graded
};

// A quotient in which nothing over nothing is a perfect score and something over nothing is none at all.
static double relative(double error, double scale) { return error == 0.0 ? 0.0 : error / scale; }

static double norm(long n, const double* x) {
  double sum = 0.0;
  for (long i = 0; i < n; ++i) sum += x[i] * x[i];
  return sqrt(sum);
}

static bool is_zero(long n, const double* x) {
  for (long i = 0; i < n; ++i)
    if (x[i] != 0.0) return false;
  return true;
}

// --- velocities ------------------------------------------------------------------------------------------------------

static void prepare_local(const ChProblem* problem, ChGroundwork* g) {
  const ChSparse* W = &problem->W;
  for (int j = 0; j < W->columns; ++j)
    for (int k = W->start[j]; k < W->start[j + 1]; ++k)
      if (W->index[k] == j) g->diagonal[j] = W->value[k];
}

static double* diagonal_of(ChArena* arena, const ChSparse* M) {
  double* diagonal = CH_TAKE(arena, M->columns, double);
  for (int j = 0; j < M->columns; ++j)
    for (int k = M->start[j]; k < M->start[j + 1]; ++k)
      if (M->index[k] == j) diagonal[j] = M->value[k];
  return diagonal;
}

static ChStatus prepare_global(ChContext* context, ChArena* arena, const ChProblem* p, ChGroundwork* g) {
  g->inertia = diagonal_of(arena, &p->M);
  ChStatus status = ch_compliance_factor(context, arena, &p->M, &g->mass);
  if (status == CH_OK) status = ch_compliance_diagonal(context, g->mass, &p->H, g->diagonal);
  if (status != CH_OK || is_zero(p->dof, p->f)) return status;
  g->free_velocity = CH_TAKE(arena, p->dof, double);
  status = ch_compliance_solve(context, arena, g->mass, p->f, g->free_velocity);
  if (status == CH_OK) ch_sparse_transposed_by_runs_add(&p->H, g->free_velocity, g->q);
  return status;
}

ChStatus ch_groundwork_create(ChContext* context, ChArena* arena, const ChProblem* problem, ChGroundwork** out) {
  const int rows = problem->rows;
  ChGroundwork* g = *out = CH_TAKE(arena, 1, ChGroundwork);
  g->q = CH_TAKE_RAW(arena, rows, double);
  g->diagonal = CH_TAKE(arena, rows, double);
  g->w = CH_TAKE_RAW(arena, rows, double);
  g->f = CH_TAKE_RAW(arena, problem->dof, double);
  if (rows > 0) memcpy(g->q, problem->w, (size_t)rows * sizeof *g->q);
  if (rows > 0) memcpy(g->w, problem->w, (size_t)rows * sizeof *g->w);
  if (problem->dof > 0) memcpy(g->f, problem->f, (size_t)problem->dof * sizeof *g->f);
  if (problem->form == CH_FORM_GLOBAL) return prepare_global(context, arena, problem, g);
  prepare_local(problem, g);
  return CH_OK;
}

// |M v - f - H r| relative to the larger of |f| and |H r|, each row divided by sqrt(M_jj): root joule, whatever its
// unit.
static double momentum_balance(const ChGrader* g, const double* v) {
  const ChProblem* p = g->problem;
  double error = 0.0, applied = 0.0, reaction = 0.0;
  memset(g->momentum, 0, (size_t)p->dof * sizeof *g->momentum);
  ch_sparse_multiply_add(&p->M, v, g->momentum);
  for (int j = 0; j < p->dof; ++j) {
    const double rest = g->momentum[j] - p->f[j] - g->impulse[j], weight = 1.0 / g->inertia[j];
    error += rest * rest * weight;
    applied += p->f[j] * p->f[j] * weight;
    reaction += g->impulse[j] * g->impulse[j] * weight;
  }
  return relative(sqrt(error), sqrt(ch_max(applied, reaction)));
}

// u from r; `balance` of v, or of the velocity that follows from r where v is NULL.
static ChStatus find_velocity(ChContext* context, ChGrader* g, const double* r, const double* v, double* balance) {
  const ChProblem* p = g->problem;
  *balance = 0.0;
  if (p->rows > 0) memcpy(g->u, p->w, (size_t)p->rows * sizeof *g->u);
  if (p->form == CH_FORM_LOCAL) {
    ch_sparse_multiply_add(&p->W, r, g->u);
    return CH_OK;
  }
  if (p->dof > 0) memset(g->impulse, 0, (size_t)p->dof * sizeof *g->impulse);
  ch_sparse_multiply_add(&p->H, r, g->impulse);
  ChStatus status = ch_compliance_solve(context, g->arena, g->mass, g->impulse, g->velocity);
  if (status != CH_OK) return status;
  for (int j = 0; j < p->dof && g->free_velocity; ++j) g->velocity[j] += g->free_velocity[j];
  ch_sparse_transposed_by_runs_add(&p->H, g->velocity, g->u);
  *balance = momentum_balance(g, v ? v : g->velocity);
  return CH_OK;
}

// --- weights ---------------------------------------------------------------------------------------------------------

// Rows whose diagonal is zero belong to two fixed bodies: no reaction moves them and they are left out.
static ChStatus weigh_rows(ChContext* context, ChGrader* g, int row, int count, double compliance, double* rho) {
  double trace = 0.0;
  for (int k = 0; k < count; ++k) trace += g->diagonal[row + k];
  if (trace < 0.0)
    return ch_fail(context, CH_ERR_NUMERIC,
                   "rows %d to %d: trace of their block of W is %g, must be >= 0 (is M positive "
                   "definite?)",
                   row, row + count - 1, trace);
  for (int k = 0; k < count; ++k) rho[row + k] = trace == 0.0 ? 0.0 : (double)count / (trace + compliance);
  return CH_OK;
}

// Groups of rows, each with its own weight. One that nothing moves takes the weight of another: its velocity is
// what it is, and whatever the law says of it still counts.
static ChStatus weigh_groups(ChContext* context, ChGrader* g, const ChBlock* block, double compliance, double* rho) {
  int end[CH_BLOCK_MAX];
  const int count = ch_law_grade(block)->groups(block, end);
  double other = 0.0;
  for (int k = 0, from = 0; k < count; from = end[k++]) {
    const ChStatus status = weigh_rows(context, g, block->row + from, end[k] - from, k == 0 ? compliance : 0.0, rho);
    if (status != CH_OK) return status;
    if (other == 0.0) other = rho[block->row + from];
  }
  for (int a = block->row; a < block->row + block->dimension; ++a)
    if (rho[a] == 0.0) rho[a] = other;
  return CH_OK;
}

// Of the laws as they are, or as if they were rigid.
static ChStatus weigh_blocks(ChContext* context, ChGrader* g, bool rigid, double* rho) {
  ChStatus status = CH_OK;
  for (int i = 0; i < g->problem->block_count; ++i) {
    const ChBlock* block = &g->problem->blocks[i];
    const double compliance = rigid ? 0.0 : ch_block_compliance(block) + (block->dimension - 1) * ch_block_shear(block);
    const int step = ch_law_grade(block)->free ? 1 : block->dimension;
    if (ch_law_grade(block)->groups)
      status = weigh_groups(context, g, block, compliance, rho);
    else
      for (int k = 0; k < block->dimension && status == CH_OK; k += step)
        status = weigh_rows(context, g, block->row + k, step, compliance, rho);
    if (status != CH_OK) return status;
  }
  return CH_OK;
}

static bool is_compliant(const ChProblem* p) {
  for (int i = 0; i < p->block_count; ++i)
    if (ch_block_compliance(&p->blocks[i]) > 0.0 || ch_block_shear(&p->blocks[i]) > 0.0) return true;
  return false;
}

// u + C r, C = diag(c, c_t, c_t): what the law speaks of
static const double* yielding(const ChBlock* block, const double* r, const double* u, double* out) {
  const double compliance = ch_block_compliance(block), shear = ch_block_shear(block);
  if (!(compliance > 0.0 || shear > 0.0)) return u;
  out[0] = u[0] + compliance * r[0];
  for (int k = 1; k < block->dimension; ++k) out[k] = u[k] + shear * r[k];
  return out;
}

// --- the fields ------------------------------------------------------------------------------------------------------

static bool is_open(const ChBlock* block, ChPose pose, const double* rho, const double* r, const double* u) {
  const ChLawGrade* grade = ch_law_grade(block);
  return grade->is_open && grade->is_open(block, pose, rho, r, u);
}

// The same where rows have weights of their own: P in the metric of 1 / rho, which is the projection onto the set that
// r' = r / sqrt(rho) is in.
static double map_error_in_groups(const ChBlock* block, ChPose pose, const double* rho, const double* r,
                                  const double* u) {
  double g[CH_BLOCK_MAX], at[CH_BLOCK_MAX] = {0.0}, x[CH_BLOCK_MAX], y[CH_BLOCK_MAX], sum = 0.0;
  ChBlock stretched;
  for (int k = 0; k < block->dimension; ++k) g[k] = sqrt(rho[k]);
  ch_law_grade(block)->stretch(block, g, &stretched);
  ch_block_shift(block, pose, u, x);
  for (int k = 0; k < block->dimension; ++k) {
    if (r) at[k] = r[k] / g[k];
    x[k] = at[k] - g[k] * x[k];
  }
  ch_block_project(&stretched, pose, x, y);
  for (int k = 0; k < block->dimension; ++k) sum += (at[k] - y[k]) * (at[k] - y[k]);
  return sum;
}

// Squared norm of (r - P(r - rho hat u)) / sqrt(rho) of one block; r = NULL stands for zero. Reads the block's own
// part.
static double map_error(const ChBlock* block, ChPose pose, const double* rho, const double* r, const double* u) {
  double x[CH_BLOCK_MAX], y[CH_BLOCK_MAX], sum = 0.0;
  if (ch_law_grade(block)->free) {  // P is the identity: no need to let r cancel against itself
    for (int k = 0; k < block->dimension; ++k) sum += rho[k] * u[k] * u[k];
    return sum;
  }
  if (rho[0] == 0.0 || is_open(block, pose, rho, r, u)) return 0.0;
  if (ch_law_grade(block)->stretch) return map_error_in_groups(block, pose, rho, r, u);
  ch_block_shift(block, pose, u, x);
  for (int k = 0; k < block->dimension; ++k) x[k] = (r ? r[k] : 0.0) - rho[k] * x[k];
  ch_block_project(block, pose, x, y);
  for (int k = 0; k < block->dimension; ++k) {
    const double rest = (r ? r[k] : 0.0) - y[k];
    sum += rest * rest / rho[k];
  }
  return sum;
}

// --- friction that depends on speed ----------------------------------------------------------------------------------

// A block as it is judged. Where mu depends on the speed of slip it either sticks, with the coefficient of what sticks
// and all of |u_T| an error, or slips with mu(|u_T|): whichever is nearer to its own equations.
typedef struct Judged {
  const ChBlock* block;  // `own`, or the problem's where mu is constant
  ChBlock own;
  bool sticks;  // and |u_T| counts as an error
} Judged;

static double tangent_square(const ChGrader* g, const double* rho, const double* u) {
  double sum = 0.0;
  for (int k = 1; k < g->problem->dimension; ++k) sum += (rho ? rho[k] : 1.0) * u[k] * u[k];
  return sum;
}

static ChBlock with_share(const ChBlock* block, double share) {
  ChBlock out = *block;
  out.curve = 0;
  for (int k = 0; k < 2; ++k) out.mu[k] *= share;
  return out;
}

static void judge(const ChGrader* g, const ChBlock* block, const double* rho, const double* r, const double* u,
                  Judged* out) {
  out->block = block;
  out->sticks = false;
  if (block->curve == 0 || g->pose == CH_POSE_FRICTIONLESS) return;
  const ChFrictionCurve* curve = &g->problem->curves[block->curve - 1];
  const ChBlock slips = with_share(block, ch_friction_share(curve, sqrt(tangent_square(g, NULL, u))));
  out->own = with_share(block, 1.0);
  out->block = &out->own;
  const double sticking = map_error(&out->own, g->pose, rho, r, u) + tangent_square(g, rho, u);
  out->sticks = sticking <= map_error(&slips, g->pose, rho, r, u);
  if (!out->sticks) out->own = slips;
}

// The map's error of the branch that is nearer.
static double judged_error(const ChGrader* g, const ChBlock* block, const double* rho, const double* r,
                           const double* u) {
  Judged judged;
  judge(g, block, rho, r, u, &judged);
  return map_error(judged.block, g->pose, rho, r, u) + (judged.sticks ? tangent_square(g, rho, u) : 0.0);
}

// The block with the widest cone that it can have.
static const ChBlock* widest(const ChGrader* g, const ChBlock* block, ChBlock* own) {
  if (block->curve == 0) return block;
  *own = with_share(block, ch_friction_largest_share(&g->problem->curves[block->curve - 1]));
  return own;
}

// What is known before any r: the scale of a figure.
static double natural_scale(const ChGrader* g, const double* rho) {
  double nothing = 0.0, drive = 0.0;
  for (int i = 0; i < g->problem->block_count; ++i) {
    const ChBlock* block = &g->problem->blocks[i];
    nothing += judged_error(g, block, rho + block->row, NULL, g->q + block->row);
    for (int k = block->row; k < block->row + block->dimension; ++k)
      if (rho[k] != 0.0) drive += rho[k] * g->q[k] * g->q[k];
  }
  return ch_max(sqrt(nothing), FLOOR_SHARE * sqrt(drive));
}

static void measure_problem(ChGrader* g) {
  g->scale = natural_scale(g, g->rho);
  if (g->rigid_rho) g->rigid_scale = natural_scale(g, g->rigid_rho);
  for (int k = 0; k < g->problem->rows; ++k) {
    if (g->rho[k] == 0.0) continue;
    g->size_q += g->q[k] * g->q[k];
    g->largest_q = ch_max(g->largest_q, fabs(g->q[k]));
  }
}

// Figures of one r before they are made relative; squares where they are norms.
typedef struct Sums {
  double natural, hidden, siconos, size_r, size_u, outside, largest_r, signorini, dissipation;
} Sums;

// The same map with rho = 1 in the units of the file, as Siconos 4.4 grades it.
static void add_siconos(const ChGrader* g, const ChBlock* block, const double* r, const double* u, Sums* sums) {
  double one[CH_BLOCK_MAX];
  for (int k = 0; k < block->dimension; ++k) {
    one[k] = g->rho[block->row + k] == 0.0 ? 0.0 : 1.0;
    sums->size_r += one[k] * r[k] * r[k];
    sums->size_u += one[k] * u[k] * u[k];
  }
  sums->siconos += map_error(block, g->pose, one, r, u);
}

static void add_cone(const ChGrader* g, const ChBlock* block, const double* r, Sums* sums) {
  double y[CH_BLOCK_MAX];
  ChBlock own;
  ch_block_project(widest(g, block, &own), g->pose, r, y);
  for (int k = 0; k < block->dimension; ++k) y[k] -= r[k];
  sums->outside = ch_max(sums->outside, norm(block->dimension, y));
  if (g->rho[block->row] != 0.0) sums->largest_r = ch_max(sums->largest_r, norm(block->dimension, r));
}

static void add_law(const ChGrader* g, const ChBlock* block, const double* r, const double* u, Sums* sums) {
  if (g->rho[block->row] == 0.0) return;
  const ChLawGrade* grade = ch_law_grade(block);
  if (!grade->terms) return;
  const double diagonal = g->diagonal[block->row] + ch_block_compliance(block);
  const ChLawTerms terms = grade->terms(block, g->pose, diagonal, r, u);
  sums->signorini = ch_max(sums->signorini, terms.signorini);
  sums->dissipation = ch_max(sums->dissipation, terms.dissipation);
}

// Whoever holds a problem may give it another f or w, as decompression does. What was laid for the old ones would grade
// another problem.
static bool is_laid_for(const ChGroundwork* g, const ChProblem* p) {
  return g && (p->rows == 0 || memcmp(g->w, p->w, (size_t)p->rows * sizeof *g->w) == 0) &&
         (p->dof == 0 || memcmp(g->f, p->f, (size_t)p->dof * sizeof *g->f) == 0);
}

ChStatus ch_grader_create(ChContext* context, ChArena* arena, const ChProblem* problem, ChPose pose, ChGrader** out) {
  const int rows = problem->rows;
  const ChGroundwork* known = is_laid_for(problem->groundwork, problem) ? problem->groundwork : NULL;
  ChGroundwork* own = NULL;
  ChStatus status = known ? CH_OK : ch_groundwork_create(context, arena, problem, &own);
  if (status != CH_OK) return status;
  if (!known) known = own;
  ChGrader* g = *out = CH_TAKE_RAW(arena, 1, ChGrader);
  *g = (ChGrader){.problem = problem,
                  .pose = pose,
                  .arena = arena,
                  .mass = known->mass,
                  .free_velocity = known->free_velocity,
                  .q = known->q,
                  .diagonal = known->diagonal,
                  .inertia = known->inertia,
                  .u = CH_TAKE_RAW(arena, rows, double),
                  .velocity = CH_TAKE_RAW(arena, problem->dof, double),
                  .impulse = CH_TAKE_RAW(arena, problem->dof, double),
                  .momentum = CH_TAKE_RAW(arena, problem->dof, double),
                  .rho = CH_TAKE_RAW(arena, rows, double)};
  status = weigh_blocks(context, g, false, g->rho);
  if (status == CH_OK && is_compliant(problem)) {
    g->rigid_rho = CH_TAKE_RAW(arena, rows, double);
    status = weigh_blocks(context, g, true, g->rigid_rho);
  }
  if (status == CH_OK) measure_problem(g);
  return status;
}

// |r / sqrt(rho)|^2 of one block
static double size_in_joule(const ChBlock* block, const double* rho, const double* r) {
  double sum = 0.0;
  for (int k = 0; k < block->dimension; ++k)
    if (rho[k] > 0.0) sum += r[k] * r[k] / rho[k];
  return sum;
}

// natural from squares: of the map's error, and of what round-off may hide
static double natural_of(double scale, double square, double hidden_square) {
  const double hidden = DBL_EPSILON * sqrt(hidden_square), error = sqrt(square);
  return relative(hidden > BLIND_FROM * scale ? ch_max(hidden, error) : error, scale);
}

// The natural figure of r, whose velocity g->u is, as if no law had a compliance.
static double rigid_of(const ChGrader* g, const double* r) {
  double error = 0.0, hidden = 0.0;
  for (int i = 0; i < g->problem->block_count; ++i) {
    const ChBlock* block = &g->problem->blocks[i];
    const double *rho = g->rigid_rho + block->row, *ri = r + block->row, *ui = g->u + block->row;
    if (is_open(block, g->pose, rho, ri, ui)) continue;
    error += judged_error(g, block, rho, ri, ui);
    hidden += size_in_joule(block, rho, ri);
  }
  return natural_of(g->rigid_scale, error, hidden);
}

const double* ch_grader_free(const ChGrader* g) { return g->q; }

bool ch_grader_rules_out(const ChGrader* g, const double* r, const double* u, double tolerance) {
  const double most = tolerance * g->scale;
  double sum = 0.0;
  for (int i = 0; i < g->problem->block_count && !(sum > 2.0 * most * most); ++i) {
    const ChBlock* block = &g->problem->blocks[i];
    double moved[CH_BLOCK_MAX];
    const double *ri = r + block->row, *ui = yielding(block, ri, u + block->row, moved);
    sum += judged_error(g, block, g->rho + block->row, ri, ui);
  }
  return sum > 2.0 * most * most;
}

// What the loop of ch_grader_grade does with one block. It stands there once more, because how a compiler contracts
// products and sums depends on what is inlined where, and certificates keep their last bits.
static void add_block(const ChGrader* g, int i, const double* ri, const double* u, Sums* sums) {
  const ChBlock* block = &g->problem->blocks[i];
  const double* rho = g->rho + block->row;
  double moved[CH_BLOCK_MAX];
  const double* ui = yielding(block, ri, u, moved);
  if (is_open(block, g->pose, rho, ri, ui)) {
    for (int k = 0; k < block->dimension; ++k) sums->size_u += ui[k] * ui[k];
    return;
  }
  Judged judged;
  judge(g, block, rho, ri, ui, &judged);
  sums->natural += map_error(judged.block, g->pose, rho, ri, ui);
  sums->hidden += size_in_joule(block, rho, ri);
  add_siconos(g, judged.block, ri, ui, sums);
  if (judged.sticks) {
    sums->natural += tangent_square(g, rho, ui);
    sums->siconos += tangent_square(g, NULL, ui);
  }
  add_cone(g, block, ri, sums);
  add_law(g, judged.block, ri, ui, sums);
}

ChStatus ch_grader_grade(ChContext* context, ChGrader* g, const double* r, const double* v, ChCertificate* out) {
  CH_ASSERT(g && out && (r || g->problem->rows == 0));
  Sums sums = {0};
  double balance;
  *out = ch_certificate_unknown();
  ChStatus status = find_velocity(context, g, r, v, &balance);
  if (status != CH_OK) return status;
  for (int i = 0; i < g->problem->block_count; ++i) {
    const ChBlock* block = &g->problem->blocks[i];
    double moved[CH_BLOCK_MAX];
    const double *ri = r + block->row, *ui = yielding(block, ri, g->u + block->row, moved);
    if (is_open(block, g->pose, g->rho + block->row, ri, ui)) {
      for (int k = 0; k < block->dimension; ++k) sums.size_u += ui[k] * ui[k];
      continue;
    }
    Judged judged;
    judge(g, block, g->rho + block->row, ri, ui, &judged);
    sums.natural += map_error(judged.block, g->pose, g->rho + block->row, ri, ui);
    sums.hidden += size_in_joule(block, g->rho + block->row, ri);
    add_siconos(g, judged.block, ri, ui, &sums);
    if (judged.sticks) {
      sums.natural += tangent_square(g, g->rho + block->row, ui);
      sums.siconos += tangent_square(g, NULL, ui);
    }
    add_cone(g, block, ri, &sums);
    add_law(g, judged.block, ri, ui, &sums);
  }
  const double size = ch_max(ch_max(g->size_q, sums.size_r), sums.size_u);
  const double natural = natural_of(g->scale, sums.natural, sums.hidden);
  *out = (ChCertificate){.natural = natural,
                         .siconos = relative(sqrt(sums.siconos), sqrt(size)),
                         .cone = relative(sums.outside, sums.largest_r),
                         .signorini = relative(sums.signorini, g->largest_q),
                         .dissipation = sums.dissipation,
                         .balance = balance,
                         .rigid = g->rigid_rho ? rigid_of(g, r) : natural};
  return CH_OK;
}

// --- a problem in parts ----------------------------------------------------------------------------------------------

void ch_grader_part(const ChGrader* g, int i, const double* r, const double* u, ChGradePart* out) {
  const ChBlock* block = &g->problem->blocks[i];
  Sums one = {0};
  *out = (ChGradePart){0};
  add_block(g, i, r, u, &one);
  out->sum[CH_PART_NATURAL] = one.natural;
  out->sum[CH_PART_HIDDEN] = one.hidden;
  out->sum[CH_PART_SICONOS] = one.siconos;
  out->sum[CH_PART_SIZE_R] = one.size_r;
  out->sum[CH_PART_SIZE_U] = one.size_u;
  out->most[CH_PART_OUTSIDE] = one.outside;
  out->most[CH_PART_LARGEST_R] = one.largest_r;
  out->most[CH_PART_SIGNORINI] = one.signorini;
  out->most[CH_PART_DISSIPATION] = one.dissipation;
  for (int rigid = 0; rigid < 2; ++rigid) {
    const double *rho = (rigid ? g->rigid_rho : g->rho), *q = g->q + block->row;
    if (!rho) continue;
    rho += block->row;
    out->sum[rigid ? CH_PART_RIGID_NOTHING : CH_PART_NOTHING] = judged_error(g, block, rho, NULL, q);
    for (int k = 0; k < block->dimension; ++k)
      if (rho[k] != 0.0) out->sum[rigid ? CH_PART_RIGID_DRIVE : CH_PART_DRIVE] += rho[k] * q[k] * q[k];
    if (!rigid || is_open(block, g->pose, rho, r, u)) continue;
    out->sum[CH_PART_RIGID] = judged_error(g, block, rho, r, u);
    out->sum[CH_PART_RIGID_HIDDEN] = size_in_joule(block, rho, r);
  }
  for (int k = 0; k < block->dimension; ++k) {
    if (g->rho[block->row + k] == 0.0) continue;
    out->sum[CH_PART_SIZE_Q] += g->q[block->row + k] * g->q[block->row + k];
    out->most[CH_PART_LARGEST_Q] = ch_max(out->most[CH_PART_LARGEST_Q], fabs(g->q[block->row + k]));
  }
}

static double scale_of(double nothing, double drive) { return ch_max(sqrt(nothing), FLOOR_SHARE * sqrt(drive)); }

ChCertificate ch_grade_whole(const ChGradePart* all, bool compliant, double balance) {
  const double *sum = all->sum, *most = all->most;
  const double size = ch_max(ch_max(sum[CH_PART_SIZE_Q], sum[CH_PART_SIZE_R]), sum[CH_PART_SIZE_U]);
  const double natural =
      natural_of(scale_of(sum[CH_PART_NOTHING], sum[CH_PART_DRIVE]), sum[CH_PART_NATURAL], sum[CH_PART_HIDDEN]);
  const double rigid = natural_of(scale_of(sum[CH_PART_RIGID_NOTHING], sum[CH_PART_RIGID_DRIVE]), sum[CH_PART_RIGID],
                                  sum[CH_PART_RIGID_HIDDEN]);
  return (ChCertificate){.natural = natural,
                         .siconos = relative(sqrt(sum[CH_PART_SICONOS]), sqrt(size)),
                         .cone = relative(most[CH_PART_OUTSIDE], most[CH_PART_LARGEST_R]),
                         .signorini = relative(most[CH_PART_SIGNORINI], most[CH_PART_LARGEST_Q]),
                         .dissipation = most[CH_PART_DISSIPATION],
                         .balance = balance,
                         .rigid = compliant ? rigid : natural};
}

// --- branches --------------------------------------------------------------------------------------------------------

// Where the map of the branch in force takes a block: to the tip of its set, to where it was pushed, or back to the
// boundary by about as much as it slips.
static ChBranch branch_of(const ChGrader* g, const ChBlock* block, const double* rho, const double* r,
                          const double* u) {
  const double far[CH_BLOCK_MAX] = {-1.0};
  double at[CH_BLOCK_MAX], x[CH_BLOCK_MAX], y[CH_BLOCK_MAX], tip[CH_BLOCK_MAX], back = 0.0, slip = 0.0, size = 0.0;
  Judged judged;
  if (!ch_law_rubs(block->law) || g->pose == CH_POSE_FRICTIONLESS || rho[0] == 0.0) return CH_BRANCH_NONE;
  judge(g, block, rho, r, u, &judged);
  ChBlock metric = *judged.block;
  double root[CH_BLOCK_MAX];
  for (int k = 0; k < block->dimension; ++k) root[k] = sqrt(rho[k]);
  if (ch_law_grade(block)->stretch) ch_law_grade(block)->stretch(judged.block, root, &metric);
  ch_block_shift(judged.block, g->pose, u, x);
  for (int k = 0; k < block->dimension; ++k) {
    const double unit = ch_law_grade(block)->stretch ? root[k] : 1.0;
    at[k] = r[k] / unit;
    x[k] = at[k] - rho[k] * x[k] / unit;
  }
  ch_block_project(&metric, g->pose, x, y);
  ch_block_project(&metric, g->pose, far, tip);
  if (y[0] <= fmin(tip[0], 0.0)) return CH_BRANCH_OPEN;
  for (int k = 1; k < g->problem->dimension; ++k) {
    back += (x[k] - y[k]) * (x[k] - y[k]);
    slip += (x[k] - at[k]) * (x[k] - at[k]);
  }
  for (int k = 0; k < block->dimension; ++k) size += at[k] * at[k];
  const bool moves = slip > SLIP_LEAST * SLIP_LEAST * size;
  return moves && back > 0.25 * slip ? CH_BRANCH_SLIP : CH_BRANCH_STICK;
}

void ch_grader_branches(const ChGrader* g, const double* r, const double* u, ChBranch* branch) {
  for (int i = 0; i < g->problem->block_count; ++i) {
    const ChBlock* block = &g->problem->blocks[i];
    double moved[CH_BLOCK_MAX];
    const double *ri = r + block->row, *ui = yielding(block, ri, u + block->row, moved);
    branch[i] = branch_of(g, block, g->rho + block->row, ri, ui);
  }
}

const double* ch_grader_weights(const ChGrader* g) { return g->rho; }

ChStatus ch_problem_branches(ChContext* context, const ChProblem* problem, const double* r, const double* u,
                             ChBranch* branch) {
  jmp_buf landing;
  ChArena* volatile arena = NULL;
  if (problem->block_count > 0 && !(r && u && branch))
    return ch_fail(context, CH_ERR_ARGUMENT, "reactions, velocities or room for branches are missing");
  if (setjmp(landing) || !(arena = ch_arena_create(&landing))) {
    ch_arena_destroy(arena);
    return ch_fail(context, CH_ERR_MEMORY, "out of memory while grading a problem with %d rows", problem->rows);
  }
  ChGrader* grader;
  const ChStatus status = ch_grader_create(context, arena, problem, CH_POSE_COULOMB, &grader);
  if (status == CH_OK) ch_grader_branches(grader, r, u, branch);
  ch_arena_destroy(arena);
  return status;
}

ChStatus ch_certify(ChContext* context, const ChProblem* problem, ChPose pose, const double* r, const double* v,
                    ChCertificate* out) {
  *out = ch_certificate_unknown();
  if (problem->rows > 0 && !r)
    return ch_fail(context, CH_ERR_ARGUMENT, "reactions are missing, must have %d entries", problem->rows);
  jmp_buf landing;
  ChArena* volatile arena = NULL;
  if (setjmp(landing) || !(arena = ch_arena_create(&landing))) {
    ch_arena_destroy(arena);
    return ch_fail(context, CH_ERR_MEMORY, "out of memory while grading a problem with %d rows", problem->rows);
  }
  ChGrader* grader;
  ChStatus status = ch_grader_create(context, arena, problem, pose, &grader);
  if (status == CH_OK) status = ch_grader_grade(context, grader, r, v, out);
  ch_arena_destroy(arena);
  return status;
}

bool ch_certificate_met(const ChCertificate* certificate, double tolerance) {
  return ch_at_most(certificate->natural, tolerance) && ch_at_most(certificate->siconos, tolerance) &&
         ch_at_most(certificate->balance, tolerance) && certificate->cone < CONE_LIMIT;
}
