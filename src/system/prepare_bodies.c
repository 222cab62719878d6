// The bodies of one part with their scaled masses, and its scaled Jacobians.
#include <math.h>
#include <string.h>

#include "system/preparation.h"

// M and M^-1 of one body in scaled variables.
static void scale_square(int size, bool diagonal, const double* root, const double* matrix, const double* inverse,
                         double* scaled, double* scaled_inverse) {
  if (diagonal) {
    memset(scaled, 0, (size_t)(size * size) * sizeof *scaled);
    memset(scaled_inverse, 0, (size_t)(size * size) * sizeof *scaled_inverse);
  }
  for (int i = 0; i < size; ++i)
    for (int j = diagonal ? i : 0; j < (diagonal ? i + 1 : size); ++j) {
      const double scale = root[i] * root[j];
      scaled[i * size + j] = matrix[i * size + j] / scale;
      scaled_inverse[i * size + j] = inverse[i * size + j] * scale;
    }
}

// Bodies of the part, in order of first touch, with their scaled masses.
static void fill_masses(const ChPreparation* p, ChBodies* b, const int* bodies) {
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
  b->source = CH_TAKE_RAW(arena, b->dofs, int);
  b->root = CH_TAKE_RAW(arena, b->dofs, double);
  for (int k = 0; k < b->n; ++k) {
    int size = b->dim[k];
    const double *matrix = p->mass->matrix + p->mass->offset[bodies[k]], *root = p->root + p->mass->start[bodies[k]];
    const double* inverse = p->mass->inverse + p->mass->offset[bodies[k]];
    memcpy(b->source + b->row[k], p->mass->dof + p->mass->start[bodies[k]], (size_t)size * sizeof(int));
    memcpy(b->root + b->row[k], root, (size_t)size * sizeof(double));
    scale_square(size, p->mass->diagonal[bodies[k]], root, matrix, inverse, b->matrix + b->offset[k],
                 b->inverse + b->offset[k]);
  }
}

// Which bodies each block touches, and where its Jacobians go; returns the room that these need.
static long list_touched(const ChPreparation* p, const int* members, int* body_local, int* bodies, ChSystem* s) {
  ChBodies* b = s->bodies;
  int count = 0;
  long size = 0;
  for (int i = 0; i < s->n; ++i) {
    const ChKeptBlock* kept = &p->kept[members[i]];
    for (int k = p->jacobians.start[kept->source]; k < p->jacobians.start[kept->source + 1]; ++k) {
      int body = p->jacobians.body[k];
      if (!ch_prepare_acts(p, kept, k)) continue;
      if (body_local[body] < 0) bodies[body_local[body] = b->n++] = body;
      b->body[count] = body_local[body];
      b->jacobian[count++] = size;
      size += (long)ch_mass_size(p->mass, body) * s->dim[i];
    }
    b->start[i + 1] = count;
  }
  return size;
}

// out = root(M)^-1 H g; out may be H
static inline void scale(int size, int d, const double* share, const double* g, const double* H, double* out) {
  double scaled[6 * 3];  // so that the compiler need not fear that one step changes what the next reads
  for (int x = 0; x < size; ++x)
    for (int a = 0; a < d; ++a) scaled[x * d + a] = H[x * d + a] * g[a] * share[x];
  memcpy(out, scaled, (size_t)(size * d) * sizeof *out);
}

// The same from three rows of H
static void scale_rows(int size, const double* restrict share, const double* g, const double* const row[3],
                       double* restrict out) {
  const double* restrict a = row[0], * restrict b = row[1], * restrict c = row[2], g0 = g[0], g1 = g[1], g2 = g[2];
  for (int x = 0; x < size; ++x) {
    out[3 * x] = a[x] * g0 * share[x];
    out[3 * x + 1] = b[x] * g1 * share[x];
    out[3 * x + 2] = c[x] * g2 * share[x];
  }
}

static void scale_sources(const ChPreparation* p, const ChKeptBlock* kept, int entry, double* out) {
  const double *row[CH_SOURCE_ROWS], *share = p->share + p->mass->start[p->jacobians.body[entry]];
  int size = ch_mass_size(p->mass, p->jacobians.body[entry]), first = p->problem->blocks[kept->source].row;
  for (int a = 0; a < kept->block.dim; ++a)
    row[a] = ch_jacobian_source(&p->jacobians, p->problem, entry, kept->rows[a] - first);
  if (kept->block.dim == 3) {
    scale_rows(size, share, kept->g, row, out);
    return;
  }
  for (int x = 0; x < size; ++x)
    for (int a = 0; a < kept->block.dim; ++a) out[x * kept->block.dim + a] = row[a][x] * kept->g[a] * share[x];
}

// The same of the rows that are kept.
static void scale_jacobian(const ChPreparation* p, const ChKeptBlock* kept, int entry, double* out) {
  const ChBlock* block = &p->problem->blocks[kept->source];
  int body = p->jacobians.body[entry], size = ch_mass_size(p->mass, body), d = block->dimension;
  const double *H = p->jacobians.H + p->jacobians.at[entry], *share = p->share + p->mass->start[body];
  if (ch_jacobian_source(&p->jacobians, p->problem, entry, 0)) {
    scale_sources(p, kept, entry, out);
    return;
  }
  if (kept->block.dim == d && d == 3) {  // with sizes that the compiler knows
    int x = 0;
    for (; x + 6 <= size; x += 6) scale(6, 3, share + x, kept->g, H + 3 * x, out + 3 * x);
    scale(size - x, 3, share + x, kept->g, H + 3 * x, out + 3 * x);
    return;
  }
  for (int x = 0; x < size; ++x)
    for (int a = 0; a < kept->block.dim; ++a)
      out[x * kept->block.dim + a] = H[x * d + kept->rows[a] - block->row] * kept->g[a] * share[x];
}

void ch_prepare_bodies(const ChPreparation* p, const int* members, int* body_local, ChComponent* part) {
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
  // A part that is all of the problem has every entry where it was: then they are scaled in their place.
  long size = list_touched(p, members, body_local, bodies, s);
  b->H = size == p->jacobians.size ? p->jacobians.H : CH_TAKE_RAW(arena, size, double);
  fill_masses(p, b, bodies);
  for (int i = 0, at = 0; i < s->n; ++i) {
    const ChKeptBlock* kept = &p->kept[members[i]];
    for (int k = p->jacobians.start[kept->source]; k < p->jacobians.start[kept->source + 1]; ++k)
      if (ch_prepare_acts(p, kept, k)) scale_jacobian(p, kept, k, b->H + b->jacobian[at++]);
  }
  for (int k = 0; k < b->n; ++k) body_local[bodies[k]] = -1;
}
