// The certificate: how exactly r meets the contact problem, from the problem and r alone.
//
//   u = W r + q                          W = H^T M^-1 H, q = H^T M^-1 f + w in the global form
//   rho_i = d / trace(W_ii)              per row for a bilateral block, whose rows may differ in unit
//   e(r)  = | (r_i - P_K(r_i - rho_i hat u_i)) / sqrt(rho_i) |      over all blocks, in root joule
//   natural = e(r) / max(e(0), 1e-6 |sqrt(rho) q|)
//
// Nothing here is shared with a solver: not the scaling, not the factorisation of M, not the velocity. u always follows
// from r; a velocity v that the caller hands in is graded by `balance` alone and never trusted.
#include "cardhouse/certificate.h"

#include <math.h>

#include "base/arena.h"
#include "base/check.h"
#include "linalg/sparse.h"
#include "problem/compliance.h"
#include "problem/cones.h"

// A problem whose contacts are nearly all far apart has a tiny e(0); this share of |sqrt(rho) q| bounds it from below.
static const double FLOOR_SHARE = 1e-6;
static const double CONE_LIMIT = 1e-10;

typedef struct Grading {
  const ChProblem* problem;
  ChPose pose;
  const double* r;
  double* u;         // relative velocity that follows from r
  double* q;         // and from r = 0
  double* diagonal;  // of W
  double* rho;       // per row; 0 for a row that no reaction can move
  double balance;
} Grading;

// A quotient in which nothing over nothing is a perfect score and something over nothing is none at all.
static double relative(double error, double scale) { return error == 0.0 ? 0.0 : error / scale; }

static double norm(long n, const double* x) {
  double sum = 0.0;
  for (long i = 0; i < n; ++i) sum += x[i] * x[i];
  return sqrt(sum);
}

// --- velocities
// -------------------------------------------------------------------------------------------------------

static void grade_local(Grading* g) {
  const ChSparse* W = &g->problem->W;
  for (int i = 0; i < g->problem->rows; ++i) g->u[i] = g->q[i] = g->problem->w[i];
  ch_sparse_multiply_add(W, g->r, g->u);
  for (int j = 0; j < W->columns; ++j)
    for (int k = W->start[j]; k < W->start[j + 1]; ++k)
      if (W->index[k] == j) g->diagonal[j] = W->value[k];
}

// |M v - f - H r| relative to the larger of |f| and |H r|, each row divided by sqrt(M_jj): root joule, whatever its
// unit.
static double momentum_balance(const ChProblem* p, ChArena* arena, const double* Hr, const double* v) {
  double* Mv = CH_TAKE(arena, p->dof, double);
  ch_sparse_multiply_add(&p->M, v, Mv);
  double error = 0.0, applied = 0.0, reaction = 0.0;
  for (int j = 0; j < p->dof; ++j) {
    double mass = 0.0;
    for (int k = p->M.start[j]; k < p->M.start[j + 1]; ++k)
      if (p->M.index[k] == j) mass = p->M.value[k];
    const double rest = Mv[j] - p->f[j] - Hr[j];
    error += rest * rest / mass;
    applied += p->f[j] * p->f[j] / mass;
    reaction += Hr[j] * Hr[j] / mass;
  }
  return relative(sqrt(error), sqrt(ch_max(applied, reaction)));
}

static ChStatus grade_global(ChContext* context, Grading* g, ChArena* arena, const double* v) {
  const ChProblem* p = g->problem;
  ChCompliance* mass;
  ChStatus status = ch_compliance_factor(context, arena, &p->M, &mass);
  if (status != CH_OK) return status;
  double* free_velocity = CH_TAKE(arena, p->dof, double);
  double* velocity = CH_TAKE(arena, p->dof, double);
  double* Hr = CH_TAKE(arena, p->dof, double);
  ch_sparse_multiply_add(&p->H, g->r, Hr);
  status = ch_compliance_solve(context, mass, p->f, free_velocity);
  if (status == CH_OK) status = ch_compliance_solve(context, mass, Hr, velocity);
  if (status == CH_OK) status = ch_compliance_diagonal(context, mass, &p->H, g->diagonal);
  if (status != CH_OK) return status;
  for (int i = 0; i < p->rows; ++i) g->u[i] = g->q[i] = p->w[i];
  for (int j = 0; j < p->dof; ++j) velocity[j] += free_velocity[j];
  ch_sparse_multiply_transposed_add(&p->H, free_velocity, g->q);
  ch_sparse_multiply_transposed_add(&p->H, velocity, g->u);
  g->balance = momentum_balance(p, arena, Hr, v ? v : velocity);
  return CH_OK;
}

// --- weights
// ----------------------------------------------------------------------------------------------------------

// Rows whose diagonal is zero belong to two fixed bodies: no reaction moves them and they are left out.
static ChStatus weigh_rows(ChContext* context, Grading* g, int row, int count) {
  double trace = 0.0;
  for (int k = 0; k < count; ++k) trace += g->diagonal[row + k];
  if (trace < 0.0)
    return ch_fail(context, CH_ERR_NUMERIC,
                   "rows %d to %d: trace of their block of W is %g, must be >= 0 (is M positive "
                   "definite?)",
                   row, row + count - 1, trace);
  for (int k = 0; k < count; ++k) g->rho[row + k] = trace == 0.0 ? 0.0 : (double)count / trace;
  return CH_OK;
}

static ChStatus weigh_blocks(ChContext* context, Grading* g) {
  for (int i = 0; i < g->problem->block_count; ++i) {
    const ChBlock* block = &g->problem->blocks[i];
    const int step = block->law == CH_LAW_BILATERAL ? 1 : block->dimension;
    for (int k = 0; k < block->dimension; k += step) {
      const ChStatus status = weigh_rows(context, g, block->row + k, step);
      if (status != CH_OK) return status;
    }
  }
  return CH_OK;
}

// --- the fields
// -------------------------------------------------------------------------------------------------------

// Squared norm of (r - P(r - rho hat u)) / sqrt(rho) of one block; r = NULL stands for zero. Reads the block's own
// part.
static double map_error(const ChBlock* block, ChPose pose, const double* rho, const double* r, const double* u) {
  double x[CH_BLOCK_MAX], y[CH_BLOCK_MAX], sum = 0.0;
  if (block->law == CH_LAW_BILATERAL) {  // P is the identity: no need to let r cancel against itself
    for (int k = 0; k < block->dimension; ++k) sum += rho[k] * u[k] * u[k];
    return sum;
  }
  if (rho[0] == 0.0) return 0.0;
  ch_block_shift(block, pose, u, x);
  for (int k = 0; k < block->dimension; ++k) x[k] = (r ? r[k] : 0.0) - rho[k] * x[k];
  ch_block_project(block, pose, x, y);
  for (int k = 0; k < block->dimension; ++k) {
    const double rest = (r ? r[k] : 0.0) - y[k];
    sum += rest * rest / rho[k];
  }
  return sum;
}

static double natural_error(const Grading* g) {
  double error = 0.0, nothing = 0.0, drive = 0.0;
  for (int i = 0; i < g->problem->block_count; ++i) {
    const ChBlock* block = &g->problem->blocks[i];
    const int row = block->row;
    error += map_error(block, g->pose, g->rho + row, g->r + row, g->u + row);
    nothing += map_error(block, g->pose, g->rho + row, NULL, g->q + row);
  }
  for (int i = 0; i < g->problem->rows; ++i) drive += g->rho[i] * g->q[i] * g->q[i];
  return relative(sqrt(error), ch_max(sqrt(nothing), FLOOR_SHARE * sqrt(drive)));
}

// The same map with rho = 1 in the units of the file, as Siconos 4.4 grades it.
static double siconos_error(const Grading* g) {
  double error = 0.0, scale[3] = {0.0, 0.0, 0.0};
  for (int i = 0; i < g->problem->block_count; ++i) {
    const ChBlock* block = &g->problem->blocks[i];
    double one[CH_BLOCK_MAX];
    for (int k = 0; k < block->dimension; ++k) {
      const int row = block->row + k;
      one[k] = g->rho[row] == 0.0 ? 0.0 : 1.0;
      scale[0] += one[k] * g->q[row] * g->q[row];
      scale[1] += one[k] * g->r[row] * g->r[row];
      scale[2] += one[k] * g->u[row] * g->u[row];
    }
    error += map_error(block, g->pose, one, g->r + block->row, g->u + block->row);
  }
  return relative(sqrt(error), sqrt(ch_max(ch_max(scale[0], scale[1]), scale[2])));
}

static double cone_error(const Grading* g) {
  double worst = 0.0, largest = 0.0;
  for (int i = 0; i < g->problem->block_count; ++i) {
    const ChBlock* block = &g->problem->blocks[i];
    const double* r = g->r + block->row;
    double y[CH_BLOCK_MAX];
    ch_block_project(block, g->pose, r, y);
    for (int k = 0; k < block->dimension; ++k) y[k] -= r[k];
    worst = ch_max(worst, norm(block->dimension, y));
    if (g->rho[block->row] != 0.0) largest = ch_max(largest, norm(block->dimension, r));
  }
  return relative(worst, largest);
}

static double signorini_error(const Grading* g) {
  double worst = 0.0, drive = 0.0;
  for (int i = 0; i < g->problem->block_count; ++i) {
    const ChBlock* block = &g->problem->blocks[i];
    const int row = block->row;
    for (int k = 0; k < block->dimension; ++k)
      if (g->rho[row + k] != 0.0) drive = ch_max(drive, fabs(g->q[row + k]));
    const bool normal = block->law == CH_LAW_CONTACT || block->law == CH_LAW_UNILATERAL;
    if (normal && g->rho[row] != 0.0) worst = ch_max(worst, fabs(ch_min(g->diagonal[row] * g->r[row], g->u[row])));
  }
  return relative(worst, drive);
}

static double dissipation_error(const Grading* g) {
  double worst = 0.0;
  for (int i = 0; i < g->problem->block_count; ++i) {
    const ChBlock* block = &g->problem->blocks[i];
    if (block->law != CH_LAW_CONTACT || g->rho[block->row] == 0.0) continue;
    const double *r = g->r + block->row, *u = g->u + block->row;
    double gap = ch_block_support(block, g->pose, u) * r[0];
    for (int k = 1; k < block->dimension; ++k) gap += r[k] * u[k];
    worst = ch_max(worst, fabs(gap));
  }
  return worst;
}

static ChStatus grade(ChContext* context, Grading* g, ChArena* arena, const double* v, ChCertificate* out) {
  const int rows = g->problem->rows;
  g->u = CH_TAKE(arena, rows, double);
  g->q = CH_TAKE(arena, rows, double);
  g->diagonal = CH_TAKE(arena, rows, double);
  g->rho = CH_TAKE(arena, rows, double);
  ChStatus status = CH_OK;
  if (g->problem->form == CH_FORM_LOCAL)
    grade_local(g);
  else
    status = grade_global(context, g, arena, v);
  if (status == CH_OK) status = weigh_blocks(context, g);
  if (status != CH_OK) return status;
  *out = (ChCertificate){.natural = natural_error(g),
                         .siconos = siconos_error(g),
                         .cone = cone_error(g),
                         .signorini = signorini_error(g),
                         .dissipation = dissipation_error(g),
                         .balance = g->balance};
  return CH_OK;
}

ChStatus ch_certify(ChContext* context, const ChProblem* problem, ChPose pose, const double* r, const double* v,
                    ChCertificate* out) {
#define X(name, text) out->name = NAN;
  CH_CERTIFICATE_FIELDS(X)
#undef X
  if (problem->rows > 0 && !r)
    return ch_fail(context, CH_ERR_ARGUMENT, "reactions are missing, must have %d entries", problem->rows);
  jmp_buf landing;
  ChArena* volatile arena = NULL;
  if (setjmp(landing) || !(arena = ch_arena_create(&landing))) {
    ch_arena_destroy(arena);
    return ch_fail(context, CH_ERR_MEMORY, "out of memory while grading a problem with %d rows", problem->rows);
  }
  Grading g = {.problem = problem, .pose = pose, .r = r};
  const ChStatus status = grade(context, &g, arena, v, out);
  ch_arena_destroy(arena);
  return status;
}

bool ch_certificate_met(const ChCertificate* certificate, double tolerance) {
  return ch_at_most(certificate->natural, tolerance) && ch_at_most(certificate->siconos, tolerance) &&
         ch_at_most(certificate->balance, tolerance) && certificate->cone < CONE_LIMIT;
}
