// General equilibrium, after Scarf (1973, chapter 5): six goods, five consumers, eight activities.
//
//   p_i >= 0   ||  endowments_i + (A y)_i - demand_i(p) >= 0
//   y_j >= 0   ||  -(A^T p)_j >= 0                               no activity earns a profit
//
// Consumer c has endowments w_c and a CES utility of elasticity s_c: demand_i = share_i p_i^-s income / sum share
// p^(1-s). Demand does not change when all prices double, so a scale is set: `sum` adds a free variable v to every
// market and the equation sum p = 1 (Walras' law makes v zero), `numeraire` replaces the first market by p_1 >= 0 ||
// p_1 - 1 >= 0. Prices are kept above 1e-4, where demand is defined; equilibria lie well inside. The data are our own
// instance: those of the book are not in 003.
#include <math.h>
#include <string.h>

#include "mcp/entries.h"
#include "mcp/mcp_kind.h"

enum { GOODS = 6, CONSUMERS = 5, ACTIVITIES = 8, PAIRS = GOODS + ACTIVITIES };

static const double endowment[CONSUMERS][GOODS] = {{3.0, 0.1, 2.0, 1.0, 0.1, 0.2},
                                                   {0.1, 4.0, 1.0, 0.1, 0.5, 0.1},
                                                   {2.0, 1.0, 0.2, 3.0, 0.1, 0.1},
                                                   {1.0, 0.3, 5.0, 0.2, 0.2, 0.4},
                                                   {0.5, 2.0, 1.0, 2.0, 0.3, 0.2}};
static const double share[CONSUMERS][GOODS] = {{1.0, 0.5, 0.2, 0.4, 2.0, 1.0},
                                               {0.4, 0.6, 0.5, 0.2, 1.0, 2.0},
                                               {0.2, 1.0, 0.3, 0.5, 1.5, 1.0},
                                               {0.6, 0.2, 0.4, 1.0, 1.0, 0.8},
                                               {0.3, 0.8, 0.6, 0.3, 0.7, 1.6}};
static const double elasticity[CONSUMERS] = {0.8, 1.2, 0.5, 0.7, 1.5};
// Goods 5 and 6 are made of the others; at prices (1,1,1,1,2,3) no activity earns anything, so none makes something of
// nothing.
static const double activity[GOODS][ACTIVITIES] = {
    {-1.0, 0.0, -0.5, -1.0, 0.0, -2.0, 0.5, -0.2}, {-1.0, -0.5, 0.0, -1.0, -1.5, 0.0, -0.8, 0.1},
    {0.0, -1.0, -1.0, 0.0, -1.0, -0.5, 0.1, -0.1}, {0.0, -0.6, -0.7, -1.2, -0.6, -0.7, 0.1, 0.0},
    {1.0, 1.0, 1.0, 0.0, 0.0, 0.0, 0.0, 0.0},      {0.0, 0.0, 0.0, 1.0, 1.0, 1.0, 0.0, 0.0}};

typedef struct Scarf {
  bool sum;
  double total[GOODS];
} Scarf;

typedef struct Consumer {
  double income, weight;  // p . w and sum share p^(1-s)
} Consumer;

static Consumer consumer_at(int c, const double* p) {
  Consumer k = {0};
  for (int i = 0; i < GOODS; ++i) {
    k.income += p[i] * endowment[c][i];
    k.weight += share[c][i] * pow(p[i], 1.0 - elasticity[c]);
  }
  return k;
}

static double demand(int c, int i, const Consumer* k, const double* p) {
  return share[c][i] * pow(p[i], -elasticity[c]) * k->income / k->weight;
}

static void evaluate(void* user, const double* x, double* F) {
  const Scarf* s = user;
  const double *p = x, *y = x + GOODS;
  for (int i = 0; i < GOODS; ++i) {
    F[i] = s->total[i] + (s->sum ? x[PAIRS] : 0.0);
    for (int j = 0; j < ACTIVITIES; ++j) F[i] += activity[i][j] * y[j];
  }
  for (int c = 0; c < CONSUMERS; ++c) {
    Consumer k = consumer_at(c, p);
    for (int i = 0; i < GOODS; ++i) F[i] -= demand(c, i, &k, p);
  }
  for (int j = 0; j < ACTIVITIES; ++j) {
    F[GOODS + j] = 0.0;
    for (int i = 0; i < GOODS; ++i) F[GOODS + j] -= activity[i][j] * p[i];
  }
  if (!s->sum) {
    F[0] = p[0] - 1.0;
    return;
  }
  F[PAIRS] = -1.0;
  for (int i = 0; i < GOODS; ++i) F[PAIRS] += p[i];
}

// D[i][j] = d demand_i / d p_j, all consumers together.
static void demand_slopes(const double* p, double D[GOODS][GOODS]) {
  memset(D, 0, sizeof(double[GOODS][GOODS]));
  for (int c = 0; c < CONSUMERS; ++c) {
    Consumer k = consumer_at(c, p);
    double s = elasticity[c];
    for (int i = 0; i < GOODS; ++i) {
      double d = demand(c, i, &k, p);
      D[i][i] -= s * d / p[i];
      for (int j = 0; j < GOODS; ++j)
        D[i][j] += d * (endowment[c][j] / k.income - (1.0 - s) * share[c][j] * pow(p[j], -s) / k.weight);
    }
  }
}

static void jacobian(const Scarf* s, const double* x, double J[PAIRS + 1][PAIRS + 1]) {
  double D[GOODS][GOODS];
  memset(J, 0, sizeof(double[PAIRS + 1][PAIRS + 1]));
  demand_slopes(x, D);
  for (int i = 0; i < GOODS; ++i) {
    for (int j = 0; j < GOODS; ++j) J[i][j] = -D[i][j];
    for (int j = 0; j < ACTIVITIES; ++j) {
      J[i][GOODS + j] = activity[i][j];
      J[GOODS + j][i] = -activity[i][j];
    }
    J[i][PAIRS] = J[PAIRS][i] = 1.0;
  }
  if (s->sum) return;
  memset(J[0], 0, sizeof J[0]);
  J[0][0] = 1.0;
}

static void multiply(void* user, const double* x, const double* d, double* out) {
  const Scarf* s = user;
  double J[PAIRS + 1][PAIRS + 1];
  int n = PAIRS + s->sum;
  jacobian(s, x, J);
  for (int i = 0; i < n; ++i) {
    out[i] = 0.0;
    for (int j = 0; j < n; ++j) out[i] += J[i][j] * d[j];
  }
}

static void multiply_transposed(void* user, const double* x, const double* w, double* out) {
  const Scarf* s = user;
  double J[PAIRS + 1][PAIRS + 1];
  int n = PAIRS + s->sum;
  jacobian(s, x, J);
  for (int j = 0; j < n; ++j) {
    out[j] = 0.0;
    for (int i = 0; i < n; ++i) out[j] += J[i][j] * w[i];
  }
}

static void build(ChArena* arena, bool sum, int start, ChMcp* out) {
  static const double starts[4][2] = {{1.0, 1.0}, {1.0, 0.0}, {0.2, 0.5}, {3.0, 2.0}};  // prices, activities
  Scarf* s = CH_TAKE(arena, 1, Scarf);
  s->sum = sum;
  for (int c = 0; c < CONSUMERS; ++c)
    for (int i = 0; i < GOODS; ++i) s->total[i] += endowment[c][i];
  int n = PAIRS + sum;
  ChEntries e = ch_entries_take(arena, n, 0);
  for (int i = 0; i < GOODS; ++i) e.lower[i] = 1e-4;
  if (sum) ch_entries_free_variable(&e, PAIRS);
  double* x = CH_TAKE(arena, n, double);
  for (int i = 0; i < PAIRS; ++i) x[i] = starts[start - 1][i >= GOODS];
  if (sum)
    for (int i = 0; i < GOODS; ++i) x[i] /= GOODS;
  *out = (ChMcp){.n = n,
                 .lower = e.lower,
                 .upper = e.upper,
                 .start = x,
                 .user = s,
                 .evaluate = evaluate,
                 .multiply = multiply,
                 .multiply_transposed = multiply_transposed};
}

static void build_sum(ChArena* arena, const int* values, ChMcp* out) { build(arena, true, values[0], out); }
static void build_numeraire(ChArena* arena, const int* values, ChMcp* out) { build(arena, false, values[0], out); }

const ChMcpKind ch_model_scarf_sum = {
    .model = {.name = "scarf-sum",
              .summary = "general equilibrium, after Scarf, own data; prices add up to one",
              .keys = {{"start", 1, 1, 4, "starting point"}}},
    .build = build_sum};

const ChMcpKind ch_model_scarf_numeraire = {
    .model = {.name = "scarf-numeraire",
              .summary = "general equilibrium, after Scarf, own data; the first price is one",
              .keys = {{"start", 1, 1, 4, "starting point"}}},
    .build = build_numeraire};
