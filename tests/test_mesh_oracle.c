// Gap, normal and time of first contact of two moving surfaces against a slow oracle that shares no code with the
// engine's: distances by all pairs of edges, corners and triangles, times by bisection. An interval in the middle of
// which the surfaces are farther apart than any of their points moves in half of it has no contact; what is left is
// halved, down to LEAST of the step. Motions go deep, graze, close flat on flat, and slide along edges.
//
// `make mesh-oracle` tries 100,000 pairs; the arguments are their number and the first one's. Each pair is drawn from
// its own number, so that one alone is tried by `test_mesh_oracle 1 NUMBER`.
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "collide/sweep.h"
#include "model/mesh/mesh.h"
#include "model/world.h"
#include "support/near.h"
#include "support/random.h"
#include "support/surfaces.h"

enum { SOLIDS = 6, MOST = 64, BUDGET = 1500, KINDS = 4 };
static const double LEAST = 1e-7, DEPTH = 1e-6, WITHIN = 0.3;
static int pairs = 150, first_pair = 0;

typedef struct Triangle {
  ChVec3 p[3], low, high;
} Triangle;

typedef struct Solid {
  int count;
  ChVec3 points[3 * MOST];  // of triangles, one after the other
  ChShape shape;
} Solid;

typedef struct Mover {
  const Solid* solid;
  ChBodyState from;
  ChVec3 step, turn;  // turn: axis times angle
} Mover;

typedef struct Pair {
  Mover a, b;
  double speed;  // no point of one moves faster than this against the other
  int asked;
  long number;
  bool failed;
} Pair;

// --- the oracle ------------------------------------------------------------------------------------------------------

static ChVec3 least_of(ChVec3 a, ChVec3 b) { return ch_vec(fmin(a.x, b.x), fmin(a.y, b.y), fmin(a.z, b.z)); }
static ChVec3 most_of(ChVec3 a, ChVec3 b) { return ch_vec(fmax(a.x, b.x), fmax(a.y, b.y), fmax(a.z, b.z)); }

// By Rodrigues' formula, twice: where the body was, and what it has turned since.
static ChVec3 turned(ChVec3 x, ChVec3 by) {
  double angle = sqrt(ch_dot(by, by));
  if (!(angle > 0.0)) return x;
  ChVec3 axis = ch_scale(1.0 / angle, by);
  ChVec3 along = ch_scale(ch_dot(axis, x), axis), across = ch_sub(x, along);
  return ch_add(along, ch_add(ch_scale(cos(angle), across), ch_scale(sin(angle), ch_cross(axis, x))));
}

static void place(const Mover* m, double t, ChVec3 shift, Triangle* out) {
  ChQuat q = m->from.orientation;
  ChVec3 v = ch_vec(q.x, q.y, q.z), start = ch_vec(0, 0, 0), axis[3];
  double sine = sqrt(ch_dot(v, v));
  if (sine > 0.0) start = ch_scale(2.0 * atan2(sine, q.w) / sine, v);
  ChVec3 at = ch_add(ch_add(m->from.position, ch_scale(t, m->step)), shift);
  for (int k = 0; k < 3; ++k) axis[k] = turned(turned(ch_axis(k), start), ch_scale(t, m->turn));
  for (int k = 0; k < m->solid->count; ++k) {
    for (int c = 0; c < 3; ++c) {
      ChVec3 x = m->solid->points[3 * k + c];
      out[k].p[c] = ch_along(ch_along(ch_along(at, x.x, axis[0]), x.y, axis[1]), x.z, axis[2]);
    }
    out[k].low = least_of(out[k].p[0], least_of(out[k].p[1], out[k].p[2]));
    out[k].high = most_of(out[k].p[0], most_of(out[k].p[1], out[k].p[2]));
  }
}

static double point_segment(ChVec3 x, ChVec3 a, ChVec3 b) {
  ChVec3 d = ch_sub(b, a);
  double t = fmin(fmax(ch_dot(ch_sub(x, a), d) / ch_dot(d, d), 0.0), 1.0);
  return ch_norm(ch_sub(x, ch_along(a, t, d)));
}

// The smallest of a convex function over a square: inside it, or on one of its sides.
static double segments(ChVec3 a, ChVec3 b, ChVec3 c, ChVec3 d) {
  double least =
      fmin(fmin(point_segment(a, c, d), point_segment(b, c, d)), fmin(point_segment(c, a, b), point_segment(d, a, b)));
  ChVec3 u = ch_sub(b, a), v = ch_sub(d, c), w = ch_sub(c, a);
  double uu = ch_dot(u, u), vv = ch_dot(v, v), uv = ch_dot(u, v), det = uu * vv - uv * uv;
  if (!(det > 1e-12 * uu * vv)) return least;
  double s = (vv * ch_dot(u, w) - uv * ch_dot(v, w)) / det, t = (uv * ch_dot(u, w) - uu * ch_dot(v, w)) / det;
  if (s < 0.0 || s > 1.0 || t < 0.0 || t > 1.0) return least;
  return fmin(least, ch_norm(ch_sub(ch_along(c, t, v), ch_along(a, s, u))));
}

// How far inside of the triangle, along its plane; negative beyond it.
static double inside(const Triangle* t, ChVec3 normal, ChVec3 x) {
  double least = INFINITY;
  for (int k = 0; k < 3; ++k) {
    ChVec3 edge = ch_sub(t->p[(k + 1) % 3], t->p[k]);
    least = fmin(least, ch_dot(ch_cross(normal, edge), ch_sub(x, t->p[k])) / ch_norm(edge));
  }
  return least;
}

static ChVec3 normal_of(const Triangle* t) {
  ChVec3 n = ch_cross(ch_sub(t->p[1], t->p[0]), ch_sub(t->p[2], t->p[0]));
  return ch_scale(1.0 / ch_norm(n), n);
}

// Corners and edges of one with the face of the other; `pierced`: how deep an edge goes through.
static double with_face(const Triangle* a, const Triangle* face, double* pierced) {
  ChVec3 n = normal_of(face);
  double least = INFINITY, height[3];
  for (int k = 0; k < 3; ++k) {
    height[k] = ch_dot(n, ch_sub(a->p[k], face->p[0]));
    if (inside(face, n, ch_along(a->p[k], -height[k], n)) >= 0.0) least = fmin(least, fabs(height[k]));
  }
  for (int k = 0; k < 3; ++k) {
    double p = height[k], q = height[(k + 1) % 3];
    if (!(p * q < 0.0)) continue;
    double room = inside(face, n, ch_along(a->p[k], p / (p - q), ch_sub(a->p[(k + 1) % 3], a->p[k])));
    if (room >= 0.0) least = 0.0, *pierced = fmax(*pierced, fmin(room, fmin(fabs(p), fabs(q))));
  }
  return least;
}

static double triangles(const Triangle* a, const Triangle* b, double* pierced) {
  double least = fmin(with_face(a, b, pierced), with_face(b, a, pierced));
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) least = fmin(least, segments(a->p[i], a->p[(i + 1) % 3], b->p[j], b->p[(j + 1) % 3]));
  return least;
}

static double boxes(const Triangle* a, const Triangle* b) {
  ChVec3 gap = most_of(ch_vec(0, 0, 0), most_of(ch_sub(a->low, b->high), ch_sub(b->low, a->high)));
  return ch_norm(gap);
}

static Triangle box_of(const Triangle* of, int count) {
  Triangle all = of[0];
  for (int k = 1; k < count; ++k) all.low = least_of(all.low, of[k].low), all.high = most_of(all.high, of[k].high);
  return all;
}

// The distance at a time, the first one shifted; `within` where it is more, and any that is no more than `enough`.
static double distance_to(Pair* p, double t, ChVec3 shift, double within, double enough, double* pierced) {
  static Triangle one[MOST], two[MOST];
  double least = within;
  *pierced = 0.0;
  place(&p->a, t, shift, one);
  place(&p->b, t, ch_vec(0, 0, 0), two);
  ++p->asked;
  const Triangle all = box_of(two, p->b.solid->count);
  for (int i = 0; i < p->a.solid->count; ++i) {
    if (boxes(&one[i], &all) > least) continue;
    for (int j = 0; j < p->b.solid->count && least > enough; ++j)
      if (boxes(&one[i], &two[j]) <= least) least = fmin(least, triangles(&one[i], &two[j], pierced));
  }
  return least;
}

static double distance(Pair* p, double t, ChVec3 shift, double within, double* pierced) {
  return distance_to(p, t, shift, within, -1.0, pierced);
}

// The time of first contact in [low, high], to LEAST; infinite where there is none. Gives up, NaN, beyond the budget.
static double first_contact(Pair* p, double low, double high) {
  double half = 0.5 * (high - low), middle = 0.5 * (low + high), reach = half * p->speed, unread;
  if (p->asked > BUDGET) return NAN;
  if (distance_to(p, middle, ch_vec(0, 0, 0), 1.01 * reach, reach, &unread) > reach) return INFINITY;
  if (half < LEAST) return middle;
  double early = first_contact(p, low, middle);
  return early < INFINITY || isnan(early) ? early : first_contact(p, middle, high);
}

// --- pairs -----------------------------------------------------------------------------------------------------------

static void make_solid(ChArena* arena, int kind, Solid* out) {
  static ChTestSurface s;
  static const ChVec3 stretch[SOLIDS] = {{1, 1, 1},    {1, 1, 1},       {0.6, 0.6, 0.6},
                                         {1, 1, 0.04}, {0.3, 0.3, 1.2}, {1, 1, 1}};
  if (kind == 0 || kind == 3) ch_surface_of_cubes(&s, 1, 1, "#", 1, 0.8);
  if (kind == 1) ch_surface_of_cubes(&s, 2, 2, "##.#", 1, 0.4);
  if (kind == 2 || kind == 4) ch_surface_of_ball(&s, 0);
  if (kind == 5) ch_surface_of_cubes(&s, 3, 1, "#.#", 1, 0.3);
  ChContext context = {0};
  ChMesh* mesh = NULL;
  double bound = 0.0;
  for (int k = 0; k < s.point_count; ++k) {
    ChVec3* x = &s.points[k];
    *x = ch_vec(x->x * stretch[kind].x, x->y * stretch[kind].y, x->z * stretch[kind].z);
    bound = fmax(bound, ch_norm(*x));
  }
  CHECK_OK(context, ch_mesh_create(&context, arena, s.point_count, s.points, s.triangle_count, s.triangles, 3, &mesh));
  assert_true(s.triangle_count <= MOST);
  out->count = s.triangle_count;
  for (int k = 0; k < 3 * out->count; ++k) out->points[k] = s.points[s.triangles[k]];
  out->shape = (ChShape){.type = CH_SHAPE_MESH, .mesh = mesh, .bound = bound, .reach = bound, .half_width = bound};
  out->shape.local = (ChFrame){ch_vec(0, 0, 0), ch_quat_identity()};
}

static ChQuat random_turn(ChRandom* r) {
  return ch_quat_about(ch_unit(ch_random_in_cube(r, 1.0)), ch_random_uniform(r, -3.0, 3.0));
}

// Apart, and near enough; then the way that the kind says.
static bool make_pair(const Solid* solids, ChRandom* r, int kind, Pair* p) {
  static const int flat[4] = {0, 1, 3, 5};
  *p = (Pair){.a = {.solid = &solids[ch_random_bits(r) % SOLIDS]}, .b = {.solid = &solids[ch_random_bits(r) % SOLIDS]}};
  bool aligned = kind >= 2;
  if (aligned) p->a.solid = &solids[flat[ch_random_bits(r) % 4]], p->b.solid = &solids[flat[ch_random_bits(r) % 4]];
  ChQuat turn = random_turn(r);
  p->b.from.orientation = turn, p->a.from.orientation = aligned ? turn : random_turn(r);
  ChVec3 way = ch_unit(ch_random_in_cube(r, 1.0)), side = ch_unit(ch_cross(way, ch_random_in_cube(r, 1.0)));
  if (aligned) {  // along the axes that both have
    int axis = (int)(ch_random_bits(r) % 3);
    way = ch_rotate(turn, ch_axis(axis)), side = ch_rotate(turn, ch_axis((axis + 1) % 3));
  }
  p->a.from.position = ch_scale(-ch_random_uniform(r, 0.6, 1.4), way);
  if (kind == 3)  // edge beside edge: the outer faces of both in one plane
    p->a.from.position = ch_along(p->a.from.position, 0.4 * (double)(ch_random_bits(r) % 3), side);
  double unread, apart = distance(p, 0.0, ch_vec(0, 0, 0), 1.5, &unread), fast = ch_random_uniform(r, 0.5, 1.5);
  if (!(apart > 1e-3 && apart < 1.5)) return false;
  p->a.step = ch_scale(kind == 1 ? 1e-3 : fast, way);
  if (kind == 0) p->a.turn = ch_random_in_cube(r, 0.6), p->b.turn = ch_random_in_cube(r, 0.6);
  if (kind == 1) {  // beside each other, at a thousandth to a hundredth
    p->a.from.position = ch_along(p->a.from.position, apart - pow(10.0, ch_random_uniform(r, -3.0, -2.0)), way);
    p->a.step = ch_scale(fast, side);
  }
  if (kind == 2) p->a.step = ch_along(p->a.step, ch_random_uniform(r, -0.3, 0.3), side);
  p->speed =
      ch_norm(p->a.step) + ch_norm(p->a.turn) * p->a.solid->shape.bound + ch_norm(p->b.turn) * p->b.solid->shape.bound;
  p->asked = 0;
  return distance(p, 0.0, ch_vec(0, 0, 0), 1.5, &unread) > 1e-4;
}

static ChWay way_of(const Mover* m) {
  double angle = ch_norm(m->turn);
  return (ChWay){.from = m->from, .step = m->step, .axis = angle > 0.0 ? ch_unit(m->turn) : ch_axis(2), .angle = angle};
}

// --- checks ----------------------------------------------------------------------------------------------------------

static const ChGap* nearest(const ChSwept* a, const ChSwept* b, double t, ChManifold* list) {
  ChPosed x = ch_swept_at(a, t), y = ch_swept_at(b, t);
  const ChGap* best = NULL;
  list->count = 0;
  ch_pair_collide(&x, &y, WITHIN, list);
  for (int k = 0; k < list->count; ++k)
    if (!best || list->points[k].gap < best->gap) best = &list->points[k];
  return best;
}

// Says what was wrong with a pair, and goes on.
static void report(Pair* p, const char* format, ...) {
  va_list values;
  va_start(values, format);
  p->failed = true;
  printf("pair %ld: ", p->number);
  vprintf(format, values);
  printf("\n");
  fflush(stdout);
  va_end(values);
}

static bool is_near(double a, double b, double slack) { return fabs(a - b) <= slack; }

// While apart the least gap is the distance, and along its normal the surfaces meet after just that way.
static void check_gap(Pair* p, const ChSwept* a, const ChSwept* b, double t, ChManifold* list) {
  double unread, apart = distance(p, t, ch_vec(0, 0, 0), WITHIN, &unread);
  if (!(apart < WITHIN) || !(apart > 1e-9)) return;
  const ChGap* gap = nearest(a, b, t, list);
  if (!gap) {
    report(p, "no contact at a distance of %.9g", apart);
    return;
  }
  double half = distance(p, t, ch_scale(0.5 * apart, gap->normal), WITHIN, &unread);
  double touch = distance(p, t, ch_scale(apart, gap->normal), WITHIN, &unread);
  if (!is_near(gap->gap, apart, 1e-9)) report(p, "gap %.12g, distance %.12g", gap->gap, apart);
  if (!is_near(half, 0.5 * apart, 1e-8)) report(p, "half way along the normal the distance %.9g is %.9g", apart, half);
  if (!(touch <= 1e-8)) report(p, "along the normal by the distance %.9g it is still %.9g", apart, touch);
}

// What goes on deeper than asked for has met by then.
static void check_depth(Pair* p, double first, double met) {
  double deepest = 0.0, when = first;
  for (int k = 1; k <= 12; ++k) {
    double t = first + (1.0 - first) * k / 12, pierced;
    if (!(t < met)) break;
    distance(p, t, ch_vec(0, 0, 0), 0.0, &pierced);
    if (pierced > deepest) deepest = pierced, when = t;
  }
  if (!(deepest <= 2.0 * DEPTH))
    report(p, "an overlap of %.9g at the time %.9g was not seen: first contact %.9g, met %.9g", deepest, when, first,
           met);
}

// Returns whether there was an answer.
static bool check_times(Pair* p, const ChSwept* a, const ChSwept* b, ChManifold* list) {
  double first = first_contact(p, 0.0, 1.0), met = ch_swept_meet(a, b, DEPTH, list);
  if (isnan(first)) return false;
  if (!(met >= first - 2.0 * LEAST)) report(p, "met at %.9g, first contact at %.9g", met, first);
  if (first == INFINITY) return true;
  const ChGap* gap = nearest(a, b, first, list);
  if (!gap)
    report(p, "no contact at the time of first contact, %.9g", first);
  else if (!is_near(gap->gap, 0.0, 4.0 * LEAST * p->speed + 1e-9))
    report(p, "gap %.9g at the time of first contact, %.9g", gap->gap, first);
  check_depth(p, first, met);
  return true;
}

// Each pair has numbers of its own.
static Pair pair_of(const Solid* solids, long number) {
  ChRandom r = ch_random_seeded(77.0 + (double)number);
  Pair p;
  while (!make_pair(solids, &r, (int)(number % KINDS), &p)) continue;
  p.number = number;
  return p;
}

static void moving_surfaces_meet_when_and_where_the_oracle_says(void** state) {
  (void)state;
  ChArena* arena = ch_arena_create(NULL);
  static Solid solids[SOLIDS];
  ChManifold list = {0};
  int answered = 0, failed = 0;
  for (int k = 0; k < SOLIDS; ++k) make_solid(arena, k, &solids[k]);
  for (int tried = 0; tried < pairs; ++tried) {
    Pair p = pair_of(solids, first_pair + tried);
    ChWay ways[2] = {way_of(&p.a), way_of(&p.b)};
    const ChSwept a = {&p.a.solid->shape, &ways[0]}, b = {&p.b.solid->shape, &ways[1]};
    check_gap(&p, &a, &b, 0.0, &list);
    p.asked = 0;
    answered += check_times(&p, &a, &b, &list);
    failed += p.failed;
    if ((tried + 1) % 1000 == 0 || (tried + 1 == pairs && pairs > 1000))
      printf("%d pairs, %d with a time within the budget, %d failed\n", tried + 1, answered, failed);
    fflush(stdout);
  }
  assert_int_equal(failed, 0);
  assert_true(answered > 0.9 * pairs - 1.0);
  ch_manifold_free(&list);
  ch_arena_destroy(arena);
}

int main(int count, char** arguments) {
  if (count > 1) pairs = atoi(arguments[1]);
  if (count > 2) first_pair = atoi(arguments[2]);
  const struct CMUnitTest tests[] = {cmocka_unit_test(moving_surfaces_meet_when_and_where_the_oracle_says)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
