// See sparse_kinks.h.
#include "solve/contact/sparse_kinks.h"

#include <math.h>
#include <string.h>

#include "linalg/small.h"
#include "system/system.h"

#define LEAST_PIVOT 1e-13
#define BACK (-1.0)      // t at which a path is given up: it has come back to its start and gone as far again
#define SOLVE_WORK 30.0  // counted work of a solve, a row, before one has been seen

typedef struct Update {
  ChKinkChange change;
  double factor;
  double* p;
} Update;

struct ChSparseKinks {
  const ChSystem* s;
  ChLinearSystem* linear;
  ChKinkFrames frames;
  ChKinkPath path;
  double eps;
  double *B, *E, *h, *step, *Wstep;
  double* G;  // in the frames
  Update* update;
  int count, renew;
  long* factorizations;
};

// D of block i, from the states of its rows: in the frame, then turned back.
static void derivative(const ChSparseKinks* k, int i, double* D) {
  const ChSystem* s = k->s;
  const ChKinkPath* p = &k->path;
  const int a = s->row[i], d = s->dim[i];
  memset(D, 0, (size_t)(d * d) * sizeof *D);
  if (!s->block[i].law->cone) {
    for (int j = 0; j < d; ++j) D[j * d + j] = p->state[a + j] == 0;
    return;
  }
  if (p->state[a] != 0) return;
  D[0] = 1.0;
  for (int j = 1; j < d; ++j)
    if (p->state[a + j] != 0)
      D[j * d] = p->state[a + j] * p->mu[a + j];
    else
      D[j * d + j] = p->slope[a + j];
  if (d != 3) return;
  const double c = k->frames.cosine[i], z = k->frames.sine[i];
  const double first = D[3], second = D[6], along = D[4], across = D[8];
  D[3] = c * first - z * second;
  D[6] = z * first + c * second;
  D[4] = c * c * along + z * z * across;
  D[5] = D[7] = c * z * (along - across);
  D[8] = z * z * along + c * c * across;
}

// V A^-1 h into v, in the frames; h is in the system's own coordinates.
static void solve(ChSparseKinks* k, double* v) {
  const double before = ch_work_done();
  ch_linear_solve_fast(k->linear, k->h, k->step, k->Wstep);
  for (int a = 0; a < k->s->rows; ++a) v[a] = k->Wstep[a] + (k->eps - 1.0) * k->step[a];
  ch_kink_frames_enter(&k->frames, 1.0, 1, v);
  k->path.price = fmax(k->path.price, ch_work_done() - before + (double)k->s->rows);
}

// A and y at the piece that the states describe.
static bool factor(ChSparseKinks* k) {
  const ChSystem* s = k->s;
  for (int i = 0; i < s->n; ++i) {
    const int d = s->dim[i], at = s->diagonal_at[i];
    derivative(k, i, k->E + at);
    for (int a = 0; a < d * d; ++a) k->B[at + a] = (a % (d + 1) == 0) - (1.0 - k->eps) * k->E[at + a];
  }
  k->count = 0;
  ++*k->factorizations;
  if (!ch_linear_factor(k->linear, k->B, k->E)) return false;
  double *G = k->step, *y = k->path.y;  // step is written after G has been read
  memcpy(G, k->G, (size_t)s->rows * sizeof *G);
  ch_kink_frames_enter(&k->frames, -1.0, 1, G);
  for (int i = 0; i < s->n; ++i)
    ch_small_multiply(s->dim[i], k->E + s->diagonal_at[i], G + s->row[i], k->h + s->row[i]);
  solve(k, y);
  for (int a = 0; a < s->rows; ++a) y[a] = k->G[a] - y[a];
  return ch_all_finite(y, s->rows);
}

// The sign of det (I + V D) is not known: the path is followed the way that t grows at first.
static double enter(ChKinkPath* path) {
  ChSparseKinks* k = path->keeper;
  memcpy(k->G, path->y, (size_t)path->rows * sizeof *k->G);
  return factor(k) ? 1.0 : 0.0;
}

static double along(const ChKinkChange* change, const double* v) {
  double sum = 0.0;
  for (int m = 0; m < change->columns; ++m) sum += change->b[m] * v[change->column[m]];
  return sum;
}

static void subtract(int n, double c, const double* p, double* v) {
  if (c == 0.0) return;
  for (int a = 0; a < n; ++a) v[a] -= c * p[a];
}

static double change_sparse(ChKinkPath* path, const ChKinkChange* change) {
  ChSparseKinks* k = path->keeper;
  const int n = path->rows;
  memset(k->h, 0, (size_t)n * sizeof *k->h);
  for (int j = 0; j < change->rows; ++j) k->h[change->row[j]] = change->c[j];
  ch_kink_frames_enter(&k->frames, -1.0, 1, k->h);
  Update* now = &k->update[k->count];
  solve(k, now->p);
  for (int j = 0; j < k->count; ++j)
    subtract(n, along(&k->update[j].change, now->p) / k->update[j].factor, k->update[j].p, now->p);
  now->change = *change;
  now->factor = 1.0 + along(change, now->p);
  ch_work_add((double)n * k->count);
  if (!(fabs(now->factor) > LEAST_PIVOT)) return 0.0;
  subtract(n, along(change, path->y) / now->factor, now->p, path->y);
  ++k->count;
  return now->factor;
}

static bool settle(ChKinkPath* path) {
  ChSparseKinks* k = path->keeper;
  return k->count < k->renew || factor(k);
}

static const ChKinkTableau sparse_tableau = {.enter = enter, .change = change_sparse, .settle = settle};

ChSparseKinks* ch_sparse_kinks_create(ChArena* arena, const ChSystem* s, ChLinearSystem* linear, int renew,
                                      long* factorizations) {
  ChSparseKinks* k = CH_TAKE(arena, 1, ChSparseKinks);
  *k = (ChSparseKinks){.s = s,
                       .linear = linear,
                       .frames = ch_kink_frames_create(arena, s),
                       .path = ch_kink_path_create_bare(arena, s->rows),
                       .renew = renew,
                       .factorizations = factorizations};
  double** vectors[] = {&k->h, &k->step, &k->Wstep, &k->G};
  for (size_t j = 0; j < sizeof vectors / sizeof vectors[0]; ++j) *vectors[j] = CH_TAKE(arena, s->rows, double);
  k->B = CH_TAKE(arena, s->diagonal_at[s->n], double);
  k->E = CH_TAKE(arena, s->diagonal_at[s->n], double);
  const int most = renew + CH_KINK_PARTS;  // a kink may be several changes
  k->update = CH_TAKE(arena, most, Update);
  double* p = CH_TAKE_RAW(arena, (long)most * s->rows, double);
  for (int j = 0; j < most; ++j) k->update[j].p = p + (long)j * s->rows;
  k->path.tableau = &sparse_tableau;
  k->path.keeper = k;
  k->path.price = SOLVE_WORK * s->rows;
  k->path.least = BACK;
  return k;
}

ChKinkEnd ch_sparse_kinks_walk(ChSparseKinks* k, double eps, const double* G, double* x, long most, ChDeadline deadline,
                               long* count) {
  const size_t bytes = (size_t)k->s->rows * sizeof *x;
  k->eps = eps;
  ch_kink_frames_choose(&k->frames, x);
  memcpy(k->path.x, x, bytes);
  memcpy(k->path.y, G, bytes);
  ch_kink_frames_enter(&k->frames, 1.0, 1, k->path.x);
  ch_kink_frames_enter(&k->frames, 1.0, 1, k->path.y);
  ch_kink_frames_set_rows(&k->frames, &k->path);
  const ChKinkEnd end = ch_kink_path_follow(&k->path, most, deadline, count);
  memcpy(x, k->path.x, bytes);
  ch_kink_frames_enter(&k->frames, -1.0, 1, x);
  return end;
}
