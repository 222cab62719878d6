// The scene as a page draws it: see scene_message.h.
#include "serve/scene_message.h"

#include <stdio.h>
#include <stdlib.h>

#include "cardhouse/text.h"
#include "common/json.h"
#include "model/shapes/shape_kind.h"
#include "model/soft/soft.h"

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

// Polygons as triangles, or the points of a polyline in their order.
static void add_patches(json_t* object, const ChPatches* p) {
  json_object_set_new(object, p->line ? "points" : "vertices", vertices(p->point_count, p->points));
  if (p->line) return;
  json_t* triangles = json_array();
  for (int c = 0, corner = 0; c < p->cell_count; corner += p->sizes[c++])
    add_fan(triangles, p->sizes[c], p->corners + corner);
  json_object_set_new(object, "triangles", triangles);
}

// Nothing when out of memory.
static void add_surface(json_t* object, const ChShape* shape) {
  const ChSurfaceView view = {.reach = 1.0, .facets = FACETS};
  jmp_buf landing;
  ChArena* arena = ch_arena_create(&landing);
  if (arena && !setjmp(landing)) {
    ChPatches patches = ch_shape_patches(arena, shape, &view);
    add_patches(object, &patches);
  }
  ch_arena_destroy(arena);
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

// How each mode moves the skin.
static void add_basis(json_t* object, const ChSoft* soft) {
  size_t count = 3 * (size_t)soft->skin.vertex_count * (size_t)soft->modes;
  json_object_set_new(object, "basis", packed_floats(count, soft->skin.shape));
}

// Of a surface that bodies share only the first shape has the triangles; the others say whose they are.
static bool is_shared(json_t* object, const ChWorld* world, const ChShape* shape) {
  if (!shape->mesh && !shape->soft) return false;
  for (int k = 0; k < world->shape_count && &world->shapes[k] != shape; ++k) {
    const ChShape* other = &world->shapes[k];
    if (other->mesh != shape->mesh || other->soft != shape->soft) continue;
    json_object_set_new(object, "like", json_pack("[i,i]", other->body, k - world->bodies[other->body].first_shape));
    return true;
  }
  return false;
}

// The numbers by which the page knows a shape of this type, as a scene would have them.
static void add_numbers(json_t* object, const ChShapeInfo* info, const ChShape* shape) {
  const ChShapeDef def = ch_shape_def(shape);
  for (int k = 0; k < info->field_count; ++k) {
    const ChDefField* field = &info->fields[k];
    const void* member = (const char*)&def + field->offset;
    if (field->kind == CH_DEF_SIZE || field->kind == CH_DEF_NUMBER)
      json_object_set_new(object, field->key, ch_json_real(*(const double*)member));
    if (field->kind == CH_DEF_SIZES || field->kind == CH_DEF_NORMAL)
      json_object_set_new(object, field->key, ch_json_vector(*(const ChVec3*)member));
  }
}

static void add_geometry(json_t* object, const ChWorld* world, const ChShape* shape) {
  const ChShapeInfo* info = ch_shape_info(shape->type);
  if (shape->soft) {
    json_object_set_new(object, "modes", json_integer(shape->soft->modes));
    json_object_set_new(object, "first_mode", json_integer(world->bodies[shape->body].first_mode));
  }
  if (info->drawn_by_name)
    add_numbers(object, info, shape);
  else if (!is_shared(object, world, shape)) {
    add_surface(object, shape);
    if (shape->soft) add_basis(object, shape->soft);
  }
}

static const char* material_name(const ChWorld* world, int material) {
  return world->materials[material].name ? world->materials[material].name : "default";
}

static json_t* shape_object(const ChWorld* world, const ChShape* shape) {
  json_t* object = json_pack("{s:s, s:s, s:o, s:o}", "type", ch_shape_info(shape->type)->name, "material",
                             material_name(world, shape->material), "at", ch_json_vector(shape->local.at),
                             "orientation", quaternion(shape->local.orientation));
  if (object) add_geometry(object, world, shape);
  return object;
}

// --- bodies, joints, materials ---------------------------------------------------------------------------------------

const char* ch_body_kind_word(ChBodyKind kind) {
  return kind == CH_BODY_DYNAMIC ? "dynamic" : kind == CH_BODY_FIXED ? "fixed" : "kinematic";
}

static json_t* body_object(const ChWorld* world, int b) {
  const ChBody* body = &world->bodies[b];
  json_t* shapes = json_array();
  for (int s = 0; s < body->shape_count; ++s)
    json_array_append_new(shapes, shape_object(world, &world->shapes[body->first_shape + s]));
  json_t* material = body->shape_count > 0
                         ? json_string(material_name(world, world->shapes[body->first_shape].material))
                         : json_null();
  return json_pack("{s:o, s:s, s:b, s:o, s:o, s:o}", "name", ch_json_path(body->name), "kind",
                   ch_body_kind_word(body->kind), "fixed", body->kind != CH_BODY_DYNAMIC, "mass",
                   ch_json_real(body->mass), "material", material, "shapes", shapes);
}

// Where a joint is at the start, and in each body's frame, so that it can be drawn as they move.
static json_t* joint_object(const ChWorld* world, const ChJoint* joint) {
  json_t *anchors = json_array(), *axes = json_array();
  for (int side = 0; side < 2; ++side) {
    json_array_append_new(anchors, ch_json_vector(joint->frame[side].at));
    json_array_append_new(axes, ch_json_vector(ch_rotate(joint->frame[side].orientation, ch_axis(2))));
  }
  ChFrame frame = ch_frame_compose(ch_state_frame(world->states, joint->body[0]), joint->frame[0]);
  return json_pack("{s:o, s:s, s:[i,i], s:o, s:o, s:o, s:o}", "name", ch_json_path(joint->name), "type",
                   ch_joint_info(joint->type)->name, "bodies", joint->body[0], joint->body[1], "at",
                   ch_json_vector(frame.at), "axis", ch_json_vector(ch_rotate(frame.orientation, ch_axis(2))),
                   "anchors", anchors, "axes", axes);
}

static json_t* material_object(const ChWorld* world, int m) {
  const ChMaterial* material = &world->materials[m];
  return json_pack("{s:s, s:o, s:[o,o], s:o}", "name", material_name(world, m), "density",
                   ch_json_real(material->density), "friction", ch_json_real(material->friction[0]),
                   ch_json_real(material->friction[1]), "restitution", ch_json_real(material->restitution));
}

// --- bounds ----------------------------------------------------------------------------------------------------------

static void widen(ChViewBounds* b, ChVec3 centre, double radius) {
  b->low =
      ch_vec(fmin(b->low.x, centre.x - radius), fmin(b->low.y, centre.y - radius), fmin(b->low.z, centre.z - radius));
  b->high = ch_vec(fmax(b->high.x, centre.x + radius), fmax(b->high.y, centre.y + radius),
                   fmax(b->high.z, centre.z + radius));
}

static void widen_by_shape(ChViewBounds* b, const ChWorld* world, const ChShape* shape, const ChBodyState* states) {
  if (!isfinite(shape->bound)) return;
  ChFrame frame = ch_shape_frame(shape, &states[shape->body]);
  if (shape->soft) {
    const double* q = ch_state_modes(world, states, shape->body);
    for (int v = 0; v < shape->soft->skin.vertex_count; ++v)
      widen(b, ch_frame_point(frame, ch_soft_vertex(shape->soft, v, q)), 0.0);
    return;
  }
  if (!shape->polytope) {
    widen(b, frame.at, shape->bound);
    return;
  }
  for (int v = 0; v < shape->polytope->vertex_count; ++v)
    widen(b, ch_frame_point(frame, shape->polytope->vertices[v]), 0.0);
}

ChViewBounds ch_world_bounds(const ChWorld* world, const ChBodyState* states) {
  if (!states) states = world->states;
  const ChViewBounds nothing = {{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}};
  ChViewBounds bounds = nothing;
  for (int any = 0; any < 2 && !(bounds.low.x <= bounds.high.x); ++any)
    for (int b = 0; b < world->body_count; ++b) {
      if (!any && world->bodies[b].kind != CH_BODY_DYNAMIC) continue;
      const ChBody* body = &world->bodies[b];
      if (body->shape_count == 0 && body->kind == CH_BODY_DYNAMIC) widen(&bounds, states[b].position, 0.0);
      for (int s = 0; s < body->shape_count; ++s)
        widen_by_shape(&bounds, world, &world->shapes[body->first_shape + s], states);
    }
  if (!(bounds.low.x <= bounds.high.x)) return (ChViewBounds){{-1.0, -1.0, -1.0}, {1.0, 1.0, 1.0}};
  return bounds;
}

json_t* ch_scene_message(const ChWorld* world, const ChBodyState* states) {
  json_t *bodies = json_array(), *joints = json_array(), *materials = json_array();
  for (int b = 0; b < world->body_count; ++b) json_array_append_new(bodies, body_object(world, b));
  for (int j = 0; j < world->joint_count; ++j) json_array_append_new(joints, joint_object(world, &world->joints[j]));
  for (int m = 0; m < world->material_count; ++m) json_array_append_new(materials, material_object(world, m));
  ChViewBounds bounds = ch_world_bounds(world, states);
  return json_pack("{s:i, s:o, s:o, s:o, s:o, s:[o,o]}", "dimension", world->dimension, "gravity",
                   ch_json_vector(ch_world_gravity(world, 0.0)), "materials", materials, "bodies", bodies, "joints",
                   joints, "bounds", ch_json_vector(bounds.low), ch_json_vector(bounds.high));
}
