// A tetrahedral mesh raised to ten-node tetrahedra, with the nodes that a clamp holds, and its matrices.
//
// Nodes are the mesh's vertices, about the centre of mass, then the middles of its edges. A field is given at the nodes
// that move, three numbers each: 3 moving_count in all. K and M have one row of blocks a moving node; M is a scalar
// matrix times the unit 3 x 3.
#ifndef CH_MODEL_SOFT_SOFT_MESH_H
#define CH_MODEL_SOFT_SOFT_MESH_H

#include "base/arena.h"
#include "linalg/block_csr.h"
#include "linalg/cholesky.h"
#include "linalg/sparse.h"
#include "model/soft/soft_element.h"
#include "model/tet/tet_mesh.h"

typedef struct ChSoftMesh {
  int corner_count, node_count, tet_count, moving_count;
  ChVec3* nodes;
  int* tets;    // CH_TET_NODES each
  int* place;   // of a node among those that move; -1: held
  double mass;  // of the whole
  double density;
  ChVec3 centre;  // of mass, in the frame in which the mesh was given
  ChMat3 spread;  // int rho X X', about the centre
  ChElastic law;
} ChSoftMesh;

// Corners for which held[vertex] is set do not move, nor does the middle of an edge between two of them.
ChSoftMesh ch_soft_mesh_raise(ChArena* arena, const ChTetMesh* mesh, double density, const bool* held);

// Gradients D_ij = du_i / dX_j of a field at a point of a tetrahedron where the shape functions have these slopes.
void ch_soft_mesh_gradient(const ChSoftMesh* mesh, int tet, const ChVec3 slope[CH_TET_NODES], const double* u,
                           double D[3][3]);

typedef struct ChSoftMatrices {
  const ChSoftMesh* mesh;
  int n;       // 3 moving_count
  ChSparse M;  // scalar
  ChBlockCsr K;
  ChCholesky* factor;  // of K + shift M
  double shift;        // 0 where nodes are held
  int rigid_count;     // 6, or 0 where nodes are held
  double* rigid;       // rigid_count x n, orthonormal in M
} ChSoftMatrices;

// All but the factor.
void ch_soft_matrices_sum(ChArena* arena, const ChSoftMesh* mesh, ChSoftMatrices* out);
// False when K + shift M is not positive definite.
bool ch_soft_matrices_assemble(ChArena* arena, const ChSoftMesh* mesh, ChSoftMatrices* out);

void ch_soft_mass_multiply(void* matrices, const double* x, double* y);             // y = M x
void ch_soft_shifted_solve(void* matrices, int count, const double* b, double* x);  // x = (K + shift M)^-1 b

#endif
