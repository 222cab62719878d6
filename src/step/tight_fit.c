// See tight_fit.h.
#include "step/tight_fit.h"

#include <math.h>
#include <string.h>

#include "base/check.h"
#include "base/work.h"
#include "linalg/normal_factor.h"
#include "linalg/sparse.h"
#include "problem/contact_problem.h"
#include "system/delassus.h"

#define SOFT 1e-6    // delta times the largest mass at a contact
#define HARD 1e3     // weight of a joint's error: it is no part of s, and not to be relaxed
#define COARSE 1.0   // e at first, of the largest speed that is asked for,
#define FINE 1e-3    // and in the end
#define FALL 0.1     // from one to the next
#define NEAR 1e-3    // share of F that may be missing at all e but the last,
#define LEAST 1e-12  // and there
#define ARMIJO 1e-4  // share of the fall foretold that a step must have
enum { MOST_STEPS = 400, MOST_HALVINGS = 40 };

typedef struct Fit {
  const ChProblem* p;
  bool rubs;
  double delta, e;
  double *D, *v, *u;         // dof, dof, rows
  double *gradient, *trial;  // dof
  double *x, *ux;            // Newton's step, and H^T of it
  ChSparse C;  // H L, L L' = B: three columns a contact and one a joint's row, over all rows of its bodies
  int* first;  // block -> its first column in C
} Fit;

static const ChLawInfo* law_of(const Fit* f, int i) { return ch_law_info(f->p->blocks[i].law); }
static bool takes_part(const Fit* f, int i) { return law_of(f, i)->equation || ch_block_is_hard(&f->p->blocks[i]); }

// What one contact lacks at u, and how that changes.
typedef struct Lack {
  double s, rho;
  double t[2], mu[2];  // g = (-1, mu t)
  int tangents;
} Lack;

static Lack lack_of(const Fit* f, int i, const double* u) {
  const ChBlock* b = &f->p->blocks[i];
  Lack out = {.tangents = law_of(f, i)->friction && f->rubs ? b->dimension - 1 : 0};
  double square = f->e * f->e;
  for (int a = 0; a < out.tangents; ++a) {
    out.mu[a] = b->mu[a];
    out.t[a] = b->mu[a] * u[b->row + 1 + a];
    square += out.t[a] * out.t[a];
  }
  out.rho = sqrt(square);
  for (int a = 0; a < out.tangents; ++a) out.t[a] /= out.rho;
  out.s = fmax((out.tangents > 0 ? out.rho - f->e : 0.0) - u[b->row], 0.0);
  return out;
}

static double value_of(const Fit* f, const double* v, const double* u) {
  double sum = 0.0;
  for (int j = 0; j < f->p->dof; ++j) sum += f->delta * f->D[j] * v[j] * v[j];
  for (int i = 0; i < f->p->block_count; ++i) {
    const ChBlock* b = &f->p->blocks[i];
    if (ch_block_is_hard(&f->p->blocks[i])) {
      Lack lack = lack_of(f, i, u);
      sum += lack.s * lack.s;
    } else if (law_of(f, i)->equation) {
      for (int a = b->row; a < b->row + b->dimension; ++a) sum += HARD * HARD * u[a] * u[a];
    }
  }
  return 0.5 * sum;
}

static void add_column(const Fit* f, int row, double weight) {
  const ChSparse* H = &f->p->H;
  for (int k = H->start[row]; k < H->start[row + 1]; ++k) f->gradient[H->index[k]] += weight * H->value[k];
}

// H (s g), joints' errors, and delta D v.
static void find_gradient(Fit* f) {
  for (int j = 0; j < f->p->dof; ++j) f->gradient[j] = f->delta * f->D[j] * f->v[j];
  for (int i = 0; i < f->p->block_count; ++i) {
    const ChBlock* b = &f->p->blocks[i];
    if (ch_block_is_hard(&f->p->blocks[i])) {
      Lack lack = lack_of(f, i, f->u);
      add_column(f, b->row, -lack.s);
      for (int a = 0; a < lack.tangents; ++a) add_column(f, b->row + 1 + a, lack.s * lack.mu[a] * lack.t[a]);
    } else if (law_of(f, i)->equation) {
      for (int a = b->row; a < b->row + b->dimension; ++a) add_column(f, a, HARD * HARD * f->u[a]);
    }
  }
}

// --- the matrix

// The rows that the block's columns of H have together, ascending; how many.
static int rows_together(const ChSparse* H, const ChBlock* b, int* rows) {
  int count = 0, at[CH_BLOCK_MAX];
  for (int a = 0; a < b->dimension; ++a) at[a] = H->start[b->row + a];
  while (true) {
    int next = H->rows;
    for (int a = 0; a < b->dimension; ++a)
      if (at[a] < H->start[b->row + a + 1] && H->index[at[a]] < next) next = H->index[at[a]];
    if (next == H->rows) return count;
    for (int a = 0; a < b->dimension; ++a)
      if (at[a] < H->start[b->row + a + 1] && H->index[at[a]] == next) ++at[a];
    if (rows) rows[count] = next;
    ++count;
  }
}

static void lay_out(ChArena* arena, Fit* f) {
  const ChProblem* p = f->p;
  int columns = 0;
  long entries = 0;
  f->first = CH_TAKE(arena, p->block_count, int);
  for (int i = 0; i < p->block_count; ++i) {
    f->first[i] = columns;
    if (!takes_part(f, i)) continue;
    columns += p->blocks[i].dimension;
    entries += (long)p->blocks[i].dimension * rows_together(&p->H, &p->blocks[i], NULL);
  }
  f->C = (ChSparse){.rows = p->dof,
                    .columns = columns,
                    .start = CH_TAKE(arena, columns + 1, int),
                    .index = CH_TAKE(arena, entries, int),
                    .value = CH_TAKE(arena, entries, double)};
  for (int i = 0; i < p->block_count; ++i)
    for (int a = 0; takes_part(f, i) && a < p->blocks[i].dimension; ++a) {
      int c = f->first[i] + a;
      f->C.start[c + 1] = f->C.start[c] + rows_together(&p->H, &p->blocks[i], f->C.index + f->C.start[c]);
    }
}

// Column c of C, plus weight times a column of H.
static void mix(const Fit* f, int c, int row, double weight) {
  const ChSparse* H = &f->p->H;
  int at = f->C.start[c];
  for (int k = H->start[row]; k < H->start[row + 1]; ++k) {
    while (f->C.index[at] < H->index[k]) ++at;
    f->C.value[at] += weight * H->value[k];
  }
}

// g g' + s / rho (I - t t') over the tangents, which is its root squared: sqrt(1 - |t|^2) along t, 1 across.
static void fill_contact(const Fit* f, int i) {
  Lack lack = lack_of(f, i, f->u);
  int row = f->p->blocks[i].row, c = f->first[i];
  if (!(lack.s > 0.0)) return;
  mix(f, c, row, -1.0);
  double length = sqrt(lack.t[0] * lack.t[0] + lack.t[1] * lack.t[1]), root = sqrt(lack.s / lack.rho);
  double along[2] = {length > 0.0 ? lack.t[0] / length : 1.0, length > 0.0 ? lack.t[1] / length : 0.0};
  for (int a = 0; a < lack.tangents; ++a) {
    mix(f, c, row + 1 + a, lack.mu[a] * lack.t[a]);
    mix(f, c + 1, row + 1 + a, root * sqrt(fmax(1.0 - length * length, 0.0)) * lack.mu[a] * along[a]);
    if (lack.tangents == 2) mix(f, c + 2, row + 1 + a, root * lack.mu[a] * (a == 0 ? -along[1] : along[0]));
  }
}

static void fill(const Fit* f) {
  memset(f->C.value, 0, (size_t)f->C.start[f->C.columns] * sizeof(double));
  for (int i = 0; i < f->p->block_count; ++i) {
    const ChBlock* b = &f->p->blocks[i];
    if (ch_block_is_hard(&f->p->blocks[i]))
      fill_contact(f, i);
    else if (law_of(f, i)->equation)
      for (int a = 0; a < b->dimension; ++a) mix(f, f->first[i] + a, b->row + a, HARD);
  }
}

// --- the minimum

// v along x as far as F falls; false where it does not.
static bool advance(Fit* f, double slope) {
  int dof = f->p->dof, rows = f->p->rows;
  double before = value_of(f, f->v, f->u), t = 1.0;
  double* u = f->trial + dof;
  for (int k = 0; k < MOST_HALVINGS; ++k, t *= 0.5) {
    for (int j = 0; j < dof; ++j) f->trial[j] = f->v[j] + t * f->x[j];
    for (int r = 0; r < rows; ++r) u[r] = f->u[r] + t * f->ux[r];
    if (!(value_of(f, f->trial, u) <= before + ARMIJO * t * slope)) continue;
    memcpy(f->v, f->trial, (size_t)dof * sizeof(double));
    memcpy(f->u, u, (size_t)rows * sizeof(double));
    return true;
  }
  return false;
}

// Until Newton's step foretells a fall of no more than `share` of F.
static bool minimize(Fit* f, ChNormalFactor* factor, const bool* all, const double* damping, double share) {
  for (int k = 0; k < MOST_STEPS; ++k) {
    find_gradient(f);
    fill(f);
    if (ch_limits_over() || !ch_normal_factor_update(factor, all, damping)) return false;
    ch_normal_factor_solve(factor, f->gradient, f->x);
    double slope = 0.0;
    for (int j = 0; j < f->p->dof; ++j) {
      f->x[j] = -f->x[j];
      slope += f->gradient[j] * f->x[j];
    }
    if (!(-0.5 * slope > share * value_of(f, f->v, f->u))) return true;
    memset(f->ux, 0, (size_t)f->p->rows * sizeof(double));
    ch_sparse_multiply_transposed_add(&f->p->H, f->x, f->ux);
    ch_work_add(f->p->H.start[f->p->H.columns]);
    if (!advance(f, slope)) return true;  // round-off is all that is left
  }
  return false;
}

static double diagonal_of(const ChSparse* M, int j) {
  for (int k = M->start[j]; k < M->start[j + 1]; ++k)
    if (M->index[k] == j) return M->value[k];
  return 0.0;
}

static double least_flexibility(ChArena* arena, const ChProblem* p) {
  double *diagonal = CH_TAKE(arena, p->rows, double), least = INFINITY;
  ch_delassus_diagonal(arena, p, diagonal);
  for (int i = 0; i < p->block_count; ++i)
    if (ch_block_is_hard(&p->blocks[i]) && diagonal[p->blocks[i].row] > 0.0)
      least = fmin(least, diagonal[p->blocks[i].row]);
  return isfinite(least) ? least : 1.0;
}

static double largest_lack(const ChProblem* p, const double* w) {
  double most = 0.0;
  for (int i = 0; i < p->block_count; ++i)
    if (ch_block_is_hard(&p->blocks[i])) most = fmax(most, -w[p->blocks[i].row]);
  return most;
}

bool ch_tight_fit(ChArena* arena, const ChProblem* p, ChPose pose, const double* w, double* s) {
  CH_ASSERT(p->form == CH_FORM_GLOBAL);
  double asked = largest_lack(p, w), *damping = CH_TAKE(arena, p->dof, double);
  bool *all = CH_TAKE(arena, p->dof, bool), good = true;
  memset(s, 0, (size_t)p->block_count * sizeof *s);
  if (!(asked > 0.0)) return true;
  Fit f = {.p = p,
           .rubs = pose != CH_POSE_FRICTIONLESS,
           .delta = SOFT * least_flexibility(arena, p),
           .D = CH_TAKE(arena, p->dof, double),
           .v = CH_TAKE(arena, p->dof, double),
           .u = CH_TAKE(arena, p->rows, double),
           .gradient = CH_TAKE(arena, p->dof, double),
           .trial = CH_TAKE(arena, p->dof + p->rows, double),
           .x = CH_TAKE(arena, p->dof, double),
           .ux = CH_TAKE(arena, p->rows, double)};
  for (int j = 0; j < p->dof; ++j) {
    f.D[j] = diagonal_of(&p->M, j);
    damping[j] = f.delta * f.D[j];
    all[j] = true;
  }
  memcpy(f.u, w, (size_t)p->rows * sizeof(double));
  lay_out(arena, &f);
  ChNormalFactor* factor = ch_normal_factor_create(arena, &f.C);
  for (double e = COARSE; good && e > 0.99 * FINE; e *= FALL) {
    f.e = e * asked;
    good = minimize(&f, factor, all, damping, e * FALL > 0.99 * FINE ? NEAR : LEAST);
  }
  for (int i = 0; i < p->block_count && good; ++i) s[i] = ch_block_is_hard(&p->blocks[i]) ? lack_of(&f, i, f.u).s : 0.0;
  return good;
}
