// Extreme rays of a system's sets and their Gram matrix: see active_set_rays.h.
#include "solve/qp/active_set_rays.h"

#include <math.h>
#include <string.h>

#define MOST_ENTRIES 150000000L  // of A: beyond this the memory of a machine is in danger

static bool is_grouped(const ChSystem* s, int i, double penalty) {
  return s->set[i] == CH_SET_DISC || (s->set[i] == CH_SET_CONE && isfinite(penalty));
}

static int rays_of_block(const ChSystem* s, int i, double penalty) {
  int extra = is_grouped(s, i, penalty);
  switch ((ChSet)s->set[i]) {
    case CH_SET_CONE:
      return extra + (s->dim[i] == 3 ? s->sides[i] : s->dim[i]);
    case CH_SET_DISC:
      return extra + s->sides[i];
    default:
      return s->dim[i];
  }
}

static void fill_cone(ChRays* y, int i) {
  const ChSystem* s = y->s;
  int count = s->dim[i] == 3 ? s->sides[i] : s->dim[i];
  for (int j = 0; j < count; ++j) {
    double* g = y->G + 3 * (y->start[i] + j);
    g[0] = 1.0;
    if (s->dim[i] == 2) g[1] = j == 0 ? s->mu[i] : -s->mu[i];
    for (int a = 0; a < 2 && s->dim[i] == 3; ++a) g[1 + a] = s->mu[i] * s->corners[i][2 * j + a];
  }
}

static void fill_box(ChRays* y, int i) {
  const ChSystem* s = y->s;
  bool low = isfinite(s->lo[i]), high = isfinite(s->hi[i]);
  int p = y->start[i];
  y->G[3 * p] = low || !high ? 1.0 : -1.0;
  y->base[s->row[i]] = low ? s->lo[i] : high ? s->hi[i] : 0.0;
  y->free[p] = !low && !high;
  if (low && high) y->bound[p] = s->hi[i] - s->lo[i];
}

static void fill_block(ChRays* y, int i) {
  const ChSystem* s = y->s;
  switch ((ChSet)s->set[i]) {
    case CH_SET_CONE:
      fill_cone(y, i);
      break;
    case CH_SET_DISC:
      for (int j = 0; j < s->sides[i]; ++j)
        memcpy(y->G + 3 * (y->start[i] + j), s->corners[i] + 2 * j, 2 * sizeof(double));
      break;
    case CH_SET_BOX:
      fill_box(y, i);
      break;
    default:
      for (int p = y->start[i]; p < y->start[i + 1]; ++p) {
        y->G[3 * p] = 1.0;
        y->free[p] = s->set[i] == CH_SET_FREE;
      }
  }
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
  y->G = CH_TAKE(arena, 3 * y->n, double);
  double** rows[] = {&y->base, &y->center, &y->u};
  for (int k = 0; k < 3; ++k) *rows[k] = CH_TAKE(arena, s->rows, double);
  y->free = CH_TAKE(arena, y->n, unsigned char);
  double** vectors[] = {&y->bound, &y->b, &y->cap, &y->rho, &y->z};
  for (int k = 0; k < 5; ++k) *vectors[k] = CH_TAKE(arena, k < 2 ? y->n : y->groups, double);
  for (int p = 0; p < y->n; ++p) y->bound[p] = INFINITY;
  for (int i = 0; i < s->n; ++i)
    if (y->group[i] >= 0) {
      y->cap[y->group[i]] = def->penalty;
      y->rho[y->group[i]] = s->set[i] == CH_SET_DISC ? def->rho : 1.0;
    }
}

// Rays that move r; without s_g.
static int movers(const ChRays* y, int i) { return y->start[i + 1] - y->start[i] - (y->group[i] >= 0); }
static bool is_vector(const ChSystem* s, int i) { return s->set[i] == CH_SET_CONE || s->set[i] == CH_SET_DISC; }

// g_p' W_ij g_q, W_ij given by rows
static double product(const ChRays* y, int i, int p, int j, int q, const double* W) {
  const ChSystem* s = y->s;
  const double *gp = y->G + 3 * (y->start[i] + p), *gq = y->G + 3 * (y->start[j] + q);
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
  const double *gp = y->G + 3 * (y->start[i] + p), *gq = y->G + 3 * (y->start[i] + q);
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
  const double *g = y->G + 3 * (y->start[i] + p), *ui = u + s->row[i];
  double sum = 0.0;
  if (!is_vector(s, i)) return g[0] * ui[p];
  for (int a = 0; a < s->dim[i]; ++a) sum += g[a] * ui[a];
  return sum;
}

void ch_rays_renew(ChRays* y, const ChSystem* system) {
  y->s = system;
  for (int i = 0; i < system->n; ++i) {
    fill_block(y, i);
    if (system->set[i] == CH_SET_DISC) y->cap[y->group[i]] = system->mu[i];
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

// t = a c_j + b c_k, two corners
static void split(const double* t, const double* c, int j, int k, double* a, double* b) {
  double det = c[2 * j] * c[2 * k + 1] - c[2 * j + 1] * c[2 * k];
  *a = (t[0] * c[2 * k + 1] - t[1] * c[2 * k]) / det;
  *b = (c[2 * j] * t[1] - c[2 * j + 1] * t[0]) / det;
}

// A point of the disc in the sector of two neighbouring corners.
static void split_disc(int sides, const double* corners, const double* t, double* y) {
  for (int j = 0; j < sides; ++j) {
    int k = (j + 1) % sides;
    double a, b;
    split(t, corners, j, k, &a, &b);
    if (!(a >= 0.0 && b >= 0.0)) continue;
    y[j] += a;
    y[k] += b;
    return;
  }
}

// r = (n, t) in the fan of triangles (c_0, c_j, c_j+1): t - n mu c_0 = a (c_j - c_0) + b (c_j+1 - c_0). The triangle
// whose smallest weight is largest holds the point, or comes nearest.
static void split_cone(int sides, const double* corners, double mu, const double* r, double* y) {
  double best = -INFINITY, weight[3] = {r[0], 0.0, 0.0};
  int at = 1;
  for (int j = 1; j + 1 < sides; ++j) {
    const double *c0 = corners, *c1 = corners + 2 * j, *c2 = corners + 2 * j + 2;
    double edges[4] = {c1[0] - c0[0], c1[1] - c0[1], c2[0] - c0[0], c2[1] - c0[1]}, a, b;
    double t[2] = {r[1] / mu - r[0] * c0[0], r[2] / mu - r[0] * c0[1]};
    split(t, edges, 0, 1, &a, &b);
    double least = fmin(fmin(a, b), r[0] - a - b);
    if (!(least > best)) continue;
    best = least;
    weight[0] = r[0] - a - b, weight[1] = a, weight[2] = b;
    at = j;
  }
  y[0] += weight[0], y[at] += weight[1], y[at + 1] += weight[2];
}

// Weights that round-off of r alone made.
static void sweep(int count, double* y) {
  double largest = 0.0;
  for (int p = 0; p < count; ++p) largest = fmax(largest, y[p]);
  for (int p = 0; p < count; ++p)
    if (!(y[p] > 1e-9 * largest)) y[p] = 0.0;
}

static void split_block(const ChRays* y, int i, const double* r, double* out) {
  const ChSystem* s = y->s;
  for (int p = y->start[i]; p < y->start[i + 1]; ++p) out[p - y->start[i]] = 0.0;
  if (!is_vector(s, i)) {
    for (int p = 0; p < movers(y, i); ++p) out[p] = y->G[3 * (y->start[i] + p)] * (r[p] - y->base[s->row[i] + p]);
    return;
  }
  if (s->set[i] == CH_SET_DISC) {
    split_disc(s->sides[i], s->corners[i], r, out);
  } else if (s->dim[i] == 3) {
    split_cone(s->sides[i], s->corners[i], s->mu[i], r, out);
  } else {
    out[0] = s->dim[i] == 2 ? 0.5 * (r[0] + r[1] / s->mu[i]) : r[0];
    if (s->dim[i] == 2) out[1] = 0.5 * (r[0] - r[1] / s->mu[i]);
  }
  sweep(movers(y, i), out);
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
    const double *part = multipliers + y->start[i], *G = y->G + 3 * y->start[i];
    double *ri = r + s->row[i], sum = 0.0, scale = 1.0;
    for (int p = 0; p < movers(y, i); ++p) sum += part[p];
    if (s->set[i] == CH_SET_DISC && sum > y->cap[y->group[i]]) scale = y->cap[y->group[i]] / sum;
    for (int p = 0; p < movers(y, i); ++p) {
      if (!is_vector(s, i)) ri[p] += G[3 * p] * part[p];
      for (int a = 0; a < s->dim[i] && is_vector(s, i); ++a) ri[a] += scale * G[3 * p + a] * part[p];
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
