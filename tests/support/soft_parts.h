// Deformable bars taken apart, and the full nonlinear law on their meshes: what reduced bodies are compared with.
#ifndef CH_TESTS_SOFT_PARTS_H
#define CH_TESTS_SOFT_PARTS_H

#include "base/arena.h"
#include "model/soft/soft_basis.h"
#include "model/soft/soft_build.h"

// A bar along x about the origin; clamped at its lower end when its definition says so.
typedef struct ChBar {
  double length, width, height, density;
  int along, across;
  ChSoftDef def;
} ChBar;
ChBar ch_bar(ChSoftKind kind, bool clamped, int modes);

typedef struct ChSoftParts {
  ChSoftMesh mesh;
  ChSoftMatrices matrices;
  double* U;  // modes x matrices.n
  double* lambda;
} ChSoftParts;

// NULL where a step fails.
ChTetMesh ch_bar_mesh(ChArena* arena, const ChBar* bar);
const ChSoft* ch_bar_soft(ChArena* arena, const ChBar* bar);
ChSoftParts* ch_bar_parts(ChArena* arena, const ChBar* bar);
ChSoftParts* ch_soft_parts(ChArena* arena, const ChTetMesh* mesh, double density, const ChSoftDef* def);

// Of the St. Venant-Kirchhoff law on the mesh, at a field u: energy, and, where asked for, its gradient and Hessian,
// the latter in the pattern of K.
double ch_full_stvk(const ChSoftMesh* mesh, const double* u, double* force, ChBlockCsr* stiffness);

// Where the body rests under forces f: Newton's method over growing parts of the load. False when it does not
// converge.
bool ch_full_stvk_rest(ChArena* arena, const ChSoftMatrices* matrices, const double* f, double* u);
bool ch_soft_rest(const ChSoft* soft, const double* f, double* q);  // the same, reduced

#endif
