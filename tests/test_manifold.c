// Contacts of convex polyhedra: the gap is that of a slow independent reference, manifolds are complete, normals bisect
// where corners meet, keys stay.
#include <stdlib.h>

#include "collide/pairs.h"
#include "support/near.h"
#include "support/pair_rig.h"
#include "support/random.h"
#include "support/slow_distance.h"

static const double pi = 3.14159265358979323846;

// --- shapes and lists ------------------------------------------------------------------------------------------------

static ChShape box(Rig* rig, double x, double y, double z) {
  const ChVec3 half = ch_vec(x, y, z);
  return (ChShape){.type = CH_SHAPE_BOX, .half = half, .polytope = ch_polytope_box(rig->arena, half)};
}

static ChShape hull(Rig* rig, int count, const ChVec3* points) {
  ChPolytope* polytope = NULL;
  CHECK_OK(rig->context, ch_polytope_hull(&rig->context, rig->arena, count, points, &polytope));
  return (ChShape){.type = CH_SHAPE_HULL, .polytope = polytope};
}

static ChShape random_hull(Rig* rig, ChRandom* random, int count) {
  ChVec3 points[256];
  for (int k = 0; k < count; ++k) {
    points[k] = ch_random_normals(random);
    if (count > 12) points[k] = ch_unit(points[k]);
  }
  return hull(rig, count, points);
}

static ChVec3 random_direction(ChRandom* random) { return ch_unit(ch_random_normals(random)); }

static ChQuat random_turn(ChRandom* random) {
  return ch_quat_about(random_direction(random), ch_random_uniform(random, -pi, pi));
}

static ChFrame frame(double x, double y, double z, ChQuat turn) { return (ChFrame){ch_vec(x, y, z), turn}; }
static ChQuat about_y(double angle) { return ch_quat_about(ch_axis(1), angle); }

static int collide(Rig* rig, const ChPosed* a, const ChPosed* b, double margin) {
  rig->list.count = 0;
  ch_pair_polytope_polytope(a, b, margin, &rig->list);
  return rig->list.count;
}

static double least_gap(const Rig* rig) {
  double least = INFINITY;
  for (int k = 0; k < rig->list.count; ++k) least = fmin(least, rig->list.points[k].gap);
  return least;
}

static int count_below(const Rig* rig, double gap) {
  int count = 0;
  for (int k = 0; k < rig->list.count; ++k) count += rig->list.points[k].gap <= gap;
  return count;
}

// --- against the reference -------------------------------------------------------------------------------------------

// What holds for every list: one unit normal; the smallest gap is the separation along it; that separation is the best
// there is; no key twice.
static void check_pair(Rig* rig, const ChPosed* a, const ChPosed* b, double size) {
  const ChSlowGap slow = ch_slow_gap(a, b);
  const double margin = 0.3 * size;
  const int count = collide(rig, a, b, margin);
  if (slow.gap - slow.slack > margin + 1e-12 * size) {
    assert_int_equal(count, 0);
    return;
  }
  if (slow.gap > margin - 1e-9) return;
  assert_true(count > 0);
  const ChGap* points = rig->list.points;
  CHECK_NEAR(ch_norm(points[0].normal), 1.0, 1e-14);
  CHECK_NEAR(least_gap(rig), ch_slow_separation(a, b, points[0].normal), 2e-12 * size);
  const double allowed = fabs(slow.gap) < 2e-6 * size ? 4e-6 * size : 1e-10 * size;
  CHECK_NEAR(least_gap(rig), slow.gap, allowed + slow.slack);
  for (int k = 0; k < count; ++k) {
    CHECK_AT_MOST(ch_norm(ch_sub(points[k].normal, points[0].normal)), 0.0);
    CHECK_AT_MOST(points[k].gap, margin);
    for (int j = 0; j < k; ++j) assert_true(points[j].key != points[k].key);
  }
}

// Brings b along the line of closest points to a gap; an overlap is only near the wanted one, which is as good.
static ChPosed brought_to(const ChPosed* a, const ChPosed* b, double gap) {
  ChFrame far = b->frame;
  const ChVec3 between = ch_sub(b->frame.at, a->frame.at);
  far.at = ch_along(a->frame.at, 8.0, ch_unit(between));
  ChPosed moved = ch_posed(b->shape, far);
  const ChSlowGap slow = ch_slow_gap(a, &moved);
  far.at = ch_along(far.at, gap - slow.gap, slow.normal);
  return ch_posed(b->shape, far);
}

static const double gaps[] = {0.0,  1e-12, -1e-12, 1e-9,  -1e-9, 1e-7,  -1e-7, 1e-6, -1e-6,
                              1e-5, -1e-5, 1e-4,   -1e-4, 1e-2,  -1e-2, 0.1,   -0.1, -0.3};
enum { GAPS = sizeof gaps / sizeof gaps[0] };

static void check_many(Rig* rig, ChRandom* random, const ChShape* first, const ChShape* second, int samples) {
  for (int k = 0; k < samples; ++k) {
    const ChPosed a = ch_posed(first, (ChFrame){ch_vec(0.1, -0.2, 0.3), random_turn(random)});
    ChQuat turn = k % 3 ? random_turn(random) : a.frame.orientation;
    if (k % 3 == 1) turn = ch_quat_product(a.frame.orientation, ch_quat_about(ch_axis(k / 3 % 3), 0.7));
    const ChPosed b = ch_posed(second, (ChFrame){ch_along(a.frame.at, 2.0, random_direction(random)), turn});
    const ChPosed moved = brought_to(&a, &b, gaps[k % GAPS]);
    check_pair(rig, &a, &moved, 1.0);
  }
}

static void boxes_have_the_gap_of_the_reference(void** state) {
  Rig* rig = *state;
  ChRandom random = ch_random_seeded(5);
  const ChShape cube = box(rig, 0.5, 0.5, 0.5), card = box(rig, 0.5, 0.7, 0.01), beam = box(rig, 0.2, 0.3, 1.0);
  check_many(rig, &random, &cube, &cube, 600);
  check_many(rig, &random, &card, &cube, 600);
  check_many(rig, &random, &beam, &card, 600);
}

static void hulls_have_the_gap_of_the_reference(void** state) {
  Rig* rig = *state;
  ChRandom random = ch_random_seeded(6);
  const ChShape cube = box(rig, 0.5, 0.5, 0.5);
  for (int k = 0; k < 6; ++k) {
    const ChShape first = random_hull(rig, &random, k == 0 ? 4 : 8 + k), second = random_hull(rig, &random, 20 + 5 * k);
    check_many(rig, &random, &first, &second, 60);
    check_many(rig, &random, &first, &cube, 60);
    check_many(rig, &random, &cube, &first, 60);
  }
}

static void corners_and_edges_brought_together_have_the_gap_of_the_reference(void** state) {
  Rig* rig = *state;
  ChRandom random = ch_random_seeded(7);
  const ChShape cube = box(rig, 0.5, 0.5, 0.5), beam = box(rig, 0.2, 0.3, 1.0);
  for (int k = 0; k < 600; ++k) {
    const ChPosed a = ch_posed(&cube, (ChFrame){ch_vec(0.0, 0.0, 0.0), random_turn(&random)});
    ChPosed b = ch_posed(&beam, (ChFrame){ch_vec(0.0, 0.0, 0.0), k % 2 ? a.frame.orientation : random_turn(&random)});
    const ChVec3 out = ch_rotate(a.frame.orientation, ch_vec(0.5, 0.5, k % 4 < 2 ? 0.5 : 0.1));
    const ChVec3 in = ch_rotate(b.frame.orientation, ch_vec(-0.2, -0.3, -1.0));
    const ChVec3 jitter = ch_scale(gaps[k % GAPS], random_direction(&random));
    b.frame.at = ch_add(ch_sub(out, in), jitter);
    check_pair(rig, &a, &b, 1.0);
  }
}

// --- manifolds -------------------------------------------------------------------------------------------------------

static void faces_touch_in_every_corner_of_their_overlap(void** state) {
  Rig* rig = *state;
  const ChShape cube = box(rig, 0.5, 0.5, 0.5), small = box(rig, 0.2, 0.3, 0.1);
  const ChPosed below = ch_posed(&cube, frame(0, 0, 0, ch_quat_identity()));
  const ChPosed flush = ch_posed(&cube, frame(0, 0, 1, ch_quat_identity()));
  assert_int_equal(collide(rig, &below, &flush, 1e-3), 4);
  const ChPosed turned = ch_posed(&cube, frame(0, 0, 1, ch_quat_about(ch_axis(2), pi / 4)));
  assert_int_equal(collide(rig, &below, &turned, 1e-3), 8);
  const ChPosed inside = ch_posed(&small, frame(0.1, 0.1, 0.6, ch_quat_about(ch_axis(2), 0.3)));
  assert_int_equal(collide(rig, &below, &inside, 1e-3), 4);
  const ChPosed beyond = ch_posed(&small, frame(0.5, 0.1, 0.6, ch_quat_identity()));
  assert_int_equal(collide(rig, &below, &beyond, 1e-3), 4);
  for (int k = 0; k < 4; ++k) {
    CHECK_NEAR(rig->list.points[k].gap, 0.0, 1e-15);
    CHECK_NEAR(rig->list.points[k].normal.z, 1.0, 0.0);
  }
}

static void a_tilted_box_has_four_points_with_their_own_gaps(void** state) {
  Rig* rig = *state;
  const ChShape cube = box(rig, 0.5, 0.5, 0.5), ground = box(rig, 20, 20, 0.5);
  const double tilt = 1e-4;
  const ChPosed below = ch_posed(&ground, frame(0, 0, -0.5, ch_quat_identity()));
  const ChPosed above = ch_posed(&cube, frame(0, 0, 0.5, about_y(tilt)));
  assert_int_equal(collide(rig, &below, &above, 1e-3), 4);
  assert_int_equal(count_below(rig, 0.0), 2);
  const double middle = 0.5 - 0.5 * cos(tilt);
  for (int k = 0; k < 4; ++k) CHECK_NEAR(fabs(rig->list.points[k].gap - middle), 0.5 * sin(tilt), 1e-15);
  // the lower box of the same size, tilted about the common edge: the far side is listed too
  const ChPosed equal = ch_posed(&cube, frame(0, 0, -0.5, ch_quat_identity()));
  const ChVec3 hinge = ch_vec(0.5, 0, 0);
  const ChPosed opened =
      ch_posed(&cube, (ChFrame){ch_add(hinge, ch_rotate(about_y(tilt), ch_vec(-0.5, 0, 0.5))), about_y(tilt)});
  assert_int_equal(collide(rig, &equal, &opened, 1e-3), 4);
  CHECK_AT_MOST(fabs(least_gap(rig)), 1e-15);
}

static void edges_and_corners_touch_in_their_own_number_of_points(void** state) {
  Rig* rig = *state;
  const ChShape cube = box(rig, 0.5, 0.5, 0.5);
  const double r = sqrt(0.5);
  const ChPosed below = ch_posed(&cube, frame(0, 0, 0, ch_quat_identity()));
  const ChPosed on_edge = ch_posed(&cube, frame(0, 0.2, 0.5 + r, about_y(pi / 4)));
  assert_int_equal(collide(rig, &below, &on_edge, 1e-3), 2);
  CHECK_NEAR(rig->list.points[0].normal.z, 1.0, 1e-15);

  const ChPosed upright = ch_posed(&cube, frame(0, 0, 0, about_y(pi / 4)));
  const ChPosed parallel = ch_posed(&cube, frame(0, 0.3, 2 * r, about_y(pi / 4)));
  assert_int_equal(collide(rig, &upright, &parallel, 1e-3), 2);
  CHECK_NEAR(rig->list.points[0].normal.z, 1.0, 1e-12);
  CHECK_NEAR(fabs(rig->list.points[0].point.y - rig->list.points[1].point.y), 0.7, 1e-12);

  const ChPosed crossing = ch_posed(&cube, frame(0, 0, 2 * r, ch_quat_about(ch_axis(0), pi / 4)));
  assert_int_equal(collide(rig, &upright, &crossing, 1e-3), 1);
  CHECK_NEAR(rig->list.points[0].normal.z, 1.0, 1e-12);

  const ChVec3 diagonal = ch_unit(ch_vec(1, 1, 1));
  const ChVec3 axis = ch_unit(ch_cross(diagonal, ch_vec(0, 0, -1)));
  const ChQuat corner_down = ch_quat_about(axis, acos(-diagonal.z));
  const ChPosed on_corner = ch_posed(&cube, frame(0.1, 0.2, 0.5 + sqrt(0.75), corner_down));
  assert_int_equal(collide(rig, &below, &on_corner, 1e-3), 1);
  CHECK_NEAR(least_gap(rig), 0.0, 1e-15);

  const ChPosed corners = ch_posed(&cube, frame(1, 1, 1, ch_quat_identity()));
  assert_int_equal(collide(rig, &below, &corners, 1e-3), 1);
  CHECK_AT_MOST(ch_norm(ch_sub(rig->list.points[0].normal, diagonal)), 1e-12);
}

// A corner that overlaps another's by 1e-6 along the diagonal is parted by 1e-6 times the cosine, whatever the sizes.
static void a_small_corner_overlap_is_shallow(void** state) {
  Rig* rig = *state;
  const ChShape cube = box(rig, 0.5, 0.5, 0.5);
  const ChPosed below = ch_posed(&cube, frame(0, 0, 0, ch_quat_identity()));
  for (double depth = 1e-12; depth < 0.1; depth *= 10.0) {
    const ChPosed above = ch_posed(&cube, frame(1 - depth, 1 - depth, 1 - depth, ch_quat_identity()));
    assert_true(collide(rig, &below, &above, 1e-3) > 0);
    CHECK_AT_MOST(-least_gap(rig), 2.0 * depth);
    CHECK_AT_MOST(0.5 * depth, -least_gap(rig));
  }
}

// --- the house of cards ----------------------------------------------------------------------------------------------

enum { CARDS = 27 };

// Scene S1: four levels, 26 cards on a ground box, all touching at gap zero.
static int house(Rig* rig, ChShape shapes[2], ChPosed posed[CARDS]) {
  const double L = 1.0, t = 0.02, s = 1.01, theta = 67.0 * pi / 180.0;
  const double dx = 0.5 * L * cos(theta) + 0.5 * t * sin(theta), dz = 0.5 * L * sin(theta) + 0.5 * t * cos(theta);
  shapes[0] = box(rig, 20, 20, 0.5);
  shapes[1] = box(rig, 0.5, 0.7, 0.01);
  int count = 0;
  posed[count++] = ch_posed(&shapes[0], frame(0, 0, -0.5, ch_quat_identity()));
  double z0 = 0.0;
  for (int level = 0; level < 4; ++level) {
    const int n = 4 - level;
    for (int i = 0; i < n; ++i) {
      const double xc = (i - 0.5 * (n - 1)) * s;
      posed[count++] = ch_posed(&shapes[1], frame(xc - dx, 0, z0 + dz, about_y(-theta)));
      posed[count++] = ch_posed(&shapes[1], frame(xc + dx, 0, z0 + dz, about_y(theta)));
    }
    const double top = z0 + L * sin(theta) + t * cos(theta);
    for (int i = 0; i < n - 1; ++i)
      posed[count++] = ch_posed(&shapes[1], frame((i - 0.5 * (n - 2)) * s, 0, top + 0.5 * t, ch_quat_identity()));
    z0 = top + t;
  }
  return count;
}

typedef struct Census {
  int pairs, points, level, upright;
  double widest, tilt;
} Census;

// Level: normals along x (apexes); upright: along z (feet and tops).
static Census take_census(Rig* rig, int count, const ChPosed* posed) {
  Census census = {0};
  for (int i = 0; i < count; ++i)
    for (int j = i + 1; j < count; ++j) {
      const int points = collide(rig, &posed[i], &posed[j], 1e-5);
      census.pairs += points > 0;
      census.points += points;
      for (int k = 0; k < points; ++k) {
        const ChGap* p = &rig->list.points[k];
        census.widest = fmax(census.widest, fabs(p->gap));
        census.level += fabs(p->normal.x) > 0.999;
        census.upright += fabs(p->normal.z) > 0.999;
        census.tilt = fmax(census.tilt, fmin(fabs(p->normal.x), fabs(p->normal.z)));
        census.tilt = fmax(census.tilt, fabs(p->normal.y));
      }
    }
  return census;
}

static void a_house_of_cards_touches_at_gap_zero_with_level_apexes(void** state) {
  Rig* rig = *state;
  ChShape shapes[2];
  ChPosed posed[CARDS];
  const int count = house(rig, shapes, posed);
  assert_int_equal(count, CARDS);
  const Census census = take_census(rig, count, posed);
  assert_int_equal(census.pairs, 8 + 12 + 12 + 10);  // feet on the ground, feet on cards, tops, apexes
  assert_int_equal(census.points, 2 * census.pairs);
  assert_int_equal(census.level, 20);
  assert_int_equal(census.upright, 64);
  CHECK_AT_MOST(census.widest, 1e-12);
  CHECK_AT_MOST(census.tilt, 1e-12);
}

static void a_shaken_house_keeps_its_contacts_normals_and_keys(void** state) {
  Rig* rig = *state;
  ChRandom random = ch_random_seeded(8);
  ChShape shapes[2];
  ChPosed posed[CARDS], shaken[CARDS];
  const int count = house(rig, shapes, posed);
  for (int round = 0; round < 10; ++round) {
    for (int k = 0; k < count; ++k) {
      ChFrame f = posed[k].frame;
      f.at = ch_along(f.at, 1e-9, random_direction(&random));
      f.orientation = ch_quat_product(ch_quat_about(random_direction(&random), 1e-9), f.orientation);
      shaken[k] = ch_posed(posed[k].shape, f);
    }
    const Census census = take_census(rig, count, shaken);
    assert_int_equal(census.pairs, 42);
    assert_int_equal(census.points, 84);
    CHECK_AT_MOST(census.widest, 1e-8);
    CHECK_AT_MOST(census.tilt, 1e-8);
    for (int i = 0; i < count; ++i)
      for (int j = i + 1; j < count; ++j) {
        uint64_t keys[8];
        const int points = collide(rig, &posed[i], &posed[j], 1e-5);
        for (int k = 0; k < points; ++k) keys[k] = rig->list.points[k].key;
        assert_int_equal(collide(rig, &shaken[i], &shaken[j], 1e-5), points);
        for (int k = 0; k < points; ++k) assert_true(rig->list.points[k].key == keys[k]);
      }
  }
}

// The apex normal follows the poses without a jump, while one card slides past the other from 1e-5 below to 1e-5 above.
static void an_apex_normal_turns_without_a_jump(void** state) {
  Rig* rig = *state;
  ChShape shapes[2];
  ChPosed posed[CARDS];
  house(rig, shapes, posed);
  ChVec3 last = ch_vec(1, 0, 0);
  for (int k = 0; k <= 20000; ++k) {
    ChFrame f = posed[2].frame;
    f.at.z += 1e-9 * (k - 10000);
    const ChPosed moved = ch_posed(&shapes[1], f);
    assert_true(collide(rig, &posed[1], &moved, 1e-4) >= 2);
    const ChVec3 normal = rig->list.points[0].normal;
    if (k > 0) CHECK_AT_MOST(ch_norm(ch_sub(normal, last)), 0.01);
    last = normal;
  }
}

// --- the arch --------------------------------------------------------------------------------------------------------

enum { VOUSSOIRS = 27 };

// Scene S2: hulls between joints perpendicular to a catenary.
static void voussoirs_of_an_arch_touch_face_to_face(void** state) {
  Rig* rig = *state;
  const double a = 3.0937961388712787, half = a * sinh(5.0 / a);
  ChShape shapes[VOUSSOIRS];
  ChPosed posed[VOUSSOIRS];
  ChVec3 along[VOUSSOIRS + 1], joint[VOUSSOIRS + 1][4];
  for (int k = 0; k <= VOUSSOIRS; ++k) {
    const double s = half * (2.0 * k / VOUSSOIRS - 1.0), x = a * asinh(s / a);
    along[k] = ch_unit(ch_vec(1.0, 0.0, -sinh(x / a)));
    const ChVec3 up = ch_vec(-along[k].z, 0.0, along[k].x), at = ch_vec(x, 0.0, 5.0 - a * (cosh(x / a) - 1.0));
    for (int c = 0; c < 4; ++c)
      joint[k][c] = ch_along(ch_along(at, c & 1 ? 0.25 : -0.25, up), c & 2 ? 0.5 : -0.5, ch_axis(1));
  }
  for (int k = 0; k < VOUSSOIRS; ++k) {
    ChVec3 points[8], centre = ch_vec(0, 0, 0);
    for (int c = 0; c < 8; ++c) centre = ch_along(centre, 0.125, joint[k + c / 4][c % 4]);
    for (int c = 0; c < 8; ++c) points[c] = ch_sub(joint[k + c / 4][c % 4], centre);
    shapes[k] = hull(rig, 8, points);
    posed[k] = ch_posed(&shapes[k], (ChFrame){centre, ch_quat_identity()});
  }
  for (int k = 1; k < VOUSSOIRS; ++k) {
    assert_int_equal(collide(rig, &posed[k - 1], &posed[k], 1e-3), 4);
    for (int c = 0; c < 4; ++c) {
      CHECK_NEAR(rig->list.points[c].gap, 0.0, 1e-12);
      CHECK_AT_MOST(ch_norm(ch_sub(rig->list.points[c].normal, along[k])), 1e-12);
    }
  }
}

// Which shape comes first changes the sign of the normal and nothing else.
static void swapping_the_shapes_turns_the_normal_round(void** state) {
  Rig* rig = *state;
  ChRandom random = ch_random_seeded(9);
  const ChShape cube = box(rig, 0.5, 0.5, 0.5), card = box(rig, 0.5, 0.7, 0.01);
  for (int k = 0; k < 300; ++k) {
    const ChPosed a = ch_posed(&cube, (ChFrame){ch_vec(0, 0, 0), random_turn(&random)});
    const ChPosed far = ch_posed(&card, (ChFrame){random_direction(&random), random_turn(&random)});
    const ChPosed b = brought_to(&a, &far, gaps[k % GAPS]);
    const int count = collide(rig, &a, &b, 0.015);
    const double gap = least_gap(rig);
    const ChVec3 normal = count ? rig->list.points[0].normal : ch_vec(0, 0, 0);
    assert_int_equal(collide(rig, &b, &a, 0.015), count);
    if (!count) continue;
    if (fabs(gap) < 3e-6) continue;  // where features touch, the normal turns fast with the poses, rounding included
    CHECK_NEAR(least_gap(rig), gap, 1e-12);
    CHECK_AT_MOST(ch_norm(ch_add(rig->list.points[0].normal, normal)), 1e-6);
  }
}

int main(void) {
#define FACT(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
  const struct CMUnitTest tests[] = {
      FACT(boxes_have_the_gap_of_the_reference),
      FACT(hulls_have_the_gap_of_the_reference),
      FACT(corners_and_edges_brought_together_have_the_gap_of_the_reference),
      FACT(faces_touch_in_every_corner_of_their_overlap),
      FACT(a_tilted_box_has_four_points_with_their_own_gaps),
      FACT(edges_and_corners_touch_in_their_own_number_of_points),
      FACT(a_small_corner_overlap_is_shallow),
      FACT(a_house_of_cards_touches_at_gap_zero_with_level_apexes),
      FACT(a_shaken_house_keeps_its_contacts_normals_and_keys),
      FACT(an_apex_normal_turns_without_a_jump),
      FACT(voussoirs_of_an_arch_touch_face_to_face),
      FACT(swapping_the_shapes_turns_the_normal_round),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
