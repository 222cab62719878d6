// Extreme rays of a system's sets and their Gram matrix: see active_set_rays.h.
#include "solve/qp/active_set_rays.h"

#include <math.h>
#include <string.h>

#define MOST_ENTRIES 150000000L  // of A: beyond this the memory of a machine is in danger

// Whether the sum of a block's multipliers is bounded: by a disc's radius, or by a penalty.
static bool is_grouped(const ChSystem* s, int i, double penalty) {
  return s->block[i].law->capped || (s->block[i].law->cone && isfinite(penalty));
}

static int rays_of_block(const ChSystem* s, int i, double penalty) {
  return s->block[i].law->polygon->rays(&s->block[i]) + is_grouped(s, i, penalty);
}

static double* ray(const ChRays* y, int i, int p) { return y->G + CH_RAY_ROWS * (y->start[i] + p); }

static void fill_block(ChRays* y, int i) {
  const ChScaledBlock* b = &y->s->block[i];
  b->law->polygon->fill(b, (ChRayRows){.G = ray(y, i, 0),
                                       .free = y->free + y->start[i],
                                       .bound = y->bound + y->start[i],
                                       .base = y->base + y->s->row[i]});
}

static void lay_out(ChArena* arena, const ChRaysDef* def, ChRays* y) {
  const ChSystem* s = y->s;
  y->start = CH_TAKE(arena, s->n + 1, int);
  y->group = CH_TAKE(arena, s->n, int);
  for (int i = 0; i < s->n; ++i) {
    y->start[i + 1] = y->start[i] + rays_of_block(s, i, def->penalty);
    y->group[i] = is_grouped(s, i, def->penalty) ? y->groups++ : -1;
  }
  y->n = y->start[s->n];
  y->rank_max = s->rows + y->groups;
  y->G = CH_TAKE(arena, CH_RAY_ROWS * y->n, double);
  double** rows[] = {&y->base, &y->center, &y->u};
  for (int k = 0; k < 3; ++k) *rows[k] = CH_TAKE(arena, s->rows, double);
  y->free = CH_TAKE(arena, y->n, unsigned char);
  double** vectors[] = {&y->bound, &y->b, &y->cap, &y->rho, &y->z};
  for (int k = 0; k < 5; ++k) *vectors[k] = CH_TAKE(arena, k < 2 ? y->n : y->groups, double);
  for (int p = 0; p < y->n; ++p) y->bound[p] = INFINITY;
  for (int i = 0; i < s->n; ++i)
    if (y->group[i] >= 0) {
      y->cap[y->group[i]] = def->penalty;
      y->rho[y->group[i]] = s->block[i].law->capped ? def->rho : 1.0;
    }
}

// Rays that move r; without s_g.
static int movers(const ChRays* y, int i) { return y->start[i + 1] - y->start[i] - (y->group[i] >= 0); }
static bool is_vector(const ChSystem* s, int i) { return s->block[i].law->together; }

// g_p' W_ij g_q, W_ij given by rows
static double product(const ChRays* y, int i, int p, int j, int q, const double* W) {
  const ChSystem* s = y->s;
  const double *gp = ray(y, i, p), *gq = ray(y, j, q);
  int ni = s->dim[i], nj = s->dim[j];
  int a0 = is_vector(s, i) ? 0 : p, a1 = is_vector(s, i) ? ni : p + 1;
  int b0 = is_vector(s, j) ? 0 : q, b1 = is_vector(s, j) ? nj : q + 1;
  double sum = 0.0;
  for (int a = a0; a < a1; ++a)
    for (int b = b0; b < b1; ++b) sum += gp[a - a0] * W[a * nj + b] * gq[b - b0];
  return sum;
}

// g_p'g_q, two rays of one block
static double plain_product(const ChRays* y, int i, int p, int q) {
  const double *gp = ray(y, i, p), *gq = ray(y, i, q);
  if (!is_vector(y->s, i)) return p == q ? 1.0 : 0.0;
  double sum = 0.0;
  for (int a = 0; a < y->s->dim[i]; ++a) sum += gp[a] * gq[a];
  return sum;
}

// Column q of block j: by symmetry the row, block by block.
static int fill_column(ChRays* y, int j, int q, int at) {
  const ChBlockCsr* W = &y->s->W;
  int slack = movers(y, j);
  for (int k = W->start[j]; k < W->start[j + 1]; ++k) {
    int i = W->column[k];
    double rho = i == j && y->group[j] >= 0 ? y->rho[y->group[j]] : 0.0;
    for (int p = 0; p < movers(y, i) && q < slack; ++p) {
      y->A.index[at] = y->start[i] + p;
      y->A.value[at] = product(y, j, q, i, p, W->value + W->offset[k]) + rho;
      if (i == j && y->delta > 0.0) y->A.value[at] += y->delta * plain_product(y, i, p, q);
      ++at;
    }
    if (i != j || y->group[j] < 0) continue;
    for (int p = q < slack ? slack : 0; p <= slack; ++p) {
      y->A.index[at] = y->start[j] + p;
      y->A.value[at++] = rho;
    }
  }
  return at;
}

static bool fill_gram(ChArena* arena, ChRays* y) {
  const ChSystem* s = y->s;
  long count = 0;
  for (int j = 0; j < s->n; ++j)
    for (int k = s->W.start[j]; k < s->W.start[j + 1]; ++k) {
      int i = s->W.column[k];
      count += (long)(y->start[j + 1] - y->start[j]) * (y->start[i + 1] - y->start[i]);
    }
  if (count > MOST_ENTRIES) return false;
  y->A = (ChSparse){.rows = y->n,
                    .columns = y->n,
                    .start = CH_TAKE(arena, y->n + 1, int),
                    .index = CH_TAKE(arena, count, int),
                    .value = CH_TAKE(arena, count, double)};
  for (int j = 0, at = 0; j < s->n; ++j)
    for (int q = 0; q < y->start[j + 1] - y->start[j]; ++q)
      y->A.start[y->start[j] + q + 1] = at = fill_column(y, j, q, at);
  return true;
}

static double dot_ray(const ChRays* y, int i, int p, const double* u) {
  const ChSystem* s = y->s;
  const double *g = ray(y, i, p), *ui = u + s->row[i];
  double sum = 0.0;
  if (!is_vector(s, i)) return g[0] * ui[p];
  for (int a = 0; a < s->dim[i]; ++a) sum += g[a] * ui[a];
  return sum;
}

void ch_rays_renew(ChRays* y, const ChSystem* system) {
  y->s = system;
  for (int i = 0; i < system->n; ++i) {
    fill_block(y, i);
    if (system->block[i].law->capped) y->cap[y->group[i]] = system->block[i].mu;
  }
  ch_system_velocity(system, y->base, y->u);
  for (int i = 0; i < system->n; ++i)
    for (int p = 0; p < movers(y, i); ++p) y->b[y->start[i] + p] = dot_ray(y, i, p, y->u);
}

bool ch_rays_create(ChArena* arena, const ChSystem* system, const ChRaysDef* def, ChRays* y) {
  *y = (ChRays){.s = system, .delta = def->delta};
  lay_out(arena, def, y);
  ch_rays_renew(y, system);
  return fill_gram(arena, y);
}

static void split_block(const ChRays* y, int i, const double* r, double* out) {
  const ChScaledBlock* b = &y->s->block[i];
  for (int p = y->start[i]; p < y->start[i + 1]; ++p) out[p - y->start[i]] = 0.0;
  b->law->polygon->split(b, y->base + y->s->row[i], r, out);
}

void ch_rays_start(ChRays* y, const double* r, const double* u, double* out) {
  memcpy(y->center, r, (size_t)y->s->rows * sizeof *r);
  for (int i = 0; i < y->s->n; ++i) {
    int g = y->group[i];
    double sum = 0.0;
    if (out) split_block(y, i, r + y->s->row[i], out + y->start[i]);
    if (g < 0) continue;
    y->z[g] = 0.0;
    for (int p = 0; p < movers(y, i); ++p) {
      sum += out ? out[y->start[i] + p] : 0.0;
      y->z[g] = fmax(y->z[g], -dot_ray(y, i, p, u));
    }
    if (out) out[y->start[i + 1] - 1] = fmax(y->cap[g] - sum, 0.0);
  }
}

// A disc's rays may sum to a little more than its cap: they are shortened, so that r is inside.
void ch_rays_to_reaction(const ChRays* y, const double* multipliers, double* r) {
  const ChSystem* s = y->s;
  memcpy(r, y->base, (size_t)s->rows * sizeof *r);
  for (int i = 0; i < s->n; ++i) {
    const double* part = multipliers + y->start[i];
    double *ri = r + s->row[i], sum = 0.0, scale = 1.0;
    for (int p = 0; p < movers(y, i); ++p) sum += part[p];
    if (s->block[i].law->capped && sum > y->cap[y->group[i]]) scale = y->cap[y->group[i]] / sum;
    for (int p = 0; p < movers(y, i); ++p) {
      if (!is_vector(s, i)) ri[p] += ray(y, i, p)[0] * part[p];
      for (int a = 0; a < s->dim[i] && is_vector(s, i); ++a) ri[a] += scale * ray(y, i, p)[a] * part[p];
    }
  }
}

void ch_rays_linear_term(ChRays* y, double* b) {
  const ChSystem* s = y->s;
  memcpy(b, y->b, (size_t)y->n * sizeof *b);
  for (int k = 0; k < s->rows; ++k) y->u[k] = y->delta * (y->base[k] - y->center[k]);
  for (int i = 0; i < s->n; ++i) {
    int g = y->group[i];
    for (int p = y->start[i]; p < y->start[i + 1] && g >= 0; ++p) b[p] += y->z[g] - y->rho[g] * y->cap[g];
    for (int p = 0; p < movers(y, i) && y->delta > 0.0; ++p) b[y->start[i] + p] += dot_ray(y, i, p, y->u);
  }
}

double ch_rays_update(ChRays* y, const double* multipliers, const double* r) {
  double largest = 0.0;
  for (int k = 0; k < y->s->rows; ++k) {
    largest = fmax(largest, y->delta * fabs(r[k] - y->center[k]));
    y->center[k] = r[k];
  }
  for (int i = 0; i < y->s->n; ++i) {
    int g = y->group[i];
    double sum = 0.0;
    if (g < 0) continue;
    for (int p = y->start[i]; p < y->start[i + 1]; ++p) sum += multipliers[p];
    double change = y->rho[g] * (sum - y->cap[g]);
    y->z[g] = fmax(y->z[g] + change, 0.0);
    largest = fmax(largest, fabs(change));
  }
  return largest;
}
