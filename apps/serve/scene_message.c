// The scene as a page draws it: see scene_message.h.
#include "serve/scene_message.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "cardhouse/joint_types.h"
#include "cardhouse/periodic.h"
#include "cardhouse/shape.h"
#include "cardhouse/shape_types.h"
#include "cardhouse/soft.h"
#include "cardhouse/text.h"
#include "common/by_row.h"
#include "common/json.h"

enum { DIGITS = 9, FACETS = 32 };

char* ch_message_text(json_t* object) {
  char* text = object ? json_dumps(object, JSON_COMPACT | JSON_REAL_PRECISION(DIGITS)) : NULL;
  json_decref(object);
  return text;
}

json_t* ch_json_vector(ChVec3 v) {
  return json_pack("[o,o,o]", ch_json_real(v.x), ch_json_real(v.y), ch_json_real(v.z));
}

static json_t* quaternion(ChQuat q) { return json_pack("[f,f,f,f]", q.w, q.x, q.y, q.z); }

// --- shapes ----------------------------------------------------------------------------------------------------------

static json_t* vertices(int count, const ChVec3* points) {
  json_t* array = json_array();
  for (int v = 0; v < count; ++v) json_array_append_new(array, ch_json_vector(points[v]));
  return array;
}

// A convex loop as a fan.
static void add_fan(json_t* triangles, int count, const int* loop) {
  for (int k = 1; k + 1 < count; ++k)
    json_array_append_new(triangles, json_pack("[i,i,i]", loop[0], loop[k], loop[k + 1]));
}

// As float, little-endian, in base64: of a basis there are too many numbers for digits. NULL when out of memory.
static json_t* packed_floats(size_t count, const double* x) {
  char* text = NULL;
  size_t length = 0;
  float* words = malloc((count + 1) * sizeof *words);
  FILE* out = words ? open_memstream(&text, &length) : NULL;
  for (size_t k = 0; k < count && out; ++k) words[k] = (float)x[k];
  if (out) ch_base64_write(out, (const unsigned char*)words, count * sizeof *words);
  bool whole = out && fclose(out) == 0;
  json_t* packed = whole ? json_stringn_nocheck(text, length) : NULL;
  free(text);
  free(words);
  return packed;
}

// Polygons as triangles, or the points of a polyline in their order.
static void add_patches(json_t* object, const ChPatches* p, bool placed) {
  json_object_set_new(object, p->line ? "points" : "vertices", vertices(p->point_count, p->points));
  if (p->line) return;
  if (placed && p->uv && p->corner_count == 3 * p->cell_count)
    json_object_set_new(object, "uv", packed_floats(2 * (size_t)p->corner_count, p->uv));
  json_t* triangles = json_array();
  for (int c = 0, corner = 0; c < p->cell_count; corner += p->sizes[c++])
    add_fan(triangles, p->sizes[c], p->corners + corner);
  json_object_set_new(object, "triangles", triangles);
}

// Nothing where there is none, or no memory.
static void add_surface(json_t* object, const ChWorld* world, int shape) {
  ChContext context = {0};
  const ChSurfaceView view = {.reach = 1.0, .facets = FACETS};
  ChPatches patches;
  if (ch_world_shape_surface(&context, world, shape, &view, &patches) == CH_OK)
    add_patches(object, &patches, ch_world_texture_count(world) > 0);
  ch_patches_free(&patches);
}

// How each mode moves the skin.
static void add_basis(json_t* object, const ChSoftView* soft) {
  size_t count = 3 * (size_t)soft->skin->vertex_count * (size_t)soft->modes;
  json_object_set_new(object, "basis", packed_floats(count, soft->skin->shape));
}

// Of a surface that bodies share only the first shape has the triangles; the others say whose they are.
static bool is_shared(json_t* object, const ChWorld* world, int shape) {
  int other = ch_world_shape_like(world, shape), first;
  if (other == shape) return false;
  int body = ch_world_shape(world, other).body;
  ch_world_body_shapes(world, body, &first);
  json_object_set_new(object, "like", json_pack("[i,i]", body, other - first));
  return true;
}

// The numbers by which the page knows a shape of this type, as a scene would have them.
static void add_numbers(json_t* object, const ChShapeInfo* info, const ChShapeView* shape) {
  const ChShapeDef def = {.radius = shape->radius,
                          .half_length = shape->half_length,
                          .half = shape->half,
                          .normal = shape->normal,
                          .offset = shape->offset};
  for (int k = 0; k < info->field_count; ++k) {
    const ChDefField* field = &info->fields[k];
    const void* member = (const char*)&def + field->offset;
    if (field->kind == CH_DEF_SIZE || field->kind == CH_DEF_NUMBER)
      json_object_set_new(object, field->key, ch_json_real(*(const double*)member));
    if (field->kind == CH_DEF_SIZES || field->kind == CH_DEF_NORMAL)
      json_object_set_new(object, field->key, ch_json_vector(*(const ChVec3*)member));
  }
}

static void add_geometry(json_t* object, const ChWorld* world, int row, const ChShapeView* shape) {
  const ChShapeInfo* info = ch_shape_info(shape->type);
  ChSoftView soft;
  bool bends = ch_world_soft(world, shape->body, &soft);
  if (bends) {
    json_object_set_new(object, "modes", json_integer(soft.modes));
    json_object_set_new(object, "first_mode", json_integer(soft.first_mode));
    json_object_set_new(object, "young", ch_json_real(soft.young));
    json_object_set_new(object, "poisson", ch_json_real(soft.poisson));
    json_object_set_new(object, "linear", json_boolean(soft.kind == CH_SOFT_MODAL));
  }
  if (info->drawn_by_name)
    add_numbers(object, info, shape);
  else if (!is_shared(object, world, row)) {
    add_surface(object, world, row);
    if (bends) add_basis(object, &soft);
  }
}

static const char* material_name(const ChWorld* world, int material) {
  const char* name = ch_world_material(world, material).name;
  return name ? name : "default";
}

static json_t* shape_object(const ChWorld* world, int row) {
  const ChShapeView shape = ch_world_shape(world, row);
  json_t* object = json_pack("{s:s, s:s, s:o, s:o}", "type", ch_shape_info(shape.type)->name, "material",
                             material_name(world, shape.material), "at", ch_json_vector(shape.local.at), "orientation",
                             quaternion(shape.local.orientation));
  if (object) add_geometry(object, world, row, &shape);
  return object;
}

// --- bodies, joints, materials ---------------------------------------------------------------------------------------

const char* ch_body_kind_word(ChBodyKind kind) {
  return kind == CH_BODY_DYNAMIC ? "dynamic" : kind == CH_BODY_FIXED ? "fixed" : "kinematic";
}

static const char* const patterns[] = {"plain", "checks", "stripes", "card"};

// What the scene says of it; NULL where it says nothing.
static json_t* look_object(ChLook look) {
  if (!look.coloured && !look.sheer && look.pattern == CH_PATTERN_PLAIN && look.texture == 0) return NULL;
  json_t* object = json_object();
  char colour[8];
  snprintf(colour, sizeof colour, "#%06x", look.colour & 0xffffffu);
  if (look.coloured) json_object_set_new(object, "colour", json_string(colour));
  if (look.sheer) json_object_set_new(object, "opacity", ch_json_real(look.opacity));
  if (look.pattern != CH_PATTERN_PLAIN) json_object_set_new(object, "pattern", json_string(patterns[look.pattern]));
  if (look.texture > 0) json_object_set_new(object, "texture", json_integer(look.texture - 1));
  if (look.texture > 0 && look.texture_size > 0.0)
    json_object_set_new(object, "texture_size", ch_json_real(look.texture_size));
  return object;
}

// The PNG files that looks name, by their numbers, in base64; nothing where there are none.
static void add_textures(json_t* message, const ChWorld* world) {
  json_t* textures = json_array();
  for (int k = 1; k <= ch_world_texture_count(world); ++k) {
    const ChTexture texture = ch_world_texture(world, k);
    char* text = NULL;
    size_t length = 0;
    FILE* out = open_memstream(&text, &length);
    if (out) ch_base64_write(out, texture.bytes, texture.size);
    bool whole = out && fclose(out) == 0;
    json_array_append_new(textures, whole ? json_stringn_nocheck(text, length) : json_null());
    free(text);
  }
  if (message && json_array_size(textures) > 0)
    json_object_set_new(message, "textures", textures);
  else
    json_decref(textures);
}

static json_t* body_object(const ChWorld* world, int b) {
  const ChBodyInfo body = ch_world_body_info(world, ch_world_body_at(world, b));
  int first, count = ch_world_body_shapes(world, b, &first);
  json_t* shapes = json_array();
  for (int s = 0; s < count; ++s) json_array_append_new(shapes, shape_object(world, first + s));
  json_t* material = count > 0 ? json_string(material_name(world, ch_world_shape(world, first).material)) : json_null();
  json_t* object = json_pack("{s:o, s:s, s:b, s:o, s:o, s:o}", "name", ch_json_path(body.name), "kind",
                             ch_body_kind_word(body.kind), "fixed", body.kind != CH_BODY_DYNAMIC, "mass",
                             ch_json_real(body.mass), "material", material, "shapes", shapes);
  json_t* look = look_object(ch_world_look(world, b));
  if (object && look)
    json_object_set_new(object, "look", look);
  else
    json_decref(look);
  return object;
}

// Where a joint is at the start, and in each body's frame, so that it can be drawn as they move.
static json_t* joint_object(const ChWorld* world, int row) {
  const ChJointDef joint = ch_row_joint(world, row);
  json_t *anchors = json_array(), *axes = json_array();
  for (int side = 0; side < 2; ++side) {
    ChFrame frame = ch_world_joint_frame(world, ch_world_joint_at(world, row), side);
    json_array_append_new(anchors, ch_json_vector(frame.at));
    json_array_append_new(axes, ch_json_vector(ch_rotate(frame.orientation, ch_axis(2))));
  }
  return json_pack("{s:o, s:s, s:[i,i], s:o, s:o, s:o, s:o}", "name", ch_json_path(joint.name), "type",
                   ch_joint_info(joint.type)->name, "bodies", ch_world_body_row(world, joint.body[0]),
                   ch_world_body_row(world, joint.body[1]), "at", ch_json_vector(joint.at), "axis",
                   ch_json_vector(joint.axis), "anchors", anchors, "axes", axes);
}

static json_t* material_object(const ChWorld* world, int m) {
  const ChMaterialDef material = ch_world_material(world, m);
  return json_pack("{s:s, s:o, s:[o,o], s:o}", "name", material_name(world, m), "density",
                   ch_json_real(material.density), "friction", ch_json_real(material.friction[0]),
                   ch_json_real(material.friction[1]), "restitution", ch_json_real(material.restitution));
}

// --- bounds ----------------------------------------------------------------------------------------------------------

static void widen(ChViewBounds* b, ChVec3 centre, double radius) {
  b->low =
      ch_vec(fmin(b->low.x, centre.x - radius), fmin(b->low.y, centre.y - radius), fmin(b->low.z, centre.z - radius));
  b->high = ch_vec(fmax(b->high.x, centre.x + radius), fmax(b->high.y, centre.y + radius),
                   fmax(b->high.z, centre.z + radius));
}

static void widen_by_shape(ChViewBounds* b, const ChWorld* world, int row, ChFrame body, const double* modes) {
  const ChShapeView shape = ch_world_shape(world, row);
  if (!isfinite(shape.bound)) return;
  ChFrame frame = ch_frame_compose(body, shape.local);
  ChSoftView soft;
  if (ch_world_soft(world, shape.body, &soft)) {
    for (int v = 0; v < soft.skin->vertex_count; ++v)
      widen(b, ch_frame_point(frame, ch_soft_point(&soft, v, modes)), 0.0);
    return;
  }
  if (shape.cell_count > 0 || shape.point_count == 0) {
    widen(b, frame.at, shape.bound);
    return;
  }
  for (int v = 0; v < shape.point_count; ++v) widen(b, ch_frame_point(frame, shape.points[v]), 0.0);
}

ChViewBounds ch_bounds_nothing(void) {
  return (ChViewBounds){{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}};
}

void ch_bounds_add_body(ChViewBounds* bounds, const ChWorld* world, int body, ChFrame frame, const double* modes) {
  int first, count = ch_world_body_shapes(world, body, &first);
  if (count == 0) widen(bounds, frame.at, 0.0);
  for (int s = 0; s < count; ++s) widen_by_shape(bounds, world, first + s, frame, modes);
}

ChViewBounds ch_world_bounds(const ChWorld* world) {
  ChViewBounds bounds = ch_bounds_nothing();
  double modes[CH_SOFT_MODES_MAX];
  for (int any = 0; any < 2 && !(bounds.low.x <= bounds.high.x); ++any)
    for (int b = 0; b < ch_world_body_count(world); ++b) {
      bool moves = ch_row_moves(world, b);
      if (!any && !moves) continue;
      if (!moves && ch_world_body_shapes(world, b, &(int){0}) == 0) continue;
      ch_world_get_modes(world, b, modes, NULL);
      ch_bounds_add_body(&bounds, world, b, ch_world_body_start(world, b, NULL), modes);
    }
  if (!(bounds.low.x <= bounds.high.x)) return (ChViewBounds){{-1.0, -1.0, -1.0}, {1.0, 1.0, 1.0}};
  return bounds;
}

// Ends of the cell along each axis, null where the world does not repeat itself; nothing where it never does.
static void add_periods(json_t* message, const ChWorld* world) {
  const ChPeriodic p = ch_world_periodic(world);
  if (!message || !ch_periodic_any(&p)) return;
  json_t* periods = json_array();
  for (int a = 0; a < ch_world_dimension(world); ++a) {
    json_t* ends = json_pack("[f,f]", ch_component(p.low, a), ch_component(p.high, a));
    json_array_append_new(periods, p.axis[a] ? ends : json_null());
    if (!p.axis[a]) json_decref(ends);
  }
  json_object_set_new(message, "periodic", periods);
}

// The body that the camera follows, by its row.
static void name_to_row(json_t* camera, const ChWorld* world) {
  const char* name = json_string_value(json_object_get(camera, "follow"));
  if (name)
    json_object_set_new(camera, "follow", json_integer(ch_world_body_row(world, ch_world_find_body(world, name))));
}

static void add_look(json_t* message, const ChWorld* world, const char* text) {
  json_t* look = text ? json_loads(text, 0, NULL) : NULL;
  if (!look) return;
  name_to_row(json_object_get(look, "camera"), world);
  json_object_set_new(message, "look", look);
}

json_t* ch_scene_message(const ChWorld* world, const char* look) {
  json_t *bodies = json_array(), *joints = json_array(), *materials = json_array();
  for (int b = 0; b < ch_world_body_count(world); ++b) json_array_append_new(bodies, body_object(world, b));
  for (int j = 0; j < ch_world_joint_count(world); ++j) json_array_append_new(joints, joint_object(world, j));
  for (int m = 0; m < ch_world_material_count(world); ++m) json_array_append_new(materials, material_object(world, m));
  ChViewBounds bounds = ch_world_bounds(world);
  json_t* message = json_pack("{s:i, s:o, s:o, s:o, s:o, s:[o,o]}", "dimension", ch_world_dimension(world), "gravity",
                              ch_json_vector(ch_world_gravity_at(world, 0.0)), "materials", materials, "bodies", bodies,
                              "joints", joints, "bounds", ch_json_vector(bounds.low), ch_json_vector(bounds.high));
  add_periods(message, world);
  add_textures(message, world);
  if (message) add_look(message, world, look);
  return message;
}
