// Parts of M with a few hubs: every other unknown, a leaf, is coupled with hubs alone. So it is for bodies with modes
// of vibration, whose turning holds their modes together. With the leaves first,
//
//   M = [ D B^T; B A ]      S = A - B D^-1 B^T = C C^T      M^-1 = [ D^-1 0; 0 0 ] + P^T S^-1 P,   P = [ -B D^-1  1 ]
//
// so that a product with M^-1 costs a few products of the part's length instead of its square.
#include <math.h>

#include "linalg/dot.h"
#include "linalg/sparse.h"
#include "problem/compliance_parts.h"

enum { HUBS_MAX = 6 };

struct ChArrow {
  int hubs;
  double* weight;                    // 1 / D of a leaf, 0 of a hub
  double* pull;                      // P: hubs x size; rows of zeros beyond
  double root[HUBS_MAX * HUBS_MAX];  // C, with the inverse of its diagonal on the diagonal
};

// A hub is coupled with more unknowns than there may be hubs. hub[i] is its number, or -1; returns how many there are.
static int number_hubs(const ChCompliance* mass, const ChPart* part, int* hub) {
  const ChSparse* M = mass->M;
  int count = 0;
  for (int i = 0; i < part->size; ++i) {
    const int column = part->member[i];
    int neighbours = 0;
    for (int k = M->start[column]; k < M->start[column + 1]; ++k)
      neighbours += M->index[k] != column && M->value[k] != 0.0;
    hub[i] = neighbours > HUBS_MAX ? count++ : -1;
  }
  return count;
}

// The matrix as B, its copy across the diagonal, D and A; false where leaves are coupled with each other.
static bool read_arrow(const ChCompliance* mass, const ChPart* part, const int* hub, ChArrow* a, double* mirror) {
  const ChSparse* M = mass->M;
  for (int j = 0; j < part->size; ++j)
    for (int k = M->start[part->member[j]]; k < M->start[part->member[j] + 1]; ++k) {
      const int i = mass->position[M->index[k]];
      if (hub[i] >= 0 && hub[j] >= 0)
        a->root[hub[i] * HUBS_MAX + hub[j]] = M->value[k];
      else if (hub[i] >= 0)
        a->pull[hub[i] * part->size + j] = M->value[k];
      else if (hub[j] >= 0)
        mirror[hub[j] * part->size + i] = M->value[k];
      else if (i == j)
        a->weight[i] = M->value[k];
      else if (M->value[k] != 0.0)
        return false;
    }
  return true;
}

static bool is_symmetric(const ChArrow* a, int size, const double* mirror) {
  for (int k = 0; k < a->hubs * size; ++k)
    if (a->pull[k] != mirror[k]) return false;
  for (int k = 0; k < a->hubs; ++k)
    for (int l = 0; l < k; ++l)
      if (a->root[k * HUBS_MAX + l] != a->root[l * HUBS_MAX + k]) return false;
  return true;
}

// From B, D and A to P, D^-1 and S; false where D is not positive.
static bool eliminate_leaves(ChArrow* a, int size, const int* hub) {
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

ChArrow* ch_arrow_find(const ChCompliance* mass, const ChPart* part) {
  const int size = part->size;
  if (part->member[size - 1] - part->member[0] != size - 1) return NULL;  // columns of H are read in one piece
  ChArrow* a = CH_TAKE(mass->arena, 1, ChArrow);
  a->weight = CH_TAKE(mass->arena, size, double);
  a->pull = CH_TAKE(mass->arena, HUBS_MAX * size, double);
  const ChArenaMark mark = ch_arena_mark(mass->arena);
  int* hub = CH_TAKE(mass->arena, size, int);
  double* mirror = CH_TAKE(mass->arena, HUBS_MAX * size, double);
  a->hubs = number_hubs(mass, part, hub);
  const bool found = a->hubs <= HUBS_MAX && read_arrow(mass, part, hub, a, mirror) && is_symmetric(a, size, mirror) &&
                     eliminate_leaves(a, size, hub) && take_root(a);
  ch_arena_release(mass->arena, mark);
  return found ? a : NULL;
}

// z := C^-1 z
static void substitute(const ChArrow* a, double* z) {
  for (int k = 0; k < a->hubs; ++k) {
    for (int l = 0; l < k; ++l) z[k] -= a->root[k * HUBS_MAX + l] * z[l];
    z[k] *= a->root[k * HUBS_MAX + k];
  }
}

void ch_arrow_solve(const ChPart* part, double* x) {
  const ChArrow* a = part->arrow;
  double z[HUBS_MAX];
  for (int k = 0; k < a->hubs; ++k) z[k] = ch_dot_lanes(part->size, a->pull + k * part->size, x);
  substitute(a, z);
  for (int k = a->hubs - 1; k >= 0; --k) {
    for (int l = k + 1; l < a->hubs; ++l) z[k] -= a->root[l * HUBS_MAX + k] * z[l];
    z[k] *= a->root[k * HUBS_MAX + k];
  }
  for (int i = 0; i < part->size; ++i) x[i] *= a->weight[i];
  for (int k = 0; k < a->hubs; ++k)
    for (int i = 0; i < part->size; ++i) x[i] += a->pull[k * part->size + i] * z[k];
}

// z += P h of three hubs, and the sum of weight h^2, over a run of h.
static double measure_three(int n, int size, const double* weight, const double* pull, const double* h, double z[3]) {
  const double *first = pull, *second = pull + size, *third = second + size;
  double squares = 0.0, a = 0.0, b = 0.0, c = 0.0;
#pragma omp simd reduction(+ : squares, a, b, c)
  for (int i = 0; i < n; ++i) {
    squares += weight[i] * (h[i] * h[i]);
    a += first[i] * h[i];
    b += second[i] * h[i];
    c += third[i] * h[i];
  }
  z[0] += a, z[1] += b, z[2] += c;
  return squares;
}

int ch_arrow_measure(const ChPart* part, const ChSparse* H, int k, int end, double* sum) {
  const ChArrow* a = part->arrow;
  const int first = part->member[0], size = part->size;
  double z[HUBS_MAX] = {0.0}, squares = 0.0;
  while (k < end && H->index[k] - first < size) {
    const int from = H->index[k] - first, most = size - from;
    const int run = ch_sparse_run(H->index + k, end - k < most ? end - k : most);
    const double *h = H->value + k, *pull = a->pull + from;
    squares += measure_three(run, size, a->weight + from, pull, h, z);
    for (int l = 3; l < a->hubs; ++l) z[l] += ch_dot_lanes(run, pull + l * size, h);
    k += run;
  }
  substitute(a, z);
  for (int l = 0; l < a->hubs; ++l) squares += z[l] * z[l];
  *sum += squares;
  return k;
}
