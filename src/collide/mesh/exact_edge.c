// Edges of one surface with edges of the other. See exact_pair.h.
#include "collide/mesh/exact_pair.h"

static const double PARALLEL = 1e-5;  // sine of angles below which the corners at the ends say it all
static const double EITHER = 0.05;    // normals that suit both ways by no more than this: the side is the one it is on
static const double ONE_WAY = 0.3;    // sine: so far from suiting is not suiting
static const double IN_PLANE = 0.5;   // cosine to a rim's normal, below which a direction leads past it

typedef struct Line {
  const ChExactSide* side;
  const ChMeshEdge* edge;
  ChVec3 from, along;  // along: unit
  ChVec3 inward[2];
} Line;

// Whether the surface rises no less than the edge's line does beyond the edge's end: then the line goes on inside of
// it, and what is above the surface is above the line. `beyond`: unit, along the edge and out of it. A line rises
// towards `other`, which it meets.
static bool rises(const ChMesh* mesh, const ChMeshEdge* e, int vertex, ChVec3 beyond, ChVec3 other) {
  const ChMeshFeatures* f = mesh->features;
  int corner = f->corner_of[vertex];
  if (corner < 0) return false;
  ChVec3 out = ch_neg(ch_add(mesh->inward[e->place], e->other < 0 ? mesh->inward[e->place] : mesh->inward[e->other]));
  if (mesh->lines) out = other;
  for (int k = f->corners[corner].first; k < f->corners[corner].first + f->corners[corner].count; ++k) {
    ChVec3 d = ch_sub(mesh->vertices[f->fan[k]], mesh->vertices[vertex]);
    if (ch_dot(d, beyond) > 0.5 * ch_norm(d) && ch_dot(d, out) > CH_MESH_SMOOTH * ch_norm(d)) return true;
  }
  return false;
}

static Line line_of(const ChExactSide* side, const ChMeshEdge* e) {
  const ChMesh* mesh = side->mesh;
  Line line = {.side = side, .edge = e, .from = ch_exact_place(side, ch_mesh_at(mesh, e->place))};
  line.along = ch_exact_turned(side, e->along);
  line.inward[0] = ch_exact_turned(side, mesh->inward[e->place]);
  line.inward[1] = e->other < 0 ? line.inward[0] : ch_exact_turned(side, mesh->inward[e->other]);
  return line;
}

// By how much n, from a to b, is not a normal of both: the sine at which a face leads towards the other edge.
static double unfit(const Line* a, const Line* b, ChVec3 n) {
  double of_a = fmax(ch_dot(n, a->inward[0]), ch_dot(n, a->inward[1]));
  return fmax(of_a, -fmin(ch_dot(n, b->inward[0]), ch_dot(n, b->inward[1])));
}

// Places on both lines where they come closest, the first moved by `shift`.
static void closest_places(const Line* a, const Line* b, ChVec3 shift, double cosine, double sine2, double at[2]) {
  ChVec3 apart = ch_sub(b->from, ch_add(a->from, shift));
  double of_a = ch_dot(apart, a->along), of_b = ch_dot(apart, b->along);
  at[0] = (of_a - cosine * of_b) / sine2;
  at[1] = (cosine * of_a - of_b) / sine2;
}

// An edge in the inner corner of two bare lines is held by both of them: by each also beyond its end, as long as the
// edge has not come past the other. With e and d leading away from the corner v along them, it goes through their plane
// at v + alpha e + beta d: in the corner, if neither is negative; past one, and from inside, if its body is inside.
static bool is_in_corner(const ChExact* x, const Line* by, ChVec3 v, ChVec3 e, ChVec3 d) {
  ChVec3 normal = ch_cross(e, d);
  double size = ch_norm(normal), rate = ch_dot(normal, by->along), cosine = ch_dot(e, d);
  if (!(size > PARALLEL && fabs(rate) > PARALLEL * size)) return false;
  ChVec3 to = ch_sub(by->from, v), p = ch_along(to, -ch_dot(normal, to) / rate, by->along);
  ChVec3 in = ch_add(by->inward[0], by->inward[1]), body = ch_along(in, -ch_dot(normal, in) / rate, by->along);
  ChVec3 from_d = ch_along(e, -cosine, d), from_e = ch_along(d, -cosine, e);
  double past_d = ch_dot(body, from_d) > 0.0 ? x->hollow : x->blunt;
  double past_e = ch_dot(body, from_e) > 0.0 ? x->hollow : x->blunt;
  return ch_dot(p, from_d) >= -past_d * size && ch_dot(p, from_e) >= -past_e * size;
}

// The same at the end of a line, with all lines that meet it there. `v`: where the end is.
static bool ends_in_corner(const ChExact* x, const Line* line, int vertex, ChVec3 v, ChVec3 beyond, const Line* by) {
  const ChMesh* mesh = line->side->mesh;
  const ChMeshFeatures* f = mesh->features;
  int corner = f->corner_of[vertex];
  if (corner < 0) return false;
  for (int k = f->corners[corner].first; k < f->corners[corner].first + f->corners[corner].count; ++k) {
    ChVec3 d = ch_unit(ch_sub(mesh->vertices[f->fan[k]], mesh->vertices[vertex]));
    if (is_in_corner(x, by, v, ch_neg(beyond), ch_exact_turned(line->side, d))) return true;
  }
  return false;
}

// Whether two lines that come closest at `at` of this one, moved by `shift`, meet there. `towards`: the other.
static bool is_within(const ChExact* x, const Line* line, double at, ChVec3 shift, const Line* by, ChVec3 towards) {
  const ChMeshEdge* e = line->edge;
  double beyond = fmax(-at, at - e->length);
  if (beyond <= x->blunt) return true;
  if (!(beyond <= x->hollow)) return false;
  bool end = at >= 0.0;
  if (e->goes_on[end]) return true;
  const ChMesh* mesh = line->side->mesh;
  int vertex = mesh->cells[end ? ch_mesh_next(e->place) : e->place];
  if (rises(mesh, e, vertex, end ? e->along : ch_neg(e->along), ch_exact_turned_back(line->side, towards))) return true;
  ChVec3 v = ch_add(shift, end ? ch_along(line->from, e->length, line->along) : line->from);
  return mesh->lines && ends_in_corner(x, line, vertex, v, end ? line->along : ch_neg(line->along), by);
}

// A pair of edges and how it lies, n from a to b.
typedef struct Crossing {
  const Line *a, *b;
  ChVec3 n;
  double gap, cosine, sine2;
  uint64_t key;
} Crossing;

// The times in [0, 1] at which a place that goes from `from` to `to` is on the edge: low[0] to low[1], cut to these.
static void cut_times(const ChExact* x, const ChMeshEdge* e, double from, double to, double time[2]) {
  double rate = to - from, low = -x->blunt - from, high = e->length + x->blunt - from;
  if (rate < 0.0) {
    double swapped = low;
    low = -high, high = -swapped, rate = -rate;
  }
  if (rate * time[0] < low) time[0] = rate * time[1] < low ? INFINITY : low / rate;
  if (rate * time[1] > high) time[1] = rate * time[0] > high ? -INFINITY : high / rate;
}

// Whether edges come to be within both between time t and the end of the look-ahead. Those that meet beyond an end of
// one have then gone through each other, in from a corner that no other feature holds; those that do not meet may yet,
// should something else turn out to move them.
static bool comes_within(const ChExact* x, const Crossing* c, ChVec3 motion, double t, const double now[2]) {
  double end[2], time[2] = {t, 1.0};
  closest_places(c->a, c->b, motion, c->cosine, c->sine2, end);
  cut_times(x, c->a->edge, now[0], end[0], time);
  cut_times(x, c->b->edge, now[1], end[1], time);
  return time[0] <= time[1];
}

// Adds the crossing if the edges come closest within both; where they overlap, if they do so there.
static bool add_crossing(const ChExact* x, const Crossing* c) {
  const Line *a = c->a, *b = c->b;
  double at[2], then[2];
  closest_places(a, b, ch_vec(0.0, 0.0, 0.0), c->cosine, c->sine2, at);
  ChVec3 own = ch_along(a->from, at[0], a->along), other = ch_along(b->from, at[1], b->along);
  ChVec3 motion = ch_exact_motion(x, 0, own);
  double rate = ch_dot(c->n, motion), t = c->gap > 0.0 && rate > 0.0 ? fmin(1.0, c->gap / rate) : 0.0;
  ChVec3 shift = ch_scale(t, motion), back = ch_neg(shift);
  closest_places(a, b, shift, c->cosine, c->sine2, then);
  bool within = is_within(x, a, then[0], shift, b, c->n) && is_within(x, b, then[1], back, a, ch_neg(c->n));
  if (!within && !(c->gap > 0.0 && comes_within(x, c, motion, rate > c->gap ? t : 0.0, at))) return false;
  ChExactOverlap overlap = {.own = own, .other = other, .depth = -c->gap, .edge = {a->edge, b->edge}};
  if (c->gap < -x->slack && !ch_exact_overlap_is_real(x, &overlap)) return false;
  ch_exact_add(x, 0, own, other, c->n, c->gap, c->key);
  return true;
}

// Of two sheets the key says which side of the first the second is on. Where n lies in the first one's plane there is
// but one way, beyond the rim.
static uint64_t key_of(const ChExact* x, const Line* a, const Line* b, ChVec3 n) {
  const ChMesh* mesh = a->side->mesh;
  bool back = false;
  if (x->sheets) {
    ChVec3 up = mesh->normals[a->edge->place / 3];
    if (a->edge->other >= 0) up = ch_add(up, mesh->normals[a->edge->other / 3]);
    back = ch_dot(ch_exact_turned(a->side, up), n) < -IN_PLANE * ch_norm(up);
  }
  return ch_exact_key(back ? CH_EXACT_EDGES_BACK : CH_EXACT_EDGES, a->edge->chain, b->edge->chain);
}

static Crossing crossing(const ChExact* x, const Line* a, const Line* b, ChVec3 n, double gap, double sine2) {
  return (Crossing){a, b, n, gap, ch_dot(a->along, b->along), sine2, key_of(x, a, b, n)};
}

static bool is_back(uint64_t key) { return key >> 60 == CH_EXACT_EDGES_BACK; }

// How the last step had the ends of one line over the faces beside the other, as it bears on n, which leads from a to
// b: 1 for it, -1 against it, 0 where it had none, or says nothing.
static int ends_say(const ChExact* x, const Line* line, const Line* over, bool second, ChVec3 n) {
  const ChMesh *mesh = line->side->mesh, *faces = over->side->mesh;
  int places[2] = {over->edge->place, over->edge->other}, votes[2] = {0, 0};
  for (int k = 0; k < 8; ++k) {
    int end = k & 1, back = k >> 1 & 1, place = places[k >> 2];
    if (place < 0) continue;
    int vertex = mesh->cells[end ? ch_mesh_next(line->edge->place) : line->edge->place];
    int face = 2 * faces->features->patch[place / 3] + back;
    double side = ch_dot(ch_exact_turned(over->side, faces->normals[place / 3]), second ? n : ch_neg(n));
    if (!(fabs(side) > IN_PLANE)) continue;
    if (!ch_exact_was(
            x, second ? ch_exact_key(CH_EXACT_FACE + 1, face, vertex) : ch_exact_key(CH_EXACT_FACE, vertex, face)))
      continue;
    ++votes[(side < 0.0) == (back != 0)];
  }
  return (votes[1] > 0) - (votes[0] > 0);
}

// Two sheets' edges are on the side on which the last step had them, if it did, else on the one where they are. If they
// are through by little, they are where their ends were, and where normals suit one way only, as at the rim of a sheet
// that another one lies across, that is the way.
static void meet_sheets(const ChExact* x, const Crossing* ahead, const Crossing* behind, bool apart, bool through,
                        bool one_way) {
  bool was_ahead = ch_exact_was(x, ahead->key), was_behind = ch_exact_was(x, behind->key);
  bool over = was_behind && !was_ahead;
  if (ahead->key == behind->key) over = was_behind && !apart;
  if (!was_ahead && !was_behind && through && ahead->gap <= x->hollow) {
    int said = ends_say(x, ahead->b, ahead->a, true, ahead->n);
    if (said == 0) said = ends_say(x, ahead->a, ahead->b, false, ahead->n);
    over = said < 0 || (said == 0 && (ahead->gap <= x->slack ? is_back(ahead->key) : one_way));
  }
  if (over ? through : apart) add_crossing(x, over ? behind : ahead);
}

// The normal that suits both edges. Where it suits them either way, as between blades, it is the one that overlaps if
// bodies do, else the other.
static void meet(const ChExact* x, const Line* a, const Line* b) {
  ChVec3 n = ch_cross(a->along, b->along);
  double sine2 = ch_dot(n, n), reach = fmax(x->margin, x->deepest);
  if (!(sine2 > PARALLEL * PARALLEL)) return;
  n = ch_scale(1.0 / sqrt(sine2), n);
  double gap = ch_dot(n, ch_sub(b->from, a->from));
  if (!(fabs(gap) <= reach)) return;
  if (gap < 0.0) n = ch_neg(n), gap = -gap;
  double apart = unfit(a, b, n), through = unfit(a, b, ch_neg(n));
  Crossing ahead = crossing(x, a, b, n, gap, sine2), behind = crossing(x, a, b, ch_neg(n), -gap, sine2);
  if (x->sheets) {
    bool one_way = apart > fmax(x->tilt, ONE_WAY);
    meet_sheets(x, &ahead, &behind, apart <= x->tilt && gap <= x->margin, through <= x->tilt && gap <= x->deepest,
                one_way);
    return;
  }
  bool may_be_apart = apart <= x->tilt && gap <= x->margin && apart <= through + EITHER;
  bool may_be_through = through <= x->tilt && gap <= x->deepest && through <= apart + EITHER;
  if (may_be_through && may_be_apart && !a->side->mesh->closed && !b->side->mesh->closed) may_be_through = false;
  if (may_be_through && add_crossing(x, &behind)) return;
  if (may_be_apart) add_crossing(x, &ahead);
}

void ch_exact_edges(const ChExact* x, int first, int second) {
  const ChMeshFeatures *f = x->side[0].features, *g = x->side[1].features;
  if (g->edge_start[second] == g->edge_start[second + 1]) return;
  for (int k = f->edge_start[first]; k < f->edge_start[first + 1]; ++k) {
    Line a = line_of(&x->side[0], &f->edges[k]);
    for (int l = g->edge_start[second]; l < g->edge_start[second + 1]; ++l) {
      Line b = line_of(&x->side[1], &g->edges[l]);
      meet(x, &a, &b);
    }
  }
}
