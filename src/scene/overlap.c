// Bodies that overlap at the start: a mistake in the scene, which a run would turn into an explosion.
#include <math.h>
#include <stdlib.h>

#include "base/check.h"
#include "cardhouse/shape.h"
#include "scene/build.h"

static const double SHARE = 1e-3;        // of the smaller body's size
static const double MOST_STEPS = 200.0;  // that push-out may take, at the speed of assemble/push_out.c

// Radius of a ball that holds the shapes of a body.
static double body_size(const ChWorld* world, int body) {
  double size = 0.0;
  int first;
  const int count = ch_world_body_shapes(world, body, &first);
  for (int k = first; k < first + count; ++k) {
    size = ch_max(size, ch_world_shape(world, k).reach);
  }
  return size;
}

static const char* name_of(const ChWorld* world, int body) {
  return ch_world_body_name(world, ch_world_body_at(world, body));
}

static bool refuse(ChReader* r, const ChDocuments* documents, const ChWorld* world, const ChOverlap* gap,
                   double allowed) {
  ChPlace top = {0}, bodies = {&top, "bodies", 0}, at = {&bodies, NULL, 0};
  ChBodyPlace place;
  r->document = &documents->document[0];
  int later = gap->body[0] > gap->body[1] ? gap->body[0] : gap->body[1];
  bool known = ch_body_place(documents, later, &place);
  if (known) {
    r->document = place.document;
    at.index = place.index;
  }
  return ch_reader_wrong(r, known ? &at : &bodies,
                         "'%.60s' and '%.60s' overlap by %g m at (%g, %g, %g) at the start, at most %g m is allowed "
                         "(\"step\": {\"overlap\": ...}); move one, let them \"ignore\" each other, or move them "
                         "apart with `cardhouse scene heal`",
                         name_of(world, gap->body[0]), name_of(world, gap->body[1]), gap->depth, gap->point.x,
                         gap->point.y, gap->point.z, allowed);
}

// What is pushed out in so many steps of this length: d <= n h v(d), v = sqrt(g d / 2) or R / 100 s.
static double undone_in_time(const ChWorld* world, double radius, double h) {
  double g = ch_norm(ch_world_gravity_at(world, 0.0)), time = MOST_STEPS * h;
  return ch_max(0.5 * g * time * time, 0.01 * radius * time);
}

static double allowed_overlap(const ChWorld* world, const ChOverlap* gap, const ChSceneRun* run) {
  if (run->overlap >= 0.0) return run->overlap;
  double radius = ch_min(body_size(world, gap->body[0]), body_size(world, gap->body[1]));
  return ch_min(SHARE * 2.0 * radius, undone_in_time(world, radius, run->options.h));
}

// --- sampled contacts ------------------------------------------------------------------------------------------------

// The widest cell of the fields by which a body's meshes are touched; 0: none.
static double cell_of(const ChWorld* world, int body, double* size) {
  double cell = 0.0;
  int first;
  const int count = ch_world_body_shapes(world, body, &first);
  for (int k = first; k < first + count; ++k) {
    const double own = ch_world_shape_cell(world, k);
    if (own > cell) cell = own, *size = 2.0 * ch_world_shape(world, k).bound;
  }
  return cell;
}

static bool refuse_cells(ChReader* r, const ChDocuments* documents, const ChWorld* world, const ChClearance* c,
                         int body, double cell, double size) {
  ChPlace top = {0}, bodies = {&top, "bodies", 0}, at = {&bodies, NULL, 0};
  ChBodyPlace place;
  bool known = ch_body_place(documents, body, &place);
  r->document = known ? place.document : &documents->document[0];
  if (known) at.index = place.index;
  return ch_reader_wrong(
      r, known ? &at : &bodies,
      "'%.60s' has sampled contacts on cells of %.3g m, and a clearance of %.3g m to '%.60s'; one fits into the other, "
      "and contacts in that gap would be missed; use \"contact\": \"exact\", or a "
      "\"resolution\" of %.0f or more",
      name_of(world, body), cell, 0.5 * c->play, name_of(world, c->body[c->body[0] == body]),
      ceil(2.0 * size / c->play));
}

// Refuses cells that are coarser than the clearance of what fits into each other.
static bool check_cells(ChReader* r, const ChDocuments* documents, const ChWorld* world) {
  double widest = 0.0, size = 0.0;
  for (int b = 0; b < ch_world_body_count(world); ++b) widest = ch_max(widest, cell_of(world, b, &size));
  if (!(widest > 0.0)) return true;
  ChClearance* all;
  int count;
  ChStatus status = ch_world_clearances(r->context, world, 2.0 * widest, &all, &count);
  bool good = ch_reader_pass_on(r, &(ChPlace){0}, status);
  for (int k = 0; k < 2 * count && good; ++k) {
    const ChClearance* c = &all[k / 2];
    const double cell = cell_of(world, c->body[k % 2], &size);
    if (cell > 0.5 * c->play) good = refuse_cells(r, documents, world, c, c->body[k % 2], cell, size);
  }
  free(all);
  return good;
}

// ---------------------------------------------------------------------------------------------------------------------

bool ch_world_check_overlap(ChReader* r, const ChDocuments* documents, const ChWorld* world) {
  const ChSceneRun* run = &documents->root[0].run;
  ChOverlap* overlaps;
  int count, worst = -1;
  double excess = 0.0;
  ChStatus status = ch_world_overlaps(r->context, world, &overlaps, &count);
  for (int k = 0; k < count; ++k) {
    double over = overlaps[k].depth - allowed_overlap(world, &overlaps[k], run);
    if (over > excess) excess = over, worst = k;
  }
  bool good = ch_reader_pass_on(r, &(ChPlace){0}, status);
  if (good && worst >= 0)
    good = refuse(r, documents, world, &overlaps[worst], allowed_overlap(world, &overlaps[worst], run));
  free(overlaps);
  return good && check_cells(r, documents, world);
}
