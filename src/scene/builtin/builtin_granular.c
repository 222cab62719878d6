// Built-in scenes of many round bodies: box-of-spheres, cannonball, hourglass, hopper, pebble-bed. The pile is
// among them too.
#include <math.h>
#include <stdint.h>
#include <string.h>

#include "scene/builtin/builtin.h"

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

typedef struct Stepping {
  double h, margin;  // margin 0: the default
} Stepping;

// Grains in motion have compliant contact, with steps at which every step is certified. Asked for an overlap of 0.1 %
// of a radius, a few contacts reach nearly 0.3 %. Rigid contact has steps of its own.
static void set_law(ChBuild* b, const char* law, double until, Stepping compliant, Stepping rigid) {
  bool yields = strcmp(law, "compliant") == 0;
  const Stepping* s = yields ? &compliant : &rigid;
  ch_build_step(b, s->h, until, s->margin);
  if (yields) ch_build_compliant(b, 1e-3);
}

// Small displacements that break the symmetry of a grid: uniform in (-0.5, 0.5), the same on every machine.
static double jitter(uint32_t* state) {
  *state = *state * 1664525u + 1013904223u;
  return (double)(*state >> 8) / 16777216.0 - 0.5;
}

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
  set_law(b, b->word[BOX_CONTACT], 5.0, (Stepping){1e-3, 0.0}, (Stepping){0.01, 0.0});
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
    double x = (ix - 0.5 * (m - 1)) * 0.22 + 0.018 * jitter(&state);
    double y = (iy - 0.5 * (m - 1)) * 0.22 + 0.018 * jitter(&state);
    ch_build_round(b, ch_build_numbered(b, "ball", k + 1, ch_vec(x, y, 0.12 + 0.22 * iz)), "sphere", 0.1, "ball");
  }
}

const ChBuiltin ch_builtin_box_of_spheres = {"box-of-spheres", "spheres that fall into a box and settle",
                                             box_parameters, make_box};

// ------------------------------------------------------------------------------------------------------------- vessels

enum { SIDES = 32 };

typedef struct Profile {
  double r, z;
} Profile;

// A surface of revolution about z, from its bottom on the axis to its rim; normals point to the inside.
static void add_vessel(ChBuild* b, const char* name, int count, const Profile* profile, const char* material) {
  json_t* body = ch_build_body(b, name, ch_vec(0.0, 0.0, 0.0));
  ch_build_fixed(b, body);
  json_t *shape = ch_build_shape(b, body, "mesh", material), *points = json_array(), *triangles = json_array();
  json_array_append_new(points, ch_build_vector(b, ch_vec(0.0, 0.0, profile[0].z)));
  for (int k = 1; k < count; ++k)
    for (int j = 0; j < SIDES; ++j) {
      double angle = 2.0 * PI * j / SIDES;
      ChVec3 p = ch_vec(profile[k].r * cos(angle), profile[k].r * sin(angle), profile[k].z);
      json_array_append_new(points, ch_build_vector(b, p));
      int next = (j + 1) % SIDES, ring = 1 + (k - 1) * SIDES, below = ring - SIDES;
      if (k == 1) {
        json_array_append_new(triangles, json_pack("[i,i,i]", 0, ring + j, ring + next));
        continue;
      }
      json_array_append_new(triangles, json_pack("[i,i,i]", below + j, ring + j, ring + next));
      json_array_append_new(triangles, json_pack("[i,i,i]", below + j, ring + next, below + next));
    }
  ch_build_set(b, shape, "points", points);
  ch_build_set(b, shape, "triangles", triangles);
}

// n spheres in layers from z0 upwards inside a circle of radius `room`; returns where the last layer ends.
static double add_column(ChBuild* b, const char* name, int n, double r, double room, double z0) {
  const double pitch = 2.2 * r, shake = 0.1 * r;
  int m = (int)floor((room - r) / pitch), done = 0, layer = 0;
  uint32_t state = 12345;
  for (; done < n; ++layer)
    for (int i = -m; i <= m; ++i)
      for (int j = -m; j <= m && done < n; ++j) {
        double x = i * pitch + shake * jitter(&state), y = j * pitch + shake * jitter(&state);
        if (hypot(x, y) > room - r - shake) continue;
        json_t* body = ch_build_numbered(b, name, ++done, ch_vec(x, y, z0 + layer * pitch));
        ch_build_round(b, body, "sphere", r, name);
      }
  return z0 + layer * pitch;
}

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
  set_law(b, b->word[GLASS_CONTACT], 3.0, (Stepping){1e-3, 0.25 * r}, (Stepping){2e-3, 1e-3});
  ch_build_material(b, "grain", 2500.0, b->number[GLASS_MU], 0.0);
  double top = cone + 2.0 * r + 2.2 * r * (2 + n / 100);  // more than 100 grains a layer
  const Profile glass[] = {{0.0, -depth}, {wide, -depth}, {wide, -cone}, {neck, 0.0}, {wide, cone}, {wide, top}};
  add_vessel(b, "glass", 6, glass, "grain");
  add_column(b, "grain", n, r, wide * cos(PI / SIDES), cone + r);
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
  set_law(b, b->word[HOPPER_CONTACT], 6.0, (Stepping){2.5e-4, 0.15 * r}, (Stepping){2e-3, 0.4 * r});
  ch_build_material(b, "grain", 2500.0, b->number[HOPPER_MU], 0.0);
  double top = cone + 2.0 * r + 2.2 * r * (2 + n / 150);  // more than 150 grains a layer
  const Profile walls[] = {{0.0, bottom}, {wide, bottom}, {wide, roof}, {orifice, 0.0}, {wide, cone}, {wide, top}};
  add_vessel(b, "hopper", 6, walls, "grain");
  add_column(b, "grain", n, r, wide * cos(PI / SIDES), cone + r);
}

const ChBuiltin ch_builtin_hopper = {"hopper", "grains that run out of a hopper into a bin", hopper_parameters,
                                     make_hopper};

enum { BED_N, BED_MU, BED_CONTACT };

static const ChSceneParameter bed_parameters[] = {
    CH_WHOLE("n", "2000", 1, 1000000, "pebbles of radius 0.03 m"),
    CH_NUMBER("mu", "0.4", 0, 10, "friction coefficient"),
    CH_CONTACT_WORD,
    CH_PARAMETERS_END,
};

// A cylinder with a conical bottom of 30 degrees, as wide as is in proportion to the number of pebbles. The margin is
// as far as a falling pebble that is pushed aside gets in a step of 5 ms: with 2 mm pebbles overlapped by up to 37 mm.
static void make_bed(ChBuild* b) {
  const double r = 0.03;
  int n = (int)b->number[BED_N];
  double wide = r * fmax(4.0, cbrt(n)), bottom = -wide * tan(PI / 6.0);
  double layers = n / fmax(1.0, 0.5 * wide * wide / (r * r) / 1.21);
  ch_build_begin(b, "pebble-bed", "Pebbles of the size of tennis balls, loaded into a vessel.", 3);
  set_law(b, b->word[BED_CONTACT], 3.0, (Stepping){2.5e-4, 0.1 * r}, (Stepping){2e-3, 0.4 * r});
  ch_build_material(b, "pebble", 1700.0, b->number[BED_MU], 0.0);
  const Profile vessel[] = {{0.0, bottom}, {wide, 0.0}, {wide, 2.2 * r * (layers + 2.0) + 2.0 * r}};
  add_vessel(b, "vessel", 3, vessel, "pebble");
  add_column(b, "pebble", n, r, wide * cos(PI / SIDES), r);
}

const ChBuiltin ch_builtin_pebble_bed = {"pebble-bed", "pebbles loaded into a vessel", bed_parameters, make_bed};
