// The stones of a scene as closed meshes, whose contacts are samples of one surface in the distance field of the other,
// as the document samples its rigid bodies (004 s7.2), inside of faces, too. Hulls of two faces of four corners touch
// at these alone.
#ifndef CH_REPRODUCE_SAMPLED_STONES_H
#define CH_REPRODUCE_SAMPLED_STONES_H

#include "cardhouse/scene.h"
#include "reproduce/item.h"

// Puts another scene in place of `scene`: each hull of eight corners becomes a mesh with samples `spacing` apart.
ChStatus ch_sample_stones(ChItemRun* run, double spacing, ChScene** scene);

#endif
