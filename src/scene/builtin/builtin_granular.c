// Built-in scenes of many round bodies: box-of-spheres, cannonball, hourglass, hopper. The pile is among them
// too.
#include <math.h>
#include <stdint.h>

#include "scene/builtin/builtin.h"
#include "scene/builtin/filling.h"

static const double PI = 3.141592653589793;

// ------------------------------------------------------------------------------------------------- pile and cannonball

// A triangle of rows of n, n - 1, ... 1: centres ((2 i + k - (n - 1)) r, r + k r sqrt 3).
static void add_triangle(ChBuild* b, int n, double r, const char* name) {
  bool plane = b->dimension == 2;
  int count = 0;
  for (int k = 0; k < n; ++k)
    for (int i = 0; i < n - k; ++i) {
      double x = (2 * i + k - (n - 1)) * r, up = r + k * r * sqrt(3.0);
      json_t* body = ch_build_numbered(b, name, ++count, plane ? ch_vec(x, up, 0.0) : ch_vec(x, 0.0, up));
      if (!plane) ch_build_locked(b, body);
      ch_build_round(b, body, plane ? "disk" : "sphere", r, name);
    }
}

enum { PILE_N, PILE_MU, PLANE };

static const ChSceneParameter pile_parameters[] = {
    CH_WHOLE("n", "20", 1, 190, "spheres in the bottom row"),
    CH_NUMBER("mu", "0.8", 0, 10, "friction coefficient"),
    CH_WHOLE("plane", "0", 0, 1, "1: disks in the plane; 0: spheres held to the plane y = 0"),
    CH_PARAMETERS_END,
};

static void make_pile(ChBuild* b) {
  ch_build_begin(b, "pile", "Equal round bodies in a triangle, rows of n, n - 1, ... 1.",
                 b->number[PLANE] != 0 ? 2 : 3);
  ch_build_step(b, 1e-3, 10.0, 0.0);
  ch_build_material(b, "ball", 1000.0, b->number[PILE_MU], 0.0);
  ch_build_floor(b, "ball");
  add_triangle(b, (int)b->number[PILE_N], 0.1, "ball");
}

const ChBuiltin ch_builtin_pile = {"pile", "triangular pile of spheres or disks", pile_parameters, make_pile};

enum { BASE, CANNONBALL_MU };

static const ChSceneParameter cannonball_parameters[] = {
    CH_WHOLE("base", "6", 1, 200, "disks in the bottom row, of diameter 3 m"),
    CH_NUMBER("mu", "0.05", 0, 10, "friction coefficient"),
    CH_PARAMETERS_END,
};

static void make_cannonball(ChBuild* b) {
  int base = (int)b->number[BASE];
  ch_build_begin(b, "cannonball", "Disks of diameter 3 m in a triangle on a plank, in the plane.", 2);
  ch_build_step(b, 0.05, 10.0, 0.0);
  ch_build_material(b, "disk", 1000.0, b->number[CANNONBALL_MU], 0.0);
  json_t* plank = ch_build_body(b, "plank", ch_vec(0.0, -0.5, 0.0));
  ch_build_fixed(b, plank);
  ch_build_box(b, plank, ch_vec(10.0 * base, 0.5, 0.0), "disk");
  add_triangle(b, base, 1.5, "disk");
}

const ChBuiltin ch_builtin_cannonball = {"cannonball", "disks in a triangle on a plank, in the plane",
                                         cannonball_parameters, make_cannonball};

// ----------------------------------------------------------------------------------------------------- spheres that
// fall

enum { BOX_N, BOX_MU, BOX_ACROSS, BOX_CONTACT };

static const ChSceneParameter box_parameters[] = {
    CH_WHOLE("n", "1000", 1, 1000000, "spheres of radius 0.1 m"),
    CH_NUMBER("mu", "0.5", 0, 10, "friction coefficient"),
    CH_WHOLE("across", "0", 0, 1000, "spheres along a side of the box; 0: as many as there are layers"),
    CH_CONTACT_WORD,
    CH_PARAMETERS_END,
};

// m x m spheres a layer at pitch 0.22, with m the cube root of n unless it is given; the walls leave 0.01 besides.
static void make_box(ChBuild* b) {
  int n = (int)b->number[BOX_N], across = (int)b->number[BOX_ACROSS], m = across > 0 ? across : (int)lround(cbrt(n));
  double inner = 0.11 * m + 0.01, height = fmax(8.0, 0.22 * (n / (m * m) + 2)), wall = 0.5;
  uint32_t state = 12345;
  ch_build_begin(b, "box-of-spheres", "Spheres that fall into a box and settle.", 3);
  ch_grains_law(b, b->word[BOX_CONTACT], 5.0, (ChGrainStep){1e-3, 0.0}, (ChGrainStep){0.01, 0.0});
  ch_build_material(b, "ball", 1000.0, b->number[BOX_MU], 0.0);
  ch_build_floor(b, "ball");
  json_t* walls = ch_build_body(b, "walls", ch_vec(0.0, 0.0, 0.5 * height));
  ch_build_fixed(b, walls);
  for (int k = 0; k < 4; ++k) {
    double side = (k & 1 ? 1.0 : -1.0) * (inner + wall), half = inner + 2.0 * wall;
    json_t* box =
        ch_build_box(b, walls, k < 2 ? ch_vec(wall, half, 0.5 * height) : ch_vec(half, wall, 0.5 * height), "ball");
    ch_build_set(b, box, "at", ch_build_vector(b, k < 2 ? ch_vec(side, 0.0, 0.0) : ch_vec(0.0, side, 0.0)));
  }
  for (int k = 0; k < n; ++k) {
    int ix = k % m, iy = k / m % m, iz = k / (m * m);
    double x = (ix - 0.5 * (m - 1)) * 0.22 + 0.018 * ch_grains_jitter(&state);
    double y = (iy - 0.5 * (m - 1)) * 0.22 + 0.018 * ch_grains_jitter(&state);
    ch_build_round(b, ch_build_numbered(b, "ball", k + 1, ch_vec(x, y, 0.12 + 0.22 * iz)), "sphere", 0.1, "ball");
  }
}

const ChBuiltin ch_builtin_box_of_spheres = {"box-of-spheres", "spheres that fall into a box and settle",
                                             box_parameters, make_box};

// ------------------------------------------------------------------------------------------------------------- vessels

enum { GLASS_N, GLASS_MU, NECK, GLASS_CONTACT };

static const ChSceneParameter hourglass_parameters[] = {
    CH_WHOLE("n", "200", 1, 100000, "grains of radius 0.02 m"),
    CH_NUMBER("mu", "0.3", 0, 10, "friction coefficient"),
    CH_NUMBER("neck", "0.1", 0.03, 0.3, "radius of the neck, m"),
    CH_CONTACT_WORD,
    CH_PARAMETERS_END,
};

static void make_hourglass(ChBuild* b) {
  const double r = 0.02, wide = 0.35, cone = 0.4;
  int n = (int)b->number[GLASS_N];
  double neck = b->number[NECK], depth = cone + fmax(0.2, 1e-4 * n);
  ch_build_begin(b, "hourglass", "Grains that run through a neck.", 3);
  ch_grains_law(b, b->word[GLASS_CONTACT], 3.0, (ChGrainStep){1e-3, 0.25 * r}, (ChGrainStep){2e-3, 1e-3});
  ch_build_material(b, "grain", 2500.0, b->number[GLASS_MU], 0.0);
  double top = cone + 2.0 * r + 2.2 * r * (2 + n / 100);  // more than 100 grains a layer
  const ChVesselCorner glass[] = {{0.0, -depth}, {wide, -depth}, {wide, -cone}, {neck, 0.0}, {wide, cone}, {wide, top}};
  ch_grains_vessel(b, "glass", 6, glass, "grain");
  ch_grains_column(b, "grain", n, r, wide * cos(PI / CH_VESSEL_SIDES), cone + r, "grain");
}

const ChBuiltin ch_builtin_hourglass = {"hourglass", "grains that run through a neck", hourglass_parameters,
                                        make_hourglass};

enum { HOPPER_N, HOPPER_MU, ORIFICE, ANGLE, HOPPER_CONTACT };

static const ChSceneParameter hopper_parameters[] = {
    CH_WHOLE("n", "2000", 1, 100000, "grains of radius 0.02 m"),
    CH_NUMBER("mu", "0.4", 0, 10, "friction coefficient"),
    CH_NUMBER("orifice", "0.12", 0.03, 0.3, "radius of the orifice, m"),
    CH_NUMBER("angle", "45", 15, 75, "angle of the hopper's wall from the vertical, degrees"),
    CH_CONTACT_WORD,
    CH_PARAMETERS_END,
};

// A cylinder on a cone with an orifice, over a bin that holds what runs out. One surface: the bin's roof leads up to
// the orifice, so that no rim stands in the air.
static void make_hopper(ChBuild* b) {
  const double r = 0.02, wide = 0.4, packed = 0.55;
  int n = (int)b->number[HOPPER_N];
  double orifice = b->number[ORIFICE], cone = (wide - orifice) / tan(b->number[ANGLE] * PI / 180.0);
  double fill = n * 4.0 / 3.0 * r * r * r / (packed * wide * wide);  // depth of all grains in the bin
  double roof = -(wide - orifice), bottom = roof - 1.2 * fill - 4.0 * r;
  ch_build_begin(b, "hopper", "Grains that run out of a hopper into a bin.", 3);
  ch_grains_law(b, b->word[HOPPER_CONTACT], 6.0, (ChGrainStep){2.5e-4, 0.15 * r}, (ChGrainStep){2e-3, 0.4 * r});
  ch_build_material(b, "grain", 2500.0, b->number[HOPPER_MU], 0.0);
  double top = cone + 2.0 * r + 2.2 * r * (2 + n / 150);  // more than 150 grains a layer
  const ChVesselCorner walls[] = {{0.0, bottom},  {wide, bottom}, {wide, roof},
                                  {orifice, 0.0}, {wide, cone},   {wide, top}};
  ch_grains_vessel(b, "hopper", 6, walls, "grain");
  ch_grains_column(b, "grain", n, r, wide * cos(PI / CH_VESSEL_SIDES), cone + r, "grain");
}

const ChBuiltin ch_builtin_hopper = {"hopper", "grains that run out of a hopper into a bin", hopper_parameters,
                                     make_hopper};
