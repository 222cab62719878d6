// See box_map.h. A face whose normal is nearest to the axis a takes the picture that lies in the plane of the other
// two,
//   u = 1/2 + s (p_i - c_i) / w_i,    v = 1/2 + (p_j - c_j) / w_j
// with c the middle of the surface's box, w its sides or the given size, and s = -1 where the picture would be
// mirrored.
#include "export/box_map.h"

#include <math.h>

typedef struct Box {
  ChVec3 centre, width;
} Box;

static Box box_of(const ChPatches* p) {
  ChVec3 low = {INFINITY, INFINITY, INFINITY}, high = {-INFINITY, -INFINITY, -INFINITY};
  for (int k = 0; k < p->point_count; ++k) {
    const ChVec3 x = p->points[k];
    low = (ChVec3){fmin(low.x, x.x), fmin(low.y, x.y), fmin(low.z, x.z)};
    high = (ChVec3){fmax(high.x, x.x), fmax(high.y, x.y), fmax(high.z, x.z)};
  }
  return (Box){ch_scale(0.5, ch_add(low, high)), ch_sub(high, low)};
}

static double over(double part, double whole) { return whole > 0.0 ? part / whole : 0.0; }

static void place(const Box* box, ChVec3 normal, ChVec3 point, double size, float* out) {
  static const int across[3] = {1, 0, 0}, up[3] = {2, 2, 1};
  const double n[3] = {fabs(normal.x), fabs(normal.y), fabs(normal.z)};
  const int a = n[0] >= n[1] && n[0] >= n[2] ? 0 : n[1] >= n[2] ? 1 : 2;
  const double side = (ch_component(normal, a) < 0.0 ? -1.0 : 1.0) * (a == 1 ? -1.0 : 1.0);
  const int axes[2] = {across[a], up[a]};
  for (int k = 0; k < 2; ++k) {
    const double from = ch_component(point, axes[k]) - ch_component(box->centre, axes[k]);
    const double wide = size > 0.0 ? size : ch_component(box->width, axes[k]);
    out[k] = (float)(0.5 + (k == 0 ? side : 1.0) * over(from, wide));
  }
}

void ch_box_map(const ChPatches* p, const ChVec3* area, double size, float* out) {
  if (p->uv) {
    for (long k = 0; k < 2L * p->corner_count; ++k) out[k] = (float)p->uv[k];
    return;
  }
  const Box box = box_of(p);
  for (int face = 0, k = 0; face < p->cell_count; ++face)
    for (int j = 0; j < p->sizes[face]; ++j, ++k) place(&box, area[face], p->points[p->corners[k]], size, out + 2L * k);
}
