// The group /joint of a trajectory: see joint_group.h.
#include "record/joint_group.h"

#include <stdint.h>
#include <stdlib.h>

static int freedoms_of(const ChWorld* world, int row) {
  ChJointDef def;
  if (ch_world_joint_def(NULL, world, ch_world_joint_at(world, row), &def) != CH_OK) return 0;
  return ch_joint_info(def.type)->freedoms;
}

int ch_joint_group_freedoms(const ChWorld* world) {
  int count = 0;
  for (int j = 0; j < ch_world_joint_count(world); ++j) count += freedoms_of(world, j);
  return count;
}

static bool put_set(hid_t place, const char* name, hid_t type, hsize_t count, const void* data) {
  hid_t space = H5Screate_simple(1, &count, NULL);
  hid_t set = H5Dcreate2(place, name, type, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
  bool done = set >= 0 && H5Dwrite(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, data) >= 0;
  if (set >= 0) H5Dclose(set);
  H5Sclose(space);
  return done;
}

static bool put_lists(hid_t group, const ChWorld* world, const char** names, int32_t* first) {
  int count = ch_world_joint_count(world);
  for (int j = 0; j < count; ++j) {
    names[j] = ch_world_joint_name(world, ch_world_joint_at(world, j));
    first[j + 1] = first[j] + freedoms_of(world, j);
  }
  hid_t text = H5Tcopy(H5T_C_S1);
  H5Tset_size(text, H5T_VARIABLE);
  H5Tset_cset(text, H5T_CSET_UTF8);
  bool done = put_set(group, "name", text, (hsize_t)count, names) &&
              put_set(group, "offset", H5T_NATIVE_INT32, (hsize_t)count + 1, first);
  H5Tclose(text);
  return done;
}

bool ch_joint_group_put(hid_t file, const ChWorld* world) {
  if (ch_joint_group_freedoms(world) == 0) return true;
  size_t count = (size_t)ch_world_joint_count(world);
  const char** names = calloc(count, sizeof *names);
  int32_t* first = calloc(count + 1, sizeof *first);
  hid_t group = H5Gcreate2(file, "joint", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
  bool done = names && first && group >= 0 && put_lists(group, world, names, first);
  if (group >= 0) H5Gclose(group);
  free(names);
  free(first);
  return done;
}

void ch_joint_group_row(const ChSimulation* simulation, double* position, double* speed, double* force) {
  const ChWorld* world = ch_simulation_world(simulation);
  for (int j = 0, at = 0; j < ch_world_joint_count(world); ++j) {
    ChJointView view = ch_simulation_joint(simulation, ch_world_joint_at(world, j));
    for (int k = 0; k < view.freedoms; ++k, ++at) {
      position[at] = view.position[k];
      speed[at] = view.speed[k];
      force[at] = view.drive[k] + view.limit[k] + view.friction[k];
    }
  }
}
