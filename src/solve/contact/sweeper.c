// A Gauss-Seidel sweep. With W formed, row i needs its neighbours' reactions; without, the velocities of its bodies are
// kept up to date: v += M^-1 H_i (r_i' - r_i). Colours: greedy, so that blocks of a colour share no body and no row of
// W.
#include "solve/contact/sweeper.h"

#include <string.h>

#include "base/work.h"
#include "linalg/small.h"
#include "solve/contact/local_contact.h"

#define LOCAL_WORK 60.0  // of one contact's own solve
enum { PART = 256 };     // blocks from look to look at the limits

struct ChSweeper {
  const ChSystem* s;
  ChLocalBlock* local;
  int threads;
  int colors;
  int* start;        // colors + 1
  int* order;        // blocks by colour, or by number
  double* v;         // unformed: velocities of the bodies
  double* response;  // unformed: M^-1 H, laid out like H
  ChBlockRule rule;  // NULL: the exact local solution
  void* user;
};

// The smallest colour that no neighbour has; neighbours are rows of W, or blocks on the same bodies (tracked per body).
static int pick_color(const ChSystem* s, int i, const int* color, unsigned char* taken, int colors,
                      const unsigned char* on_body) {
  memset(taken, 0, (size_t)colors + 1);
  if (s->formed) {
    for (int k = s->W.start[i]; k < s->W.start[i + 1]; ++k)
      if (s->W.column[k] != i && color[s->W.column[k]] >= 0) taken[color[s->W.column[k]]] = 1;
  } else {
    const ChBodies* b = s->bodies;
    for (int k = b->start[i]; k < b->start[i + 1]; ++k)
      for (int c = 0; c < colors && c < 256; ++c) taken[c] |= on_body[256 * (long)b->body[k] + c];
  }
  int c = 0;
  while (c < colors && taken[c]) ++c;
  return c;
}

static void color_blocks(ChArena* arena, ChSweeper* w) {
  const ChSystem* s = w->s;
  int* color = CH_TAKE(arena, s->n, int);
  unsigned char* taken = CH_TAKE(arena, s->n + 1, unsigned char);
  unsigned char* on_body = s->formed ? NULL : CH_TAKE(arena, 256 * (long)s->bodies->n, unsigned char);
  for (int i = 0; i < s->n; ++i) color[i] = -1;
  for (int i = 0; i < s->n; ++i) {
    color[i] = pick_color(s, i, color, taken, w->colors, on_body);
    if (!s->formed && color[i] >= 256) color[i] = w->colors;  // crowded bodies: a colour of its own
    if (!s->formed && color[i] < 256)
      for (int k = s->bodies->start[i]; k < s->bodies->start[i + 1]; ++k)
        on_body[256 * (long)s->bodies->body[k] + color[i]] = 1;
    if (color[i] == w->colors) ++w->colors;
  }
  w->start = CH_TAKE(arena, w->colors + 1, int);
  for (int i = 0; i < s->n; ++i) ++w->start[color[i] + 1];
  for (int c = 0; c < w->colors; ++c) w->start[c + 1] += w->start[c];
  int* filled = CH_TAKE(arena, w->colors, int);
  for (int i = 0; i < s->n; ++i) w->order[w->start[color[i]] + filled[color[i]]++] = i;
}

static void build_response(ChArena* arena, ChSweeper* w) {
  const ChBodies* b = w->s->bodies;
  int last = b->start[w->s->n];
  long size = 0;
  for (int i = 0; i < w->s->n; ++i)
    for (int k = b->start[i]; k < b->start[i + 1]; ++k) size = b->jacobian[k] + (long)b->dim[b->body[k]] * w->s->dim[i];
  w->response = CH_TAKE(arena, last > 0 ? size : 1, double);
  w->v = CH_TAKE(arena, b->dofs, double);
  for (int i = 0; i < w->s->n; ++i)
    for (int k = b->start[i]; k < b->start[i + 1]; ++k) {
      int rows = b->dim[b->body[k]], d = w->s->dim[i];
      const double *inverse = b->inverse + b->offset[b->body[k]], *H = b->H + b->jacobian[k];
      if (rows == 6 && d == 3)
        ch_small_product(6, 3, inverse, H, w->response + b->jacobian[k]);
      else
        ch_small_product(rows, d, inverse, H, w->response + b->jacobian[k]);
    }
}

ChSweeper* ch_sweeper_create(ChArena* arena, const ChSystem* s, bool colors, int threads) {
  ChSweeper* w = CH_TAKE(arena, 1, ChSweeper);
  w->s = s;
  w->threads = threads > 0 ? threads : 1;
  w->local = CH_TAKE(arena, s->n, ChLocalBlock);
  for (int i = 0; i < s->n; ++i) ch_local_prepare(arena, s, i, &w->local[i]);
  w->order = CH_TAKE(arena, s->n, int);
  for (int i = 0; i < s->n; ++i) w->order[i] = i;
  if (colors) color_blocks(arena, w);
  if (!s->formed) build_response(arena, w);
  return w;
}

void ch_sweeper_set_rule(ChSweeper* w, ChBlockRule rule, void* user) {
  w->rule = rule;
  w->user = user;
}

static void relax(const ChSweeper* w, int i, double omega, const double* b, double* r) {
  if (w->rule) {
    w->rule(w->user, i, omega, b, r);
    return;
  }
  double solution[CH_BLOCK_MAX];
  int d = w->s->dim[i];
  memcpy(solution, r, (size_t)d * sizeof *r);
  ch_local_solve(w->s, i, &w->local[i], b, solution);
  for (int a = 0; a < d; ++a) r[a] = omega == 1.0 ? solution[a] : r[a] + omega * (solution[a] - r[a]);
}

static void visit_formed(const ChSweeper* w, int i, double omega, double* r) {
  double b[CH_BLOCK_MAX];
  ch_block_csr_row_without_diagonal(&w->s->W, i, r, w->s->q, b);
  relax(w, i, omega, b, r + w->s->row[i]);
}

static void visit_bodies(const ChSweeper* w, int i, double omega, double* r) {
  const ChSystem* s = w->s;
  const ChBodies* B = s->bodies;
  int d = s->dim[i];
  double b[CH_BLOCK_MAX], change[CH_BLOCK_MAX];
  ch_small_multiply(d, s->diagonal + s->diagonal_at[i], r + s->row[i], b);
  for (int a = 0; a < d; ++a) {
    b[a] = s->q[s->row[i] + a] - b[a];
    change[a] = -r[s->row[i] + a];
  }
  ch_system_add_block_compliance(s, i, r + s->row[i], b);
  for (int k = B->start[i]; k < B->start[i + 1]; ++k)
    ch_small_add_transposed(B->dim[B->body[k]], d, B->H + B->jacobian[k], w->v + B->row[B->body[k]], b);
  relax(w, i, omega, b, r + s->row[i]);
  for (int a = 0; a < d; ++a) change[a] += r[s->row[i] + a];
  for (int k = B->start[i]; k < B->start[i + 1]; ++k)
    ch_small_add(B->dim[B->body[k]], d, w->response + B->jacobian[k], change, w->v + B->row[B->body[k]]);
}

static void visit(const ChSweeper* w, int i, double omega, double* r) {
  if (w->s->formed)
    visit_formed(w, i, omega, r);
  else
    visit_bodies(w, i, omega, r);
}

// Blocks from one to another, in their order.
static double work_of(const ChSystem* s, int from, int to) {
  double entries = s->formed ? (double)(s->W.offset[s->W.start[to]] - s->W.offset[s->W.start[from]])
                             : 48.0 * (s->bodies->start[to] - s->bodies->start[from]);
  return LOCAL_WORK * (to - from) + entries;
}

// In parts, so that a limit is obeyed within a sweep: what was not visited stays as it is.
static void sweep_in_order(ChSweeper* w, double omega, double* r) {
  for (int from = 0, to; from < w->s->n && !ch_limits_over(); from = to) {
    to = from + PART < w->s->n ? from + PART : w->s->n;
    for (int i = from; i < to; ++i) visit(w, i, omega, r);
    ch_work_add(work_of(w->s, from, to));
  }
}

void ch_sweeper_sweep(ChSweeper* w, double omega, double* r) {
  const ChSystem* s = w->s;
  if (!s->formed) ch_bodies_impulse_to_velocity(s->bodies, s->dim, s->row, s->n, r, w->v);
  if (w->colors == 0) {
    sweep_in_order(w, omega, r);
    return;
  }
  ch_work_add(work_of(s, 0, s->n));
  for (int c = 0; c < w->colors && !ch_limits_over(); ++c) {
    int threads = w->start[c + 1] - w->start[c] >= 64 ? w->threads : 1;
#pragma omp parallel for schedule(static) num_threads(threads) if (threads > 1)
    for (int k = w->start[c]; k < w->start[c + 1]; ++k) visit(w, w->order[k], omega, r);
  }
}
