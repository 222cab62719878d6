// Islands: sets of bodies that rows or implicit forces connect (004 section 7.9). Bodies without degrees of freedom
// connect nothing. Each island becomes one contact problem of its own.
#ifndef CH_ASSEMBLE_ISLANDS_H
#define CH_ASSEMBLE_ISLANDS_H

#include "assemble/rows.h"
#include "model/forces.h"
#include "model/soft/soft.h"

typedef struct ChIslands {
  int count;
  int *body_start, *bodies;   // count + 1; ascending in each island
  int *block_start, *blocks;  // ascending
  int *coupling_start, *couplings;
  int* place;  // of each body within its island; -1 = in none
  int* first;  // its first degree of freedom there
} ChIslands;

// Only bodies that some row touches are in an island; the others are free. Islands are ordered by their first body.
// Bodies with the same number in `tie`, 0 or more, are in one island, too; NULL: none are so tied. With `whole` there
// is one of them, whatever connects.
void ch_islands_find(ChArena* arena, const ChWorld* world, const ChRows* rows, const ChForceCoupling* couplings,
                     int coupling_count, bool whole, const int* tie, ChIslands* out);

// World axes along and about which the body's frame does not move: all of them where it is clamped.
static inline unsigned ch_body_locks(const ChWorld* world, int body) {
  const ChBody* b = &world->bodies[body];
  return b->soft && b->soft->clamped ? 63u : b->locks;
}
// Degrees of freedom of a body's frame: width less its locks, 0 where it does not move; and with its modes.
int ch_frame_freedoms(const ChWorld* world, int body);
int ch_body_freedoms(const ChWorld* world, int body);
// Columns of the basis of the body's frame: velocity (width numbers: v world, w body's frame) = basis x freedoms.
// Row-major width x freedoms.
int ch_body_basis(const ChWorld* world, int body, const ChBodyState* state, double* basis);

// What the rows act on, in the layout of forces.h (modes: soft_body.h). Unknown is the change of velocity from a
// reference, so that bodies that coast or fall together, however fast, leave no round-off of their speed in a problem
// that has nothing to solve:
//
//   M^ (v - reference) = impulse + (stiffness dk/dq + damping dk/dv) reference + H r
//   M^ = M - stiffness dk/dq - damping dk/dv
typedef struct ChDynamics {
  const double* reference;    // velocities, locks already kept
  const double* impulse;      // the same numbers
  const double* const* soft;  // body -> a deformable body's M, implicit elastic parts and all: (6 + modes) square,
                              // NULL: rigid; NULL where there is none
  const ChForceCoupling* couplings;
  int coupling_count;
  double stiffness, damping;  // of the implicit parts: h^2 and h in an Euler step
  bool absolute;              // the same problem in v itself, M^ v = M reference + impulse + H r, as others know it
} ChDynamics;

// Mass of a body in the layout of its velocity: width x width, row-major.
void ch_body_mass(const ChWorld* world, int body, double* M);

// One island's problem in global form: its bodies in order, each with its degrees of freedom, its blocks in order.
ChStatus ch_island_problem(ChContext* context, ChArena* scratch, const ChMoment* moment, const ChRows* rows,
                           const ChIslands* islands, int island, const ChDynamics* dynamics, ChProblem** out);

// The reference in the degrees of freedom of the island's problem.
void ch_island_reference(const ChMoment* moment, const ChIslands* islands, int island, const ChDynamics* dynamics,
                         double* reference);

// Velocities of an island's bodies from the degrees of freedom of its problem, `absolute` or not.
void ch_island_velocities(const ChMoment* moment, const ChIslands* islands, int island, const ChDynamics* dynamics,
                          const double* x, double* velocities);

#endif
