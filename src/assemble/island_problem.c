// One island as a contact problem in global form, for the change x of velocity from the reference v0:
//
//   M^ x = H r + f      M^ = M - stiffness dk/dq - damping dk/dv      u = H^T x + (w + H^T v0)
//
// written column by column into the problem itself; only where implicit forces couple bodies is M listed as triplets. A
// body with locks has fewer columns: everything that belongs to it is multiplied by its basis first. The degrees of
// freedom of a deformable body are those of its frame and then its modes; implicit forces act on frames. A sum w + H^T
// v0 that is no more than the round-off of its terms is zero.
#include <float.h>
#include <math.h>
#include <string.h>

#include "assemble/islands.h"
#include "assemble/soft_body.h"
#include "base/check.h"
#include "linalg/quad.h"
#include "linalg/sparse.h"
#include "problem/open_problem.h"

enum { WIDTH_MAX = 6, SQUARE = WIDTH_MAX * WIDTH_MAX, SHAPE = 3 * CH_SOFT_MODES_MAX };
#define ROUND_OFF (8.0 * DBL_EPSILON)
#define STIFFEST 1e14  // of what an implicit force may weigh over a step, in masses

typedef struct Builder {
  const ChMoment* moment;
  const ChRows* rows;
  const ChIslands* islands;
  const ChDynamics* dynamics;
  int island, width;
  double* basis;    // SQUARE a body of the island; not read where nothing is locked
  int* body_start;  // degrees of freedom of the island's bodies
  int dof;
  double* square;  // room for the mass of a deformable body, where there are any,
  double* shape;   // and for its shapes at a contact, of two bodies
} Builder;

typedef struct Entries {
  int *row, *column;
  double* value;
  long count;
} Entries;

static Entries take_entries(ChArena* arena, long most) {
  return (Entries){CH_TAKE(arena, most, int), CH_TAKE(arena, most, int), CH_TAKE(arena, most, double), 0};
}

static void add(Entries* e, int row, int column, double value) {
  if (value == 0.0) return;
  e->row[e->count] = row;
  e->column[e->count] = column;
  e->value[e->count++] = value;
}

static ChTriplets triplets(int rows, int columns, const Entries* e) {
  return (ChTriplets){
      .rows = rows, .columns = columns, .count = e->count, .row = e->row, .column = e->column, .value = e->value};
}

static const int* island_bodies(const Builder* b, int* count) {
  int from = b->islands->body_start[b->island];
  *count = b->islands->body_start[b->island + 1] - from;
  return b->islands->bodies + from;
}

static bool unlocked(const Builder* b, int body) { return ch_body_locks(b->moment->world, body) == 0; }
static bool is_soft(const Builder* b, int body) { return b->moment->world->bodies[body].soft != NULL; }

static void list_bases(ChArena* arena, Builder* b) {
  int count;
  const int* bodies = island_bodies(b, &count);
  b->basis = CH_TAKE(arena, (long)count * SQUARE, double);
  b->body_start = CH_TAKE(arena, count + 1, int);
  for (int k = 0; k < count; ++k) {
    const ChBodyState* state = &b->moment->states[bodies[k]];
    b->dof += unlocked(b, bodies[k]) ? b->width
                                     : ch_body_basis(b->moment->world, bodies[k], state, b->basis + (long)k * SQUARE);
    b->dof += ch_body_modes(b->moment->world, bodies[k]);
    b->body_start[k + 1] = b->dof;
  }
}

static const double* basis_of(const Builder* b, int body) { return b->basis + (long)b->islands->place[body] * SQUARE; }

// out = basis^T x, of a frame
static int reduce(const Builder* b, int body, const double* x, double* out) {
  if (unlocked(b, body)) {
    memcpy(out, x, (size_t)b->width * sizeof *x);
    return b->width;
  }
  int freedoms = ch_frame_freedoms(b->moment->world, body);
  const double* basis = basis_of(b, body);
  for (int c = 0; c < freedoms; ++c) {
    out[c] = 0.0;
    for (int a = 0; a < b->width; ++a) out[c] += basis[a * freedoms + c] * x[a];
  }
  return freedoms;
}

// out = basis_i^T A basis_j, column by column, of frames
static void reduce_square(const Builder* b, int i, int j, const double* A, double* out) {
  bool whole = unlocked(b, j);
  int columns = whole ? b->width : ch_frame_freedoms(b->moment->world, j), rows = 0;
  const double* basis = basis_of(b, j);
  for (int c = 0; c < columns; ++c) {
    double column[WIDTH_MAX];
    for (int a = 0; a < b->width; ++a) {
      column[a] = whole ? A[a * b->width + c] : 0.0;
      for (int k = 0; k < b->width && !whole; ++k) column[a] += A[a * b->width + k] * basis[k * columns + c];
    }
    rows = reduce(b, i, column, out + (long)c * rows);
  }
}

void ch_body_mass(const ChWorld* world, int body, double* M) {
  int width = ch_world_width(world), translations = world->dimension;
  const ChBody* b = &world->bodies[body];
  memset(M, 0, (size_t)(width * width) * sizeof *M);
  for (int a = 0; a < translations; ++a) M[a * width + a] = b->mass;
  if (world->dimension == 2) {
    M[8] = b->inertia.m[2][2];
    return;
  }
  for (int a = 0; a < 3; ++a)
    for (int c = 0; c < 3; ++c) M[(3 + a) * 6 + 3 + c] = b->inertia.m[a][c];
}

// Bodies of one coupling that move are in one island; the others are in none.
static bool in_island(const Builder* b, int body) { return body >= 0 && b->islands->place[body] >= 0; }

// The mass of a deformable body in its degrees of freedom; it is symmetric.
static const double* soft_square(const Builder* b, int body) {
  ch_soft_reduce_mass(b->moment->world, body, &b->moment->states[body], b->dynamics->soft[body], b->square);
  return b->square;
}

// The masses by themselves are one square a body.
static void write_masses(const Builder* b, ChSparse* M) {
  int count, at = 0;
  const int* bodies = island_bodies(b, &count);
  double A[SQUARE], small[SQUARE];
  for (int k = 0; k < count; ++k) {
    int first = b->body_start[k], size = b->body_start[k + 1] - first;
    const double* square = small;
    if (is_soft(b, bodies[k])) {
      square = soft_square(b, bodies[k]);
    } else {
      ch_body_mass(b->moment->world, bodies[k], A);
      reduce_square(b, bodies[k], bodies[k], A, small);
    }
    for (int c = 0; c < size; ++c) {
      for (int a = 0; a < size; ++a)
        if (square[c * size + a] != 0.0) M->index[at] = first + a, M->value[at++] = square[c * size + a];
      M->start[first + c + 1] = at;
    }
  }
}

static void add_square(const Builder* b, int i, int j, const double* A, Entries* M) {
  double square[SQUARE];
  int rows = ch_frame_freedoms(b->moment->world, i), columns = ch_frame_freedoms(b->moment->world, j);
  reduce_square(b, i, j, A, square);
  for (int c = 0; c < columns; ++c)
    for (int a = 0; a < rows; ++a) add(M, b->islands->first[i] + a, b->islands->first[j] + c, square[c * rows + a]);
}

static void add_soft_square(const Builder* b, int body, Entries* M) {
  int size = ch_body_freedoms(b->moment->world, body), first = b->islands->first[body];
  const double* square = soft_square(b, body);
  for (int c = 0; c < size; ++c)
    for (int a = 0; a < size; ++a) add(M, first + a, first + c, square[c * size + a]);
}

// The masses with the implicit parts of forces.
static void list_masses(const Builder* b, Entries* M) {
  int count;
  const int* bodies = island_bodies(b, &count);
  double stiffness = b->dynamics->stiffness, damping = b->dynamics->damping, A[SQUARE];
  for (int k = 0; k < count; ++k) {
    if (is_soft(b, bodies[k])) {
      add_soft_square(b, bodies[k], M);
      continue;
    }
    ch_body_mass(b->moment->world, bodies[k], A);
    add_square(b, bodies[k], bodies[k], A, M);
  }
  for (int c = b->islands->coupling_start[b->island]; c < b->islands->coupling_start[b->island + 1]; ++c) {
    const ChForceCoupling* k = &b->dynamics->couplings[b->islands->couplings[c]];
    for (int i = 0; i < 2; ++i)
      for (int j = 0; j < 2; ++j) {
        if (!in_island(b, k->body[i]) || !in_island(b, k->body[j])) continue;
        for (int a = 0; a < b->width * b->width; ++a) A[a] = -stiffness * k->dkdq[i][j][a] - damping * k->dkdv[i][j][a];
        add_square(b, k->body[i], k->body[j], A, M);
      }
  }
}

static void gradient(const Builder* b, const ChRow* row, int side, double* x) {
  const ChVec3 f = row->force[side], t = row->torque[side];
  if (b->width == 3) {
    x[0] = f.x, x[1] = f.y, x[2] = t.z;
  } else {
    x[0] = f.x, x[1] = f.y, x[2] = f.z, x[3] = t.x, x[4] = t.y, x[5] = t.z;
  }
}

static const double* reference_of(const Builder* b, int body) { return b->dynamics->reference + (long)body * b->width; }

// One side of a block.
typedef struct Side {
  int body;          // -1: without degrees of freedom
  int first, modes;  // of its degrees of freedom in the island
  const double *reference, *rates;
  const ChSkinTouch* touch;  // NULL: none
  const double* shape;       // three rows along modes
} Side;

static Side find_side(const Builder* b, const ChRowBlock* block, int index, int side) {
  Side s = {.body = block->body[side]};
  if (s.body < 0) return s;
  s.first = b->islands->first[s.body];
  s.reference = reference_of(b, s.body);
  const ChSoft* soft = b->moment->world->bodies[s.body].soft;
  if (!soft) return s;
  s.modes = soft->modes;
  s.rates = b->dynamics->reference + ch_modes_at(b->moment->world, s.body);
  s.touch = ch_row_touch(b->rows, index, side);
  if (s.touch) s.shape = ch_skin_shape(soft, &s.touch->point, b->shape + side * SHAPE);
  return s;
}

// A sum, and the same without signs.
typedef struct Terms {
  double sum, size;
} Terms;

// w + H^T v0 of one row, of frames, and the gradients along them.
static Terms shift(const Builder* b, int row, const Side side[2], double x[2][WIDTH_MAX]) {
  double w = b->rows->w[row];
  Terms terms = {w, fabs(w)};
  for (int s = 0; s < 2; ++s) {
    if (side[s].body < 0) continue;
    gradient(b, &b->rows->rows[row], s, x[s]);
    for (int a = 0; a < b->width && !b->dynamics->absolute; ++a) {
      terms.sum += x[s][a] * side[s].reference[a];
      terms.size += fabs(x[s][a] * side[s].reference[a]);
    }
  }
  return terms;
}

// Gradients along modes of a row with direction d, and their part of the sum.
static void write_modes(const Side* side, ChVec3 d, double* value, Terms* terms) {
  int modes = side->modes, c = 0;
  const double *U = side->shape, *V = U + modes, *W = V + modes, *rates = side->rates;
  ChQuad sum = {0.0}, size = {0.0};
  for (; c + 4 <= modes; c += 4) {
    ChQuad gradient = CH_QUAD_AT(U + c) * d.x + CH_QUAD_AT(V + c) * d.y + CH_QUAD_AT(W + c) * d.z;
    ChQuad term = gradient * CH_QUAD_AT(rates + c);
    *(ChQuad*)(value + c) = gradient;
    sum += term;
    size += CH_QUAD_ABS(term);
  }
  for (; c < modes; ++c) {
    value[c] = U[c] * d.x + V[c] * d.y + W[c] * d.z;
    terms->sum += value[c] * rates[c];
    terms->size += fabs(value[c] * rates[c]);
  }
  terms->sum += CH_QUAD_SUM(sum);
  terms->size += CH_QUAD_SUM(size);
}

// Entries of a block's row a at a deformable body: x at its frame, then its modes. Zeros are kept: what reads the
// column gets it in one piece.
static int write_soft_side(const Builder* b, const Side* side, int a, const double* x, ChSparse* H, int at,
                           Terms* terms) {
  int freedoms = reduce(b, side->body, x, H->value + at), count = freedoms + side->modes, first = side->first;
  int* index = H->index + at;
  Terms modal = {0.0, 0.0};
  for (int k = 0; k < count; ++k) index[k] = first + k;
  write_modes(side, side->touch->along[a], H->value + at + freedoms, &modal);
  if (!b->dynamics->absolute) terms->sum += modal.sum, terms->size += modal.size;
  return at + count;
}

// The same of a joint's row, whose gradient along the modes is known.
static int write_bent_side(const Builder* b, const Side* side, const double* bend, const double* x, ChSparse* H, int at,
                           Terms* terms) {
  int freedoms = reduce(b, side->body, x, H->value + at), count = freedoms + side->modes;
  for (int k = 0; k < count; ++k) H->index[at + k] = side->first + k;
  for (int c = 0; c < side->modes; ++c) {
    H->value[at + freedoms + c] = bend[c];
    if (b->dynamics->absolute) continue;
    terms->sum += bend[c] * side->rates[c];
    terms->size += fabs(bend[c] * side->rates[c]);
  }
  return at + count;
}

// One side's part of the column of H that belongs to a block's row a; returns where the next begins.
static int write_side(const Builder* b, const Side* side, int a, const double* bend, const double* x, ChSparse* H,
                      int at, Terms* terms) {
  double reduced[WIDTH_MAX];
  if (side->body < 0) return at;
  if (bend) return write_bent_side(b, side, bend, x, H, at, terms);
  if (side->touch) return write_soft_side(b, side, a, x, H, at, terms);
  int freedoms = reduce(b, side->body, x, reduced);
  for (int c = 0; c < freedoms; ++c)
    if (reduced[c] != 0.0) H->index[at] = side->first + c, H->value[at++] = reduced[c];
  return at;
}

// Row a of a contact of a skin with itself: both sides' gradients along the same degrees of freedom.
static int write_both_sides(const Builder* b, const Side side[2], int a, double x[2][WIDTH_MAX], ChSparse* H, int at,
                            Terms* terms) {
  double sum[WIDTH_MAX], other[CH_SOFT_MODES_MAX];
  Terms modal = {0.0, 0.0};
  for (int k = 0; k < b->width; ++k) sum[k] = x[0][k] + x[1][k];
  const int end = write_soft_side(b, &side[0], a, sum, H, at, terms), modes = side[1].modes;
  write_modes(&side[1], side[1].touch->along[a], other, &modal);
  for (int k = 0; k < modes; ++k) H->value[end - modes + k] += other[k];
  if (!b->dynamics->absolute) terms->sum += modal.sum, terms->size += modal.size;
  return end;
}

// Laws, columns of H and entries of w, block by block. In a column the body with the first degrees of freedom is first.
// Whether all entries of H are finite: a sum without signs has every one of them as a factor.
static bool write_rows(const Builder* b, ChProblem* p) {
  int column = 0, at = 0, from = b->islands->block_start[b->island];
  double x[2][WIDTH_MAX];
  bool finite = !b->dynamics->absolute;
  for (int k = 0; k < p->block_count; ++k) {
    int index = b->islands->blocks[from + k];
    const ChRowBlock* block = &b->rows->blocks[index];
    Side side[2] = {find_side(b, block, index, 0), find_side(b, block, index, 1)};
    int front = block->body[0] > block->body[1];
    p->blocks[k] = block->law;
    p->blocks[k].row = column;
    for (int a = 0; a < block->law.dimension; ++a, ++column) {
      Terms terms = shift(b, block->law.row + a, side, x);
      const bool itself = side[0].body >= 0 && side[0].body == side[1].body;
      if (itself) at = write_both_sides(b, side, a, x, &p->H, at, &terms);
      for (int turn = 0; turn < 2 && !itself; ++turn) {
        const int s = turn == 0 ? front : 1 - front;
        const double* bend = ch_row_bend(b->rows, block->law.row + a, s);
        at = write_side(b, &side[s], a, bend, x[s], &p->H, at, &terms);
      }
      p->H.start[column + 1] = at;
      bool round_off = !b->dynamics->absolute && fabs(terms.sum) <= ROUND_OFF * terms.size;
      p->w[column] = round_off ? 0.0 : terms.sum;
      finite &= terms.size <= DBL_MAX;
    }
  }
  return finite;
}

// y += s A x
static void add_product(int width, double s, const double* A, const double* x, double* y) {
  for (int a = 0; a < width; ++a)
    for (int c = 0; c < width; ++c) y[a] += s * A[a * width + c] * x[c];
}

// What the implicit parts take of the reference.
static void add_implicit(const Builder* b, double* impulse) {
  for (int c = b->islands->coupling_start[b->island]; c < b->islands->coupling_start[b->island + 1]; ++c) {
    const ChForceCoupling* k = &b->dynamics->couplings[b->islands->couplings[c]];
    for (int i = 0; i < 2; ++i)
      for (int j = 0; j < 2; ++j) {
        if (!in_island(b, k->body[i]) || !in_island(b, k->body[j])) continue;
        double* y = impulse + (long)b->islands->place[k->body[i]] * b->width;
        add_product(b->width, b->dynamics->stiffness, k->dkdq[i][j], reference_of(b, k->body[j]), y);
        add_product(b->width, b->dynamics->damping, k->dkdv[i][j], reference_of(b, k->body[j]), y);
      }
  }
}

// What f comes from: width numbers a body.
static double* list_impulses(ChArena* arena, const Builder* b) {
  int count;
  const int* bodies = island_bodies(b, &count);
  double *impulse = CH_TAKE(arena, (long)count * b->width, double), M[SQUARE];
  for (int k = 0; k < count; ++k) {
    double* part = impulse + (long)k * b->width;
    memcpy(part, b->dynamics->impulse + (long)bodies[k] * b->width, (size_t)b->width * sizeof *part);
    if (!b->dynamics->absolute || is_soft(b, bodies[k])) continue;
    ch_body_mass(b->moment->world, bodies[k], M);
    add_product(b->width, 1.0, M, reference_of(b, bodies[k]), part);
  }
  if (!b->dynamics->absolute) add_implicit(b, impulse);
  return impulse;
}

// A deformable body's: that of its frame is given, its modes' is not.
static void write_soft_impulse(const Builder* b, int body, const double* frame, double* f) {
  const ChWorld* world = b->moment->world;
  int n = ch_body_modes(world, body), size = b->width + n;
  const double *modes = b->dynamics->impulse + ch_modes_at(world, body),
               *rates = b->dynamics->reference + ch_modes_at(world, body);
  double x[CH_SOFT_SIZE_MAX], v[CH_SOFT_SIZE_MAX];
  memcpy(x, frame, (size_t)b->width * sizeof *x);
  memcpy(x + b->width, modes, (size_t)n * sizeof *x);
  if (b->dynamics->absolute) {
    memcpy(v, reference_of(b, body), (size_t)b->width * sizeof *v);
    memcpy(v + b->width, rates, (size_t)n * sizeof *v);
    add_product(size, 1.0, b->dynamics->soft[body], v, x);
  }
  ch_soft_reduce(world, body, &b->moment->states[body], x, f);
}

static void write_impulses(const Builder* b, const double* impulse, double* f) {
  int count;
  const int* bodies = island_bodies(b, &count);
  for (int k = 0; k < count; ++k) {
    const double* part = impulse + (long)k * b->width;
    if (is_soft(b, bodies[k]))
      write_soft_impulse(b, bodies[k], part, f + b->body_start[k]);
    else
      reduce(b, bodies[k], part, f + b->body_start[k]);
  }
}

static int* list_freedoms(ChArena* arena, const Builder* b) {
  int count, *body = CH_TAKE(arena, b->dof, int);
  island_bodies(b, &count);
  for (int k = 0; k < count; ++k)
    for (int j = b->body_start[k]; j < b->body_start[k + 1]; ++j) body[j] = k;
  return body;
}

// Rows, and most entries of H, which has two bodies' a row, and of M.
static void count_rows(const Builder* b, ChProblemSizes* sizes) {
  for (int k = b->islands->block_start[b->island]; k < b->islands->block_start[b->island + 1]; ++k) {
    const ChRowBlock* block = &b->rows->blocks[b->islands->blocks[k]];
    sizes->rows += block->law.dimension;
    for (int side = 0; side < 2 && b->rows->touches; ++side)
      if (block->body[side] >= 0)
        sizes->H_room += (long)block->law.dimension * ch_body_modes(b->moment->world, block->body[side]);
  }
  sizes->H_room += 2L * sizes->rows * b->width;
}

static long count_masses(const Builder* b) {
  long sum = (long)b->dof * b->width;
  int count;
  const int* bodies = island_bodies(b, &count);
  for (int k = 0; b->square && k < count; ++k) {
    long size = b->body_start[k + 1] - b->body_start[k];
    if (is_soft(b, bodies[k])) sum += size * size;
  }
  return sum;
}

// What a force's implicit part weighs on its i-th body over a step, in that body's masses.
static double stiffness_ratio(const Builder* b, const ChForceCoupling* k, int i) {
  const ChDynamics* d = b->dynamics;
  double largest = 0.0, M[SQUARE];
  ch_body_mass(b->moment->world, k->body[i], M);
  for (int a = 0; a < b->width * b->width; a += b->width + 1)
    largest = fmax(largest, -(d->stiffness * k->dkdq[i][i][a] + d->damping * k->dkdv[i][i][a]) / M[a]);
  return largest;
}

// Where an implicit part swallows a mass in round-off, M^ says nothing of what the force leaves free.
static ChStatus check_stiffness(ChContext* context, const Builder* b) {
  const ChWorld* world = b->moment->world;
  for (int c = b->islands->coupling_start[b->island]; c < b->islands->coupling_start[b->island + 1]; ++c) {
    const ChForceCoupling* k = &b->dynamics->couplings[b->islands->couplings[c]];
    for (int i = 0; i < 2; ++i) {
      double ratio = in_island(b, k->body[i]) ? stiffness_ratio(b, k, i) : 0.0;
      if (!(ratio <= STIFFEST))
        return ch_fail(context, CH_ERR_RANGE,
                       "force '%.80s' is too stiff or damped: over a step of %g s it weighs %.2g times body '%.80s', "
                       "must be at most %g; use a joint for a rigid connection",
                       world->forces[k->force].def.name, b->moment->end - b->moment->time, ratio,
                       world->bodies[k->body[i]].name, STIFFEST);
    }
  }
  return CH_OK;
}

ChStatus ch_island_problem(ChContext* context, ChArena* scratch, const ChMoment* moment, const ChRows* rows,
                           const ChIslands* islands, int island, const ChDynamics* dynamics, ChProblem** out) {
  CH_ASSERT(island >= 0 && island < islands->count);
  Builder b = {.moment = moment,
               .rows = rows,
               .islands = islands,
               .dynamics = dynamics,
               .island = island,
               .width = ch_world_width(moment->world)};
  int blocks = islands->block_start[island + 1] - islands->block_start[island], count;
  int couplings = islands->coupling_start[island + 1] - islands->coupling_start[island];
  ChArenaMark mark = ch_arena_mark(scratch);
  list_bases(scratch, &b);
  island_bodies(&b, &count);
  if (moment->world->mode_count > 0) {
    b.square = CH_TAKE_RAW(scratch, CH_SOFT_SIZE_MAX * CH_SOFT_SIZE_MAX, double);
    b.shape = CH_TAKE_RAW(scratch, 2 * SHAPE, double);
  }
  Entries M = {0};
  if (couplings > 0) {
    M = take_entries(scratch, (count + 4L * couplings) * SQUARE + count_masses(&b));
    list_masses(&b, &M);
  }
  ChProblemSizes sizes = {.dimension = moment->world->dimension,
                          .block_count = blocks,
                          .dof = b.dof,
                          .curve_count = moment->world->curve_count,
                          .curves = moment->world->curves,
                          .M_room = couplings > 0 ? 0 : count_masses(&b)};
  count_rows(&b, &sizes);
  ChTriplets coupled = triplets(b.dof, b.dof, &M);
  const double* impulse = list_impulses(scratch, &b);
  const int* body = list_freedoms(scratch, &b);
  ChStatus status = check_stiffness(context, &b);
  if (status == CH_OK) status = ch_problem_open(context, &sizes, couplings > 0 ? &coupled : NULL, out);
  if (status == CH_OK) {
    if (couplings == 0) write_masses(&b, &(*out)->M);
    bool finite = write_rows(&b, *out);
    write_impulses(&b, impulse, (*out)->f);
    status = ch_problem_close(context, *out, body, finite);
    if (status != CH_OK) *out = NULL;
    CH_ASSERT(!*out || ((*out)->dof == b.dof && (*out)->block_count == blocks));
  }
  ch_arena_release(scratch, mark);
  return status;
}

void ch_island_reference(const ChMoment* moment, const ChIslands* islands, int island, const ChDynamics* dynamics,
                         double* reference) {
  CH_ASSERT(island >= 0 && island < islands->count);
  const ChWorld* world = moment->world;
  int width = ch_world_width(world);
  double basis[SQUARE];
  for (int k = islands->body_start[island]; k < islands->body_start[island + 1]; ++k) {
    int body = islands->bodies[k], freedoms = ch_body_basis(world, body, &moment->states[body], basis);
    for (int c = 0; c < freedoms; ++c) {
      *reference = 0.0;
      for (int a = 0; a < width; ++a)
        *reference += basis[a * freedoms + c] * dynamics->reference[(long)body * width + a];
      ++reference;
    }
    int modes = ch_body_modes(world, body);
    if (modes > 0) memcpy(reference, dynamics->reference + ch_modes_at(world, body), (size_t)modes * sizeof *reference);
    reference += modes;
  }
}

void ch_island_velocities(const ChMoment* moment, const ChIslands* islands, int island, const ChDynamics* dynamics,
                          const double* x, double* velocities) {
  CH_ASSERT(island >= 0 && island < islands->count);
  const ChWorld* world = moment->world;
  int width = ch_world_width(world);
  double basis[SQUARE];
  for (int k = islands->body_start[island]; k < islands->body_start[island + 1]; ++k) {
    int body = islands->bodies[k], freedoms = ch_body_basis(world, body, &moment->states[body], basis);
    for (int a = 0; a < width; ++a) {
      double sum = dynamics->absolute ? 0.0 : dynamics->reference[(long)body * width + a];
      for (int c = 0; c < freedoms; ++c) sum += basis[a * freedoms + c] * x[c];
      velocities[(long)body * width + a] = sum;
    }
    x += freedoms;
    long first = ch_modes_at(world, body);
    for (int a = 0; a < ch_body_modes(world, body); ++a)
      velocities[first + a] = (dynamics->absolute ? 0.0 : dynamics->reference[first + a]) + *x++;
  }
}
