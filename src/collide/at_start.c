// Clearances and thin places of a world at its start: see cardhouse/shape.h.
#include <math.h>
#include <stdlib.h>

#include "collide/collide.h"
#include "collide/shape_box.h"
#include "model/mesh/distance_field.h"
#include "model/shapes/shape_kind.h"

#define MOST_RAYS 300         // triangles of a mesh that are looked through
#define MOST_TESTS 200000000  // of a ray with a triangle, for one mesh

// --- clearances ------------------------------------------------------------------------------------------------------

static int compare_pairs(const void* a, const void* b) {
  const ChClearance *x = a, *y = b;
  for (int k = 0; k < 2; ++k)
    if (x->body[k] != y->body[k]) return x->body[k] < y->body[k] ? -1 : 1;
  return (x->gap > y->gap) - (x->gap < y->gap);
}

static int compare_gaps(const void* a, const void* b) {
  const ChClearance *x = a, *y = b;
  return x->gap != y->gap ? (x->gap < y->gap ? -1 : 1) : compare_pairs(a, b);
}

static const double OPPOSITE = -0.5;  // cosine of normals that face each other

static bool same_bodies(const ChGap* a, const ChGap* b) { return a->body[0] == b->body[0] && a->body[1] == b->body[1]; }

// The smallest sum of two gaps of the same bodies between which one of them could go to and fro. Gaps are sorted.
static double play_of(const ChGap* gaps, int count, int k) {
  double least = INFINITY;
  int first = k;
  while (first > 0 && same_bodies(&gaps[first - 1], &gaps[k])) --first;
  for (int i = first; i < count && same_bodies(&gaps[i], &gaps[k]); ++i)
    if (ch_dot(gaps[i].normal, gaps[k].normal) < OPPOSITE)
      least = fmin(least, fmax(gaps[i].gap, 0.0) + fmax(gaps[k].gap, 0.0));
  return least;
}

// The smallest gap of every pair of bodies; pairs that overlap are left out.
static int keep_least(int count, ChClearance* all) {
  int kept = 0;
  qsort(all, (size_t)count, sizeof *all, compare_pairs);
  for (int k = 0, next; k < count; k = next) {
    for (next = k + 1; next < count && all[next].body[0] == all[k].body[0] && all[next].body[1] == all[k].body[1];)
      ++next;
    for (int i = k + 1; i < next; ++i) all[k].play = fmin(all[k].play, all[i].play);
    if (all[k].gap >= 0.0) all[kept++] = all[k];
  }
  qsort(all, (size_t)kept, sizeof *all, compare_gaps);
  return kept;
}

ChStatus ch_world_clearances(ChContext* context, const ChWorld* world, double within, ChClearance** out, int* count) {
  ChCollider* collider = NULL;
  const ChGap* gaps = NULL;
  const ChCollideOptions options = {.margin = within};
  int found = 0;
  *out = NULL;
  *count = 0;
  if (!world->sealed) return ch_fail(context, CH_ERR_ARGUMENT, "clearances need a sealed world");
  ChStatus status = ch_collider_create(context, world, &collider);
  if (status == CH_OK) status = ch_collide(context, collider, world->states, &options, &gaps, &found);
  ChClearance* all = status == CH_OK && found > 0 ? malloc((size_t)found * sizeof *all) : NULL;
  if (status == CH_OK && found > 0 && !all)
    status = ch_fail(context, CH_ERR_MEMORY, "out of memory for %d gaps", found);
  for (int k = 0; all && k < found; ++k)
    all[k] = (ChClearance){{gaps[k].body[0], gaps[k].body[1]}, gaps[k].gap, play_of(gaps, found, k)};
  ch_collider_destroy(collider);
  if (!all) return status;
  *count = keep_least(found, all);
  *out = all;
  return CH_OK;
}

// --- shapes ----------------------------------------------------------------------------------------------------------

// How far it is inward from the middle of a triangle to the next one.
static double depth_behind(const ChShape* shape, int cell) {
  const ChMesh* m = shape->mesh;
  const int* c = m->cells + 3 * cell;
  ChVec3 middle = ch_scale(1.0 / 3.0, ch_add(m->vertices[c[0]], ch_add(m->vertices[c[1]], m->vertices[c[2]])));
  double skip = 1e-7 * shape->bound;
  ChRayTouch touch;
  ChRay ray = {ch_along(middle, -skip, m->normals[cell]), ch_neg(m->normals[cell]), INFINITY};
  return ch_shape_ray_mesh(&ray, shape, &touch) ? touch.distance + skip : INFINITY;
}

static double mesh_thickness(const ChShape* shape) {
  const ChMesh* m = shape->mesh;
  if (m->width != 3 || !m->closed) return INFINITY;
  long rays = MOST_TESTS / m->cell_count;
  rays = rays < MOST_RAYS ? rays : MOST_RAYS;
  rays = rays < m->cell_count ? rays : m->cell_count;
  double least = INFINITY;
  for (long k = 0; k < rays; ++k) least = fmin(least, depth_behind(shape, (int)(k * m->cell_count / rays)));
  return least;
}

static const ChShape* shape_of(const ChWorld* world, int shape) {
  return world->sealed && shape >= 0 && shape < world->shape_count ? &world->shapes[shape] : NULL;
}

double ch_world_shape_thickness(const ChWorld* world, int shape) {
  const ChShape* s = shape_of(world, shape);
  if (!s) return INFINITY;
  return s->mesh ? mesh_thickness(s) : 2.0 * s->half_width;
}

double ch_world_shape_cell(const ChWorld* world, int shape) {
  const ChShape* s = shape_of(world, shape);
  return s && s->mesh && s->mesh->field ? s->mesh->field->width : 0.0;
}

bool ch_world_shape_box(const ChWorld* world, int shape, ChVec3* low, ChVec3* high) {
  const ChShape* s = shape_of(world, shape);
  if (!s || !ch_shape_kind(s)->reach) return false;
  ChFrame frame = ch_shape_frame(s, &world->states[s->body]);
  ChPosed posed = {.shape = s, .frame = frame, .turn = ch_mat_from_quat(frame.orientation)};
  ChBox3 box = ch_shape_box(&posed);
  *low = box.low;
  *high = box.high;
  return true;
}
