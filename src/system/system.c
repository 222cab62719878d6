// Operations on the scaled system: velocity, projection, error.
#include "system/system.h"

#include <math.h>

#include "base/work.h"
#include "problem/cones.h"
#include "problem/polygon.h"

#define ERROR_WORK 20.0  // of one block: its projection and its slip

static void apply_plus(const ChSystem* s, const double* x, const double* q, double* y) {
  if (s->formed) {
    ch_block_csr_multiply(&s->W, x, q, y);
    return;
  }
  ch_bodies_impulse_to_velocity(s->bodies, s->dim, s->row, s->n, x, s->bodies->scratch);
  ch_bodies_velocity_to_contact(s->bodies, s->dim, s->row, s->n, s->bodies->scratch, q, y);
}

void ch_system_apply(const ChSystem* s, const double* x, double* y) { apply_plus(s, x, NULL, y); }
void ch_system_velocity(const ChSystem* s, const double* r, double* u) { apply_plus(s, r, s->q, u); }

static void project_disc(double radius, const double* x, double* y) {
  double t = sqrt(x[0] * x[0] + x[1] * x[1]);
  double shrink = t <= radius ? 1.0 : radius / t;
  y[0] = shrink * x[0];
  y[1] = shrink * x[1];
}

static void project_polygon(const ChSystem* s, int i, const double* x, double* y) {
  const double mu[2] = {s->mu[i], s->mu[i]};
  ch_project_polygon(mu, s->sides[i], s->corners[i], x, y, NULL);
}

void ch_system_project_block(const ChSystem* s, int i, const double* x, double* y) {
  switch ((ChSet)s->set[i]) {
    case CH_SET_FREE:
      for (int a = 0; a < s->dim[i]; ++a) y[a] = x[a];
      break;
    case CH_SET_HALF:
      y[0] = x[0] <= 0.0 ? 0.0 : x[0];
      break;
    case CH_SET_BOX:
      y[0] = ch_project_interval(s->lo[i], s->hi[i], x[0]);
      break;
    case CH_SET_CONE:
      if (ch_system_is_polygon(s, i))
        project_polygon(s, i, x, y);
      else if (s->dim[i] == 3)
        ch_project_circular3(s->mu[i], x, y);
      else
        ch_project_circular2(s->mu[i], x, y);
      break;
    case CH_SET_DISC:
      if (ch_system_is_polygon(s, i))
        ch_project_polygon_disc(s->mu[i], s->sides[i], s->corners[i], x, y, NULL);
      else
        project_disc(s->mu[i], x, y);
      break;
  }
}

void ch_system_project(const ChSystem* s, const double* x, double* y) {
  for (int i = 0; i < s->n; ++i) ch_system_project_block(s, i, x + s->row[i], y + s->row[i]);
}

double ch_system_slip(const ChSystem* s, int i, const double* u) {
  const double one[2] = {1.0, 1.0};
  if (s->set[i] != CH_SET_CONE) return 0.0;
  if (ch_system_is_polygon(s, i)) return ch_polygon_support(one, s->sides[i], s->corners[i], u + 1, NULL);
  return s->dim[i] == 3 ? sqrt(u[1] * u[1] + u[2] * u[2]) : fabs(u[1]);
}

double ch_system_slip_gradient(const ChSystem* s, int i, const double* u, double* t) {
  double slip = ch_system_slip(s, i, u);
  for (int a = 0; a < s->dim[i]; ++a) t[a] = a > 0 && slip > 0.0 ? u[a] / slip : 0.0;
  if (slip > 0.0 && ch_system_is_polygon(s, i)) {
    const double one[2] = {1.0, 1.0};
    int best = 0;
    ch_polygon_support(one, s->sides[i], s->corners[i], u + 1, &best);
    t[1] = s->corners[i][2 * best];
    t[2] = s->corners[i][2 * best + 1];
  }
  return slip;
}

// Adds a block's part to the sum.
static inline double add_error(const ChSystem* s, int i, const double* r, const double* u, double sum) {
  double x[CH_BLOCK_MAX], y[CH_BLOCK_MAX];
  for (int a = 0; a < s->dim[i]; ++a) x[a] = r[a] - u[a];
  if (!s->relaxed) x[0] -= s->mu[i] * ch_system_slip(s, i, u);
  ch_system_project_block(s, i, x, y);
  for (int a = 0; a < s->dim[i]; ++a) sum += (r[a] - y[a]) * (r[a] - y[a]);
  return sum;
}

double ch_system_block_error(const ChSystem* s, int i, const double* r, const double* u) {
  ch_work_add(ERROR_WORK);
  return add_error(s, i, r, u, 0.0);
}

double ch_system_error(const ChSystem* s, const double* r, const double* u) {
  ch_work_add(ERROR_WORK * s->n);
  double sum = 0.0;
  for (int i = 0; i < s->n; ++i) sum = add_error(s, i, r + s->row[i], u + s->row[i], sum);
  return sqrt(sum);
}
