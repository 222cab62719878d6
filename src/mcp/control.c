// Discrete optimal control with a bounded control, after Bertsekas (1982):
//
//   minimise  h/2 sum (2 a_k^2 + b_k^2) + h/2 sum c_k^2      x_{k+1} = x_k + h (A x_k + B c_k),   |c_k| <= 1
//
// x = (a, b), A = [0 1; -1 0], B = (0, 1): an oscillator brought to rest over ten seconds. With costates p the
// first-order conditions are an affine, monotone MCP of five variables a step (two states, two costates, a control with
// two bounds), seven in the bound-constrained form. The row of the control is divided by h. The instance is ours, the
// data of 003 are not given there.
#include "mcp/entries.h"
#include "mcp/mcp_kind.h"

enum { VARIABLES = 5, REFORMULATED = 7 };
static const double horizon = 10.0;
static const double A[2][2] = {{0.0, 1.0}, {-1.0, 0.0}}, B[2] = {0.0, 1.0}, Q[2] = {2.0, 1.0};

// Step k = 0 .. steps-1 owns x_{k+1}, p_{k+1} and c_k.
static int state(int k, int i) { return VARIABLES * k + i; }
static int costate(int k, int i) { return VARIABLES * k + 2 + i; }
static int control(int k) { return VARIABLES * k + 4; }

// L = cost + sum p_{k+1} . (x_k + h (A x_k + B c_k) - x_{k+1}); F = (dL/dx, -dL/dp, dL/dc / h)
static void add_step(ChEntries* e, int k, int steps, double h, const double* x0) {
  for (int i = 0; i < 2; ++i) {
    int xi = state(k, i), pi = costate(k, i);
    ch_entries_free_variable(e, xi);
    ch_entries_free_variable(e, pi);
    ch_entries_add(e, xi, xi, h * Q[i]);
    ch_entries_add(e, xi, pi, -1.0);
    ch_entries_add(e, pi, xi, 1.0);
    ch_entries_add(e, pi, control(k), -h * B[i]);
    ch_entries_add(e, control(k), pi, B[i]);
    for (int j = 0; j < 2; ++j) {
      double step_ij = (i == j) + h * A[i][j], step_ji = (i == j) + h * A[j][i];
      if (k + 1 < steps) ch_entries_add(e, xi, costate(k + 1, j), step_ji);
      if (k > 0)
        ch_entries_add(e, pi, state(k - 1, j), -step_ij);
      else
        e->b[pi] -= step_ij * x0[j];
    }
  }
  ch_entries_add(e, control(k), control(k), 1.0);
  e->lower[control(k)] = -1.0;
  e->upper[control(k)] = 1.0;
}

// The states that a constant control leads to.
static void simulate(const ChMcp* mcp, int steps, double h, const double* x0, double c) {
  double x[2] = {x0[0], x0[1]};
  for (int k = 0; k < steps; ++k) {
    double next[2];
    for (int i = 0; i < 2; ++i) next[i] = x[i] + h * (A[i][0] * x[0] + A[i][1] * x[1] + B[i] * c);
    for (int i = 0; i < 2; ++i) mcp->start[state(k, i)] = x[i] = next[i];
    mcp->start[control(k)] = c;
  }
}

static void build(ChArena* arena, const int* values, ChMcp* out) {
  int steps = values[0] / REFORMULATED, family = values[1] - 1;
  double h = horizon / steps, x0[2] = {family < 2 ? 1.0 : 4.0, family < 2 ? 0.0 : 2.0};
  ChEntries e = ch_entries_take(arena, VARIABLES * steps, 20L * steps);
  for (int k = 0; k < steps; ++k) add_step(&e, k, steps, h, x0);
  *out = ch_entries_mcp(arena, &e);
  simulate(out, steps, h, x0, family % 2 ? 1.0 : 0.0);
}

const ChMcpKind ch_model_control = {
    .model = {.name = "control",
              .summary = "discrete optimal control with a bounded control, after Bertsekas",
              .keys = {{"dimension", 700, 70, 7000000, "dimension of the bound-constrained form, 7 for each time step"},
                       {"family", 1, 1, 4,
                        "initial state (1,0) in 1 and 2, (4,2) in 3 and 4; control starts at 0 in 1 and 3"}}},
    .build = build};
