// The small public helpers that the program is built on: files, words, numbers, tetrahedra, parts of a problem.
#include <errno.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
//
#include <cmocka.h>

#include "cardhouse/cardhouse.h"

static void a_file_comes_back_whole_and_a_longer_one_is_refused(void** state) {
  (void)state;
  ChContext context = {0};
  char folder[] = "/tmp/cardhouse-helpers-XXXXXX", path[64], *bytes;
  size_t size;
  assert_non_null(mkdtemp(folder));
  snprintf(path, sizeof path, "%s/a/b", folder);
  assert_int_equal(ch_folder_make(&context, path), CH_OK);
  snprintf(path, sizeof path, "%s/a/b/file", folder);
  assert_int_equal(ch_whole_file_write(&context, path, "seven", 6), CH_OK);
  assert_int_equal(ch_file_load(&context, path, 6, &bytes, &size), CH_OK);
  assert_int_equal(size, 6);
  assert_string_equal(bytes, "seven");
  assert_int_equal(bytes[6], 0);
  free(bytes);
  assert_int_equal(ch_file_load(&context, path, 5, &bytes, &size), CH_ERR_SIZE);
  assert_null(bytes);
  unlink(path);
  assert_int_equal(ch_file_load(&context, path, 5, &bytes, &size), CH_ERR_FILE);
  for (int k = 0; k < 3; ++k) {
    *strrchr(path, '/') = '\0';
    rmdir(path);
  }
}

static void a_full_disk_is_the_machines_fault(void** state) {
  (void)state;
  assert_int_equal(ch_file_status(ENOSPC), CH_ERR_DEVICE);
  assert_int_equal(ch_file_status(ENOENT), CH_ERR_FILE);
  assert_string_equal(ch_file_hint(ENOSPC), " (the disk is full)");
}

static void bytes_survive_base64(void** state) {
  (void)state;
  const unsigned char bytes[5] = {0, 255, 7, 128, 62};
  unsigned char back[6];
  char* text = NULL;
  size_t length = 0;
  FILE* file = open_memstream(&text, &length);
  ch_base64_write(file, bytes, sizeof bytes);
  fclose(file);
  assert_int_equal(length, ch_base64_length(sizeof bytes));
  assert_int_equal(ch_base64_decode(text, length, back), sizeof bytes);
  assert_memory_equal(back, bytes, sizeof bytes);
  free(text);
}

// The first numbers of splitmix64 from seed 0 are published with the algorithm: 0xE220A8397B1DCDAF, ...
static void random_numbers_are_the_same_everywhere(void** state) {
  (void)state;
  uint64_t seed = 0;
  assert_true(ch_random_unit(&seed) == (double)(0xE220A8397B1DCDAFu >> 11) * 0x1p-53);
}

static void a_rotation_and_its_frame_lead_back(void** state) {
  (void)state;
  ChFrame frame = {ch_vec(1.0, 2.0, 3.0), ch_quat_about(ch_axis(2), acos(0.0))};
  ChVec3 x = ch_frame_point(frame, ch_vec(1.0, 0.0, 0.0));
  assert_true(ch_norm(ch_sub(x, ch_vec(1.0, 3.0, 3.0))) < 1e-15);
  assert_true(ch_norm(ch_sub(ch_frame_local(frame, x), ch_vec(1.0, 0.0, 0.0))) < 1e-15);
}

static void a_mesh_of_a_shape_has_its_volume(void** state) {
  (void)state;
  ChContext context = {0};
  ChTetMesh mesh;
  ChTetMeasures measures;
  ChTetShapeDef def = {.shape = "block", .size = {0.2, 0.3, 0.4}};
  assert_int_equal(ch_tets_make(&context, &def, &mesh), CH_OK);
  assert_int_equal(ch_tets_measure(&context, &mesh, &measures), CH_OK);
  assert_true(fabs(measures.volume - 0.024) < 1e-15);
  assert_true(fabs(measures.area - 2.0 * (0.06 + 0.08 + 0.12)) < 1e-14);
  ch_tets_free(&mesh);
  def.shape = "blok";
  assert_int_equal(ch_tets_make(&context, &def, &mesh), CH_ERR_RANGE);
  assert_null(mesh.vertices);
  assert_int_equal(ch_tets_read(&context, "/nowhere.msh", &mesh), CH_ERR_FILE);
  assert_null(ch_tet_shape_at(-1));
  assert_null(ch_tet_shape_at(ch_tet_shape_count()));
}

// A mass on a floor: M v - n c_n - D beta = f, two directions in the plane.
static ChProblem* mass_on_floor(int dimension) {
  ChContext context = {0};
  const int diagonal[3] = {0, 1, 2}, turned[3] = {dimension - 1, 0, 1};
  const double mass[3] = {2.0, 2.0, 2.0}, one[3] = {1.0, 1.0, 1.0}, f[3] = {0.0, -1.0, -1.0}, w[3] = {0.0};
  ChBlock contact = {.law = CH_LAW_CONTACT, .dimension = dimension, .mu = {0.5, 0.5}};
  ChProblem* problem = NULL;
  ChProblemDef def = {.form = CH_FORM_GLOBAL,
                      .dimension = dimension,
                      .block_count = 1,
                      .blocks = &contact,
                      .M = {dimension, dimension, dimension, diagonal, diagonal, mass},
                      .H = {dimension, dimension, dimension, turned, diagonal, one},
                      .f = f,
                      .w = w};
  assert_int_equal(ch_problem_build(&context, &def, &problem), CH_OK);
  return problem;
}

static void the_mixed_problem_holds_at_rest(void** state) {
  (void)state;
  ChContext context = {0};
  ChProblem* problem = mass_on_floor(2);
  ChMixedProblem mixed;
  assert_int_equal(ch_mixed_problem_build(&context, problem, &mixed), CH_OK);
  assert_int_equal(mixed.n, 2 + 1 + 2 + 1);  // v, c_n, two directions, lambda
  double x[6] = {[2] = 1.0}, y[6];           // the floor carries the weight
  memcpy(y, mixed.b, sizeof y);
  ch_sparse_multiply_add(&mixed.A, x, y);
  for (int k = 0; k < 6; ++k) assert_true(mixed.free[k] ? fabs(y[k]) < 1e-15 : fabs(fmin(x[k], y[k])) < 1e-15);
  ch_mixed_problem_free(&mixed);
  ch_problem_destroy(problem);
  problem = mass_on_floor(3);
  assert_int_equal(ch_mixed_problem_build(&context, problem, &mixed), CH_ERR_ARGUMENT);  // a smooth cone
  assert_int_equal(mixed.n, 0);
  ch_problem_destroy(problem);
}

static void friction_of_a_round_cone_is_mu_times_the_slip(void** state) {
  (void)state;
  ChBlock contact = {.law = CH_LAW_CONTACT, .dimension = 3, .mu = {0.5, 0.5}},
          joint = {.law = CH_LAW_BILATERAL, .dimension = 3};
  const double u[3] = {9.0, 3.0, 4.0};
  assert_true(fabs(ch_contact_support(&contact, CH_POSE_COULOMB, u) - 2.5) < 1e-15);
  assert_true(ch_contact_support(&joint, CH_POSE_COULOMB, u) == 0.0);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_file_comes_back_whole_and_a_longer_one_is_refused),
      cmocka_unit_test(a_full_disk_is_the_machines_fault),
      cmocka_unit_test(bytes_survive_base64),
      cmocka_unit_test(random_numbers_are_the_same_everywhere),
      cmocka_unit_test(a_rotation_and_its_frame_lead_back),
      cmocka_unit_test(a_mesh_of_a_shape_has_its_volume),
      cmocka_unit_test(the_mixed_problem_holds_at_rest),
      cmocka_unit_test(friction_of_a_round_cone_is_mu_times_the_slip),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
