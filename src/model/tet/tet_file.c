// Tetrahedral meshes from files: which format it is, its reader, the check; and the writer of Gmsh's 2.2.
#include "model/tet/tet_mesh.h"

#include <locale.h>
#include <string.h>

#include "base/whole_file.h"
#include "model/tet/tet_source.h"

static const size_t most = (size_t)1 << 30;

ChStatus ch_tet_mesh_parse(ChContext* context, ChArena* arena, const char* path, const char* text, size_t size,
                           ChTetMesh* out) {
  *out = (ChTetMesh){0};
  if (size > most) return ch_fail(context, CH_ERR_SIZE, "%s: has %zu bytes, at most %zu are read", path, size, most);
  locale_t c_locale = newlocale(LC_NUMERIC_MASK, "C", (locale_t)0);
  if (!c_locale) return ch_fail(context, CH_ERR_MEMORY, "%s: out of memory", path);
  ch_arena_defer(arena, (void (*)(void*))freelocale, c_locale);
  ChTetSource source = {.scan = {context, path, text, text, text + size, arena, c_locale, CH_OK}};
  ch_scan_accept(&source.scan, "\xef\xbb\xbf");  // a mark of UTF-8, which some editors put before a text
  ch_scan_space(&source.scan);
  bool gmsh = *source.scan.at == '$', vtk = *source.scan.at == '#';
  if (*source.scan.at == '<')
    return ch_fail(context, CH_ERR_FORMAT,
                   "%s: is XML; only legacy VTK files are read: save it as .vtk (meshio, ParaView)", path);
  if (!gmsh && !vtk)
    return ch_fail(context, CH_ERR_FORMAT, "%s: is neither Gmsh's .msh ($MeshFormat) nor VTK's .vtk (# vtk DataFile)",
                   path);
  ChStatus status = (gmsh ? ch_tet_gmsh_parse : ch_tet_vtk_parse)(&source, out);
  return status == CH_OK ? ch_tet_mesh_check(context, arena, path, out) : status;
}

ChStatus ch_tet_mesh_read(ChContext* context, ChArena* arena, const char* file, ChTetMesh* out) {
  ChWholeFile whole;
  *out = (ChTetMesh){0};
  ChStatus status = ch_whole_file_read_at_most(context, file, true, most, arena, &whole);
  return status == CH_OK ? ch_tet_mesh_parse(context, arena, file, whole.text, whole.size, out) : status;
}

// -------------------------------------------------------------------------------------------------------------- writer

static void put_gmsh(FILE* file, const void* state) {
  const ChTetMesh* mesh = state;
  fprintf(file, "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n%d\n", mesh->vertex_count);
  for (int k = 0; k < mesh->vertex_count; ++k)
    fprintf(file, "%d %.17g %.17g %.17g\n", k + 1, mesh->vertices[k].x, mesh->vertices[k].y, mesh->vertices[k].z);
  fprintf(file, "$EndNodes\n$Elements\n%d\n", mesh->tet_count);
  for (int k = 0; k < mesh->tet_count; ++k) {
    const int* c = mesh->tets + 4L * k;
    fprintf(file, "%d 4 2 1 1 %d %d %d %d\n", k + 1, c[0] + 1, c[1] + 1, c[2] + 1, c[3] + 1);
  }
  fprintf(file, "$EndElements\n");
}

ChStatus ch_tet_mesh_write(ChContext* context, const char* file, const ChTetMesh* mesh) {
  return ch_whole_file_print(context, file, put_gmsh, mesh);
}
