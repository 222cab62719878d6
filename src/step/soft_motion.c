// See soft_motion.h.
#include "step/soft_motion.h"

#include <lapacke.h>
#include <math.h>
#include <string.h>

#include "assemble/soft_body.h"

enum { MOST_STEPS = 100, SIZE_MAX_3 = 3 + CH_SOFT_MODES_MAX };
#define SETTLED 1e-14  // change of V+, relative to V and to what forces make of it, at which Newton's method ends
#define STALLED 1e-10  // and at which it may end where it no longer gets better
#define SLOW 0.1       // gain of one iteration below which the derivative is renewed
#define LINEAR 1e-13   // of the equations' terms that counts as no curvature
static const double gauss[2] = {0.21132486540518711775, 0.78867513459481288225};

typedef struct Motion {
  const ChSoft* soft;
  double h, a;
  int n, top, size;  // modes; rows of the frame, 3 or 0; all
  ChVec3 w, L, g;
  const double *q, *qd;
  double *P, *D, *f0;
  // at a trial V+ = x
  ChVec3 wp, Lp;
  ChMat3 J;
  double *x, *qp, *qm, *C, *force, *slope, *other, *R;
  double *A, *K;
  int* pivots;
} Motion;

static ChVec3 column(const double* C, int n, int a) { return ch_vec(C[a], C[n + a], C[2 * n + a]); }

// L = J(q) w + C(q) qd, P = qd + C(q)'w
static ChVec3 momenta(Motion* m, const double* q, ChVec3 w, const double* qd, double* P) {
  ch_soft_inertia(m->soft, q, &m->J);
  ch_soft_coupling(m->soft, q, m->C);
  ChVec3 L = ch_mat_apply(&m->J, w);
  for (int a = 0; a < m->n; ++a) {
    ChVec3 c = column(m->C, m->n, a);
    L = ch_along(L, qd[a], c);
    P[a] = qd[a] + ch_dot(c, w);
  }
  return L;
}

// G: the slope is quadratic in V, so that its mixed form is that of the mean less that of half the difference.
static void kinetic_slope(Motion* m, const double* rates) {
  double mean[CH_SOFT_MODES_MAX], half[CH_SOFT_MODES_MAX];
  for (int a = 0; a < m->n; ++a) {
    mean[a] = 0.5 * (rates[a] + m->qd[a]);
    half[a] = 0.5 * (rates[a] - m->qd[a]);
  }
  ch_soft_kinetic_slope(m->soft, m->qm, ch_scale(0.5, ch_add(m->wp, m->w)), mean, m->slope);
  ch_soft_kinetic_slope(m->soft, m->qm, ch_scale(0.5, ch_sub(m->wp, m->w)), half, m->other);
  for (int a = 0; a < m->n; ++a) m->slope[a] -= m->other[a];
}

// F
static void internal_force(Motion* m) {
  int n = m->n;
  if (!m->soft->cubic) {
    double at[CH_SOFT_MODES_MAX];
    for (int a = 0; a < n; ++a) at[a] = (1.0 - m->a) * m->q[a] + m->a * m->qp[a];
    ch_soft_force(m->soft, at, m->force);
    return;
  }
  memset(m->force, 0, (size_t)n * sizeof *m->force);
  for (int k = 0; k < 2; ++k) {
    double at[CH_SOFT_MODES_MAX];
    for (int a = 0; a < n; ++a) at[a] = (1.0 - gauss[k]) * m->q[a] + gauss[k] * m->qp[a];
    ch_soft_force(m->soft, at, m->other);
    for (int a = 0; a < n; ++a) m->force[a] += 0.5 * m->other[a];
  }
  if (m->a == 0.5) return;
  ch_soft_force(m->soft, m->qp, m->other);
  for (int a = 0; a < n; ++a) m->force[a] += (m->a - 0.5) * (m->other[a] - m->f0[a]);
}

// R(V+): what the equations leave over.
static void residual(Motion* m) {
  int n = m->n;
  double h = m->h;
  const double* rates = m->x + m->top;
  m->wp = m->top ? ch_vec(m->x[0], m->x[1], m->x[2]) : ch_vec(0, 0, 0);
  for (int a = 0; a < n; ++a) {
    m->qp[a] = m->q[a] + h * ((1.0 - m->a) * m->qd[a] + m->a * rates[a]);
    m->qm[a] = 0.5 * (m->q[a] + m->qp[a]);
  }
  double* R = m->R + m->top;
  m->Lp = momenta(m, m->qp, m->wp, rates, R);
  internal_force(m);
  if (m->top) kinetic_slope(m, rates);
  for (int a = 0; a < n; ++a) {
    double damping = 0.0;
    for (int b = 0; b < n; ++b) damping += m->D[a * n + b] * ((1.0 - m->a) * m->qd[b] + m->a * rates[b]);
    double load = 0.0;
    for (int i = 0; i < 3; ++i) load += m->soft->S[i * n + a] * ch_component(m->g, i);
    R[a] -= m->P[a] + h * ((m->top ? m->slope[a] : 0.0) - m->force[a] - damping + load);
  }
  if (!m->top) return;
  ChVec3 mean = ch_scale(0.5, ch_add(m->w, m->wp)), momentum = ch_scale(0.5, ch_add(m->L, m->Lp));
  ChVec3 left = ch_along(ch_sub(m->Lp, m->L), h, ch_cross(mean, momentum));
  m->R[0] = left.x, m->R[1] = left.y, m->R[2] = left.z;
}

// J1_a w + C2_a qd
static ChVec3 inertia_slope(const ChSoft* soft, int a, ChVec3 w, const double* qd) {
  const double* s = soft->J1 + 6L * a;
  ChVec3 sum = ch_vec(s[0] * w.x + s[3] * w.y + s[4] * w.z, s[3] * w.x + s[1] * w.y + s[5] * w.z,
                      s[4] * w.x + s[5] * w.y + s[2] * w.z);
  for (int b = 0; b < soft->modes; ++b) {
    const double* c = soft->C2 + 3L * (a * soft->modes + b);
    sum = ch_along(sum, qd[b], ch_vec(c[0], c[1], c[2]));
  }
  return sum;
}

// dR/dV+ at the frame's rows and columns; second derivatives of J are left out.
static void frame_derivative(Motion* m) {
  int n = m->n, size = m->size;
  double h = m->h, *A = m->A;
  const double* rates = m->x + 3;
  ChVec3 mean = ch_scale(0.5, ch_add(m->w, m->wp)), momentum = ch_scale(0.5, ch_add(m->L, m->Lp));
  ChMat3 spin = ch_mat_cross(mean), turn = ch_mat_cross(momentum), JJ = ch_mat_product(&spin, &m->J);
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) A[i * size + j] = m->J.m[i][j] + 0.5 * h * (JJ.m[i][j] - turn.m[i][j]);
  for (int a = 0; a < n; ++a) {
    ChVec3 c = column(m->C, n, a);
    ChVec3 e = ch_along(c, m->a * h, inertia_slope(m->soft, a, m->wp, rates));
    e = ch_along(e, 0.5 * h, ch_cross(mean, e));
    ChVec3 back = ch_along(c, -0.5 * h, inertia_slope(m->soft, a, m->w, m->qd));
    for (int i = 0; i < 3; ++i) {
      A[i * size + 3 + a] = ch_component(e, i);
      A[(3 + a) * size + i] = ch_component(back, i);
    }
  }
}

static void derivative(Motion* m) {
  int n = m->n, size = m->size, top = m->top;
  double h = m->h, damping = m->a * h, stiffness = damping * damping;
  ch_soft_stiffness(m->soft, m->qm, m->K);
  ChVec3 spin = ch_along(ch_scale(m->a * h, m->wp), 0.5 * h, m->w);
  for (int r = 0; r < n; ++r)
    for (int c = 0; c < n; ++c) {
      const double* C2 = m->soft->C2 + 3L * (r * n + c);
      m->A[(top + r) * size + top + c] = (r == c) + damping * m->D[r * n + c] + stiffness * m->K[r * n + c] -
                                         (spin.x * C2[0] + spin.y * C2[1] + spin.z * C2[2]);
    }
  if (top) frame_derivative(m);
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
    double inverse = 1.0 + m->a * m->a * m->h * m->h * m->soft->K0[a * m->n + a], f = m->h * m->force[a] / inverse;
    sum += m->qd[a] * m->qd[a] + f * f;
  }
  return sum;
}

// Newton's method; the derivative is kept while it serves. Its own derivatives along the step are left out of it, so
// that a body that is bent far in one step takes some dozens of iterations.
static bool solve(Motion* m) {
  double last = INFINITY, change[SIZE_MAX_3];
  bool fresh = false;
  for (int k = 0; k < MOST_STEPS; ++k) {
    residual(m);
    if (!fresh) {
      derivative(m);
      if (LAPACKE_dgetrf_work(LAPACK_COL_MAJOR, m->size, m->size, m->A, m->size, m->pivots) != 0) return false;
      fresh = true;
    }
    memcpy(change, m->R, (size_t)m->size * sizeof *change);
    LAPACKE_dgetrs_work(LAPACK_COL_MAJOR, 'T', m->size, 1, m->A, m->size, m->pivots, change, m->size);
    for (int a = 0; a < m->size; ++a) m->x[a] -= change[a];
    double moved = sqrt(square(m, change)), size = sqrt(scale(m));
    if (moved <= SETTLED * size || (moved <= STALLED * size && moved >= 0.5 * last)) return true;
    if (!isfinite(moved)) return false;
    fresh = moved <= SLOW * last;
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
  double** modal[] = {&m.P, &m.f0, &m.qp, &m.qm, &m.force, &m.slope, &m.other};
  for (size_t k = 0; k < sizeof modal / sizeof *modal; ++k) *modal[k] = CH_TAKE_RAW(arena, n, double);
  m.x = CH_TAKE_RAW(arena, size, double);
  m.R = CH_TAKE_RAW(arena, size, double);
  m.C = CH_TAKE_RAW(arena, 3 * n, double);
  m.D = CH_TAKE_RAW(arena, n * n, double);
  m.K = CH_TAKE_RAW(arena, n * n, double);
  m.A = CH_TAKE_RAW(arena, size * size, double);
  m.pivots = CH_TAKE_RAW(arena, size, int);
  ch_soft_damping(s->soft, m.D);
  return m;
}

// Where the step begins; V+ = V is the guess.
static void begin(Motion* m, const ChSoftStart* s) {
  m->L = momenta(m, m->q, m->w, m->qd, m->P);
  if (m->a != 0.5) ch_soft_force(m->soft, m->q, m->f0);
  if (m->top) m->x[0] = s->w.x, m->x[1] = s->w.y, m->x[2] = s->w.z;
  memcpy(m->x + m->top, s->qd, (size_t)m->n * sizeof *m->x);
}

// M(q + h qd) + a h D + a^2 h^2 K(q + h/2 qd), the equations' derivative at V+ = V; K(0) where K would make it
// indefinite.
static void tangent(Motion* m, const ChSoftStart* s, double* M) {
  int n = m->n, size = 6 + n;
  double damping = s->weight * s->h, factor[SIZE_MAX_3 * SIZE_MAX_3];
  for (int a = 0; a < n; ++a) {
    m->qp[a] = s->q[a] + s->h * s->qd[a];
    m->qm[a] = s->q[a] + 0.5 * s->h * s->qd[a];
  }
  ch_soft_stiffness(s->soft, m->qm, m->K);
  for (int turn = 0; turn < 2; ++turn) {
    const double* K = turn == 0 ? m->K : s->soft->K0;
    ch_soft_mass(s->soft, m->qp, M);
    for (int a = 0; a < n; ++a)
      for (int b = 0; b < n; ++b)
        M[(6 + a) * size + 6 + b] += damping * m->D[a * n + b] + damping * damping * K[a * n + b];
    if (!s->soft->cubic) return;
    for (int a = 0; a < 3 + n; ++a)
      memcpy(factor + a * (3 + n), M + (3 + a) * size + 3, (size_t)(3 + n) * sizeof *factor);
    if (LAPACKE_dpotrf_work(LAPACK_COL_MAJOR, 'L', 3 + n, factor, 3 + n) == 0) return;
  }
}

// c = -R(V) - R'(V) (V0 - V), or zero where it is round-off of the equations' terms.
static void curvature(Motion* m, const ChSoftStart* start, const double* M, double* c) {
  int size = m->size, width = 6 + m->n, first = 6 - m->top;
  double s[SIZE_MAX_3], bent = 0.0, terms = 0.0, *curve = c + 3 - m->top;
  memset(c, 0, (size_t)(3 + m->n) * sizeof *c);
  memcpy(s, m->x, (size_t)size * sizeof *s);
  begin(m, start);
  for (int a = 0; a < size; ++a) s[a] -= m->x[a];
  residual(m);
  derivative(m);
  for (int a = 0; a < size; ++a) {
    curve[a] = -m->R[a];
    for (int b = 0; b < size; ++b) curve[a] -= m->A[a * size + b] * s[b];
    double mass = M[(first + a) * width + first + a], force = a < m->top ? 0.0 : m->h * m->force[a - m->top];
    bent += curve[a] * curve[a] / mass;
    terms += force * force / mass + mass * (m->x[a] * m->x[a] + s[a] * s[a]);
  }
  if (!(bent > LINEAR * LINEAR * terms)) memset(c, 0, (size_t)(3 + m->n) * sizeof *c);
}

bool ch_soft_motion(ChArena* scratch, const ChSoftStart* s, ChSoftEnd* end) {
  ChArenaMark mark = ch_arena_mark(scratch);
  Motion m = open_motion(scratch, s);
  begin(&m, s);
  bool found = solve(&m);
  if (found) {
    end->w = m.top ? ch_vec(m.x[0], m.x[1], m.x[2]) : ch_vec(0.0, 0.0, 0.0);
    memcpy(end->rates, m.x + m.top, (size_t)m.n * sizeof *end->rates);
    tangent(&m, s, end->M);
    curvature(&m, s, end->M, end->curvature);
  }
  ch_arena_release(scratch, mark);
  return found;
}
