// Whether a deformable body is turned inside out somewhere.
//
//   F = dx/dX = R (1 + sum_a q_a D_a),   D_a = dU_a / dX,   det F: volume there, relative to the rest shape
//
// Nothing in linear elasticity or in the St. Venant-Kirchhoff law prevents it: the latter yields where a part is
// squeezed to less than 1 / sqrt(3) of its length, and is as content inside out as before. The middles of some
// tetrahedra are looked at, those that deform most when all modes hold equal energy: sum_a |D_a|^2 / omega_a^2 is
// largest there.
#ifndef CH_MODEL_SOFT_SOFT_FOLD_H
#define CH_MODEL_SOFT_SOFT_FOLD_H

#include "model/soft/soft.h"
#include "model/soft/soft_mesh.h"

enum { CH_SOFT_FOLD_POINTS = 256 };  // at most

typedef struct ChSoftFold {
  int count;
  double* gradient;  // count x 9 x modes, D by rows
  double* most;      // modes: the largest |D_a| among them
} ChSoftFold;

// Fills gradient and most for a basis of fields on the mesh; soft->frequency is known.
void ch_soft_fold_build(ChArena* arena, const ChSoftMesh* mesh, const double* U, const ChSoft* soft,
                        const ChSoftFold* fold);

// The least det F of these points, 1 at rest; 0 or less where the body is turned inside out.
double ch_soft_least_volume(const ChSoft* soft, const double* q);
// Whether that is so. Bodies that are hardly bent cost next to nothing.
bool ch_soft_is_folded(const ChSoft* soft, const double* q);

#endif
