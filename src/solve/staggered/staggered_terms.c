// Terms of a staggered iteration: see staggered_terms.h.
#include "solve/staggered/staggered_terms.h"

#include <math.h>
#include <string.h>

#include "base/check.h"
#include "cardhouse/dense.h"
#include "linalg/principal_angle.h"

enum { MOST_ROWS = 1200 };  // the angle is dense work, cubic in its rows
#define CASE_SLACK 1e-9     // of gamma
#define REDUNDANT 1e-12     // smallest over largest eigenvalue of what counts as singular

ChStaggeredTerms* ch_staggered_terms_create(ChStaggered* g) {
  ChRun* run = g->run;
  if (!run->watch) return NULL;
  ChStaggeredTerms* t = CH_TAKE(run->arena, 1, ChStaggeredTerms);
  *t = (ChStaggeredTerms){.g = g};
  double** vectors[] = {&t->r_n, &t->f,   &t->x,   &t->a,   &t->lambda, &t->lambda_old,
                        &t->d_n, &t->d_f, &t->d_x, &t->d_a, &t->Wd};
  for (size_t k = 0; k < sizeof vectors / sizeof vectors[0]; ++k) *vectors[k] = CH_TAKE(run->arena, g->s->rows, double);
  return t;
}

static double dot(int n, const double* x, const double* y) {
  double sum = 0.0;
  for (int k = 0; k < n; ++k) sum += x[k] * y[k];
  return sum;
}

static double square(const ChSystem* half, const double* d, double* Wd) {
  ch_system_apply(half, d, Wd);
  return dot(half->rows, d, Wd);
}

static double coupling(ChStaggeredTerms* t, const ChHalfSystem* to, const double* d, const ChHalfSystem* from,
                       const double* given) {
  ch_staggered_across(t->g, from, given, to, t->Wd);
  return dot(to->system.rows, d, t->Wd);
}

static void subtract(int n, const double* x, const double* y, double* d) {
  for (int k = 0; k < n; ++k) d[k] = x[k] - y[k];
}

// The multipliers of the friction problem, from the slip that it left.
static void measure_lambda(ChStaggeredTerms* t) {
  ChStaggered* g = t->g;
  memcpy(t->lambda_old, t->lambda, (size_t)g->s->n * sizeof(double));
  ch_staggered_join(g, g->a, g->f);
  ch_system_velocity(g->s, g->r, g->u);
  for (int i = 0; i < g->s->n; ++i) t->lambda[i] = ch_system_slip(g->s, i, g->u + g->s->row[i]);
}

// What a block's complementarity leaves: zero exactly when it holds.
static double gap_of(const ChSystem* s, int i, const double* r, const double* u, double lambda) {
  double work = 0.0;
  for (int a = 0; a < s->dim[i]; ++a) work += r[a] * u[a];
  const ChScaledBlock* b = &s->block[i];
  if (b->law->cone) return work + b->mu * lambda * r[0];
  double lo, hi;
  b->law->interval(b, &lo, &hi);
  double bound = u[0] > 0.0 ? lo : hi;
  return isfinite(bound) ? work - bound * u[0] : work;
}

static double objective(ChStaggeredTerms* t) {
  ChStaggered* g = t->g;
  double sum = 0.0;
  ch_staggered_join(g, g->r_n, g->f);
  ch_system_velocity(g->s, g->r, g->u);
  for (int i = 0; i < g->s->n; ++i) sum += gap_of(g->s, i, g->r + g->s->row[i], g->u + g->s->row[i], t->lambda[i]);
  return sum;
}

// r (whole) <- nonzero where a reaction of this iteration, the last, or what they were given is
static void mark_active(ChStaggeredTerms* t) {
  ChStaggered* g = t->g;
  const double* const normal[] = {g->r_n, t->r_n, g->a, t->a};
  const double* const friction[] = {g->f, t->f, g->x, t->x};
  memset(g->r, 0, (size_t)g->s->rows * sizeof(double));
  for (int v = 0; v < 4; ++v) {
    for (int k = 0; k < g->normal.system.rows; ++k)
      if (normal[v][k] != 0.0) g->r[g->normal.source[k]] = 1.0;
    for (int k = 0; k < g->tangential.system.rows; ++k)
      if (friction[v][k] != 0.0) g->r[g->tangential.source[k]] = 1.0;
  }
}

// Gram matrix of the active columns and the half that each belongs to; returns their number. A contact with friction
// counts with its whole tangent plane, which can only enlarge the bound.
static int active_gram(ChStaggeredTerms* t, ChArena* arena, double** gram, unsigned char** span) {
  const ChSystem* s = t->g->s;
  const double* active = t->g->r;
  int* place = CH_TAKE(arena, s->rows, int);
  int n = 0;
  *span = CH_TAKE(arena, s->rows, unsigned char);
  for (int i = 0; i < s->n; ++i)
    for (int a = 0; a < s->dim[i]; ++a) {
      bool tangential = s->block[i].law->cone && a > 0, on = active[s->row[i] + a] != 0.0;
      if (tangential)
        for (int b = 1; b < s->dim[i]; ++b) on |= active[s->row[i] + b] != 0.0;
      place[s->row[i] + a] = on ? n : -1;
      if (on) (*span)[n++] = tangential ? CH_SPAN_SECOND : CH_SPAN_FIRST;
    }
  *gram = CH_TAKE(arena, (size_t)n * (size_t)n + 1, double);
  for (int i = 0; i < s->n; ++i)
    for (int e = s->W.start[i]; e < s->W.start[i + 1]; ++e) {
      int j = s->W.column[e];
      for (int a = 0; a < s->dim[i]; ++a)
        for (int b = 0; b < s->dim[j]; ++b) {
          int row = place[s->row[i] + a], column = place[s->row[j] + b];
          if (row >= 0 && column >= 0)
            (*gram)[row + (size_t)column * (size_t)n] = s->W.value[s->W.offset[e] + a * s->dim[j] + b];
        }
    }
  return n;
}

// Largest eigenvalue of the inverse of the normal part of the Gram matrix; infinite where columns are redundant.
static double inverse_norm(ChArena* arena, int n, const double* gram, const unsigned char* span) {
  int count = 0, *list = CH_TAKE(arena, n, int);
  for (int k = 0; k < n; ++k)
    if (span[k] == CH_SPAN_FIRST) list[count++] = k;
  double* A = CH_TAKE(arena, (size_t)count * (size_t)count + 1, double);
  double *sigma = CH_TAKE(arena, count + 1, double), least = INFINITY, most = 0.0;
  for (int j = 0; j < count; ++j)
    for (int i = 0; i < count; ++i) A[i + j * count] = gram[list[i] + (size_t)list[j] * (size_t)n];
  if (!ch_singular_values(count, A, true, sigma)) return NAN;
  for (int k = 0; k < count; ++k) {
    least = fmin(least, sigma[k]);
    most = fmax(most, sigma[k]);
  }
  return least > REDUNDANT * most ? 1.0 / least : INFINITY;
}

// K_A = ||N' M^-1 D|| over the active columns, and ||(N' M^-1 N)^-1||; NaN where W is not symmetric or too large.
static void measure_spans(ChStaggeredTerms* t, double* inverse) {
  if (t->g->run->watch->plain) return;
  ChArena* arena = t->g->run->arena;
  if (!t->g->s->symmetric || t->g->s->rows > MOST_ROWS) return;
  ChArenaMark mark = ch_arena_mark(arena);
  double* gram;
  unsigned char* span;
  mark_active(t);
  int n = active_gram(t, arena, &gram, &span);
  *inverse = inverse_norm(arena, n, gram, span);
  t->step.K_A = n > 0 ? ch_principal_cosine(arena, n, gram, span) : 0.0;
  ch_arena_release(arena, mark);
}

// Largest friction coefficient of a contact that carries in one of the iterations at hand.
static double active_friction(const ChStaggeredTerms* t) {
  const ChStaggered* g = t->g;
  double mu = 0.0;
  for (int k = 0; k < g->normal.system.n; ++k) {
    int i = g->normal.block[k], row = g->normal.system.row[k];
    bool carries = g->r_n[row] != 0.0 || t->r_n[row] != 0.0 || g->a[row] != 0.0 || t->a[row] != 0.0;
    if (carries && g->s->block[i].law->cone) mu = ch_max(mu, g->s->block[i].mu);
  }
  return mu;
}

// What the inner solves leave of a zero is no case of its own.
static const char* case_of(const ChStaggeredStep* s) {
  double slack = CASE_SLACK * s->gamma;
  if (!(s->gamma > 0.0)) return "-";
  if (s->nu >= -slack) return "1";
  if (s->gamma <= s->delta) return "2a";
  return s->gamma + s->delta <= slack ? "2b" : "2c";
}

// The three terms, and the two changes in the kinetic metric whose ratio is bounded.
static void measure_terms(ChStaggeredTerms* t, double* given, double* lambda_moved) {
  ChStaggered* g = t->g;
  ChStaggeredStep* s = &t->step;
  const ChSystem *n = &g->normal.system, *f = &g->tangential.system;
  subtract(n->rows, g->r_n, t->r_n, t->d_n);
  subtract(f->rows, g->f, t->f, t->d_f);
  subtract(n->rows, g->a, t->a, t->d_a);
  subtract(f->rows, g->x, t->x, t->d_x);
  s->gamma = square(n, t->d_n, t->Wd) + square(f, t->d_f, t->Wd);
  *given = square(n, t->d_a, t->Wd) + square(f, t->d_x, t->Wd);
  s->delta =
      coupling(t, &g->normal, t->d_n, &g->tangential, t->d_x) + coupling(t, &g->tangential, t->d_f, &g->normal, t->d_a);
  s->nu = *lambda_moved = 0.0;
  for (int k = 0; k < n->n; ++k) {
    int i = g->normal.block[k];
    if (!g->s->block[i].law->cone) continue;
    double change = t->lambda[i] - t->lambda_old[i];
    s->nu += change * g->s->block[i].mu * t->d_a[n->row[k]];
    *lambda_moved += change * change;
  }
}

static void judge(ChStaggeredTerms* t) {
  ChStaggeredStep* s = &t->step;
  double given, lambda_moved, inverse = NAN, mu = active_friction(t);
  measure_terms(t, &given, &lambda_moved);
  measure_spans(t, &inverse);
  s->label = case_of(s);
  s->angle = acos(s->K_A) * 180.0 / acos(-1.0);
  s->ratio = sqrt(s->gamma / given);
  s->contracts = s->K_A < 1.0;
  if (strcmp(s->label, "2c") == 0) {
    double printed = sqrt(s->K_A * s->K_A + mu * mu);
    s->epsilon = -(s->gamma + s->delta + s->nu) / lambda_moved;
    s->K_B = printed / s->epsilon;
    s->K_B_corrected = s->epsilon > 0.0 ? sqrt(s->K_A * s->K_A + mu * mu * inverse / s->epsilon) : INFINITY;
    s->ratio_lambda = sqrt((s->gamma + s->epsilon * lambda_moved) / (given + s->epsilon * t->lambda_moved));
    s->contracts = s->epsilon > printed;
  }
  t->lambda_moved = lambda_moved;
}

static void remember(ChStaggeredTerms* t) {
  const ChStaggered* g = t->g;
  size_t bytes = (size_t)g->s->rows * sizeof(double);
  memcpy(t->r_n, g->r_n, bytes);
  memcpy(t->f, g->f, bytes);
  memcpy(t->x, g->x, bytes);
  memcpy(t->a, g->a, bytes);
}

void ch_staggered_terms_tell(ChStaggeredTerms* t, int iteration, int best, double rel_err, double residual) {
  if (!t) return;
  const ChStaggeredWatch* watch = t->g->run->watch;
  ChStaggeredStep* s = &t->step;
#define X(name, text) s->name = NAN;
  CH_STAGGERED_FIELDS(X)
#undef X
  s->iteration = iteration;
  s->best = best;
  s->label = "-";
  s->contracts = 0;
  s->rel_err = rel_err;
  s->residual = residual;
  measure_lambda(t);
  if (iteration > 1) judge(t);
  s->objective = objective(t);  // leaves the reactions of this iteration in r
  s->rows = t->g->s->rows;
  s->reaction = t->g->r;
  remember(t);
  watch->tell(watch->user, s);
}
