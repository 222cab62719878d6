// The barrier of a product of balls over one normal: K is an intersection of cones that share r_0, so that
//
//   y_k = A_k r = (mu_k r_0, r_k) in L,   z_k = (s_k, u_k) in L,   u_0 = sum_k mu_k s_k        for every ball k
//
// The heads s_k are variables of their own: any u inside K* has such a sum, and y_k . z_k sum up to r . u. Each pair
// has its Nesterov-Todd scaling, N_k y_k = N_k^-1 z_k, and with dz_k = c_k - N_k^2 dy_k the whole is one block again:
//
//   du = c - G dr,   G = sum_k A_k^T N_k^2 A_k,   c = sum_k A_k^T c_k;      G r = u
#include <math.h>
#include <string.h>

#include "linalg/lorentz.h"
#include "problem/laws/law.h"

// y = A_k x; at: the first row of ball k
static void lift(const ChScaledBlock* b, int k, int at, const double* x, double* y) {
  y[0] = b->more[k] * x[0];
  memcpy(y + 1, x + at, b->ball[k] * sizeof *y);
}

static void pair(const ChScaledBlock* b, int k, int at, double head, const double* u, double* z) {
  z[0] = head;
  memcpy(z + 1, u + at, b->ball[k] * sizeof *z);
}

static double sum_of_heads(const ChScaledBlock* b, const double* head) {
  double sum = 0.0;
  for (int k = 0; k < b->balls; ++k) sum += b->more[k] * head[k];
  return sum;
}

// Heads of one complementarity each, whatever the radii.
static bool start(const ChScaledBlock* b, double size, ChInterior* x) {
  x->r[0] = size / b->mu;
  for (int k = 0; k < b->balls; ++k) x->cones->head[k] = size * size / (b->more[k] * x->r[0]);
  x->u[0] = sum_of_heads(b, x->cones->head);
  return true;
}

static int complementarity(const ChScaledBlock* b, const ChInterior* x, double step, double* sum) {
  for (int a = 0; a < b->dim; ++a) *sum += (x->r[a] + step * x->dr[a]) * (x->u[a] + step * x->du[a]);
  return b->balls;
}

static void scale(const ChScaledBlock* b, ChInterior* x, double* G) {
  const int d = b->dim;
  memset(G, 0, (size_t)(d * d) * sizeof *G);
  for (int k = 0, at = 1; k < b->balls; at += b->ball[k++]) {
    const int n = b->ball[k] + 1;
    double y[4], z[4], N[16];
    lift(b, k, at, x->r, y);
    pair(b, k, at, x->cones->head[k], x->u, z);
    x->cones->scaling[k] = ch_scaling(n, z, y);
    ch_scaling_square(n, &x->cones->scaling[k], N);
    ch_scaling_apply(n, &x->cones->scaling[k], 1, y, x->cones->lambda[k]);
    for (int i = 0; i < n; ++i)
      for (int j = 0; j < n; ++j)
        G[(i == 0 ? 0 : at + i - 1) * d + (j == 0 ? 0 : at + j - 1)] +=
            (i == 0 ? b->more[k] : 1.0) * N[i * n + j] * (j == 0 ? b->more[k] : 1.0);
  }
}

// c_k = N (lambda \ (target e - lambda o lambda - correction))
static void centre_cone(int n, const ChScaling* scaling, const double* lambda, double target, const double* product,
                        double* c) {
  double rhs[4], a[4];
  ch_lorentz_product(n, lambda, lambda, rhs);
  for (int i = 0; i < n; ++i) rhs[i] = -rhs[i] - product[i];
  rhs[0] += target;
  ch_lorentz_divide(n, lambda, rhs, a);
  ch_scaling_apply(n, scaling, 1, a, c);
}

static void centre(const ChScaledBlock* b, ChInterior* x, double target, bool correct) {
  x->c[0] = 0.0;
  for (int k = 0, at = 1; k < b->balls; at += b->ball[k++]) {
    const int n = b->ball[k] + 1;
    const ChScaling* scaling = &x->cones->scaling[k];
    double dy[4], dz[4], left[4], right[4], product[4] = {0.0};
    if (correct) {
      lift(b, k, at, x->dr, dy);
      pair(b, k, at, x->cones->dhead[k], x->du, dz);
      ch_scaling_apply(n, scaling, -1, dz, left);
      ch_scaling_apply(n, scaling, 1, dy, right);
      ch_lorentz_product(n, left, right, product);
    }
    centre_cone(n, scaling, x->cones->lambda[k], target, product, x->cones->c[k]);
    x->c[0] += b->more[k] * x->cones->c[k][0];
    memcpy(x->c + at, x->cones->c[k] + 1, b->ball[k] * sizeof(double));
  }
}

static void finish(const ChScaledBlock* b, ChInterior* x) {
  for (int k = 0, at = 1; k < b->balls; at += b->ball[k++]) {
    const int n = b->ball[k] + 1;
    double dy[4], half[4], moved[4];
    lift(b, k, at, x->dr, dy);
    ch_scaling_apply(n, &x->cones->scaling[k], 1, dy, half);
    ch_scaling_apply(n, &x->cones->scaling[k], 1, half, moved);
    x->cones->dhead[k] = x->cones->c[k][0] - moved[0];
  }
}

static double longest(const ChScaledBlock* b, const ChInterior* x, double step) {
  for (int k = 0, at = 1; k < b->balls; at += b->ball[k++]) {
    const int n = b->ball[k] + 1;
    double y[4], dy[4], z[4], dz[4];
    lift(b, k, at, x->r, y);
    lift(b, k, at, x->dr, dy);
    pair(b, k, at, x->cones->head[k], x->u, z);
    pair(b, k, at, x->cones->dhead[k], x->du, dz);
    step = fmin(step, ch_lorentz_step(n, y, dy));
    step = fmin(step, ch_lorentz_step(n, z, dz));
  }
  return step;
}

static void advance(const ChScaledBlock* b, ChInterior* x, double step) {
  for (int k = 0; k < b->balls; ++k) x->cones->head[k] += step * x->cones->dhead[k];
  x->u[0] = sum_of_heads(b, x->cones->head);
}

static double smooth_slip(const ChScaledBlock* b, const double* u, double ep, double* t) {
  double sum = 0.0;
  for (int k = 0, at = 1; k < b->balls; at += b->ball[k++]) {
    double square = ep * ep;
    for (int a = at; a < at + b->ball[k]; ++a) square += u[a] * u[a];
    const double smooth = sqrt(square);
    for (int a = at; a < at + b->ball[k]; ++a) t[a] = smooth > 0.0 ? b->more[k] * u[a] / smooth : 0.0;
    sum += b->more[k] * (smooth - ep);
  }
  return sum;
}

const ChBarrier ch_barrier_balls = {.several = true,
                                    .slip = smooth_slip,
                                    .start = start,
                                    .complementarity = complementarity,
                                    .scale = scale,
                                    .centre = centre,
                                    .finish = finish,
                                    .longest = longest,
                                    .advance = advance};
