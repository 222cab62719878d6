// ansgs: block Gauss-Seidel with momentum, in the velocities of the bodies.
//
//   x+ = sweep(y),   y+ = x+ + beta (x+ - x),   v+ = v(x+) + beta (v(x+) - v(x))
//
// beta follows Nesterov's sequence up to a bound that adapts: where a window of sweeps brought nothing the bound falls
// and momentum starts anew, where progress is slow it rises. Over many compliant contacts of spheres the bound
// stays at its largest, momentum starts anew after every sweep that goes against it, and now and then a point is
// extrapolated from several sweeps (secants.h). A sweep costs
// as much as three products with H; W is never formed where bodies are known. The change |x+ - y| tells when a look at
// the error, which costs half a sweep, pays.
#include <math.h>
#include <string.h>

#include "solve/contact/body_sweep.h"
#include "solve/contact/secants.h"
#include "solve/contact/sphere_bundles.h"
#include "solve/contact/sphere_sweep.h"
#include "solve/contact/sweeper.h"
#include "solve/method.h"

#define CH_OPTION_PREFIX "ansgs"
#define ANSGS_OPTIONS(X)                                                                                     \
  X(double, beta, 0.85, 0.0, 0.99, "first bound of the momentum; 0 = no momentum")                           \
  X(int, window, 10, 1, 1000, "sweeps after which the progress is judged and the bound adapted")             \
  X(int, patience, 0, 0, 1000000, "sweeps without a better error after which to stop; 0 = never")            \
  X(int, check, 0, 0, 1000, "sweeps between checks of the error; 0 = when the change suggests one")          \
  X(int, hurry, 0, 0, 1000,                                                                                  \
    "first sweep at which to stop if the rate of progress says that the limit will not suffice; 0 = never")  \
  X(double, aim, 0.0, 0.0, 1.0, "error that hurry aims at; 0 = the tolerance")                               \
  X(double, slip, 0.0, 0.0, 1e6,                                                                             \
    "slip, relative to the error, below which hurry stops, because other methods find rest sooner")          \
  X(int, spheres, 0, 0, 1000,                                                                                \
    "factor by which hurry is smaller if all contacts are of spheres, and by which sweeps are fewer if not") \
  X(int, climbs, 0, 0, 1, "1 = also checks the error at 1e-2, 1e-4, ..., as calls with these tolerances would")
CH_OPTIONS(ANSGS_OPTIONS)

#define LARGEST_BETA 0.97
#define LOWER 0.6       // what the bound is multiplied with where a window brought nothing
#define RAISE 0.7       // and its distance from 1 where progress is slow,
#define SLOW 0.7        // which is a change that fell by less than this in a window,
#define SLOW_WINDOWS 3  // several times in a row
#define MANY 40         // contacts from which on those of spheres are sorted by colours
#define FAR 5e-3        // error from which on many more sweeps are to come
#define LOOK 50         // sweeps between two checks of the error where nothing else asks for one
#define RUNG 100.0      // from one tolerance of a climb to the next
#define FIRST_RUNG 1e-2
#define SETTLED 50  // sweeps over compliant spheres before any is kept for extrapolation: contacts find their states
#define SAMPLE 5    // sweeps from one that is kept to the next,
#define SAMPLES 5   // and how many are

typedef struct Surge {
  ChRun* run;
  ChSphereSweep* spheres;  // many contacts of spheres; else
  ChBodySweep* bodies;     // or, where they are not known or do not fit,
  ChSweeper* sweeper;      // sweeps through W
  int window;
  long size;               // of velocities
  double *x, *y, *before;  // reactions: last point, next start, scratch
  double *vx, *vy, *drift, *u;
  double theta, bound;   // Nesterov's sequence, largest beta
  double beta, change;   // of the next sweep, of the last one
  bool restarts;         // where momentum led too far, and the bound is the largest; else by windows
  ChSecants* secants;    // of every few sweeps, where it restarts so
  double* point;         // scratch of these
  int count;             // of sweeps
  double least, former;  // smallest change in this window and in the last
  int slow;              // windows in a row
} Surge;

static void make_secants(Surge* g) {
  const long size = ch_sphere_sweep_size(g->spheres);
  g->secants = ch_secants_create(g->run->arena, size, SAMPLES);
  g->point = ch_lanes_take(g->run->arena, size);
}

static Surge surge_create(ChRun* run, const Options* o) {
  const ChSystem* s = run->system;
  Surge g = {.run = run,
             .window = o->window,
             .theta = 1.0,
             .bound = o->beta,
             .least = INFINITY,
             .former = INFINITY,
             .change = INFINITY};
  if (s->n >= MANY) g.spheres = ch_sphere_sweep_create(run->arena, s, run->r, run->options->threads);
  g.restarts = g.spheres && s->compliant;
  if (g.restarts) make_secants(&g);
  if (!g.spheres) g.bodies = ch_body_sweep_create(run->arena, s);
  if (!g.spheres && !g.bodies) g.sweeper = ch_sweeper_create(run->arena, s, false, 1);
  g.size = g.bodies ? ch_body_sweep_size(g.bodies) : 0;
  double** rows[] = {&g.x, &g.y, &g.before, &g.u};
  for (int k = 0; k < 4; ++k) *rows[k] = CH_TAKE(run->arena, s->rows, double);
  g.vx = CH_TAKE(run->arena, g.size, double);
  g.vy = CH_TAKE(run->arena, g.size, double);
  g.drift = CH_TAKE(run->arena, g.size, double);
  memcpy(g.x, run->r, (size_t)s->rows * sizeof *g.x);
  memcpy(g.y, run->r, (size_t)s->rows * sizeof *g.y);
  if (g.bodies) ch_body_sweep_velocity(g.bodies, g.x, g.vx);
  memcpy(g.vy, g.vx, (size_t)g.size * sizeof *g.vy);
  return g;
}

static void drop_momentum(Surge* g) {
  g->theta = 1.0;
  g->beta = 0.0;
  if (g->spheres) return;
  memcpy(g->y, g->x, (size_t)g->run->system->rows * sizeof *g->y);
  memcpy(g->vy, g->vx, (size_t)g->size * sizeof *g->vy);
}

// From a point that is extrapolated from those that were kept. Where that changes more than the last sweep did, nothing
// is gained: back to where it was.
static double leap(Surge* g) {
  ch_secants_extrapolate(g->secants, ch_sphere_sweep_threads(g->spheres), g->point);
  ch_sphere_sweep_move(g->spheres, g->point);
  double change = sqrt(ch_sphere_sweep_run(g->spheres, g->beta, NULL));
  if (!(change < g->change)) {
    ch_sphere_sweep_move(g->spheres, ch_secants_last(g->secants));
    drop_momentum(g);
    change = g->change;
  }
  ch_secants_clear(g->secants);
  return change;
}

static double sweep_spheres(Surge* g) {
  double *f = NULL, *x;
  if (!g->secants) return sqrt(ch_sphere_sweep_run(g->spheres, g->beta, NULL));
  if (ch_secants_full(g->secants)) return leap(g);
  bool sampled = ++g->count > SETTLED && g->count % SAMPLE == 0;
  if (sampled) ch_secants_next(g->secants, &f, &x);
  double change = sqrt(ch_sphere_sweep_run(g->spheres, g->beta, f));
  if (sampled) {
    ch_sphere_sweep_end(g->spheres, x);
    ch_secants_keep(g->secants);
  }
  return change;
}

// y <- sweep(y); returns |change|.
static double sweep(Surge* g) {
  if (g->spheres) return sweep_spheres(g);
  if (g->bodies) return sqrt(ch_body_sweep_run(g->bodies, g->y, g->vy));
  const int rows = g->run->system->rows;
  double sum = 0.0;
  memcpy(g->before, g->y, (size_t)rows * sizeof *g->y);
  ch_sweeper_sweep(g->sweeper, 1.0, g->y);
  for (int k = 0; k < rows; ++k) sum += (g->y[k] - g->before[k]) * (g->y[k] - g->before[k]);
  return sqrt(sum);
}

static void extrapolate(long n, double beta, double* x, double* y) {
  for (long k = 0; k < n; ++k) {
    double next = y[k];
    y[k] = next + beta * (next - x[k]);
    x[k] = next;
  }
}

static double next_beta(Surge* g, double change) {
  if (g->restarts && ch_sphere_sweep_along(g->spheres) < 0.0) g->theta = 1.0;
  g->change = change;
  double t = g->theta * g->theta, following = 0.5 * (-t + g->theta * sqrt(t + 4.0));
  double beta = fmin(g->theta * (1.0 - g->theta) / (t + following), g->restarts ? LARGEST_BETA : g->bound);
  g->theta = following;
  return beta;
}

static void gain_momentum(Surge* g, double change) {
  g->beta = next_beta(g, change);
  if (g->spheres) return;
  extrapolate(g->run->system->rows, g->beta, g->x, g->y);
  extrapolate(g->size, g->beta, g->vx, g->vy);
}

static void adapt(Surge* g) {
  bool slow = g->least > SLOW * g->former;
  if (g->least > g->former && !g->restarts) {
    g->bound *= LOWER;
    g->slow = 0;
    drop_momentum(g);
  } else {
    g->slow = slow ? g->slow + 1 : 0;
  }
  if (g->slow >= SLOW_WINDOWS && g->bound > 0.0) {
    g->bound = fmin(LARGEST_BETA, 1.0 - (1.0 - g->bound) * RAISE);
    g->slow = 0;
  }
  g->former = g->least;
  g->least = INFINITY;
}

// Over compliant spheres. Four errors at a time are found for a third of the price of offering a point: where they
// exceed `enough`, that is left out.
static double look_at_spheres(Surge* g, double enough) {
  ch_sphere_sweep_refresh(g->spheres);
  const double error = ch_sphere_sweep_error(g->spheres);
  if (!(error <= enough)) return error;
  ch_sphere_sweep_read(g->spheres, g->x);
  ch_sphere_sweep_velocity(g->spheres, g->u);
  return ch_run_offer(g->run, g->x, g->u);
}

// The error at x, with velocities computed anew: what visits add to them gathers round-off. Those of y have gathered
// the same; left to them, momentum would take the correction of x for a step and nearly double it at every look.
static double look(Surge* g, double enough) {
  if (g->restarts) return look_at_spheres(g, enough);
  if (g->spheres) {
    ch_sphere_sweep_read(g->spheres, g->x);
    ch_sphere_sweep_refresh(g->spheres);
  }
  if (!g->bodies) return ch_run_offer_reaction(g->run, g->x, g->u);
  memcpy(g->drift, g->vx, (size_t)g->size * sizeof *g->drift);
  ch_body_sweep_velocity(g->bodies, g->x, g->vx);
  for (long k = 0; k < g->size; ++k) g->vy[k] += g->vx[k] - g->drift[k];
  ch_body_sweep_contact(g->bodies, g->x, g->vx, g->u);
  return ch_run_offer(g->run, g->x, g->u);
}

// Looks at fixed sweeps do not depend on the tolerance, and so the path does not.
static bool is_due(const Options* o, long sweep, long limit, double change, double ask) {
  if (sweep == limit) return true;
  return o->check > 0 ? sweep % o->check == 0 || ch_limits_over() : change <= ask || sweep % LOOK == 0;
}

// The error up to which a look has to offer its point: any, where the run may end there or counts on its best.
static double enough_for(const Options* o, long sweep, long limit, double rung) {
  const bool counts = o->patience > 0 || o->hurry > 0 || o->check > 0;
  return counts || sweep == limit || sweep % LOOK == 0 || ch_limits_over() ? INFINITY : rung;
}

// Whether the best point, still far off, is on its way to one in which nothing slips.
static bool rests(const ChRun* run, double slip) {
  return slip > 0.0 && run->error > FAR && !(ch_run_slip(run) > slip * run->error);
}

// Whether the rate since the largest error, and that of the last half of the sweeps, will come to the aim in time.
// Momentum may overshoot before it converges, and stall after a good beginning. Errors are the least up to each look.
static bool is_promising(const Options* o, double aim, double largest, const double* least, long sweep, long limit) {
  const long look = sweep / o->check;
  return ch_run_promising(aim, largest, least[look], sweep, limit - sweep) &&
         ch_run_promising(aim, least[look / 2], least[look], (look - look / 2) * o->check, limit - sweep);
}

// The first tolerance that is looked for. A climb looks wherever one that ends at a looser rung does: so its path and
// its best iterate are that one's until it ends.
static double first_rung(const ChRun* run, bool climbs) {
  double rung = run->tolerance;
  while (climbs && rung * RUNG <= FIRST_RUNG * run->scale) rung *= RUNG;
  return rung;
}

// Sweeps over spheres cost a quarter of others: more of them are tried, whether what they find rests or slides.
static void judge_by_price(const Surge* g, Options* o, long* limit) {
  if (g->spheres) {
    o->hurry *= o->spheres;
    o->slip = 0.0;
  } else if (*limit > o->spheres) {
    *limit /= o->spheres;
  }
}

static void solve(ChRun* run) {
  Options o = read_options(run->options);
  Surge g = surge_create(run, &o);
  long limit = run->max_iterations > 0 ? run->max_iterations : 100000, better = 0;
  if (o.spheres > 0) judge_by_price(&g, &o, &limit);
  const double aim = o.aim > 0.0 ? o.aim : run->tolerance;
  double largest = run->error, *least = NULL;  // errors seen: the largest, the least up to each look
  if (o.hurry > 0 && o.check > 0) {
    least = CH_TAKE(run->arena, limit / o.check + 1, double);
    least[0] = run->error;
  }
  double rung = first_rung(run, o.climbs), ask = 2.0 * rung;  // a change below this makes a look worth while
  for (long k = 1; k <= limit; ++k) {
    double change = sweep(&g), best = run->error;
    gain_momentum(&g, change);
    ++run->outer;
    g.least = fmin(g.least, change);
    if (!isfinite(change)) return;
    if (is_due(&o, k, limit, change, ask)) {
      double error = look(&g, enough_for(&o, k, limit, rung));
      ch_run_note(run, k, error);
      if (run->error < best) better = k;
      if (ch_run_finished(run) || (o.patience > 0 && k - better >= o.patience)) return;
      largest = fmax(largest, error);
      if (least) least[k / o.check] = run->error;
      if (least && k >= o.hurry && !is_promising(&o, aim, largest, least, k, limit)) return;
      if (k == o.hurry && rests(run, o.slip)) return;
      while (rung > run->tolerance && error <= rung) rung = fmax(rung / RUNG, run->tolerance);
      if (change <= ask) ask = change * fmin(0.9, rung / error);
    } else if (run->options->history && run->options->history_every) {
      if (g.spheres) ch_sphere_sweep_read(g.spheres, g.x);
      ch_run_note_between(run, k, g.x, g.u);
    }
    if (k % g.window == 0) adapt(&g);
  }
}

const ChMethod ch_method_ansgs = {
    .name = "ansgs",
    .summary = "block Gauss-Seidel with momentum in body velocities, for large packings at loose tolerances",
    .document = "Cardhouse's own",
    .equation = "docs/theory/ansgs.md",
    .literature = "Jourdan, Alart and Jean 1998; Nesterov 1983",
    .takes =
        CH_TAKES_COULOMB | CH_TAKES_ANY_LAW | CH_TAKES_RELAXED | CH_TAKES_UNFORMED | CH_TAKES_UNSYMMETRIC | CH_IS_EXACT,
    .options = option_rows,
    .option_count = CH_OPTION_COUNT,
    .solve = solve};
