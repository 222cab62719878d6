// Ground as a grid of heights, solid below.
#include "model/mesh/height_field.h"
#include "model/shapes/shape_kind.h"

enum { DRAWN = 200 };  // cells along a side, at most

static ChStatus make(ChContext* context, ChWorld* world, const ChShapeDef* def, ChShape* shape) {
  if (!def->heights)
    return ch_fail(context, CH_ERR_ARGUMENT, "height field: has no heights%s",
                   def->file ? "; read its file first" : "");
  ChHeightField* field = NULL;
  ChStatus status = ch_height_field_create(context, world->arena, def->columns, def->rows, def->heights, def->cell,
                                           def->scale == 0.0 ? 1.0 : def->scale, &field);
  if (status != CH_OK) return status;
  shape->field = field;
  ChVec3 far = field->box.high;
  shape->bound = hypot(hypot(far.x, far.y), fmax(fabs(field->box.low.z - field->deep), fabs(far.z)));
  return CH_OK;
}

// With the ground below, in which bodies may have sunk.
static ChReach reach(const ChShape* s, ChVec3 d) {
  ChBox3 box = s->field->box;
  box.low.z -= s->field->deep;
  return ch_box_reach(&box, d);
}

// Every so many-th row and column, the last ones always.
static int drawn(int count, int k) {
  int stride = (count + DRAWN - 2) / DRAWN;
  return k * stride < count - 1 ? k * stride : count - 1;
}
static int drawn_count(int count) {
  int stride = (count + DRAWN - 2) / DRAWN;
  return (count - 2) / stride + 2;
}

static ChPatches surface(ChArena* arena, const ChShape* s, const ChSurfaceView* view) {
  (void)view;
  const ChHeightField* f = s->field;
  int across = drawn_count(f->columns), up = drawn_count(f->rows), cells = 0;
  ChVec3* at = CH_TAKE(arena, (size_t)across * (size_t)up, ChVec3);
  int* corners = CH_TAKE(arena, 6 * (size_t)across * (size_t)up, int);
  for (int k = 0; k < across * up; ++k) {
    int i = drawn(f->columns, k % across), j = drawn(f->rows, k / across);
    at[k] = ch_vec(i * f->cell, j * f->cell, f->heights[(long)j * f->columns + i]);
    if (k % across + 1 == across || k / across + 1 == up) continue;
    const int here[6] = {k, k + 1, k + across + 1, k, k + across + 1, k + across};
    for (int c = 0; c < 6; ++c) corners[6 * cells + c] = here[c];
    ++cells;
  }
  return ch_patches_triangles(arena, across * up, at, 2 * cells, corners);
}

static const ChDefField fields[] = {
    CH_SHAPE_FIELD(CH_DEF_HEIGHTS, 0, heights, "heights, m: rows from y = 0 on, along x"),
    CH_SHAPE_FIELD(CH_DEF_FILE, 0, file,
                   "instead of heights: a grey PNG or an ASCII grid, whose first row has the largest y"),
    CH_SHAPE_FIELD(CH_DEF_SIZE, 0, cell, "edge of a cell, m; an ASCII grid states its own"),
    CH_SHAPE_FIELD(CH_DEF_NUMBER, 0, scale, "factor on heights (1); for a PNG the height of white, m"),
};

const ChShapeKind ch_shape_kind_heightfield = {.info = {.name = "heightfield",
                                                        .label = "height field",
                                                        .summary = "ground as a grid of heights, solid below",
                                                        .dimension = 3,
                                                        .still = true,
                                                        CH_SHAPE_FIELDS(fields)},
                                               .make = make,
                                               .reach = reach,
                                               .surface = surface,
                                               .ray = ch_shape_ray_field,
                                               .ground = true};
