// The group /soft of a trajectory: see soft_group.h.
#include "record/soft_group.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "cardhouse/soft.h"

static bool put_set(hid_t place, const char* name, hid_t type, int rank, const hsize_t* extents, const void* data) {
  hid_t space = H5Screate_simple(rank, extents, NULL);
  hid_t set = space < 0 ? H5I_INVALID_HID : H5Dcreate2(place, name, type, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
  bool done = set >= 0 && H5Dwrite(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, data) >= 0;
  if (set >= 0) H5Dclose(set);
  if (space >= 0) H5Sclose(space);
  return done;
}

static bool put_frequencies(hid_t place, const ChSoftView* soft) {
  double hertz[CH_SOFT_MODES_MAX];
  for (int a = 0; a < soft->modes; ++a) hertz[a] = soft->frequency[a] / (2.0 * M_PI);
  return put_set(place, "frequency", H5T_NATIVE_DOUBLE, 1, &(hsize_t){(hsize_t)soft->modes}, hertz);
}

static bool put_skin(hid_t group, int number, const ChSoftView* soft) {
  const ChSoftSkin* skin = soft->skin;
  char name[32];
  snprintf(name, sizeof name, "skin-%d", number);
  hid_t place = H5Gcreate2(group, name, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
  if (place < 0) return false;
  const hsize_t points[3] = {(hsize_t)skin->vertex_count, 3, (hsize_t)soft->modes};
  const hsize_t triangles[2] = {(hsize_t)skin->triangle_count, 3};
  bool done = put_set(place, "rest", H5T_NATIVE_DOUBLE, 2, points, skin->rest) &&
              put_set(place, "shape", H5T_NATIVE_DOUBLE, 3, points, skin->shape) &&
              put_set(place, "triangles", H5T_NATIVE_INT, 2, triangles, skin->triangles) &&
              put_frequencies(place, soft);
  return H5Gclose(place) >= 0 && done;
}

// Deformable bodies, in the order of the world; where the amplitudes of each begin; which skin each has.
typedef struct Lists {
  int count, skins;
  int32_t *body, *first, *skin;
} Lists;

static bool put_lists(hid_t group, const ChWorld* world, Lists* lists) {
  const int bodies = ch_world_body_count(world);
  const ChSoftSkin** seen = malloc((size_t)bodies * sizeof *seen);
  bool done = seen != NULL;
  for (int b = 0; done && b < bodies; ++b) {
    ChSoftView soft;
    if (!ch_world_soft(world, b, &soft)) continue;
    int k = 0;
    while (k < lists->skins && seen[k] != soft.skin) ++k;
    if (k == lists->skins) {
      seen[lists->skins++] = soft.skin;
      done = put_skin(group, k, &soft);
    }
    lists->body[lists->count] = b;
    lists->skin[lists->count] = k;
    lists->first[lists->count++] = soft.first_mode;
  }
  lists->first[lists->count] = ch_world_mode_count(world);
  hsize_t count = (hsize_t)lists->count, ends = count + 1;
  done = done && put_set(group, "body", H5T_NATIVE_INT32, 1, &count, lists->body) &&
         put_set(group, "skin", H5T_NATIVE_INT32, 1, &count, lists->skin) &&
         put_set(group, "offset", H5T_NATIVE_INT32, 1, &ends, lists->first);
  free(seen);
  return done;
}

bool ch_soft_group_put(hid_t file, const ChWorld* world) {
  if (ch_world_mode_count(world) == 0) return true;
  size_t room = (size_t)ch_world_body_count(world) + 1;
  int32_t* numbers = calloc(3 * room, sizeof *numbers);
  hid_t group = H5Gcreate2(file, "soft", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
  Lists lists = {.body = numbers, .first = numbers + room, .skin = numbers + 2 * room};
  bool done = numbers && group >= 0 && put_lists(group, world, &lists);
  if (group >= 0) H5Gclose(group);
  free(numbers);
  return done;
}
