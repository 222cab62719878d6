// From a problem to the scaled systems of its connected parts: see system.h.
#include <math.h>
#include <string.h>

#include "base/union_find.h"
#include "linalg/sparse.h"
#include "problem/block_jacobians.h"
#include "problem/cones.h"
#include "problem/delassus.h"
#include "problem/mass.h"
#include "problem/polygon.h"
#include "problem/system.h"

double ch_prepare_largest_w = 1.2e8;

enum { HEAP_BLOCKS = 1500 };  // see ch_system_is_heap

// Relative difference of W and W^T below which a matrix counts as symmetric: files carry round-off.
#define SYMMETRY_TOLERANCE 1e-10

// A block that survives, before it is dealt out to its part.
typedef struct Kept {
  int source;  // block of the problem
  int dim;
  int rows[CH_BLOCK_MAX];
  double g[CH_BLOCK_MAX];
  ChSet set;
  double mu;
  int sides;
} Kept;

typedef struct Preparation {
  ChArena* arena;
  const ChProblem* problem;
  ChPose pose;
  const ChMass* mass;
  ChSparse W;      // local form, or a mass matrix of large bodies; else W is formed body by body
  bool by_bodies;  // M is known as small bodies
  bool formed;
  ChBlockJacobians jacobians;  // by bodies
  double* root;                // by bodies: root of the diagonal of M, body by body as in mass->dof
  double* q;
  int kept_count;
  Kept* kept;
  int *block_of, *slot_of;                  // per row of the problem: kept block (or -1) and place in it
  int* local;                               // per kept block: its number inside its part
  const double* corners[CH_SIDES_MAX + 1];  // of polygons, by number of sides
} Preparation;

// Rows of a bilateral block may differ in unit, so each has its own scale; one that no reaction moves drops out.
static void keep_bilateral(Kept* kept, const ChBlock* block, const double* diagonal) {
  for (int a = 0; a < block->dimension; ++a) {
    if (!(diagonal[block->row + a] > 0.0)) continue;
    kept->rows[kept->dim] = block->row + a;
    kept->g[kept->dim++] = 1.0 / sqrt(diagonal[block->row + a]);
  }
}

static void keep_row(Kept* kept, const ChBlock* block, double d) {
  kept->rows[0] = block->row;
  kept->g[0] = d;
  kept->dim = 1;
  kept->set = block->law == CH_LAW_LIMIT ? CH_SET_BOX : CH_SET_HALF;
}

// Whether nothing moves this row and it moves nothing: u = q = 0 there whatever the reactions are. So it is across a
// contact between bodies that are held to a plane, where Coulomb's cone has two sides.
static bool is_immovable(const Preparation* p, const double* diagonal, int row) {
  const ChSparse* A = p->by_bodies ? &p->problem->H : &p->W;
  if (diagonal[row] != 0.0 || p->q[row] != 0.0 || (!p->by_bodies && p->problem->asymmetry > 0.0)) return false;
  for (int k = A->start[row]; k < A->start[row + 1]; ++k)
    if (A->value[k] != 0.0) return false;
  return true;
}

static void keep_contact(const Preparation* p, Kept* kept, const ChBlock* block, const double* diagonal, double d) {
  double mu1 = p->pose == CH_POSE_FRICTIONLESS ? 0.0 : block->mu[0];
  double mu2 = p->pose == CH_POSE_FRICTIONLESS || block->dimension == 2 ? 0.0 : block->mu[1];
  if (is_immovable(p, diagonal, block->row + 1)) mu1 = 0.0;
  if (mu2 > 0.0 && is_immovable(p, diagonal, block->row + 2)) mu2 = 0.0;
  kept->rows[0] = block->row;
  kept->g[0] = d;
  kept->dim = 1;
  kept->set = mu1 > 0.0 || mu2 > 0.0 ? CH_SET_CONE : CH_SET_HALF;
  double mean = mu1 == mu2 ? mu1 : mu1 > 0.0 && mu2 > 0.0 ? sqrt(mu1) * sqrt(mu2) : mu1 + mu2;
  kept->mu = kept->set == CH_SET_CONE ? mean : 0.0;
  for (int t = 0; t < 2; ++t) {  // a direction without friction or motion carries no reaction and drops out
    double mu = t == 0 ? mu1 : mu2;
    if (!(mu > 0.0)) continue;
    kept->rows[kept->dim] = block->row + 1 + t;
    kept->g[kept->dim++] = mu == mean ? d : d * (mu / mean);
  }
  kept->sides = kept->dim == 3 ? block->sides : 0;
  if (kept->dim == 2 && kept->rows[1] == block->row + 2 && block->sides % 4 == 2)
    kept->mu *= cos(acos(-1.0) / block->sides);  // such a polygon has no corner on the second axis
}

static void keep_blocks(Preparation* p, const unsigned char* skip, const double* diagonal) {
  const ChProblem* problem = p->problem;
  p->kept = CH_TAKE_RAW(p->arena, problem->block_count, Kept);
  p->block_of = CH_TAKE_RAW(p->arena, problem->rows, int);
  p->slot_of = CH_TAKE_RAW(p->arena, problem->rows, int);
  for (int row = 0; row < problem->rows; ++row) p->block_of[row] = -1;
  for (int i = 0; i < problem->block_count; ++i) {
    const ChBlock* block = &problem->blocks[i];
    double trace = 0.0;
    for (int a = 0; a < block->dimension; ++a) trace += diagonal[block->row + a];
    if (!(trace > 0.0) || (skip && skip[i])) continue;
    double d = sqrt(block->dimension / trace);
    Kept* kept = &p->kept[p->kept_count];
    *kept = (Kept){.source = i, .set = CH_SET_FREE};
    if (block->law == CH_LAW_BILATERAL)
      keep_bilateral(kept, block, diagonal);
    else if (block->law == CH_LAW_CONTACT)
      keep_contact(p, kept, block, diagonal, d);
    else
      keep_row(kept, block, d);
    for (int a = 0; a < kept->dim; ++a) {
      p->block_of[kept->rows[a]] = p->kept_count;
      p->slot_of[kept->rows[a]] = a;
    }
    if (kept->sides > 0 && !p->corners[kept->sides]) {
      double* corners = CH_TAKE(p->arena, 2 * kept->sides, double);
      ch_polygon_corners(kept->sides, corners);
      p->corners[kept->sides] = corners;
    }
    ++p->kept_count;
  }
}

// Whether an entry of the block's Jacobians acts on a row that is kept.
static bool acts(const Preparation* p, const Kept* kept, int entry) {
  int d = p->problem->blocks[kept->source].dimension, size = ch_mass_size(p->mass, p->jacobians.body[entry]);
  const double* H = p->jacobians.H + p->jacobians.at[entry];
  if (kept->dim == d) return true;
  for (int a = 0; a < kept->dim; ++a)
    for (int x = 0; x < size; ++x)
      if (H[x * d + kept->rows[a] - p->problem->blocks[kept->source].row] != 0.0) return true;
  return false;
}

// Contacts belong together when they share a body.
static void join_on_bodies(const Preparation* p, int* parent) {
  int* first = CH_TAKE(p->arena, p->mass->bodies, int);  // 1 + the first block on each body
  for (int i = 0; i < p->kept_count; ++i) {
    const Kept* kept = &p->kept[i];
    for (int k = p->jacobians.start[kept->source]; k < p->jacobians.start[kept->source + 1]; ++k) {
      int body = p->jacobians.body[k];
      if (!acts(p, kept, k)) continue;
      if (first[body] == 0) first[body] = i + 1;
      ch_sets_join(parent, i, first[body] - 1);
    }
  }
}

// Where only W is known, when W couples them.
static void join_coupled(const Preparation* p, int* parent) {
  for (int i = 0; i < p->kept_count; ++i)
    for (int a = 0; a < p->kept[i].dim; ++a) {
      int column = p->kept[i].rows[a];
      for (int k = p->W.start[column]; k < p->W.start[column + 1]; ++k)
        if (p->W.value[k] != 0.0 && p->block_of[p->W.index[k]] >= 0)
          ch_sets_join(parent, i, p->block_of[p->W.index[k]]);
    }
}

// members[start[c]] .. members[start[c+1]-1] are the kept blocks of part c, in the problem's order.
static int find_parts(Preparation* p, int** start, int** members) {
  int n = p->kept_count;
  int* parent = CH_TAKE(p->arena, n, int);
  int* label = CH_TAKE(p->arena, n, int);
  ch_sets_init(n, parent);
  if (p->by_bodies)
    join_on_bodies(p, parent);
  else
    join_coupled(p, parent);
  int parts = ch_sets_label(n, parent, label);
  *start = CH_TAKE(p->arena, parts + 1, int);
  *members = CH_TAKE(p->arena, n, int);
  p->local = CH_TAKE(p->arena, n, int);
  for (int i = 0; i < n; ++i) ++(*start)[label[i] + 1];
  for (int c = 0; c < parts; ++c) (*start)[c + 1] += (*start)[c];
  int* filled = CH_TAKE(p->arena, parts, int);
  for (int i = 0; i < n; ++i) {
    p->local[i] = filled[label[i]]++;
    (*members)[(*start)[label[i]] + p->local[i]] = i;
  }
  return parts;
}

// Sizes, sets, q and the way back; returns false where nothing drives the part, so that r = 0 is the answer.
static bool fill_rows(const Preparation* p, const int* members, int count, ChComponent* part) {
  ChSystem* s = &part->system;
  s->n = count;
  s->dim = CH_TAKE(p->arena, count, int);
  s->row = CH_TAKE(p->arena, count + 1, int);
  s->set = CH_TAKE(p->arena, count, unsigned char);
  s->mu = CH_TAKE(p->arena, count, double);
  s->sides = CH_TAKE(p->arena, count, int);
  s->corners = CH_TAKE(p->arena, count, const double*);
  s->lo = CH_TAKE(p->arena, count, double);
  s->hi = CH_TAKE(p->arena, count, double);
  for (int i = 0; i < count; ++i) {
    s->dim[i] = p->kept[members[i]].dim;
    s->row[i + 1] = s->row[i] + s->dim[i];
  }
  s->rows = s->row[count];
  s->relaxed = p->pose == CH_POSE_RELAXED;
  s->q = CH_TAKE_RAW(p->arena, s->rows, double);
  part->source = CH_TAKE_RAW(p->arena, s->rows, int);
  part->g = CH_TAKE_RAW(p->arena, s->rows, double);
  double sum = 0.0;
  for (int i = 0; i < count; ++i) {
    const Kept* kept = &p->kept[members[i]];
    const ChBlock* block = &p->problem->blocks[kept->source];
    s->set[i] = (unsigned char)kept->set;
    s->mu[i] = kept->mu;
    s->sides[i] = kept->sides;
    s->polygonal |= kept->sides > 0;
    s->corners[i] = p->corners[kept->sides];
    if (kept->set == CH_SET_BOX) {  // bounds that leave zero out drive the part as q does
      double least = ch_project_interval(block->lo, block->hi, 0.0) / kept->g[0];
      sum += least * least;
    }
    for (int a = 0; a < kept->dim; ++a) {
      int row = s->row[i] + a;
      part->source[row] = kept->rows[a];
      part->g[row] = kept->g[a];
      s->q[row] = kept->g[a] * p->q[kept->rows[a]];
      sum += s->q[row] * s->q[row];
    }
  }
  part->c = sum > 0.0 ? sqrt(sum) : 1.0;
  for (int row = 0; row < s->rows; ++row) s->q[row] /= part->c;
  for (int i = 0; i < count; ++i) {
    const ChBlock* block = &p->problem->blocks[p->kept[members[i]].source];
    s->lo[i] = block->lo / (part->c * part->g[s->row[i]]);
    s->hi[i] = block->hi / (part->c * part->g[s->row[i]]);
  }
  return sum > 0.0;
}

typedef struct Pair {
  int i, j;
} Pair;

// Pattern of W between blocks, made symmetric; rows sorted by a bucket pass over columns, then duplicates dropped.
static void build_pattern(ChArena* arena, int n, const Pair* pairs, long count, ChBlockCsr* W) {
  int* by_column = CH_TAKE(arena, n + 1, int);
  int* row_of = CH_TAKE(arena, count, int);
  W->start = CH_TAKE(arena, n + 2, int);
  W->column = CH_TAKE(arena, count, int);
  for (long k = 0; k < count; ++k) {
    ++by_column[pairs[k].j + 1];
    ++W->start[pairs[k].i + 2];
  }
  for (int j = 0; j < n; ++j) {
    by_column[j + 1] += by_column[j];
    W->start[j + 2] += W->start[j + 1];
  }
  for (long k = 0; k < count; ++k)
    row_of[by_column[pairs[k].j]++] = pairs[k].i;  // by_column[j] is now the end of column j
  for (int j = 0, k = 0; j < n; ++j)
    for (; k < by_column[j]; ++k) W->column[W->start[row_of[k] + 1]++] = j;
  int kept = 0;
  for (int i = 0, k = 0; i < n; ++i) {
    int end = W->start[i + 1], first = kept;
    for (; k < end; ++k)
      if (kept == first || W->column[kept - 1] != W->column[k]) W->column[kept++] = W->column[k];
    W->start[i] = first;
  }
  W->start[n] = kept;
}

static long list_pairs(const Preparation* p, const int* members, const ChSystem* s, int* seen, Pair* pairs) {
  long count = 0;
  for (int j = 0; j < s->n; ++j) seen[j] = -1;
  for (int j = 0; j < s->n; ++j) {
    if (pairs) pairs[count] = (Pair){j, j};
    ++count;
    seen[j] = j;
    for (int b = 0; b < s->dim[j]; ++b) {
      int column = p->kept[members[j]].rows[b];
      for (int k = p->W.start[column]; k < p->W.start[column + 1]; ++k) {
        int block = p->block_of[p->W.index[k]];
        if (block < 0 || p->W.value[k] == 0.0) continue;
        int i = p->local[block];
        if (seen[i] == j) continue;
        seen[i] = j;
        if (pairs) {
          pairs[count] = (Pair){i, j};
          pairs[count + 1] = (Pair){j, i};
        }
        count += 2;
      }
    }
  }
  return count;
}

static void fill_delassus(const Preparation* p, const int* members, ChComponent* part) {
  ChSystem* s = &part->system;
  ChArena* arena = p->arena;
  int* seen = CH_TAKE(arena, s->n, int);
  Pair* pairs = CH_TAKE(arena, list_pairs(p, members, s, seen, NULL), Pair);
  long count = list_pairs(p, members, s, seen, pairs);
  s->W = (ChBlockCsr){.n = s->n, .dim = s->dim, .row = s->row};
  build_pattern(arena, s->n, pairs, count, &s->W);
  ch_block_csr_layout(arena, &s->W);
  for (int j = 0; j < s->n; ++j)
    for (int b = 0; b < s->dim[j]; ++b) {
      int column = p->kept[members[j]].rows[b], last = -1;
      double g = part->g[s->row[j] + b], *block = NULL;
      for (int k = p->W.start[column]; k < p->W.start[column + 1]; ++k) {
        int source = p->block_of[p->W.index[k]];
        if (source < 0 || p->W.value[k] == 0.0) continue;
        int i = p->local[source], a = p->slot_of[p->W.index[k]];
        if (i != last) block = (double*)ch_block_csr_find(&s->W, i, j);
        last = i;
        block[a * s->dim[j] + b] = part->g[s->row[i] + a] * p->W.value[k] * g;
      }
    }
  s->formed = true;
  s->symmetric = ch_block_csr_asymmetry(&s->W) <= SYMMETRY_TOLERANCE;
}

// Bodies of the part, in order of first touch, with their scaled masses.
static void fill_masses(const Preparation* p, ChBodies* b, const int* bodies) {
  ChArena* arena = p->arena;
  b->dim = CH_TAKE(arena, b->n, int);
  b->row = CH_TAKE(arena, b->n + 1, int);
  b->offset = CH_TAKE(arena, b->n + 1, long);
  for (int k = 0; k < b->n; ++k) {
    b->dim[k] = ch_mass_size(p->mass, bodies[k]);
    b->row[k + 1] = b->row[k] + b->dim[k];
    b->offset[k + 1] = b->offset[k] + (long)b->dim[k] * b->dim[k];
  }
  b->dofs = b->row[b->n];
  b->matrix = CH_TAKE_RAW(arena, b->offset[b->n], double);
  b->inverse = CH_TAKE_RAW(arena, b->offset[b->n], double);
  b->scratch = CH_TAKE_RAW(arena, b->dofs, double);
  for (int k = 0; k < b->n; ++k) {
    int size = b->dim[k];
    const double *matrix = p->mass->matrix + p->mass->offset[bodies[k]], *root = p->root + p->mass->start[bodies[k]];
    const double* inverse = p->mass->inverse + p->mass->offset[bodies[k]];
    for (int i = 0; i < size; ++i)
      for (int j = 0; j < size; ++j) {
        double scale = root[i] * root[j];
        b->matrix[b->offset[k] + i * size + j] = matrix[i * size + j] / scale;
        b->inverse[b->offset[k] + i * size + j] = inverse[i * size + j] * scale;
      }
  }
}

// Which bodies each block touches, and where its Jacobians go; returns the room that these need.
static long list_touched(const Preparation* p, const int* members, int* body_local, int* bodies, ChSystem* s) {
  ChBodies* b = s->bodies;
  int count = 0;
  long size = 0;
  for (int i = 0; i < s->n; ++i) {
    const Kept* kept = &p->kept[members[i]];
    for (int k = p->jacobians.start[kept->source]; k < p->jacobians.start[kept->source + 1]; ++k) {
      int body = p->jacobians.body[k];
      if (!acts(p, kept, k)) continue;
      if (body_local[body] < 0) bodies[body_local[body] = b->n++] = body;
      b->body[count] = body_local[body];
      b->jacobian[count++] = size;
      size += (long)ch_mass_size(p->mass, body) * s->dim[i];
    }
    b->start[i + 1] = count;
  }
  return size;
}

// out = root(M)^-1 H g
static inline void scale(int size, int d, const double* root, const double* g, const double* H, double* out) {
  for (int x = 0; x < size; ++x) {
    double inverse = 1.0 / root[x];
    for (int a = 0; a < d; ++a) out[x * d + a] = H[x * d + a] * g[a] * inverse;
  }
}

// The same of the rows that are kept.
static void scale_jacobian(const Preparation* p, const Kept* kept, int entry, double* out) {
  const ChBlock* block = &p->problem->blocks[kept->source];
  int body = p->jacobians.body[entry], size = ch_mass_size(p->mass, body), d = block->dimension;
  const double *H = p->jacobians.H + p->jacobians.at[entry], *root = p->root + p->mass->start[body];
  if (kept->dim == d && d == 3 && size == 6) {  // with sizes that the compiler knows
    scale(6, 3, root, kept->g, H, out);
    return;
  }
  for (int x = 0; x < size; ++x) {
    double inverse = 1.0 / root[x];
    for (int a = 0; a < kept->dim; ++a)
      out[x * kept->dim + a] = H[x * d + kept->rows[a] - block->row] * kept->g[a] * inverse;
  }
}

static void fill_bodies(const Preparation* p, const int* members, int* body_local, ChComponent* part) {
  ChSystem* s = &part->system;
  ChArena* arena = p->arena;
  ChBodies* b = s->bodies = CH_TAKE(arena, 1, ChBodies);
  int entries = 0;
  for (int i = 0; i < s->n; ++i) {
    int source = p->kept[members[i]].source;
    entries += p->jacobians.start[source + 1] - p->jacobians.start[source];
  }
  int* bodies = CH_TAKE(arena, entries, int);
  b->start = CH_TAKE(arena, s->n + 1, int);
  b->body = CH_TAKE_RAW(arena, entries, int);
  b->jacobian = CH_TAKE_RAW(arena, entries + 1, long);
  b->H = CH_TAKE_RAW(arena, list_touched(p, members, body_local, bodies, s), double);
  fill_masses(p, b, bodies);
  for (int i = 0, at = 0; i < s->n; ++i) {
    const Kept* kept = &p->kept[members[i]];
    for (int k = p->jacobians.start[kept->source]; k < p->jacobians.start[kept->source + 1]; ++k)
      if (acts(p, kept, k)) scale_jacobian(p, kept, k, b->H + b->jacobian[at++]);
  }
  for (int k = 0; k < b->n; ++k) body_local[bodies[k]] = -1;
}

// W_ii from the Jacobians, or from W
static void fill_diagonal(const Preparation* p, const int* members, ChSystem* s) {
  s->diagonal_at = CH_TAKE(p->arena, s->n + 1, int);
  for (int i = 0; i < s->n; ++i) s->diagonal_at[i + 1] = s->diagonal_at[i] + s->dim[i] * s->dim[i];
  s->diagonal = CH_TAKE_RAW(p->arena, s->diagonal_at[s->n], double);
  for (int i = 0; i < s->n; ++i) {
    const Kept* kept = &p->kept[members[i]];
    const ChBlock* source = &p->problem->blocks[kept->source];
    double* block = s->diagonal + s->diagonal_at[i];
    if (!p->by_bodies) {
      memcpy(block, s->W.value + s->W.offset[s->W.diagonal[i]], (size_t)(kept->dim * kept->dim) * sizeof *block);
      continue;
    }
    const double* square = p->jacobians.square + p->jacobians.square_at[kept->source];
    for (int a = 0; a < kept->dim; ++a)
      for (int c = 0; c < kept->dim; ++c)
        block[a * kept->dim + c] =
            kept->g[a] * square[(kept->rows[a] - source->row) * source->dimension + kept->rows[c] - source->row] *
            kept->g[c];
  }
}

static void build_part(const Preparation* p, const int* members, int count, int* body_local, ChPrepared* out) {
  ChComponent* part = &out->component[out->count];
  *part = (ChComponent){.c = 1.0};
  if (!fill_rows(p, members, count, part)) return;
  ChSystem* s = &part->system;
  s->symmetric = p->problem->asymmetry <= SYMMETRY_TOLERANCE;
  if (body_local) fill_bodies(p, members, body_local, part);
  s->due = p->formed && p->by_bodies;
  if (p->formed && !p->by_bodies) fill_delassus(p, members, part);
  fill_diagonal(p, members, s);
  double* zero = CH_TAKE(p->arena, s->rows, double);
  part->zero_error = ch_system_error(s, zero, s->q);
  ++out->count;
}

// Roots of the masses, and the diagonal of W from the Jacobians.
static void use_bodies(Preparation* p, const unsigned char* skip, double* diagonal) {
  const ChProblem* problem = p->problem;
  const ChMass* mass = p->mass;
  p->jacobians = ch_block_jacobians(p->arena, problem, skip);
  p->root = CH_TAKE_RAW(p->arena, problem->dof, double);
  for (int b = 0; b < mass->bodies; ++b)
    for (int x = 0, size = ch_mass_size(mass, b); x < size; ++x)
      p->root[mass->start[b] + x] = sqrt(mass->matrix[mass->offset[b] + x * size + x]);
  for (int i = 0; i < problem->block_count; ++i) {
    const ChBlock* block = &problem->blocks[i];
    for (int a = 0; a < block->dimension; ++a)
      diagonal[block->row + a] = p->jacobians.square[p->jacobians.square_at[i] + a * block->dimension + a];
  }
}

// Upper bound on the entries of W.
static double delassus_size(const Preparation* p) {
  if (!p->by_bodies) return ch_delassus_size(p->arena, p->problem);
  int* rows = CH_TAKE(p->arena, p->mass->bodies, int);
  double size = 0.0;
  for (int i = 0; i < p->problem->block_count; ++i)
    for (int k = p->jacobians.start[i]; k < p->jacobians.start[i + 1]; ++k)
      rows[p->jacobians.body[k]] += p->problem->blocks[i].dimension;
  for (int b = 0; b < p->mass->bodies; ++b) size += (double)rows[b] * rows[b];
  return size;
}

ChStatus ch_prepare_late(ChContext* context, ChArena* arena, const ChProblem* problem, ChPose pose,
                         const unsigned char* skip, ChPrepared* out) {
  Preparation p = {.arena = arena, .problem = problem, .pose = pose, .mass = problem->mass};
  *out = (ChPrepared){0};
  double* diagonal = CH_TAKE(arena, problem->rows, double);
  p.by_bodies = p.mass && !p.mass->lu;
  if (p.by_bodies)
    use_bodies(&p, skip, diagonal);
  else
    ch_delassus_diagonal(arena, problem, diagonal);
  double size = delassus_size(&p);
  p.formed = problem->form == CH_FORM_LOCAL || size <= ch_prepare_largest_w;
  if (!p.formed && !p.by_bodies)
    return ch_fail(context, CH_ERR_UNSUPPORTED,
                   "W would have %.2g entries and M has a part with over %d degrees of freedom: neither fits in memory",
                   size, CH_BODY_MAX);
  if (p.formed && !p.by_bodies) p.W = ch_delassus_form(arena, problem);
  p.q = CH_TAKE_RAW(arena, problem->rows, double);
  ch_delassus_q(arena, problem, p.q);
  keep_blocks(&p, skip, diagonal);
  int *start, *members, *body_local = NULL;
  int parts = find_parts(&p, &start, &members);
  if (p.by_bodies) {
    body_local = CH_TAKE(arena, p.mass->bodies, int);
    for (int b = 0; b < p.mass->bodies; ++b) body_local[b] = -1;
  }
  out->component = CH_TAKE(arena, parts, ChComponent);
  for (int c = 0; c < parts; ++c) build_part(&p, members + start[c], start[c + 1] - start[c], body_local, out);
  return CH_OK;
}

bool ch_system_is_heap(const ChSystem* s) { return s->bodies && s->n >= HEAP_BLOCKS && s->rows > s->bodies->dofs; }

void ch_system_form(ChArena* arena, ChSystem* s) {
  s->W = ch_bodies_delassus(arena, s->bodies, s->n, s->dim, s->row, s->symmetric);
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
