// W applied through bodies: see bodies.h.
#include "problem/bodies.h"

#include <string.h>

#include "linalg/small.h"

static void mass_solve_in_place(const ChBodies* b, double* v) {
  for (int body = 0; body < b->n; ++body) {
    int size = b->dim[body];
    double *x = v + b->row[body], y[CH_BODY_MAX];
    const double* inverse = b->inverse + b->offset[body];
    for (int i = 0; i < size; ++i) {
      y[i] = 0.0;
      for (int j = 0; j < size; ++j) y[i] += inverse[i * size + j] * x[j];
    }
    memcpy(x, y, (size_t)size * sizeof *x);
  }
}

void ch_bodies_impulse_to_velocity(const ChBodies* b, const int* dim, const int* row, int blocks, const double* r,
                                   double* v) {
  memset(v, 0, (size_t)b->dofs * sizeof *v);
  for (int i = 0; i < blocks; ++i)
    for (int k = b->start[i]; k < b->start[i + 1]; ++k) {
      const double* H = b->H + b->jacobian[k];
      double* x = v + b->row[b->body[k]];
      ch_small_add(b->dim[b->body[k]], dim[i], H, r + row[i], x);
    }
  mass_solve_in_place(b, v);
}

void ch_bodies_velocity_to_contact(const ChBodies* b, const int* dim, const int* row, int blocks, const double* v,
                                   const double* q, double* u) {
  for (int i = 0; i < blocks; ++i) {
    double sum[CH_BLOCK_MAX] = {0.0};
    for (int k = b->start[i]; k < b->start[i + 1]; ++k) {
      const double* H = b->H + b->jacobian[k];
      const double* x = v + b->row[b->body[k]];
      ch_small_add_transposed(b->dim[b->body[k]], dim[i], H, x, sum);
    }
    for (int j = 0; j < dim[i]; ++j) u[row[i] + j] = q ? sum[j] + q[row[i] + j] : sum[j];
  }
}
