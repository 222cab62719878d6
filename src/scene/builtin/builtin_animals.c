// Built-in scenes of soft animals: dinosaurs in a pile (004 Fig 7.7; requirement H34), rabbits against arches (004 Fig
// 7.8; H35). Bodies of the St. Venant-Kirchhoff law, which may bend far.
#include <math.h>

#include "scene/builtin/builtin.h"

static const double DEGREE = 3.141592653589793 / 180.0;
static const ChVec3 Y = {0.0, 1.0, 0.0}, Z = {0.0, 0.0, 1.0};

static void set_turn(ChBuild* b, json_t* body, ChQuat q) {
  ch_build_set(b, body, "orientation", json_pack("[f,f,f,f]", q.w, q.x, q.y, q.z));
}

// ----------------------------------------------------------------------------------------------------------- dinosaurs

enum { DINO_N, DINO_MU, DINO_YOUNG, DINO_MODES, DINO_SPEED, DINO_CELLS };

static const ChSceneParameter dinosaur_parameters[] = {
    CH_WHOLE("n", "15", 1, 500, "animals, 1 m long"),
    CH_NUMBER("mu", "0.5", 0, 10, "friction coefficient"),
    CH_NUMBER("young", "1e6", 1e3, 1e12, "Young's modulus, Pa: rubber"),
    CH_WHOLE("modes", "15", 1, 30, "modes of an animal: vibrations and their derivatives"),
    CH_NUMBER("speed", "4", 0, 30, "speed of the fall at the start, m/s"),
    CH_WHOLE("cells", "20", 16, 40, "cells of the mesh along an animal"),
    CH_PARAMETERS_END,
};

// Layers of three, side by side, each layer turned against the one below; all fall, and lean towards the middle.
static void make_dinosaurs(ChBuild* b) {
  enum { ROW = 3 };
  const double pitch = 0.5, layer = 0.95;
  ch_build_begin(b, "dinosaurs", "Soft animals dropped together: fast impacts, then a pile.", 3);
  ch_build_step(b, 1e-2, 6.0, 5e-3);
  ch_build_tolerance(b, 1e-6);
  ch_build_material(b, "rubber", 1000.0, b->number[DINO_MU], 0.0);
  ch_build_floor(b, "rubber");
  for (int k = 0; k < (int)b->number[DINO_N]; ++k) {
    int floor = k / ROW;
    double turn = 67.0 * floor * DEGREE, side = (k % ROW - 1) * pitch;
    ChVec3 across = ch_vec(-sin(turn), cos(turn), 0.0);
    ChVec3 at = ch_along(ch_vec(0.0, 0.0, 0.75 + layer * floor), side, across);
    json_t* body = ch_build_numbered(b, "dinosaur", k + 1, at);
    set_turn(b, body,
             ch_quat_product(ch_quat_about(Z, turn + (k % 2) * 180.0 * DEGREE), ch_quat_about(Y, 0.3 * sin(1.7 * k))));
    ch_build_velocity(b, body, ch_along(ch_vec(0.0, 0.0, -b->number[DINO_SPEED]), -1.2 * side, across));
    ch_build_soft(b, body,
                  &(ChBuildSoft){.model = "stvk",
                                 .shape = "dino",
                                 .material = "rubber",
                                 .cells = {(int)b->number[DINO_CELLS], 1, 1},
                                 .young = b->number[DINO_YOUNG],
                                 .poisson = 0.4,
                                 .damping = {0.5, 5e-3},
                                 .modes = (int)b->number[DINO_MODES]});
  }
}

const ChBuiltin ch_builtin_dinosaurs = {"dinosaurs", "soft animals dropped together into a pile", dinosaur_parameters,
                                        make_dinosaurs};

// ------------------------------------------------------------------------------------------------------ bunnies-arches

enum { BUNNY_N, RED, BLUE, STONE, SLOPE, ARCHES, STONES, BUNNY_YOUNG, BUNNY_MODES, BUNNY_CELLS };

static const ChSceneParameter bunny_parameters[] = {
    CH_WHOLE("n", "8", 1, 200, "rabbits, 0.4 m high; every second one is blue"),
    CH_NUMBER("red", "0.4", 0, 10, "friction coefficient of the red ones"),
    CH_NUMBER("blue", "0.1", 0, 10, "friction coefficient of the blue ones"),
    CH_NUMBER("stone", "0.5", 0, 10, "friction coefficient of the arches' stones"),
    CH_NUMBER("slope", "30", 1, 60, "slope of the ramp, degrees"),
    CH_WHOLE("arches", "2", 0, 10, "arches, one behind the other across the slope"),
    CH_WHOLE("stones", "11", 5, 99, "stones of an arch, a semicircle of radius 0.6 m"),
    CH_NUMBER("young", "2e5", 1e3, 1e12, "Young's modulus, Pa: soft rubber"),
    CH_WHOLE("modes", "12", 1, 30, "modes of a rabbit: vibrations and their derivatives"),
    CH_WHOLE("cells", "16", 16, 40, "cells of the mesh along a rabbit"),
    CH_PARAMETERS_END,
};

static const double RAMP = 3.0;  // its length; it ends at the origin

// Stands on the floor in the plane x = constant.
static void add_arch(ChBuild* b, int first, int stones, double x) {
  const double radius = 0.6, thickness = 0.2, depth = 0.3;
  ChArchJoint joint[2];
  for (int k = 0; k < stones; ++k) {
    for (int end = 0; end < 2; ++end) {
      double angle = 180.0 * DEGREE * (k + end) / stones;
      // Both feet lie on the floor to the last bit.
      ChVec3 out = ch_vec(0.0, -cos(angle), k + end == 0 || k + end == stones ? 0.0 : sin(angle));
      joint[end] = (ChArchJoint){ch_along(ch_vec(x, 0.0, 0.0), radius, out), out};
    }
    ch_build_voussoir(b, first + k, joint, thickness, ch_vec(depth, 0.0, 0.0), "stone");
  }
}

static void add_rabbit(ChBuild* b, int k, ChVec3 at) {
  const char* kind = k % 2 ? "blue" : "red";
  json_t* body = ch_build_numbered(b, k % 2 ? "blue rabbit" : "red rabbit", k / 2 + 1, at);
  set_turn(b, body, ch_quat_product(ch_quat_about(Y, b->number[SLOPE] * DEGREE), ch_quat_about(Z, 50.0 * k * DEGREE)));
  ch_build_soft(b, body,
                &(ChBuildSoft){.model = "stvk",
                               .shape = "rabbit",
                               .material = kind,
                               .size = ch_scale(0.4 / 0.89, ch_vec(0.74, 0.39, 0.89)),
                               .cells = {(int)b->number[BUNNY_CELLS], 1, 1},
                               .young = b->number[BUNNY_YOUNG],
                               .poisson = 0.4,
                               .damping = {0.5, 2e-3},
                               .modes = (int)b->number[BUNNY_MODES]});
}

// A friction of its own for a rabbit on floor and ramp: that of the rabbit, not the mean with the ground's.
static json_t* on_ground(const char* material, double mu) {
  return json_pack("{s:[s,s], s:f}", "materials", material, "ground", "friction", mu);
}

static void add_ramp(ChBuild* b) {
  double a = b->number[SLOPE] * DEGREE, far = -RAMP * cos(a), high = RAMP * sin(a), side = 1.0;
  const ChVec3 corners[6] = {{0.0, -side, 0.0}, {0.0, side, 0.0},   {far, -side, 0.0},
                             {far, side, 0.0},  {far, -side, high}, {far, side, high}};
  json_t* ramp = ch_build_body(b, "ramp", ch_vec(0.0, 0.0, 0.0));
  ch_build_fixed(b, ramp);
  ch_build_hull(b, ramp, 6, corners, "ground");
}

static void make_bunnies(ChBuild* b) {
  double a = b->number[SLOPE] * DEGREE;
  int stones = (int)b->number[STONES];
  ch_build_begin(b, "bunnies-arches", "Soft rabbits of two frictions slide down a ramp against arches of stones.", 3);
  ch_build_step(b, 1e-2, 6.0, 2e-3);
  ch_build_tolerance(b, 1e-6);
  ch_build_material(b, "ground", 1000.0, b->number[STONE], 0.0);
  ch_build_material(b, "stone", 1000.0, b->number[STONE], 0.0);
  ch_build_material(b, "red", 1000.0, b->number[RED], 0.0);
  ch_build_material(b, "blue", 1000.0, b->number[BLUE], 0.0);
  ch_build_set(b, b->root, "pairs",
               json_pack("[o,o]", on_ground("red", b->number[RED]), on_ground("blue", b->number[BLUE])));
  ch_build_floor(b, "ground");
  add_ramp(b);
  for (int k = 0; k < (int)b->number[ARCHES]; ++k) add_arch(b, 1 + k * stones, stones, 0.8 + 0.8 * k);
  for (int k = 0; k < (int)b->number[BUNNY_N]; ++k) {
    double along = 0.9 + 0.55 * (k / 4 % 4), across = ((k + k / 4) % 4 - 1.5) * 0.45, up = 0.35 + 0.5 * (k / 16);
    add_rabbit(b, k, ch_vec(-along * cos(a) + up * sin(a), across, along * sin(a) + up * cos(a)));
  }
}

const ChBuiltin ch_builtin_bunnies_arches = {"bunnies-arches", "soft rabbits of two frictions against arches of stones",
                                             bunny_parameters, make_bunnies};
