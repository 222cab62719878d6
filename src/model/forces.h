// Forces on bodies and their derivatives, for the linearly implicit step (002: M^ = M - h^2 dk/dq - h dk/dv).
//
// A generalised force is laid out as velocities are: per body (force in the world frame, torque in the body's frame), 6
// numbers a body in space, 3 in the plane; then the modes of deformable bodies, on which wrenches and the drives of
// joints act through what they grip (model/soft/soft_grip.h). dk/dq is with respect to the displacement h v (rotations:
// h w, body's frame).
#ifndef CH_MODEL_FORCES_H
#define CH_MODEL_FORCES_H

#include "model/world.h"

// Width of a body's block: 6 or 3.
static inline int ch_world_width(const ChWorld* world) { return world->dimension == 3 ? 6 : 3; }

// A dense coupling of one or two bodies: blocks dkdq[a][b], dkdv[a][b] of width x width, row-major, a, b in {0, 1}.
typedef struct ChForceCoupling {
  int force;    // of the world
  int body[2];  // -1 where there is none
  double dkdq[2][2][36], dkdv[2][2][36];
} ChForceCoupling;

// k(t, q, v): gravity, forces and force-driven joints, for all bodies. `k` has body_count * width + mode_count
// entries.
void ch_forces_evaluate(const ChWorld* world, const ChBodyState* states, double t, double* k);

// The part of k that comes from outside: wrenches, the caller's too, and force-driven
// joints. False, with k untouched, when there is none.
bool ch_forces_applied(const ChWorld* world, const ChBodyState* states, double t, double* k);

// Exact derivatives of force number `force`; false when it has none. They are symmetric where a force has a potential,
// except for 1/2 [torque]x that comes from writing rotations in frames that turn.
bool ch_force_derivatives(const ChWorld* world, int force, const ChBodyState* states, double t, ChForceCoupling* out);

// What an implicit step takes of them: symmetric and negative semidefinite, so that M^ is symmetric positive definite
// at any h. Left out is what could drive bodies apart (the geometric stiffness of a compressed spring) and what is not
// stiff (wrenches).
bool ch_force_implicit(const ChWorld* world, int force, const ChBodyState* states, double t, ChForceCoupling* out);

// Potential energy of gravity (constant part at time t), springs, wells and deformation.
double ch_forces_potential(const ChWorld* world, const ChBodyState* states, double t);
double ch_kinetic_energy(const ChWorld* world, const ChBodyState* states);
// The same, of some bodies alone: `which` says of each body whether; NULL: all. What joins bodies counts in any case.
double ch_forces_potential_of(const ChWorld* world, const unsigned char* which, const ChBodyState* states, double t);
double ch_kinetic_energy_of(const ChWorld* world, const unsigned char* which, const ChBodyState* states);
void ch_momenta_of(const ChWorld* world, const unsigned char* which, const ChBodyState* states, ChVec3* linear,
                   ChVec3* angular);
// What a single spring, torsion spring or well stores; 0 for other forces.
double ch_force_stored(const ChWorld* world, const ChForce* force, const ChBodyState* states);
// Power that goes into a spring's damper at end `side`: less its force on that end, times the end's velocity.
double ch_force_damper_power(const ChWorld* world, const ChForce* force, const ChBodyState* states, int side);

// Momentum of all bodies that forces move, and angular momentum about the origin. Clamped bodies are part of what holds
// them and do not count.
void ch_momenta(const ChWorld* world, const ChBodyState* states, ChVec3* linear, ChVec3* angular);

#endif
