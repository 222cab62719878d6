// A leaf of a deformed skin, laid out so that a point's distance to all its triangles is found at once: see
// skin_leaf.h.
#include "collide/skin/skin_leaf.h"

#include <math.h>
#include <string.h>

static const float NEARLY = 1e-3f;  // of a triangle's edges: so near to its border a foot may be over it or not
static const double LEAST = 1e-30;  // square metres: less is nothing, and single precision would not hold its inverse
static const double SLIVER = 1e-3;  // square of the sine between edges below which rounding knows no border at all

typedef double Quad __attribute__((vector_size(4 * sizeof(double))));
typedef float QuadOfFloats __attribute__((vector_size(4 * sizeof(float))));
typedef long long QuadMask __attribute__((vector_size(4 * sizeof(long long))));

static inline Quad only(QuadMask where, Quad a) { return (Quad)(where & (QuadMask)a); }

static inline void put(Quad a, float* row) {
  QuadOfFloats rounded = __builtin_convertvector(a, QuadOfFloats);
  memcpy(row, &rounded, sizeof rounded);
}

// Four lanes side by side: of compilers' loops over them none stays one. A sliver's matrix is left zero: every point is
// over it then, and its plane's distance the bound; so is what an edge without length is divided by.
static void set_lanes(const double (*p)[CH_SKIN_LEAF], int at, ChSkinLeaf* leaf) {
  float(*l)[CH_SKIN_LEAF] = leaf->lanes;
  Quad q[9], root;
  for (int r = 0; r < 9; ++r) memcpy(&q[r], &p[r][at], sizeof q[r]);
  Quad ex = q[3] - q[0], ey = q[4] - q[1], ez = q[5] - q[2], fx = q[6] - q[0], fy = q[7] - q[1], fz = q[8] - q[2];
  Quad gx = q[6] - q[3], gy = q[7] - q[4], gz = q[8] - q[5];
  Quad nx = ey * fz - ez * fy, ny = ez * fx - ex * fz, nz = ex * fy - ey * fx;
  Quad ee = ex * ex + ey * ey + ez * ez, ff = fx * fx + fy * fy + fz * fz, gg = gx * gx + gy * gy + gz * gz;
  Quad ef = ex * fx + ey * fy + ez * fz, area = nx * nx + ny * ny + nz * nz;
  for (int k = 0; k < 4; ++k) root[k] = sqrt(area[k]);
  Quad unit = only(area > LEAST, 1.0 / root), inverse = only((area > LEAST) & (area > SLIVER * ee * ff), 1.0 / area);
  put(q[0] - leaf->middle.x, &l[0][at]), put(q[1] - leaf->middle.y, &l[1][at]), put(q[2] - leaf->middle.z, &l[2][at]);
  put(ex, &l[3][at]), put(ey, &l[4][at]), put(ez, &l[5][at]);
  put(fx, &l[6][at]), put(fy, &l[7][at]), put(fz, &l[8][at]);
  put(unit * nx, &l[9][at]), put(unit * ny, &l[10][at]), put(unit * nz, &l[11][at]);
  put(inverse * ff, &l[12][at]), put(inverse * -ef, &l[13][at]), put(inverse * ee, &l[14][at]);
  put(only(ee > LEAST, 1.0 / ee), &l[15][at]), put(only(ff > LEAST, 1.0 / ff), &l[16][at]);
  put(only(gg > LEAST, 1.0 / gg), &l[17][at]);
}

void ch_skin_leaf_fill(int count, const uint8_t* corners, const ChVec3* vertices, const ChBox3* box, ChSkinLeaf* leaf) {
  double p[9][CH_SKIN_LEAF];
  for (int k = 0; k < CH_SKIN_LEAF; ++k)
    for (int c = 0; c < 3; ++c) {
      const ChVec3* y = &vertices[corners[3 * (k < count ? k : 0) + c]];
      p[3 * c][k] = y->x, p[3 * c + 1][k] = y->y, p[3 * c + 2][k] = y->z;
    }
  leaf->middle = ch_scale(0.5, ch_add(box->low, box->high));
  leaf->size = 0.5 * ch_norm(ch_sub(box->high, box->low));
  for (int at = 0; at < CH_SKIN_LEAF; at += 4) set_lanes((const double(*)[CH_SKIN_LEAF])p, at, leaf);
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
