// A piecewise linear path: see kink_path.h.
#include "solve/contact/kink_path.h"

#include <math.h>
#include <string.h>

#include "linalg/quad.h"

#define LEAST_PIVOT 1e-13
enum { QUAD = 4 };
enum { PATIENCE = 32, LARGE = 64 };  // changes between two looks at the clock; rows from which on each is worth one

ChKinkPath ch_kink_path_create_bare(ChArena* arena, int rows) {
  ChKinkPath p = {.rows = rows, .least = -INFINITY};
  double** vectors[] = {&p.lo, &p.hi, &p.mu, &p.slope, &p.x, &p.y};
  for (size_t k = 0; k < sizeof vectors / sizeof vectors[0]; ++k) *vectors[k] = CH_TAKE(arena, rows, double);
  p.tangents = CH_TAKE(arena, rows, int);
  p.state = CH_TAKE(arena, rows, signed char);
  p.first = CH_TAKE(arena, rows, signed char);
  return p;
}

// 1 + b^T T c: the factor by which the change multiplies det (I + V D)
static inline double factor_of(const ChKinkPath* p, const ChKinkChange* k) {
  double sum = 1.0;
  for (int i = 0; i < k->columns; ++i) {
    const double *T = p->T + (long)k->column[i] * p->stride, b = k->b[i];
    for (int j = 0; j < k->rows; ++j) sum += b * k->c[j] * T[k->row[j]];
  }
  return sum;
}

// b^T T / factor into p->row; returns b^T y / factor.
static double find_row(const ChKinkPath* p, const ChKinkChange* k, double factor) {
  double along = 0.0;
  for (int m = 0; m < k->columns; ++m) {
    const double *from = p->T + (long)k->column[m] * p->stride, b = k->b[m] / factor;
    along += b * p->y[k->column[m]];
    if (m == 0) memset(p->row, 0, (size_t)p->stride * sizeof *p->row);
    for (int j = 0; j < p->stride; j += QUAD) *(ChQuad*)(p->row + j) += CH_QUAD_AT(from + j) * b;
  }
  return along;
}

// Sherman and Morrison on T and y; returns the factor, 0 where it is too small.
static double change_full(ChKinkPath* p, const ChKinkChange* k) {
  int n = p->rows, stride = p->stride;
  double factor = factor_of(p, k);
  if (!(fabs(factor) > LEAST_PIVOT)) return 0.0;
  double along = find_row(p, k, factor);
  const double* row = p->row;
  for (int i = 0; i < n; ++i) {
    double *to = p->T + (long)i * stride, c = k->c[0] * to[k->row[0]];
    for (int j = 1; j < k->rows; ++j) c += k->c[j] * to[k->row[j]];
    p->y[i] -= c * along;
    for (int j = 0; j < stride; j += QUAD) *(ChQuad*)(to + j) -= CH_QUAD_AT(row + j) * c;
  }
  ch_work_add(p->price);
  return factor;
}

// What row a, between its bounds, and its tangents that are at theirs have in D's column a
static ChKinkChange own_column(const ChKinkPath* p, int a, double sign) {
  ChKinkChange k = {.rows = 1, .columns = 1, .row = {a}, .column = {a}, .c = {1.0}, .b = {sign}};
  for (int t = a + 1; t <= a + p->tangents[a]; ++t)
    if (p->state[t] != 0) {
      k.row[k.rows] = t;
      k.c[k.rows++] = p->state[t] * p->mu[t];
    }
  return k;
}

// What tangent t has in D's row t between its bounds; less what it has there at bound `side` of row `parent`
static ChKinkChange own_row(const ChKinkPath* p, int t, int parent, int side, double sign) {
  ChKinkChange k = {.rows = 1, .columns = 1, .row = {t}, .column = {t}, .c = {sign}, .b = {p->slope[t]}};
  if (side == 0) return k;
  k.columns = 2;
  k.column[1] = parent;
  k.b[1] = -side * p->mu[t];
  return k;
}

static signed char side_of(double x) { return x >= 0.0 ? 1 : -1; }

// The piece that x lies in.
static void find_piece(ChKinkPath* p) {
  for (int a = 0; a < p->rows; a += 1 + p->tangents[a]) {
    p->state[a] = p->x[a] <= p->lo[a] ? -1 : p->x[a] >= p->hi[a];
    for (int t = a + 1; t <= a + p->tangents[a]; ++t) {
      bool between = p->slope[t] * fabs(p->x[t]) <= p->mu[t] * p->x[a];
      p->state[t] = between ? 0 : side_of(p->x[t]);
    }
  }
  memcpy(p->first, p->state, (size_t)p->rows);
}

// What D has in this piece; returns of how many changes it is made.
static int list_changes(ChKinkPath* p) {
  int count = 0;
  for (int a = 0; a < p->rows; a += 1 + p->tangents[a]) {
    if (p->state[a] != 0) continue;
    for (int t = a + 1; t <= a + p->tangents[a]; ++t)
      if (p->state[t] == 0 && p->slope[t] > 0.0) p->due[count++] = own_row(p, t, a, 0, 1.0);
    p->due[count++] = own_column(p, a, 1.0);
  }
  return count;
}

static bool is_late(const ChKinkPath* p, long change) {
  if (p->rows >= LARGE && !ch_limits_allow(p->price, p->price / CH_WORK_RATE)) return true;
  bool asks = p->rows >= LARGE || change % PATIENCE == PATIENCE - 1;
  return ch_limits_over() || (asks && ch_deadline_passed(p->deadline));
}

// From D = 0, T = V to the piece that x lies in, the largest pivot first; returns the determinant's sign, 0 where it is
// none or time has run out.
static double enter_full(ChKinkPath* p) {
  double sign = 1.0;
  for (int left = list_changes(p); left > 0; --left) {
    if (is_late(p, left)) return 0.0;
    double largest = 0.0;
    int next = 0;
    for (int k = 0; k < left; ++k) {
      double factor = fabs(factor_of(p, &p->due[k]));
      if (!(factor > largest)) continue;
      largest = factor;
      next = k;
    }
    double factor = change_full(p, &p->due[next]);
    if (factor == 0.0) return 0.0;
    if (factor < 0.0) sign = -sign;
    p->due[next] = p->due[left - 1];
  }
  return sign;
}

static const ChKinkTableau full_tableau = {.enter = enter_full, .change = change_full};

ChKinkPath ch_kink_path_create(ChArena* arena, int rows) {
  ChKinkPath p = ch_kink_path_create_bare(arena, rows);
  p.stride = (rows + QUAD - 1) / QUAD * QUAD;
  p.tableau = &full_tableau;
  p.price = (double)rows * (rows + 4.0);
  p.due = CH_TAKE(arena, rows, ChKinkChange);
  p.row = CH_TAKE(arena, p.stride, double);
  p.T = CH_TAKE(arena, (size_t)rows * p.stride, double);
  return p;
}

// The next kink: which row goes to which state, after how much of t
typedef struct Kink {
  double after;
  int row, parent, state;
} Kink;

static void consider(Kink* kink, double distance, double speed, int row, int parent, int state) {
  if (!(speed > 0.0)) return;
  double after = distance > 0.0 ? distance / speed : 0.0;
  if (after < kink->after) *kink = (Kink){after, row, parent, state};
}

static void consider_tangents(const ChKinkPath* p, int a, double forward, Kink* kink) {
  double x = p->x[a], dx = -forward * p->y[a];
  for (int t = a + 1; t <= a + p->tangents[a]; ++t) {
    double slope = p->slope[t], bound = p->mu[t] * x, opening = p->mu[t] * dx;
    if (!(slope > 0.0)) continue;
    double at = slope * p->x[t], moving = -forward * slope * p->y[t];
    int side = p->state[t];
    if (side != 0) {
      consider(kink, side * at - bound, opening - side * moving, t, a, 0);
    } else {
      consider(kink, bound - at, moving - opening, t, a, 1);
      consider(kink, bound + at, -moving - opening, t, a, -1);
    }
  }
}

static Kink next_kink(const ChKinkPath* p, double forward, double left) {
  Kink kink = {forward > 0.0 ? left : INFINITY, -1, -1, 0};
  for (int a = 0; a < p->rows; a += 1 + p->tangents[a]) {
    double x = p->x[a], dx = -forward * p->y[a];
    if (p->state[a] < 0) {
      consider(&kink, p->lo[a] - x, dx, a, a, 0);
    } else if (p->state[a] > 0) {
      consider(&kink, x - p->hi[a], -dx, a, a, 0);
    } else {
      consider(&kink, x - p->lo[a], -dx, a, a, -1);
      consider(&kink, p->hi[a] - x, dx, a, a, 1);
      consider_tangents(p, a, forward, &kink);
    }
  }
  return kink;
}

// Takes a tangent from between its bounds to one of them, or back.
static double shift_tangent(ChKinkPath* p, int t, int parent, int state) {
  int side = state != 0 ? state : p->state[t];
  ChKinkChange k = own_row(p, t, parent, side, state != 0 ? -1.0 : 1.0);
  p->state[t] = (signed char)state;
  return p->tableau->change(p, &k);
}

// Crosses the kink; returns the factor of the determinant. Where a row leaves its bounds those of its tangents open
// from zero, and before it comes to them its tangents have come to theirs.
static double cross(ChKinkPath* p, Kink kink) {
  int a = kink.row;
  if (kink.parent != a) return shift_tangent(p, a, kink.parent, kink.state);
  double factor = 1.0;
  for (int t = a + 1; t <= a + p->tangents[a]; ++t) {
    if (!(p->slope[t] > 0.0)) continue;
    if (kink.state == 0)
      p->state[t] = side_of(p->x[t]);
    else if (p->state[t] == 0)
      factor *= shift_tangent(p, t, a, side_of(p->x[t]));
  }
  ChKinkChange k = own_column(p, a, kink.state == 0 ? 1.0 : -1.0);
  p->state[a] = (signed char)kink.state;
  return factor * p->tableau->change(p, &k);
}

ChKinkEnd ch_kink_path_follow(ChKinkPath* p, long most, ChDeadline deadline, long* kinks) {
  p->deadline = deadline;
  find_piece(p);
  double t = 0.0, forward = p->tableau->enter(p);
  if (forward == 0.0) return CH_KINK_SINGULAR;
  for (long k = 0; k < most; ++k, ++*kinks) {
    if (is_late(p, k)) break;
    Kink kink = next_kink(p, forward, 1.0 - t);
    if (!(kink.after < INFINITY)) return CH_KINK_RAY;
    for (int a = 0; a < p->rows; ++a) p->x[a] -= forward * kink.after * p->y[a];
    if (kink.row < 0) return CH_KINK_SOLVED;
    double before = t;
    t += forward * kink.after;
    bool passes = before * t <= 0.0;
    if (k > 0 && passes && memcmp(p->first, p->state, (size_t)p->rows) == 0) return CH_KINK_LOOP;
    if (t <= p->least) return CH_KINK_BACK;
    double factor = cross(p, kink);
    if (factor == 0.0) return CH_KINK_SINGULAR;
    if (factor < 0.0) forward = -forward;
    if (p->tableau->settle && !p->tableau->settle(p)) return CH_KINK_SINGULAR;
  }
  return CH_KINK_LIMIT;
}
