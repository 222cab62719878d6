// See rows.h.
#include "assemble/rows.h"

#include <math.h>
#include <string.h>

#include "assemble/islands.h"
#include "assemble/soft_body.h"
#include "base/check.h"
#include "linalg/small.h"

#define LOCKED 1e-6   // share of a normal's row that counts as none: what rounding leaves of a face's normal
#define REACHED 1e-9  // metres or radian: room to a limit, or a gap, that counts as none

void ch_contact_frame(const ChMoment* moment, const ChGap* gap, const ChSurface* surface, ChVec3 axes[3]) {
  axes[0] = gap->normal;
  if (moment->world->dimension == 2) {
    axes[1] = ch_vec(-gap->normal.y, gap->normal.x, 0.0);
    axes[2] = ch_vec(0.0, 0.0, 0.0);
    return;
  }
  ch_tangents(axes[0], &axes[1], &axes[2]);
  if (surface->axis_body < 0) return;
  ChVec3 along = ch_rotate(moment->states[surface->axis_body].orientation, surface->axis);
  along = ch_along(along, -ch_dot(along, axes[0]), axes[0]);
  if (!(ch_norm(along) > 1e-6)) return;  // the axis stands on the contact: any tangent is as good
  axes[1] = ch_unit(along);
  axes[2] = ch_cross(axes[0], axes[1]);
  // A law's functions know friction on the other body alone; the mirror image of it is that of a turned tangent.
  if (surface->law > 0 && surface->law_body != gap->body[0]) axes[1] = ch_neg(axes[1]);
}

// Gradient of `direction` . (velocity of b's point - that of a's).
static ChRow contact_row(const ChMoment* moment, const ChGap* gap, ChVec3 direction) {
  ChRow row;
  for (int side = 0; side < 2; ++side) {
    const ChBodyState* s = &moment->states[gap->body[side]];
    ChVec3 along = side == 0 ? ch_neg(direction) : direction;
    ChVec3 arm = ch_sub(ch_gap_point(gap, side), s->position);
    row.force[side] = along;
    row.torque[side] = ch_rotate_back(s->orientation, ch_cross(arm, along));
  }
  return row;
}

// Gradient of `direction` . (angular velocity of b - that of a).
static ChRow turning_row(const ChMoment* moment, const ChGap* gap, ChVec3 direction) {
  ChRow row;
  for (int side = 0; side < 2; ++side) {
    row.force[side] = ch_vec(0.0, 0.0, 0.0);
    row.torque[side] =
        ch_rotate_back(moment->states[gap->body[side]].orientation, side == 0 ? ch_neg(direction) : direction);
  }
  return row;
}

int ch_contact_row_axis(int space, int dimension, int a) {
  if (a < space) return a;
  if (space == 2) return CH_AXIS_OUT;
  return dimension == 4 || a == 5 ? 0 : a - space + 1;
}

ChVec3 ch_contact_row_direction(const ChRow* rows, int space, int dimension, int a) {
  const int axis = ch_contact_row_axis(space, dimension, a);
  return axis == CH_AXIS_OUT ? ch_axis(2) : rows[axis].force[1];
}

double ch_row_speed(const ChRow* row, const int body[2], const ChBodyState* states) {
  double speed = 0.0;
  for (int side = 0; side < 2; ++side)
    if (body[side] >= 0)
      speed +=
          ch_dot(row->force[side], states[body[side]].velocity) + ch_dot(row->torque[side], states[body[side]].omega);
  return speed;
}

// Moves what a driven or fixed body contributes to w, and forgets it.
static double take_prescribed(const ChMoment* moment, const ChRow* row, const int body[2]) {
  int driven[2];
  for (int side = 0; side < 2; ++side) driven[side] = ch_world_moves(moment->world, body[side]) ? -1 : body[side];
  return ch_row_speed(row, driven, moment->states);
}

static ChRowBlock* open_block(const ChMoment* moment, ChRows* out, const int body[2]) {
  ChRowBlock* block = &out->blocks[out->block_count++];
  *block = (ChRowBlock){.gap = -1, .joint = -1, .law = {.row = out->row_count}};
  for (int side = 0; side < 2; ++side) block->body[side] = ch_world_moves(moment->world, body[side]) ? body[side] : -1;
  return block;
}

// What the contact touches of its deformable sides, at the end of what there is.
static void add_touches(const ChMoment* moment, const ChGap* gap, const ChVec3 axes[3], int dimension, ChRows* out,
                        int* used) {
  for (int side = 0; side < 2; ++side) {
    if (ch_body_modes(moment->world, gap->body[side]) == 0) continue;
    ChQuat turn = moment->states[gap->body[side]].orientation;
    ChSkinTouch* touch = &out->touches[*used];
    *touch = (ChSkinTouch){.point = ch_skin_point(moment->world, moment->states, gap, side)};
    for (int a = 0; a < dimension; ++a) touch->along[a] = ch_rotate_back(turn, side == 0 ? ch_neg(axes[a]) : axes[a]);
    out->touch[out->block_count - 1][side] = (*used)++;
  }
}

// No overlap of a deformable body is undone faster than the body itself springs back, about its radius times its lowest
// frequency. In a hard impact skins may fold, and points may be found deep inside that are not: pushed out within one
// step they would tear the bodies apart.
static double springing_speed(const ChWorld* world, const ChGap* gap) {
  double least = INFINITY;
  for (int side = 0; side < 2; ++side) {
    const ChSoft* soft = gap->body[side] >= 0 ? world->bodies[gap->body[side]].soft : NULL;
    if (soft) least = fmin(least, world->shapes[gap->shape[side]].bound * soft->frequency[0] / (2.0 * M_PI));
  }
  return least;
}

// gain Phi; of an overlap no faster than it is to be undone. `deferred`: what that leaves.
static double approach(const ChMoment* moment, const ChRowRule* rule, const ChGap* gap, double* deferred) {
  double rate = rule->contact_gain * (gap->gap - fmin(fmax(gap->gap, -rule->kept), rule->kept) + gap->bend);
  if (!(rate < 0.0)) return rate;
  double most = rule->push_out > 0.0 ? rule->push_out : ch_push_out_speed(moment, gap, rule->h);
  most = fmin(most, springing_speed(moment->world, gap));
  if (-rate <= most) return rate;
  *deferred = fmax(*deferred, (-rate - most) / rule->contact_gain);
  return -most;
}

// The spring in place of the stabilising term: the overlap is its compression, no error.
static void yield(const ChMoment* moment, const ChRowRule* rule, const ChSurface* surface, const ChGap* gap,
                  ChRowBlock* block, ChRows* out) {
  double closing = -ch_row_speed(&out->rows[block->law.row], gap->body, moment->states);
  ChSpring spring = ch_contact_spring(moment, rule->heap, rule->h, surface, gap, closing);
  out->w[block->law.row] += ch_spring_speed(&spring, gap->gap, rule->h);
  block->law.compliance = ch_spring_compliance(&spring, rule->h);
  out->springs[out->block_count - 1] = spring;
}

// The spring along the tangents. At an impact it gives no impulse.
static void yield_along(const ChRowRule* rule, const ChSurface* surface, int dimension, ChRowBlock* block,
                        ChRows* out) {
  if (rule->at_once) block->law.mu[0] = block->law.mu[1] = 0.0;
  if (!rule->stretch) return;
  const ChShear shear = {surface->shear_stiffness, surface->shear_damping, rule->stretch[block->gap]};
  block->law.shear = ch_shear_compliance(&shear, rule->h);
  for (int k = block->law.row + 1; k < block->law.row + dimension; ++k)
    out->w[k] += ch_shear_rate(&shear, rule->h) * ch_dot(shear.stretch, out->rows[k].force[1]);
  out->shears[out->block_count - 1] = shear;
}

// Whether locks of both bodies, as far as they move, may leave nothing of a row. Most contacts end here.
static bool may_be_locked(const ChMoment* moment, const int body[2]) {
  for (int side = 0; side < 2; ++side) {
    if (!ch_world_moves(moment->world, body[side])) continue;
    if (ch_body_locks(moment->world, body[side]) == 0 || moment->world->bodies[body[side]].soft) return false;
  }
  return true;
}

// Whether the row's force alone acts on a freedom, which spares most contacts the basis.
static bool pushes(const ChMoment* moment, const ChRow* row, const int body[2]) {
  double left = 0.0, size = 0.0;
  for (int side = 0; side < 2; ++side) {
    if (!ch_world_moves(moment->world, body[side])) continue;
    const unsigned locks = ch_body_locks(moment->world, body[side]);
    const ChVec3 f = row->force[side], t = row->torque[side];
    left += (locks & 1u ? 0.0 : f.x * f.x) + (locks & 2u ? 0.0 : f.y * f.y) + (locks & 4u ? 0.0 : f.z * f.z);
    size += ch_dot(f, f) + ch_dot(t, t);
  }
  return left > LOCKED * LOCKED * size;
}

// Whether the row acts on no freedom of either body. What locks leave of a row is told by the basis of the freedoms
// that there are.
static bool is_locked(const ChMoment* moment, const ChRow* row, const int body[2]) {
  double size = 0.0, left = 0.0;
  if (pushes(moment, row, body)) return false;
  for (int side = 0; side < 2; ++side) {
    if (!ch_world_moves(moment->world, body[side])) continue;
    double basis[36], along[6];
    const ChVec3 f = row->force[side], t = row->torque[side];
    int width = ch_world_width(moment->world);
    int n = ch_body_basis(moment->world, body[side], &moment->states[body[side]], basis);
    const double space[6] = {f.x, f.y, f.z, t.x, t.y, t.z}, plane[3] = {f.x, f.y, t.z};
    memcpy(along, width == 6 ? space : plane, (size_t)width * sizeof *along);
    for (int c = 0; c < n; ++c) {
      double sum = 0.0;
      for (int a = 0; a < width; ++a) sum += basis[a * n + c] * along[a];
      left += sum * sum;
    }
    for (int a = 0; a < width; ++a) size += along[a] * along[a];
  }
  return left <= LOCKED * LOCKED * size;
}

// A contact whose normal force moves nobody: no answer undoes its overlap, and no law says how hard it presses.
static bool leave_out(const ChMoment* moment, const ChGap* gap, ChRows* out) {
  if (!may_be_locked(moment, gap->body)) return false;
  ChRow normal = contact_row(moment, gap, gap->normal);
  if (!is_locked(moment, &normal, gap->body)) return false;
  ++out->locked;
  out->locked_overlap = fmax(out->locked_overlap, -gap->gap);
  return true;
}

// A law with moments where the surface has them. A skin's points bear none: many of them share a patch.
static void add_moments(const ChMoment* moment, const ChGap* gap, const ChSurface* surface, ChBlock* law) {
  const int space = moment->world->dimension;
  const bool rolls = surface->rolling > 0.0, drills = surface->drilling > 0.0;
  if (!rolls && !drills) return;
  if (ch_body_modes(moment->world, gap->body[0]) + ch_body_modes(moment->world, gap->body[1]) > 0) return;
  law->law = rolls ? CH_LAW_ROLLING : surface->ellipsoidal ? CH_LAW_ELLIPSOIDAL : CH_LAW_DRILLING;
  law->dimension = space + (rolls ? space - 1 : 0) + drills;
  law->more[0] = surface->rolling, law->more[1] = surface->drilling;
}

// A point of a skin that parts at the speed u, and that a fast mode brings back within the step, may come back at the
// speed (1 - a)/a u, a its weight. Stopped sooner its contact would do the work ((1 - a) u + a u+) r > 0 on what has
// just left it (docs/theory/soft_bodies.md). `part`: of u, by deformation; the frame moves by its new velocity and
// must not come back so far.
static double rebound(const ChMoment* moment, const ChRowRule* rule, const ChRows* rows, const ChGap* gap) {
  const int block = rows->block_count - 1;
  double part = 0.0, speed = ch_row_speed(&rows->rows[rows->blocks[block].law.row], gap->body, moment->states);
  for (int side = 0; side < 2; ++side) {
    const ChSkinTouch* touch = ch_row_touch(rows, block, side);
    if (!touch) continue;
    const double* rates = ch_state_rates(moment->world, moment->states, gap->body[side]);
    part += ch_dot(touch->along[0], ch_skin_velocity(moment->world, gap->body[side], &touch->point, rates));
  }
  return rule->rebound * fmin(part, speed + part);
}

static void add_contact(const ChMoment* moment, const ChRowRule* rule, int index, const ChSurface* surface, ChRows* out,
                        int* used) {
  const ChGap* gap = &moment->gaps[index];
  ChRowBlock* block = open_block(moment, out, gap->body);
  int dimension = rule->frictionless ? 1 : moment->world->dimension;
  ChVec3 axes[3];
  ch_contact_frame(moment, gap, surface, axes);
  block->gap = index;
  const bool sheared = surface->shear_stiffness > 0.0 && dimension > 1,
             yields = rule->heap || (sheared && rule->stretch);
  block->law.law = dimension == 1 ? CH_LAW_UNILATERAL : yields ? CH_LAW_COMPLIANT : CH_LAW_CONTACT;
  block->law.dimension = dimension;
  block->law.mu[0] = surface->friction[0];
  block->law.mu[1] = surface->axis_body < 0 || dimension == 2 ? surface->friction[0] : surface->friction[1];
  if (dimension > 1) {
    block->law.curve = surface->curve;
    add_moments(moment, gap, surface, &block->law);
  }
  if (dimension > 1 && surface->section[0]) {
    block->law.law = CH_LAW_SECTION;
    block->law.section = surface->section[surface->axis_body != gap->body[0]];
  }
  if (dimension > 1 && surface->law > 0) {
    block->law.law = (ChLaw)surface->law;
    memcpy(block->law.more, surface->law_parameter, sizeof block->law.more);
  }
  if (rule->bonded && rule->bonded[index] && surface->cohesion > 0.0) {
    block->law.law = CH_LAW_COHESIVE;
    block->bonded = true;
    block->law.more[0] = surface->cohesion * rule->h;
  }
  for (int a = 0; a < block->law.dimension; ++a) {
    int k = out->row_count++, axis = ch_contact_row_axis(dimension, block->law.dimension, a);
    out->rows[k] = a < dimension ? contact_row(moment, gap, axes[a])
                                 : turning_row(moment, gap, axis == CH_AXIS_OUT ? ch_axis(2) : axes[axis]);
    out->value[k] = a == 0 ? gap->gap : 0.0;
    out->prescribed[k] = take_prescribed(moment, &out->rows[k], gap->body);
    out->w[k] = out->prescribed[k];
    if (a == 0 && !rule->heap) out->w[k] += approach(moment, rule, gap, &out->deferred);
  }
  if (rule->heap) yield(moment, rule, surface, gap, block, out);
  if (sheared) yield_along(rule, surface, dimension, block, out);
  if (!out->touches) return;
  add_touches(moment, gap, axes, dimension, out, used);
  if (rule->rebound > 0.0) {
    double *w = &out->w[block->law.row], asked = *w - out->prescribed[block->law.row];
    if (asked >= 0.0) *w += fmax(rebound(moment, rule, out, gap) - asked, 0.0);
  }
}

// The speed that a drive asks for: position drives the mean over the step, so that its end is met whatever the signal
// does in between; speed drives what holds at the end.
static double drive_rate(const ChMoment* moment, const ChRowRule* rule, const ChJoint* joint, int axis) {
  if (axis < 0) return 0.0;
  const ChJointAxis* a = &joint->axes[axis];
  double end = ch_signal_value(&a->target, moment->end);
  if (a->drive == CH_DRIVE_VELOCITY) return end;
  return rule->h > 0.0 ? (end - ch_signal_value(&a->target, moment->time)) / rule->h : 0.0;
}

// G M^-1 G' of one row, as if its bodies were alone.
static double inverse_mass(const ChMoment* moment, const ChRow* row, const int body[2]) {
  double sum = 0.0;
  for (int side = 0; side < 2; ++side) {
    if (!ch_world_moves(moment->world, body[side])) continue;
    const ChBody* b = &moment->world->bodies[body[side]];
    double J[9], inverse[9], t[3] = {row->torque[side].x, row->torque[side].y, row->torque[side].z}, w[3] = {0};
    sum += ch_dot(row->force[side], row->force[side]) / b->mass;
    memcpy(J, b->inertia.m, sizeof J);
    if (moment->world->dimension == 2)
      w[2] = t[2] / b->inertia.m[2][2];
    else if (ch_small_invert(3, J, inverse))
      ch_small_multiply(3, inverse, t, w);
    sum += t[0] * w[0] + t[1] * w[1] + t[2] * w[2];
  }
  return sum;
}

// How fast a position motor wants its error to go: away within this step, but no faster than its strength can brake
// before the target, v^2 = 2 (F / m) |e|. Without that it would swing about its target for ever.
static double homing_speed(const ChMoment* moment, const ChRowRule* rule, const ChJoint* joint, const ChJointRow* row) {
  double wanted = rule->motor_gain * row->value;
  if (!isfinite(row->strength)) return wanted;
  double most = sqrt(2.0 * row->strength * inverse_mass(moment, &row->row, joint->body) * fabs(row->value));
  return fabs(wanted) > most ? copysign(most, wanted) : wanted;
}

// Spring and damper at the end of the step, -r = h (k (x + h u) + d u):   u + k x / K + r / (h K) = 0,   K = h k + d.
// Nothing springs back at once.
static void set_spring(const ChRowRule* rule, const ChJointAxis* axis, double stretch, ChBlock* law, double* w) {
  const double together = rule->h * axis->stiffness + axis->damping;
  law->law = CH_LAW_LIMIT;
  if (rule->at_once || !(rule->h > 0.0) || !(rule->h * together > 0.0)) return;
  law->law = CH_LAW_ELASTIC;
  law->compliance = 1.0 / (rule->h * together);
  *w += axis->stiffness * stretch / together;
}

// Law and right-hand side of one joint row; motors and friction bound their impulse by h strength.
static void set_joint_law(const ChMoment* moment, const ChRowRule* rule, const ChJoint* joint, const ChJointRow* row,
                          ChBlock* law, double* w, double* value) {
  *value = 0.0;
  switch (row->kind) {
    case CH_ROW_EQUAL:
      law->law = CH_LAW_BILATERAL;
      *value = row->value;
      *w += rule->joint_gain * row->value - drive_rate(moment, rule, joint, row->axis);
      return;
    case CH_ROW_LOWER:
    case CH_ROW_UPPER:
      law->law = CH_LAW_UNILATERAL;
      *value = row->value;
      *w += row->rate + rule->contact_gain * row->value;
      return;
    case CH_ROW_MOTOR:
      *w += homing_speed(moment, rule, joint, row) - drive_rate(moment, rule, joint, row->axis);
      break;
    case CH_ROW_FRICTION:
      break;
    case CH_ROW_SPRING:
      set_spring(rule, &joint->axes[row->axis], row->value, law, w);
      return;
  }
  double bound = !isfinite(row->strength) ? INFINITY : rule->at_once ? 0.0 : rule->h * row->strength;
  law->law = CH_LAW_LIMIT;
  law->lo = -bound;
  law->hi = bound;
}

static bool left_out(const ChRowRule* rule, const ChJointRow* row) {
  if (row->kind != CH_ROW_LOWER && row->kind != CH_ROW_UPPER) return false;
  return (rule->closed_only && row->value > 0.0) || (rule->at_once && row->value > REACHED);
}

static bool is_kinematic(const ChWorld* world, int body) {
  return body >= 0 && world->bodies[body].kind == CH_BODY_KINEMATIC;
}

static void add_joint(const ChMoment* moment, const ChRowRule* rule, int index, ChRows* out) {
  const ChJoint* joint = &moment->world->joints[index];
  if (!ch_world_moves(moment->world, joint->body[0]) && !ch_world_moves(moment->world, joint->body[1])) return;
  ChJointRow list[CH_JOINT_ROWS_MAX];
  int count = ch_joint_rows(moment->world, joint, moment->states, moment->time, list);
  ChRowBlock* block = NULL;
  bool held = is_kinematic(moment->world, joint->body[0]) || is_kinematic(moment->world, joint->body[1]);
  for (int k = 0; k < count; ++k) {
    if (left_out(rule, &list[k])) continue;
    bool joins = block && list[k].kind == CH_ROW_EQUAL && ch_law_info(block->law.law)->equation &&
                 block->law.dimension < CH_BLOCK_MAX && k == block->joint_row + block->law.dimension;
    if (!joins) {
      block = open_block(moment, out, joint->body);
      block->joint = index;
      block->joint_row = k;
    }
    int row = out->row_count++;
    out->rows[row] = list[k].row;
    out->w[row] = out->prescribed[row] = take_prescribed(moment, &list[k].row, joint->body);
    out->driven[row] = list[k].kind == CH_ROW_MOTOR || (list[k].kind == CH_ROW_EQUAL && (list[k].axis >= 0 || held));
    set_joint_law(moment, rule, joint, &list[k], &block->law, &out->w[row], &out->value[row]);
    ++block->law.dimension;
  }
}

double ch_row_bend_speed(const ChWorld* world, const ChRows* rows, int row, const int body[2], const double* rates) {
  double sum = 0.0;
  for (int side = 0; side < 2 && rows->bends; ++side) {
    const double* bend = rows->bends[row][side];
    if (!bend || body[side] < 0) continue;
    const double* own = rates + world->bodies[body[side]].first_mode;
    for (int a = 0; a < ch_body_modes(world, body[side]); ++a) sum += bend[a] * own[a];
  }
  return sum;
}

// How deformable sides of a block of a joint move along its rows.
static void add_bends(ChArena* arena, const ChMoment* moment, const ChRowBlock* block, ChRows* out) {
  const ChJoint* joint = &moment->world->joints[block->joint];
  const ChRow* list[CH_BLOCK_MAX];
  for (int a = 0; a < block->law.dimension; ++a) list[a] = &out->rows[block->law.row + a];
  for (int side = 0; side < 2; ++side) {
    const int modes = ch_joint_modes(joint, side);
    if (modes == 0) continue;
    double* bend = CH_TAKE_RAW(arena, (long)block->law.dimension * modes, double);
    ch_joint_bends(moment->world, joint, moment->states, side, block->law.dimension, list, bend);
    for (int a = 0; a < block->law.dimension; ++a) out->bends[block->law.row + a][side] = bend + (long)a * modes;
  }
}

static bool grips(const ChWorld* world) {
  for (int j = 0; j < world->joint_count; ++j)
    if (world->joints[j].grip[0] || world->joints[j].grip[1]) return true;
  return false;
}

static void take_touches(ChArena* arena, const ChMoment* moment, ChRows* out) {
  long most = 0, blocks = (long)moment->gap_count + (long)moment->world->joint_count * CH_JOINT_ROWS_MAX;
  for (int g = 0; g < moment->gap_count; ++g)
    for (int side = 0; side < 2; ++side) most += ch_body_modes(moment->world, moment->gaps[g].body[side]) > 0;
  out->touches = CH_TAKE_RAW(arena, most + 1, ChSkinTouch);
  out->touch = (int(*)[2])CH_TAKE_RAW(arena, 2 * blocks, int);
  for (long b = 0; b < blocks; ++b) out->touch[b][0] = out->touch[b][1] = -1;
}

static bool same_shapes(const int a[2], const int b[2]) { return a[0] == b[0] && a[1] == b[1]; }

// In the same order, too: a rule for two materials may round.
static bool same_materials(const ChWorld* world, const int a[2], const int b[2]) {
  const ChShape *p = &world->shapes[a[0]], *q = &world->shapes[a[1]];
  const ChShape *r = &world->shapes[b[0]], *s = &world->shapes[b[1]];
  return p->material == r->material && q->material == s->material && (p->body > q->body) == (r->body > s->body);
}

void ch_rows_build(ChArena* arena, const ChMoment* moment, const ChRowRule* rule, ChRows* out) {
  CH_ASSERT(moment->world->sealed && moment->gap_count >= 0);
  CH_ASSERT(moment->gap_count == 0 || moment->gaps);
  long joint_rows = (long)moment->world->joint_count * CH_JOINT_ROWS_MAX;
  const int per_contact = ch_world_has_moments(moment->world) ? CH_BLOCK_MAX : moment->world->dimension;
  long most = (long)moment->gap_count * per_contact + joint_rows;
  *out = (ChRows){.blocks = CH_TAKE_RAW(arena, moment->gap_count + joint_rows, ChRowBlock),
                  .rows = CH_TAKE_RAW(arena, most, ChRow),
                  .w = CH_TAKE_RAW(arena, most, double),
                  .value = CH_TAKE_RAW(arena, most, double),
                  .prescribed = CH_TAKE_RAW(arena, most, double),
                  .driven = CH_TAKE(arena, most, bool)};
  int used = 0;
  if (rule->heap) out->springs = CH_TAKE(arena, moment->gap_count + joint_rows, ChSpring);
  if (rule->stretch) out->shears = CH_TAKE(arena, moment->gap_count + joint_rows, ChShear);
  if (moment->world->mode_count > 0) take_touches(arena, moment, out);
  for (int j = 0; j < moment->world->joint_count; ++j)
    if (!moment->joint_here || moment->joint_here[j]) add_joint(moment, rule, j, out);
  if (out->block_count > 0 && grips(moment->world)) {
    out->bends = (double*(*)[2])CH_TAKE(arena, 2 * most, double*);
    for (int b = 0; b < out->block_count; ++b) add_bends(arena, moment, &out->blocks[b], out);
  }
  ChSurface surface = {0};
  const int* seen = NULL;   // gaps of one pair of shapes follow each other
  bool any_shapes = false;  // the surface is that of all shapes of these materials
  for (int g = 0; g < moment->gap_count; ++g) {
    const int* shape = moment->gaps[g].shape;
    if (rule->closed_only && !(moment->gaps[g].gap <= REACHED)) continue;
    if (leave_out(moment, &moment->gaps[g], out)) continue;
    if (!seen || !(same_shapes(seen, shape) || (any_shapes && same_materials(moment->world, seen, shape)))) {
      surface = ch_world_surface(moment->world, shape[0], shape[1]);
      any_shapes = surface.axis_body < 0 && surface.law == 0 && !surface.section[0];
    }
    seen = shape;
    add_contact(moment, rule, g, &surface, out, &used);
  }
  CH_ASSERT(out->block_count <= moment->gap_count + joint_rows && out->row_count <= most);
}
