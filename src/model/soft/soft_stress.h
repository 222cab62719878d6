// The stress of a deformable body at the vertices of its skin, by the law of its material on the mesh:
//
//   modal   sigma = C : e,  e = sym G,  G = sum_a q_a D_a,  D_a = dU_a / dX
//   stvk    sigma = F S F' / det F,  S = C : (F'F - 1) / 2,  F = 1 + G           Cauchy's
//   arms    sum_k s_k C : sym(sum_a z_ka D_a) besides (soft_arms.h); for stvk in place of S
//
// Displacements are quadratic in each tetrahedron, so strains are linear, and jump from one tetrahedron to the next:
// D_a at a vertex is the mean over the tetrahedra around it, by volume.
#ifndef CH_MODEL_SOFT_SOFT_STRESS_H
#define CH_MODEL_SOFT_SOFT_STRESS_H

#include "model/soft/soft.h"
#include "model/soft/soft_mesh.h"

typedef struct ChSoftStress {
  ChElastic law;
  double* gradient;  // vertices of the skin x 9 x modes, D by rows
} ChSoftStress;

// Fills `gradient`, which is all 0, for a basis of fields on the mesh; `vertices`: of the mesh, that are on the skin.
void ch_soft_stress_build(ChArena* arena, const ChSoftMesh* mesh, const double* U, const int* vertices,
                          const ChSoft* soft, const ChSoftStress* stress);

// In the body's frame, Pa. `stretches`: of a viscoelastic body.
ChMat3 ch_soft_stress_at(const ChSoft* soft, int vertex, const double* q, const double* stretches);

#endif
