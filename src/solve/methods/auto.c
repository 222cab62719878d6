// auto: a portfolio with fall-back that always ends with the best certified iterate.
//
//   - few deformable bodies: factors in the space of velocities are small, and Newton leaps; where freedoms are
//     very few, so are the contacts that carry, and these are walked first
//   - many contacts on few degrees of freedom, as of deformable bodies: a few of them carry the load and are solved for
//     alone; where that does not end, the interior point, then Newton
//   - large packings at loose tolerances are swept with momentum, which no factorisation can follow
//   0 a start that is near, as that of a step from the last one, goes to Newton at once
//   1 sweeps settle what is easy
//   2 rest: the convex problem with s = 0. Where its solution has no slip at loaded contacts it is an exact one, the
//     one in which the structure stands, and is accepted first. A few splitting steps find it when it is near; else
//     an interior point, which gives up as soon as slip shows that there is no rest
//   3 slide: splitting from nothing, then proximal Newton; the interior point with the slip coupled in; Newton again;
//     in the plane interior points from two starts come first, and one from a third start last
//   4 rounds of Newton from the best point and of splitting with ever other penalties, each refined by Newton; in some
//     the slip is eased towards its fixed point
#include <math.h>

#include "solve/linear/wide_system.h"
#include "solve/method.h"

#define CH_OPTION_PREFIX "auto"
#define AUTO_OPTIONS(X)                                                                                 \
  X(int, sweeps, 60, 0, 100000, "Gauss-Seidel sweeps at the start, as long as they promise to suffice") \
  X(int, rest, 1, 0, 2, "look for rest first: 0 = never, 1 = where sweeps do not settle it, 2 = always")
CH_OPTIONS(AUTO_OPTIONS)

extern const ChMethod ch_method_admm, ch_method_ansgs, ch_method_ipm, ch_method_leap, ch_method_lemke, ch_method_newton,
    ch_method_nsgs, ch_method_successive, ch_method_working_set;

#define LARGE 300           // blocks from which on,
#define LOOSE 1e-6          // and tolerance down to which, sweeps with momentum come before any factorisation
#define SURGE_SWEEPS 2000   // of these at most
#define WARM_SWEEPS 700     // and in a huge packing that starts from the last step: more sweeps mend no jam
#define SURGE_PATIENCE 600  // and as many without a better error
#define HUGE_PACKING 2000   // blocks from which on a step that starts from the last one leaves it at that

#define SMALL 40               // blocks up to which a factorisation costs less than the splitting steps it may save
#define LEMKE_ROWS 400         // rows up to which pivoting ends in seconds
#define NEAR 1e-3              // error below which Newton's method is worth starting
#define ROUGH 1e-4             // error above which splitting is worth its factorisation
#define WARM_STEPS 6           // factorisations that such a start is worth
#define EASED 1e-5             // where easing of the slip slows down
#define LEAP_FREEDOMS 100      // of deformable bodies, up to which all of their contacts are solved for at once,
#define LEAP_CROWD 12          // and rows a freedom; beyond that few of them carry, see working-set
#define WALK_FREEDOMS 24       // of them, up to which so few contacts carry that walks find them sooner
#define CROWD_ITERATIONS 2000  // sweeps and factorisations of few contacts, after which all are taken
#define HANDOVER 1e-6          // where splitting and interior point slow down and Newton takes over

// Runs a stage within what is left of the caller's iterations; true when there is nothing more to do.
static bool run_stage(ChRun* run, const ChNested* stage, double* found) {
  ChNested limited = *stage;
  long left = ch_run_iterations_left(run);
  if (left <= 0) return true;
  if (limited.max_iterations > left) limited.max_iterations = left;
  ch_run_nested(run, &limited, found);
  return ch_run_finished(run) || ch_run_iterations_left(run) <= 0;
}

static bool sweep(ChRun* run, long sweeps) {
  ChNested stage = {.method = &ch_method_nsgs, .max_iterations = sweeps, .setting = {{"nsgs.hurry", 1}}};
  return sweeps > 0 && run_stage(run, &stage, NULL);
}

static bool continues_huge(const ChRun* run) { return run->options->warm && run->system->n >= HUGE_PACKING; }

static bool surge(ChRun* run) {
  return run_stage(run,
                   &(ChNested){.method = &ch_method_ansgs,
                               .max_iterations = continues_huge(run) ? WARM_SWEEPS : SURGE_SWEEPS,
                               .setting = {{"ansgs.patience", SURGE_PATIENCE}}},
                   NULL);
}

// The convex view's solution, graded as a Coulomb one.
static double try_rest(ChRun* run, const ChNested* stage) {
  double* r = CH_TAKE(run->arena, run->system->rows, double);
  double* u = CH_TAKE(run->arena, run->system->rows, double);
  run_stage(run, stage, r);
  return ch_run_offer_reaction(run, r, u);
}

static bool find_rest(ChRun* run) {
  ChSystem still = *run->system;
  still.relaxed = true;
  ChNested near = {.method = &ch_method_admm,
                   .system = &still,
                   .max_iterations = 60,
                   .setting = {{"admm.rho", 0.01}, {"admm.hurry", 1}}};
  if (try_rest(run, &near) < NEAR) return ch_run_finished(run);
  ChNested far = {.method = &ch_method_ipm,
                  .system = &still,
                  .tolerance = fmax(0.1 * HANDOVER, run->tolerance),
                  .max_iterations = 60,
                  .setting = {{"ipm.rest", 1}, {"ipm.fraction", 0.99}}};
  try_rest(run, &far);
  return ch_run_finished(run);
}

// Splitting with one penalty from nothing; `found` (may be NULL) gets where it ended.
static bool split(ChRun* run, double rho, long iterations, long patience, double* found) {
  double* zero = CH_TAKE(run->arena, run->system->rows, double);
  return run_stage(run,
                   &(ChNested){.method = &ch_method_admm,
                               .start = zero,
                               .tolerance = fmax(HANDOVER, run->tolerance),
                               .max_iterations = iterations,
                               .setting = {{"admm.rho", rho}, {"admm.patience", (double)patience}}},
                   found);
}

static bool newton(ChRun* run, const double* start, long factorizations, int forms) {
  return run_stage(run,
                   &(ChNested){.method = &ch_method_newton,
                               .start = start,
                               .max_iterations = factorizations,
                               .setting = {{"newton.forms", forms}}},
                   NULL);
}

// Where the interior point with the slip coupled in begins. The path from one start may turn back before it has come to
// a solution, which shows soon; that from another start is another path.
typedef struct Start {
  double smoothing, size, fraction;
} Start;
static const Start usual = {30.0, 0.1, 0.95}, low = {0.0, 0.01, 0.95}, careful = {30.0, 0.1, 0.7},
                   high = {0.0, 1.0, 0.7};

static bool interior(ChRun* run, Start start) {
  return run_stage(
      run,
      &(ChNested){
          .method = &ch_method_ipm,
          .tolerance = fmax(HANDOVER, run->tolerance),
          .max_iterations = 60,
          .setting = {{"ipm.smoothing", start.smoothing}, {"ipm.start", start.size}, {"ipm.fraction", start.fraction}}},
      NULL);
}

// The same, refined where it came near.
static bool refined_interior(ChRun* run, Start start) {
  return interior(run, start) || (run->error <= NEAR && newton(run, NULL, 25, 2));
}

// In the plane factors are cheap beside what wandering costs.
static bool is_plane(const ChSystem* s) {
  for (int i = 0; i < s->n; ++i)
    if (s->block[i].law->cone && s->dim[i] > 2) return false;
  return true;
}

static bool slide(ChRun* run) {
  bool small = run->system->n <= SMALL, plane = !small && is_plane(run->system);
  if (small && newton(run, NULL, 15, 2)) return true;
  if (plane && (refined_interior(run, low) || refined_interior(run, careful))) return true;
  if (run->error > ROUGH && split(run, 0.2, 200, 100, NULL)) return true;
  if (newton(run, NULL, 25, 2)) return true;
  if (run->error > HANDOVER && !plane && interior(run, usual)) return true;
  if (newton(run, NULL, 40, 2)) return true;
  return plane && refined_interior(run, high);
}

// Slip by small steps: the convex problem of a slip, part of the new slip, and again. Where a structure locks and
// slides at once, as a pile near the friction it needs, this comes down where all else wanders about.
static bool ease(ChRun* run, double damping, double* found) {
  double* zero = CH_TAKE(run->arena, run->system->rows, double);
  ChNested stage = {.method = &ch_method_successive,
                    .start = zero,
                    .tolerance = fmax(EASED, run->tolerance),
                    .max_iterations = 200,
                    .setting = {{"successive.anderson", 0}, {"successive.damping", damping}}};
  return run_stage(run, &stage, found) || newton(run, found, 40, 0);
}

static void rounds(ChRun* run) {
  static const double penalties[] = {0.2, 0.05, 0.5, 0.1, 0.3, 1.0, 0.02};
  enum { COUNT = sizeof penalties / sizeof penalties[0] };
  double* found = CH_TAKE(run->arena, run->system->rows, double);
  for (int k = 0; k < 40; ++k) {
    if (newton(run, NULL, 100 + 200 * (k % COUNT), 0)) return;
    if (k % 4 == 2 && ease(run, k % 8 == 2 ? 0.5 : 0.3, found)) return;
    double before = run->error;
    if (split(run, penalties[k % COUNT], 1000 * (k + 1), 1000000, found)) return;
    if (run->error == before && newton(run, found, 80, 0)) return;
  }
}

static void solve_convex(ChRun* run) {
  if (!run->system->polygonal && interior(run, usual)) return;
  if (newton(run, NULL, 200, 0)) return;
  for (int k = 0; k < 40; ++k)
    if (split(run, 0.05 * (k % 4 + 1), 5000 * (k + 1), 500, NULL) || newton(run, NULL, 200, 0)) return;
}

// Polygons: splitting and Newton on De Saxce's map, which is piecewise linear there; pivoting where the problem is
// small.
static void solve_polygonal(ChRun* run) {
  static const double penalties[] = {0.2, 0.05, 0.5, 0.1, 1.0, 0.02};
  for (int k = 0; k < 40; ++k) {
    if (split(run, penalties[k % 6], 200 * (k + 1), 200, NULL) || newton(run, NULL, 60, 0)) return;
    if (k == 0 && run->system->formed && run->system->rows <= LEMKE_ROWS &&
        run_stage(run, &(ChNested){.method = &ch_method_lemke, .max_iterations = 20000}, NULL))
      return;
  }
}

static bool leaps(const ChSystem* s) {
  return ch_wide_suits(s) && s->bodies->dofs <= LEAP_FREEDOMS && s->rows <= LEAP_CROWD * s->bodies->dofs;
}

static bool few_carry(ChRun* run) {
  return run_stage(run, &(ChNested){.method = &ch_method_working_set, .max_iterations = CROWD_ITERATIONS}, NULL);
}

// One iteration is asked for where the start has met the tolerance and is to be better: a leap is that, a set is not.
static bool leap(ChRun* run) {
  bool polishes = ch_run_iterations_left(run) == 1;
  if (!polishes && run->system->bodies->dofs <= WALK_FREEDOMS && few_carry(run)) return true;
  return run_stage(run, &(ChNested){.method = &ch_method_leap}, NULL);
}

static bool solve_crowded(ChRun* run) {
  if (few_carry(run)) return true;
  return refined_interior(run, usual) || newton(run, NULL, 25, 2) || refined_interior(run, careful);
}

static void solve(ChRun* run) {
  Options o = read_options(run->options);
  bool curved = !run->system->polygonal && !run->system->relaxed;
  if (curved && leaps(run->system) && leap(run)) return;
  if (curved && !run->system->formed && ch_system_is_crowded(run->system) && solve_crowded(run)) return;
  bool large = run->system->n >= LARGE && run->options->tolerance >= LOOSE;
  if (large && !run->system->polygonal && !run->system->relaxed) {
    if (surge(run) || continues_huge(run)) return;
  }
  if (run->options->warm && run->error <= NEAR && newton(run, NULL, WARM_STEPS, 2)) return;
  ch_run_form(run);
  if (run->system->polygonal && !run->system->relaxed) {
    solve_polygonal(run);
    return;
  }
  bool first = o.rest == 2 && !run->system->relaxed;
  if (!first && !run->system->polygonal && sweep(run, o.sweeps)) return;
  if (run->system->relaxed) {
    solve_convex(run);
    return;
  }
  if ((first || (o.rest && run->error > ROUGH)) && find_rest(run)) return;
  if (first && sweep(run, o.sweeps)) return;
  if (!slide(run)) rounds(run);
}

const ChMethod ch_method_auto = {
    .name = "auto",
    .summary = "portfolio with fall-back: sweeps, rest, splitting, Newton, interior point; ends with the best iterate",
    .document = "Cardhouse's own",
    .equation = "docs/theory/auto.md; the best iterate is kept as in Kaufman 2009, section 5.4.4",
    .takes = CH_TAKES_COULOMB | CH_TAKES_ANY_LAW | CH_TAKES_POLYGON | CH_TAKES_RELAXED | CH_TAKES_UNFORMED |
             CH_TAKES_UNSYMMETRIC | CH_IS_EXACT | CH_FORMS_LATE,
    .options = option_rows,
    .option_count = CH_OPTION_COUNT,
    .solve = solve};
