// A trajectory read back: what the file gives is what the simulation had, bit for bit, and a damaged file is refused.
#include <hdf5.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cardhouse/record.h"
#include "cardhouse/trajectory.h"
#include "model/world.h"
#include "support/near.h"
#include "support/temporary.h"
#include "support/worlds.h"

static ChContext context;

enum { STEPS = 60 };

static ChWorld* boxes(int dimension) {
  ChWorld* world = ch_test_world(dimension, 9.81, 0.4, 0.0);
  ch_test_floor(world);
  for (int b = 0; b < 3; ++b) {
    double high = 0.12 + 0.25 * b;
    ChVec3 at = dimension == 2 ? (ChVec3){0.03 * b, high, 0.0} : (ChVec3){0.03 * b, 0.02 * b, high};
    ch_test_box(world, at, (ChVec3){0.1, 0.1, 0.1});
  }
  return world;
}

static ChSimulation* record(const char* path, int dimension, int every) {
  ChSimulationOptions options = ch_simulation_options_default();
  options.h = 5e-3;
  ChSimulation* s = ch_test_start(boxes(dimension), &options);
  ChTrajectory* trajectory;
  CHECK_OK(context, ch_trajectory_create(&context, path, s, "{\"a\": 1}", every, false, &trajectory));
  for (int k = 0; k < STEPS; ++k) {
    CHECK_OK(context, ch_simulation_step(&context, s, NULL));
    CHECK_OK(context, ch_trajectory_add(&context, trajectory, s));
  }
  CHECK_OK(context, ch_trajectory_close(&context, trajectory));
  return s;
}

static ChTrajectoryReader* open_reader(const char* path, ChWorld* world) {
  CHECK_OK(context, ch_world_seal(&context, world));
  ChTrajectoryReader* reader;
  CHECK_OK(context, ch_trajectory_reader_open(&context, path, world, &reader));
  return reader;
}

static void the_last_row_is_the_last_state(int dimension) {
  const char* path = ch_temporary_path("replay.h5");
  ChSimulation* s = record(path, dimension, 1);
  ChWorld* world = boxes(dimension);
  ChTrajectoryReader* reader = open_reader(path, world);
  long rows;
  const ChTrajectoryStep* steps = ch_trajectory_reader_steps(reader, &rows);
  assert_int_equal(rows, STEPS + 1);
  ChStepInfo info = ch_simulation_info(s);
  assert_true(steps[rows - 1].time == info.time && steps[rows - 1].natural == info.certificate.natural);
  assert_true(steps[rows - 1].kinetic == info.kinetic && steps[rows - 1].potential == info.potential);
  assert_int_equal(steps[rows - 1].iterations, info.iterations);
  const ChTrajectoryHead* head = ch_trajectory_reader_head(reader);
  assert_true(head->h == 5e-3 && head->tolerance == 1e-8);
  assert_string_equal(head->method, "auto");
  ChTrajectoryRow row;
  CHECK_OK(context, ch_trajectory_reader_row(&context, reader, rows - 1, &row));
  for (int b = 0; b < world->body_count; ++b) {
    ChBodyView wanted = ch_simulation_body_at(s, b);
    assert_memory_equal(&row.bodies[b].position, &wanted.position, sizeof wanted.position);
    assert_memory_equal(&row.bodies[b].velocity, &wanted.velocity, sizeof wanted.velocity);
    assert_memory_equal(&row.bodies[b].omega, &wanted.omega, sizeof wanted.omega);
    CHECK_NEAR(row.bodies[b].orientation.w, wanted.orientation.w, 1e-15);
    CHECK_NEAR(row.bodies[b].orientation.z, wanted.orientation.z, 1e-15);
  }
  int count;
  const ChContactView* contacts = ch_simulation_contacts(s, &count);
  assert_true(count > 0);
  assert_int_equal(row.contact_count, count);
  for (int k = 0; k < count; ++k) {
    assert_memory_equal(row.contacts[k].body, contacts[k].body, sizeof contacts[k].body);
    assert_memory_equal(&row.contacts[k].point, &contacts[k].point, sizeof contacts[k].point);
    assert_memory_equal(&row.contacts[k].force, &contacts[k].force, sizeof contacts[k].force);
    assert_true(row.contacts[k].gap == contacts[k].gap);
  }
  ch_trajectory_reader_close(reader);
  ch_world_destroy(world);
  ch_simulation_destroy(s);
}

static void the_last_row_is_the_last_state_in_space(void** state) {
  (void)state;
  the_last_row_is_the_last_state(3);
}

static void the_last_row_is_the_last_state_in_the_plane(void** state) {
  (void)state;
  the_last_row_is_the_last_state(2);
}

static void a_time_finds_the_row_that_shows_it(void** state) {
  (void)state;
  const char* path = ch_temporary_path("times.h5");
  ch_simulation_destroy(record(path, 3, 10));
  ChWorld* world = boxes(3);
  ChTrajectoryReader* reader = open_reader(path, world);
  long rows;
  const ChTrajectoryStep* steps = ch_trajectory_reader_steps(reader, &rows);
  assert_int_equal(rows, STEPS / 10 + 1);
  assert_int_equal(ch_trajectory_reader_row_at(reader, -1.0), 0);
  assert_int_equal(ch_trajectory_reader_row_at(reader, 1e9), rows - 1);
  for (long k = 0; k < rows; ++k) {
    assert_int_equal(ch_trajectory_reader_row_at(reader, steps[k].time), k);
    assert_int_equal(ch_trajectory_reader_row_at(reader, steps[k].time + 0.02), k);
  }
  ChTrajectoryRow row;
  assert_int_equal(ch_trajectory_reader_row(&context, reader, rows, &row), CH_ERR_RANGE);
  ch_trajectory_reader_close(reader);
  ch_world_destroy(world);
  char* scene;
  CHECK_OK(context, ch_trajectory_scene(&context, path, &scene));
  assert_string_equal(scene, "{\"a\": 1}");
  free(scene);
}

// Overwrites one number of a dataset.
static void overwrite(const char* path, const char* name, hid_t type, const void* value) {
  hid_t file = H5Fopen(path, H5F_ACC_RDWR, H5P_DEFAULT), set = H5Dopen2(file, name, H5P_DEFAULT);
  hid_t space = H5Dget_space(set), memory = H5Screate(H5S_SCALAR);
  hsize_t last[3], extents[3];
  int rank = H5Sget_simple_extent_dims(space, extents, NULL);
  for (int k = 0; k < rank; ++k) last[k] = extents[k] - 1;
  assert_true(H5Sselect_elements(space, H5S_SELECT_SET, 1, last) >= 0);
  assert_true(H5Dwrite(set, type, memory, space, H5P_DEFAULT, value) >= 0);
  H5Sclose(memory), H5Sclose(space), H5Dclose(set), H5Fclose(file);
}

static ChStatus read_last(const char* path) {
  ChWorld* world = boxes(3);
  CHECK_OK(context, ch_world_seal(&context, world));
  ChTrajectoryReader* reader;
  ChStatus status = ch_trajectory_reader_open(&context, path, world, &reader);
  ChTrajectoryRow row;
  long rows = 0;
  if (status == CH_OK) ch_trajectory_reader_steps(reader, &rows);
  if (status == CH_OK) status = ch_trajectory_reader_row(&context, reader, rows - 1, &row);
  ch_trajectory_reader_close(reader);
  ch_world_destroy(world);
  return status;
}

static void damaged_rows_are_refused(void** state) {
  (void)state;
  const char* path = ch_temporary_path("damaged.h5");
  static const struct {
    const char* name;
    const char* message;
  } cases[] = {{"body/position", "no place in space"},
               {"body/orientation", "no place in space"},
               {"contact/force", "/contact/force"},
               {"contact/gap", "/contact/gap"},
               {"contact/bodies", "there is no body"}};
  for (size_t k = 0; k < sizeof cases / sizeof *cases; ++k) {
    ch_simulation_destroy(record(path, 3, 1));
    assert_int_equal(read_last(path), CH_OK);
    double nan = NAN;
    int seven = 7;
    bool index = strstr(cases[k].name, "bodies") != NULL;
    overwrite(path, cases[k].name, index ? H5T_NATIVE_INT : H5T_NATIVE_DOUBLE, index ? (void*)&seven : (void*)&nan);
    assert_int_equal(read_last(path), CH_ERR_FORMAT);
    assert_non_null(strstr(context.message, cases[k].message));
  }
}

static void other_files_are_refused(void** state) {
  (void)state;
  const char* path = ch_temporary_path("text.h5");
  FILE* file = fopen(path, "w");
  fputs("no HDF5 at all", file);
  fclose(file);
  assert_int_equal(read_last(path), CH_ERR_FORMAT);
  char* scene;
  assert_int_not_equal(ch_trajectory_scene(&context, path, &scene), CH_OK);
  assert_int_not_equal(ch_trajectory_scene(&context, "/no/such/file.h5", &scene), CH_OK);
  hid_t made = H5Fcreate(path, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
  H5Fclose(made);
  assert_int_equal(read_last(path), CH_ERR_FORMAT);
  assert_non_null(strstr(context.message, "not a trajectory"));
  ch_simulation_destroy(record(path, 2, 1));
  assert_int_equal(read_last(path), CH_ERR_FORMAT);
  assert_non_null(strstr(context.message, "not those of the scene"));
}

// A soft link could make the reader read another file.
static void links_are_not_followed(void** state) {
  (void)state;
  const char* path = ch_temporary_path("link.h5");
  ch_simulation_destroy(record(path, 3, 1));
  hid_t file = H5Fopen(path, H5F_ACC_RDWR, H5P_DEFAULT);
  assert_true(H5Ldelete(file, "step/seconds", H5P_DEFAULT) >= 0);
  assert_true(H5Lcreate_soft("/time", file, "step/seconds", H5P_DEFAULT, H5P_DEFAULT) >= 0);
  H5Fclose(file);
  assert_int_equal(read_last(path), CH_ERR_FORMAT);
  assert_non_null(strstr(context.message, "link"));
}

// Files from before there were momenta.
static void older_files_are_read(void** state) {
  (void)state;
  const char* path = ch_temporary_path("older.h5");
  ch_simulation_destroy(record(path, 3, 10));
  hid_t file = H5Fopen(path, H5F_ACC_RDWR, H5P_DEFAULT);
  assert_true(H5Ldelete(file, "step/momentum", H5P_DEFAULT) >= 0);
  assert_true(H5Ldelete(file, "step/angular_momentum", H5P_DEFAULT) >= 0);
  H5Fclose(file);
  assert_int_equal(read_last(path), CH_OK);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_last_row_is_the_last_state_in_space),
      cmocka_unit_test(the_last_row_is_the_last_state_in_the_plane),
      cmocka_unit_test(a_time_finds_the_row_that_shows_it),
      cmocka_unit_test(damaged_rows_are_refused),
      cmocka_unit_test(other_files_are_refused),
      cmocka_unit_test(links_are_not_followed),
      cmocka_unit_test(older_files_are_read),
  };
  return cmocka_run_group_tests(tests, ch_temporary_create, ch_temporary_remove);
}
