// Records: what a trajectory, a table, a checkpoint and a written problem hold, and that a run goes on from them.
#include <hdf5.h>
#include <sys/stat.h>

#include "cardhouse/files.h"
#include "cardhouse/record.h"
#include "cardhouse/solve.h"
#include "support/near.h"
#include "support/temporary.h"
#include "support/worlds.h"

static ChContext context;

enum { BOXES = 3 };

// Three boxes, thrown at a wall of air: they fall, slide, tumble on the floor and come to rest.
static ChSimulation* start_with(int dimension, double restitution) {
  ChWorld* world = ch_test_world(dimension, 9.81, 0.4, restitution);
  ch_test_floor(world);
  for (int b = 0; b < BOXES; ++b) {
    double high = 0.25 + 0.3 * b;
    ChVec3 at = dimension == 2 ? (ChVec3){0.03 * b, high, 0.0} : (ChVec3){0.03 * b, 0.02 * b, high};
    ch_test_box(world, at, (ChVec3){0.1, 0.1, 0.1});
  }
  ChSimulationOptions options = ch_simulation_options_default();
  options.h = 5e-3;
  return ch_test_start(world, &options);
}

static ChSimulation* start(int dimension) { return start_with(dimension, 0.2); }

static void record(ChSimulation* s, ChTrajectory* trajectory, ChSummary* summary, int steps) {
  for (int k = 0; k < steps; ++k) {
    CHECK_OK(context, ch_simulation_step(&context, s, NULL));
    if (trajectory) CHECK_OK(context, ch_trajectory_add(&context, trajectory, s));
    if (summary) ch_summary_add(summary, s);
  }
}

// The numbers of a dataset, and how many; the caller frees them.
static double* numbers(const char* path, const char* name, long* count) {
  hid_t file = H5Fopen(path, H5F_ACC_RDONLY, H5P_DEFAULT);
  assert_true(file >= 0);
  hid_t set = H5Dopen2(file, name, H5P_DEFAULT), space = H5Dget_space(set);
  *count = (long)H5Sget_simple_extent_npoints(space);
  double* values = malloc(((size_t)*count + 1) * sizeof *values);
  assert_true(H5Dread(set, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, values) >= 0);
  H5Sclose(space);
  H5Dclose(set);
  H5Fclose(file);
  return values;
}

static void rows_are_the_states_of_a_run(int dimension) {
  const char* path = ch_temporary_path("states.h5");
  ChSimulation* s = start(dimension);
  ChTrajectory* trajectory;
  CHECK_OK(context, ch_trajectory_create(&context, path, s, "{}", 1, false, &trajectory));
  ChBodyView first = ch_simulation_body_at(s, 1);
  record(s, trajectory, NULL, 100);
  CHECK_OK(context, ch_trajectory_close(&context, trajectory));
  long times, positions, forces, offsets;
  double* time = numbers(path, "time", &times);
  double* position = numbers(path, "body/position", &positions);
  double* force = numbers(path, "contact/force", &forces);
  double* offset = numbers(path, "contact/offset", &offsets);
  assert_int_equal(times, 101);
  assert_int_equal(offsets, times + 1);
  assert_int_equal(positions, times * (BOXES + 1) * dimension);
  assert_int_equal(forces, dimension * (long)offset[offsets - 1]);
  assert_true(time[0] == 0.0 && offset[1] == 0.0);
  assert_true(position[dimension] == first.position.x);
  assert_true(time[times - 1] == ch_simulation_time(s));
  ChBodyView last = ch_simulation_body_at(s, BOXES);
  double* row = position + positions - dimension;
  assert_true(row[0] == last.position.x && row[1] == last.position.y);
  free(time), free(position), free(force), free(offset);
  ch_simulation_destroy(s);
}

static void rows_in_space(void** state) {
  (void)state;
  rows_are_the_states_of_a_run(3);
}

static void rows_in_the_plane(void** state) {
  (void)state;
  rows_are_the_states_of_a_run(2);
}

// Newton's second law from the file alone: m (v+ - v) / h = m g + contact forces, body by body, step by step. (Without
// restitution, whose impulses are no forces.)
static void a_trajectory_holds_newtons_law(void** state) {
  (void)state;
  const char* path = ch_temporary_path("newton.h5");
  ChSimulation* s = start_with(2, 0.0);
  ChTrajectory* trajectory;
  CHECK_OK(context, ch_trajectory_create(&context, path, s, "{}", 1, false, &trajectory));
  enum { STEPS = 150 };
  record(s, trajectory, NULL, STEPS);
  CHECK_OK(context, ch_trajectory_close(&context, trajectory));
  long n, contacts;
  double* velocity = numbers(path, "body/velocity", &n);
  double* offset = numbers(path, "contact/offset", &n);
  double* bodies = numbers(path, "contact/bodies", &contacts);
  double* force = numbers(path, "contact/force", &contacts);
  double mass = 1000.0 * 0.2 * 0.2, h = 5e-3;
  for (int t = 1; t <= STEPS; ++t)
    for (int b = 1; b <= BOXES; ++b) {
      double sum[2] = {0.0, -9.81 * mass};
      for (long k = (long)offset[t]; k < (long)offset[t + 1]; ++k)
        for (int a = 0; a < 2; ++a)
          sum[a] += force[2 * k + a] * ((int)bodies[2 * k + 1] == b) - force[2 * k + a] * ((int)bodies[2 * k] == b);
      const double *after = velocity + 2 * (t * (BOXES + 1) + b), *before = after - 2 * (BOXES + 1);
      for (int a = 0; a < 2; ++a) CHECK_NEAR(mass * (after[a] - before[a]) / h, sum[a], 1e-6 * 9.81 * mass);
    }
  free(velocity), free(offset), free(bodies), free(force);
  ch_simulation_destroy(s);
}

static void same_numbers(const char* a, const char* b, const char* name) {
  long m, n;
  double *x = numbers(a, name, &m), *y = numbers(b, name, &n);
  if (m != n) fail_msg("%s has %ld and %ld numbers", name, m, n);
  if (memcmp(x, y, (size_t)m * sizeof *x) != 0) fail_msg("%s differs", name);
  free(x), free(y);
}

// Stops after `stop` steps, with the file `more` steps further than the checkpoint, goes on, and compares with `whole`.
static void continues(int dimension, int every, int stop, int more, int steps) {
  static const char* const names[] = {"time",           "body/position",       "body/orientation", "body/velocity",
                                      "body/omega",     "step/contacts",       "step/penetration", "step/kinetic",
                                      "contact/offset", "certificate/natural", "contact/force",    "contact/bodies",
                                      "contact/gap",    "contact/slip",        "certificate/cone"};
  char whole[CH_PATH_SIZE], parts[CH_PATH_SIZE], checkpoint[CH_PATH_SIZE];
  snprintf(whole, sizeof whole, "%s", ch_temporary_path("whole.h5"));
  snprintf(parts, sizeof parts, "%s", ch_temporary_path("parts.h5"));
  snprintf(checkpoint, sizeof checkpoint, "%s", ch_temporary_path("state.check"));
  ChTrajectory* trajectory;
  ChSimulation* s = start(dimension);
  ChSummary total = ch_summary_begin(s);
  CHECK_OK(context, ch_trajectory_create(&context, whole, s, "{}", every, false, &trajectory));
  record(s, trajectory, &total, steps);
  CHECK_OK(context, ch_trajectory_close(&context, trajectory));
  ch_simulation_destroy(s);

  s = start(dimension);
  ChRecordState records = {.summary = ch_summary_begin(s)};
  CHECK_OK(context, ch_trajectory_create(&context, parts, s, "{}", every, false, &trajectory));
  record(s, trajectory, &records.summary, stop);
  records.since = ch_trajectory_since(trajectory);
  CHECK_OK(context, ch_checkpoint_write(&context, checkpoint, s, "{}", &records));
  record(s, trajectory, NULL, more);
  CHECK_OK(context, ch_trajectory_close(&context, trajectory));
  ch_simulation_destroy(s);

  s = start(dimension);
  ChRecordState back;
  CHECK_OK(context, ch_checkpoint_read(&context, checkpoint, s, "{}", &back));
  CHECK_OK(context, ch_trajectory_create(&context, parts, s, "{}", every, true, &trajectory));
  ch_trajectory_set_since(trajectory, &back.since);
  record(s, trajectory, &back.summary, steps - stop);
  CHECK_OK(context, ch_trajectory_close(&context, trajectory));
  ch_simulation_destroy(s);
  for (size_t k = 0; k < sizeof names / sizeof *names; ++k) same_numbers(whole, parts, names[k]);
  assert_true(back.summary.displacement == total.displacement && back.summary.steps == total.steps);
  assert_true(back.summary.sum.natural == total.sum.natural && back.summary.energy_end == total.energy_end);
}

static void a_checkpoint_continues_bit_for_bit(void** state) {
  (void)state;
  continues(3, 1, 60, 0, 160);
  continues(2, 1, 60, 0, 160);
}

static void a_checkpoint_between_rows_continues_bit_for_bit(void** state) {
  (void)state;
  continues(3, 7, 60, 0, 160);
}

static void rows_later_than_the_checkpoint_are_dropped(void** state) {
  (void)state;
  continues(3, 1, 50, 40, 160);
  continues(3, 4, 50, 33, 120);
}

static void other_files_are_not_continued(void** state) {
  (void)state;
  const char* path = ch_temporary_path("other.h5");
  ChTrajectory* trajectory;
  ChSimulation* s = start(2);
  CHECK_OK(context, ch_trajectory_create(&context, path, s, "{}", 1, false, &trajectory));
  ChTrajectory* second;
  assert_int_equal(ch_trajectory_create(&context, path, s, "{}", 1, false, &second), CH_ERR_FILE);
  assert_non_null(strstr(context.message, "another run is writing it"));
  CHECK_OK(context, ch_trajectory_close(&context, trajectory));
  ch_simulation_destroy(s);
  s = start(3);
  assert_int_equal(ch_trajectory_create(&context, path, s, "{}", 1, true, &trajectory), CH_ERR_FORMAT);
  assert_non_null(strstr(context.message, "not those of the scene"));
  FILE* file = fopen(path, "w");
  fputs("no HDF5 at all", file);
  fclose(file);
  assert_int_not_equal(ch_trajectory_create(&context, path, s, "{}", 1, true, &trajectory), CH_OK);
  assert_int_equal(ch_trajectory_create(&context, "/no/such/folder/x.h5", s, "{}", 1, false, &trajectory), CH_ERR_FILE);
  assert_non_null(strstr(context.message, "No such file"));
  ch_simulation_destroy(s);
}

static void damaged_checkpoints_are_refused(void** state) {
  (void)state;
  char path[CH_PATH_SIZE];
  snprintf(path, sizeof path, "%s", ch_temporary_path("damaged.check"));
  ChSimulation* s = start(3);
  ChRecordState records = {.summary = ch_summary_begin(s)};
  CHECK_OK(context, ch_checkpoint_write(&context, path, s, "the scene", &records));
  char* scene;
  CHECK_OK(context, ch_checkpoint_scene(&context, path, &scene));
  assert_string_equal(scene, "the scene");
  free(scene);
  assert_int_equal(ch_checkpoint_read(&context, path, s, "another", &records), CH_ERR_ARGUMENT);
  struct stat info;
  assert_int_equal(stat(path, &info), 0);
  FILE* file = fopen(path, "r+");
  fseek(file, info.st_size / 2, SEEK_SET);
  int byte = fgetc(file);
  fseek(file, info.st_size / 2, SEEK_SET);
  fputc(byte ^ 1, file);
  fclose(file);
  assert_int_equal(ch_checkpoint_read(&context, path, s, "the scene", &records), CH_ERR_FORMAT);
  assert_int_equal(truncate(path, info.st_size - 1), 0);
  assert_int_equal(ch_checkpoint_read(&context, path, s, "the scene", &records), CH_ERR_FORMAT);
  assert_int_equal(truncate(path, 20), 0);
  assert_int_equal(ch_checkpoint_read(&context, path, s, "the scene", &records), CH_ERR_FORMAT);
  ch_simulation_destroy(s);
}

static int lines_of(const char* path) {
  FILE* file = fopen(path, "r");
  int lines = 0;
  for (int c; (c = fgetc(file)) != EOF;) lines += c == '\n';
  fclose(file);
  return lines;
}

static void a_table_has_a_line_a_step_and_continues(void** state) {
  (void)state;
  const char* path = ch_temporary_path("steps.csv");
  ChSimulation* s = start(2);
  ChTable* table;
  CHECK_OK(context, ch_table_create(&context, path, s, false, &table));
  for (int k = 0; k < 10; ++k) {
    record(s, NULL, NULL, 1);
    CHECK_OK(context, ch_table_add(&context, table, s));
  }
  CHECK_OK(context, ch_table_close(&context, table));
  assert_int_equal(lines_of(path), 11);
  FILE* file = fopen(path, "a");
  fputs("11,0.055,5e-3,0", file);  // as a kill leaves it
  fclose(file);
  ch_simulation_destroy(s);
  s = start(2);
  record(s, NULL, NULL, 6);
  CHECK_OK(context, ch_table_create(&context, path, s, true, &table));
  record(s, NULL, NULL, 1);
  CHECK_OK(context, ch_table_add(&context, table, s));
  CHECK_OK(context, ch_table_close(&context, table));
  assert_int_equal(lines_of(path), 8);
  ch_simulation_destroy(s);
}

// The file's solution is the step's own answer, and it passes the certificate of the file's problem.
static void a_recorded_problem_carries_its_answer(void** state) {
  (void)state;
  ChSimulation* s = start(3);
  record(s, NULL, NULL, 120);
  CHECK_OK(context, ch_problem_record(&context, ch_temporary_folder, s));
  const char* path = ch_temporary_path("step-00000120.hdf5");
  ChProblem* problem;
  CHECK_OK(context, ch_problem_read(&context, path, &problem));
  assert_int_equal(ch_problem_count(problem, CH_LAW_CONTACT), ch_simulation_info(s).contacts);
  double* r = calloc((size_t)problem->rows, sizeof *r);
  CHECK_OK(context, ch_reaction_read(&context, path, problem, r));
  ChCertificate certificate;
  CHECK_OK(context, ch_certify(&context, problem, CH_POSE_COULOMB, r, NULL, &certificate));
  CHECK_AT_MOST(certificate.natural, 1e-7);
  free(r);
  ch_problem_destroy(problem);
  ch_simulation_destroy(s);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(rows_in_space),
      cmocka_unit_test(rows_in_the_plane),
      cmocka_unit_test(a_trajectory_holds_newtons_law),
      cmocka_unit_test(a_checkpoint_continues_bit_for_bit),
      cmocka_unit_test(a_checkpoint_between_rows_continues_bit_for_bit),
      cmocka_unit_test(rows_later_than_the_checkpoint_are_dropped),
      cmocka_unit_test(other_files_are_not_continued),
      cmocka_unit_test(damaged_checkpoints_are_refused),
      cmocka_unit_test(a_table_has_a_line_a_step_and_continues),
      cmocka_unit_test(a_recorded_problem_carries_its_answer),
  };
  return cmocka_run_group_tests(tests, ch_temporary_create, ch_temporary_remove);
}
