// Crossover: see lcp_crossover.h. The positive variables are pushed into the basis one after another.
//
//   1. Variable j, column t = B^-1 a_j. A place whose variable is zero and stays so is taken without moving, preferably
//      that of some w_i whose y_i is positive: both cannot remain.
//   2. Where there is none, a_j depends on columns of positive variables alone. x_j falls, the others move along t, and
//      the first that reaches zero, x_j or a basic one, is the one that stays outside.
//   3. Many variables of a pile reach zero together, and columns are nearly dependent. A zero variable whose row
//      of B^-1 is large comes out of B^-1 b as round-off multiplied, of either sign. With every factorisation such a
//      place is given to the slack with the largest pivot in its row, until rows of zero variables are below BOUND:
//      then x = 0 to round-off there, and what is badly determined is the split among positive variables, which harms
//      nobody.
//   4. Pairs with both variables in the basis and pairs with none are as many as each other: a zero variable of the
//      former gives its place to either of the latter, by the larger pivot.
#include "solve/lcp/lcp_crossover.h"

#include <math.h>
#include <string.h>

#include "cardhouse/clock.h"

#define SMALLEST 1e-7   // pivot that is taken for other than zero, relative to its column
#define PREFERRED 1e-2  // of the largest pivot, from which on a place of the better kind is taken

#define BOUND 10.0   // on the entries of the inverse in the row of a zero variable
#define PASSES 4     // over the zero variables
#define FLOOR 1e-13  // what a zero variable may be by round-off, relative to the largest

typedef struct Crossover {
  ChLcpBasis* basis;
  double* value;  // of all 2n variables
  double noise;   // below which a value is zero
  int n;
} Crossover;

static void clean(Crossover* c) {
  for (int i = 0; i < c->n; ++i) {
    double *w = &c->value[i], *y = &c->value[c->n + i];
    if (c->basis->lcp->free[i]) {
      *w = 0.0;
      continue;
    }
    if (!(*w > c->noise) || *w <= *y) *w = 0.0;
    if (!(*y > c->noise) || *w > 0.0) *y = 0.0;
  }
}

static bool is_zero(const Crossover* c, int variable) {
  return c->value[variable] == 0.0 && !ch_lcp_is_free(c->basis, variable);
}

// A place that can be taken without moving, or -1.
static int find_idle_place(const Crossover* c) {
  const ChLcpBasis* basis = c->basis;
  double best = 0.0, best_paired = 0.0;
  int place = -1, paired = -1;
  for (int i = 0; i < c->n; ++i) {
    int variable = basis->basic[i];
    double pivot = fabs(basis->direction[i]);
    if (!is_zero(c, variable)) continue;
    if (pivot > best) best = pivot, place = i;
    if (c->value[ch_lcp_complement(basis, variable)] != 0.0 && pivot > best_paired) best_paired = pivot, paired = i;
  }
  if (!(best > SMALLEST * ch_lcp_largest(c->n, basis->direction))) return -1;
  return best_paired > PREFERRED * best ? paired : place;
}

// x_j falls until something is zero: returns the place of the basic variable that is, -1 when it is x_j.
static int move_down(Crossover* c, int j) {
  const ChLcpBasis* basis = c->basis;
  const double* t = basis->direction;
  double smallest = SMALLEST * ch_lcp_largest(c->n, t), step = c->value[j];
  int place = -1;
  for (int i = 0; i < c->n; ++i) {
    int variable = basis->basic[i];
    if (!(t[i] < -smallest) || ch_lcp_is_free(basis, variable) || is_zero(c, variable)) continue;
    double ratio = c->value[variable] / -t[i];
    if (ratio < step) step = ratio, place = i;
  }
  for (int i = 0; i < c->n; ++i) {
    int variable = basis->basic[i];
    if (is_zero(c, variable)) continue;
    c->value[variable] += step * t[i];
    if (!ch_lcp_is_free(basis, variable) && !(c->value[variable] > c->noise)) c->value[variable] = 0.0;
  }
  c->value[j] = place < 0 ? 0.0 : c->value[j] - step;
  if (place >= 0) c->value[basis->basic[place]] = 0.0;
  return place;
}

// The slack with the largest pivot in the row of a place; preferred is one whose pair is not in the basis.
static int find_slack(const Crossover* c, const double* row) {
  const ChLcpBasis* basis = c->basis;
  int best = -1, absent = -1;
  for (int k = 0; k < c->n; ++k) {
    if (basis->place[k] >= 0 || ch_lcp_is_fixed(basis, k) || !(fabs(row[k]) > BOUND)) continue;
    if (best < 0 || fabs(row[k]) > fabs(row[best])) best = k;
    if (basis->place[c->n + k] < 0 && (absent < 0 || fabs(row[k]) > fabs(row[absent]))) absent = k;
  }
  return absent >= 0 && fabs(row[absent]) > PREFERRED * fabs(row[best]) ? absent : best;
}

// Basic values of the point from b and the variables outside, into basis->x.
static void evaluate(Crossover* c) {
  ChLcpBasis* basis = c->basis;
  memcpy(basis->b, basis->lcp->b, (size_t)c->n * sizeof(double));
  for (int j = 0; j < 2 * c->n; ++j)
    if (basis->place[j] < 0 && c->value[j] != 0.0) ch_lcp_basis_scatter(basis, j, -c->value[j], basis->b);
  ch_lcp_basis_solve(basis, basis->b, basis->x);
}

// One pass over the zero variables; returns how many gave their place to a slack, -1 when the basis broke.
static int steady_once(Crossover* c) {
  ChLcpBasis* basis = c->basis;
  double floor = FLOOR * ch_lcp_largest(c->n, basis->x);
  int done = 0;
  for (int i = 0; i < c->n; ++i) {
    int variable = basis->basic[i];
    if (!ch_lcp_is_free(basis, variable) && !(basis->x[i] > c->noise)) c->value[variable] = 0.0;
    if (!is_zero(c, variable) || !(fabs(basis->x[i]) > floor)) continue;
    if (ch_deadline_passed(basis->deadline)) return -1;
    ch_lcp_basis_row(basis, i, basis->direction);
    int slack = find_slack(c, basis->direction);
    if (slack < 0) continue;
    ch_lcp_basis_direct(basis, slack);
    if (!ch_lcp_basis_exchange(basis, i, slack)) return -1;
    ++done;
  }
  return done;
}

// A zero variable that comes out as other than zero has a large row in the inverse: round-off of b, multiplied. A slack
// with a large pivot in that row takes its place, and the point stays where it is.
static bool steady(Crossover* c) {
  ChLcpBasis* basis = c->basis;
  evaluate(c);
  for (int pass = 0, done = 1; pass < PASSES && done > 0; ++pass) {
    if ((done = steady_once(c)) < 0) return false;
    if (done > 0) evaluate(c);
  }
  for (int i = 0; i < c->n; ++i)
    if (!is_zero(c, basis->basic[i])) c->value[basis->basic[i]] = basis->x[i];
  return true;
}

static bool push_all(Crossover* c, int first) {
  for (int k = 0; k < c->n; ++k) {
    int j = c->n + (first + k) % c->n;
    if (is_zero(c, j) || c->basis->place[j] >= 0) continue;
    if (ch_lcp_is_free(c->basis, j)) continue;
    if (ch_deadline_passed(c->basis->deadline)) return false;
    ch_lcp_basis_direct(c->basis, j);
    int place = find_idle_place(c);
    if (place < 0) place = move_down(c, j);
    if (place < 0) continue;
    if (!ch_lcp_basis_exchange(c->basis, place, j)) return false;
    if (!ch_lcp_basis_is_stale(c->basis) && !steady(c)) return false;
  }
  return ch_lcp_basis_factor(c->basis) && steady(c);
}

static int members(const Crossover* c, int pair) {
  return (c->basis->place[pair] >= 0) + (c->basis->place[c->n + pair] >= 0);
}

// The best place for the column at hand among pairs that are there twice; `any`: also of positive variables.
static int find_double_place(const Crossover* c, bool any) {
  const ChLcpBasis* basis = c->basis;
  int best = -1;
  for (int i = 0; i < c->n; ++i) {
    int variable = basis->basic[i];
    if (basis->place[ch_lcp_complement(basis, variable)] < 0 || !(any || is_zero(c, variable))) continue;
    if (ch_lcp_is_free(basis, variable) || (best >= 0 && fabs(basis->direction[i]) <= fabs(basis->direction[best])))
      continue;
    best = i;
  }
  return best >= 0 && fabs(basis->direction[best]) > SMALLEST * ch_lcp_largest(c->n, basis->direction) ? best : -1;
}

// Brings one variable of an absent pair in; returns 1 when it went, 0 when no place was found, -1 when the basis broke.
static int complete_pair(Crossover* c, int pair, bool any) {
  double pivot[2] = {0.0, 0.0};
  for (int side = 0; side < 2; ++side) {
    ch_lcp_basis_direct(c->basis, pair + side * c->n);
    int place = find_double_place(c, any);
    if (place >= 0) pivot[side] = fabs(c->basis->direction[place]) / ch_lcp_largest(c->n, c->basis->direction);
  }
  if (!(pivot[0] > 0.0 || pivot[1] > 0.0)) return 0;
  int entering = pivot[0] >= pivot[1] ? pair : pair + c->n;
  ch_lcp_basis_direct(c->basis, entering);
  return ch_lcp_basis_exchange(c->basis, find_double_place(c, any), entering) ? 1 : -1;
}

// One pass over absent pairs; returns how many it brought in, -1 when the basis broke.
static int complete(Crossover* c, bool any) {
  int done = 0;
  for (int pair = 0; pair < c->n; ++pair) {
    if (members(c, pair) != 0) continue;
    int went = complete_pair(c, pair, any);
    if (went < 0) return -1;
    done += went;
  }
  return done;
}

static bool is_complementary(const Crossover* c) {
  for (int pair = 0; pair < c->n; ++pair)
    if (members(c, pair) != 1) return false;
  return true;
}

bool ch_lcp_push(ChLcpBasis* basis, double noise, int first, double* point) {
  Crossover c = {.basis = basis, .value = point, .noise = noise, .n = basis->n};
  clean(&c);
  return push_all(&c, first);
}

int ch_lcp_complete(ChLcpBasis* basis, double* point) {
  Crossover c = {.basis = basis, .value = point, .n = basis->n};
  int given_up = 0;
  for (int done = 1; done > 0;)
    if ((done = complete(&c, false)) < 0) return -1;
  for (int done = 1; done > 0; given_up += done)
    if ((done = complete(&c, true)) < 0) return -1;
  return is_complementary(&c) ? given_up : -1;
}
