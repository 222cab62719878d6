// What MJCF says besides the tree: who touches whom, loops that are closed, and motors. See mjcf.h.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "scene/robot/mjcf.h"

enum { GEOMS_WITH_BITS = 1500 };

// A name that an attribute gives, or a complaint with the nearest one.
static bool find_body(ChMjcf* m, ChXmlView* view, const char* attribute, int* out) {
  const char* name;
  if (!ch_xml_needed(view, attribute, &name)) return false;
  *out = ch_mjcf_body_named(m, name);
  return *out >= -1 || ch_xml_wrong(m->robot->reader, view->node, "%s: there is no body '%.80s'", attribute, name);
}

// -------------------------------------------------------------------------------------------------------------
// contacts

static void add_ignored(ChRobot* robot, int a, int b) {
  robot->ignore[robot->ignore_count++] = (ChRobotIgnored){{a, b}};
}

static bool read_excludes(ChMjcf* m, ChXmlNode* contact) {
  CH_XML_EACH(node, contact, "exclude") {
    ChXmlView view = ch_xml_view(m->robot->reader, node);
    int a, b;
    ch_xml_text(&view, "name");
    if (!find_body(m, &view, "body1", &a) || !find_body(m, &view, "body2", &b)) return false;
    add_ignored(m->robot, a, b);
  }
  return true;
}

static const ChMjcfGeom* geom_named(const ChMjcf* m, const char* name) {
  for (int k = 0; k < m->geom_count; ++k)
    if (m->geoms[k].name && strcmp(m->geoms[k].name, name) == 0) return &m->geoms[k];
  return NULL;
}

static bool read_pairs(ChMjcf* m, ChXmlNode* contact) {
  ChRobot* robot = m->robot;
  CH_XML_EACH(node, contact, "pair") {
    ChXmlView view = ch_mjcf_view(m, node);
    const ChMjcfGeom* geom[2];
    static const char* const ends[] = {"geom1", "geom2"};
    for (int k = 0; k < 2; ++k) {
      const char* name;
      if (!ch_xml_needed(&view, ends[k], &name)) return false;
      geom[k] = geom_named(m, name);
      if (!geom[k]) return ch_xml_wrong(robot->reader, node, "%s: there is no geom '%.80s'", ends[k], name);
    }
    double f[5] = {1.0, 1.0, 0.005, 0.0001, 0.0001}, contact_dimension = 3.0;
    int there;
    ch_xml_text(&view, "name");
    if (!ch_xml_some_numbers(&view, "friction", 1, 5, f, &there) ||
        !ch_xml_numbers(&view, "condim", 1, &contact_dimension))
      return false;
    if (f[0] != f[1] || f[3] != f[4])
      ch_robot_note(robot, node, "friction depends on the direction, and only the first number of each kind is taken");
    if (!(f[0] >= 0.0 && f[2] >= 0.0 && f[3] >= 0.0)) return ch_xml_wrong(robot->reader, node, "friction must be >= 0");
    robot->pairs[robot->pair_count++] =
        (ChRobotPair){{geom[0]->material, geom[1]->material},
                      {.friction = {f[0], f[2], f[3]}, .contact = (int)fmin(fmax(contact_dimension, 1.0), 6.0)}};
  }
  return true;
}

// Two geoms touch if the bits of one meet those of the other; a scene knows pairs of bodies that touch or do not.
static bool touch(const ChMjcfGeom* a, const ChMjcfGeom* b) {
  return (a->type & b->affinity) != 0 || (b->type & a->affinity) != 0;
}

// The body that it moves with, from 1 on; 0: it stands still.
static size_t whole_of(const ChRobot* robot, int body) {
  while (body >= 0 && robot->bodies[body].joint_count == 0) body = robot->bodies[body].parent;
  return (size_t)(body + 1);
}

enum { MEET = 1, PASS = 2 };

// What the geoms of two bodies do, for each pair of bodies, the first the smaller.
static unsigned char* meetings(const ChMjcf* m, size_t count) {
  unsigned char* met = CH_TAKE(m->robot->reader->arena, count * count, unsigned char);
  for (int i = 0; i < m->geom_count; ++i) {
    size_t a = whole_of(m->robot, m->geoms[i].body);
    for (int j = 0; j < i; ++j) {
      size_t b = whole_of(m->robot, m->geoms[j].body);
      met[(a < b ? a : b) * count + (a < b ? b : a)] |= touch(&m->geoms[i], &m->geoms[j]) ? MEET : PASS;
    }
  }
  return met;
}

static bool compare_bits(ChMjcf* m) {
  ChRobot* robot = m->robot;
  if (!m->masked) return true;
  if (m->geom_count > GEOMS_WITH_BITS)
    return ch_xml_wrong(robot->reader, m->root,
                        "has %d geoms and contype or conaffinity of their own; with these at most %d are read",
                        m->geom_count, (int)GEOMS_WITH_BITS);
  size_t count = (size_t)robot->body_count + 1, passing = 0, mixed = 0;
  const unsigned char* met = meetings(m, count);
  for (size_t k = 0; k < count * count; ++k) passing += met[k] == PASS;
  ChRobotIgnored* longer = CH_TAKE(robot->reader->arena, (size_t)robot->ignore_count + passing + 1, ChRobotIgnored);
  memcpy(longer, robot->ignore, (size_t)robot->ignore_count * sizeof *longer);
  robot->ignore = longer;
  for (size_t a = 0; a < count; ++a)
    for (size_t b = a + 1; b < count; ++b) {
      if (met[a * count + b] == PASS) add_ignored(robot, (int)a - 1, (int)b - 1);
      mixed += met[a * count + b] == (MEET | PASS);
    }
  if (mixed > 0)
    ch_robot_note(robot, m->root,
                  "in %zu pairs of bodies contype and conaffinity let only some geoms touch; here all "
                  "geoms of these bodies touch",
                  mixed);
  return true;
}

// ------------------------------------------------------------------------------------------------------------
// equalities

// An equality that holds; false where it is switched off.
static bool begin_tie(ChMjcf* m, ChXmlNode* node, const char* type, ChRobotTie* tie, bool* active) {
  ChXmlView view = ch_mjcf_view(m, node);
  const char* name;
  double anchor[3] = {0}, relative[7] = {0};
  int given;
  *active = true;
  if (!ch_mjcf_name(m, &view, &name) || !ch_mjcf_flag(&view, "active", active)) return false;
  if (!*active) {
    ch_robot_note(m->robot, node, "is not active: left out");
    for (int k = 0; k < node->attribute_count; ++k) node->attributes[k].asked = true;
    return true;
  }
  const bool to_world = !ch_xml_text(&view, "body2");
  *tie = (ChRobotTie){.node = node, .name = name, .type = type, .body = {-1, -1}};
  if (!name) {
    char own[60];
    snprintf(own, sizeof own, "%s at line %ld", node->tag, node->line);
    tie->name = ch_robot_keep(m->robot, own);
  }
  if (!find_body(m, &view, "body1", &tie->body[0]) || (!to_world && !find_body(m, &view, "body2", &tie->body[1])) ||
      !ch_xml_numbers(&view, "anchor", 3, anchor) || !ch_xml_some_numbers(&view, "relpose", 7, 7, relative, &given))
    return false;
  if (given > 0 && (relative[3] != 0.0 || relative[4] != 0.0 || relative[5] != 0.0 || relative[6] != 0.0))
    ch_robot_note(m->robot, node, "relpose is not read: the bodies keep the pose in which they start");
  tie->at = ch_vec(anchor[0], anchor[1], anchor[2]);
  return true;
}

static bool read_coupling(ChMjcf* m, ChXmlNode* node) {
  ChXmlView view = ch_mjcf_view(m, node);
  const char *one = ch_xml_text(&view, "joint1"), *other = ch_xml_text(&view, "joint2");
  if (!m->robot->choice.uncoupled)
    return ch_xml_wrong(
        m->robot->reader, node,
        "joint '%.60s' should follow '%.60s', but there are no gears; --param coupled=free lets it move "
        "on its own",
        one ? one : "", other ? other : "a constant");
  ch_robot_note(m->robot, node, "joint '%.60s' does not follow '%.60s': it moves on its own", one ? one : "",
                other ? other : "a constant");
  for (int k = 0; k < node->attribute_count; ++k) node->attributes[k].asked = true;
  return true;
}

static bool read_equalities(ChMjcf* m, ChXmlNode* list) {
  static const char* const kinds[][2] = {{"connect", "ball"}, {"weld", "fixed"}};
  for (int k = 0; k < CH_COUNT(kinds); ++k) CH_XML_EACH(node, list, kinds[k][0]) {
      bool active;
      if (!begin_tie(m, node, kinds[k][1], &m->robot->ties[m->robot->tie_count], &active)) return false;
      m->robot->tie_count += active;
    }
  CH_XML_EACH(node, list, "joint") {
    if (!read_coupling(m, node)) return false;
  }
  return true;
}

// -------------------------------------------------------------------------------------------------------------- motors

static ChRobotJoint* joint_named(ChMjcf* m, const char* name) {
  for (int b = 0; b < m->robot->body_count; ++b)
    for (int k = 0; k < m->robot->bodies[b].joint_count; ++k)
      if (strcmp(m->robot->bodies[b].joints[k].name, name) == 0) return &m->robot->bodies[b].joints[k];
  return NULL;
}

// The largest force, on the joint's side of the gear; a motor's control may be its limit.
static bool read_strength(ChMjcf* m, ChXmlView* view, const char* drive, double* out) {
  double range[2], gear[6] = {1.0};
  int given, gears;
  *out = 0.0;
  if (!ch_xml_some_numbers(view, "gear", 1, 6, gear, &gears) ||
      !ch_xml_some_numbers(view, "forcerange", 2, 2, range, &given))
    return false;
  ch_xml_text(view, "forcelimited");
  if (gear[0] != 1.0)
    ch_robot_note(m->robot, view->node, "gear is %g: commands are forces and positions of the joint, not of the motor",
                  gear[0]);
  if (given == 0 && strcmp(drive, "force") == 0) {
    ch_xml_text(view, "ctrllimited");
    if (!ch_xml_some_numbers(view, "ctrlrange", 2, 2, range, &given)) return false;
  }
  if (given > 0) *out = fabs(gear[0]) * fmax(fabs(range[0]), fabs(range[1]));
  return true;
}

static bool read_motor(ChMjcf* m, ChXmlNode* node, const char* drive) {
  ChXmlView view = ch_mjcf_view(m, node);
  const char *name, *on = ch_xml_text(&view, "joint");
  if (!ch_mjcf_name(m, &view, &name)) return false;
  if (!on) {
    ch_robot_note(m->robot, node, "acts on no joint: left out");
    return true;
  }
  ChRobotJoint* joint = joint_named(m, on);
  if (!joint) return ch_xml_wrong(m->robot->reader, node, "joint: there is no joint '%.80s'", on);
  if (joint->drive) {
    ch_robot_note(m->robot, node, "is the second motor of joint '%.80s': left out", on);
    return true;
  }
  if (joint->motion != CH_ROBOT_HINGE && joint->motion != CH_ROBOT_SLIDE) {
    ch_robot_note(m->robot, node, "acts on '%.80s', which is neither a hinge nor a slide: left out", on);
    return true;
  }
  joint->drive = drive;
  return read_strength(m, &view, drive, &joint->strength);
}

static bool read_motors(ChMjcf* m) {
  static const char* const kinds[][2] = {{"motor", "force"}, {"position", "position"}, {"velocity", "velocity"}};
  CH_XML_EACH(list, m->root, "actuator")
  for (int k = 0; k < CH_COUNT(kinds); ++k) CH_XML_EACH(node, list, kinds[k][0]) {
      if (!read_motor(m, node, kinds[k][1])) return false;
    }
  return true;
}

// ----------------------------------------------------------------------------------------------------------------- all

bool ch_mjcf_read_rest(ChMjcf* m) {
  ChRobot* robot = m->robot;
  ChArena* arena = robot->reader->arena;
  robot->ignore = CH_TAKE(arena, ch_xml_count(m->root, "exclude") + 1, ChRobotIgnored);
  robot->pairs = CH_TAKE(arena, ch_xml_count(m->root, "pair") + 1, ChRobotPair);
  robot->ties = CH_TAKE(arena, ch_xml_count(m->root, "connect") + ch_xml_count(m->root, "weld") + 1, ChRobotTie);
  CH_XML_EACH(contact, m->root, "contact") {
    if (!read_excludes(m, contact) || !read_pairs(m, contact)) return false;
  }
  CH_XML_EACH(list, m->root, "equality") {
    if (!read_equalities(m, list)) return false;
  }
  return read_motors(m) && compare_bits(m);
}
