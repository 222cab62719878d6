// The group /soft of a trajectory, read back: see soft_group.h. What it says is not trusted.
#include <limits.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>

#include "base/check.h"
#include "record/soft_group.h"

static bool measure(ChHdf5* h, const char* name, ChHdf5Number number, int rank, long extents[3]) {
  bool fits = ch_hdf5_extents(h, name, number, rank, extents);
  for (int k = 0; fits && k < rank; ++k) fits = extents[k] >= 1 && extents[k] <= INT_MAX / 8;
  if (!fits) ch_hdf5_fail(h, CH_ERR_FORMAT, "/%s is not an array of %d extents", name, rank);
  return fits;
}

// The first rows of an array of these extents; NULL after a failure.
static void* get_rows(ChHdf5* h, const char* name, ChHdf5Number number, int rank, const long extents[3], long count) {
  ChHdf5Rows rows = {.number = number, .rank = rank, .count = count};
  long there[3];
  if (!ch_hdf5_extents(h, name, number, rank, there)) return NULL;
  for (int k = 1; k < rank; ++k) rows.extents[k] = extents[k];
  bool fits = there[0] >= count;
  for (int k = 1; k < rank; ++k) fits = fits && there[k] == extents[k];
  if (!fits) ch_hdf5_fail(h, CH_ERR_FORMAT, "/%s does not have the size of the body's other arrays", name);
  void* data = fits ? ch_hdf5_take(h, count, ch_hdf5_row_bytes(&rows)) : NULL;
  return data && ch_hdf5_rows(h, name, &rows, data) ? data : NULL;
}

static double* get_reals(ChHdf5* h, const char* name, int rank, const long extents[3], long rows) {
  double* data = get_rows(h, name, CH_HDF5_REAL, rank, extents, rows);
  long count = rows;
  for (int k = 1; k < rank; ++k) count *= extents[k];
  for (long k = 0; data && k < count; ++k)
    if (!isfinite(data[k])) {
      ch_hdf5_fail(h, CH_ERR_FORMAT, "/%s has the entry %g, must be finite", name, data[k]);
      return NULL;
    }
  return data;
}

static void get_skin(ChHdf5* h, int number, ChRecordedSkin* out) {
  char names[4][CH_HDF5_NAME_SIZE];
  static const char* const parts[] = {"rest", "shape", "triangles", "frequency"};
  for (int k = 0; k < 4; ++k) snprintf(names[k], sizeof names[k], "soft/skin-%d/%s", number, parts[k]);
  long points[3], triangles[3], modes[3];
  if (!measure(h, names[0], CH_HDF5_REAL, 2, points) || !measure(h, names[2], CH_HDF5_INT32, 2, triangles) ||
      !measure(h, names[3], CH_HDF5_REAL, 1, modes))
    return;
  const long vectors[3] = {points[0], 3}, shape[3] = {points[0], 3, modes[0]}, corners[3] = {triangles[0], 3};
  ChSoftSkin* skin = &out->skin;
  out->modes = (int)modes[0];
  skin->vertex_count = (int)points[0];
  skin->triangle_count = (int)triangles[0];
  skin->rest = (ChVec3*)get_reals(h, names[0], 2, vectors, points[0]);
  skin->shape = get_reals(h, names[1], 3, shape, points[0]);
  skin->triangles = get_rows(h, names[2], CH_HDF5_INT32, 2, corners, triangles[0]);
  out->frequency = get_reals(h, names[3], 1, modes, modes[0]);
  if (h->status != CH_OK) return;
  for (int a = 0; a < out->modes; ++a) out->frequency[a] *= 2.0 * M_PI;
  for (long k = 0; k < 3L * skin->triangle_count; ++k)
    if (skin->triangles[k] < 0 || skin->triangles[k] >= skin->vertex_count) {
      ch_hdf5_fail(h, CH_ERR_FORMAT, "/%s: there is no vertex %d", names[2], skin->triangles[k]);
      return;
    }
}

// Which bodies there are, and which skin each has; false when the lists are not what a run writes.
static bool get_lists(ChHdf5* h, ChRecordedSofts* out) {
  long count = 0, skins = 0;
  const int *body = ch_hdf5_ints(h, "soft/body", &count), *skin = ch_hdf5_ints(h, "soft/skin", &skins);
  if (h->status != CH_OK) return false;
  bool good = count == skins;
  for (long s = 0; good && s < count; ++s) {  // the first that has a skin comes before others that have the next
    good = body[s] >= 0 && (s == 0 || body[s] > body[s - 1]) && skin[s] >= 0 && skin[s] <= out->skin_count;
    if (good && skin[s] == out->skin_count) ++out->skin_count;
  }
  if (!good) ch_hdf5_fail(h, CH_ERR_FORMAT, "/soft/body and /soft/skin do not list deformable bodies in their order");
  out->count = (int)count;
  out->body = body;
  out->skin = skin;
  return good;
}

static void get_places(ChHdf5* h, ChRecordedSofts* out) {
  static const char name[] = "body/position";
  long extents[3];
  if (!measure(h, name, CH_HDF5_REAL, 3, extents)) return;
  const double* x = get_reals(h, name, 3, extents, 1);
  ChVec3* at = CH_TAKE(h->arena, out->count, ChVec3);
  for (int s = 0; x && s < out->count; ++s) {
    long b = out->body[s];
    if (extents[2] != 3 || b >= extents[1]) {
      ch_hdf5_fail(h, CH_ERR_FORMAT, "/soft/body: there is no body %ld in space", b);
      return;
    }
    at[s] = ch_vec(x[3 * b], x[3 * b + 1], x[3 * b + 2]);
  }
  out->at = at;
}

void ch_soft_group_get(ChHdf5* h, ChRecordedSofts* out) {
  if (!ch_hdf5_has(h, "soft") || !get_lists(h, out)) return;
  ChRecordedSkin* skins = CH_TAKE(h->arena, out->skin_count, ChRecordedSkin);
  for (int k = 0; k < out->skin_count && h->status == CH_OK; ++k) get_skin(h, k, &skins[k]);
  out->skins = skins;
  get_places(h, out);
}
