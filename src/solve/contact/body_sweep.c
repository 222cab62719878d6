// See body_sweep.h.
#include "solve/contact/body_sweep.h"

#include <math.h>
#include <string.h>

#include "base/work.h"
#include "solve/contact/local_contact.h"

enum { DOFS = 6, PART = 256 };  // PART: blocks from look to look at the limits

// A block of W this close to diag(n, t, t) counts as such; blocks are scaled to 1.
#define DIAGONAL 1e-13
#define LAST_BITS 1e-15

#define VISIT_WORK 50.0  // of one contact: rows of two bodies, in vectors, and its own solve

typedef double V4 __attribute__((vector_size(32), aligned(8), may_alias));
typedef double V2 __attribute__((vector_size(16), aligned(8), may_alias));

typedef struct Block {
  long rows;    // where its rows begin in H and Y: for each body dim x 6
  int body[2];  // offsets into v; -1: none
  bool diagonal;
  double normal_inverse, tangent_inverse;
} Block;

struct ChBodySweep {
  const ChSystem* s;
  Block* block;
  double* H;
  double* Y;  // M^-1 H; the same array where M = 1 in scaled variables, as for rigid bodies in principal axes
  ChLocalBlock* local;
};

static inline double dot(const double* h, const double* v) {
  V4 p = *(const V4*)h * *(const V4*)v;
  V2 t = *(const V2*)(h + 4) * *(const V2*)(v + 4);
  return ((p[0] + p[2]) + (p[1] + p[3])) + (t[0] + t[1]);
}

static inline void add(double c, const double* y, double* v) {
  *(V4*)v += c * *(const V4*)y;
  *(V2*)(v + 4) += c * *(const V2*)(y + 4);
}

static bool fits(const ChSystem* s) {
  const ChBodies* b = s->bodies;
  if (!b || s->polygonal || s->relaxed) return false;
  for (int k = 0; k < b->n; ++k)
    if (b->dim[k] > DOFS) return false;
  for (int i = 0; i < s->n; ++i)
    if (b->start[i + 1] - b->start[i] > 2) return false;
  return true;
}

// Up to the last bits, which scaling by roots leaves.
static bool is_identity(const ChBodies* b) {
  for (int k = 0; k < b->n; ++k)
    for (int x = 0; x < b->dim[k]; ++x)
      for (int y = 0; y < b->dim[k]; ++y)
        if (!(fabs(b->inverse[b->offset[k] + x * b->dim[k] + y] - (x == y)) <= LAST_BITS)) return false;
  return true;
}

// Rows of one block and body, transposed and padded to six entries.
static inline void transpose(int size, int dim, const double* H, double* out) {
  for (int a = 0; a < dim; ++a)
    for (int x = 0; x < size; ++x) out[a * DOFS + x] = H[x * dim + a];
}

static void pack(const ChBodies* b, int entry, int dim, double* out) {
  int size = b->dim[b->body[entry]];
  const double* H = b->H + b->jacobian[entry];
  if (size == 6 && dim == 3)  // with sizes that the compiler knows
    transpose(6, 3, H, out);
  else
    transpose(size, dim, H, out);
}

// The same of M^-1 H.
static void pack_velocities(const ChBodies* b, int entry, int dim, double* out) {
  int body = b->body[entry], size = b->dim[body];
  const double *H = b->H + b->jacobian[entry], *M = b->inverse + b->offset[body];
  for (int a = 0; a < dim; ++a)
    for (int x = 0; x < size; ++x) {
      double sum = 0.0;
      for (int y = 0; y < size; ++y) sum += M[x * size + y] * H[y * dim + a];
      out[a * DOFS + x] = sum;
    }
}

static void classify(const ChSystem* s, int i, Block* block) {
  const double* W = s->diagonal + s->diagonal_at[i];
  if (!s->block[i].law->cone || s->dim[i] != 3) return;
  double off = 0.0;
  for (int a = 0; a < 3; ++a)
    for (int c = 0; c < 3; ++c) off = fmax(off, a == c ? 0.0 : fabs(W[3 * a + c]));
  block->diagonal = off <= DIAGONAL && fabs(W[4] - W[8]) <= DIAGONAL && W[0] > DIAGONAL && W[4] > DIAGONAL;
  block->normal_inverse = 1.0 / W[0];
  block->tangent_inverse = 1.0 / W[4];
}

ChBodySweep* ch_body_sweep_create(ChArena* arena, const ChSystem* s) {
  if (!fits(s)) return NULL;
  const ChBodies* b = s->bodies;
  ChBodySweep* w = CH_TAKE(arena, 1, ChBodySweep);
  bool identity = is_identity(b);
  long size = 0;
  w->s = s;
  w->block = CH_TAKE(arena, s->n, Block);
  w->local = CH_TAKE(arena, s->n, ChLocalBlock);
  for (int i = 0; i < s->n; ++i) {
    Block* block = &w->block[i];
    *block = (Block){.rows = size, .body = {-1, -1}};
    for (int k = b->start[i]; k < b->start[i + 1]; ++k) block->body[k - b->start[i]] = CH_SWEEP_STRIDE * b->body[k];
    size += (long)(b->start[i + 1] - b->start[i]) * s->dim[i] * DOFS;
    classify(s, i, block);
    if (!block->diagonal) ch_local_prepare(arena, s, i, &w->local[i]);
  }
  w->H = CH_TAKE(arena, size, double);
  w->Y = identity ? w->H : CH_TAKE(arena, size, double);
  for (int i = 0; i < s->n; ++i)
    for (int k = b->start[i]; k < b->start[i + 1]; ++k) {
      long at = w->block[i].rows + (long)(k - b->start[i]) * s->dim[i] * DOFS;
      pack(b, k, s->dim[i], w->H + at);
      if (!identity) pack_velocities(b, k, s->dim[i], w->Y + at);
    }
  return w;
}

long ch_body_sweep_size(const ChBodySweep* w) { return (long)w->s->bodies->n * CH_SWEEP_STRIDE; }

static inline void spread(const ChBodySweep* w, const Block* block, int dim, const double* change, double* v) {
  const double* Y = w->Y + block->rows;
  for (int e = 0; e < 2 && block->body[e] >= 0; ++e, Y += dim * DOFS)
    for (int a = 0; a < dim; ++a) add(change[a], Y + a * DOFS, v + block->body[e]);
}

static inline void collect(const ChBodySweep* w, const Block* block, int dim, const double* q, const double* v,
                           double* u) {
  const double* H = w->H + block->rows;
  for (int a = 0; a < dim; ++a) u[a] = q[a];
  for (int e = 0; e < 2 && block->body[e] >= 0; ++e, H += dim * DOFS)
    for (int a = 0; a < dim; ++a) u[a] += dot(H + a * DOFS, v + block->body[e]);
}

void ch_body_sweep_velocity(const ChBodySweep* w, const double* r, double* v) {
  const ChSystem* s = w->s;
  memset(v, 0, (size_t)ch_body_sweep_size(w) * sizeof *v);
  for (int i = 0; i < s->n; ++i) spread(w, &w->block[i], s->dim[i], r + s->row[i], v);
}

void ch_body_sweep_contact(const ChBodySweep* w, const double* r, const double* v, double* u) {
  const ChSystem* s = w->s;
  for (int i = 0; i < s->n; ++i) collect(w, &w->block[i], s->dim[i], s->q + s->row[i], v, u + s->row[i]);
  ch_system_add_compliance(s, r, u);
}

// W_ii = diag(n, t, t): the normal reaction stands for itself and friction is a projection onto its disc.
static double visit_diagonal(ChBodySweep* w, int i, double* r, double* v) {
  const ChSystem* s = w->s;
  const Block* block = &w->block[i];
  double u[3], change[3];
  collect(w, block, 3, s->q + s->row[i], v, u);
  ch_system_add_block_compliance(s, i, r, u);
  if (u[0] >= 0.0 && r[0] == 0.0) return 0.0;
  double n = fmax(r[0] - u[0] * block->normal_inverse, 0.0);
  double t1 = r[1] - u[1] * block->tangent_inverse, t2 = r[2] - u[2] * block->tangent_inverse;
  double most = s->block[i].mu * n, square = t1 * t1 + t2 * t2;
  if (square > most * most) {
    double shrink = most / sqrt(square);
    t1 *= shrink, t2 *= shrink;
  }
  change[0] = n - r[0], change[1] = t1 - r[1], change[2] = t2 - r[2];
  r[0] = n, r[1] = t1, r[2] = t2;
  spread(w, block, 3, change, v);
  return change[0] * change[0] + change[1] * change[1] + change[2] * change[2];
}

static double visit_any(ChBodySweep* w, int i, double* r, double* v) {
  const ChSystem* s = w->s;
  const double* W = s->diagonal + s->diagonal_at[i];
  int d = s->dim[i];
  double b[CH_BLOCK_MAX], change[CH_BLOCK_MAX], sum = 0.0;
  collect(w, &w->block[i], d, s->q + s->row[i], v, b);
  ch_system_add_block_compliance(s, i, r, b);
  for (int a = 0; a < d; ++a) {
    change[a] = -r[a];
    for (int c = 0; c < d; ++c) b[a] -= W[a * d + c] * r[c];
  }
  ch_local_solve(s, i, &w->local[i], b, r);
  for (int a = 0; a < d; ++a) {
    change[a] += r[a];
    sum += change[a] * change[a];
  }
  spread(w, &w->block[i], d, change, v);
  return sum;
}

double ch_body_sweep_run(ChBodySweep* w, double* r, double* v) {
  const ChSystem* s = w->s;
  double sum = 0.0;
  for (int from = 0, to; from < s->n && !ch_limits_over(); from = to) {  // what was not visited stays as it is
    to = from + PART < s->n ? from + PART : s->n;
    for (int i = from; i < to; ++i)
      sum += w->block[i].diagonal ? visit_diagonal(w, i, r + s->row[i], v) : visit_any(w, i, r + s->row[i], v);
    ch_work_add(VISIT_WORK * (to - from));
  }
  return sum;
}
