// Built-in scene periodic-cell: grains between two planes in a cell that repeats itself along x and y.
#include <math.h>
#include <stdint.h>
#include <string.h>

#include "scene/builtin/builtin.h"

enum { N, ACROSS, CASE, SPEED, MU, CONTACT };

static const double RADIUS = 0.1, PITCH = 0.22;

static const ChSceneParameter parameters[] = {
    CH_WHOLE("n", "200", 1, 100000, "spheres of radius 0.094 to 0.1 m"),
    CH_WHOLE("across", "5", 3, 300, "spheres along a side of the cell"),
    CH_WORD("case", "shear", "shear|settle", "a lid that slides along x, or grains that fall on the floor"),
    CH_NUMBER("speed", "0.5", -100, 100, "of the lid, m/s"),
    CH_NUMBER("mu", "0.5", 0, 10, "friction coefficient"),
    CH_CONTACT_WORD,
    CH_PARAMETERS_END,
};

// Uniform in (-0.5, 0.5), the same on every machine.
static double jitter(uint32_t* state) {
  *state = *state * 1664525u + 1013904223u;
  return (double)(*state >> 8) / 16777216.0 - 0.5;
}

static void add_plane(ChBuild* b, json_t* body, double up) {
  json_t* plane = ch_build_shape(b, body, "halfspace", "grain");
  ch_build_set(b, plane, "normal", ch_build_vector(b, ch_vec(0.0, 0.0, up)));
}

static void add_cell(ChBuild* b, double length) {
  json_t* cell = json_pack("{s:[f,f], s:[f,f]}", "x", 0.0, length, "y", 0.0, length);
  ch_build_set(b, b->root, "periodic", cell);
}

static void add_lid(ChBuild* b, double height) {
  json_t* lid = ch_build_body(b, "lid", ch_vec(0.0, 0.0, height));
  ch_build_set(b, lid, "motion", json_pack("[{s:f}, f, f]", "rate", b->number[SPEED], 0.0, 0.0));
  add_plane(b, lid, -1.0);
}

static void make(ChBuild* b) {
  int n = (int)b->number[N], across = (int)b->number[ACROSS], layers = (n + across * across - 1) / (across * across);
  bool shear = strcmp(b->word[CASE], "shear") == 0, yields = strcmp(b->word[CONTACT], "compliant") == 0;
  double length = PITCH * across;
  uint32_t state = 2718;
  ch_build_begin(b, "periodic-cell", "Grains in a cell that repeats itself along x and y.", 3);
  ch_build_step(b, yields ? 1e-3 : 2e-3, 5.0, 0.0);
  if (yields) ch_build_compliant(b, 1e-3);
  add_cell(b, length);
  ch_build_material(b, "grain", 2500.0, b->number[MU], 0.0);
  json_t* floor = ch_build_body(b, "floor", ch_vec(0.0, 0.0, 0.0));
  ch_build_fixed(b, floor);
  add_plane(b, floor, 1.0);
  if (shear) add_lid(b, PITCH * layers + 0.02);
  for (int k = 0; k < n; ++k) {
    int ix = k % across, iy = k / across % across, iz = k / (across * across);
    double r = RADIUS * (0.97 + 0.06 * jitter(&state)), room = 0.5 * (PITCH - 2.0 * RADIUS);
    ChVec3 at = ch_vec((ix + 0.5) * PITCH + room * jitter(&state), (iy + 0.5) * PITCH + room * jitter(&state),
                       (iz + 0.5) * PITCH + room * jitter(&state));
    ch_build_round(b, ch_build_numbered(b, "grain", k + 1, at), "sphere", r, "grain");
  }
}

const ChBuiltin ch_builtin_periodic_cell = {"periodic-cell", "grains in a cell without walls, sheared or settling",
                                            parameters, make};
