// Files of tetrahedral meshes: every format tells the same body, what is written is read back, what is wrong is refused
// with a message that says where.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "model/tet/tet_measure.h"
#include "model/tet/tet_mesh.h"
#include "model/tet/tet_shapes.h"
#include "support/arena_rig.h"
#include "support/near.h"
#include "support/tet_files.h"

static ChStatus parse(const char* text, size_t size, ChTetMesh* out) {
  char* copy = malloc(size + 1);  // exactly as long as the text, so that a sanitizer sees a read beyond it
  memcpy(copy, text, size);
  copy[size] = '\0';
  ChStatus status = ch_tet_mesh_parse(&context, arena, "file", copy, size, out);
  free(copy);
  return status;
}

static void assert_same(const ChTetMesh* a, const ChTetMesh* b) {
  assert_int_equal(a->vertex_count, b->vertex_count);
  assert_int_equal(a->tet_count, b->tet_count);
  assert_memory_equal(a->vertices, b->vertices, (size_t)a->vertex_count * sizeof *a->vertices);
  assert_memory_equal(a->tets, b->tets, 4 * (size_t)a->tet_count * sizeof *a->tets);
}

static ChTetMesh block(void) {
  ChTetMesh mesh;
  ChTetShapeDef def = {.shape = "block", .cells = {3, 2, 2}, .size = {0.3, 0.1, 0.7}};  // thirds are no short decimals
  CHECK_OK(context, ch_tet_shape_make(&context, arena, &def, &mesh));
  return mesh;
}

static void every_format_tells_the_same_mesh(void** state) {
  (void)state;
  ChTetMesh mesh = block();
  for (int format = 0; format < CH_TET_FORMATS; ++format) {
    size_t size;
    char* text = ch_tet_file_print(&mesh, format, &size);
    ChTetMesh back;
    if (parse(text, size, &back) != CH_OK) fail_msg("format %d: %s", format, context.message);
    assert_same(&mesh, &back);
    free(text);
  }
}

static void what_is_written_is_read_back(void** state) {
  (void)state;
  char file[] = "/tmp/tet_file_XXXXXX";
  int handle = mkstemp(file);
  assert_true(handle >= 0);
  close(handle);
  ChTetMesh mesh = block(), back;
  CHECK_OK(context, ch_tet_mesh_write(&context, file, &mesh));
  CHECK_OK(context, ch_tet_mesh_read(&context, arena, file, &back));
  assert_same(&mesh, &back);
  remove(file);
  assert_int_not_equal(ch_tet_mesh_read(&context, arena, file, &back), CH_OK);
}

// Every beginning of a file is refused, or tells the whole mesh already; no byte beyond it is read.
static void truncated_files_are_refused(void** state) {
  (void)state;
  ChTetMesh mesh = block();
  for (int format = 0; format < CH_TET_FORMATS; ++format) {
    size_t size;
    char* text = ch_tet_file_print(&mesh, format, &size);
    for (size_t cut = 0; cut + 24 < size; cut += 7) {  // up to the last line
      ChTetMesh back;
      context = (ChContext){0};
      if (parse(text, cut, &back) == CH_OK) fail_msg("format %d is read from %zu of %zu bytes", format, cut, size);
      assert_true(context.message[0] != '\0');
    }
    free(text);
  }
}

// ----------------------------------------------------------------------------------------------------------- bad files

#define GMSH_2 "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n"
#define GMSH_4 "$MeshFormat\n4.1 0 8\n$EndMeshFormat\n"
#define NODES "$Nodes\n4\n1 0 0 0\n2 1 0 0\n3 0 1 0\n7 0 0 1\n$EndNodes\n"
#define VTK "# vtk DataFile Version 3.0\nx\nASCII\nDATASET UNSTRUCTURED_GRID\n"
#define POINTS "POINTS 4 float\n0 0 0 1 0 0 0 1 0 0 0 1\n"

static const char* const good[] = {
    GMSH_2 NODES "$Elements\n2\n1 2 2 0 0 1 2 3\n2 4 0 1 2 3 7\n$EndElements\n",
    "\xef\xbb\xbf" GMSH_2 NODES "$Elements\n1\n1 4 0 1 2 3 7\n$EndElements\n",  // with a mark of UTF-8
    GMSH_2 "$Comments\n$Nodes\n$EndComments\n" NODES "$Elements\n1\n1 4 2 0 0 1 2 7 3\n$EndElements\n",  // inverted
    GMSH_2 NODES "$Elements\n1\n1 11 0 1 2 3 7 900 901 902 903 904 905\n$EndElements\n",                 // quadratic
    GMSH_2 NODES "$Elements\n1\n1 71 0 1 2 3 7 and so on\n$EndElements\n",                               // sixth order
    GMSH_2 NODES "$Elements\n2\n1 137 0 1 2 3 7\n2 50 0 1 2 3 7\n$EndElements\n",
    GMSH_4
    "$Nodes\n2 4 1 7\n2 1 1 1\n1\n0 0 0 0.5 0.5\n3 1 0 3\n2\n3\n7\n1 0 0\n0 1 0\n0 0 1\n$EndNodes\n"
    "$Elements\n1 1 1 1\n3 1 4 1\n1 1 2 3 7\n$EndElements\n",
    VTK POINTS "CELLS 2 9\n3 0 1 2\n4 0 1 2 3\nCELL_TYPES 2\n5\n10\nPOINT_DATA 4\nanything\n",
    "# vtk DataFile Version 5.1\nx\nASCII\nDATASET UNSTRUCTURED_GRID\n" POINTS
    "METADATA\nINFORMATION 0\n\nCELLS 2 4\nOFFSETS vtktypeint64\n0 4\nCONNECTIVITY vtktypeint64\n0 1 2 3\nCELL_TYPES "
    "1\n10\n",
};

#define ONE_ELEMENT(type) GMSH_2 NODES "$Elements\n2\n1 4 0 1 2 3 7\n2 " type " 0 1 2 3 7\n$EndElements\n"

static const struct {
  const char *text, *why;
} bad[] = {
    {"", "neither Gmsh's"},
    {"v 0 0 0\n", "neither Gmsh's"},
    {"$MeshForm\n", "expected '$MeshFormat'"},
    {"$MeshFormat\n4 0 8\n$EndMeshFormat\n", "2.2 and 4.1 are read"},
    {"$MeshFormat\n1.0 0 8\n$EndMeshFormat\n", "2.2 and 4.1 are read"},
    {"$NOD\n4\n1 0 0 0\n", "file:1:1: the mesh is of version 1; 2.2 and 4.1 are read"},
    {"<?xml version=\"1.0\"?>\n<VTKFile type=\"UnstructuredGrid\">\n", "is XML; only legacy VTK files are read"},
    {"# vtk DataFile Version 9.0\nx\nASCII\n", "file:1:24: the file is of version 9; 1 to 5.1 are read"},
    {"# vtk DataFile Version nan\nx\nASCII\n", "file:1:24: version is nan"},
    {"$MeshFormat\n2.2 2 8\n$EndMeshFormat\n", "file type is 2"},
    {"$MeshFormat\n2.2 0 4\n$EndMeshFormat\n", "data size is 4"},
    {GMSH_2, "no section $Nodes"},
    {GMSH_2 "word\n", "expected a section"},
    {GMSH_2 "$Open\n1 2 3\n", "not closed by '$EndOpen'"},
    {GMSH_2 NODES, "holds no tetrahedra"},
    {GMSH_2 NODES NODES, "second section of nodes"},
    {GMSH_2 NODES "$Elements\n1\n1 2 2 0 0 1 2 3\n$EndElements\n", "fill the surface"},
    {GMSH_2 NODES "$Elements\n1\n1 5 0 1 2 3 7 1 2 3 7\n$EndElements\n", "convert them to"},
    {ONE_ELEMENT("92"), "1 solid cells that are not tetrahedra"},   // third order, as Gmsh writes it
    {ONE_ELEMENT("125"), "1 solid cells that are not tetrahedra"},  // with fewer nodes
    {ONE_ELEMENT("34"), "file:14:3: type of an element is 34, which is not a known type; a tetrahedron is 4"},
    {ONE_ELEMENT("9999"), "file:14:3: type of an element is 9999, which is not a known type"},
    {GMSH_4 "$Nodes\n1 1 1 1\n3 1 0 1\n1\n0 0 0\n$EndNodes\n$Elements\n1 1 1 1\n3 1 140 1\n1 1 1 1 1\n$EndElements\n",
     "file:12:5: type of elements is 140, which is not a known type"},
    {GMSH_2 NODES "$Elements\n1\n1 4 0 1 2 3 4\n$EndElements\n",
     "file:13:7: tetrahedron 1 of 1 names node 4, which is not there"},
    {GMSH_2 NODES "$Elements\n1\n1 4 0 1 2 3 0\n$EndElements\n", "file:13:13: node of a tetrahedron is 0"},
    {GMSH_2 NODES "$Elements\n1\n1 4 0 1 2 3 x\n$EndElements\n", "expected an integer, found 'x'"},
    {GMSH_2 NODES "$Elements\n1\n1 4 0 1 2 3 3\n$EndElements\n", "is flat"},
    {GMSH_2 NODES "$Elements\n2\n1 4 0 1 2 3 7\n", "tag of an element: expected an integer"},
    {GMSH_2 NODES "$Elements\n1\n1 4 0 1 2 3 7\n2 4 0 1 2 3 7\n$EndElements\n", "expected '$EndElements'"},
    {GMSH_2 NODES "$Elements\n1\n1 4 99999999 1 2 3 7\n$EndElements\n", "needs 99999999 more numbers"},
    {GMSH_2 "$Nodes\n4\n1 0 0 0\n2 1 0 0\n2 0 1 0\n7 0 0 1\n$EndNodes\n$Elements\n1\n1 4 0 1 2 2 7\n$EndElements\n",
     "file:8:1: two nodes have the tag 2, this one"},
    {VTK "POINTS 8 float\n0 0 0 1 0 0 0 1 0 0 0 1\n0 0 0 1 0 0 0 -1 0 0 0 1\n"
         "CELLS 2 10\n4 0 1 2 3\n4 4 5 7 6\nCELL_TYPES 2\n10 10\n",
     "the mesh falls into 2 pieces, and 3 of its 8 nodes coincide with another node; merge those"},
    {GMSH_2 "$Nodes\n1\n1 0 nan 0\n$EndNodes\n", "must be finite"},
    {GMSH_2 "$Nodes\n1\n1 0 1e999 0\n$EndNodes\n", "must be finite"},
    {GMSH_2 "$Nodes\n1\n1 0 -1e99 0\n$EndNodes\n", "file:6:5: coordinate of a node is -1e+99, must be at most 1e+50"},
    {VTK "POINTS 4 float\n0 0 0 1 0 0 0 1 0 0 0 2e50\n", "file:6:23: coordinate of a point is 2e+50, must be at most"},
    {GMSH_2 "$Nodes\n1000000000\n1 0 0 0\n$EndNodes\n",
     "file:5:1: number of nodes is 1000000000, but only 19 bytes follow"},
    {GMSH_2 "$Nodes\n-1\n", "number of nodes is -1, must be 1 or more"},
    {GMSH_4 "$Nodes\n1 4 1 7\n3 1 0 3\n1\n2\n3\n0 0 0\n1 0 0\n0 1 0\n$EndNodes\n",
     "hold 3 nodes, but 4 were announced"},
    {GMSH_4 "$Nodes\n1 3 1 7\n3 1 0 4\n1\n2\n3\n0 0 0\n1 0 0\n0 1 0\n$EndNodes\n", "nodes in a block is 4"},
    {"# vtk DataFile Version 3.0\nx\nASCII\nDATASET POLYDATA\n", "must be an UNSTRUCTURED_GRID"},
    {"# vtk DataFile Version 3.0\nx\nTEXT\n", "expected ASCII or BINARY"},
    {VTK, "has no POINTS"},
    {VTK POINTS, "has no CELLS"},
    {VTK POINTS "CELLS 1 5\n4 0 1 2 3\n", "has no CELL_TYPES"},
    {VTK POINTS "CELLS 1 5\n4 0 1 2 3\nCELL_TYPES 2\n10 10\n", "has 1 cells, but 2 types"},
    {VTK POINTS "CELLS 1 5\n4 0 1 2 4\nCELL_TYPES 1\n10\n", "file:8:9: point of a cell is 4, must be 0 to 3"},
    {VTK POINTS "CELLS 1 5\n4 -1 1 2 3\nCELL_TYPES 1\n10\n", "file:8:3: point of a cell is -1, must be 0 to 3"},
    {VTK "CELLS 1 5\n4 0 1 2 4\n" POINTS "CELL_TYPES 1\n10\n", "names vertex 4, must be 0 to 3"},
    {VTK POINTS "CELLS 9223372036854775808 5\n", "number of cells is 9223372036854775808, which is too large"},
    {VTK POINTS "CELLS 2147483648 5\n4 0", "file:7:7: number of cells is 2147483648, but only"},
    {VTK POINTS "CELLS 1 5\n5 0 1 2 3\nCELL_TYPES 1\n10\n", "points of a cell is 5"},
    {VTK POINTS "CELLS 1 4\n3 0 1 2\nCELL_TYPES 1\n10\n", "a tetrahedron of 3 points"},
    {VTK POINTS "CELLS 1 4\n3 0 1 2\nCELL_TYPES 1\n5\n", "fill the surface"},
    {VTK POINTS "CELLS 1 5\n4 0 1 2 3\nCELL_TYPES 1\n14\n", "convert them to"},
    {VTK POINTS "CELLS 2 10\n4 0 1 2 3\n4 0 1 2 3\nCELL_TYPES 2\n10\n99\n",
     "file:12:1: type of a cell is 99, which is not a known type; a tetrahedron is 10"},
    {VTK POINTS "CELLS 3 2\n4 0 1 2 3\nCELL_TYPES 1\n10\n", "do not describe 3 cells"},
    {VTK "POINTS 4 bit\n", "expected a type of numbers"},
    {VTK "POINTS 4 short\n", "must be float or double"},
    {VTK "POINTS 4 float\n0 0 0 1 0 0 0 1 0 0 0 inf\n", "must be finite"},
    {VTK "LINES 3\n", "expected POINTS, CELLS or CELL_TYPES"},
};

static void files_in_their_variants_are_read(void** state) {
  (void)state;
  for (size_t k = 0; k < sizeof good / sizeof *good; ++k) {
    ChTetMesh mesh;
    if (parse(good[k], strlen(good[k]), &mesh) != CH_OK) fail_msg("file %zu: %s", k, context.message);
    assert_int_equal(mesh.tet_count, 1);
    CHECK_NEAR(ch_tet_volume(&mesh, 0), 1.0 / 6.0, 1e-15);
  }
}

static void bad_files_are_refused_with_the_reason(void** state) {
  (void)state;
  for (size_t k = 0; k < sizeof bad / sizeof *bad; ++k) {
    ChTetMesh mesh;
    context = (ChContext){0};
    if (parse(bad[k].text, strlen(bad[k].text), &mesh) == CH_OK) fail_msg("bad file %zu is read", k);
    if (!strstr(context.message, bad[k].why))
      fail_msg("bad file %zu: '%s' does not say '%s'", k, context.message, bad[k].why);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(every_format_tells_the_same_mesh, open_arena, close_arena),
      cmocka_unit_test_setup_teardown(what_is_written_is_read_back, open_arena, close_arena),
      cmocka_unit_test_setup_teardown(truncated_files_are_refused, open_arena, close_arena),
      cmocka_unit_test_setup_teardown(files_in_their_variants_are_read, open_arena, close_arena),
      cmocka_unit_test_setup_teardown(bad_files_are_refused_with_the_reason, open_arena, close_arena),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
