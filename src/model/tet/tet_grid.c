// Tetrahedra from a grid of cells: see tet_grid.h.
#include "model/tet/tet_grid.h"

enum { TETS_PER_CELL = 6 };

static const int ways[TETS_PER_CELL][3] = {{0, 1, 2}, {1, 2, 0}, {2, 0, 1}, {0, 2, 1}, {2, 1, 0}, {1, 0, 2}};

static long corner_number(const int cells[3], const int at[3]) {
  return at[0] + (cells[0] + 1L) * (at[1] + (cells[1] + 1L) * at[2]);
}

static void corner_from(const int cells[3], long number, int at[3]) {
  at[0] = (int)(number % (cells[0] + 1L));
  at[1] = (int)(number / (cells[0] + 1L) % (cells[1] + 1L));
  at[2] = (int)(number / (cells[0] + 1L) / (cells[1] + 1L));
}

static bool cell_kept(const ChTetGrid* grid, const int cell[3]) { return !grid->keep || grid->keep(grid->state, cell); }

// The six paths along edges from the corner of even numbers to the opposite one; three of them are right-handed, more
// precisely those whose permutation has the sign of the steps' product.
static void cut_cell(const int cells[3], const int cell[3], int* tets) {
  int step[3], handed = 1;
  for (int a = 0; a < 3; ++a) step[a] = cell[a] % 2 ? -1 : 1, handed *= step[a];
  for (int w = 0; w < TETS_PER_CELL; ++w) {
    int at[3], *tet = tets + 4 * w;
    for (int a = 0; a < 3; ++a) at[a] = cell[a] + cell[a] % 2;
    tet[0] = (int)corner_number(cells, at);
    for (int s = 0; s < 3; ++s) {
      at[ways[w][s]] += step[ways[w][s]];
      tet[s + 1] = (int)corner_number(cells, at);
    }
    if ((w < 3 ? 1 : -1) == handed) continue;
    int swap = tet[2];
    tet[2] = tet[3], tet[3] = swap;
  }
}

static void cut_cells(const ChTetGrid* grid, ChTetMesh* out) {
  int cell[3];
  for (cell[2] = 0; cell[2] < grid->cells[2]; ++cell[2])
    for (cell[1] = 0; cell[1] < grid->cells[1]; ++cell[1])
      for (cell[0] = 0; cell[0] < grid->cells[0]; ++cell[0]) {
        if (!cell_kept(grid, cell)) continue;
        cut_cell(grid->cells, cell, out->tets + 4L * out->tet_count);
        out->tet_count += TETS_PER_CELL;
      }
}

// Corners that a tetrahedron uses, in the grid's order.
static void place_corners(ChArena* arena, const ChTetGrid* grid, long corners, ChTetMesh* out) {
  int* number = CH_TAKE(arena, corners, int);
  for (long k = 0; k < 4L * out->tet_count; ++k) number[out->tets[k]] = 1;
  for (long k = 0; k < corners; ++k) number[k] = number[k] ? ++out->vertex_count : 0;
  out->vertices = CH_TAKE_RAW(arena, out->vertex_count + 1, ChVec3);
  for (long k = 0; k < corners; ++k) {
    if (!number[k]) continue;
    int at[3];
    corner_from(grid->cells, k, at);
    out->vertices[number[k] - 1] = grid->place(grid->state, at);
  }
  for (long k = 0; k < 4L * out->tet_count; ++k) out->tets[k] = number[out->tets[k]] - 1;
}

ChStatus ch_tet_grid(ChContext* context, ChArena* arena, const char* what, const ChTetGrid* grid, ChTetMesh* out) {
  *out = (ChTetMesh){0};
  double product = 1.0, corners = 1.0;
  for (int a = 0; a < 3; ++a) {
    if (grid->cells[a] < 1)
      return ch_fail(context, CH_ERR_RANGE, "%s: has %d cells along %c, must have 1 or more", what, grid->cells[a],
                     "xyz"[a]);
    product *= grid->cells[a], corners *= grid->cells[a] + 1.0;
  }
  if (TETS_PER_CELL * product > CH_TETS_MAX)
    return ch_fail(context, CH_ERR_SIZE, "%s: %d x %d x %d cells make %.0f tetrahedra, at most %d are taken", what,
                   grid->cells[0], grid->cells[1], grid->cells[2], TETS_PER_CELL * product, CH_TETS_MAX);
  out->tets = CH_TAKE_RAW(arena, 4 * TETS_PER_CELL * (size_t)product, int);
  cut_cells(grid, out);
  place_corners(arena, grid, (long)corners, out);
  return CH_OK;
}
