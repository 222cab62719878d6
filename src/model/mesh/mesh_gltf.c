// glTF 2.0: the triangles of all meshes of the scene, each where its node puts it, as they are at rest: skins, morph
// targets and animations are passed over. glTF has y up, Cardhouse z: (x, y, z) becomes (x, -z, y).
//
// A binary file (.glb) is a head of 12 bytes, "glTF", version and length, and chunks of length, type and bytes: JSON
// first, then the buffer that has no uri. Positions are three floats a vertex, indices whole numbers of 1, 2 or 4
// bytes.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/json_tokens.h"
#include "base/whole_file.h"
#include "cardhouse/text.h"
#include "model/mesh/mesh_facets.h"

enum { MOST_BYTES = 1 << 28, MOST_TRIANGLES = 1 << 22, DEPTH = 64, TRIANGLES = 4, STRIP = 5, FAN = 6 };
enum { BYTES = 5121, SHORTS = 5123, INTS = 5125, FLOATS = 5126 };
#define CHUNK_JSON 0x4E4F534Au
#define CHUNK_BIN 0x004E4942u

typedef struct Bytes {
  const unsigned char* at;
  size_t size;
} Bytes;

typedef struct List {
  int count;
  int* token;
} List;

// x -> linear x + shift
typedef struct Affine {
  ChMat3 linear;
  ChVec3 shift;
} Affine;

typedef struct Gltf {
  ChContext* context;
  ChArena* arena;
  const char* path;
  bool beside;
  ChTokens json;
  Bytes chunk;  // of a binary file
  List buffers, views, accessors, meshes, nodes;
  Bytes* bytes;  // of the buffers; at NULL: not read yet
  bool* seen;    // nodes
  ChFacets* surface;
} Gltf;

// Values of one accessor.
typedef struct Values {
  const unsigned char* at;
  size_t stride;
  int count, type;
} Values;

static ChStatus wrong(const Gltf* g, const char* what, int index, const char* why) {
  return ch_fail(g->context, CH_ERR_FORMAT, "%s: %s %d %s", g->path, what, index, why);
}

static int member(const Gltf* g, int object, const char* key) { return ch_tokens_member(&g->json, object, key); }
static int index_of(const Gltf* g, int object, const char* key) {
  return ch_tokens_index(&g->json, member(g, object, key));
}
static List list_of(const Gltf* g, int object, const char* key) {
  List list;
  list.count = ch_tokens_entries(&g->json, g->arena, member(g, object, key), &list.token);
  return list;
}

// --- bytes -----------------------------------------------------------------------------------------------------------

// "my%20mesh.bin" beside the file. No way leads out of its folder.
static const char* path_beside(const Gltf* g, const char* uri, size_t length) {
  const char* slash = strrchr(g->path, '/');
  size_t folder = slash ? (size_t)(slash - g->path) + 1 : 0, used = folder;
  char* path = CH_TAKE(g->arena, folder + length + 1, char);
  memcpy(path, g->path, folder);
  for (size_t k = 0; k < length; ++k) {
    unsigned code;
    const char two[3] = {k + 2 < length ? uri[k + 1] : 'x', k + 2 < length ? uri[k + 2] : 'x', '\0'};
    bool escaped = uri[k] == '%' && strspn(two, "0123456789abcdefABCDEF") == 2 && sscanf(two, "%2x", &code) == 1;
    path[used++] = escaped ? (char)code : uri[k];
    k += escaped ? 2 : 0;
  }
  const char* name = path + folder;
  bool leaves = used == folder || strlen(path) != used || name[0] == '/' || strstr(name, "..") || strchr(name, ':');
  return leaves ? NULL : path;
}

static ChStatus read_data_uri(Gltf* g, int number, const char* text, size_t length, Bytes* out) {
  const char* comma = memchr(text, ',', length);
  if (!comma || comma - text < 7 || memcmp(comma - 7, ";base64", 7) != 0)
    return wrong(g, "buffer", number, "has a data uri that is not base64");
  size_t coded = length - (size_t)(comma + 1 - text);
  unsigned char* bytes = CH_TAKE(g->arena, coded / 4 * 3 + 3, unsigned char);
  long size = ch_base64_decode(comma + 1, coded, bytes);
  if (size < 0) return wrong(g, "buffer", number, "has a data uri that is not base64");
  *out = (Bytes){bytes, (size_t)size};
  return CH_OK;
}

static ChStatus read_buffer(Gltf* g, int number, Bytes* out) {
  const int uri = member(g, g->buffers.token[number], "uri");
  if (uri < 0) {
    *out = g->chunk;
    return number == 0 && g->chunk.at ? CH_OK : wrong(g, "buffer", number, "has neither a uri nor a chunk in the file");
  }
  const ChToken* t = &g->json.token[uri];
  if (t->kind != CH_TOKEN_STRING) return wrong(g, "buffer", number, "has a uri that is not a text");
  if (t->length > 5 && memcmp(t->text, "data:", 5) == 0) return read_data_uri(g, number, t->text, t->length, out);
  const char* path = path_beside(g, t->text, t->length);
  if (!path || !g->beside) return wrong(g, "buffer", number, "has a uri that names no file beside this one");
  ChWholeFile whole;
  ChStatus status = ch_whole_file_read_at_most(g->context, path, true, MOST_BYTES, g->arena, &whole);
  if (status != CH_OK) {  // it names the buffer's file, and not yet the one that the user gave
    char why[CH_MESSAGE_SIZE];
    snprintf(why, sizeof why, "%s", g->context->message);
    return ch_fail(g->context, status, "%s: buffer %d: %.300s", g->path, number, why);
  }
  *out = (Bytes){(const unsigned char*)whole.text, whole.size};
  return CH_OK;
}

static ChStatus buffer_of(Gltf* g, int number, Bytes* out) {
  if (number < 0 || number >= g->buffers.count) return wrong(g, "buffer", number, "is not in the file");
  if (!g->bytes[number].at) {
    ChStatus status = read_buffer(g, number, &g->bytes[number]);
    if (status != CH_OK) return status;
  }
  *out = g->bytes[number];
  return CH_OK;
}

static int size_of(int type) { return type == BYTES ? 1 : type == SHORTS ? 2 : type == INTS || type == FLOATS ? 4 : 0; }

static size_t offset_of(const Gltf* g, int object) {
  const int offset = index_of(g, object, "byteOffset");
  return offset > 0 ? (size_t)offset : 0;
}

static ChStatus values_of(Gltf* g, int number, int width, Values* out) {
  if (number < 0 || number >= g->accessors.count) return wrong(g, "accessor", number, "is not in the file");
  const int a = g->accessors.token[number];
  const int view = index_of(g, a, "bufferView"), count = index_of(g, a, "count");
  const int type = index_of(g, a, "componentType");
  if (member(g, a, "sparse") >= 0 || view < 0)
    return wrong(g, "accessor", number, "is sparse; save the file without sparse accessors");
  if (view >= g->views.count) return wrong(g, "accessor", number, "names a view that is not in the file");
  if (count < 1 || size_of(type) == 0 || (width == 1) == (type == FLOATS))
    return wrong(g, "accessor", number, width > 1 ? "must hold floats, three a vertex" : "must hold whole numbers");
  const int v = g->views.token[view];
  Bytes bytes = {NULL, 0};
  ChStatus status = buffer_of(g, index_of(g, v, "buffer"), &bytes);
  if (status != CH_OK) return status;
  const size_t begin = offset_of(g, v), within = offset_of(g, a), length = (size_t)(index_of(g, v, "byteLength") + 1);
  const size_t item = (size_t)(width * size_of(type));
  const int given = index_of(g, v, "byteStride");
  const size_t stride = given > 0 ? (size_t)given : item;
  if (stride < item || length < 1 || begin + length - 1 > bytes.size ||
      within + (size_t)(count - 1) * stride + item > length - 1)
    return wrong(g, "accessor", number, "reaches beyond the end of its buffer");
  *out = (Values){bytes.at + begin + within, stride, count, type};
  return CH_OK;
}

static uint32_t whole_at(const Values* v, int k) {
  const unsigned char* at = v->at + (size_t)k * v->stride;
  return v->type == BYTES ? at[0] : v->type == SHORTS ? (uint32_t)(at[0] | at[1] << 8) : ch_little_endian(at);
}

// --- meshes
// ------------------------------------------------------------------------------------------------------------

static ChVec3 moved(const Affine* m, ChVec3 p) { return ch_add(ch_mat_apply(&m->linear, p), m->shift); }

static ChStatus add_vertices(Gltf* g, int mesh, const Values* v, const Affine* m) {
  for (int k = 0; k < v->count; ++k) {
    const unsigned char* at = v->at + (size_t)k * v->stride;
    ChVec3 p = moved(m, ch_vec(ch_single(ch_little_endian(at)), ch_single(ch_little_endian(at + 4)),
                               ch_single(ch_little_endian(at + 8))));
    if (!ch_vec_finite(p)) return wrong(g, "mesh", mesh, "has a vertex that is not finite");
    ch_facets_add_vertex(g->arena, g->surface, ch_vec(p.x, -p.z, p.y));
  }
  return CH_OK;
}

// Corners of triangle k: one after the other, as a strip whose every second one is turned, or around the first.
static void corners_of(int mode, int k, int corner[3]) {
  corner[0] = mode == TRIANGLES ? 3 * k : mode == STRIP ? k + k % 2 : 0;
  corner[1] = mode == TRIANGLES ? 3 * k + 1 : mode == STRIP ? k + 1 - k % 2 : k + 1;
  corner[2] = mode == TRIANGLES ? 3 * k + 2 : k + 2;
}

// Places of a triangle's corners on a texture. The format's v points down.
static void places_of(const Values* place, const int corner[3], double uv[6]) {
  for (int c = 0; c < 3; ++c) {
    const unsigned char* at = place->at + (size_t)corner[c] * place->stride;
    const double u = ch_single(ch_little_endian(at)), v = ch_single(ch_little_endian(at + 4));
    uv[2 * c] = isfinite(u) ? u : 0.0;
    uv[2 * c + 1] = isfinite(v) ? 1.0 - v : 0.0;
  }
}

// What a primitive's triangles are made of.
typedef struct Primitive {
  int mode, first, vertices;  // first: of its vertices in the surface
  const Values* index;        // NULL: one after the other
  const Values* place;        // NULL: no places on a texture
  bool mirrored;
} Primitive;

static ChStatus add_triangles(Gltf* g, int mesh, const Primitive* p) {
  const int corners = p->index ? p->index->count : p->vertices;
  const int count = p->mode == TRIANGLES ? corners / 3 : corners - 2;
  if (count > MOST_TRIANGLES - g->surface->triangle_count)
    return ch_fail(g->context, CH_ERR_SIZE, "%s: has more than %d triangles", g->path, MOST_TRIANGLES);
  for (int k = 0; k < count; ++k) {
    int corner[3];
    double uv[6];
    corners_of(p->mode, k, corner);
    for (int c = 0; c < 3; ++c) {
      uint32_t at = p->index ? whole_at(p->index, corner[c]) : (uint32_t)corner[c];
      if (at >= (uint32_t)p->vertices) return wrong(g, "mesh", mesh, "has an index beyond its vertices");
      corner[c] = (int)at;
    }
    if (p->mirrored) {
      int last = corner[2];
      corner[2] = corner[1], corner[1] = last;
    }
    if (p->place) places_of(p->place, corner, uv);
    for (int c = 0; c < 3; ++c) corner[c] += p->first;
    if (p->place)
      ch_facets_add_placed(g->arena, g->surface, corner, uv);
    else
      ch_facets_add_triangle(g->arena, g->surface, corner[0], corner[1], corner[2]);
  }
  return CH_OK;
}

static double determinant(const ChMat3* a) {
  ChVec3 x = {a->m[0][0], a->m[1][0], a->m[2][0]}, y = {a->m[0][1], a->m[1][1], a->m[2][1]};
  return ch_dot(ch_cross(x, y), ch_vec(a->m[0][2], a->m[1][2], a->m[2][2]));
}

// Of the first texture, as floats, one for each vertex; what is otherwise counts as none: it is for drawing alone.
static bool find_places(Gltf* g, int primitive, int vertices, Values* out) {
  const int place = member(g, member(g, primitive, "attributes"), "TEXCOORD_0");
  ChContext own = {0}, *context = g->context;
  g->context = &own;
  bool good = place >= 0 && values_of(g, ch_tokens_index(&g->json, place), 2, out) == CH_OK;
  g->context = context;
  return good && out->count == vertices;
}

static ChStatus add_primitive(Gltf* g, int mesh, int primitive, const Affine* m) {
  const int mode = member(g, primitive, "mode") < 0 ? TRIANGLES : index_of(g, primitive, "mode");
  if (mode < TRIANGLES || mode > FAN) return CH_OK;  // points and lines
  const int first = g->surface->vertex_count, indices = member(g, primitive, "indices");
  Values position = {0}, index = {0}, place = {0};
  ChStatus status = values_of(g, index_of(g, member(g, primitive, "attributes"), "POSITION"), 3, &position);
  if (status == CH_OK && indices >= 0) status = values_of(g, ch_tokens_index(&g->json, indices), 1, &index);
  if (status == CH_OK && position.count > 3 * MOST_TRIANGLES - first)
    status = ch_fail(g->context, CH_ERR_SIZE, "%s: has more than %d vertices", g->path, 3 * MOST_TRIANGLES);
  if (status == CH_OK) status = add_vertices(g, mesh, &position, m);
  if (status != CH_OK) return status;
  const Primitive all = {.mode = mode,
                         .first = first,
                         .vertices = position.count,
                         .index = indices >= 0 ? &index : NULL,
                         .place = find_places(g, primitive, position.count, &place) ? &place : NULL,
                         .mirrored = determinant(&m->linear) < 0.0};
  return add_triangles(g, mesh, &all);
}

static ChStatus add_mesh(Gltf* g, int mesh, const Affine* m) {
  if (mesh < 0 || mesh >= g->meshes.count) return wrong(g, "mesh", mesh, "is not in the file");
  List primitives = list_of(g, g->meshes.token[mesh], "primitives");
  ChStatus status = CH_OK;
  for (int k = 0; k < primitives.count && status == CH_OK; ++k) status = add_primitive(g, mesh, primitives.token[k], m);
  return status;
}

// --- nodes
// -------------------------------------------------------------------------------------------------------------

static int numbers(Gltf* g, int object, const char* key, int count, double* out) {
  List list = list_of(g, object, key);
  if (list.count != count) return 0;
  for (int k = 0; k < count; ++k) out[k] = ch_tokens_real(&g->json, list.token[k], NAN);
  return count;
}

// A matrix, column by column, or translation * rotation (x, y, z, w) * scale.
static Affine local_of(Gltf* g, int node) {
  double m[16], t[3] = {0.0, 0.0, 0.0}, q[4] = {0.0, 0.0, 0.0, 1.0}, s[3] = {1.0, 1.0, 1.0};
  Affine a;
  if (numbers(g, node, "matrix", 16, m)) {
    for (int i = 0; i < 3; ++i)
      for (int j = 0; j < 3; ++j) a.linear.m[i][j] = m[4 * j + i];
    a.shift = ch_vec(m[12], m[13], m[14]);
    return a;
  }
  numbers(g, node, "translation", 3, t);
  numbers(g, node, "rotation", 4, q);
  numbers(g, node, "scale", 3, s);
  a.linear = ch_mat_from_quat(ch_quat_unit((ChQuat){q[3], q[0], q[1], q[2]}));
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) a.linear.m[i][j] *= s[j];
  a.shift = ch_vec(t[0], t[1], t[2]);
  return a;
}

static Affine behind(const Affine* outer, const Affine* inner) {
  return (Affine){ch_mat_product(&outer->linear, &inner->linear), moved(outer, inner->shift)};
}

static ChStatus add_node(Gltf* g, int number, const Affine* above, int depth) {
  if (number < 0 || number >= g->nodes.count) return wrong(g, "node", number, "is not in the file");
  if (g->seen[number] || depth > DEPTH)
    return wrong(g, "node", number, "appears more than once in the scene, or is nested too deeply");
  g->seen[number] = true;
  const int node = g->nodes.token[number];
  Affine own = local_of(g, node), here = behind(above, &own);
  ChStatus status = CH_OK;
  if (member(g, node, "mesh") >= 0) status = add_mesh(g, index_of(g, node, "mesh"), &here);
  List children = list_of(g, node, "children");
  for (int k = 0; k < children.count && status == CH_OK; ++k)
    status = add_node(g, ch_tokens_index(&g->json, children.token[k]), &here, depth + 1);
  return status;
}

// The scene that is to be shown; of a file without scenes every mesh as it is.
static ChStatus add_scene(Gltf* g) {
  const Affine none = {.linear = {{{1.0, 0.0, 0.0}, {0.0, 1.0, 0.0}, {0.0, 0.0, 1.0}}}};
  List scenes = list_of(g, 0, "scenes");
  const int shown = member(g, 0, "scene") < 0 ? 0 : index_of(g, 0, "scene");
  ChStatus status = CH_OK;
  if (scenes.count == 0) {
    for (int k = 0; k < g->meshes.count && status == CH_OK; ++k) status = add_mesh(g, k, &none);
    return status;
  }
  if (shown < 0 || shown >= scenes.count) return wrong(g, "scene", shown, "is not in the file");
  List roots = list_of(g, scenes.token[shown], "nodes");
  for (int k = 0; k < roots.count && status == CH_OK; ++k)
    status = add_node(g, ch_tokens_index(&g->json, roots.token[k]), &none, 0);
  return status;
}

// --- the file
// ----------------------------------------------------------------------------------------------------------

// Text and buffer of a binary file.
static ChStatus split(Gltf* g, const char* text, size_t size, Bytes* json) {
  const unsigned char* bytes = (const unsigned char*)text;
  *json = (Bytes){bytes, size};
  if (text[0] != 'g') return CH_OK;
  if (size < 20 || ch_little_endian(bytes + 4) != 2 || ch_little_endian(bytes + 8) > size)
    return ch_fail(g->context, CH_ERR_FORMAT, "%s: is not a complete binary glTF file of version 2", g->path);
  const size_t end = ch_little_endian(bytes + 8);
  *json = (Bytes){NULL, 0};
  for (size_t at = 12; at + 8 <= end;) {
    const size_t length = ch_little_endian(bytes + at);
    const uint32_t type = ch_little_endian(bytes + at + 4);
    if (length > end - at - 8) break;
    if (type == CHUNK_JSON && !json->at) *json = (Bytes){bytes + at + 8, length};
    if (type == CHUNK_BIN && !g->chunk.at) g->chunk = (Bytes){bytes + at + 8, length};
    at += 8 + length;
  }
  if (json->at) return CH_OK;
  return ch_fail(g->context, CH_ERR_FORMAT, "%s: has no complete chunk of JSON", g->path);
}

static ChStatus check_head(const Gltf* g) {
  const int version = member(g, member(g, 0, "asset"), "version"), needed = member(g, 0, "extensionsRequired");
  if (version < 0 || g->json.token[version].length < 2 || memcmp(g->json.token[version].text, "2.", 2) != 0)
    return ch_fail(g->context, CH_ERR_FORMAT, "%s: is JSON, but not glTF of version 2", g->path);
  int* list;
  if (ch_tokens_entries(&g->json, g->arena, needed, &list) == 0) return CH_OK;
  const ChToken* t = &g->json.token[list[0]];
  return ch_fail(g->context, CH_ERR_UNSUPPORTED, "%s: needs the extension %.*s, which is not read; save it without",
                 g->path, t->length < 60 ? (int)t->length : 60, t->text);
}

ChStatus ch_facets_read_gltf(ChContext* context, ChArena* arena, const char* path, bool beside, const char* text,
                             size_t size, ChFacets* out) {
  Gltf g = {.context = context, .arena = arena, .path = path, .beside = beside, .surface = out};
  Bytes json;
  ChStatus status = split(&g, text, size, &json);
  if (status != CH_OK) return status;
  char* copy = CH_TAKE(arena, json.size + 1, char);  // the tokens' text ends in zero
  memcpy(copy, json.at, json.size);
  status = ch_tokens_read(context, arena, path, copy, json.size, &g.json);
  if (status == CH_OK) status = check_head(&g);
  if (status != CH_OK) return status;
  g.buffers = list_of(&g, 0, "buffers");
  g.views = list_of(&g, 0, "bufferViews");
  g.accessors = list_of(&g, 0, "accessors");
  g.meshes = list_of(&g, 0, "meshes");
  g.nodes = list_of(&g, 0, "nodes");
  g.bytes = CH_TAKE(arena, g.buffers.count + 1, Bytes);
  g.seen = CH_TAKE(arena, g.nodes.count + 1, bool);
  return add_scene(&g);
}
