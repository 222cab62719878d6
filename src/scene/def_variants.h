// The types of joints and shapes as variants of their forms, from the engine's tables.
#ifndef CH_SCENE_DEF_VARIANTS_H
#define CH_SCENE_DEF_VARIANTS_H

#include "scene/reader.h"

// Number k of a form's `variant` functions; false when there are no more.
bool ch_joint_variant(int k, ChVariant* out);
bool ch_shape_variant(int k, ChVariant* out);

#endif
