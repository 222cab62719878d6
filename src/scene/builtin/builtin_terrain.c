// Built-in scene terrain: bodies that land on hills, a height field.
#include <math.h>
#include <stdint.h>

#include "scene/builtin/builtin.h"

enum { CELLS, BODIES, HEIGHT, MU };

static const double WIDTH = 8.0;
enum { WAVES = 5 };

static const ChSceneParameter parameters[] = {
    CH_WHOLE("cells", "80", 2, 1000, "cells of the ground along a side of 8 m"),
    CH_WHOLE("bodies", "24", 1, 2000, "bodies that come down on the ground"),
    CH_NUMBER("height", "0.5", 0, 5, "approximate height of the hills, m"),
    CH_NUMBER("mu", "0.5", 0, 10, "friction coefficient"),
    CH_PARAMETERS_END,
};

// Uniform in (0, 1), the same on every machine.
static double uniform(uint32_t* state) {
  *state = *state * 1664525u + 1013904223u;
  return (double)(*state >> 8) / 16777216.0;
}

typedef struct Wave {
  double x, y, phase, size;
} Wave;

// Each next wave is shorter and lower.
static void make_waves(Wave waves[WAVES], double height) {
  uint32_t state = 31;
  for (int k = 0; k < WAVES; ++k) {
    double turn = 2.0 * M_PI * uniform(&state), number = 2.0 * M_PI / WIDTH * pow(1.7, k);
    waves[k] = (Wave){number * cos(turn), number * sin(turn), 2.0 * M_PI * uniform(&state), height * pow(0.55, k)};
  }
}

static double height_at(const Wave waves[WAVES], double x, double y) {
  double z = 0.0;
  for (int k = 0; k < WAVES; ++k) z += waves[k].size * sin(waves[k].x * x + waves[k].y * y + waves[k].phase);
  return round(z * 1e6) * 1e-6;  // what a file would hold
}

static void add_ground(ChBuild* b, const Wave waves[WAVES]) {
  int cells = (int)b->number[CELLS];
  double cell = WIDTH / cells;
  json_t* rows = json_array();
  for (int j = 0; j <= cells; ++j) {
    json_t* row = json_array();
    for (int i = 0; i <= cells; ++i) json_array_append_new(row, json_real(height_at(waves, i * cell, j * cell)));
    json_array_append_new(rows, row);
  }
  json_t* ground = ch_build_body(b, "ground plate", ch_vec(0.0, 0.0, 0.0));
  ch_build_fixed(b, ground);
  json_t* field = ch_build_shape(b, ground, "heightfield", "stone");
  ch_build_set(b, field, "cell", json_real(cell));
  ch_build_set(b, field, "heights", rows);
}

// Boxes, balls, barrels and sausages in turn, in layers of 16.
static void add_body(ChBuild* b, int number, const Wave waves[WAVES], uint32_t* state) {
  static const char* const names[] = {"box", "ball", "barrel", "capsule"};
  int place = number % 16;
  double x = WIDTH * (0.2 + 0.2 * (place % 4)) + 0.3 * uniform(state);
  double y = WIDTH * (0.2 + 0.2 * (place / 4)) + 0.3 * uniform(state);
  double z = height_at(waves, x, y) + 0.8 + 0.7 * (number / 16);
  json_t* body = ch_build_numbered(b, names[number % 4], number + 1, ch_vec(x, y, z));
  if (number % 4 == 0) {
    ch_build_box(b, body, ch_vec(0.2, 0.15, 0.1), "stone");
    return;
  }
  static const char* const types[] = {"", "sphere", "cylinder", "capsule"};
  json_t* shape = ch_build_round(b, body, types[number % 4], number % 4 == 1 ? 0.16 : 0.12, "stone");
  if (number % 4 > 1) ch_build_set(b, shape, "half_length", json_real(0.18));
}

static void make(ChBuild* b) {
  Wave waves[WAVES];
  uint32_t state = 99;
  make_waves(waves, b->number[HEIGHT]);
  ch_build_begin(b, "terrain", "Bodies land on hills, a height field.", 3);
  ch_build_step(b, 2e-3, 4.0, 0.0);
  ch_build_material(b, "stone", 2500.0, b->number[MU], 0.0);
  add_ground(b, waves);
  for (int k = 0; k < (int)b->number[BODIES]; ++k) add_body(b, k, waves, &state);
}

const ChBuiltin ch_builtin_terrain = {"terrain", "bodies that land on hills", parameters, make};
