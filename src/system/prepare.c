// From a problem to the scaled systems of its connected parts: see system.h.
#include <math.h>
#include <string.h>

#include "base/check.h"
#include "problem/cones.h"
#include "system/delassus.h"
#include "system/preparation.h"

#define MOSTLY_APART 1e-3  // error of r = 0, in |q|, below which q is that of contacts which are apart
enum { RIGID_DOFS = 6 };
enum { HEAP_BLOCKS = 1500 };                                   // see ch_system_is_heap
enum { CROWD_BLOCKS = 50, CROWD_ROWS = 6, SOFT_BLOCKS = 10 };  // see ch_system_is_crowded

// Bounds that leave zero out drive the part as q does: the square of the smallest reaction, scaled.
static double least_square(const ChPreparation* p, const ChBlock* block, const ChKeptBlock* kept) {
  const double nothing[CH_BLOCK_MAX] = {0.0};
  double least[CH_BLOCK_MAX], sum = 0.0;
  ch_block_project(block, p->pose, nothing, least);
  for (int a = 0; a < kept->block.dim; ++a) {
    double scaled = least[kept->rows[a] - block->row] / kept->g[a];
    sum += scaled * scaled;
  }
  return sum;
}

static void scale_bounds(const ChPreparation* p, const int* members, ChComponent* part) {
  ChSystem* s = &part->system;
  for (int i = 0; i < s->n; ++i) {
    ChScaledBlock* b = &s->block[i];
    if (b->law->set_bounds)
      b->law->set_bounds(&p->problem->blocks[p->kept[members[i]].source], part->c * part->g[s->row[i]], b);
  }
}

// Sizes, sets, q and the way back; returns false where nothing drives the part, so that r = 0 is the answer.
static bool fill_rows(const ChPreparation* p, const int* members, int count, ChComponent* part) {
  ChSystem* s = &part->system;
  s->n = count;
  s->dim = CH_TAKE(p->arena, count, int);
  s->row = CH_TAKE(p->arena, count + 1, int);
  s->block = CH_TAKE_RAW(p->arena, count, ChScaledBlock);
  for (int i = 0; i < count; ++i) {
    s->dim[i] = p->kept[members[i]].block.dim;
    s->row[i + 1] = s->row[i] + s->dim[i];
  }
  s->rows = s->row[count];
  s->relaxed = p->pose == CH_POSE_RELAXED;
  s->q = CH_TAKE_RAW(p->arena, s->rows, double);
  part->source = CH_TAKE_RAW(p->arena, s->rows, int);
  part->g = CH_TAKE_RAW(p->arena, s->rows, double);
  double sum = 0.0;
  for (int i = 0; i < count; ++i) {
    const ChKeptBlock* kept = &p->kept[members[i]];
    const ChBlock* block = &p->problem->blocks[kept->source];
    s->block[i] = kept->block;
    s->block[i].corners = p->corners[kept->block.sides];
    s->polygonal |= kept->block.sides > 0;
    s->unusual |= ch_law_is_unusual(kept->block.law);
    s->unbarred |= !kept->block.law->barrier;
    s->compliant |= ch_scaled_block_yields(&kept->block);
    if (kept->block.law->leaves_zero_out) sum += least_square(p, block, kept);
    for (int a = 0; a < kept->block.dim; ++a) {
      int row = s->row[i] + a;
      part->source[row] = kept->rows[a];
      part->g[row] = kept->g[a];
      s->q[row] = kept->g[a] * p->q[kept->rows[a]];
      sum += s->q[row] * s->q[row];
    }
  }
  part->size = part->c = sum > 0.0 ? sqrt(sum) : 1.0;
  for (int row = 0; row < s->rows; ++row) s->q[row] /= part->c;
  scale_bounds(p, members, part);
  return sum > 0.0;
}

// Units in which r = 0 has an error of about one, where that of |q| is far from it. Contacts that are apart make q
// large, the more so the shorter the step, and are nobody's error: in units of |q| every start would be near, and every
// solution small. Powers of two change no digit.
static void choose_units(const ChPreparation* p, const int* members, ChComponent* part) {
  ChSystem* s = &part->system;
  if (!(part->zero_error > 0.0 && part->zero_error < MOSTLY_APART)) return;
  const int power = (int)lround(log2(fmax(part->zero_error, CH_ERROR_FLOOR)));
  part->c = ldexp(part->c, power);
  part->zero_error = ldexp(part->zero_error, -power);
  for (int row = 0; row < s->rows; ++row) s->q[row] = ldexp(s->q[row], -power);
  scale_bounds(p, members, part);
}

// W_ii from the Jacobians
static void square_of(const ChPreparation* p, const ChKeptBlock* kept, double* block) {
  const ChBlock* source = &p->problem->blocks[kept->source];
  const double* square = p->jacobians.square + p->jacobians.square_at[kept->source];
  const int d = kept->block.dim;
  if (d == 3 && source->dimension == 3) {
    for (int a = 0; a < 3; ++a)
      for (int c = 0; c < 3; ++c) block[a * 3 + c] = kept->g[a] * square[a * 3 + c] * kept->g[c];
  } else {
    for (int a = 0; a < d; ++a)
      for (int c = 0; c < d; ++c)
        block[a * d + c] = kept->g[a] *
                           square[(kept->rows[a] - source->row) * source->dimension + kept->rows[c] - source->row] *
                           kept->g[c];
  }
  if (ch_scaled_block_yields(&kept->block)) ch_scaled_block_add_compliance(&kept->block, d, block);
}

// The same, or from W
static void fill_diagonal(const ChPreparation* p, const int* members, ChSystem* s) {
  s->diagonal_at = CH_TAKE(p->arena, s->n + 1, int);
  for (int i = 0; i < s->n; ++i) s->diagonal_at[i + 1] = s->diagonal_at[i] + s->dim[i] * s->dim[i];
  s->diagonal = CH_TAKE_RAW(p->arena, s->diagonal_at[s->n], double);
  for (int i = 0; i < s->n; ++i) {
    double* block = s->diagonal + s->diagonal_at[i];
    if (p->by_bodies)
      square_of(p, &p->kept[members[i]], block);
    else
      memcpy(block, s->W.value + s->W.offset[s->W.diagonal[i]], (size_t)(s->dim[i] * s->dim[i]) * sizeof *block);
  }
}

// W stands for W + C
static void add_compliance(ChSystem* s) {
  for (int i = 0; s->compliant && i < s->n; ++i)
    ch_scaled_block_add_compliance(&s->block[i], s->dim[i], s->W.value + s->W.offset[s->W.diagonal[i]]);
}

static void build_part(const ChPreparation* p, const int* members, int count, int* body_local, ChPrepared* out) {
  ChComponent* part = &out->component[out->count];
  *part = (ChComponent){.c = 1.0};
  if (!fill_rows(p, members, count, part)) return;
  ChSystem* s = &part->system;
  s->symmetric = p->problem->asymmetry <= CH_SYMMETRY_TOLERANCE;
  if (body_local) ch_prepare_bodies(p, members, body_local, part);
  s->due = p->formed && p->by_bodies;
  if (p->formed && !p->by_bodies) {
    ch_prepare_matrix(p, members, part);
    add_compliance(s);
  }
  fill_diagonal(p, members, s);
  double* zero = CH_TAKE(p->arena, s->rows, double);
  CH_ASSERT(s->row[s->n] == s->rows && (s->formed || s->bodies));
  part->zero_error = ch_system_error(s, zero, s->q);
  choose_units(p, members, part);
  ++out->count;
}

// Roots of the masses, and the diagonal of W from the Jacobians.
static void use_bodies(ChPreparation* p, const unsigned char* skip, double* diagonal) {
  const ChProblem* problem = p->problem;
  const ChMass* mass = p->mass;
  p->jacobians = ch_block_jacobians(p->arena, problem, skip);
  p->root = CH_TAKE_RAW(p->arena, problem->dof, double);
  p->share = CH_TAKE_RAW(p->arena, problem->dof, double);
  for (int b = 0; b < mass->bodies; ++b)
    for (int x = 0, size = ch_mass_size(mass, b); x < size; ++x) {
      p->root[mass->start[b] + x] = sqrt(mass->matrix[mass->offset[b] + x * size + x]);
      p->share[mass->start[b] + x] = 1.0 / p->root[mass->start[b] + x];
    }
  for (int i = 0; i < problem->block_count; ++i) {
    const ChBlock* block = &problem->blocks[i];
    for (int a = 0; a < block->dimension; ++a)
      diagonal[block->row + a] = p->jacobians.square[p->jacobians.square_at[i] + a * block->dimension + a];
  }
}

// Upper bound on the entries of W.
static double delassus_size(const ChPreparation* p) {
  if (!p->by_bodies) return ch_delassus_size(p->arena, p->problem);
  int* rows = CH_TAKE(p->arena, p->mass->bodies, int);
  double size = 0.0;
  for (int i = 0; i < p->problem->block_count; ++i)
    for (int k = p->jacobians.start[i]; k < p->jacobians.start[i + 1]; ++k)
      rows[p->jacobians.body[k]] += p->problem->blocks[i].dimension;
  for (int b = 0; b < p->mass->bodies; ++b) size += (double)rows[b] * rows[b];
  return size;
}

static void read_diagonal(const ChSparse* W, double* diagonal) {
  for (int j = 0; j < W->columns; ++j)
    for (int k = W->start[j]; k < W->start[j + 1]; ++k)
      if (W->index[k] == j) diagonal[j] = W->value[k];
}

ChStatus ch_prepare_late(ChContext* context, ChArena* arena, const ChProblem* problem, ChPose pose,
                         const unsigned char* skip, ChPrepared* out) {
  CH_ASSERT(problem->form == CH_FORM_LOCAL || problem->mass);
  CH_ASSERT(problem->rows >= problem->block_count);
  ChPreparation p = {.arena = arena, .problem = problem, .pose = pose, .mass = problem->mass};
  *out = (ChPrepared){0};
  double* diagonal = CH_TAKE(arena, problem->rows, double);
  p.by_bodies = p.mass && !p.mass->lu;
  if (p.by_bodies) use_bodies(&p, skip, diagonal);
  double size = delassus_size(&p);
  p.formed = problem->form == CH_FORM_LOCAL || size <= ch_delassus_largest();
  if (!p.formed && !p.by_bodies)
    return ch_fail(context, CH_ERR_UNSUPPORTED,
                   "W would have %.2g entries and M has a part with over %d degrees of freedom: neither fits in memory",
                   size, CH_BODY_MAX);
  if (!p.by_bodies) {
    p.W = ch_delassus_form(arena, problem);
    read_diagonal(&p.W, diagonal);
  }
  p.q = CH_TAKE_RAW(arena, problem->rows, double);
  ch_delassus_q(arena, problem, p.q);
  ch_prepare_keep(&p, skip, diagonal);
  int *start, *members, *body_local = NULL;
  int parts = ch_prepare_parts(&p, &start, &members);
  if (p.by_bodies) {
    body_local = CH_TAKE(arena, p.mass->bodies, int);
    for (int b = 0; b < p.mass->bodies; ++b) body_local[b] = -1;
  }
  out->component = CH_TAKE(arena, parts, ChComponent);
  for (int c = 0; c < parts; ++c) build_part(&p, members + start[c], start[c + 1] - start[c], body_local, out);
  CH_ASSERT(out->count <= parts);
  return CH_OK;
}

bool ch_system_is_heap(const ChSystem* s) { return s->bodies && s->n >= HEAP_BLOCKS && s->rows > s->bodies->dofs; }

bool ch_system_is_soft(const ChSystem* s) { return s->bodies && s->bodies->dofs > RIGID_DOFS * s->bodies->n; }

bool ch_system_is_crowded(const ChSystem* s) {
  if (!s->bodies) return false;
  int dofs = s->bodies->dofs;
  return ch_system_is_soft(s) ? s->n >= SOFT_BLOCKS && 2 * s->rows >= dofs
                              : s->n >= CROWD_BLOCKS && s->rows >= CROWD_ROWS * dofs;
}

void ch_system_form(ChArena* arena, ChSystem* s) {
  CH_ASSERT(!s->formed && s->bodies);
  s->W = ch_bodies_delassus(arena, s->bodies, s->n, s->dim, s->row, s->symmetric);
  add_compliance(s);
  s->formed = true;
  s->due = false;
}

ChStatus ch_prepare(ChContext* context, ChArena* arena, const ChProblem* problem, ChPose pose,
                    const unsigned char* skip, ChPrepared* out) {
  ChStatus status = ch_prepare_late(context, arena, problem, pose, skip, out);
  for (int c = 0; status == CH_OK && c < out->count; ++c)
    if (out->component[c].system.due) ch_system_form(arena, &out->component[c].system);
  return status;
}
