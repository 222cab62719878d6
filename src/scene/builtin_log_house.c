// Built-in scene log-house: 69 notched logs that slide, jump a ramp and hit a wall (004 7.9; requirement H42).
//
// Logs are 0.1 m thick and lie crosswise. Where two cross each has lost a quarter of its height above and below, so
// that a layer is half a log higher than the one across it and the notches bear; logs of one wall do not quite touch.
//
//   ten layers of two long logs (x) and three short ones (y), and nineteen thin ones on top: 69
#include "scene/builtin.h"

enum { LAYERS = 10, ROOF = 19, MOST_NOTCHES = 3 };

static const double HALF = 0.05;                 // of the distance between logs of one wall
static const double THICK = 0.049;               // half a log's height: they do not touch
static const double LONG = 0.9, SHORT = 0.7;     // half lengths
static const double ROOMS = 0.75, DEPTH = 0.55;  // where walls are: x = -ROOMS, 0, ROOMS and y = -DEPTH, DEPTH
static const double PLAY = 2e-3;                 // between the sides of two logs in a notch

static void add_part(ChBuild* b, json_t* log, bool along_x, double from, double to, double height) {
  double half = 0.5 * (to - from), middle = 0.5 * (from + to);
  json_t* box = ch_build_box(b, log, along_x ? ch_vec(half, HALF, height) : ch_vec(HALF, half, height), "log");
  ch_build_set(b, box, "at", ch_build_vector(b, along_x ? ch_vec(middle, 0.0, 0.0) : ch_vec(0.0, middle, 0.0)));
}

// Thick parts and notches in turn.
static json_t* add_log(ChBuild* b, int number, ChVec3 at, bool along_x, double half, int notches, const double* notch) {
  json_t* log = ch_build_numbered(b, "log", number, at);
  double from = -half;
  for (int k = 0; k < notches; ++k) {
    double low = notch[k] - HALF - PLAY, high = notch[k] + HALF + PLAY;
    add_part(b, log, along_x, from, low, THICK);
    add_part(b, log, along_x, low, high, 0.5 * HALF);
    from = high;
  }
  add_part(b, log, along_x, from, half, THICK);
  return log;
}

static void add_house(ChBuild* b, ChVec3 velocity) {
  const double across[3] = {-ROOMS, 0.0, ROOMS}, along[2] = {-DEPTH, DEPTH};
  int count = 0;
  for (int layer = 0; layer < LAYERS; ++layer) {
    double z = THICK + 2.0 * HALF * layer;
    for (int k = 0; k < 2; ++k)
      ch_build_velocity(b, add_log(b, ++count, ch_vec(0.0, along[k], z), true, LONG, 3, across), velocity);
    for (int k = 0; k < 3; ++k)
      ch_build_velocity(b, add_log(b, ++count, ch_vec(across[k], 0.0, z + HALF), false, SHORT, 2, along), velocity);
  }
  const double thin = 0.03, top = THICK + 2.0 * HALF * (LAYERS - 1) + HALF + THICK;
  for (int k = 0; k < ROOF; ++k) {
    json_t* log = ch_build_numbered(b, "log", ++count, ch_vec(0.0, 0.07 * (k - (ROOF - 1) / 2), top + thin));
    ch_build_box(b, log, ch_vec(LONG, thin, thin), "log");
    ch_build_velocity(b, log, velocity);
  }
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
    CH_NUMBER("speed", "7", 0, 20, "of the house at the start, m/s"),
    CH_NUMBER("ramp", "0.5", 0.05, 2, "height of the ramp, 2 m long"),
    CH_NUMBER("mu", "0.6", 0, 10, "friction coefficient of log on log"),
    CH_NUMBER("slide", "0.1", 0, 10, "friction coefficient of log on ground, ramp and wall"),
    CH_PARAMETERS_END,
};

static void make_log_house(ChBuild* b) {
  ch_build_begin(b, "log-house", "69 notched logs: a house that slides, jumps a ramp and hits a wall.", 3);
  ch_build_step(b, 5e-3, 1.6, 1e-3);
  ch_build_material(b, "log", 500.0, b->number[MU], 0.0);
  ch_build_material(b, "ground", 1000.0, b->number[SLIDE], 0.0);
  json_t* pair = json_pack("[{s:[s,s], s:f}]", "materials", "log", "ground", "friction", b->number[SLIDE]);
  ch_build_set(b, b->root, "pairs", pair);
  ch_build_floor(b, "ground");
  add_ramp(b, b->number[RAMP]);
  json_t* wall = ch_build_body(b, "wall", ch_vec(9.0, 0.0, 1.0));
  ch_build_fixed(b, wall);
  ch_build_box(b, wall, ch_vec(0.2, 2.0, 1.0), "ground");
  add_house(b, ch_vec(b->number[SPEED], 0.0, 0.0));
}

const ChBuiltin ch_builtin_log_house = {"log-house", "69 notched logs that slide, jump a ramp and hit a wall",
                                        parameters, make_log_house};
