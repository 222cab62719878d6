// Control: what a caller may command before a step. Targets of motors, wrenches, places of kinematic bodies, states.
// Where nothing is commanded, not a bit of a step changes.
#include <math.h>
#include <string.h>

#include "assemble/soft_body.h"
#include "base/check.h"
#include "cardhouse/joint.h"
#include "model/ids.h"
#include "model/population.h"
#include "step/in_step.h"
#include "step/steer.h"

// --- drives ----------------------------------------------------------------------------------------------------------

static ChStatus find_freedom(ChContext* context, const ChSimulation* s, ChJointId id, int axis, ChJoint** joint) {
  int row;
  ChStatus status = ch_joint_find(context, s->world, id, "drive", &row);
  if (status != CH_OK) return status;
  *joint = &s->world->joints[row];
  int freedoms = ch_joint_freedoms((*joint)->type);
  if (axis >= 0 && axis < freedoms) return CH_OK;
  return ch_fail(context, CH_ERR_RANGE, "joint '%.100s': freedom %d, there are %d", (*joint)->name, axis, freedoms);
}

static ChStatus check_target(ChContext* context, const ChJoint* joint, double target) {
  if (isfinite(target)) return CH_OK;
  return ch_fail(context, CH_ERR_RANGE, "joint '%.100s': target is %g, must be finite", joint->name, target);
}

// From a target that changes by itself to one that does not.
static void put_target(ChSimulation* s, ChJointAxis* axis, double target) {
  bool steady = axis->target.rate == 0.0 && axis->target.amplitude == 0.0 && axis->target.table_count == 0;
  axis->target = (ChSignal){.base = target};
  s->still = false;
  if (!steady) s->autonomous = ch_world_is_autonomous(s->world);
}

ChStatus ch_simulation_set_target(ChContext* context, ChSimulation* s, ChJointId id, int axis, double target) {
  ChJoint* joint;
  ChStatus status = find_freedom(context, s, id, axis, &joint);
  if (status == CH_OK) status = check_target(context, joint, target);
  if (status != CH_OK) return status;
  if (joint->axes[axis].drive == CH_DRIVE_NONE)
    return ch_fail(context, CH_ERR_ARGUMENT, "joint '%.100s': freedom %d is not driven; give it a drive first",
                   joint->name, axis);
  put_target(s, &joint->axes[axis], target);
  return CH_OK;
}

ChStatus ch_simulation_set_drive(ChContext* context, ChSimulation* s, ChJointId id, int axis, ChDrive drive,
                                 double target, double strength) {
  ChJoint* joint;
  ChStatus status = find_freedom(context, s, id, axis, &joint);
  if (status == CH_OK) status = check_target(context, joint, target);
  if (status != CH_OK) return status;
  if ((unsigned)drive > CH_DRIVE_PRESCRIBED)
    return ch_fail(context, CH_ERR_ARGUMENT, "joint '%.100s': drive is %d, which does not exist", joint->name,
                   (int)drive);
  if (!(strength >= 0.0 && strength < INFINITY))
    return ch_fail(context, CH_ERR_RANGE, "joint '%.100s': strength is %g, must be finite and >= 0", joint->name,
                   strength);
  ChJointAxis* a = &joint->axes[axis];
  if (drive == CH_DRIVE_PRESCRIBED && a->limited)
    return ch_fail(context, CH_ERR_ARGUMENT, "joint '%.100s': freedom %d is limited, so it cannot be prescribed",
                   joint->name, axis);
  if (a->drive != drive)  // other rows: what the old ones carried is not theirs
    memset(s->memory.joints + (joint - s->world->joints) * CH_JOINT_ROWS_MAX, 0,
           CH_JOINT_ROWS_MAX * sizeof *s->memory.joints);
  a->drive = drive;
  a->strength = drive == CH_DRIVE_FORCE ? 0.0 : strength;
  put_target(s, a, target);
  s->rest.filled = false;
  return CH_OK;
}

// --- wrenches --------------------------------------------------------------------------------------------------------

ChStatus ch_simulation_apply(ChContext* context, ChSimulation* s, ChBodyId id, ChVec3 force, ChVec3 torque,
                             ChVec3 point) {
  int b;
  ChStatus status = ch_free_body_find(context, s, id, &b);
  if (status != CH_OK) return status;
  const ChBody* body = &s->world->bodies[b];
  if (body->soft)
    return ch_fail(context, CH_ERR_UNSUPPORTED, "body '%.100s' is deformable; push or pull it instead", body->name);
  if (!ch_vec_finite(force) || !ch_vec_finite(torque) || !ch_vec_finite(point))
    return ch_fail(context, CH_ERR_RANGE, "the wrench on body '%.100s' must be finite", body->name);
  bool plane = s->world->dimension == 2;
  if (plane && (force.z != 0.0 || torque.x != 0.0 || torque.y != 0.0 || point.z != 0.0))
    return ch_fail(context, CH_ERR_RANGE, "the wrench on body '%.100s' must lie in the plane", body->name);
  status = ch_wrenches_reserve(context, s->world);
  if (status != CH_OK) return status;
  ChWrench* w = &s->world->wrenches[b];
  w->force = ch_add(w->force, force);
  w->torque = ch_add(w->torque, ch_add(torque, ch_cross(ch_sub(point, s->states[b].position), force)));
  s->world->wrenched = true;
  s->still = false;
  return CH_OK;
}

void ch_control_end_step(ChSimulation* s) {
  ChWorld* world = s->world;
  if (world->wrenched) {
    memset(world->wrenches, 0, (size_t)world->body_count * sizeof *world->wrenches);
    world->wrenched = s->still = false;
  }
  for (int b = 0; b < world->body_count && s->led_count > 0; ++b) {
    s->led_count -= world->bodies[b].led;
    world->bodies[b].led = false;
  }
}

// --- kinematic bodies ------------------------------------------------------------------------------------------------

static ChStatus check_pose(ChContext* context, const ChSimulation* s, const char* name, ChVec3 position,
                           ChQuat* orientation, double angle) {
  ChQuat q = *orientation;
  bool plane = s->world->dimension == 2;
  double length = sqrt(q.w * q.w + q.x * q.x + q.y * q.y + q.z * q.z);
  if (!ch_vec_finite(position) || (plane && position.z != 0.0))
    return ch_fail(context, CH_ERR_RANGE, "body '%.100s': position is (%g, %g, %g), must be finite%s", name, position.x,
                   position.y, position.z, plane ? " and have no z in the plane" : "");
  if (plane ? !isfinite(angle) : !(length > 0.0 && isfinite(length)))
    return ch_fail(context, CH_ERR_RANGE, "body '%.100s': %s must be %s", name, plane ? "angle" : "orientation",
                   plane ? "finite" : "a unit quaternion (w, x, y, z)");
  *orientation = plane ? ch_quat_about(ch_axis(2), angle) : fabs(length - 1.0) <= 1e-15 ? q : ch_quat_unit(q);
  return CH_OK;
}

ChStatus ch_simulation_move(ChContext* context, ChSimulation* s, ChBodyId id, ChVec3 position, ChQuat orientation,
                            double angle) {
  int b;
  ChStatus status = ch_body_find(context, s->world, id, "move", &b);
  if (status != CH_OK) return status;
  ChBody* body = &s->world->bodies[b];
  if (body->kind != CH_BODY_KINEMATIC)
    return ch_fail(context, CH_ERR_ARGUMENT, "body '%.100s' is not kinematic; place, push or pull it instead",
                   body->name);
  status = check_pose(context, s, body->name, position, &orientation, angle);
  if (status != CH_OK) return status;
  body->start = (ChFrame){position, orientation};
  body->start_angle = s->world->dimension == 2 ? angle : 0.0;
  for (int k = 0; k < 3; ++k) body->motion[k] = (ChSignal){0};
  body->turn = (ChSignal){0};
  s->led_count += !body->led;
  body->led = true;
  s->still = false;
  return CH_OK;
}

// --- states ----------------------------------------------------------------------------------------------------------

// What the last step's info says of the energies and momenta from now on.
static void state_changed(ChSimulation* s) {
  s->still = s->rest.filled = false;
  s->info.kinetic = ch_kinetic_energy(s->world, s->states);
  s->info.potential = ch_forces_potential(s->world, s->states, s->time) + s->info.stored;
  ch_momenta(s->world, s->states, &s->info.momentum, &s->info.angular_momentum);
}

static bool same_vector(ChVec3 a, ChVec3 b) { return a.x == b.x && a.y == b.y && a.z == b.z; }

static bool same_turn(ChQuat a, ChQuat b) { return a.w == b.w && a.x == b.x && a.y == b.y && a.z == b.z; }

static bool same_view(const ChWorld* world, const ChBodyView* a, const ChBodyView* b) {
  bool turn = world->dimension == 2 ? a->angle == b->angle : same_turn(a->orientation, b->orientation);
  return turn && same_vector(a->position, b->position) && same_vector(a->velocity, b->velocity) &&
         same_vector(a->omega, b->omega);
}

// Checks a row; `to` gets a unit orientation.
static ChStatus check_row(ChContext* context, const ChSimulation* s, int b, ChBodyView* to) {
  const ChBody* body = &s->world->bodies[b];
  if (body->kind != CH_BODY_DYNAMIC)
    return ch_fail(context, CH_ERR_ARGUMENT, "body '%.100s' does not move freely", body->name);
  ChStatus status = check_pose(context, s, body->name, to->position, &to->orientation, to->angle);
  if (status != CH_OK) return status;
  bool plane = s->world->dimension == 2, flat = to->velocity.z == 0.0 && to->omega.x == 0.0 && to->omega.y == 0.0;
  if (!ch_vec_finite(to->velocity) || !ch_vec_finite(to->omega) || (plane && !flat))
    return ch_fail(context, CH_ERR_RANGE, "velocity of body '%.100s' must be finite%s", body->name,
                   plane ? " and lie in the plane" : "");
  return CH_OK;
}

// Only what differs is written: turning a spin into the body's frame and back is not exact.
static void put_row(ChSimulation* s, int b, const ChBodyView* from, const ChBodyView* to) {
  const ChBody* body = &s->world->bodies[b];
  ChBodyState* state = &s->states[b];
  bool turned = !same_turn(from->orientation, to->orientation);
  state->position = to->position;
  if (turned) state->orientation = to->orientation;
  if (s->world->dimension == 2) state->angle = to->angle;
  state->velocity = ch_unlocked(body->locks, to->velocity);
  if (turned || !same_vector(from->omega, to->omega))
    state->omega = ch_rotate_back(state->orientation, ch_unlocked(body->locks >> 3, to->omega));
}

ChStatus ch_simulation_set_body(ChContext* context, ChSimulation* s, ChBodyId id, const ChBodyView* to) {
  int b;
  ChStatus status = ch_body_find(context, s->world, id, "state", &b);
  ChBodyView view = *to, now;
  if (status == CH_OK) status = check_row(context, s, b, &view);
  if (status != CH_OK) return status;
  now = ch_simulation_body_at(s, b);
  put_row(s, b, &now, &view);
  state_changed(s);
  return CH_OK;
}

static void get(ChVec3 v, int dimension, double* out) {
  for (int k = 0; k < dimension; ++k) out[k] = ch_component(v, k);
}

static ChVec3 put(const double* in, int dimension) { return ch_vec(in[0], in[1], dimension == 3 ? in[2] : 0.0); }

void ch_simulation_get_bodies(const ChSimulation* s, double* position, double* orientation, double* velocity,
                              double* omega) {
  int d = s->world->dimension;
  for (long b = 0; b < s->world->body_count; ++b) {
    ChBodyView view = ch_simulation_body_at(s, (int)b);
    const double q[4] = {view.orientation.w, view.orientation.x, view.orientation.y, view.orientation.z};
    if (position) get(view.position, d, position + d * b);
    if (velocity) get(view.velocity, d, velocity + d * b);
    if (orientation && d == 3) memcpy(orientation + 4 * b, q, sizeof q);
    if (orientation && d == 2) orientation[b] = view.angle;
    if (omega && d == 3) get(view.omega, 3, omega + 3 * b);
    if (omega && d == 2) omega[b] = view.omega.z;
  }
}

ChStatus ch_simulation_set_bodies(ChContext* context, ChSimulation* s, const double* position,
                                  const double* orientation, const double* velocity, const double* omega) {
  int d = s->world->dimension;
  bool changed = false;
  for (int writes = 0; writes < 2; ++writes)  // nothing changes where one row is refused
    for (long b = 0; b < s->world->body_count; ++b) {
      ChBodyView now = ch_simulation_body_at(s, (int)b), to = now;
      if (position) to.position = put(position + d * b, d);
      if (velocity) to.velocity = put(velocity + d * b, d);
      const double* q = orientation + 4 * b;
      if (orientation && d == 3) to.orientation = (ChQuat){q[0], q[1], q[2], q[3]};
      if (orientation && d == 2) to.angle = orientation[b];
      if (omega) to.omega = d == 3 ? put(omega + 3 * b, 3) : ch_vec(0.0, 0.0, omega[b]);
      if (same_view(s->world, &now, &to)) continue;
      ChStatus status = check_row(context, s, (int)b, &to);
      if (status != CH_OK) return status;
      if (writes) put_row(s, (int)b, &now, &to);
      changed = true;
    }
  if (changed) state_changed(s);
  return CH_OK;
}

ChStatus ch_simulation_set_modes(ChContext* context, ChSimulation* s, ChBodyId id, const double* amplitudes,
                                 const double* rates) {
  int b;
  ChStatus status = ch_body_find(context, s->world, id, "modes", &b);
  if (status != CH_OK) return status;
  const ChBody* body = &s->world->bodies[b];
  if (!body->soft) return ch_fail(context, CH_ERR_ARGUMENT, "body '%.100s' is rigid and has no modes", body->name);
  int count = ch_body_modes(s->world, b);
  if ((amplitudes && !ch_all_finite(amplitudes, count)) || (rates && !ch_all_finite(rates, count)))
    return ch_fail(context, CH_ERR_RANGE, "amplitudes and rates of body '%.100s' must be finite", body->name);
  size_t bytes = (size_t)count * sizeof(double);
  if (amplitudes) memcpy(ch_state_modes(s->world, s->states, b), amplitudes, bytes);
  if (rates) memcpy(ch_state_rates(s->world, s->states, b), rates, bytes);
  state_changed(s);
  return CH_OK;
}
