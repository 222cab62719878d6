// VTK's legacy files with DATASET UNSTRUCTURED_GRID, text and binary (which is big-endian): POINTS, CELLS, CELL_TYPES.
//
// Up to version 4 CELLS holds for each cell the number of its points and the points; since version 5 it holds OFFSETS
// and CONNECTIVITY. Corners come first in a cell of any order. What follows the cells is not read.
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "model/tet/tet_source.h"

typedef struct Vtk {
  ChTetSource* source;
  bool binary;
  double version;
  long point_count, cell_count, type_count, index_count;
  ChVec3* points;
  int64_t* offsets;  // cell_count + 1
  int* indices;
  unsigned char* types;
} Vtk;

// Numbers of vtkCellType.h. What is in none of these lists is not known, and might be a part of the solid.
static bool is_tet(int type) {
  static const unsigned char tets[] = {10, 24, 64, 71, 78};
  return memchr(tets, type, sizeof tets) != NULL;
}
static bool is_other_solid(int type) {
  static const unsigned char solids[] = {11, 12, 13, 14, 15, 16, 25, 26, 27, 29, 31, 32, 33, 37,
                                         41, 42, 55, 56, 65, 66, 67, 72, 73, 74, 79, 80, 81};
  return memchr(solids, type, sizeof solids) != NULL;
}
static bool is_flat(int type) {  // points, lines and surfaces
  static const unsigned char flats[] = {21, 22, 23, 28, 30, 34, 35, 36, 51, 52, 53,
                                        54, 60, 61, 62, 63, 68, 69, 70, 75, 76, 77};
  return type <= 9 || memchr(flats, type, sizeof flats) != NULL;
}

// ------------------------------------------------------------------------------------------------------------- numbers

// Bytes of a number of the type that stands next; 0, with a failure, for an unknown one.
static int read_type(Vtk* v) {
  static const struct {
    const char* name;
    int bytes;
  } types[] = {{"unsigned_char", 1}, {"char", 1},        {"unsigned_short", 2}, {"short", 2},
               {"unsigned_int", 4},  {"int", 4},         {"unsigned_long", 8},  {"long", 8},
               {"float", 4},         {"double", 8},      {"vtktypeint64", 8},   {"vtktypeuint64", 8},
               {"vtkIdType", 4},     {"vtktypeint32", 4}};
  for (size_t k = 0; k < sizeof types / sizeof *types; ++k)
    if (ch_scan_accept(&v->source->scan, types[k].name)) {
      ch_tet_source_line(v->source);
      return types[k].bytes;
    }
  ch_tet_source_fail(v->source, CH_ERR_FORMAT, "expected a type of numbers, such as float or double");
  return 0;
}

// Numbers follow, in text or bytes as the file's head said; words are always text.
static void numbers_begin(Vtk* v) { v->source->binary = v->binary; }
static void numbers_end(Vtk* v) { v->source->binary = false; }

// ------------------------------------------------------------------------------------------------------------ sections

static void read_points(Vtk* v) {
  ChTetSource* source = v->source;
  v->point_count = ch_tet_source_count(source, 0, "number of points", 1);
  int bytes = read_type(v);
  if (ch_tet_source_ok(source) && bytes != 4 && bytes != 8)
    ch_tet_source_fail(source, CH_ERR_FORMAT, "points must be float or double");
  numbers_begin(v);
  if (ch_tet_source_expect(source, 3.0 * (double)v->point_count, bytes, "POINTS")) {
    v->points = CH_TAKE_RAW(source->scan.arena, v->point_count, ChVec3);
    for (long k = 0; k < v->point_count && ch_tet_source_ok(source); ++k)
      v->points[k] = ch_tet_source_point(source, bytes, "coordinate of a point");
  }
  numbers_end(v);
}

static bool take_cells(Vtk* v, long cells, long indices, double numbers, int bytes) {
  if (!ch_tet_source_expect(v->source, numbers, bytes, "CELLS")) return false;
  v->cell_count = cells, v->index_count = indices;
  v->offsets = CH_TAKE(v->source->scan.arena, cells + 1, int64_t);
  v->indices = CH_TAKE(v->source->scan.arena, indices + 1, int);
  return true;
}

// Points stand before the cells, as a rule; where they do not, indices beyond them are found with the mesh.
static int read_index(Vtk* v, int bytes) {
  long highest = v->points ? v->point_count - 1 : INT32_MAX;
  return (int)ch_tet_source_int(v->source, bytes, "point of a cell", 0, highest);
}

// n, i1 .. in, for every cell; `size` numbers in all.
static void read_cells_4(Vtk* v, long cells, long size) {
  ChTetSource* source = v->source;
  if (size < cells)
    ch_tet_source_fail(source, CH_ERR_RANGE, "CELLS: %ld numbers do not describe %ld cells", size, cells);
  ch_tet_source_line(source);
  numbers_begin(v);
  if (take_cells(v, cells, size - cells, (double)size, 4))
    for (long k = 0; k < cells && ch_tet_source_ok(source); ++k) {
      int64_t at = v->offsets[k];
      long corners = ch_tet_source_int(source, 4, "points of a cell", 0, v->index_count - at);
      for (long c = 0; c < corners && ch_tet_source_ok(source); ++c) v->indices[at + c] = read_index(v, 4);
      v->offsets[k + 1] = at + corners;
    }
  numbers_end(v);
}

static void read_cells_5(Vtk* v, long offsets, long indices) {
  ChTetSource* source = v->source;
  ch_scan_word(&source->scan, "OFFSETS");
  int bytes = read_type(v);
  if (ch_tet_source_ok(source) && bytes != 4 && bytes != 8)
    ch_tet_source_fail(source, CH_ERR_FORMAT, "offsets must be vtktypeint64, long or int");
  numbers_begin(v);
  if (take_cells(v, offsets > 0 ? offsets - 1 : 0, indices, (double)offsets + (double)indices, v->binary ? bytes : 1))
    for (long k = 0; k < offsets && ch_tet_source_ok(source); ++k)
      v->offsets[k] = ch_tet_source_int(source, bytes, "offset of a cell", k ? v->offsets[k - 1] : 0, k ? indices : 0);
  numbers_end(v);
  ch_scan_word(&source->scan, "CONNECTIVITY");
  bytes = read_type(v);
  numbers_begin(v);
  for (long k = 0; k < indices && ch_tet_source_ok(source); ++k) v->indices[k] = read_index(v, bytes);
  numbers_end(v);
}

static void read_cells(Vtk* v) {
  ChTetSource* source = v->source;
  long first = ch_tet_source_count(source, 0, "number of cells", 0);
  long second = ch_tet_source_count(source, 0, "size of the cells", 0);
  (v->version < 5.0 ? read_cells_4 : read_cells_5)(v, first, second);
}

static unsigned char read_cell_type(ChTetSource* source) {
  long place = ch_tet_source_place(source), type = ch_tet_source_int(source, 4, "type of a cell", 0, INT32_MAX);
  bool known = type <= UINT8_MAX && (is_tet((int)type) || is_other_solid((int)type) || is_flat((int)type));
  if (ch_tet_source_ok(source) && !known)
    ch_tet_source_fail_at(source, CH_ERR_FORMAT, place,
                          "type of a cell is %ld, which is not a known type; a tetrahedron is 10 (curved: 24, 71)",
                          type);
  return (unsigned char)type;
}

static void read_types(Vtk* v) {
  ChTetSource* source = v->source;
  v->type_count = ch_tet_source_count(source, 0, "number of cell types", 0);
  ch_tet_source_line(source);
  numbers_begin(v);
  if (ch_tet_source_expect(source, (double)v->type_count, 4, "CELL_TYPES")) {
    v->types = CH_TAKE(source->scan.arena, v->type_count + 1, unsigned char);
    for (long k = 0; k < v->type_count && ch_tet_source_ok(source); ++k) v->types[k] = read_cell_type(source);
  }
  numbers_end(v);
}

// FIELD name n, and n times: name, components, tuples, type, numbers.
static void skip_field(Vtk* v) {
  ChTetSource* source = v->source;
  ch_tet_source_skip(source, 1.0, 1, "name of a field");
  long arrays = ch_tet_source_count(source, 0, "arrays of a field", 0);
  for (long k = 0; k < arrays && ch_tet_source_ok(source); ++k) {
    ch_tet_source_skip(source, 1.0, 1, "name of an array");
    double components = (double)ch_tet_source_count(source, 0, "components of an array", 0);
    double tuples = (double)ch_tet_source_count(source, 0, "tuples of an array", 0);
    int bytes = read_type(v);
    numbers_begin(v);
    ch_tet_source_skip(source, components * tuples, bytes, "an array");
    numbers_end(v);
  }
}

// METADATA ends with an empty line.
static void skip_metadata(Vtk* v) {
  ChScan* scan = &v->source->scan;
  const char* blank = memmem(scan->at, (size_t)(scan->end - scan->at), "\n\n", 2);
  scan->at = blank ? blank + 2 : scan->end;
}

// False at the end of what is read.
static bool read_section(Vtk* v) {
  ChScan* scan = &v->source->scan;
  ch_scan_space(scan);
  if (scan->status != CH_OK || scan->at == scan->end || (v->points && v->offsets && v->types)) return false;
  if (ch_scan_accept(scan, "POINTS"))
    read_points(v);
  else if (ch_scan_accept(scan, "CELLS"))
    read_cells(v);
  else if (ch_scan_accept(scan, "CELL_TYPES"))
    read_types(v);
  else if (ch_scan_accept(scan, "FIELD"))
    skip_field(v);
  else if (ch_scan_accept(scan, "METADATA"))
    skip_metadata(v);
  else
    ch_tet_source_fail(v->source, CH_ERR_FORMAT, "expected POINTS, CELLS or CELL_TYPES");
  return scan->status == CH_OK;
}

// ---------------------------------------------------------------------------------------------------------------- mesh

static ChStatus pick_tets(Vtk* v, ChTetMesh* out) {
  ChScan* scan = &v->source->scan;
  long tets = 0, solids = 0;
  for (long k = 0; k < v->cell_count; ++k) tets += is_tet(v->types[k]), solids += is_other_solid(v->types[k]);
  ChStatus status = ch_tet_cells_check(v->source, tets, solids, v->cell_count - tets - solids);
  if (status != CH_OK) return status;
  *out = (ChTetMesh){(int)v->point_count, 0, v->points, CH_TAKE_RAW(scan->arena, 4 * (size_t)tets, int)};
  for (long k = 0; k < v->cell_count; ++k) {
    if (!is_tet(v->types[k])) continue;
    int64_t corners = v->offsets[k + 1] - v->offsets[k];
    if (corners < 4)
      return ch_fail(scan->context, CH_ERR_FORMAT, "%s: cell %ld is a tetrahedron of %ld points, must have 4 or more",
                     scan->path, k, (long)corners);
    memcpy(out->tets + 4L * out->tet_count++, v->indices + v->offsets[k], 4 * sizeof(int));
  }
  return CH_OK;
}

static void read_head(Vtk* v) {
  ChTetSource* source = v->source;
  ChScan* scan = &source->scan;
  ch_scan_word(scan, "# vtk DataFile Version");
  long place = ch_tet_source_place(source);
  v->version = ch_scan_real(scan, "version");
  if (ch_tet_source_ok(source) && !(v->version >= 1.0 && v->version <= 5.1))
    ch_tet_source_fail_at(source, CH_ERR_FORMAT, place,
                          "the file is of version %g; 1 to 5.1 are read: save it as legacy VTK 4.2 or 5.1", v->version);
  ch_tet_source_line(source);
  ch_tet_source_line(source);  // a title
  v->binary = ch_scan_accept(scan, "BINARY");
  if (!v->binary && !ch_scan_accept(scan, "ASCII"))
    ch_tet_source_fail(source, CH_ERR_FORMAT, "expected ASCII or BINARY");
  ch_scan_word(scan, "DATASET");
  if (ch_tet_source_ok(source) && !ch_scan_accept(scan, "UNSTRUCTURED_GRID"))
    ch_tet_source_fail(source, CH_ERR_FORMAT, "the data set must be an UNSTRUCTURED_GRID: only that holds tetrahedra");
  source->big_endian = true;
}

ChStatus ch_tet_vtk_parse(ChTetSource* source, ChTetMesh* out) {
  Vtk v = {.source = source};
  read_head(&v);
  while (read_section(&v)) {
  }
  ChScan* scan = &source->scan;
  if (scan->status != CH_OK) return scan->status;
  if (!v.points || !v.offsets || !v.types)
    return ch_fail(scan->context, CH_ERR_FORMAT, "%s: has no %s", scan->path,
                   !v.points    ? "POINTS"
                   : !v.offsets ? "CELLS"
                                : "CELL_TYPES");
  if (v.type_count != v.cell_count)
    return ch_fail(scan->context, CH_ERR_FORMAT, "%s: has %ld cells, but %ld types of cells", scan->path, v.cell_count,
                   v.type_count);
  return pick_tets(&v, out);
}
