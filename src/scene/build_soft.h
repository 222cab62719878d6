// Deformable bodies of a scene: from the key "soft" of a body to the world.
#ifndef CH_SCENE_BUILD_SOFT_H
#define CH_SCENE_BUILD_SOFT_H

#include "scene/forms.h"

// What is known of deformable bodies while a scene is read.
typedef struct ChSoftNotes {
  struct ChSoftBent* starts;  // how they are bent at the start, to be set when the world is sealed
  struct ChSoftMade* made;    // meshes of named shapes, each made once
} ChSoftNotes;

// Whether a body that has "soft" has nothing that contradicts it.
bool ch_soft_fits(ChReader* reader, const ChPlace* body, const json_t* entry);

// Makes the body deformable. `object` is the JSON at `place`, in which the name of a file is replaced by its path.
bool ch_soft_build(ChReader* reader, const ChPlace* place, json_t* object, ChSceneSoft* soft, ChWorld* world,
                   ChBodyId body, ChSoftNotes* notes);

// Amplitudes and rates into the states of a sealed world.
void ch_soft_start(ChWorld* world, const ChSoftNotes* notes);

#endif
