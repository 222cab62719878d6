// A frame that follows a region of a deformable body: the vertices i of its skin within reach of a point, of equal
// weight, m of them. In the body's frame, with X_i at rest, Xc their mean, and y_i = X_i + U_i q,
//
//   c(q) = Xc + Uc q                                                     Uc the mean of U_i
//   F(q) = sum (y_i - c) (X_i - Xc)' A^-1,   A = sum (X_i - Xc) (X_i - Xc)'      the region's mean gradient, 1 + G q
//   F = R S                                                              polar decomposition, S symmetric
//
// A point fixed at s in the frame is at c + R s, and as q changes the frame turns by T(q) dq,
//
//   T column a = R (tr(S) 1 - S)^-1 vee(R'G_a - G_a'R)                   body's frame
//
// since R'dF - dF'R = [w]S + S[w], whose axis is (tr(S) 1 - S) w. Vertices in a plane say nothing of its normal n0: F
// is then that of the plane, and t1 x t2, the cross product of its turned axes, completes it.
#ifndef CH_MODEL_SOFT_SOFT_GRIP_H
#define CH_MODEL_SOFT_SOFT_GRIP_H

#include "base/arena.h"
#include "cardhouse/status.h"
#include "model/soft/soft.h"

typedef struct ChSoftGrip {
  int modes, count;  // count: vertices
  double reach;      // as it was asked for
  ChVec3 centre;     // Xc
  double* U;         // 3 x modes
  double* G;         // 9 x modes: row 3 i + j of F's entry i, j
  bool flat;
  ChVec3 plane[3];  // flat: two axes in the plane and its normal n0
} ChSoftGrip;

// Where it is under amplitudes q.
typedef struct ChSoftGripPose {
  ChVec3 centre;  // c
  ChMat3 turn;    // R
} ChSoftGripPose;

// Where about a point of the bent body was at rest: it moves as the vertex that is nearest.
ChVec3 ch_soft_rest_place(const ChSoft* soft, const double* q, ChVec3 now);

// About a point at rest, in the frame of the centre of mass; reach 0: the nearest vertex and those that triangles join
// it to. Refuses a region that says nothing of a turn. `what` names the caller in messages.
ChStatus ch_soft_grip_make(ChContext* context, ChArena* arena, const ChSoft* soft, ChVec3 at, double reach,
                           const char* what, const ChSoftGrip** out);

// q may be NULL: at rest. `T`: 3 x modes, or NULL.
void ch_soft_grip_find(const ChSoftGrip* grip, const double* q, ChSoftGripPose* pose, double* T);

// A frame that was fixed in the rest shape, as it is now.
ChFrame ch_soft_grip_frame(const ChSoftGrip* grip, const double* q, ChFrame rest);
// The other way round.
ChFrame ch_soft_grip_rest(const ChSoftGrip* grip, const double* q, ChFrame now);

// What a force f and a torque about the centre of mass, body's frame, do to the modes: Uc'f + T'(torque - c x f).
void ch_soft_grip_gradient(const ChSoftGrip* grip, const ChSoftGripPose* pose, const double* T, ChVec3 force,
                           ChVec3 torque, double* out);

#endif
