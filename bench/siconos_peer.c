// Siconos 4.4 as a peer: see siconos_peer.h.
//
// Its matrices: sparse blocks (SBM) for the Gauss-Seidel, Newton, proximal and projection solvers, which walk along
// block rows; compressed columns for ADMM and for the global form. Its error: the natural map with rho = 1, divided by
// max(|q|, |r|, |u|): the field `siconos` of our certificate.
#include "siconos_peer.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "linalg/sparse.h"

#include <FrictionContactProblem.h>
#include <Friction_cst.h>
#include <GlobalFrictionContactProblem.h>
#include <NonSmoothDrivers.h>
#include <NumericsMatrix.h>
#include <NumericsSparseMatrix.h>
#include <NumericsVerbose.h>
#include <SolverOptions.h>
#include <SparseBlockMatrix.h>
#include <fc3d_compute_error.h>

struct ChPeerProblem {
  int contacts, dimension, rows, dof;
  FrictionContactProblem* blocks;        // local, in space, sparse blocks
  FrictionContactProblem* columns;       // local, in space, compressed columns
  FrictionContactProblem* planar;        // local, in the plane; NULL in space
  GlobalFrictionContactProblem* global;  // NULL when the problem came in local form or is planar
  double spectral_radius;                // of W
};

enum { MANY = 1000000 };  // iterations of a solver that the clock stops, not the count

typedef struct Peer {
  ChPeerInfo info;
  int id;
  void (*tune)(SolverOptions* options, const ChPeerProblem* peers);
  ChCall (*run)(const struct Peer* peer, const ChPeerProblem* peers, double tolerance, double* r);
} Peer;

// --- settings
// ---------------------------------------------------------------------------------------------------------

static void tune_many(SolverOptions* options, const ChPeerProblem* peers) {
  (void)peers;
  options->iparam[SICONOS_IPARAM_MAX_ITER] = MANY;
}

static void tune_nsgs_full(SolverOptions* options, const ChPeerProblem* peers) {
  tune_many(options, peers);
  options->iparam[SICONOS_FRICTION_3D_IPARAM_ERROR_EVALUATION] = SICONOS_FRICTION_3D_NSGS_ERROR_EVALUATION_FULL;
}

static void tune_newton(SolverOptions* options, const ChPeerProblem* peers) {
  (void)peers;
  options->iparam[SICONOS_IPARAM_MAX_ITER] = 2000;
}

// CSparse's LU starts faster than MUMPS on small problems.
static void tune_newton_lu(SolverOptions* options, const ChPeerProblem* peers) {
  tune_newton(options, peers);
  options->iparam[SICONOS_FRICTION_3D_NSN_LINEAR_SOLVER] = SICONOS_FRICTION_3D_NSN_USE_CSLUSOL;
}

static void tune_newton_extragradient(SolverOptions* options, const ChPeerProblem* peers) {
  tune_newton(options, peers);
  options->iparam[SICONOS_FRICTION_3D_NSN_HYBRID_STRATEGY] = SICONOS_FRICTION_3D_NSN_HYBRID_STRATEGY_VI_EG_NSN;
}

static void tune_prox_lu(SolverOptions* options, const ChPeerProblem* peers) {
  (void)peers;
  SolverOptions* inner = options->internalSolvers[0];
  inner->iparam[SICONOS_FRICTION_3D_NSN_LINEAR_SOLVER] = SICONOS_FRICTION_3D_NSN_USE_CSLUSOL;
}

static void tune_admm_balanced(SolverOptions* options, const ChPeerProblem* peers) {
  tune_many(options, peers);
  options->iparam[SICONOS_FRICTION_3D_ADMM_IPARAM_INITIAL_RHO] = SICONOS_FRICTION_3D_ADMM_INITIAL_RHO_NORM_INF;
  options->iparam[SICONOS_FRICTION_3D_ADMM_IPARAM_RHO_STRATEGY] =
      SICONOS_FRICTION_3D_ADMM_RHO_STRATEGY_SCALED_RESIDUAL_BALANCING;
}

static void tune_fixed_point(SolverOptions* options, const ChPeerProblem* peers) {
  tune_many(options, peers);
  options->dparam[SICONOS_FRICTION_3D_NSN_RHO] = 0.9 / peers->spectral_radius;
}

// --- calls
// ------------------------------------------------------------------------------------------------------------

static SolverOptions* options_create(const Peer* peer, const ChPeerProblem* peers, double tolerance) {
  SolverOptions* options = solver_options_create(peer->id);
  options->dparam[SICONOS_DPARAM_TOL] = tolerance;
  if (peer->tune) peer->tune(options, peers);
  return options;
}

// Spatial reactions back to the rows of a planar problem: the second tangent is left out.
static void reactions_return(const ChPeerProblem* peers, const double* spatial, double* r) {
  int d = peers->dimension;
  for (int i = 0; i < peers->contacts; ++i) memcpy(r + d * i, spatial + 3 * i, (size_t)d * sizeof(double));
}

static ChCall run_local(const Peer* peer, const ChPeerProblem* peers, double tolerance, double* r) {
  bool columns = peer->id == SICONOS_FRICTION_3D_ADMM;
  FrictionContactProblem* problem = frictionContact_copy(columns ? peers->columns : peers->blocks);
  SolverOptions* options = options_create(peer, peers, tolerance);
  double* reaction = calloc((size_t)(3 * peers->contacts), sizeof(double));
  double* velocity = calloc((size_t)(3 * peers->contacts), sizeof(double));
  double start = ch_clock_seconds();
  int info = fc3d_driver(problem, reaction, velocity, options);
  ChCall call = {.seconds = ch_clock_seconds() - start, .info = info};
  reactions_return(peers, reaction, r);
  free(reaction);
  free(velocity);
  solver_options_delete(options);
  frictionContactProblem_free(problem);
  return call;
}

static ChCall run_planar(const Peer* peer, const ChPeerProblem* peers, double tolerance, double* r) {
  FrictionContactProblem* problem = frictionContact_copy(peers->planar);
  SolverOptions* options = options_create(peer, peers, tolerance);
  double* velocity = calloc((size_t)peers->rows, sizeof(double));
  memset(r, 0, (size_t)peers->rows * sizeof(double));
  double start = ch_clock_seconds();
  int info = fc2d_driver(problem, r, velocity, options);
  ChCall call = {.seconds = ch_clock_seconds() - start, .info = info};
  free(velocity);
  solver_options_delete(options);
  frictionContactProblem_free(problem);
  return call;
}

static ChCall run_global(const Peer* peer, const ChPeerProblem* peers, double tolerance, double* r) {
  GlobalFrictionContactProblem* problem = globalFrictionContact_copy(peers->global);
  SolverOptions* options = options_create(peer, peers, tolerance);
  double* velocity = calloc((size_t)peers->rows, sizeof(double));
  double* v = calloc((size_t)peers->dof, sizeof(double));
  memset(r, 0, (size_t)peers->rows * sizeof(double));
  double start = ch_clock_seconds();
  int info = gfc3d_driver(problem, r, velocity, v, options);
  ChCall call = {.seconds = ch_clock_seconds() - start, .info = info};
  free(velocity);
  free(v);
  solver_options_delete(options);
  globalFrictionContact_free(problem);
  return call;
}

// One stage of the hybrid: at most `sweeps` iterations of a solver from the current iterate; the better one stays.
static double hybrid_stage(FrictionContactProblem* problem, SolverOptions* options, int sweeps, double norm_q,
                           double error, double* best, double* scratch) {
  int n = 3 * problem->numberOfContacts;
  double* reaction = scratch;
  double* velocity = scratch + n;
  double after = HUGE_VAL;
  memcpy(reaction, best, (size_t)n * sizeof(double));
  options->iparam[SICONOS_IPARAM_MAX_ITER] = sweeps;
  fc3d_driver(problem, reaction, velocity, options);
  fc3d_compute_error(problem, reaction, velocity, options->dparam[SICONOS_DPARAM_TOL], options, norm_q, &after);
  if (!(after < error)) return error;
  memcpy(best, reaction, (size_t)n * sizeof(double));
  return after;
}

// The hybrid that its enumeration promises and 4.4 does not have: Gauss-Seidel sweeps, ever more of them, then Newton.
static ChCall run_hybrid(const Peer* peer, const ChPeerProblem* peers, double tolerance, double* r) {
  (void)peer;
  size_t n = (size_t)(3 * peers->contacts);
  FrictionContactProblem* problem = frictionContact_copy(peers->blocks);
  SolverOptions* sweep = solver_options_create(SICONOS_FRICTION_3D_NSGS);
  SolverOptions* newton = solver_options_create(SICONOS_FRICTION_3D_NSN_AC);
  sweep->dparam[SICONOS_DPARAM_TOL] = newton->dparam[SICONOS_DPARAM_TOL] = tolerance;
  double* best = calloc(n, sizeof(double));
  double* scratch = calloc(2 * n, sizeof(double));
  double norm_q = 0.0, error = HUGE_VAL, sweeps = 100.0;
  for (size_t i = 0; i < n; ++i) norm_q += problem->q[i] * problem->q[i];
  norm_q = sqrt(norm_q);

  double start = ch_clock_seconds();
  for (int loop = 0; loop < 20 && !(error <= tolerance); ++loop, sweeps *= 1.7) {
    error = hybrid_stage(problem, sweep, (int)sweeps, norm_q, error, best, scratch);
    if (!(error <= tolerance)) error = hybrid_stage(problem, newton, 100, norm_q, error, best, scratch);
  }
  ChCall call = {.seconds = ch_clock_seconds() - start, .info = error <= tolerance ? 0 : 1};

  reactions_return(peers, best, r);
  free(best);
  free(scratch);
  solver_options_delete(sweep);
  solver_options_delete(newton);
  frictionContactProblem_free(problem);
  return call;
}

// --- the table
// --------------------------------------------------------------------------------------------------------

static const Peer table[] = {
    {{"NSGS", "block Gauss-Seidel, its default", CH_PEER_LOCAL}, SICONOS_FRICTION_3D_NSGS, tune_many, run_local},
    {{"NSGS_FULL", "the same, whole error every sweep", CH_PEER_LOCAL},
     SICONOS_FRICTION_3D_NSGS,
     tune_nsgs_full,
     run_local},
    {{"NSN_AC", "Alart-Curnier Newton, MUMPS", CH_PEER_LOCAL}, SICONOS_FRICTION_3D_NSN_AC, tune_newton, run_local},
    {{"NSN_AC_LU", "the same, CSparse's LU", CH_PEER_LOCAL}, SICONOS_FRICTION_3D_NSN_AC, tune_newton_lu, run_local},
    {{"NSN_AC_VIEG", "extragradient, then Newton", CH_PEER_LOCAL},
     SICONOS_FRICTION_3D_NSN_AC,
     tune_newton_extragradient,
     run_local},
    {{"HYB_NSGS_NSN", "Gauss-Seidel and Newton in turn", CH_PEER_LOCAL}, SICONOS_FRICTION_3D_NSGS, NULL, run_hybrid},
    {{"PROX", "proximal point over NSN_AC, MUMPS", CH_PEER_LOCAL}, SICONOS_FRICTION_3D_PROX, NULL, run_local},
    {{"PROX_LU", "the same, CSparse's LU", CH_PEER_LOCAL}, SICONOS_FRICTION_3D_PROX, tune_prox_lu, run_local},
    {{"ADMM", "its default, constant rho", CH_PEER_LOCAL}, SICONOS_FRICTION_3D_ADMM, tune_many, run_local},
    {{"ADMM_SB", "rho from norms, residuals balanced", CH_PEER_LOCAL},
     SICONOS_FRICTION_3D_ADMM,
     tune_admm_balanced,
     run_local},
    {{"VI_EG", "self-adaptive extragradient", CH_PEER_LOCAL}, SICONOS_FRICTION_3D_VI_EG, tune_many, run_local},
    {{"DSFP", "De Saxce fixed point, rho = 0.9 / lambda_max", CH_PEER_LOCAL},
     SICONOS_FRICTION_3D_DSFP,
     tune_fixed_point,
     run_local},
    {{"NSGS_2D", "planar Gauss-Seidel", CH_PEER_PLANAR}, SICONOS_FRICTION_2D_NSGS, tune_many, run_planar},
    {{"LEMKE_2D", "Lemke's pivoting, planar", CH_PEER_PLANAR}, SICONOS_FRICTION_2D_LEMKE, tune_many, run_planar},
    {{"CPG_2D", "conjugate projected gradient, planar", CH_PEER_PLANAR},
     SICONOS_FRICTION_2D_CPG,
     tune_many,
     run_planar},
    {{"GNSGS_WR", "global, condensed by Siconos, NSGS", CH_PEER_GLOBAL},
     SICONOS_GLOBAL_FRICTION_3D_NSGS_WR,
     tune_many,
     run_global},
    {{"GNSGS", "global Gauss-Seidel", CH_PEER_GLOBAL}, SICONOS_GLOBAL_FRICTION_3D_NSGS, tune_many, run_global},
    {{"GNSN_AC", "global Alart-Curnier Newton", CH_PEER_GLOBAL},
     SICONOS_GLOBAL_FRICTION_3D_NSN_AC,
     tune_newton,
     run_global},
    {{"GNSN_AC_WR", "global, condensed by Siconos, Newton", CH_PEER_GLOBAL},
     SICONOS_GLOBAL_FRICTION_3D_NSN_AC_WR,
     tune_newton,
     run_global},
    {{"GADMM", "global ADMM, its default", CH_PEER_GLOBAL}, SICONOS_GLOBAL_FRICTION_3D_ADMM, tune_many, run_global},
    {{"GADMM_SB", "global ADMM, residuals balanced", CH_PEER_GLOBAL},
     SICONOS_GLOBAL_FRICTION_3D_ADMM,
     tune_admm_balanced,
     run_global},
    {{"GACLMFP", "global fixed point of convex problems", CH_PEER_GLOBAL},
     SICONOS_GLOBAL_FRICTION_3D_ACLMFP,
     NULL,
     run_global},
};

int ch_peer_count(void) { return (int)(sizeof table / sizeof table[0]); }

ChPeerInfo ch_peer_info(int peer) { return table[peer].info; }

int ch_peer_find(const char* name) {
  for (int i = 0; i < ch_peer_count(); ++i)
    if (strcmp(table[i].info.name, name) == 0) return i;
  return -1;
}

bool ch_peer_takes(int peer, const ChPeerProblem* peers) {
  switch (table[peer].info.form) {
    case CH_PEER_LOCAL:
      return peers->blocks != NULL;
    case CH_PEER_PLANAR:
      return peers->planar != NULL;
    case CH_PEER_GLOBAL:
      return peers->global != NULL;
  }
  return false;
}

ChCall ch_peer_solve(const ChPeerProblem* peers, int peer, double tolerance, double* r) {
  numerics_set_verbose(0);
  return table[peer].run(&table[peer], peers, tolerance, r);
}

// --- conversion
// -------------------------------------------------------------------------------------------------------

// The lifted row of a row: planar contacts (n, t) become (n, t, 0).
static int lift(int row, int from, int to) { return row / from * to + row % from; }

// Compressed columns of a matrix whose blocks go from size d to size e. Where e > d every diagonal block gets its
// tangential entry on the new tangent too, so that the lifted problem stays as well conditioned.
static NumericsMatrix* matrix_columns(const ChSparse* A, int d, int e) {
  int columns = A->columns / d * e, rows = A->rows / d * e;
  int fresh = e > d ? A->columns / d : 0;
  NumericsMatrix* out = NM_create(NM_SPARSE, rows, columns);
  NM_triplet_alloc(out, A->start[A->columns] + fresh + 1);
  out->matrix2->origin = NSM_TRIPLET;
  for (int j = 0; j < A->columns; ++j)
    for (int p = A->start[j]; p < A->start[j + 1]; ++p) {
      NM_entry(out, lift(A->index[p], d, e), lift(j, d, e), A->value[p]);
      if (fresh && A->index[p] == j && j % d == 1) NM_entry(out, j / d * e + 2, j / d * e + 2, A->value[p]);
    }
  return out;
}

// Marks the blocks of block column J and returns how many there are; stamp[I] == J + 1 marks block (I, J).
static int column_blocks(const ChSparse* A, int d, int J, int* stamp, int* found) {
  int count = 0;
  stamp[J] = J + 1;  // the diagonal block always exists
  found[count++] = J;
  for (int j = d * J; j < d * (J + 1); ++j)
    for (int p = A->start[j]; p < A->start[j + 1]; ++p) {
      int I = A->index[p] / d;
      if (stamp[I] == J + 1) continue;
      stamp[I] = J + 1;
      found[count++] = I;
    }
  return count;
}

static SparseBlockStructuredMatrix* blocks_allocate(int contacts, int e, int count) {
  SparseBlockStructuredMatrix* B = SBM_new();
  size_t n = (size_t)contacts;
  B->nbblocks = (unsigned)count;
  B->blocknumber0 = B->blocknumber1 = (unsigned)contacts;
  B->blocksize0 = malloc(n * sizeof(unsigned));
  B->blocksize1 = malloc(n * sizeof(unsigned));
  for (int i = 0; i < contacts; ++i) B->blocksize0[i] = B->blocksize1[i] = (unsigned)(e * (i + 1));
  B->filled1 = n + 1;
  B->filled2 = (size_t)count;
  B->index1_data = calloc(n + 1, sizeof(size_t));
  B->index2_data = calloc((size_t)count, sizeof(size_t));
  B->block = malloc((size_t)count * sizeof(double*));
  for (int k = 0; k < count; ++k) B->block[k] = calloc((size_t)(e * e), sizeof(double));
  return B;
}

static int ascending(const void* a, const void* b) { return *(const int*)a - *(const int*)b; }

// Block rows of A. The columns of `transposed` = A^T are the rows of A, so one pass over them writes block rows.
static NumericsMatrix* matrix_blocks(const ChSparse* transposed, int d, int e) {
  int contacts = transposed->columns / d, count = 0;
  int* stamp = calloc((size_t)contacts, sizeof(int));
  int* found = malloc((size_t)contacts * sizeof(int));
  int* slot = malloc((size_t)contacts * sizeof(int));
  for (int I = 0; I < contacts; ++I) count += column_blocks(transposed, d, I, stamp, found);
  SparseBlockStructuredMatrix* B = blocks_allocate(contacts, e, count);
  memset(stamp, 0, (size_t)contacts * sizeof(int));
  int next = 0;
  for (int I = 0; I < contacts; ++I) {
    int width = column_blocks(transposed, d, I, stamp, found);
    qsort(found, (size_t)width, sizeof(int), ascending);
    for (int k = 0; k < width; ++k) {
      B->index2_data[next] = (size_t)found[k];
      slot[found[k]] = next++;
    }
    B->index1_data[I + 1] = (size_t)next;
    for (int a = 0; a < d; ++a)
      for (int p = transposed->start[d * I + a]; p < transposed->start[d * I + a + 1]; ++p) {
        int J = transposed->index[p] / d, b = transposed->index[p] % d;
        B->block[slot[J]][a + e * b] = transposed->value[p];  // blocks are stored by columns
        if (e > d && I == J && a == 1 && b == 1) B->block[slot[J]][2 + 2 * e] = transposed->value[p];
      }
  }
  free(stamp);
  free(found);
  free(slot);
  return NM_create_from_data(NM_SPARSE_BLOCK, e * contacts, e * contacts, B);
}

static FrictionContactProblem* local_create(const ChProblem* problem, NumericsMatrix* W, const double* q, int e) {
  int d = problem->dimension, contacts = problem->block_count;
  double* lifted = calloc((size_t)(e * contacts), sizeof(double));
  double* mu = malloc((size_t)contacts * sizeof(double));
  for (int row = 0; row < problem->rows; ++row) lifted[lift(row, d, e)] = q[row];
  for (int i = 0; i < contacts; ++i) mu[i] = problem->blocks[i].mu[0];
  return frictionContactProblem_new_with_data(e, contacts, W, lifted, mu);
}

static GlobalFrictionContactProblem* global_create(const ChProblem* problem) {
  GlobalFrictionContactProblem* g = globalFrictionContactProblem_new();
  size_t dof = (size_t)problem->dof, rows = (size_t)problem->rows, contacts = (size_t)problem->block_count;
  g->dimension = problem->dimension;
  g->numberOfContacts = problem->block_count;
  g->M = matrix_columns(&problem->M, 1, 1);
  g->H = matrix_columns(&problem->H, 1, 1);
  g->q = malloc(dof * sizeof(double));
  g->b = malloc(rows * sizeof(double));
  g->mu = malloc(contacts * sizeof(double));
  memcpy(g->q, problem->f, dof * sizeof(double));
  memcpy(g->b, problem->w, rows * sizeof(double));
  for (size_t i = 0; i < contacts; ++i) g->mu[i] = problem->blocks[i].mu[0];
  return g;
}

// Largest eigenvalue of W by power iteration; W may be slightly unsymmetric, so the norm of W x is what is followed.
static double spectral_radius(const ChSparse* W) {
  size_t n = (size_t)W->columns;
  double* x = malloc(n * sizeof(double));
  double* y = malloc(n * sizeof(double));
  double lambda = 0.0;
  for (size_t i = 0; i < n; ++i) x[i] = 1.0 + 0.37 * sin((double)i);  // no direction that symmetry could annul
  for (int k = 0; k < 200; ++k) {
    double norm = 0.0;
    for (size_t i = 0; i < n; ++i) norm += x[i] * x[i];
    norm = sqrt(norm);
    for (size_t i = 0; i < n; ++i) x[i] /= norm;
    memset(y, 0, n * sizeof(double));
    ch_sparse_multiply_add(W, x, y);
    lambda = 0.0;
    for (size_t i = 0; i < n; ++i) lambda += y[i] * y[i];
    lambda = sqrt(lambda);
    if (!(lambda > 0.0)) break;
    memcpy(x, y, n * sizeof(double));
  }
  free(x);
  free(y);
  return lambda > 0.0 ? lambda : 1.0;
}

static bool statable(ChContext* context, const ChProblem* problem) {
  for (int i = 0; i < problem->block_count; ++i) {
    const ChBlock* b = &problem->blocks[i];
    if (b->law != CH_LAW_CONTACT || (b->dimension == 3 && b->mu[0] != b->mu[1])) {
      ch_fail(context, CH_ERR_UNSUPPORTED, "block %d is not a contact with one friction coefficient", i);
      return false;
    }
  }
  return true;
}

ChPeerProblem* ch_peer_problem_create(ChContext* context, const ChProblem* problem, const ChSparse* W,
                                      const double* q) {
  if (!statable(context, problem)) return NULL;
  ChPeerProblem* peers = calloc(1, sizeof *peers);
  ChArena* arena = ch_arena_create(NULL);
  if (!peers || !arena) {
    free(peers);
    ch_fail(context, CH_ERR_MEMORY, "no memory for the peers' copy of the problem");
    return NULL;
  }
  int d = problem->dimension;
  ChSparse transposed = ch_sparse_transpose(arena, W);
  peers->contacts = problem->block_count;
  peers->dimension = d;
  peers->rows = problem->rows;
  peers->dof = problem->dof;
  peers->blocks = local_create(problem, matrix_blocks(&transposed, d, 3), q, 3);
  peers->columns = local_create(problem, matrix_columns(W, d, 3), q, 3);
  if (d == 2) peers->planar = local_create(problem, matrix_blocks(&transposed, 2, 2), q, 2);
  if (d == 3 && problem->form == CH_FORM_GLOBAL) peers->global = global_create(problem);
  peers->spectral_radius = spectral_radius(W);
  ch_arena_destroy(arena);
  return peers;
}

void ch_peer_problem_destroy(ChPeerProblem* peers) {
  if (!peers) return;
  if (peers->blocks) frictionContactProblem_free(peers->blocks);
  if (peers->columns) frictionContactProblem_free(peers->columns);
  if (peers->planar) frictionContactProblem_free(peers->planar);
  if (peers->global) globalFrictionContact_free(peers->global);
  free(peers);
}
