// Tight fits: bodies that overlap on opposing sides. Stabilisation asks for speeds w at which every overlap parts;
// where they oppose each other no velocity has them all, and the step has no solution. Asked for s less, it has, and
// the smallest s is
//
//   min F(v) = 1/2 |s|^2 + delta/2 v'D v,      s_i = max(0, |mu u_T,i| - u_n,i),      u = H^T v + w
//
// so that u + s n lies in the dual of the friction cones, K*: then there are reactions for it (Klarbring and Pang 1998;
// Acary, Cadoux, Lemarechal and Malick 2011). D is the diagonal of M; delta is 1e-6 over the largest mass at a contact:
// whatever can be pushed apart is, at up to a thousand times the speed that is asked for, and a flat wedge that would
// have to be shot out of its seat stays.
//
// At the minimum y_i = s_i (1, -mu t), t the direction of slip, is a self-stress: y in K, H y = delta D v. With delta
// to 0 s is therefore the normal part of the projection of -w onto the self-stresses, and 0 where the contacts carry
// none.
//
// F is convex. |mu u_T| is taken as sqrt(|mu u_T|^2 + e^2) - e and e made small, Newton's method with a line search on
// each: the matrix is H B H^T + delta D, B_i = g g' + s_i grad^2, g = (-1, mu t).
#ifndef CH_STEP_TIGHT_FIT_H
#define CH_STEP_TIGHT_FIT_H

#include "base/arena.h"
#include "cardhouse/problem.h"

// Contacts that do not yield. Of those that do no overlap is undone: it is elastic.
static inline bool ch_block_is_hard(const ChBlock* block) {
  return ch_law_info(block->law)->opens && !(ch_block_compliance(block) > 0.0);
}

// s of every block of the problem, in metres a second and zero but for hard contacts. `w` has the problem's rows; M, H
// and the blocks are read. False where the limits of the thread (base/work.h) ended it before F was least: s is not
// written then.
bool ch_tight_fit(ChArena* arena, const ChProblem* problem, ChPose pose, const double* w, double* s);

#endif
