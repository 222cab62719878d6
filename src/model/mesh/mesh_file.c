// Triangle meshes from files: OBJ (v, vt, f; other lines are passed over) and STL, text and binary; the others are in
// mesh_ply.c and mesh_gltf.c.
//
// A binary STL is known by its size: 84 + 50 n bytes for the n of its header. Equal corners of STL and
// glTF become one.
#include <locale.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/text_scan.h"
#include "base/whole_file.h"
#include "model/mesh/mesh.h"
#include "model/mesh/mesh_facets.h"

enum { MOST = 1 << 28, STL_HEAD = 84, STL_FACET = 50 };

// ----------------------------------------------------------------------------------------------------------------- OBJ

static bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r'; }
static void skip_blanks(ChScan* scan) {
  while (scan->at < scan->end && is_blank(*scan->at)) ++scan->at;
}
static bool line_ends(const ChScan* scan) { return scan->at == scan->end || *scan->at == '\n' || *scan->at == '#'; }

// A corner of a face: its vertex, and where it is on a texture.
typedef struct Corner {
  int vertex;
  bool placed;
  double uv[2];
} Corner;

static void skip_word(ChScan* scan) {
  while (scan->at < scan->end && !is_blank(*scan->at) && *scan->at != '\n') ++scan->at;
}

// Whatever is odd about it makes a corner without a place: it is for drawing alone.
static void find_place(const char* slash, const ChFacets* places, Corner* c) {
  char* stop;
  long index = strtol(slash + 1, &stop, 10);
  if (stop == slash + 1 || index == 0 || index > places->vertex_count || index < -(long)places->vertex_count) return;
  const ChVec3 at = places->vertices[index > 0 ? index - 1 : places->vertex_count + index];
  c->placed = true;
  c->uv[0] = at.x, c->uv[1] = at.y;
}

// "7", "7/1", "7//3" or "7/1/3"; negative numbers count back from the last vertex.
static Corner corner(ChScan* scan, const ChFacets* s, const ChFacets* places) {
  const char* start = scan->at;
  char* stop;
  long index = strtol(start, &stop, 10);
  Corner c = {0};
  scan->at = stop;
  skip_word(scan);
  if (stop == start || (*stop != '/' && stop != scan->at))
    ch_scan_fail(scan, CH_ERR_FORMAT, start, "a face needs numbers of vertices");
  else if (index == 0 || index > s->vertex_count || index < -(long)s->vertex_count)
    ch_scan_fail(scan, CH_ERR_RANGE, start, "face names vertex %ld, of %d so far", index, s->vertex_count);
  else
    c.vertex = (int)(index > 0 ? index - 1 : s->vertex_count + index);
  if (scan->status == CH_OK && *stop == '/' && !is_blank(stop[1]) && stop[1] != '\n') find_place(stop, places, &c);
  return c;
}

static void add_face(ChArena* arena, ChFacets* s, const Corner* a, const Corner* b, const Corner* c) {
  const double uv[6] = {a->uv[0], a->uv[1], b->uv[0], b->uv[1], c->uv[0], c->uv[1]};
  if (a->placed && b->placed && c->placed)
    ch_facets_add_placed(arena, s, (int[3]){a->vertex, b->vertex, c->vertex}, uv);
  else
    ch_facets_add_triangle(arena, s, a->vertex, b->vertex, c->vertex);
}

// A polygon becomes a fan about its first corner.
static void obj_face(ChScan* scan, ChArena* arena, ChFacets* s, const ChFacets* places) {
  const char* start = scan->at;
  Corner first = {0}, last = {0};
  int count = 0;
  for (skip_blanks(scan); scan->status == CH_OK && !line_ends(scan); skip_blanks(scan)) {
    Corner next = corner(scan, s, places);
    if (scan->status != CH_OK) return;
    if (count == 0) first = next;
    if (count >= 2) add_face(arena, s, &first, &last, &next);
    last = next;
    ++count;
  }
  if (count < 3) ch_scan_fail(scan, CH_ERR_FORMAT, start, "a face has %d corners, must have 3 or more", count);
}

// "vt 0.5 0.25": what is no pair of numbers stands for the texture's corner.
static void obj_place(ChScan* scan, ChArena* arena, ChFacets* places) {
  double at[2] = {0.0, 0.0};
  for (int k = 0; k < 2; ++k) {
    char* stop;
    skip_blanks(scan);
    if (line_ends(scan)) break;
    double value = strtod_l(scan->at, &stop, scan->locale);
    if (stop > scan->at && isfinite(value)) at[k] = value;
    scan->at = stop;
    skip_word(scan);
  }
  ch_facets_add_vertex(arena, places, ch_vec(at[0], at[1], 0.0));
}

static ChVec3 point(ChScan* scan, const char* what) {
  double x = ch_scan_real(scan, what), y = ch_scan_real(scan, what), z = ch_scan_real(scan, what);
  return ch_vec(x, y, z);
}

static void read_obj(ChScan* scan, ChArena* arena, ChFacets* s) {
  ChFacets places = {0};  // its vertices are places on a texture
  while (scan->status == CH_OK) {
    ch_scan_space(scan);
    if (scan->at == scan->end) return;
    const char* at = scan->at;
    bool blank_next = at + 1 < scan->end && is_blank(at[1]);
    if (*at == 'v' && blank_next) {
      ++scan->at;
      ch_facets_add_vertex(arena, s, point(scan, "vertex"));
    } else if (*at == 'v' && at + 2 < scan->end && at[1] == 't' && is_blank(at[2])) {
      scan->at += 2;
      obj_place(scan, arena, &places);
    } else if (*at == 'f' && blank_next) {
      ++scan->at;
      obj_face(scan, arena, s, &places);
    }
    ch_scan_line(scan);  // a weight or a colour may follow
  }
}

// ----------------------------------------------------------------------------------------------------------------- STL

static void read_text_stl(ChScan* scan, ChArena* arena, ChFacets* s) {
  while (ch_scan_accept(scan, "solid")) {  // several solids may follow each other
    ch_scan_line(scan);
    while (ch_scan_accept(scan, "facet")) {
      ch_scan_line(scan);  // its normal follows from the corners
      ch_scan_word(scan, "outer");
      ch_scan_word(scan, "loop");
      for (int k = 0; k < 3 && scan->status == CH_OK; ++k) {
        ch_scan_word(scan, "vertex");
        ch_facets_add_vertex(arena, s, point(scan, "vertex"));
      }
      ch_scan_word(scan, "endloop");
      ch_scan_word(scan, "endfacet");
      if (scan->status != CH_OK) return;
      ch_facets_add_triangle(arena, s, s->vertex_count - 3, s->vertex_count - 2, s->vertex_count - 1);
    }
    ch_scan_word(scan, "endsolid");
    ch_scan_line(scan);
  }
  ch_scan_space(scan);
  if (scan->status == CH_OK && scan->at != scan->end)
    ch_scan_fail(scan, CH_ERR_FORMAT, scan->at, "expected 'solid' or the end of the file");
}

static double single(const unsigned char* b) { return ch_single(ch_little_endian(b)); }

static ChStatus read_binary_stl(ChContext* context, const char* path, const unsigned char* bytes, ChArena* arena,
                                ChFacets* s) {
  uint32_t count = ch_little_endian(bytes + 80);
  for (uint32_t k = 0; k < count; ++k) {
    const unsigned char* facet = bytes + STL_HEAD + (size_t)STL_FACET * k + 12;
    for (int c = 0; c < 3; ++c) {
      ChVec3 v = ch_vec(single(facet + 12 * c), single(facet + 12 * c + 4), single(facet + 12 * c + 8));
      if (!ch_vec_finite(v))
        return ch_fail(context, CH_ERR_RANGE, "%s: facet %u has a corner that is not finite", path, k);
      ch_facets_add_vertex(arena, s, v);
    }
    ch_facets_add_triangle(arena, s, s->vertex_count - 3, s->vertex_count - 2, s->vertex_count - 1);
  }
  return CH_OK;
}

// ---------------------------------------------------------------------------------------------------------------- both

static bool begins(const char* text, size_t size, const char* with) {
  return size >= strlen(with) && memcmp(text, with, strlen(with)) == 0;
}

static bool is_gltf(const char* text, size_t size) {
  size_t blank = 0;
  while (blank < size && strchr(" \t\r\n", text[blank]) && text[blank]) ++blank;
  return begins(text, size, "glTF") || (blank < size && text[blank] == '{');
}

static ChStatus read_text(ChContext* context, ChArena* arena, const char* path, const char* text, size_t size,
                          ChFacets* s) {
  if (memchr(text, '\0', size))
    return ch_fail(context, CH_ERR_FORMAT,
                   "%s: is neither OBJ, PLY, glTF nor STL text, nor binary STL of a fitting size", path);
  locale_t c_locale = newlocale(LC_NUMERIC_MASK, "C", (locale_t)0);
  if (!c_locale) return ch_fail(context, CH_ERR_MEMORY, "%s: out of memory", path);
  ch_arena_defer(arena, (void (*)(void*))freelocale, c_locale);
  ChScan scan = {context, path, text, text, text + size, arena, c_locale, CH_OK};
  ch_scan_space(&scan);
  bool stl = scan.end - scan.at >= 5 && memcmp(scan.at, "solid", 5) == 0;
  if (stl)
    read_text_stl(&scan, arena, s);
  else
    read_obj(&scan, arena, s);
  if (scan.status == CH_OK && stl) ch_facets_merge(arena, s);
  return scan.status;
}

static ChStatus parse(ChContext* context, ChArena* arena, const char* path, bool beside, const char* text, size_t size,
                      ChFacets* s) {
  const unsigned char* bytes = (const unsigned char*)text;
  if (size > MOST) return ch_fail(context, CH_ERR_SIZE, "%s: has %zu bytes, at most %d are read", path, size, MOST);
  ChStatus status;
  if (size >= STL_HEAD && size == STL_HEAD + (size_t)STL_FACET * ch_little_endian(bytes + 80)) {
    status = read_binary_stl(context, path, bytes, arena, s);
    if (status == CH_OK) ch_facets_merge(arena, s);
  } else if (begins(text, size, "ply\n") || begins(text, size, "ply\r")) {
    status = ch_facets_read_ply(context, arena, path, text, size, s);
  } else if (is_gltf(text, size)) {
    status = ch_facets_read_gltf(context, arena, path, beside, text, size, s);
    if (status == CH_OK) ch_facets_merge(arena, s);
  } else {
    status = read_text(context, arena, path, text, size, s);
  }
  if (status == CH_OK && s->vertex_count == 0)
    return ch_fail(context, CH_ERR_FORMAT, "%s: holds no vertices; expected OBJ, STL, PLY or glTF", path);
  return status;
}

static ChStatus give(ChStatus status, const ChFacets* s, int* vertex_count, ChVec3** vertices, int* triangle_count,
                     int** triangles, double** uv) {
  if (status != CH_OK) return status;
  *uv = s->unplaced ? NULL : s->uv;
  *vertex_count = s->vertex_count, *vertices = s->vertices;
  *triangle_count = s->triangle_count, *triangles = s->triangles;
  return CH_OK;
}

ChStatus ch_mesh_parse(ChContext* context, ChArena* arena, const char* path, const char* text, size_t size,
                       int* vertex_count, ChVec3** vertices, int* triangle_count, int** triangles, double** uv) {
  ChFacets s = {0};
  ChStatus status = parse(context, arena, path, false, text, size, &s);
  return give(status, &s, vertex_count, vertices, triangle_count, triangles, uv);
}

ChStatus ch_mesh_read(ChContext* context, ChArena* arena, const char* file, int* vertex_count, ChVec3** vertices,
                      int* triangle_count, int** triangles, double** uv) {
  ChWholeFile whole;
  ChFacets s = {0};
  ChStatus status = ch_whole_file_read_at_most(context, file, true, MOST, arena, &whole);
  if (status == CH_OK) status = parse(context, arena, file, true, whole.text, whole.size, &s);
  return give(status, &s, vertex_count, vertices, triangle_count, triangles, uv);
}
