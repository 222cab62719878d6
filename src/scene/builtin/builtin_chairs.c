// Built-in scene chairs: plastic chairs that slide down a surface as it inclines (004 7.3.2, Fig 7.3; requirement H31).
//
// The surface turns about its middle line, from one slope to another and at a steady rate. Friction bends the legs
// back, they snap forward, and chatter.
#include <math.h>
#include <string.h>

#include "scene/builtin/builtin.h"

static const double DEGREE = 3.141592653589793 / 180.0;
static const ChVec3 Y = {0.0, 1.0, 0.0}, Z = {0.0, 0.0, 1.0};

enum { N, MU, FROM, TO, RATE, YOUNG, MODES, CELLS, FACING, DAMPING, FLOOR };

static const ChSceneParameter parameters[] = {
    CH_WHOLE("n", "6", 1, 1000, "chairs, 0.9 m high"),
    CH_NUMBER("mu", "0.5", 0, 10, "friction coefficient"),
    CH_NUMBER("from", "15", 0, 80, "slope at the start, degrees"),
    CH_NUMBER("to", "30", 0, 80, "slope at the end, degrees"),
    CH_NUMBER("rate", "10", 0.01, 1000, "rate at which the slope grows, degrees/s"),
    CH_NUMBER("young", "1.2e9", 1e5, 1e12, "Young's modulus, Pa: polypropylene"),
    CH_WHOLE("modes", "14", 1, 58, "of a chair"),
    CH_WHOLE("cells", "2", 1, 12, "cells of the mesh across a leg; a foot has one more corner along each side"),
    CH_NUMBER("facing", "0", -180, 180, "direction that the chairs face, degrees: 0 downhill, 90 across"),
    CH_NUMBER("damping", "5e-5", 0, 1, "Rayleigh's beta, s: a mode of f Hz has the ratio pi f beta"),
    CH_WORD("floor", "off", "off|on",
            "whether there is level ground at the foot of the slope, on which chairs come to rest"),
    CH_PARAMETERS_END,
};

static const double HEIGHT = 0.9, PITCH = 0.8;

// Chairs stand in rows across the slope; `place` is along the surface, its y across.
static void add_chair(ChBuild* b, int number, ChVec3 place) {
  double a = b->number[FROM] * DEGREE, half = 0.5 * HEIGHT;
  ChVec3 at = ch_vec(place.x * cos(a) + half * sin(a), place.y, half * cos(a) - place.x * sin(a));
  json_t* chair = ch_build_numbered(b, "chair", number, at);
  // A chair's front is where its y is least: a quarter turn makes that downhill, towards positive x.
  ChQuat turn = ch_quat_product(ch_quat_about(Y, a), ch_quat_about(Z, (90.0 + b->number[FACING]) * DEGREE));
  ch_build_set(b, chair, "orientation", json_pack("[f,f,f,f]", turn.w, turn.x, turn.y, turn.z));
  int cells = (int)b->number[CELLS];
  ch_build_soft(b, chair,
                &(ChBuildSoft){.model = "modal",
                               .shape = "chair",
                               .material = "plastic",
                               .size = ch_vec(0.45, 0.45, HEIGHT),
                               .cells = {cells, cells < 4 ? 4 : cells, 8},
                               .young = b->number[YOUNG],
                               .poisson = 0.4,
                               .damping = {0.0, b->number[DAMPING]},
                               .modes = (int)b->number[MODES]});
}

static void add_surface(ChBuild* b, ChVec3 half) {
  double from = b->number[FROM] * DEGREE, to = b->number[TO] * DEGREE, rate = b->number[RATE] * DEGREE;
  json_t* surface = ch_build_body(b, "surface", ch_vec(0.0, 0.0, 0.0));
  ch_build_turned(b, surface, Y, b->number[FROM]);
  json_t* box = ch_build_box(b, surface, half, "plastic");
  ch_build_set(b, box, "at", ch_build_vector(b, ch_vec(0.0, 0.0, -half.z)));
  if (from == to) {
    ch_build_fixed(b, surface);
    return;
  }
  ch_build_set(b, surface, "axis", ch_build_vector(b, Y));
  ch_build_set(b, surface, "turn",
               json_pack("{s:[[f,f],[f,f]]}", "table", 0.0, 0.0, fabs(to - from) / rate, to - from));
}

// Where the lower end of the surface is in the end.
static void add_level(ChBuild* b, double height) {
  json_t* level = ch_build_body(b, "level", ch_vec(0.0, 0.0, height));
  ch_build_fixed(b, level);
  ch_build_shape(b, level, "halfspace", "plastic");
}

static void make_chairs(ChBuild* b) {
  int n = (int)b->number[N], across = (int)ceil(sqrt(n)), rows = (n + across - 1) / across;
  ch_build_begin(b, "chairs", "Plastic chairs that slide down a surface as it inclines; their legs chatter.", 3);
  ch_build_step(b, 1e-2, fmax(2.5, fabs(b->number[TO] - b->number[FROM]) / b->number[RATE] + 1.0), 2e-3);
  ch_build_tolerance(b, 1e-6);
  ch_build_material(b, "plastic", 900.0, b->number[MU], 0.0);
  const ChVec3 half = ch_vec(0.5 * PITCH * rows + 6.0, 0.5 * PITCH * across + 0.4, 0.1);
  add_surface(b, half);
  if (strcmp(b->word[FLOOR], "on") == 0) add_level(b, -half.x * sin(b->number[TO] * DEGREE));
  for (int k = 0; k < n; ++k)
    add_chair(b, k + 1,
              ch_vec((k / across - 0.5 * (rows - 1)) * PITCH - 3.0, (k % across - 0.5 * (across - 1)) * PITCH, 0.0));
}

const ChBuiltin ch_builtin_chairs = {"chairs", "plastic chairs whose legs chatter as they slide down a slope",
                                     parameters, make_chairs};
