// Tetrahedral meshes as callers of the library have them: see cardhouse/tetrahedra.h.
#include "cardhouse/tetrahedra.h"

#include <stdlib.h>
#include <string.h>

#include "model/tet/tet_measure.h"
#include "model/tet/tet_shapes.h"

static ChStatus no_memory(ChContext* context) {
  return ch_fail(context, CH_ERR_MEMORY, "out of memory for a mesh of tetrahedra");
}

// What the arena holds, in memory that the caller frees.
static ChStatus copy_out(ChContext* context, const ChTetMesh* mesh, ChTetMesh* out) {
  size_t vertices = (size_t)mesh->vertex_count * sizeof *mesh->vertices,
         tets = 4 * (size_t)mesh->tet_count * sizeof(int);
  *out = (ChTetMesh){mesh->vertex_count, mesh->tet_count, malloc(vertices), malloc(tets)};
  if (!out->vertices || !out->tets) {
    ch_tets_free(out);
    return no_memory(context);
  }
  memcpy(out->vertices, mesh->vertices, vertices);
  memcpy(out->tets, mesh->tets, tets);
  return CH_OK;
}

// From a file, or of a shape where there is a definition.
static ChStatus take(ChContext* context, const char* file, const ChTetShapeDef* def, ChTetMesh* out) {
  jmp_buf landing;
  ChTetMesh mesh;
  *out = (ChTetMesh){0};
  ChArena* arena = ch_arena_create(&landing);
  if (!arena || setjmp(landing)) {
    ch_arena_destroy(arena);
    return no_memory(context);
  }
  ChStatus status = def ? ch_tet_shape_make(context, arena, def, &mesh) : ch_tet_mesh_read(context, arena, file, &mesh);
  if (status == CH_OK) status = copy_out(context, &mesh, out);
  ch_arena_destroy(arena);
  return status;
}

ChStatus ch_tets_read(ChContext* context, const char* file, ChTetMesh* out) { return take(context, file, NULL, out); }

ChStatus ch_tets_make(ChContext* context, const ChTetShapeDef* def, ChTetMesh* out) {
  return take(context, NULL, def, out);
}

void ch_tets_free(ChTetMesh* mesh) {
  free(mesh->vertices);
  free(mesh->tets);
  *mesh = (ChTetMesh){0};
}

ChStatus ch_tets_measure(ChContext* context, const ChTetMesh* mesh, ChTetMeasures* out) {
  jmp_buf landing;
  ChArena* arena = ch_arena_create(&landing);
  if (!arena || setjmp(landing)) {
    ch_arena_destroy(arena);
    return no_memory(context);
  }
  *out = ch_tet_measure(arena, mesh);
  ch_arena_destroy(arena);
  return CH_OK;
}
