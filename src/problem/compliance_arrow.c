// Parts of M with a few hubs: every other unknown, a leaf, is coupled with hubs alone. So it is for bodies with modes
// of vibration, whose turning holds their modes together. With the leaves first,
//
//   M = [ D B^T; B A ]      S = A - B D^-1 B^T = C C^T      M^-1 = [ D^-1 0; 0 0 ] + P^T S^-1 P,   P = [ -B D^-1  1 ]
//
// so that a product with M^-1 costs a few products of the part's length instead of its square. Unknowns that stand
// alone between the part's, and some before them, are taken for leaves, too: then a body is one stretch of H's columns.
#include <math.h>

#include "linalg/dot.h"
#include "linalg/quad.h"
#include "linalg/sparse.h"
#include "problem/compliance_parts.h"

enum { HUBS_MAX = 6, LEAD_MAX = 6 };  // most hubs; most unknowns before the part's first that are taken along
enum { BEYOND = 3 };                  // numbers that may be read behind the last

struct ChArrow {
  int first, size, hubs;             // of the stretch, whose numbers the arrays below have
  double* weight;                    // 1 / D of a leaf, 0 of a hub
  double* pull;                      // P: hubs x size; rows of zeros beyond
  double* half;                      // C^-1 P, likewise: h^T M^-1 h = sum of weight h^2 + |C^-1 P h|^2
  double root[HUBS_MAX * HUBS_MAX];  // C, with the inverse of its diagonal on the diagonal
};

// The stretch, from a few unknowns before the part's first to its last; false where another part has unknowns in it.
static bool find_stretch(const ChCompliance* mass, const ChPart* part, ChArrow* a) {
  const int number = (int)(part - mass->parts), begin = part->member[0], end = part->member[part->size - 1] + 1;
  a->first = begin;
  while (a->first > 0 && begin - a->first < LEAD_MAX && mass->part[a->first - 1] == -1) --a->first;
  a->size = end - a->first;
  for (int i = begin; i < end; ++i)
    if (mass->part[i] != number && mass->part[i] != -1) return false;
  return true;
}

// A hub is coupled with more unknowns than there may be hubs. hub[i] is its number, or -1; returns how many there are,
// and one too many as soon as there are.
static int number_hubs(const ChSparse* M, const ChArrow* a, int* hub) {
  int count = 0;
  for (int i = 0; i < a->size && count <= HUBS_MAX; ++i) {
    const int column = a->first + i;
    int neighbours = 0;
    for (int k = M->start[column]; k < M->start[column + 1]; ++k)
      neighbours += M->index[k] != column && M->value[k] != 0.0;
    hub[i] = neighbours > HUBS_MAX ? count++ : -1;
  }
  return count;
}

// The matrix as B, its copy across the diagonal, D and A; false where leaves are coupled with each other.
static bool read_arrow(const ChSparse* M, const int* hub, ChArrow* a, double* mirror) {
  for (int j = 0; j < a->size; ++j)
    for (int k = M->start[a->first + j]; k < M->start[a->first + j + 1]; ++k) {
      const int i = M->index[k] - a->first;
      if (M->value[k] == 0.0) continue;  // perhaps of another part
      if (hub[i] >= 0 && hub[j] >= 0)
        a->root[hub[i] * HUBS_MAX + hub[j]] = M->value[k];
      else if (hub[i] >= 0)
        a->pull[hub[i] * a->size + j] = M->value[k];
      else if (hub[j] >= 0)
        mirror[hub[j] * a->size + i] = M->value[k];
      else if (i == j)
        a->weight[i] = M->value[k];
      else
        return false;
    }
  return true;
}

static bool is_symmetric(const ChArrow* a, const double* mirror) {
  for (int k = 0; k < a->hubs * a->size; ++k)
    if (a->pull[k] != mirror[k]) return false;
  for (int k = 0; k < a->hubs; ++k)
    for (int l = 0; l < k; ++l)
      if (a->root[k * HUBS_MAX + l] != a->root[l * HUBS_MAX + k]) return false;
  return true;
}

// From B, D and A to P, D^-1 and S; false where D is not positive.
static bool eliminate_leaves(ChArrow* a, const int* hub) {
  const int size = a->size;
  for (int i = 0; i < size; ++i) {
    if (hub[i] >= 0) {
      a->pull[hub[i] * size + i] = 1.0;
      continue;
    }
    if (!(a->weight[i] > 0.0)) return false;
    a->weight[i] = 1.0 / a->weight[i];
    for (int k = 0; k < a->hubs; ++k) {
      const double b = a->pull[k * size + i];
      a->pull[k * size + i] = -b * a->weight[i];
      for (int l = 0; l <= k; ++l) a->root[k * HUBS_MAX + l] += b * a->pull[l * size + i];
    }
  }
  return true;
}

// C in place of the lower half of S; false where S is not positive definite.
static bool take_root(ChArrow* a) {
  for (int k = 0; k < a->hubs; ++k)
    for (int l = 0; l <= k; ++l) {
      double *row = a->root + k * HUBS_MAX, *other = a->root + l * HUBS_MAX, sum = row[l];
      for (int m = 0; m < l; ++m) sum -= row[m] * other[m];
      if (l == k && !(sum > 0.0 && isfinite(sum))) return false;
      row[l] = l == k ? 1.0 / sqrt(sum) : sum * other[l];
    }
  return true;
}

// C^-1 P, row by row.
static void halve(ChArrow* a) {
  for (int k = 0; k < a->hubs; ++k) {
    double *row = a->half + k * a->size, inverse = a->root[k * HUBS_MAX + k];
    for (int i = 0; i < a->size; ++i) row[i] = a->pull[k * a->size + i];
    for (int l = 0; l < k; ++l)
      for (int i = 0; i < a->size; ++i) row[i] -= a->root[k * HUBS_MAX + l] * a->half[l * a->size + i];
    for (int i = 0; i < a->size; ++i) row[i] *= inverse;
  }
}

ChArrow* ch_arrow_find(ChCompliance* mass, const ChPart* part) {
  const ChArenaMark mark = ch_arena_mark(mass->arena);
  ChArrow* a = CH_TAKE(mass->arena, 1, ChArrow);
  bool found = find_stretch(mass, part, a);
  int* hub = CH_TAKE_RAW(mass->arena, a->size, int);
  a->hubs = found ? number_hubs(mass->M, a, hub) : 0;
  found = found && a->hubs <= HUBS_MAX;
  if (found) {
    a->weight = CH_TAKE(mass->arena, a->size + BEYOND, double);
    a->pull = CH_TAKE(mass->arena, HUBS_MAX * a->size, double);
    double* mirror = CH_TAKE(mass->arena, HUBS_MAX * a->size, double);
    found = read_arrow(mass->M, hub, a, mirror) && is_symmetric(a, mirror) && eliminate_leaves(a, hub) && take_root(a);
  }
  if (!found) {
    ch_arena_release(mass->arena, mark);
    return NULL;
  }
  a->half = CH_TAKE(mass->arena, HUBS_MAX * a->size, double);
  halve(a);
  for (int i = 0; i < a->size; ++i)
    if (mass->part[a->first + i] == -1) mass->part[a->first + i] = -2 - (int)(part - mass->parts);
  return a;
}

void ch_arrow_solve(const ChPart* part, double* x) {
  const ChArrow* a = part->arrow;
  double z[HUBS_MAX] = {0.0};
  for (int k = 0; k < a->hubs; ++k)
    for (int i = 0; i < part->size; ++i) z[k] += a->pull[k * a->size + part->member[i] - a->first] * x[i];
  for (int k = 0; k < a->hubs; ++k) {
    for (int l = 0; l < k; ++l) z[k] -= a->root[k * HUBS_MAX + l] * z[l];
    z[k] *= a->root[k * HUBS_MAX + k];
  }
  for (int k = a->hubs - 1; k >= 0; --k) {
    for (int l = k + 1; l < a->hubs; ++l) z[k] -= a->root[l * HUBS_MAX + k] * z[l];
    z[k] *= a->root[k * HUBS_MAX + k];
  }
  for (int i = 0; i < part->size; ++i) {
    const int at = part->member[i] - a->first;
    x[i] *= a->weight[at];
    for (int k = 0; k < a->hubs; ++k) x[i] += a->pull[k * a->size + at] * z[k];
  }
}

// z += C^-1 P h of three hubs, and the sum of weight h^2, over a run of h.
static double measure_run(int n, int size, const double* weight, const double* half, const double* h, double z[3]) {
  const double *first = half, *second = half + size, *third = second + size;
  ChQuad squares = {0.0}, a = {0.0}, b = {0.0}, c = {0.0};
  int i = 0;
  for (; i + 4 <= n; i += 4) {
    ChQuad some = CH_QUAD_AT(h + i);
    squares += CH_QUAD_AT(weight + i) * (some * some);
    a += CH_QUAD_AT(first + i) * some;
    b += CH_QUAD_AT(second + i) * some;
    c += CH_QUAD_AT(third + i) * some;
  }
  double rest = 0.0;
  for (; i < n; ++i) {
    rest += weight[i] * (h[i] * h[i]);
    z[0] += first[i] * h[i];
    z[1] += second[i] * h[i];
    z[2] += third[i] * h[i];
  }
  z[0] += CH_QUAD_SUM(a), z[1] += CH_QUAD_SUM(b), z[2] += CH_QUAD_SUM(c);
  return rest + CH_QUAD_SUM(squares);
}

int ch_arrow_measure(const ChPart* part, const ChSparse* H, int k, int end, double* sum) {
  const ChArrow* a = part->arrow;
  const int first = a->first, size = a->size;
  double z[HUBS_MAX] = {0.0}, squares = 0.0;
  while (k < end && H->index[k] - first < size) {
    const int from = H->index[k] - first, most = size - from;
    const int run = ch_sparse_run(H->index + k, end - k < most ? end - k : most);
    const double *h = H->value + k, *half = a->half + from;
    squares += measure_run(run, size, a->weight + from, half, h, z);
    for (int l = 3; l < a->hubs; ++l) z[l] += ch_dot_lanes(run, half + l * size, h);
    k += run;
  }
  for (int l = 0; l < a->hubs; ++l) squares += z[l] * z[l];
  *sum += squares;
  return k;
}

// Sums over three columns, four terms at a time.
typedef struct Three {
  ChQuad a, b, c;
} Three;

// Adds four terms: of weight h^2 to the first, of the rows of C^-1 P times h to the others.
static inline void add_terms(ChQuad x, ChQuad y, ChQuad z, const double* weight, const double* half, int size,
                             Three sum[4]) {
  ChQuad some = CH_QUAD_AT(weight);
  sum[0].a += some * (x * x), sum[0].b += some * (y * y), sum[0].c += some * (z * z);
  for (int k = 1; k < 4; ++k, half += size) {
    some = CH_QUAD_AT(half);
    sum[k].a += some * x, sum[k].b += some * y, sum[k].c += some * z;
  }
}

bool ch_arrow_measure_three(const ChPart* part, const ChSparse* H, int c, double out[3]) {
  const ChArrow* a = part->arrow;
  const int length = ch_sparse_three_alike(H, c), from = H->index[H->start[c]] - a->first;
  if (length == 0 || a->hubs > 3 || from < 0 || from + length > a->size) return false;
  const double *h = H->value + H->start[c], *weight = a->weight + from, *half = a->half + from;
  Three sum[4] = {0};
  int i = 0;
  for (; i + 4 <= length; i += 4)
    add_terms(CH_QUAD_AT(h + i), CH_QUAD_AT(h + length + i), CH_QUAD_AT(h + 2 * length + i), weight + i, half + i,
              a->size, sum);
  if (i < length)
    add_terms(CH_QUAD_HEAD(h + i, length - i), CH_QUAD_HEAD(h + length + i, length - i),
              CH_QUAD_HEAD(h + 2 * length + i, length - i), weight + i, half + i, a->size, sum);
  ChQuad squares, z;
  ch_quad_sums_three(&sum[0].a, &sum[0].b, &sum[0].c, &squares);
  for (int k = 1; k < 4; ++k) {
    ch_quad_sums_three(&sum[k].a, &sum[k].b, &sum[k].c, &z);
    squares += z * z;
  }
  for (int l = 0; l < 3; ++l) out[l] = squares[l];
  return true;
}
