// Some blocks of a system, as a system of their own: the others have no reaction.
#ifndef CH_SYSTEM_SUBSYSTEM_H
#define CH_SYSTEM_SUBSYSTEM_H

#include "system/system.h"

// `members` are `count` blocks of s in rising order. Jacobians and masses are shared, not copied; where s has no bodies
// the blocks of W are.
ChSystem ch_subsystem(ChArena* arena, const ChSystem* s, const int* members, int count);

// x of the members' rows, and back (rows of other blocks are left as they are)
void ch_subsystem_gather(const ChSystem* s, const int* members, int count, const double* x, double* part);
void ch_subsystem_scatter(const ChSystem* s, const int* members, int count, const double* part, double* x);

#endif
