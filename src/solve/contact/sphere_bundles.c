// See sphere_bundles.h.
//
// Scaled Jacobians of a rigid body are H = R^-1 (d, Q^T (arm x d)) g for every axis d of a contact, with R the roots of
// its masses and moments and Q its orientation, which no system tells. A sphere's arm is along the normal; so the first
// contact of a body gives Q, and every contact has to agree with it.
#include "solve/contact/sphere_bundles.h"

#include <math.h>
#include <string.h>

#include "base/check.h"

enum { DOFS = 6, COLORS = 64 };  // COLORS: bits of a mask

#define AGREES 1e-11     // of two directions
#define DIAGONAL 1e-11   // of a block of W, which is scaled to 1
#define LAST_BITS 1e-15  // that scaling by roots leaves of M = 1

typedef struct Maker {
  const ChSystem* s;
  ChSphereTouch* touch;  // of contacts
  ChMat3* turn;          // of bodies: Q
  bool* turned;          // whether it is known
  uint64_t* taken;       // of bodies: colours of their contacts
  const double* r;       // the start
} Maker;

// --- what a contact of spheres is ------------------------------------------------------------------------------------

static bool is_ball(const ChBodies* b, int k) {
  const double *root = b->root + b->row[k], *inverse = b->inverse + b->offset[k];
  if (b->dim[k] != DOFS) return false;
  for (int x = 0; x < DOFS; ++x) {
    if (!(fabs(root[x] - root[x - x % 3]) <= AGREES * root[x])) return false;
    for (int y = 0; y < DOFS; ++y)
      if (!(fabs(inverse[x * DOFS + y] - (x == y)) <= LAST_BITS)) return false;
  }
  return true;
}

// One row and no friction, as of a ball on a smooth wall.
static bool is_smooth(const ChSystem* s, int i) {
  double lo = 1.0, hi = 0.0;
  if (s->dim[i] != 1 || !(s->diagonal[s->diagonal_at[i]] > DIAGONAL)) return false;
  s->block[i].law->interval(&s->block[i], &lo, &hi);
  return lo == 0.0 && hi == INFINITY;
}

static bool is_round(const ChSystem* s, int i) {
  const double* W = s->diagonal + s->diagonal_at[i];
  double off = 0.0;
  if (!s->block[i].law->cone || s->dim[i] != 3 || s->block[i].shear[0] > 0.0) return false;
  for (int a = 0; a < 3; ++a)
    for (int c = 0; c < 3; ++c) off = fmax(off, a == c ? 0.0 : fabs(W[3 * a + c]));
  return off <= DIAGONAL && fabs(W[4] - W[8]) <= DIAGONAL && W[0] > DIAGONAL && W[4] > DIAGONAL;
}

// Half of column a of an entry's Jacobian in the units of the problem, but for the scale of the contact.
static ChVec3 column(const ChBodies* b, int entry, int dim, int a, bool spin) {
  const double* H = b->H + b->jacobian[entry] + (spin ? 3 * dim : 0) + a;
  const double root = b->root[b->row[b->body[entry]] + (spin ? 3 : 0)];
  return ch_scale(root, ch_vec(H[0], H[dim], H[2 * dim]));
}

static bool near(ChVec3 a, ChVec3 b) { return ch_norm(ch_sub(a, b)) <= AGREES; }

static bool is_frame(const ChVec3 axes[3]) {
  ChVec3 third = ch_cross(axes[0], axes[1]);
  return fabs(ch_norm(axes[0]) - 1.0) <= AGREES && fabs(ch_norm(axes[1]) - 1.0) <= AGREES &&
         fabs(ch_dot(axes[0], axes[1])) <= AGREES && (near(third, axes[2]) || near(ch_neg(third), axes[2]));
}

// Q that turns the spins e_1, e_2 of two tangents to where they belong.
static ChMat3 turn_from(ChVec3 e1, ChVec3 e2, ChVec3 to1, ChVec3 to2) {
  ChMat3 Q = {0};
  ch_mat_add_outer(&Q, 1.0, to1, e1);
  ch_mat_add_outer(&Q, 1.0, to2, e2);
  ch_mat_add_outer(&Q, 1.0, ch_cross(to1, to2), ch_cross(e1, e2));
  return Q;
}

// Whether the entry turns its body as an arm along the normal does; `arm` is that arm, away from the contact's axis.
static bool find_arm(Maker* m, int entry, const ChVec3* axes, double scale, double* arm) {
  const ChBodies* b = m->s->bodies;
  const int body = b->body[entry];
  ChVec3 spin[3], to[3];
  for (int a = 0; a < 3; ++a) {
    spin[a] = column(b, entry, 3, a, true);
    to[a] = ch_neg(ch_cross(axes[0], axes[a]));
  }
  *arm = ch_norm(spin[1]) / scale;
  if (!(*arm > 0.0) || !(ch_norm(spin[0]) <= AGREES * *arm * scale)) return false;
  for (int a = 1; a < 3; ++a) spin[a] = ch_scale(1.0 / (*arm * scale), spin[a]);
  if (!m->turned[body]) m->turn[body] = turn_from(spin[1], spin[2], to[1], to[2]);
  m->turned[body] = true;
  return near(ch_mat_apply(&m->turn[body], spin[1]), to[1]) && near(ch_mat_apply(&m->turn[body], spin[2]), to[2]);
}

static bool is_opposed(const ChBodies* b, int entry, const ChVec3* axes, double scale) {
  for (int a = 0; a < 3; ++a)
    if (!near(ch_scale(-1.0 / scale, column(b, entry, 3, a, false)), axes[a])) return false;
  return true;
}

// The same without tangents: no arm, and nothing that turns.
static bool recognise_smooth(Maker* m, int i) {
  const ChBodies* b = m->s->bodies;
  const int first = b->start[i], last = b->start[i + 1] - 1;
  ChSphereTouch* t = &m->touch[i];
  t->axes[0] = column(b, last, 1, 0, false);
  t->scale = ch_norm(t->axes[0]);
  t->axes[0] = ch_scale(1.0 / t->scale, t->axes[0]);
  if (!(t->scale > 0.0)) return false;
  for (int e = first; e <= last; ++e) {
    const double* root = b->root + b->row[b->body[e]];
    if (!(ch_norm(column(b, e, 1, 0, true)) <= AGREES * t->scale * root[3] / root[0])) return false;
  }
  return first == last || (b->body[first] != b->body[last] &&
                           near(ch_scale(-1.0 / t->scale, column(b, first, 1, 0, false)), t->axes[0]));
}

static bool recognise_round(Maker* m, int i) {
  const ChBodies* b = m->s->bodies;
  const int first = b->start[i], last = b->start[i + 1] - 1;
  ChSphereTouch* t = &m->touch[i];
  for (int a = 0; a < 3; ++a) t->axes[a] = column(b, last, 3, a, false);
  t->scale = ch_norm(t->axes[0]);
  for (int a = 0; a < 3; ++a) t->axes[a] = ch_scale(1.0 / t->scale, t->axes[a]);
  if (!(t->scale > 0.0) || !is_frame(t->axes) || !find_arm(m, last, t->axes, t->scale, &t->arm[1])) return false;
  if (first == last) return true;
  return b->body[first] != b->body[last] && is_opposed(b, first, t->axes, t->scale) &&
         find_arm(m, first, t->axes, t->scale, &t->arm[0]);
}

static bool recognise(Maker* m, int i) {
  const int ends = m->s->bodies->start[i + 1] - m->s->bodies->start[i];
  if (ends < 1 || ends > 2) return false;
  if (is_smooth(m->s, i)) return recognise_smooth(m, i);
  return is_round(m->s, i) && recognise_round(m, i);
}

static bool are_balls(const ChSystem* s) {
  if (!s->bodies || !s->symmetric || s->polygonal || s->relaxed) return false;
  for (int k = 0; k < s->bodies->n; ++k)
    if (!is_ball(s->bodies, k)) return false;
  return true;
}

// --- the order -------------------------------------------------------------------------------------------------------

// Contacts that carry nothing at the start come last where contacts yield, so that bundles are all open or all closed:
// sweeps pass by what stays open (sphere_sweep.c). Contact k of this order is number order[k] of the list.
static int* put_open_last(ChArena* arena, const Maker* m) {
  const ChSystem* s = m->s;
  int *order = CH_TAKE_RAW(arena, s->n, int), count = 0;
  const bool sorts = s->compliant && m->r;
  for (int i = 0; i < s->n; ++i)
    if (!sorts || m->r[s->row[i]] != 0.0) order[count++] = i;
  for (int i = 0; i < s->n && sorts; ++i)
    if (!(m->r[s->row[i]] != 0.0)) order[count++] = i;
  CH_ASSERT(count == s->n);
  return order;
}

// --- colours ---------------------------------------------------------------------------------------------------------

// The first that no body of the contact has; in order, so that early colours are full.
static bool paint(Maker* m, int i) {
  const ChBodies* b = m->s->bodies;
  uint64_t taken = 0;
  for (int e = b->start[i]; e < b->start[i + 1]; ++e) taken |= m->taken[b->body[e]];
  int color = 0;
  while (color < COLORS && (taken >> color & 1)) ++color;
  if (color == COLORS) return false;
  m->touch[i].color = color;
  for (int e = b->start[i]; e < b->start[i + 1]; ++e) m->taken[b->body[e]] |= (uint64_t)1 << color;
  return true;
}

// Where the bundles of each colour begin, and what is in their lanes.
static void sort_by_color(ChArena* arena, const Maker* m, const int* order, ChSphereBundles* out) {
  int contacts[COLORS] = {0}, filled[COLORS] = {0};
  for (int i = 0; i < m->s->n; ++i) ++contacts[m->touch[i].color];
  while (out->colors < COLORS && contacts[out->colors] > 0) ++out->colors;
  out->color_start = CH_TAKE(arena, out->colors + 1, int);
  for (int c = 0; c < out->colors; ++c)
    out->color_start[c + 1] = out->color_start[c] + (contacts[c] + CH_LANES - 1) / CH_LANES;
  out->count = out->color_start[out->colors];
  out->contact = CH_TAKE(arena, CH_LANES * out->count, int);
  for (int k = 0; k < CH_LANES * out->count; ++k) out->contact[k] = -1;
  for (int k = 0; k < m->s->n; ++k) {
    int c = m->touch[order[k]].color;
    out->contact[CH_LANES * out->color_start[c] + filled[c]++] = order[k];
  }
}

// --- packing ---------------------------------------------------------------------------------------------------------

static void pack_vector(ChVec3 v, int lane, ChLanes out[3]) {
  out[0][lane] = v.x;
  out[1][lane] = v.y;
  out[2][lane] = v.z;
}

// A vector of the contact's own axes along those of space, without the normal where `from` is 1.
static ChVec3 along_axes(const ChSphereTouch* t, int from, const double* x) {
  ChVec3 sum = {0.0, 0.0, 0.0};
  for (int a = from; a < 3; ++a) sum = ch_along(sum, x[a], t->axes[a]);
  return sum;
}

static void pack(const Maker* m, int i, int lane, const double* r, ChBundle* k) {
  const ChSystem* s = m->s;
  const ChSphereTouch* t = &m->touch[i];
  const double* W = s->diagonal + s->diagonal_at[i];
  const int first = s->bodies->start[i], last = s->bodies->start[i + 1] - 1;
  k->ball[1][lane] = s->bodies->body[last];
  if (first < last) k->ball[0][lane] = s->bodies->body[first];
  pack_vector(t->axes[0], lane, k->normal);
  const bool smooth = s->dim[i] == 1;
  pack_vector(smooth ? ch_scale(s->q[s->row[i]], t->axes[0]) : along_axes(t, 0, s->q + s->row[i]), lane, k->q);
  k->g[lane] = t->scale;
  for (int e = 0; e < 2; ++e) {
    k->arm[e][lane] = t->scale * t->arm[e];
    if (r && !smooth) pack_vector(along_axes(t, 1, r + s->row[i]), lane, k->r[e]);
    if (r) k->r[e][3][lane] = r[s->row[i]];
  }
  k->normal_inverse[lane] = 1.0 / W[0];
  k->tangent_inverse[lane] = smooth ? 0.0 : 1.0 / W[4];
  k->mu[lane] = s->block[i].mu;
  k->compliance[lane] = s->block[i].compliance;
}

// Balls of the bodies, and one more for each bundle that has a lane without a body.
static void add_balls(ChArena* arena, const ChBodies* b, ChSphereBundles* out) {
  out->balls = b->n;
  for (int i = 0; i < out->count; ++i) {
    bool lacks = false;
    for (int e = 0; e < 2; ++e)
      for (int l = 0; l < CH_LANES; ++l) {
        int* ball = &out->bundle[i].ball[e][l];
        if (*ball >= 0) continue;
        *ball = out->balls;
        lacks = true;
      }
    out->balls += lacks;
  }
  out->ball = CH_TAKE(arena, out->balls, ChRoller);
  for (int k = 0; k < b->n; ++k) {
    const double* root = b->root + b->row[k];
    out->ball[k].velocity[3] = 1.0 / (root[0] * root[0]);
    out->ball[k].spin[3] = 1.0 / (root[3] * root[3]);
  }
}

bool ch_sphere_bundles_fill(ChArena* arena, const ChSystem* s, const double* r, ChSphereBundles* out) {
  *out = (ChSphereBundles){0};
  if (!are_balls(s)) return false;
  Maker m = {.s = s,
             .touch = CH_TAKE_RAW(arena, s->n, ChSphereTouch),
             .turn = CH_TAKE_RAW(arena, s->bodies->n, ChMat3),
             .turned = CH_TAKE(arena, s->bodies->n, bool),
             .taken = CH_TAKE(arena, s->bodies->n, uint64_t),
             .r = r};
  for (int i = 0; i < s->n; ++i) {
    m.touch[i] = (ChSphereTouch){0};
    if (!recognise(&m, i)) return false;
  }
  const int* order = put_open_last(arena, &m);
  for (int k = 0; k < s->n; ++k)
    if (!paint(&m, order[k])) return false;
  out->touch = m.touch;
  sort_by_color(arena, &m, order, out);
  out->bundle = CH_TAKE(arena, out->count, ChBundle);
  for (int i = 0; i < out->count; ++i) {
    memset(out->bundle[i].ball, -1, sizeof out->bundle[i].ball);
    for (int l = 0; l < CH_LANES; ++l)
      if (out->contact[CH_LANES * i + l] >= 0) pack(&m, out->contact[CH_LANES * i + l], l, r, &out->bundle[i]);
  }
  add_balls(arena, s->bodies, out);
  return true;
}
