// Where a texture lies on a surface that does not say it itself: as the viewer paints it, from six sides.
#ifndef CH_EXPORT_BOX_MAP_H
#define CH_EXPORT_BOX_MAP_H

#include "cardhouse/shape.h"

// Places of all corners of a surface on a texture, v upwards, 2 numbers a corner: its own, or by its faces' normals.
// `size` is the distance after which the picture repeats itself, m; 0: it lies once over each side of the surface's
// box. `area` is each face's normal, of any length.
void ch_box_map(const ChPatches* patches, const ChVec3* area, double size, float* out);

#endif
