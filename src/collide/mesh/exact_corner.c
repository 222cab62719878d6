// Corners of one surface on faces, edges and corners of the other. See exact_pair.h.
#include "collide/mesh/exact_pair.h"

#include "collide/closest.h"
#include "collide/mesh/mesh_walk.h"
#include "model/mesh/triangle_foot.h"

// A corner of side s, seen from the other surface's own frame.
typedef struct Visitor {
  const ChExact* x;
  int s;
  const ChExactSide *own, *other;
  const ChMeshCorner* corner;
  ChVec3 at;      // common frame
  ChVec3 seen;    // the other surface's frame
  ChVec3 motion;  // and where it goes in the look-ahead
} Visitor;

bool ch_exact_corner_owns(const ChMesh* mesh, const ChMeshCorner* corner, ChVec3 outward, double tilt) {
  ChVec3 at = mesh->vertices[corner->vertex];
  if (corner->side != CH_SIDE_RIM) {
    double faces = ch_dot(mesh->vertex_normals[corner->vertex], outward);
    if (!(corner->side == CH_SIDE_FRONT ? faces > 0.0 : faces < 0.0)) return false;
  }
  for (int k = corner->first; k < corner->first + corner->count; ++k) {
    ChVec3 edge = ch_sub(mesh->vertices[mesh->features->fan[k]], at);
    double rise = ch_dot(edge, outward);
    if (rise > 0.0 && rise * rise > tilt * tilt * ch_dot(edge, edge)) return false;
  }
  return true;
}

// `n`: away from the other surface, in its frame.
static bool owns(const Visitor* v, ChVec3 n, double tilt) {
  ChVec3 inward = ch_neg(ch_exact_turned_back(v->own, ch_exact_turned(v->other, n)));
  return ch_exact_corner_owns(v->own->mesh, v->corner, inward, tilt);
}

static void list(const Visitor* v, ChVec3 n, double gap, uint64_t key) {
  ChVec3 outward = ch_exact_turned(v->other, n);
  ch_exact_add(v->x, v->s, v->at, ch_along(v->at, -gap, outward), ch_neg(outward), gap, key);
}

static uint64_t key_of(const Visitor* v, int kind, int other) {
  return v->s == 0 ? ch_exact_key(kind, v->corner->vertex, other) : ch_exact_key(kind + 1, other, v->corner->vertex);
}

// --- faces -----------------------------------------------------------------------------------------------------------

static const double ELSEWHERE = 0.5;  // cosine of normals that differ by more

// Whether the corner is behind the face across a convex edge of this one, too, and that face looks elsewhere.
static bool is_behind_next(const Visitor* v, int place, bool back) {
  const ChMesh* mesh = v->other->mesh;
  int next = mesh->across[place];
  if (mesh->features->bends[place] != (back ? CH_BEND_HOLLOW : CH_BEND_CONVEX)) return false;
  if (!(ch_dot(mesh->normals[place / 3], mesh->normals[next]) < ELSEWHERE)) return false;
  double height = ch_dot(mesh->normals[next], ch_sub(v->seen, ch_mesh_at(mesh, 3 * next)));
  return (back ? -height : height) <= v->x->slack;
}

// Across a hollow edge the next face goes on: what is behind both has its foot a little outside of either. So has what
// is behind a face and hardly behind the next, across a blunt edge, through which it cannot have come.
static bool is_over(const Visitor* v, int cell, ChVec3 point, double gap, bool back) {
  const ChMesh* mesh = v->other->mesh;
  for (int place = 3 * cell; place < 3 * cell + 3; ++place) {
    double inside = ch_dot(mesh->inward[place], ch_sub(point, ch_mesh_at(mesh, place)));
    bool hollow = mesh->features->bends[place] == (back ? CH_BEND_CONVEX : CH_BEND_HOLLOW);
    if (inside >= (hollow ? -v->x->hollow : -v->x->slack)) continue;
    if (!(gap < -v->x->slack && is_behind_next(v, place, back))) return false;
  }
  return true;
}

static bool is_real(const Visitor* v, int cell, double gap) {
  const ChMesh* mesh = v->other->mesh;
  ChExactOverlap overlap = {.s = v->s, .own = v->at, .depth = -gap, .corner = v->corner};
  const ChVec3 a = ch_mesh_at(mesh, 3 * cell), b = ch_mesh_at(mesh, 3 * cell + 1), c = ch_mesh_at(mesh, 3 * cell + 2);
  overlap.other = ch_exact_place(v->other, ch_triangle_foot(a, b, c, v->seen).point);
  overlap.patch = mesh->features->patch[cell];
  return ch_exact_overlap_is_real(v->x, &overlap);
}

static bool faces_corner(const Visitor* v, ChVec3 n, double gap) {
  const ChExact* x = v->x;
  return gap <= x->margin && gap >= -x->deepest && owns(v, n, gap < 0.0 ? fmax(x->tilt, 0.3) : x->tilt);
}

// Of which side of a sheet the last step had a vertex of the corner's surface: -1 in front of it, 1 behind it, 0 of
// neither, or both.
static int side_of(const Visitor* v, int vertex, int patch) {
  bool side[2];
  for (int back = 0; back < 2; ++back) {
    int face = 2 * patch + back;
    side[back] = ch_exact_was(
        v->x, v->s == 0 ? ch_exact_key(CH_EXACT_FACE, vertex, face) : ch_exact_key(CH_EXACT_FACE + 1, face, vertex));
  }
  return (int)side[1] - (int)side[0];
}

// Sheets that touch, and nobody knows from where: the second is in front of the first, at every one of its points.
static bool lies_behind(const Visitor* v, int cell) {
  if (v->s == 1) return false;
  ChVec3 mine = ch_exact_turned(v->own, v->own->mesh->vertex_normals[v->corner->vertex]);
  return ch_dot(mine, ch_exact_turned(v->other, v->other->mesh->normals[cell])) > 0.0;
}

// The side of a sheet on which the corner was in the last step, over this face or the ones beside it, as in side_of.
static int known_side(const Visitor* v, int cell) {
  const ChMesh* mesh = v->other->mesh;
  const int* patch = mesh->features->patch;
  int side = side_of(v, v->corner->vertex, patch[cell]);
  for (int place = 3 * cell; place < 3 * cell + 3 && side == 0; ++place) {
    int beside = mesh->across[place];
    if (beside >= 0 && patch[beside] != patch[cell]) side = side_of(v, v->corner->vertex, patch[beside]);
  }
  return side;
}

// The same of the corners next to it.
static int side_of_next(const Visitor* v, int cell) {
  const ChMesh* own = v->own->mesh;
  int patch = v->other->mesh->features->patch[cell], sum[2] = {0, 0};
  for (int k = v->corner->first; k < v->corner->first + v->corner->count; ++k) {
    int side = side_of(v, own->features->fan[k], patch);
    if (side != 0) ++sum[side > 0];
  }
  return (sum[1] > 0) - (sum[0] > 0);
}

// A sheet's corner that the last step did not have is on the side on which it is. If it is through by little, it is
// where the corners next to it were, and a tip on the side of the rest of it, the only one on which it could have
// touched
// (`front`, `back`).
static bool is_behind(const Visitor* v, int cell, double gap, bool front, bool back) {
  int side = known_side(v, cell);
  if (side == 0 && fabs(gap) <= v->x->hollow) side = side_of_next(v, cell);
  if (side != 0) return side > 0;
  if (fabs(gap) <= v->x->slack) return lies_behind(v, cell);
  return front != back && fabs(gap) <= v->x->hollow ? back : gap < 0.0;
}

// Whether a place is on the sheet, and no rim is nearer to it than `depth`.
static bool is_well_inside(const Visitor* v, ChVec3 at, double depth) {
  const ChMesh* mesh = v->other->mesh;
  ChVec3 reach = ch_vec(depth, depth, depth);
  ChMeshWalk walk = ch_mesh_walk(mesh, (ChBox3){ch_sub(at, reach), ch_add(at, reach)});
  bool on = false;
  for (int c; (c = ch_mesh_walk_next(&walk)) >= 0;) {
    ChVec3 corner[3] = {ch_mesh_at(mesh, 3 * c), ch_mesh_at(mesh, 3 * c + 1), ch_mesh_at(mesh, 3 * c + 2)};
    on = on || ch_norm(ch_sub(at, ch_triangle_foot(corner[0], corner[1], corner[2], at).point)) < 0.5 * depth;
    for (int k = 0; k < 3; ++k) {
      ChSegment side = {{corner[k], corner[(k + 1) % 3]}};
      if (mesh->across[3 * c + k] >= 0) continue;
      ChVec3 foot = ch_segment_at(&side, fmin(fmax(ch_segment_foot(&side, at), 0.0), 1.0));
      if (ch_norm(ch_sub(at, foot)) < depth) return false;
    }
  }
  return on;
}

// Whether a solid's corner that is through a sheet came along its normal n, in the sheet's frame: as the last step has
// it, or else an edge leads back through the sheet, and the longer part of it is out. (The upper corner of a thin card
// on a sheet is not the card's thickness deep in the sheet's back.) An edge that goes through beside a rim, nearer to
// it than the corner is deep, leads around the rim: that overlap is the edge's.
static bool came_along(const Visitor* v, int cell, bool back, ChVec3 n, double gap) {
  const ChMesh* own = v->own->mesh;
  int side = known_side(v, cell);
  if (side != 0) return (side > 0) == back;
  for (int k = v->corner->first; k < v->corner->first + v->corner->count; ++k) {
    ChVec3 end = ch_exact_local(v->other, ch_exact_place(v->own, own->vertices[own->features->fan[k]]));
    ChVec3 edge = ch_sub(end, v->seen);
    double rise = ch_dot(n, edge);
    if (rise >= -2.0 * gap && is_well_inside(v, ch_along(v->seen, -gap / rise, edge), -gap)) return true;
  }
  return false;
}

static void meet_face(const Visitor* v, int cell) {
  const ChMesh* mesh = v->other->mesh;
  ChVec3 n = mesh->normals[cell];
  double gap = ch_dot(n, ch_sub(v->seen, ch_mesh_at(mesh, 3 * cell)));
  bool front = faces_corner(v, n, gap);
  bool two_sided = !mesh->closed && !mesh->front, back = two_sided && faces_corner(v, ch_neg(n), -gap);
  if (!front && !back) return;
  if (v->x->sheets) {
    bool behind = is_behind(v, cell, gap, front, back);
    front = front && !behind, back = back && behind;
  } else if (front && back) {
    front = gap >= 0.0, back = !front;
  }
  if (!front && !back) return;
  if (back) n = ch_neg(n), gap = -gap;
  if (gap < -v->x->slack && two_sided && !v->x->sheets && !came_along(v, cell, back, n, gap)) return;
  double rate = ch_dot(n, v->motion), t = gap > 0.0 && rate < 0.0 ? fmin(1.0, -gap / rate) : 0.0;
  if (!is_over(v, cell, ch_along(v->seen, t, v->motion), gap, back)) return;
  if (gap < -v->x->slack && !is_real(v, cell, gap)) return;
  list(v, n, gap, key_of(v, CH_EXACT_FACE, 2 * mesh->features->patch[cell] + back));
}

// --- edges -----------------------------------------------------------------------------------------------------------

typedef struct Wedge {
  ChVec3 normal[2], inward[2];
} Wedge;

static Wedge wedge_of(const ChMesh* mesh, const ChMeshEdge* e) {
  Wedge w;
  double sign = e->back ? -1.0 : 1.0;
  w.normal[0] = ch_scale(sign, mesh->normals[e->place / 3]), w.inward[0] = mesh->inward[e->place];
  w.normal[1] = e->other < 0 ? ch_neg(w.normal[0]) : ch_scale(sign, mesh->normals[e->other / 3]);
  w.inward[1] = e->other < 0 ? w.inward[0] : mesh->inward[e->other];
  return w;
}

// The normal of a wedge towards a place that is on it, up to rounding; `from` is where the corner comes from.
static ChVec3 normal_at_ridge(const Wedge* w, ChVec3 from, double slack) {
  for (int k = 0; k < 2; ++k)
    if (ch_dot(from, w->inward[k]) > slack) return w->normal[k];
  ChVec3 middle = ch_sub(ch_add(w->normal[0], w->normal[1]), ch_add(w->inward[0], w->inward[1]));
  return ch_norm(from) > slack ? ch_unit(from) : ch_unit(middle);
}

static ChVec3 across(ChVec3 v, ChVec3 along) { return ch_along(v, -ch_dot(v, along), along); }

// In [0, 1]: when a point at `from` with this motion is nearest to the origin.
static double closest_time(ChVec3 from, ChVec3 motion) {
  double square = ch_dot(motion, motion);
  if (!(square > 0.0)) return 0.0;
  return fmin(fmax(-ch_dot(from, motion) / square, 0.0), 1.0);
}

static void meet_edge(const Visitor* v, const ChMeshEdge* e) {
  const ChExact* x = v->x;
  const ChMesh* mesh = v->other->mesh;
  ChVec3 from = ch_sub(v->seen, ch_mesh_at(mesh, e->place));
  ChVec3 start = across(from, e->along), motion = across(v->motion, e->along);
  double t = closest_time(start, motion);
  double place = ch_dot(ch_along(from, t, v->motion), e->along);
  if (!(place >= -x->slack && place <= e->length + x->slack)) return;
  ChVec3 closest = ch_along(start, t, motion);
  double distance = ch_norm(closest);
  if (!(distance <= x->margin)) return;
  Wedge w = wedge_of(mesh, e);
  if (ch_dot(closest, w.inward[0]) > x->slack || ch_dot(closest, w.inward[1]) > x->slack) return;
  ChVec3 n = distance > x->slack ? ch_scale(1.0 / distance, closest) : normal_at_ridge(&w, start, x->slack);
  if (!(ch_norm(n) > 0.5)) return;  // on a line, and from nowhere
  double gap = ch_dot(n, start);
  if (!(gap <= x->margin && gap >= -x->slack) || !owns(v, n, x->tilt)) return;
  list(v, n, gap, key_of(v, CH_EXACT_CORNER_EDGE, e->chain));
}

// --- corners ---------------------------------------------------------------------------------------------------------

static void meet_corner(const Visitor* v, const ChMeshCorner* c) {
  const ChExact* x = v->x;
  const ChMesh* mesh = v->other->mesh;
  ChVec3 from = ch_sub(v->seen, mesh->vertices[c->vertex]);
  ChVec3 closest = ch_along(from, closest_time(from, v->motion), v->motion);
  double distance = ch_norm(closest);
  if (!(distance <= x->margin)) return;
  for (int k = c->first; k < c->first + c->count; ++k) {
    ChVec3 edge = ch_sub(mesh->vertices[mesh->features->fan[k]], mesh->vertices[c->vertex]);
    if (ch_dot(edge, closest) > x->slack * ch_norm(edge)) return;
  }
  ChVec3 n;
  if (distance > x->slack) {
    n = ch_scale(1.0 / distance, closest);
  } else if (mesh->lines || v->own->mesh->lines) {
    return;
  } else {
    ChVec3 mine = ch_unit(v->own->mesh->vertex_normals[v->corner->vertex]);
    mine = ch_exact_turned_back(v->other, ch_exact_turned(v->own, mine));
    n = ch_unit(ch_sub(ch_unit(mesh->vertex_normals[c->vertex]), mine));
    if (!ch_exact_corner_owns(mesh, c, n, x->tilt)) return;
  }
  double gap = ch_dot(n, from);
  if (!(gap <= x->margin && gap >= -x->slack) || !owns(v, n, x->tilt)) return;
  list(v, n, gap,
       v->s == 0 ? ch_exact_key(CH_EXACT_CORNERS, v->corner->vertex, c->vertex)
                 : ch_exact_key(CH_EXACT_CORNERS, c->vertex, v->corner->vertex));
}

// ---------------------------------------------------------------------------------------------------------------------

void ch_exact_corners(const ChExact* x, int s, int own, int cell) {
  const ChMeshFeatures *mine = x->side[s].features, *theirs = x->side[1 - s].features;
  if (mine->corner_start[own] == mine->corner_start[own + 1]) return;
  Visitor v = {.x = x, .s = s, .own = &x->side[s], .other = &x->side[1 - s]};
  for (int k = mine->corner_start[own]; k < mine->corner_start[own + 1]; ++k) {
    v.corner = &mine->corners[k];
    v.at = ch_exact_place(v.own, v.own->mesh->vertices[v.corner->vertex]);
    v.seen = ch_exact_local(v.other, v.at);
    v.motion = ch_exact_turned_back(v.other, ch_exact_motion(x, s, v.at));
    const ChMesh* mesh = v.other->mesh;
    if (!mesh->lines && !(mesh->foreign && mesh->foreign[cell])) meet_face(&v, cell);
    for (int e = theirs->edge_start[cell]; e < theirs->edge_start[cell + 1]; ++e) meet_edge(&v, &theirs->edges[e]);
    if (s == 1) continue;  // the pair of corners has been met from the other side
    for (int c = theirs->corner_start[cell]; c < theirs->corner_start[cell + 1]; ++c)
      meet_corner(&v, &theirs->corners[c]);
  }
}
