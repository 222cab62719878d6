// See reduce.h. Ties go to the smaller key: the same points stay from step to step.
#include "collide/reduce.h"
#include "base/check.h"

static void swap(ChGap* a, ChGap* b) {
  ChGap t = *a;
  *a = *b;
  *b = t;
}

// Moves the best of points[from ..] to `from`; `better` is larger, and positive where anything is gained at all.
static bool take_best(int from, int count, ChGap* points, double (*value)(const ChGap*, const ChGap*)) {
  int best = from;
  double top = value(points, &points[from]);
  for (int i = from + 1; i < count; ++i) {
    double x = value(points, &points[i]);
    if (x > top || (x == top && points[i].key < points[best].key)) {
      top = x;
      best = i;
    }
  }
  swap(&points[from], &points[best]);
  return from == 0 || top > 0.0;
}

static double depth(const ChGap* points, const ChGap* x) {
  (void)points;
  return -x->gap;
}

static double distance(const ChGap* points, const ChGap* x) { return ch_norm(ch_sub(x->point, points[0].point)); }

// Signed area on one side of the line from the first point to the second.
static double left(const ChGap* points, const ChGap* x) {
  ChVec3 line = ch_sub(points[1].point, points[0].point);
  return ch_dot(points[0].normal, ch_cross(line, ch_sub(x->point, points[0].point)));
}

static double right(const ChGap* points, const ChGap* x) { return -left(points, x); }

int ch_reduce_points(int count, ChGap* points) {
  CH_ASSERT(count >= 0);
  if (count <= 4) return count;
  int kept = 1;
  take_best(0, count, points, depth);
  if (!take_best(1, count, points, distance)) return kept;
  kept = 2;
  if (take_best(kept, count, points, left)) ++kept;
  if (take_best(kept, count, points, right)) ++kept;
  return kept;
}
