// What the steps from a problem to its scaled parts share: see system.h. Blocks are kept (keep_blocks.c), dealt out
// to connected parts (prepare_parts.c), and every part gets its rows (prepare.c) and either bodies (prepare_bodies.c)
// or a matrix of its own (prepare_matrix.c).
#ifndef CH_SYSTEM_PREPARATION_H
#define CH_SYSTEM_PREPARATION_H

#include "problem/mass.h"
#include "problem/polygon.h"
#include "system/block_jacobians.h"
#include "system/system.h"

// Relative difference of W and W^T below which a matrix counts as symmetric: files carry round-off.
#define CH_SYMMETRY_TOLERANCE 1e-10

typedef struct ChPreparation {
  ChArena* arena;
  const ChProblem* problem;
  ChPose pose;
  const ChMass* mass;
  ChSparse W;      // local form, or a mass matrix of large bodies; else W is formed body by body
  bool by_bodies;  // M is known as small bodies
  bool formed;
  ChBlockJacobians jacobians;  // by bodies
  double *root, *share;        // by bodies: root of the diagonal of M, body by body as in mass->dof; its inverse
  double* q;
  int kept_count;
  ChKeptBlock* kept;
  int *block_of, *slot_of;                  // per row of the problem: kept block (or -1) and place in it
  int* local;                               // per kept block: its number inside its part
  const double* corners[CH_SIDES_MAX + 1];  // of polygons, by number of sides
} ChPreparation;

// Chooses what is kept, and its scales; `diagonal` is W's.
void ch_prepare_keep(ChPreparation* p, const unsigned char* skip, const double* diagonal);

// Whether an entry of the block's Jacobians acts on a row that is kept.
bool ch_prepare_acts(const ChPreparation* p, const ChKeptBlock* kept, int entry);

// members[start[c]] .. members[start[c+1]-1] are the kept blocks of part c, in the problem's order.
int ch_prepare_parts(ChPreparation* p, int** start, int** members);

// W of a part, cut out of that of the problem.
void ch_prepare_matrix(const ChPreparation* p, const int* members, ChComponent* part);

// Bodies of a part and its scaled Jacobians; body_local is -1 everywhere before and after.
void ch_prepare_bodies(const ChPreparation* p, const int* members, int* body_local, ChComponent* part);

#endif
