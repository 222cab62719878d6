// See scene_findings.h. Findings are what somebody would want to know before a run: none of them keeps a run from
// starting.
#include "cli/scene_findings.h"

#include <jansson.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cardhouse/body.h"
#include "cardhouse/geometry.h"
#include "cardhouse/simulation.h"
#include "common/by_row.h"

static const double LARGE = 20.0, SMALL = 1e-4;          // metres: radius of a body that moves; metres are rarely meant
static const int COSTLY = 20000;                         // triangles of a mesh that moves
static const double FINE = 1e-6;                         // metres: overlaps of rounding
static const double OUT_OF_SIGHT = 20.0;                 // metres that a body falls in a run
enum { MOST_FALLING = 4000, MOST_FALLING_QUICK = 500 };  // bodies, above which nobody compares each with each

__attribute__((format(printf, 3, 4))) static void add(ChSceneFindings* f, const char* kind, const char* format, ...) {
  if (f->finding_count == CH_FINDINGS_MAX) {
    ++f->more;
    return;
  }
  ChSceneFinding* finding = &f->findings[f->finding_count++];
  finding->kind = kind;
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(finding->text, sizeof finding->text, format, arguments);
  va_end(arguments);
}

static double radius_of(const ChWorld* world, int body) {
  double reach = 0.0;
  int first;
  const int count = ch_world_body_shapes(world, body, &first);
  for (int k = first; k < first + count; ++k) reach = fmax(reach, ch_world_shape(world, k).reach);
  return reach;
}

static void look_at_bodies(const ChWorld* world, ChSceneFindings* f) {
  int moving = 0;
  for (int b = 0; b < ch_world_body_count(world); ++b) {
    ChBodyInfo info = ch_world_body_info(world, ch_world_body_at(world, b));
    moving += info.kind != CH_BODY_FIXED;
    double radius = info.kind == CH_BODY_DYNAMIC ? radius_of(world, b) : 0.0;
    if (radius > LARGE && isfinite(radius))
      add(f, "scale", "'%.100s' has a radius of %.3g m and %.3g kg: lengths are in metres; were millimetres meant?",
          info.name, radius, info.mass);
    if (radius > 0.0 && radius < SMALL)
      add(f, "scale", "'%.100s' has a radius of %.3g m: lengths are in metres", info.name, radius);
  }
  if (ch_world_body_count(world) == 0)
    add(f, "empty", "there are no bodies");
  else if (moving == 0)
    add(f, "empty", "none of the %d bodies moves", ch_world_body_count(world));
}

// --- gravity and steps -----------------------------------------------------------------------------------------------

static const double HEAVY = 100.0, LIGHT = 0.01;  // m/s^2

static void look_at_gravity(const ChWorld* world, ChSceneFindings* f) {
  ChVec3 g = ch_world_gravity_at(world, 0.0);
  double size = ch_norm(g), up = ch_world_dimension(world) == 2 ? g.y : g.z;
  if (size > HEAVY)
    add(f, "scale", "gravity is %.4g m/s^2: lengths are in metres; were millimetres meant? On earth it is 9.81", size);
  if (size > 0.0 && size < LIGHT) add(f, "scale", "gravity is %.3g m/s^2, and on earth 9.81", size);
  if (size > 0.0 && up > 0.5 * size)
    add(f, "gravity", "gravity points up: it is %.3g m/s^2 along %s, and on earth -9.81", up,
        ch_world_dimension(world) == 2 ? "y" : "z");
}

// The smallest of what moves, with a shape.
static void look_at_step(const ChWorld* world, double h, ChSceneFindings* f) {
  double least = INFINITY;
  int body = -1;
  for (int b = 0; b < ch_world_body_count(world); ++b) {
    double radius = ch_row_moves(world, b) ? radius_of(world, b) : 0.0;
    if (!(radius > 0.0 && radius < least)) continue;
    least = radius;
    body = b;
  }
  if (body >= 0 && f->fall > least)
    add(f, "step",
        "a step of %g s is long: in one step a body falls %.3g m from rest, and '%.100s' has a radius of %.3g m", h,
        f->fall, ch_row_name(world, body), least);
}

static bool any_has(const json_t* list, const char* const* keys) {
  for (size_t k = 0; k < json_array_size(list); ++k)
    for (int j = 0; keys[j]; ++j)
      if (json_object_get(json_array_get(list, k), keys[j])) return true;
  return false;
}

// Nothing that pulls, pushes or moves at the start.
static void look_for_stillness(const ChScene* scene, ChSceneFindings* f) {
  static const char* const moved[] = {"velocity", "omega", "motion", "turn", "soft", NULL};
  static const char* const driven[] = {"axes", "drive", "target", NULL};
  const ChWorld* world = scene->world;
  if (ch_norm(ch_world_gravity_at(world, 0.0)) > 0.0 || ch_norm(ch_world_gravity_at(world, scene->until)) > 0.0) return;
  if (ch_world_force_count(world) > 0 || ch_world_body_count(world) == 0) return;
  json_t* root = json_loads(scene->text, 0, NULL);
  if (root && !any_has(json_object_get(root, "bodies"), moved) && !any_has(json_object_get(root, "joints"), driven))
    add(f, "gravity", "gravity is zero, there are no forces, and every body is at rest: nothing will move");
  json_decref(root);
}

// --- overlaps and clearances -----------------------------------------------------------------------------------------

static ChStatus look_at_gaps(ChContext* context, const ChWorld* world, ChSceneFindings* f) {
  ChStatus status = ch_world_overlaps(context, world, &f->overlaps, &f->overlap_count);
  f->deepest = -1;
  for (int k = 0; k < f->overlap_count; ++k)
    if (f->deepest < 0 || f->overlaps[k].depth > f->overlaps[f->deepest].depth) f->deepest = k;
  if (f->deepest >= 0 && f->overlaps[f->deepest].depth > FINE) {
    const ChOverlap* o = &f->overlaps[f->deepest];
    add(f, "overlap", "'%.80s' and '%.80s' overlap by %.3g m: `cardhouse scene heal` moves them apart",
        ch_row_name(world, o->body[0]), ch_row_name(world, o->body[1]), o->depth);
  }
  if (status != CH_OK) return status;
  double within = f->margin;
  for (int b = 0; b < ch_world_body_count(world); ++b)
    if (ch_row_moves(world, b)) within = fmax(within, 0.1 * radius_of(world, b));
  return ch_world_clearances(context, world, isfinite(within) ? within : f->margin, &f->clearances,
                             &f->clearance_count);
}

// The smallest gap of a body that is more than touching, infinite where there is none near.
static double clearance_of(const ChSceneFindings* f, int body, int* other) {
  for (int k = 0; k < f->clearance_count; ++k) {
    const ChClearance* c = &f->clearances[k];
    if (c->gap <= FINE || (c->body[0] != body && c->body[1] != body)) continue;
    *other = c->body[0] == body ? c->body[1] : c->body[0];
    return c->gap;
  }
  return INFINITY;
}

// --- shapes ----------------------------------------------------------------------------------------------------------

static void look_at_shape(const ChWorld* world, int shape, ChSceneFindings* f) {
  ChShapeView view = ch_world_shape(world, shape);
  const char* name = ch_row_name(world, view.body);
  bool moves = ch_row_moves(world, view.body), first = ch_world_shape_like(world, shape) == shape;
  double thickness = first ? ch_world_shape_thickness(world, shape) : INFINITY,
         cell = ch_world_shape_cell(world, shape);
  int other = -1;
  double gap = cell > 0.0 ? clearance_of(f, view.body, &other) : INFINITY;
  if (cell > gap)
    add(f, "mesh",
        "'%.80s' has sampled contacts on cells of %.3g m, and is %.3g m from '%.80s': choose a resolution of %d or "
        "more",
        name, cell, gap, ch_row_name(world, other), (int)ceil(2.0 * view.bound / gap));
  if (first && moves && view.cell_size == 3 && view.cell_count > COSTLY)
    add(f, "mesh", "'%.100s' has a mesh of %d triangles and moves: contacts will be costly", name, view.cell_count);
  if (thickness < f->margin)
    add(f, "thin",
        "'%.100s' is %.3g m thick at its thinnest place, less than the margin of %.3g m: steps that would end in an "
        "overlap are halved",
        name, thickness, f->margin);
}

// --- falling ---------------------------------------------------------------------------------------------------------

typedef struct Column {
  ChVec3 low, high;
  bool finite, held, thing;  // thing: it has a shape
} Column;

static Column column_of(const ChWorld* world, int body) {
  Column c = {.low = {INFINITY, INFINITY, INFINITY}, .high = {-INFINITY, -INFINITY, -INFINITY}, .finite = true};
  int first;
  const int count = ch_world_body_shapes(world, body, &first);
  for (int k = first; k < first + count; ++k) {
    ChVec3 low, high;
    c.thing = true;
    if (!ch_world_shape_box(world, k, &low, &high)) {
      c.finite = false;
      continue;
    }
    c.low = ch_vec(fmin(c.low.x, low.x), fmin(c.low.y, low.y), fmin(c.low.z, low.z));
    c.high = ch_vec(fmax(c.high.x, high.x), fmax(c.high.y, high.y), fmax(c.high.z, high.z));
  }
  return c;
}

// Whether what falls straight down along `axis` from one box comes upon the other.
static bool is_above(const Column* a, const Column* b, int axis, double down) {
  if (!b->thing) return false;
  if (!b->finite || !a->finite) return true;
  for (int k = 0; k < 3; ++k)
    if (k != axis &&
        !(ch_component(a->low, k) <= ch_component(b->high, k) && ch_component(b->low, k) <= ch_component(a->high, k)))
      return false;
  return down < 0.0 ? ch_component(a->high, axis) >= ch_component(b->low, axis)
                    : ch_component(a->low, axis) <= ch_component(b->high, axis);
}

static bool spread_hold(const ChWorld* world, int count, Column* columns, int axis, double down) {
  bool changed = false;
  for (int j = 0; j < ch_world_joint_count(world); ++j) {
    ChJointDef def = ch_row_joint(world, j);
    int a = ch_world_body_row(world, def.body[0]), b = ch_world_body_row(world, def.body[1]);
    bool held = a < 0 || b < 0 || columns[a].held || columns[b].held;
    for (int side = 0; side < 2; ++side) {
      int body = side ? b : a;
      if (body >= 0 && held && !columns[body].held) columns[body].held = changed = true;
    }
  }
  for (int a = 0; a < count; ++a)
    for (int b = 0; b < count && !columns[a].held; ++b)
      if (b != a && columns[b].held && is_above(&columns[a], &columns[b], axis, down)) columns[a].held = changed = true;
  return changed;
}

// Bodies below which nothing is: they fall for as long as the run lasts. Gravity along an axis, no springs.
static void look_for_falls(const ChWorld* world, int most, ChSceneFindings* f) {
  ChVec3 g = ch_world_gravity_at(world, 0.0);
  int count = ch_world_body_count(world), axis = 0, falling = 0, first = -1;
  for (int k = 1; k < 3; ++k)
    if (fabs(ch_component(g, k)) > fabs(ch_component(g, axis))) axis = k;
  double down = ch_component(g, axis);
  if (down == 0.0 || ch_norm(g) > 1.001 * fabs(down) || ch_world_force_count(world) > 0 || count > most) return;
  Column* columns = calloc((size_t)count + 1, sizeof *columns);
  if (!columns) return;
  for (int b = 0; b < count; ++b) {
    ChBodyInfo info = ch_world_body_info(world, ch_world_body_at(world, b));
    columns[b] = column_of(world, b);
    columns[b].held = info.kind != CH_BODY_DYNAMIC || info.soft || (info.locks >> axis & 1) != 0;
  }
  while (spread_hold(world, count, columns, axis, down)) {
  }
  for (int b = 0; b < count; ++b)
    if (!columns[b].held && falling++ == 0) first = b;
  free(columns);
  if (falling > 0)
    add(f, "fall", "%d bod%s, '%.100s' first, ha%s nothing below and fall%s for as long as the run lasts", falling,
        falling == 1 ? "y" : "ies", ch_row_name(world, first), falling == 1 ? "s" : "ve", falling == 1 ? "s" : "");
}

// --- all -------------------------------------------------------------------------------------------------------------

// What the reader of a robot's file has to say, a line each.
static void take_notes(const ChScene* scene, ChSceneFindings* f) {
  for (const char* line = scene->notes; line; line = strchr(line, '\n') ? strchr(line, '\n') + 1 : NULL)
    add(f, "robot", "%.*s", (int)strcspn(line, "\n"), line);
}

static void begin(const ChScene* scene, double h, double margin, ChSceneFindings* out) {
  *out = (ChSceneFindings){.deepest = -1};
  take_notes(scene, out);
  out->margin = margin >= 0.0 ? margin : ch_world_margin(scene->world, h);
  out->fall = ch_norm(ch_world_gravity_at(scene->world, 0.0)) * h * h;
  look_at_bodies(scene->world, out);
  look_at_gravity(scene->world, out);
  look_at_step(scene->world, h, out);
  look_for_stillness(scene, out);
}

void ch_scene_warnings(const ChScene* scene, double h, double until, ChSceneFindings* out) {
  begin(scene, h, 0.0, out);
  double g = ch_norm(ch_world_gravity_at(scene->world, 0.0));
  if (0.5 * g * until * until > OUT_OF_SIGHT) look_for_falls(scene->world, MOST_FALLING_QUICK, out);
}

ChStatus ch_scene_findings(ChContext* context, const ChScene* scene, ChSceneFindings* out) {
  const ChWorld* world = scene->world;
  const ChSimulationOptions* o = &scene->options;
  begin(scene, o->h, o->margin, out);
  ChStatus status = look_at_gaps(context, world, out);
  if (status != CH_OK) return status;
  for (int k = 0; k < ch_world_shape_count(world); ++k) look_at_shape(world, k, out);
  look_for_falls(world, MOST_FALLING, out);
  return CH_OK;
}

void ch_scene_findings_free(ChSceneFindings* findings) {
  free(findings->overlaps);
  free(findings->clearances);
  *findings = (ChSceneFindings){0};
}
