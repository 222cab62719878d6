// See distance_field.h.
#include "model/mesh/distance_field.h"

#include <math.h>

#include "model/mesh/mesh_distance.h"

enum { PADDING = 8 };                  // cells around the surface's box
static const double BAND = 1.5;        // cells: so near to the surface the interpolation is compared with the truth
static const double TOLERATED = 0.06;  // of a cell: interpolation that errs by more is not used
static const double SLACK = 1.75;      // of a cell, above sqrt 3: no interpolation of distances errs by more

typedef struct Place {
  int node;  // of the corner with the lowest coordinates
  int cell;
  double share[3];  // 0 ... 1 within the cell
} Place;

static bool locate(const ChDistanceField* f, ChVec3 x, Place* out) {
  int at[3];
  for (int k = 0; k < 3; ++k) {
    double u = (ch_component(x, k) - ch_component(f->low, k)) / f->width;
    if (!(u >= 0.0 && u <= f->count[k] - 1)) return false;
    at[k] = (int)u;
    if (at[k] == f->count[k] - 1) --at[k];
    out->share[k] = u - at[k];
  }
  out->node = (at[2] * f->count[1] + at[1]) * f->count[0] + at[0];
  out->cell = (at[2] * (f->count[1] - 1) + at[1]) * (f->count[0] - 1) + at[0];
  return true;
}

// Value, and the slopes when `slope` is given.
static double interpolate(const ChDistanceField* f, const Place* p, ChVec3* slope) {
  int dy = f->count[0], dz = f->count[0] * f->count[1];
  const double* v = f->value + p->node;
  double x = p->share[0], y = p->share[1], z = p->share[2];
  double v00 = v[0] + x * (v[1] - v[0]), v10 = v[dy] + x * (v[dy + 1] - v[dy]);
  double v01 = v[dz] + x * (v[dz + 1] - v[dz]), v11 = v[dy + dz] + x * (v[dy + dz + 1] - v[dy + dz]);
  double v0 = v00 + y * (v10 - v00), v1 = v01 + y * (v11 - v01);
  if (slope) {
    double s0 = (1.0 - y) * (v[1] - v[0]) + y * (v[dy + 1] - v[dy]);
    double s1 = (1.0 - y) * (v[dz + 1] - v[dz]) + y * (v[dy + dz + 1] - v[dy + dz]);
    *slope = ch_vec(s0 + z * (s1 - s0), (1.0 - z) * (v10 - v00) + z * (v11 - v01), v1 - v0);
  }
  return v0 + z * (v1 - v0);
}

bool ch_distance_field_at(const ChDistanceField* f, ChVec3 x, double within, ChFieldPoint* out) {
  Place place;
  ChMeshFoot foot;
  if (!locate(f, x, &place)) {
    if (!(within >= 0.0 && ch_mesh_foot(f->mesh, x, within, &foot))) return false;
    *out = (ChFieldPoint){foot.distance, foot.normal};
    return true;
  }
  ChVec3 slope;
  double distance = interpolate(f, &place, &slope), size = ch_norm(slope);
  if (!(distance <= within + SLACK * f->width)) return false;
  // Deep inside, where no side is nearest, the slopes vanish: the triangles know a side.
  if ((f->by_cell[place.cell] || !(size > 0.1 * f->width)) &&
      ch_mesh_foot(f->mesh, x, fabs(distance) + SLACK * f->width, &foot))
    *out = (ChFieldPoint){foot.distance, foot.normal};
  else
    *out = (ChFieldPoint){distance, ch_unit(slope)};
  return out->distance <= within;
}

double ch_distance_field_least(const ChDistanceField* f, ChVec3 x) {
  Place place;
  if (locate(f, x, &place)) return interpolate(f, &place, NULL) - SLACK * f->width;
  const ChBox3* box = &f->mesh->nodes[0].box;
  ChVec3 apart =
      ch_vec(fmax(fmax(box->low.x - x.x, x.x - box->high.x), 0.0), fmax(fmax(box->low.y - x.y, x.y - box->high.y), 0.0),
             fmax(fmax(box->low.z - x.z, x.z - box->high.z), 0.0));
  return ch_norm(apart);
}

// -------------------------------------------------------------------------------------------------------------- create

static ChVec3 node_at(const ChDistanceField* f, int i, int j, int k) {
  return ch_add(f->low, ch_scale(f->width, ch_vec(i, j, k)));
}

// Every node from the one before it, whose distance differs by no more than the way between them.
static void fill_nodes(ChDistanceField* f) {
  double bound = INFINITY;
  for (int k = 0, at = 0; k < f->count[2]; ++k)
    for (int j = 0; j < f->count[1]; ++j) {
      if (j > 0)
        bound = fabs(f->value[at - f->count[0]]) + 1.001 * f->width;
      else if (k > 0)
        bound = fabs(f->value[at - f->count[0] * f->count[1]]) + 1.001 * f->width;
      for (int i = 0; i < f->count[0]; ++i, ++at) {
        ChMeshFoot foot = {0};
        ch_mesh_foot(f->mesh, node_at(f, i, j, k), bound, &foot);
        f->value[at] = foot.distance;
        bound = fabs(foot.distance) + 1.001 * f->width;
      }
    }
}

// Between two nodes on different sides lies the surface, so neither is farther from it than the other.
static ChStatus check_sides(ChContext* context, const ChDistanceField* f) {
  const int step[3] = {1, f->count[0], f->count[0] * f->count[1]};
  for (int k = 0, at = 0; k < f->count[2]; ++k)
    for (int j = 0; j < f->count[1]; ++j)
      for (int i = 0; i < f->count[0]; ++i, ++at) {
        const bool inner[3] = {i + 1 < f->count[0], j + 1 < f->count[1], k + 1 < f->count[2]};
        for (int axis = 0; axis < 3; ++axis) {
          if (!inner[axis]) continue;
          double a = f->value[at], b = f->value[at + step[axis]];
          if ((a < 0.0) == (b < 0.0) || fabs(a) + fabs(b) <= 1.001 * f->width) continue;
          ChVec3 x = node_at(f, i, j, k);
          return ch_fail(context, CH_ERR_FORMAT,
                         "mesh: inside and outside cannot be told apart near (%g, %g, %g): the surface crosses itself, "
                         "or parts of it lie within each other",
                         x.x, x.y, x.z);
        }
      }
  return CH_OK;
}

// Whether the interpolation errs at one of the eight middles of the cell's octants.
static bool errs(const ChDistanceField* f, ChVec3 corner, Place place) {
  for (int q = 0; q < 8; ++q) {
    ChVec3 share = ch_vec(q & 1 ? 0.75 : 0.25, q & 2 ? 0.75 : 0.25, q & 4 ? 0.75 : 0.25);
    for (int k = 0; k < 3; ++k) place.share[k] = ch_component(share, k);
    double distance = interpolate(f, &place, NULL);
    ChMeshFoot foot;
    if (!ch_mesh_foot(f->mesh, ch_along(corner, f->width, share), fabs(distance) + SLACK * f->width, &foot) ||
        !(fabs(foot.distance - distance) <= TOLERATED * f->width))
      return true;
  }
  return false;
}

static void mark_cells(ChDistanceField* f) {
  Place place = {0};
  for (int k = 0; k + 1 < f->count[2]; ++k)
    for (int j = 0; j + 1 < f->count[1]; ++j)
      for (int i = 0; i + 1 < f->count[0]; ++i, ++place.cell) {
        place.node = (k * f->count[1] + j) * f->count[0] + i;
        for (int axis = 0; axis < 3; ++axis) place.share[axis] = 0.5;
        if (fabs(interpolate(f, &place, NULL)) > BAND * f->width) continue;
        f->by_cell[place.cell] = errs(f, node_at(f, i, j, k), place);
      }
}

ChStatus ch_distance_field_create(ChContext* context, ChArena* arena, const ChMesh* mesh, int resolution,
                                  ChDistanceField** out) {
  ChBox3 box = mesh->nodes[0].box;
  ChVec3 side = ch_sub(box.high, box.low);
  ChDistanceField* f = CH_TAKE(arena, 1, ChDistanceField);
  f->mesh = mesh;
  f->width = fmax(side.x, fmax(side.y, side.z)) / resolution;
  size_t nodes = 1, cells = 1;
  for (int k = 0; k < 3; ++k) {
    f->count[k] = (int)ceil(ch_component(side, k) / f->width * (1.0 - 1e-12)) + 1 + 2 * PADDING;
    nodes *= (size_t)f->count[k];
    cells *= (size_t)f->count[k] - 1;
  }
  // The box lies in the middle: symmetric shapes get symmetric fields.
  ChVec3 span = ch_scale(0.5 * f->width, ch_vec(f->count[0] - 1, f->count[1] - 1, f->count[2] - 1));
  f->low = ch_sub(ch_scale(0.5, ch_add(box.low, box.high)), span);
  f->value = CH_TAKE(arena, nodes, double);
  f->by_cell = CH_TAKE(arena, cells, uint8_t);
  fill_nodes(f);
  ChStatus status = check_sides(context, f);
  if (status != CH_OK) return status;
  mark_cells(f);
  *out = f;
  return CH_OK;
}
