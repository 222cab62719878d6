// Deformable bodies in the step's contact problem (model/soft/soft.h): their mass, their degrees of freedom, and what
// of a skin a gap touches.
//
// The numbers of such a body are those of its frame (6) and then its modes. In vectors of velocities and forces the
// modes of all bodies follow the frames of all bodies. A force d (world frame) at the material point with weights s_i
// on vertices i of the skin acts on (v, w, qd) by (d, y x R'd, sum s_i U_i' R'd).
#ifndef CH_ASSEMBLE_SOFT_BODY_H
#define CH_ASSEMBLE_SOFT_BODY_H

#include "collide/collide.h"
#include "model/forces.h"
#include "model/soft/soft_arms.h"

enum { CH_SOFT_SIZE_MAX = 6 + CH_SOFT_MODES_MAX };

static inline int ch_body_modes(const ChWorld* world, int body) {
  const ChSoft* soft = world->bodies[body].soft;
  return soft ? soft->modes : 0;
}
static inline int ch_body_stretches(const ChWorld* world, int body) {
  const ChSoft* soft = world->bodies[body].soft;
  return soft ? ch_soft_stretches(soft) : 0;
}
// Where the modes of a body begin in a vector of velocities or forces, and how long such a vector is.
static inline long ch_modes_at(const ChWorld* world, int body) {
  return (long)world->body_count * ch_world_width(world) + world->bodies[body].first_mode;
}
static inline long ch_world_numbers(const ChWorld* world) {
  return (long)world->body_count * ch_world_width(world) + world->mode_count;
}

// M(q), (6 + modes) square; the latter where B is known (model/soft/soft.h).
void ch_soft_mass(const ChSoft* soft, const double* q, double* M);
void ch_soft_mass_bent(const ChSoft* soft, const double* q, const double* B, double* M);

// Locks reach the frame alone. B: the frame's basis (ch_body_basis) and the identity for the modes.
//   out = B'x,   out = B x,   out = B'M B, symmetric; they return how many columns B has
int ch_soft_reduce(const ChWorld* world, int body, const ChBodyState* state, const double* x, double* out);
int ch_soft_expand(const ChWorld* world, int body, const ChBodyState* state, const double* x, double* out);
int ch_soft_reduce_mass(const ChWorld* world, int body, const ChBodyState* state, const double* M, double* out);

// What of a skin a gap touches: weights on at most three vertices; count = 0 where that side is rigid.
typedef struct ChSkinPoint {
  int count, vertex[3];
  double weight[3];
} ChSkinPoint;

ChSkinPoint ch_skin_point(const ChWorld* world, const ChBodyState* states, const ChGap* gap, int side);

// sum s_i U_i: three rows of `modes` numbers. They are the skin's own, or in `room` (3 CH_SOFT_MODES_MAX).
const double* ch_skin_shape(const ChSoft* soft, const ChSkinPoint* point, double* room);

// sum s_i U_i' R'along, for `count` directions: `modes` numbers each.
void ch_skin_gradients(const ChWorld* world, const ChBodyState* states, int body, const ChSkinPoint* point, int count,
                       const ChVec3* along, double* out);

// sum s_i U_i rates, in the body's frame.
ChVec3 ch_skin_velocity(const ChWorld* world, int body, const ChSkinPoint* point, const double* rates);

#endif
