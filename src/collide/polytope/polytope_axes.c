// Separating directions of two convex polyhedra.
//
// The faces of B - A are faces of A, faces of B and parallelograms of an edge of each; an edge pair makes one exactly
// where the arcs of their normals cross on the unit sphere (the Gauss map).
#include "collide/convex_distance.h"
#include "collide/polytope/polytope_pair.h"

enum { SCANNED = 20, CHUNK = 64 };

int ch_solid_support(const ChSolid* s, ChVec3 direction, int hint) {
  const ChVec3 local = ch_mat_apply_transposed(&s->turn, direction);
  const ChPolytope* p = s->polytope;
  if (p->vertex_count > SCANNED) return ch_polytope_support(p, local, hint);
  int best = 0;
  double most = -INFINITY;
  for (int v = 0; v < p->vertex_count; ++v) {
    const double value = ch_dot(local, p->vertices[v]);
    if (value > most) {
      most = value;
      best = v;
    }
  }
  return best;
}

double ch_solid_reach(const ChSolid* s, ChVec3 direction, int* hint) {
  const double middle = ch_dot(direction, s->at);
  const ChVec3 local = ch_mat_apply_transposed(&s->turn, direction);
  if (s->box) return middle + fabs(local.x) * s->half.x + fabs(local.y) * s->half.y + fabs(local.z) * s->half.z;
  *hint = ch_solid_support(s, direction, *hint);
  return middle + ch_dot(local, s->polytope->vertices[*hint]);
}

// A later direction must be better by more than rounding: ties fall to the faces of a, then of b, then to edges.
static void offer(const ChSolidPair* pair, ChSeparatingAxis* best, ChVec3 normal, double gap) {
  if (gap > best->gap + 1e-13 * pair->size) *best = (ChSeparatingAxis){normal, gap};
}

static void offer_faces(const ChSolidPair* pair, const ChSolid* own, const ChSolid* other, double sign,
                        ChSeparatingAxis* best) {
  int hint = 0;
  for (int f = 0; f < own->polytope->face_count && best->gap <= pair->margin; ++f) {
    const ChVec3 normal = ch_solid_normal(own, f);
    const double gap = -ch_solid_reach(other, ch_neg(normal), &hint) - ch_solid_offset(own, f, normal);
    offer(pair, best, ch_scale(sign, normal), gap);
  }
}

static ChVec3 column(const ChMat3* m, int k) { return ch_vec(m->m[0][k], m->m[1][k], m->m[2][k]); }

// With c the distance of the centres, the separation along n is |n . c| - sum |n . axis_k| half_k over both boxes.
ChSeparatingAxis ch_solid_axis_boxes(const ChSolidPair* pair) {
  ChSeparatingAxis best = {.gap = -INFINITY};
  ChVec3 axis[6];
  double half[6], turn[3][3];
  const ChVec3 between = ch_sub(pair->b.at, pair->a.at);
  for (int k = 0; k < 3; ++k) {
    axis[k] = column(&pair->a.turn, k);
    axis[3 + k] = column(&pair->b.turn, k);
    half[k] = ch_component(pair->a.half, k);
    half[3 + k] = ch_component(pair->b.half, k);
  }
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) turn[i][j] = fabs(ch_dot(axis[i], axis[3 + j]));
  for (int k = 0; k < 6; ++k) {
    const double along = ch_dot(axis[k], between);
    double reach = half[k];
    for (int j = 0; j < 3; ++j) reach += k < 3 ? turn[k][j] * half[3 + j] : turn[j][k - 3] * half[j];
    offer(pair, &best, along < 0.0 ? ch_neg(axis[k]) : axis[k], fabs(along) - reach);
    if (best.gap > pair->margin) return best;
  }
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) {
      const ChVec3 cross = ch_cross(axis[i], axis[3 + j]);
      const double sine = ch_norm(cross), along = ch_dot(cross, between);
      if (!(sine > 1e-9)) continue;  // parallel: a face normal does as well
      double reach = 0.0;
      for (int k = 0; k < 6; ++k)
        if (k != i && k != 3 + j) reach += fabs(ch_dot(cross, axis[k])) * half[k];
      offer(pair, &best, ch_scale((along < 0.0 ? -1.0 : 1.0) / sine, cross), (fabs(along) - reach) / sine);
    }
  return best;
}

// An edge on the Gauss map: the arc between the normals of its faces, in the plane across the edge.
typedef struct Arc {
  ChVec3 edge, from, to, point;
} Arc;

// Edges from *next on that come within `depth` of the solid's reach along `direction`; *next moves on.
static int gather_arcs(const ChSolid* s, ChVec3 direction, double depth, double sign, int* next, Arc arcs[CHUNK]) {
  int hint = 0, count = 0;
  const ChPolytope* p = s->polytope;
  const double level = ch_solid_reach(s, direction, &hint) - depth;
  for (; *next < p->edge_count && count < CHUNK; ++*next) {
    const ChEdge* e = &p->edges[*next];
    const ChVec3 x = ch_solid_vertex(s, e->vertex[0]), y = ch_solid_vertex(s, e->vertex[1]);
    if (ch_dot(direction, x) < level && ch_dot(direction, y) < level) continue;
    arcs[count++] = (Arc){ch_unit(ch_sub(y, x)), ch_scale(sign, ch_solid_normal(s, e->face[0])),
                          ch_scale(sign, ch_solid_normal(s, e->face[1])), x};
  }
  return count;
}

// The arc from u to v meets the plane across `edge` in |edge . v| u + |edge . u| v. Both arcs cross in one point of the
// sphere when each has its ends on both sides of the other's plane and the two meeting points agree in sign.
static void offer_edges(const ChSolidPair* pair, const Arc* a, const Arc* b, ChSeparatingAxis* best) {
  const double a_from = ch_dot(b->edge, a->from), a_to = ch_dot(b->edge, a->to);
  if (!(a_from * a_to < 0.0)) return;
  const double b_from = ch_dot(a->edge, b->from), b_to = ch_dot(a->edge, b->to);
  if (!(b_from * b_to < 0.0)) return;
  const ChVec3 x = ch_along(ch_scale(fabs(a_to), a->from), fabs(a_from), a->to);
  const ChVec3 y = ch_along(ch_scale(fabs(b_to), b->from), fabs(b_from), b->to);
  if (!(ch_dot(x, y) > 0.0)) return;
  const ChVec3 cross = ch_cross(a->edge, b->edge);
  const double sine = ch_norm(cross);
  if (!(sine > 1e-7)) return;
  const ChVec3 normal = ch_scale((ch_dot(cross, x) < 0.0 ? -1.0 : 1.0) / sine, cross);
  // The edges' own separation, where the arcs only just cross, may be more than the solids': what counts is theirs.
  if (!(ch_dot(normal, ch_sub(b->point, a->point)) > best->gap)) return;
  int hint_a = 0, hint_b = 0;
  const double reach = ch_solid_reach(&pair->a, normal, &hint_a);
  offer(pair, best, normal, -ch_solid_reach(&pair->b, ch_neg(normal), &hint_b) - reach);
}

// With depth the overlap that the best face leaves, parting by the best direction moves no point by more than depth;
// so the edges that then touch lie within twice the depth of where the solids meet along the best face normal.
ChSeparatingAxis ch_solid_axis_hulls(const ChSolidPair* pair) {
  ChSeparatingAxis best = {.gap = -INFINITY};
  offer_faces(pair, &pair->a, &pair->b, 1.0, &best);
  offer_faces(pair, &pair->b, &pair->a, -1.0, &best);
  if (best.gap > pair->margin) return best;
  const ChVec3 normal = best.normal;
  const double depth = 2.0 * fmax(-best.gap, 0.0) + pair->touch;
  Arc a[CHUNK], b[CHUNK];
  for (int next_a = 0; next_a < pair->a.polytope->edge_count;) {
    const int count_a = gather_arcs(&pair->a, normal, depth, 1.0, &next_a, a);
    for (int next_b = 0; next_b < pair->b.polytope->edge_count;) {
      const int count_b = gather_arcs(&pair->b, ch_neg(normal), depth, -1.0, &next_b, b);
      for (int i = 0; i < count_a; ++i)
        for (int j = 0; j < count_b; ++j) offer_edges(pair, &a[i], &b[j], &best);
    }
  }
  return best;
}

static ChVec3 support_point(const void* set, ChVec3 direction, int* hint) {
  const ChSolid* s = set;
  *hint = ch_solid_support(s, direction, *hint);
  return ch_solid_vertex(s, *hint);
}

// A face whose normal separates as well as the best direction is the exact answer: no rounding of a quotient.
static void prefer_faces(const ChSolidPair* pair, const ChSolid* own, const ChSolid* other, double sign,
                         ChSeparatingAxis* best) {
  const ChVec3 direction = ch_scale(sign, best->normal);
  for (int f = 0; f < own->polytope->face_count; ++f) {
    const ChVec3 normal = ch_solid_normal(own, f);
    if (!(ch_dot(normal, direction) > 1.0 - 1e-6)) continue;
    int hint = 0;
    const double gap = -ch_solid_reach(other, ch_neg(normal), &hint) - ch_solid_offset(own, f, normal);
    if (gap >= best->gap - 1e-12 * pair->size) {
      *best = (ChSeparatingAxis){ch_scale(sign, normal), gap};
      return;
    }
  }
}

ChSeparatingAxis ch_solid_axis_apart(const ChSolidPair* pair, ChVec3 start) {
  const ChConvexSet a = {&pair->a, support_point}, b = {&pair->b, support_point};
  const ChClosest closest = ch_convex_distance(a, b, start, pair->margin, pair->size, 1e-15);
  ChSeparatingAxis best = {closest.normal, closest.apart ? closest.distance : 0.0};
  if (!closest.apart || closest.distance > pair->margin) return best;
  prefer_faces(pair, &pair->b, &pair->a, -1.0, &best);
  prefer_faces(pair, &pair->a, &pair->b, 1.0, &best);
  return best;
}
