// See lowest_modes.h.
#include "linalg/lowest_modes.h"

#include <cblas.h>
#include <lapacke.h>
#include <math.h>
#include <string.h>

#include "base/work.h"
#include "cardhouse/random.h"

enum { BLOCK = 8, MOST_BLOCKS = 200 };

static const double TOLERANCE = 1e-10;  // of a Ritz pair's residual, relative to its value
static const double LOST = 1e-2;        // what may be left of a vector without projecting once more
static const double VANISHED = 1e-9;    // what is left of a vector after projection when it was in the space already

// Vectors stand in blocks, each taken when it is needed. The space is orthogonal to the fixed vectors, of which H knows
// nothing.
typedef struct Space {
  ChArena* arena;
  const ChPencil* pencil;
  int n, count, done;  // vectors found, and those to which A^-1 M has been applied
  int room;            // rows of H
  double *fixed_mass, *Q[MOST_BLOCKS], *MQ[MOST_BLOCKS];
  double* H;                      // room x room: Q'M A^-1 M Q
  double *right, *image;          // BLOCK x n each
  double *scratch, *coefficient;  // n; BLOCK x (room + 1): the images' parts in the space
  bool full;                      // a new vector was found for which there is no room
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

static double* coefficients_of(const Space* s, int image) { return s->coefficient + (long)image * (s->room + 1); }

// `images` vectors x less their parts in one set of vectors; c: images x rows of these parts.
static void project_out(int images, int n, int rows, const double* Q, const double* MQ, double* x, double* c) {
  cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasTrans, images, rows, n, 1.0, x, n, MQ, n, 0.0, c, rows);
  cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, images, n, rows, -1.0, c, rows, Q, n, 1.0, x, n);
  ch_work_add(2.0 * images * n * rows);
}

// Vectors from image `first` on less their parts in the space from its vector `from` on (a multiple of BLOCK), twice,
// so that it holds to rounding; the parts are added to the coefficients.
static void project(Space* s, int first, int images, int from) {
  double c[BLOCK * BLOCK], *x = s->image + (long)first * s->n;
  const ChPencil* p = s->pencil;
  for (int pass = 0; pass < 2; ++pass) {
    for (int k = 0; from == 0 && k < p->fixed_count; k += BLOCK) {
      int rows = p->fixed_count - k < BLOCK ? p->fixed_count - k : BLOCK;
      project_out(images, s->n, rows, p->fixed + (long)k * s->n, s->fixed_mass + (long)k * s->n, x, c);
    }
    for (int b = from / BLOCK; b * BLOCK < s->count; ++b) {
      int rows = rows_of(s, b);
      project_out(images, s->n, rows, s->Q[b], s->MQ[b], x, c);
      for (int i = 0; i < images; ++i)
        for (int k = 0; k < rows; ++k) coefficients_of(s, first + i)[b * BLOCK + k] += c[i * rows + k];
    }
  }
}

static double mass_norm(Space* s, const double* x) {
  s->pencil->mass(s->pencil->state, x, s->scratch);
  return sqrt(cblas_ddot(s->n, x, 1, s->scratch, 1));
}

static void store(Space* s, const double* x, double norm) {
  int b = s->count / BLOCK, n = s->n;
  if (!s->Q[b]) {
    s->Q[b] = CH_TAKE(s->arena, (long)BLOCK * n, double);
    s->MQ[b] = CH_TAKE(s->arena, (long)BLOCK * n, double);
  }
  double *q = row(s->Q, s, s->count), *mq = row(s->MQ, s, s->count);
  for (int i = 0; i < n; ++i) q[i] = x[i] / norm, mq[i] = s->scratch[i] / norm;
  ++s->count;
}

// Takes up what of an image is new as one more vector, the image having been freed of all before vector `from`. What is
// left of it goes into its last coefficient.
static void append(Space* s, int image, int from) {
  double *x = s->image + (long)image * s->n, *c = coefficients_of(s, image), square = 0.0;
  project(s, image, 1, from / BLOCK * BLOCK);
  double norm = mass_norm(s, x);
  for (int k = 0; k < s->count; ++k) square += c[k] * c[k];
  double before = sqrt(square + norm * norm);
  if (norm < LOST * before) {  // so little is left that rounding of what was taken away shows
    project(s, image, 1, 0);
    norm = mass_norm(s, x);
  }
  if (!(norm > VANISHED * before)) return;
  s->full = s->full || s->count >= s->room;
  if (s->full) return;
  c[s->count] = norm;
  store(s, x, norm);
}

// Images of `count` vectors in s->right, and what of them is new.
static void take_images(Space* s, int count) {
  s->pencil->solve(s->pencil->state, count, s->right, s->image);
  memset(s->coefficient, 0, (size_t)BLOCK * (size_t)(s->room + 1) * sizeof *s->coefficient);
  project(s, 0, count, 0);
  for (int i = 0, from = s->count; i < count; ++i) append(s, i, from);
}

// At the start, or when the space is closed under A^-1 M: a block of random vectors, smoothed.
static void add_random(Space* s) {
  for (int i = 0; i < BLOCK; ++i) {
    for (int k = 0; k < s->n; ++k) s->scratch[k] = ch_random_unit(&s->random) - 0.5;
    s->pencil->mass(s->pencil->state, s->scratch, s->right + (long)i * s->n);
  }
  int room = s->room - s->count;
  take_images(s, room < BLOCK ? room : BLOCK);
}

// Applies A^-1 M to the vectors that have not seen it, at most a block of them.
static void extend(Space* s) {
  int count = s->count - s->done < BLOCK ? s->count - s->done : BLOCK;
  for (int i = 0; i < count; ++i)
    memcpy(s->right + (long)i * s->n, row(s->MQ, s, s->done + i), (size_t)s->n * sizeof *s->right);
  take_images(s, count);
  for (int i = 0; i < count; ++i, ++s->done)
    for (int k = 0; k < s->count; ++k)
      s->H[(long)k * s->room + s->done] = s->H[(long)s->done * s->room + k] = coefficients_of(s, i)[k];
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
  s.right = CH_TAKE(arena, (long)BLOCK * n, double);
  s.image = CH_TAKE(arena, (long)BLOCK * n, double);
  s.scratch = CH_TAKE(arena, n, double);
  s.coefficient = CH_TAKE(arena, (long)BLOCK * (room + 1), double);
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
    if (s.done == s.count) add_random(&s);
    if (s.done == s.count) break;
    extend(&s);
    fine = !s.full && ritz(&s, S, theta);
    found = fine && converged(&s, wanted, S, theta);
  }
  for (int k = 0; found && k < wanted; ++k) lambda[k] = 1.0 / theta[s.done - 1 - k] - pencil->shift;
  if (found) assemble_vectors(&s, wanted, S, vectors);
  ch_arena_release(arena, mark);
  return found;
}
