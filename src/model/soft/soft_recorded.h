// Deformable bodies as a recording holds them: what is drawn and measured of them, nothing to step them with.
//
// A recording is looked at later and elsewhere. The mesh that a body was made from may have changed by then, or be out
// of reach, and a basis that is found anew need not be the one that the amplitudes belong to. So nothing is made anew:
// skin and modes are those of the run, and mass and inertia follow from the skin, which encloses the whole mesh.
#ifndef CH_MODEL_SOFT_SOFT_RECORDED_H
#define CH_MODEL_SOFT_SOFT_RECORDED_H

#include "base/arena.h"
#include "model/soft/soft.h"

typedef struct ChRecordedSkin {
  int modes;
  double* frequency;  // of the modes, rad/s
  ChSoftSkin skin;    // across: NULL
} ChRecordedSkin;

typedef struct ChRecordedSofts {
  ChArena* arena;  // all this lies in it
  int count, skin_count;
  const int* body;   // ascending
  const int* skin;   // that each has
  const ChVec3* at;  // centre of mass in the first row
  const ChRecordedSkin* skins;
} ChRecordedSofts;

void ch_recorded_softs_destroy(ChRecordedSofts* softs);

// The body, which must be dynamic and without shapes, becomes deformable as it was recorded; what is needed is copied.
// Of the definition the mesh is not read. Such a world is not stepped: ch_simulation_create refuses it.
ChStatus ch_world_add_recorded_soft(ChContext* context, ChWorld* world, ChBodyId body, const ChSoftDef* def,
                                    const ChRecordedSofts* softs, ChShapeId* shape);

#endif
