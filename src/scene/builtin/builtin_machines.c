// Built-in scenes with few bodies that move: pendulum, slider-crank, painleve-rod, spinning-top, newtons-cradle,
// domino.
#include <math.h>
#include <stdio.h>

#include "scene/builtin/builtin.h"

static const double DEGREE = 3.141592653589793 / 180.0;
static const ChVec3 Y = {0.0, 1.0, 0.0};

// A joint between two bodies by name, at a point; along or about `axis`.
static json_t* add_joint(ChBuild* b, const char* type, const char* one, const char* other, ChVec3 at, ChVec3 axis) {
  json_t* joint = ch_build_entry(b, "joints", type);
  ch_build_set(b, joint, "bodies", json_pack("[s,s]", one, other));
  ch_build_set(b, joint, "at", ch_build_vector(b, at));
  if (b->dimension == 3) ch_build_set(b, joint, "axis", ch_build_vector(b, axis));
  return joint;
}

static void add_ignored(ChBuild* b, const char* one, const char* other) {
  if (!json_object_get(b->root, "ignore")) ch_build_set(b, b->root, "ignore", json_array());
  json_array_append_new(json_object_get(b->root, "ignore"), json_pack("[s,s]", one, other));
}

// A bar of square section between two points of the plane y = 0.
static json_t* add_bar(ChBuild* b, const char* name, ChVec3 from, ChVec3 to, double half, const char* material) {
  json_t* bar = ch_build_body(b, name, ch_scale(0.5, ch_add(from, to)));
  ch_build_turned(b, bar, Y, -atan2(to.z - from.z, to.x - from.x) / DEGREE);
  ch_build_box(b, bar, ch_vec(0.5 * ch_norm(ch_sub(to, from)), half, half), material);
  return bar;
}

// ------------------------------------------------------------------------------------------------------------ pendulum

enum { LINKS, START };

static const ChSceneParameter pendulum_parameters[] = {
    CH_WHOLE("links", "1", 1, 64, "bars of length 1 m, each hinged to the one before"),
    CH_NUMBER("angle", "90", -180, 180, "angle at the start, measured from hanging down, degrees"),
    CH_PARAMETERS_END,
};

static void make_pendulum(ChBuild* b) {
  int links = (int)b->number[LINKS];
  double a = b->number[START] * DEGREE;
  ch_build_begin(b, "pendulum", "Bars hinged to each other; they do not touch.", 3);
  ch_build_step(b, 1e-3, 10.0, 0.0);
  ch_build_material(b, "bar", 1000.0, 0.0, 0.0);
  ChVec3 down = ch_vec(sin(a), 0.0, -cos(a));
  char name[32], last[32] = "ground";
  for (int k = 0; k < links; ++k) {
    snprintf(name, sizeof name, "link %d", k + 1);
    ChVec3 from = ch_scale(k, down);
    add_bar(b, name, from, ch_scale(k + 1, down), 0.025, "bar");
    add_joint(b, "hinge", last, name, from, Y);
    snprintf(last, sizeof last, "%s", name);
    for (int j = 0; j + 1 < k; ++j) {
      char other[32];
      snprintf(other, sizeof other, "link %d", j + 1);
      add_ignored(b, other, name);
    }
  }
}

const ChBuiltin ch_builtin_pendulum = {"pendulum", "bars hinged to each other", pendulum_parameters, make_pendulum};

// -------------------------------------------------------------------------------------------------------- slider-crank

enum { CRANK, ROD, SPEED, CRANK_ANGLE };

static const ChSceneParameter crank_parameters[] = {
    CH_NUMBER("crank", "0.1", 0.01, 10, "length of the crank, m"),
    CH_NUMBER("rod", "0.3", 0.02, 100, "length of the connecting rod, m"),
    CH_NUMBER("speed", "10", -1000, 1000, "speed of the crank, radian/s"),
    CH_NUMBER("angle", "90", -360, 360, "angle of the crank at the start, degrees"),
    CH_PARAMETERS_END,
};

// Velocities of a bar whose ends move in the plane y = 0; `turn` is its angular velocity from x towards z.
static void set_motion(ChBuild* b, json_t* bar, ChVec3 from, ChVec3 to, double turn) {
  ch_build_velocity(b, bar, ch_scale(0.5, ch_add(from, to)));
  ch_build_set(b, bar, "omega", ch_build_vector(b, ch_vec(0.0, -turn, 0.0)));
}

// Three hinges and a slider in space: a closed loop with three rows more than it needs. It starts at its speed.
static void make_crank(ChBuild* b) {
  double r = b->number[CRANK], l = b->number[ROD], a = b->number[CRANK_ANGLE] * DEGREE, half = 0.1 * r;
  if (!(l > 1.5 * r)) {
    snprintf(b->why, sizeof b->why, "rod is %g m, must be longer than 1.5 times the crank of %g m", l, r);
    return;
  }
  ChVec3 origin = {0}, pin = ch_vec(r * cos(a), 0.0, r * sin(a)), X = ch_vec(1.0, 0.0, 0.0);
  double reach = sqrt(l * l - pin.z * pin.z), w = b->number[SPEED];
  ChVec3 wrist = ch_vec(pin.x + reach, 0.0, 0.0), pin_velocity = ch_vec(-w * pin.z, 0.0, w * pin.x);
  ChVec3 wrist_velocity = ch_vec(-w * pin.z * (1.0 + pin.x / reach), 0.0, 0.0);
  ch_build_begin(b, "slider-crank", "A crank turned at a given speed drives a slider.", 3);
  ch_build_step(b, 1e-3, 5.0, 0.0);
  ch_build_material(b, "steel", 7800.0, 0.0, 0.0);
  set_motion(b, add_bar(b, "crank", origin, pin, half, "steel"), origin, pin_velocity, w);
  set_motion(b, add_bar(b, "rod", pin, wrist, half, "steel"), pin_velocity, wrist_velocity, -w * pin.x / reach);
  json_t* slider = ch_build_body(b, "slider", wrist);
  ch_build_velocity(b, slider, wrist_velocity);
  ch_build_box(b, slider, ch_scale(2.0, ch_vec(half, half, half)), "steel");
  json_t* drive = add_joint(b, "hinge", "ground", "crank", origin, ch_neg(Y));
  ch_build_set(b, drive, "axes", json_pack("[{s:s, s:{s:f}}]", "drive", "prescribed", "target", "rate", w));
  add_joint(b, "hinge", "crank", "rod", pin, Y);
  add_joint(b, "hinge", "rod", "slider", wrist, Y);
  add_joint(b, "slider", "ground", "slider", wrist, X);
  add_ignored(b, "crank", "slider");
}

const ChBuiltin ch_builtin_slider_crank = {"slider-crank", "crank, rod and slider: a closed loop", crank_parameters,
                                           make_crank};

// -------------------------------------------------------------------------------------------------------- painleve-rod

// A rod of length 2 whose tip slides towards the side from which the rod leans away. With mass 1 and inertia 1/3 the
// tip's acceleration by a unit normal force is 1 + 3 cos a (cos a - mu sin a); where that is negative, no finite force
// is an answer. The smallest such mu is 4/3, at tan a = 2.
enum { ROD_MU, ROD_ANGLE, ROD_SPEED };

static const ChSceneParameter rod_parameters[] = {
    CH_NUMBER("mu", "1.5", 0, 100, "friction coefficient; above 4/3 some angles admit no finite force"),
    CH_NUMBER("angle", "63.43494882292201", 1, 89, "angle of the rod from the floor, degrees"),
    CH_NUMBER("speed", "2", 0, 1000, "speed along the floor at the start, m/s"),
    CH_PARAMETERS_END,
};

static void make_rod(ChBuild* b) {
  double a = b->number[ROD_ANGLE] * DEGREE;
  ch_build_begin(b, "painleve-rod", "Painleve's rod: its tip slides, and friction presses it into the floor.", 2);
  ch_build_step(b, 1e-3, 2.0, 0.0);
  ch_build_material(b, "chalk", 1000.0, b->number[ROD_MU], 0.0);
  ch_build_floor(b, "chalk");
  json_t* rod = ch_build_body(b, "rod", ch_vec(0.0, sin(a), 0.0));
  ch_build_turned(b, rod, Y, b->number[ROD_ANGLE]);
  ch_build_velocity(b, rod, ch_vec(-b->number[ROD_SPEED], 0.0, 0.0));
  ch_build_set(b, rod, "mass", json_real(1.0));
  ch_build_set(b, rod, "inertia", json_real(1.0 / 3.0));
  json_t* needle = ch_build_shape(b, rod, "polygon", "chalk");  // both tips lie on the axis
  ch_build_set(b, needle, "points", json_pack("[[f,f],[f,f],[f,f],[f,f]]", -1.0, 0.0, 0.0, -0.02, 1.0, 0.0, 0.0, 0.02));
}

const ChBuiltin ch_builtin_painleve_rod = {"painleve-rod", "rod whose sliding tip may jam", rod_parameters, make_rod};

// -------------------------------------------------------------------------------------------------------- spinning-top

enum { SPIN, TILT, TOP_MU };

static const ChSceneParameter top_parameters[] = {
    CH_NUMBER("spin", "150", -10000, 10000, "spin about the top's axis, radian/s"),
    CH_NUMBER("tilt", "15", 0, 60, "angle of the axis from the vertical, degrees"),
    CH_NUMBER("mu", "0.3", 0, 10, "friction coefficient"),
    CH_PARAMETERS_END,
};

static void make_top(ChBuild* b) {
  const double tip = 0.004;
  double a = b->number[TILT] * DEGREE, spin = b->number[SPIN];
  ch_build_begin(b, "spinning-top", "A top on its round tip.", 3);
  ch_build_step(b, 5e-4, 10.0, 1e-3);
  ch_build_material(b, "wood", 700.0, b->number[TOP_MU], 0.0);
  ch_build_floor(b, "wood");
  json_t* top = ch_build_body(b, "top", ch_vec(0.0, 0.0, tip));  // its frame begins in the middle of the tip
  ch_build_turned(b, top, Y, b->number[TILT]);
  ch_build_set(b, top, "omega", ch_build_vector(b, ch_vec(spin * sin(a), 0.0, spin * cos(a))));
  json_t* stem = ch_build_round(b, top, "capsule", tip, "wood");
  ch_build_set(b, stem, "half_length", json_real(0.03));
  ch_build_set(b, stem, "at", ch_build_vector(b, ch_vec(0.0, 0.0, 0.03)));
  json_t* disk = ch_build_round(b, top, "cylinder", 0.03, "wood");
  ch_build_set(b, disk, "half_length", json_real(0.008));
  ch_build_set(b, disk, "at", ch_build_vector(b, ch_vec(0.0, 0.0, 0.03)));
}

const ChBuiltin ch_builtin_spinning_top = {"spinning-top", "top on its round tip", top_parameters, make_top};

// ------------------------------------------------------------------------------------------------------ newtons-cradle

enum { BALLS, GAP, E, RAISED };

static const ChSceneParameter cradle_parameters[] = {
    CH_WHOLE("balls", "5", 1, 100, "balls of radius 0.05 m on massless bars of 0.5 m"),
    CH_NUMBER("gap", "1e-4", 0, 0.05, "gap between neighbours at rest, m; 0: they touch"),
    CH_NUMBER("e", "1", 0, 1, "restitution"),
    CH_NUMBER("angle", "30", 0, 90, "angle by which the first ball is raised, degrees"),
    CH_PARAMETERS_END,
};

static void make_cradle(ChBuild* b) {
  const double r = 0.05, length = 0.5;
  int balls = (int)b->number[BALLS];
  double a = b->number[RAISED] * DEGREE;
  ch_build_begin(b, "newtons-cradle", "Balls on pendulums; the first one is raised and released.", 3);
  ch_build_step(b, 1e-3, 5.0, 2e-3);
  ch_build_material(b, "steel", 7800.0, 0.0, b->number[E]);
  for (int k = 0; k < balls; ++k) {
    ChVec3 pivot = ch_vec(k * (2.0 * r + b->number[GAP]), 0.0, length);
    ChVec3 hang = k == 0 ? ch_vec(-length * sin(a), 0.0, -length * cos(a)) : ch_vec(0.0, 0.0, -length);
    char name[32];
    snprintf(name, sizeof name, "ball %d", k + 1);
    ch_build_round(b, ch_build_body(b, name, ch_add(pivot, hang)), "sphere", r, "steel");
    add_joint(b, "hinge", "ground", name, pivot, Y);
  }
}

const ChBuiltin ch_builtin_newtons_cradle = {"newtons-cradle", "balls on pendulums that hit each other",
                                             cradle_parameters, make_cradle};

// -------------------------------------------------------------------------------------------------------------- domino

enum { DOMINO_N, SPACING, DOMINO_MU };

static const ChSceneParameter domino_parameters[] = {
    CH_WHOLE("n", "20", 1, 1500, "dominoes, 48 mm high and 8 mm thick"),
    CH_NUMBER("spacing", "0.024", 0.019, 0.05, "distance from one domino to the next, m"),
    CH_NUMBER("mu", "0.4", 0, 10, "friction coefficient"),
    CH_PARAMETERS_END,
};

// The first one leans on its lower edge, a little beyond balance (9.46 degrees), at the edge's gap zero.
static void make_domino(ChBuild* b) {
  const ChVec3 half = {0.004, 0.012, 0.024};
  const double lean = 12.0, a = lean * DEGREE;
  int n = (int)b->number[DOMINO_N];
  ch_build_begin(b, "domino", "Dominoes in a row, the first of which falls.", 3);
  ch_build_step(b, 1e-3, 2.0, 1e-3);
  ch_build_material(b, "domino", 1400.0, b->number[DOMINO_MU], 0.0);
  ch_build_floor(b, "domino");
  for (int k = 0; k < n; ++k) {
    double x = (k - 0.5 * (n - 1)) * b->number[SPACING], edge = x + half.x;
    ChVec3 leaning = ch_vec(edge - half.x * cos(a) + half.z * sin(a), 0.0, half.x * sin(a) + half.z * cos(a));
    json_t* domino = ch_build_numbered(b, "domino", k + 1, k == 0 ? leaning : ch_vec(x, 0.0, half.z));
    if (k == 0) ch_build_turned(b, domino, Y, lean);
    ch_build_box(b, domino, half, "domino");
  }
}

const ChBuiltin ch_builtin_domino = {"domino", "dominoes in a row", domino_parameters, make_domino};
