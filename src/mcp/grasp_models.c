// The three complementarity problems of a grasp: both contacts sliding, rolling under Coulomb's law, rolling under the
// pyramid law. A rolling contact has no slip now; the unknown is whether it rolls on, begins to slide, or breaks.
#include <math.h>
#include <string.h>

#include "mcp/entries.h"
#include "mcp/grasp.h"
#include "mcp/mcp_kind.h"

enum { PER_CONTACT = 6, COULOMB = 12, SIDES = 5 };

// --- sliding: c_T = -mu c_n (cos, sin) of the heading; c_n >= 0 || a_n >= 0; n = 2, 4 variables ---
static void build_sliding(ChArena* arena, const int* values, ChMcp* out) {
  ChGrasp g = ch_grasp_make(values[0]);
  ChEntries e = ch_entries_take(arena, CH_GRASP_CONTACTS, 4);
  for (int i = 0; i < CH_GRASP_CONTACTS; ++i) {
    e.b[i] = g.b[3 * i];
    for (int j = 0; j < CH_GRASP_CONTACTS; ++j) {
      const double* w = &g.W[3 * i][3 * j];
      ch_entries_add(&e, i, j, w[0] - g.mu * (w[1] * cos(g.heading[j]) + w[2] * sin(g.heading[j])));
    }
  }
  *out = ch_entries_mcp(arena, &e);
}

// --- Coulomb: per contact u = (c_n, lambda), v = (c_t, c_o, a_t, a_o); 16 variables ---
//
//   c_n >= 0     ||  a_n >= 0                         a_t - (W c + b)_t = 0         lambda c_t + mu c_n a_t = 0
//   lambda >= 0  ||  mu^2 c_n^2 - c_t^2 - c_o^2 >= 0  a_o - (W c + b)_o = 0         lambda c_o + mu c_n a_o = 0
enum { CN, LAMBDA, CT, CO, AT, AO };

void ch_grasp_coulomb_forces(const double* x, double* c) {
  for (int i = 0; i < CH_GRASP_CONTACTS; ++i, x += PER_CONTACT, c += 3) {
    c[0] = x[CN];
    c[1] = x[CT];
    c[2] = x[CO];
  }
}

static void coulomb_evaluate(void* user, const double* x, double* F) {
  const ChGrasp* g = user;
  double c[CH_GRASP_ROWS], a[CH_GRASP_ROWS];
  ch_grasp_coulomb_forces(x, c);
  for (int k = 0; k < CH_GRASP_ROWS; ++k) {
    a[k] = g->b[k];
    for (int l = 0; l < CH_GRASP_ROWS; ++l) a[k] += g->W[k][l] * c[l];
  }
  for (int i = 0; i < CH_GRASP_CONTACTS; ++i, x += PER_CONTACT, F += PER_CONTACT) {
    F[CN] = a[3 * i];
    F[LAMBDA] = g->mu * g->mu * x[CN] * x[CN] - x[CT] * x[CT] - x[CO] * x[CO];
    F[CT] = x[LAMBDA] * x[CT] + g->mu * x[CN] * x[AT];
    F[CO] = x[LAMBDA] * x[CO] + g->mu * x[CN] * x[AO];
    F[AT] = x[AT] - a[3 * i + 1];
    F[AO] = x[AO] - a[3 * i + 2];
  }
}

static void coulomb_jacobian(const ChGrasp* g, const double* x, double J[COULOMB][COULOMB]) {
  static const int force_at[3] = {CN, CT, CO}, row_at[3] = {CN, AT, AO};
  memset(J, 0, sizeof(double[COULOMB][COULOMB]));
  for (int i = 0; i < CH_GRASP_CONTACTS; ++i) {
    const double* u = x + PER_CONTACT * i;
    double(*block)[COULOMB] = &J[PER_CONTACT * i];
    int at = PER_CONTACT * i;
    for (int k = 0; k < 3; ++k)
      for (int l = 0; l < CH_GRASP_ROWS; ++l)
        block[row_at[k]][PER_CONTACT * (l / 3) + force_at[l % 3]] += (k == 0 ? 1.0 : -1.0) * g->W[3 * i + k][l];
    block[LAMBDA][at + CN] = 2.0 * g->mu * g->mu * u[CN];
    for (int k = 0; k < 2; ++k) {  // tangents t and o
      block[LAMBDA][at + CT + k] = -2.0 * u[CT + k];
      block[CT + k][at + LAMBDA] = u[CT + k];
      block[CT + k][at + CT + k] = u[LAMBDA];
      block[CT + k][at + CN] = g->mu * u[AT + k];
      block[CT + k][at + AT + k] = g->mu * u[CN];
      block[AT + k][at + AT + k] += 1.0;
    }
  }
}

static void coulomb_multiply(void* user, const double* x, const double* d, double* out) {
  double J[COULOMB][COULOMB];
  coulomb_jacobian(user, x, J);
  for (int i = 0; i < COULOMB; ++i) {
    out[i] = 0.0;
    for (int j = 0; j < COULOMB; ++j) out[i] += J[i][j] * d[j];
  }
}

static void coulomb_multiply_transposed(void* user, const double* x, const double* w, double* out) {
  double J[COULOMB][COULOMB];
  coulomb_jacobian(user, x, J);
  for (int j = 0; j < COULOMB; ++j) {
    out[j] = 0.0;
    for (int i = 0; i < COULOMB; ++i) out[j] += J[i][j] * w[i];
  }
}

static void build_coulomb(ChArena* arena, const int* values, ChMcp* out) {
  ChGrasp* g = CH_TAKE(arena, 1, ChGrasp);
  *g = ch_grasp_make(values[0]);
  ChEntries e = ch_entries_take(arena, COULOMB, 0);
  double* start = CH_TAKE(arena, COULOMB, double);
  for (int i = 0; i < CH_GRASP_CONTACTS; ++i) {
    for (int k = CT; k <= AO; ++k) ch_entries_free_variable(&e, PER_CONTACT * i + k);
    start[PER_CONTACT * i + CN] = start[PER_CONTACT * i + LAMBDA] = 1.0;
  }
  *out = (ChMcp){.n = COULOMB,
                 .lower = e.lower,
                 .upper = e.upper,
                 .start = start,
                 .user = g,
                 .evaluate = coulomb_evaluate,
                 .multiply = coulomb_multiply,
                 .multiply_transposed = coulomb_multiply_transposed};
}

// --- pyramid: |c_t|, |c_o| <= mu c_n; per contact u = (c_n, s_t, d_t, s_o, d_o); 20 variables ---
//
// With s = mu c_n + c_T the room below and d the negative part of the slip acceleration,
//   c_n >= 0 || a_n >= 0        s >= 0 || a + d >= 0        d >= 0 || 2 mu c_n - s >= 0        for both tangents.
void ch_grasp_pyramid_forces(const ChGrasp* g, const double* x, double* c) {
  for (int i = 0; i < CH_GRASP_CONTACTS; ++i, x += SIDES, c += 3) {
    c[0] = x[0];
    c[1] = x[1] - g->mu * x[0];
    c[2] = x[3] - g->mu * x[0];
  }
}

// Adds row k of W times the forces, written in the unknowns.
static void add_acceleration(ChEntries* e, const ChGrasp* g, int row, int k) {
  for (int j = 0; j < CH_GRASP_CONTACTS; ++j) {
    const double* w = &g->W[k][3 * j];
    ch_entries_add(e, row, SIDES * j, w[0] - g->mu * (w[1] + w[2]));
    ch_entries_add(e, row, SIDES * j + 1, w[1]);
    ch_entries_add(e, row, SIDES * j + 3, w[2]);
  }
  e->b[row] = g->b[k];
}

static void build_pyramid(ChArena* arena, const int* values, ChMcp* out) {
  ChGrasp g = ch_grasp_make(values[0]);
  ChEntries e = ch_entries_take(arena, SIDES * CH_GRASP_CONTACTS, 100);
  for (int i = 0; i < CH_GRASP_CONTACTS; ++i) {
    int n = SIDES * i;
    add_acceleration(&e, &g, n, 3 * i);
    for (int k = 0; k < 2; ++k) {
      int s = n + 1 + 2 * k, d = s + 1;
      add_acceleration(&e, &g, s, 3 * i + 1 + k);
      ch_entries_add(&e, s, d, 1.0);
      ch_entries_add(&e, d, n, 2.0 * g.mu);
      ch_entries_add(&e, d, s, -1.0);
    }
  }
  *out = ch_entries_mcp(arena, &e);
}

#define SEED_KEY                                    \
  {                                                 \
    { "seed", 1, 1, 1000000, "of the random data" } \
  }
const ChMcpKind ch_model_grasp_sliding = {.model = {.name = "grasp-sliding",
                                                    .summary = "two SCARA arms holding a cube, both contacts sliding",
                                                    .keys = SEED_KEY},
                                          .build = build_sliding};
const ChMcpKind ch_model_grasp_coulomb = {
    .model = {.name = "grasp-coulomb", .summary = "the same, both contacts rolling, Coulomb's law", .keys = SEED_KEY},
    .build = build_coulomb};
const ChMcpKind ch_model_grasp_pyramid = {
    .model = {.name = "grasp-pyramid", .summary = "the same, both contacts rolling, pyramid law", .keys = SEED_KEY},
    .build = build_pyramid};
