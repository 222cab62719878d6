// What a recorded run can be written as: a function each.
#ifndef CH_EXPORT_FORMATS_H
#define CH_EXPORT_FORMATS_H

#include "export/motion.h"

// glTF 2.0: one file, text (.gltf) or binary (.glb) by the name's end. Modes of deformable bodies are morph targets.
ChStatus ch_export_gltf(ChContext* context, const ChExport* motion, const char* path);

// USD as text (.usda), z up, metres.
ChStatus ch_export_usd(ChContext* context, const ChExport* motion, const char* path);

// One file a frame in a folder, all surfaces in the world frame: frame-000000.obj or .ply.
ChStatus ch_export_obj(ChContext* context, const ChExport* motion, const char* folder);
ChStatus ch_export_ply(ChContext* context, const ChExport* motion, const char* folder);

// A table of states: a line a body and frame.
ChStatus ch_export_csv(ChContext* context, const ChExport* motion, const char* path);

#endif
