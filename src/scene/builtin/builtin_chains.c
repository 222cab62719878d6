// Built-in scenes of links of wire: chain-net, anchor, wrecking-ball.
#include <math.h>
#include <stdio.h>

#include "scene/builtin/surface_form.h"
#include "scene/implicit_surface.h"

// ----------------------------------------------------------------------------------------------------------- chain-net

// Mail: every ring goes through four others, two in the row before and two in the row after. Rows lean to one side and
// the other in turn and are shifted by half a ring; with these measures the middles of all wires are half a radius
// apart.
enum { N, RADIUS, BALL, NET_MU };

static const ChSceneParameter net_parameters[] = {
    CH_WHOLE("n", "16", 3, 64, "links along a side of the net; links at the border are fixed"),
    CH_NUMBER("radius", "0.05", 0.005, 1, "radius of a link, to the middle of its wire, m"),
    CH_NUMBER("ball", "0.2", 0, 100,
              "radius of the ball that falls into the net, as a share of the net's side; 0: no ball"),
    CH_NUMBER("mu", "0.2", 0, 10, "friction coefficient"),
    CH_PARAMETERS_END,
};

static void make_chain_net(ChBuild* b) {
  const double lean = 35.0, step = 1.25;
  int n = (int)b->number[N];
  double r = b->number[RADIUS], side = step * r * n, ball = b->number[BALL] * side;
  ch_build_begin(b, "chain-net", "A net of links, held at its border, catches a ball.", 3);
  ch_build_step(b, 0.0025, 0.5, 0.02 * r);
  ch_build_material(b, "steel", 7800.0, b->number[NET_MU], 0.0);
  ch_build_material(b, "wood", 600.0, b->number[NET_MU], 0.0);
  ch_form_link(b, "link", &(ChLinkForm){.bend = r, .wire = 0.17 * r, .around = 12, .section = 6});
  for (int j = 0; j < n; ++j)
    for (int i = 0; i < n; ++i) {
      double x = step * r * (i + 0.5 * (j % 2) - 0.5 * n + 0.25), y = step * r * (j - 0.5 * (n - 1));
      json_t* link = ch_build_numbered(b, "link", j * n + i + 1, ch_vec(x, y, 0.0));
      // the ring lies in the plane y = 0: first laid down, then leant over
      double a = (j % 2 ? 0.5 : -0.5) * lean * M_PI / 180.0, c = sqrt(0.5);
      ch_build_set(b, link, "orientation", json_pack("[f,f,f,f]", c * cos(a), c * cos(a), c * sin(a), -c * sin(a)));
      if (i == 0 || j == 0 || i == n - 1 || j == n - 1) ch_build_fixed(b, link);
      ch_build_mesh(b, link, "link", "steel");
    }
  if (ball > 0.0) {
    ch_form_ball(b, "ball", ball, 16);
    ch_build_mesh(b, ch_build_body(b, "ball", ch_vec(0.0, 0.0, ball + 1.2 * r)), "ball", "wood");
  }
}

const ChBuiltin ch_builtin_chain_net = {"chain-net", "a net of links that catches a ball", net_parameters,
                                        make_chain_net};

// --------------------------------------------------------------------------------------------------------------- chain

static const ChLinkForm LINK = {.straight = 0.04, .bend = 0.05, .wire = 0.014, .around = 16, .section = 8};

// From one link's middle to the next one's, with a hair of air between them.
static double link_step(void) { return 2.0 * (LINK.straight + LINK.bend) - 2.02 * LINK.wire; }

// Links 1 to n from `top` on along the direction (sin a, 0, -cos a), the first one fixed; every second one is turned
// about the chain.
static void add_chain(ChBuild* b, int n, ChVec3 top, double degrees) {
  double a = degrees * M_PI / 180.0;
  ChVec3 along = ch_scale(link_step(), ch_vec(sin(a), 0.0, -cos(a)));
  ch_form_link(b, "link", &LINK);
  for (int k = 0; k < n; ++k) {
    json_t* link = ch_build_numbered(b, "link", k + 1, ch_along(top, k, along));
    double half = -0.5 * a, c = k % 2 ? sqrt(0.5) : 1.0, s = k % 2 ? sqrt(0.5) : 0.0;  // about y after about z
    ch_build_set(b, link, "orientation",
                 json_pack("[f,f,f,f]", cos(half) * c, sin(half) * s, sin(half) * c, cos(half) * s));
    if (k == 0) ch_build_fixed(b, link);
    ch_build_mesh(b, link, "link", "iron");
  }
}

// -------------------------------------------------------------------------------------------------------------- anchor

static double rod(ChVec3 x, ChVec3 a, ChVec3 b, double radius) {
  ChVec3 d = ch_sub(b, a);
  double t = fmin(fmax(ch_dot(ch_sub(x, a), d) / ch_dot(d, d), 0.0), 1.0);
  return ch_norm(ch_sub(x, ch_along(a, t, d))) - radius;
}

// Part of a circle about y, from -angle to angle from straight down.
static double bow(ChVec3 x, double centre, double radius, double angle, double wire) {
  double a = fmin(fmax(atan2(x.x, centre - x.z), -angle), angle);
  return ch_norm(ch_sub(x, ch_vec(radius * sin(a), 0.0, centre - radius * cos(a)))) - wire;
}

// An anchor of height 1 below its ring, whose middle is the origin; the ring is 0.16 wide inside.
static double anchor(ChVec3 x) {
  ChVec3 m = ch_vec(fabs(x.x), x.y, x.z);
  const double wire = 0.05;
  double d = hypot(hypot(x.x, x.z) - 0.13, x.y) - wire;                             // ring
  d = fmin(d, rod(x, ch_vec(0.0, 0.0, -0.15), ch_vec(0.0, 0.0, -0.98), 0.06));      // shank
  d = fmin(d, rod(x, ch_vec(0.0, -0.3, -0.36), ch_vec(0.0, 0.3, -0.36), wire));     // stock
  d = fmin(d, bow(x, -0.5, 0.48, 1.3, 0.06));                                       // arms
  return fmin(d, rod(m, ch_vec(0.45, 0.0, -0.62), ch_vec(0.5, 0.0, -0.42), 0.09));  // flukes
}

static void add_implicit(ChBuild* b, const char* name, ChImplicitFn f, ChVec3 low, ChVec3 high, double cell,
                         double size) {
  ChSurfaceMesh mesh;
  ChSurfaceForm form;
  ch_form_begin(&form, b);
  if (!ch_implicit_surface(f, low, high, cell, &mesh)) b->failed = true;
  for (int k = 0; k < mesh.point_count; ++k) ch_form_point(&form, ch_scale(size, mesh.points[k]));
  for (int k = 0; k < mesh.triangle_count; ++k)
    ch_form_triangle(&form, mesh.triangles[3 * k], mesh.triangles[3 * k + 1], mesh.triangles[3 * k + 2]);
  ch_surface_mesh_free(&mesh);
  ch_form_end(&form, name);
}

enum { LINKS, ANGLE, ANCHOR_MU };

static const ChSceneParameter anchor_parameters[] = {
    CH_WHOLE("links", "12", 2, 200, "in the chain; the first is fixed"),
    CH_NUMBER("angle", "60", 0, 90, "of the chain at the start, measured from hanging down, degrees"),
    CH_NUMBER("mu", "0.2", 0, 10, "friction coefficient"),
    CH_PARAMETERS_END,
};

static void make_anchor(ChBuild* b) {
  int links = (int)b->number[LINKS];
  double a = b->number[ANGLE] * M_PI / 180.0, size = 0.6;
  double reach =
      (links - 1) * link_step() + LINK.straight + LINK.bend - 1.02 * LINK.wire + (0.13 - 0.05) * size - 1.5e-3;
  ch_build_begin(b, "anchor", "An anchor swings on its chain.", 3);
  ch_build_step(b, 0.005, 2.0, 1e-3);
  ch_build_material(b, "iron", 7800.0, b->number[ANCHOR_MU], 0.0);
  add_implicit(b, "anchor", anchor, ch_vec(-0.8, -0.5, -1.2), ch_vec(0.8, 0.5, 0.35), 0.045, size);
  add_chain(b, links, ch_vec(0.0, 0.0, 0.0), b->number[ANGLE]);
  json_t* body = ch_build_body(b, "anchor", ch_vec(reach * sin(a), 0.0, -reach * cos(a)));
  double half = -0.5 * a, c = links % 2 ? sqrt(0.5) : 1.0, s = links % 2 ? sqrt(0.5) : 0.0;
  ch_build_set(b, body, "orientation",
               json_pack("[f,f,f,f]", cos(half) * c, sin(half) * s, sin(half) * c, cos(half) * s));
  ch_build_mesh(b, body, "anchor", "iron");
}

const ChBuiltin ch_builtin_anchor = {"anchor", "an anchor that swings on its chain", anchor_parameters, make_anchor};

// ------------------------------------------------------------------------------------------------------- wrecking-ball

enum { WB_LINKS, WB_ANGLE, WB_ROWS, WB_COLUMNS, WB_MU };

static const ChSceneParameter wrecking_parameters[] = {
    CH_WHOLE("links", "12", 2, 200, "in the chain; the first is fixed"),
    CH_NUMBER("angle", "60", 0, 90, "of the chain at the start, measured from hanging down, degrees"),
    CH_WHOLE("rows", "6", 1, 100, "of bricks"),
    CH_WHOLE("columns", "5", 1, 100, "bricks in a row"),
    CH_NUMBER("mu", "0.5", 0, 10, "friction coefficient"),
    CH_PARAMETERS_END,
};

// Rows in bond across the ball's way, the first one on the floor.
static void add_wall(ChBuild* b, double front, int rows, int columns) {
  const ChVec3 half = {0.1, 0.2, 0.1};
  for (int k = 0; k < rows * columns; ++k) {
    int row = k / columns;
    double y = 2.0 * half.y * (k % columns - 0.5 * (columns - 1)) + (row % 2 ? 0.5 : -0.5) * half.y;
    json_t* brick = ch_build_numbered(b, "brick", k + 1, ch_vec(front + half.x, y, half.z * (2 * row + 1)));
    ch_build_box(b, brick, half, "brick");
  }
}

static void make_wrecking_ball(ChBuild* b) {
  const double radius = 0.3, wall = 0.2;
  int links = (int)b->number[WB_LINKS], rows = (int)b->number[WB_ROWS];
  double a = -b->number[WB_ANGLE] * M_PI / 180.0, eye = radius + 0.5 * LINK.straight;
  double reach = links * link_step() + eye, middle = fmax(0.6 * 2.0 * 0.1 * rows, radius + 0.1);
  ChVec3 top = ch_vec(0.0, 0.0, middle + reach);
  ch_build_begin(b, "wrecking-ball", "A ball on a chain swings through a brick wall.", 3);
  ch_build_step(b, 0.0025, 1.2, 2e-3);
  ch_build_set(b, b->root, "method", json_pack("{s:s}", "name", "newton"));  // light links carry a heavy ball
  ch_build_material(b, "iron", 7800.0, b->number[WB_MU], 0.0);
  ch_build_material(b, "brick", 1900.0, b->number[WB_MU], 0.0);
  ch_build_floor(b, "brick");
  add_chain(b, links, top, -b->number[WB_ANGLE]);
  ch_form_ball(b, "ball", radius, 16);
  json_t* ball = ch_build_body(b, "ball", ch_along(top, reach, ch_vec(sin(a), 0.0, -cos(a))));
  double half = -0.5 * a, c = links % 2 ? sqrt(0.5) : 1.0, s = links % 2 ? sqrt(0.5) : 0.0;
  ch_build_set(b, ball, "orientation",
               json_pack("[f,f,f,f]", cos(half) * c, sin(half) * s, sin(half) * c, cos(half) * s));
  ch_build_mesh(b, ball, "ball", "iron");
  ch_build_set(b, ch_build_mesh(b, ball, "link", "iron"), "at", ch_build_vector(b, ch_vec(0.0, 0.0, eye)));
  add_wall(b, radius + 0.5 * wall, rows, (int)b->number[WB_COLUMNS]);
}

const ChBuiltin ch_builtin_wrecking_ball = {"wrecking-ball", "a ball on a chain that swings through a brick wall",
                                            wrecking_parameters, make_wrecking_ball};
