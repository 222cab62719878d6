// Siconos 4.4 as a peer: see siconos_peer.h.
//
// Its matrices: sparse blocks (SBM) for the Gauss-Seidel, Newton, proximal and projection solvers, which walk along
// block rows; compressed columns for ADMM and for the global form. Its error: the natural map with rho = 1, divided by
// max(|q|, |r|, |u|): the field `siconos` of our certificate.
#include "siconos_peer.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

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
  FrictionContactProblem* dense;         // local, in space, dense; NULL when it would be large
  FrictionContactProblem* planar;        // local, in the plane; NULL in space
  GlobalFrictionContactProblem* global;  // NULL when the problem came in local form or is planar
  double spectral_radius;                // of W
  double scale;                          // q and r of the copies are those of the problem times this
};

enum { DENSE_MOST = 150 };  // contacts up to which a dense W is tried
enum { MANY = 1000000 };    // iterations of a solver that the clock stops, not the count

typedef enum Storage { BLOCKS, COLUMNS, DENSE } Storage;

typedef struct Peer {
  ChPeerInfo info;
  Storage storage;
  int id;
  void (*tune)(SolverOptions* options, const ChPeerProblem* peers);
  ChCall (*run)(const struct Peer* peer, const ChPeerProblem* peers, double tolerance, double* r);
} Peer;

// --- settings ------------------------------------------------------------------------------------------------------

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

static void tune_newton_extragradient(SolverOptions* options, const ChPeerProblem* peers) {
  tune_newton(options, peers);
  options->iparam[SICONOS_FRICTION_3D_NSN_HYBRID_STRATEGY] = SICONOS_FRICTION_3D_NSN_HYBRID_STRATEGY_VI_EG_NSN;
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

// --- calls ---------------------------------------------------------------------------------------------------------

static SolverOptions* options_create(const Peer* peer, const ChPeerProblem* peers, double tolerance) {
  SolverOptions* options = solver_options_create(peer->id);
  options->dparam[SICONOS_DPARAM_TOL] = tolerance;
  if (peer->tune) peer->tune(options, peers);
  return options;
}

// The lifted row of a row: planar contacts (n, t) become (n, t, 0).
static int lift(int row, int from, int to) { return row / from * to + row % from; }

// Spatial reactions back to the rows of the problem: the second tangent of a planar one is left out.
static void reactions_return(const ChPeerProblem* peers, const double* spatial, double* r) {
  int d = peers->dimension;
  for (int row = 0; row < peers->rows; ++row) r[row] = spatial[lift(row, d, 3)] / peers->scale;
}

static ChCall run_local(const Peer* peer, const ChPeerProblem* peers, double tolerance, double* r) {
  FrictionContactProblem* const stored[] = {
      [BLOCKS] = peers->blocks, [COLUMNS] = peers->columns, [DENSE] = peers->dense};
  FrictionContactProblem* problem = frictionContact_copy(stored[peer->storage]);
  SolverOptions* options = options_create(peer, peers, tolerance);
  double* reaction = calloc((size_t)(3 * peers->contacts), sizeof(double));
  double* velocity = calloc((size_t)(3 * peers->contacts), sizeof(double));
  double start = ch_measure_clock();
  int info = fc3d_driver(problem, reaction, velocity, options);
  ChCall call = {.seconds = ch_measure_clock() - start, .info = info};
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
  double start = ch_measure_clock();
  int info = fc2d_driver(problem, r, velocity, options);
  ChCall call = {.seconds = ch_measure_clock() - start, .info = info};
  for (int row = 0; row < peers->rows; ++row) r[row] /= peers->scale;
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
  double start = ch_measure_clock();
  int info = gfc3d_driver(problem, r, velocity, v, options);
  ChCall call = {.seconds = ch_measure_clock() - start, .info = info};
  for (int row = 0; row < peers->rows; ++row) r[row] /= peers->scale;
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

  double start = ch_measure_clock();
  for (int loop = 0; loop < 20 && !(error <= tolerance); ++loop, sweeps *= 1.7) {
    error = hybrid_stage(problem, sweep, (int)sweeps, norm_q, error, best, scratch);
    if (!(error <= tolerance)) error = hybrid_stage(problem, newton, 100, norm_q, error, best, scratch);
  }
  ChCall call = {.seconds = ch_measure_clock() - start, .info = error <= tolerance ? 0 : 1};

  reactions_return(peers, best, r);
  free(best);
  free(scratch);
  solver_options_delete(sweep);
  solver_options_delete(newton);
  frictionContactProblem_free(problem);
  return call;
}

// --- the table -----------------------------------------------------------------------------------------------------

// name, form, storage of W, solver of Siconos, settings, how it is called, what it is
// clang-format off
#define PEERS(X) \
  X("NSGS", CH_PEER_LOCAL, BLOCKS, SICONOS_FRICTION_3D_NSGS, tune_many, run_local, "block Gauss-Seidel, its default") \
  X("NSGS_FULL", CH_PEER_LOCAL, BLOCKS, SICONOS_FRICTION_3D_NSGS, tune_nsgs_full, run_local, "the same, whole error every sweep") \
  X("NSN_AC", CH_PEER_LOCAL, BLOCKS, SICONOS_FRICTION_3D_NSN_AC, tune_newton, run_local, "Alart-Curnier Newton, MUMPS") \
  X("NSN_AC_DENSE", CH_PEER_LOCAL, DENSE, SICONOS_FRICTION_3D_NSN_AC, tune_newton, run_local, "the same on a dense W, LAPACK") \
  X("NSN_AC_VIEG", CH_PEER_LOCAL, BLOCKS, SICONOS_FRICTION_3D_NSN_AC, tune_newton_extragradient, run_local, "extragradient, then Newton") \
  X("HYB_NSGS_NSN", CH_PEER_LOCAL, BLOCKS, SICONOS_FRICTION_3D_NSGS, NULL, run_hybrid, "Gauss-Seidel and Newton in turn") \
  X("PROX", CH_PEER_LOCAL, BLOCKS, SICONOS_FRICTION_3D_PROX, NULL, run_local, "proximal point over NSN_AC, MUMPS") \
  X("PROX_DENSE", CH_PEER_LOCAL, DENSE, SICONOS_FRICTION_3D_PROX, NULL, run_local, "the same on a dense W, LAPACK") \
  X("ADMM", CH_PEER_LOCAL, COLUMNS, SICONOS_FRICTION_3D_ADMM, tune_many, run_local, "its default, constant rho") \
  X("ADMM_SB", CH_PEER_LOCAL, COLUMNS, SICONOS_FRICTION_3D_ADMM, tune_admm_balanced, run_local, "rho from norms, residuals balanced") \
  X("VI_EG", CH_PEER_LOCAL, BLOCKS, SICONOS_FRICTION_3D_VI_EG, tune_many, run_local, "self-adaptive extragradient") \
  X("DSFP", CH_PEER_LOCAL, BLOCKS, SICONOS_FRICTION_3D_DSFP, tune_fixed_point, run_local, "De Saxce fixed point, rho = 0.9 / lambda_max") \
  X("NSGS_2D", CH_PEER_PLANAR, BLOCKS, SICONOS_FRICTION_2D_NSGS, tune_many, run_planar, "planar Gauss-Seidel") \
  X("LEMKE_2D", CH_PEER_PLANAR, BLOCKS, SICONOS_FRICTION_2D_LEMKE, tune_many, run_planar, "Lemke's pivoting, planar") \
  X("CPG_2D", CH_PEER_PLANAR, BLOCKS, SICONOS_FRICTION_2D_CPG, tune_many, run_planar, "conjugate projected gradient, planar") \
  X("GNSGS_WR", CH_PEER_GLOBAL, COLUMNS, SICONOS_GLOBAL_FRICTION_3D_NSGS_WR, tune_many, run_global, "global, condensed by Siconos, NSGS") \
  X("GNSGS", CH_PEER_GLOBAL, COLUMNS, SICONOS_GLOBAL_FRICTION_3D_NSGS, tune_many, run_global, "global Gauss-Seidel") \
  X("GNSN_AC", CH_PEER_GLOBAL, COLUMNS, SICONOS_GLOBAL_FRICTION_3D_NSN_AC, tune_newton, run_global, "global Alart-Curnier Newton") \
  X("GNSN_AC_WR", CH_PEER_GLOBAL, COLUMNS, SICONOS_GLOBAL_FRICTION_3D_NSN_AC_WR, tune_newton, run_global, "global, condensed by Siconos, Newton") \
  X("GADMM", CH_PEER_GLOBAL, COLUMNS, SICONOS_GLOBAL_FRICTION_3D_ADMM, tune_many, run_global, "global ADMM, its default") \
  X("GADMM_SB", CH_PEER_GLOBAL, COLUMNS, SICONOS_GLOBAL_FRICTION_3D_ADMM, tune_admm_balanced, run_global, "global ADMM, residuals balanced") \
  X("GACLMFP", CH_PEER_GLOBAL, COLUMNS, SICONOS_GLOBAL_FRICTION_3D_ACLMFP, NULL, run_global, "global fixed point of convex problems")
// clang-format on

static const Peer table[] = {
#define X(name, form, storage, id, tune, run, summary) {{name, summary, form}, storage, id, tune, run},
    PEERS(X)
#undef X
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
      return table[peer].storage != DENSE || peers->dense;
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

// --- conversion ----------------------------------------------------------------------------------------------------

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

static NumericsMatrix* matrix_dense(const ChSparse* A, int d, int e) {
  int n = A->columns / d * e;
  double* values = calloc((size_t)n * (size_t)n, sizeof(double));
  for (int j = 0; j < A->columns; ++j)
    for (int p = A->start[j]; p < A->start[j + 1]; ++p) {
      size_t row = (size_t)lift(A->index[p], d, e), column = (size_t)lift(j, d, e);
      values[row + (size_t)n * column] = A->value[p];
      if (e > d && A->index[p] == j && j % d == 1) values[(row + 1) * (size_t)(n + 1)] = A->value[p];
    }
  return NM_create_from_data(NM_DENSE, n, n, values);
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

static FrictionContactProblem* local_create(const ChProblemView* problem, NumericsMatrix* W, const double* q,
                                            double scale, int e) {
  int d = problem->dimension, contacts = problem->block_count;
  double* lifted = calloc((size_t)(e * contacts), sizeof(double));
  double* mu = malloc((size_t)contacts * sizeof(double));
  for (int row = 0; row < problem->rows; ++row) lifted[lift(row, d, e)] = scale * q[row];
  for (int i = 0; i < contacts; ++i) mu[i] = problem->blocks[i].mu[0];
  return frictionContactProblem_new_with_data(e, contacts, W, lifted, mu);
}

static GlobalFrictionContactProblem* global_create(const ChProblemView* problem, double scale) {
  GlobalFrictionContactProblem* g = globalFrictionContactProblem_new();
  size_t dof = (size_t)problem->dof, rows = (size_t)problem->rows, contacts = (size_t)problem->block_count;
  g->dimension = problem->dimension;
  g->numberOfContacts = problem->block_count;
  g->M = matrix_columns(problem->M, 1, 1);
  g->H = matrix_columns(problem->H, 1, 1);
  g->q = malloc(dof * sizeof(double));
  g->b = malloc(rows * sizeof(double));
  g->mu = malloc(contacts * sizeof(double));
  for (size_t i = 0; i < dof; ++i) g->q[i] = scale * problem->f[i];
  for (size_t i = 0; i < rows; ++i) g->b[i] = scale * problem->w[i];
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

// Siconos compares velocities with DBL_EPSILON and takes a tiny q for take-off. The problem is homogeneous in q and r,
// so a tiny q is handed over at norm 1.
static double tiny_scale(const double* q, int rows) {
  double norm = 0.0;
  for (int i = 0; i < rows; ++i) norm += q[i] * q[i];
  norm = sqrt(norm);
  return norm > 0.0 && norm < 1e-8 ? 1.0 / norm : 1.0;
}

static bool statable(ChContext* context, const ChProblemView* problem) {
  for (int i = 0; i < problem->block_count; ++i) {
    const ChBlock* b = &problem->blocks[i];
    if (b->law != CH_LAW_CONTACT || (b->dimension == 3 && b->mu[0] != b->mu[1])) {
      ch_fail(context, CH_ERR_UNSUPPORTED, "block %d is not a contact with one friction coefficient", i);
      return false;
    }
  }
  return true;
}

ChPeerProblem* ch_peer_problem_create(ChContext* context, const ChProblem* stated, const ChSparse* W, const double* q) {
  const ChProblemView view = ch_problem_view(stated), *problem = &view;
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
  peers->scale = tiny_scale(q, problem->rows);
  peers->blocks = local_create(problem, matrix_blocks(&transposed, d, 3), q, peers->scale, 3);
  peers->columns = local_create(problem, matrix_columns(W, d, 3), q, peers->scale, 3);
  if (problem->block_count <= DENSE_MOST)
    peers->dense = local_create(problem, matrix_dense(W, d, 3), q, peers->scale, 3);
  if (d == 2) peers->planar = local_create(problem, matrix_blocks(&transposed, 2, 2), q, peers->scale, 2);
  if (d == 3 && problem->form == CH_FORM_GLOBAL) peers->global = global_create(problem, peers->scale);
  peers->spectral_radius = spectral_radius(W);
  ch_arena_destroy(arena);
  return peers;
}

void ch_peer_problem_destroy(ChPeerProblem* peers) {
  if (!peers) return;
  if (peers->blocks) frictionContactProblem_free(peers->blocks);
  if (peers->columns) frictionContactProblem_free(peers->columns);
  if (peers->dense) frictionContactProblem_free(peers->dense);
  if (peers->planar) frictionContactProblem_free(peers->planar);
  if (peers->global) globalFrictionContact_free(peers->global);
  free(peers);
}
