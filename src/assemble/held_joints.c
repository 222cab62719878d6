// See held_joints.h.
#include "assemble/held_joints.h"

#include <math.h>

#include "base/check.h"

// u + share u0 + k x / (K (1 - a)) + r / (h K (1 - a)) = 0,   K = a h k + c
static void hold_spring(const ChHoldRule* rule, const ChJointAxis* axis, double stretch, ChBlock* law, double* w) {
  const double together = (rule->a * rule->h * axis->stiffness + axis->damping) * (1.0 - rule->a);
  if (rule->h * together > 0.0) {
    law->law = CH_LAW_ELASTIC;
    law->compliance = 1.0 / (rule->h * together);
    *w += axis->stiffness * stretch / together;
    return;
  }
  law->law = CH_LAW_LIMIT;  // a = 0: the force at the start
  law->lo = law->hi = -rule->h * axis->stiffness * stretch;
}

static void hold_row(const ChMoment* moment, const ChJointPaths* paths, const ChHoldRule* rule, const ChJoint* joint,
                     const ChJointRow* row, double asked, ChRows* out, ChRowBlock* block, int k) {
  int driven[2];
  for (int side = 0; side < 2; ++side) driven[side] = block->body[side] < 0 ? joint->body[side] : -1;
  const double share = rule->a / (1.0 - rule->a), rest = rule->h * (1.0 - rule->a);
  const double prescribed = ch_row_speed(&row->row, driven, paths->start);
  const double bent =
      ch_row_bend_speed(moment->world, out, k, block->body, ch_states_rates(moment->world, paths->start));
  const double back = share * (ch_row_speed(&row->row, block->body, paths->start) + bent + prescribed);
  const bool limit = row->kind == CH_ROW_LOWER || row->kind == CH_ROW_UPPER;
  CH_ASSERT(moment->world->joint_count > 0 && isfinite(rest));
  out->rows[k] = row->row;
  out->prescribed[k] = out->w[k] = prescribed;
  if (row->kind == CH_ROW_EQUAL && row->axis < 0)
    out->w[k] += back + row->value / rest;
  else if (limit && (rule->bounces || rule->arrives))
    out->w[k] += row->rate + back + (rule->arrives ? row->value / rest : 0.0);
  else if (row->kind == CH_ROW_SPRING) {
    out->w[k] += back;
    hold_spring(rule, &joint->axes[row->axis], row->value, &block->law, &out->w[k]);
  } else {
    out->w[k] += asked;
  }
}

// Along modes, in the middle of the way. There a frame that follows a deformation has turned by its own, so that the
// change along the rows is not quite that of their values: the value at the start is put right by what is left over.
static void hold_bends(const ChMoment* moment, const ChJointPaths* paths, const ChJoint* joint, ChJointRow* list,
                       const ChJointRow* ends, const ChRowBlock* block, ChRows* out) {
  const ChWorld* world = moment->world;
  const int count = block->law.dimension;
  const ChRow* rows[CH_BLOCK_MAX];
  for (int a = 0; a < count; ++a) {
    rows[a] = &list[a].row;
    list[a].value = ends[a].value - ch_joint_change(paths, joint, rows[a]);
  }
  for (int side = 0; side < 2; ++side) {
    const int modes = ch_joint_modes(joint, side), body = joint->body[side];
    if (modes == 0) continue;
    double* bend = out->bends[block->law.row][side];
    ch_joint_bends(world, joint, paths->middle, side, count, rows, bend);
    const double *from = ch_state_modes(world, paths->start, body), *to = ch_state_modes(world, paths->end, body);
    for (int a = 0; a < count; ++a)
      for (int m = 0; m < modes; ++m) list[a].value -= bend[a * modes + m] * (to[m] - from[m]);
  }
}

void ch_rows_hold(const ChMoment* moment, const ChJointPaths* paths, const ChHoldRule* rule, const double* asked,
                  ChRows* out) {
  CH_ASSERT(rule->a >= 0.0 && rule->a < 1.0 && paths->start && paths->end);
  ChJointRow list[CH_JOINT_ROWS_MAX], ends[CH_JOINT_ROWS_MAX];
  int of = -1;
  for (int b = 0; b < out->block_count; ++b) {
    ChRowBlock* block = &out->blocks[b];
    if (block->joint < 0) continue;
    const ChJoint* joint = &moment->world->joints[block->joint];
    const bool bends = joint->grip[0] || joint->grip[1];
    if (block->joint != of) ch_joint_rows_between(moment->world, joint, paths, moment->time, list);
    if (block->joint != of && bends) ch_joint_rows(moment->world, joint, paths->end, moment->time, ends);
    of = block->joint;
    if (bends) hold_bends(moment, paths, joint, list + block->joint_row, ends + block->joint_row, block, out);
    for (int a = 0; a < block->law.dimension; ++a) {
      int k = block->law.row + a;
      hold_row(moment, paths, rule, joint, &list[block->joint_row + a], asked[k], out, block, k);
    }
  }
}
