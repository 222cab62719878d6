// The mass matrix as bodies, and ch_problem_velocity, which needs M^-1 and nothing else.
#include "problem/mass.h"

#include <lapacke.h>
#include <math.h>
#include <string.h>

#include "base/check.h"
#include "linalg/small.h"
#include "linalg/sparse.h"

#define ROUNDING 1e-14  // largest entry of what is left, in that of what was solved for, below which it is round-off

// Bodies as they are named, unless M couples some of them.
static int label_bodies(ChArena* arena, const ChSparse* M, const int* body, int* body_of) {
  int count = 0;
  for (int j = 0; body && j < M->columns; ++j) body_of[j] = j > 0 && body[j] == body[j - 1] ? count - 1 : count++;
  for (int j = 0; body && j < M->columns; ++j)
    for (int k = M->start[j]; k < M->start[j + 1]; ++k)
      if (body_of[M->index[k]] != body_of[j]) return ch_sparse_components(arena, M, body, body_of);
  return body ? count : ch_sparse_components(arena, M, NULL, body_of);
}

static void list_bodies(ChArena* arena, const int* body, ChMass* mass) {
  int n = mass->M->columns;
  mass->body_of = CH_TAKE_RAW(arena, n, int);
  mass->slot = CH_TAKE_RAW(arena, n, int);
  mass->dof = CH_TAKE_RAW(arena, n, int);
  mass->bodies = label_bodies(arena, mass->M, body, mass->body_of);
  mass->start = CH_TAKE(arena, mass->bodies + 1, int);
  for (int i = 0; i < n; ++i) ++mass->start[mass->body_of[i] + 1];
  for (int b = 0; b < mass->bodies; ++b) mass->start[b + 1] += mass->start[b];
  int* filled = CH_TAKE(arena, mass->bodies, int);
  for (int i = 0; i < n; ++i) {
    int b = mass->body_of[i];
    mass->slot[i] = filled[b]++;
    mass->dof[mass->start[b] + mass->slot[i]] = i;
  }
}

static int largest_body(const ChMass* mass) {
  int largest = 0;
  for (int b = 0; b < mass->bodies; ++b)
    if (ch_mass_size(mass, b) > largest) largest = ch_mass_size(mass, b);
  return largest;
}

static void copy_blocks(ChArena* arena, ChMass* mass) {
  mass->offset = CH_TAKE(arena, mass->bodies + 1, long);
  for (int b = 0; b < mass->bodies; ++b) {
    long size = ch_mass_size(mass, b);
    mass->offset[b + 1] = mass->offset[b] + size * size;
  }
  mass->matrix = CH_TAKE(arena, mass->offset[mass->bodies], double);
  mass->inverse = CH_TAKE(arena, mass->offset[mass->bodies], double);
  mass->diagonal = CH_TAKE_RAW(arena, mass->bodies, bool);
  mass->hub_inverse = CH_TAKE(arena, mass->bodies, ChHubInverse);
  const ChSparse* M = mass->M;
  for (int j = 0; j < M->columns; ++j) {
    int b = mass->body_of[j], size = ch_mass_size(mass, b);
    for (int k = M->start[j]; k < M->start[j + 1]; ++k)
      if (M->value[k] != 0.0)
        mass->matrix[mass->offset[b] + mass->slot[M->index[k]] * size + mass->slot[j]] = M->value[k];
  }
}

// Of a symmetric positive definite block, by its root; false where it is none.
static bool invert_definite(int size, const double* block, double* inverse) {
  for (int a = 0; a < size; ++a)
    for (int b = 0; b < a; ++b)
      if (block[a * size + b] != block[b * size + a]) return false;
  memcpy(inverse, block, (size_t)size * (size_t)size * sizeof *inverse);
  if (LAPACKE_dpotrf_work(LAPACK_COL_MAJOR, 'U', size, inverse, size) != 0) return false;
  if (LAPACKE_dpotri_work(LAPACK_COL_MAJOR, 'U', size, inverse, size) != 0) return false;
  for (int a = 0; a < size; ++a)  // by rows, what LAPACK calls the upper half is the lower one
    for (int b = 0; b < a; ++b) inverse[b * size + a] = inverse[a * size + b];
  return true;
}

// LAPACK reads rows as columns: it inverts the transpose and writes the transpose of that.
static bool invert_general(int size, const double* block, double* inverse) {
  int pivots[CH_BODY_MAX];
  double work[CH_BODY_MAX * CH_BODY_MAX];
  memcpy(inverse, block, (size_t)size * (size_t)size * sizeof *inverse);
  if (LAPACKE_dgetrf_work(LAPACK_COL_MAJOR, size, size, inverse, size, pivots) != 0) return false;
  return LAPACKE_dgetri_work(LAPACK_COL_MAJOR, size, inverse, size, pivots, work, CH_BODY_MAX * CH_BODY_MAX) == 0;
}

static bool is_diagonal(int size, const double* block) {
  for (int a = 0; a < size; ++a)
    for (int b = 0; b < size; ++b)
      if (a != b && block[a * size + b] != 0.0) return false;
  return true;
}

// Inverts one body's block; a rigid body's is mostly diagonal, which is worth seeing.
static bool invert_block(ChArena* arena, ChMass* mass, int b) {
  int size = ch_mass_size(mass, b);
  const double* block = mass->matrix + mass->offset[b];
  double* inverse = mass->inverse + mass->offset[b];
  mass->diagonal[b] = is_diagonal(size, block);
  if (mass->diagonal[b]) {
    for (int a = 0; a < size; ++a) inverse[a * size + a] = 1.0 / block[a * size + a];
    return true;
  }
  if (size <= CH_SMALL_MAX) return ch_small_invert(size, block, inverse);
  if (size >= CH_HUBBED_SIZE) mass->hub_inverse[b] = ch_hub_inverse_find(arena, size, block);
  if (mass->hub_inverse[b].hubs > 0) {
    ch_hub_inverse_write(&mass->hub_inverse[b], size, inverse);
    return true;
  }
  return invert_definite(size, block, inverse) || invert_general(size, block, inverse);
}

ChMass* ch_mass_create(ChContext* context, ChArena* arena, const ChSparse* M, const int* body) {
  ChMass* mass = CH_TAKE(arena, 1, ChMass);
  mass->M = M;
  list_bodies(arena, body, mass);
  if (largest_body(mass) > CH_BODY_MAX) {
    mass->lu = ch_sparse_lu_create(arena, M);
    if (mass->lu) return mass;
    ch_fail(context, CH_ERR_RANGE, "matrix M is singular: every degree of freedom must have mass");
    return NULL;
  }
  copy_blocks(arena, mass);
  for (int b = 0; b < mass->bodies; ++b)
    if (!invert_block(arena, mass, b)) {
      ch_fail(context, CH_ERR_RANGE, "matrix M is singular in the block of degree of freedom %d: it must have mass",
              mass->dof[mass->start[b]]);
      return NULL;
    }
  return mass;
}

double ch_mass_asymmetry(ChArena* arena, const ChMass* mass) {
  if (mass->lu) return ch_sparse_asymmetry(arena, mass->M);
  double largest = 0.0, difference = 0.0;
  for (int b = 0; b < mass->bodies; ++b) {
    int size = ch_mass_size(mass, b);
    const double* block = mass->matrix + mass->offset[b];
    for (int i = 0; i < size; ++i)
      for (int j = 0; j < size; ++j) {
        double entry = fabs(block[i * size + j]), apart = fabs(block[i * size + j] - block[j * size + i]);
        largest = entry > largest ? entry : largest;  // what is not finite was refused
        difference = apart > difference ? apart : difference;
      }
  }
  return largest > 0.0 ? difference / largest : 0.0;
}

// x = M^-1 b of one body
static void solve_hubbed(const ChHubInverse* inverse, int size, const int* dof, const double* b, double* x) {
  double z[CH_HUBS_MAX] = {0.0};
  for (int k = 0; k < inverse->hubs; ++k)
    for (int i = 0; i < size; ++i) z[k] += inverse->T[k * size + i] * b[dof[i]];
  for (int i = 0; i < size; ++i) {
    double sum = inverse->weight[i] * b[dof[i]];
    for (int k = 0; k < inverse->hubs; ++k) sum += inverse->T[k * size + i] * z[k];
    x[dof[i]] = sum;
  }
}

void ch_mass_solve(const ChMass* mass, const double* b, double* x) {
  CH_ASSERT(mass);
  if (mass->lu) {
    ch_sparse_lu_solve_plain(mass->lu, b, x);
    return;
  }
  for (int body = 0; body < mass->bodies; ++body) {
    int size = ch_mass_size(mass, body);
    const int* dof = mass->dof + mass->start[body];
    const double* inverse = mass->inverse + mass->offset[body];
    if (mass->hub_inverse[body].hubs > 0) {
      solve_hubbed(&mass->hub_inverse[body], size, dof, b, x);
      continue;
    }
    for (int i = 0; i < size && mass->diagonal[body]; ++i) x[dof[i]] = 0.0 + inverse[i * size + i] * b[dof[i]];
    for (int i = 0; i < size && !mass->diagonal[body]; ++i) {
      double sum = 0.0;
      for (int j = 0; j < size; ++j) sum += inverse[i * size + j] * b[dof[j]];
      x[dof[i]] = sum;
    }
  }
}

static double largest_of(int n, const double* x) {
  double largest = 0.0;
  for (int i = 0; i < n; ++i) largest = ch_max(largest, fabs(x[i]));
  return largest;
}

// v = M^-1 (H r + f), refined once so that the balance of the certificate sees round-off only. A mesh, whose solves are
// long, is spared that where round-off is all that is left.
static void global_velocity(ChArena* arena, const ChProblem* p, const double* r, double* v, double* u) {
  double* impulse = CH_TAKE_RAW(arena, p->dof, double);
  double* correction = CH_TAKE_RAW(arena, p->dof, double);
  double* velocity = v ? v : CH_TAKE(arena, p->dof, double);
  if (p->dof > 0) memcpy(impulse, p->f, (size_t)p->dof * sizeof *impulse);
  ch_sparse_multiply_add(&p->H, r, impulse);
  const double size = p->mass->lu ? largest_of(p->dof, impulse) : 0.0;
  ch_mass_solve(p->mass, impulse, velocity);
  for (int i = 0; i < p->dof; ++i) velocity[i] = -velocity[i];
  ch_sparse_multiply_add(&p->M, velocity, impulse);
  if (p->mass->lu && largest_of(p->dof, impulse) <= ROUNDING * size)
    memset(correction, 0, (size_t)p->dof * sizeof *correction);
  else
    ch_mass_solve(p->mass, impulse, correction);
  for (int i = 0; i < p->dof; ++i) velocity[i] = correction[i] - velocity[i];
  ch_sparse_transposed_by_runs_add(&p->H, velocity, u);
}

ChStatus ch_problem_velocity(ChContext* context, const ChProblem* problem, const double* r, double* v, double* u) {
  if (problem->rows > 0) memcpy(u, problem->w, (size_t)problem->rows * sizeof *u);
  if (problem->form == CH_FORM_LOCAL) {
    ch_sparse_multiply_add(&problem->W, r, u);
    return CH_OK;
  }
  ChArena* volatile arena = NULL;
  jmp_buf landing;
  if (setjmp(landing) || !(arena = ch_arena_create(NULL))) {
    ch_arena_destroy(arena);
    return ch_fail(context, CH_ERR_MEMORY, "out of memory while computing velocities");
  }
  ch_arena_set_landing(arena, &landing);
  global_velocity(arena, problem, r, v, u);
  ch_arena_destroy(arena);
  return CH_OK;
}
