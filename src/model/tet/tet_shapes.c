// Named tetrahedral shapes: see tet_shapes.h. A shape is one row of the table and one function.
#include "model/tet/tet_shapes.h"

#include <math.h>
#include <string.h>

#include "model/tet/tet_animals.h"
#include "model/tet/tet_grid.h"
#include "model/tet/tet_torus.h"

static double given(double value, double own) { return value == 0.0 ? own : value; }

static ChStatus check_size(ChContext* context, const char* what, ChVec3 size) {
  for (int a = 0; a < 3; ++a) {
    double side = ch_component(size, a);
    if (!(side >= CH_TET_EDGE_LEAST && side <= CH_TET_COORDINATE_MOST))
      return ch_fail(context, CH_ERR_RANGE, "%s: size along %c is %g, must be %g to %g", what, "xyz"[a], side,
                     CH_TET_EDGE_LEAST, CH_TET_COORDINATE_MOST);
  }
  return CH_OK;
}

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

static ChStatus make_box(ChContext* context, ChArena* arena, const ChTetShapeDef* def, ChTetMesh* out) {
  BoxState state = {def->size, {def->cells[0], def->cells[1], def->cells[2]}};
  ChTetGrid grid = {{def->cells[0], def->cells[1], def->cells[2]}, NULL, box_corner, &state};
  return ch_tet_grid(context, arena, def->shape, &grid, out);
}

ChStatus ch_tet_box(ChContext* context, ChArena* arena, ChVec3 size, const int cells[3], ChTetMesh* out) {
  ChTetShapeDef def = {.shape = "box", .size = size, .cells = {cells[0], cells[1], cells[2]}};
  ChStatus status = check_size(context, def.shape, size);
  return status == CH_OK ? make_box(context, arena, &def, out) : status;
}

// -------------------------------------------------------------------------------------------------------------- strand

// A strip whose middle line is a wave; its thickness is measured normal to that line. A section with thin edges touches
// what it crosses in the middle, where a flat one touches it with its corners.
static ChVec3 strand_corner(const void* state, const int at[3]) {
  const ChTetShapeDef* s = state;
  double x = s->size.x * ((double)at[0] / s->cells[0] - 0.5), y = s->size.y * ((double)at[1] / s->cells[1] - 0.5);
  double across = 2.0 * y / s->size.y, k = 2.0 * acos(-1.0) / s->period;
  double off = s->size.z * (1.0 - s->round * across * across) * ((double)at[2] / s->cells[2] - 0.5);
  double slope = s->amplitude * k * cos(k * x + s->phase), along = 1.0 / sqrt(1.0 + slope * slope);
  return ch_vec(x - off * slope * along, y, s->amplitude * sin(k * x + s->phase) + off * along);
}

static ChStatus make_strand(ChContext* context, ChArena* arena, const ChTetShapeDef* def, ChTetMesh* out) {
  ChTetShapeDef s = *def;
  s.amplitude = given(def->amplitude, def->size.z), s.period = given(def->period, 0.5 * def->size.x);
  if (!(isfinite(s.amplitude) && isfinite(s.period) && isfinite(s.phase) && s.period > 0.0))
    return ch_fail(context, CH_ERR_RANGE,
                   "strand: amplitude %g, period %g, phase %g must be finite and the period positive", s.amplitude,
                   s.period, s.phase);
  if (!(s.round >= 0.0 && s.round <= 0.9))
    return ch_fail(context, CH_ERR_RANGE, "strand: round is %g, must be 0 to 0.9", s.round);
  double k = 2.0 * acos(-1.0) / s.period, radius = 1.0 / (fabs(s.amplitude) * k * k);
  if (!(0.5 * s.size.z < radius))
    return ch_fail(context, CH_ERR_RANGE,
                   "strand: half its thickness, %g, reaches beyond its least radius of curvature, %g; make it thinner, "
                   "its amplitude smaller or its period longer",
                   0.5 * s.size.z, radius);
  ChTetGrid grid = {{s.cells[0], s.cells[1], s.cells[2]}, NULL, strand_corner, &s};
  return ch_tet_grid(context, arena, s.shape, &grid, out);
}

// --------------------------------------------------------------------------------------------------------------- chair

// Seat, four legs and a back from one grid: along x and y a leg, the span between, a leg; along z the legs, the seat,
// the back.
typedef struct Chair {
  double line[3][4];  // where the three sections of an axis begin and end
  int cells[3][3];
} Chair;

static int chair_section(const Chair* c, int axis, int cell, int* within) {
  int section = 0;
  while (section < 2 && cell >= c->cells[axis][section]) cell -= c->cells[axis][section++];
  *within = cell;
  return section;
}

static bool chair_keeps(const void* state, const int cell[3]) {
  int within, x = chair_section(state, 0, cell[0], &within), y = chair_section(state, 1, cell[1], &within);
  int z = chair_section(state, 2, cell[2], &within);
  return z == 1 || (z == 0 && x != 1 && y != 1) || (z == 2 && y == 2);
}

static ChVec3 chair_corner(const void* state, const int at[3]) {
  const Chair* c = state;
  double x[3];
  for (int a = 0; a < 3; ++a) {
    int within, section = chair_section(c, a, at[a], &within);
    double part = (double)within / c->cells[a][section];
    x[a] = c->line[a][section] + part * (c->line[a][section + 1] - c->line[a][section]);
  }
  return ch_vec(x[0], x[1], x[2]);
}

static ChStatus make_chair(ChContext* context, ChArena* arena, const ChTetShapeDef* def, ChTetMesh* out) {
  Chair chair;
  int leg = def->cells[0], span = def->cells[1], height = def->cells[2];
  for (int a = 0; a < 3; ++a) {
    if (def->cells[a] < 1)
      return ch_fail(context, CH_ERR_RANGE, "chair: has %d cells, must have 1 or more", def->cells[a]);
    if (def->cells[a] > CH_TETS_MAX / 8)  // sums of them stay within an int
      return ch_fail(context, CH_ERR_SIZE, "chair: %d cells make more than %d tetrahedra, the most that are taken",
                     def->cells[a], CH_TETS_MAX);
    double half = 0.5 * ch_component(def->size, a);
    double begin = a == 2 ? CH_TET_CHAIR_SEAT : CH_TET_CHAIR_LEG;
    double end = a == 2 ? CH_TET_CHAIR_SEAT + CH_TET_CHAIR_THICKNESS : 1.0 - CH_TET_CHAIR_LEG;
    const double line[4] = {-half, half * (2.0 * begin - 1.0), half * (2.0 * end - 1.0), half};
    memcpy(chair.line[a], line, sizeof line);
    chair.cells[a][0] = chair.cells[a][2] = a == 2 ? height : leg;
    chair.cells[a][1] = a == 2 ? leg : span;
  }
  ChTetGrid grid = {{2 * leg + span, 2 * leg + span, 2 * height + leg}, chair_keeps, chair_corner, &chair};
  return ch_tet_grid(context, arena, def->shape, &grid, out);
}

// --------------------------------------------------------------------------------------------------- torus and animals

static ChStatus make_torus(ChContext* context, ChArena* arena, const ChTetShapeDef* def, ChTetMesh* out) {
  double tube = 0.5 * def->size.z, radius = 0.5 * def->size.x - tube;
  ChStatus status = ch_tet_torus(context, arena, radius, tube, def->cells[0], def->cells[1], out);
  for (int v = 0; v < out->vertex_count; ++v) out->vertices[v].y *= def->size.y / def->size.x;
  return status;
}

// The box around the mesh becomes that of the size wanted, centred.
static void fit(ChVec3 size, ChTetMesh* mesh) {
  ChVec3 low = mesh->vertices[0], high = low;
  for (int v = 1; v < mesh->vertex_count; ++v) {
    ChVec3 x = mesh->vertices[v];
    low = ch_vec(fmin(low.x, x.x), fmin(low.y, x.y), fmin(low.z, x.z));
    high = ch_vec(fmax(high.x, x.x), fmax(high.y, x.y), fmax(high.z, x.z));
  }
  ChVec3 middle = ch_scale(0.5, ch_add(low, high)), across = ch_sub(high, low);
  for (int v = 0; v < mesh->vertex_count; ++v) {
    ChVec3 x = ch_sub(mesh->vertices[v], middle);
    mesh->vertices[v] = ch_vec(x.x * size.x / across.x, x.y * size.y / across.y, x.z * size.z / across.z);
  }
}

static ChStatus make_animal(ChContext* context, ChArena* arena, const ChTetShapeDef* def, const ChTetSolid* solid,
                            ChTetMesh* out) {
  if (def->cells[0] < CH_TET_ANIMAL_CELLS)
    return ch_fail(context, CH_ERR_RANGE, "%s: has %d cells along its longest side, must have %d or more", def->shape,
                   def->cells[0], CH_TET_ANIMAL_CELLS);
  ChVec3 box = ch_sub(solid->high, solid->low);
  double cell = fmax(box.x, fmax(box.y, box.z)) / def->cells[0];
  ChStatus status = ch_tet_stuffing(context, arena, def->shape, solid, cell, out);
  if (status == CH_OK) fit(def->size, out);
  return status;
}

static ChStatus make_dino(ChContext* context, ChArena* arena, const ChTetShapeDef* def, ChTetMesh* out) {
  return make_animal(context, arena, def, &ch_tet_dino, out);
}

static ChStatus make_rabbit(ChContext* context, ChArena* arena, const ChTetShapeDef* def, ChTetMesh* out) {
  return make_animal(context, arena, def, &ch_tet_rabbit, out);
}

// --------------------------------------------------------------------------------------------------------------- table

#define AXES "length, width and height", "cells along x, y and z", false
#define ANIMAL "length, width and height", "cells along the longest side (the others do not count)", true

typedef struct Row {
  ChTetShape shape;
  ChStatus (*make)(ChContext* context, ChArena* arena, const ChTetShapeDef* def, ChTetMesh* out);
} Row;

static const Row rows[] = {
    {{"bar", "a long box", {1.0, 0.1, 0.1}, {20, 4, 4}, AXES}, make_box},
    {{"strip", "a long flat box", {0.4, 0.04, 0.004}, {40, 4, 2}, AXES}, make_box},
    {{"plate", "a square flat box", {1.0, 1.0, 0.05}, {12, 12, 2}, AXES}, make_box},
    {{"block", "a box", {0.4, 0.3, 0.2}, {8, 6, 4}, AXES}, make_box},
    {{"strand",
      "a wavy strip, as in a fabric",
      {0.4, 0.04, 0.004},
      {64, 4, 2},
      "length, width and thickness",
      "cells along, across and through",
      false},
     make_strand},
    {{"torus",
      "a ring of round section",
      {0.4, 0.4, 0.1},
      {32, 3, 1},
      "outer diameters and that of the tube",
      "pieces around, rings in the section (the third does not count)",
      false},
     make_torus},
    {{"chair",
      "a seat, four legs and a back",
      {0.45, 0.45, 0.9},
      {2, 6, 10},
      "width, depth and height",
      "cells across a leg, between two legs, along a leg",
      true},
     make_chair},
    {{"dino", "a sauropod", {1.055, 0.31, 0.645}, {24, 1, 1}, ANIMAL}, make_dino},
    {{"rabbit", "a sitting rabbit", {0.74, 0.41, 0.895}, {18, 1, 1}, ANIMAL}, make_rabbit},
};
enum { SHAPES = sizeof rows / sizeof *rows };

int ch_tet_shape_count(void) { return SHAPES; }

const ChTetShape* ch_tet_shape_at(int k) { return k >= 0 && k < SHAPES ? &rows[k].shape : NULL; }

static const Row* find(const char* name) {
  for (int k = 0; k < SHAPES; ++k)
    if (strcmp(rows[k].shape.name, name) == 0) return &rows[k];
  return NULL;
}

const ChTetShape* ch_tet_shape_find(const char* name) {
  const Row* row = find(name);
  return row ? &row->shape : NULL;
}

// How much larger than its own size the first measure given makes a shape.
static double own_scale(const ChTetShape* shape, ChVec3 size) {
  for (int a = 0; a < 3; ++a)
    if (ch_component(size, a) != 0.0) return ch_component(size, a) / ch_component(shape->size, a);
  return 1.0;
}

ChStatus ch_tet_shape_make(ChContext* context, ChArena* arena, const ChTetShapeDef* def, ChTetMesh* out) {
  const Row* row = find(def->shape);
  if (!row) return ch_fail(context, CH_ERR_RANGE, "there is no tetrahedral shape '%s'", def->shape);
  const ChTetShape* shape = &row->shape;
  ChTetShapeDef full = *def;
  ChVec3 own = ch_scale(shape->proportional ? own_scale(shape, def->size) : 1.0, shape->size);
  full.size = ch_vec(given(def->size.x, own.x), given(def->size.y, own.y), given(def->size.z, own.z));
  for (int a = 0; a < 3; ++a) full.cells[a] = def->cells[a] == 0 ? shape->cells[a] : def->cells[a];
  ChStatus status = check_size(context, def->shape, full.size);
  if (status == CH_OK) status = row->make(context, arena, &full, out);
  return status == CH_OK ? ch_tet_mesh_check(context, arena, def->shape, out) : status;
}
