// A skin over a plane: every vertex that is near, and nothing else touches first.
#ifndef CH_COLLIDE_SKIN_SKIN_PLANE_H
#define CH_COLLIDE_SKIN_SKIN_PLANE_H

#include "collide/closing_speed.h"
#include "collide/mesh/sampling.h"
#include "collide/skin/leaf_list.h"
#include "collide/skin/skin.h"

// The probe is flat. `list`: of leaves that were near, or NULL.
void ch_skin_over_plane(const ChSampling* sampling, const ChClosing* closing, const ChSkin* skin, ChLeafList* list);

// The vertices of one leaf over a plane, each in the leaf that owns it.
void ch_skin_leaf_over_plane(const ChSampling* sampling, const ChSkin* skin, const ChSkinNode* leaf,
                             const ChProbePlane* plane);

#endif
