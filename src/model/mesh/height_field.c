// See height_field.h.
#include "model/mesh/height_field.h"

#include <math.h>
#include <string.h>

#include "base/check.h"
#include "model/mesh/grid_mesh.h"
#include "model/mesh/mesh_features.h"

static const double ALIKE = 1e-9;  // of a cell: heights and places of neighbours that are the same

static double height_at(const ChHeightField* f, int i, int j) { return f->heights[(long)j * f->columns + i]; }

ChStatus ch_height_field_create(ChContext* context, ChArena* arena, int columns, int rows, const double* heights,
                                double cell, double scale, ChHeightField** out) {
  if (columns < 2 || rows < 2 || columns > CH_FIELD_MOST || rows > CH_FIELD_MOST)
    return ch_fail(context, CH_ERR_SIZE, "height field: has %d columns and %d rows, must have 2 to %d of each", columns,
                   rows, (int)CH_FIELD_MOST);
  if (!(isfinite(cell) && cell > 0.0 && isfinite(scale)))
    return ch_fail(context, CH_ERR_RANGE, "height field: cell is %g m and scale %g, must be above 0 and finite", cell,
                   scale);
  long count = (long)columns * rows;
  double* own = CH_TAKE_RAW(arena, count, double);
  double low = INFINITY, high = -INFINITY;
  for (long k = 0; k < count; ++k) {
    own[k] = scale * heights[k];
    if (!isfinite(own[k]))
      return ch_fail(context, CH_ERR_RANGE, "height field: column %ld of row %ld is %g, must be finite", k % columns,
                     k / columns, heights[k]);
    low = fmin(low, own[k]);
    high = fmax(high, own[k]);
  }
  ChHeightField* f = CH_TAKE(arena, 1, ChHeightField);
  f->columns = columns, f->rows = rows, f->cell = cell, f->heights = own;
  f->box = (ChBox3){{0.0, 0.0, low}, {cell * (columns - 1), cell * (rows - 1), high}};
  f->deep = hypot(f->box.high.x, f->box.high.y);
  *out = f;
  return CH_OK;
}

// --- neighbours ------------------------------------------------------------------------------------------------------

static bool same_border(const ChHeightField* a, const ChHeightField* b, bool east, double rise) {
  int count = east ? a->rows : a->columns;
  if (count != (east ? b->rows : b->columns)) return false;
  for (int k = 0; k < count; ++k) {
    double own = east ? height_at(a, a->columns - 1, k) : height_at(a, k, a->rows - 1);
    double other = east ? height_at(b, 0, k) : height_at(b, k, 0);
    if (!(fabs(other + rise - own) <= ALIKE * a->cell)) return false;
  }
  return true;
}

// b to the east of a, or to the north.
static void join_at(ChHeightField* a, ChHeightField* b, ChVec3 to, bool east) {
  double near = ALIKE * a->cell, along = a->cell * (east ? a->columns - 1 : a->rows - 1);
  if (!(fabs((east ? to.x : to.y) - along) <= near && fabs(east ? to.y : to.x) <= near)) return;
  if (!same_border(a, b, east, to.z)) return;
  int mine = east ? CH_FIELD_EAST : CH_FIELD_NORTH, theirs = east ? CH_FIELD_WEST : CH_FIELD_SOUTH;
  a->beside[mine] = b, a->rise[mine] = to.z;
  b->beside[theirs] = a, b->rise[theirs] = -to.z;
}

void ch_height_field_join(ChHeightField* a, ChHeightField* b, ChVec3 to) {
  if (!(fabs(a->cell - b->cell) <= ALIKE * a->cell)) return;
  for (int east = 0; east < 2; ++east) {
    join_at(a, b, to, east);
    join_at(b, a, ch_neg(to), east);
  }
}

// Height of a place up to one cell beyond the border; false where nobody has it.
static bool look_up(const ChHeightField* f, int i, int j, double* height) {
  double rise = 0.0;
  for (int axis = 0; axis < 2; ++axis) {
    int last = axis == 0 ? f->columns - 1 : f->rows - 1, *at = axis == 0 ? &i : &j;
    if (*at >= 0 && *at <= last) continue;
    int side = 2 * axis + (*at > last);
    const ChHeightField* other = f->beside[side];
    if (!other) return false;
    *at = *at > last ? *at - last : *at + (axis == 0 ? other->columns : other->rows) - 1;
    rise += f->rise[side];
    f = other;
  }
  if (i < 0 || j < 0 || i >= f->columns || j >= f->rows) return false;
  *height = height_at(f, i, j) + rise;
  return true;
}

// --- patches ---------------------------------------------------------------------------------------------------------

// Cells from low to high, one beyond both ends not counted.
typedef struct Span {
  int low[2], high[2];
} Span;

static int cell_below(double x, double cell, int least, int most) {
  double k = floor(x / cell);
  return k < least ? least : k > most ? most : (int)k;
}

// Of cells that the field itself has.
static bool span_under(const ChHeightField* f, const ChBox3* under, Span* out) {
  int cells[2] = {f->columns - 1, f->rows - 1};
  for (int a = 0; a < 2; ++a) {
    double low = ch_component(under->low, a), high = ch_component(under->high, a);
    if (!(high >= 0.0 && low <= f->cell * cells[a])) return false;
    out->low[a] = cell_below(low, f->cell, 0, cells[a] - 1);
    out->high[a] = cell_below(high, f->cell, 0, cells[a] - 1) + 1;
  }
  return under->low.z <= f->box.high.z;
}

static bool reaches_up(const ChHeightField* f, const Span* s, double z) {
  for (int j = s->low[1]; j <= s->high[1]; ++j)
    for (int i = s->low[0]; i <= s->high[0]; ++i)
      if (height_at(f, i, j) >= z) return true;
  return false;
}

typedef struct Patch {
  const ChHeightField* field;
  Span span;       // of the box
  int wide;        // 1: with one cell more all around
  int across, up;  // corners, with that
  ChVec3* at;
  int* vertex;  // corner -> vertex, -1 where nobody has a height
  int vertices, cells;
  int* corners;
  int* first;  // of cells: triangle, -1 where there is none
  unsigned char* foreign;
} Patch;

static void add_corners(Patch* p) {
  for (int y = 0; y < p->up; ++y)
    for (int x = 0; x < p->across; ++x) {
      int i = p->span.low[0] - p->wide + x, j = p->span.low[1] - p->wide + y, k = y * p->across + x;
      double z;
      p->vertex[k] = -1;
      if (!look_up(p->field, i, j, &z)) continue;
      p->at[p->vertices] = ch_vec(i * p->field->cell, j * p->field->cell, z);
      p->vertex[k] = p->vertices++;
    }
}

// Whose edges towards the field's own cells belong to the neighbour: that to the west or south.
static ChForeign foreign_of(const ChHeightField* f, int i, int j) {
  if (i >= 0 && j >= 0 && i < f->columns - 1 && j < f->rows - 1) return CH_FOREIGN_NOT;
  return i < 0 || j < 0 ? CH_FOREIGN_FIRST : CH_FOREIGN_LATER;
}

// The field's own cells first, so that an edge that they share with a neighbour is theirs.
static void add_cells(Patch* p, bool own) {
  for (int y = 0; y + 1 < p->up; ++y)
    for (int x = 0; x + 1 < p->across; ++x) {
      ChForeign foreign = foreign_of(p->field, p->span.low[0] - p->wide + x, p->span.low[1] - p->wide + y);
      if ((foreign == CH_FOREIGN_NOT) != own) continue;
      const int* v = &p->vertex[y * p->across + x];
      int corner[4] = {v[0], v[1], v[p->across + 1], v[p->across]};
      bool whole = corner[0] >= 0 && corner[1] >= 0 && corner[2] >= 0 && corner[3] >= 0;
      p->first[y * (p->across - 1) + x] = whole ? p->cells : -1;
      if (!whole) continue;
      const int triangles[6] = {corner[0], corner[1], corner[2], corner[0], corner[2], corner[3]};
      memcpy(p->corners + 3L * p->cells, triangles, sizeof triangles);
      p->foreign[p->cells] = p->foreign[p->cells + 1] = (unsigned char)foreign;
      p->cells += 2;
    }
}

static Patch gather(ChArena* arena, const ChHeightField* f, const Span* span, bool wide) {
  Patch p = {.field = f, .span = *span, .wide = wide};
  p.across = span->high[0] - span->low[0] + 1 + 2 * p.wide;
  p.up = span->high[1] - span->low[1] + 1 + 2 * p.wide;
  long corners = (long)p.across * p.up;
  p.at = CH_TAKE_RAW(arena, corners, ChVec3);
  p.vertex = CH_TAKE_RAW(arena, corners, int);
  p.first = CH_TAKE_RAW(arena, corners, int);
  p.corners = CH_TAKE_RAW(arena, 6 * corners, int);
  p.foreign = CH_TAKE_RAW(arena, 2 * corners, unsigned char);
  add_corners(&p);
  add_cells(&p, true);
  add_cells(&p, false);
  return p;
}

ChMesh* ch_height_field_ground(ChArena* arena, const ChHeightField* f, const ChBox3* under) {
  Span span;
  if (!span_under(f, under, &span) || !reaches_up(f, &span, under->low.z)) return NULL;
  Patch p = gather(arena, f, &span, true);
  const ChGridCorners grid = {p.across, p.up, p.at, p.vertices, p.vertex, p.first, p.cells, p.corners};
  ChMesh* mesh = ch_grid_mesh(arena, &grid);
  mesh->front = mesh->below = true;
  mesh->foreign = p.foreign;
  return mesh;
}

ChStatus ch_height_field_mesh(ChContext* context, ChArena* arena, const ChHeightField* f, const ChBox3* under,
                              bool beside, ChMesh** out) {
  Span span;
  *out = NULL;
  if (!span_under(f, under, &span) || !reaches_up(f, &span, under->low.z)) return CH_OK;
  Patch p = gather(arena, f, &span, beside);
  ChStatus status = ch_mesh_create(context, arena, p.vertices, p.at, p.cells, p.corners, 3, out);
  if (status == CH_OK) (*out)->front = (*out)->below = true;
  if (status == CH_OK && beside) ch_mesh_disown(*out, p.foreign);
  return status;
}

// --- rays ------------------------------------------------------------------------------------------------------------

static ChVec3 corner_of(const void* corners, int k) { return ((const ChVec3*)corners)[k]; }

// The two triangles of a cell.
static bool meet_cell(const ChRay* ray, const ChHeightField* f, int i, int j, ChRayTouch* out) {
  static const int triangles[6] = {0, 1, 2, 0, 2, 3};
  double c = f->cell;
  const ChVec3 corners[4] = {
      ch_vec(i * c, j * c, height_at(f, i, j)), ch_vec((i + 1) * c, j * c, height_at(f, i + 1, j)),
      ch_vec((i + 1) * c, (j + 1) * c, height_at(f, i + 1, j + 1)), ch_vec(i * c, (j + 1) * c, height_at(f, i, j + 1))};
  return ch_ray_meet_triangles(ray, 2, triangles, corner_of, corners, out);
}

// Where the ray is above the field's rectangle, from `enter` to `leave`.
static bool over(const ChRay* ray, const ChHeightField* f, double* enter, double* leave) {
  *enter = 0.0, *leave = ray->reach;
  for (int a = 0; a < 3; ++a) {
    double speed = ch_component(ray->along, a), from = ch_component(ray->from, a);
    double low = ch_component(f->box.low, a), high = ch_component(f->box.high, a);
    if (speed == 0.0) {
      if (from < low || from > high) return false;
      continue;
    }
    double one = (low - from) / speed, other = (high - from) / speed;
    *enter = fmax(*enter, fmin(one, other));
    *leave = fmin(*leave, fmax(one, other));
  }
  return *enter <= *leave * (1.0 + 1e-12) + 1e-300;
}

// Cell after cell along the ray, as one draws a line.
bool ch_shape_ray_field(const ChRay* ray, const ChShape* shape, ChRayTouch* out) {
  const ChHeightField* f = shape->field;
  double enter, leave, next[2], each[2];
  int at[2], step[2], most[2] = {f->columns - 2, f->rows - 2};
  if (!over(ray, f, &enter, &leave)) return false;
  for (int a = 0; a < 2; ++a) {
    double speed = ch_component(ray->along, a), from = ch_component(ray->from, a);
    at[a] = cell_below(from + enter * speed, f->cell, 0, most[a]);
    step[a] = speed > 0.0 ? 1 : -1;
    each[a] = speed == 0.0 ? INFINITY : f->cell / fabs(speed);
    next[a] = speed == 0.0 ? INFINITY : ((at[a] + (speed > 0.0)) * f->cell - from) / speed;
  }
  while (at[0] >= 0 && at[1] >= 0 && at[0] <= most[0] && at[1] <= most[1]) {
    if (meet_cell(ray, f, at[0], at[1], out)) return true;
    int a = next[0] <= next[1] ? 0 : 1;
    if (!(next[a] <= leave + each[a])) return false;
    at[a] += step[a];
    next[a] += each[a];
  }
  return false;
}
