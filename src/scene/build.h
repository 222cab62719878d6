// Documents to a world.
#ifndef CH_SCENE_BUILD_H
#define CH_SCENE_BUILD_H

#include "scene/document.h"

// Adds everything to `world`: materials of all documents, then bodies, joints and forces, so that a document may name
// what another one defines. The last step seals the world and looks for bodies that overlap.
bool ch_world_build(ChReader* reader, const ChDocuments* documents, ChWorld* world);
// Adds bodies, joints and forces to what is simulated already: all or, where one is wrong, none.
bool ch_simulation_extend(ChReader* reader, const ChDocuments* documents, ChSimulation* simulation);

// Refuses a start in which two bodies overlap by more than the scene allows: unless it says so, a share of the smaller
// one's size, and what steps of its length undo soon.
bool ch_world_check_overlap(ChReader* reader, const ChDocuments* documents, const ChWorld* world);

// The place of a body that was added as number `body`; false where none can be told.
typedef struct ChBodyPlace {
  const ChDocument* document;
  size_t index;
} ChBodyPlace;
bool ch_body_place(const ChDocuments* documents, int body, ChBodyPlace* out);

#endif
