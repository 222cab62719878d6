// Derivatives of forces with respect to displacements and velocities of the bodies they couple.
//
// Everything is formed in space, 6 x 6 a pair of bodies, with rotations in the body's frame: R <- R exp(delta). A point
// at s of a body has dp = dx - R [s] delta = J (dx, delta), its velocity has d(dp/dt) = J dv - R [omega x s] delta, and
// a force F at it is the generalised force J' F, whose own derivative with F fixed in the world is [s][R' F] delta. In
// the plane the rows and columns x, y and the turn about z remain.
#include <string.h>

#include "model/forces.h"
#include "model/springs.h"

typedef double Block[36];  // 6 x 6

static void put(Block out, int row, int column, const ChMat3* a) {
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) out[6 * (3 * row + i) + 3 * column + j] += a->m[i][j];
}

// Keeps what the world's dimension has; ends that are not dynamic take no part.
static void finish(const ChWorld* world, const int body[2], Block dq[2][2], Block dv[2][2], ChForceCoupling* out) {
  static const int plane[3] = {0, 1, 5};
  memset(out, 0, sizeof *out);
  int width = ch_world_width(world);
  for (int i = 0; i < 2; ++i) out->body[i] = ch_body_is_dynamic(world, body[i]) ? body[i] : -1;
  for (int i = 0; i < 2; ++i)
    for (int j = 0; j < 2; ++j)
      for (int a = 0; a < width * width && out->body[i] >= 0 && out->body[j] >= 0; ++a) {
        int row = width == 6 ? a / 6 : plane[a / 3], column = width == 6 ? a % 6 : plane[a % 3];
        out->dkdq[i][j][a] = dq[i][j][6 * row + column];
        out->dkdv[i][j][a] = dv[i][j][6 * row + column];
      }
}

// out += L' A R, with L and R either 1 (the centre) or -R [s] (the turn) of each side
static void add_congruent(const ChMat3 left[2], const ChMat3* A, const ChMat3 right[2], double sign, Block out) {
  for (int i = 0; i < 2; ++i)
    for (int j = 0; j < 2; ++j) {
      ChMat3 back = ch_mat_transposed(&left[i]), half = ch_mat_product(&back, A);
      ChMat3 whole = ch_mat_product(&half, &right[j]), none = {0};
      whole = ch_mat_along(&none, sign, &whole);
      put(out, i, j, &whole);
    }
}

// -R [s]
static ChMat3 arm_matrix(ChQuat turn, ChVec3 s) {
  ChMat3 r = ch_mat_from_quat(turn), cross = ch_mat_cross(ch_neg(s));
  return ch_mat_product(&r, &cross);
}

// ------------------------------------------------------------------------------------------------------------- springs

// The negative semidefinite part of [s][f], symmetrised. Along s/|s| + f/|f|, s/|s| - f/|f| and s x f it has the
// eigenvalues (|s||f| - s.f)/2 >= 0, -(|s||f| + s.f)/2 <= 0 and -s.f.
static ChMat3 stable_turn(ChVec3 s, ChVec3 f) {
  ChMat3 out = {0};
  double size = ch_norm(s) * ch_norm(f), along = ch_dot(s, f);
  ChVec3 difference = ch_unit(ch_sub(ch_unit(s), ch_unit(f))), sum = ch_unit(ch_add(ch_unit(s), ch_unit(f)));
  if (!(size > 0.0)) return out;
  if (ch_vec_is_zero(difference)) {  // s and f have one direction: all that is across it
    out = ch_mat_diagonal(ch_vec(-along, -along, -along));
    ch_mat_add_outer(&out, along, sum, sum);
    return out;
  }
  ch_mat_add_outer(&out, -0.5 * (size + along), difference, difference);
  if (along > 0.0) ch_mat_add_outer(&out, -along, ch_unit(ch_cross(s, f)), ch_unit(ch_cross(s, f)));
  return out;
}

// dF/dd of the force F = -T n on the second end. T n = T d / |d|; where the ends coincide only a spring without rest
// length has a derivative, k.
static ChMat3 spring_stiffness(const ChForceDef* def, const ChSpringPose* p, bool exact) {
  ChMat3 K = {0};
  if (!(p->length > 0.0))
    return ch_mat_diagonal(def->length == 0.0 ? ch_vec(-def->stiffness, -def->stiffness, -def->stiffness)
                                              : ch_vec(0, 0, 0));
  double across = (exact ? p->tension : fmax(p->elastic, 0.0)) / p->length;
  K = ch_mat_diagonal(ch_vec(-across, -across, -across));
  ch_mat_add_outer(&K, across - p->slope, p->n, p->n);
  if (exact) {  // the rate of x turns with n
    ChVec3 sideways = ch_along(p->u, -ch_dot(p->u, p->n), p->n);
    ch_mat_add_outer(&K, -def->damping / p->length, p->n, sideways);
  }
  return K;
}

static void spring(const ChWorld* world, const ChForce* force, const ChBodyState* states, bool exact,
                   ChForceCoupling* out) {
  const ChForceDef* def = &force->def;
  ChSpringPose p = ch_spring_pose(force, states);
  ChMat3 K = spring_stiffness(def, &p, exact), D = {0}, J[2][2], U[2][2];
  ch_mat_add_outer(&D, -def->damping, p.n, p.n);
  Block dq[2][2] = {0}, dv[2][2] = {0};
  for (int k = 0; k < 2; ++k) {
    J[k][0] = ch_mat_diagonal(ch_vec(1, 1, 1));
    J[k][1] = arm_matrix(p.turn[k], p.arm[k]);
    U[k][0] = (ChMat3){0};
    U[k][1] = arm_matrix(p.turn[k], p.slip[k]);
  }
  for (int i = 0; i < 2; ++i)
    for (int j = 0; j < 2; ++j) {
      double sign = i == j ? 1.0 : -1.0;
      add_congruent(J[i], &K, J[j], sign, dq[i][j]);
      if (exact) add_congruent(J[i], &D, U[j], sign, dq[i][j]);
      add_congruent(J[i], &D, J[j], sign, dv[i][j]);
    }
  for (int k = 0; k < 2; ++k) {
    double pull = exact ? p.tension : p.elastic;
    ChVec3 f = ch_rotate_back(p.turn[k], ch_scale(k == 0 ? pull : -pull, p.n));
    ChMat3 s = ch_mat_cross(p.arm[k]), cross = ch_mat_cross(f);
    ChMat3 turned = exact ? ch_mat_product(&s, &cross) : stable_turn(p.arm[k], f);
    put(dq[k][k], 1, 1, &turned);
  }
  finish(world, force->body, dq, dv, out);
}

// ------------------------------------------------------------------------------------------------------------- torsion

// dg of the angle's gradient g = x x W(e) when the second body turns by the unit vector `delta`: x turns, and W changes
// with e by the second derivative of atan2.
static ChVec3 gradient_change(const ChTorsionPose* p, ChVec3 delta) {
  double a = p->e[0], b = p->e[1], square = a * a + b * b;
  if (!(square > 0.0)) return ch_vec(0, 0, 0);
  ChVec3 W = ch_scale(1.0 / square, ch_sub(ch_scale(a, p->frame[1]), ch_scale(b, p->frame[0])));
  ChVec3 dx = ch_cross(delta, p->x);
  double da = ch_dot(dx, p->frame[0]), db = ch_dot(dx, p->frame[1]), fourth = square * square;
  double w0 = (2.0 * a * b * da + (b * b - a * a) * db) / fourth;
  double w1 = ((b * b - a * a) * da - 2.0 * a * b * db) / fourth;
  ChVec3 dW = ch_add(ch_scale(w0, p->frame[0]), ch_scale(w1, p->frame[1]));
  return ch_add(ch_cross(dx, W), ch_cross(p->x, dW));
}

// d torque / d turn in the world frame: torque on b is -T g, on a T g. `dg` is the change of g.
static double torque_change(const ChForceDef* def, const ChTorsionPose* p, ChVec3 delta, double sign, ChVec3 dg,
                            ChVec3 omega) {
  double rate = ch_dot(dg, ch_sub(p->omega[1], p->omega[0])) + sign * ch_dot(p->g, ch_cross(delta, omega));
  return sign * p->slope * ch_dot(p->g, delta) + def->damping * rate;
}

static void torsion(const ChWorld* world, const ChForce* force, const ChBodyState* states, bool exact,
                    ChForceCoupling* out) {
  const ChForceDef* def = &force->def;
  ChTorsionPose p = ch_torsion_pose(world, force, states);
  Block dq[2][2] = {0}, dv[2][2] = {0};
  for (int j = 0; j < 2; ++j)
    for (int c = 0; c < 3; ++c) {  // body j turns about axis c of its own frame
      ChVec3 delta = ch_rotate(p.turn[j], ch_axis(c)), dg = {0, 0, 0};
      double sign = j == 1 ? 1.0 : -1.0, dT = sign * p.slope * ch_dot(p.g, delta);
      if (exact && world->dimension == 3) {
        dg = gradient_change(&p, delta);
        if (j == 0) dg = ch_sub(ch_cross(delta, p.g), dg);  // both turning together would only turn g
        dT = torque_change(def, &p, delta, sign, dg, p.omega[j]);
      }
      for (int i = 0; i < 2; ++i) {
        double side = i == 0 ? 1.0 : -1.0;
        ChVec3 change = ch_scale(dT, p.g);
        if (exact && world->dimension == 3) change = ch_along(change, p.torque, dg);
        if (exact && world->dimension == 3 && i == j)
          change = ch_along(change, -p.torque, ch_cross(delta, p.g));  // the frame in which it is written turns
        ChVec3 part = ch_rotate_back(p.turn[i], ch_scale(side, change));
        double damped = side * sign * def->damping * ch_dot(p.g, delta);
        ChVec3 drag = ch_rotate_back(p.turn[i], ch_scale(damped, p.g));
        for (int a = 0; a < 3; ++a) {
          dq[i][j][6 * (3 + a) + 3 + c] = ch_component(part, a);
          dv[i][j][6 * (3 + a) + 3 + c] = ch_component(drag, a);
        }
      }
    }
  finish(world, force->body, dq, dv, out);
}

// -------------------------------------------------------------------------------------------------------------- others

static bool wrench(const ChWorld* world, const ChForce* force, const ChBodyState* states, double t,
                   ChForceCoupling* out) {
  const ChForceDef* def = &force->def;
  ChQuat turn = states[force->body[0]].orientation;
  ChVec3 push = ch_vec(ch_signal_value(&def->force[0], t), ch_signal_value(&def->force[1], t),
                       ch_signal_value(&def->force[2], t));
  ChVec3 torque = ch_vec(ch_signal_value(&def->torque[0], t), ch_signal_value(&def->torque[1], t),
                         ch_signal_value(&def->torque[2], t));
  Block dq[2][2] = {0}, dv[2][2] = {0};
  if (def->follows) {
    ChMat3 turned = arm_matrix(turn, push);
    put(dq[0][0], 0, 1, &turned);
  } else {
    ChMat3 s = ch_mat_cross(def->at[0]), f = ch_mat_cross(ch_rotate_back(turn, push));
    ChMat3 moment = ch_mat_cross(ch_rotate_back(turn, torque)), lever = ch_mat_product(&s, &f);
    put(dq[0][0], 1, 1, &lever);
    put(dq[0][0], 1, 1, &moment);
  }
  finish(world, force->body, dq, dv, out);
  for (int a = 0; a < 36; ++a)
    if (out->dkdq[0][0][a] != 0.0) return true;
  return false;
}

static void drag(const ChWorld* world, const ChForce* force, const ChBodyState* states, ChForceCoupling* out) {
  const ChForceDef* def = &force->def;
  ChVec3 v = states[force->body[0]].velocity;
  double speed = ch_norm(v), factor = -(def->linear + def->quadratic * speed);
  ChMat3 along = ch_mat_diagonal(ch_vec(factor, factor, factor));
  ChMat3 about = ch_mat_diagonal(ch_vec(-def->angular, -def->angular, -def->angular));
  ch_mat_add_outer(&along, -def->quadratic, v, ch_unit(v));
  Block dq[2][2] = {0}, dv[2][2] = {0};
  put(dv[0][0], 0, 0, &along);
  put(dv[0][0], 1, 1, &about);
  finish(world, force->body, dq, dv, out);
}

// - V'' = - 2 V_s (1 - n n') - (2 V_s + 4 s V_ss) n n'; what would push out of the well is left out unless `exact`.
static void well(const ChWorld* world, const ChForce* force, const ChBodyState* states, bool exact,
                 ChForceCoupling* out) {
  ChWellPose p = ch_well_pose(force, states);
  double across = 2.0 * p.slope, along = across + 4.0 * ch_dot(p.d, p.d) * p.curve;
  if (!exact) across = fmax(across, 0.0), along = fmax(along, 0.0);
  ChMat3 K = ch_mat_diagonal(ch_vec(-across, -across, -across));
  ch_mat_add_outer(&K, across - along, ch_unit(p.d), ch_unit(p.d));
  Block dq[2][2] = {0}, dv[2][2] = {0};
  put(dq[0][0], 0, 0, &K);
  finish(world, force->body, dq, dv, out);
}

static bool derive(const ChWorld* world, int index, const ChBodyState* states, double t, bool exact,
                   ChForceCoupling* out) {
  const ChForce* force = &world->forces[index];
  bool stiff = true;
  switch (force->def.type) {
    case CH_FORCE_SPRING:
      spring(world, force, states, exact, out);
      break;
    case CH_FORCE_TORSION:
      torsion(world, force, states, exact, out);
      break;
    case CH_FORCE_WRENCH:
      stiff = exact && wrench(world, force, states, t, out);
      break;
    case CH_FORCE_DRAG:
      drag(world, force, states, out);
      break;
    case CH_FORCE_WELL:
      well(world, force, states, exact, out);
      break;
  }
  if (stiff) out->force = index;
  return stiff;
}

bool ch_force_derivatives(const ChWorld* world, int force, const ChBodyState* states, double t, ChForceCoupling* out) {
  return derive(world, force, states, t, true, out);
}

bool ch_force_implicit(const ChWorld* world, int force, const ChBodyState* states, double t, ChForceCoupling* out) {
  return derive(world, force, states, t, false, out);
}
