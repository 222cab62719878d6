// Facts about the list of gaps: the broad phase finds what all pairs find, the order is fixed, what is fast is listed
// ahead, what may not touch is not listed, and a steady state takes no memory.
#include <omp.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "collide/broad.h"
#include "collide/collide.h"
#include "support/near.h"
#include "support/random.h"

// --- broad phase -----------------------------------------------------------------------------------------------------

static bool meet(const ChBroadItem* a, const ChBroadItem* b) {
  for (int k = 0; k < 3; ++k)
    if (ch_component(a->box.low, k) > ch_component(b->box.high, k) ||
        ch_component(b->box.low, k) > ch_component(a->box.high, k))
      return false;
  return true;
}

static bool below(const ChBroadItem* item, const ChBroadPlane* plane) {
  for (int corner = 0; corner < 8; ++corner) {
    ChVec3 x = ch_vec(corner & 1 ? item->box.high.x : item->box.low.x, corner & 2 ? item->box.high.y : item->box.low.y,
                      corner & 4 ? item->box.high.z : item->box.low.z);
    if (ch_dot(plane->normal, x) <= plane->offset) return true;
  }
  return false;
}

// Boxes whose edges spread over `decades`, some of one body, some that do not move, item 7 a plane.
static void make_items(ChRandom* r, int count, double decades, double spread, ChBroadItem* items) {
  for (int i = 0; i < count; ++i) {
    double edge = pow(10.0, -ch_random_uniform(r, 0.0, decades));
    ChVec3 low = ch_random_in_cube(r, spread);
    double depth = edge * ch_random_uniform(r, 0.01, 1.0), width = edge * ch_random_uniform(r, 0.01, 1.0);
    ChVec3 side = ch_vec(edge, width, depth);
    items[i] = (ChBroadItem){.box = {low, ch_add(low, side)}, .body = i / 2, .moves = i % 5 != 0};
  }
  items[7] = (ChBroadItem){.body = 3, .plane = true};
}

static void check_broad(ChBroad* broad, int count, const ChBroadItem* items, const ChBroadPlane* plane) {
  const ChBroadPair* pairs;
  int found = ch_broad_find(broad, count, items, 1, plane, &pairs), k = 0;
  for (int i = 0; i < count; ++i)
    for (int j = i + 1; j < count; ++j) {
      if (items[i].body == items[j].body || !(items[i].moves || items[j].moves)) continue;
      bool together = i == plane->item   ? below(&items[j], plane)
                      : j == plane->item ? below(&items[i], plane)
                                         : meet(&items[i], &items[j]);
      if (!together) continue;
      assert_true(k < found);
      assert_int_equal(pairs[k].item[0], i);
      assert_int_equal(pairs[k].item[1], j);
      ++k;
    }
  assert_int_equal(k, found);
}

static void broad_phase_finds_what_all_pairs_find(void** state) {
  (void)state;
  ChArena* arena = ch_arena_create(NULL);
  ChBroad* broad = ch_broad_create(arena);
  ChRandom r = ch_random_seeded(1);
  enum { COUNT = 900 };
  ChBroadItem* items = CH_TAKE(arena, COUNT, ChBroadItem);
  ChBroadPlane plane = {7, ch_unit(ch_vec(0.1, -0.2, 1.0)), -0.5};
  for (int trial = 0; trial < 12; ++trial) {
    int count = trial % 3 ? COUNT : 20;
    make_items(&r, count, 0.5 * trial, 0.5 + trial, items);
    if (trial == 11)  // far from the origin, and as far apart as numbers allow
      for (int i = 0; i < COUNT; i += 3) items[i].box.high = ch_add(items[i].box.low, ch_vec(1e12, 0.0, 1e300));
    check_broad(broad, count, items, &plane);
  }
  ch_arena_destroy(arena);
}

// --- worlds ----------------------------------------------------------------------------------------------------------

typedef struct Kit {
  ChContext context;
  ChWorld* world;
  ChCollider* collider;
  const ChGap* gaps;
  int count;
} Kit;

static int make_kit(void** state) {
  Kit* kit = calloc(1, sizeof *kit);
  *state = kit;
  ChMaterialDef material = ch_material_def_default();
  material.name = "stone";
  if (ch_world_create(&kit->context, 3, &kit->world) != CH_OK) return -1;
  return ch_world_add_material(&kit->context, kit->world, &material, NULL);
}

static int drop_kit(void** state) {
  Kit* kit = *state;
  ch_collider_destroy(kit->collider);
  ch_world_destroy(kit->world);
  free(kit);
  return 0;
}

static int add_body(Kit* kit, ChBodyKind kind, ChVec3 at) {
  ChBodyDef def = ch_body_def_default();
  def.kind = kind;
  def.position = at;
  CHECK_OK(kit->context, ch_world_add_body(&kit->context, kit->world, &def, NULL));
  return ch_world_body_count(kit->world) - 1;
}

static void add_shape(Kit* kit, int body, ChShapeDef def) {
  def.orientation = ch_quat_identity();
  CHECK_OK(kit->context, ch_world_add_shape(&kit->context, kit->world, ch_body_id(body), &def, NULL));
}

static int add_ball(Kit* kit, ChVec3 at, double radius) {
  int body = add_body(kit, CH_BODY_DYNAMIC, at);
  add_shape(kit, body, (ChShapeDef){.type = CH_SHAPE_SPHERE, .radius = radius});
  return body;
}

static int add_floor(Kit* kit) {
  int body = add_body(kit, CH_BODY_FIXED, ch_vec(0.0, 0.0, 0.0));
  add_shape(kit, body, (ChShapeDef){.type = CH_SHAPE_HALFSPACE, .normal = {0.0, 0.0, 1.0}});
  return body;
}

static void seal(Kit* kit) {
  CHECK_OK(kit->context, ch_world_seal(&kit->context, kit->world));
  CHECK_OK(kit->context, ch_collider_create(&kit->context, kit->world, &kit->collider));
}

static void collide(Kit* kit, double margin, double look_ahead, bool reduce) {
  ChCollideOptions options = {.margin = margin, .look_ahead = look_ahead, .reduce = reduce, .threads = 2};
  CHECK_OK(kit->context,
           ch_collide(&kit->context, kit->collider, kit->world->states, &options, &kit->gaps, &kit->count));
}

static void touching_at_zero_gap_is_a_contact(void** state) {
  Kit* kit = *state;
  add_floor(kit);
  add_ball(kit, ch_vec(0.0, 0.0, 0.5), 0.5);
  add_ball(kit, ch_vec(0.0, 0.0, 1.25), 0.25);
  add_ball(kit, ch_vec(5.0, 0.0, 1.0), 0.5);
  seal(kit);
  collide(kit, 0.0, 0.0, false);
  assert_int_equal(kit->count, 2);
  for (int i = 0; i < 2; ++i) {
    assert_true(kit->gaps[i].gap == 0.0);
    assert_int_equal(kit->gaps[i].body[0], i);
    assert_int_equal(kit->gaps[i].body[1], i + 1);
    assert_true(kit->gaps[i].normal.z == 1.0);
    assert_true(kit->gaps[i].point.z == (double)i);
  }
}

// A ball that flies at the floor is listed a step ahead; one that flies along it or away from it is not.
static void fast_bodies_are_listed_ahead(void** state) {
  Kit* kit = *state;
  add_floor(kit);
  const double h = 0.01;
  ChVec3 velocity[] = {{0.0, 0.0, -100.0}, {100.0, 0.0, 0.0}, {0.0, 0.0, 100.0}, {0.0, 0.0, -80.0}};
  for (int i = 0; i < 4; ++i) kit->world->states[add_ball(kit, ch_vec(0.0, 10.0 * i, 1.0), 0.1)].velocity = velocity[i];
  seal(kit);
  collide(kit, 1e-3, h, false);
  assert_int_equal(kit->count, 1);
  assert_int_equal(kit->gaps[0].body[1], 1);
  CHECK_NEAR(kit->gaps[0].gap, 0.9, 1e-15);
  collide(kit, 1e-3, 0.0, false);  // look-ahead off [B25]
  assert_int_equal(kit->count, 0);
}

// Turning alone closes a gap too: the end of a rod swings towards the floor.
static void spinning_bodies_are_listed_ahead(void** state) {
  Kit* kit = *state;
  add_floor(kit);
  int rod = add_body(kit, CH_BODY_DYNAMIC, ch_vec(0.0, 0.0, 0.5));
  add_shape(kit, rod, (ChShapeDef){.type = CH_SHAPE_BOX, .half = {1.0, 0.05, 0.05}});
  kit->world->states[rod].omega = ch_vec(0.0, 100.0, 0.0);
  seal(kit);
  collide(kit, 1e-3, 0.0, false);
  assert_int_equal(kit->count, 0);
  collide(kit, 1e-3, 0.01, false);
  assert_int_equal(kit->count, 8);
}

static void what_may_not_touch_is_not_listed(void** state) {
  Kit* kit = *state;
  add_floor(kit);
  add_body(kit, CH_BODY_FIXED, ch_vec(0.0, 0.0, 0.0));
  add_shape(kit, 1, (ChShapeDef){.type = CH_SHAPE_SPHERE, .radius = 1.0});  // in the floor: both fixed
  int a = add_ball(kit, ch_vec(10.0, 0.0, 5.0), 1.0), b = add_ball(kit, ch_vec(10.0, 0.0, 5.5), 1.0);
  add_shape(kit, a, (ChShapeDef){.type = CH_SHAPE_SPHERE, .radius = 1.0, .at = {0.5, 0.0, 0.0}});  // one body
  CHECK_OK(kit->context, ch_world_ignore_pair(&kit->context, kit->world, ch_body_id(b), ch_body_id(a)));
  seal(kit);
  collide(kit, 0.01, 0.0, false);
  assert_int_equal(kit->count, 0);
}

static void numbers_that_are_none_are_refused(void** state) {
  Kit* kit = *state;
  add_floor(kit);
  int ball = add_ball(kit, ch_vec(0.0, 0.0, 1.0), 1.0);
  seal(kit);
  ChCollideOptions options = {.margin = NAN};
  assert_int_equal(ch_collide(&kit->context, kit->collider, kit->world->states, &options, &kit->gaps, &kit->count),
                   CH_ERR_RANGE);
  options = (ChCollideOptions){.margin = 0.1, .look_ahead = -1.0};
  assert_int_equal(ch_collide(&kit->context, kit->collider, kit->world->states, &options, &kit->gaps, &kit->count),
                   CH_ERR_RANGE);
  options.look_ahead = 0.0;
  kit->world->states[ball].position.y = NAN;
  assert_int_equal(ch_collide(&kit->context, kit->collider, kit->world->states, &options, &kit->gaps, &kit->count),
                   CH_ERR_NUMERIC);
  assert_int_equal(kit->count, 0);
}

// A heap of balls, boxes and capsules of many sizes in a box of half-spaces.
static void fill_heap(Kit* kit, int count) {
  add_floor(kit);
  ChRandom r = ch_random_seeded(4);
  for (int i = 0; i < count; ++i) {
    double z = ch_random_uniform(&r, 0.0, 1.0), y = ch_random_uniform(&r, -1.0, 1.0);
    ChVec3 at = ch_vec(ch_random_uniform(&r, -1.0, 1.0), y, z);
    double size = pow(10.0, -ch_random_uniform(&r, 0.7, 1.7));
    int body = add_body(kit, CH_BODY_DYNAMIC, at);
    if (i % 3 == 0) add_shape(kit, body, (ChShapeDef){.type = CH_SHAPE_SPHERE, .radius = size});
    if (i % 3 == 1) add_shape(kit, body, (ChShapeDef){.type = CH_SHAPE_BOX, .half = {size, size, 0.5 * size}});
    if (i % 3 == 2)
      add_shape(kit, body, (ChShapeDef){.type = CH_SHAPE_CAPSULE, .radius = 0.5 * size, .half_length = size});
    ChBodyState* s = &kit->world->states[body];
    s->velocity = ch_random_normals(&r);
    s->omega = ch_random_normals(&r);
    s->orientation =
        ch_quat_unit((ChQuat){ch_random_normal(&r), ch_random_normal(&r), ch_random_normal(&r), ch_random_normal(&r)});
  }
  seal(kit);
}

static void check_order(const Kit* kit) {
  for (int i = 0; i < kit->count; ++i) assert_true(kit->gaps[i].body[0] < kit->gaps[i].body[1]);
  for (int i = 1; i < kit->count; ++i) {
    const ChGap *a = &kit->gaps[i - 1], *b = &kit->gaps[i];
    assert_true(
        a->shape[0] < b->shape[0] ||
        (a->shape[0] == b->shape[0] && (a->shape[1] < b->shape[1] || (a->shape[1] == b->shape[1] && a->key < b->key))));
  }
}

static void list_is_sorted_and_the_same_for_any_number_of_threads(void** state) {
  Kit* kit = *state;
  int threads = omp_get_max_threads();
  omp_set_num_threads(3);
  fill_heap(kit, 400);
  collide(kit, 1e-3, 0.01, false);
  check_order(kit);
  int count = kit->count;
  assert_true(count > 500);
  ChGap* kept = calloc((size_t)count, sizeof *kept);
  memcpy(kept, kit->gaps, (size_t)count * sizeof *kept);
  ch_collider_destroy(kit->collider);
  omp_set_num_threads(1);
  CHECK_OK(kit->context, ch_collider_create(&kit->context, kit->world, &kit->collider));
  collide(kit, 1e-3, 0.01, false);
  assert_int_equal(kit->count, count);
  assert_memory_equal(kit->gaps, kept, (size_t)count * sizeof *kept);
  free(kept);
  omp_set_num_threads(threads);
}

static void steady_state_takes_no_memory(void** state) {
  Kit* kit = *state;
  fill_heap(kit, 200);
  collide(kit, 1e-3, 0.01, false);
  long before = ch_arena_allocations();
  const ChGap* list = kit->gaps;
  for (int step = 0; step < 50; ++step) collide(kit, 1e-3, 0.01, false);
  assert_int_equal(ch_arena_allocations(), before);
  assert_ptr_equal(kit->gaps, list);
}

// Whichever allocation fails, the call says so and the next one works.
static void failed_allocations_are_reported(void** state) {
  Kit* kit = *state;
  fill_heap(kit, 200);
  ch_collider_destroy(kit->collider);
  kit->collider = NULL;
  ch_arena_trim();
  ChCollideOptions options = {.margin = 0.1, .look_ahead = 0.01};
  for (long n = 1; n < 1000; ++n) {
    ch_arena_fail_after(n);
    ChStatus status = ch_collider_create(&kit->context, kit->world, &kit->collider);
    if (status == CH_OK)
      status = ch_collide(&kit->context, kit->collider, kit->world->states, &options, &kit->gaps, &kit->count);
    ch_arena_fail_after(0);
    if (status == CH_OK) return;
    assert_int_equal(status, CH_ERR_MEMORY);
    if (kit->collider) collide(kit, 0.1, 0.01, false);
    ch_collider_destroy(kit->collider);
    kit->collider = NULL;
  }
  fail_msg("it never succeeds");
}

// At most four points a pair, the deepest among them.
static void reduction_keeps_four_points(void** state) {
  Kit* kit = *state;
  add_floor(kit);
  int box = add_body(kit, CH_BODY_DYNAMIC, ch_vec(0.0, 0.0, 0.0));
  add_shape(kit, box, (ChShapeDef){.type = CH_SHAPE_BOX, .half = {1.0, 2.0, 0.01}});
  kit->world->states[box].orientation = ch_quat_about(ch_unit(ch_vec(1.0, 2.0, 0.0)), 1e-4);
  seal(kit);
  collide(kit, 0.1, 0.0, false);
  assert_int_equal(kit->count, 8);
  double deepest = 0.0, kept = 0.0;
  for (int i = 0; i < 8; ++i) deepest = fmin(deepest, kit->gaps[i].gap);
  collide(kit, 0.1, 0.0, true);
  assert_int_equal(kit->count, 4);
  for (int i = 0; i < 4; ++i) kept = fmin(kept, kit->gaps[i].gap);
  assert_true(kept == deepest);
  check_order(kit);
}

int main(void) {
#define WITH_KIT(name) cmocka_unit_test_setup_teardown(name, make_kit, drop_kit)
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(broad_phase_finds_what_all_pairs_find),
      WITH_KIT(touching_at_zero_gap_is_a_contact),
      WITH_KIT(fast_bodies_are_listed_ahead),
      WITH_KIT(spinning_bodies_are_listed_ahead),
      WITH_KIT(what_may_not_touch_is_not_listed),
      WITH_KIT(numbers_that_are_none_are_refused),
      WITH_KIT(list_is_sorted_and_the_same_for_any_number_of_threads),
      WITH_KIT(steady_state_takes_no_memory),
      WITH_KIT(failed_allocations_are_reported),
      WITH_KIT(reduction_keeps_four_points),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
