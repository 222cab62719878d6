// From a contact problem to quadratic programmes: see contact_forms.h.
#include "solve/qp/contact_forms.h"

#include <math.h>
#include <string.h>

#include "base/check.h"
#include "linalg/sparse.h"
#include "problem/polygon.h"
#include "system/delassus.h"

// Entries of a matrix, written row by row; the arrays grow by doubling.
typedef struct Rows {
  ChArena* arena;
  int *row, *column;
  double* value;
  long count, capacity;
} Rows;

static void add(Rows* e, int row, int column, double value) {
  if (e->count == e->capacity) {
    long capacity = e->capacity ? 2 * e->capacity : 256;
    Rows wider = {e->arena,
                  CH_TAKE(e->arena, capacity, int),
                  CH_TAKE(e->arena, capacity, int),
                  CH_TAKE(e->arena, capacity, double),
                  e->count,
                  capacity};
    for (long k = 0; k < e->count; ++k) {
      wider.row[k] = e->row[k];
      wider.column[k] = e->column[k];
      wider.value[k] = e->value[k];
    }
    *e = wider;
  }
  e->row[e->count] = row;
  e->column[e->count] = column;
  e->value[e->count++] = value;
}

static ChSparse pack(const Rows* e, int rows, int columns) {
  ChTriplets t = {rows, columns, e->count, e->row, e->column, e->value};
  return ch_sparse_from_triplets(e->arena, &t);
}

// row += scale * (column k of B)'
static void add_column(Rows* e, int row, const ChSparse* B, int k, double scale) {
  for (int p = B->start[k]; p < B->start[k + 1]; ++p) add(e, row, B->index[p], scale * B->value[p]);
}

static bool is_joint(const ChBlock* block) { return ch_law_info(block->law)->equation; }
static bool is_normal(const ChBlock* block) { return ch_law_info(block->law)->opens; }
static bool rubs(const ChBlock* block) { return ch_law_info(block->law)->friction; }

int ch_direction_count(const ChBlock* block) { return !rubs(block) ? 0 : block->dimension == 2 ? 2 : block->sides; }

void ch_direction(const ChBlock* block, int j, double d[2]) {
  double corners[2 * CH_SIDES_MAX] = {j == 0 ? 1.0 : -1.0, 0.0};
  int at = 0;
  if (block->dimension == 3) {
    ch_polygon_corners(block->sides, corners);
    at = 2 * j;
  }
  d[0] = corners[at];
  d[1] = corners[at + 1];
}

double ch_slip_bound(const ChBlock* block, const double* u) {
  double largest = 0.0, d[2];
  for (int j = 0; j < ch_direction_count(block); ++j) {
    ch_direction(block, j, d);
    largest = ch_max(d[0] * u[1] + (block->dimension == 3 ? d[1] * u[2] : 0.0), largest);
  }
  return largest;
}

static ChStatus check(ChContext* context, const ChProblem* p, bool global) {
  if (global && p->form != CH_FORM_GLOBAL)
    return ch_fail(context, CH_ERR_UNSUPPORTED, "a programme in velocities needs the global form");
  for (int i = 0; i < p->block_count; ++i) {
    const ChBlock* block = &p->blocks[i];
    if (!is_joint(block) && !is_normal(block))
      return ch_fail(context, CH_ERR_UNSUPPORTED, "block %d: these programmes take no limits", i);
    if (ch_block_compliance(block) > 0.0 || ch_block_shear(block) > 0.0)
      return ch_fail(context, CH_ERR_UNSUPPORTED, "block %d: these programmes take rigid contacts only", i);
    if (!rubs(block) || block->dimension == 2) continue;
    if (block->sides == 0 || block->mu[0] != block->mu[1])
      return ch_fail(context, CH_ERR_UNSUPPORTED, "block %d: the contact must be polygonal, with one mu", i);
  }
  return CH_OK;
}

// A programme while it is being written.
typedef struct Form {
  const ChProblem* p;
  Rows A;
  double* b;
  int at;  // rows written
} Form;

static Form form_begin(ChArena* arena, const ChProblem* p) {
  int most = 0;
  for (int i = 0; i < p->block_count; ++i) most += p->blocks[i].dimension + 3 + ch_direction_count(&p->blocks[i]);
  return (Form){.p = p, .A = {.arena = arena}, .b = CH_TAKE(arena, most, double)};
}

// u_k = H_k'v + w_k >= bound
static void write_velocity_row(Form* f, int k, double bound) {
  add_column(&f->A, f->at, &f->p->H, k, 1.0);
  f->b[f->at++] = bound - f->p->w[k];
}

static void write_joints(Form* f) {
  for (int i = 0; i < f->p->block_count; ++i)
    for (int a = 0; is_joint(&f->p->blocks[i]) && a < f->p->blocks[i].dimension; ++a)
      write_velocity_row(f, f->p->blocks[i].row + a, 0.0);
}

// scale (d_j . u_T) joins the row at hand
static void add_direction(Form* f, const ChBlock* block, int j, double scale) {
  double d[2];
  ch_direction(block, j, d);
  for (int a = 1; a < block->dimension; ++a) {
    add_column(&f->A, f->at, &f->p->H, block->row + a, scale * d[a - 1]);
    f->b[f->at] -= scale * d[a - 1] * f->p->w[block->row + a];
  }
}

static double gamma_of(const double* gamma, int i) { return gamma ? gamma[i] : 0.0; }

// min 1/2 v'Mv - f'v over the velocities and `more` variables that cost nothing
static void finish_primal(Form* f, int more, int equalities, ChQp* out) {
  const ChProblem* p = f->p;
  ChArena* arena = f->A.arena;
  Rows H = {.arena = arena};
  for (int j = 0; j < p->dof; ++j)
    for (int k = p->M.start[j]; k < p->M.start[j + 1]; ++k) add(&H, p->M.index[k], j, p->M.value[k]);
  *out = (ChQp){.n = p->dof + more,
                .rows = f->at,
                .equalities = equalities,
                .H = pack(&H, p->dof + more, p->dof + more),
                .A = pack(&f->A, f->at, p->dof + more),
                .c = CH_TAKE(arena, p->dof + more, double),
                .b = f->b};
  for (int j = 0; j < p->dof; ++j) out->c[j] = -p->f[j];
}

ChStatus ch_qp_slip(ChContext* context, ChArena* arena, const ChProblem* p, const double* gamma, ChQp* out) {
  ChStatus status = check(context, p, true);
  if (status != CH_OK) return status;
  Form f = form_begin(arena, p);
  int slips = 0;
  write_joints(&f);
  int joints = f.at;
  for (int i = 0; i < p->block_count; ++i) {
    const ChBlock* block = &p->blocks[i];
    if (!is_normal(block)) continue;
    if (rubs(block)) add(&f.A, f.at, p->dof + slips++, -block->mu[0]);
    write_velocity_row(&f, block->row, rubs(block) ? -gamma_of(gamma, i) : 0.0);
  }
  for (int i = 0, slip = p->dof; i < p->block_count; slip += rubs(&p->blocks[i]), ++i)
    for (int j = 0; j < ch_direction_count(&p->blocks[i]); ++j, ++f.at) {
      add_direction(&f, &p->blocks[i], j, 1.0);
      add(&f.A, f.at, slip, 1.0);
    }
  for (int k = 0; k < slips; ++k) add(&f.A, f.at++, p->dof + k, 1.0);
  finish_primal(&f, slips, joints, out);
  return CH_OK;
}

ChStatus ch_qp_velocity(ChContext* context, ChArena* arena, const ChProblem* p, const double* gamma, ChQp* out) {
  ChStatus status = check(context, p, true);
  if (status != CH_OK) return status;
  Form f = form_begin(arena, p);
  write_joints(&f);
  int joints = f.at;
  for (int i = 0; i < p->block_count; ++i) {
    const ChBlock* block = &p->blocks[i];
    if (is_normal(block) && !rubs(block)) write_velocity_row(&f, block->row, 0.0);
    for (int j = 0; j < ch_direction_count(block); ++j) {
      add_direction(&f, block, j, block->mu[0]);
      double tangent = f.b[f.at];
      write_velocity_row(&f, block->row, tangent - gamma_of(gamma, i));
    }
  }
  finish_primal(&f, 0, joints, out);
  return CH_OK;
}

ChStatus ch_qp_contact_primal(ChContext* context, ChArena* arena, const ChProblem* p, const double* r, ChQp* out) {
  ChStatus status = check(context, p, true);
  if (status != CH_OK) return status;
  Form f = form_begin(arena, p);
  write_joints(&f);
  int joints = f.at;
  double* friction = CH_TAKE(arena, p->rows, double);
  for (int i = 0; i < p->block_count; ++i) {
    const ChBlock* block = &p->blocks[i];
    if (is_normal(block)) write_velocity_row(&f, block->row, 0.0);
    for (int a = 1; rubs(block) && a < block->dimension; ++a) friction[block->row + a] = -r[block->row + a];
  }
  finish_primal(&f, 0, joints, out);
  ch_sparse_multiply_add(&p->H, friction, out->c);
  return CH_OK;
}

// The two programmes in reactions: x of the rows named in `variable` (-1: given in r), r = B x + given, and
// min 1/2 r'W r + q'r over x.
static void finish_dual(const ChProblem* p, ChArena* arena, const Rows* B, int n, const double* given, ChQp* out) {
  ChSparse W = ch_delassus_form(arena, p), columns = pack(B, p->rows, n), by_row = ch_sparse_transpose(arena, &columns);
  Rows H = {.arena = arena};
  for (int k = 0; k < p->rows; ++k)
    for (int e = W.start[k]; e < W.start[k + 1]; ++e)
      for (int a = by_row.start[W.index[e]]; a < by_row.start[W.index[e] + 1]; ++a)
        for (int b = by_row.start[k]; b < by_row.start[k + 1]; ++b)
          add(&H, by_row.index[a], by_row.index[b], by_row.value[a] * W.value[e] * by_row.value[b]);
  double* u = CH_TAKE(arena, p->rows, double);
  ch_delassus_q(arena, p, u);
  ch_sparse_multiply_add(&W, given, u);
  out->n = n;
  out->H = pack(&H, n, n);
  out->c = CH_TAKE(arena, n, double);
  ch_sparse_multiply_transposed_add(&columns, u, out->c);
}

ChStatus ch_qp_contact_dual(ChContext* context, ChArena* arena, const ChProblem* p, const double* r, ChQp* out) {
  ChStatus status = check(context, p, false);
  if (status != CH_OK) return status;
  Form f = form_begin(arena, p);
  Rows B = {.arena = arena};
  double* given = CH_TAKE(arena, p->rows, double);
  int n = 0;
  for (int i = 0; i < p->block_count; ++i) {
    const ChBlock* block = &p->blocks[i];
    int tangents = rubs(block) ? block->dimension - 1 : 0;
    for (int a = 1; a <= tangents; ++a) given[block->row + a] = r[block->row + a];
    if (is_normal(block)) add(&f.A, f.at++, n, 1.0);
    for (int a = 0; a < block->dimension - tangents; ++a) add(&B, block->row + a, n++, 1.0);
  }
  finish_dual(p, arena, &B, n, given, out);
  out->rows = f.at;
  out->equalities = 0;
  out->A = pack(&f.A, f.at, n);
  out->b = f.b;
  return CH_OK;
}

ChStatus ch_qp_friction(ChContext* context, ChArena* arena, const ChProblem* p, const double* r, ChQp* out) {
  ChStatus status = check(context, p, false);
  if (status != CH_OK) return status;
  Form f = form_begin(arena, p);
  Rows B = {.arena = arena};
  double* given = CH_TAKE(arena, p->rows, double);
  int n = 0;
  memcpy(given, r, (size_t)p->rows * sizeof *r);
  for (int i = 0; i < p->block_count; ++i) {
    const ChBlock* block = &p->blocks[i];
    for (int j = 0; j < ch_direction_count(block); ++j, ++n) {
      double d[2];
      ch_direction(block, j, d);
      for (int a = 1; a < block->dimension; ++a) {
        given[block->row + a] = 0.0;
        add(&B, block->row + a, n, d[a - 1]);
      }
      add(&f.A, f.at++, n, 1.0);
    }
  }
  for (int i = 0, at = 0; i < p->block_count; ++i) {
    const ChBlock* block = &p->blocks[i];
    if (!rubs(block)) continue;
    for (int j = 0; j < ch_direction_count(block); ++j) add(&f.A, f.at, at++, -1.0);
    f.b[f.at++] = -block->mu[0] * r[block->row];
  }
  finish_dual(p, arena, &B, n, given, out);
  out->rows = f.at;
  out->equalities = 0;
  out->A = pack(&f.A, f.at, n);
  out->b = f.b;
  return CH_OK;
}

double ch_qp_residual(ChArena* arena, const ChQp* qp, const double* x, const double* y) {
  ChArenaMark mark = ch_arena_mark(arena);
  double* gradient = CH_TAKE(arena, qp->n, double);
  double* slack = CH_TAKE(arena, qp->rows, double);
  double* minus = CH_TAKE(arena, qp->rows, double);
  double largest = 0.0;
  for (int i = 0; i < qp->rows; ++i) {
    slack[i] = -qp->b[i];
    minus[i] = -y[i];
  }
  memcpy(gradient, qp->c, (size_t)qp->n * sizeof *gradient);
  ch_sparse_multiply_add(&qp->H, x, gradient);
  ch_sparse_multiply_transposed_add(&qp->A, minus, gradient);
  ch_sparse_multiply_add(&qp->A, x, slack);
  for (int j = 0; j < qp->n; ++j) largest = ch_max(fabs(gradient[j]), largest);
  for (int i = 0; i < qp->rows; ++i) {
    if (i < qp->equalities) {
      largest = ch_max(fabs(slack[i]), largest);
      continue;
    }
    largest = ch_max(fabs(y[i] * slack[i]), largest);
    largest = ch_max(ch_positive_part(-slack[i]), largest);
    largest = ch_max(ch_positive_part(-y[i]), largest);
  }
  ch_arena_release(arena, mark);
  return largest;
}
