// Fuzz target: any bytes at all, read as OBJ, STL, PLY or glTF, then made a mesh and a hull. `fuzz_mesh --seeds FOLDER`
// writes a corpus to start from.
#include <math.h>
#include <setjmp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/mesh/mesh.h"
#include "model/shapes/polytope.h"

int LLVMFuzzerInitialize(int* argc, char*** argv);
int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

static const char* const seeds[] = {
    "# four sides\nv 0 0 0\nv 1 0 0 1\nv 0 1 0\nv 0 0 1\nvn 0 0 1\nf 1 3 2\nf 1/1 2/2/2 4//3\nf -4 -1 -2\nf 2 3 4\n",
    "o square\nv -1.5e0 0 0\nv 1 .5 0\nv 1 1 0\nv 0 1 1e-3\nf 1 2 3 4\n",
    "solid\nfacet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex 1 0 0\nvertex 0 1 0\nendloop\nendfacet\nendsolid a\n",
    "solid\nendsolid\nsolid b\nendsolid b\n",
    "ply\nformat ascii 1.0\ncomment a\nelement vertex 3\nproperty float x\nproperty double y\nproperty float "
    "z\nproperty "
    "uchar red\nelement face 1\nproperty list uchar int vertex_indices\nproperty list uint8 float32 t\nend_header\n0 0 "
    "0 "
    "1\n1 0 0 2\n0 1 0 3\n3 0 1 2 1 0.5\n",
    "ply\nformat binary_big_endian 1.0\nelement vertex 2\nproperty short x\nproperty int8 y\nproperty char z\nelement "
    "face 1\nproperty list uchar uchar vertex_index\nend_header\n\x01\x01\x01\x01\x02\x02\x02\x02\x03\x01\x01\x01",
    "{\"asset\":{\"version\":\"2.0\"},\"scene\":0,\"scenes\":[{\"nodes\":[0]}],\"nodes\":[{\"children\":[1],\"scale\":["
    "1,2,"
    "-1]},{\"mesh\":0,\"rotation\":[0,0,0,1],\"translation\":[1,0,0]}],\"meshes\":[{\"primitives\":[{\"attributes\":{"
    "\"POSITION\":0},\"indices\":1},{\"attributes\":{\"POSITION\":0},\"mode\":5}]}],\"accessors\":[{\"bufferView\":0,"
    "\"componentType\":5126,\"count\":3},{\"bufferView\":1,\"componentType\":5121,\"count\":3}],\"bufferViews\":[{"
    "\"buffer\":0,\"byteLength\":36},{\"buffer\":0,\"byteOffset\":36,\"byteLength\":3}],\"buffers\":[{\"uri\":\"data:;"
    "base64,AAAAAAAAAAAAAAAAAACAPwAAAAAAAAAAAAAAAAAAgD8AAAAAAAECAA==\"}]}",
};

static void write_seed(const char* folder, size_t number, const void* bytes, size_t size) {
  char name[4096];
  snprintf(name, sizeof name, "%s/seed-%zu.mesh", folder, number);
  FILE* file = fopen(name, "wb");
  if (!file || fwrite(bytes, 1, size, file) != size || fclose(file) != 0) {
    perror(name);
    exit(1);
  }
}

int LLVMFuzzerInitialize(int* argc, char*** argv) {
  if (*argc != 3 || strcmp((*argv)[1], "--seeds") != 0) return 0;
  size_t count = sizeof seeds / sizeof *seeds;
  for (size_t k = 0; k < count; ++k) write_seed((*argv)[2], k, seeds[k], strlen(seeds[k]));
  unsigned char binary[84 + 2 * 50] = {[80] = 2};
  const float corners[2][9] = {{0, 0, 0, 1, 0, 0, 0, 1, 0}, {0, 0, 0, 0, 1, 0, 0, 0, 1}};
  for (int t = 0; t < 2; ++t) memcpy(binary + 84 + 50 * t + 12, corners[t], sizeof corners[t]);
  write_seed((*argv)[2], count, binary, sizeof binary);
  unsigned char glb[] =
      "glTF\2\0\0\0\0\0\0\0\x74\0\0\0JSON{\"asset\":{\"version\":\"2.0\"},\"meshes\":[{\"primitives\":[{\"attributes\":"
      "{"
      "\"POSITION\":0}}]}],\"buffers\":[{\"byteLength\":4}] }\4\0\0\0BIN\0abcd";
  glb[8] = (unsigned char)(sizeof glb - 1);
  write_seed((*argv)[2], count + 1, glb, sizeof glb - 1);
  exit(0);
}

// A refusal says why; what was read can be used.
static void must(bool holds) {
  if (!holds) abort();
}

static void use(ChArena* arena, const char* text, size_t size) {
  ChContext context = {0};
  int vertex_count, triangle_count, *triangles;
  ChVec3* vertices;
  double* uv;
  ChStatus status =
      ch_mesh_parse(&context, arena, "fuzz", text, size, &vertex_count, &vertices, &triangle_count, &triangles, &uv);
  must(status == CH_OK || context.message[0] != '\0');
  if (status != CH_OK) return;
  for (int k = 0; k < vertex_count; ++k) must(ch_vec_finite(vertices[k]));
  for (long k = 0; uv && k < 6L * triangle_count; ++k) must(isfinite(uv[k]));
  for (int k = 0; k < 3 * triangle_count; ++k) must(triangles[k] >= 0 && triangles[k] < vertex_count);
  ChMesh* mesh = NULL;
  status = ch_mesh_create(&context, arena, vertex_count, vertices, triangle_count, triangles, 3, &mesh);
  must((status == CH_OK) == (mesh != NULL));
  ChPolytope* hull = NULL;
  status = ch_polytope_hull(&context, arena, vertex_count, vertices, &hull);
  must((status == CH_OK) == (hull != NULL));
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
