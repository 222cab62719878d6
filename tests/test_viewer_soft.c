// Deformable bodies as pages get them: skins with their modes, amplitudes in frames, the state of one that was clicked.
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "cardhouse/text.h"
#include "model/soft/soft.h"
#include "model/tet/tet_shapes.h"
#include "serve/pane.h"
#include "serve/scene_message.h"
#include "step/state.h"
#include "support/near.h"
#include "support/worlds.h"

static ChContext context;
enum { MODES = 5, BARS = 2 };

static int add_bar(ChWorld* world, ChVec3 at) {
  const int cells[3] = {6, 1, 1};
  ChArena* arena = ch_arena_create(NULL);
  ChTetMesh mesh;
  CHECK_OK(context, ch_tet_box(&context, arena, ch_vec(1.0, 0.1, 0.1), cells, &mesh));
  ChBodyDef body = ch_body_def_default();
  body.position = at;
  ChSoftDef def = ch_soft_def_default();
  def.vertex_count = mesh.vertex_count;
  def.tet_count = mesh.tet_count;
  def.vertices = mesh.vertices;
  def.tets = mesh.tets;
  def.modes = MODES;
  int id = ch_test_body(world, &body, NULL);
  CHECK_OK(context, ch_world_add_soft(&context, world, ch_body_id(id), &def, NULL));
  ch_arena_destroy(arena);
  return id;
}

// A floor, a ball, and two bars of equal mesh and material.
static ChWorld* bars(void) {
  ChWorld* world = ch_test_world(3, 9.81, 0.4, 0.0);
  ch_test_floor(world);
  add_bar(world, ch_vec(0.0, 0.0, 1.0));
  ch_test_ball(world, ch_vec(0.0, 0.0, 0.1), 0.1, ch_vec(0.0, 0.0, 0.0));
  add_bar(world, ch_vec(0.0, 0.0, 2.0));
  CHECK_OK(context, ch_world_seal(&context, world));
  return world;
}

static const json_t* shape_of(const json_t* scene, size_t body) {
  return json_array_get(json_object_get(json_array_get(json_object_get(scene, "bodies"), body), "shapes"), 0);
}

static long whole(const json_t* object, const char* name) {
  return (long)json_integer_value(json_object_get(object, name));
}

static void a_skin_is_sent_once_with_its_modes(void** state) {
  (void)state;
  ChWorld* world = bars();
  const ChSoftSkin* skin = &world->bodies[1].soft->skin;
  json_t* scene = ch_scene_message(world, NULL);
  const json_t *first = shape_of(scene, 1), *second = shape_of(scene, 3);
  assert_string_equal(json_string_value(json_object_get(first, "type")), "soft");
  assert_int_equal(json_array_size(json_object_get(first, "vertices")), skin->vertex_count);
  assert_int_equal(json_array_size(json_object_get(first, "triangles")), skin->triangle_count);
  const json_t* basis = json_object_get(first, "basis");
  long count = 3L * skin->vertex_count * MODES;
  float* U = malloc((size_t)count * sizeof *U + 4);
  assert_int_equal(ch_base64_decode(json_string_value(basis), json_string_length(basis), (unsigned char*)U),
                   count * (long)sizeof *U);
  for (long k = 0; k < count; ++k) assert_true(U[k] == (float)skin->shape[k]);
  free(U);
  assert_int_equal(whole(first, "modes"), MODES);
  assert_int_equal(whole(first, "first_mode"), world->bodies[1].first_mode);
  assert_int_equal(whole(second, "modes"), MODES);
  assert_int_equal(whole(second, "first_mode"), world->bodies[3].first_mode);
  assert_null(json_object_get(second, "basis"));
  assert_int_equal(json_integer_value(json_array_get(json_object_get(second, "like"), 0)), 1);
  json_decref(scene);
  ch_world_destroy(world);
}

// What moves lies within the bounds as it is bent, not as it was.
static void bounds_hold_what_is_bent(void** state) {
  (void)state;
  ChWorld* world = bars();
  const ChSoft* soft = world->bodies[3].soft;
  double* q = ch_state_modes(world, world->states, 3);
  q[0] = 0.3, q[1] = -0.2;
  ChViewBounds bounds = ch_world_bounds(world);
  double low[3] = {0, 0, 0}, high[3] = {0, 0, 2.0};
  for (int v = 0; v < soft->skin.vertex_count; ++v) {
    ChVec3 x = ch_add(ch_soft_vertex(soft, v, q), world->states[3].position);
    const double at[3] = {x.x, x.y, x.z};
    for (int i = 0; i < 3; ++i) low[i] = fmin(low[i], at[i]), high[i] = fmax(high[i], at[i]);
  }
  CHECK_NEAR(bounds.high.z, high[2], 1e-12);
  assert_true(bounds.low.x <= low[0] && bounds.high.x >= high[0] && bounds.low.y <= low[1] && bounds.high.y >= high[1]);
  ch_world_destroy(world);
}

static ChPane pane_of(ChSimulation* s) {
  int count = ch_world_body_count(ch_simulation_world(s));
  ChPane pane = {.simulation = s, .body_count = count, .islands = calloc((size_t)count, sizeof(int))};
  assert_non_null(pane.islands);
  return pane;
}

static void a_frame_brings_the_amplitudes_of_all(void** state) {
  (void)state;
  ChSimulationOptions options = ch_simulation_options_default();
  ChPane pane = pane_of(ch_test_start(bars(), &options));
  ChSimulation* s = pane.simulation;
  double* q = ch_state_modes(s->world, s->states, 3);
  for (int a = 0; a < MODES; ++a) q[a] = 0.125 * (a + 1);
  ChExchange* exchange;
  CHECK_OK(context, ch_exchange_create(&context, &exchange));
  ch_pane_show(&pane, exchange, 0, 1, false);
  ChSnapshot* shown = ch_exchange_snapshot(exchange, 0, 0);
  assert_non_null(shown);
  assert_int_equal(shown->head.modes, BARS * MODES);
  assert_int_equal(shown->size, 4 * CH_FRAME_BODY_SIZE + BARS * MODES * CH_FRAME_MODE_SIZE);
  float amplitudes[BARS * MODES];
  memcpy(amplitudes, shown->bytes + 4 * 28, sizeof amplitudes);
  int first = s->world->bodies[3].first_mode;
  for (int a = 0; a < BARS * MODES; ++a) {
    bool own = a >= first && a < first + MODES;
    CHECK_NEAR(amplitudes[a], own ? 0.125 * (a - first + 1) : 0.0, 0.0);
  }
  ch_snapshot_drop(exchange, shown);
  ch_exchange_destroy(exchange);
  ch_pane_destroy(&pane);
}

// Of one mode out by q the energy is q^2 omega^2 / 2.
static void a_soft_body_tells_its_energy(void** state) {
  (void)state;
  ChSimulationOptions options = ch_simulation_options_default();
  ChPane pane = pane_of(ch_test_start(bars(), &options));
  ChSimulation* s = pane.simulation;
  ch_state_modes(s->world, s->states, 1)[2] = 0.01;
  double omega = s->world->bodies[1].soft->frequency[2];
  json_t *rigid = ch_pane_body(&pane, 0, 2), *body = ch_pane_body(&pane, 0, 1);
  const json_t* soft = json_object_get(body, "soft");
  assert_null(json_object_get(rigid, "soft"));
  assert_int_equal(whole(soft, "modes"), MODES);
  assert_int_equal(json_array_size(json_object_get(soft, "amplitudes")), MODES);
  double energy = 0.5 * omega * omega * 1e-4;
  CHECK_NEAR(json_number_value(json_object_get(soft, "elastic_energy")), energy, 1e-9 * energy);
  double frequency = json_number_value(json_array_get(json_object_get(soft, "frequencies"), 2));
  CHECK_NEAR(frequency, omega / (2.0 * M_PI), 1e-9 * frequency);
  json_decref(rigid);
  json_decref(body);
  ch_pane_destroy(&pane);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_skin_is_sent_once_with_its_modes),
      cmocka_unit_test(bounds_hold_what_is_bent),
      cmocka_unit_test(a_frame_brings_the_amplitudes_of_all),
      cmocka_unit_test(a_soft_body_tells_its_energy),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
