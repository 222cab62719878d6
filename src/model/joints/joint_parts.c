// What the types of joints are made of: gradients, freedoms, equalities. See joint_kind.h.
#include "model/joints/joint_kind.h"

// ----------------------------------------------------------------------------------------------------------- gradients

// A row from the force on b and the torques in the world frame.
static ChRow make_row(const ChJointPose* p, ChVec3 force, ChVec3 torque_a, ChVec3 torque_b) {
  return (ChRow){.force = {ch_neg(force), force},
                 .torque = {ch_rotate_back(p->turn[0], torque_a), ch_rotate_back(p->turn[1], torque_b)}};
}

ChRow ch_joint_shift_row(const ChJointPose* p, ChVec3 e) {
  return make_row(p, e, ch_scale(-p->sweep[0], ch_cross(p->lever[0], e)),
                  ch_scale(p->sweep[1], ch_cross(p->lever[1], e)));
}

ChRow ch_joint_slide_row(const ChJointPose* p, ChVec3 e) {
  return make_row(p, e, ch_scale(-p->sweep[0], ch_cross(ch_add(p->lever[0], p->d), e)),
                  ch_scale(p->sweep[1], ch_cross(p->lever[1], e)));
}

ChRow ch_joint_turn_row(const ChJointPose* p, ChVec3 axis) { return make_row(p, ch_vec(0, 0, 0), ch_neg(axis), axis); }

ChRow ch_joint_cosine_row(const ChJointPose* p, ChVec3 u, ChVec3 w) { return ch_joint_turn_row(p, ch_cross(w, u)); }

// ------------------------------------------------------------------------------------------------------------ freedoms

double ch_joint_slide(const ChJointPose* p, ChVec3 e, ChRow* row) {
  if (row) *row = ch_joint_slide_row(p, e);
  return ch_dot(p->d, e);
}

double ch_joint_angle(const ChJointPose* p, double c, ChVec3 dc, double s, ChVec3 ds, ChRow* row) {
  double square = c * c + s * s;
  if (row)
    *row =
        ch_joint_turn_row(p, square > 0.0 ? ch_scale(1.0 / square, ch_sub(ch_scale(c, ds), ch_scale(s, dc))) : p->z[0]);
  return atan2(s, c);
}

double ch_joint_twist(const ChJointPose* p, ChRow* row) {
  if (p->world->dimension == 2) {
    if (row) *row = ch_joint_turn_row(p, ch_axis(2));
    return p->angle;
  }
  return ch_joint_angle(p, ch_dot(p->x[1], p->x[0]), ch_cross(p->x[1], p->x[0]), ch_dot(p->x[1], p->y[0]),
                        ch_cross(p->x[1], p->y[0]), row);
}

// ---------------------------------------------------------------------------------------------------------- equalities

void ch_joint_add_equal(ChJointRowList* list, double value, ChRow row) {
  list->rows[list->count++] = (ChJointRow){.row = row, .kind = CH_ROW_EQUAL, .value = value, .axis = -1};
}

void ch_joint_add_together(const ChJointPose* p, ChJointRowList* list) {
  for (int k = 0; k < p->world->dimension; ++k)
    ch_joint_add_equal(list, ch_component(p->d, k), ch_joint_shift_row(p, ch_axis(k)));
}

void ch_joint_add_on_line(const ChJointPose* p, ChJointRowList* list) {
  ch_joint_add_equal(list, ch_dot(p->d, p->x[0]), ch_joint_slide_row(p, p->x[0]));
  if (p->world->dimension == 3) ch_joint_add_equal(list, ch_dot(p->d, p->y[0]), ch_joint_slide_row(p, p->y[0]));
}

void ch_joint_add_aligned(const ChJointPose* p, ChJointRowList* list) {
  ch_joint_add_equal(list, ch_dot(p->x[0], p->z[1]), ch_joint_cosine_row(p, p->x[0], p->z[1]));
  ch_joint_add_equal(list, ch_dot(p->y[0], p->z[1]), ch_joint_cosine_row(p, p->y[0], p->z[1]));
}

void ch_joint_add_parallel(const ChJointPose* p, ChJointRowList* list) {
  if (p->world->dimension == 2) {
    ch_joint_add_equal(list, p->angle, ch_joint_turn_row(p, ch_axis(2)));
    return;
  }
  ch_joint_add_aligned(p, list);
  ch_joint_add_equal(list, ch_dot(p->y[0], p->x[1]), ch_joint_cosine_row(p, p->y[0], p->x[1]));
}
