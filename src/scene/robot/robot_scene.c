// The scene of a robot's model: where its bodies start, which of them are one, and all of it as JSON.
//
// A body is placed by its parent, its frame and its joints in their order: T = T_parent F J_1 J_2 ..., each joint at
// its start, which is the value nearest to the file's own that its limits allow.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "cardhouse/joint.h"
#include "cardhouse/shape.h"
#include "scene/robot/robot.h"
#include "scene/robot/robot_joints.h"

static const double DENSITY = 1000.0;  // of links without a mass, kg/m^3

// ------------------------------------------------------------------------------------------------------ where all
// starts

static bool is_free(const ChRobotBody* body) {
  return body->joint_count == 1 && body->joints[0].motion == CH_ROBOT_FREE;
}

static void start_joint(ChRobot* robot, ChRobotJoint* j) {
  j->start = j->zero;
  if (!j->limited) return;
  j->start = fmin(fmax(j->zero, j->lower), j->upper);
  if (j->start != j->zero)
    ch_robot_note(robot, j->node, "joint '%.80s' starts at %.6g, the nearest to %.6g that its limits allow", j->name,
                  j->start, j->zero);
}

ChFrame ch_robot_joint_moved(const ChRobotJoint* j) {
  double q = j->start - j->zero;
  ChFrame f = ch_robot_frame_identity();
  if (j->motion == CH_ROBOT_SLIDE) f.at = ch_scale(q, j->axis);
  if (j->motion == CH_ROBOT_HINGE && q != 0.0) {
    f.orientation = ch_quat_about(j->axis, q);
    f.at = ch_sub(j->at, ch_rotate(f.orientation, j->at));
  }
  return f;
}

static void place_bodies(ChRobot* robot, ChRobotPlace* places) {
  for (int b = 0; b < robot->body_count; ++b) {
    ChRobotBody* body = &robot->bodies[b];
    const ChRobotPlace* above = body->parent >= 0 ? &places[body->parent] : NULL;
    ChFrame frame = above ? ch_frame_compose(above->frame, body->frame) : body->frame;
    places[b].before = frame;
    for (int k = 0; k < body->joint_count; ++k) {
      start_joint(robot, &body->joints[k]);
      frame = ch_frame_compose(frame, ch_robot_joint_moved(&body->joints[k]));
    }
    places[b].frame = frame;
    places[b].whole = body->joint_count > 0 ? b : above ? above->whole : -1;
  }
}

// ------------------------------------------------------------------------------------------------------------ the
// masses

// Of the file, or of its shapes.
static bool own_mass(ChRobot* robot, const ChRobotBody* body, ChRobotMass* out) {
  *out = body->mass;
  if (body->weighed || body->shape_count == 0) return true;
  *out = (ChRobotMass){0};
  for (int k = 0; k < body->shape_count; ++k) {
    ChRobotMass one;
    if (!ch_robot_weigh(robot, body->shapes[k].node, &body->shapes[k].def, &one)) return false;
    *out = ch_robot_mass_sum(*out, ch_robot_mass_placed(body->shapes[k].frame, one));
  }
  *out = ch_robot_mass_scaled(DENSITY, *out);
  ch_robot_note(robot, body->node, "'%.80s' has no mass of its own: %.4g kg follow from its shapes at 1000 kg/m^3",
                body->name, out->mass);
  return true;
}

static ChFrame seen_from(ChFrame whole, ChFrame part) {
  return (ChFrame){ch_frame_local(whole, part.at),
                   ch_quat_product(ch_quat_conjugate(whole.orientation), part.orientation)};
}

static bool sum_masses(ChRobot* robot, const ChRobotPlace* places, ChRobotMass* masses) {
  for (int b = 0; b < robot->body_count; ++b) {
    int whole = places[b].whole;
    ChRobotMass own;
    if (whole < 0) continue;
    if (!own_mass(robot, &robot->bodies[b], &own)) return false;
    masses[whole] =
        ch_robot_mass_sum(masses[whole], ch_robot_mass_placed(seen_from(places[whole].frame, places[b].frame), own));
  }
  for (int b = 0; b < robot->body_count; ++b)
    if (places[b].whole == b && !(masses[b].mass > 0.0))
      return ch_xml_wrong(robot->reader, robot->bodies[b].node,
                          "'%.80s' moves and has no mass; give it <inertial>, or shapes", robot->bodies[b].name);
  return true;
}

// ------------------------------------------------------------------------------------------------------------------
// JSON

json_t* ch_robot_vector(ChVec3 v) { return json_pack("[f, f, f]", v.x, v.y, v.z); }

static void put_place(json_t* object, const char* at, ChFrame frame) {
  ChQuat q = ch_quat_unit(frame.orientation);
  if (!ch_vec_is_zero(frame.at)) json_object_set_new(object, at, ch_robot_vector(frame.at));
  if (q.x != 0.0 || q.y != 0.0 || q.z != 0.0)
    json_object_set_new(object, "orientation", json_pack("[f, f, f, f]", q.w, q.x, q.y, q.z));
}

static void put_mass(json_t* body, const ChRobotMass* m) {
  const double(*j)[3] = m->inertia.m;
  json_object_set_new(body, "mass", json_real(m->mass));
  json_object_set_new(body, "centre", ch_robot_vector(m->centre));
  json_object_set_new(body, "inertia",
                      json_pack("[f, f, f, f, f, f]", j[0][0], j[1][1], j[2][2], j[0][1], j[0][2], j[1][2]));
}

static void put_look(json_t* object, const ChRobotBody* body) {
  if (!body->coloured) return;
  unsigned hex[3];
  for (int k = 0; k < 3; ++k) hex[k] = (unsigned)lround(255.0 * fmin(fmax(body->colour[k], 0.0), 1.0));
  json_t* look = json_pack("{s:o}", "colour", json_sprintf("#%02x%02x%02x", hex[0], hex[1], hex[2]));
  double opacity = fmin(fmax(body->colour[3], 0.0), 1.0);
  if (opacity < 1.0) json_object_set_new(look, "opacity", json_real(opacity));
  json_object_set_new(object, "look", look);
}

static void put_points(json_t* shape, const ChShapeDef* def) {
  json_t* points = json_array();
  for (int k = 0; k < def->point_count; ++k) json_array_append_new(points, ch_robot_vector(def->points[k]));
  json_object_set_new(shape, "points", points);
}

static json_t* shape_json(const ChRobotShape* s, ChFrame frame) {
  const ChShapeDef* def = &s->def;
  const ChShapeInfo* info = ch_shape_info(def->type);
  json_t* shape = json_pack("{s:s}", "type", info->name);
  if (def->radius > 0.0) json_object_set_new(shape, "radius", json_real(def->radius));
  if (def->half_length > 0.0) json_object_set_new(shape, "half_length", json_real(def->half_length));
  if (!ch_vec_is_zero(def->half)) json_object_set_new(shape, "half", ch_robot_vector(def->half));
  if (def->file) json_object_set_new(shape, "file", json_string(def->file));
  if (def->scale != 0.0) json_object_set_new(shape, "scale", json_real(def->scale));
  if (def->point_count > 0) put_points(shape, def);
  if (s->material >= 0) json_object_set_new(shape, "material", json_sprintf("material %d", s->material + 1));
  put_place(shape, "at", frame);
  return shape;
}

// --- bodies

// All shapes of the bodies that are one, and the elements they come from; `whole` -1: of what stands still.
static json_t* shapes_json(const ChRobot* robot, const ChRobotPlace* places, int whole, const ChXmlNode*** out,
                           int* count) {
  json_t* list = json_array();
  ChFrame frame = whole >= 0 ? places[whole].frame : ch_robot_frame_identity();
  int total = 0;
  for (int b = 0; b < robot->body_count; ++b) total += places[b].whole == whole ? robot->bodies[b].shape_count : 0;
  const ChXmlNode** from = *out = CH_TAKE(robot->reader->arena, total + 1, const ChXmlNode*);
  *count = 0;
  for (int b = 0; b < robot->body_count; ++b)
    for (int k = 0; places[b].whole == whole && k < robot->bodies[b].shape_count; ++k) {
      const ChRobotShape* s = &robot->bodies[b].shapes[k];
      ChFrame at = ch_frame_compose(seen_from(frame, places[b].frame), s->frame);
      from[(*count)++] = s->node;
      json_array_append_new(list, shape_json(s, at));
    }
  return list;
}

static void add_body(ChRobotBuild* build, json_t* body, const ChXmlNode* node, const ChXmlNode** shapes, int count) {
  ChRobotOrigins* o = build->origins;
  o->body[o->body_count] = node;
  o->shape[o->body_count] = shapes;
  o->shape_count[o->body_count++] = count;
  json_array_append_new(build->bodies, body);
}

static void add_moving(ChRobotBuild* build, int b) {
  const ChRobotBody* body = &build->robot->bodies[b];
  ChRobotMass mass = build->masses[b];
  double share = ch_robot_chain_share(build, b);
  const ChXmlNode** from;
  int count;
  json_t* object = json_pack("{s:s}", "name", body->name);
  put_place(object, "position", build->places[b].frame);
  ch_robot_note_armature(build, b, &mass);
  for (int k = 1; k <= ch_robot_chain_length(build, b); ++k) {
    char name[220];
    ch_robot_chain_name(build, b, k, name, sizeof name);
    json_t* link = json_pack("{s:s}", "name", name);
    put_place(link, "position", build->places[b].frame);
    ChRobotMass part = ch_robot_mass_scaled(share, mass);
    put_mass(link, &part);
    add_body(build, link, body->joints[k - 1].node, NULL, 0);
  }
  mass = ch_robot_mass_scaled(1.0 - share * ch_robot_chain_length(build, b), mass);
  put_mass(object, &mass);
  put_look(object, body);
  json_t* shapes = shapes_json(build->robot, build->places, b, &from, &count);
  json_object_set_new(object, "shapes", shapes);
  add_body(build, object, body->node, from, count);
}

static void add_still(ChRobotBuild* build) {
  const ChRobot* robot = build->robot;
  const ChXmlNode** from;
  int count;
  json_t* shapes = shapes_json(robot, build->places, -1, &from, &count);
  build->stands = count > 0;
  if (count == 0) {
    json_decref(shapes);
    return;
  }
  json_t* object = json_pack("{s:s, s:b}", "name", robot->ground, "fixed", 1);
  for (int b = 0; b < robot->body_count; ++b)
    if (build->places[b].whole < 0 && robot->bodies[b].coloured && !json_object_get(object, "look"))
      put_look(object, &robot->bodies[b]);
  json_object_set_new(object, "shapes", shapes);
  add_body(build, object, from[0], from, count);
}

// --- materials

static ChRobotMaterial together(const ChRobotMaterial* a, const ChRobotMaterial* b) {
  if (a->priority != b->priority) return a->priority > b->priority ? *a : *b;
  ChRobotMaterial both = *a;
  for (int k = 0; k < 3; ++k) both.friction[k] = fmax(a->friction[k], b->friction[k]);
  if (b->contact > both.contact) both.contact = b->contact;
  return both;
}

static void put_friction(json_t* object, const ChRobotMaterial* m, bool all) {
  double drilling = m->contact >= 4 ? m->friction[1] : 0.0, rolling = m->contact >= 6 ? m->friction[2] : 0.0;
  json_object_set_new(object, "friction", json_real(m->contact == 1 ? 0.0 : m->friction[0]));
  if (all || drilling > 0.0) json_object_set_new(object, "drilling", json_real(drilling));
  if (all || rolling > 0.0) json_object_set_new(object, "rolling", json_real(rolling));
}

static const ChRobotMaterial* own_rule(const ChRobot* robot, int i, int j) {
  for (int k = 0; k < robot->pair_count; ++k) {
    const int* m = robot->pairs[k].material;
    if ((m[0] == i && m[1] == j) || (m[0] == j && m[1] == i)) return &robot->pairs[k].of;
  }
  return NULL;
}

static void put_materials(const ChRobot* robot, json_t* root) {
  json_t *materials = json_object(), *pairs = json_array();
  for (int i = 0; i < robot->material_count; ++i) {
    char name[40];
    snprintf(name, sizeof name, "material %d", i + 1);
    json_t* material = json_object();
    put_friction(material, &robot->materials[i], false);
    json_object_set_new(materials, name, material);
    for (int j = 0; j < i; ++j) {
      const ChRobotMaterial* own = own_rule(robot, i, j);
      ChRobotMaterial both = own ? *own : together(&robot->materials[j], &robot->materials[i]);
      json_t* pair = json_pack("{s:[o, s]}", "materials", json_sprintf("material %d", j + 1), name);
      put_friction(pair, &both, true);
      json_array_append_new(pairs, pair);
    }
  }
  if (robot->material_count > 0) json_object_set(root, "materials", materials);
  if (json_array_size(pairs) > 0) json_object_set(root, "pairs", pairs);
  json_decref(materials);
  json_decref(pairs);
}

// --- all

static void put_floor(ChRobotBuild* build) {
  json_t* shape = json_pack("{s:s, s:f}", "type", "halfspace", "offset", build->robot->choice.floor);
  json_t* body = json_pack("{s:s, s:b, s:[o]}", "name", "floor", "fixed", 1, "shapes", shape);
  add_body(build, body, build->root, NULL, 0);
}

static json_t* begin(const ChRobot* robot) {
  json_t* root =
      json_pack("{s:i, s:s, s:o}", "cardhouse", 1, "name", robot->name, "gravity", ch_robot_vector(robot->gravity));
  if (robot->h > 0.0) json_object_set_new(root, "step", json_pack("{s:f}", "h", robot->h));
  return root;
}

static void make_origins(ChRobotBuild* build) {
  const ChRobot* robot = build->robot;
  ChArena* arena = robot->reader->arena;
  int joints = robot->tie_count;
  for (int b = 0; b < robot->body_count; ++b) joints += robot->bodies[b].joint_count;
  ChRobotOrigins* o = build->origins;
  int bodies = robot->body_count + joints + 2;
  o->body = CH_TAKE(arena, bodies, const ChXmlNode*);
  o->shape = CH_TAKE(arena, bodies, const ChXmlNode**);
  o->shape_count = CH_TAKE(arena, bodies, int);
  o->joint = CH_TAKE(arena, joints + 1, const ChXmlNode*);
}

static void free_json(void* root) { json_decref(root); }

json_t* ch_robot_scene(ChRobot* robot, ChXmlNode* node, ChRobotOrigins* origins) {
  ChArena* arena = robot->reader->arena;
  ChRobotBuild build = {.robot = robot,
                        .root = node,
                        .origins = origins,
                        .places = CH_TAKE(arena, robot->body_count + 1, ChRobotPlace),
                        .masses = CH_TAKE(arena, robot->body_count + 1, ChRobotMass)};
  make_origins(&build);
  place_bodies(robot, build.places);
  if (!sum_masses(robot, build.places, build.masses)) return NULL;
  json_t* root = begin(robot);
  ch_arena_defer(arena, free_json, root);
  build.scene = root;
  put_materials(robot, root);
  json_object_set_new(root, "bodies", build.bodies = json_array());
  json_object_set_new(root, "joints", build.joints = json_array());
  json_object_set_new(root, "ignore", build.ignore = json_array());
  if (robot->choice.has_floor) put_floor(&build);
  add_still(&build);
  for (int b = 0; b < robot->body_count; ++b)
    if (build.places[b].whole == b) add_moving(&build, b);
  for (int b = 0; b < robot->body_count; ++b)
    if (build.places[b].whole == b && !is_free(&robot->bodies[b]) && !ch_robot_put_joints(&build, b)) return NULL;
  for (int k = 0; k < robot->tie_count; ++k)
    if (!ch_robot_put_tie(&build, &robot->ties[k])) return NULL;
  ch_robot_put_ignored(&build);
  return root;
}
