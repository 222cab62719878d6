// Deformable bodies of a recording: see cardhouse/soft.h.
#include <stdlib.h>
#include <string.h>

#include "model/shapes/mass_properties.h"
#include "model/soft/soft_build.h"

static void* copied(ChArena* arena, size_t count, size_t size, const void* from) {
  void* to = ch_arena_take(arena, count, size);
  memcpy(to, from, count * size);
  return to;
}

ChStatus ch_soft_from_recorded(ChContext* context, ChArena* arena, const char* what, const ChSoftDef* def,
                               double density, const ChRecordedSkin* recorded, const ChSoft** out) {
  const ChSoftSkin* skin = &recorded->skin;
  if (recorded->modes != def->modes)
    return ch_fail(context, CH_ERR_FORMAT, "%s: %d of its modes were recorded, but its scene has %d", what,
                   recorded->modes, def->modes);
  ChMassProperties mass = ch_mass_of_mesh(&(ChMesh){.vertex_count = skin->vertex_count,
                                                    .vertices = skin->rest,
                                                    .cell_count = skin->triangle_count,
                                                    .cells = skin->triangles,
                                                    .width = 3,
                                                    .closed = true},
                                          density);
  if (!(mass.mass > 0.0 && isfinite(mass.mass)))
    return ch_fail(context, CH_ERR_FORMAT, "%s: its recorded skin encloses no volume", what);
  ChSoft* soft = CH_TAKE(arena, 1, ChSoft);
  size_t vertices = (size_t)skin->vertex_count, modes = (size_t)def->modes;
  *soft = (ChSoft){.kind = def->kind,
                   .modes = def->modes,
                   .clamped = def->clamped,
                   .young = def->young,
                   .poisson = def->poisson,
                   .skin_only = true,
                   .mass = mass.mass,
                   .inertia = ch_mass_inertia(&mass),
                   .alpha = def->alpha,
                   .beta = def->beta,
                   .skin = {.vertex_count = skin->vertex_count, .triangle_count = skin->triangle_count}};
  soft->frequency = copied(arena, modes, sizeof(double), recorded->frequency);
  soft->skin.rest = copied(arena, vertices, sizeof(ChVec3), skin->rest);
  soft->skin.shape = copied(arena, 3 * vertices * modes, sizeof(double), skin->shape);
  soft->skin.triangles = copied(arena, 3 * (size_t)skin->triangle_count, sizeof(int), skin->triangles);
  *out = soft;
  return CH_OK;
}
