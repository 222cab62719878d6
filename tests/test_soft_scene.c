// Deformable bodies in scenes: what the text says is what the world has, wrong texts are refused where they are wrong,
// and what a run records of them deforms their skins as the run did.
#include <hdf5.h>
#include <math.h>

#include "base/vector.h"
#include "cardhouse/record.h"
#include "cardhouse/scene.h"
#include "cardhouse/trajectory.h"
#include "model/soft/soft.h"
#include "step/state.h"
#include "support/near.h"
#include "support/temporary.h"

static ChContext context;

// A bar in the air, and whatever else its "soft", its body and the scene are given.
static const char* bar_text(const char* soft, const char* body, const char* scene) {
  static char text[4096];
  snprintf(text, sizeof text,
           "{\"cardhouse\": 1, \"materials\": {\"rubber\": {\"density\": 900}}, \"bodies\": [{\"name\": \"floor\", "
           "\"fixed\": true, \"shapes\": [{\"type\": \"halfspace\"}]}, {\"name\": \"bar\", \"position\": [0, 0, 1]%s, "
           "\"soft\": {\"mesh\": {\"shape\": \"bar\", \"size\": [0.5, 0.1, 0.05], \"cells\": [6, 2, 1]}, "
           "\"material\": \"rubber\", \"modes\": 4%s}}]%s}",
           body, soft, scene);
  return text;
}

static ChScene* read_bar(const char* soft) {
  ChScene* scene = NULL;
  CHECK_OK(context, ch_scene_parse(&context, bar_text(soft, "", ""), NULL, &scene));
  return scene;
}

static ChSimulation* start_bar(const char* soft, char** text) {
  ChScene* scene = read_bar(soft);
  ChSimulation* s;
  CHECK_OK(context, ch_simulation_create(&context, scene->world, &scene->options, &s));
  scene->world = NULL;
  *text = scene->text;
  scene->text = NULL;
  ch_scene_destroy(scene);
  return s;
}

// --- scenes ----------------------------------------------------------------------------------------------------------

static void a_bar_has_the_mass_and_the_modes_it_was_given(void** state) {
  (void)state;
  ChScene* scene = read_bar("");
  const ChBody* bar = &scene->world->bodies[1];
  assert_non_null(bar->soft);
  assert_int_equal(bar->soft->modes, 4);
  assert_int_equal(bar->soft->kind, CH_SOFT_MODAL);
  assert_int_equal(scene->world->mode_count, 4);
  CHECK_NEAR(bar->mass, 900.0 * 0.5 * 0.1 * 0.05, 1e-12);
  ChVec3 low = {INFINITY, INFINITY, INFINITY}, high = {-INFINITY, -INFINITY, -INFINITY};
  for (int v = 0; v < bar->soft->skin.vertex_count; ++v) {
    ChVec3 x = bar->soft->skin.rest[v];
    low = ch_vec(fmin(low.x, x.x), fmin(low.y, x.y), fmin(low.z, x.z));
    high = ch_vec(fmax(high.x, x.x), fmax(high.y, x.y), fmax(high.z, x.z));
  }
  CHECK_NEAR(high.x - low.x, 0.5, 1e-14);
  CHECK_NEAR(high.y - low.y, 0.1, 1e-14);
  CHECK_NEAR(high.z - low.z, 0.05, 1e-14);
  ch_scene_destroy(scene);
}

// L14: a share of young or a modulus, whatever the order of keys.
static void arms_are_read_in_both_units(void** state) {
  (void)state;
  ChScene* scene = read_bar(
      ", \"viscoelastic\": [{\"share\": 0.5, \"time\": 0.1}, {\"time\": 2, \"modulus\": 6e5}], \"young\": 2e6");
  const ChSoft* soft = scene->world->bodies[1].soft;
  assert_int_equal(soft->arms, 2);
  CHECK_NEAR(soft->arm_share[0], 0.5, 1e-15);
  CHECK_NEAR(soft->arm_share[1], 0.3, 1e-15);
  assert_true(soft->arm_time[0] == 0.1 && soft->arm_time[1] == 2.0);
  ch_scene_destroy(scene);
}

// A mode of angular frequency w has the damping ratio (alpha / w + beta w) / 2.
static void a_damping_ratio_holds_at_both_its_frequencies(void** state) {
  (void)state;
  ChScene* scene = read_bar(", \"damping\": {\"ratio\": 0.03, \"at\": [4, 90]}");
  const ChSoft* soft = scene->world->bodies[1].soft;
  for (int k = 0; k < 2; ++k) {
    double w = 2.0 * M_PI * (k == 0 ? 4.0 : 90.0);
    CHECK_NEAR(0.5 * (soft->alpha / w + soft->beta * w), 0.03, 1e-15);
  }
  ch_scene_destroy(scene);
  scene = read_bar(", \"damping\": [0.5, 0.002]");
  assert_true(scene->world->bodies[1].soft->alpha == 0.5 && scene->world->bodies[1].soft->beta == 0.002);
  ch_scene_destroy(scene);
}

static void a_body_starts_as_bent_as_it_is_told(void** state) {
  (void)state;
  ChScene* scene = read_bar(", \"amplitudes\": [0.01, -0.02], \"rates\": [0, 0, 3]");
  const double* q = ch_state_modes(scene->world, scene->world->states, 1);
  const double* qd = ch_state_rates(scene->world, scene->world->states, 1);
  assert_true(q[0] == 0.01 && q[1] == -0.02 && q[2] == 0.0 && q[3] == 0.0);
  assert_true(qd[0] == 0.0 && qd[1] == 0.0 && qd[2] == 3.0 && qd[3] == 0.0);
  double most = 0.0;
  const ChSoft* soft = scene->world->bodies[1].soft;
  for (int v = 0; v < soft->skin.vertex_count; ++v)
    most = fmax(most, ch_norm(ch_sub(ch_soft_vertex(soft, v, q), soft->skin.rest[v])));
  ChSoftView view;
  assert_true(ch_world_soft(scene->world, 1, &view) && !ch_world_soft(scene->world, 0, NULL));
  CHECK_NEAR(ch_soft_bent(&view, q), most, 1e-15);
  assert_true(most > 0.0);
  ch_scene_destroy(scene);
}

// Two opposite corners in any order; what is in the box does not move.
static void a_clamp_holds_what_is_in_its_box(void** state) {
  (void)state;
  ChScene* scene = read_bar(", \"clamp\": [[-0.2, 1, 1], [-1, -1, -1]], \"amplitudes\": [0.01]");
  const ChSoft* soft = scene->world->bodies[1].soft;
  assert_true(soft->clamped);
  const double* q = ch_state_modes(scene->world, scene->world->states, 1);
  int held = 0;
  for (int v = 0; v < soft->skin.vertex_count; ++v) {
    ChVec3 rest = soft->skin.rest[v];
    if (rest.x + soft->centre.x > -0.2) continue;
    ++held;
    CHECK_NEAR(ch_norm(ch_sub(ch_soft_vertex(soft, v, q), rest)), 0.0, 1e-15);
  }
  ChSoftView view;
  assert_true(held > 0 && ch_world_soft(scene->world, 1, &view) && ch_soft_bent(&view, q) > 0.0);
  ch_scene_destroy(scene);
}

static void bodies_of_one_mesh_and_material_share_their_basis(void** state) {
  (void)state;
  const char* more = bar_text(", \"young\": 2e6", "", "");
  const char* end = strrchr(more, ']');
  const char* second = strstr(more, "{\"name\": \"bar\"");
  char text[8192];
  snprintf(text, sizeof text, "%.*s, %.*s%s", (int)(end - more), more, (int)(end - second), second, end);
  char* name = strstr(strstr(text, "\"bar\", \"pos") + 1, "\"bar\", \"pos");
  memcpy(name, "\"rod\"", 5);
  memcpy(strstr(name, "[0, 0, 1]"), "[0, 0, 3]", 9);
  ChScene* scene;
  CHECK_OK(context, ch_scene_parse(&context, text, NULL, &scene));
  assert_int_equal(ch_world_body_count(scene->world), 3);
  assert_ptr_equal(scene->world->bodies[1].soft, scene->world->bodies[2].soft);
  assert_int_equal(scene->world->mode_count, 8);
  ch_scene_destroy(scene);
}

static void the_resolved_text_is_the_same_scene(void** state) {
  (void)state;
  ChScene *first = read_bar(", \"young\": \"=2*3e5\", \"amplitudes\": [0.01], \"clamp\": [[-1, -1, -1], [-0.2, 1, 1]]"),
          *second = NULL;
  CHECK_OK(context, ch_scene_parse(&context, first->text, NULL, &second));
  assert_string_equal(first->text, second->text);
  size_t bytes = ch_world_state_bytes(first->world);
  assert_memory_equal(first->world->states, second->world->states, bytes);
  const ChSoft *a = first->world->bodies[1].soft, *b = second->world->bodies[1].soft;
  assert_int_equal(a->skin.vertex_count, b->skin.vertex_count);
  assert_memory_equal(a->skin.shape, b->skin.shape,
                      (size_t)a->skin.vertex_count * 3 * (size_t)a->modes * sizeof(double));
  ch_scene_destroy(first);
  ch_scene_destroy(second);
}

static void wrong_bodies_are_refused_where_they_are_wrong(void** state) {
  (void)state;
  static const struct {
    const char *soft, *body, *place, *says;
  } wrong[] = {
      {", \"young\": 0", "", "$.bodies[1].soft.young", "is 0, must be > 0"},
      {", \"young\": 1e-60", "", "$.bodies[1].soft.young", "is 1e-60, must be at least 1e-50"},
      {", \"poisson\": 0.5", "", "$.bodies[1].soft.poisson", "keeps its volume"},
      {", \"model\": \"modl\"", "", "$.bodies[1].soft.model", "did you mean 'modal'"},
      {", \"damping\": [-1, 0]", "", "$.bodies[1].soft.damping[0]", "must be >= 0"},
      {", \"damping\": 0.1", "", "$.bodies[1].soft.damping", "must be [alpha, beta]"},
      {", \"damping\": {\"ratio\": 0.1, \"at\": [0, 5]}", "", "$.bodies[1].soft.damping.at[0]", "must be > 0"},
      {", \"viscoelastic\": 0.5", "", "$.bodies[1].soft.viscoelastic", "must be an array"},
      {", \"viscoelastic\": [{\"share\": 0.5}]", "", "$.bodies[1].soft.viscoelastic[0]", "time"},
      {", \"viscoelastic\": [{\"time\": 1}]", "", "$.bodies[1].soft.viscoelastic[0]", "neither share nor modulus"},
      {", \"viscoelastic\": [{\"time\": 1, \"share\": 1, \"modulus\": 1}]", "", "$.bodies[1].soft.viscoelastic[0]",
       "both share and modulus"},
      {", \"clamp\": [[0, 0, 0]]", "", "$.bodies[1].soft.clamp", "two points"},
      {", \"clamp\": [[5, 5, 5], [6, 6, 6]]", "", "$.bodies[1].soft", "holds 0 vertices"},
      {", \"amplitudes\": [0, 0, 0, 0, 0]", "", "$.bodies[1].soft.amplitudes", "the body has 4 modes"},
      {", \"rates\": 1", "", "$.bodies[1].soft.rates", "must be an array of numbers"},
      {", \"colour\": 1", "", "$.bodies[1].soft.colour", "is not known"},
      {"", ", \"mass\": 3", "$.bodies[1].mass", "together with \"soft\""},
      {"", ", \"fixed\": true", "$.bodies[1].fixed", "use \"clamp\""},
      {"", ", \"shapes\": []", "$.bodies[1].shapes", "together with \"soft\""},
  };
  for (size_t k = 0; k < sizeof wrong / sizeof *wrong; ++k) {
    ChScene* scene;
    assert_int_not_equal(ch_scene_parse(&context, bar_text(wrong[k].soft, wrong[k].body, ""), NULL, &scene), CH_OK);
    assert_null(scene);
    char place[128];
    snprintf(place, sizeof place, ": %s: ", wrong[k].place);
    if (!strstr(context.message, place) || !strstr(context.message, wrong[k].says))
      fail_msg("'%s' should name %s and say '%s'", context.message, wrong[k].place, wrong[k].says);
  }
}

static void wrong_meshes_are_refused_where_they_are_wrong(void** state) {
  (void)state;
  static const struct {
    const char *mesh, *place, *says;
  } wrong[] = {
      {"{\"shape\": \"bra\"}", "$.bodies[0].soft.mesh.shape", "did you mean 'bar'"},
      {"{\"shape\": \"bar\", \"size\": [1, -1, 1]}", "$.bodies[0].soft.mesh.size[1]", "must be >= 0"},
      {"{\"shape\": \"bar\", \"cells\": [1, 1.5, 1]}", "$.bodies[0].soft.mesh.cells[1]", "whole number"},
      {"{\"size\": [1, 1, 1]}", "$.bodies[0].soft.mesh", "\"shape\" is missing"},
      {"7", "$.bodies[0].soft.mesh", "the name of a file"},
      {"{\"shape\": \"bar\", \"amplitude\": 1}", "$.bodies[0].soft.mesh.amplitude",
       "for the shape 'strand', and this is a bar"},
      {"{\"round\": 0, \"shape\": \"dino\"}", "$.bodies[0].soft.mesh.round", "for the shape 'strand'"},
      {"{\"file\": \"part.msh\"}", "$.bodies[0].soft.mesh.file", "\"mesh\": \"part.msh\""},
      {"\"none.msh\"", "$.bodies[0].soft", "none.msh"},
      {"{\"shape\": \"plate\", \"size\": [1, 1, 1e-4]}", "$.bodies[0].soft", "make the body thicker"},
      {"{\"shape\": \"block\", \"size\": [1e40, 1e40, 1e40]}", "$.bodies[0].soft", "its mass is 1e+123 kg, must be"},
      {"{\"shape\": \"bar\"}, \"modes\": 59", "$.bodies[0].soft.modes", "1 to 58"},
  };
  for (size_t k = 0; k < sizeof wrong / sizeof *wrong; ++k) {
    char text[512], place[128];
    ChScene* scene;
    snprintf(text, sizeof text, "{\"cardhouse\": 1, \"bodies\": [{\"soft\": {\"mesh\": %s}}]}", wrong[k].mesh);
    assert_int_not_equal(ch_scene_parse(&context, text, NULL, &scene), CH_OK);
    snprintf(place, sizeof place, ": %s: ", wrong[k].place);
    if (!strstr(context.message, place) || !strstr(context.message, wrong[k].says))
      fail_msg("'%s' should name %s and say '%s'", context.message, wrong[k].place, wrong[k].says);
  }
}

static void densities_are_none_or_not_too_small(void** state) {
  (void)state;
  ChScene* scene;
  const char *vanishing = "{\"cardhouse\": 1, \"materials\": {\"m\": {\"density\": 1e-300}}}",
             *none = "{\"cardhouse\": 1, \"materials\": {\"m\": {\"density\": 0}}}";
  assert_int_not_equal(ch_scene_parse(&context, vanishing, NULL, &scene), CH_OK);
  assert_non_null(strstr(context.message, "$.materials.m.density: is 1e-300, must be 0 or at least 1e-50"));
  assert_int_equal(ch_scene_parse(&context, none, NULL, &scene), CH_OK);
  ch_scene_destroy(scene);
}

// --- records ---------------------------------------------------------------------------------------------------------

static void* read_set(hid_t file, const char* name, hid_t type, size_t size, long* count) {
  hid_t set = H5Dopen2(file, name, H5P_DEFAULT);
  if (set < 0) fail_msg("there is no /%s", name);
  hid_t space = H5Dget_space(set);
  *count = (long)H5Sget_simple_extent_npoints(space);
  void* values = malloc(((size_t)*count + 1) * size);
  assert_true(H5Dread(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, values) >= 0);
  H5Sclose(space);
  H5Dclose(set);
  return values;
}
static double* reals(hid_t file, const char* name, long* count) {
  return read_set(file, name, H5T_NATIVE_DOUBLE, sizeof(double), count);
}

static void move(ChSimulation* s, int steps, ChTrajectory* trajectory) {
  for (int k = 0; k < steps; ++k) {
    CHECK_OK(context, ch_simulation_step(&context, s, NULL));
    if (trajectory) CHECK_OK(context, ch_trajectory_add(&context, trajectory, s));
  }
}

// x = p + R (rest + shape a), from the file alone, is where the run has the vertex.
static void a_trajectory_deforms_its_skins_by_itself(void** state) {
  (void)state;
  const char* path = ch_temporary_path("bent.h5");
  char* text;
  ChSimulation* s = start_bar(", \"amplitudes\": [0.01, 0.002], \"rates\": [0.3]", &text);
  ChTrajectory* trajectory;
  CHECK_OK(context, ch_trajectory_create(&context, path, s, text, 1, false, &trajectory));
  move(s, 5, trajectory);
  CHECK_OK(context, ch_trajectory_close(&context, trajectory));
  hid_t file = H5Fopen(path, H5F_ACC_RDONLY, H5P_DEFAULT);
  long rows, count, vertices;
  double* amplitudes = reals(file, "soft/amplitudes", &rows);
  assert_int_equal(rows, 6 * 4);
  double *rest = reals(file, "soft/skin-0/rest", &vertices), *shape = reals(file, "soft/skin-0/shape", &count);
  const ChSoft* soft = s->world->bodies[1].soft;
  assert_int_equal(vertices, 3L * soft->skin.vertex_count);
  assert_int_equal(count, 4 * vertices);
  const double *q = amplitudes + rows - 4, *now = ch_state_modes(s->world, s->states, 1);
  assert_memory_equal(q, now, 4 * sizeof *q);
  for (long k = 0; k < vertices; ++k) {
    double y = rest[k];
    for (int a = 0; a < 4; ++a) y += shape[4 * k + a] * q[a];
    CHECK_NEAR(y, ch_component(ch_soft_vertex(soft, (int)(k / 3), now), (int)(k % 3)), 1e-15);
  }
  double* body = reals(file, "soft/body", &count);
  assert_true(count == 1 && body[0] == 1.0);
  double* offset = reals(file, "soft/offset", &count);
  assert_true(count == 2 && offset[0] == 0.0 && offset[1] == 4.0);
  double* frequency = reals(file, "soft/skin-0/frequency", &count);
  CHECK_NEAR(2.0 * M_PI * frequency[0], soft->frequency[0], 1e-9);
  free(amplitudes), free(rest), free(shape), free(body), free(offset), free(frequency), free(text);
  H5Fclose(file);
  ch_simulation_destroy(s);
}

static void rows_come_back_with_their_amplitudes(void** state) {
  (void)state;
  const char* path = ch_temporary_path("back.h5");
  char* text;
  ChSimulation* s = start_bar(", \"amplitudes\": [0.01], \"rates\": [0, 0.2]", &text);
  ChTrajectory* trajectory;
  CHECK_OK(context, ch_trajectory_create(&context, path, s, text, 1, false, &trajectory));
  move(s, 3, trajectory);
  CHECK_OK(context, ch_trajectory_close(&context, trajectory));
  ChTrajectoryReader* reader;
  ChTrajectoryRow row;
  CHECK_OK(context, ch_trajectory_reader_open(&context, path, s->world, &reader));
  CHECK_OK(context, ch_trajectory_reader_row(&context, reader, 0, &row));
  assert_true(row.amplitudes[0] == 0.01 && row.rates[1] == 0.2);
  CHECK_OK(context, ch_trajectory_reader_row(&context, reader, 3, &row));
  assert_memory_equal(row.amplitudes, ch_state_modes(s->world, s->states, 1), 4 * sizeof(double));
  assert_memory_equal(row.rates, ch_state_rates(s->world, s->states, 1), 4 * sizeof(double));
  ch_trajectory_reader_close(reader);
  ch_simulation_destroy(s);
  free(text);
}

// The world of a recording has the bodies of the run, skin and modes to the bit, mass and inertia to rounding; it has
// nothing to step them with, and that is said.
static void a_recording_gives_its_bodies_back_without_their_mesh(void** state) {
  (void)state;
  const char* path = ch_temporary_path("bodies.h5");
  char* text;
  ChSimulation* s = start_bar(", \"model\": \"stvk\"", &text);
  ChTrajectory* trajectory;
  CHECK_OK(context, ch_trajectory_create(&context, path, s, text, 1, false, &trajectory));
  CHECK_OK(context, ch_trajectory_close(&context, trajectory));
  ChScene* scene;
  CHECK_OK(context, ch_scene_of_trajectory(&context, path, &scene));
  const ChBody *was = &s->world->bodies[1], *is = &scene->world->bodies[1];
  const ChSoftSkin *old = &was->soft->skin, *skin = &is->soft->skin;
  assert_int_equal(is->soft->kind, CH_SOFT_STVK);
  assert_int_equal(is->soft->modes, 4);
  assert_int_equal(skin->vertex_count, old->vertex_count);
  assert_int_equal(skin->triangle_count, old->triangle_count);
  assert_memory_equal(skin->rest, old->rest, (size_t)old->vertex_count * sizeof *old->rest);
  assert_memory_equal(skin->shape, old->shape, 12 * (size_t)old->vertex_count * sizeof *old->shape);
  assert_memory_equal(skin->triangles, old->triangles, 3 * (size_t)old->triangle_count * sizeof *old->triangles);
  CHECK_NEAR(is->mass, was->mass, 1e-13);
  for (int k = 0; k < 9; ++k) CHECK_NEAR(is->inertia.m[k / 3][k % 3], was->inertia.m[k / 3][k % 3], 1e-14);
  CHECK_NEAR(ch_norm(ch_sub(scene->world->states[1].position, s->states[1].position)), 0.0, 1e-15);
  ChSimulation* again;
  assert_int_equal(ch_simulation_create(&context, scene->world, &scene->options, &again), CH_ERR_ARGUMENT);
  assert_non_null(strstr(context.message, "'bar' comes from a recording"));
  scene->world = NULL;
  ch_scene_destroy(scene);
  ch_simulation_destroy(s);
  free(text);
}

// Rows that the simulation has not reached are cut off, those of the modes too.
static void a_trajectory_is_continued_with_its_modes(void** state) {
  (void)state;
  const char* path = ch_temporary_path("goes-on.h5");
  char *text, *other;
  ChSimulation *s = start_bar("", &text), *again = start_bar("", &other);
  ChTrajectory* trajectory;
  CHECK_OK(context, ch_trajectory_create(&context, path, s, text, 1, false, &trajectory));
  move(s, 6, trajectory);
  CHECK_OK(context, ch_trajectory_close(&context, trajectory));
  move(again, 2, NULL);
  CHECK_OK(context, ch_trajectory_create(&context, path, again, other, 1, true, &trajectory));
  move(again, 2, trajectory);
  CHECK_OK(context, ch_trajectory_close(&context, trajectory));
  hid_t file = H5Fopen(path, H5F_ACC_RDONLY, H5P_DEFAULT);
  long rows;
  free(reals(file, "soft/rates", &rows));
  assert_int_equal(rows, 5 * 4);
  free(reals(file, "time", &rows));
  assert_int_equal(rows, 5);
  H5Fclose(file);
  ch_simulation_destroy(s);
  ch_simulation_destroy(again);
  free(text), free(other);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_bar_has_the_mass_and_the_modes_it_was_given),
      cmocka_unit_test(arms_are_read_in_both_units),
      cmocka_unit_test(a_damping_ratio_holds_at_both_its_frequencies),
      cmocka_unit_test(a_body_starts_as_bent_as_it_is_told),
      cmocka_unit_test(a_clamp_holds_what_is_in_its_box),
      cmocka_unit_test(bodies_of_one_mesh_and_material_share_their_basis),
      cmocka_unit_test(the_resolved_text_is_the_same_scene),
      cmocka_unit_test(wrong_bodies_are_refused_where_they_are_wrong),
      cmocka_unit_test(wrong_meshes_are_refused_where_they_are_wrong),
      cmocka_unit_test(densities_are_none_or_not_too_small),
      cmocka_unit_test(a_trajectory_deforms_its_skins_by_itself),
      cmocka_unit_test(rows_come_back_with_their_amplitudes),
      cmocka_unit_test(a_recording_gives_its_bodies_back_without_their_mesh),
      cmocka_unit_test(a_trajectory_is_continued_with_its_modes),
  };
  return cmocka_run_group_tests(tests, ch_temporary_create, ch_temporary_remove);
}
