// Seams between shapes that move as one: see seams.h.
#include "collide/seams.h"

#include <math.h>
#include <stdlib.h>

#include "collide/shape_box.h"

static const double FLUSH = 1e-7;   // of the smaller shape: nearer is touching
static const double TURNED = 1e-6;  // radian: normals that differ by less are the same
static const double ABOVE = 0.01;   // how steeply one looks up from a face to see whether it is covered

// --- who lies beside whom --------------------------------------------------------------------------------------------

typedef struct Piece {
  int solid, shape;  // solid: the body, or -1 for all that is fixed
  ChBox3 box;
} Piece;

static bool is_halfspace(const ChShape* s) { return ch_shape_kind(s)->info.endless; }

static int compare_pieces(const void* a, const void* b) {
  const Piece *x = a, *y = b;
  if (x->solid != y->solid) return x->solid < y->solid ? -1 : 1;
  if (x->box.low.x != y->box.low.x) return x->box.low.x < y->box.low.x ? -1 : 1;
  return x->shape - y->shape;
}

static ChPosed posed_at_start(const ChWorld* world, int shape) {
  const ChShape* s = &world->shapes[shape];
  ChFrame frame = ch_shape_frame(s, &world->states[s->body]);
  return (ChPosed){.shape = s, .frame = frame, .turn = ch_mat_from_quat(frame.orientation)};
}

static Piece piece_of(const ChWorld* world, int shape) {
  ChPosed posed = posed_at_start(world, shape);
  ChBox3 box = ch_shape_box(&posed);
  double widen = FLUSH * posed.shape->bound;
  ChVec3 all = ch_vec(widen, widen, widen);
  bool fixed = world->bodies[posed.shape->body].kind == CH_BODY_FIXED;
  return (Piece){fixed ? -1 : posed.shape->body, shape, {ch_sub(box.low, all), ch_add(box.high, all)}};
}

// Shapes that have a companion, by solids and from left to right.
static int list_pieces(const ChWorld* world, Piece* pieces) {
  int count = 0;
  for (int k = 0; k < world->shape_count; ++k) {
    const ChBody* body = &world->bodies[world->shapes[k].body];
    if (world->shapes[k].polytope && (body->kind == CH_BODY_FIXED || body->shape_count > 1))
      pieces[count++] = piece_of(world, k);
  }
  qsort(pieces, (size_t)count, sizeof *pieces, compare_pieces);
  return count;
}

static void add_pair(ChSeams* seams, bool fill, int shape, int neighbour) {
  if (fill)
    seams->neighbour[seams->start[shape]++] = neighbour;
  else
    ++seams->start[shape];
}

static bool reaches(const ChWorld* world, int shape, int halfspace) {
  ChPosed solid = posed_at_start(world, shape), plane = posed_at_start(world, halfspace);
  ChVec3 normal = ch_mat_apply(&plane.turn, plane.shape->normal);
  double offset = plane.shape->offset + ch_dot(normal, plane.frame.at);
  return ch_shape_lowest(&solid, normal) <= offset + FLUSH * solid.shape->bound;
}

// Counts the neighbours of every shape, or fills them in.
static void visit_pairs(const ChWorld* world, int count, const Piece* pieces, bool fill, ChSeams* seams) {
  for (int a = 0; a < count; ++a)
    for (int b = a + 1; b < count && pieces[b].solid == pieces[a].solid; ++b) {
      if (pieces[b].box.low.x > pieces[a].box.high.x) break;
      if (!ch_boxes_meet(&pieces[a].box, &pieces[b].box)) continue;
      add_pair(seams, fill, pieces[a].shape, pieces[b].shape);
      add_pair(seams, fill, pieces[b].shape, pieces[a].shape);
    }
  for (int k = 0; k < world->shape_count; ++k) {
    if (!is_halfspace(&world->shapes[k]) || world->bodies[world->shapes[k].body].kind != CH_BODY_FIXED) continue;
    for (int a = 0; a < count && pieces[a].solid < 0; ++a)
      if (reaches(world, pieces[a].shape, k)) add_pair(seams, fill, pieces[a].shape, k);
  }
}

ChSeams ch_seams_find(ChArena* arena, const ChWorld* world) {
  int shapes = world->shape_count;
  ChSeams seams = {.start = CH_TAKE(arena, shapes + 2, int)};
  Piece* pieces = CH_TAKE(arena, shapes + 1, Piece);
  int count = list_pieces(world, pieces);
  visit_pairs(world, count, pieces, false, &seams);
  int total = 0;
  for (int k = 0; k <= shapes; ++k) {  // from counts to where each one's begin
    int own = seams.start[k];
    seams.start[k] = total;
    total += own;
  }
  seams.neighbour = CH_TAKE(arena, total + 1, int);
  visit_pairs(world, count, pieces, true, &seams);
  for (int k = shapes; k > 0; --k) seams.start[k] = seams.start[k - 1];  // filling moved each to the next one's
  seams.start[0] = 0;
  return seams;
}

// --- what they hide --------------------------------------------------------------------------------------------------

// A point with its outward normal as a shape's own frame has it.
typedef struct Touch {
  ChVec3 at, normal;
} Touch;

static ChVec3 place_in(const ChPosed* posed, ChVec3 at) {
  return ch_mat_apply_transposed(&posed->turn, ch_sub(at, posed->frame.at));
}

static Touch touch_in(const ChPosed* posed, ChVec3 at, ChVec3 normal) {
  return (Touch){place_in(posed, at), ch_mat_apply_transposed(&posed->turn, normal)};
}

static double height(const ChPolytope* p, int face, ChVec3 at) {
  return ch_dot(p->normals[face], at) - p->offsets[face];
}

// Whether a ray from `at`, which the shape holds, begins inside it or along its surface.
static bool leads_in(const ChShape* s, ChVec3 at, ChVec3 ray, double flush) {
  if (!s->polytope) return ch_dot(s->normal, at) - s->offset < -flush || ch_dot(s->normal, ray) <= TURNED;
  for (int f = 0; f < s->polytope->face_count; ++f)
    if (height(s->polytope, f, at) >= -flush && ch_dot(s->polytope->normals[f], ray) > TURNED) return false;
  return true;
}

static bool holds(const ChShape* s, ChVec3 at, double flush) {
  if (!s->polytope) return ch_dot(s->normal, at) - s->offset <= flush;
  for (int f = 0; f < s->polytope->face_count; ++f)
    if (!(height(s->polytope, f, at) <= flush)) return false;
  return true;
}

// Whether the shape, which holds the point, reaches further along the normal.
static bool reaches_beyond(const ChShape* s, Touch t, double flush) {
  if (!s->polytope)
    return ch_dot(s->normal, t.at) - s->offset < -flush || ch_norm(ch_sub(t.normal, s->normal)) > TURNED;
  ChVec3 farthest = s->polytope->vertices[ch_polytope_support(s->polytope, t.normal, 0)];
  ChVec3 way = ch_sub(farthest, t.at);
  return ch_dot(t.normal, way) > flush + TURNED * ch_norm(way);
}

// The face to which the normal belongs and on which the point lies; -1: an edge's or corner's normal.
static int face_of(const ChPolytope* p, Touch t, double flush) {
  for (int f = 0; f < p->face_count; ++f)
    if (fabs(height(p, f, t.at)) <= flush && ch_norm(ch_sub(p->normals[f], t.normal)) <= TURNED) return f;
  return -1;
}

// Whether the other shape lies on the face wherever one goes from the point.
static bool covers(const ChPosed* other, const ChPosed* own, int face, Touch t, ChVec3 other_at, double flush) {
  const ChPolytope* p = own->shape->polytope;
  for (int k = p->face_start[face]; k < p->face_start[face + 1]; ++k) {
    ChVec3 way = ch_sub(p->vertices[p->face_vertex[k]], t.at);
    double length = ch_norm(way);
    if (length <= flush) continue;
    ChVec3 ray = ch_mat_apply(&own->turn, ch_along(ch_scale(1.0 / length, way), ABOVE, t.normal));
    if (!leads_in(other->shape, other_at, ch_mat_apply_transposed(&other->turn, ray), flush)) return false;
  }
  return true;
}

static bool is_beside(const ChBroadItem* item, ChVec3 at, double flush) {
  return !item->plane && ch_box_distance2(&item->box, at) > flush * flush;
}

static bool hidden(const ChSeams* seams, const ChPosed* posed, const ChBroadItem* items, int shape, ChVec3 at,
                   ChVec3 normal) {
  const ChPosed* own = &posed[shape];
  for (int k = seams->start[shape]; k < seams->start[shape + 1]; ++k) {
    const ChPosed* other = &posed[seams->neighbour[k]];
    double smaller = own->shape->bound < other->shape->bound ? own->shape->bound : other->shape->bound;
    double flush = FLUSH * smaller;
    if (is_beside(&items[seams->neighbour[k]], at, flush) || !holds(other->shape, place_in(other, at), flush)) continue;
    Touch there = touch_in(other, at, normal), here = touch_in(own, at, normal);
    int face = face_of(own->shape->polytope, here, flush);
    if (face < 0 ? reaches_beyond(other->shape, there, flush) : covers(other, own, face, here, there.at, flush))
      return true;
  }
  return false;
}

bool ch_seams_hide(const ChSeams* seams, const ChPosed* posed, const ChBroadItem* items, int i, int j,
                   const ChGap* point) {
  bool first = seams->start[i] < seams->start[i + 1], second = seams->start[j] < seams->start[j + 1];
  if (!first && !second) return false;
  ChVec3 half = ch_scale(0.5 * point->gap, point->normal);
  return (first && hidden(seams, posed, items, i, ch_sub(point->point, half), point->normal)) ||
         (second && hidden(seams, posed, items, j, ch_add(ch_gap_point(point, 1), half), ch_neg(point->normal)));
}
