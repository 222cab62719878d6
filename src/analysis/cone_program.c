// Linear programmes over friction cones: see cone_program.h. GLPK's primal simplex does the work.
//
// Columns: two for the imbalance of every equation (they cost 1 each and make every programme feasible), one for the
// load multiplier, then one per bilateral, unilateral and limit row, then the edges of contacts. Equations are scaled
// by D and by the size of the load, a block's columns by the length of its normal column, so that the solver sees
// numbers near 1 whatever the units.
#include "analysis/cone_program.h"

#include <glpk.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/check.h"
#include "cardhouse/clock.h"

enum { FIRST_EDGES = 4, MOST_ROUNDS = 200 };
static const double SOLVER_TOLERANCE = 1e-9;
static const double EDGE_TOLERANCE = 4e-9;  // above the solver's own, or an edge it has already would come again
static const double PI = 3.14159265358979323846;

typedef struct Edge {
  int block;
  double direction[CH_BLOCK_MAX - 1];  // in the section of a cone, in units of its coefficients: each part of it a
                                       // vector of length 1 at most; of no meaning for other laws
  int axis;                            // row of the block, for laws other than contact
} Edge;

struct ChConeProgram {
  ChArena* arena;
  ChConeProgramDef def;
  glp_prob* lp;
  int equations;       // m; with self-stress one more row
  double load_size;    // c = |D b|_inf or |D g|_inf or 1
  double factor;       // on friction
  double* block_size;  // of each block: |D A_n|
  int load_column;     // 0: none
  int first_edge;      // LP column before that of edge[0]
  int edge_count, edge_room;
  Edge* edge;
  double *y, *u, *column;  // m, rows, m
  int *mark, *touched;     // m
  int* lp_index;           // m + 2
  double* lp_value;
  char reason[160];  // why GLPK gave up
};

// GLPK ends the process when it runs out of memory, or finds itself in a state that should not be, unless told
// otherwise; what it held is gone after this. It prints its reason first, which is kept instead.
static int keep_reason(void* info, const char* text) {
  ChConeProgram* p = info;
  if (!p->reason[0]) snprintf(p->reason, sizeof p->reason, "%.*s", (int)strcspn(text, "\n"), text);
  return 1;  // not to be printed
}

static void watch_solver(ChConeProgram* p, bool on);

static void solver_failed(void* info) {
  ChConeProgram* p = info;
  if (!strcasestr(p->reason, "memory"))
    ch_fail(p->def.context, CH_ERR_NUMERIC, "the linear programme could not be solved: GLPK says '%s'", p->reason);
  watch_solver(p, false);
  glp_free_env();
  p->lp = NULL;
  ch_arena_fail(p->arena);
}

static void watch_solver(ChConeProgram* p, bool on) {
  p->reason[0] = '\0';
  glp_error_hook(on ? solver_failed : NULL, on ? p : NULL);
  glp_term_hook(on ? keep_reason : NULL, on ? p : NULL);
}

static void program_free(void* object) {
  ChConeProgram* p = object;
  watch_solver(p, false);  // a failed allocation of the arena's may have left it
  if (p->lp) glp_delete_prob(p->lp);
}

// --- columns ---------------------------------------------------------------------------------------------------------

// Sparse sum of columns of D A for one block, with weights; returns the number of entries put behind lp_index[1].
static int gather(ChConeProgram* p, const ChBlock* block, const double* weight) {
  const ChSparse* A = p->def.A;
  int count = 0;
  for (int a = 0; a < block->dimension; ++a) {
    if (weight[a] == 0.0) continue;
    for (int k = A->start[block->row + a]; k < A->start[block->row + a + 1]; ++k) {
      int i = A->index[k];
      if (!p->mark[i]) p->touched[count++] = i;
      p->mark[i] = 1;
      p->column[i] += weight[a] * p->def.scale[i] * A->value[k];
    }
  }
  int kept = 0;
  for (int k = 0; k < count; ++k) {
    int i = p->touched[k];
    if (p->column[i] != 0.0) {
      p->lp_index[++kept] = i + 1;
      p->lp_value[kept] = p->column[i];
    }
    p->column[i] = 0.0;
    p->mark[i] = 0;
  }
  return kept;
}

static double gathered_length(const ChConeProgram* p, int count) {
  double sum = 0.0;
  for (int k = 1; k <= count; ++k) sum += p->lp_value[k] * p->lp_value[k];
  return sqrt(sum);
}

static bool is_joint(const ChBlock* block) { return ch_law_info(block->law)->equation; }
static bool opens(const ChBlock* block) { return ch_law_info(block->law)->opens; }
static bool rolls(const ChBlock* block) { return ch_law_info(block->law)->rolls || ch_law_info(block->law)->drills; }
static const ChFrictionSection* section_of(const ChBlock* block) {
  return ch_law_info(block->law)->section ? block->section : NULL;
}
static bool rubs(const ChBlock* block) {
  return ch_law_info(block->law)->friction || rolls(block) || section_of(block);
}
static bool is_round(const ChBlock* block) {
  return rubs(block) && !section_of(block) && (block->dimension == 3 || rolls(block));
}
static bool is_limit(const ChBlock* block) { return !is_joint(block) && !opens(block); }

// Rows of a section: tangents, then moments about them, then the moment about the normal; see rolling.md.
static int tangents_of(const ChBlock* block) {
  return rolls(block) && block->dimension == 3 ? 1 : block->dimension < 4 ? block->dimension - 1 : 2;
}

static double coefficient(const ChBlock* block, int a) {
  if (section_of(block)) return 1.0;  // a direction is a corner as it is
  if (a < tangents_of(block)) return block->mu[rolls(block) ? 0 : a];
  return block->dimension == 4 || a == 4 ? block->more[1] : block->more[0];
}

static double edge_friction(const ChConeProgram* p, const ChBlock* block, int a) {
  return p->factor * coefficient(block, a);
}

// Where one part of a section ends that begins at row a: all of an ellipsoidal one is one part.
static int part_end(const ChBlock* block, int a) {
  if (!rolls(block) || ch_law_info(block->law)->shares) return block->dimension - 1;
  if (a < tangents_of(block)) return tangents_of(block);
  return block->dimension == 4 || a == 4 ? a + 1 : 2 * tangents_of(block);
}

// The scale of a block's edges: large friction would otherwise make long columns.
static double edge_size(const ChConeProgram* p, int i) {
  const ChBlock* block = &p->def.problem->blocks[i];
  if (!rubs(block)) return p->block_size[i];
  double most = 0.0;
  for (int a = 0; !section_of(block) && a < tangents_of(block); ++a) most = ch_max(most, coefficient(block, a));
  for (int k = 0; section_of(block) && k < section_of(block)->count; ++k)
    most = ch_max(most, hypot(section_of(block)->corner[k][0], section_of(block)->corner[k][1]));
  return p->block_size[i] * ch_max(1.0, p->factor * most);
}

// The reaction that one unit of the edge's column stands for, before the size of the load.
static void edge_reaction(const ChConeProgram* p, const Edge* edge, double* r) {
  const ChBlock* block = &p->def.problem->blocks[edge->block];
  const double unit = 1.0 / edge_size(p, edge->block);
  for (int a = 0; a < block->dimension; ++a) r[a] = 0.0;
  if (!rubs(block)) {
    r[edge->axis] = unit;
    return;
  }
  r[0] = unit;
  for (int a = 1; a < block->dimension; ++a) r[a] = unit * edge_friction(p, block, a - 1) * edge->direction[a - 1];
}

static void write_edge(ChConeProgram* p, int e) {
  double r[CH_BLOCK_MAX];
  const ChBlock* block = &p->def.problem->blocks[p->edge[e].block];
  edge_reaction(p, &p->edge[e], r);
  int count = gather(p, block, r);
  if (p->def.self_stress && !is_joint(block)) {
    p->lp_index[++count] = p->equations + 1;
    p->lp_value[count] = 1.0;
  }
  glp_set_mat_col(p->lp, p->first_edge + e + 1, count, p->lp_index, p->lp_value);
}

static void add_edge(ChConeProgram* p, Edge edge, double lo, double hi) {
  if (p->edge_count == p->edge_room) {
    Edge* larger = CH_TAKE(p->arena, 2 * p->edge_room, Edge);
    memcpy(larger, p->edge, (size_t)p->edge_count * sizeof *larger);
    p->edge = larger;
    p->edge_room *= 2;
  }
  p->edge[p->edge_count++] = edge;
  int column = glp_add_cols(p->lp, 1);
  int kind = isfinite(lo) ? (isfinite(hi) ? (lo < hi ? GLP_DB : GLP_FX) : GLP_LO) : isfinite(hi) ? GLP_UP : GLP_FR;
  glp_set_col_bnds(p->lp, column, kind, isfinite(lo) ? lo : 0.0, isfinite(hi) ? hi : 0.0);
  write_edge(p, p->edge_count - 1);
}

// The cone over a polygon has its corners for edges, and no more are needed.
static void add_section(ChConeProgram* p, int i, const ChFrictionSection* section) {
  for (int k = 0; k < section->count; ++k)
    add_edge(p, (Edge){.block = i, .direction = {section->corner[k][0], section->corner[k][1]}}, 0.0, INFINITY);
}

static void add_contact(ChConeProgram* p, int i) {
  const ChBlock* block = &p->def.problem->blocks[i];
  if (section_of(block)) {
    add_section(p, i, section_of(block));
    return;
  }
  const int tangents = tangents_of(block);
  const double most = ch_max(coefficient(block, 0), tangents == 2 ? coefficient(block, 1) : 0.0);
  const int edges = most == 0.0 ? 1 : tangents == 1 ? 2 : FIRST_EDGES;
  for (int k = 0; k < edges; ++k) {
    const double angle = 2.0 * PI * k / edges;
    add_edge(p, (Edge){.block = i, .direction = {cos(angle), tangents == 2 ? sin(angle) : 0.0}}, 0.0, INFINITY);
  }
}

// A bounded row takes no part in a self-stress; one with a single bound does in that direction.
static void add_limit(ChConeProgram* p, int i) {
  const ChBlock* block = &p->def.problem->blocks[i];
  const double unit = p->block_size[i] / p->load_size;
  Edge edge = {.block = i};
  if (!p->def.self_stress)
    add_edge(p, edge, block->lo * unit, block->hi * unit);
  else if (isinf(block->lo) != isinf(block->hi))
    add_edge(p, edge, isinf(block->lo) ? -INFINITY : 0.0, isinf(block->hi) ? INFINITY : 0.0);
}

static void add_block(ChConeProgram* p, int i) {
  const ChBlock* block = &p->def.problem->blocks[i];
  if (rubs(block)) add_contact(p, i);
  if (opens(block) && !rubs(block)) add_edge(p, (Edge){.block = i}, 0.0, INFINITY);
  if (is_limit(block)) add_limit(p, i);
  for (int a = 0; is_joint(block) && a < block->dimension; ++a)
    add_edge(p, (Edge){.block = i, .axis = a}, -INFINITY, INFINITY);
}

// --- building --------------------------------------------------------------------------------------------------------

static double scaled_size(const ChConeProgramDef* def, const double* x) {
  double size = 0.0;
  for (int i = 0; x && i < def->A->rows; ++i) size = ch_max(size, fabs(def->scale[i] * x[i]));
  return size;
}

// The length of the first row that is not empty; 0 for a block that moves nothing.
static double size_of_block(ChConeProgram* p, int i) {
  const ChBlock* block = &p->def.problem->blocks[i];
  for (int a = 0; a < block->dimension; ++a) {
    double weight[CH_BLOCK_MAX] = {0};
    weight[a] = 1.0;
    double length = gathered_length(p, gather(p, block, weight));
    if (length > 0.0) return length;
  }
  return 0.0;
}

// Row i of the programme: D (A r + lambda g) + plus - minus = -D b.
static void add_equation(ChConeProgram* p, int i, double right) {
  glp_set_row_bnds(p->lp, i + 1, GLP_FX, right, right);
  for (int side = 0; side < 2; ++side) {
    const int column = 2 * i + side + 1, row[2] = {0, i + 1};
    const double value[2] = {0.0, side ? -1.0 : 1.0};
    glp_set_mat_col(p->lp, column, 1, row, value);
    glp_set_col_bnds(p->lp, column, GLP_LO, 0.0, 0.0);
    glp_set_obj_coef(p->lp, column, 1.0);
  }
}

static void add_load(ChConeProgram* p) {
  const double size = scaled_size(&p->def, p->def.load);
  if (!(size > 0.0)) return;
  int count = 0;
  for (int i = 0; i < p->equations; ++i) {
    if (p->def.load[i] == 0.0) continue;
    p->lp_index[++count] = i + 1;
    p->lp_value[count] = p->def.scale[i] * p->def.load[i] / size;
  }
  p->load_column = glp_add_cols(p->lp, 1);
  glp_set_mat_col(p->lp, p->load_column, count, p->lp_index, p->lp_value);
  glp_set_col_bnds(p->lp, p->load_column, GLP_LO, 0.0, 0.0);
}

static void take_arrays(ChConeProgram* p) {
  const int m = p->equations;
  p->block_size = CH_TAKE(p->arena, p->def.problem->block_count, double);
  p->y = CH_TAKE(p->arena, m, double);
  p->u = CH_TAKE(p->arena, p->def.problem->rows, double);
  p->column = CH_TAKE(p->arena, m, double);
  p->mark = CH_TAKE(p->arena, m, int);
  p->touched = CH_TAKE(p->arena, m, int);
  p->lp_index = CH_TAKE(p->arena, m + 2, int);
  p->lp_value = CH_TAKE(p->arena, m + 2, double);
  p->edge_room = FIRST_EDGES * (p->def.problem->rows + 1);
  p->edge = CH_TAKE(p->arena, p->edge_room, Edge);
}

ChConeProgram* ch_cone_program_create(ChArena* arena, const ChConeProgramDef* def) {
  ChConeProgram* p = CH_TAKE(arena, 1, ChConeProgram);
  *p = (ChConeProgram){.arena = arena, .def = *def, .equations = def->A->rows, .factor = 1.0};
  take_arrays(p);
  p->load_size = scaled_size(def, def->b);
  if (!(p->load_size > 0.0)) p->load_size = scaled_size(def, def->load);
  if (!(p->load_size > 0.0)) p->load_size = 1.0;
  ch_arena_defer(arena, program_free, p);
  watch_solver(p, true);
  p->lp = glp_create_prob();
  const int rows = p->equations + (def->self_stress ? 1 : 0);
  if (rows > 0) {
    glp_add_rows(p->lp, rows);
    glp_add_cols(p->lp, 2 * rows);
  }
  for (int i = 0; i < rows; ++i) {
    bool equation = i < p->equations;
    add_equation(p, i, !equation ? 1.0 : def->b ? -def->scale[i] * def->b[i] / p->load_size : 0.0);
  }
  if (def->load) add_load(p);
  p->first_edge = glp_get_num_cols(p->lp);
  for (int i = 0; i < def->problem->block_count; ++i) {
    p->block_size[i] = size_of_block(p, i);
    if (p->block_size[i] > 0.0) add_block(p, i);
  }
  watch_solver(p, false);
  return p;
}

void ch_cone_program_set_friction(ChConeProgram* p, double factor) {
  watch_solver(p, true);
  p->factor = factor;
  for (int e = 0; e < p->edge_count; ++e)
    if (rubs(&p->def.problem->blocks[p->edge[e].block])) write_edge(p, e);
  watch_solver(p, false);
}

// --- solving ---------------------------------------------------------------------------------------------------------

// From the empty basis every reduced cost is a cost, none of them negative: the dual simplex may begin at once, and on
// these very degenerate programmes it needs far fewer steps than the primal from the imbalances. When edges have been
// added, the basis is primal feasible and the primal goes on; where it stalls, the dual begins anew.
static int run_simplex(ChConeProgram* p, bool first) {
  glp_smcp options;
  glp_init_smcp(&options);
  options.msg_lev = GLP_MSG_OFF;
  options.meth = first ? GLP_DUALP : GLP_PRIMAL;
  options.tol_bnd = options.tol_dj = SOLVER_TOLERANCE;
  double left = p->def.deadline - ch_clock_seconds();
  if (!(left > 0.0)) return GLP_ETMLIM;
  options.tm_lim = left < 1e6 ? (int)(1000.0 * left) + 1 : 1000000000;
  if (!first) options.it_lim = 1000 + glp_get_num_rows(p->lp);
  int code = glp_simplex(p->lp, &options);
  if (code == GLP_EITLIM || code == GLP_EBADB || code == GLP_ESING || code == GLP_ECOND || code == GLP_EFAIL) {
    glp_std_basis(p->lp);
    options.meth = GLP_DUALP;
    options.it_lim = INT_MAX;
    code = glp_simplex(p->lp, &options);
  }
  return code;
}

// v = -multipliers, and u = A^T D v
static void take_velocity(ChConeProgram* p) {
  for (int i = 0; i < p->equations; ++i) p->y[i] = -p->def.scale[i] * glp_get_row_dual(p->lp, i + 1);
  for (int i = 0; i < p->def.problem->rows; ++i) p->u[i] = 0.0;
  ch_sparse_multiply_transposed_add(p->def.A, p->y, p->u);
}

// How far below zero the normal velocity gets against the edge that the velocity slides against; that edge.
static double worst_edge(const ChConeProgram* p, int i, double normal_value, Edge* edge) {
  const ChBlock* block = &p->def.problem->blocks[i];
  const double* u = p->u + block->row;
  double sum = 0.0;
  *edge = (Edge){.block = i};
  for (int from = 0, end; from < block->dimension - 1; from = end) {
    double size = 0.0;
    end = part_end(block, from);
    for (int a = from; a < end; ++a) size = hypot(size, edge_friction(p, block, a) * u[1 + a]);
    for (int a = from; a < end && size > 0.0; ++a) edge->direction[a] = -edge_friction(p, block, a) * u[1 + a] / size;
    sum += size;
  }
  if (!(sum > 0.0)) edge->direction[0] = 1.0;
  return (u[0] - sum) / edge_size(p, i) - normal_value;
}

// Adds the edges that are missing; returns how many.
static int refine(ChConeProgram* p, double* violation) {
  const ChProblemView* problem = p->def.problem;
  const double normal_value = p->def.self_stress ? glp_get_row_dual(p->lp, p->equations + 1) : 0.0;
  double size = 1.0;
  for (int i = 0; i < problem->block_count; ++i)
    for (int a = 0; p->block_size[i] > 0.0 && a < problem->blocks[i].dimension; ++a)
      size = ch_max(size, fabs(p->u[problem->blocks[i].row + a]) / p->block_size[i]);
  int added = 0;
  *violation = 0.0;
  for (int i = 0; i < problem->block_count; ++i) {
    const ChBlock* block = &problem->blocks[i];
    if (!is_round(block) || !(p->block_size[i] > 0.0)) continue;
    Edge edge;
    double short_of = -worst_edge(p, i, normal_value, &edge) / size;
    *violation = ch_max(*violation, short_of);
    if (!(short_of > EDGE_TOLERANCE)) continue;
    add_edge(p, edge, 0.0, INFINITY);
    ++added;
  }
  return added;
}

// How far the velocity opens a contact against the corner that it slides against.
static double section_opening(const ChConeProgram* p, int i) {
  const ChBlock* block = &p->def.problem->blocks[i];
  const ChFrictionSection* section = section_of(block);
  const double* u = p->u + block->row;
  double least = INFINITY;
  for (int k = 0; k < section->count; ++k)
    least = ch_min(least, u[0] + p->factor * (section->corner[k][0] * u[1] + section->corner[k][1] * u[2]));
  return least / edge_size(p, i);
}

// Does the velocity part every contact, in the round cones already? Then there is no self-stress, and no more to do.
static bool parts_all_contacts(const ChConeProgram* p) {
  const ChProblemView* problem = p->def.problem;
  for (int i = 0; i < problem->block_count; ++i) {
    const ChBlock* block = &problem->blocks[i];
    Edge edge;
    if (is_joint(block) || !(p->block_size[i] > 0.0)) continue;
    if (is_limit(block) && isinf(block->lo) == isinf(block->hi)) continue;
    double opening = p->u[block->row] / p->block_size[i];
    if (is_limit(block) && isinf(block->lo)) opening = -opening;
    if (is_round(block)) opening = worst_edge(p, i, 0.0, &edge);
    if (section_of(block)) opening = section_opening(p, i);
    if (!(opening > SOLVER_TOLERANCE)) return false;
  }
  return true;
}

static ChStatus simplex_failed(ChContext* context, int code) {
  if (code == GLP_ETMLIM) return ch_fail(context, CH_MAX_TIME, "the linear programme ran out of time");
  return ch_fail(context, CH_ERR_NUMERIC, "the linear programme could not be solved (GLPK's code %d)", code);
}

// Solves and refines until the cones are round. A balance of zero is one at once: an inner polygon that suffices needs
// no more edges.
static ChStatus solve_round(ChContext* context, ChConeProgram* p, bool from_empty, bool stop_at_zero,
                            ChConeAnswer* out) {
  *out = (ChConeAnswer){.value = NAN, .violation = NAN};
  for (out->rounds = 1; out->rounds <= MOST_ROUNDS; ++out->rounds) {
    int code = run_simplex(p, from_empty && out->rounds == 1);
    if (code != 0) return simplex_failed(context, code);
    int status = glp_get_status(p->lp);
    out->edges = p->edge_count;
    out->value = status == GLP_UNBND ? -INFINITY : glp_get_obj_val(p->lp);
    if (status != GLP_OPT && status != GLP_UNBND)
      return ch_fail(context, CH_ERR_NUMERIC, "the linear programme has no optimum (GLPK's status %d)", status);
    take_velocity(p);
    if (status == GLP_UNBND || (stop_at_zero && out->value <= SOLVER_TOLERANCE)) {
      out->violation = 0.0;
      return CH_OK;
    }
    if (p->def.self_stress && parts_all_contacts(p)) {
      out->violation = 0.0;
      return CH_OK;
    }
    if (refine(p, &out->violation) == 0) return CH_OK;
  }
  return ch_fail(context, CH_MAX_ITER, "the friction cones are not round after %d programmes: violation %.1e",
                 MOST_ROUNDS, out->violation);
}

static void set_goal(ChConeProgram* p, bool load) {
  for (int j = 1; j <= 2 * glp_get_num_rows(p->lp); ++j) {
    glp_set_obj_coef(p->lp, j, load ? 0.0 : 1.0);
    glp_set_col_bnds(p->lp, j, load ? GLP_FX : GLP_LO, 0.0, 0.0);
  }
  if (p->load_column) glp_set_obj_coef(p->lp, p->load_column, load ? -1.0 : 0.0);
}

ChStatus ch_cone_program_balance(ChContext* context, ChConeProgram* p, ChConeAnswer* out) {
  watch_solver(p, true);
  set_goal(p, false);
  glp_std_basis(p->lp);
  ChStatus status = solve_round(context, p, true, true, out);
  watch_solver(p, false);
  return status;
}

ChStatus ch_cone_program_load(ChContext* context, ChConeProgram* p, ChConeAnswer* out) {
  if (!p->load_column) return ch_fail(context, CH_ERR_RANGE, "the load is zero, so that its multiplier has no limit");
  watch_solver(p, true);
  set_goal(p, true);
  ChStatus status = solve_round(context, p, false, false, out);
  watch_solver(p, false);
  if (status == CH_OK) out->value = -out->value * p->load_size / scaled_size(&p->def, p->def.load);
  return status;
}

void ch_cone_program_reaction(const ChConeProgram* p, double* r) {
  for (int i = 0; i < p->def.problem->rows; ++i) r[i] = 0.0;
  for (int e = 0; e < p->edge_count; ++e) {
    double share[CH_BLOCK_MAX];
    const ChBlock* block = &p->def.problem->blocks[p->edge[e].block];
    const double value = p->load_size * glp_get_col_prim(p->lp, p->first_edge + e + 1);
    if (value == 0.0) continue;
    edge_reaction(p, &p->edge[e], share);
    for (int a = 0; a < block->dimension; ++a) r[block->row + a] += value * share[a];
  }
}

void ch_cone_program_velocity(const ChConeProgram* p, double* v) { memcpy(v, p->y, (size_t)p->equations * sizeof *v); }
