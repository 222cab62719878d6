// Built-in scene periodic-cell: grains in a cell that repeats itself along x and y, sheared between two layers of
// grains that are one body each, or falling on a plane.
#include <math.h>
#include <stdint.h>
#include <string.h>

#include "scene/builtin/builtin.h"

enum { N, ACROSS, CASE, SPEED, MU, CONTACT };

// Radius of the largest grains and the mean one's share of it, what each of them has at the start, and the share of the
// room between the walls that grains fill when the upper one has come down, which takes so many seconds.
static const double RADIUS = 0.1, MEAN = 0.97, PITCH = 0.206, SOLID = 0.54, SQUEEZE = 0.5;

static const ChSceneParameter parameters[] = {
    CH_WHOLE("n", "200", 1, 100000, "spheres of radius 0.094 to 0.1 m"),
    CH_WHOLE("across", "5", 3, 300, "spheres along a side of the cell"),
    CH_WORD("case", "shear", "shear|settle",
            "shear: between rough walls, of which the upper slides along x; settle: grains fall on a plane"),
    CH_NUMBER("speed", "0.5", -100, 100, "speed of the upper wall, m/s"),
    CH_NUMBER("mu", "0.5", 0, 10, "friction coefficient"),
    CH_CONTACT_WORD,
    CH_PARAMETERS_END,
};

// Uniform in (-0.5, 0.5), the same on every machine.
static double jitter(uint32_t* state) {
  *state = *state * 1664525u + 1013904223u;
  return (double)(*state >> 8) / 16777216.0 - 0.5;
}

static void add_cell(ChBuild* b, double length) {
  json_t* cell = json_pack("{s:[f,f], s:[f,f]}", "x", 0.0, length, "y", 0.0, length);
  ch_build_set(b, b->root, "periodic", cell);
}

// One layer of balls as one body: a rough wall without an end.
static json_t* add_layer(ChBuild* b, const char* name, int across, double height) {
  json_t* body = ch_build_body(b, name, ch_vec(0.0, 0.0, height));
  for (int k = 0; k < across * across; ++k) {
    json_t* ball = ch_build_round(b, body, "sphere", RADIUS, "grain");
    ch_build_set(b, ball, "at",
                 ch_build_vector(b, ch_vec((k % across + 0.5) * PITCH, (k / across + 0.5) * PITCH, 0.0)));
  }
  return body;
}

// The upper layer slides from the beginning, and comes down until grains fill so much of the room between.
static void add_walls(ChBuild* b, int n, int across, double height) {
  double length = PITCH * across, ball = 4.0 / 3.0 * M_PI * pow(RADIUS, 3.0);
  double volume = ball * (n * pow(MEAN, 3.0) + across * across);
  ch_build_gravity(b, ch_vec(0.0, 0.0, 0.0));
  ch_build_fixed(b, add_layer(b, "floor", across, 0.0));
  json_t* lid = add_layer(b, "lid", across, height);
  double drop = fmax(height - volume / (SOLID * length * length), 0.0);
  json_t* down = json_pack("{s:[[f,f],[f,f]]}", "table", 0.0, 0.0, SQUEEZE, -drop);
  ch_build_set(b, lid, "motion", json_pack("[{s:f}, f, o]", "rate", b->number[SPEED], 0.0, down));
}

static void add_plane(ChBuild* b) {
  json_t* floor = ch_build_body(b, "floor", ch_vec(0.0, 0.0, 0.5 * PITCH));
  ch_build_fixed(b, floor);
  ch_build_shape(b, floor, "halfspace", "grain");
}

static void make(ChBuild* b) {
  int n = (int)b->number[N], across = (int)b->number[ACROSS], layers = (n + across * across - 1) / (across * across);
  bool yields = strcmp(b->word[CONTACT], "compliant") == 0;
  uint32_t state = 2718;
  ch_build_begin(b, "periodic-cell", "Grains in a cell that is periodic along x and y.", 3);
  ch_build_step(b, yields ? 1e-3 : 2e-3, 5.0, 0.0);
  if (yields) ch_build_compliant(b, 1e-3);
  add_cell(b, PITCH * across);
  ch_build_material(b, "grain", 2500.0, b->number[MU], 0.0);
  if (strcmp(b->word[CASE], "shear") == 0)
    add_walls(b, n, across, PITCH * (layers + 1));
  else
    add_plane(b);
  for (int k = 0; k < n; ++k) {
    int ix = k % across, iy = k / across % across, iz = k / (across * across);
    double r = RADIUS * (MEAN + 0.06 * jitter(&state)), room = 0.5 * PITCH - RADIUS;
    ChVec3 at = ch_vec((ix + 0.5) * PITCH + room * jitter(&state), (iy + 0.5) * PITCH + room * jitter(&state),
                       (iz + 1.0) * PITCH + room * jitter(&state));
    ch_build_round(b, ch_build_numbered(b, "grain", k + 1, at), "sphere", r, "grain");
  }
}

const ChBuiltin ch_builtin_periodic_cell = {"periodic-cell", "grains in a cell without walls, sheared or settling",
                                            parameters, make};
