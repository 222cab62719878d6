// Operations on the scaled system: velocity, projection, error.
#include "system/system.h"

#include <math.h>

#include "base/check.h"
#include "base/work.h"

enum { CACHED_ENTRIES = 65536, RIGID_ENTRIES = 18 };  // of W, half a megabyte; of a rigid body's Jacobian at a contact
#define ERROR_WORK 20.0                               // of one block: its projection and its slip

// Whether W is too large for the cache while the Jacobians of its contacts are much smaller: many contacts on few
// bodies.
static bool is_wider_than_bodies(const ChSystem* s) {
  if (!s->bodies || ch_system_is_soft(s)) return false;
  long entries = s->W.offset[s->W.start[s->n]];
  return entries > CACHED_ENTRIES && entries > 4L * RIGID_ENTRIES * s->bodies->start[s->n];
}

static void apply_by_bodies(const ChSystem* s, const double* x, const double* q, double* y) {
  CH_ASSERT(s->bodies);
  ch_bodies_impulse_to_velocity(s->bodies, s->dim, s->row, s->n, x, s->bodies->scratch);
  ch_bodies_velocity_to_contact(s->bodies, s->dim, s->row, s->n, s->bodies->scratch, q, y);
  ch_system_add_compliance(s, x, y);
}

static void apply_plus(const ChSystem* s, const double* x, const double* q, double* y) {
  if (!s->formed) {
    apply_by_bodies(s, x, q, y);
  } else if (!is_wider_than_bodies(s)) {
    ch_block_csr_multiply(&s->W, x, q, y);
  } else {
    // Counted as the product with W is, by which limits and the stages of auto were chosen.
    double before = ch_work_done();
    apply_by_bodies(s, x, q, y);
    ch_work_set(before + (double)s->W.offset[s->W.start[s->n]]);
  }
}

void ch_system_apply(const ChSystem* s, const double* x, double* y) { apply_plus(s, x, NULL, y); }
void ch_system_velocity(const ChSystem* s, const double* r, double* u) { apply_plus(s, r, s->q, u); }

void ch_system_project(const ChSystem* s, const double* x, double* y) {
  for (int i = 0; i < s->n; ++i) ch_system_project_block(s, i, x + s->row[i], y + s->row[i]);
}

// Adds a block's part to the sum.
static inline double add_error(const ChSystem* s, int i, const double* r, const double* u, double sum) {
  double x[CH_BLOCK_MAX], y[CH_BLOCK_MAX];
  for (int a = 0; a < s->dim[i]; ++a) x[a] = r[a] - u[a];
  if (!s->relaxed) x[0] -= s->block[i].mu * ch_system_slip(s, i, u);
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
