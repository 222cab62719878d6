// Built-in scene stick-slip: a block on a belt, held by a spring. What sticks has more friction than what slips, and so
// the block rides until the spring pulls with mu_s m g, slips back, and rides again.
//
// With w = sqrt(k / m) and D = (mu_s - mu_d) m g / k it sticks for 2 D / V and slips for 2 (pi - atan(D w / V)) / w:
// docs/theory/stick_slip.md.
#include "scene/builtin/builtin.h"

enum { STATIC, DYNAMIC, SPEED, STIFFNESS, MASS };

static const ChSceneParameter parameters[] = {
    CH_NUMBER("static", "0.6", 0, 2, "friction coefficient while sticking"),
    CH_NUMBER("dynamic", "0.4", 0, 2, "friction coefficient while slipping; at most static"),
    CH_NUMBER("speed", "0.05", 1e-4, 10, "of the belt, m/s"),
    CH_NUMBER("stiffness", "100", 1, 1e6, "of the spring, N/m"),
    CH_NUMBER("mass", "1", 1e-3, 1e3, "of the block, kg"),
    CH_PARAMETERS_END,
};

static const double UNTIL = 8.0, HALF = 0.1;  // seconds; half the block's length, m

static void add_material(ChBuild* b) {
  ch_build_material(b, "rough", 1000.0, b->number[STATIC], 0.0);
  json_t* rough = json_object_get(json_object_get(b->root, "materials"), "rough");
  ch_build_set(b, rough, "friction",
               json_pack("{s:f, s:f}", "static", b->number[STATIC], "dynamic", b->number[DYNAMIC]));
}

// As long as it runs, and the block's way besides.
static void add_belt(ChBuild* b) {
  const double ahead = b->number[SPEED] * UNTIL, half = 0.5 * ahead + 1.5;
  json_t* belt = ch_build_body(b, "belt", ch_vec(-0.5 * ahead, 0.0, -0.05));
  ch_build_set(b, belt, "motion", json_pack("[{s:f}, i, i]", "rate", b->number[SPEED], 0, 0));
  ch_build_box(b, belt, ch_vec(half, 0.2, 0.05), "rough");
}

static void make_stick_slip(ChBuild* b) {
  if (b->number[DYNAMIC] > b->number[STATIC]) {
    snprintf(b->why, sizeof b->why, "dynamic is %g, must be at most static, %g", b->number[DYNAMIC], b->number[STATIC]);
    return;
  }
  ch_build_begin(b, "stick-slip", "A block on a belt, held by a spring: it rides, slips back, and rides again.", 3);
  ch_build_step(b, 1e-3, UNTIL, 0.0);
  add_material(b);
  add_belt(b);
  const double low = 0.5 * HALF;  // flat enough not to tip
  json_t* post = ch_build_body(b, "post", ch_vec(-1.0, 0.0, low));
  ch_build_fixed(b, post);
  ch_build_box(b, post, ch_vec(0.02, 0.1, low), "rough");
  json_t* block = ch_build_body(b, "block", ch_vec(0.0, 0.0, low));
  ch_build_set(b, block, "mass", json_real(b->number[MASS]));
  ch_build_velocity(b, block, ch_vec(b->number[SPEED], 0.0, 0.0));
  ch_build_box(b, block, ch_vec(HALF, HALF, low), "rough");
  json_t* spring = ch_build_entry(b, "forces", "spring");
  ch_build_set(b, spring, "bodies", json_pack("[s,s]", "post", "block"));
  ch_build_set(b, spring, "stiffness", json_real(b->number[STIFFNESS]));
}

const ChBuiltin ch_builtin_stick_slip = {"stick-slip", "a block on a belt, held by a spring, that sticks and slips",
                                         parameters, make_stick_slip};
