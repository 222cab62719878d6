// Fuzz target: any bytes at all, read as a tetrahedral mesh of Gmsh or VTK, then skinned and measured. `fuzz_tet
// --seeds FOLDER` writes a corpus to start from: one small body in every format.
#include <math.h>
#include <setjmp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/tet/tet_measure.h"
#include "model/tet/tet_shapes.h"
#include "support/tet_files.h"

int LLVMFuzzerInitialize(int* argc, char*** argv);
int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

// A refusal says why; what was read can be used.
static void must(bool holds) {
  if (!holds) abort();
}

static void write_seeds(const char* folder, ChArena* arena) {
  ChContext context = {0};
  for (int k = 0; k < 2 * CH_TET_FORMATS; ++k) {
    ChTetMesh mesh;
    char name[4096];
    size_t size;
    must(ch_tet_box(&context, arena, ch_vec(1.0, 1.0, 1.0), (int[]){1 + k % 2, 1, 1}, &mesh) == CH_OK);
    char* text = ch_tet_file_print(&mesh, k / 2, &size);
    snprintf(name, sizeof name, "%s/seed-%d.mesh", folder, k);
    FILE* file = fopen(name, "wb");
    must(text && file && fwrite(text, 1, size, file) == size && fclose(file) == 0);
    free(text);
  }
}

int LLVMFuzzerInitialize(int* argc, char*** argv) {
  if (*argc != 3 || strcmp((*argv)[1], "--seeds") != 0) return 0;
  ChArena* arena = ch_arena_create(NULL);
  must(arena != NULL);
  write_seeds((*argv)[2], arena);
  ch_arena_destroy(arena);
  exit(0);
}

static void use(ChArena* arena, const char* text, size_t size) {
  ChContext context = {0};
  ChTetMesh mesh;
  ChStatus status = ch_tet_mesh_parse(&context, arena, "fuzz", text, size, &mesh);
  must(status == CH_OK || context.message[0] != '\0');
  if (status != CH_OK) return;
  must(mesh.tet_count > 0 && mesh.tet_count <= CH_TETS_MAX);
  for (int k = 0; k < mesh.vertex_count; ++k) must(ch_vec_finite(mesh.vertices[k]));
  for (int k = 0; k < 4 * mesh.tet_count; ++k) must(mesh.tets[k] >= 0 && mesh.tets[k] < mesh.vertex_count);
  for (int k = 0; k < mesh.tet_count; ++k) must(ch_tet_volume(&mesh, k) > 0.0);
  ChTetMeasures m = ch_tet_measure(arena, &mesh);
  must(m.skin_triangles >= 4 && m.skin_triangles % 2 == 0 && m.volume > 0.0 && m.worst_quality > 0.0);
}

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  char* text = malloc(size + 1);  // exactly as long as the text, so that a read beyond it is seen
  if (!text) return 0;
  if (size > 0) memcpy(text, data, size);
  text[size] = '\0';
  jmp_buf landing;
  ChArena* arena = ch_arena_create(NULL);
  if (arena && !setjmp(landing)) {
    ch_arena_set_landing(arena, &landing);
    use(arena, text, size);
  }
  ch_arena_destroy(arena);
  free(text);
  return 0;
}
