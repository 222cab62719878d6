// See closing_speed.h.
#include "collide/closing_speed.h"

#include "collide/skin/skin.h"

static const double ROUNDING = 1.0 + 1e-9;

static ChVec3 velocity_at(const ChBodyState* states, const ChPosed* posed, ChVec3 point) {
  const ChBodyState* state = &states[posed->shape->body];
  ChVec3 omega = ch_rotate(state->orientation, state->omega), own = ch_sub(point, posed->shift);
  return ch_add(state->velocity, ch_cross(omega, ch_sub(own, state->position)));
}

// How fast the modes move what of a skin touches, along the normal.
static double swing_at(const ChPosed* posed, const ChGap* point, int side) {
  if (!posed->skin) return 0.0;
  ChVec3 local = ch_mat_apply_transposed(&posed->turn, ch_sub(point->point, posed->frame.at));
  ChVec3 velocity = ch_skin_displacement(posed->skin, point->skin[side], local, posed->skin->rates);
  return fabs(ch_dot(ch_mat_apply_transposed(&posed->turn, point->normal), velocity));
}

double ch_closing_rate(const ChPosed* a, const ChPosed* b, const ChBodyState* states, const ChGap* point) {
  ChVec3 of_a = velocity_at(states, a, point->point);
  ChVec3 of_b = velocity_at(states, b, point->point);
  return ch_dot(ch_sub(of_a, of_b), point->normal) + swing_at(a, point, 0) + swing_at(b, point, 1);
}

ChClosing ch_closing(const ChPosed* sampled, const ChPosed* target, double margin) {
  ChClosing closing = {.least = margin, .most = margin};
  const ChAhead* ahead = sampled->ahead;
  if (!ahead || !(ahead->time > 0.0)) return closing;
  const ChBodyState *own = &ahead->states[sampled->shape->body], *other = &ahead->states[target->shape->body];
  ChVec3 apart = ch_sub(velocity_at(ahead->states, sampled, target->frame.at),
                        velocity_at(ahead->states, target, target->frame.at));
  ChVec3 turn = ch_sub(ch_rotate(own->orientation, own->omega), ch_rotate(other->orientation, other->omega));
  closing.step = ch_scale(ahead->time, ch_mat_apply_transposed(&target->turn, apart));
  closing.turn = ch_scale(ahead->time, ch_mat_apply_transposed(&target->turn, turn));
  closing.turning = ch_norm(closing.turn);
  closing.least = ahead->margin + 1e-12 * margin;
  return closing;
}

ChClosingReach ch_closing_reach(const ChClosing* closing, ChVec3 centre, double radius, double swing) {
  ChVec3 step = ch_add(closing->step, ch_cross(closing->turn, centre));
  double length = ROUNDING * ch_norm(step), least = closing->least + ROUNDING * (swing + closing->turning * radius);
  double margin = least + length;
  if (!(margin < closing->most)) margin = closing->most;
  if (!(least + 0.5 * length < closing->most)) return (ChClosingReach){centre, closing->most, margin};
  return (ChClosingReach){ch_along(centre, 0.5, step), least + 0.5 * length, margin};
}
