// Facts about the look-ahead of deformable bodies: what is left out before it is looked for is what could not have been
// listed.
#include "support/soft_rig.h"

enum { MOST = 40000 };
static ChGap all[MOST];

static const double MARGIN = 0.02, AHEAD = 0.03;

// How fast a body's point comes along the normal, or goes, and how fast its modes swing there.
static double speed_of(SoftKit* kit, const ChSkin* skins, const ChGap* g, int side, double* swing) {
  int body = g->body[side];
  const ChBodyState* s = &kit->world->states[body];
  ChFrame frame = ch_state_frame(kit->world->states, body);
  ChVec3 local = ch_frame_local(frame, g->point), normal = ch_rotate_back(s->orientation, g->normal);
  if (g->skin[side] != -1)
    *swing += fabs(ch_dot(normal, ch_skin_displacement(&skins[body], g->skin[side], local, rates_of(kit, body))));
  return ch_dot(g->normal, s->velocity) + ch_dot(normal, ch_cross(s->omega, local));
}

static double closes_by(SoftKit* kit, const ChSkin* skins, const ChGap* g) {
  double swing = 0.0;
  double rate = speed_of(kit, skins, g, 0, &swing) - speed_of(kit, skins, g, 1, &swing);
  return AHEAD * fmax(0.0, rate + swing);
}

static bool is_listed(const ChGap* g, int count, const ChGap* list) {
  for (int k = 0; k < count; ++k)
    if (list[k].key == g->key && list[k].shape[0] == g->shape[0] && list[k].shape[1] == g->shape[1])
      return fabs(list[k].gap - g->gap) < 1e-9;
  return false;
}

static void check_lists(SoftKit* kit, int* listed, int* left_out) {
  ChSkin skins[2];
  const ChWorld* world = kit->world;
  for (int b = 0; b < 2; ++b) {
    if (!world->bodies[b].soft) continue;
    ch_skin_init(kit->arena, ch_skin_tree_create(kit->arena, world->bodies[b].soft), &skins[b]);
    ch_skin_move(&skins[b], modes_of(kit, b), rates_of(kit, b), 0.0);
  }
  collide_soft(kit, 1.0, 0.0);
  int count = kit->count;
  CHECK_AT_MOST(count, MOST);
  memcpy(all, kit->gaps, (size_t)count * sizeof *all);
  collide_soft(kit, MARGIN, AHEAD);
  for (int k = 0; k < count; ++k) {
    double spare = MARGIN + closes_by(kit, skins, &all[k]) - all[k].gap;
    if (spare > 1e-9) assert_true(is_listed(&all[k], kit->count, kit->gaps));
    *left_out += spare < 0.0;
  }
  for (int k = 0; k < kit->count; ++k) {
    assert_true(is_listed(&kit->gaps[k], count, all));
    double closes = kit->gaps[k].gap <= MARGIN ? 0.0 : closes_by(kit, skins, &kit->gaps[k]);
    CHECK_NEAR(kit->gaps[k].closes, closes, 1e-9);
    CHECK_AT_MOST(kit->gaps[k].gap, MARGIN + closes);
  }
  *listed += kit->count;
}

static void fling(SoftKit* kit, int body, double speed) {
  ChBodyState* s = &kit->world->states[body];
  if (kit->world->bodies[body].kind != CH_BODY_DYNAMIC) return;
  s->velocity = soft_random(&kit->random, speed);
  s->omega = soft_random(&kit->random, speed);
  if (!kit->world->bodies[body].soft) return;
  for (int a = 0; a < kit->world->bodies[body].soft->modes; ++a)
    rates_of(kit, body)[a] = ch_random_uniform(&kit->random, -0.3, 0.3) * speed;
}

static void B25_what_closes_in_time_is_what_all_points_say(void** state) {
  SoftKit* kit = *state;
  const int others[] = {CH_SHAPE_SOFT,     CH_SHAPE_SPHERE,    CH_SHAPE_BOX, CH_SHAPE_CAPSULE,
                        CH_SHAPE_CYLINDER, CH_SHAPE_ELLIPSOID, CH_SHAPE_HULL};
  for (int k = 0; k < 7; ++k) {
    int listed = 0, left_out = 0;
    for (int trial = 0; trial < 20; ++trial) {
      clear_soft_kit(kit);
      const ChSoft* box = soft_box(kit, (const int[3]){7, 5, 4}, ch_vec(0.4, 0.3, 0.2), 4);
      add_soft(kit, box, ch_vec(0.0, 0.0, 0.0));
      if (others[k] == CH_SHAPE_SOFT)
        add_soft(kit, box, ch_vec(0.0, 0.0, 0.0));
      else
        add_rigid(kit, others[k], trial % 2 ? CH_BODY_FIXED : CH_BODY_DYNAMIC);
      seal_soft(kit);
      kit->world->states[0].position = ch_scale(0.4 + 0.02 * trial, ch_unit(soft_random(&kit->random, 1.0)));
      for (int b = 0; b < 2; ++b) {
        fling(kit, b, trial % 3);
        kit->world->states[b].orientation = ch_quat_exp(soft_random(&kit->random, 3.0));
        if (kit->world->bodies[b].soft) bend(kit, b, 0.2);
      }
      check_lists(kit, &listed, &left_out);
    }
    CHECK_AT_MOST(100, listed);
    CHECK_AT_MOST(1000, left_out);
  }
}

static const double STEP = 0.004, NEAR = 0.005;

// One step of a motion with velocities that change a little: nothing that is kept from earlier may count on them.
static void go_on(SoftKit* kit, int body) {
  ChBodyState* s = &kit->world->states[body];
  if (kit->world->bodies[body].kind != CH_BODY_DYNAMIC) return;
  s->velocity = ch_add(s->velocity, soft_random(&kit->random, 0.1));
  s->position = ch_along(s->position, STEP, s->velocity);
  s->orientation = ch_quat_product(s->orientation, ch_quat_exp(ch_scale(STEP, s->omega)));
  if (!kit->world->bodies[body].soft) return;
  for (int a = 0; a < kit->world->bodies[body].soft->modes; ++a) {
    modes_of(kit, body)[a] += STEP * rates_of(kit, body)[a];
    rates_of(kit, body)[a] -= 200.0 * STEP * modes_of(kit, body)[a];
  }
}

static void check_as_new(SoftKit* kit) {
  const ChGap* gaps;
  int count;
  ChCollider* fresh;
  ChCollideOptions options = {.margin = NEAR, .look_ahead = STEP};
  CHECK_OK(kit->context, ch_collider_create(&kit->context, kit->world, &fresh));
  CHECK_OK(kit->context, ch_collide(&kit->context, fresh, kit->world->states, &options, &gaps, &count));
  collide_soft(kit, NEAR, STEP);
  assert_int_equal(kit->count, count);
  for (int k = 0; k < count; ++k) assert_memory_equal(&kit->gaps[k], &gaps[k], sizeof *gaps);
  ch_collider_destroy(fresh);
}

static void E8_what_was_near_before_changes_no_list(void** state) {
  SoftKit* kit = *state;
  const int others[] = {CH_SHAPE_SOFT, CH_SHAPE_SPHERE, CH_SHAPE_BOX, CH_SHAPE_HULL, CH_SHAPE_CYLINDER, CH_SHAPE_MESH};
  for (int k = 0; k < 6 * 4; ++k) {
    int listed = 0, which = others[k / 4];
    clear_soft_kit(kit);
    const ChSoft* box = soft_box(kit, (const int[3]){7, 5, 4}, ch_vec(0.4, 0.3, 0.2), 4);
    add_soft(kit, box, ch_scale(0.6, ch_unit(soft_random(&kit->random, 1.0))));
    if (which == CH_SHAPE_SOFT)
      add_soft(kit, box, ch_vec(0.0, 0.0, 0.0));
    else
      add_rigid(kit, which, k % 2 ? CH_BODY_FIXED : CH_BODY_DYNAMIC);
    ch_test_floor(kit->world);
    seal_soft(kit);
    for (int b = 0; b < 2; ++b) fling(kit, b, k % 3 ? 0.2 : 1.0);
    kit->world->states[0].velocity = ch_scale(k % 3 ? -0.5 : -3.0, kit->world->states[0].position);
    for (int step = 0; step < 40; ++step) {
      for (int b = 0; b < 2; ++b) go_on(kit, b);
      check_as_new(kit);
      listed += kit->count;
    }
    CHECK_AT_MOST(100, listed);
  }
}

#define SOFT_TEST(f) cmocka_unit_test_setup_teardown(f, make_soft_kit, drop_soft_kit)

int main(void) {
  const struct CMUnitTest tests[] = {
      SOFT_TEST(B25_what_closes_in_time_is_what_all_points_say),
      SOFT_TEST(E8_what_was_near_before_changes_no_list),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
