// See lowest_modes.h.
#include "linalg/lowest_modes.h"

#include <cblas.h>
#include <lapacke.h>
#include <math.h>
#include <string.h>

#include "base/random.h"
#include "base/work.h"

enum { BLOCK = 8, MOST_BLOCKS = 200 };

static const double TOLERANCE = 1e-10;  // of a Ritz pair's residual, relative to its value
static const double VANISHED = 1e-9;    // what is left of a vector after projection when it was in the space already

// Vectors stand in blocks, each taken when it is needed. The space begins with the fixed vectors, of which H knows
// nothing.
typedef struct Space {
  ChArena* arena;
  const ChPencil* pencil;
  int n, count, done;  // vectors found, and those to which A^-1 M has been applied
  int room;            // rows of H
  double *fixed_mass, *Q[MOST_BLOCKS], *MQ[MOST_BLOCKS];
  double* H;  // room x room: Q'M A^-1 M Q
  double *image, *scratch, *coefficient;
  bool full;  // a new vector was found for which there is no room
  uint64_t random;
} Space;

void ch_modes_project(int n, int count, const double* Q, const double* MQ, double* x) {
  double c[BLOCK];
  for (int from = 0; from < count; from += BLOCK) {
    int rows = count - from < BLOCK ? count - from : BLOCK;
    for (int pass = 0; pass < 2; ++pass) {
      cblas_dgemv(CblasRowMajor, CblasNoTrans, rows, n, 1.0, MQ + (long)from * n, n, x, 1, 0.0, c, 1);
      cblas_dgemv(CblasRowMajor, CblasTrans, rows, n, -1.0, Q + (long)from * n, n, c, 1, 1.0, x, 1);
    }
  }
}

static int rows_of(const Space* s, int block) {
  int left = s->count - block * BLOCK;
  return left < 0 ? 0 : left < BLOCK ? left : BLOCK;
}

static double* row(double** blocks, const Space* s, int k) { return blocks[k / BLOCK] + (long)(k % BLOCK) * s->n; }

// x less its part in the space; that part's coefficients are added to `coefficient`.
static void project(Space* s, double* x) {
  double c[BLOCK];
  int n = s->n;
  for (int pass = 0; pass < 2; ++pass) {
    ch_modes_project(n, s->pencil->fixed_count, s->pencil->fixed, s->fixed_mass, x);
    for (int b = 0; b * BLOCK < s->count; ++b) {
      int rows = rows_of(s, b);
      cblas_dgemv(CblasRowMajor, CblasNoTrans, rows, n, 1.0, s->MQ[b], n, x, 1, 0.0, c, 1);
      cblas_dgemv(CblasRowMajor, CblasTrans, rows, n, -1.0, s->Q[b], n, c, 1, 1.0, x, 1);
      for (int k = 0; k < rows; ++k) s->coefficient[b * BLOCK + k] += c[k];
    }
  }
  ch_work_add(4.0 * n * (s->count + s->pencil->fixed_count));
}

static double mass_norm(Space* s, const double* x) {
  s->pencil->mass(s->pencil->state, x, s->scratch);
  return sqrt(cblas_ddot(s->n, x, 1, s->scratch, 1));
}

// Takes up what of x is new, as one more vector; its length, or 0 when there is nothing new.
static double append(Space* s, double* x) {
  memset(s->coefficient, 0, (size_t)(s->room + 1) * sizeof *s->coefficient);
  double before = mass_norm(s, x);
  project(s, x);
  double norm = mass_norm(s, x);
  if (!(norm > VANISHED * before)) return 0.0;
  if (s->count >= s->room) {
    s->full = true;
    return 0.0;
  }
  int b = s->count / BLOCK, n = s->n;
  if (!s->Q[b]) {
    s->Q[b] = CH_TAKE(s->arena, (long)BLOCK * n, double);
    s->MQ[b] = CH_TAKE(s->arena, (long)BLOCK * n, double);
  }
  double *q = row(s->Q, s, s->count), *mq = row(s->MQ, s, s->count);
  for (int i = 0; i < n; ++i) q[i] = x[i] / norm, mq[i] = s->scratch[i] / norm;
  ++s->count;
  return norm;
}

static void append_random(Space* s) {
  double* start = CH_TAKE(s->arena, s->n, double);
  for (int tries = 0; tries < 3; ++tries) {
    for (int i = 0; i < s->n; ++i) start[i] = ch_random_uniform(&s->random) - 0.5;
    s->pencil->mass(s->pencil->state, start, s->scratch);
    s->pencil->solve(s->pencil->state, s->scratch, s->image);  // smooth from the start
    if (append(s, s->image) > 0.0) return;
  }
}

// Applies A^-1 M to the vectors that have not seen it, at most a block of them.
static void extend(Space* s) {
  int end = s->done + BLOCK < s->count ? s->done + BLOCK : s->count;
  for (; s->done < end; ++s->done) {
    s->pencil->solve(s->pencil->state, row(s->MQ, s, s->done), s->image);
    int known = s->count;
    double norm = append(s, s->image);
    s->coefficient[known] = norm;
    for (int i = 0; i < s->count; ++i)
      s->H[(long)i * s->room + s->done] = s->H[(long)s->done * s->room + i] = s->coefficient[i];
  }
}

// Ritz pairs of the vectors that are done: values ascending in `theta`, the vectors in the rows of S.
static bool ritz(const Space* s, double* S, double* theta) {
  int m = s->done;
  for (int i = 0; i < m; ++i)
    for (int j = 0; j < m; ++j) S[(long)i * m + j] = s->H[(long)i * s->room + j];
  return LAPACKE_dsyevd(LAPACK_COL_MAJOR, 'V', 'U', m, S, m, theta) == 0;
}

// |A^-1 M x - theta x| in M: what leaves the space of the vectors that are done.
static double residual(const Space* s, const double* y) {
  double square = 0.0;
  for (int i = s->done; i < s->count; ++i) {
    double sum = 0.0;
    for (int j = 0; j < s->done; ++j) sum += s->H[(long)i * s->room + j] * y[j];
    square += sum * sum;
  }
  return sqrt(square);
}

static bool converged(const Space* s, int wanted, const double* S, const double* theta) {
  if (s->done < wanted) return false;
  for (int k = 0; k < wanted; ++k) {
    int at = s->done - 1 - k;
    if (!(residual(s, S + (long)at * s->done) <= TOLERANCE * theta[at])) return false;
  }
  return true;
}

static Space make_space(ChArena* arena, const ChPencil* pencil, int wanted) {
  int n = pencil->n, most = n - pencil->fixed_count, room = 10 * wanted + 100;
  if (room > BLOCK * MOST_BLOCKS) room = BLOCK * MOST_BLOCKS;
  if (room > most) room = most;
  Space s = {.arena = arena, .pencil = pencil, .n = n, .room = room, .random = 7};
  s.fixed_mass = CH_TAKE(arena, (long)pencil->fixed_count * n + 1, double);
  for (int k = 0; k < pencil->fixed_count; ++k)
    pencil->mass(pencil->state, pencil->fixed + (long)k * n, s.fixed_mass + (long)k * n);
  s.H = CH_TAKE(arena, (long)room * room, double);
  s.image = CH_TAKE(arena, n, double);
  s.scratch = CH_TAKE(arena, n, double);
  s.coefficient = CH_TAKE(arena, room + 1, double);
  return s;
}

static void assemble_vectors(const Space* s, int wanted, const double* S, double* vectors) {
  memset(vectors, 0, (size_t)wanted * (size_t)s->n * sizeof *vectors);
  for (int k = 0; k < wanted; ++k) {
    const double* y = S + (long)(s->done - 1 - k) * s->done;
    for (int j = 0; j < s->done; ++j)
      cblas_daxpy(s->n, y[j], row((double**)s->Q, s, j), 1, vectors + (long)k * s->n, 1);
  }
}

bool ch_lowest_modes(ChArena* arena, const ChPencil* pencil, int wanted, double* lambda, double* vectors) {
  ChArenaMark mark = ch_arena_mark(arena);
  Space s = make_space(arena, pencil, wanted);
  double *S = CH_TAKE(arena, (long)s.room * s.room, double), *theta = CH_TAKE(arena, s.room, double);
  bool fine = true, found = false;
  while (fine && !found) {
    if (s.done == s.count) {  // at the start, or when the space is closed under A^-1 M
      int before = s.count;
      while (s.count < s.room && s.count < before + BLOCK) {
        int count = s.count;
        append_random(&s);
        if (s.count == count) break;
      }
      if (s.count == before) break;
    }
    extend(&s);
    fine = !s.full && ritz(&s, S, theta);
    found = fine && converged(&s, wanted, S, theta);
  }
  for (int k = 0; found && k < wanted; ++k) lambda[k] = 1.0 / theta[s.done - 1 - k] - pencil->shift;
  if (found) assemble_vectors(&s, wanted, S, vectors);
  ch_arena_release(arena, mark);
  return found;
}
