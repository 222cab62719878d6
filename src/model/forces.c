// Forces on bodies: gravity, springs, torsion springs, wrenches, drag, wells, driven joints; and energies.
#include "model/forces.h"

#include <string.h>

#include "model/joint_rows.h"
#include "model/soft/soft_arms.h"
#include "model/soft/soft_grip.h"
#include "model/springs.h"

// Adds a force through the centre of mass (world frame) and a torque (body's frame) to the body's part of k.
static void add_to(const ChWorld* world, int body, ChVec3 force, ChVec3 torque, double* k) {
  if (!ch_body_is_dynamic(world, body)) return;
  double* part = k + (long)ch_world_width(world) * body;
  part[0] += force.x, part[1] += force.y;
  if (world->dimension == 2) {
    part[2] += torque.z;
    return;
  }
  part[2] += force.z;
  part[3] += torque.x, part[4] += torque.y, part[5] += torque.z;
}

// The same to the modes of what a frame grips; torque about the centre of mass, body's frame.
static void add_to_modes(const ChWorld* world, int body, const ChSoftGrip* grip, const ChSoftGripPose* at,
                         const double* T, ChVec3 force, ChVec3 torque, double* k) {
  double along[CH_SOFT_MODES_MAX], *part = k + (long)ch_world_width(world) * world->body_count;
  ch_soft_grip_gradient(grip, at, T, force, torque, along);
  part += world->bodies[body].first_mode;
  for (int a = 0; a < grip->modes; ++a) part[a] += along[a];
}

static ChVec3 signal_vector(const ChSignal s[3], double t) {
  return ch_vec(ch_signal_value(&s[0], t), ch_signal_value(&s[1], t), ch_signal_value(&s[2], t));
}

// ------------------------------------------------------------------------------------------------------------- springs

static double elastic(const ChForceDef* def, double x) { return (def->stiffness + def->cubic * x * x) * x; }
static double slope(const ChForceDef* def, double x) { return def->stiffness + 3.0 * def->cubic * x * x; }
static double stored(const ChForceDef* def, double x) {
  return (0.5 * def->stiffness + 0.25 * def->cubic * x * x) * x * x;
}

ChSpringPose ch_spring_pose(const ChForce* force, const ChBodyState* states) {
  const ChForceDef* def = &force->def;
  ChSpringPose p;
  ChVec3 at[2], speed[2];
  for (int k = 0; k < 2; ++k) {
    ChFrame frame = ch_state_frame(states, force->body[k]);
    bool ground = force->body[k] < 0;
    p.turn[k] = frame.orientation;
    p.arm[k] = def->at[k];
    p.slip[k] = ground ? ch_vec(0, 0, 0) : ch_cross(states[force->body[k]].omega, def->at[k]);
    at[k] = ch_frame_point(frame, def->at[k]);
    speed[k] = ground ? p.slip[k] : ch_add(states[force->body[k]].velocity, ch_rotate(p.turn[k], p.slip[k]));
  }
  ChVec3 d = ch_sub(at[1], at[0]);
  p.length = ch_norm(d);
  p.n = ch_unit(d);
  p.u = ch_sub(speed[1], speed[0]);
  p.x = p.length - def->length;
  p.elastic = elastic(def, p.x);
  p.slope = slope(def, p.x);
  p.tension = p.elastic + def->damping * ch_dot(p.n, p.u);
  return p;
}

static void add_spring(const ChWorld* world, const ChForce* force, const ChBodyState* states, double* k) {
  ChSpringPose p = ch_spring_pose(force, states);
  for (int side = 0; side < 2; ++side) {
    ChVec3 pull = ch_scale(side == 0 ? p.tension : -p.tension, p.n);
    add_to(world, force->body[side], pull, ch_cross(p.arm[side], ch_rotate_back(p.turn[side], pull)), k);
  }
}

// With e = (x . a1, x . a2) the angle is atan2(e2, e1) and its gradient g = x x W, W = (-e2 a1 + e1 a2) / |e|^2. In the
// plane angles are numbers that count turns. In space the spring works within half a turn of its rest.
ChTorsionPose ch_torsion_pose(const ChWorld* world, const ChForce* force, const ChBodyState* states) {
  const ChForceDef* def = &force->def;
  ChTorsionPose p;
  double angle = -force->start_angle;
  for (int k = 0; k < 2; ++k) {
    bool ground = force->body[k] < 0;
    p.turn[k] = ch_state_frame(states, force->body[k]).orientation;
    p.omega[k] = ground ? ch_vec(0, 0, 0) : ch_rotate(p.turn[k], states[force->body[k]].omega);
    if (!ground) angle += (k == 0 ? -1.0 : 1.0) * states[force->body[k]].angle;
  }
  ChQuat frame = ch_quat_product(p.turn[0], force->turn[0]);
  for (int a = 0; a < 3; ++a) p.frame[a] = ch_rotate(frame, ch_axis(a));
  p.x = ch_rotate(ch_quat_product(p.turn[1], force->turn[1]), ch_axis(0));
  p.e[0] = ch_dot(p.x, p.frame[0]), p.e[1] = ch_dot(p.x, p.frame[1]);
  double square = p.e[0] * p.e[0] + p.e[1] * p.e[1];
  ChVec3 w = ch_sub(ch_scale(p.e[0], p.frame[1]), ch_scale(p.e[1], p.frame[0]));
  p.g = world->dimension == 2 ? ch_axis(2) : square > 0.0 ? ch_cross(p.x, ch_scale(1.0 / square, w)) : ch_vec(0, 0, 0);
  p.angle =
      world->dimension == 2 ? angle - def->length : remainder(atan2(p.e[1], p.e[0]) - def->length, 6.283185307179586);
  p.elastic = elastic(def, p.angle);
  p.slope = slope(def, p.angle);
  p.torque = p.elastic + def->damping * ch_dot(p.g, ch_sub(p.omega[1], p.omega[0]));
  return p;
}

static void add_torsion(const ChWorld* world, const ChForce* force, const ChBodyState* states, double* k) {
  ChTorsionPose p = ch_torsion_pose(world, force, states);
  for (int side = 0; side < 2; ++side) {
    ChVec3 torque = ch_scale(side == 0 ? p.torque : -p.torque, p.g);
    add_to(world, force->body[side], ch_vec(0, 0, 0), ch_rotate_back(p.turn[side], torque), k);
  }
}

// -------------------------------------------------------------------------------------------------------------- others

// At a point of the body's frame; turned with the body, or with what it grips.
static void add_wrench(const ChWorld* world, const ChForce* force, const ChBodyState* states, double t, double* k) {
  const ChForceDef* def = &force->def;
  const int body = force->body[0];
  ChQuat turn = states[body].orientation;
  ChVec3 push = signal_vector(def->force, t), torque = signal_vector(def->torque, t), at = def->at[0];
  double T[3 * CH_SOFT_MODES_MAX];
  ChSoftGripPose grip;
  if (force->grip) {
    ch_soft_grip_find(force->grip, ch_state_modes(world, states, body), &grip, T);
    at = ch_add(grip.centre, ch_mat_apply(&grip.turn, ch_sub(at, force->grip->centre)));
  }
  if (force->grip && def->follows) push = ch_mat_apply(&grip.turn, push), torque = ch_mat_apply(&grip.turn, torque);
  ChVec3 push_body = def->follows ? push : ch_rotate_back(turn, push);
  if (!def->follows) torque = ch_rotate_back(turn, torque);
  torque = ch_add(torque, ch_cross(at, push_body));
  add_to(world, body, def->follows ? ch_rotate(turn, push) : push, torque, k);
  if (force->grip) add_to_modes(world, body, force->grip, &grip, T, push_body, torque, k);
}

static void add_drag(const ChWorld* world, const ChForce* force, const ChBodyState* states, double* k) {
  const ChForceDef* def = &force->def;
  const ChBodyState* state = &states[force->body[0]];
  double factor = def->linear + def->quadratic * ch_norm(state->velocity);
  add_to(world, force->body[0], ch_scale(-factor, state->velocity), ch_scale(-def->angular, state->omega), k);
}

ChWellPose ch_well_pose(const ChForce* force, const ChBodyState* states) {
  const double* c = force->def.well;
  ChWellPose p = {.d = ch_sub(states[force->body[0]].position, force->def.at[1])};
  double s = ch_dot(p.d, p.d);
  p.value = ((c[2] * s + c[1]) * s + c[0]) * s;
  p.slope = (3.0 * c[2] * s + 2.0 * c[1]) * s + c[0];
  p.curve = 6.0 * c[2] * s + 2.0 * c[1];
  return p;
}

static void add_well(const ChWorld* world, const ChForce* force, const ChBodyState* states, double* k) {
  ChWellPose p = ch_well_pose(force, states);
  add_to(world, force->body[0], ch_scale(-2.0 * p.slope, p.d), ch_vec(0, 0, 0), k);
}

static void add_driven_joint(const ChWorld* world, const ChJoint* joint, const ChBodyState* states, double t,
                             double* k) {
  for (int axis = 0; axis < ch_joint_freedoms(joint->type); ++axis) {
    if (joint->axes[axis].drive != CH_DRIVE_FORCE) continue;
    ChRow row = ch_joint_direction(world, joint, states, axis);
    double size = ch_signal_value(&joint->axes[axis].target, t);
    for (int side = 0; side < 2; ++side) {
      const int body = joint->body[side];
      const ChVec3 push = ch_scale(size, row.force[side]), torque = ch_scale(size, row.torque[side]);
      add_to(world, body, push, torque, k);
      if (!joint->grip[side]) continue;
      double T[3 * CH_SOFT_MODES_MAX];
      ChSoftGripPose at;
      ch_soft_grip_find(joint->grip[side], ch_state_modes(world, states, body), &at, T);
      add_to_modes(world, body, joint->grip[side], &at, T, ch_rotate_back(states[body].orientation, push), torque, k);
    }
  }
}

static void add_applied(const ChWorld* world, const ChBodyState* states, double* k) {
  for (int b = 0; b < world->body_count; ++b) {
    const ChWrench* w = &world->wrenches[b];
    add_to(world, b, w->force, ch_rotate_back(states[b].orientation, w->torque), k);
  }
}

static void clear(const ChWorld* world, double* k) {
  long count = (long)world->body_count * ch_world_width(world) + world->mode_count;
  memset(k, 0, (size_t)count * sizeof *k);
}

void ch_forces_evaluate(const ChWorld* world, const ChBodyState* states, double t, double* k) {
  clear(world, k);
  ChVec3 gravity = signal_vector(world->gravity, t);
  for (int b = 0; b < world->body_count; ++b)
    add_to(world, b, ch_scale(world->bodies[b].mass, gravity), ch_vec(0, 0, 0), k);
  for (int f = 0; f < world->force_count; ++f) {
    const ChForce* force = &world->forces[f];
    switch (force->def.type) {
      case CH_FORCE_SPRING:
        add_spring(world, force, states, k);
        break;
      case CH_FORCE_TORSION:
        add_torsion(world, force, states, k);
        break;
      case CH_FORCE_WRENCH:
        add_wrench(world, force, states, t, k);
        break;
      case CH_FORCE_DRAG:
        add_drag(world, force, states, k);
        break;
      case CH_FORCE_WELL:
        add_well(world, force, states, k);
        break;
    }
  }
  for (int j = 0; j < world->joint_count; ++j) add_driven_joint(world, &world->joints[j], states, t, k);
  if (world->wrenched) add_applied(world, states, k);
}

static bool is_driven(const ChJoint* joint) {
  for (int axis = 0; axis < 3; ++axis)
    if (joint->axes[axis].drive == CH_DRIVE_FORCE) return true;
  return false;
}

bool ch_forces_applied(const ChWorld* world, const ChBodyState* states, double t, double* k) {
  bool any = false;
  for (int f = 0; f < world->force_count; ++f) {
    if (world->forces[f].def.type != CH_FORCE_WRENCH) continue;
    if (!any) clear(world, k);
    any = true;
    add_wrench(world, &world->forces[f], states, t, k);
  }
  for (int j = 0; j < world->joint_count; ++j) {
    if (!is_driven(&world->joints[j])) continue;
    if (!any) clear(world, k);
    any = true;
    add_driven_joint(world, &world->joints[j], states, t, k);
  }
  if (!world->wrenched) return any;
  if (!any) clear(world, k);
  add_applied(world, states, k);
  return true;
}

// ------------------------------------------------------------------------------------------------------------ energies

// What is stored in the deformation, less the work of gravity on a clamped body.
static double deformation_energy(const ChWorld* world, const ChBodyState* states, int body, ChVec3 gravity) {
  const ChSoft* soft = world->bodies[body].soft;
  const double* q = ch_state_modes(world, states, body);
  double sum = ch_soft_energy(soft, q);
  if (soft->arms > 0) sum += ch_soft_arms_energy(soft, ch_state_stretches(world, states, body));
  ChVec3 g = ch_rotate_back(states[body].orientation, gravity);
  for (int a = 0; a < soft->modes && soft->clamped; ++a)
    for (int i = 0; i < 3; ++i) sum -= ch_component(g, i) * soft->S[i * soft->modes + a] * q[a];
  return sum;
}

// 1/2 w.J(q) w + w.C(q) qd + 1/2 qd.qd
static double soft_kinetic(const ChWorld* world, const ChBodyState* states, int body) {
  const ChSoft* soft = world->bodies[body].soft;
  const double *q = ch_state_modes(world, states, body), *rates = ch_state_rates(world, states, body);
  ChVec3 w = states[body].omega;
  ChMat3 J;
  double C[3 * CH_SOFT_MODES_MAX], sum = 0.0;
  ch_soft_inertia(soft, q, &J);
  ch_soft_coupling(soft, q, C);
  for (int a = 0; a < soft->modes; ++a) {
    sum += 0.5 * rates[a] * rates[a];
    for (int i = 0; i < 3; ++i) sum += ch_component(w, i) * C[i * soft->modes + a] * rates[a];
  }
  return sum + 0.5 * ch_dot(w, ch_mat_apply(&J, w));
}

double ch_force_stored(const ChWorld* world, const ChForce* force, const ChBodyState* states) {
  switch (force->def.type) {
    case CH_FORCE_SPRING:
      return stored(&force->def, ch_spring_pose(force, states).x);
    case CH_FORCE_TORSION:
      return stored(&force->def, ch_torsion_pose(world, force, states).angle);
    case CH_FORCE_WELL:
      return ch_body_is_dynamic(world, force->body[0]) ? ch_well_pose(force, states).value : 0.0;
    default:
      return 0.0;
  }
}

double ch_force_damper_power(const ChWorld* world, const ChForce* force, const ChBodyState* states, int side) {
  int body = force->body[side];
  double sign = side == 0 ? -1.0 : 1.0;
  if (body < 0) return 0.0;
  if (force->def.type == CH_FORCE_SPRING) {
    ChSpringPose p = ch_spring_pose(force, states);
    ChVec3 speed = ch_add(states[body].velocity, ch_rotate(p.turn[side], p.slip[side]));
    return sign * force->def.damping * ch_dot(p.n, p.u) * ch_dot(p.n, speed);
  }
  if (force->def.type != CH_FORCE_TORSION) return 0.0;
  ChTorsionPose p = ch_torsion_pose(world, force, states);
  double rate = ch_dot(p.g, ch_sub(p.omega[1], p.omega[0]));
  return sign * force->def.damping * rate * ch_dot(p.g, p.omega[side]);
}

// Of springs in the freedoms of joints.
static double joints_stored(const ChWorld* world, const ChBodyState* states) {
  double sum = 0.0;
  for (int j = 0; j < world->joint_count; ++j)
    for (int axis = 0; axis < ch_joint_freedoms(world->joints[j].type); ++axis) {
      const double stiffness = world->joints[j].axes[axis].stiffness;
      if (!(stiffness > 0.0)) continue;
      const double stretch = ch_joint_stretch(world, &world->joints[j], states, axis);
      sum += 0.5 * stiffness * stretch * stretch;
    }
  return sum;
}

double ch_forces_potential(const ChWorld* world, const ChBodyState* states, double t) {
  return ch_forces_potential_of(world, NULL, states, t);
}

double ch_forces_potential_of(const ChWorld* world, const unsigned char* which, const ChBodyState* states, double t) {
  double sum = 0.0;
  ChVec3 gravity = signal_vector(world->gravity, t);
  for (int b = 0; b < world->body_count; ++b)
    if ((!which || which[b]) && ch_body_is_dynamic(world, b))
      sum -= world->bodies[b].mass * ch_dot(gravity, states[b].position);
  for (int b = 0; b < world->body_count && world->mode_count > 0; ++b)
    if (world->bodies[b].soft) sum += deformation_energy(world, states, b, gravity);
  for (int f = 0; f < world->force_count; ++f) sum += ch_force_stored(world, &world->forces[f], states);
  return sum + joints_stored(world, states);
}

double ch_kinetic_energy(const ChWorld* world, const ChBodyState* states) {
  return ch_kinetic_energy_of(world, NULL, states);
}

double ch_kinetic_energy_of(const ChWorld* world, const unsigned char* which, const ChBodyState* states) {
  double sum = 0.0;
  for (int b = 0; b < world->body_count; ++b) {
    const ChBody* body = &world->bodies[b];
    if ((which && !which[b]) || body->kind != CH_BODY_DYNAMIC) continue;
    const ChBodyState* s = &states[b];
    sum += 0.5 * body->mass * ch_dot(s->velocity, s->velocity);
    sum += body->soft ? soft_kinetic(world, states, b) : 0.5 * ch_dot(s->omega, ch_mat_apply(&body->inertia, s->omega));
  }
  return sum;
}

// J(q) w + C(q) qd, about the centre of mass, body's frame
static ChVec3 soft_spin(const ChWorld* world, const ChBodyState* states, int body) {
  const ChSoft* soft = world->bodies[body].soft;
  const double *q = ch_state_modes(world, states, body), *rates = ch_state_rates(world, states, body);
  double C[3 * CH_SOFT_MODES_MAX];
  ChMat3 J;
  ch_soft_inertia(soft, q, &J);
  ch_soft_coupling(soft, q, C);
  ChVec3 L = ch_mat_apply(&J, states[body].omega);
  for (int a = 0; a < soft->modes; ++a)
    L = ch_along(L, rates[a], ch_vec(C[a], C[soft->modes + a], C[2 * soft->modes + a]));
  return L;
}

void ch_momenta(const ChWorld* world, const ChBodyState* states, ChVec3* linear, ChVec3* angular) {
  ch_momenta_of(world, NULL, states, linear, angular);
}

void ch_momenta_of(const ChWorld* world, const unsigned char* which, const ChBodyState* states, ChVec3* linear,
                   ChVec3* angular) {
  *linear = *angular = ch_vec(0, 0, 0);
  for (int b = 0; b < world->body_count; ++b) {
    const ChBody* body = &world->bodies[b];
    if ((which && !which[b]) || body->kind != CH_BODY_DYNAMIC || (body->soft && body->soft->clamped)) continue;
    const ChBodyState* s = &states[b];
    ChVec3 p = ch_scale(body->mass, s->velocity);
    ChVec3 spin = body->soft ? soft_spin(world, states, b) : ch_mat_apply(&body->inertia, s->omega);
    *linear = ch_add(*linear, p);
    *angular = ch_add(*angular, ch_add(ch_cross(s->position, p), ch_rotate(s->orientation, spin)));
  }
}
