// W applied through bodies: see bodies.h.
#include "system/bodies.h"

#include <string.h>

#include "base/work.h"
#include "linalg/dot.h"
#include "linalg/small.h"

enum { WIDE = 12, THREADED = 16384 };  // degrees of freedom from which on a body's rows are long; blocks, threads pay
#define BODY_WORK 24.0                 // of one Jacobian, its body's share of the mass included

static inline void multiply(int size, const double* inverse, double* x) {
  double y[CH_BODY_MAX];
  for (int i = 0; i < size; ++i) {
    y[i] = 0.0;
    for (int j = 0; j < size; ++j) y[i] += inverse[i * size + j] * x[j];
  }
  memcpy(x, y, (size_t)size * sizeof *x);
}

static void multiply_wide(int size, const double* inverse, double* x) {
  double y[CH_BODY_MAX];
  for (int i = 0; i < size; ++i) y[i] = ch_dot_lanes(size, inverse + (long)i * size, x);
  memcpy(x, y, (size_t)size * sizeof *x);
}

static void mass_solve_in_place(const ChBodies* b, double* v) {
  for (int body = 0; body < b->n; ++body) {
    int size = b->dim[body];
    const double* inverse = b->inverse + b->offset[body];
    if (size == 6)
      multiply(6, inverse, v + b->row[body]);
    else if (size >= WIDE)
      multiply_wide(size, inverse, v + b->row[body]);
    else
      multiply(size, inverse, v + b->row[body]);
  }
}

static bool is_zero(int n, const double* x) {
  for (int k = 0; k < n; ++k)
    if (x[k] != 0.0) return false;
  return true;
}

void ch_bodies_impulse_to_velocity(const ChBodies* b, const int* dim, const int* row, int blocks, const double* r,
                                   double* v) {
  ch_work_add(BODY_WORK * b->start[blocks]);
  memset(v, 0, (size_t)b->dofs * sizeof *v);
  for (int i = 0; i < blocks; ++i)
    for (int k = b->start[i]; k < b->start[i + 1]; ++k) {
      const double* H = b->H + b->jacobian[k];
      double* x = v + b->row[b->body[k]];
      if (b->dim[b->body[k]] >= WIDE && is_zero(dim[i], r + row[i])) continue;  // most contacts of a skin are open
      ch_small_add(b->dim[b->body[k]], dim[i], H, r + row[i], x);
    }
  mass_solve_in_place(b, v);
}

void ch_bodies_impulse_of(const ChBodies* b, const int* dim, const int* row, int count, const int* members,
                          const double* r, double* v) {
  memset(v, 0, (size_t)b->dofs * sizeof *v);
  for (int m = 0; m < count; ++m) {
    int i = members[m];
    ch_work_add(BODY_WORK * (b->start[i + 1] - b->start[i]));
    for (int k = b->start[i]; k < b->start[i + 1]; ++k)
      ch_small_add(b->dim[b->body[k]], dim[i], b->H + b->jacobian[k], r + row[i], v + b->row[b->body[k]]);
  }
  mass_solve_in_place(b, v);
}

static inline void block_velocity(const ChBodies* b, int dim, int i, const double* v, const double* q, double* u) {
  double sum[CH_BLOCK_MAX] = {0.0};
  for (int k = b->start[i]; k < b->start[i + 1]; ++k) {
    const double* H = b->H + b->jacobian[k];
    const double* x = v + b->row[b->body[k]];
    ch_small_add_transposed(b->dim[b->body[k]], dim, H, x, sum);
  }
  for (int j = 0; j < dim; ++j) u[j] = q ? sum[j] + q[j] : sum[j];
}

void ch_bodies_block_velocity(const ChBodies* b, int dim, int i, const double* v, const double* q, double* u) {
  ch_work_add(BODY_WORK * (b->start[i + 1] - b->start[i]));
  block_velocity(b, dim, i, v, q, u);
}

void ch_bodies_velocity_to_contact(const ChBodies* b, const int* dim, const int* row, int blocks, const double* v,
                                   const double* q, double* u) {
  ch_work_add(BODY_WORK * b->start[blocks]);
#pragma omp parallel for schedule(static) num_threads(b->threads) if (b->threads > 1 && blocks >= THREADED)
  for (int i = 0; i < blocks; ++i) block_velocity(b, dim[i], i, v, q ? q + row[i] : NULL, u + row[i]);
}
