// See balls.h: the set, its maps and their derivatives.
#include "problem/laws/balls.h"

#include <math.h>
#include <string.h>

#include "base/check.h"
#include "linalg/small.h"

void ch_balls_add(ChScaledBlock* b, int rows, double radius) {
  CH_ASSERT(b->balls < CH_BALLS_MAX && rows >= 1 && rows <= CH_BALL_ROWS && radius > 0.0);
  if (b->balls == 0) b->mu = radius;
  b->more[b->balls] = radius;
  b->ball[b->balls++] = (unsigned char)rows;
  b->dim += rows;
}

static double size_of(int n, const double* x) {
  double sum = 0.0;
  for (int k = 0; k < n; ++k) sum += x[k] * x[k];
  return n == 1 ? fabs(x[0]) : sqrt(sum);
}

void ch_balls_interval(const ChScaledBlock* b, double* lo, double* hi) {
  (void)b;
  *lo = 0.0;
  *hi = INFINITY;
}

// The box around the balls.
double ch_balls_clamp(const ChScaledBlock* b, int row, double x, const double* r) {
  if (row == 0) return ch_positive_part(x);
  int k = 0;
  for (int first = 1; row >= first + b->ball[k]; first += b->ball[k++]) {
  }
  return ch_clamp(x, -b->more[k] * r[0], b->more[k] * r[0]);
}

// --- the projection --------------------------------------------------------------------------------------------------

// Where x is projected to: the normal, and which balls cut it.
typedef struct Cut {
  double size[CH_BALLS_MAX];  // |x_k|
  bool on[CH_BALLS_MAX];
  double normal, share;  // share = 1 / (1 + sum of mu_k^2 over the balls that cut)
} Cut;

// The ball outside of the cut whose |x_k| / mu_k is largest, or -1.
static int steepest(const ChScaledBlock* b, const Cut* c) {
  int best = -1;
  for (int k = 0; k < b->balls; ++k)
    if (!c->on[k] && (best < 0 || c->size[k] * b->more[best] > c->size[best] * b->more[k])) best = k;
  return best;
}

static Cut cut_of(const ChScaledBlock* b, const double* x) {
  Cut c = {.normal = x[0], .share = 1.0};
  double sum = x[0], weight = 1.0;
  for (int k = 0, at = 1; k < b->balls; at += b->ball[k++]) c.size[k] = size_of(b->ball[k], x + at);
  for (int k; (k = steepest(b, &c)) >= 0 && !(c.size[k] <= b->more[k] * c.normal);) {
    c.on[k] = true;
    sum += b->more[k] * c.size[k];
    weight += b->more[k] * b->more[k];
    c.normal = sum / weight;
  }
  c.share = 1.0 / weight;
  return c;
}

void ch_balls_project(const ChScaledBlock* b, const double* x, double* y) {
  const Cut c = cut_of(b, x);
  if (c.normal <= 0.0) {
    for (int a = 0; a < b->dim; ++a) y[a] = 0.0;
    return;
  }
  y[0] = c.normal;
  for (int k = 0, at = 1; k < b->balls; at += b->ball[k++]) {
    const double shrink = c.on[k] ? b->more[k] * c.normal / c.size[k] : 1.0;
    for (int a = at; a < at + b->ball[k]; ++a) y[a] = shrink * x[a];
  }
}

// Rows of ball k of the derivative, y_k = radius e with radius = slope . (change of x) where it cuts: `slope` is the
// derivative of the radius, a row.
static void fill_ball(const ChScaledBlock* b, int k, int at, double radius, double size, const double* x,
                      const double* slope, double* D) {
  const int d = b->dim;
  for (int a = at; a < at + b->ball[k]; ++a) {
    const double e = x[a] / size;
    for (int j = 0; j < d; ++j) D[a * d + j] = e * slope[j];
    for (int j = at; j < at + b->ball[k]; ++j) D[a * d + j] += radius / size * ((a == j) - e * x[j] / size);
  }
}

void ch_balls_derivative(const ChScaledBlock* b, const double* x, double* D) {
  const Cut c = cut_of(b, x);
  const int d = b->dim;
  double normal[CH_BLOCK_MAX] = {0.0}, slope[CH_BLOCK_MAX];
  if (c.normal <= 0.0) {
    memset(D, 0, (size_t)(d * d) * sizeof *D);
    return;
  }
  ch_small_identity(d, 1.0, D);
  normal[0] = c.share;
  for (int k = 0, at = 1; k < b->balls; at += b->ball[k++])
    for (int a = at; c.on[k] && a < at + b->ball[k]; ++a) normal[a] = c.share * b->more[k] * x[a] / c.size[k];
  memcpy(D, normal, (size_t)d * sizeof *D);
  for (int k = 0, at = 1; k < b->balls; at += b->ball[k++]) {
    if (!c.on[k]) continue;
    for (int j = 0; j < d; ++j) slope[j] = b->more[k] * normal[j];
    fill_ball(b, k, at, b->more[k] * c.normal, c.size[k], x, slope, D);
  }
}

// --- Alart and Curnier's map: the normal's part by itself, balls of the size that it gives ---------------------------

void ch_balls_alart_curnier(const ChScaledBlock* b, const double* x, double* y) {
  y[0] = x[0] <= 0.0 ? 0.0 : x[0];
  for (int k = 0, at = 1; k < b->balls; at += b->ball[k++]) {
    const double size = size_of(b->ball[k], x + at), radius = b->more[k] * y[0];
    const double shrink = size <= radius ? 1.0 : radius / size;
    for (int a = at; a < at + b->ball[k]; ++a) y[a] = shrink * x[a];
  }
}

void ch_balls_alart_curnier_derivative(const ChScaledBlock* b, const double* x, double* D) {
  const int d = b->dim;
  memset(D, 0, (size_t)(d * d) * sizeof *D);
  if (x[0] <= 0.0) return;
  ch_small_identity(d, 1.0, D);
  for (int k = 0, at = 1; k < b->balls; at += b->ball[k++]) {
    const double size = size_of(b->ball[k], x + at), radius = b->more[k] * x[0];
    double slope[CH_BLOCK_MAX] = {b->more[k]};
    if (!(size <= radius)) fill_ball(b, k, at, radius, size, x, slope, D);
  }
}

double ch_balls_slip(const ChScaledBlock* b, const double* u, double* gradient) {
  double sum = 0.0;
  for (int a = 0; gradient && a < b->dim; ++a) gradient[a] = 0.0;
  for (int k = 0, at = 1; k < b->balls; at += b->ball[k++]) {
    const double size = size_of(b->ball[k], u + at), weight = b->more[k] / b->mu;
    sum += weight * size;
    for (int a = at; gradient && size > 0.0 && a < at + b->ball[k]; ++a) gradient[a] = weight * u[a] / size;
  }
  return sum;
}
