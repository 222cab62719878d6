// See normal_rows.h.
#include "solve/linear/normal_rows.h"

#include "linalg/dot.h"
#include "linalg/quad.h"

enum { WIDE = 12 };  // degrees of freedom from which on four rows are taken together

ChNormalRows ch_normal_rows(ChArena* arena, const ChSystem* s) {
  const ChBodies* b = s->bodies;
  ChNormalRows n = {.bodies = b, .n = s->n, .at = CH_TAKE_RAW(arena, b->start[s->n] + 1, long)};
  n.at[0] = 0;
  for (int k = 0; k < b->start[s->n]; ++k) n.at[k + 1] = n.at[k] + b->dim[b->body[k]];
  n.row = CH_TAKE_RAW(arena, n.at[b->start[s->n]], double);
  for (int i = 0; i < s->n; ++i)
    for (int k = b->start[i]; k < b->start[i + 1]; ++k) {
      const double* H = b->H + b->jacobian[k];
      double* row = n.row + n.at[k];
      for (int x = 0; x < b->dim[b->body[k]]; ++x) row[x] = H[x * s->dim[i]];
    }
  return n;
}

double ch_normal_velocity(const ChNormalRows* n, int i, const double* v, const unsigned char* moves) {
  const ChBodies* b = n->bodies;
  double sum = 0.0;
  for (int k = b->start[i]; k < b->start[i + 1]; ++k)
    if (!moves || moves[b->body[k]]) sum += ch_dot_lanes(b->dim[b->body[k]], n->row + n->at[k], v + b->row[b->body[k]]);
  return sum;
}

// Whether blocks i to i + 3 touch one and the same wide body and no other.
static bool are_alike(const ChNormalRows* n, int i) {
  const int *start = n->bodies->start + i, *body = n->bodies->body + start[0];
  if (i + 4 > n->n || start[1] - start[0] != 1 || start[4] - start[0] != 4 || n->bodies->dim[body[0]] < WIDE)
    return false;
  return start[2] - start[1] == 1 && start[3] - start[2] == 1 && body[1] == body[0] && body[2] == body[0] &&
         body[3] == body[0];
}

// Four rows that follow each other.
static void dot_four(int size, const double* row, const double* v, double* out) {
  const double *p = row, *q = p + size, *r = q + size, *s = r + size;
  ChQuad a = {0.0}, b = {0.0}, c = {0.0}, d = {0.0}, sums;
  int k = 0;
  for (; k + 4 <= size; k += 4) {
    ChQuad some = CH_QUAD_AT(v + k);
    a += CH_QUAD_AT(p + k) * some;
    b += CH_QUAD_AT(q + k) * some;
    c += CH_QUAD_AT(r + k) * some;
    d += CH_QUAD_AT(s + k) * some;
  }
  ch_quad_sums(&a, &b, &c, &d, &sums);
  for (; k < size; ++k) sums += v[k] * (ChQuad){p[k], q[k], r[k], s[k]};
  *(ChQuad*)out = sums;
}

void ch_normal_velocities(const ChNormalRows* n, const double* v, double* out) {
  const ChBodies* b = n->bodies;
  for (int i = 0; i < n->n;) {
    if (!are_alike(n, i)) {
      out[i] = ch_normal_velocity(n, i, v, NULL);
      ++i;
      continue;
    }
    int entry = b->start[i], body = b->body[entry];
    dot_four(b->dim[body], n->row + n->at[entry], v + b->row[body], out + i);
    i += 4;
  }
}
