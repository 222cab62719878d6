// Broken meshes: healed, with a note and the right mass, or refused with the place named; never a crash or a hang.
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cardhouse/random.h"
#include "cardhouse/shape.h"
#include "cardhouse/text.h"
#include "support/near.h"
#include "support/worlds.h"

enum { ROOM = 4096 };

typedef struct Surface {
  int vertices, triangles;
  ChVec3 vertex[ROOM];
  int triangle[ROOM][3];
} Surface;

// --- surfaces in order -----------------------------------------------------------------------------------------------

static void add_cube(Surface* s, ChVec3 at, double half) {
  static const int faces[12][3] = {{0, 2, 1}, {1, 2, 3}, {4, 5, 6}, {5, 7, 6}, {0, 1, 4}, {1, 5, 4},
                                   {2, 6, 3}, {3, 6, 7}, {0, 4, 2}, {2, 4, 6}, {1, 3, 5}, {3, 7, 5}};
  for (int f = 0; f < 12; ++f)
    for (int k = 0; k < 3; ++k) s->triangle[s->triangles + f][k] = s->vertices + faces[f][k];
  for (int k = 0; k < 8; ++k)
    s->vertex[s->vertices + k] = ch_add(at, ch_vec(k & 1 ? half : -half, k & 2 ? half : -half, k & 4 ? half : -half));
  s->vertices += 8;
  s->triangles += 12;
}

static int middle_of(Surface* s, int a, int b) {
  ChVec3 m = ch_scale(0.5, ch_add(s->vertex[a], s->vertex[b]));
  for (int v = 0; v < s->vertices; ++v)
    if (ch_norm(ch_sub(s->vertex[v], m)) == 0.0) return v;
  s->vertex[s->vertices] = m;
  return s->vertices++;
}

// Every triangle in four: the same solid.
static void refine(Surface* s) {
  int old = s->triangles;
  for (int t = 0; t < old; ++t) {
    int c[3], m[3];
    memcpy(c, s->triangle[t], sizeof c);
    for (int k = 0; k < 3; ++k) m[k] = middle_of(s, c[k], c[(k + 1) % 3]);
    for (int k = 0; k < 3; ++k) {
      const int corner[3] = {c[k], m[k], m[(k + 2) % 3]};
      memcpy(s->triangle[k == 0 ? t : s->triangles++], corner, sizeof corner);
    }
    memcpy(s->triangle[s->triangles++], m, sizeof m);
  }
}

static Surface* new_cube(int refinements) {
  Surface* s = calloc(1, sizeof *s);
  assert_non_null(s);
  add_cube(s, ch_vec(0.0, 0.0, 0.0), 0.5);
  for (int k = 0; k < refinements; ++k) refine(s);
  return s;
}

// --- worlds of them --------------------------------------------------------------------------------------------------

typedef enum Way { INLINE, OBJ, STL, WAYS } Way;

static void write_file(const Surface* s, Way way, const char* path) {
  FILE* file = fopen(path, "w");
  assert_non_null(file);
  if (way == STL) fprintf(file, "solid s\n");
  for (int v = 0; v < s->vertices && way == OBJ; ++v)
    fprintf(file, "v %.17g %.17g %.17g\n", s->vertex[v].x, s->vertex[v].y, s->vertex[v].z);
  for (int t = 0; t < s->triangles; ++t) {
    const int* c = s->triangle[t];
    if (way == OBJ) fprintf(file, "f %d %d %d\n", c[0] + 1, c[1] + 1, c[2] + 1);
    if (way != STL) continue;
    fprintf(file, "facet normal 0 0 0\nouter loop\n");
    for (int k = 0; k < 3; ++k) {
      ChVec3 p = c[k] >= 0 && c[k] < s->vertices ? s->vertex[c[k]] : ch_vec(NAN, 0.0, 0.0);
      fprintf(file, "vertex %.17g %.17g %.17g\n", p.x, p.y, p.z);
    }
    fprintf(file, "endloop\nendfacet\n");
  }
  if (way == STL) fprintf(file, "endsolid s\n");
  fclose(file);
}

typedef struct Outcome {
  ChStatus status;
  double mass;
  char message[CH_MESSAGE_SIZE], note[1200];
} Outcome;

// Builds the body, and where that works lets it fall on a floor for ten steps.
static Outcome build(const Surface* s, Way way, bool fixed) {
  char path[64];
  snprintf(path, sizeof path, "broken-%ld.%s", (long)getpid(), way == OBJ ? "obj" : "stl");
  ChWorld* world = ch_test_world(3, 9.81, 0.5, 0.0);
  ch_test_floor(world);
  ChContext context = {0};
  ChBodyDef body = ch_body_def_default();
  ChShapeDef shape = ch_shape_def_default();
  ChBodyId id;
  Outcome out = {0};
  body.position = ch_vec(0.0, 0.0, 1.0);
  body.kind = fixed ? CH_BODY_FIXED : CH_BODY_DYNAMIC;
  shape.type = CH_SHAPE_MESH;
  shape.resolution = 8;
  if (way == INLINE) {
    shape.points = s->vertex;
    shape.point_count = s->vertices;
    shape.triangles = &s->triangle[0][0];
    shape.triangle_count = s->triangles;
  } else {
    write_file(s, way, path);
    shape.file = path;
  }
  assert_int_equal(ch_world_add_body(&context, world, &body, &id), CH_OK);
  out.status = ch_world_add_shape(&context, world, id, &shape, NULL);
  if (way != INLINE) remove(path);
  snprintf(out.message, sizeof out.message, "%s", context.message);
  const char* note = ch_world_note(world, 0);
  snprintf(out.note, sizeof out.note, "%s", note ? note : "");
  if (out.status != CH_OK) {
    ch_world_destroy(world);
    return out;
  }
  ChSimulationOptions options = ch_simulation_options_default();
  ChSimulation* simulation = ch_test_start(world, &options);
  for (int n = 0; n < 3; ++n) ch_test_step(simulation);
  out.mass = ch_world_body_info(ch_simulation_world(simulation), id).mass;
  ch_simulation_destroy(simulation);
  return out;
}

// --- one fault each --------------------------------------------------------------------------------------------------

static void append(Surface* s, int a, int b, int c) {
  const int corner[3] = {a, b, c};
  memcpy(s->triangle[s->triangles++], corner, sizeof corner);
}

static void flip(Surface* s, int t) {
  int c = s->triangle[t][1];
  s->triangle[t][1] = s->triangle[t][2];
  s->triangle[t][2] = c;
}

static void remove_triangle(Surface* s, int t) {
  memmove(s->triangle[t], s->triangle[s->triangles - 1], sizeof s->triangle[t]);
  --s->triangles;
}

// A corner of its own for every triangle, as in STL.
static void split_vertices(Surface* s) {
  static Surface old;
  old = *s;
  s->vertices = 0;
  for (int t = 0; t < s->triangles; ++t)
    for (int k = 0; k < 3; ++k) {
      s->vertex[s->vertices] = old.vertex[old.triangle[t][k]];
      s->triangle[t][k] = s->vertices++;
    }
}

// One side of a triangle gets a corner that its neighbour does not know, and a triangle without area between.
static void add_sliver(Surface* s, int t) {
  int a = s->triangle[t][0], b = s->triangle[t][1], c = s->triangle[t][2], m = s->vertices++;
  s->vertex[m] = ch_scale(0.5, ch_add(s->vertex[a], s->vertex[b]));
  s->triangle[t][1] = m;
  append(s, m, b, c);
  append(s, b, m, a);
  flip(s, s->triangles - 1);
}

typedef void Fault(Surface* s);
static void nothing(Surface* s) { (void)s; }
static void split(Surface* s) { split_vertices(s); }
static void twice(Surface* s) {
  int n = s->triangles;
  for (int t = 0; t < n; ++t) append(s, s->triangle[t][0], s->triangle[t][1], s->triangle[t][2]);
}
static void twice_apart(Surface* s) { add_cube(s, ch_vec(0.0, 0.0, 0.0), 0.5); }
static void one_twice(Surface* s) { append(s, s->triangle[3][1], s->triangle[3][2], s->triangle[3][0]); }
static void one_flipped(Surface* s) { flip(s, 5); }
static void inside_out(Surface* s) {
  for (int t = 0; t < s->triangles; ++t) flip(s, t);
}
static void repeated_corner(Surface* s) { append(s, 2, 2, 3); }
static void point_triangle(Surface* s) { append(s, 4, 4, 4); }
static void sliver(Surface* s) { add_sliver(s, 4); }
static void one_missing(Surface* s) { remove_triangle(s, 7); }
static void wall_inside(Surface* s) {
  append(s, 0, 1, 7);
  append(s, 0, 7, 1);
}
static void unused_vertex(Surface* s) { s->vertex[s->vertices++] = ch_vec(3.0, 3.0, 3.0); }

// The cube of 1 m weighs 1000 kg, whatever was wrong with its surface.
static void faults_with_one_cure_are_healed_to_the_same_mass(void** state) {
  (void)state;
  static const struct {
    const char* name;
    Fault* fault;
    const char* told;  // of the note from points; NULL: it is in order as it is
  } faults[] = {{"nothing", nothing, NULL},
                {"split vertices", split, "vertices merged"},
                {"the same triangles twice", twice, "doubled"},
                {"the same cube twice", twice_apart, "doubled"},
                {"one triangle twice", one_twice, "doubled"},
                {"one triangle flipped", one_flipped, "turned"},
                {"inside out", inside_out, "turned"},
                {"a corner twice", repeated_corner, "without area"},
                {"a point as a triangle", point_triangle, "without area"},
                {"a sliver", sliver, "without area"},
                {"one triangle missing", one_missing, "filled"},
                {"a wall inside", wall_inside, "back to back"},
                {"a vertex of no triangle", unused_vertex, NULL}};
  for (size_t f = 0; f < sizeof faults / sizeof *faults; ++f)
    for (int way = 0; way < WAYS; ++way) {
      Surface* s = new_cube(0);
      faults[f].fault(s);
      Outcome out = build(s, (Way)way, false);
      if (out.status != CH_OK) fail_msg("%s, way %d: %s", faults[f].name, way, out.message);
      CHECK_NEAR(out.mass, 1000.0, 1e-9);
      if (way == INLINE && faults[f].told && !strstr(out.note, faults[f].told))
        fail_msg("%s: note is '%s', must say '%s'", faults[f].name, out.note, faults[f].told);
      if (way == INLINE && !faults[f].told && out.note[0]) fail_msg("%s: note is '%s'", faults[f].name, out.note);
      free(s);
    }
}

// Two cubes that share an edge, four triangles about it: no single solid, and the message names the edge.
static void what_has_no_cure_is_refused_with_its_place(void** state) {
  (void)state;
  Surface* s = new_cube(0);
  Surface* other = calloc(1, sizeof *other);
  assert_non_null(other);
  add_cube(other, ch_vec(1.0, 1.0, 0.0), 0.5);
  for (int v = 0; v < 8; ++v) s->vertex[s->vertices + v] = other->vertex[v];
  for (int t = 0; t < 12; ++t)
    for (int k = 0; k < 3; ++k) {
      int v = other->triangle[t][k];
      bool shared = v == 0 || v == 4;  // the corners of the common edge
      s->triangle[s->triangles + t][k] = shared ? v + 3 : s->vertices + v;
    }
  s->vertices += 8;
  s->triangles += 12;
  Outcome out = build(s, INLINE, false);
  assert_int_equal(out.status, CH_ERR_FORMAT);
  if (!strstr(out.message, "vertices 3 and 7"))
    fail_msg("'%s' does not name the edge of vertices 3 and 7", out.message);
  free(other);
  free(s);
}

// --- many faults -----------------------------------------------------------------------------------------------------

static int below(uint64_t* random, int count) { return (int)(ch_random_unit(random) * count) % count; }

static void mutate(Surface* s, uint64_t* random) {
  int t = below(random, s->triangles), v = below(random, s->vertices);
  int u = below(random, s->vertices), k = below(random, 3);
  switch (below(random, 12)) {
    case 0:
      remove_triangle(s, t);
      break;
    case 1:
      flip(s, t);
      break;
    case 2:
      append(s, s->triangle[t][0], s->triangle[t][1], s->triangle[t][2]);
      break;
    case 3:
      s->triangle[t][k] = v;
      break;
    case 4:
      s->vertex[v] = s->vertex[u];
      break;
    case 5:
      add_sliver(s, t);
      break;
    case 6:
      append(s, v, u, s->triangle[t][k]);
      break;
    case 7:
      s->vertex[v] = ch_scale(1e-12, s->vertex[v]);
      break;
    case 8:
      s->vertex[v].x = below(random, 2) ? NAN : 1e200;
      break;
    case 9:
      s->triangle[t][k] = s->vertices + 3;
      break;
    case 10:
      add_cube(s, ch_scale(0.3, s->vertex[u]), 0.4);
      break;
    default:
      split_vertices(s);
      break;
  }
}

static bool names_a_place(const char* message) {
  for (const char* at = message; *at; ++at)
    if (*at >= '0' && *at <= '9') return true;
  return false;
}

// One to four faults in each of 120 surfaces, by points and by files, on moving and on fixed bodies: a finite positive
// mass, or a message with a number in it.
static void a_hundred_mutated_meshes_neither_crash_nor_hang(void** state) {
  (void)state;
  uint64_t random = 5;
  int healed = 0, refused = 0;
  for (int n = 0; n < 120; ++n) {
    Surface* s = new_cube(n % 2);
    int faults = 1 + n % 4;
    for (int k = 0; k < faults && s->triangles > 2 && s->vertices < ROOM / 4; ++k) mutate(s, &random);
    Outcome out = build(s, (Way)(n % WAYS), n % 5 == 4);
    if (out.status == CH_OK) {
      if (n % 5 != 4) assert_true(out.mass > 0.0 && isfinite(out.mass));
      healed += out.note[0] != '\0';
    } else {
      ++refused;
      if (!names_a_place(out.message)) fail_msg("mesh %d: '%s' names no place", n, out.message);
    }
    free(s);
  }
  assert_true(healed >= 20 && refused >= 20);
}

// --- broken files ----------------------------------------------------------------------------------------------------

enum { FILE_ROOM = 1 << 16 };
typedef struct File {
  size_t size;
  char text[FILE_ROOM];
} File;

static void put(File* f, const void* bytes, size_t size) {
  assert_true(f->size + size < FILE_ROOM);
  memcpy(f->text + f->size, bytes, size);
  f->size += size;
}

static void put_text(File* f, const char* text) { put(f, text, strlen(text)); }

typedef enum Kind { OBJ_FILE, STL_TEXT, STL_BYTES, PLY_TEXT, PLY_BYTES, GLTF_TEXT, GLTF_BYTES, KINDS } Kind;
static const char* const endings[KINDS] = {"obj", "stl", "stl", "ply", "ply", "gltf", "glb"};

static void put_line(File* f, const char* format, ...) {
  char line[160];
  va_list values;
  va_start(values, format);
  vsnprintf(line, sizeof line, format, values);
  va_end(values);
  put_text(f, line);
}

static void put_floats(File* f, ChVec3 p) {
  const float x[3] = {(float)p.x, (float)p.y, (float)p.z};
  put(f, x, sizeof x);
}

static void put_whole(File* f, uint32_t x) { put(f, &x, sizeof x); }

static void write_obj(const Surface* s, File* f) {
  for (int v = 0; v < s->vertices; ++v)
    put_line(f, "v %.9g %.9g %.9g\n", s->vertex[v].x, s->vertex[v].y, s->vertex[v].z);
  for (int t = 0; t < s->triangles; ++t)
    put_line(f, "f %d %d %d\n", s->triangle[t][0] + 1, s->triangle[t][1] + 1, s->triangle[t][2] + 1);
}

static void write_stl(const Surface* s, bool text, File* f) {
  const char head[80] = "binary";
  if (text) put_text(f, "solid s\n");
  if (!text) put(f, head, sizeof head), put_whole(f, (uint32_t)s->triangles);
  for (int t = 0; t < s->triangles; ++t) {
    if (text) put_text(f, "facet normal 0 0 0\nouter loop\n");
    if (!text) put_floats(f, ch_vec(0.0, 0.0, 0.0));
    for (int k = 0; k < 3; ++k) {
      ChVec3 p = s->vertex[s->triangle[t][k]];
      if (text) put_line(f, "vertex %.9g %.9g %.9g\n", p.x, p.y, p.z);
      if (!text) put_floats(f, p);
    }
    if (text) put_text(f, "endloop\nendfacet\n");
    if (!text) put(f, "\0\0", 2);
  }
  if (text) put_text(f, "endsolid s\n");
}

static void write_ply(const Surface* s, bool text, File* f) {
  put_line(f, "ply\nformat %s 1.0\ncomment a cube\n", text ? "ascii" : "binary_little_endian");
  put_line(f, "element vertex %d\nproperty float x\nproperty float y\nproperty float z\n", s->vertices);
  put_line(f, "element face %d\nproperty list uchar int vertex_indices\nend_header\n", s->triangles);
  for (int v = 0; v < s->vertices; ++v) {
    if (text) put_line(f, "%.9g %.9g %.9g\n", s->vertex[v].x, s->vertex[v].y, s->vertex[v].z);
    if (!text) put_floats(f, s->vertex[v]);
  }
  for (int t = 0; t < s->triangles; ++t) {
    const int* c = s->triangle[t];
    if (text) put_line(f, "3 %d %d %d\n", c[0], c[1], c[2]);
    if (!text) put(f, "\3", 1), put(f, c, 3 * sizeof *c);
  }
}

static void put_json(const Surface* s, File* f, const char* uri) {
  const int points = 12 * s->vertices, corners = 12 * s->triangles;
  put_line(f, "{\"asset\":{\"version\":\"2.0\"},\"buffers\":[{\"byteLength\":%d", points + corners);
  if (uri) put_text(f, ",\"uri\":\"data:application/octet-stream;base64,"), put_text(f, uri), put_text(f, "\"");
  put_line(f, "}],\"bufferViews\":[{\"buffer\":0,\"byteOffset\":0,\"byteLength\":%d},", points);
  put_line(f, "{\"buffer\":0,\"byteOffset\":%d,\"byteLength\":%d}],", points, corners);
  put_line(f, "\"accessors\":[{\"bufferView\":0,\"componentType\":5126,\"count\":%d,\"type\":\"VEC3\"},", s->vertices);
  put_line(f, "{\"bufferView\":1,\"componentType\":5125,\"count\":%d,\"type\":\"SCALAR\"}],", 3 * s->triangles);
  put_text(f, "\"meshes\":[{\"primitives\":[{\"attributes\":{\"POSITION\":0},\"indices\":1}]}],");
  put_text(f, "\"nodes\":[{\"children\":[1]},{\"mesh\":0,\"rotation\":[0,0,0,1]}],\"scenes\":[{\"nodes\":[0]}]}");
}

static void write_gltf(const Surface* s, bool text, File* f) {
  static File buffer;
  buffer.size = 0;
  for (int v = 0; v < s->vertices; ++v) put_floats(&buffer, s->vertex[v]);
  for (int t = 0; t < s->triangles; ++t) put(&buffer, s->triangle[t], sizeof s->triangle[t]);
  if (text) {
    char* coded = NULL;
    size_t length;
    FILE* stream = open_memstream(&coded, &length);
    assert_non_null(stream);
    ch_base64_write(stream, (const unsigned char*)buffer.text, buffer.size);
    fclose(stream);
    put_json(s, f, coded);
    free(coded);
    return;
  }
  static File json;
  json.size = 0;
  put_json(s, &json, NULL);
  while (json.size % 4 != 0) put_text(&json, " ");
  put_text(f, "glTF");
  put_whole(f, 2), put_whole(f, (uint32_t)(28 + json.size + buffer.size));
  put_whole(f, (uint32_t)json.size), put_text(f, "JSON"), put(f, json.text, json.size);
  put_whole(f, (uint32_t)buffer.size), put(f, "BIN\0", 4), put(f, buffer.text, buffer.size);
}

static void write_surface(const Surface* s, Kind kind, File* f) {
  f->size = 0;
  if (kind == OBJ_FILE) write_obj(s, f);
  if (kind == STL_TEXT || kind == STL_BYTES) write_stl(s, kind == STL_TEXT, f);
  if (kind == PLY_TEXT || kind == PLY_BYTES) write_ply(s, kind == PLY_TEXT, f);
  if (kind == GLTF_TEXT || kind == GLTF_BYTES) write_gltf(s, kind == GLTF_TEXT, f);
}

static void replace(File* f, size_t at, size_t length, const char* by) {
  size_t size = strlen(by);
  if (at + length > f->size || f->size - length + size >= FILE_ROOM) return;
  memmove(f->text + at + size, f->text + at + length, f->size - at - length);
  memcpy(f->text + at, by, size);
  f->size += size - length;
}

// A digit more before a number: ten times as many and more of what the file says it holds.
static void lie(File* f, const char* before, uint64_t* random) {
  const size_t length = strlen(before);
  for (size_t at = 0; at + length < f->size; ++at)
    if (memcmp(f->text + at, before, length) == 0) {
      replace(f, at + length, 0, below(random, 2) ? "9" : "-");
      return;
    }
}

// Cut off, bytes changed, numbers that are none or far too large, pieces twice or away, a count that lies.
static void break_file(File* f, Kind kind, uint64_t* random) {
  static const char* const words[] = {"nan", "1e999", "-", "99999999999999999999", "-7", "0", "1/2/3/4", "\n", "x"};
  size_t at = (size_t)below(random, (int)f->size), length = (size_t)below(random, 40);
  switch (below(random, 6)) {
    case 0:
      f->size = at;
      break;
    case 1:
      f->text[at] = (char)below(random, 256);
      break;
    case 2:
      if (kind == GLTF_BYTES) f->text[at] ^= 1;  // anything inserted is found by the lengths in the head
      if (kind != GLTF_BYTES) replace(f, at, length % 4, words[below(random, sizeof words / sizeof *words)]);
      break;
    case 3:
      replace(f, at, length, "");
      break;
    case 4:
      if (kind == STL_BYTES) memset(f->text + 80, below(random, 256), 4);
      if (kind == GLTF_BYTES) f->text[8 + at % 12] = (char)below(random, 256);
      if (kind == OBJ_FILE || kind == STL_TEXT) replace(f, at, 0, "f 1 2 2147483647\n");
      if (kind == PLY_TEXT || kind == PLY_BYTES) lie(f, at % 2 ? "element vertex " : "element face ", random);
      if (kind == GLTF_TEXT) lie(f, at % 3 == 0 ? "\"count\":" : at % 3 == 1 ? "\"indices\":" : "Length\":", random);
      break;
    default:
      if (at + length < f->size) memmove(f->text + at, f->text, length);
      break;
  }
}

static Outcome read_back(const File* f, Kind kind) {
  Outcome out = {0};
  char path[64];
  snprintf(path, sizeof path, "torn-%ld.%s", (long)getpid(), endings[kind]);
  FILE* file = fopen(path, "wb");
  assert_non_null(file);
  assert_int_equal(fwrite(f->text, 1, f->size, file), f->size);
  fclose(file);
  ChWorld* world = ch_test_world(3, 9.81, 0.5, 0.0);
  ChContext context = {0};
  ChBodyDef body = ch_body_def_default();
  ChShapeDef shape = ch_shape_def_default();
  ChBodyId id;
  shape.type = CH_SHAPE_MESH, shape.file = path;
  assert_int_equal(ch_world_add_body(&context, world, &body, &id), CH_OK);
  out.status = ch_world_add_shape(&context, world, id, &shape, NULL);
  if (out.status == CH_OK) out.status = ch_world_seal(&context, world);
  remove(path);
  snprintf(out.message, sizeof out.message, "%s", context.message);
  if (out.status == CH_OK) out.mass = ch_world_body_info(world, id).mass;
  ch_world_destroy(world);
  return out;
}

static void every_kind_of_file_holds_the_same_cube(void** state) {
  (void)state;
  static File f;
  for (int n = 0; n < 2 * KINDS; ++n) {
    Surface* s = new_cube(n / KINDS);
    write_surface(s, (Kind)(n % KINDS), &f);
    Outcome out = read_back(&f, (Kind)(n % KINDS));
    if (out.status != CH_OK) fail_msg("kind %d: %s", n % KINDS, out.message);
    CHECK_NEAR(out.mass, 1000.0, 1e-9);
    free(s);
  }
}

// One to three faults in the bytes of each of 100 files of a kind: a finite positive mass, or a message.
static void torn_files_are_healed_or_refused(void** state) {
  (void)state;
  static File f;
  uint64_t random = 11;
  int taken = 0, refused[KINDS] = {0};
  for (int n = 0; n < 100 * KINDS; ++n) {
    const Kind kind = (Kind)(n % KINDS);
    Surface* s = new_cube(n / KINDS % 2);
    write_surface(s, kind, &f);
    for (int k = 0; k <= n % 2 * (n % 3) && f.size > 0; ++k) break_file(&f, kind, &random);
    Outcome out = read_back(&f, kind);
    if (out.status == CH_OK) {
      assert_true(out.mass > 0.0 && isfinite(out.mass));
      ++taken;
    } else {
      ++refused[kind];
      if (!strstr(out.message, "torn-") && !strstr(out.message, "mesh") && !strstr(out.message, "body"))
        fail_msg("file %d: '%s' names nothing", n, out.message);
    }
    free(s);
  }
  CHECK_AT_MOST(40, taken);
  for (int kind = 0; kind < KINDS; ++kind)
    if (refused[kind] < 40) fail_msg("%d files .%s were refused", refused[kind], endings[kind]);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_kind_of_file_holds_the_same_cube),
      cmocka_unit_test(torn_files_are_healed_or_refused),
      cmocka_unit_test(faults_with_one_cure_are_healed_to_the_same_mass),
      cmocka_unit_test(what_has_no_cure_is_refused_with_its_place),
      cmocka_unit_test(a_hundred_mutated_meshes_neither_crash_nor_hang),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
