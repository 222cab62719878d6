// Built-in scene haptic: a hand stirs soft and rigid bodies in a box, fast enough to be felt (004 7.8, Fig 7.9a;
// requirements H36, L12).
//
// The hand is a point that moves as a table says, in place of a device. As in haptic rendering it holds a tool through
// a spring and a damper: the spring's force is what the hand would feel. Three soft bodies of 6 + 12 degrees of
// freedom and three rigid ones, the tool among them: 72.
#include "scene/builtin/builtin.h"

enum { MU, YOUNG, SPEED, MARGIN, HOLD, HOLD_AT };

static const ChSceneParameter parameters[] = {
    CH_NUMBER("mu", "0.5", 0, 10, "friction coefficient"),
    CH_NUMBER("young", "2e5", 1e3, 1e12, "Young's modulus of the soft bodies, Pa"),
    CH_NUMBER("speed", "1", 0.01, 10, "speed of the hand, as a share of its normal speed: at 1, a round takes 8 s"),
    CH_NUMBER("margin", "5e-4", 1e-6, 1,
              "distance within which contacts are always listed, m; 2e-3 for steps of 10 ms"),
    CH_NUMBER("hold", "0", 0, 600, "time for which the hand stops on its way, s"),
    CH_NUMBER("hold-at", "2.6", 0.01, 7.99,
              "moment of that stop, s at speed 1: at 2.6 the hand presses ring and bar against the wall"),
    CH_PARAMETERS_END,
};

static const double INNER = 0.15, HIGH = 0.08;  // half the box inside, height of its walls

static void add_box(ChBuild* b) {
  const double wall = 0.02, half = INNER + 2.0 * wall;
  json_t* box = ch_build_body(b, "box", ch_vec(0.0, 0.0, 0.0));
  ch_build_fixed(b, box);
  for (int k = 0; k < 4; ++k) {
    double side = (k & 1 ? 1.0 : -1.0) * (INNER + wall);
    json_t* part =
        ch_build_box(b, box, k < 2 ? ch_vec(wall, half, 0.5 * HIGH) : ch_vec(half, wall, 0.5 * HIGH), "hard");
    ch_build_set(b, part, "at",
                 ch_build_vector(b, k < 2 ? ch_vec(side, 0.0, 0.5 * HIGH) : ch_vec(0.0, side, 0.5 * HIGH)));
  }
}

// Down into the box, through it from side to side, pushing what is there into a corner, up again, and once more. On its
// way the hand may hold.
static const double path[][4] = {{0.0, 0.0, 0.0, 0.0},     {1.0, 0.0, 0.0, -0.12},   {2.0, 0.18, 0.0, -0.12},
                                 {3.0, 0.18, 0.16, -0.12}, {4.0, 0.02, 0.16, -0.12}, {5.0, 0.16, 0.02, -0.12},
                                 {6.0, 0.22, 0.20, -0.12}, {7.0, 0.08, 0.10, -0.02}, {8.0, 0.0, 0.0, 0.0}};
enum { POINTS = sizeof path / sizeof *path };

static json_t* hand_table(const ChBuild* b, int axis) {
  const double hold = b->number[HOLD], speed = b->number[SPEED], when = b->number[HOLD_AT];
  json_t* table = json_array();
  for (int k = 0; k < POINTS; ++k) {
    bool after = hold > 0.0 && path[k][0] > when;
    if (after && path[k - 1][0] < when) {
      const double *from = path[k - 1], *to = path[k], part = (when - from[0]) / (to[0] - from[0]);
      double at = from[1 + axis] + part * (to[1 + axis] - from[1 + axis]);
      json_array_append_new(table, json_pack("[f,f]", when / speed, at));
      json_array_append_new(table, json_pack("[f,f]", when / speed + hold, at));
    } else if (after && path[k - 1][0] == when) {
      json_array_append_new(table, json_pack("[f,f]", when / speed + hold, path[k - 1][1 + axis]));
    }
    json_array_append_new(table, json_pack("[f,f]", path[k][0] / speed + (after ? hold : 0.0), path[k][1 + axis]));
  }
  return table;
}

static void add_hand(ChBuild* b, ChVec3 start) {
  json_t *hand = ch_build_body(b, "hand", start), *motion = json_array();
  for (int axis = 0; axis < 3; ++axis) json_array_append_new(motion, json_pack("{s:o}", "table", hand_table(b, axis)));
  ch_build_set(b, hand, "motion", motion);
}

// Critically damped for the tool's mass of 0.1 kg.
static void add_tool(ChBuild* b, ChVec3 at) {
  const double stiffness = 400.0, mass = 0.1;
  json_t* tool = ch_build_body(b, "tool", at);
  ch_build_set(b, tool, "mass", json_real(mass));
  ch_build_round(b, tool, "sphere", 0.02, "hard");
  json_t* spring = ch_build_entry(b, "forces", "spring");
  ch_build_set(b, spring, "bodies", json_pack("[s,s]", "hand", "tool"));
  ch_build_set(b, spring, "stiffness", json_real(stiffness));
  ch_build_set(b, spring, "damping", json_real(12.0));
  ch_build_set(b, spring, "length", json_real(0.0));
}

static void add_soft(ChBuild* b, const char* name, const char* shape, ChVec3 size, const int cells[3], ChVec3 at) {
  ch_build_soft(b, ch_build_body(b, name, at),
                &(ChBuildSoft){.model = "modal",
                               .shape = shape,
                               .material = "soft",
                               .size = size,
                               .cells = {cells[0], cells[1], cells[2]},
                               .young = b->number[YOUNG],
                               .poisson = 0.4,
                               .damping = {1.0, 2e-3},
                               .modes = 12});
}

static void make_haptic(ChBuild* b) {
  ch_build_begin(b, "haptic", "A hand on a prescribed path stirs soft and rigid bodies in a box.", 3);
  ch_build_step(b, 1e-3, 8.0 / b->number[SPEED] + b->number[HOLD], b->number[MARGIN]);
  ch_build_tolerance(b, 1e-6);
  ch_build_material(b, "soft", 500.0, b->number[MU], 0.0);
  ch_build_material(b, "hard", 1000.0, b->number[MU], 0.0);
  ch_build_floor(b, "hard");
  add_box(b);
  const ChVec3 start = ch_vec(-0.10, -0.09, 0.15);
  add_hand(b, start);
  add_tool(b, start);
  add_soft(b, "bar", "bar", ch_vec(0.2, 0.04, 0.04), (int[]){10, 3, 3}, ch_vec(0.03, 0.06, 0.0201));
  add_soft(b, "block", "block", ch_vec(0.08, 0.06, 0.05), (int[]){5, 4, 3}, ch_vec(0.0, 0.0, 0.0251));
  add_soft(b, "ring", "torus", ch_vec(0.1, 0.1, 0.03), (int[]){16, 2, 1}, ch_vec(0.09, -0.08, 0.0151));
  const double edge = 0.02;
  ch_build_box(b, ch_build_body(b, "cube", ch_vec(0.0, -0.08, edge)), ch_vec(edge, edge, edge), "hard");
  ch_build_round(b, ch_build_body(b, "ball", ch_vec(-0.1, 0.0, 0.025)), "sphere", 0.025, "hard");
}

const ChBuiltin ch_builtin_haptic = {"haptic", "a hand stirs soft and rigid bodies in a box, in steps of 1 ms",
                                     parameters, make_haptic};
