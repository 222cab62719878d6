// See tet_files.h.
#include "support/tet_files.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>

typedef struct Sink {
  FILE* file;
  bool binary, big_endian;
} Sink;

static void put_bits(Sink* s, uint64_t bits, int bytes) {
  for (int k = 0; k < bytes; ++k) fputc((int)(bits >> 8 * (s->big_endian ? bytes - 1 - k : k) & 255), s->file);
}

static void put_int(Sink* s, long value, int bytes, char after) {
  if (s->binary)
    put_bits(s, (uint64_t)value, bytes);
  else
    fprintf(s->file, "%ld%c", value, after);
}

static void put_point(Sink* s, ChVec3 v) {
  for (int a = 0; a < 3; ++a) {
    double value = ch_component(v, a);
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    if (s->binary)
      put_bits(s, bits, 8);
    else
      fprintf(s->file, "%.17g%c", value, a < 2 ? ' ' : '\n');
  }
}

static void put_corners(Sink* s, const int* c, int add, int bytes) {
  for (int k = 0; k < 4; ++k) put_int(s, c[k] + add, bytes, k < 3 ? ' ' : '\n');
}

static void put_format(Sink* s, const char* version) {
  fprintf(s->file, "$MeshFormat\n%s %d 8\n", version, s->binary);
  if (s->binary) put_bits(s, 1, 4), fputc('\n', s->file);
  fprintf(s->file, "$EndMeshFormat\n");
}

static void put_gmsh_2(Sink* s, const ChTetMesh* mesh) {
  put_format(s, "2.2");
  fprintf(s->file, "$Nodes\n%d\n", mesh->vertex_count);
  for (int k = 0; k < mesh->vertex_count; ++k) put_int(s, 3 * k + 5, 4, ' '), put_point(s, mesh->vertices[k]);
  fprintf(s->file, "%s$EndNodes\n$Elements\n%d\n", s->binary ? "\n" : "", mesh->tet_count);
  if (s->binary) put_bits(s, 4, 4), put_bits(s, (uint64_t)mesh->tet_count, 4), put_bits(s, 1, 4);
  for (int k = 0; k < mesh->tet_count; ++k) {
    put_int(s, k + 1, 4, ' ');
    if (!s->binary) fprintf(s->file, "4 1 ");
    put_int(s, 17, 4, ' ');
    for (int c = 0; c < 4; ++c) put_int(s, 3 * mesh->tets[4 * k + c] + 5, 4, c < 3 ? ' ' : '\n');
  }
  fprintf(s->file, "%s$EndElements\n", s->binary ? "\n" : "");
}

static void put_block(Sink* s, long count, long type) {
  put_int(s, 1, 8, ' '), put_int(s, count, 8, ' '), put_int(s, 1, 8, ' '), put_int(s, count, 8, '\n');
  put_int(s, 3, 4, ' '), put_int(s, 1, 4, ' '), put_int(s, type, 4, ' '), put_int(s, count, 8, '\n');
}

static void put_gmsh_4(Sink* s, const ChTetMesh* mesh) {
  put_format(s, "4.1");
  fprintf(s->file, "$Nodes\n");
  put_block(s, mesh->vertex_count, 0);
  for (int k = 0; k < mesh->vertex_count; ++k) put_int(s, k + 1, 8, '\n');
  for (int k = 0; k < mesh->vertex_count; ++k) put_point(s, mesh->vertices[k]);
  fprintf(s->file, "%s$EndNodes\n$Elements\n", s->binary ? "\n" : "");
  put_block(s, mesh->tet_count, 4);
  for (int k = 0; k < mesh->tet_count; ++k) put_int(s, k + 1, 8, ' '), put_corners(s, mesh->tets + 4 * k, 1, 8);
  fprintf(s->file, "%s$EndElements\n", s->binary ? "\n" : "");
}

static void put_vtk(Sink* s, const ChTetMesh* mesh, bool offsets) {
  int n = mesh->tet_count;
  fprintf(s->file, "# vtk DataFile Version %s\nmesh\n%s\nDATASET UNSTRUCTURED_GRID\nPOINTS %d double\n",
          offsets ? "5.1" : "3.0", s->binary ? "BINARY" : "ASCII", mesh->vertex_count);
  for (int k = 0; k < mesh->vertex_count; ++k) put_point(s, mesh->vertices[k]);
  if (offsets) {
    fprintf(s->file, "\nCELLS %d %d\nOFFSETS vtktypeint64\n", n + 1, 4 * n);
    for (int k = 0; k <= n; ++k) put_int(s, 4L * k, 8, ' ');
    fprintf(s->file, "\nCONNECTIVITY vtktypeint64\n");
    for (int k = 0; k < n; ++k) put_corners(s, mesh->tets + 4 * k, 0, 8);
  } else {
    fprintf(s->file, "\nCELLS %d %d\n", n, 5 * n);
    for (int k = 0; k < n; ++k) put_int(s, 4, 4, ' '), put_corners(s, mesh->tets + 4 * k, 0, 4);
  }
  fprintf(s->file, "\nCELL_TYPES %d\n", n);
  for (int k = 0; k < n; ++k) put_int(s, 10, 4, '\n');
  fprintf(s->file, "\nCELL_DATA %d\n", n);
}

char* ch_tet_file_print(const ChTetMesh* mesh, int format, size_t* size) {
  char* text = NULL;
  FILE* file = open_memstream(&text, size);
  if (!file) return NULL;
  Sink s = {file, format >= 4, format >= 8};
  if (format % 4 == 0) put_gmsh_2(&s, mesh);
  if (format % 4 == 1) put_gmsh_4(&s, mesh);
  if (format % 4 >= 2) s.big_endian = true, put_vtk(&s, mesh, format % 4 == 3);
  fclose(file);
  return text;
}
