// Height maps: see cardhouse/height_map.h. A PNG is decoded by libpng, after its head has told how large it is.
#include "scene/height_map_in.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/plain_numbers.h"
#include "base/text_scan.h"
#include "base/whole_file.h"
#include "scene/png_bytes.h"

#define MOST_BYTES ((size_t)1 << 30)

// --- PNG -------------------------------------------------------------------------------------------------------------

static ChStatus read_head(ChContext* context, const char* path, const ChPngBytes* s, ChPngHead* head) {
  if (!ch_png_head(s, head)) return ch_fail(context, CH_ERR_FORMAT, "%s: is not a whole PNG", path);
  if (head->colour != PNG_COLOR_TYPE_GRAY || (head->depth != 8 && head->depth != 16))
    return ch_fail(context, CH_ERR_UNSUPPORTED,
                   "%s: is a PNG of %d bits, colour type %d; heights are grey, 8 or 16 bits", path, head->depth,
                   head->colour);
  if (head->width < 2 || head->height < 2 || head->width > CH_HEIGHTS_MOST || head->height > CH_HEIGHTS_MOST)
    return ch_fail(context, CH_ERR_SIZE, "%s: has %u columns and %u rows, must have 2 to %d of each", path, head->width,
                   head->height, CH_HEIGHTS_MOST);
  if (!ch_png_fits(s, (double)head->width * head->height * head->depth))
    return ch_fail(context, CH_ERR_FORMAT, "%s: has %zu bytes, too few for %u x %u heights", path, s->size, head->width,
                   head->height);
  return CH_OK;
}

static bool decode(ChPngBytes* s, unsigned char* pixels, png_bytepp rows) {
  png_structp png = ch_png_reader(s, CH_HEIGHTS_MOST);
  png_infop info = png ? png_create_info_struct(png) : NULL;
  bool whole = false;
  if (info && !setjmp(png_jmpbuf(png))) {
    png_read_info(png, info);
    png_set_interlace_handling(png);
    png_read_update_info(png, info);
    png_uint_32 height = png_get_image_height(png, info);
    size_t bytes = png_get_rowbytes(png, info);
    for (png_uint_32 k = 0; k < height; ++k) rows[k] = pixels + k * bytes;
    png_read_image(png, rows);
    png_read_end(png, NULL);
    whole = true;
  }
  png_destroy_read_struct(&png, &info, NULL);
  return whole;
}

static ChStatus read_png(ChContext* context, ChArena* arena, const char* path, const ChWholeFile* file,
                         ChHeightMap* out) {
  ChPngBytes source = {.bytes = (const unsigned char*)file->text, .size = file->size};
  ChPngHead head = {0};
  ChStatus status = read_head(context, path, &source, &head);
  if (status != CH_OK) return status;
  size_t each = (size_t)head.depth / 8, columns = head.width, rows = head.height;
  unsigned char* pixels = CH_TAKE(arena, columns * rows * each, unsigned char);
  png_bytepp row = CH_TAKE(arena, rows, png_bytep);
  out->heights = CH_TAKE_RAW(arena, columns * rows, double);
  if (!decode(&source, pixels, row))
    return ch_fail(context, CH_ERR_FORMAT, "%s: is not a PNG that can be read: %s", path, source.message);
  double white = each == 1 ? 255.0 : 65535.0;
  for (size_t j = 0; j < rows; ++j)
    for (size_t i = 0; i < columns; ++i) {
      const unsigned char* p = pixels + ((rows - 1 - j) * columns + i) * each;
      out->heights[j * columns + i] = (each == 1 ? p[0] : 256 * p[0] + p[1]) / white;
    }
  out->columns = (int)columns, out->rows = (int)rows;
  return CH_OK;
}

// --- text ------------------------------------------------------------------------------------------------------------

// Numbers of the first line that is not empty.
static int count_columns(const ChScan* scan) {
  const char* at = scan->at;
  int count = 0;
  while (at < scan->end && *at != '\n') {
    while (at < scan->end && (*at == ' ' || *at == '\t' || *at == '\r' || *at == ',')) ++at;
    if (at == scan->end || *at == '\n') break;
    ++count;
    while (at < scan->end && *at != ' ' && *at != '\t' && *at != '\r' && *at != '\n' && *at != ',') ++at;
    if (count > CH_HEIGHTS_MOST) break;
  }
  return count;
}

typedef struct GridHead {
  long columns, rows;
  double cell, missing;
  bool has_missing;
} GridHead;

static bool accept_either(ChScan* scan, const char* small, const char* large) {
  return ch_scan_accept(scan, small) || ch_scan_accept(scan, large);
}

static void read_grid_head(ChScan* scan, GridHead* head) {
  for (;;) {
    ch_scan_space(scan);
    if (accept_either(scan, "ncols", "NCOLS"))
      head->columns = ch_scan_int(scan, "ncols", 2, CH_HEIGHTS_MOST);
    else if (accept_either(scan, "nrows", "NROWS"))
      head->rows = ch_scan_int(scan, "nrows", 2, CH_HEIGHTS_MOST);
    else if (accept_either(scan, "cellsize", "CELLSIZE"))
      head->cell = ch_scan_real(scan, "cellsize");
    else if (accept_either(scan, "NODATA_value", "nodata_value"))
      head->missing = ch_scan_real(scan, "NODATA_value"), head->has_missing = true;
    else if (accept_either(scan, "xllcorner", "XLLCORNER") || accept_either(scan, "yllcorner", "YLLCORNER") ||
             accept_either(scan, "xllcenter", "XLLCENTER") || accept_either(scan, "yllcenter", "YLLCENTER"))
      (void)ch_scan_real(scan, "a corner");
    else
      return;
    if (scan->status != CH_OK) return;
  }
}

static long count_rows(const ChScan* scan) {
  long rows = 0;
  bool any = false;
  for (const char* at = scan->at; at <= scan->end; ++at) {
    if (at == scan->end || *at == '\n') {
      rows += any;
      any = false;
    } else if (*at != ' ' && *at != '\t' && *at != '\r') {
      any = true;
    }
  }
  return rows;
}

static void check_grid(ChScan* scan, const GridHead* head, const double* heights) {
  for (long k = 0; k < head->rows * head->columns && scan->status == CH_OK; ++k)
    if (head->has_missing && heights[k] == head->missing)
      ch_scan_fail(scan, CH_ERR_RANGE, scan->at,
                   "column %ld of row %ld (from the north) is NODATA_value: fill it first", k % head->columns,
                   k / head->columns);
}

static ChStatus read_text(ChContext* context, ChArena* arena, const char* path, const ChWholeFile* file,
                          ChHeightMap* out) {
  ChScan scan = {context, path, file->text, file->text, file->text + file->size, arena, ch_plain_numbers_locale(),
                 CH_OK};
  GridHead head = {0};
  read_grid_head(&scan, &head);
  if (scan.status == CH_OK && head.columns == 0) head.columns = count_columns(&scan);
  if (scan.status == CH_OK && head.rows == 0) head.rows = count_rows(&scan);
  if (scan.status == CH_OK && (head.columns < 2 || head.rows < 2 || head.columns > CH_HEIGHTS_MOST ||
                               head.rows > CH_HEIGHTS_MOST || !(head.cell >= 0.0 && isfinite(head.cell))))
    ch_scan_fail(&scan, CH_ERR_SIZE, scan.at,
                 "has %ld columns and %ld rows of cells of %g m, must have 2 to %d of each", head.columns, head.rows,
                 head.cell, CH_HEIGHTS_MOST);
  if (scan.status != CH_OK || !ch_scan_expect(&scan, (double)head.columns * (double)head.rows, "heights"))
    return scan.status;
  double* north = ch_scan_reals(&scan, "a height", head.columns * head.rows);
  if (scan.status == CH_OK) check_grid(&scan, &head, north);
  ch_scan_space(&scan);
  if (scan.status == CH_OK && scan.at < scan.end)
    ch_scan_fail(&scan, CH_ERR_FORMAT, scan.at, "the file has more than %ld rows of %ld heights", head.rows,
                 head.columns);
  if (scan.status != CH_OK) return scan.status;
  out->heights = CH_TAKE_RAW(arena, head.columns * head.rows, double);
  for (long j = 0; j < head.rows; ++j)
    memcpy(out->heights + j * head.columns, north + (head.rows - 1 - j) * head.columns,
           (size_t)head.columns * sizeof *north);
  out->columns = (int)head.columns, out->rows = (int)head.rows, out->cell = head.cell;
  return CH_OK;
}

// ----------------------------------------------------------------------------------------------------------------------

ChStatus ch_height_map_read_in(ChContext* context, ChArena* arena, const char* path, ChHeightMap* out) {
  static const char signature[8] = {'\x89', 'P', 'N', 'G', '\r', '\n', '\x1a', '\n'};
  ChWholeFile file;
  *out = (ChHeightMap){.columns = 0};
  ChStatus status = ch_whole_file_read_up_to(context, path, MOST_BYTES, arena, &file);
  if (status != CH_OK) return status;
  bool png = file.size >= sizeof signature && memcmp(file.text, signature, sizeof signature) == 0;
  return png ? read_png(context, arena, path, &file, out) : read_text(context, arena, path, &file, out);
}

ChStatus ch_height_map_read(ChContext* context, const char* path, ChHeightMap* out) {
  jmp_buf landing;
  ChArena* arena = ch_arena_create(NULL);
  *out = (ChHeightMap){.columns = 0};
  if (!arena || setjmp(landing)) {
    ch_arena_destroy(arena);
    return ch_fail(context, CH_ERR_MEMORY, "%s: out of memory", path);
  }
  ch_arena_set_landing(arena, &landing);
  ChHeightMap map;
  ChStatus status = ch_height_map_read_in(context, arena, path, &map);
  if (status == CH_OK) {
    size_t bytes = (size_t)map.columns * (size_t)map.rows * sizeof(double);
    *out = map;
    out->heights = malloc(bytes);
    if (out->heights)
      memcpy(out->heights, map.heights, bytes);
    else
      *out = (ChHeightMap){.columns = 0}, status = ch_fail(context, CH_ERR_MEMORY, "%s: out of memory", path);
  }
  ch_arena_destroy(arena);
  return status;
}

void ch_height_map_free(ChHeightMap* map) {
  free(map->heights);
  *map = (ChHeightMap){.columns = 0};
}
