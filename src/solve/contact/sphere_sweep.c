// See sphere_sweep.h.
#include "solve/contact/sphere_sweep.h"

#include <math.h>
#include <string.h>

#include "base/work.h"
#include "cardhouse/clock.h"
#include "solve/contact/sphere_bundles.h"

enum { BUNDLES = 32, THREADED = 4096, TRIES = 2 };  // bundles of a run; contacts from which on threads may pay
enum { NAP = 4 };  // sweeps that pass a bundle by whose contacts are all open: visits of a box of spheres fall by 24 %

#define VISIT_WORK 17.0  // of one contact: a third of one in body_sweep.c, as measured

// Bundles of one colour that one thread takes.
typedef struct Run {
  int from, to;
  double change, along, error;
} Run;

struct ChSphereSweep {
  const ChSystem* s;
  ChSphereBundles b;
  int threads, turn;  // turn: which of the two reactions of a bundle is x; the other is the x before
  int* color_start;   // of colours and one more: runs
  Run* run;
  ChRoller *before, *drifted;  // velocities of the x before; scratch
  unsigned char* nap;          // of bundles: sweeps yet to pass it by; NULL: all are visited
  ChLanes* kept;               // where x+ - y of this sweep goes, or NULL
  double along;                // of the last sweep
  int sweeps;
  double took[2];  // seconds of the quickest sweep by one thread, and by all
};

static inline ChLanes select_lanes(ChLaneMask mask, ChLanes yes, ChLanes no) {
  return (ChLanes)((mask & (ChLaneMask)yes) | (~mask & (ChLaneMask)no));
}

static inline double sum_of(ChLanes x) { return (x[0] + x[2]) + (x[1] + x[3]); }

static inline ChLanes root(ChLanes x) {
  ChLanes y;
  for (int l = 0; l < CH_LANES; ++l) y[l] = sqrt(x[l]);
  return y;
}

// Rows to columns and back.
static inline void transpose(ChLanes a[4]) {
  ChLanes even01 = __builtin_shufflevector(a[0], a[1], 0, 4, 2, 6),
          odd01 = __builtin_shufflevector(a[0], a[1], 1, 5, 3, 7);
  ChLanes even23 = __builtin_shufflevector(a[2], a[3], 0, 4, 2, 6),
          odd23 = __builtin_shufflevector(a[2], a[3], 1, 5, 3, 7);
  a[0] = __builtin_shufflevector(even01, even23, 0, 1, 4, 5);
  a[1] = __builtin_shufflevector(odd01, odd23, 0, 1, 4, 5);
  a[2] = __builtin_shufflevector(even01, even23, 2, 3, 6, 7);
  a[3] = __builtin_shufflevector(odd01, odd23, 2, 3, 6, 7);
}

// Both bodies of four contacts: velocity with 1/m behind it, spin with 1/I, by components.
typedef struct Pairs {
  ChLanes v[2][4], w[2][4];
} Pairs;

static inline void load(const ChBundle* k, const ChRoller* balls, Pairs* p) {
  for (int e = 0; e < 2; ++e) {
    for (int l = 0; l < CH_LANES; ++l) {
      const ChRoller* ball = &balls[k->ball[e][l]];
      p->v[e][l] = ball->velocity;
      p->w[e][l] = ball->spin;
    }
    transpose(p->v[e]);
    transpose(p->w[e]);
  }
}

static inline void store(const ChBundle* k, Pairs* p, ChRoller* balls) {
  for (int e = 0; e < 2; ++e) {
    transpose(p->v[e]);
    transpose(p->w[e]);
    for (int l = 0; l < CH_LANES; ++l) {
      ChRoller* ball = &balls[k->ball[e][l]];
      ball->velocity = p->v[e][l];
      ball->spin = p->w[e][l];
    }
  }
}

// v += M^-1 H d, d = impulse on the second body
static inline void push(const ChBundle* k, const ChLanes d[3], Pairs* p) {
  const ChLanes* n = k->normal;
  ChLanes turn[3] = {n[2] * d[1] - n[1] * d[2], n[0] * d[2] - n[2] * d[0], n[1] * d[0] - n[0] * d[1]};
  ChLanes share[2] = {-p->v[0][3] * k->g, p->v[1][3] * k->g}, lever[2];
  for (int e = 0; e < 2; ++e) lever[e] = p->w[e][3] * k->arm[e];
  for (int e = 0; e < 2; ++e)
    for (int x = 0; x < 3; ++x) {
      p->v[e][x] += share[e] * d[x];
      p->w[e][x] += lever[e] * turn[x];
    }
}

static inline void relative_velocity(const ChBundle* k, const Pairs* p, ChLanes u[3]) {
  const ChLanes* n = k->normal;
  ChLanes s[3];
  for (int x = 0; x < 3; ++x) s[x] = k->arm[0] * p->w[0][x] + k->arm[1] * p->w[1][x];
  u[0] = k->q[0] + k->g * (p->v[1][0] - p->v[0][0]) + n[1] * s[2] - n[2] * s[1];
  u[1] = k->q[1] + k->g * (p->v[1][1] - p->v[0][1]) + n[2] * s[0] - n[0] * s[2];
  u[2] = k->q[2] + k->g * (p->v[1][2] - p->v[0][2]) + n[0] * s[1] - n[1] * s[0];
}

// From y, where the normal reaction stands for itself and friction is a projection onto its disc; |change|^2.
static inline __attribute__((always_inline)) ChLanes visit(ChBundle* k, ChLanes beta, int turn, ChRoller* balls,
                                                           ChLanes* kept, ChLanes* along) {
  const ChLanes *x = k->r[turn], *n = k->normal, zero = {0.0}, one = {1.0, 1.0, 1.0, 1.0};
  ChLanes *next = k->r[!turn], y[4], u[3], d[4];
  Pairs p;
  load(k, balls, &p);
  ChLanes step[4];
  for (int c = 0; c < 4; ++c) step[c] = x[c] - next[c];
  for (int c = 0; c < 4; ++c) y[c] = x[c] + beta * step[c];
  relative_velocity(k, &p, u);
  ChLanes un = u[0] * n[0] + u[1] * n[1] + u[2] * n[2];
  ChLanes normal = y[3] - (un + k->compliance * y[3]) * k->normal_inverse;
  normal = select_lanes((ChLaneMask)(normal > zero), normal, zero);
  for (int c = 0; c < 3; ++c) d[c] = y[c] - (u[c] - un * n[c]) * k->tangent_inverse;
  ChLanes most = k->mu * normal, square = d[0] * d[0] + d[1] * d[1] + d[2] * d[2];
  ChLanes shrink = select_lanes((ChLaneMask)(square > most * most), most / root(square), one);
  for (int c = 0; c < 3; ++c) next[c] = d[c] * shrink;
  next[3] = normal;
  for (int c = 0; c < 4; ++c) d[c] = next[c] - y[c];
  for (int c = 0; kept && c < 4; ++c) kept[c] = d[c];
  ChLanes change = d[0] * d[0] + d[1] * d[1] + d[2] * d[2] + d[3] * d[3];
  if (change[0] + change[1] + change[2] + change[3] == 0.0) return change;
  *along += d[0] * step[0] + d[1] * step[1] + d[2] * step[2] + d[3] * step[3];
  for (int c = 0; c < 3; ++c) d[c] += d[3] * n[c];
  push(k, d, &p);
  store(k, &p, balls);
  return change;
}

// Whether nothing was or is carried: such a bundle adds nothing to any sum as long as it stays so.
static bool is_open(const ChBundle* k) {
  ChLanes sum = {0.0};
  for (int e = 0; e < 2; ++e)
    sum += k->r[e][0] * k->r[e][0] + k->r[e][1] * k->r[e][1] + k->r[e][2] * k->r[e][2] + k->r[e][3];
  return sum_of(sum) == 0.0;
}

// Whether the bundle sleeps through this sweep.
static inline bool naps(ChSphereSweep* w, int i, ChLanes* kept) {
  if (!w->nap || w->nap[i] == 0) return false;
  --w->nap[i];
  if (kept) memset(kept, 0, 4 * sizeof *kept);
  return true;
}

// One run after the other, each with sums of its own.
static inline __attribute__((always_inline)) void sweep_bundles(ChSphereSweep* w, Run* run, double beta,
                                                                ChLanes* kept) {
  ChLanes sum = {0.0}, along = {0.0}, all = {beta, beta, beta, beta};
  for (int i = run->from; i < run->to; ++i) {
    ChLanes* f = kept ? kept + 4 * (long)i : NULL;
    if (naps(w, i, f)) continue;
    ChLanes change = visit(&w->b.bundle[i], all, w->turn, w->b.ball, f, &along);
    if (w->nap && sum_of(change) == 0.0 && is_open(&w->b.bundle[i])) w->nap[i] = NAP;
    sum += change;
  }
  run->change = sum_of(sum);
  run->along = sum_of(along);
}

static void sweep_run(ChSphereSweep* w, int run, double beta) {
  if (w->kept)
    sweep_bundles(w, &w->run[run], beta, w->kept);
  else
    sweep_bundles(w, &w->run[run], beta, NULL);
}

static inline void extrapolate(double beta, ChLanes* v, ChLanes* before) {
  ChLanes now = *v, step = now - *before;  // the last lane is a constant: its step is 0
  *v = now + beta * step;
  *before = now;
}

// v of y from those of x and of the x before.
static void start_from_y(ChSphereSweep* w, int k, double beta) {
  extrapolate(beta, &w->b.ball[k].velocity, &w->before[k].velocity);
  extrapolate(beta, &w->b.ball[k].spin, &w->before[k].spin);
}

// Without OpenMP, whose barriers call the kernel even where one thread is alone.
static void sweep_alone(ChSphereSweep* w, double beta) {
  for (int k = 0; k < w->b.balls; ++k) start_from_y(w, k, beta);
  for (int run = 0; run < w->color_start[w->b.colors]; ++run) sweep_run(w, run, beta);
}

static void sweep_shared(ChSphereSweep* w, double beta) {
#pragma omp parallel num_threads(w->threads)
  {
#pragma omp for schedule(static)
    for (int k = 0; k < w->b.balls; ++k) start_from_y(w, k, beta);
    for (int c = 0; c < w->b.colors; ++c) {
#pragma omp for schedule(static)
      for (int run = w->color_start[c]; run < w->color_start[c + 1]; ++run) sweep_run(w, run, beta);
    }
  }
}

// Threads wait for each other ten times a sweep: on a machine with other work they take far longer than one does. The
// first sweeps are tries of either.
static bool is_shared(const ChSphereSweep* w) {
  if (w->threads == 1) return false;
  return w->sweeps < 2 * TRIES ? w->sweeps >= TRIES : w->took[1] < w->took[0];
}

double ch_sphere_sweep_run(ChSphereSweep* w, double beta, double* kept) {
  if (ch_limits_over()) return 0.0;
  w->kept = (ChLanes*)kept;
  const bool shared = is_shared(w);
  const double started = ch_clock_seconds();
  if (shared)
    sweep_shared(w, beta);
  else
    sweep_alone(w, beta);
  w->took[shared] = fmin(w->took[shared], ch_clock_seconds() - started);
  ++w->sweeps;
  w->turn = !w->turn;
  ch_work_add(VISIT_WORK * w->s->n);
  double sum = w->along = 0.0;
  for (int run = 0; run < w->color_start[w->b.colors]; ++run) {
    sum += w->run[run].change;
    w->along += w->run[run].along;
  }
  return sum;
}

// v += M^-1 H r of one bundle. Within a colour no ball is met twice: threads may share it.
static void add_reactions(ChSphereSweep* w, int i) {
  const ChBundle* k = &w->b.bundle[i];
  const ChLanes* r = k->r[w->turn];
  ChLanes d[3];
  Pairs p;
  if (w->nap && w->nap[i]) return;  // r = 0
  load(k, w->b.ball, &p);
  for (int c = 0; c < 3; ++c) d[c] = r[c] + r[3] * k->normal[c];
  push(k, d, &p);
  store(k, &p, w->b.ball);
}

static void start_refresh(ChSphereSweep* w, int k) {
  const ChLanes keep = {0.0, 0.0, 0.0, 1.0};
  w->drifted[k] = w->b.ball[k];
  w->b.ball[k].velocity *= keep;
  w->b.ball[k].spin *= keep;
}

static void end_refresh(ChSphereSweep* w, int k) {
  w->before[k].velocity += w->b.ball[k].velocity - w->drifted[k].velocity;
  w->before[k].spin += w->b.ball[k].spin - w->drifted[k].spin;
}

static void refresh_shared(ChSphereSweep* w) {
#pragma omp parallel num_threads(w->threads)
  {
#pragma omp for schedule(static)
    for (int k = 0; k < w->b.balls; ++k) start_refresh(w, k);
    for (int c = 0; c < w->b.colors; ++c) {
#pragma omp for schedule(static)
      for (int i = w->b.color_start[c]; i < w->b.color_start[c + 1]; ++i) add_reactions(w, i);
    }
#pragma omp for schedule(static)
    for (int k = 0; k < w->b.balls; ++k) end_refresh(w, k);
  }
}

// Momentum would take the correction for a step, were it not made in the velocities before as well.
void ch_sphere_sweep_refresh(ChSphereSweep* w) {
  if (is_shared(w)) {
    refresh_shared(w);
    return;
  }
  for (int k = 0; k < w->b.balls; ++k) start_refresh(w, k);
  for (int i = 0; i < w->b.count; ++i) add_reactions(w, i);
  for (int k = 0; k < w->b.balls; ++k) end_refresh(w, k);
}

static void read_bundle(const ChSphereSweep* w, int i, double* r) {
  for (int l = 0; l < CH_LANES; ++l) {
    int contact = w->b.contact[CH_LANES * i + l];
    if (contact < 0) continue;
    const ChLanes* x = w->b.bundle[i].r[w->turn];
    const ChVec3 tangent = ch_vec(x[0][l], x[1][l], x[2][l]);
    double* out = r + w->s->row[contact];
    out[0] = x[3][l];
    for (int a = 1; a < w->s->dim[contact]; ++a) out[a] = ch_dot(w->b.touch[contact].axes[a], tangent);
  }
}

void ch_sphere_sweep_read(const ChSphereSweep* w, double* r) {
#pragma omp parallel for schedule(static) num_threads(w->threads) if (is_shared(w))
  for (int i = 0; i < w->b.count; ++i) read_bundle(w, i, r);
}

// |r - P(r - u - mu |u_T| n)|^2 of four contacts, P the projection onto the cone |r_T| <= mu r_n.
static inline ChLanes squared_error(const ChBundle* k, const ChLanes* r, const ChLanes u[3]) {
  const ChLanes *n = k->normal, zero = {0.0}, one = {1.0, 1.0, 1.0, 1.0};
  ChLanes un = u[0] * n[0] + u[1] * n[1] + u[2] * n[2], t[3], x[3], left;
  for (int c = 0; c < 3; ++c) t[c] = u[c] - un * n[c];
  for (int c = 0; c < 3; ++c) x[c] = r[c] - t[c];
  ChLanes slip = root(t[0] * t[0] + t[1] * t[1] + t[2] * t[2]), length = root(x[0] * x[0] + x[1] * x[1] + x[2] * x[2]);
  ChLanes xn = r[3] - (un + k->compliance * r[3]) - k->mu * slip;
  ChLanes on = (xn + k->mu * length) / (one + k->mu * k->mu);  // the surface of the cone, or its tip
  ChLaneMask inside = (ChLaneMask)(length <= k->mu * xn);
  on = select_lanes(inside, xn, select_lanes((ChLaneMask)(on > zero), on, zero));
  ChLanes shrink = select_lanes(inside, one, k->mu * on / select_lanes((ChLaneMask)(length > zero), length, one));
  ChLanes sum = (r[3] - on) * (r[3] - on);
  for (int c = 0; c < 3; ++c) {
    left = r[c] - shrink * x[c];
    sum += left * left;
  }
  return sum;
}

static double run_error(const ChSphereSweep* w, const Run* run) {
  ChLanes sum = {0.0};
  for (int i = run->from; i < run->to; ++i) {
    const ChBundle* k = &w->b.bundle[i];
    ChLanes u[3];
    Pairs p;
    load(k, w->b.ball, &p);
    relative_velocity(k, &p, u);
    sum += squared_error(k, k->r[w->turn], u);
  }
  return sum_of(sum);
}

double ch_sphere_sweep_error(ChSphereSweep* w) {
  const int runs = w->color_start[w->b.colors];
  double sum = 0.0;
#pragma omp parallel for schedule(static) num_threads(w->threads) if (is_shared(w))
  for (int run = 0; run < runs; ++run) w->run[run].error = run_error(w, &w->run[run]);
  for (int run = 0; run < runs; ++run) sum += w->run[run].error;
  ch_work_add(VISIT_WORK * w->s->n);
  return sqrt(sum);
}

static void write_velocity(const ChSphereSweep* w, int i, double* u) {
  const ChSystem* s = w->s;
  const ChBundle* k = &w->b.bundle[i];
  const ChLanes yielding = k->compliance * k->r[w->turn][3];
  ChLanes speed[3];
  Pairs p;
  load(k, w->b.ball, &p);
  relative_velocity(k, &p, speed);
  for (int l = 0; l < CH_LANES; ++l) {
    const int contact = w->b.contact[CH_LANES * i + l];
    if (contact < 0) continue;
    const ChVec3 v = ch_vec(speed[0][l], speed[1][l], speed[2][l]);
    double* out = u + s->row[contact];
    for (int a = 0; a < s->dim[contact]; ++a) out[a] = ch_dot(w->b.touch[contact].axes[a], v);
    out[0] += yielding[l];
  }
}

void ch_sphere_sweep_velocity(const ChSphereSweep* w, double* u) {
#pragma omp parallel for schedule(static) num_threads(w->threads) if (is_shared(w))
  for (int i = 0; i < w->b.count; ++i) write_velocity(w, i, u);
}

enum { PACKED = 4 * CH_LANES };  // numbers of a bundle's reactions

long ch_sphere_sweep_size(const ChSphereSweep* w) { return (long)PACKED * w->b.count; }

void ch_sphere_sweep_end(const ChSphereSweep* w, double* x) {
#pragma omp parallel for schedule(static) num_threads(w->threads) if (is_shared(w))
  for (int i = 0; i < w->b.count; ++i) memcpy(x + (long)PACKED * i, w->b.bundle[i].r[w->turn], PACKED * sizeof *x);
}

static void move_bundle(ChSphereSweep* w, int i, const double* x) {
  ChLanes *now = w->b.bundle[i].r[w->turn], *before = w->b.bundle[i].r[!w->turn];
  const ChLanes* to = (const ChLanes*)(x + (long)PACKED * i);
  for (int c = 0; c < 4; ++c) {
    before[c] += to[c] - now[c];
    now[c] = to[c];
  }
}

void ch_sphere_sweep_move(ChSphereSweep* w, const double* x) {
  if (w->nap) memset(w->nap, 0, (size_t)w->b.count);
#pragma omp parallel for schedule(static) num_threads(w->threads) if (is_shared(w))
  for (int i = 0; i < w->b.count; ++i) move_bundle(w, i, x);
  ch_sphere_sweep_refresh(w);
  ch_work_add(VISIT_WORK * w->s->n);
}

int ch_sphere_sweep_threads(const ChSphereSweep* w) { return is_shared(w) ? w->threads : 1; }

double ch_sphere_sweep_along(const ChSphereSweep* w) { return w->along; }

static void cut_into_runs(ChArena* arena, ChSphereSweep* w) {
  const int* start = w->b.color_start;
  w->color_start = CH_TAKE(arena, w->b.colors + 1, int);
  for (int c = 0; c < w->b.colors; ++c)
    w->color_start[c + 1] = w->color_start[c] + (start[c + 1] - start[c] + BUNDLES - 1) / BUNDLES;
  w->run = CH_TAKE(arena, w->color_start[w->b.colors], Run);
  for (int c = 0; c < w->b.colors; ++c)
    for (int k = w->color_start[c], from = start[c]; k < w->color_start[c + 1]; ++k, from += BUNDLES)
      w->run[k] = (Run){.from = from, .to = from + BUNDLES < start[c + 1] ? from + BUNDLES : start[c + 1]};
}

ChSphereSweep* ch_sphere_sweep_create(ChArena* arena, const ChSystem* s, const double* r, int threads) {
  ChSphereSweep* w = CH_TAKE(arena, 1, ChSphereSweep);
  if (!ch_sphere_bundles_fill(arena, s, r, &w->b)) return NULL;
  w->s = s;
  w->threads = threads > 1 && s->n >= THREADED ? threads : 1;
  cut_into_runs(arena, w);
  w->nap = s->compliant ? CH_TAKE(arena, w->b.count, unsigned char) : NULL;
  w->before = CH_TAKE(arena, w->b.balls, ChRoller);
  w->drifted = CH_TAKE_RAW(arena, w->b.balls, ChRoller);
  w->took[0] = w->took[1] = INFINITY;
  ch_sphere_sweep_refresh(w);
  memcpy(w->before, w->b.ball, (size_t)w->b.balls * sizeof *w->before);
  return w;
}

// --- bundles made elsewhere ------------------------------------------------------------------------------------------

ChSphereSweep* ch_sphere_sweep_of(ChArena* arena, const ChSphereBundles* bundles) {
  ChSphereSweep* w = CH_TAKE(arena, 1, ChSphereSweep);
  w->b = *bundles;
  w->threads = 1;
  w->before = CH_TAKE(arena, w->b.balls, ChRoller);
  memcpy(w->before, w->b.ball, (size_t)w->b.balls * sizeof *w->before);
  return w;
}

void ch_sphere_sweep_begin(ChSphereSweep* w, double beta) {
  for (int k = 0; k < w->b.balls; ++k) start_from_y(w, k, beta);
}

static inline ChLanes whole(ChLanes x, ChLanes scale) {
  const ChLanes shift = {0x1.8p52, 0x1.8p52, 0x1.8p52, 0x1.8p52};
  return (x * scale + shift) - shift;
}

void ch_sphere_sweep_color(ChSphereSweep* w, int color, double beta, double scale, double sums[2]) {
  ChLanes all = {beta, beta, beta, beta}, by = {scale, scale, scale, scale}, change = {0.0}, along = {0.0};
  for (int i = w->b.color_start[color]; i < w->b.color_start[color + 1]; ++i) {
    ChLanes own = {0.0}, moved = visit(&w->b.bundle[i], all, w->turn, w->b.ball, NULL, &own);
    change += whole(moved, by);
    along += whole(own, by);
  }
  sums[0] += sum_of(change);
  sums[1] += sum_of(along);
}

void ch_sphere_sweep_close(ChSphereSweep* w) { w->turn = !w->turn; }

int ch_sphere_sweep_turn(const ChSphereSweep* w) { return w->turn; }

void ch_sphere_sweep_correct(ChSphereSweep* w, int k, ChVec3 velocity, ChVec3 spin) {
  ChRoller *ball = &w->b.ball[k], *before = &w->before[k];
  const ChLanes v = {velocity.x, velocity.y, velocity.z, ball->velocity[3]};
  const ChLanes s = {spin.x, spin.y, spin.z, ball->spin[3]};
  before->velocity += v - ball->velocity;
  before->spin += s - ball->spin;
  ball->velocity = v;
  ball->spin = s;
}
