// Named tetrahedral shapes: see tet_shapes.h. A shape is one row of the table and one function.
#include "model/tet_shapes.h"

#include <math.h>
#include <string.h>

#include "model/tet_grid.h"

// ----------------------------------------------------------------------------------------------------------------- box

typedef struct BoxState {
  ChVec3 size;
  int cells[3];
} BoxState;

static ChVec3 box_corner(const void* state, const int at[3]) {
  const BoxState* b = state;
  return ch_vec(b->size.x * ((double)at[0] / b->cells[0] - 0.5), b->size.y * ((double)at[1] / b->cells[1] - 0.5),
                b->size.z * ((double)at[2] / b->cells[2] - 0.5));
}

static ChStatus check_size(ChContext* context, const char* what, ChVec3 size) {
  for (int a = 0; a < 3; ++a) {
    double side = ch_component(size, a);
    if (!(isfinite(side) && side > 0.0))
      return ch_fail(context, CH_ERR_RANGE, "%s: size along %c is %g, must be finite and > 0", what, "xyz"[a], side);
  }
  return CH_OK;
}

static ChStatus make_box(ChContext* context, ChArena* arena, const ChTetShapeDef* def, ChTetMesh* out) {
  BoxState state = {def->size, {def->cells[0], def->cells[1], def->cells[2]}};
  ChTetGrid grid = {{def->cells[0], def->cells[1], def->cells[2]}, NULL, box_corner, &state};
  return ch_tet_grid(context, arena, def->shape, &grid, out);
}

ChStatus ch_tet_box(ChContext* context, ChArena* arena, ChVec3 size, const int cells[3], ChTetMesh* out) {
  ChTetShapeDef def = {"box", size, {cells[0], cells[1], cells[2]}};
  ChStatus status = check_size(context, def.shape, size);
  return status == CH_OK ? make_box(context, arena, &def, out) : status;
}

// --------------------------------------------------------------------------------------------------------------- table

#define ALONG_AXES "cells along x, y and z"

static const ChTetShape shapes[] = {
    {"bar", "a long box", {1.0, 0.1, 0.1}, {20, 4, 4}, ALONG_AXES, make_box},
    {"strip", "a long flat box", {0.4, 0.04, 0.004}, {40, 4, 2}, ALONG_AXES, make_box},
    {"plate", "a square flat box", {1.0, 1.0, 0.05}, {12, 12, 2}, ALONG_AXES, make_box},
    {"block", "a box", {0.4, 0.3, 0.2}, {8, 6, 4}, ALONG_AXES, make_box},
};
enum { SHAPES = sizeof shapes / sizeof *shapes };

int ch_tet_shape_count(void) { return SHAPES; }

const ChTetShape* ch_tet_shape_at(int k) { return &shapes[k]; }

const ChTetShape* ch_tet_shape_find(const char* name) {
  for (int k = 0; k < SHAPES; ++k)
    if (strcmp(shapes[k].name, name) == 0) return &shapes[k];
  return NULL;
}

static double given(double value, double own) { return value == 0.0 ? own : value; }

ChStatus ch_tet_shape_make(ChContext* context, ChArena* arena, const ChTetShapeDef* def, ChTetMesh* out) {
  const ChTetShape* shape = ch_tet_shape_find(def->shape);
  if (!shape) return ch_fail(context, CH_ERR_RANGE, "there is no tetrahedral shape '%s'", def->shape);
  ChTetShapeDef full = *def;
  full.size =
      ch_vec(given(def->size.x, shape->size.x), given(def->size.y, shape->size.y), given(def->size.z, shape->size.z));
  for (int a = 0; a < 3; ++a) full.cells[a] = def->cells[a] == 0 ? shape->cells[a] : def->cells[a];
  ChStatus status = check_size(context, def->shape, full.size);
  if (status == CH_OK) status = shape->make(context, arena, &full, out);
  return status == CH_OK ? ch_tet_mesh_check(context, arena, def->shape, out) : status;
}
