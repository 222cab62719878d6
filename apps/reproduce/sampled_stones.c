// See sampled_stones.h.
#include "reproduce/sampled_stones.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "cardhouse/geometry.h"
#include "reproduce/play.h"

enum { CORNERS = 8, FACES = 6 };

// Corners of a voussoir, four at the front and the same four at the back; each face in the order of its rim.
static const int faces[FACES][4] = {{0, 1, 3, 2}, {4, 5, 7, 6}, {0, 1, 5, 4}, {1, 3, 7, 5}, {3, 2, 6, 7}, {2, 0, 4, 6}};

static ChVec3 corner(const json_t* points, int k) {
  const json_t* p = json_array_get(points, (size_t)k);
  double x[3];
  for (size_t a = 0; a < 3; ++a) x[a] = json_number_value(json_array_get(p, a));
  return ch_vec(x[0], x[1], x[2]);
}

// The triangle a, b, c, turned so that it faces away from the centre.
static json_t* triangle(const json_t* points, ChVec3 centre, int a, int b, int c) {
  ChVec3 at = corner(points, a);
  ChVec3 normal = ch_cross(ch_sub(corner(points, b), at), ch_sub(corner(points, c), at));
  bool outward = ch_dot(normal, ch_sub(at, centre)) > 0.0;
  return json_pack("[iii]", a, outward ? b : c, outward ? c : b);
}

static void make_mesh(json_t* shape, double spacing) {
  const json_t* points = json_object_get(shape, "points");
  ChVec3 centre = {0.0, 0.0, 0.0};
  for (int k = 0; k < CORNERS; ++k) centre = ch_along(centre, 1.0 / CORNERS, corner(points, k));
  json_t* triangles = json_array();
  for (int f = 0; f < FACES; ++f)
    for (int half = 1; half < 3; ++half)
      json_array_append_new(triangles, triangle(points, centre, faces[f][0], faces[f][half], faces[f][half + 1]));
  json_object_set_new(shape, "type", json_string("mesh"));
  json_object_set_new(shape, "triangles", triangles);
  json_object_set_new(shape, "contact", json_string("sampled"));
  json_object_set_new(shape, "spacing", json_real(spacing));
  json_object_set_new(shape, "faces", json_true());
}

static bool is_stone(const json_t* shape) {
  const char* type = json_string_value(json_object_get(shape, "type"));
  return type && strcmp(type, "hull") == 0 && json_array_size(json_object_get(shape, "points")) == CORNERS;
}

ChStatus ch_sample_stones(ChItemRun* run, double spacing, ChScene** scene) {
  json_t *root = json_loads((*scene)->text, 0, NULL), *body, *shape;
  size_t b, s;
  json_array_foreach(json_object_get(root, "bodies"), b, body)
      json_array_foreach(json_object_get(body, "shapes"), s, shape) if (is_stone(shape)) make_mesh(shape, spacing);
  char* text = root ? json_dumps(root, JSON_REAL_PRECISION(17)) : NULL;
  json_decref(root);
  ch_scene_destroy(*scene);
  *scene = NULL;
  if (!text) return ch_fail(run->context, CH_ERR_MEMORY, "out of memory for a scene of meshes");
  ChStatus status = ch_item_parse(run, text, "stones as meshes", scene);
  free(text);
  return status;
}
