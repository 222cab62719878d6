// Triangle meshes from files: OBJ (v, f; other lines are passed over) and STL, text and binary.
//
// A binary STL is known by its size: 84 + 50 n bytes for the n of its header. Corners of STL triangles are equal when
// all bits of their coordinates are.
#include <locale.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/text_scan.h"
#include "base/whole_file.h"
#include "model/mesh/mesh.h"

enum { MOST = 1 << 28, STL_HEAD = 84, STL_FACET = 50 };

typedef struct Surface {
  int vertex_count, triangle_count;
  int vertex_room, triangle_room;
  ChVec3* vertices;
  int* triangles;
} Surface;

static void add_vertex(ChArena* arena, Surface* s, ChVec3 v) {
  if (s->vertex_count == s->vertex_room) {
    s->vertex_room = s->vertex_room ? 2 * s->vertex_room : 256;
    ChVec3* larger = CH_TAKE(arena, s->vertex_room, ChVec3);
    if (s->vertex_count > 0) memcpy(larger, s->vertices, (size_t)s->vertex_count * sizeof *larger);
    s->vertices = larger;
  }
  s->vertices[s->vertex_count++] = v;
}

static void add_triangle(ChArena* arena, Surface* s, int a, int b, int c) {
  if (s->triangle_count == s->triangle_room) {
    s->triangle_room = s->triangle_room ? 2 * s->triangle_room : 256;
    int* larger = CH_TAKE(arena, 3 * (size_t)s->triangle_room, int);
    if (s->triangle_count > 0) memcpy(larger, s->triangles, 3 * (size_t)s->triangle_count * sizeof *larger);
    s->triangles = larger;
  }
  int* t = s->triangles + 3 * s->triangle_count++;
  t[0] = a, t[1] = b, t[2] = c;
}

// ----------------------------------------------------------------------------------------------------------------- OBJ

static bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r'; }
static void skip_blanks(ChScan* scan) {
  while (scan->at < scan->end && is_blank(*scan->at)) ++scan->at;
}
static bool line_ends(const ChScan* scan) { return scan->at == scan->end || *scan->at == '\n' || *scan->at == '#'; }

// "7", "7/1", "7//3" or "7/1/3"; negative numbers count back from the last vertex.
static int corner(ChScan* scan, const Surface* s) {
  const char* start = scan->at;
  char* stop;
  long index = strtol(start, &stop, 10);
  scan->at = stop;
  while (scan->at < scan->end && !is_blank(*scan->at) && *scan->at != '\n') ++scan->at;
  if (stop == start || (*stop != '/' && stop != scan->at))
    ch_scan_fail(scan, CH_ERR_FORMAT, start, "a face needs numbers of vertices");
  else if (index == 0 || index > s->vertex_count || index < -s->vertex_count)
    ch_scan_fail(scan, CH_ERR_RANGE, start, "face names vertex %ld, of %d so far", index, s->vertex_count);
  return (int)(index > 0 ? index - 1 : s->vertex_count + index);
}

// A polygon becomes a fan about its first corner.
static void obj_face(ChScan* scan, ChArena* arena, Surface* s) {
  const char* start = scan->at;
  int first = 0, last = 0, count = 0;
  for (skip_blanks(scan); scan->status == CH_OK && !line_ends(scan); skip_blanks(scan)) {
    int next = corner(scan, s);
    if (scan->status != CH_OK) return;
    if (count == 0) first = next;
    if (count >= 2) add_triangle(arena, s, first, last, next);
    last = next;
    ++count;
  }
  if (count < 3) ch_scan_fail(scan, CH_ERR_FORMAT, start, "a face has %d corners, must have 3 or more", count);
}

static ChVec3 point(ChScan* scan, const char* what) {
  double x = ch_scan_real(scan, what), y = ch_scan_real(scan, what), z = ch_scan_real(scan, what);
  return ch_vec(x, y, z);
}

static void read_obj(ChScan* scan, ChArena* arena, Surface* s) {
  while (scan->status == CH_OK) {
    ch_scan_space(scan);
    if (scan->at == scan->end) return;
    bool blank_next = scan->at + 1 < scan->end && is_blank(scan->at[1]);
    if (*scan->at == 'v' && blank_next) {
      ++scan->at;
      add_vertex(arena, s, point(scan, "vertex"));
      ch_scan_line(scan);  // a weight or a colour may follow
    } else if (*scan->at == 'f' && blank_next) {
      ++scan->at;
      obj_face(scan, arena, s);
      ch_scan_line(scan);
    } else {
      ch_scan_line(scan);
    }
  }
}

// ----------------------------------------------------------------------------------------------------------------- STL

static void read_text_stl(ChScan* scan, ChArena* arena, Surface* s) {
  while (ch_scan_accept(scan, "solid")) {  // several solids may follow each other
    ch_scan_line(scan);
    while (ch_scan_accept(scan, "facet")) {
      ch_scan_line(scan);  // its normal follows from the corners
      ch_scan_word(scan, "outer");
      ch_scan_word(scan, "loop");
      for (int k = 0; k < 3 && scan->status == CH_OK; ++k) {
        ch_scan_word(scan, "vertex");
        add_vertex(arena, s, point(scan, "vertex"));
      }
      ch_scan_word(scan, "endloop");
      ch_scan_word(scan, "endfacet");
      if (scan->status != CH_OK) return;
      add_triangle(arena, s, s->vertex_count - 3, s->vertex_count - 2, s->vertex_count - 1);
    }
    ch_scan_word(scan, "endsolid");
    ch_scan_line(scan);
  }
  ch_scan_space(scan);
  if (scan->status == CH_OK && scan->at != scan->end)
    ch_scan_fail(scan, CH_ERR_FORMAT, scan->at, "expected 'solid' or the end of the file");
}

static uint32_t little_endian(const unsigned char* b) {
  return (uint32_t)b[0] | (uint32_t)b[1] << 8 | (uint32_t)b[2] << 16 | (uint32_t)b[3] << 24;
}

static double single(const unsigned char* b) {
  uint32_t bits = little_endian(b);
  float value;
  memcpy(&value, &bits, sizeof value);
  return (double)value;
}

static ChStatus read_binary_stl(ChContext* context, const char* path, const unsigned char* bytes, ChArena* arena,
                                Surface* s) {
  uint32_t count = little_endian(bytes + 80);
  for (uint32_t k = 0; k < count; ++k) {
    const unsigned char* facet = bytes + STL_HEAD + (size_t)STL_FACET * k + 12;
    for (int c = 0; c < 3; ++c) {
      ChVec3 v = ch_vec(single(facet + 12 * c), single(facet + 12 * c + 4), single(facet + 12 * c + 8));
      if (!ch_vec_finite(v))
        return ch_fail(context, CH_ERR_RANGE, "%s: facet %u has a corner that is not finite", path, k);
      add_vertex(arena, s, v);
    }
    add_triangle(arena, s, s->vertex_count - 3, s->vertex_count - 2, s->vertex_count - 1);
  }
  return CH_OK;
}

typedef struct Corner {
  ChVec3 at;
  int place;
} Corner;

static int compare_corners(const void* a, const void* b) {
  const Corner *x = a, *y = b;
  if (x->at.x != y->at.x) return x->at.x < y->at.x ? -1 : 1;
  if (x->at.y != y->at.y) return x->at.y < y->at.y ? -1 : 1;
  if (x->at.z != y->at.z) return x->at.z < y->at.z ? -1 : 1;
  return (x->place > y->place) - (x->place < y->place);
}

static bool same_point(ChVec3 a, ChVec3 b) { return a.x == b.x && a.y == b.y && a.z == b.z; }

// Equal corners become one vertex, numbered as they first appear; triangles that lose a corner by it are dropped.
static void merge_corners(ChArena* arena, Surface* s) {
  int count = s->vertex_count, kept = 0;
  Corner* corners = CH_TAKE(arena, count, Corner);
  int *first = CH_TAKE(arena, count, int), *number = CH_TAKE(arena, count, int);
  for (int k = 0; k < count; ++k) corners[k] = (Corner){s->vertices[k], k};
  qsort(corners, (size_t)count, sizeof *corners, compare_corners);
  for (int k = 0; k < count; ++k)
    first[corners[k].place] =
        k > 0 && same_point(corners[k].at, corners[k - 1].at) ? first[corners[k - 1].place] : corners[k].place;
  for (int k = 0; k < count; ++k) {
    if (first[k] == k) {
      number[k] = kept;
      s->vertices[kept++] = s->vertices[k];
    } else {
      number[k] = number[first[k]];
    }
  }
  s->vertex_count = kept;
  int whole = 0;
  for (int t = 0; t < s->triangle_count; ++t) {
    int a = number[s->triangles[3 * t]], b = number[s->triangles[3 * t + 1]], c = number[s->triangles[3 * t + 2]];
    if (a == b || b == c || c == a) continue;
    int* to = s->triangles + 3 * whole++;
    to[0] = a, to[1] = b, to[2] = c;
  }
  s->triangle_count = whole;
}

// ---------------------------------------------------------------------------------------------------------------- both

ChStatus ch_mesh_parse(ChContext* context, ChArena* arena, const char* path, const char* text, size_t size,
                       int* vertex_count, ChVec3** vertices, int* triangle_count, int** triangles) {
  if (size > MOST) return ch_fail(context, CH_ERR_SIZE, "%s: has %zu bytes, at most %d are read", path, size, MOST);
  Surface s = {0};
  const unsigned char* bytes = (const unsigned char*)text;
  bool binary = size >= STL_HEAD && size == STL_HEAD + (size_t)STL_FACET * little_endian(bytes + 80);
  if (binary) {
    ChStatus status = read_binary_stl(context, path, bytes, arena, &s);
    if (status != CH_OK) return status;
  } else {
    if (memchr(text, '\0', size))
      return ch_fail(context, CH_ERR_FORMAT, "%s: is neither OBJ nor STL text, nor binary STL of a fitting size", path);
    locale_t c_locale = newlocale(LC_NUMERIC_MASK, "C", (locale_t)0);
    if (!c_locale) return ch_fail(context, CH_ERR_MEMORY, "%s: out of memory", path);
    ch_arena_defer(arena, (void (*)(void*))freelocale, c_locale);
    ChScan scan = {context, path, text, text, text + size, arena, c_locale, CH_OK};
    ch_scan_space(&scan);
    if (scan.end - scan.at >= 5 && memcmp(scan.at, "solid", 5) == 0)
      read_text_stl(&scan, arena, &s), binary = true;
    else
      read_obj(&scan, arena, &s);
    if (scan.status != CH_OK) return scan.status;
  }
  if (s.vertex_count == 0) return ch_fail(context, CH_ERR_FORMAT, "%s: holds no vertices; expected OBJ or STL", path);
  if (binary) merge_corners(arena, &s);
  *vertex_count = s.vertex_count, *vertices = s.vertices;
  *triangle_count = s.triangle_count, *triangles = s.triangles;
  return CH_OK;
}

ChStatus ch_mesh_read(ChContext* context, ChArena* arena, const char* file, int* vertex_count, ChVec3** vertices,
                      int* triangle_count, int** triangles) {
  ChWholeFile whole;
  ChStatus status = ch_whole_file_read_at_most(context, file, true, MOST, arena, &whole);
  if (status != CH_OK) return status;
  return ch_mesh_parse(context, arena, file, whole.text, whole.size, vertex_count, vertices, triangle_count, triangles);
}
