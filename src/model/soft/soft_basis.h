// The basis of a deformable body: few fields on the mesh in which it may bend.
#ifndef CH_MODEL_SOFT_SOFT_BASIS_H
#define CH_MODEL_SOFT_SOFT_BASIS_H

#include "cardhouse/world.h"
#include "model/soft/soft_mesh.h"

// modes x n fields U, orthonormal in M and orthogonal to rigid motions to rounding; U K U' = diag(lambda), ascending;
// the largest entry of each is positive. False when the eigenvalue iteration fails.
bool ch_soft_basis(ChArena* arena, ChSoftMatrices* matrices, ChSoftKind kind, int modes, double* U, double* lambda);

// How many modes of a `stvk` basis are vibrations; the others answer to them.
int ch_soft_linear_modes(int modes);

// At most `wanted` fields, orthonormal in M and orthogonal to rigid motions and to the `linear` modes U, that say best
// how the body answers to these modes to second order; how many there are.
int ch_soft_derivatives(ChArena* arena, ChSoftMatrices* matrices, int linear, const double* U, const double* lambda,
                        int wanted, double* out);

#endif
