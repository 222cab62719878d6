// Overlaps are told from features that merely have the other's plane or line in front of them. See exact_pair.h.
//
// Features that overlap by d belong to surfaces that went through each other there: between the two feet is the inside
// of both. So no triangle lies across the way from foot to foot; and no other feature that the same corner or edge
// could touch and that faces elsewhere is less deep there, else that one is where they met. (Faces of a rounded surface
// face about the same way, and each would be less deep than the others.)
#include "collide/mesh/exact_pair.h"

#include "collide/mesh/mesh_walk.h"
#include "model/mesh/mesh_distance.h"
#include "model/mesh/triangle_foot.h"

static const double NEARER = 1e-6;    // share of the depth
static const double ELSEWHERE = 0.5;  // cosine of normals that differ by more
static const double ALONG = 10.0;     // depths: so far from where edges cross one enters the other body
static const double SUITS = 0.3;      // sine: faces that the corner or edge might have come through

static ChMeshWalk walk_about(const ChExactSide* side, ChVec3 at, double reach) {
  ChVec3 local = ch_exact_local(side, at), r = ch_vec(reach, reach, reach);
  return ch_mesh_walk(side->mesh, (ChBox3){ch_sub(local, r), ch_add(local, r)});
}

// Whether a face of the other side with this outward normal (common frame) could be touched by what is on side s.
static bool suits(const ChExact* x, const ChExactOverlap* o, int s, ChVec3 outward) {
  const ChExactSide* side = &x->side[s];
  ChVec3 n = ch_exact_turned_back(side, ch_neg(outward));
  if (o->corner) return ch_exact_corner_owns(side->mesh, o->corner, n, SUITS);
  const ChMeshEdge* e = o->edge[s];
  if (fabs(ch_dot(n, e->along)) > SUITS) return false;  // what an edge pierces it has not come through sideways
  return ch_dot(n, side->mesh->inward[e->place]) <= SUITS &&
         (e->other < 0 || ch_dot(n, side->mesh->inward[e->other]) <= SUITS);
}

// Faces that meet in the overlap, and those that go on from them.
static bool takes_part(const ChExact* x, const ChExactOverlap* o, int side, int cell) {
  const ChMeshFeatures* f = x->side[side].features;
  if (o->corner) return f->patch[cell] == o->patch;
  const ChMeshEdge* e = o->edge[side];
  return f->patch[cell] == f->patch[e->place / 3] || (e->other >= 0 && f->patch[cell] == f->patch[e->other / 3]);
}

// Whether each of two faces of a body rises in front of the other: as walls do that meet in an inner corner.
static bool face_each_other(const ChMesh* mesh, int a, int b, double slack) {
  double over = 0.0, under = 0.0;
  for (int k = 0; k < 3; ++k) {
    over = fmax(over, ch_dot(mesh->normals[a], ch_sub(ch_mesh_at(mesh, 3 * b + k), ch_mesh_at(mesh, 3 * a))));
    under = fmax(under, ch_dot(mesh->normals[b], ch_sub(ch_mesh_at(mesh, 3 * a + k), ch_mesh_at(mesh, 3 * b))));
  }
  return over > slack && under > slack;
}

// An edge that is in the inner corner of two walls can be through both of them, and neither is the one that it came
// through in place of the other.
static bool shares_corner(const ChExact* x, const ChExactOverlap* o, int side, int cell) {
  const ChMesh* mesh = x->side[side].mesh;
  if (o->corner || !mesh->closed) return false;
  const ChMeshEdge* e = o->edge[side];
  return face_each_other(mesh, e->place / 3, cell, x->blunt) ||
         (e->other >= 0 && face_each_other(mesh, e->other / 3, cell, x->blunt));
}

// A point of side s in the other surface, which it leaves along `out`: whether it is behind another of its faces, or on
// it, and less deep.
static bool is_nearer_elsewhere(const ChExact* x, const ChExactOverlap* o, int s, ChVec3 at, ChVec3 out) {
  const ChExactSide* other = &x->side[1 - s];
  const ChMesh* mesh = other->mesh;
  ChVec3 seen = ch_exact_local(other, at);
  double nearer = o->depth * (1.0 - NEARER) - x->slack;
  if (!(nearer > 0.0) || mesh->lines) return false;
  ChMeshWalk walk = walk_about(other, at, nearer);
  for (int c; (c = ch_mesh_walk_next(&walk)) >= 0;) {
    if (takes_part(x, o, 1 - s, c)) continue;
    ChVec3 a = ch_mesh_at(mesh, 3 * c), b = ch_mesh_at(mesh, 3 * c + 1), d = ch_mesh_at(mesh, 3 * c + 2);
    double height = ch_dot(mesh->normals[c], ch_sub(seen, a)), sign = mesh->closed || height < 0.0 ? 1.0 : -1.0;
    if (!(sign * height < 10.0 * x->slack)) continue;
    if (!(ch_norm(ch_sub(seen, ch_triangle_foot(a, b, d, seen).point)) < nearer)) continue;
    ChVec3 outward = ch_exact_turned(other, ch_scale(sign, mesh->normals[c]));
    if (ch_dot(outward, out) < ELSEWHERE && suits(x, o, s, outward) && !shares_corner(x, o, 1 - s, c)) return true;
  }
  return false;
}

// Whether the way between the feet goes through a triangle, well away from both of them.
static bool is_barred(const ChExact* x, const ChExactOverlap* o, int side) {
  const ChMesh* mesh = x->side[side].mesh;
  if (mesh->lines) return false;
  ChVec3 from = ch_exact_local(&x->side[side], o->own), to = ch_exact_local(&x->side[side], o->other);
  ChVec3 middle = ch_scale(0.5, ch_add(o->own, o->other));
  double spare = x->slack + NEARER * o->depth;
  ChMeshWalk walk = walk_about(&x->side[side], middle, 0.5 * o->depth);
  for (int c; (c = ch_mesh_walk_next(&walk)) >= 0;) {
    double p = ch_dot(mesh->normals[c], ch_sub(from, ch_mesh_at(mesh, 3 * c)));
    double q = ch_dot(mesh->normals[c], ch_sub(to, ch_mesh_at(mesh, 3 * c)));
    if (!((p > spare && q < -spare) || (p < -spare && q > spare))) continue;
    ChVec3 hit = ch_along(from, p / (p - q), ch_sub(to, from));
    bool in = true;
    for (int place = 3 * c; place < 3 * c + 3 && in; ++place)
      in = ch_dot(mesh->inward[place], ch_sub(hit, ch_mesh_at(mesh, place))) >= -10.0 * x->slack;
    if (in) return true;
  }
  return false;
}

// A point of the common frame that is near enough to the surface; open ones have no inside.
static bool holds(const ChExact* x, int s, ChVec3 at, double near) {
  ChMeshFoot foot;
  return x->side[s].mesh->closed && ch_mesh_foot(x->side[s].mesh, ch_exact_local(&x->side[s], at), near, &foot) &&
         foot.distance < x->slack;
}

// Whether the edge of the other side enters side s next to where the two edges cross: its line has to be in the wedge
// of the edge's faces, within some depths of its foot, and in the body.
static bool edge_enters(const ChExact* x, const ChExactOverlap* o, int s) {
  const ChExactSide *side = &x->side[s], *other = &x->side[1 - s];
  const ChMeshEdge *e = o->edge[s], *f = o->edge[1 - s];
  if (!side->mesh->closed) return false;
  ChVec3 own = s == 0 ? o->own : o->other, foot = s == 0 ? o->other : o->own;
  ChVec3 from = ch_exact_place(other, ch_mesh_at(other->mesh, f->place));
  ChVec3 along = ch_exact_turned(other, f->along);
  double at = ch_dot(ch_sub(foot, from), along);
  double low = fmax(-at, -ALONG * o->depth), high = fmin(f->length - at, ALONG * o->depth);
  for (int k = 0; k < 2; ++k) {
    ChVec3 n = ch_exact_turned(side, side->mesh->normals[(k ? e->other : e->place) / 3]);
    double height = ch_dot(n, ch_sub(foot, own)) - NEARER * o->depth, rise = ch_dot(n, along);
    if (fabs(rise) < NEARER && height > 0.0) return false;
    if (rise >= NEARER) high = fmin(high, -height / rise);
    if (rise <= -NEARER) low = fmax(low, -height / rise);
  }
  if (!(low <= high)) return false;
  double inside = fmin(0.5 * (high - low), 0.1 * o->depth);
  double place = fmin(fmax(0.0, low + inside), high - inside);
  return holds(x, s, ch_along(foot, place, along), (ALONG + 2.0) * o->depth);
}

bool ch_exact_overlap_is_real(const ChExact* x, const ChExactOverlap* o) {
  ChVec3 out = ch_scale(1.0 / o->depth, ch_sub(o->other, o->own));
  if (is_nearer_elsewhere(x, o, o->s, o->own, out)) return false;
  if (o->corner && x->side[1 - o->s].mesh->closed && !holds(x, 1 - o->s, o->own, 2.0 * o->depth)) return false;
  if (!o->corner && !x->sheets && !edge_enters(x, o, 0) && !edge_enters(x, o, 1)) return false;
  if (!o->corner && is_nearer_elsewhere(x, o, 1 - o->s, o->other, ch_neg(out))) return false;
  return !is_barred(x, o, 0) && !is_barred(x, o, 1);
}
