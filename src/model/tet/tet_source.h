// Numbers of a mesh file that are either text or bytes: one way of asking for both.
//
// As in base/text_scan.h the first failure sticks, later calls return zero, and no count is believed before the rest of
// the file is seen to be long enough for it. Places in text are lines and columns, places among bytes are counted from
// the start of the file.
#ifndef CH_MODEL_TET_TET_SOURCE_H
#define CH_MODEL_TET_TET_SOURCE_H

#include "base/text_scan.h"
#include "model/tet/tet_mesh.h"

typedef struct ChTetSource {
  ChScan scan;
  bool binary;  // what follows is bytes
  bool big_endian;
} ChTetSource;

void ch_tet_source_fail(ChTetSource* source, ChStatus status, const char* format, ...)
    __attribute__((format(printf, 3, 4)));
// The same of a place that has been passed: an offset from the start of the file.
void ch_tet_source_fail_at(ChTetSource* source, ChStatus status, long place, const char* format, ...)
    __attribute__((format(printf, 4, 5)));
long ch_tet_source_place(ChTetSource* source);  // of the number that comes next
bool ch_tet_source_ok(const ChTetSource* source);

// Whether `count` numbers of `bytes` bytes each can follow.
bool ch_tet_source_expect(ChTetSource* source, double count, int bytes, const char* what);
void ch_tet_source_skip(ChTetSource* source, double count, int bytes, const char* what);

long ch_tet_source_int(ChTetSource* source, int bytes, const char* what, long lowest, long highest);  // 1, 4 or 8
// A number of things that follow, each of a byte or more: at least `lowest`, and not more than the file has room for.
long ch_tet_source_count(ChTetSource* source, int bytes, const char* what, long lowest);
double ch_tet_source_real(ChTetSource* source, int bytes, const char* what);  // 4 or 8
ChVec3 ch_tet_source_point(ChTetSource* source, int bytes, const char* what);

// Skips the rest of the line and what ends it; bytes that follow start right there.
void ch_tet_source_line(ChTetSource* source);

// Formats: nodes and tetrahedra as they stand in the file.
ChStatus ch_tet_gmsh_parse(ChTetSource* source, ChTetMesh* out);
ChStatus ch_tet_vtk_parse(ChTetSource* source, ChTetMesh* out);

// A mesh without tetrahedra, or with solid cells that are none, is refused in the same words whatever its format.
ChStatus ch_tet_cells_check(ChTetSource* source, long tets, long other_solids, long others);

#endif
