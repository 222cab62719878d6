// Deformable bodies in a step: the free motion of each (soft_motion.h) as reference of the contact problem, and how
// they move by the velocities that come out of it.
//
//   M^ (V+ - V0) = c + H r,   q+ = q + h ((1 - a) qd + a qd+),   R+ = R cay(h (w + w+) / 2),   p+ = p + h v+
//
// A contact's gap would then not change by h u+, u+ = H'V+, as the rows say, since amplitudes and rotations move with
// means of old and new velocities. But those half a step ahead do: q~ = q + (1 - a) h qd moves by q~+ = q~ + h qd+, and
// R~ = R cay(h w / 2) by w+. So contacts see bodies there, and close their gaps without error; at rest it is the same
// place.
//
// The other integrators see contacts where the step begins, and their contacts ask for what they ask in the mean of old
// and new velocities: n'd >= 0, Phi + h n'd >= 0.
#ifndef CH_STEP_SOFT_STEP_H
#define CH_STEP_SOFT_STEP_H

#include "step/state.h"

// States as contacts see them in a step of length h: s->states where all bodies are rigid.
const ChBodyState* ch_contact_states(ChSimulation* s, double h);

// What the free motion of a deformable body leaves for contact; both are of the step's arena.
typedef struct ChSoftAnswer {
  const double* M;          // M^: (6 + modes) square
  const double* curvature;  // c: 3 + modes
} ChSoftAnswer;

// Free motion: writes w and rates into `reference`.
ChStatus ch_soft_split(ChContext* context, ChSimulation* s, int body, double h, ChVec3 gravity, double* reference,
                       ChSoftAnswer* answer);

// What internal damping and dashpots of all deformable bodies turn into heat in the step, joules; called as
// ch_soft_advance is, and before it.
double ch_soft_heat(const ChSimulation* s, double h);

// Stretches of a viscoelastic body after the step, before it is advanced.
void ch_soft_stretch(ChSimulation* s, int body, double h);

// Amplitudes and orientation after the step; s->velocities are the new ones. Rates and w of the state are
// still old.
void ch_soft_advance(ChSimulation* s, int body, double h);

// What deformation adds to the velocity of b's point less that of a's along the gap's normal; `seen`: states at which
// the gap was found.
double ch_soft_closing(const ChSimulation* s, const ChBodyState* seen, const ChGap* gap);

// What the old rates of deformable bodies add to the speed of a contact's row `a`.
double ch_soft_row_speed(const ChSimulation* s, const ChRows* rows, int block, int a);

// M(q) of every deformable body, for shocks; NULL where there is none.
const double* const* ch_soft_masses(ChArena* arena, const ChSimulation* s);

// Velocity of a deformable body with this momentum; both 6 + modes numbers.
void ch_soft_velocity(const ChWorld* world, int body, const ChBodyState* state, const double* M, const double* momentum,
                      double* velocity);

// Frame and modes of a body in a vector of velocities or forces as one list of numbers, and back.
void ch_soft_gather(const ChWorld* world, int body, const double* from, double* to);
void ch_soft_scatter(const ChWorld* world, int body, const double* from, double* to);

// The vertex of the skin that is nearest to a point of the body's frame, as it is deformed or at rest (q = NULL).
int ch_soft_nearest(const ChSoft* soft, ChVec3 local, const double* q);

#endif
