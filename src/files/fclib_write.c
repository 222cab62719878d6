// Writing FCLIB's HDF5 layout: problems, solutions and guesses, and the group /cardhouse for what FCLIB has no place
// for.
//
// The file is made in memory and put on disk by ch_whole_file_write, so that a full disk is an error message and never
// half a file. The fclib library is not used to write either: it prints and ends the process when a call fails, and
// refuses a problem without contacts, such as a mechanism in free flight. The tests read every file back with it.
//
// Matrices go out as the FCLIB collection has them: compressed rows in the local form, triplets in the global one.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/whole_file.h"
#include "cardhouse/files.h"
#include "files/fclib_file.h"
#include "files/file_error.h"
#include "files/hdf5_apart.h"
#include "files/hdf5_file.h"

enum { LAYOUT_VERSION = 1 };

typedef struct Writer {
  ChHdf5 h;
  ChProblemView problem;
  const char* root;  // "fclib_local", "fclib_global" or "fclib_global_rolling"
  ChFclibOrder order;
  int* file_row;  // the problem's row -> the file's
} Writer;

// Part of a matrix, in the file's numbering.
typedef struct Piece {
  int rows, columns;
  long count;
  int *row, *column;
  double* value;
} Piece;

static int part_rows(const Writer* w, int part) { return w->order.start[part + 1] - w->order.start[part]; }

// ------------------------------------------------------------------------------------------------------------ pieces

static bool take_piece(ChHdf5* h, Piece* p, long count) {
  p->row = ch_hdf5_take(h, count, sizeof *p->row);
  p->column = ch_hdf5_take(h, count, sizeof *p->column);
  p->value = ch_hdf5_take(h, count, sizeof *p->value);
  return h->status == CH_OK;
}

// Rows [row_from, row_to) and columns [column_from, column_to) of A in the file's order, by columns. M and H have rows
// that are degrees of freedom, which keep their order: then `map_rows` is false.
static Piece cut(Writer* w, const ChSparse* A, bool map_rows, int row_from, int row_to, int column_from,
                 int column_to) {
  Piece p = {.rows = row_to - row_from, .columns = column_to - column_from};
  long room = 0;
  for (int c = column_from; c < column_to; ++c) {
    int j = w->order.row[c];
    room += A->start[j + 1] - A->start[j];
  }
  if (!take_piece(&w->h, &p, room)) return p;
  for (int c = column_from; c < column_to; ++c) {
    int j = w->order.row[c];
    for (int k = A->start[j]; k < A->start[j + 1]; ++k) {
      int row = map_rows ? w->file_row[A->index[k]] : A->index[k];
      if (row < row_from || row >= row_to) continue;
      p.row[p.count] = row - row_from;
      p.column[p.count] = c - column_from;
      p.value[p.count++] = A->value[k];
    }
  }
  return p;
}

// A piece sorted by row (counting sort, stable), and the row pointers that go with it.
static Piece sort_by_row(ChHdf5* h, const Piece* p, int** start_out) {
  Piece sorted = {.rows = p->rows, .columns = p->columns, .count = p->count};
  int* start = ch_hdf5_take(h, p->rows + 1, sizeof *start);
  int* next = ch_hdf5_take(h, p->rows + 1, sizeof *next);
  *start_out = start;
  if (!take_piece(h, &sorted, p->count)) return sorted;
  for (long k = 0; k < p->count; ++k) ++start[p->row[k] + 1];
  for (int i = 0; i < p->rows; ++i) start[i + 1] += start[i];
  memcpy(next, start, ((size_t)p->rows + 1) * sizeof *next);
  for (long k = 0; k < p->count; ++k) {
    int to = next[p->row[k]]++;
    sorted.row[to] = p->row[k];
    sorted.column[to] = p->column[k];
    sorted.value[to] = p->value[k];
  }
  return sorted;
}

static void put_matrix(Writer* w, const char* group, const Piece* p) {
  ChHdf5* h = &w->h;
  char name[CH_HDF5_NAME_SIZE];
  bool by_rows = w->problem.form == CH_FORM_LOCAL;
  int* start = NULL;
  Piece sorted = by_rows ? sort_by_row(h, p, &start) : *p;
  if (h->status != CH_OK) return;
  ch_hdf5_put_group(h, group);
  ch_hdf5_put_int(h, ch_hdf5_join(name, group, "nzmax"), (int)p->count);
  ch_hdf5_put_int(h, ch_hdf5_join(name, group, "m"), p->rows);
  ch_hdf5_put_int(h, ch_hdf5_join(name, group, "n"), p->columns);
  ch_hdf5_put_int(h, ch_hdf5_join(name, group, "nz"), by_rows ? -2 : (int)p->count);
  if (by_rows)
    ch_hdf5_put_ints(h, ch_hdf5_join(name, group, "p"), (long)p->rows + 1, start);
  else
    ch_hdf5_put_ints(h, ch_hdf5_join(name, group, "p"), p->count, p->column);
  ch_hdf5_put_ints(h, ch_hdf5_join(name, group, "i"), p->count, by_rows ? sorted.column : p->row);
  ch_hdf5_put_doubles(h, ch_hdf5_join(name, group, "x"), p->count, sorted.value);
}

// The rows of one part of a vector, in the file's order.
static void put_part(Writer* w, const char* group, const char* symbol, int from, int to, const double* x) {
  char name[CH_HDF5_NAME_SIZE];
  double* ordered = ch_hdf5_take(&w->h, to - from, sizeof *ordered);
  for (int k = from; ordered && k < to; ++k) ordered[k - from] = x[w->order.row[k]];
  ch_hdf5_put_doubles(&w->h, ch_hdf5_join(name, group, symbol), to - from, ordered);
}

// ----------------------------------------------------------------------------------------------------------- problem

// How many contacts obey this law, and which they are in the file's order.
static int list_guests(const Writer* w, ChLaw law, int* contact) {
  int count = 0;
  for (int k = 0; k < w->order.block_start[1]; ++k) {
    if (w->problem.blocks[w->order.block[k]].law != law) continue;
    if (contact) contact[count] = k;
    ++count;
  }
  return count;
}

static bool has_guests(const Writer* w) {
  for (int law = 0; law < ch_law_count(); ++law)
    if (ch_fclib_is_guest((ChLaw)law) && list_guests(w, (ChLaw)law, NULL) > 0) return true;
  return false;
}

static void put_info(Writer* w) {
  char group[CH_HDF5_NAME_SIZE], name[CH_HDF5_NAME_SIZE];
  ch_hdf5_put_group(&w->h, ch_hdf5_join(group, w->root, "info"));
  ch_hdf5_put_text(&w->h, ch_hdf5_join(name, group, "title"), "contact problem");
  ch_hdf5_put_text(&w->h, ch_hdf5_join(name, group, "description"),
                   has_guests(w) ? "written by cardhouse; contacts are NOT rigid: see the groups in /cardhouse"
                   : w->problem.curve_count > 0
                       ? "written by cardhouse; friction is NOT constant: see the group /cardhouse/curve"
                       : "written by cardhouse");
  ch_hdf5_put_text(&w->h, ch_hdf5_join(name, group, "math_info"), "unknown");
}

// spacedim, and the vectors mu and q (local) or w (global).
static void put_contacts(Writer* w) {
  char group[CH_HDF5_NAME_SIZE], name[CH_HDF5_NAME_SIZE];
  bool local = w->problem.form == CH_FORM_LOCAL;
  int contacts = w->order.block_start[1];
  const int space = w->problem.dimension;
  ch_hdf5_put_int(&w->h, ch_hdf5_join(name, w->root, "spacedim"), w->order.rolls ? 2 * space - 1 : space);
  double* mu = ch_hdf5_take(&w->h, contacts, sizeof *mu);
  for (int k = 0; mu && k < contacts; ++k) mu[k] = w->problem.blocks[w->order.block[k]].mu[0];
  ch_hdf5_put_group(&w->h, ch_hdf5_join(group, w->root, "vectors"));
  ch_hdf5_put_doubles(&w->h, ch_hdf5_join(name, group, "mu"), contacts, mu);
  for (int k = 0; mu && w->order.rolls && k < contacts; ++k) mu[k] = w->problem.blocks[w->order.block[k]].more[0];
  if (w->order.rolls) ch_hdf5_put_doubles(&w->h, ch_hdf5_join(name, group, "mu_r"), contacts, mu);
  put_part(w, group, local ? "q" : "w", 0, w->order.start[1], w->problem.w);
}

static void put_group(Writer* w, const char* matrix, const Piece* p) {
  char name[CH_HDF5_NAME_SIZE];
  put_matrix(w, ch_hdf5_join(name, w->root, matrix), p);
}

static void put_global(Writer* w) {
  const ChProblemView* problem = &w->problem;
  const int* s = w->order.start;
  char vectors[CH_HDF5_NAME_SIZE];
  Piece M = {.rows = problem->dof, .columns = problem->dof};
  if (!take_piece(&w->h, &M, problem->M->start[problem->dof])) return;
  for (int j = 0; j < problem->dof; ++j)
    for (int k = problem->M->start[j]; k < problem->M->start[j + 1]; ++k) {
      M.row[M.count] = problem->M->index[k];
      M.column[M.count] = j;
      M.value[M.count++] = problem->M->value[k];
    }
  put_group(w, "M", &M);
  Piece H = cut(w, problem->H, false, 0, problem->dof, 0, s[1]);
  put_group(w, "H", &H);
  ch_hdf5_put_doubles(&w->h, ch_hdf5_join(vectors, w->root, "vectors/f"), problem->dof, problem->f);
  if (s[2] == s[1]) return;
  Piece G = cut(w, problem->H, false, 0, problem->dof, s[1], s[2]);
  put_group(w, "G", &G);
  put_part(w, ch_hdf5_join(vectors, w->root, "vectors"), "b", s[1], s[2], problem->w);
}

// True when the rows of the bilaterals are the transpose of their columns, as FCLIB takes for granted.
static bool is_transpose(ChHdf5* h, const Piece* V, const Piece* lower) {
  int* start;
  Piece upper = sort_by_row(h, V, &start);
  Piece rows = sort_by_row(h, lower, &start);
  Piece flipped = {.rows = rows.columns,
                   .columns = rows.rows,
                   .count = rows.count,
                   .row = rows.column,
                   .column = rows.row,
                   .value = rows.value};
  Piece turned = sort_by_row(h, &flipped, &start);
  if (h->status != CH_OK || upper.count != turned.count) return false;
  for (long k = 0; k < upper.count; ++k)
    if (upper.row[k] != turned.row[k] || upper.column[k] != turned.column[k] || !(upper.value[k] == turned.value[k]))
      return false;
  return true;
}

// W, V, R and s. Returns the rows of W that V^T does not give, or an empty piece.
static Piece put_local(Writer* w) {
  const ChProblemView* problem = &w->problem;
  const int* s = w->order.start;
  Piece W = cut(w, problem->W, true, 0, s[1], 0, s[1]);
  put_matrix(w, "fclib_local/W", &W);
  if (s[2] == s[1]) return (Piece){0};
  Piece V = cut(w, problem->W, true, 0, s[1], s[1], s[2]);
  Piece R = cut(w, problem->W, true, s[1], s[2], s[1], s[2]);
  put_matrix(w, "fclib_local/V", &V);
  put_matrix(w, "fclib_local/R", &R);
  put_part(w, "fclib_local/vectors", "s", s[1], s[2], problem->w);
  Piece lower = cut(w, problem->W, true, s[1], s[2], 0, s[1]);
  return w->h.status != CH_OK || is_transpose(&w->h, &V, &lower) ? (Piece){0} : lower;
}

// ------------------------------------------------------------------------------------------------ the group /cardhouse

static bool is_elliptic(const Writer* w) {
  for (int k = 0; k < w->order.block_start[1]; ++k) {
    const ChBlock* block = &w->problem.blocks[w->order.block[k]];
    if (!w->order.rolls && block->mu[0] != block->mu[1]) return true;
  }
  return false;
}

static bool has_bundles(const Writer* w) {
  return w->order.block_start[2] - w->order.block_start[1] != part_rows(w, CH_FCLIB_BILATERAL);
}

static bool is_reordered(const Writer* w) {
  for (int k = 0; k < w->problem.block_count; ++k)
    if (w->order.block[k] != k) return true;
  return false;
}

static void put_mu2(Writer* w) {
  int contacts = w->order.block_start[1];
  double* mu = ch_hdf5_take(&w->h, contacts, sizeof *mu);
  for (int k = 0; mu && k < contacts; ++k) mu[k] = w->problem.blocks[w->order.block[k]].mu[1];
  ch_hdf5_put_doubles(&w->h, "cardhouse/mu2", contacts, mu);
}

static void put_sizes(Writer* w, int part) {
  int first = w->order.block_start[part], count = w->order.block_start[part + 1] - first;
  char name[CH_HDF5_NAME_SIZE];
  int* dimension = ch_hdf5_take(&w->h, count, sizeof *dimension);
  for (int k = 0; dimension && k < count; ++k) dimension[k] = w->problem.blocks[w->order.block[first + k]].dimension;
  snprintf(name, sizeof name, "cardhouse/%s/dimension", ch_law_info((ChLaw)part)->name);
  ch_hdf5_put_ints(&w->h, name, count, dimension);
}

static void put_bundles(Writer* w) {
  ch_hdf5_put_group(&w->h, "cardhouse/bilateral");
  put_sizes(w, CH_FCLIB_BILATERAL);
}

static void put_guests(Writer* w, ChLaw law) {
  const ChLawInfo* info = ch_law_info(law);
  char group[CH_HDF5_NAME_SIZE], name[CH_HDF5_NAME_SIZE];
  const int count = list_guests(w, law, NULL);
  if (count == 0) return;
  int* contact = ch_hdf5_take(&w->h, count, sizeof *contact);
  double* value = ch_hdf5_take(&w->h, count, sizeof *value);
  if (w->h.status != CH_OK) return;
  list_guests(w, law, contact);
  ch_hdf5_put_group(&w->h, ch_hdf5_join(group, "cardhouse", info->name));
  ch_hdf5_put_ints(&w->h, ch_hdf5_join(name, group, "contact"), count, contact);
  for (int k = CH_FCLIB_GUEST_PARAMETER; k < info->parameter_count; ++k) {
    bool some = info->shear == 0 || info->parameter[k].offset != info->shear;
    for (int b = 0; b < count; ++b) {
      value[b] = ch_block_parameter(&w->problem.blocks[w->order.block[contact[b]]], k);
      some = some || value[b] != 0.0;
    }
    if (!some) continue;
    ch_hdf5_put_doubles(&w->h, ch_hdf5_join(name, group, info->parameter[k].name), count, value);
  }
}

static void put_parameters(Writer* w, int part) {
  const ChLawInfo* law = ch_law_info((ChLaw)part);
  int first = w->order.block_start[part], count = w->order.block_start[part + 1] - first;
  char name[CH_HDF5_NAME_SIZE];
  for (int k = 0; k < law->parameter_count; ++k) {
    double* value = ch_hdf5_take(&w->h, count, sizeof *value);
    for (int b = 0; value && b < count; ++b)
      value[b] = ch_block_parameter(&w->problem.blocks[w->order.block[first + b]], k);
    snprintf(name, sizeof name, "cardhouse/%s/%s", law->name, law->parameter[k].name);
    ch_hdf5_put_doubles(&w->h, name, count, value);
  }
}

static int list_curved(const Writer* w, int* block, int* curve) {
  int count = 0;
  for (int k = 0; k < w->problem.block_count; ++k) {
    const int c = w->problem.blocks[w->order.block[k]].curve;
    if (c == 0) continue;
    if (block) block[count] = k, curve[count] = c;
    ++count;
  }
  return count;
}

// Friction over the speed of slip: the curves one behind the other, and which blocks have which, from 1.
static void put_curves(Writer* w) {
  const ChProblemView* p = &w->problem;
  const int curves = p->curve_count, blocks = list_curved(w, NULL, NULL);
  int points = 0, *block = ch_hdf5_take(&w->h, blocks, sizeof *block),
      *curve = ch_hdf5_take(&w->h, blocks, sizeof *curve), *count = ch_hdf5_take(&w->h, curves, sizeof *count);
  double* speed = ch_hdf5_take(&w->h, (long)curves * CH_CURVE_POINTS, sizeof *speed);
  double* share = ch_hdf5_take(&w->h, (long)curves * CH_CURVE_POINTS, sizeof *share);
  if (w->h.status != CH_OK) return;
  list_curved(w, block, curve);
  for (int c = 0; c < curves; ++c) {
    count[c] = p->curves[c].count;
    memcpy(speed + points, p->curves[c].speed, (size_t)count[c] * sizeof *speed);
    memcpy(share + points, p->curves[c].share, (size_t)count[c] * sizeof *share);
    points += count[c];
  }
  ch_hdf5_put_group(&w->h, "cardhouse/curve");
  ch_hdf5_put_ints(&w->h, "cardhouse/curve/block", blocks, block);
  ch_hdf5_put_ints(&w->h, "cardhouse/curve/curve", blocks, curve);
  ch_hdf5_put_ints(&w->h, "cardhouse/curve/points", curves, count);
  ch_hdf5_put_doubles(&w->h, "cardhouse/curve/speed", points, speed);
  ch_hdf5_put_doubles(&w->h, "cardhouse/curve/share", points, share);
}

// Sections of friction: how many corners each has, and all of them, one block after the other.
static void put_sections(Writer* w, int part) {
  const int first = w->order.block_start[part], count = w->order.block_start[part + 1] - first;
  int* corners = ch_hdf5_take(&w->h, count, sizeof *corners);
  long total = 0;
  for (int b = 0; corners && b < count; ++b)
    total += corners[b] = w->problem.blocks[w->order.block[first + b]].section->count;
  ch_hdf5_put_ints(&w->h, "cardhouse/section/corners", count, corners);
  for (int axis = 0; axis < 2; ++axis) {
    double* value = ch_hdf5_take(&w->h, total, sizeof *value);
    long at = 0;
    for (int b = 0; value && b < count; ++b)
      for (int k = 0; k < corners[b]; ++k)
        value[at++] = w->problem.blocks[w->order.block[first + b]].section->corner[k][axis];
    ch_hdf5_put_doubles(&w->h, axis == 0 ? "cardhouse/section/x" : "cardhouse/section/y", total, value);
  }
}

// A law that FCLIB does not know: its bias, and its columns of H, or its columns of W down to its own end and its rows
// of W before its start.
static void put_own_part(Writer* w, int part) {
  const ChProblemView* problem = &w->problem;
  int from = w->order.start[part], to = w->order.start[part + 1];
  char group[CH_HDF5_NAME_SIZE], name[CH_HDF5_NAME_SIZE];
  if (from == to) return;
  ch_hdf5_put_group(&w->h, ch_hdf5_join(group, "cardhouse", ch_law_info((ChLaw)part)->name));
  put_part(w, group, "w", from, to, problem->w);
  if (ch_fclib_has_sizes((ChLaw)part)) put_sizes(w, part);
  if (problem->form == CH_FORM_GLOBAL) {
    Piece H = cut(w, problem->H, false, 0, problem->dof, from, to);
    put_matrix(w, ch_hdf5_join(name, group, "H"), &H);
  } else {
    Piece columns = cut(w, problem->W, true, 0, to, from, to);
    put_matrix(w, ch_hdf5_join(name, group, "columns"), &columns);
    Piece rows = cut(w, problem->W, true, from, to, 0, from);
    put_matrix(w, ch_hdf5_join(name, group, "rows"), &rows);
  }
  put_parameters(w, part);
  if (ch_law_info((ChLaw)part)->section) put_sections(w, part);
}

static void put_own(Writer* w, const Piece* lower) {
  bool elliptic = is_elliptic(w), bundles = has_bundles(w), reordered = is_reordered(w);
  bool own_rows = w->order.start[CH_FCLIB_OWN] != w->problem.rows, guests = has_guests(w),
       curves = w->problem.curve_count > 0;
  if (!curves && !elliptic && !bundles && !reordered && !own_rows && !guests && lower->count == 0 && lower->rows == 0)
    return;
  ch_hdf5_put_group(&w->h, "cardhouse");
  ch_hdf5_put_int(&w->h, "cardhouse/version", LAYOUT_VERSION);
  if (elliptic) put_mu2(w);
  if (curves) put_curves(w);
  if (bundles) put_bundles(w);
  if (reordered) ch_hdf5_put_ints(&w->h, "cardhouse/order", w->problem.block_count, w->order.block);
  if (lower->rows > 0) put_matrix(w, "cardhouse/lower", lower);
  for (int law = 0; law < ch_law_count(); ++law)
    if (ch_fclib_is_guest((ChLaw)law)) put_guests(w, (ChLaw)law);
  for (int part = CH_FCLIB_OWN; part < ch_law_count(); ++part) put_own_part(w, part);
}

static void put_problem(Writer* w) {
  Piece lower = {0};
  ch_hdf5_put_group(&w->h, w->root);
  put_info(w);
  put_contacts(w);
  if (w->problem.form == CH_FORM_LOCAL)
    lower = put_local(w);
  else
    put_global(w);
  put_own(w, &lower);
}

// ---------------------------------------------------------------------------------------------- solutions and guesses

// `own` is where the rows of laws that FCLIB does not know go.
static void put_solution(Writer* w, const char* group, const char* own, const double* v, const double* u,
                         const double* r) {
  const int* s = w->order.start;
  char name[CH_HDF5_NAME_SIZE];
  ch_hdf5_put_group(&w->h, group);
  if (w->problem.form == CH_FORM_GLOBAL) ch_hdf5_put_doubles(&w->h, ch_hdf5_join(name, group, "v"), w->problem.dof, v);
  put_part(w, group, "u", 0, s[1], u);
  put_part(w, group, "r", 0, s[1], r);
  if (s[2] > s[1]) put_part(w, group, "l", s[1], s[2], r);
  const int end = s[CH_FCLIB_PARTS];
  if (end == s[CH_FCLIB_OWN]) return;
  ch_hdf5_put_group(&w->h, own);
  put_part(w, own, "u", s[CH_FCLIB_OWN], end, u);
  put_part(w, own, "r", s[CH_FCLIB_OWN], end, r);
}

static ChStatus check_solution(ChContext* context, const char* path, const ChProblemView* problem, const double* v,
                               const double* u, const double* r) {
  if (problem->rows > 0 && (!u || !r))
    return ch_fail(context, CH_ERR_ARGUMENT, "%s: u and r must be given to write a solution", path);
  if (problem->form == CH_FORM_GLOBAL && problem->dof > 0 && !v)
    return ch_fail(context, CH_ERR_ARGUMENT, "%s: v must be given to write a solution of the global form", path);
  return CH_OK;
}

static void writer_prepare(Writer* w, const ChProblemView* problem) {
  w->problem = *problem;
  w->root = problem->form == CH_FORM_LOCAL ? "fclib_local" : "fclib_global";
  w->file_row = ch_hdf5_take(&w->h, problem->rows, sizeof *w->file_row);
  if (w->h.status == CH_OK && !ch_fclib_order(w->h.arena, problem, &w->order))
    ch_hdf5_fail(&w->h, CH_ERR_MEMORY, "out of memory");
  if (w->order.rolls) w->root = "fclib_global_rolling";
  for (int k = 0; w->h.status == CH_OK && k < problem->rows; ++k) w->file_row[w->order.row[k]] = k;
}

static ChStatus write_new(ChContext* context, const char* path, const ChProblemView* problem, bool solved,
                          const double* v, const double* u, const double* r) {
  ChArena* arena = ch_arena_create(NULL);
  if (!arena) return ch_fail(context, CH_ERR_MEMORY, "%s: out of memory", path);
  Writer w = {0};
  ch_hdf5_open_image(&w.h, context, path, arena, NULL, 0);
  if (w.h.status == CH_OK) writer_prepare(&w, problem);
  if (w.h.status == CH_OK) put_problem(&w);
  if (w.h.status == CH_OK && solved) put_solution(&w, "solution", "cardhouse/solution", v, u, r);
  ch_hdf5_save(&w.h);
  ch_hdf5_close(&w.h);
  ch_arena_destroy(arena);
  return w.h.status;
}

ChStatus ch_problem_write(ChContext* context, const char* path, const ChProblem* problem) {
  const ChProblemView view = ch_problem_view(problem);
  return write_new(context, path, &view, false, NULL, NULL, NULL);
}

ChStatus ch_solution_write(ChContext* context, const char* path, const ChProblem* problem, const double* v,
                           const double* u, const double* r) {
  const ChProblemView view = ch_problem_view(problem);
  ChStatus status = check_solution(context, path, &view, v, u, r);
  return status == CH_OK ? write_new(context, path, &view, true, v, u, r) : status;
}

// The file must hold a problem of the same form and size.
static void check_same_problem(Writer* w) {
  char name[CH_HDF5_NAME_SIZE];
  bool local = w->problem.form == CH_FORM_LOCAL;
  if (w->h.status != CH_OK) return;
  if (!ch_hdf5_has(&w->h, w->root)) {
    ch_hdf5_fail(&w->h, CH_ERR_SIZE, "the file has no group /%s, so the guess is not of its problem", w->root);
    return;
  }
  long rows = ch_hdf5_length(&w->h, ch_hdf5_join(name, w->root, local ? "vectors/q" : "vectors/w"));
  if (w->h.status == CH_OK && rows != w->order.start[1])
    ch_hdf5_fail(&w->h, CH_ERR_SIZE, "the file's contacts have %ld rows, the guess has %d", rows, w->order.start[1]);
}

static void append_guess(Writer* w, const double* v, const double* u, const double* r) {
  ChHdf5* h = &w->h;
  char group[CH_HDF5_NAME_SIZE], own[CH_HDF5_NAME_SIZE];
  const char* counter = "guesses/number_of_guesses";
  int number = 1;
  if (!ch_hdf5_has(h, "guesses")) {
    ch_hdf5_put_group(h, "guesses");
  } else {
    number = ch_hdf5_int(h, counter) + 1;
    if (h->status == CH_OK && number < 1) ch_hdf5_fail(h, CH_ERR_RANGE, "/%s is %d, must be >= 0", counter, number - 1);
    if (h->status == CH_OK && H5Ldelete(h->file, counter, H5P_DEFAULT) < 0)
      ch_hdf5_fail(h, CH_ERR_FORMAT, "/%s cannot be replaced", counter);
  }
  ch_hdf5_put_int(h, counter, number);
  snprintf(group, sizeof group, "guesses/%d", number);
  snprintf(own, sizeof own, "cardhouse/guesses/%d", number);
  bool own_rows = w->order.start[CH_FCLIB_OWN] != w->problem.rows;
  if (own_rows && !ch_hdf5_has(h, "cardhouse")) ch_hdf5_put_group(h, "cardhouse");
  if (own_rows && !ch_hdf5_has(h, "cardhouse/guesses")) ch_hdf5_put_group(h, "cardhouse/guesses");
  put_solution(w, group, own, v, u, r);
}

typedef struct Guess {
  ChProblemView problem;
  const double *v, *u, *r;
} Guess;

// In a child process: the file may be anybody's.
static void change_file(ChHdf5* h, void* state) {
  const Guess* guess = state;
  Writer w = {.h = *h};
  writer_prepare(&w, &guess->problem);
  if (w.h.status == CH_OK) check_same_problem(&w);
  if (w.h.status == CH_OK) append_guess(&w, guess->v, guess->u, guess->r);
  *h = w.h;
}

ChStatus ch_guess_append(ChContext* context, const char* path, const ChProblem* problem, const double* v,
                         const double* u, const double* r) {
  Guess guess = {ch_problem_view(problem), v, u, r};
  ChStatus status = check_solution(context, path, &guess.problem, v, u, r);
  if (status != CH_OK) return status;
  ChArena* arena = ch_arena_create(NULL);
  if (!arena) return ch_fail(context, CH_ERR_MEMORY, "%s: out of memory", path);
  ChWholeFile file;
  status = ch_whole_file_read(context, path, true, arena, &file);
  if (status == CH_OK && !file.hdf5)
    status = ch_fail(context, CH_ERR_FORMAT, "%s: not an HDF5 file; guesses go into FCLIB files only", path);
  if (status == CH_OK) status = ch_hdf5_apart_change(context, path, arena, file.text, file.size, change_file, &guess);
  ch_arena_destroy(arena);
  return status;
}
