// See thin_out.h.
#include "collide/thin_out.h"
#include "base/check.h"

static const double APART = 0.02;  // of the spacing: nearer is touching
static const double REACH = 2.0;   // spacings
static const double ALIKE = 0.8;   // cosine between normals that count as the same

static bool says_more(const ChGap* other, const ChGap* point, double spacing) {
  double later = other->gap - other->closes, own = point->gap - point->closes;
  if (!(later < own || (later == own && other->key < point->key))) return false;
  ChVec3 d = ch_sub(other->point, point->point);
  return ch_dot(d, d) < REACH * REACH * spacing * spacing && ch_dot(other->normal, point->normal) > ALIKE;
}

static bool is_told_by_others(int count, const ChGap* points, int i, double spacing) {
  if (!(points[i].gap > APART * spacing)) return false;
  for (int j = 0; j < count; ++j)
    if (j != i && says_more(&points[j], &points[i], spacing)) return true;
  return false;
}

int ch_thin_out(int count, ChGap* points, double spacing) {
  CH_ASSERT(count >= 0 && spacing >= 0.0);
  int kept = 0;
  for (int i = 0; i < count; ++i) {
    if (is_told_by_others(count, points, i, spacing)) continue;
    ChGap point = points[i];  // those left out so far stay behind, to be compared with
    points[i] = points[kept];
    points[kept++] = point;
  }
  return kept;
}
