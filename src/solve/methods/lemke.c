// lemke: Lemke's complementary pivoting on the Stewart-Trinkle problem (polygon_lcp.h),
//
//   0 <= A y + b  _|_  y >= 0.
//
// From the basis of slacks (lemke_path.h) pivots are few for a small problem and grow quickly with a pile. Where they
// are too many the first basis comes from a solution: other methods find it on the natural map, crossover
// (lcp_crossover.h) moves it to a vertex of its face, and the path goes on from the basis of that vertex. Mostly
// nothing is left to do there. Only what a basis yields is ever offered, never the solution it was made of.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "solve/lcp/lcp_crossover.h"
#include "solve/lcp/lemke_path.h"
#include "solve/lcp/polygon_lcp.h"
#include "solve/method.h"

#define CH_OPTION_PREFIX "lemke"
#define LEMKE_OPTIONS(X)                                                                                       \
  X(int, crash, 1, 0, 2,                                                                                       \
    "first basis: 0 = slacks; 1 = that of a solution, if slacks take too long; 2 = that of a solution")        \
  X(double, tol_pivot, 1e-9, 0.0, 1.0, "smallest pivot accepted, relative to its column")                      \
  X(double, perturbation, 1e-9, 0.0, 1e-3, "perturbation of the first basis against cycling, relative to |b|") \
  X(int, refactor, 50, 1, 1000, "pivots between factorisations of the basis")
CH_OPTIONS(LEMKE_OPTIONS)

extern const ChMethod ch_method_admm, ch_method_auto, ch_method_newton;

#define SMALL 800   // variables up to which slacks are tried first, for two pivots a variable
#define ROUNDS 4    // of splitting and Newton; one where a caller has tried them already
#define STARTS 2    // solutions to make a basis of
#define VERTICES 7  // of one solution
#define PATIENCE 2  // pivots from such a basis, per variable
#define LAST 10     // pivots from slacks when all else has failed, per variable

typedef struct Lemke {
  ChRun* run;
  const ChSystem* s;
  Options o;
  ChPolygonLcp polygon;
  ChLcp lcp;
  ChLcpBasis basis;
  double *point, *y, *r, *u, *start;
  long pivots;
  const char* end;  // how the last path ended, for the note
} Lemke;

// The reactions of the current basis, y0 ignored, with b as it is; offered to the run. False when it is singular.
static bool offer_basis(Lemke* l) {
  if (!ch_lemke_point(&l->basis, l->y)) return false;
  ch_polygon_lcp_reactions(&l->polygon, l->s, l->y, l->r);
  ch_system_project(l->s, l->r, l->r);
  ch_run_note(l->run, l->pivots, ch_run_offer_reaction(l->run, l->r, l->u));
  return true;
}

static long at_most(const ChRun* run, long iterations) {
  return run->max_iterations > 0 && run->max_iterations < iterations ? run->max_iterations : iterations;
}

// A solution, or what comes near one, into l->r; returns its error. The system is handed over as another view, so that
// the answer is not offered: it is the basis that must answer. A second attempt starts from nothing, by splitting with
// other penalties, and so ends at another solution.
static double find_start(Lemke* l, int attempt) {
  static const double penalties[] = {0.2, 0.05, 0.5, 0.1};
  ChRun* run = l->run;
  ChSystem view = *l->s;
  ChNested all = {.method = &ch_method_auto, .system = &view, .max_iterations = run->max_iterations};
  ChNested newton = {.method = &ch_method_newton, .system = &view, .start = l->r, .max_iterations = at_most(run, 60)};
  int rounds = run->depth == 0 ? ROUNDS : 1;
  double error = run->error;
  if (attempt == 0) {
    memcpy(l->r, run->r, (size_t)l->s->rows * sizeof(double));
    if (run->depth == 0 && !l->s->polygonal) error = ch_run_nested(run, &all, l->r);
  } else {
    memset(l->r, 0, (size_t)l->s->rows * sizeof(double));
    error = INFINITY;
  }
  for (int k = attempt; k < attempt + rounds && !ch_run_late(run) && !(error <= run->tolerance); ++k) {
    ChNested split = {.method = &ch_method_admm,
                      .system = &view,
                      .start = l->r,
                      .tolerance = fmax(1e-6, run->tolerance),
                      .max_iterations = at_most(run, 200 * (k + 1)),
                      .setting = {{"admm.rho", penalties[k % 4]}}};
    ch_run_nested(run, &split, l->r);
    error = ch_run_nested(run, &newton, l->r);
  }
  newton.tolerance = fmax(1e-4 * run->tolerance, 1e-15);  // what is zero must stand out
  newton.max_iterations = at_most(run, 10);
  return ch_run_nested(run, &newton, l->r);
}

// l->r as w and y
static void set_point(Lemke* l) {
  double *w = l->point, *y = l->point + l->lcp.n;
  ch_system_velocity(l->s, l->r, l->u);
  ch_polygon_lcp_point(l->s, l->r, l->u, y);
  memcpy(w, l->lcp.b, (size_t)l->lcp.n * sizeof(double));
  ch_sparse_multiply_add(&l->lcp.A, y, w);
}

// The path from the basis at hand.
static void follow(Lemke* l, long pivots) {
  static const char* const ends[] = {[CH_PATH_SOLVED] = "y0 reached zero",
                                     [CH_PATH_RAY] = "ended on a ray",
                                     [CH_PATH_LIMIT] = "stopped at the limit of pivots",
                                     [CH_PATH_LATE] = "stopped by the clock",
                                     [CH_PATH_SINGULAR] = "ended in a singular basis"};
  ChPathLimits limits = {
      .tol_pivot = l->o.tol_pivot, .perturbation = l->o.perturbation, .pivots = pivots, .deadline = l->run->deadline};
  l->end = ends[ch_lemke_path(&l->basis, &limits, &l->pivots)];
  offer_basis(l);
}

static void try_slacks(Lemke* l, long pivots) {
  ++l->run->outer;
  ch_lcp_basis_set_slacks(&l->basis);
  if (ch_lemke_enter_free(&l->basis)) follow(l, pivots);
}

// The vertex that pushing from variable `first` on ends at, offered; false when its basis broke.
static bool offer_vertex(Lemke* l, double noise, int first) {
  memcpy(l->r, l->start, (size_t)l->s->rows * sizeof(double));
  set_point(l);
  ch_lcp_basis_set_slacks(&l->basis);
  return ch_lemke_enter_free(&l->basis) && ch_lcp_push(&l->basis, noise, first, l->point) && offer_basis(l);
}

// A vertex may be badly conditioned, its neighbours seldom are: several are tried before pivoting.
static void try_solution(Lemke* l, int attempt) {
  ChRun* run = l->run;
  bool whole = false;
  ++run->outer;
  ch_arena_release(run->arena, l->basis.mark);  // a nested method takes memory of its own: the basis is made anew
  double noise = fmax(10.0 * find_start(l, attempt), 1e-13);
  memcpy(l->start, l->r, (size_t)l->s->rows * sizeof(double));
  for (int k = 0; k < VERTICES && !ch_run_finished(run); ++k)
    whole = offer_vertex(l, noise, (int)((long)k * l->lcp.n / VERTICES));
  l->end = "started from the basis of a solution that another method found";
  if (ch_run_finished(run) || !whole || ch_lcp_complete(&l->basis, l->point) < 0) return;
  follow(l, at_most(run, (long)PATIENCE * l->lcp.n));
}

static void create(Lemke* l) {
  ChArena* arena = l->run->arena;
  int n = l->polygon.n;
  l->lcp = (ChLcp){.n = n, .A = l->polygon.A, .b = l->polygon.b, .free = l->polygon.free};
  l->point = CH_TAKE(arena, 2 * n, double);
  l->y = CH_TAKE(arena, n, double);
  l->r = CH_TAKE(arena, l->s->rows, double);
  l->u = CH_TAKE(arena, l->s->rows, double);
  l->start = CH_TAKE(arena, l->s->rows, double);
  l->end = "no basis";
  ch_lcp_basis_init(&l->basis, arena, &l->lcp, l->o.refactor);
  l->basis.deadline = l->run->deadline;
}

static void solve(ChRun* run) {
  Lemke l = {.run = run,
             .s = run->system,
             .o = read_options(run->options),
             .polygon = ch_polygon_lcp(run->arena, run->system)};
  int starts = run->depth == 0 ? STARTS : 1;
  create(&l);
  if (l.o.crash == 1 && l.lcp.n <= SMALL) try_slacks(&l, at_most(run, 2 * l.lcp.n));
  for (int k = 0; l.o.crash > 0 && k < starts && !ch_run_finished(run); ++k) try_solution(&l, k);
  if (!ch_run_finished(run)) try_slacks(&l, l.o.crash > 0 ? at_most(run, (long)LAST * l.lcp.n) : run->max_iterations);
  run->inner += l.pivots;
  run->factorizations += l.basis.factorizations;
  snprintf(run->note, sizeof run->note, "%ld pivots over %d variables, %s", l.pivots, l.lcp.n, l.end);
}

const ChMethod ch_method_lemke = {.name = "lemke",
                                  .summary = "Lemke's pivoting on the polygonal complementarity problem",
                                  .document = "Anitescu and Hart 2004",
                                  .equation = "LCP0: (6), (7); Kaufman 2009, (5.25)-(5.30), section 5.7.1",
                                  .literature = "Stewart and Trinkle 1996",
                                  .takes = CH_TAKES_COULOMB | CH_TAKES_RELAXED | CH_TAKES_UNSYMMETRIC |
                                           CH_TAKES_POLYGON | CH_NEEDS_POLYGON | CH_IS_EXACT,
                                  .options = option_rows,
                                  .option_count = CH_OPTION_COUNT,
                                  .solve = solve};
