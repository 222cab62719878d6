// Built-in scene log-house: 69 logs that slide, jump a ramp and hit a wall (004 7.9; requirement H42).
//
// Squared logs laid crosswise: ten layers of two long logs (x) and three short ones (y) upon them, and nineteen thin
// ones on top, 69 in all. Friction alone holds them, or notches as well: then every log is cut from below where it
// crosses the logs of the layer under it, and comes down over them by the depth of the cut.
#include "scene/builtin/builtin.h"

enum { LAYERS = 10, ROOF = 19 };

static const double HIGH = 0.025, WIDE = 0.04;  // half a log's height and width

static const double PLAY = 2e-3;  // room beside a log in a notch

// Logs of one direction: where the layer below crosses them, along their axis.
typedef struct Kind {
  int axis, crossings;  // axis: 0 along x, 1 along y
  double half, at[3];   // half length
} Kind;

static const Kind along_x = {0, 3, 0.9, {-0.75, 0.0, 0.75}}, along_y = {1, 2, 0.7, {-0.55, 0.55, 0.0}};

static json_t* begin_log(ChBuild* b, int number, ChVec3 at, ChVec3 velocity) {
  json_t* log = ch_build_numbered(b, "log", number, at);
  ch_build_velocity(b, log, velocity);
  return log;
}

static void add_log(ChBuild* b, int number, ChVec3 at, ChVec3 half, ChVec3 velocity) {
  ch_build_box(b, begin_log(b, number, at, velocity), half, "log");
}

static ChVec3 lying(const Kind* kind, double along, double across, double up) {
  return kind->axis == 0 ? ch_vec(along, across, up) : ch_vec(across, along, up);
}

static void add_part(ChBuild* b, json_t* log, ChVec3 at, ChVec3 half) {
  ch_build_set(b, ch_build_box(b, log, half, "log"), "at", ch_build_vector(b, at));
}

// The whole length above the notches, and what stands between them below.
static void add_notched(ChBuild* b, int number, ChVec3 at, const Kind* kind, double notch, ChVec3 velocity) {
  json_t* log = begin_log(b, number, at, velocity);
  add_part(b, log, lying(kind, 0.0, 0.0, 0.5 * notch), lying(kind, kind->half, WIDE, HIGH - 0.5 * notch));
  double from = -kind->half;
  for (int k = 0; k <= kind->crossings; ++k) {
    const double to = k < kind->crossings ? kind->at[k] - WIDE - PLAY : kind->half;
    add_part(b, log, lying(kind, 0.5 * (from + to), 0.0, 0.5 * notch - HIGH),
             lying(kind, 0.5 * (to - from), WIDE, 0.5 * notch));
    if (k < kind->crossings) from = kind->at[k] + WIDE + PLAY;
  }
}

static void add_house(ChBuild* b, double notch, ChVec3 velocity) {
  int count = 0;
  const double rise = 2.0 * HIGH - notch;  // from layer to layer
  for (int layer = 0; layer < 2 * LAYERS; ++layer) {
    const Kind *kind = layer % 2 ? &along_y : &along_x, *across = layer % 2 ? &along_x : &along_y;
    for (int k = 0; k < across->crossings; ++k) {
      const ChVec3 at = lying(kind, 0.0, across->at[k], HIGH + 2.0 * rise * (layer / 2) + rise * (layer % 2));
      if (notch > 0.0 && layer > 0)
        add_notched(b, ++count, at, kind, notch, velocity);
      else
        add_log(b, ++count, at, lying(kind, kind->half, WIDE, HIGH), velocity);
    }
  }
  const double thin = 0.02, top = 2.0 * rise * LAYERS + notch;
  for (int k = 0; k < ROOF; ++k)
    add_log(b, ++count, ch_vec(0.0, 0.07 * (k - (ROOF - 1) / 2), top + thin), ch_vec(along_x.half, thin, thin),
            velocity);
}

// Rises from x = 2 to x = 4, as wide as the house and more.
static void add_ramp(ChBuild* b, double height) {
  const ChVec3 corners[6] = {{2.0, -1.2, 0.0}, {2.0, 1.2, 0.0},     {4.0, -1.2, 0.0},
                             {4.0, 1.2, 0.0},  {4.0, -1.2, height}, {4.0, 1.2, height}};
  json_t* ramp = ch_build_body(b, "ramp", ch_vec(0.0, 0.0, 0.0));
  ch_build_fixed(b, ramp);
  ch_build_hull(b, ramp, 6, corners, "ground");
}

enum { SPEED, RAMP, MU, SLIDE, NOTCH };

static const ChSceneParameter parameters[] = {
    CH_NUMBER("speed", "5", 0, 20, "speed of the house at the start, m/s"),
    CH_NUMBER("ramp", "0.3", 0.05, 2, "height of the ramp, 2 m long"),
    CH_NUMBER("mu", "0.6", 0, 10, "friction coefficient of log on log"),
    CH_NUMBER("slide", "0.1", 0, 10, "friction coefficient of log on ground, ramp and wall"),
    CH_NUMBER("notch", "0", 0, 0.02, "depth of the notch at each crossing, m"),
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
  add_house(b, b->number[NOTCH], ch_vec(b->number[SPEED], 0.0, 0.0));
}

const ChBuiltin ch_builtin_log_house = {"log-house", "69 logs laid crosswise that slide, jump a ramp and hit a wall",
                                        parameters, make_log_house};
