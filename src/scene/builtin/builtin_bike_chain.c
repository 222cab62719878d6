// Built-in scene bike-chain: a roller chain on two sprockets; nothing but contact joins its links.
//
// Joints of the chain lie on the pitch circles, of radius pitch / (2 sin(pi / teeth)), and on the straight lines that
// touch both, each a pitch from the next one. The axles are as far apart as the last joint needs to be a pitch from the
// first one, too.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "scene/builtin/surface_form.h"

static const double PITCH = 0.0127, ROLLER = 4.25e-3, HOLE = 2.15e-3, PIN = 2.0e-3;
static const double TOOTH = 1.0e-3;   // half the sprockets' width
static const double INSIDE = 1.4e-3;  // half the room between an inner link's plates
static const double PLATE = 0.5e-3;   // half their thickness
static const double AIR = 0.1e-3;     // beside outer plates
static const ChVec3 Y = {0.0, 1.0, 0.0};

// ---------------------------------------------------------------------------------------------------------------- belt

// A belt around two circles in the plane y = 0, the first about the origin, the second `distance` along x.
typedef struct Belt {
  double radius[2], distance;
  double lean;     // of the straight lines' normals
  double part[4];  // lengths: around the first, over to the second, around it, and back
} Belt;

static Belt belt_of(const double radius[2], double distance) {
  Belt t = {.radius = {radius[0], radius[1]}, .distance = distance};
  t.lean = asin((radius[1] - radius[0]) / distance);
  t.part[0] = radius[0] * (M_PI - 2.0 * t.lean);
  t.part[1] = t.part[3] = distance * cos(t.lean);
  t.part[2] = radius[1] * (M_PI + 2.0 * t.lean);
  return t;
}

static double belt_length(const Belt* t) { return t->part[0] + t->part[1] + t->part[2] + t->part[3]; }

// Of a circle, at an angle from x towards z.
static ChVec3 on_circle(const Belt* t, int circle, double angle) {
  double r = t->radius[circle];
  return ch_vec(circle * t->distance + r * cos(angle), 0.0, r * sin(angle));
}

// From the point of the first circle that is farthest from the second one, up and over to it.
static ChVec3 belt_at(const Belt* t, double s) {
  double length = belt_length(t), leave = 0.5 * M_PI + t->lean;
  s -= length * floor(s / length);
  if (s > length - 0.5 * t->part[0]) s -= length;
  if (s < 0.5 * t->part[0]) return on_circle(t, 0, M_PI - s / t->radius[0]);
  s -= 0.5 * t->part[0];
  if (s < t->part[1]) return ch_along(on_circle(t, 0, leave), s, ch_vec(cos(t->lean), 0.0, sin(t->lean)));
  s -= t->part[1];
  if (s < t->part[2]) return on_circle(t, 1, leave - s / t->radius[1]);
  s -= t->part[2];
  return ch_along(on_circle(t, 1, -leave), s, ch_vec(-cos(t->lean), 0.0, sin(t->lean)));
}

enum { HALVINGS = 60 };

// The place of the next joint.
static double next_joint(const Belt* t, double s) {
  double low = s, high = s + 0.5 * M_PI * PITCH;
  ChVec3 here = belt_at(t, s);
  for (int k = 0; k < HALVINGS; ++k) {
    double middle = 0.5 * (low + high);
    *(ch_norm(ch_sub(belt_at(t, middle), here)) < PITCH ? &low : &high) = middle;
  }
  return 0.5 * (low + high);
}

// By how much n links reach beyond the belt's end; where[n + 1], or NULL, are the joints' places.
static double overlap_of(const Belt* t, int n, double* where) {
  double s = 0.0;
  for (int k = 0; k <= n; ++k) {
    if (where) where[k] = s;
    if (k < n) s = next_joint(t, s);
  }
  return s - belt_length(t);
}

static bool fit_belt(const double radius[2], int n, Belt* out) {
  double low = radius[0] + radius[1] + PITCH, high = low + n * PITCH;
  Belt near = belt_of(radius, low);
  if (overlap_of(&near, n, NULL) < 0.0) return false;
  for (int k = 0; k < HALVINGS; ++k) {
    double middle = 0.5 * (low + high);
    *out = belt_of(radius, middle);
    *(overlap_of(out, n, NULL) > 0.0 ? &low : &high) = middle;
  }
  return true;
}

// ----------------------------------------------------------------------------------------------------------- sprockets

enum { SEAT = 7, TOOTH_POINTS = SEAT + 2, TEETH_MOST = 120 };

// Round seats for the rollers, and flanks straight up to the tips. `first` is the angle of a seat, from x towards z.
static void add_sprocket_mesh(ChBuild* b, const char* name, int teeth, double radius, double first) {
  const double seat = ROLLER + 1.2e-4, reach = 70.0 * M_PI / 180.0, tip = radius + 0.25 * PITCH, half_tip = 1e-3;
  ChVec3 outline[TEETH_MOST * TOOTH_POINTS];
  for (int k = 0; k < teeth; ++k) {
    double angle = first - 2.0 * M_PI * k / teeth;  // the outline goes round about y
    ChVec3 out = ch_vec(cos(angle), 0.0, sin(angle)), on = ch_vec(sin(angle), 0.0, -cos(angle));
    ChVec3* at = &outline[k * TOOTH_POINTS];
    for (int j = 0; j < SEAT; ++j) {
      double a = reach * (2.0 * j / (SEAT - 1) - 1.0);
      at[j] = ch_along(ch_scale(radius - seat * cos(a), out), seat * sin(a), on);
    }
    for (int j = 0; j < 2; ++j) {
      double a = angle - M_PI / teeth + (j == 0 ? half_tip : -half_tip) / tip;
      at[SEAT + j] = ch_vec(tip * cos(a), 0.0, tip * sin(a));
    }
  }
  ch_form_prism(b, name, teeth * TOOTH_POINTS, outline, TOOTH);
}

static json_t* add_sprocket(ChBuild* b, const char* name, double x) {
  json_t* body = ch_build_body(b, name, ch_vec(x, 0.0, 0.0));
  ch_build_mesh(b, body, name, "steel");
  json_t* hinge = ch_build_entry(b, "joints", "hinge");
  ch_build_set(b, hinge, "bodies", json_pack("[s,s]", "ground", name));
  ch_build_set(b, hinge, "at", ch_build_vector(b, ch_vec(x, 0.0, 0.0)));
  ch_build_set(b, hinge, "axis", ch_build_vector(b, Y));
  return hinge;
}

// --------------------------------------------------------------------------------------------------------------- links

static void add_link_meshes(ChBuild* b) {
  enum { PIN_SIDES = 12 };
  ChVec3 outline[PIN_SIDES];
  for (int k = 0; k < PIN_SIDES; ++k) {
    double angle = 2.0 * M_PI * k / PIN_SIDES;
    outline[k] = ch_vec(PIN * sin(angle), 0.0, PIN * cos(angle));
  }
  ch_form_collar(b, "roller",
                 &(ChCollarForm){.inner = HOLE, .outer = ROLLER, .half = INSIDE + 2.0 * PLATE, .sides = 16});
  ch_form_prism(b, "pin", PIN_SIDES, outline, INSIDE + AIR + 4.0 * PLATE);
}

// An inner link has rollers that are hollow, an outer one has pins in them; both have plates at their sides.
static void add_link(ChBuild* b, int number, ChVec3 from, ChVec3 to) {
  bool outer = number % 2 == 0;
  ChVec3 d = ch_sub(to, from);
  json_t* link = ch_build_numbered(b, "link", number, ch_scale(0.5, ch_add(from, to)));
  ch_build_turned(b, link, Y, -atan2(d.z, d.x) * 180.0 / M_PI);
  double beside = outer ? INSIDE + AIR + 3.0 * PLATE : INSIDE + PLATE;
  ChVec3 half =
      outer ? ch_vec(0.5 * PITCH + 3.2e-3, PLATE, 3.2e-3) : ch_vec(0.5 * (PITCH - HOLE - ROLLER), PLATE, 2.5e-3);
  for (int side = -1; side < 2; side += 2) {
    json_t* round_part = ch_build_mesh(b, link, outer ? "pin" : "roller", "steel");
    ch_build_set(b, round_part, "at", ch_build_vector(b, ch_vec(0.5 * side * PITCH, 0.0, 0.0)));
    json_t* plate = ch_build_box(b, link, half, "steel");
    ch_build_set(b, plate, "at", ch_build_vector(b, ch_vec(0.0, side * beside, 0.0)));
  }
}

// --------------------------------------------------------------------------------------------------------------- scene

enum { SMALL, LARGE, LINKS, SPEED, LOAD, MU };

static const ChSceneParameter parameters[] = {
    CH_WHOLE("driver", "12", 9, TEETH_MOST, "teeth of the driving sprocket"),
    CH_WHOLE("driven", "18", 9, TEETH_MOST, "teeth of the driven sprocket"),
    CH_WHOLE("links", "36", 14, 400, "links of the chain, an even number that reaches around both sprockets"),
    CH_NUMBER("speed", "6", -100, 100, "speed of the driver, radian/s"),
    CH_NUMBER("load", "0.02", 0, 100, "friction of the driven axle, N m"),
    CH_NUMBER("mu", "0.1", 0, 10, "friction coefficient"),
    CH_PARAMETERS_END,
};

static void add_parts(ChBuild* b, const Belt* belt, const double* where, int n) {
  const char* const name[2] = {"driver", "driven"};
  const int teeth[2] = {(int)b->number[SMALL], (int)b->number[LARGE]};
  int seated = 0;  // a joint on the second circle
  while (seated < n && belt_at(belt, where[seated]).x < belt->distance) ++seated;
  ChVec3 seat = ch_sub(belt_at(belt, where[seated]), ch_vec(belt->distance, 0.0, 0.0));
  add_sprocket_mesh(b, name[0], teeth[0], belt->radius[0], M_PI);
  add_sprocket_mesh(b, name[1], teeth[1], belt->radius[1], atan2(seat.z, seat.x));
  json_t* motor = add_sprocket(b, name[0], 0.0);
  ch_build_set(b, motor, "axes",
               json_pack("[{s:s, s:f, s:f}]", "drive", "velocity", "target", b->number[SPEED], "strength", 0.5));
  json_t* axle = add_sprocket(b, name[1], belt->distance);
  ch_build_set(b, axle, "axes", json_pack("[{s:f}]", "friction", b->number[LOAD]));
  for (int k = 0; k < n; ++k) add_link(b, k + 1, belt_at(belt, where[k]), belt_at(belt, where[k + 1]));
}

static void make_bike_chain(ChBuild* b) {
  int n = (int)b->number[LINKS];
  double radius[2];
  for (int k = 0; k < 2; ++k) radius[k] = 0.5 * PITCH / sin(M_PI / b->number[k == 0 ? SMALL : LARGE]);
  ch_build_begin(b, "bike-chain", "A roller chain turns two sprockets; its links are joined by contact.", 3);
  ch_build_step(b, 2e-3, 2.0, 8e-5);
  ch_build_set(b, json_object_get(b->root, "step"), "adaptive",
               json_pack("{s:s, s:f}", "on", "large", "overlap_tolerance", 8e-6));
  ch_build_set(b, b->root, "method", json_pack("{s:s}", "name", "newton"));  // a taut loop: sweeps are slow
  ch_build_material(b, "steel", 7800.0, b->number[MU], 0.0);
  Belt belt;
  if (n % 2 != 0) {
    snprintf(b->why, sizeof b->why, "links is %d, must be even: inner and outer links alternate", n);
    return;
  }
  if (!fit_belt(radius, n, &belt)) {
    snprintf(b->why, sizeof b->why, "links is %d, too few to reach around both sprockets", n);
    return;
  }
  double* where = malloc(sizeof *where * (size_t)(n + 1));
  if (where) {
    overlap_of(&belt, n, where);
    add_link_meshes(b);
    add_parts(b, &belt, where, n);
  } else {
    b->failed = true;
  }
  free(where);
}

const ChBuiltin ch_builtin_bike_chain = {"bike-chain", "a roller chain on two sprockets", parameters, make_bike_chain};
