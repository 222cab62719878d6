// Built-in scene log-house: 69 logs that slide, jump a ramp and hit a wall (004 7.9; requirement H42).
//
// Squared logs laid crosswise, held by friction alone: ten layers of two long logs (x) and three short ones (y) upon
// them, and nineteen thin ones on top, 69 in all.
#include "scene/builtin/builtin.h"

enum { LAYERS = 10, ROOF = 19 };

static const double HIGH = 0.025, WIDE = 0.04;   // half a log's height and width
static const double LONG = 0.9, SHORT = 0.7;     // half lengths
static const double ROOMS = 0.75, DEPTH = 0.55;  // where walls are: x = -ROOMS, 0, ROOMS and y = -DEPTH, DEPTH

static void add_log(ChBuild* b, int number, ChVec3 at, ChVec3 half, ChVec3 velocity) {
  json_t* log = ch_build_numbered(b, "log", number, at);
  ch_build_box(b, log, half, "log");
  ch_build_velocity(b, log, velocity);
}

static void add_house(ChBuild* b, ChVec3 velocity) {
  int count = 0;
  for (int layer = 0; layer < LAYERS; ++layer) {
    double z = HIGH + 4.0 * HIGH * layer;
    for (int k = -1; k <= 1; k += 2) add_log(b, ++count, ch_vec(0.0, k * DEPTH, z), ch_vec(LONG, WIDE, HIGH), velocity);
    for (int k = -1; k <= 1; ++k)
      add_log(b, ++count, ch_vec(k * ROOMS, 0.0, z + 2.0 * HIGH), ch_vec(WIDE, SHORT, HIGH), velocity);
  }
  const double thin = 0.02, top = 4.0 * HIGH * LAYERS;
  for (int k = 0; k < ROOF; ++k)
    add_log(b, ++count, ch_vec(0.0, 0.07 * (k - (ROOF - 1) / 2), top + thin), ch_vec(LONG, thin, thin), velocity);
}

// Rises from x = 2 to x = 4, as wide as the house and more.
static void add_ramp(ChBuild* b, double height) {
  const ChVec3 corners[6] = {{2.0, -1.2, 0.0}, {2.0, 1.2, 0.0},     {4.0, -1.2, 0.0},
                             {4.0, 1.2, 0.0},  {4.0, -1.2, height}, {4.0, 1.2, height}};
  json_t* ramp = ch_build_body(b, "ramp", ch_vec(0.0, 0.0, 0.0));
  ch_build_fixed(b, ramp);
  ch_build_hull(b, ramp, 6, corners, "ground");
}

enum { SPEED, RAMP, MU, SLIDE };

static const ChSceneParameter parameters[] = {
    CH_NUMBER("speed", "5", 0, 20, "speed of the house at the start, m/s"),
    CH_NUMBER("ramp", "0.3", 0.05, 2, "height of the ramp, 2 m long"),
    CH_NUMBER("mu", "0.6", 0, 10, "friction coefficient of log on log"),
    CH_NUMBER("slide", "0.1", 0, 10, "friction coefficient of log on ground, ramp and wall"),
    CH_PARAMETERS_END,
};

static void make_log_house(ChBuild* b) {
  ch_build_begin(b, "log-house", "69 logs laid crosswise: a house that slides, jumps a ramp and hits a wall.", 3);
  ch_build_step(b, 1e-2, 1.6, 1e-3);
  ch_build_material(b, "log", 500.0, b->number[MU], 0.0);
  ch_build_material(b, "ground", 1000.0, b->number[SLIDE], 0.0);
  json_t* pair = json_pack("[{s:[s,s], s:f}]", "materials", "log", "ground", "friction", b->number[SLIDE]);
  ch_build_set(b, b->root, "pairs", pair);
  ch_build_floor(b, "ground");
  add_ramp(b, b->number[RAMP]);
  json_t* wall = ch_build_body(b, "wall", ch_vec(6.5, 0.0, 1.0));
  ch_build_fixed(b, wall);
  ch_build_box(b, wall, ch_vec(0.2, 2.0, 1.0), "ground");
  add_house(b, ch_vec(b->number[SPEED], 0.0, 0.0));
}

const ChBuiltin ch_builtin_log_house = {"log-house", "69 logs laid crosswise that slide, jump a ramp and hit a wall",
                                        parameters, make_log_house};
