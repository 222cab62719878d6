// Built-in scene drop: bodies of a hollow form that fall into a bin (004 7.9, Fig 7.9b; requirement H43).
//
// Three forms, each made here from a formula: a rabbit of a few blobs, smoothly joined; a jack of three crossed rods; a
// ring. A body is about 0.1 m high.
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "scene/builtin/builtin.h"
#include "scene/implicit_surface.h"

// --------------------------------------------------------------------------------------------------------------- forms

// Nearly the distance to an ellipsoid.
static double blob(ChVec3 x, ChVec3 centre, ChVec3 half) {
  ChVec3 d = ch_sub(x, centre), u = ch_vec(d.x / half.x, d.y / half.y, d.z / half.z);
  return (ch_norm(u) - 1.0) * fmin(half.x, fmin(half.y, half.z));
}

static double rod(ChVec3 x, ChVec3 a, ChVec3 b, double radius) {
  ChVec3 d = ch_sub(b, a);
  double t = fmin(fmax(ch_dot(ch_sub(x, a), d) / ch_dot(d, d), 0.0), 1.0);
  return ch_norm(ch_sub(x, ch_along(a, t, d))) - radius;
}

// A least with rounded fillets, -k log sum exp(-d / k).
static double joined(int count, const double* d, double k) {
  double least = d[0], sum = 0.0;
  for (int i = 1; i < count; ++i) least = fmin(least, d[i]);
  for (int i = 0; i < count; ++i) sum += exp((least - d[i]) / k);
  return least - k * log(sum);
}

static double rabbit(ChVec3 x) {
  x = ch_vec(x.x, fabs(x.y), x.z + 0.58);  // two sides alike; the origin is in its middle
  const double d[] = {blob(x, ch_vec(-0.02, 0.0, 0.34), ch_vec(0.36, 0.25, 0.30)),        // body
                      blob(x, ch_vec(0.30, 0.0, 0.70), ch_vec(0.20, 0.16, 0.17)),         // head
                      rod(x, ch_vec(0.20, 0.07, 0.82), ch_vec(0.02, 0.17, 1.13), 0.085),  // ear
                      blob(x, ch_vec(-0.40, 0.0, 0.26), ch_vec(0.11, 0.11, 0.11)),        // tail
                      blob(x, ch_vec(0.26, 0.12, 0.12), ch_vec(0.12, 0.09, 0.12)),        // fore paw
                      blob(x, ch_vec(-0.06, 0.20, 0.10), ch_vec(0.24, 0.10, 0.10))};      // hind foot
  return joined(6, d, 0.06);
}

static double jack(ChVec3 x) {
  double d[3];
  for (int k = 0; k < 3; ++k) d[k] = rod(x, ch_scale(-0.5, ch_axis(k)), ch_scale(0.5, ch_axis(k)), 0.13);
  return joined(3, d, 0.03);
}

static double ring(ChVec3 x) { return hypot(hypot(x.x, x.y) - 0.4, x.z) - 0.15; }

typedef struct Form {
  const char* name;
  ChImplicitFn f;
  ChVec3 low, high;
  double cell;
} Form;

static const Form forms[] = {
    {"rabbit", rabbit, {-0.65, -0.45, -0.73}, {0.65, 0.45, 0.77}, 0.083},
    {"jack", jack, {-0.75, -0.75, -0.75}, {0.75, 0.75, 0.75}, 0.08},
    {"ring", ring, {-0.7, -0.7, -0.3}, {0.7, 0.7, 0.3}, 0.08},
};

static const double SIZE = 0.08;  // metres a unit of the formulas: a rabbit is 0.1 m high

static const double SPACING = 0.01;  // longer than the edges of the meshes: their corners are samples enough

static void add_form(ChBuild* b, const Form* form) {
  ChSurfaceMesh mesh;
  json_t *points = json_array(), *triangles = json_array();
  if (!ch_implicit_surface(form->f, form->low, form->high, form->cell, &mesh)) b->failed = true;
  for (int k = 0; k < mesh.point_count; ++k) {
    ChVec3 p = ch_scale(SIZE, mesh.points[k]);  // six decimals: a micrometre
    p = ch_vec(round(1e6 * p.x) / 1e6, round(1e6 * p.y) / 1e6, round(1e6 * p.z) / 1e6);
    json_array_append_new(points, ch_build_vector(b, p));
  }
  for (int k = 0; k < mesh.triangle_count; ++k) {
    const int* t = &mesh.triangles[3 * k];
    json_array_append_new(triangles, json_pack("[i,i,i]", t[0], t[1], t[2]));
  }
  ch_surface_mesh_free(&mesh);
  ch_build_set(b, b->root, "meshes", json_pack("{s:{s:o, s:o}}", form->name, "points", points, "triangles", triangles));
}

// --------------------------------------------------------------------------------------------------------------- scene

// Uniform in [0, 1), the same on every machine.
static double uniform(uint32_t* state) {
  *state = *state * 1664525u + 1013904223u;
  return (double)(*state >> 8) / 16777216.0;
}

// Any direction is as likely as any other (Shoemake 1992).
static json_t* random_turn(uint32_t* state) {
  const double turn = 6.283185307179586;
  double u = uniform(state), a = turn * uniform(state), c = turn * uniform(state);
  return json_pack("[f,f,f,f]", sqrt(1.0 - u) * sin(a), sqrt(1.0 - u) * cos(a), sqrt(u) * sin(c), sqrt(u) * cos(c));
}

static void add_bin(ChBuild* b, double inner, double height) {
  const double wall = 0.1;
  json_t* walls = ch_build_body(b, "bin", ch_vec(0.0, 0.0, 0.5 * height));
  ch_build_fixed(b, walls);
  for (int k = 0; k < 4; ++k) {
    double side = (k & 1 ? 1.0 : -1.0) * (inner + wall), half = inner + 2.0 * wall, up = 0.5 * height;
    json_t* box = ch_build_box(b, walls, k < 2 ? ch_vec(wall, half, up) : ch_vec(half, wall, up), "body");
    ch_build_set(b, box, "at", ch_build_vector(b, k < 2 ? ch_vec(side, 0.0, 0.0) : ch_vec(0.0, side, 0.0)));
  }
}

enum { N, SHAPE, MU, ACROSS };

static const ChSceneParameter drop_parameters[] = {
    CH_WHOLE("n", "100", 1, 20000, "bodies, about 0.1 m high"),
    CH_WORD("shape", "rabbit", "rabbit|jack|ring", "kind of body"),
    CH_NUMBER("mu", "0.4", 0, 10, "friction coefficient"),
    CH_WHOLE("across", "0", 0, 100, "bodies from wall to wall; 0: as many as there are layers"),
    CH_PARAMETERS_END,
};

static void make_drop(ChBuild* b) {
  const double pitch = 0.12;  // farther than any two points of a body
  int n = (int)b->number[N], across = (int)b->number[ACROSS];
  if (across == 0) across = (int)fmax(1.0, round(cbrt(n)));
  const Form* form = forms;
  while (strcmp(form->name, b->word[SHAPE]) != 0) ++form;
  int layers = (n + across * across - 1) / (across * across);
  double inner = 0.5 * pitch * across;
  uint32_t state = 12345;
  ch_build_begin(b, "drop", "Hollow bodies fall into a bin.", 3);
  ch_build_step(b, 2.5e-3, 1.0, 5e-4);
  ch_build_material(b, "body", 1000.0, b->number[MU], 0.0);
  add_form(b, form);
  ch_build_floor(b, "body");
  add_bin(b, inner, pitch * (layers + 1));
  for (int k = 0; k < n; ++k) {
    double x = (k % across + 0.5) * pitch - inner, y = (k / across % across + 0.5) * pitch - inner;
    double z = (k / (across * across) + 0.55) * pitch;
    ChVec3 shake = ch_scale(0.01 * pitch, ch_vec(uniform(&state), uniform(&state), uniform(&state)));
    json_t* body = ch_build_numbered(b, form->name, k + 1, ch_add(ch_vec(x, y, z), shake));
    ch_build_set(b, body, "orientation", random_turn(&state));
    json_t* shape = ch_build_shape(b, body, "mesh", "body");
    ch_build_set(b, shape, "mesh", json_string(form->name));
    ch_build_set(b, shape, "contact", json_string("sampled"));
    ch_build_set(b, shape, "spacing", json_real(SPACING));
  }
}

const ChBuiltin ch_builtin_drop = {"drop", "rabbits, jacks or rings that fall into a bin", drop_parameters, make_drop};
