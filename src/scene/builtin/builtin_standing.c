// Built-in scenes that stand, or just do not: cards, arch, stack, incline. Every contact starts at gap zero.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "scene/builtin/builtin.h"

static const double PI = 3.141592653589793, G = 9.81;
static const ChVec3 Y = {0.0, 1.0, 0.0};

// --------------------------------------------------------------------------------------------------------------- cards

// Cards of length L (slope), depth D (y), thickness t. Level k has n = levels - k triangles at pitch s, centred at
// x = (i - (n - 1) / 2) s; a triangle's cards touch corner to corner at its top, z0 + L sin a + t cos a.
// Blocks, where there are any, wait above the house and fall on it one after the other.
enum { LEVELS, ANGLE, CARDS_MU, THICKNESS, DEPTH, CARDS_E, CARDS_BLOCKS, CARDS_DROP, CARDS_EVERY, CARDS_EDGE, CARD };

static const ChSceneParameter cards_parameters[] = {
    CH_WHOLE("levels", "4", 1, 100, "levels of the house"),
    CH_NUMBER("angle", "67", 1, 89, "angle of the leaning cards from the floor, degrees"),
    CH_NUMBER("mu", "0.8", 0, 10, "friction coefficient"),
    CH_NUMBER("thickness", "0.02", 1e-4, 0.05, "of a card, of length 1, m"),
    CH_NUMBER("depth", "1.4", 0.01, 100, "of a card, m"),
    CH_NUMBER("restitution", "0", 0, 1, "restitution of all impacts"),
    CH_WHOLE("blocks", "0", 0, 1000, "small cubes that fall on the house one after the other, from 1 s on"),
    CH_NUMBER("drop", "1", 0, 100, "height of the lowest block above the house, in card lengths"),
    CH_NUMBER("every", "1", 0.01, 1000, "time from block to block, s"),
    CH_NUMBER("edge", "0.2", 0.01, 0.5, "edge of a block, in card lengths"),
    CH_WORD("card", "plain", "plain|playing",
            "plain, of length 1 m; or a playing card: 63 x 88 x 0.3 mm and 1.8 g, which ignores depth and thickness"),
    CH_PARAMETERS_END,
};

typedef struct Card {
  double length, depth, thickness, density;
  double pitch;  // of triangles: a little more than the length, and less than two tops of triangles are wide
  bool playing;
} Card;

static Card card_of(const ChBuild* b) {
  if (strcmp(b->word[CARD], "playing") != 0)
    return (Card){1.0, b->number[DEPTH], b->number[THICKNESS], 1000.0, 1.01, false};
  const double length = 0.063, depth = 0.088, thickness = 3e-4, mass = 1.8e-3;
  return (Card){length, depth, thickness, mass / (length * depth * thickness), 1.002 * length, true};
}

// Playing cards have backs, those that lie of another colour than those that lean.
static void add_back(ChBuild* b, json_t* object, const char* colour) {
  json_t* look = json_pack("{s:s, s:s}", "colour", colour, "pattern", "card");
  ch_build_set(b, object, "look", look);
}

static void add_card(ChBuild* b, const Card* c, int* count, ChVec3 at, double degrees) {
  json_t* card = ch_build_numbered(b, "card", ++*count, at);
  if (degrees != 0.0) ch_build_turned(b, card, Y, degrees);
  if (c->playing) add_back(b, card, degrees != 0.0 ? "#b3262e" : "#1f4f9e");
  ch_build_box(b, card, ch_vec(0.5 * c->length, 0.5 * c->depth, 0.5 * c->thickness), "card");
}

// What falls and collides is not solved to the last digit: at 1e-8 it takes many times as long and looks the same.
static void set_tolerance(ChBuild* b) { ch_build_tolerance(b, 1e-6); }

// In rows of eight above the width of the house, the lowest row first; within a row the order goes to and fro, so that
// no two blocks in turn fall on one place.
static void add_card_blocks(ChBuild* b, const Card* c, double width, double top) {
  enum { ROW = 8 };
  set_tolerance(b);
  static const int order[ROW] = {3, 6, 1, 4, 7, 0, 5, 2};
  double edge = b->number[CARDS_EDGE] * c->length;
  for (int k = 0; k < (int)b->number[CARDS_BLOCKS]; ++k) {
    int place = order[k % ROW], row = k / ROW;
    double x = ((place + 0.5) / ROW - 0.5) * width, y = (row % 2 ? -0.2 : 0.2) * c->depth;
    double z = top + b->number[CARDS_DROP] * c->length + (0.5 + 1.5 * row) * edge;
    ch_build_block(b,
                   &(ChLooseBlock){.number = k + 1,
                                   .at = ch_vec(x, y, z),
                                   .edge = edge,
                                   .density = c->density,
                                   .time = 1.0 + k * b->number[CARDS_EVERY]},
                   "card");
  }
}

static void make_cards(ChBuild* b) {
  const Card c = card_of(b);
  double a = b->number[ANGLE] * PI / 180.0, t = c.thickness, length = c.length, pitch = c.pitch, z0 = 0.0;
  double dx = 0.5 * length * cos(a) + 0.5 * t * sin(a);
  int levels = (int)b->number[LEVELS], count = 0;
  if (levels > 1 && !(4.0 * dx <= pitch)) {
    snprintf(b->why, sizeof b->why,
             "angle is %g degrees: triangles at pitch %g m overlap; choose a larger angle, or --levels 1",
             b->number[ANGLE], pitch);
    return;
  }
  ch_build_begin(b, "cards", "A house of cards that friction alone holds up.", 3);
  double last = b->number[CARDS_BLOCKS] * b->number[CARDS_EVERY];
  ch_build_step(b, c.playing ? 5e-4 : 1e-3, last > 0.0 ? 5.0 + last : 10.0, 2e-3 * length);
  ch_build_material(b, "card", c.density, b->number[CARDS_MU], b->number[CARDS_E]);
  ch_build_floor(b, "card");
  for (int n = levels; n > 0; --n) {
    double up = length * sin(a), middle = z0 + 0.5 * up + 0.5 * t * cos(a), top = z0 + up + t * cos(a);
    for (int i = 0; i < n; ++i) {
      double x = (i - 0.5 * (n - 1)) * pitch;
      add_card(b, &c, &count, ch_vec(x - dx, 0.0, middle), -b->number[ANGLE]);
      add_card(b, &c, &count, ch_vec(x + dx, 0.0, middle), b->number[ANGLE]);
    }
    for (int i = 0; i + 1 < n; ++i)
      add_card(b, &c, &count, ch_vec((i - 0.5 * (n - 2)) * pitch, 0.0, top + 0.5 * t), 0.0);
    z0 = top + t;
  }
  if (b->number[CARDS_BLOCKS] > 0.0) add_card_blocks(b, &c, levels * pitch, z0);
}

const ChBuiltin ch_builtin_cards = {"cards", "house of cards, held up by friction alone", cards_parameters, make_cards};

// ---------------------------------------------------------------------------------------------------------------- arch

// Centreline x(s), z(s) by arc length s, with its upward normal; joints at equal arc length, perpendicular to it.
// Catenary: z = 5 - a (cosh(x / a) - 1), |x| <= 5. Semicircle: radius 1, thickness is then t / R.
// Blocks, where there are any, fall on the keystone or are thrown at the left leg, one after the other.
enum { ARCH_N, ARCH_MU, FORM, ARCH_THICKNESS, ARCH_BLOCKS, ARCH_AT, ARCH_DROP, ARCH_SPEED, ARCH_EVERY, ARCH_EDGE };

static const ChSceneParameter arch_parameters[] = {
    CH_WHOLE("n", "27", 3, 1000, "voussoirs"),
    CH_NUMBER("mu", "0.6", 0, 10, "friction coefficient"),
    CH_WORD("form", "catenary", "catenary|semicircle",
            "form of the centreline: catenary of span 10 m and rise 5 m, or semicircle of radius 1 m"),
    CH_NUMBER("thickness", "0", 0, 1, "thickness of the arch, m; 0: 0.5 for the catenary, 0.12 for the semicircle"),
    CH_WHOLE("blocks", "0", 0, 100,
             "cubes that hit the arch one after the other, from 1 s on; the scene then has a floor"),
    CH_WORD("at", "keystone", "keystone|leg", "place of the hit: dropped on the keystone, or thrown at the left leg"),
    CH_NUMBER("drop", "1", 0, 100, "height of the lowest block above the keystone, m"),
    CH_NUMBER("speed", "10", 0, 100, "of a throw, m/s"),
    CH_NUMBER("every", "1", 0.01, 1000, "time from block to block, s"),
    CH_NUMBER("edge", "0.4", 0.01, 1, "of a block, m"),
    CH_PARAMETERS_END,
};

static ChArchJoint catenary_joint(double share) {
  const double a = 3.0937961388712787, half = a * sinh(5.0 / a);
  double s = (2.0 * share - 1.0) * half, x = a * asinh(s / a), slope = s / a, root = sqrt(1.0 + slope * slope);
  return (ChArchJoint){ch_vec(x, 0.0, 5.0 - a * (root - 1.0)), ch_vec(slope / root, 0.0, 1.0 / root)};
}

static ChArchJoint semicircle_joint(double share) {
  ChVec3 out = ch_vec(-cos(PI * share), 0.0, sin(PI * share));
  return (ChArchJoint){out, out};
}

static ChArchJoint arch_joint(bool catenary, int k, int n) {
  bool mirrored = 2 * k > n;  // both halves from the same numbers, so that the arch is symmetric to the last bit
  double share = (double)(mirrored ? n - k : k) / n;
  ChArchJoint joint = catenary ? catenary_joint(share) : semicircle_joint(share);
  if (mirrored) joint.at.x = -joint.at.x, joint.normal.x = -joint.normal.x;
  return joint;
}

// A fixed box with a face against the end joint; its axis x is the centreline's direction there.
static void add_support(ChBuild* b, const char* name, ChArchJoint end, double side, ChVec3 half) {
  ChVec3 along = ch_vec(end.normal.z, 0.0, -end.normal.x);  // towards larger x
  json_t* body = ch_build_body(b, name, ch_along(end.at, side * half.x, along));
  ch_build_fixed(b, body);
  ch_build_turned(b, body, Y, atan2(-along.z, along.x) * 180.0 / PI);
  ch_build_box(b, body, half, "stone");
}

// In a column above the keystone, or in a row beside the leg at a sixth of the arch.
static void add_arch_blocks(ChBuild* b, bool catenary, double thickness) {
  bool thrown = strcmp(b->word[ARCH_AT], "leg") == 0;
  double edge = b->number[ARCH_EDGE], away = 3.0 * (catenary ? 1.0 : 0.4) + thickness;
  ChArchJoint top = catenary ? catenary_joint(0.5) : semicircle_joint(0.5);
  ChArchJoint leg = catenary ? catenary_joint(1.0 / 6.0) : semicircle_joint(1.0 / 6.0);
  set_tolerance(b);
  json_t* floor = ch_build_body(b, "floor", ch_vec(0.0, 0.0, -1.5));
  ch_build_fixed(b, floor);
  ch_build_box(b, floor, ch_vec(20.0, 20.0, 0.5), "stone");
  for (int k = 0; k < (int)b->number[ARCH_BLOCKS]; ++k) {
    ChLooseBlock block = {.number = k + 1, .edge = edge, .density = 1000.0, .time = 1.0 + k * b->number[ARCH_EVERY]};
    if (thrown) {
      block.at = ch_vec(leg.at.x - away - 1.5 * k * edge, 0.0, leg.at.z);
      block.velocity = ch_vec(b->number[ARCH_SPEED], 0.0, 0.0);
    } else {
      block.at = ch_vec(0.0, 0.0, top.at.z + 0.5 * thickness + b->number[ARCH_DROP] + (0.5 + 1.5 * k) * edge);
    }
    ch_build_block(b, &block, "stone");
  }
}

static void make_arch(ChBuild* b) {
  bool catenary = strcmp(b->word[FORM], "catenary") == 0;
  int n = (int)b->number[ARCH_N];
  double thickness = b->number[ARCH_THICKNESS], scale = catenary ? 1.0 : 0.4;
  if (thickness == 0.0) thickness = catenary ? 0.5 : 0.12;
  ch_build_begin(b, "arch", "An arch of voussoirs without mortar between two fixed supports.", 3);
  ch_build_step(b, 1e-3, 10.0, 0.0);
  ch_build_material(b, "stone", 1000.0, b->number[ARCH_MU], 0.0);
  ChVec3 half = ch_scale(scale, ch_vec(0.5, 0.7, 0.5));
  if (half.z < thickness) half.z = thickness;
  add_support(b, "left support", arch_joint(catenary, 0, n), -1.0, half);
  add_support(b, "right support", arch_joint(catenary, n, n), 1.0, half);
  for (int k = 0; k < n; ++k)
    ch_build_voussoir(b, k + 1, (ChArchJoint[]){arch_joint(catenary, k, n), arch_joint(catenary, k + 1, n)}, thickness,
                      ch_vec(0.0, scale, 0.0), "stone");
  if (b->number[ARCH_BLOCKS] > 0.0) add_arch_blocks(b, catenary, thickness);
}

const ChBuiltin ch_builtin_arch = {"arch", "arch of voussoirs, catenary or semicircle", arch_parameters, make_arch};

// --------------------------------------------------------------------------------------------------------------- stack

enum { STACK_N, STACK_MU, MASS_RATIO };

static const ChSceneParameter stack_parameters[] = {
    CH_WHOLE("n", "20", 1, 100000, "cubes"),
    CH_NUMBER("mu", "0.5", 0, 10, "friction coefficient"),
    CH_NUMBER("mass_ratio", "1", 1e-9, 1e9, "mass of the top cube over the 1000 kg of each other cube"),
    CH_PARAMETERS_END,
};

static void make_stack(ChBuild* b) {
  int n = (int)b->number[STACK_N];
  double ratio = b->number[MASS_RATIO];
  ch_build_begin(b, "stack", "Cubes of edge 1 m on top of each other.", 3);
  ch_build_step(b, 1e-3, 10.0, 0.0);
  ch_build_material(b, "cube", 1000.0, b->number[STACK_MU], 0.0);
  if (ratio != 1.0) ch_build_material(b, "top", 1000.0 * ratio, b->number[STACK_MU], 0.0);
  ch_build_floor(b, "cube");
  for (int i = 0; i < n; ++i) {
    json_t* cube = ch_build_numbered(b, "cube", i + 1, ch_vec(0.0, 0.0, 0.5 + i));
    ch_build_box(b, cube, ch_vec(0.5, 0.5, 0.5), ratio != 1.0 && i + 1 == n ? "top" : "cube");
  }
}

const ChBuiltin ch_builtin_stack = {"stack", "cubes on top of each other", stack_parameters, make_stack};

// ------------------------------------------------------------------------------------------------------------- incline

// Gravity is tilted instead of the floor: g (sin a cos p, sin a sin p, -cos a) with tan a = ratio * mu, heading p.
enum { INCLINE_MU, RATIO, HEADING };

static const ChSceneParameter incline_parameters[] = {
    CH_NUMBER("mu", "0.5", 0, 10, "friction coefficient"),
    CH_NUMBER("ratio", "0.95", 0, 100, "tangent of the slope divided by mu: the block sticks below 1 and slides above"),
    CH_NUMBER("heading", "0", -360, 360, "downhill direction from x, degrees"),
    CH_PARAMETERS_END,
};

static void make_incline(ChBuild* b) {
  double a = atan(b->number[RATIO] * b->number[INCLINE_MU]), p = b->number[HEADING] * PI / 180.0;
  ch_build_begin(b, "incline", "A block on a slope; gravity is tilted instead of the floor.", 3);
  ch_build_gravity(b, ch_vec(G * sin(a) * cos(p), G * sin(a) * sin(p), -G * cos(a)));
  ch_build_step(b, 1e-3, 2.0, 0.0);
  ch_build_material(b, "block", 1000.0, b->number[INCLINE_MU], 0.0);
  ch_build_floor(b, "block");
  ch_build_box(b, ch_build_body(b, "block", ch_vec(0.0, 0.0, 0.15)), ch_vec(0.5, 0.5, 0.15), "block");
}

const ChBuiltin ch_builtin_incline = {"incline", "block on a slope near the angle of friction", incline_parameters,
                                      make_incline};
