// Laws that the program registered as friction of materials: Coulomb's law stated once more, and a section that is not
// the same forwards and backwards beside the same one by points, on either body.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/vector.h"
#include "cardhouse/own_law.h"
#include "cardhouse/scene.h"
#include "support/near.h"
#include "support/worlds.h"

static const double G = 9.81;
static ChContext context;

// --- a disc of radius mu ---------------------------------------------------------------------------------------------

static void project_disc(const double* p, const double* x, double* y) {
  const double size = hypot(x[0], x[1]), shrink = size <= p[0] ? 1.0 : p[0] / size;
  y[0] = shrink * x[0], y[1] = shrink * x[1];
}

static double support_disc(const double* p, const double* u, double* gradient) {
  const double size = hypot(u[0], u[1]);
  for (int k = 0; gradient && k < 2; ++k) gradient[k] = size > 0.0 ? p[0] * u[k] / size : 0.0;
  return p[0] * size;
}

// --- [-back, front] x [-side, side] ----------------------------------------------------------------------------------

static void project_plate(const double* p, const double* x, double* y) {
  y[0] = fmax(fmin(x[0], p[1]), -p[0]);
  y[1] = fmax(fmin(x[1], p[2]), -p[2]);
  if (isnan(x[0] + x[1])) y[0] = y[1] = NAN;
}

static double support_plate(const double* p, const double* u, double* gradient) {
  const double first = u[0] > 0.0 ? p[0] : -p[1], second = copysign(p[2], u[1]);
  if (gradient) gradient[0] = first, gradient[1] = second;
  return first * u[0] + second * u[1];
}

static void project_strip(const double* p, const double* x, double* y) {
  y[0] = isnan(x[0]) ? NAN : fmax(fmin(x[0], p[1]), -p[0]);
}

static double support_strip(const double* p, const double* u, double* gradient) {
  const double first = u[0] > 0.0 ? p[0] : -p[1];
  if (gradient) gradient[0] = first;
  return first * u[0];
}

static int register_all(void** state) {
  (void)state;
  const ChOwnLaw disc = {.name = "disc",
                         .dimension = 3,
                         .section = true,
                         .parameter_count = 1,
                         .parameter = {{"mu", 0.0, 2.0}},
                         .project = project_disc,
                         .support = support_disc};
  const ChOwnLaw plate = {.name = "plate",
                          .dimension = 3,
                          .section = true,
                          .parameter_count = 3,
                          .parameter = {{"back", 0.0, 2.0}, {"front", 0.0, 2.0}, {"side", 0.0, 2.0}},
                          .project = project_plate,
                          .support = support_plate};
  const ChOwnLaw strip = {.name = "strip",
                          .dimension = 2,
                          .section = true,
                          .parameter_count = 2,
                          .parameter = {{"back", 0.0, 2.0}, {"front", 0.0, 2.0}},
                          .project = project_strip,
                          .support = support_strip};
  CHECK_OK(context, ch_law_register(&context, &disc, NULL));
  CHECK_OK(context, ch_law_register(&context, &plate, NULL));
  CHECK_OK(context, ch_law_register(&context, &strip, NULL));
  return 0;
}

// --- runs ------------------------------------------------------------------------------------------------------------

// A box on the ground, pushed off along `heading`; the material is that of the box, or of the ground.
static ChBodyView slide(const ChMaterialDef* material, bool of_ground, double heading) {
  ChWorld* world = ch_test_world(3, G, 0.5, 0.0);
  const ChMaterialId id = ch_test_material(world, material);
  ChBodyDef ground = ch_body_def_default(), block = ch_body_def_default();
  ChShapeDef flat = ch_shape_def_default(), box = ch_shape_def_default();
  ground.kind = CH_BODY_FIXED;
  flat.type = CH_SHAPE_HALFSPACE;
  box.type = CH_SHAPE_BOX, box.half = ch_vec(0.1, 0.1, 0.02);
  if (of_ground)
    flat.material = id;
  else
    box.material = id;
  block.position.z = 0.02;
  block.velocity = ch_vec(cos(heading), sin(heading), 0.0);
  ch_test_body(world, &ground, &flat);
  ch_test_body(world, &block, &box);
  ChSimulationOptions options = ch_simulation_options_default();
  options.h = 2e-3;
  ChSimulation* s = ch_test_start(world, &options);
  const ChStepInfo info = ch_test_run(s, 0.1);
  CHECK_AT_MOST(info.certificate.natural, 1e-8);
  CHECK_AT_MOST(info.gain, 1e-9);
  const ChBodyView at = ch_simulation_body_at(s, 1);
  ch_simulation_destroy(s);
  return at;
}

static void coulombs_law_stated_once_more_slides_alike(void** state) {
  (void)state;
  ChMaterialDef own = ch_material_def_default(), plain = own;
  own.law = "disc", own.law_parameter[0] = 0.4;
  plain.friction[0] = plain.friction[1] = 0.4 * 0.4 / 0.5;  // with the ground's 0.5 by the rule: 0.4
  for (double heading = 0.3; heading < 6.0; heading += 1.9) {
    const ChBodyView a = slide(&own, false, heading), b = slide(&plain, false, heading);
    CHECK_NEAR(ch_norm(ch_sub(a.velocity, b.velocity)), 0.0, 1e-7);
    CHECK_NEAR(ch_norm(a.velocity), 1.0 - 0.4 * G * 0.1, 1e-7);
  }
}

static void a_section_by_functions_lies_as_one_by_points(void** state) {
  (void)state;
  const double back = 0.5, front = 0.2, side = 0.3;
  const double points[4][2] = {{-back, -side}, {front, -side}, {front, side}, {-back, side}};
  ChFrictionSection section;
  CHECK_OK(context, ch_friction_section_make(&context, "test", 4, points, &section));
  ChMaterialDef own = ch_material_def_default(), polygon = own;
  own.law = "plate", own.law_parameter[0] = back, own.law_parameter[1] = front, own.law_parameter[2] = side;
  polygon.section = &section;
  double seen[2] = {INFINITY, 0.0};
  for (int of_ground = 0; of_ground < 2; ++of_ground)
    for (double heading = 0.1; heading < 6.2; heading += 0.9) {
      const ChBodyView a = slide(&own, of_ground, heading), b = slide(&polygon, of_ground, heading);
      CHECK_NEAR(ch_norm(ch_sub(a.velocity, b.velocity)), 0.0, 1e-7);
      CHECK_NEAR(ch_norm(ch_sub(a.position, b.position)), 0.0, 1e-8);
      seen[0] = fmin(seen[0], ch_norm(a.velocity)), seen[1] = fmax(seen[1], ch_norm(a.velocity));
    }
  assert_true(seen[1] - seen[0] > 0.1);  // it does matter where to
}

// In the plane D is an interval; a floor with it brakes what goes along its tangent with one end of it, what comes back
// with the other. The body that has it turned upside down would see the other end.
static void a_strip_brakes_each_way_with_its_own_end(void** state) {
  (void)state;
  double left[2][2];
  for (int of_ground = 0; of_ground < 2; ++of_ground)
    for (int way = 0; way < 2; ++way) {
      ChWorld* world = ch_test_world(2, G, 0.5, 0.0);
      ChMaterialDef material = ch_material_def_default();
      material.law = "strip", material.law_parameter[0] = 0.5, material.law_parameter[1] = 0.2;
      const ChMaterialId id = ch_test_material(world, &material);
      ChBodyDef ground = ch_body_def_default(), block = ch_body_def_default();
      ChShapeDef flat = ch_shape_def_default(), box = ch_shape_def_default();
      ground.kind = CH_BODY_FIXED;
      flat.type = CH_SHAPE_HALFPLANE, flat.normal = ch_vec(0.0, 1.0, 0.0);
      box.type = CH_SHAPE_RECTANGLE, box.half = ch_vec(0.1, 0.02, 0.0);
      if (of_ground)
        flat.material = id;
      else
        box.material = id;
      block.position.y = 0.02, block.velocity.x = way ? -1.0 : 1.0;
      ch_test_body(world, &ground, &flat);
      ch_test_body(world, &block, &box);
      ChSimulationOptions options = ch_simulation_options_default();
      options.h = 2e-3;
      ChSimulation* s = ch_test_start(world, &options);
      ch_test_run(s, 0.1);
      left[of_ground][way] = fabs(ch_simulation_body_at(s, 1).velocity.x);
      ch_simulation_destroy(s);
    }
  // t = n turned by 90 degrees: of the ground below it points to -x. What goes to +x slides with u_t < 0, and meets the
  // front of the ground's section. The block's own n points down, and its t to +x: friction on the ground.
  CHECK_NEAR(left[1][0], 1.0 - 0.2 * G * 0.1, 1e-7);
  CHECK_NEAR(left[1][1], 1.0 - 0.5 * G * 0.1, 1e-7);
  CHECK_NEAR(left[0][0], 1.0 - 0.2 * G * 0.1, 1e-7);
  CHECK_NEAR(left[0][1], 1.0 - 0.5 * G * 0.1, 1e-7);
}

static void a_scene_names_it(void** state) {
  (void)state;
  const char* const text =
      "{\"cardhouse\": 1, \"materials\": {\"m\": {\"friction\": {\"law\": \"%s\", \"parameters\": [%s]}}},"
      "\"bodies\": [{\"name\": \"floor\", \"fixed\": true, \"shapes\": [{\"type\": \"halfspace\"}]},"
      "{\"name\": \"b\", \"position\": [0, 0, 0.1], \"velocity\": [1, 0, 0],"
      "\"shapes\": [{\"type\": \"box\", \"half\": [0.1, 0.1, 0.1], \"material\": \"m\"}]}]}";
  const struct {
    const char *law, *parameters, *message;
  } cases[] = {{"disc", "0.3", NULL},
               {"disk", "0.3", "has registered no law 'disk'"},
               {"disc", "3", "mu of law 'disc' is 3, must be 0 to 2"},
               {"strip", "0.3, 0.3", "has 2 rows, a contact of this world has 3"},
               {"contact", "0.3", "has registered no law 'contact'"}};
  for (size_t k = 0; k < sizeof cases / sizeof cases[0]; ++k) {
    char all[1024];
    snprintf(all, sizeof all, text, cases[k].law, cases[k].parameters);
    ChScene* scene;
    ChSimulation* s = NULL;
    CHECK_OK(context, ch_scene_parse(&context, all, "test", &scene));
    const ChStatus status = ch_simulation_create(&context, scene->world, &scene->options, &s);
    scene->world = NULL;
    if (cases[k].message) {
      assert_int_not_equal(status, CH_OK);
      if (!strstr(context.message, cases[k].message)) fail_msg("%s", context.message);
    } else {
      CHECK_OK(context, status);
      ch_test_run(s, 0.1);
      CHECK_NEAR(ch_simulation_body_at(s, 1).velocity.x, 1.0 - 0.3 * G * ch_simulation_time(s), 1e-7);
    }
    ch_simulation_destroy(s);
    ch_scene_destroy(scene);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(coulombs_law_stated_once_more_slides_alike),
      cmocka_unit_test(a_section_by_functions_lies_as_one_by_points),
      cmocka_unit_test(a_strip_brakes_each_way_with_its_own_end),
      cmocka_unit_test(a_scene_names_it),
  };
  return cmocka_run_group_tests(tests, register_all, NULL);
}
