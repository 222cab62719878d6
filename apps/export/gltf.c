// glTF 2.0: a node a body, an animation of places and weights. The format's y is up: one node at the root turns all.
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "cardhouse/cardhouse.h"
#include "cardhouse/text.h"
#include "export/file_stream.h"
#include "export/formats.h"
#include "export/gltf_mesh.h"

enum { GLB_MAGIC = 0x46546C67, GLB_JSON = 0x4E4F534A, GLB_BYTES = 0x004E4942, DIGITS = 9 };

typedef struct Gltf {
  const ChExport* motion;
  ChExportTracks tracks;
  ChGltfBuffer buffer;
  json_t *meshes, *materials, *nodes, *samplers, *channels, *roots;
  json_t *images, *textures;
  int times;    // accessor
  float* room;  // for the samples of one track
  bool failed;
} Gltf;

static int append(Gltf* g, json_t* list, json_t* entry) {
  g->failed = json_array_append_new(list, entry) != 0 || g->failed;
  return (int)json_array_size(list) - 1;
}

// --- surfaces --------------------------------------------------------------------------------------------------------

// The colours are for a screen, the format's are linear.
static double linear(double c) { return c <= 0.04045 ? c / 12.92 : pow((c + 0.055) / 1.055, 2.4); }

static int add_material(Gltf* g, int shape, int texture) {
  double c[3];
  ch_export_colour(g->motion, shape, c);
  json_t* paint = json_pack("{s:[ffff], s:f, s:f}", "baseColorFactor", linear(c[0]), linear(c[1]), linear(c[2]), 1.0,
                            "metallicFactor", 0.0, "roughnessFactor", 0.7);
  if (texture > 0) json_object_set_new(paint, "baseColorTexture", json_pack("{s:i}", "index", texture - 1));
  return append(g, g->materials, json_pack("{s:o, s:b}", "pbrMetallicRoughness", paint, "doubleSided", 1));
}

// The files of all pictures, in the world's order.
static void add_textures(Gltf* g) {
  for (int k = 1; k <= ch_world_texture_count(g->motion->world); ++k) {
    const ChTexture t = ch_world_texture(g->motion->world, k);
    const int image = append(
        g, g->images,
        json_pack("{s:i, s:s}", "bufferView", ch_gltf_bytes(&g->buffer, t.size, t.bytes), "mimeType", "image/png"));
    append(g, g->textures, json_pack("{s:i}", "source", image));
  }
}

static void add_meshes(Gltf* g) {
  const ChExport* m = g->motion;
  for (int k = 0; k < m->patch_count; ++k) {
    const int shape = m->shape_of[k];
    ChSoftView soft;
    bool bends = ch_world_soft(m->world, ch_world_shape(m->world, shape).body, &soft);
    double size = 0.0;
    const int texture = m->patches[k].line ? 0 : ch_export_texture(m, shape, &size);
    const ChGltfPaint paint = {add_material(g, shape, texture), texture > 0, size};
    append(g, g->meshes, ch_gltf_mesh(&g->buffer, &m->patches[k], bends ? &soft : NULL, &paint));
  }
}

// --- motion ----------------------------------------------------------------------------------------------------------

static void add_channel(Gltf* g, int node, const char* path, int output) {
  int sampler = append(g, g->samplers,
                       json_pack("{s:i, s:i, s:s}", "input", g->times, "output", output, "interpolation", "LINEAR"));
  append(g, g->channels, json_pack("{s:i, s:{s:i, s:s}}", "sampler", sampler, "target", "node", node, "path", path));
}

static void add_places(Gltf* g, int node, int body) {
  const long count = g->motion->frame_count;
  for (long k = 0; k < count; ++k) {
    const ChVec3 x = ch_track_place(&g->tracks, k, body).at;
    g->room[3 * k] = (float)x.x, g->room[3 * k + 1] = (float)x.y, g->room[3 * k + 2] = (float)x.z;
  }
  add_channel(g, node, "translation", ch_gltf_floats(&g->buffer, CH_GLTF_SAMPLES, count, 3, g->room, false));
  float before[4] = {0.0f, 0.0f, 0.0f, 1.0f};
  for (long k = 0; k < count; ++k) {
    const ChQuat q = ch_quat_unit(ch_track_place(&g->tracks, k, body).orientation);
    float* at = g->room + 4 * k;
    at[0] = (float)q.x, at[1] = (float)q.y, at[2] = (float)q.z, at[3] = (float)q.w;
    float along = at[0] * before[0] + at[1] * before[1] + at[2] * before[2] + at[3] * before[3];
    for (int j = 0; j < 4; ++j) before[j] = at[j] = along < 0.0f ? -at[j] : at[j];  // the shorter way between frames
  }
  add_channel(g, node, "rotation", ch_gltf_floats(&g->buffer, CH_GLTF_SAMPLES, count, 4, g->room, false));
}

static void add_weights(Gltf* g, int node, const ChSoftView* soft) {
  const long count = g->motion->frame_count;
  for (long k = 0; k < count; ++k)
    for (int a = 0; a < soft->modes; ++a)
      g->room[k * soft->modes + a] = (float)ch_track_amplitudes(&g->tracks, k)[soft->first_mode + a];
  add_channel(g, node, "weights", ch_gltf_floats(&g->buffer, CH_GLTF_SAMPLES, count * soft->modes, 1, g->room, false));
}

// --- nodes -----------------------------------------------------------------------------------------------------------

static void put_place(json_t* node, ChFrame f) {
  const ChQuat q = ch_quat_unit(f.orientation);
  json_object_set_new(node, "translation", json_pack("[fff]", f.at.x, f.at.y, f.at.z));
  json_object_set_new(node, "rotation", json_pack("[ffff]", q.x, q.y, q.z, q.w));
}

static bool is_identity(ChFrame f) {
  return ch_vec_is_zero(f.at) && f.orientation.x == 0.0 && f.orientation.y == 0.0 && f.orientation.z == 0.0;
}

static int add_shape(Gltf* g, int shape) {
  json_t* node = json_pack("{s:i}", "mesh", g->motion->patch_of[shape]);
  put_place(node, ch_world_shape(g->motion->world, shape).local);
  return append(g, g->nodes, node);
}

static void add_shapes(Gltf* g, json_t* node, int body) {
  int first, count = ch_world_body_shapes(g->motion->world, body, &first);
  if (count == 1 && is_identity(ch_world_shape(g->motion->world, first).local)) {
    json_object_set_new(node, "mesh", json_integer(g->motion->patch_of[first]));
  } else if (count > 0) {
    json_t* children = json_array();
    for (int k = 0; k < count; ++k) json_array_append_new(children, json_integer(add_shape(g, first + k)));
    json_object_set_new(node, "children", children);
  }
}

static void add_body(Gltf* g, int body) {
  ChSoftView soft;
  bool bends = ch_world_soft(g->motion->world, body, &soft);
  json_t* node = json_pack("{s:s}", "name", ch_export_name(g->motion, body));
  if (!node) node = json_pack("{s:s}", "name", "?");  // a name that is no UTF-8
  put_place(node, ch_track_place(&g->tracks, 0, body));
  add_shapes(g, node, body);
  int index = append(g, g->nodes, node);
  append(g, g->roots, json_integer(index));
  if (ch_export_moves(g->motion, body)) add_places(g, index, body);
  if (bends) add_weights(g, index, &soft);
}

static int add_root(Gltf* g) {
  const double half = sqrt(0.5);
  bool plane = ch_world_dimension(g->motion->world) == 2;  // there y is up
  json_t* root = json_pack("{s:s, s:O}", "name", "cardhouse", "children", g->roots);
  if (!plane) json_object_set_new(root, "rotation", json_pack("[ffff]", -half, 0.0, 0.0, half));
  return append(g, g->nodes, root);
}

// --- the file --------------------------------------------------------------------------------------------------------

static json_t* finite_or_null(double value) { return isfinite(value) ? json_real(value) : json_null(); }

static json_t* document(Gltf* g, int root) {
  const ChExportWorth worth = ch_export_worth(g->motion);
  json_t* object = json_pack("{s:{s:s, s:s, s:{s:o, s:o}}, s:i, s:[{s:[i]}], s:O, s:O, s:O, s:O, s:O}", "asset",
                             "version", "2.0", "generator", "cardhouse " CH_VERSION, "extras", "worst_certificate",
                             finite_or_null(worth.natural), "tolerance", finite_or_null(worth.tolerance), "scene", 0,
                             "scenes", "nodes", root, "nodes", g->nodes, "meshes", g->meshes, "materials", g->materials,
                             "accessors", g->buffer.accessors, "bufferViews", g->buffer.views);
  if (json_array_size(g->images) > 0) {
    json_object_set(object, "images", g->images);
    json_object_set(object, "textures", g->textures);
  }
  if (json_array_size(g->channels) > 0)
    json_object_set_new(
        object, "animations",
        json_pack("[{s:s, s:O, s:O}]", "name", "motion", "samplers", g->samplers, "channels", g->channels));
  return object;
}

typedef struct File {
  const ChGltfBuffer* buffer;
  const char* text;
} File;

static void put_word(FILE* file, size_t value) {
  uint32_t word = (uint32_t)value;
  fwrite(&word, sizeof word, 1, file);
}

// Head, text padded with blanks, bytes padded with zeros.
static void put_glb(FILE* file, const void* state) {
  const File* f = state;
  size_t text = strlen(f->text), padded = (text + 3) / 4 * 4, bytes = f->buffer->size;
  put_word(file, GLB_MAGIC), put_word(file, 2), put_word(file, 12 + 8 + padded + 8 + bytes);
  put_word(file, padded), put_word(file, GLB_JSON);
  fwrite(f->text, 1, text, file);
  for (size_t k = text; k < padded; ++k) fputc(' ', file);
  put_word(file, bytes), put_word(file, GLB_BYTES);
  fwrite(f->buffer->bytes, 1, bytes, file);
}

// The text ends with the brace behind which the buffer follows as a data URI.
static void put_text(FILE* file, const void* state) {
  const File* f = state;
  fwrite(f->text, 1, strlen(f->text) - 1, file);
  fprintf(file, ",\"buffers\":[{\"byteLength\":%zu,\"uri\":\"data:application/octet-stream;base64,", f->buffer->size);
  ch_base64_write(file, f->buffer->bytes, f->buffer->size);
  fputs("\"}]}\n", file);
}

static ChStatus write_file(ChContext* context, Gltf* g, json_t* object, const char* path) {
  size_t length = strlen(path);
  bool binary = length > 4 && strcmp(path + length - 4, ".glb") == 0;
  if (binary && g->buffer.size > UINT32_MAX - (1u << 28))
    return ch_fail(context, CH_ERR_SIZE, "%s: %zu bytes are more than the format holds; use a lower --fps", path,
                   g->buffer.size);
  if (binary) json_object_set_new(object, "buffers", json_pack("[{s:I}]", "byteLength", (json_int_t)g->buffer.size));
  char* text = json_dumps(object, JSON_COMPACT | JSON_REAL_PRECISION(DIGITS));
  if (!text) return ch_fail(context, CH_ERR_MEMORY, "%s: out of memory", path);
  ChStatus status = ch_file_stream(context, path, binary ? put_glb : put_text, &(File){&g->buffer, text});
  free(text);
  return status;
}

static ChStatus build(ChContext* context, Gltf* g, const char* path) {
  const ChExport* m = g->motion;
  for (long k = 0; k < m->frame_count; ++k) g->room[k] = (float)(ch_export_time(m, k) - ch_export_time(m, 0));
  g->times = ch_gltf_floats(&g->buffer, CH_GLTF_SAMPLES, m->frame_count, 1, g->room, true);
  add_textures(g);
  add_meshes(g);
  for (int b = 0; b < m->body_count; ++b) add_body(g, b);
  json_t* object = document(g, add_root(g));
  ChStatus status = !object || g->failed || g->buffer.failed
                        ? ch_fail(context, CH_ERR_MEMORY, "%s: out of memory", path)
                        : write_file(context, g, object, path);
  json_decref(object);
  return status;
}

ChStatus ch_export_gltf(ChContext* context, const ChExport* m, const char* path) {
  Gltf g = {.motion = m, .buffer = ch_gltf_buffer_begin()};
  ChStatus status = ch_export_tracks(context, m, &g.tracks);
  if (status != CH_OK) {
    ch_gltf_buffer_free(&g.buffer);
    return status;
  }
  json_t** lists[] = {&g.meshes, &g.materials, &g.nodes, &g.samplers, &g.channels, &g.roots, &g.images, &g.textures};
  for (size_t k = 0; k < sizeof lists / sizeof *lists; ++k) *lists[k] = json_array();
  g.room = malloc((size_t)m->frame_count * CH_SOFT_MODES_MAX * sizeof *g.room);
  status = g.room ? build(context, &g, path) : ch_fail(context, CH_ERR_MEMORY, "%s: out of memory", path);
  for (size_t k = 0; k < sizeof lists / sizeof *lists; ++k) json_decref(*lists[k]);
  free(g.room);
  ch_gltf_buffer_free(&g.buffer);
  ch_export_tracks_free(&g.tracks);
  return status;
}
