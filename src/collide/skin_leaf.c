// A leaf of a deformed skin, laid out so that a point's distance to all its triangles is found at once: see
// skin_leaf.h.
#include "collide/skin_leaf.h"

#include <math.h>
#include <string.h>

static const float NEARLY = 1e-3f;  // of a triangle's edges: so near to its border a foot may be over it or not
static const double LEAST = 1e-30;  // square metres: less is nothing, and single precision would not hold its inverse
static const double SLIVER = 1e-3;  // square of the sine between edges below which rounding knows no border at all

// All lanes side by side. A sliver's matrix is left zero: every point is over it then, and its plane's distance the
// bound; so is what an edge without length is divided by.
static void set_lanes(const double (*p)[CH_SKIN_LEAF], ChSkinLeaf* leaf) {
  const double mx = leaf->middle.x, my = leaf->middle.y, mz = leaf->middle.z;
  float(*l)[CH_SKIN_LEAF] = leaf->lanes;
#pragma omp simd
  for (int k = 0; k < CH_SKIN_LEAF; ++k) {
    double ex = p[3][k] - p[0][k], ey = p[4][k] - p[1][k], ez = p[5][k] - p[2][k];
    double fx = p[6][k] - p[0][k], fy = p[7][k] - p[1][k], fz = p[8][k] - p[2][k];
    double gx = p[6][k] - p[3][k], gy = p[7][k] - p[4][k], gz = p[8][k] - p[5][k];
    double nx = ey * fz - ez * fy, ny = ez * fx - ex * fz, nz = ex * fy - ey * fx;
    double ee = ex * ex + ey * ey + ez * ez, ff = fx * fx + fy * fy + fz * fz, gg = gx * gx + gy * gy + gz * gz;
    double ef = ex * fx + ey * fy + ez * fz, area = nx * nx + ny * ny + nz * nz;
    double unit = area > LEAST ? 1.0 / sqrt(area) : 0.0;
    double inverse = area > LEAST && area > SLIVER * ee * ff ? 1.0 / area : 0.0;
    l[0][k] = (float)(p[0][k] - mx), l[1][k] = (float)(p[1][k] - my), l[2][k] = (float)(p[2][k] - mz);
    l[3][k] = (float)ex, l[4][k] = (float)ey, l[5][k] = (float)ez;
    l[6][k] = (float)fx, l[7][k] = (float)fy, l[8][k] = (float)fz;
    l[9][k] = (float)(unit * nx), l[10][k] = (float)(unit * ny), l[11][k] = (float)(unit * nz);
    l[12][k] = (float)(inverse * ff), l[13][k] = (float)(inverse * -ef), l[14][k] = (float)(inverse * ee);
    l[15][k] = (float)(ee > LEAST ? 1.0 / ee : 0.0);
    l[16][k] = (float)(ff > LEAST ? 1.0 / ff : 0.0);
    l[17][k] = (float)(gg > LEAST ? 1.0 / gg : 0.0);
  }
}

void ch_skin_leaf_fill(int count, const ChVec3 (*corners)[3], ChSkinLeaf* leaf) {
  ChVec3 low = corners[0][0], high = low;
  double p[9][CH_SKIN_LEAF];
  for (int k = 0; k < CH_SKIN_LEAF; ++k)
    for (int c = 0; c < 3; ++c) {
      ChVec3 y = corners[k < count ? k : 0][c];
      low = ch_vec(y.x < low.x ? y.x : low.x, y.y < low.y ? y.y : low.y, y.z < low.z ? y.z : low.z);
      high = ch_vec(y.x > high.x ? y.x : high.x, y.y > high.y ? y.y : high.y, y.z > high.z ? y.z : high.z);
      p[3 * c][k] = y.x, p[3 * c + 1][k] = y.y, p[3 * c + 2][k] = y.z;
    }
  leaf->middle = ch_scale(0.5, ch_add(low, high));
  leaf->size = 0.5 * ch_norm(ch_sub(high, low));
  set_lanes((const double(*)[CH_SKIN_LEAF])p, leaf);
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
