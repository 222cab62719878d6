// Numbers of a mesh file, text or bytes: see tet_source.h.
#include "model/tet/tet_source.h"

#include <limits.h>
#include <math.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

static void fail_at(ChTetSource* source, ChStatus status, const char* where, const char* format, va_list arguments) {
  ChScan* scan = &source->scan;
  if (scan->status != CH_OK) return;
  char text[CH_MESSAGE_SIZE];
  vsnprintf(text, sizeof text, format, arguments);
  if (!source->binary)
    ch_scan_fail(scan, status, where, "%s", text);
  else
    scan->status = ch_fail(scan->context, status, "%s: byte %ld: %s", scan->path, (long)(where - scan->begin), text);
}

void ch_tet_source_fail(ChTetSource* source, ChStatus status, const char* format, ...) {
  va_list arguments;
  va_start(arguments, format);
  fail_at(source, status, source->scan.at, format, arguments);
  va_end(arguments);
}

void ch_tet_source_fail_at(ChTetSource* source, ChStatus status, long place, const char* format, ...) {
  va_list arguments;
  va_start(arguments, format);
  fail_at(source, status, source->scan.begin + place, format, arguments);
  va_end(arguments);
}

long ch_tet_source_place(ChTetSource* source) {
  if (!source->binary) ch_scan_space(&source->scan);
  return (long)(source->scan.at - source->scan.begin);
}

bool ch_tet_source_ok(const ChTetSource* source) { return source->scan.status == CH_OK; }

bool ch_tet_source_expect(ChTetSource* source, double count, int bytes, const char* what) {
  if (!source->binary) return ch_scan_expect(&source->scan, count, what);
  if (!ch_tet_source_ok(source)) return false;
  long left = (long)(source->scan.end - source->scan.at);
  if (count * bytes <= (double)left) return true;
  ch_tet_source_fail(source, CH_ERR_SIZE, "%s needs %.0f more bytes, but only %ld follow", what, count * bytes, left);
  return false;
}

void ch_tet_source_skip(ChTetSource* source, double count, int bytes, const char* what) {
  if (!ch_tet_source_expect(source, count, bytes, what)) return;
  if (source->binary) {
    source->scan.at += (long)count * bytes;
    return;
  }
  for (double k = 0; k < count && ch_tet_source_ok(source); ++k) {
    ch_scan_space(&source->scan);
    if (source->scan.at == source->scan.end) ch_tet_source_fail(source, CH_ERR_SIZE, "%s: the file ends", what);
    while (source->scan.at < source->scan.end && (unsigned char)*source->scan.at > ' ') ++source->scan.at;
  }
}

static bool take_bits(ChTetSource* source, int bytes, const char* what, uint64_t* bits) {
  *bits = 0;
  if (!ch_tet_source_expect(source, 1.0, bytes, what)) return false;
  for (int k = 0; k < bytes; ++k) {
    int place = source->big_endian ? bytes - 1 - k : k;
    *bits |= (uint64_t)(unsigned char)source->scan.at[k] << 8 * place;
  }
  source->scan.at += bytes;
  return true;
}

long ch_tet_source_int(ChTetSource* source, int bytes, const char* what, long lowest, long highest) {
  if (!source->binary) return ch_scan_int(&source->scan, what, lowest, highest);
  uint64_t bits;
  if (!take_bits(source, bytes, what, &bits)) return 0;
  long value = bytes == 4 ? (long)(int32_t)(uint32_t)bits : (long)(int64_t)bits;
  if (value >= lowest && value <= highest) return value;
  source->scan.at -= bytes;
  if (highest == LONG_MAX)
    ch_tet_source_fail(source, CH_ERR_RANGE, "%s is %ld, must be %ld or more", what, value, lowest);
  else
    ch_tet_source_fail(source, CH_ERR_RANGE, "%s is %ld, must be %ld to %ld", what, value, lowest, highest);
  return 0;
}

long ch_tet_source_count(ChTetSource* source, int bytes, const char* what, long lowest) {
  long place = ch_tet_source_place(source), count = ch_tet_source_int(source, bytes, what, lowest, LONG_MAX);
  long left = (long)(source->scan.end - source->scan.at);
  if (!ch_tet_source_ok(source) || count <= left) return count;
  ch_tet_source_fail_at(source, CH_ERR_SIZE, place, "%s is %ld, but only %ld bytes follow", what, count, left);
  return 0;
}

double ch_tet_source_real(ChTetSource* source, int bytes, const char* what) {
  if (!source->binary) return ch_scan_real(&source->scan, what);
  uint64_t bits;
  if (!take_bits(source, bytes, what, &bits)) return 0.0;
  uint32_t half = (uint32_t)bits;
  float single;
  double value;
  memcpy(&value, &bits, sizeof value);
  memcpy(&single, &half, sizeof single);
  if (bytes == 4) value = (double)single;
  if (isfinite(value)) return value;
  source->scan.at -= bytes;
  ch_tet_source_fail(source, CH_ERR_RANGE, "%s is %g, must be finite", what, value);
  return 0.0;
}

static double read_coordinate(ChTetSource* source, int bytes, const char* what) {
  long place = ch_tet_source_place(source);
  double value = ch_tet_source_real(source, bytes, what);
  if (ch_tet_source_ok(source) && !(fabs(value) <= CH_TET_COORDINATE_MOST))
    ch_tet_source_fail_at(source, CH_ERR_RANGE, place, "%s is %g, must be at most %g in size", what, value,
                          CH_TET_COORDINATE_MOST);
  return value;
}

ChVec3 ch_tet_source_point(ChTetSource* source, int bytes, const char* what) {
  double x = read_coordinate(source, bytes, what), y = read_coordinate(source, bytes, what);
  return ch_vec(x, y, read_coordinate(source, bytes, what));
}

void ch_tet_source_line(ChTetSource* source) {
  ch_scan_line(&source->scan);
  if (ch_tet_source_ok(source) && source->scan.at < source->scan.end) ++source->scan.at;
}

ChStatus ch_tet_cells_check(ChTetSource* source, long tets, long other_solids, long others) {
  ChScan* scan = &source->scan;
  if (scan->status != CH_OK) return scan->status;
  if (other_solids > 0)
    return ch_fail(scan->context, CH_ERR_FORMAT,
                   "%s: holds %ld solid cells that are not tetrahedra (hexahedra, prisms or pyramids); convert them to "
                   "tetrahedra first",
                   scan->path, other_solids);
  if (tets == 0 && others > 0)
    return ch_fail(scan->context, CH_ERR_FORMAT,
                   "%s: holds %ld cells, but no tetrahedra: fill the surface first, as `gmsh -3` does", scan->path,
                   others);
  if (tets == 0) return ch_fail(scan->context, CH_ERR_FORMAT, "%s: holds no tetrahedra", scan->path);
  return CH_OK;
}
