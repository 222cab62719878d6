// Facts about joints and forces: gradients and derivatives agree with differences, limits and motors say what they
// should, springs follow from their potential.
#include <stdio.h>
#include <string.h>

#include "model/def_check.h"
#include "model/forces.h"
#include "model/joints/joint_kind.h"
#include "support/near.h"
#include "support/random.h"

static const double PI = 3.141592653589793;

// ---------------------------------------------------------------------------------------------------------- worlds

static ChVec3 random_vector(ChRandom* random, int dimension, double size) {
  double x = ch_random_uniform(random, -size, size), y = ch_random_uniform(random, -size, size);
  return ch_vec(x, y, dimension == 3 ? ch_random_uniform(random, -size, size) : 0.0);
}

static ChVec3 random_turn(ChRandom* random, int dimension, double size) {
  ChVec3 v = random_vector(random, 3, size);
  return dimension == 3 ? v : ch_vec(0.0, 0.0, v.z);
}

// Two bodies anywhere, of no shape, with inertia, and centres of mass away from their origins.
static ChWorld* two_bodies(int dimension, ChRandom* random) {
  ChContext context = {0};
  ChWorld* world = NULL;
  CHECK_OK(context, ch_world_create(&context, dimension, &world));
  for (int k = 0; k < 2; ++k) {
    ChBodyDef def = ch_body_def_default();
    def.mass = 2.0 + k;
    def.centre = random_vector(random, dimension, 0.3);
    def.inertia[2] = 0.9;
    if (dimension == 3) {
      def.inertia[0] = 0.7, def.inertia[1] = 0.8;
      def.orientation = ch_quat_exp(random_vector(random, 3, 2.0));
    } else {
      def.angle = ch_random_uniform(random, -3.0, 3.0);
    }
    def.position = random_vector(random, dimension, 1.0);
    CHECK_OK(context, ch_world_add_body(&context, world, &def, NULL));
  }
  return world;
}

// Any definition that the type accepts: directions that it reads are perpendicular to each other.
static ChJointDef joint_def(int dimension, ChJointType type, ChRandom* random) {
  const ChJointInfo* info = ch_joint_info(type);
  ChJointDef def = ch_joint_def_default();
  ChVec3 direction[2], third;
  direction[0] = ch_unit(random_vector(random, dimension, 1.0));
  ch_tangents(direction[0], &direction[1], &third);
  def.type = type;
  def.body[0] = ch_body_id(0), def.body[1] = ch_body_id(1);
  for (int k = 0, directions = 0; k < info->field_count; ++k) {
    const ChDefField* field = &info->fields[k];
    void* member = (char*)&def + field->offset;
    if (!ch_def_field_fits(field, dimension)) continue;
    if (field->kind == CH_DEF_VECTOR) *(ChVec3*)member = random_vector(random, dimension, k == 0 ? 0.5 : 2.0);
    if (field->kind == CH_DEF_DIRECTION) *(ChVec3*)member = direction[directions++];
    if (field->kind == CH_DEF_NUMBER || (field->kind == CH_DEF_SIZE && field->flags & CH_DEF_REQUIRED))
      *(double*)member = ch_random_uniform(random, 0.1, 0.4);
  }
  return def;
}

static double start_of(const ChJointDef* def) {
  const ChJointKind* kind = ch_joint_kind(def->type);
  return kind->start ? kind->start(def) : 0.0;
}

static ChWorld* world_with(int dimension, const ChJointDef* def, ChRandom* random) {
  ChContext context = {0};
  ChWorld* world = two_bodies(dimension, random);
  CHECK_OK(context, ch_world_add_joint(&context, world, def, NULL));
  CHECK_OK(context, ch_world_seal(&context, world));
  return world;
}

// The states after moving for a time h with the velocities that they have.
static void drift(const ChBodyState from[2], double h, ChBodyState to[2]) {
  for (int k = 0; k < 2; ++k) {
    to[k] = from[k];
    to[k].position = ch_along(from[k].position, h, from[k].velocity);
    to[k].orientation = ch_quat_unit(ch_quat_product(from[k].orientation, ch_quat_exp(ch_scale(h, from[k].omega))));
    to[k].angle = from[k].angle + h * from[k].omega.z;
  }
}

static void random_states(const ChWorld* world, ChRandom* random, double away, ChBodyState states[2]) {
  memcpy(states, world->states, 2 * sizeof *states);
  for (int k = 0; k < 2; ++k) {
    states[k].velocity = random_vector(random, world->dimension, away);
    states[k].omega = random_turn(random, world->dimension, away);
  }
  drift(states, 1.0, states);
  for (int k = 0; k < 2; ++k) {
    states[k].velocity = random_vector(random, world->dimension, 1.0);
    states[k].omega = random_turn(random, world->dimension, 1.0);
  }
}

static double row_speed(const ChRow* row, const ChBodyState states[2]) {
  double sum = 0.0;
  for (int k = 0; k < 2; ++k)
    sum += ch_dot(row->force[k], states[k].velocity) + ch_dot(row->torque[k], states[k].omega);
  return sum;
}

// ---------------------------------------------------------------------------------------------------------- joints

// The largest difference between rows' speeds and central differences of their values, at step h.
static double gradient_error(const ChWorld* world, const ChBodyState states[2], double t, double h) {
  ChJointRow now[CH_JOINT_ROWS_MAX], before[CH_JOINT_ROWS_MAX], after[CH_JOINT_ROWS_MAX];
  ChBodyState back[2], ahead[2];
  drift(states, -h, back);
  drift(states, h, ahead);
  int count = ch_joint_rows(world, world->joints, states, t, now);
  assert_int_equal(ch_joint_rows(world, world->joints, back, t - h, before), count);
  assert_int_equal(ch_joint_rows(world, world->joints, ahead, t + h, after), count);
  double worst = 0.0;
  for (int k = 0; k < count; ++k) {
    bool compares = now[k].kind != CH_ROW_FRICTION && !(now[k].kind == CH_ROW_MOTOR && now[k].value == 0.0);
    if (!compares) continue;
    double rate = now[k].kind == CH_ROW_MOTOR ? -now[k].rate : now[k].rate;  // value is coordinate - target
    double error = fabs((after[k].value - before[k].value) / (2.0 * h) - row_speed(&now[k].row, states) - rate);
    if (!(error <= worst)) worst = error;
  }
  return worst;
}

// Exact gradients: central differences agree to second order in h, wherever the bodies are.
static void A7_gradients_are_exact_in_every_joint(void** state) {
  (void)state;
  ChRandom random = ch_random_seeded(4);
  for (int dimension = 2; dimension <= 3; ++dimension)
    for (int type = 0; type < CH_JOINT_TYPE_COUNT; ++type)
      for (int trial = 0; trial < 20; ++trial) {
        if (dimension == 2 && !ch_joint_info((ChJointType)type)->plane) continue;
        ChJointDef def = joint_def(dimension, (ChJointType)type, &random);
        double start = start_of(&def);
        for (int k = 0; k < ch_joint_freedoms(def.type); ++k) {
          ChJointAxis* axis = &def.axes[k];
          axis->limited = trial % 3 != 0, axis->lower = start - 3.0, axis->upper = start + 3.0;
          axis->drive = trial % 3 == 0 ? CH_DRIVE_PRESCRIBED : CH_DRIVE_POSITION;
          axis->target = (ChSignal){.base = start, .rate = 0.3, .amplitude = 0.2, .frequency = 0.4};
        }
        if (trial % 5 == 0) memset(def.axes, 0, sizeof def.axes);
        ChWorld* world = world_with(dimension, &def, &random);
        ChBodyState states[2];
        random_states(world, &random, trial % 2 ? 0.4 : 0.0, states);
        double coarse = gradient_error(world, states, 0.7, 2e-3), fine = gradient_error(world, states, 0.7, 1e-3);
        CHECK_AT_MOST(fine, 3e-5);
        CHECK_AT_MOST(fine, coarse / 3.5 + 1e-9);  // second order: a quarter
        ch_world_destroy(world);
      }
}

// The rows that are equalities vanish at the start, and there are as many as freedoms are taken away.
static void joints_start_satisfied_and_take_their_freedoms(void** state) {
  (void)state;
  static const int taken[2][9] = {{3, 0, 2, 2, 0, 0, 0, 1, 1}, {6, 3, 5, 5, 4, 4, 3, 1, 2}};
  ChRandom random = ch_random_seeded(5);
  for (int dimension = 2; dimension <= 3; ++dimension)
    for (int type = 0; type < 9; ++type) {
      if (taken[dimension - 2][type] == 0) continue;
      ChJointDef def = joint_def(dimension, (ChJointType)type, &random);
      ChWorld* world = world_with(dimension, &def, &random);
      ChJointRow rows[CH_JOINT_ROWS_MAX];
      int count = ch_joint_rows(world, world->joints, world->states, 0.0, rows);
      assert_int_equal(count, taken[dimension - 2][type]);
      for (int k = 0; k < count; ++k) {
        assert_int_equal(rows[k].kind, CH_ROW_EQUAL);
        CHECK_AT_MOST(fabs(rows[k].value), 1e-14);
      }
      assert_int_equal(world->ignored_count, 1);
      ch_world_destroy(world);
    }
}

// Rows as vectors of dof entries; how many of them are independent.
static int independent(int count, const ChJointRow* rows) {
  double basis[CH_JOINT_ROWS_MAX][12];
  int rank = 0;
  for (int k = 0; k < count; ++k) {
    double* x = basis[rank];
    memcpy(x, &rows[k].row, sizeof basis[rank]);
    for (int b = 0; b < rank; ++b) {
      double along = 0.0;
      for (int a = 0; a < 12; ++a) along += x[a] * basis[b][a];
      for (int a = 0; a < 12; ++a) x[a] -= along * basis[b][a];
    }
    double norm = 0.0;
    for (int a = 0; a < 12; ++a) norm += x[a] * x[a];
    for (int a = 0; a < 12; ++a) x[a] /= sqrt(norm);
    rank += norm > 1e-12;
  }
  return rank;
}

// For every type: its rows vanish at the start, and they are independent, also of its freedoms where these are driven.
// No two types have one name, and a definition is refused where a direction that it reads is zero.
static void every_type_has_independent_rows_that_start_satisfied(void** state) {
  (void)state;
  ChRandom random = ch_random_seeded(15);
  for (int type = 0; type < CH_JOINT_TYPE_COUNT; ++type) {
    const ChJointInfo* info = ch_joint_info((ChJointType)type);
    assert_true(info->name && info->summary && info->freedoms >= 0 && info->freedoms <= 3);
    for (int other = 0; other < type; ++other)
      assert_string_not_equal(info->name, ch_joint_info((ChJointType)other)->name);
    for (int trial = 0; trial < 20; ++trial) {
      int dimension = trial % 2 == 0 && info->plane ? 2 : 3;
      ChJointDef def = joint_def(dimension, (ChJointType)type, &random);
      for (int k = 0; k < info->freedoms && trial >= 10; ++k) {
        def.axes[k].drive = CH_DRIVE_PRESCRIBED;
        def.axes[k].target.base = start_of(&def);
      }
      ChWorld* world = world_with(dimension, &def, &random);
      ChJointRow rows[CH_JOINT_ROWS_MAX];
      int count = ch_joint_rows(world, world->joints, world->states, 0.0, rows);
      for (int k = 0; k < count; ++k) CHECK_AT_MOST(fabs(rows[k].value), 1e-13);
      assert_int_equal(independent(count, rows), count);
      assert_in_range(count, trial >= 10 ? info->freedoms : 0, dimension == 2 ? 3 : 6);
      ch_world_destroy(world);
    }
    ChJointDef wrong = joint_def(3, (ChJointType)type, &random);
    ChWorld* world = two_bodies(3, &random);
    if (ch_joint_reads(info, offsetof(ChJointDef, axis))) {
      wrong.axis = ch_vec(0.0, 0.0, 0.0);
      assert_int_equal(ch_world_add_joint(NULL, world, &wrong, NULL), CH_ERR_RANGE);
    }
    ch_world_destroy(world);
  }
  assert_null(ch_joint_info(CH_JOINT_TYPE_COUNT));
  assert_null(ch_joint_info((ChJointType)-1));
}

static void joints_of_space_are_refused_in_the_plane(void** state) {
  (void)state;
  ChRandom random = ch_random_seeded(6);
  ChWorld* world = two_bodies(2, &random);
  for (int type = 0; type < CH_JOINT_TYPE_COUNT; ++type) {
    if (ch_joint_info((ChJointType)type)->plane) continue;
    ChContext context = {0};
    ChJointDef def = ch_joint_def_default();
    def.type = (ChJointType)type, def.body[1] = ch_body_id(1);
    assert_int_equal(ch_world_add_joint(&context, world, &def, NULL), CH_ERR_UNSUPPORTED);
    assert_non_null(strstr(context.message, "plane"));
  }
  assert_int_equal(world->joint_count, 0);
  ch_world_destroy(world);
}

// A hinge on the ground about z, whose body is then turned by an angle.
static ChWorld* hinged(ChJointAxis axis) {
  ChRandom random = ch_random_seeded(7);
  ChJointDef def = ch_joint_def_default();
  def.type = CH_JOINT_HINGE;
  def.body[0] = CH_GROUND, def.body[1] = ch_body_id(0);
  def.axes[0] = axis;
  return world_with(3, &def, &random);
}

static void turn_by(const ChWorld* world, double angle, ChBodyState states[2]) {
  memcpy(states, world->states, 2 * sizeof *states);
  ChQuat turn = ch_quat_about(ch_axis(2), angle);
  states[0].orientation = ch_quat_product(turn, world->states[0].orientation);
  states[0].position = ch_rotate(turn, world->states[0].position);
}

static void limits_of_a_hinge_hold_beyond_half_a_turn(void** state) {
  (void)state;
  ChWorld* world = hinged((ChJointAxis){.limited = true, .lower = -0.1, .upper = 1.9 * PI});
  ChBodyState states[2];
  for (double angle = -0.05; angle < 1.95 * PI; angle += 0.1) {
    turn_by(world, angle, states);
    ChJointRow rows[CH_JOINT_ROWS_MAX];
    assert_int_equal(ch_joint_rows(world, world->joints, states, 0.0, rows), 7);
    CHECK_NEAR(rows[5].value, angle + 0.1, 1e-12);
    CHECK_NEAR(rows[6].value, 1.9 * PI - angle, 1e-12);
    assert_int_equal(rows[5].kind, CH_ROW_LOWER);
    assert_int_equal(rows[6].kind, CH_ROW_UPPER);
    CHECK_NEAR(row_speed(&rows[5].row, states), -row_speed(&rows[6].row, states), 1e-15);
    CHECK_NEAR(ch_joint_coordinate(world, world->joints, states, 0), angle, 1e-12);
  }
  ch_world_destroy(world);
}

static void a_position_motor_follows_a_target_through_many_turns(void** state) {
  (void)state;
  ChWorld* world = hinged((ChJointAxis){.drive = CH_DRIVE_POSITION, .target = {.rate = 2.0}, .strength = 5.0});
  ChBodyState states[2];
  for (double t = 0.0; t < 20.0; t += 0.37) {
    turn_by(world, 2.0 * t + 0.25, states);
    ChJointRow rows[CH_JOINT_ROWS_MAX];
    assert_int_equal(ch_joint_rows(world, world->joints, states, t, rows), 6);
    assert_int_equal(rows[5].kind, CH_ROW_MOTOR);
    CHECK_NEAR(rows[5].value, 0.25, 1e-12);
    CHECK_NEAR(rows[5].rate, 2.0, 0.0);
    CHECK_NEAR(rows[5].strength, 5.0, 0.0);
  }
  ch_world_destroy(world);
}

static void motors_friction_and_limits_come_in_their_order(void** state) {
  (void)state;
  ChRandom random = ch_random_seeded(8);
  ChJointDef def = joint_def(3, CH_JOINT_CYLINDRICAL, &random);
  def.axes[0] = (ChJointAxis){.limited = true, .lower = -INFINITY, .upper = 0.5, .friction = 3.0};
  def.axes[1] = (ChJointAxis){.drive = CH_DRIVE_VELOCITY, .target = {.base = 4.0}};
  ChWorld* world = world_with(3, &def, &random);
  ChJointRow rows[CH_JOINT_ROWS_MAX];
  assert_int_equal(ch_joint_rows(world, world->joints, world->states, 0.0, rows), 7);
  assert_int_equal(rows[4].kind, CH_ROW_UPPER);
  CHECK_NEAR(rows[4].value, 0.5, 1e-15);
  assert_int_equal(rows[5].kind, CH_ROW_FRICTION);
  CHECK_NEAR(rows[5].strength, 3.0, 0.0);
  assert_int_equal(rows[6].kind, CH_ROW_MOTOR);
  CHECK_NEAR(rows[6].rate, 4.0, 0.0);
  assert_true(isinf(rows[6].strength));
  assert_int_equal(rows[6].axis, 1);
  ch_world_destroy(world);
}

// A distance that is limited is a rope: no equality is left.
static void a_limited_distance_is_a_rope(void** state) {
  (void)state;
  ChRandom random = ch_random_seeded(9);
  ChJointDef def = joint_def(3, CH_JOINT_DISTANCE, &random);
  double apart = ch_norm(ch_sub(def.second_at, def.at));
  def.axes[0] = (ChJointAxis){.limited = true, .lower = -INFINITY, .upper = apart + 0.25};
  ChWorld* world = world_with(3, &def, &random);
  ChJointRow rows[CH_JOINT_ROWS_MAX];
  assert_int_equal(ch_joint_rows(world, world->joints, world->states, 0.0, rows), 1);
  assert_int_equal(rows[0].kind, CH_ROW_UPPER);
  CHECK_NEAR(rows[0].value, 0.25, 1e-14);
  ch_world_destroy(world);
}

static void the_angle_of_a_plane_hinge_counts_turns(void** state) {
  (void)state;
  ChRandom random = ch_random_seeded(10);
  ChJointDef def = joint_def(2, CH_JOINT_HINGE, &random);
  ChWorld* world = world_with(2, &def, &random);
  ChBodyState states[2];
  memcpy(states, world->states, sizeof states);
  states[1].angle += 17.0;
  CHECK_NEAR(ch_joint_coordinate(world, world->joints, states, 0), 17.0, 1e-14);
  ch_world_destroy(world);
}

static void wrong_joints_are_refused_with_a_reason(void** state) {
  (void)state;
  ChRandom random = ch_random_seeded(11);
  ChWorld* world = two_bodies(3, &random);
  ChJointDef good = joint_def(3, CH_JOINT_HINGE, &random);
  for (int k = 0; k < 9; ++k) {
    static const char* const words[] = {"no body 7", "both ends", "axis is zero",  "limits are",   "do not contain",
                                        "2 pi",      "axes[1]",   "starts at 0.5", "perpendicular"};
    ChJointDef def = good;
    ChContext context = {0};
    if (k == 0) def.body[1] = ch_body_id(7);
    if (k == 1) def.body[1] = ch_body_id(0);
    if (k == 2) def.axis = ch_vec(0, 0, 0);
    if (k == 3) def.axes[0] = (ChJointAxis){.limited = true, .lower = 1.0, .upper = NAN};
    if (k == 4) def.axes[0] = (ChJointAxis){.limited = true, .lower = 1.0, .upper = 2.0};
    if (k == 5) def.axes[0] = (ChJointAxis){.limited = true, .lower = -4.0, .upper = 4.0};
    if (k == 6) def.axes[1].friction = 1.0;
    if (k == 7) def.axes[0] = (ChJointAxis){.drive = CH_DRIVE_PRESCRIBED, .target = {.base = 0.5}};
    if (k == 8) def.type = CH_JOINT_UNIVERSAL, def.second_axis = def.axis;
    assert_true(ch_world_add_joint(&context, world, &def, NULL) != CH_OK);
    if (!strstr(context.message, words[k])) fail_msg("'%s' does not say '%s'", context.message, words[k]);
  }
  assert_int_equal(world->joint_count, 0);
  ch_world_destroy(world);
}

// ---------------------------------------------------------------------------------------------------------- forces

static ChWorld* world_with_force(int dimension, ChForceDef* def, ChRandom* random) {
  ChContext context = {0};
  ChWorld* world = two_bodies(dimension, random);
  CHECK_OK(context, ch_world_add_force(&context, world, def, NULL));
  CHECK_OK(context, ch_world_seal(&context, world));
  return world;
}

static ChForceDef random_force(int dimension, ChForceType type, int trial, ChRandom* random) {
  ChForceDef def = ch_force_def_default();
  def.type = type;
  def.body[0] = trial % 4 == 1 ? CH_GROUND : ch_body_id(0);
  def.body[1] = trial % 4 == 2 ? CH_GROUND : ch_body_id(1);
  if (type == CH_FORCE_WRENCH || type == CH_FORCE_DRAG) def.body[0] = ch_body_id(0);
  for (int k = 0; k < 2; ++k) def.at[k] = random_vector(random, dimension, 0.6);
  def.axis = random_vector(random, 3, 1.0);
  def.stiffness = 20.0, def.cubic = 7.0, def.damping = trial % 2 ? 3.0 : 0.0;
  if (trial % 3 == 0) def.length_as_is = false, def.length = 0.4;
  for (int k = 0; k < dimension; ++k) def.force[k] = (ChSignal){.base = 1.0 + k, .rate = 0.5};
  for (int k = dimension == 3 ? 0 : 2; k < 3; ++k) def.torque[k] = (ChSignal){.base = 0.5 - k};
  def.follows = trial % 2;
  def.linear = 0.7, def.quadratic = 0.3, def.angular = 0.2;
  return def;
}

// Velocity component c of body b as a pointer.
static double* component(ChBodyState* s, int width, int c) {
  double* all[6] = {&s->velocity.x, &s->velocity.y, &s->velocity.z, &s->omega.x, &s->omega.y, &s->omega.z};
  static const int plane[3] = {0, 1, 5};
  return all[width == 6 ? c : plane[c]];
}

// k after body b is displaced by h along its freedom c (position = true), or its velocity is.
static void shifted_forces(const ChWorld* world, const ChBodyState states[2], int b, int c, double h, bool position,
                           double* k) {
  int width = ch_world_width(world);
  ChBodyState moved[2], step[2];
  memcpy(moved, states, sizeof moved);
  if (position) {
    memcpy(step, states, sizeof step);
    for (int j = 0; j < 2; ++j) step[j].velocity = step[j].omega = ch_vec(0, 0, 0);
    *component(&step[b], width, c) = 1.0;
    drift(step, h, step);
    for (int j = 0; j < 2; ++j)
      moved[j].position = step[j].position, moved[j].orientation = step[j].orientation, moved[j].angle = step[j].angle;
  } else {
    *component(&moved[b], width, c) += h;
  }
  ch_forces_evaluate(world, moved, 0.3, k);
}

static void forces_have_exact_derivatives(void** state) {
  (void)state;
  ChRandom random = ch_random_seeded(12);
  for (int dimension = 2; dimension <= 3; ++dimension)
    for (int type = CH_FORCE_SPRING; type <= CH_FORCE_DRAG; ++type)
      for (int trial = 0; trial < 24; ++trial) {
        ChForceDef def = random_force(dimension, (ChForceType)type, trial, &random);
        ChWorld* world = world_with_force(dimension, &def, &random);
        int width = ch_world_width(world);
        ChBodyState states[2];
        random_states(world, &random, 0.5, states);
        ChForceCoupling coupling;
        bool some = ch_force_derivatives(world, 0, states, 0.3, &coupling);
        assert_true(some || type == CH_FORCE_WRENCH);
        double ahead[12], back[12], h = 1e-5;
        for (int j = 0; j < 2 && some; ++j)
          for (int c = 0; c < width && coupling.body[j] >= 0; ++c)
            for (int position = 0; position < 2; ++position) {
              shifted_forces(world, states, coupling.body[j], c, h, position, ahead);
              shifted_forces(world, states, coupling.body[j], c, -h, position, back);
              for (int i = 0; i < 2; ++i)
                for (int a = 0; a < width && coupling.body[i] >= 0; ++a) {
                  const double* exact = position ? coupling.dkdq[i][j] : coupling.dkdv[i][j];
                  int at = width * coupling.body[i] + a;
                  CHECK_NEAR(exact[width * a + c], (ahead[at] - back[at]) / (2.0 * h), 2e-7);
                }
            }
        ch_world_destroy(world);
      }
}

// k . v = - dV/dt along any motion: force and potential belong together.
static void springs_do_the_work_that_their_potential_says(void** state) {
  (void)state;
  ChRandom random = ch_random_seeded(13);
  for (int trial = 0; trial < 40; ++trial) {
    int dimension = 2 + trial % 2;
    ChForceDef def = random_force(dimension, trial / 2 % 2 ? CH_FORCE_SPRING : CH_FORCE_TORSION, trial, &random);
    def.damping = 0.0;
    ChWorld* world = world_with_force(dimension, &def, &random);
    world->gravity[1].base = -9.81;
    ChBodyState states[2], ahead[2], back[2];
    random_states(world, &random, 0.5, states);
    double k[12], power = 0.0, h = 1e-5;
    ch_forces_evaluate(world, states, 0.0, k);
    int width = ch_world_width(world);
    for (int b = 0; b < 2; ++b)
      for (int c = 0; c < width; ++c) power += k[width * b + c] * *component(&states[b], width, c);
    drift(states, h, ahead);
    drift(states, -h, back);
    double rate = (ch_forces_potential(world, ahead, 0.0) - ch_forces_potential(world, back, 0.0)) / (2.0 * h);
    CHECK_NEAR(power, -rate, 1e-7);
    ch_world_destroy(world);
  }
}

// x' A x of the coupling as one matrix over both bodies
static double quadratic(const ChForceCoupling* f, int width, double (*part)[2][36], const double* x) {
  double sum = 0.0;
  for (int i = 0; i < 2; ++i)
    for (int j = 0; j < 2; ++j)
      for (int a = 0; a < width * width && f->body[i] >= 0 && f->body[j] >= 0; ++a)
        sum += x[width * i + a / width] * part[i][j][a] * x[width * j + a % width];
  return sum;
}

static void the_implicit_part_is_symmetric_and_never_drives(void** state) {
  (void)state;
  ChRandom random = ch_random_seeded(14);
  for (int trial = 0; trial < 200; ++trial) {
    int dimension = 2 + trial % 2;
    ChForceDef def = random_force(dimension, (ChForceType)(trial / 2 % 4), trial, &random);
    ChWorld* world = world_with_force(dimension, &def, &random);
    int width = ch_world_width(world);
    ChBodyState states[2];
    random_states(world, &random, 2.0, states);
    ChForceCoupling f;
    if (ch_force_implicit(world, 0, states, 0.3, &f)) {
      for (int i = 0; i < 2; ++i)
        for (int j = 0; j < 2; ++j)
          for (int a = 0; a < width * width; ++a) {
            int t = a % width * width + a / width;
            CHECK_NEAR(f.dkdq[i][j][a], f.dkdq[j][i][t], 1e-10);
            CHECK_NEAR(f.dkdv[i][j][a], f.dkdv[j][i][t], 1e-10);
          }
      for (int k = 0; k < 20; ++k) {
        double x[12];
        for (int a = 0; a < 12; ++a) x[a] = ch_random_uniform(&random, -1.0, 1.0);
        CHECK_AT_MOST(quadratic(&f, width, f.dkdq, x), 1e-9);
        CHECK_AT_MOST(quadratic(&f, width, f.dkdv, x), 1e-9);
      }
    } else {
      assert_int_equal(def.type, CH_FORCE_WRENCH);
    }
    ch_world_destroy(world);
  }
}

// Ends that coincide: no force, no NaN, and a spring without rest length still has its stiffness.
static void a_spring_of_no_length_is_safe(void** state) {
  (void)state;
  ChRandom random = ch_random_seeded(15);
  ChForceDef def = ch_force_def_default();
  def.body[0] = ch_body_id(0), def.body[1] = CH_GROUND;
  def.stiffness = 5.0, def.damping = 1.0;
  for (int rest = 0; rest < 2; ++rest) {
    ChWorld* world = two_bodies(3, &random);
    ChContext context = {0};
    def.at[1] = world->states[0].position;
    def.length_as_is = false, def.length = rest;
    CHECK_OK(context, ch_world_add_force(&context, world, &def, NULL));
    CHECK_OK(context, ch_world_seal(&context, world));
    double k[12];
    ch_forces_evaluate(world, world->states, 0.0, k);
    ChForceCoupling f;
    assert_true(ch_force_derivatives(world, 0, world->states, 0.0, &f));
    for (int a = 0; a < 12; ++a) CHECK_AT_MOST(fabs(k[a]), rest ? 0.0 : 1e-14);
    for (int a = 0; a < 36; ++a) assert_true(isfinite(f.dkdq[0][0][a]) && isfinite(f.dkdv[0][0][a]));
    if (rest == 0) CHECK_NEAR(f.dkdq[0][0][0], -5.0, 1e-12);
    ch_world_destroy(world);
  }
}

// A driven hinge turns the two bodies against each other with its torque and does its power.
static void a_torque_on_a_hinge_is_a_pair(void** state) {
  (void)state;
  ChRandom random = ch_random_seeded(16);
  ChJointDef def = joint_def(3, CH_JOINT_HINGE, &random);
  def.axes[0] = (ChJointAxis){.drive = CH_DRIVE_FORCE, .target = {.base = 3.0}};
  ChWorld* world = world_with(3, &def, &random);
  double k[12];
  ch_forces_evaluate(world, world->states, 0.0, k);
  ChVec3 on[2];
  for (int b = 0; b < 2; ++b)
    on[b] = ch_rotate(world->states[b].orientation, ch_vec(k[6 * b + 3], k[6 * b + 4], k[6 * b + 5]));
  CHECK_AT_MOST(ch_norm(ch_add(on[0], on[1])), 1e-14);
  CHECK_AT_MOST(ch_norm(ch_sub(on[1], ch_scale(3.0, def.axis))), 1e-14);
  ChJointRow rows[CH_JOINT_ROWS_MAX];
  assert_int_equal(ch_joint_rows(world, world->joints, world->states, 0.0, rows), 5);  // a force is no row
  double applied[12];
  assert_true(ch_forces_applied(world, world->states, 0.0, applied));
  for (int a = 0; a < 12; ++a) CHECK_NEAR(applied[a], k[a], 0.0);
  ch_world_destroy(world);
}

static void gravity_is_weight_and_nothing_else(void** state) {
  (void)state;
  ChRandom random = ch_random_seeded(17);
  ChWorld* world = two_bodies(3, &random);
  ChContext context = {0};
  const double fall[4] = {0.0, 0.0, 1.0, -9.81};
  const ChSignal gravity[3] = {[2] = {.table_count = 2, .table = fall}};
  CHECK_OK(context, ch_world_set_gravity(&context, world, gravity));
  CHECK_OK(context, ch_world_seal(&context, world));
  double k[12], applied[12];
  ch_forces_evaluate(world, world->states, 0.5, k);
  for (int a = 0; a < 12; ++a) CHECK_NEAR(k[a], a == 2 ? -9.81 : a == 8 ? -1.5 * 9.81 : 0.0, 1e-14);
  assert_false(ch_forces_applied(world, world->states, 0.5, applied));
  ch_world_destroy(world);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(A7_gradients_are_exact_in_every_joint),
      cmocka_unit_test(joints_start_satisfied_and_take_their_freedoms),
      cmocka_unit_test(every_type_has_independent_rows_that_start_satisfied),
      cmocka_unit_test(joints_of_space_are_refused_in_the_plane),
      cmocka_unit_test(limits_of_a_hinge_hold_beyond_half_a_turn),
      cmocka_unit_test(a_position_motor_follows_a_target_through_many_turns),
      cmocka_unit_test(motors_friction_and_limits_come_in_their_order),
      cmocka_unit_test(a_limited_distance_is_a_rope),
      cmocka_unit_test(the_angle_of_a_plane_hinge_counts_turns),
      cmocka_unit_test(wrong_joints_are_refused_with_a_reason),
      cmocka_unit_test(forces_have_exact_derivatives),
      cmocka_unit_test(springs_do_the_work_that_their_potential_says),
      cmocka_unit_test(the_implicit_part_is_symmetric_and_never_drives),
      cmocka_unit_test(a_spring_of_no_length_is_safe),
      cmocka_unit_test(a_torque_on_a_hinge_is_a_pair),
      cmocka_unit_test(gravity_is_weight_and_nothing_else),
  };
  return cmocka_run_group_tests_name("joints and forces", tests, NULL, NULL);
}
