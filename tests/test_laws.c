// Laws of mechanics with closed forms, held to the engine.
#include "base/vector.h"
#include "step/rotation.h"
#include "support/near.h"
#include "support/worlds.h"

static const double g = 9.81;

// Euler's equations: the midpoint rule with Cayley's map keeps energy and momentum.
static void free_spin_keeps_energy_and_momentum(void** state) {
  (void)state;
  ChMat3 J = {{{1.0, 0.1, 0.0}, {0.1, 2.0, 0.2}, {0.0, 0.2, 2.5}}};
  ChVec3 w = {0.3, 5.0, 0.1};
  ChQuat q = ch_quat_identity();
  double energy = ch_dot(w, ch_mat_apply(&J, w)), h = 1e-2;
  ChVec3 momentum = ch_mat_apply(&J, w);
  for (int k = 0; k < 1000000; ++k) {
    ChVec3 next = ch_free_spin(&J, w, h);
    q = ch_turn(q, ch_scale(0.5, ch_add(w, next)), h);
    w = next;
  }
  ChVec3 end = ch_rotate(q, ch_mat_apply(&J, w));
  CHECK_NEAR(ch_dot(w, ch_mat_apply(&J, w)) / energy, 1.0, 1e-9);
  CHECK_NEAR(ch_norm(ch_sub(end, momentum)) / ch_norm(momentum), 0.0, 1e-9);
}

// h_n = e^(2n) h, first order in the step
static void bouncing_ball_loses_e_squared_each_time(void** state) {
  (void)state;
  double e = 0.8, error[2];
  for (int k = 0; k < 2; ++k) {
    ChWorld* world = ch_test_world(3, g, 0.0, e);
    ch_test_floor(world);
    int ball = ch_test_ball(world, ch_vec(0.0, 0.0, 1.1), 0.1, ch_vec(0.0, 0.0, 0.0));
    ChSimulationOptions options = ch_simulation_options_default();
    options.h = k == 0 ? 1e-3 : 5e-4;
    ChSimulation* s = ch_test_start(world, &options);
    double top = 0.0, last = 1.0, rises = 0;
    error[k] = 0.0;
    while (rises < 3) {
      ch_test_run(s, ch_simulation_time(s) + options.h);
      ChBodyView body = ch_simulation_body_at(s, ball);
      double height = body.position.z - 0.1;
      if (body.velocity.z > 0.0) top = fmax(top, height);
      if (body.velocity.z < 0.0 && top > 0.0) {
        double miss = fabs(top / last - e * e);
        error[k] = fmax(error[k], miss);
        last = top;
        top = 0.0;
        ++rises;
      }
    }
    ch_simulation_destroy(s);
  }
  CHECK_NEAR(error[0], 0.0, 0.02);
  assert_true(error[1] < 0.75 * error[0] + 1e-4);
}

// A ball thrown along the floor rolls at 5/7 v0 from t = 2 v0 / (7 mu g) on.
static void sliding_ball_rolls_at_five_sevenths(void** state) {
  (void)state;
  double mu = 0.3, v0 = 2.0;
  ChWorld* world = ch_test_world(3, g, mu, 0.0);
  ch_test_floor(world);
  int ball = ch_test_ball(world, ch_vec(0.0, 0.0, 0.1), 0.1, ch_vec(v0, 0.0, 0.0));
  ChSimulationOptions options = ch_simulation_options_default();
  ChSimulation* s = ch_test_start(world, &options);
  double t = 2.0 * v0 / (7.0 * mu * g);
  ch_test_run(s, 0.5 * t);
  CHECK_NEAR(ch_simulation_body_at(s, ball).velocity.x, v0 - mu * g * ch_simulation_time(s), 1e-9);
  ch_test_run(s, 0.95 * t);
  ChBodyView sliding = ch_simulation_body_at(s, ball);
  assert_true(sliding.velocity.x - 0.1 * sliding.omega.y > 1e-3);
  ch_test_run(s, t + 0.05);
  ChBodyView rolling = ch_simulation_body_at(s, ball);
  CHECK_NEAR(rolling.velocity.x, 5.0 / 7.0 * v0, 1e-9);
  CHECK_NEAR(rolling.omega.y * 0.1, 5.0 / 7.0 * v0, 1e-9);
  ch_simulation_destroy(s);
}

static void cradle(ChRestitution law, double gap, const double expected[3]) {
  ChWorld* world = ch_test_world(3, 0.0, 0.0, 1.0);
  int ball[3];
  for (int k = 0; k < 3; ++k)
    ball[k] = ch_test_ball(world, ch_vec(k == 0 ? -0.05 : (k - 1) * (0.2 + gap) + 0.2, 0.0, 0.0), 0.1,
                           ch_vec(k == 0 ? 1.0 : 0.0, 0.0, 0.0));
  ChSimulationOptions options = ch_simulation_options_default();
  options.restitution = law;
  ChSimulation* s = ch_test_start(world, &options);
  ch_test_run(s, 0.1);
  double momentum = 0.0;
  for (int k = 0; k < 3; ++k) {
    CHECK_NEAR(ch_simulation_body_at(s, ball[k]).velocity.x, expected[k], 1e-8);
    momentum += ch_simulation_body_at(s, ball[k]).velocity.x;
  }
  CHECK_NEAR(momentum, 1.0, 1e-12);
  ch_simulation_destroy(s);
}

static void newtons_cradle_touching_and_a_hair_apart(void** state) {
  (void)state;
  const double touching[3] = {-1.0 / 3.0, 2.0 / 3.0, 2.0 / 3.0}, apart[3] = {0.0, 0.0, 1.0};
  for (int law = 0; law < 2; ++law) {
    cradle((ChRestitution)law, 0.0, touching);
    cradle((ChRestitution)law, 1e-6, apart);
  }
}

// A disc of radius 1 that stands on its floor: given mass and inertia, whatever its shapes.
static ChBodyDef disc_def(double omega) {
  ChBodyDef def = ch_body_def_default();
  def.mass = 3.0;
  def.inertia[0] = def.inertia[1] = 0.25 * def.mass;
  def.inertia[2] = 0.5 * def.mass;
  def.omega.z = omega;
  return def;
}

static void add_feet(ChWorld* world, int disc, int count, double radius) {
  for (int k = 0; k < count; ++k) {
    double angle = 2.0 * M_PI * k / count + 0.3;
    ChShapeDef foot = ch_shape_def_default();
    foot.radius = 0.05;
    foot.at = ch_vec(radius * cos(angle), radius * sin(angle), -0.05);
    ch_test_shape(world, disc, &foot);
  }
}

// w = w0 - rate t until it stands, and then for good.
static void check_spin(ChWorld* world, int disc, double omega, double rate) {
  ChSimulationOptions options = ch_simulation_options_default();
  ChSimulation* s = ch_test_start(world, &options);
  double stop = omega / rate;
  ch_test_run(s, 0.5 * stop);
  CHECK_NEAR(ch_simulation_body_at(s, disc).omega.z, omega - rate * ch_simulation_time(s), 1e-7);
  ch_test_run(s, stop - 2.0 * options.h);
  assert_true(ch_simulation_body_at(s, disc).omega.z > 0.0);
  ch_test_run(s, stop + 2.0 * options.h);
  CHECK_NEAR(ch_simulation_body_at(s, disc).omega.z, 0.0, 1e-9);
  CHECK_NEAR(ch_norm(ch_simulation_body_at(s, disc).velocity), 0.0, 1e-9);
  ch_simulation_destroy(s);
}

// Friction at the radius a, mu m g in all, on the inertia m R^2 / 2.
static void spinning_disc_stops_when_it_should(void** state) {
  (void)state;
  double mu = 0.4, omega = 2.0;
  for (int k = 0; k < 2; ++k) {  // on three feet at 2 R / 3, on a rim of 12 points
    ChWorld* world = ch_test_world(3, g, mu, 0.0);
    ch_test_floor(world);
    ChBodyDef def = disc_def(omega);
    def.position.z = 0.1;
    int disc = ch_test_body(world, &def, NULL);
    add_feet(world, disc, k == 0 ? 3 : 12, k == 0 ? 2.0 / 3.0 : 1.0);
    check_spin(world, disc, omega, k == 0 ? 4.0 / 3.0 * mu * g : 2.0 * mu * g);
  }
  ChWorld* world = ch_test_world(3, g, mu, 0.0);  // a true cylinder
  ch_test_floor(world);
  ChBodyDef def = disc_def(omega);
  ChShapeDef shape = ch_shape_def_default();
  def.position.z = shape.half_length = 0.1;
  shape.type = CH_SHAPE_CYLINDER;
  shape.radius = 1.0;
  int disc = ch_test_body(world, &def, &shape);
  check_spin(world, disc, omega, 2.0 * mu * g);
}

// A uniform rod of length 2 whose tip slides towards it at the angle a from the floor: one step of length h. Returns
// the normal impulse.
static double rod_impulse(double mu, double a, double h, double* slip) {
  ChWorld* world = ch_test_world(2, g, mu, 0.0);
  ch_test_floor(world);
  ChVec3 corners[3] = {{-1.0, 0.0, 0.0}, {1.0, -0.05, 0.0}, {1.0, 0.05, 0.0}};
  ChShapeDef shape = ch_shape_def_default();
  shape.type = CH_SHAPE_POLYGON;
  shape.point_count = 3;
  shape.points = corners;
  ChBodyDef def = ch_body_def_default();
  def.angle = a;
  def.position = ch_vec(0.0, sin(a), 0.0);
  def.velocity.x = -1.0;
  def.mass = 1.0;
  def.inertia[2] = 1.0 / 3.0;
  ch_test_body(world, &def, &shape);
  ChSimulationOptions options = ch_simulation_options_default();
  options.h = h;
  ChSimulation* s = ch_test_start(world, &options);
  ChStepInfo info = ch_test_step(s);
  assert_false(info.missed);
  int count;
  const ChContactView* contacts = ch_simulation_contacts(s, &count);
  assert_int_equal(count, 1);
  double impulse = h * contacts[0].force.y;
  *slip = contacts[0].slip.x;
  ch_simulation_destroy(s);
  return impulse;
}

// mu_c = (1 + 3 cos^2 a) / (3 sin a cos a), at its smallest 4/3 for tan a = 2. Below it the force is finite,
// m g / (1 + 3 cos^2 a - 3 mu sin a cos a), and the impulse vanishes with h. Above it no finite force exists; the tip
// jams at once by an impulse that stays the same as h vanishes.
static void I49_painleve_rod_jams_above_its_critical_friction(void** state) {
  (void)state;
  for (int k = 0; k < 3; ++k) {
    double a = k == 0 ? atan(2.0) : k == 1 ? 1.0 : 1.3, slip[3], impulse[3];
    double c = cos(a), s = sin(a), critical = (1.0 + 3.0 * c * c) / (3.0 * s * c);
    for (int n = 0; n < 3; ++n) {
      double h = pow(10.0, -4 - n), mu = 0.99 * critical;
      double expected = h * g / (1.0 + 3.0 * c * c - 3.0 * mu * s * c);
      CHECK_NEAR(rod_impulse(mu, a, h, &slip[n]) / expected, 1.0, 1e-3);
      assert_true(slip[n] < -0.5);
    }
    for (int n = 0; n < 3; ++n) {
      impulse[n] = rod_impulse(1.01 * critical, a, pow(10.0, -4 - n), &slip[n]);
      CHECK_NEAR(slip[n], 0.0, 1e-8);
      CHECK_NEAR(impulse[n] / impulse[0], 1.0, 1e-2);
    }
    assert_true(impulse[2] > 0.01);
  }
  double slip;
  rod_impulse(4.0 / 3.0 * 1.001, atan(2.0), 1e-6, &slip);
  CHECK_NEAR(slip, 0.0, 1e-8);
  rod_impulse(4.0 / 3.0 * 0.999, atan(2.0), 1e-6, &slip);
  assert_true(slip < -0.5);
}

// How far the left card of a pair moves in two seconds.
static double card_way(double theta, double thickness, double mu, int dimension) {
  ChWorld* world = ch_test_world(dimension, g, mu, 0.0);
  ch_test_floor(world);
  int card[2];
  double dx = 0.5 * sin(theta) + 0.5 * thickness * cos(theta), up = 0.5 * cos(theta) + 0.5 * thickness * sin(theta);
  for (int k = 0; k < 2; ++k) {
    ChBodyDef def = ch_body_def_default();
    ChShapeDef shape = ch_shape_def_default();
    double x = k == 0 ? -dx : dx, turn = k == 0 ? -theta : theta;
    shape.type = dimension == 2 ? CH_SHAPE_RECTANGLE : CH_SHAPE_BOX;
    shape.half = dimension == 2 ? ch_vec(0.5 * thickness, 0.5, 0.0) : ch_vec(0.5 * thickness, 0.3, 0.5);
    def.position = dimension == 2 ? ch_vec(x, up, 0.0) : ch_vec(x, 0.0, up);
    if (dimension == 2)
      def.angle = turn;
    else
      def.orientation = ch_quat_about(ch_axis(1), -turn);
    card[k] = ch_test_body(world, &def, &shape);
  }
  ChSimulationOptions options = ch_simulation_options_default();
  options.h = 5e-3;
  ChSimulation* s = ch_test_start(world, &options);
  ChVec3 start = ch_simulation_body_at(s, card[0]).position;
  ch_test_run(s, 2.0);
  double way = ch_norm(ch_sub(ch_simulation_body_at(s, card[0]).position, start));
  ch_simulation_destroy(s);
  return way;
}

// Two cards that lean against each other need mu = (tan theta - t / L) / 2, theta from the vertical.
static void one_triangle_of_cards_stands_just_above_its_threshold(void** state) {
  (void)state;
  for (int dimension = 2; dimension <= 3; ++dimension)
    for (int k = 0; k < 3; ++k) {
      double theta = 0.3 + 0.15 * k, t = 0.02 + 0.02 * k, mu = 0.5 * (tan(theta) - t);
      CHECK_AT_MOST(card_way(theta, t, 1.0001 * mu, dimension), 1e-9);
      assert_true(card_way(theta, t, 0.999 * mu, dimension) > 1e-4);
    }
}

// Four legs on a floor: how the weight is shared is not determined, that it is carried is.
static void four_legged_table_carries_its_weight(void** state) {
  (void)state;
  ChWorld* world = ch_test_world(3, g, 0.5, 0.0);
  ch_test_floor(world);
  int table = ch_test_box(world, ch_vec(0.0, 0.0, 0.75), ch_vec(0.6, 0.4, 0.02));
  for (int k = 0; k < 4; ++k) {
    ChShapeDef leg = ch_shape_def_default();
    leg.type = CH_SHAPE_BOX;
    leg.half = ch_vec(0.03, 0.03, 0.365);
    leg.at = ch_vec(k & 1 ? 0.5 : -0.5, k & 2 ? 0.3 : -0.3, -0.385);
    ch_test_shape(world, table, &leg);
  }
  double mass = 1000.0 * 8.0 * (0.6 * 0.4 * 0.02 + 4.0 * 0.03 * 0.03 * 0.365);
  ChSimulationOptions options = ch_simulation_options_default();
  options.rest = false;
  ChSimulation* s = ch_test_start(world, &options);
  ch_test_run(s, 0.1);
  int count;
  const ChContactView* contacts = ch_simulation_contacts(s, &count);
  ChVec3 force = {0}, torque = {0};
  assert_int_equal(count, 16);
  for (int k = 0; k < count; ++k) {
    assert_true(contacts[k].force.z >= 0.0);
    force = ch_add(force, contacts[k].force);
    torque = ch_add(torque, ch_cross(contacts[k].point, contacts[k].force));
  }
  CHECK_NEAR(force.z / (mass * g), 1.0, 1e-7);
  CHECK_NEAR(ch_norm(ch_vec(force.x, force.y, 0.0)) / (mass * g), 0.0, 1e-7);
  CHECK_NEAR(ch_norm(torque) / (mass * g), 0.0, 1e-7);
  ch_simulation_destroy(s);
}

static void add_momenta(const ChSimulation* s, int first, int count, double mass, double inertia, ChVec3 sum[2]) {
  sum[0] = sum[1] = ch_vec(0.0, 0.0, 0.0);
  for (int b = first; b < first + count; ++b) {
    ChBodyView body = ch_simulation_body_at(s, b);
    sum[0] = ch_along(sum[0], mass, body.velocity);
    sum[1] = ch_along(sum[1], mass, ch_cross(body.position, body.velocity));
    sum[1] = ch_along(sum[1], inertia, body.omega);
  }
}

// A swarm of balls that rub and bounce, with nothing else to push against.
static void I29_contacts_conserve_linear_and_angular_momentum(void** state) {
  (void)state;
  enum { N = 27 };
  for (int law = 0; law < 2; ++law) {
    ChWorld* world = ch_test_world(3, 0.0, 0.6, law == 0 ? 0.0 : 0.7);
    for (int k = 0; k < N; ++k) {
      ChVec3 at = ch_vec(0.23 * (k % 3), 0.23 * (k / 3 % 3), 0.23 * (k / 9) + 0.01 * (k % 2));
      ch_test_ball(world, at, 0.1, ch_vec(1.0 - at.x * 5.0 + at.y, sin(k), -3.0 * at.z + 0.2 * k / N));
    }
    ChSimulationOptions options = ch_simulation_options_default();
    options.restitution = law == 0 ? CH_RESTITUTION_NEWTON : CH_RESTITUTION_POISSON;
    ChSimulation* s = ch_test_start(world, &options);
    double mass = 1000.0 * 4.0 / 3.0 * M_PI * 1e-3, inertia = 0.4 * mass * 0.01;
    ChVec3 start[2], end[2];
    long contacts = 0;
    add_momenta(s, 0, N, mass, inertia, start);
    for (int k = 0; k < 300; ++k) contacts += ch_test_step(s).contacts;
    add_momenta(s, 0, N, mass, inertia, end);
    assert_true(contacts > 1000);
    for (int k = 0; k < 2; ++k) CHECK_NEAR(ch_norm(ch_sub(end[k], start[k])) / ch_norm(start[k]), 0.0, 1e-11);
    ch_simulation_destroy(s);
  }
}

// Friction m g (mu_1^2 d_1, mu_2^2 d_2) / sqrt(mu_1^2 d_1^2 + mu_2^2 d_2^2) against the slip d along axes that turn
// with the body, which does not turn by itself here.
static void elliptic_friction_turns_with_the_body(void** state) {
  (void)state;
  double mu[2] = {0.2, 0.6};
  for (int k = 0; k < 4; ++k) {
    ChWorld* world = ch_test_world(3, g, 0.5, 0.0);
    ch_test_floor(world);
    ChMaterialDef material = ch_material_def_default();
    material.friction[0] = mu[0];
    material.friction[1] = mu[1];
    ChPairDef pair = ch_pair_def_default();
    pair.material[0] = ch_test_material(world, &material);
    pair.friction[0] = mu[0];
    pair.friction[1] = mu[1];
    ChContext context = {0};
    CHECK_OK(context, ch_world_add_pair(&context, world, &pair));
    ChBodyDef def = ch_body_def_default();
    ChShapeDef shape = ch_shape_def_default();
    double turn = 0.4 + 0.7 * k;
    def.orientation = ch_quat_about(ch_axis(2), turn);
    def.position.z = 0.1;
    def.velocity.x = 3.0;
    def.locks = CH_LOCK_RX | CH_LOCK_RY | CH_LOCK_RZ;  // pressure under the box stays out of it
    shape.type = CH_SHAPE_BOX;
    shape.half = ch_vec(0.2, 0.2, 0.1);
    shape.material = pair.material[0];
    int box = ch_test_body(world, &def, &shape);
    ChSimulationOptions options = ch_simulation_options_default();
    options.h = 1e-5;
    ChSimulation* s = ch_test_start(world, &options);
    ch_test_step(s);
    double d[2] = {cos(turn), -sin(turn)};
    double size = sqrt(mu[0] * mu[0] * d[0] * d[0] + mu[1] * mu[1] * d[1] * d[1]), a[2];
    for (int i = 0; i < 2; ++i) a[i] = -g * mu[i] * mu[i] * d[i] / size;
    ChVec3 v = ch_simulation_body_at(s, box).velocity;
    CHECK_NEAR((v.x - 3.0) / options.h, a[0] * cos(turn) - a[1] * sin(turn), 1e-3);
    CHECK_NEAR(v.y / options.h, a[0] * sin(turn) + a[1] * cos(turn), 1e-3);
    ch_simulation_destroy(s);
  }
}

// Restitution is for contacts that close within the step, not for those within the margin.
static void a_ball_bounces_where_the_wall_is(void** state) {
  (void)state;
  for (int law = 0; law < 2; ++law) {
    ChWorld* world = ch_test_world(3, 0.0, 0.3, 0.5);
    ch_test_floor(world);
    int ball = ch_test_ball(world, ch_vec(0.0, 0.0, 0.1 + 0.0095), 0.1, ch_vec(0.0, 0.0, -1.0));
    ChSimulationOptions options = ch_simulation_options_default();
    options.restitution = (ChRestitution)law;
    ChSimulation* s = ch_test_start(world, &options);
    for (int k = 0; k < 9; ++k) {
      assert_int_equal(ch_test_step(s).impacts, 0);
      CHECK_NEAR(ch_simulation_body_at(s, ball).velocity.z, -1.0, 1e-12);
    }
    ChStepInfo info = ch_test_step(s);
    assert_int_equal(info.impacts, 1);
    CHECK_NEAR(ch_simulation_body_at(s, ball).velocity.z, 0.5, 1e-12);
    assert_true(info.gain == 0.0);
    ch_simulation_destroy(s);
  }
}

// A ball in free flight beside a shock, and a chain that hangs elsewhere, do not notice it.
static void a_shock_leaves_other_islands_alone(void** state) {
  (void)state;
  ChVec3 end[2];
  for (int k = 0; k < 2; ++k) {
    ChWorld* world = ch_test_world(3, g, 0.3, 0.9);
    ch_test_floor(world);
    int bob = ch_test_point(world, ch_vec(3.0, 0.0, 2.0), ch_vec(0.0, 1.0, 0.0), 1.0);
    ChJointDef rod = ch_joint_def_default();
    rod.type = CH_JOINT_DISTANCE;
    rod.body[0] = CH_GROUND;
    rod.body[1] = ch_body_id(bob);
    rod.at = ch_vec(3.0, 0.0, 3.0);
    rod.second_at = ch_vec(3.0, 0.0, 2.0);
    ch_test_joint(world, &rod);
    if (k == 1) ch_test_ball(world, ch_vec(0.0, 0.0, 0.2), 0.1, ch_vec(0.0, 0.0, 0.0));
    ChSimulationOptions options = ch_simulation_options_default();
    ChSimulation* s = ch_test_start(world, &options);
    ch_test_run(s, 0.5);
    end[k] = ch_simulation_body_at(s, bob).position;
    ch_simulation_destroy(s);
  }
  assert_memory_equal(&end[0], &end[1], sizeof end[0]);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(free_spin_keeps_energy_and_momentum),
                                     cmocka_unit_test(bouncing_ball_loses_e_squared_each_time),
                                     cmocka_unit_test(sliding_ball_rolls_at_five_sevenths),
                                     cmocka_unit_test(newtons_cradle_touching_and_a_hair_apart),
                                     cmocka_unit_test(spinning_disc_stops_when_it_should),
                                     cmocka_unit_test(I49_painleve_rod_jams_above_its_critical_friction),
                                     cmocka_unit_test(one_triangle_of_cards_stands_just_above_its_threshold),
                                     cmocka_unit_test(four_legged_table_carries_its_weight),
                                     cmocka_unit_test(I29_contacts_conserve_linear_and_angular_momentum),
                                     cmocka_unit_test(elliptic_friction_turns_with_the_body),
                                     cmocka_unit_test(a_ball_bounces_where_the_wall_is),
                                     cmocka_unit_test(a_shock_leaves_other_islands_alone)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
