// Whether kept modes are modes of this mesh: a file with a right checksum may be anybody's work.
//
//   U' M U = 1,   U' K U = diag(omega^2),   R' M U = 0 for rigid motions R,   and, `modal`, K u = omega^2 M u
//
// and for `stvk` that the kept quartic tells the energy that the mesh has, at amplitudes drawn anew each time.
// Everything else follows from U and is computed from it (soft_create.c), so it need not be believed.
#ifndef CH_MODEL_SOFT_SOFT_VERIFY_H
#define CH_MODEL_SOFT_SOFT_VERIFY_H

#include "model/soft/soft.h"
#include "model/soft/soft_mesh.h"

// Frequencies, K0 and, where there is one, the quartic of `soft` are looked at; U is modes x 3 moving_count.
bool ch_soft_verify(ChArena* arena, const ChSoftMesh* mesh, const double* U, const ChSoft* soft);

#endif
