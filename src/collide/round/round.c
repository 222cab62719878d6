// Spheres and capsules with each other: cores (a point, a segment) at a distance, less the radii.
//
// Capsules touch in one point where their axes cross and along a stretch where these are parallel. The closest pair of
// points is always listed; where the axes are nearly parallel so are the ends of the stretch, each as the ball that it
// is, with its own normal and gap: the list changes little when a rod that lies on another tilts by a hair.
#include "collide/closest.h"

// Balls about x (of a) and y (of b); `normal` serves where the centres coincide.
static void add_balls(ChVec3 x, double rx, ChVec3 y, double ry, ChVec3 normal, double margin, uint64_t key,
                      ChManifold* out) {
  ChVec3 apart = ch_sub(y, x);
  double distance = ch_norm(apart), gap = distance - rx - ry;
  if (!(gap <= margin)) return;
  ChVec3 n = distance > 1e-12 * (rx + ry) ? ch_scale(1.0 / distance, apart) : normal;
  // Midway between x + rx n and y - ry n.
  ch_manifold_add(out, ch_along(ch_scale(0.5, ch_add(x, y)), 0.5 * (rx - ry), n), n, gap, key);
}

void ch_pair_sphere_sphere(const ChPosed* a, const ChPosed* b, double margin, ChManifold* out) {
  add_balls(a->frame.at, a->shape->radius, b->frame.at, b->shape->radius, ch_axis(2), margin, 0, out);
}

void ch_pair_sphere_capsule(const ChPosed* a, const ChPosed* b, double margin, ChManifold* out) {
  ChSegment core = ch_capsule_core(b);
  ChVec3 sideways = ch_vec(b->turn.m[0][0], b->turn.m[1][0], b->turn.m[2][0]);
  ChVec3 y = ch_segment_at(&core, ch_segment_foot(&core, a->frame.at));
  add_balls(a->frame.at, a->shape->radius, y, b->shape->radius, sideways, margin, 0, out);
}

enum { KEY_END_A = 1, KEY_END_B = 3, KEY_CROSSING = 5 };

// Ends of the stretch along which two nearly parallel capsules lie side by side. Where an end faces an end, it is a's
// that is listed: one of the two and always the same one.
typedef struct Stretch {
  ChSegment a, b;
  double length_a, length_b, slack;
} Stretch;

static bool end_of_a_faces_b(const Stretch* s, int i) {
  double along = ch_segment_foot(&s->b, s->a.end[i]) * s->length_b;
  return along >= -s->slack && along <= s->length_b + s->slack;
}

static bool end_of_b_faces_a(const Stretch* s, int i) {
  double along = ch_segment_foot(&s->a, s->b.end[i]) * s->length_a;
  return along > s->slack && along < s->length_a - s->slack;
}

static uint64_t key_of(const Stretch* s, const ChSegmentPair* pair) {
  double along = pair->t[0] * s->length_a;
  if (along <= s->slack || along >= s->length_a - s->slack) return KEY_END_A + (pair->t[0] > 0.5);
  if (pair->t[1] == 0.0 || pair->t[1] == 1.0) return KEY_END_B + (pair->t[1] == 1.0);
  return KEY_CROSSING;
}

void ch_pair_capsule_capsule(const ChPosed* a, const ChPosed* b, double margin, ChManifold* out) {
  Stretch s = {.a = ch_capsule_core(a), .b = ch_capsule_core(b)};
  s.length_a = 2.0 * a->shape->half_length;
  s.length_b = 2.0 * b->shape->half_length;
  s.slack = 1e-6 * (s.length_a + s.length_b);
  double ra = a->shape->radius, rb = b->shape->radius;
  ChSegmentPair pair = ch_segment_pair(&s.a, &s.b);
  double gap = pair.distance - ra - rb;
  if (!(gap <= margin)) return;
  uint64_t first = key_of(&s, &pair);
  ChVec3 middle = ch_scale(0.5, ch_add(pair.point[0], pair.point[1]));
  ch_manifold_add(out, ch_along(middle, 0.5 * (ra - rb), pair.normal), pair.normal, gap, first);
  if (pair.sine > CH_SINE_SLANTED) return;
  for (int i = 0; i < 2; ++i) {
    ChVec3 x = s.a.end[i], y = s.b.end[i];
    uint64_t key_a = KEY_END_A + (uint64_t)i, key_b = KEY_END_B + (uint64_t)i;
    if (key_a != first && end_of_a_faces_b(&s, i))
      add_balls(x, ra, ch_segment_at(&s.b, ch_segment_foot(&s.b, x)), rb, pair.normal, margin, key_a, out);
    if (key_b != first && end_of_b_faces_a(&s, i))
      add_balls(ch_segment_at(&s.a, ch_segment_foot(&s.a, y)), ra, y, rb, pair.normal, margin, key_b, out);
  }
}
