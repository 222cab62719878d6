// Joints of a robot: see robot_joints.h.
#include "scene/robot/robot_joints.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { NAME_SIZE = 220 };  // two names of at most 100 letters

static const double SHARE = 1e-3, PI = 3.141592653589793, STRAIGHT = 1e-9;

// --------------------------------------------------------------------------------------------- several joints that are
// one

// A joint of ours that several of the file's are together.
typedef struct Union {
  const char* type;  // NULL: they are none
  int axis, second;  // joints whose axes it has; -1: none
  int freedom[3];    // which joint its freedoms are
} Union;

static bool is_idle(const ChRobotJoint* j) {
  return !j->limited && j->friction == 0.0 && j->damping == 0.0 && j->stiffness == 0.0 && !j->drive;
}
static bool along(const ChRobotJoint* a, const ChRobotJoint* b) {
  return ch_norm(ch_cross(a->axis, b->axis)) < STRAIGHT && ch_dot(a->axis, b->axis) > 0.0;
}
static bool across(const ChRobotJoint* a, const ChRobotJoint* b) { return fabs(ch_dot(a->axis, b->axis)) < STRAIGHT; }

static Union of_two(const ChRobotJoint* a, const ChRobotJoint* b) {
  const bool slide_a = a->motion == CH_ROBOT_SLIDE, slide_b = b->motion == CH_ROBOT_SLIDE;
  if (slide_a != slide_b && along(a, b))
    return (Union){"cylindrical", slide_a ? 1 : 0, -1, {slide_a ? 0 : 1, slide_a ? 1 : 0, -1}};
  if (!slide_a && !slide_b && across(a, b) && ch_norm(ch_sub(a->at, b->at)) < STRAIGHT)
    return (Union){"universal", 0, 1, {0, 1, -1}};
  return (Union){0};
}

// Two displacements and the angle about what is normal to them.
static Union of_three(const ChRobotJoint* j) {
  for (int hinge = 0; hinge < 3; ++hinge) {
    const ChRobotJoint *a = &j[(hinge + 1) % 3], *b = &j[(hinge + 2) % 3];
    if (j[hinge].motion == CH_ROBOT_HINGE && a->motion == CH_ROBOT_SLIDE && b->motion == CH_ROBOT_SLIDE &&
        across(a, b) && across(a, &j[hinge]) && across(b, &j[hinge]) && is_idle(a) && is_idle(b))
      return (Union){"planar", hinge, -1, {-1, -1, hinge}};
  }
  return (Union){0};
}

static Union union_of(const ChRobotBody* body) {
  for (int k = 0; k < body->joint_count; ++k)
    if (body->joints[k].motion != CH_ROBOT_HINGE && body->joints[k].motion != CH_ROBOT_SLIDE) return (Union){0};
  if (body->joint_count == 2) return of_two(&body->joints[0], &body->joints[1]);
  return body->joint_count == 3 ? of_three(body->joints) : (Union){0};
}

int ch_robot_chain_length(const ChRobotBuild* build, int b) {
  const ChRobotBody* body = &build->robot->bodies[b];
  return body->joint_count > 1 && !union_of(body).type ? body->joint_count - 1 : 0;
}

double ch_robot_chain_share(const ChRobotBuild* build, int b) {
  int links = ch_robot_chain_length(build, b);
  return links > 0 ? fmin(SHARE, 0.1 / links) : 0.0;
}

void ch_robot_chain_name(const ChRobotBuild* build, int b, int link, char* name, size_t size) {
  const ChRobotBody* body = &build->robot->bodies[b];
  if (link > body->joint_count - 1)
    snprintf(name, size, "%s", body->name);
  else
    snprintf(name, size, "%s/%s", body->name, body->joints[link - 1].name);
}

// ------------------------------------------------------------------------------------------------------------- rotors

// The energy of a rotor is a (dq/dt)^2 / 2, dq/dt = n . (w_b - w_a); a n n' on the body is that where w_a . n is 0.
void ch_robot_note_armature(ChRobotBuild* build, int b, ChRobotMass* mass) {
  const ChRobotBody* body = &build->robot->bodies[b];
  for (int k = 0; k < body->joint_count; ++k) {
    const ChRobotJoint* j = &body->joints[k];
    ChRobotMass with = *mass;
    if (!(j->armature > 0.0)) continue;
    ch_mat_add_outer(&with.inertia, j->armature, j->axis, j->axis);
    ChVec3 p = ch_mat_principal(with.inertia);
    if (j->motion != CH_ROBOT_HINGE) {
      ch_robot_note(build->robot, j->node, "armature of '%.60s' is left out: it is read for hinges only", j->name);
    } else if (!(p.x + p.y >= p.z)) {
      ch_robot_note(build->robot, j->node,
                    "armature of '%.60s' is left out: %g kg m^2 more about its axis would make the inertia impossible "
                    "for '%.60s'",
                    j->name, j->armature, body->name);
    } else {
      *mass = with;
      ch_robot_note(build->robot, j->node,
                    "armature of '%.60s' is added to the inertia of '%.60s': exact while its parent does not turn",
                    j->name, body->name);
    }
  }
}

// ------------------------------------------------------------------------------------------------------- one of them

static const char* type_of(ChRobotMotion motion) {
  static const char* const types[] = {
      [CH_ROBOT_HINGE] = "hinge", [CH_ROBOT_SLIDE] = "slider", [CH_ROBOT_BALL] = "ball", [CH_ROBOT_PLANAR] = "planar"};
  return types[motion];
}

// Coordinates of a scene count from the start.
static void put_limits(ChRobotBuild* build, json_t* axis, const ChRobotJoint* j) {
  if (!j->limited) return;
  if (j->motion == CH_ROBOT_HINGE && !(j->upper - j->lower < 2.0 * PI)) {
    ch_robot_note(build->robot, j->node, "limits of '%.80s', %.6g to %.6g radian, are a full turn or more: left out",
                  j->name, j->lower, j->upper);
    return;
  }
  json_object_set_new(axis, "lower", json_real(j->lower - j->start));
  json_object_set_new(axis, "upper", json_real(j->upper - j->start));
}

static json_t* axis_json(ChRobotBuild* build, const ChRobotJoint* j) {
  json_t* axis = json_object();
  put_limits(build, axis, j);
  if (j->friction > 0.0) json_object_set_new(axis, "friction", json_real(j->friction));
  if (j->stiffness > 0.0) {
    json_object_set_new(axis, "stiffness", json_real(j->stiffness));
    if (j->rest != j->start) json_object_set_new(axis, "rest", json_real(j->rest - j->start));
  }
  if (j->damping > 0.0) json_object_set_new(axis, "damping", json_real(j->damping));
  if (j->drive) {
    json_object_set_new(axis, "drive", json_string(j->drive));
    double target = strcmp(j->drive, "position") == 0 ? -j->start : 0.0;
    json_object_set_new(axis, "target", json_real(target == 0.0 ? 0.0 : target));
  }
  if (j->strength > 0.0) json_object_set_new(axis, "strength", json_real(j->strength));
  return axis;
}

static void keep(ChRobotBuild* build, json_t* joint, json_t* axes, const ChXmlNode* node) {
  bool some = false;
  for (size_t k = 0; k < json_array_size(axes); ++k) some = some || json_object_size(json_array_get(axes, k)) > 0;
  if (some)
    json_object_set_new(joint, "axes", axes);
  else
    json_decref(axes);
  build->origins->joint[build->origins->joint_count++] = node;
  json_array_append_new(build->joints, joint);
}

// A joint that leads on from a moving body must begin within its limits; its name for the world is "ground".
static const char* name_of(const ChRobotBuild* build, int body, bool touching) {
  int whole = body < 0 ? -1 : build->places[body].whole;
  if (whole >= 0) return build->robot->bodies[whole].name;
  return build->stands && !touching ? build->robot->ground : "ground";
}

static json_t* joint_json(const char* name, const char* type, const char* first, const char* second, ChVec3 at) {
  return json_pack("{s:s, s:s, s:[s, s], s:o}", "name", name, "type", type, "bodies", first, second, "at",
                   ch_robot_vector(at));
}

// Where joint k is as the scene begins: the frame before it moves.
static ChFrame frame_of(const ChRobotBuild* build, int b, int k) {
  const ChRobotBody* body = &build->robot->bodies[b];
  ChFrame frame = build->places[b].before;
  for (int i = 0; i < k; ++i) frame = ch_frame_compose(frame, ch_robot_joint_moved(&body->joints[i]));
  return frame;
}

static void put_union(ChRobotBuild* build, int b, const Union* u) {
  const ChRobotBody* body = &build->robot->bodies[b];
  const ChRobotJoint* main = &body->joints[u->axis];
  ChFrame frame = frame_of(build, b, u->axis);
  json_t* joint = joint_json(main->name, u->type, name_of(build, body->parent, build->robot->touches_ground),
                             body->name, ch_frame_point(frame, main->at));
  json_object_set_new(joint, "axis", ch_robot_vector(ch_rotate(frame.orientation, main->axis)));
  if (u->second >= 0) {
    ChVec3 second = ch_rotate(frame_of(build, b, u->second).orientation, body->joints[u->second].axis);
    json_object_set_new(joint, "second_axis", ch_robot_vector(second));
  }
  json_t* axes = json_array();
  for (int k = 0; k < (u->second >= 0 || strcmp(u->type, "cylindrical") == 0 ? 2 : 3); ++k)
    json_array_append_new(axes, u->freedom[k] < 0 ? json_object() : axis_json(build, &body->joints[u->freedom[k]]));
  keep(build, joint, axes, main->node);
}

// Joint k, between the links of a chain where there is one.
static void put_one(ChRobotBuild* build, int b, int k) {
  const ChRobotBody* body = &build->robot->bodies[b];
  const ChRobotJoint* j = &body->joints[k];
  ChFrame frame = frame_of(build, b, k);
  char first[NAME_SIZE], second[NAME_SIZE];
  ch_robot_chain_name(build, b, k + 1, second, sizeof second);
  if (k > 0)
    ch_robot_chain_name(build, b, k, first, sizeof first);
  else
    snprintf(first, sizeof first, "%s", name_of(build, body->parent, build->robot->touches_ground));
  json_t* joint = joint_json(j->name, type_of(j->motion), first, second, ch_frame_point(frame, j->at));
  if (j->motion != CH_ROBOT_BALL)
    json_object_set_new(joint, "axis", ch_robot_vector(ch_rotate(frame.orientation, j->axis)));
  json_t* axes = json_array();
  int freedoms = j->motion == CH_ROBOT_BALL || j->motion == CH_ROBOT_PLANAR ? 3 : 1;
  for (int f = 0; f < freedoms; ++f) json_array_append_new(axes, axis_json(build, j));
  keep(build, joint, axes, j->node);
}

static void ignore(ChRobotBuild* build, const char* a, const char* b) {
  if (strcmp(a, b) != 0 && strcmp(a, "ground") != 0 && strcmp(b, "ground") != 0)
    json_array_append_new(build->ignore, json_pack("[s, s]", a, b));
}

bool ch_robot_put_joints(ChRobotBuild* build, int b) {
  const ChRobotBody* body = &build->robot->bodies[b];
  for (int k = 0; k < body->joint_count; ++k)
    if (body->joints[k].motion == CH_ROBOT_FREE)
      return ch_xml_wrong(build->robot->reader, body->joints[k].node,
                          "is free beside other joints of '%.80s'; a free body has no others", body->name);
  Union u = union_of(body);
  if (u.type) {
    put_union(build, b, &u);
    return true;
  }
  for (int k = 0; k < body->joint_count; ++k) put_one(build, b, k);
  if (body->joint_count > 1) {
    ignore(build, name_of(build, body->parent, build->robot->touches_ground), body->name);
    ch_robot_note(build->robot, body->node,
                  "'%.60s' has %d joints: links between them take a thousandth of its mass each", body->name,
                  body->joint_count);
  }
  return true;
}

bool ch_robot_put_tie(ChRobotBuild* build, const ChRobotTie* tie) {
  const char *a = name_of(build, tie->body[0], true), *b = name_of(build, tie->body[1], true);
  if (strcmp(a, b) == 0) return ch_xml_wrong(build->robot->reader, tie->node, "ties '%.80s' to itself", a);
  ChFrame frame = tie->body[0] >= 0 ? build->places[tie->body[0]].frame : ch_robot_frame_identity();
  json_t* joint = joint_json(tie->name, tie->type, a, b, ch_frame_point(frame, tie->at));
  json_object_set_new(joint, "collide", json_true());
  keep(build, joint, json_array(), tie->node);
  return true;
}

void ch_robot_put_ignored(ChRobotBuild* build) {
  const ChRobot* robot = build->robot;
  for (int k = 0; k < robot->ignore_count; ++k)
    ignore(build, name_of(build, robot->ignore[k].body[0], false), name_of(build, robot->ignore[k].body[1], false));
  for (int a = 0; robot->choice.alone && a < robot->body_count; ++a) {
    if (build->places[a].whole != a) continue;
    if (build->stands) ignore(build, robot->ground, robot->bodies[a].name);
    for (int b = 0; b < a; ++b)
      if (build->places[b].whole == b) ignore(build, robot->bodies[b].name, robot->bodies[a].name);
  }
  const struct {
    const char* key;
    json_t* list;
  } lists[] = {{"ignore", build->ignore}, {"joints", build->joints}};
  for (int k = 0; k < 2; ++k)
    if (json_array_size(lists[k].list) == 0 && build->scene) json_object_del(build->scene, lists[k].key);
}
