// Building and checking a contact problem.
#include "cardhouse/problem.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/arena.h"
#include "base/check.h"
#include "linalg/sparse.h"
#include "problem/compliance.h"
#include "problem/contact_problem.h"
#include "problem/grader.h"
#include "problem/laws/law.h"
#include "problem/mass.h"
#include "problem/open_problem.h"
#include "problem/polygon.h"

static bool dimension_fits(const ChBlock* block, int space) {
  const ChLawInfo* law = ch_law_info(block->law);
  if (law->dimension_lowest == 0) return block->dimension == space;
  return block->dimension >= law->dimension_lowest && block->dimension <= law->dimension_highest;
}

static ChStatus refuse_dimension(ChContext* context, const ChBlock* block, int i) {
  const ChLawInfo* law = ch_law_info(block->law);
  char legal[32] = "that of space";
  if (law->dimension_lowest > 0) snprintf(legal, sizeof legal, "%d", law->dimension_lowest);
  if (law->dimension_highest > law->dimension_lowest)
    snprintf(legal, sizeof legal, "%d to %d", law->dimension_lowest, law->dimension_highest);
  return ch_fail(context, CH_ERR_SIZE, "block %d (%s): dimension is %d, must be %s", i, law->name, block->dimension,
                 legal);
}

static ChStatus check_parameters(ChContext* context, const ChBlock* block, int i) {
  const ChLawRow* law = ch_law_row(block);
  ChStatus status = law->check ? law->check(context, block, i) : CH_OK;
  for (int k = 0; status == CH_OK && k < law->info.parameter_count; ++k) {
    const ChLawParameter* parameter = &law->info.parameter[k];
    const double value = ch_block_parameter(block, k);
    if (!(value >= parameter->lowest && value <= parameter->highest))
      status = ch_fail(context, CH_ERR_RANGE, "%s %d: %s is %g, must be %g to %g", law->info.name, i, parameter->title,
                       value, parameter->lowest, parameter->highest);
  }
  return status;
}

static ChStatus check_curve(ChContext* context, const ChBlock* block, int i, int curves) {
  if (block->curve == 0) return CH_OK;
  const ChLawInfo* law = ch_law_info(block->law);
  if (!ch_law_rubs(block->law))
    return ch_fail(context, CH_ERR_RANGE, "block %d (%s): friction over speed is for laws with a coefficient mu", i,
                   law->name);
  if (block->curve < 0 || block->curve > curves)
    return ch_fail(context, CH_ERR_RANGE, "block %d: curve is %d, must be 0 to %d", i, block->curve, curves);
  return CH_OK;
}

static ChStatus check_block(ChContext* context, const ChBlock* block, int i, int space, int curves) {
  const ChLawInfo* law = ch_law_info(block->law);
  if (!law)
    return ch_fail(context, CH_ERR_RANGE, "block %d: law is %d, must be 0 to %d", i, (int)block->law,
                   ch_law_count() - 1);
  if (!dimension_fits(block, space)) return refuse_dimension(context, block, i);
  const ChStatus status = check_parameters(context, block, i);
  if (status != CH_OK) return status;
  if (block->sides != 0 && (!law->friction || block->dimension != 3 || block->sides < CH_SIDES_MIN ||
                            block->sides > CH_SIDES_MAX || block->sides % 2 != 0))
    return ch_fail(context, CH_ERR_RANGE,
                   "block %d: sides is %d, must be 0 or, for a contact in space, an even number from 4 to %d", i,
                   block->sides, CH_SIDES_MAX);
  return check_curve(context, block, i, curves);
}

static ChStatus check_curves(ChContext* context, const ChProblemDef* def) {
  if (def->curve_count < 0 || (def->curve_count > 0 && !def->curves))
    return ch_fail(context, CH_ERR_SIZE, "%d curves of friction are announced, but %s given", def->curve_count,
                   def->curves ? "a list is" : "none are");
  for (int k = 0; k < def->curve_count; ++k) {
    char what[32];
    snprintf(what, sizeof what, "curve %d", k + 1);
    if (def->curves[k].count == 0) return ch_fail(context, CH_ERR_SIZE, "%s: has no points", what);
    const ChStatus status = ch_friction_curve_check(context, what, &def->curves[k]);
    if (status != CH_OK) return status;
  }
  return CH_OK;
}

static ChStatus check_blocks(ChContext* context, const ChProblemDef* def, int* rows) {
  if (def->dimension != 2 && def->dimension != 3)
    return ch_fail(context, CH_ERR_RANGE, "dimension of space is %d, must be 2 or 3", def->dimension);
  if (def->block_count < 0) return ch_fail(context, CH_ERR_SIZE, "block count is %d, must be >= 0", def->block_count);
  ChStatus curves = check_curves(context, def);
  if (curves != CH_OK) return curves;
  long total = 0;
  for (int i = 0; i < def->block_count; ++i) {
    ChStatus status = check_block(context, &def->blocks[i], i, def->dimension, def->curve_count);
    if (status != CH_OK) return status;
    total += def->blocks[i].dimension;
  }
  if (total > INT_MAX / 8) return ch_fail(context, CH_ERR_SIZE, "problem has %ld rows, too many", total);
  *rows = (int)total;
  return CH_OK;
}

static ChStatus check_triplets(ChContext* context, const char* name, const ChTriplets* t, int rows, int columns) {
  if (t->rows != rows || t->columns != columns)
    return ch_fail(context, CH_ERR_SIZE, "matrix %s is %d x %d, must be %d x %d", name, t->rows, t->columns, rows,
                   columns);
  if (t->count < 0 || t->count > INT_MAX / 2)
    return ch_fail(context, CH_ERR_SIZE, "matrix %s has %ld entries, must be 0 to %d", name, t->count, INT_MAX / 2);
  for (long k = 0; k < t->count; ++k) {
    if (t->row[k] < 0 || t->row[k] >= rows || t->column[k] < 0 || t->column[k] >= columns)
      return ch_fail(context, CH_ERR_RANGE, "matrix %s: entry %ld is at (%d, %d), outside %d x %d", name, k, t->row[k],
                     t->column[k], rows, columns);
    if (!isfinite(t->value[k]))
      return ch_fail(context, CH_ERR_RANGE, "matrix %s: entry (%d, %d) is %g, must be finite", name, t->row[k],
                     t->column[k], t->value[k]);
  }
  return CH_OK;
}

static ChStatus check_vector(ChContext* context, const char* name, const double* x, int n) {
  if (n > 0 && !x) return ch_fail(context, CH_ERR_ARGUMENT, "vector %s is missing, must have %d entries", name, n);
  for (int i = 0; i < n; ++i)
    if (!isfinite(x[i]))
      return ch_fail(context, CH_ERR_RANGE, "vector %s: entry %d is %g, must be finite", name, i, x[i]);
  return CH_OK;
}

// The diagonal of M must be positive (a mass), that of W must not be negative (a compliance).
static ChStatus check_diagonal(ChContext* context, const char* name, const ChSparse* A, bool positive) {
  for (int j = 0; j < A->columns; ++j) {
    double diagonal = 0.0;
    for (int k = A->start[j]; k < A->start[j + 1]; ++k)
      if (A->index[k] == j) diagonal = A->value[k];
    if (!(positive ? diagonal > 0.0 : diagonal >= 0.0))
      return ch_fail(context, CH_ERR_RANGE, "matrix %s: diagonal entry %d is %g, must be %s 0", name, j, diagonal,
                     positive ? ">" : ">=");
  }
  return CH_OK;
}

static ChStatus check_def(ChContext* context, const ChProblemDef* def, int* rows) {
  ChStatus status = check_blocks(context, def, rows);
  if (status != CH_OK) return status;
  if (def->form == CH_FORM_LOCAL) {
    status = check_triplets(context, "W", &def->W, *rows, *rows);
  } else {
    int dof = def->M.rows;
    if (dof < 0) return ch_fail(context, CH_ERR_SIZE, "matrix M has %d rows, must be >= 0", dof);
    status = check_triplets(context, "M", &def->M, dof, dof);
    if (status == CH_OK) status = check_triplets(context, "H", &def->H, dof, *rows);
    if (status == CH_OK) status = check_vector(context, "f", def->f, dof);
  }
  if (status == CH_OK) status = check_vector(context, def->form == CH_FORM_LOCAL ? "q" : "w", def->w, *rows);
  return status;
}

static double* copy_vector(ChArena* arena, const double* x, int n) {
  double* copy = CH_TAKE(arena, n, double);
  if (n > 0) memcpy(copy, x, (size_t)n * sizeof *copy);
  return copy;
}

// A copy of the section that lives as long as the problem; blocks in a row share one.
static const ChFrictionSection* own_section(ChProblem* problem, const ChFrictionSection* section) {
  const ChFrictionSection* last = problem->last_section;
  if (last && memcmp(last, section, sizeof *last) == 0) return last;
  ChFrictionSection* copy = CH_TAKE_RAW(problem->arena, 1, ChFrictionSection);
  *copy = *section;
  return problem->last_section = copy;
}

static void keep_section(ChProblem* problem, ChBlock* block) {
  block->section = ch_law_info(block->law)->section ? own_section(problem, block->section) : NULL;
}

static void write_block(ChProblem* problem, int i, const ChBlock* block, int row) {
  problem->blocks[i] = *block;
  problem->blocks[i].row = row;
  keep_section(problem, &problem->blocks[i]);
  if (problem->dimension == 2) problem->blocks[i].mu[1] = block->mu[0];
}

void ch_problem_set_curves(ChProblem* problem, int count, const ChFrictionCurve* curves) {
  problem->curve_count = count;
  if (count == 0) return;
  ChFrictionCurve* copies = CH_TAKE_RAW(problem->arena, count, ChFrictionCurve);
  memcpy(copies, curves, (size_t)count * sizeof *curves);
  problem->curves = copies;
}

static void fill_problem(ChProblem* problem, const ChProblemDef* def, int rows) {
  ChArena* arena = problem->arena;
  problem->form = def->form;
  problem->dimension = def->dimension;
  problem->block_count = def->block_count;
  problem->rows = rows;
  problem->blocks = CH_TAKE(arena, def->block_count, ChBlock);
  for (int i = 0, row = 0; i < def->block_count; ++i) {
    write_block(problem, i, &def->blocks[i], row);
    row += def->blocks[i].dimension;
  }
  ch_problem_set_curves(problem, def->curve_count, def->curves);
  problem->w = copy_vector(arena, def->w, rows);
  if (def->form == CH_FORM_LOCAL) {
    problem->W = ch_sparse_from_triplets(arena, &def->W);
    problem->asymmetry = ch_sparse_asymmetry(arena, &problem->W);
  } else {
    problem->dof = def->M.rows;
    problem->M = ch_sparse_from_triplets(arena, &def->M);
    problem->H = ch_sparse_from_triplets(arena, &def->H);
    problem->f = copy_vector(arena, def->f, problem->dof);
  }
}

// Which degrees of freedom of a group of six, three in the plane, are moved together: those of one name.
typedef struct Tie {
  int name[6];
} Tie;

static void tie(Tie* t, int a, int b) {
  const int from = t->name[a], to = t->name[b];
  for (int k = 0; k < 6; ++k)
    if (t->name[k] == from) t->name[k] = to;
}

// Whether the group falls apart into two or more that are moved together each: particles, not a body.
static bool falls_apart(const Tie* t) {
  int together = -1;
  for (int a = 0; a < 6; ++a)
    for (int b = 0; b < a; ++b) {
      if (t->name[a] != t->name[b]) continue;
      if (together >= 0 && together != t->name[a]) return true;
      together = t->name[a];
    }
  return false;
}

// Ties what the block moves in its two groups; false where it moves a third.
static bool tie_block(const ChProblem* p, int size, const ChBlock* block, Tie* ties) {
  int group[2] = {-1, -1}, first[2] = {0, 0};
  for (int k = p->H.start[block->row]; k < p->H.start[block->row + block->dimension]; ++k) {
    const int g = p->H.index[k] / size, place = p->H.index[k] % size;
    int side = 0;
    while (side < 2 && group[side] >= 0 && group[side] != g) ++side;
    if (side == 2) return false;
    if (group[side] < 0) group[side] = g, first[side] = place;
    tie(&ties[g], first[side], place);
  }
  return true;
}

// Whether groups of `size` degrees of freedom may be bodies: M couples nothing across them, every block is between two
// of them at most, and none falls apart.
static bool are_bodies(const ChProblem* p, int size) {
  Tie* ties = CH_TAKE_RAW(p->arena, p->dof / size, Tie);
  for (int g = 0; g < p->dof / size; ++g) ties[g] = (Tie){{0, 1, 2, 3, 4, 5}};
  for (int j = 0; j < p->dof; ++j)
    for (int k = p->M.start[j]; k < p->M.start[j + 1]; ++k) {
      if (p->M.index[k] / size != j / size) return false;
      tie(&ties[j / size], j % size, p->M.index[k] % size);
    }
  for (int i = 0; i < p->block_count; ++i)
    if (!tie_block(p, size, &p->blocks[i], ties)) return false;
  for (int g = 0; g < p->dof / size; ++g)
    if (falls_apart(&ties[g])) return false;
  return true;
}

// Nobody named the bodies. Where M is diagonal its parts are single degrees of freedom; those of rigid bodies stand in
// groups of six, three in the plane, and contacts tell that they do.
static const int* guess_bodies(const ChProblem* p) {
  const int size = p->dimension == 3 ? 6 : 3;
  if (p->dof % size != 0 || !are_bodies(p, size)) return NULL;
  int* body = CH_TAKE_RAW(p->arena, p->dof, int);
  for (int j = 0; j < p->dof; ++j) body[j] = j / size;
  return body;
}

// M seen as bodies, and the last checks.
static ChStatus complete(ChContext* context, ChProblem* problem, const int* body) {
  if (problem->form == CH_FORM_LOCAL) return check_diagonal(context, "W", &problem->W, false);
  ChStatus status = check_diagonal(context, "M", &problem->M, true);
  if (status != CH_OK) return status;
  problem->mass = ch_mass_create(context, problem->arena, &problem->M, body ? body : guess_bodies(problem));
  if (!problem->mass) return CH_ERR_RANGE;
  problem->asymmetry = ch_mass_asymmetry(problem->arena, problem->mass);
  return CH_OK;
}

enum { KEPT_DOFS = 256 };  // up to which a problem that may be solved again and again keeps what grades it

// Where M cannot be factored nothing is kept, and who grades says why.
static void keep_groundwork(ChProblem* problem) {
  if (problem->form == CH_FORM_LOCAL || problem->dof > KEPT_DOFS) return;
  ChGroundwork* groundwork;
  const ChStatus status = ch_groundwork_create(NULL, problem->arena, problem, &groundwork);
  if (status == CH_OK && ch_compliance_shares(groundwork->mass)) problem->groundwork = groundwork;
}

static ChStatus no_memory(ChContext* context, int rows) {
  return ch_fail(context, CH_ERR_MEMORY, "out of memory while building a problem with %d rows", rows);
}

static ChStatus build_checked(ChContext* context, const ChProblemDef* def, int rows, ChProblem** out) {
  ChArena* volatile arena = NULL;
  jmp_buf landing;
  if (setjmp(landing) || !(arena = ch_arena_create(NULL))) {
    ch_arena_destroy(arena);
    return no_memory(context, rows);
  }
  ch_arena_set_landing(arena, &landing);
  ChProblem* problem = CH_TAKE(arena, 1, ChProblem);
  problem->arena = arena;
  fill_problem(problem, def, rows);
  ChStatus status = complete(context, problem, def->body);
  if (status == CH_OK) keep_groundwork(problem);
  ch_arena_set_landing(arena, NULL);
  if (status != CH_OK) {
    ch_arena_destroy(arena);
    return status;
  }
  *out = problem;
  return CH_OK;
}

ChStatus ch_problem_build(ChContext* context, const ChProblemDef* def, ChProblem** out) {
  *out = NULL;
  int rows = 0;
  ChStatus status = check_def(context, def, &rows);
  return status == CH_OK ? build_checked(context, def, rows, out) : status;
}

static ChSparse open_matrix(ChArena* arena, int rows, int columns, long room) {
  return (ChSparse){.rows = rows,
                    .columns = columns,
                    .start = CH_TAKE(arena, columns + 1, int),
                    .index = CH_TAKE_RAW(arena, room, int),
                    .value = CH_TAKE_RAW(arena, room, double)};
}

ChStatus ch_problem_open(ChContext* context, const ChProblemSizes* sizes, const ChTriplets* M, ChProblem** out) {
  ChArena* volatile arena = NULL;
  jmp_buf landing;
  *out = NULL;
  if (sizes->rows > INT_MAX / 8 || sizes->H_room > INT_MAX / 2 || sizes->M_room > INT_MAX / 2)
    return ch_fail(context, CH_ERR_SIZE, "problem has %d rows, too many", sizes->rows);
  if (setjmp(landing) || !(arena = ch_arena_create(NULL))) {
    ch_arena_destroy(arena);
    return no_memory(context, sizes->rows);
  }
  ch_arena_set_landing(arena, &landing);
  ChProblem* p = CH_TAKE(arena, 1, ChProblem);
  *p = (ChProblem){
      .form = CH_FORM_GLOBAL,
      .dimension = sizes->dimension,
      .block_count = sizes->block_count,
      .rows = sizes->rows,
      .dof = sizes->dof,
      .blocks = CH_TAKE_RAW(arena, sizes->block_count, ChBlock),
      .M = M ? ch_sparse_from_triplets(arena, M) : open_matrix(arena, sizes->dof, sizes->dof, sizes->M_room),
      .H = open_matrix(arena, sizes->dof, sizes->rows, sizes->H_room),
      .f = CH_TAKE_RAW(arena, sizes->dof, double),
      .w = CH_TAKE_RAW(arena, sizes->rows, double),
      .curve_count = sizes->curve_count,
      .curves = sizes->curves,
      .arena = arena};
  ch_arena_set_landing(arena, NULL);
  *out = p;
  return CH_OK;
}

// What assembly may have been led to by the world: friction too large, numbers that overflowed.
static ChStatus check_written(ChContext* context, const ChProblem* p, bool finite) {
  for (int i = 0; i < p->block_count; ++i) {
    ChStatus status = check_block(context, &p->blocks[i], i, p->dimension, p->curve_count);
    if (status != CH_OK) return status;
  }
  if (!ch_all_finite(p->M.value, p->M.start[p->dof]) || (!finite && !ch_all_finite(p->H.value, p->H.start[p->rows])))
    return ch_fail(context, CH_ERR_RANGE, "matrix M or H of a problem with %d rows is not finite", p->rows);
  ChStatus status = check_vector(context, "f", p->f, p->dof);
  return status == CH_OK ? check_vector(context, "w", p->w, p->rows) : status;
}

// Blocks lie one behind the other: the rows of one end where those of the next begin.
static inline bool blocks_follow(const ChProblem* p) {
  int row = 0;
  for (int i = 0; i < p->block_count; row += p->blocks[i++].dimension)
    if (p->blocks[i].row != row) return false;
  return row == p->rows;
}

ChStatus ch_problem_close(ChContext* context, ChProblem* p, const int* body, bool finite) {
  jmp_buf landing;
  ChStatus status = check_written(context, p, finite);
  if (setjmp(landing)) {
    ch_problem_destroy(p);
    return no_memory(context, 0);
  }
  ch_arena_set_landing(p->arena, &landing);
  CH_ASSERT_SLOW(blocks_follow(p));
  for (int i = 0; i < p->block_count && status == CH_OK; ++i) keep_section(p, &p->blocks[i]);
  if (status == CH_OK) status = complete(context, p, body);
  ch_arena_set_landing(p->arena, NULL);
  if (status != CH_OK) ch_problem_destroy(p);
  return status;
}

ChProblemView ch_problem_view(const ChProblem* problem) {
  const bool local = problem->form == CH_FORM_LOCAL;
  return (ChProblemView){.form = problem->form,
                         .dimension = problem->dimension,
                         .block_count = problem->block_count,
                         .rows = problem->rows,
                         .dof = problem->dof,
                         .blocks = problem->blocks,
                         .W = local ? &problem->W : NULL,
                         .M = local ? NULL : &problem->M,
                         .H = local ? NULL : &problem->H,
                         .f = problem->f,
                         .w = problem->w,
                         .body_count = local ? 0 : problem->mass->bodies,
                         .body = local ? NULL : problem->mass->body_of,
                         .asymmetry = problem->asymmetry,
                         .curve_count = problem->curve_count,
                         .curves = problem->curves};
}

ChStatus ch_problem_set_block(ChContext* context, ChProblem* problem, int i, const ChBlock* block) {
  if (!(i >= 0 && i < problem->block_count))
    return ch_fail(context, CH_ERR_RANGE, "block %d: must be 0 to %d", i, problem->block_count - 1);
  ChStatus status = check_block(context, block, i, problem->dimension, problem->curve_count);
  if (status != CH_OK) return status;
  ChBlock* own = &problem->blocks[i];
  if (block->dimension != own->dimension)
    return ch_fail(context, CH_ERR_SIZE, "block %d: dimension is %d, must stay %d", i, block->dimension,
                   own->dimension);
  jmp_buf landing;
  if (setjmp(landing)) {
    ch_arena_set_landing(problem->arena, NULL);
    return no_memory(context, problem->rows);
  }
  ch_arena_set_landing(problem->arena, &landing);
  write_block(problem, i, block, own->row);
  ch_arena_set_landing(problem->arena, NULL);
  return CH_OK;
}

void ch_problem_destroy(ChProblem* problem) {
  if (problem) ch_arena_destroy(problem->arena);
}

ChStatus ch_problem_set_polygon(ChContext* context, ChProblem* problem, int sides, bool outer) {
  if (sides < 4 || sides > CH_SIDES_MAX || sides % 2 != 0)
    return ch_fail(context, CH_ERR_RANGE, "a friction polygon with %d sides: must be an even number from 4 to %d",
                   sides, CH_SIDES_MAX);
  double scale = outer ? 1.0 / cos(acos(-1.0) / sides) : 1.0;
  for (int i = 0; i < problem->block_count; ++i) {
    ChBlock* block = &problem->blocks[i];
    if (!ch_law_info(block->law)->friction || block->dimension != 3) continue;
    block->sides = sides;
    block->mu[0] *= scale;
    block->mu[1] *= scale;
  }
  return CH_OK;
}

int ch_problem_count(const ChProblem* problem, ChLaw law) {
  int count = 0;
  for (int i = 0; i < problem->block_count; ++i) count += problem->blocks[i].law == law;
  return count;
}

int ch_problem_rows(const ChProblem* problem, ChLaw law) {
  int rows = 0;
  for (int i = 0; i < problem->block_count; ++i)
    if (problem->blocks[i].law == law) rows += problem->blocks[i].dimension;
  return rows;
}

void ch_problem_add_compliance(const ChProblem* problem, const double* r, double* u) {
  for (int i = 0; i < problem->block_count; ++i) {
    const ChBlock* block = &problem->blocks[i];
    const double compliance = ch_block_compliance(block), shear = ch_block_shear(block);
    if (compliance > 0.0) u[block->row] += compliance * r[block->row];
    for (int k = block->row + 1; shear > 0.0 && k < block->row + block->dimension; ++k) u[k] += shear * r[k];
  }
}
