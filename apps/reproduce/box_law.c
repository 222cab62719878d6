// See box_law.h.
#include "reproduce/box_law.h"

#include <math.h>
#include <stdlib.h>

typedef struct Rows {
  int count;
  double *w, *b;  // W by columns, dense; u without reactions
  double *r, *u;  // u = W r + b, kept up to date
  double* v;      // room for velocities of bodies
} Rows;

static ChStatus form(ChContext* context, const ChProblem* p, Rows* rows) {
  int n = rows->count;
  ChStatus status = ch_problem_velocity(context, p, rows->r, rows->v, rows->b);
  for (int k = 0; k < n && status == CH_OK; ++k) {
    rows->r[k] = 1.0;
    status = ch_problem_velocity(context, p, rows->r, rows->v, rows->w + (long)k * n);
    rows->r[k] = 0.0;
    for (int i = 0; i < n; ++i) rows->w[(long)k * n + i] -= rows->b[i];
  }
  for (int i = 0; i < n; ++i) rows->u[i] = rows->b[i];
  return status;
}

// What the box lets row `axis` of a contact be.
static double bounded(double x, double normal, double mu, int axis) {
  double most = mu * normal;
  if (axis == 0) return fmax(x, 0.0);
  return x < -most ? -most : x > most ? most : x;
}

// One pass over all rows: the largest change that the law asks for. `moves`: it is made at once, as a sweep does.
static double pass(const ChProblemView* p, Rows* rows, bool moves) {
  int n = rows->count;
  double largest = 0.0;
  for (int i = 0; i < p->block_count; ++i)
    for (int a = 0, at = p->blocks[i].row; a < p->blocks[i].dimension; ++a) {
      int k = at + a;
      const double* column = rows->w + (long)k * n;
      double next = bounded(rows->r[k] - rows->u[k] / column[k], rows->r[at], p->blocks[i].mu[0], a);
      double change = next - rows->r[k];
      largest = fmax(largest, fabs(change));
      if (!moves || change == 0.0) continue;
      rows->r[k] = next;
      for (int j = 0; j < n; ++j) rows->u[j] += change * column[j];
    }
  return largest;
}

ChStatus ch_box_law_residual(ChContext* context, const ChProblem* problem, long sweeps, double* out) {
  const ChProblemView view = ch_problem_view(problem), *p = &view;
  size_t n = (size_t)p->rows;
  double* room = calloc(n * n + 3 * n + (size_t)p->dof, sizeof *room);
  if (!room) return ch_fail(context, CH_ERR_MEMORY, "out of memory for sweeps over boxes");
  Rows rows = {.count = p->rows, .w = room, .b = room + n * n};
  rows.r = rows.b + n, rows.u = rows.r + n, rows.v = rows.u + n;
  ChStatus status = form(context, problem, &rows);
  if (status == CH_OK) {
    double start = pass(p, &rows, false);
    for (long k = 0; k < sweeps; ++k) pass(p, &rows, true);
    *out = pass(p, &rows, false) / start;
  }
  free(room);
  return status;
}
