// A leaf of a deformed skin, laid out so that a point's distance to all its triangles is found at once: see
// skin_leaf.h.
#include "collide/skin_leaf.h"

#include <math.h>
#include <string.h>

static const float NEARLY = 1e-3f;  // of a triangle's edges: so near to its border a foot may be over it or not
static const double SLIVER = 1e-3;  // square of the sine between edges below which rounding knows no border at all

// A sliver's matrix is left zero: every point is over it then, and its plane's distance the bound.
static void set_lane(ChSkinLeaf* leaf, int k, const ChVec3 p[3]) {
  ChVec3 a = ch_sub(p[0], leaf->middle), e = ch_sub(p[1], p[0]), f = ch_sub(p[2], p[0]), g = ch_sub(p[2], p[1]);
  ChVec3 normal = ch_cross(e, f), unit = ch_unit(normal);
  double ee = ch_dot(e, e), ef = ch_dot(e, f), ff = ch_dot(f, f), gg = ch_dot(g, g), area = ch_dot(normal, normal);
  bool sliver = !(area > SLIVER * ee * ff);
  const double lane[CH_LEAF_ROWS] = {a.x,
                                     a.y,
                                     a.z,
                                     e.x,
                                     e.y,
                                     e.z,
                                     f.x,
                                     f.y,
                                     f.z,
                                     unit.x,
                                     unit.y,
                                     unit.z,
                                     sliver ? 0.0 : ff / area,
                                     sliver ? 0.0 : -ef / area,
                                     sliver ? 0.0 : ee / area,
                                     1.0 / ee,
                                     1.0 / ff,
                                     1.0 / gg};
  for (int r = 0; r < CH_LEAF_ROWS; ++r) leaf->lanes[r][k] = isfinite(lane[r]) ? (float)lane[r] : 0.0f;
}

void ch_skin_leaf_fill(int count, const ChVec3 (*corners)[3], ChSkinLeaf* leaf) {
  ChVec3 low = corners[0][0], high = low;
  for (int k = 0; k < 3 * count; ++k) {
    ChVec3 y = corners[k / 3][k % 3];
    low = ch_vec(y.x < low.x ? y.x : low.x, y.y < low.y ? y.y : low.y, y.z < low.z ? y.z : low.z);
    high = ch_vec(y.x > high.x ? y.x : high.x, y.y > high.y ? y.y : high.y, y.z > high.z ? y.z : high.z);
  }
  leaf->box = (ChBox3){low, high};
  leaf->middle = ch_scale(0.5, ch_add(low, high));
  leaf->size = 0.5 * ch_norm(ch_sub(high, low));
  for (int k = 0; k < CH_SKIN_LEAF; ++k) set_lane(leaf, k, corners[k < count ? k : 0]);
}

// --- all lanes at once; of compilers' loops over them none stays one

typedef float Lanes __attribute__((vector_size(CH_SKIN_LEAF * sizeof(float))));
typedef int Mask __attribute__((vector_size(CH_SKIN_LEAF * sizeof(int))));

static inline Lanes choose(Mask mask, Lanes a, Lanes b) { return (Lanes)((mask & (Mask)a) | (~mask & (Mask)b)); }
static inline Lanes least(Lanes a, Lanes b) { return choose(a < b, a, b); }
static inline Lanes most(Lanes a, Lanes b) { return choose(a > b, a, b); }

static inline Lanes row(const ChSkinLeaf* leaf, int r) {
  Lanes lanes;
  memcpy(&lanes, leaf->lanes[r], sizeof lanes);
  return lanes;
}

typedef struct Vectors {
  Lanes x, y, z;
} Vectors;

static inline Vectors rows(const ChSkinLeaf* leaf, int r) {
  return (Vectors){row(leaf, r), row(leaf, r + 1), row(leaf, r + 2)};
}
static inline Lanes dot(Vectors a, Vectors b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
static inline Vectors along(Vectors a, Lanes s, Vectors b) {
  return (Vectors){a.x + s * b.x, a.y + s * b.y, a.z + s * b.z};
}

// |a - t e|^2 with t = a.e / e.e kept within the edge
static inline Lanes edge_distance2(Vectors a, Vectors e, Lanes inverse) {
  const Lanes none = {0.0f};
  Lanes t = least(most(dot(a, e) * inverse, none), none + 1.0f);
  Vectors apart = along(a, -t, e);
  return dot(apart, apart);
}

void ch_skin_leaf_distances(const ChSkinLeaf* leaf, ChVec3 x, float distance2[CH_SKIN_LEAF]) {
  ChVec3 from = ch_sub(x, leaf->middle);
  const Lanes none = {0.0f};
  Vectors p = rows(leaf, 0), e = rows(leaf, 3), f = rows(leaf, 6), n = rows(leaf, 9);
  Vectors a = {(float)from.x - p.x, (float)from.y - p.y, (float)from.z - p.z};
  Lanes ae = dot(a, e), af = dot(a, f), height = dot(a, n);
  Lanes u = row(leaf, 12) * ae + row(leaf, 13) * af, v = row(leaf, 13) * ae + row(leaf, 14) * af;
  Lanes one = edge_distance2(a, e, row(leaf, 15)), two = edge_distance2(a, f, row(leaf, 16));
  Lanes three = edge_distance2(along(a, none - 1.0f, e), along(f, none - 1.0f, e), row(leaf, 17));
  Lanes edges = least(least(one, two), three), plane = least(height * height, edges);
  Lanes within = least(least(u, v), 1.0f - u - v);
  Lanes all = choose(within >= -NEARLY, plane, edges);
  memcpy(distance2, &all, sizeof all);
}

void ch_skin_leaf_facing(const ChSkinLeaf* leaf, ChVec3 outward, float cosine[CH_SKIN_LEAF]) {
  const float x = (float)outward.x, y = (float)outward.y, z = (float)outward.z;
  const float(*l)[CH_SKIN_LEAF] = leaf->lanes;
  for (int k = 0; k < CH_SKIN_LEAF; ++k) cosine[k] = x * l[9][k] + y * l[10][k] + z * l[11][k];
}

double ch_skin_leaf_nearest(const ChSkinLeaf* leaf, ChVec3 x) {
  float about2[CH_SKIN_LEAF], nearest2 = INFINITY;
  ch_skin_leaf_distances(leaf, x, about2);
  for (int k = 0; k < CH_SKIN_LEAF; ++k) nearest2 = about2[k] < nearest2 ? about2[k] : nearest2;
  double about = sqrt((double)nearest2), slack = ch_skin_leaf_slack(leaf, about);
  return about > slack ? about - slack : 0.0;
}
