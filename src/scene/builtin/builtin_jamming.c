// Built-in scene jamming: bars dropped into a gap between two walls that narrows downwards, wide enough for a bar that
// comes upright and too narrow for one that lies across (004 7.3.3, Fig 7.4; requirement H32).
//
// A bar touches each wall with one corner, at (x1, z1) on the left and (x2, z2) on the right of its centre of mass. The
// two forces push in with the same H and up with H s1, H s2, where s = tan(alpha - phi) ... tan(alpha + phi) within the
// friction cones, alpha the walls' lean, mu = tan(phi). So a rigid bar whose right end is the higher one is in balance
// if
//   -x1 tan(alpha + phi) >= x2 tan(alpha - phi) + z2 - z1,   thin, of tilt theta: tan(alpha + phi) - tan(alpha - phi)
//   >= 2 tan(theta):
// the less friction, the more level a bar must be to jam. What is not held turns upright and passes. A bar that is
// steeper than the wall touches it with the upper corner of its end, whose z1 is the larger: it is held better, and at
// theta = alpha its end lies flat on the wall. A soft bar sags, which turns its ends. Bars of rising tilt, soft ones in
// one row and rigid ones in another, show how far each mu holds.
#include <math.h>
#include <stdio.h>

#include "scene/builtin/builtin.h"

static const double PI = 3.141592653589793;
static const double GAP = 0.06, WALL = 0.3, LONG = 0.3, THICK = 0.03, WIDE = 0.05, PITCH = 0.09, DENSITY = 1000.0;

enum { MU, YOUNG, BARS, FROM, TO, LEAN, ABOVE, SPEED, MODES };

static const ChSceneParameter parameters[] = {
    CH_NUMBER("mu", "0.4", 0, 10, "friction coefficient"),
    CH_NUMBER("young", "1e6", 1e4, 1e12, "Young's modulus of the soft bars, Pa"),
    CH_WHOLE("bars", "6", 1, 40, "number of bars of each kind, soft and rigid"),
    CH_NUMBER("from", "5", 0, 60, "tilt of the first bar, degrees"),
    CH_NUMBER("to", "50", 0, 60, "tilt of the last bar, degrees"),
    CH_NUMBER("lean", "30", 5, 60, "angle of the walls from the vertical, degrees"),
    CH_NUMBER("above", "1e-3", 0, 1, "height of the bars above the place where they would touch both walls, m"),
    CH_NUMBER("speed", "0.2", 0, 20, "speed at which the bars come down, m/s"),
    CH_WHOLE("modes", "12", 1, 58, "of a soft bar"),
    CH_PARAMETERS_END,
};

static double tilt_of(const ChBuild* b, int k) {
  int bars = (int)b->number[BARS];
  double part = bars > 1 ? (double)k / (bars - 1) : 0.0;
  return (b->number[FROM] + part * (b->number[TO] - b->number[FROM])) * PI / 180.0;
}

// Where the centre of a bar is whose outermost corners touch both walls, and at what heights these corners are: one at
// (x, z) from the centre reaches as far to the side as x + z tan(lean) says. The walls' lower edges are at z = 0.
static ChVec3 place_of(double tilt, double lean, double height[2]) {
  double reach[2] = {-INFINITY, -INFINITY};  // to the left, to the right
  for (int k = 0; k < 4; ++k) {
    double along = (k & 1 ? 0.5 : -0.5) * LONG, up = (k & 2 ? 0.5 : -0.5) * THICK;
    double x = along * cos(tilt) - up * sin(tilt), z = along * sin(tilt) + up * cos(tilt);
    for (int side = 0; side < 2; ++side) {
      double far = (side == 0 ? -x : x) - z * tan(lean);
      if (far > reach[side]) reach[side] = far, height[side] = z;
    }
  }
  ChVec3 centre = ch_vec(0.5 * (reach[0] - reach[1]), 0.0, 0.5 * (reach[0] + reach[1] - GAP) / tan(lean));
  for (int side = 0; side < 2; ++side) height[side] += centre.z;
  return centre;
}

static void add_bar(ChBuild* b, bool soft, int k) {
  const double tilt = tilt_of(b, k), lean = b->number[LEAN] * PI / 180.0;
  const double row = (soft ? -0.5 : 0.5) * (b->number[BARS] + 1.0) * PITCH;
  double height[2] = {0.0, 0.0};
  ChVec3 at = place_of(tilt, lean, height);
  if (!(fmin(height[0], height[1]) > 0.0 && fmax(height[0], height[1]) < 2.0 * WALL * cos(lean)))
    snprintf(b->why, sizeof b->why, "a bar tilted by %g degrees cannot touch both walls if they lean by %g",
             tilt * 180.0 / PI, b->number[LEAN]);
  at.y = row + (k - 0.5 * (b->number[BARS] - 1.0)) * PITCH;
  at.z += b->number[ABOVE];
  json_t* bar = ch_build_numbered(b, soft ? "soft" : "rigid", k + 1, at);
  ch_build_turned(b, bar, ch_vec(0.0, 1.0, 0.0), -tilt * 180.0 / PI);
  ch_build_velocity(b, bar, ch_vec(0.0, 0.0, -b->number[SPEED]));
  if (!soft) {
    ch_build_box(b, bar, ch_vec(0.5 * LONG, 0.5 * WIDE, 0.5 * THICK), "rubber");
    return;
  }
  ch_build_soft(b, bar,
                &(ChBuildSoft){.model = "modal",
                               .shape = "bar",
                               .material = "rubber",
                               .size = ch_vec(LONG, WIDE, THICK),
                               .cells = {16, 2, 2},
                               .young = b->number[YOUNG],
                               .poisson = 0.4,
                               .damping = {0.0, 1e-3},
                               .modes = (int)b->number[MODES]});
}

static void add_wall(ChBuild* b, const char* name, double side) {
  const ChVec3 half = {0.02, (b->number[BARS] + 1.0) * PITCH, WALL};
  const double lean = b->number[LEAN] * PI / 180.0;
  // The inner face starts at the gap's edge and leans outwards.
  const ChVec3 at = {side * (0.5 * GAP + half.z * sin(lean) + half.x * cos(lean)), 0.0,
                     half.z * cos(lean) - half.x * sin(lean)};
  json_t* wall = ch_build_body(b, name, at);
  ch_build_fixed(b, wall);
  ch_build_turned(b, wall, ch_vec(0.0, 1.0, 0.0), side * b->number[LEAN]);
  ch_build_box(b, wall, half, "rubber");
}

// What passes comes to lie there, well below what counts as passed.
static void add_floor(ChBuild* b) {
  json_t* floor = ch_build_body(b, "floor", ch_vec(0.0, 0.0, -0.65));
  ch_build_fixed(b, floor);
  ch_build_box(b, floor, ch_vec(1.0, 1.5 * (b->number[BARS] + 1.0) * PITCH, 0.05), "rubber");
}

static void make_jamming(ChBuild* b) {
  ch_build_begin(b, "jamming", "Soft and rigid bars fall between two leaning walls: they jam, or pass.", 3);
  ch_build_step(b, 2e-3, 1.0, 4e-3);
  ch_build_tolerance(b, 1e-6);
  ch_build_material(b, "rubber", DENSITY, b->number[MU], 0.0);
  add_wall(b, "left wall", -1.0);
  add_wall(b, "right wall", 1.0);
  add_floor(b);
  for (int soft = 1; soft >= 0; --soft)
    for (int k = 0; k < (int)b->number[BARS]; ++k) add_bar(b, soft, k);
}

const ChBuiltin ch_builtin_jamming = {"jamming", "soft and rigid bars that jam between walls, or pass", parameters,
                                      make_jamming};
