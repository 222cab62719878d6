// How fast bodies that overlap part, at most.
//
// Undone within one step, an overlap d becomes the speed d / h, and the body keeps it: a cube 0.9 mm deep jumps 4 cm at
// h = 1 ms. Here the speed is what gravity explains, and a little more where there is none,
//
//   v = max(2 g h, sqrt(g d / 2), R / 100 s) + h/2 sum of omega^2 rho
//
// 2 g h       what two steps of falling make: overlaps up to 2 g h^2 are undone at once, and a hop from there ends
//             within 2 g h^2
// sqrt(g d/2) a throw of a quarter of the depth: it grows with the depth, so that no cause feeds an overlap for ever,
//             and a body that it throws falls back before it is out
// R / 100 s   for weightless bodies, R the radius of the smaller one
// the sum     what a step of turning leaves at arms rho, which must go again or it would add up
#include <math.h>

#include "assemble/rows.h"
#include "base/check.h"

#define LEAST_SHARE 0.01  // of a body's radius, a second

static double turning_speed(const ChMoment* moment, const ChGap* gap, double h) {
  double sum = 0.0;
  for (int side = 0; side < 2; ++side) {
    const ChBodyState* s = &moment->states[gap->body[side]];
    sum += 0.5 * h * ch_dot(s->omega, s->omega) * ch_norm(ch_sub(ch_gap_point(gap, side), s->position));
  }
  return sum;
}

double ch_smaller_radius(const ChMoment* moment, const ChGap* gap) {
  double least = INFINITY;
  for (int side = 0; side < 2; ++side) {
    const ChShape* shape = &moment->world->shapes[gap->shape[side]];
    if (ch_world_moves(moment->world, gap->body[side])) least = fmin(least, shape->reach);
  }
  return isfinite(least) ? least : 0.0;
}

double ch_push_out_speed(const ChMoment* moment, const ChGap* gap, double h) {
  CH_ASSERT(h > 0.0);
  double g = ch_norm(ch_world_gravity(moment->world, moment->time));
  double falling = fmax(2.0 * g * h, sqrt(0.5 * g * fmax(-gap->gap, 0.0)));
  return fmax(falling, LEAST_SHARE * ch_smaller_radius(moment, gap)) + turning_speed(moment, gap, h);
}
