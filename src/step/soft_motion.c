// See soft_motion.h.
#include "step/soft_motion.h"

#include <lapacke.h>
#include <math.h>
#include <string.h>

#include "assemble/soft_body.h"
#include "linalg/small.h"
#include "model/soft/soft_arms.h"

enum { MOST_STEPS = 100, SIZE_MAX_3 = 3 + CH_SOFT_MODES_MAX };
#define SETTLED 1e-14   // change of V+, relative to V and to what forces make of it, at which Newton's method ends
#define STALLED 1e-10   // and at which it may end where two iterations do not halve it: good and bad ones take turns
#define SLOW 0.1        // gain of one iteration below which the derivative is renewed
#define SLOW_TURN 0.02  // radian in a step below which modes that turn into each other are left out of the derivative
#define LINEAR 1e-13    // of the equations' terms that counts as no curvature
static const double gauss[2] = {0.21132486540518711775, 0.78867513459481288225};

typedef struct Motion {
  const ChSoft* soft;
  double h, a;
  int n, top, size;  // modes; rows of the frame, 3 or 0; all
  ChVec3 w, L, g;
  const double *q, *qd;
  double *P, *D, *f0;
  double *bend_q, *bend_qd;  // what J and C take of q and of qd: they are linear, so that of q+ comes with one of qd+
  // at a trial V+ = x
  ChVec3 wp, Lp;
  ChMat3 J;
  double *x, *qp, *bend_x, *bend_p, *force, *other, *R;
  double *A, *K, *diagonal;  // dR/dV+ whole, or with the diagonal alone for its modes
  int* pivots;
  bool arrow;  // the latter
  // at V+ = V
  double *R0, *force0, *K0;
} Motion;

static ChVec3 vector_at(const double* x) { return ch_vec(x[0], x[1], x[2]); }
// Column a of C, or less the sum over C2_a, of what `bend` was made of.
static ChVec3 coupling(const Motion* m, const double* bend, int a) { return vector_at(bend + 6 * m->n + 3 * a); }

// L = J(q) w + C(q) qd, P = qd + C(q)'w
static ChVec3 momenta(Motion* m, const double* q, const double* bend, ChVec3 w, const double* qd, double* P) {
  memcpy(P, qd, (size_t)m->n * sizeof *P);
  if (!m->top) return ch_vec(0.0, 0.0, 0.0);
  ch_soft_inertia_bent(m->soft, q, bend, &m->J);
  ChVec3 L = ch_mat_apply(&m->J, w);
  for (int a = 0; a < m->n; ++a) {
    ChVec3 c = coupling(m, bend, a);
    L = ch_along(L, qd[a], c);
    P[a] += ch_dot(c, w);
  }
  return L;
}

// R += - h G
static void add_kinetic_slope(Motion* m, double* R) {
  const ChVec3 v = m->w, w = m->wp;
  const double mixed[6] = {
      v.x * w.x, v.y * w.y, v.z * w.z, v.x * w.y + v.y * w.x, v.x * w.z + v.z * w.x, v.y * w.z + v.z * w.y};
  for (int a = 0; a < m->n; ++a) {
    const double *J1 = m->soft->J1 + 6L * a, *from = m->bend_q + 6 * a, *to = m->bend_p + 6 * a;
    double sum = 0.0;
    for (int k = 0; k < 6; ++k) sum += mixed[k] * (J1[k] + from[k] + to[k]);
    sum -= ch_dot(v, coupling(m, m->bend_x, a)) + ch_dot(w, coupling(m, m->bend_qd, a));
    R[a] -= 0.5 * m->h * sum;
  }
}

// F
static void internal_force(Motion* m) {
  int n = m->n;
  double at[CH_SOFT_MODES_MAX];
  if (!m->soft->cubic) {
    for (int a = 0; a < n; ++a) at[a] = (1.0 - m->a) * m->q[a] + m->a * m->qp[a];
    ch_soft_force(m->soft, at, m->force);
    return;
  }
  memset(m->force, 0, (size_t)n * sizeof *m->force);
  for (int k = 0; k < 2; ++k) {
    for (int a = 0; a < n; ++a) at[a] = (1.0 - gauss[k]) * m->q[a] + gauss[k] * m->qp[a];
    ch_soft_force(m->soft, at, m->other);
    for (int a = 0; a < n; ++a) m->force[a] += 0.5 * m->other[a];
  }
  if (m->a == 0.5) return;
  ch_soft_force(m->soft, m->qp, m->other);
  for (int a = 0; a < n; ++a) m->force[a] += (m->a - 0.5) * (m->other[a] - m->f0[a]);
}

// q+ and what J and C take of it.
static void move(Motion* m) {
  const double* rates = m->x + m->top;
  double old = m->h * (1.0 - m->a), new = m->h * m->a;
  m->wp = m->top ? vector_at(m->x) : ch_vec(0.0, 0.0, 0.0);
  for (int a = 0; a < m->n; ++a) m->qp[a] = m->q[a] + (old * m->qd[a] + new* rates[a]);
  if (!m->top) return;
  if (memcmp(rates, m->qd, (size_t)m->n * sizeof *rates) == 0)
    memcpy(m->bend_x, m->bend_qd, CH_SOFT_BEND * (size_t)m->n * sizeof *m->bend_x);
  else
    ch_soft_bend(m->soft, rates, m->bend_x);
  for (int k = 0; k < CH_SOFT_BEND * m->n; ++k)
    m->bend_p[k] = m->bend_q[k] + (old * m->bend_qd[k] + new * m->bend_x[k]);
}

// R(V+): what the equations leave over.
static void residual(Motion* m) {
  int n = m->n;
  double h = m->h, *R = m->R + m->top;
  const double *rates = m->x + m->top, *S = m->soft->S;
  move(m);
  m->Lp = momenta(m, m->qp, m->bend_p, m->wp, rates, R);
  internal_force(m);
  for (int a = 0; a < n; ++a) {
    double damping = m->D[a] * ((1.0 - m->a) * m->qd[a] + m->a * rates[a]);
    double load = S[a] * m->g.x + S[n + a] * m->g.y + S[2 * n + a] * m->g.z;
    R[a] -= m->P[a] + h * (load - m->force[a] - damping);
  }
  if (!m->top) return;
  add_kinetic_slope(m, R);
  ChVec3 mean = ch_scale(0.5, ch_add(m->w, m->wp)), momentum = ch_scale(0.5, ch_add(m->L, m->Lp));
  ChVec3 left = ch_along(ch_sub(m->Lp, m->L), h, ch_cross(mean, momentum));
  m->R[0] = left.x, m->R[1] = left.y, m->R[2] = left.z;
}

// J1_a w + C2_a qd
static ChVec3 inertia_slope(const Motion* m, int a, ChVec3 w, const double* bend) {
  const double* s = m->soft->J1 + 6L * a;
  ChVec3 sum = ch_vec(s[0] * w.x + s[3] * w.y + s[4] * w.z, s[3] * w.x + s[1] * w.y + s[5] * w.z,
                      s[4] * w.x + s[5] * w.y + s[2] * w.z);
  return ch_sub(sum, coupling(m, bend, a));
}

// dR/dV+ at the frame's rows and columns; second derivatives of J are left out.
static void frame_derivative(Motion* m) {
  int n = m->n, size = m->size;
  double h = m->h, *A = m->A;
  ChVec3 mean = ch_scale(0.5, ch_add(m->w, m->wp)), momentum = ch_scale(0.5, ch_add(m->L, m->Lp));
  ChMat3 spin = ch_mat_cross(mean), turn = ch_mat_cross(momentum), JJ = ch_mat_product(&spin, &m->J);
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) A[i * size + j] = m->J.m[i][j] + 0.5 * h * (JJ.m[i][j] - turn.m[i][j]);
  for (int a = 0; a < n; ++a) {
    ChVec3 c = coupling(m, m->bend_p, a);
    ChVec3 e = ch_along(c, m->a * h, inertia_slope(m, a, m->wp, m->bend_x));
    e = ch_along(e, 0.5 * h, ch_cross(mean, e));
    ChVec3 back = ch_along(c, -0.5 * h, inertia_slope(m, a, m->w, m->bend_qd));
    for (int i = 0; i < 3; ++i) {
      A[i * size + 3 + a] = ch_component(e, i);
      A[(3 + a) * size + i] = ch_component(back, i);
    }
  }
}

// How modes turn into each other over a step: this times C2 is the part of dR/dV+ that is antisymmetric in them.
static ChVec3 spin_of(const Motion* m) { return ch_along(ch_scale(m->a * m->h, m->wp), 0.5 * m->h, m->w); }

static void derivative(Motion* m) {
  int n = m->n, size = m->size, top = m->top;
  double damping = m->a * m->h, stiffness = damping * damping, middle[CH_SOFT_MODES_MAX];
  for (int a = 0; a < n; ++a) {
    middle[a] = 0.5 * (m->q[a] + m->qp[a]);
    m->diagonal[a] = 1.0 + damping * m->D[a] + stiffness * m->soft->K0[(long)a * n + a];
  }
  if (top) frame_derivative(m);
  if (m->arrow) return;
  if (m->soft->cubic) ch_soft_stiffness(m->soft, middle, m->K);
  ChVec3 spin = spin_of(m);
  for (int r = 0; r < n; ++r) {
    double* A = m->A + (long)(top + r) * size + top;
    const double *C2 = m->soft->C2 + 3L * r * n, *K = m->K + (long)r * n;
    for (int c = 0; c < n; ++c) A[c] = -(spin.x * C2[3 * c] + spin.y * C2[3 * c + 1] + spin.z * C2[3 * c + 2]);
    for (int c = 0; c < n && m->soft->cubic; ++c) A[c] += stiffness * K[c];
    A[r] += m->soft->cubic ? 1.0 + damping * m->D[r] : m->diagonal[r];
  }
}

// --- Newton's method

// x <- A^-1 x where A has nothing but a diagonal outside of the frame's rows and columns; false: singular.
static bool solve_arrow(const Motion* m, double* x) {
  int n = m->n, size = m->size;
  ChMat3 S = {{{0.0}}};
  double y[3] = {0.0};
  if (m->top) {
    for (int i = 0; i < 3; ++i) {
      const double* row = m->A + (long)i * size;
      for (int j = 0; j < 3; ++j) S.m[i][j] = row[j];
      y[i] = x[i];
      for (int a = 0; a < n; ++a) {
        const double part = row[3 + a] / m->diagonal[a], *back = m->A + (long)(3 + a) * size;
        y[i] -= part * x[3 + a];
        for (int j = 0; j < 3; ++j) S.m[i][j] -= part * back[j];
      }
    }
    double inverse[9];
    if (!ch_small_invert(3, &S.m[0][0], inverse)) return false;
    ch_small_multiply(3, inverse, y, x);
  }
  for (int a = 0; a < n; ++a) {
    double rest = x[m->top + a];
    for (int i = 0; i < m->top; ++i) rest -= m->A[(long)(3 + a) * size + i] * x[i];
    x[m->top + a] = rest / m->diagonal[a];
  }
  return true;
}

static bool renew(Motion* m, bool first) {
  m->arrow = first && !m->soft->cubic && ch_norm(spin_of(m)) <= SLOW_TURN;
  derivative(m);
  if (first && m->soft->cubic) memcpy(m->K0, m->K, (size_t)m->n * (size_t)m->n * sizeof *m->K);
  return m->arrow || LAPACKE_dgetrf_work(LAPACK_COL_MAJOR, m->size, m->size, m->A, m->size, m->pivots) == 0;
}

static bool solve_linear(Motion* m, double* x) {
  if (m->arrow) return solve_arrow(m, x);
  return LAPACKE_dgetrs_work(LAPACK_COL_MAJOR, 'T', m->size, 1, m->A, m->size, m->pivots, x, m->size) == 0;
}

// Squares of V in kinetic energy, roughly; and of what forces make of it in the step.
static double square(const Motion* m, const double* x) {
  double sum = 0.0;
  for (int a = 0; a < m->size; ++a) sum += x[a] * x[a] * (a < m->top ? m->soft->inertia.m[a][a] : 1.0);
  return sum;
}

static double scale(const Motion* m) {
  double sum = square(m, m->x) + ch_dot(m->w, ch_mat_apply(&m->soft->inertia, m->w));
  for (int a = 0; a < m->n; ++a) {
    double inverse = 1.0 + m->a * m->a * m->h * m->h * m->soft->K0[(long)a * m->n + a],
           f = m->h * m->force[a] / inverse;
    sum += m->qd[a] * m->qd[a] + f * f;
  }
  return sum;
}

// The derivative is kept while it serves. Its own derivatives along the step are left out of it, so that a body that is
// bent far in one step takes some dozens of iterations.
static bool solve(Motion* m) {
  double last = INFINITY, before = INFINITY, change[SIZE_MAX_3];
  bool fresh = false;
  for (int k = 0; k < MOST_STEPS; ++k) {
    residual(m);
    if (k == 0) {
      memcpy(m->R0, m->R, (size_t)m->size * sizeof *m->R);
      memcpy(m->force0, m->force, (size_t)m->n * sizeof *m->force);
    }
    if (!fresh && !renew(m, k == 0)) return false;
    fresh = true;
    memcpy(change, m->R, (size_t)m->size * sizeof *change);
    if (!solve_linear(m, change)) return false;
    for (int a = 0; a < m->size; ++a) m->x[a] -= change[a];
    double moved = sqrt(square(m, change)), size = sqrt(scale(m));
    if (moved <= SETTLED * size || (moved <= STALLED * size && moved >= 0.5 * fmax(last, before))) return true;
    if (!isfinite(moved)) return false;
    fresh = moved <= SLOW * last;
    before = last;
    last = moved;
  }
  return false;
}

static Motion open_motion(ChArena* arena, const ChSoftStart* s) {
  int n = s->soft->modes, top = s->turns ? 3 : 0, size = top + n;
  Motion m = {.soft = s->soft,
              .h = s->h,
              .a = s->weight,
              .n = n,
              .top = top,
              .size = size,
              .g = s->gravity,
              .w = s->w,
              .q = s->q,
              .qd = s->qd};
  double** modal[] = {&m.P, &m.D, &m.f0, &m.qp, &m.force, &m.other, &m.diagonal, &m.force0};
  for (size_t k = 0; k < sizeof modal / sizeof *modal; ++k) *modal[k] = CH_TAKE_RAW(arena, n, double);
  double** bent[] = {&m.bend_q, &m.bend_qd, &m.bend_x, &m.bend_p};
  for (size_t k = 0; k < sizeof bent / sizeof *bent; ++k) *bent[k] = CH_TAKE_RAW(arena, CH_SOFT_BEND * n, double);
  m.x = CH_TAKE_RAW(arena, size, double);
  m.R = CH_TAKE_RAW(arena, size, double);
  m.R0 = CH_TAKE_RAW(arena, size, double);
  m.K = CH_TAKE_RAW(arena, n * n, double);
  m.K0 = CH_TAKE_RAW(arena, n * n, double);
  m.A = CH_TAKE_RAW(arena, size * size, double);
  m.pivots = CH_TAKE_RAW(arena, size, int);
  ch_soft_damping(s->soft, m.D);
  return m;
}

// V+ = V
static void guess(Motion* m) {
  for (int i = 0; i < m->top; ++i) m->x[i] = ch_component(m->w, i);
  memcpy(m->x + m->top, m->qd, (size_t)m->n * sizeof *m->x);
}

// Arms resist with a load, which is taken from P once and for all, and a damping.
static void resist(Motion* m, double* scratch, const double* stretches) {
  memset(scratch, 0, (size_t)m->n * sizeof *scratch);
  ch_soft_arms_resist(m->soft, m->h, m->a, stretches, scratch, m->D);
  for (int a = 0; a < m->n; ++a) m->P[a] -= m->h * scratch[a];
}

// Where the step begins.
static void begin(Motion* m) {
  if (m->top) {
    ch_soft_bend(m->soft, m->q, m->bend_q);
    ch_soft_bend(m->soft, m->qd, m->bend_qd);
  }
  m->L = momenta(m, m->q, m->bend_q, m->w, m->qd, m->P);
  if (m->a != 0.5) ch_soft_force(m->soft, m->q, m->f0);
  guess(m);
}

// --- what is left for contact

// M(q + h qd) + a h D + a^2 h^2 K(q + h/2 qd), the equations' derivative at V+ = V; K(0) where K would make it
// indefinite.
static void tangent(Motion* m, double* M) {
  int n = m->n, size = 6 + n;
  double damping = m->a * m->h, stiffness = damping * damping, factor[SIZE_MAX_3 * SIZE_MAX_3];
  for (int a = 0; a < n; ++a) m->qp[a] = m->q[a] + m->h * m->qd[a];
  if (!m->top) ch_soft_bend(m->soft, m->qp, m->bend_p);
  for (int k = 0; k < CH_SOFT_BEND * n && m->top; ++k) m->bend_p[k] = m->bend_q[k] + m->h * m->bend_qd[k];
  for (int turn = 0; turn < 2; ++turn) {
    bool whole = m->soft->cubic && turn == 0;
    ch_soft_mass_bent(m->soft, m->qp, m->bend_p, M);
    for (int a = 0; a < n; ++a) {
      double* row = M + (long)(6 + a) * size + 6;
      row[a] += damping * m->D[a] + (whole ? 0.0 : stiffness * m->soft->K0[(long)a * n + a]);
      for (int b = 0; b < n && whole; ++b) row[b] += stiffness * m->K0[(long)a * n + b];
    }
    if (!whole) return;
    for (int a = 0; a < 3 + n; ++a)
      memcpy(factor + a * (3 + n), M + (3 + a) * size + 3, (size_t)(3 + n) * sizeof *factor);
    if (LAPACKE_dpotrf_work(LAPACK_COL_MAJOR, 'L', 3 + n, factor, 3 + n) == 0) return;
  }
}

// y = R'(V) s
static void apply_derivative(Motion* m, const double* s, double* y) {
  int n = m->n, size = m->size, top = m->top;
  double stiffness = m->a * m->h * m->a * m->h, bend[CH_SOFT_BEND * CH_SOFT_MODES_MAX];
  const double* rates = s + top;
  guess(m);
  move(m);
  m->Lp = momenta(m, m->qp, m->bend_p, m->wp, m->x + top, m->other);
  m->arrow = true;
  derivative(m);
  for (int r = 0; r < n; ++r) {
    double sum = (m->soft->cubic ? 1.0 + m->a * m->h * m->D[r] : m->diagonal[r]) * rates[r];
    for (int c = 0; c < n && m->soft->cubic; ++c) sum += stiffness * m->K0[(long)r * n + c] * rates[c];
    y[top + r] = sum;
  }
  if (!top) return;
  ch_soft_bend(m->soft, rates, bend);
  ChVec3 spin = spin_of(m);
  for (int i = 0; i < 3; ++i) {
    y[i] = 0.0;
    for (int c = 0; c < size; ++c) y[i] += m->A[(long)i * size + c] * s[c];
  }
  for (int r = 0; r < n; ++r) {
    y[3 + r] += ch_dot(spin, coupling(m, bend, r));
    for (int i = 0; i < 3; ++i) y[3 + r] += m->A[(long)(3 + r) * size + i] * s[i];
  }
}

// c = -R(V) - R'(V) (V0 - V), or zero where it is round-off of the equations' terms.
static void curvature(Motion* m, const double* M, double* c) {
  int size = m->size, width = 6 + m->n, first = 6 - m->top;
  double s[SIZE_MAX_3], y[SIZE_MAX_3], bent = 0.0, terms = 0.0, *curve = c + 3 - m->top;
  memset(c, 0, (size_t)(3 + m->n) * sizeof *c);
  for (int a = 0; a < m->top; ++a) s[a] = m->x[a] - ch_component(m->w, a);
  for (int a = 0; a < m->n; ++a) s[m->top + a] = m->x[m->top + a] - m->qd[a];
  apply_derivative(m, s, y);
  for (int a = 0; a < size; ++a) {
    curve[a] = -m->R0[a] - y[a];
    double mass = M[(first + a) * width + first + a], force = a < m->top ? 0.0 : m->h * m->force0[a - m->top];
    bent += curve[a] * curve[a] / mass;
    terms += force * force / mass + mass * (m->x[a] * m->x[a] + s[a] * s[a]);
  }
  if (!(bent > LINEAR * LINEAR * terms)) memset(c, 0, (size_t)(3 + m->n) * sizeof *c);
}

bool ch_soft_motion(ChArena* scratch, const ChSoftStart* s, ChSoftEnd* end) {
  ChArenaMark mark = ch_arena_mark(scratch);
  Motion m = open_motion(scratch, s);
  begin(&m);
  if (s->soft->arms > 0) resist(&m, m.other, s->stretches);
  bool found = solve(&m);
  if (found) {
    end->w = m.top ? ch_vec(m.x[0], m.x[1], m.x[2]) : ch_vec(0.0, 0.0, 0.0);
    memcpy(end->rates, m.x + m.top, (size_t)m.n * sizeof *end->rates);
    tangent(&m, end->M);
    curvature(&m, end->M, end->curvature);
  }
  ch_arena_release(scratch, mark);
  return found;
}
