// MJCF: the compiler's options, classes of defaults, the tree of bodies and its joints. See mjcf.h.
#include "scene/robot/mjcf.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { NAME_LONGEST = 100 };

static const double DEGREE = 3.141592653589793 / 180.0;

// ----------------------------------------------------------------------------------------------------------- defaults

static ChMjcfClass* class_named(const ChMjcf* m, const char* name) {
  for (int k = 0; k < m->class_count; ++k)
    if (strcmp(m->classes[k].name, name) == 0) return &m->classes[k];
  return NULL;
}

static ChMjcfClass* class_of_node(const ChMjcf* m, const ChXmlNode* node) {
  for (int k = 0; k < m->class_count; ++k)
    if (m->classes[k].node == node) return &m->classes[k];
  return NULL;
}

// All classes, the outer before the inner; several <default> at the top are one, "main".
static bool read_classes(ChMjcf* m, ChXmlNode* parent) {
  CH_XML_EACH(node, parent, "default") {
    ChXmlView view = ch_xml_view(m->robot->reader, node);
    const char* name = ch_xml_text(&view, "class");
    ChMjcfClass* above = class_of_node(m, parent);
    if (!name && above) return ch_xml_wrong(m->robot->reader, node, "class is missing");
    if (name && class_named(m, name) && above)
      return ch_xml_wrong(m->robot->reader, node, "another class is called '%.80s'", name);
    m->classes[m->class_count++] = (ChMjcfClass){.name = name ? name : "main", .node = node, .above = above};
    for (ChXmlNode* child = node->first; child; child = child->next) child->read = true;
    if (!read_classes(m, node)) return false;
  }
  return true;
}

// Its own class, or the nearest childclass of the bodies around it, or "main".
static const ChMjcfClass* class_of(const ChMjcf* m, ChXmlNode* node, bool* good) {
  ChXmlView own = ch_xml_view(m->robot->reader, node);
  const char* name = ch_xml_text(&own, "class");
  for (ChXmlNode* body = node->above; body && !name; body = body->above) {
    ChXmlView view = ch_xml_view(m->robot->reader, body);
    if (strcmp(body->tag, "body") == 0 || strcmp(body->tag, "worldbody") == 0) name = ch_xml_text(&view, "childclass");
  }
  const ChMjcfClass* found = class_named(m, name ? name : "main");
  *good = found || !name || ch_xml_wrong(m->robot->reader, node, "there is no class '%.80s'", name);
  return found;
}

ChXmlView ch_mjcf_view(const ChMjcf* m, ChXmlNode* node) {
  ChXmlView view = ch_xml_view(m->robot->reader, node);
  bool good;
  for (const ChMjcfClass* c = class_of(m, node, &good); c; c = c->above) {
    // Of two <default> at the top the last that says something holds; they are rare, and one is read.
    ChXmlNode* stand_in = ch_xml_child(c->node, node->tag);
    if (stand_in && view.count < CH_XML_STAND_INS) view.stand_in[view.count++] = stand_in;
  }
  return view;
}

// --------------------------------------------------------------------------------------------------------------- words

bool ch_mjcf_name(const ChMjcf* m, ChXmlView* view, const char** out) {
  ChXmlView own = ch_xml_view(view->reader, view->node);
  *out = ch_xml_text(&own, "name");
  return !*out || strlen(*out) <= NAME_LONGEST ||
         ch_xml_wrong(m->robot->reader, view->node, "name has more than %d letters", (int)NAME_LONGEST);
}

bool ch_mjcf_flag(ChXmlView* view, const char* name, bool* out) {
  static const char* const words[] = {"false", "true", NULL};
  int word = *out;
  if (!ch_xml_word(view, name, words, &word)) return false;
  *out = word == 1;
  return true;
}

// "xyz": turns about axes that turn along; "XYZ": about those of the parent.
static ChQuat euler(const ChMjcf* m, const double angle[3]) {
  ChQuat q = ch_quat_identity();
  for (int k = 0; k < 3; ++k) {
    char letter = m->sequence[k];
    ChQuat turn = ch_quat_about(ch_axis(tolower((unsigned char)letter) - 'x'), m->radian * angle[k]);
    q = islower((unsigned char)letter) ? ch_quat_product(q, turn) : ch_quat_product(turn, q);
  }
  return q;
}

static bool unit_from(ChXmlView* view, const char* name, const double* x, ChVec3* out) {
  *out = ch_unit(ch_vec(x[0], x[1], x[2]));
  return ch_norm(*out) > 0.5 || ch_xml_wrong(view->reader, view->node, "%s has no direction", name);
}

static bool from_axes(ChXmlView* view, const double* v, ChQuat* out) {
  ChVec3 x, y;
  if (!unit_from(view, "xyaxes", v, &x)) return false;
  y = ch_vec(v[3], v[4], v[5]);
  y = ch_along(y, -ch_dot(x, y), x);
  const double left[3] = {y.x, y.y, y.z};
  if (!unit_from(view, "xyaxes", left, &y)) return false;
  *out = ch_quat_from_axes(x, y, ch_cross(x, y));
  return true;
}

bool ch_mjcf_orientation(const ChMjcf* m, ChXmlView* view, ChQuat* out) {
  static const struct {
    const char* name;
    int count;
  } forms[] = {{"quat", 4}, {"axisangle", 4}, {"xyaxes", 6}, {"zaxis", 3}, {"euler", 3}};
  double v[6];
  int given = -1;
  for (int k = 0; k < CH_COUNT(forms); ++k) {
    int there;
    double these[6] = {0};
    if (!ch_xml_some_numbers(view, forms[k].name, forms[k].count, forms[k].count, these, &there)) return false;
    if (there == 0) continue;
    if (given >= 0)
      return ch_xml_wrong(view->reader, view->node, "has %s and %s; give one of them", forms[given].name,
                          forms[k].name);
    given = k;
    memcpy(v, these, sizeof v);
  }
  ChVec3 axis;
  switch (given) {
    case 0:
      if (!(v[0] * v[0] + v[1] * v[1] + v[2] * v[2] + v[3] * v[3] > 0.0))
        return ch_xml_wrong(view->reader, view->node, "quat is 0 0 0 0, must not be");
      *out = ch_quat_unit((ChQuat){v[0], v[1], v[2], v[3]});
      return true;
    case 1:
      if (!unit_from(view, "axisangle", v, &axis)) return false;
      *out = ch_quat_about(axis, m->radian * v[3]);
      return true;
    case 2:
      return from_axes(view, v, out);
    case 3:
      if (!unit_from(view, "zaxis", v, &axis)) return false;
      *out = ch_quat_from_z(axis);
      return true;
    case 4:
      *out = euler(m, v);
      return true;
    default:
      return true;
  }
}

int ch_mjcf_body_named(const ChMjcf* m, const char* name) {
  if (strcmp(name, "world") == 0) return -1;
  for (int k = 0; k < m->robot->body_count; ++k)
    if (strcmp(m->robot->bodies[k].name, name) == 0) return k;
  return -2;
}

// -------------------------------------------------------------------------------------------------------------- joints

static const char* const joint_types[] = {"hinge", "slide", "ball", "free", NULL};

static const char* name_joint(const ChMjcf* m, const ChRobotBody* body, const char* given) {
  if (given) return given;
  char name[2 * NAME_LONGEST];
  snprintf(name, sizeof name, "%.100s joint %d", body->name, body->joint_count + 1);
  return ch_robot_keep(m->robot, name);
}

// Angles of a hinge are in the file's unit, its stiffness and damping in radians.
static bool read_range(ChMjcf* m, ChXmlView* view, ChRobotJoint* j, double unit) {
  static const char* const words[] = {"false", "true", "auto", NULL};
  double range[2] = {0};
  int limited = 2, there;
  if (!ch_xml_word(view, "limited", words, &limited) || !ch_xml_some_numbers(view, "range", 2, 2, range, &there))
    return false;
  j->limited = limited == 1 || (limited == 2 && there > 0 && m->auto_limits);
  if (limited == 2 && there > 0 && !m->auto_limits)
    ch_robot_note(m->robot, view->node, "range is not imposed: autolimits is false, and limited is not given");
  j->lower = unit * range[0], j->upper = unit * range[1];
  if (j->motion == CH_ROBOT_BALL && j->limited) {
    ch_robot_note(m->robot, view->node, "the range of a ball joint is not imposed");
    j->limited = false;
  }
  return !j->limited || j->lower < j->upper ||
         ch_xml_wrong(view->reader, view->node, "range is %g %g, must ascend", range[0], range[1]);
}

static bool read_forces(ChMjcf* m, ChXmlView* view, ChRobotJoint* j, double unit) {
  double spring = 0.0;
  if (!ch_xml_numbers(view, "stiffness", 1, &j->stiffness) || !ch_xml_numbers(view, "damping", 1, &j->damping) ||
      !ch_xml_numbers(view, "frictionloss", 1, &j->friction) || !ch_xml_numbers(view, "armature", 1, &j->armature) ||
      !ch_xml_numbers(view, "springref", 1, &spring))
    return false;
  j->rest = unit * spring;
  if (!(j->stiffness >= 0.0 && j->damping >= 0.0 && j->friction >= 0.0 && j->armature >= 0.0))
    return ch_xml_wrong(m->robot->reader, view->node,
                        "stiffness, damping, frictionloss and armature are %g, %g, %g and %g, must be >= 0",
                        j->stiffness, j->damping, j->friction, j->armature);
  return true;
}

static bool read_joint(ChMjcf* m, ChXmlNode* node, ChRobotBody* body) {
  ChRobotJoint* j = &body->joints[body->joint_count];
  *j = (ChRobotJoint){.node = node};
  ChXmlView view = ch_mjcf_view(m, node);
  bool free = strcmp(node->tag, "freejoint") == 0;
  const char* name;
  int type = free ? 3 : 0;
  double at[3] = {0}, axis[3] = {0.0, 0.0, 1.0}, reference = 0.0;
  if (!ch_mjcf_name(m, &view, &name) || (!free && !ch_xml_word(&view, "type", joint_types, &type)) ||
      !ch_xml_numbers(&view, "pos", 3, at) || !ch_xml_numbers(&view, "axis", 3, axis) ||
      !ch_xml_numbers(&view, "ref", 1, &reference))
    return false;
  static const ChRobotMotion motions[] = {CH_ROBOT_HINGE, CH_ROBOT_SLIDE, CH_ROBOT_BALL, CH_ROBOT_FREE};
  j->motion = motions[type];
  j->name = name_joint(m, body, name);
  j->at = ch_vec(at[0], at[1], at[2]);
  j->axis = ch_unit(ch_vec(axis[0], axis[1], axis[2]));
  double unit = j->motion == CH_ROBOT_SLIDE ? 1.0 : m->radian;
  j->zero = j->motion == CH_ROBOT_HINGE || j->motion == CH_ROBOT_SLIDE ? unit * reference : 0.0;
  if (!(ch_norm(j->axis) > 0.5)) return ch_xml_wrong(m->robot->reader, node, "axis has no direction");
  ++body->joint_count;
  if (j->motion == CH_ROBOT_FREE) return true;
  return read_range(m, &view, j, unit) && read_forces(m, &view, j, unit);
}

static bool read_joints(ChMjcf* m, ChXmlNode* node, ChRobotBody* body) {
  int count = 0;
  for (ChXmlNode* c = node->first; c; c = c->next)
    count += strcmp(c->tag, "joint") == 0 || strcmp(c->tag, "freejoint") == 0;
  body->joints = CH_TAKE(m->robot->reader->arena, count + 1, ChRobotJoint);
  for (ChXmlNode* c = node->first; c; c = c->next) {
    if (strcmp(c->tag, "joint") != 0 && strcmp(c->tag, "freejoint") != 0) continue;
    c->read = true;
    if (!read_joint(m, c, body)) return false;
  }
  return true;
}

// -------------------------------------------------------------------------------------------------------------- bodies

static bool read_inertial(ChMjcf* m, ChXmlNode* node, ChRobotMass* out) {
  ChXmlView view = ch_xml_view(m->robot->reader, node);
  const char* text;
  double at[3] = {0}, diagonal[3] = {0}, full[6];
  int there, all;
  ChQuat q = ch_quat_identity();
  if (!ch_xml_needed(&view, "pos", &text) || !ch_xml_needed(&view, "mass", &text) ||
      !ch_xml_numbers(&view, "pos", 3, at) || !ch_xml_numbers(&view, "mass", 1, &out->mass) ||
      !ch_mjcf_orientation(m, &view, &q) || !ch_xml_some_numbers(&view, "diaginertia", 3, 3, diagonal, &there) ||
      !ch_xml_some_numbers(&view, "fullinertia", 6, 6, full, &all))
    return false;
  if ((there > 0) == (all > 0)) return ch_xml_wrong(m->robot->reader, node, "needs either diaginertia or fullinertia");
  if (!(out->mass >= 0.0)) return ch_xml_wrong(m->robot->reader, node, "mass is %g, must be >= 0", out->mass);
  ChMat3 j = ch_mat_diagonal(ch_vec(diagonal[0], diagonal[1], diagonal[2]));
  if (all > 0) j = (ChMat3){{{full[0], full[3], full[4]}, {full[3], full[1], full[5]}, {full[4], full[5], full[2]}}};
  out->centre = ch_vec(at[0], at[1], at[2]);
  out->inertia = ch_mat_turned(q, &j);
  return true;
}

static bool read_mass(ChMjcf* m, ChXmlNode* node, ChRobotBody* body, ChRobotMass of_geoms) {
  ChXmlNode* inertial = ch_xml_child(node, "inertial");
  body->weighed = true;
  body->mass = of_geoms;
  return !inertial || m->from_geoms == 1 || read_inertial(m, inertial, &body->mass);
}

static bool name_body(ChMjcf* m, ChXmlView* view, ChRobotBody* body) {
  if (!ch_mjcf_name(m, view, &body->name)) return false;
  if (!body->name) {
    char name[40];
    snprintf(name, sizeof name, "body %d", m->robot->body_count);
    body->name = ch_robot_keep(m->robot, name);
  }
  return ch_mjcf_body_named(m, body->name) == m->robot->body_count - 1 ||
         ch_xml_wrong(m->robot->reader, body->node, "another body is called '%.80s'", body->name);
}

static bool read_body(ChMjcf* m, ChXmlNode* node, int parent, int* index) {
  ChRobot* robot = m->robot;
  if (robot->body_count == CH_ROBOT_BODIES)
    return ch_xml_wrong(robot->reader, node, "is one body too many: at most %d are read", (int)CH_ROBOT_BODIES);
  *index = robot->body_count++;
  ChRobotBody* body = &robot->bodies[*index];
  *body = (ChRobotBody){.node = node, .parent = parent, .frame = ch_robot_frame_identity()};
  ChXmlView view = ch_xml_view(robot->reader, node);
  bool mocap = false;
  double at[3] = {0};
  ch_xml_text(&view, "childclass");
  if (!name_body(m, &view, body) || !ch_xml_numbers(&view, "pos", 3, at) ||
      !ch_mjcf_orientation(m, &view, &body->frame.orientation) || !ch_mjcf_flag(&view, "mocap", &mocap))
    return false;
  if (mocap) ch_robot_note(robot, node, "'%.80s' is a mocap body: it stands still", body->name);
  body->frame.at = ch_vec(at[0], at[1], at[2]);
  ChRobotMass mass = {0};
  return read_joints(m, node, body) && ch_mjcf_read_geoms(m, node, *index, body, &mass) &&
         read_mass(m, node, body, mass);
}

// Without recursion: the tree may be deep, and parents come before their children either way.
static bool read_bodies(ChMjcf* m, ChXmlNode* world) {
  ChXmlNode* node = ch_xml_child(world, "body");
  int* of_depth = CH_TAKE(m->robot->reader->arena, CH_XML_DEPTH + 2, int);
  int depth = 1;
  of_depth[0] = -1;
  while (node) {
    if (!read_body(m, node, of_depth[depth - 1], &of_depth[depth])) return false;
    ChXmlNode* inner = ch_xml_child(node, "body");
    if (inner) {
      ++depth;
      node = inner;
      continue;
    }
    ChXmlNode* next = ch_xml_find(node->next, "body");
    while (!next && node->above != world) {
      node = node->above;
      --depth;
      next = ch_xml_find(node->next, "body");
    }
    node = next;
  }
  return true;
}

// The world's own geoms belong to a body without joints, which stands still.
static bool read_world(ChMjcf* m, ChXmlNode* node) {
  ChRobot* robot = m->robot;
  ChRobotBody* world = &robot->bodies[robot->body_count++];
  ChRobotMass mass = {0};
  *world =
      (ChRobotBody){.node = node, .name = "world", .parent = -1, .frame = ch_robot_frame_identity(), .weighed = true};
  return ch_mjcf_read_geoms(m, node, -1, world, &mass);
}

// ----------------------------------------------------------------------------------------------------------------- all

static bool read_compiler(ChMjcf* m) {
  static const char* const angles[] = {"degree", "radian", NULL};
  static const char* const coordinates[] = {"local", NULL};
  static const char* const from_geoms[] = {"false", "true", "auto", NULL};
  CH_XML_EACH(node, m->root, "compiler") {
    ChXmlView view = ch_xml_view(m->robot->reader, node);
    int angle = m->radian == 1.0, local = 0;
    if (!ch_xml_word(&view, "angle", angles, &angle) || !ch_xml_word(&view, "coordinate", coordinates, &local) ||
        !ch_xml_word(&view, "inertiafromgeom", from_geoms, &m->from_geoms) ||
        !ch_mjcf_flag(&view, "autolimits", &m->auto_limits))
      return false;
    m->radian = angle == 1 ? 1.0 : DEGREE;
    const char *sequence = ch_xml_text(&view, "eulerseq"), *folder = ch_xml_text(&view, "meshdir");
    if (!folder) folder = ch_xml_text(&view, "assetdir");
    if (folder) m->mesh_folder = folder;
    if (!sequence) continue;
    m->sequence = sequence;
    if (strlen(sequence) != 3 || strspn(sequence, "xyzXYZ") != 3)
      return ch_xml_wrong(m->robot->reader, node,
                          "eulerseq is '%.20s', must have three of the letters x, y, z, X, Y, Z", sequence);
  }
  return true;
}

static bool read_option(ChMjcf* m) {
  m->robot->h = 0.002;
  CH_XML_EACH(node, m->root, "option") {
    ChXmlView view = ch_xml_view(m->robot->reader, node);
    double g[3] = {m->robot->gravity.x, m->robot->gravity.y, m->robot->gravity.z};
    if (!ch_xml_numbers(&view, "timestep", 1, &m->robot->h) || !ch_xml_numbers(&view, "gravity", 3, g)) return false;
    if (!(m->robot->h > 0.0)) return ch_xml_wrong(m->robot->reader, node, "timestep is %g, must be > 0", m->robot->h);
    m->robot->gravity = ch_vec(g[0], g[1], g[2]);
  }
  return true;
}

// MuJoCo joins several worlds into one.
static ChXmlNode* only_world(ChMjcf* m) {
  ChXmlNode *world = ch_xml_child(m->root, "worldbody"), *other = world ? ch_xml_find(world->next, "worldbody") : NULL;
  if (!world) ch_xml_wrong(m->robot->reader, m->root, "<worldbody> is missing");
  if (other) ch_xml_wrong(m->robot->reader, other, "appears twice; put all bodies into one");
  return other ? NULL : world;
}

bool ch_mjcf_read(ChRobot* robot, ChXmlNode* root) {
  ChMjcf m = {.robot = robot, .root = root, .radian = DEGREE, .sequence = "xyz", .auto_limits = true, .from_geoms = 2};
  ChArena* arena = robot->reader->arena;
  ChXmlView view = ch_xml_view(robot->reader, root);
  robot->name = ch_xml_text(&view, "model");
  if (!robot->name || !*robot->name) robot->name = "MuJoCo model";
  robot->ground = "world";
  robot->touches_ground = true;
  for (ChXmlNode* c = root->first; c; c = c->next)
    if (strcmp(c->tag, "include") == 0)
      return ch_xml_wrong(robot->reader, c, "is not read; put the content of the file here");
  m.classes = CH_TAKE(arena, ch_xml_count(root, "default") + 1, ChMjcfClass);
  int geoms = ch_xml_count(root, "geom"), bodies = ch_xml_count(root, "body");
  m.geoms = CH_TAKE(arena, geoms + 1, ChMjcfGeom);
  robot->materials = CH_TAKE(arena, geoms + 1, ChRobotMaterial);
  robot->bodies = CH_TAKE(arena, bodies + 2, ChRobotBody);
  ChXmlNode* world = only_world(&m);
  if (!world || !read_compiler(&m) || !read_option(&m) || !read_classes(&m, root) || !read_bodies(&m, world))
    return false;
  return read_world(&m, world) && ch_mjcf_read_rest(&m);
}
