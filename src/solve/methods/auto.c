// auto: a portfolio with fall-back that always ends with the best certified iterate.
//
// It is the tables of auto_stages.c, read from top to bottom; a stage runs where its condition holds, and all ends with
// the stage that meets the tolerance:
//
//   cheap      what is tried at first, to the tolerance that was asked for: walks of few contacts, sweeps with
//              momentum, then leaps where these slide and splitting where they rest. All else is asked for rung by rung
//              (driver.c)
//   opening    few deformable bodies, crowds of contacts, starts that are near: before W is formed
//   coulomb    sweeps get as much work as a few factorisations are; rest, the convex problem with s = 0, is accepted
//              where its solution has no slip at loaded contacts, for then it is an exact one, the one in which the
//              structure stands; then slide
//   rounds     sweeps with as much work as all that was done before, Newton from the best point, splitting with another
//              penalty and the interior point from another start each time, refined by Newton; slip eased
//   convex, polygonal: the same for pose relaxed and for polygons
//
// Budgets are iterations, or work: in factorisations, or in all the work that was done before. Where a part stood is
// kept from rung to rung, and what met the last one goes on first.
#include <math.h>
#include <string.h>

#include "solve/contact/local_contact.h"
#include "solve/linear/linear_system.h"
#include "solve/methods/auto_plan.h"

#define CH_OPTION_PREFIX "auto"
#define AUTO_OPTIONS(X)                                                                                               \
  X(int, sweeps, 100, 0, 100000, "Gauss-Seidel sweeps at the start, while their progress suggests that they suffice") \
  X(int, rest, 1, 0, 2, "look for rest first: 0 = never, 1 = if sweeps do not solve the problem, 2 = always")
CH_OPTIONS(AUTO_OPTIONS)

extern const ChMethod ch_method_ansgs, ch_method_ipm, ch_method_leap, ch_method_trek;

#define FACTOR_LEAST 400.0  // work a block, of what goes with a factorisation at least
#define LOCAL_WORK 60.0     // of one contact's own solution
#define SETTLED 1e-5        // where sweeps end if leaps can go on
enum { ROUNDS = 40 };

static const Stage refinement = {
    .method = &ch_method_leap, .budget = 20, .why = "BoxesStack1 from 4e-5 to 1e-10: 8 factorisations, newton 32"};

static const Stage walk_on = {.method = &ch_method_trek,
                              .factors = 24,
                              .setting = {{"trek.sweeps", 0}},
                              .why = "trek.md: in a jam leaps go in circles, walks do not"};

// Where it ends at the latest. What hands over goes on below a loose rung, for Newton to begin near.
static double tolerance_of(const Plan* p, const Stage* stage) {
  double rung = p->run->tolerance;
  if (stage->how & PAUSES) return ROUGH;
  if ((stage->how & SWEEPS) && ch_auto_is_early(p)) return fmax(rung, SETTLED);
  if (stage->how & HANDS_OVER) return fmax(HANDOVER, fmin(rung, ROUGH));
  if (stage->how & STILL) return stage->tolerance > 0.0 ? fmin(rung, stage->tolerance) : rung;
  return stage->tolerance > 0.0 ? fmax(stage->tolerance, rung) : 0.0;
}

// What factors of W cost, looked at where somebody wants to know: setting them up takes as long as ten sweeps.
static void know_factor(Plan* p) {
  const ChSystem* s = p->run->system;
  if (p->factor == 0.0 && ch_auto_is_large(p))
    p->factor = fmax(ch_linear_work(ch_run_linear(p->run, CH_SPACE_AUTO, false)), FACTOR_LEAST * s->n);
}

static ChNested nested_of(Plan* p, const Stage* stage) {
  if (stage->factors > 0.0) know_factor(p);
  ChNested nested = {.method = stage->method, .tolerance = tolerance_of(p, stage), .max_iterations = stage->budget};
  memcpy(nested.setting, stage->setting, sizeof nested.setting);
  if (stage->how & FROM_NOTHING) nested.start = p->zero;
  if (stage->how & FROM_FOUND) nested.start = p->found;
  if (stage->how & SWEEPS) nested.max_iterations = stage->budget > 0 ? stage->budget : p->o.sweeps;
  if (stage->how & ROLLS) nested.max_iterations *= (long)stage->setting[CH_NESTED_SETTINGS - 1].value;
  nested.max_iterations += stage->growth * (stage->how & RESTARTS ? p->round % PENALTIES : p->round);
  nested.work = fmax(stage->factors * p->factor, stage->share * (ch_work_done() - p->begun));
  if (stage->how & AIMS) nested.setting[0].value = fmin(p->run->tolerance, ROUGH);
  if (stage->cycle) nested.setting[0].value = stage->cycle->value[p->round % stage->cycle->count];
  return nested;
}

// Within what is left of the caller's iterations; true when there is nothing more to do.
static bool run_nested(ChRun* run, ChNested* nested, double* found) {
  long left = ch_run_iterations_left(run);
  if (left <= 0) return true;
  if (nested->max_iterations > left) nested->max_iterations = left;
  ch_run_nested(run, nested, found);
  return ch_run_finished(run) || ch_run_iterations_left(run) <= 0;
}

// Contacts have a normal and one tangent there, and one moment at most. (Laws that are no cone counted as plane once:
// what is left out in the plane, leap above all, was left out for them.)
static bool lies_in_plane(const ChSystem* s) {
  for (int i = 0; i < s->n; ++i) {
    const ChLawInfo* law = &s->block[i].law->info;
    if (law->opens && s->dim[i] > (law->rolls ? 3 : 2)) return false;
  }
  return true;
}

// W, where that was put off, and what factors of it cost.
static void look_at_factors(Plan* p) {
  const ChSystem* s = p->run->system;
  if (p->ready) return;
  p->ready = true;
  ch_run_form(p->run);
  p->zero = CH_TAKE(p->run->arena, s->rows, double);
  p->found = CH_TAKE(p->run->arena, s->rows, double);
  p->plane = !ch_auto_is_small(p) && lies_in_plane(s);
  if (s->bodies) know_factor(p);  // for all conditions that ask whether factors are dear
}

// The point that rests, refined, takes the place of a solution that slides; where there is none that stays.
static bool yield_to_rest(Plan* p, double* rest) {
  ChRun* run = p->run;
  if (p->rest < NEAR && !ch_run_late(run)) {
    ChNested refine = {.method = refinement.method, .start = rest, .max_iterations = refinement.budget};
    double error = ch_run_nested(run, &refine, rest);
    if (error <= run->tolerance && error > run->error) {
      memcpy(run->r, rest, (size_t)run->system->rows * sizeof *rest);
      run->error = error;
    }
  }
  return ch_run_finished(run);
}

// The convex view's solution, graded as a Coulomb one.
static bool look_for_rest(Plan* p, const Stage* stage, ChNested* nested) {
  ChRun* run = p->run;
  ChSystem still = *run->system;
  still.relaxed = true;
  nested->system = &still;
  double* r = CH_TAKE(run->arena, run->system->rows, double);
  double* u = CH_TAKE(run->arena, run->system->rows, double);
  run_nested(run, nested, r);
  p->looked = true;
  p->sought |= stage->method == &ch_method_ipm;
  p->rest = ch_run_offer_reaction(run, r, u);
  if (stage->how & YIELDS) return yield_to_rest(p, r);
  bool goes_on = (stage->how & TRIES) && !(p->rest < NEAR);
  return !goes_on && ch_run_finished(run);
}

static bool pause_at_slip(Plan* p, ChNested* nested) {
  bool done = run_nested(p->run, nested, NULL);
  p->slides = p->run->error <= ROUGH && p->o.rest && ch_run_slip(p->run) > NEAR;
  return done && (!p->slides || ch_run_late(p->run) || ch_run_iterations_left(p->run) <= 0);
}

// From the best point, by a method that would go the same way again.
static bool refines(const Stage* stage, const ChNested* nested) {
  return (stage->method->takes & CH_REPEATS) && !nested->start && nested->work == 0.0 && !nested->setting[1].name &&
         !(stage->how & (KEEPS | STILL | SWEEPS | PAUSES));
}

static bool was_tried(const Plan* p, const ChNested* nested) {
  if (p->tried_at != p->run->error) return false;
  for (int k = 0; k < p->tried_count; ++k) {
    const Tried* t = &p->tried[k];
    if (t->method == nested->method && t->setting == nested->setting[0].value && t->budget == nested->max_iterations)
      return true;
  }
  return false;
}

static void remember_tried(Plan* p, const ChNested* nested) {
  if (p->tried_at != p->run->error) p->tried_count = 0;
  p->tried_at = p->run->error;
  if (p->tried_count < TRIED)
    p->tried[p->tried_count++] = (Tried){nested->method, nested->setting[0].value, nested->max_iterations};
}

static bool run_stage(Plan* p, const Stage* stage) {
  if (stage->how & FACTORS) look_at_factors(p);
  if ((stage->how & LIGHT) && ch_auto_factors_are_dear(p)) return false;
  ChNested nested = nested_of(p, stage);
  const bool repeats = refines(stage, &nested);
  if (repeats && was_tried(p, &nested)) return false;
  p->before = p->run->error;
  p->last = stage;
  if (stage->how & PAUSES) return pause_at_slip(p, &nested);
  if (stage->how & STILL) return look_for_rest(p, stage, &nested);
  const long budget = nested.max_iterations;
  bool done = run_nested(p->run, &nested, stage->how & KEEPS ? p->found : NULL);
  if (repeats && p->run->error == p->before && nested.max_iterations == budget && !done) remember_tried(p, &nested);
  if (!done && (stage->how & SWEEPS)) p->slid = ch_run_slip(p->run) > SLIDES * p->run->error;
  return done;
}

static bool applies(const Plan* p, const Stage* stage) { return !stage->when || stage->when(p); }

// From the stage at which the plan stands, where it stays when there is nothing more to do.
static bool run_stages(Plan* p, int count, const Stage* stages) {
  for (; p->next < count; ++p->next)
    if (applies(p, &stages[p->next]) && run_stage(p, &stages[p->next])) return true;
  p->next = 0;
  return false;
}

static bool run_once(Plan* p, Table t) {
  for (int k = 0; k < t.count; ++k)
    if (applies(p, &t.stages[k]) && run_stage(p, &t.stages[k])) return true;
  return false;
}

// One table once, then another again and again, with a pause after each where there is somebody to look.
static void run_tables(Plan* p, Table first, Table again) {
  if (!p->repeats && run_stages(p, first.count, first.stages)) return;
  bool begins = !p->repeats && first.count > 0;
  p->repeats = true;
  while (p->round < ROUNDS) {
    if (p->run->part && p->run->resumes && begins) {
      p->run->unfinished = true;
      return;
    }
    if (run_stages(p, again.count, again.stages)) return;
    ++p->round;
    begins = true;
  }
}

// What met the last rung goes on to this one, or Newton does from where it ended; after it the plan does.
static bool go_on(Plan* p, Table first, Table again) {
  const Stage* last = p->last;
  if (!last) return false;
  const Table t = p->repeats ? again : first;
  if (p->next < t.count && last == &t.stages[p->next]) ++p->next;
  bool hands_over = (last->how & (HANDS_OVER | STILL | KEEPS)) != 0;
  bool walks = ch_auto_jams(p) && !(last->how & STILL);  // what rests, leaps refine
  return run_stage(p, !hands_over ? last : walks ? &walk_on : &refinement);
}

// The plan of this part: the one of the last rung, or a new one. Called by another method it has no rungs, and `own`.
static Plan* plan_of(ChRun* run, Plan* own) {
  _Static_assert(sizeof(Plan) <= sizeof run->shared->plan, "a plan fits into its room");
  Plan* p = run->part ? (Plan*)run->shared->plan : own;
  if (!run->part || !run->shared->planned) *p = (Plan){.begun = ch_work_done()};
  if (run->part) run->shared->planned = true;
  p->run = run;
  const Options o = read_options(run->options);
  p->o.sweeps = o.sweeps;
  p->o.rest = o.rest;
  return p;
}

// One contact: the law itself has the solution, and there is nothing to set up.
static bool solve_alone(Plan* p) {
  ChRun* run = p->run;
  const ChSystem* s = run->system;
  if (s->n != 1 || s->polygonal || p->o.rest == 2 || p->o.sweeps == 0) return false;
  ChLocalBlock local;
  double r[CH_BLOCK_MAX], u[CH_BLOCK_MAX];
  ch_local_prepare(run->arena, s, 0, &local);
  memcpy(r, run->r, (size_t)s->rows * sizeof *r);
  ch_local_solve(s, 0, &local, s->q, r);
  ch_work_add(LOCAL_WORK);
  ++run->outer;
  ch_run_note(run, 1, ch_run_offer_reaction(run, r, u));
  if (!ch_run_finished(run)) return false;
  ch_put_word(sizeof run->stages, run->stages, "nsgs");
  return true;
}

static void solve(ChRun* run) {
  const ChSystem* s = run->system;
  const TablePair* t = s->relaxed ? &ch_auto_relaxed : s->polygonal ? &ch_auto_polygonal : &ch_auto_coulomb;
  Plan own, *p = plan_of(run, &own);
  p->ready = false;
  if (run->rung == 0 && solve_alone(p)) return;
  bool limited = !run->part || run->max_iterations > 1;  // no rungs; one iteration is to improve a start that is good
  if ((run->rung == 0 || limited) && (run_once(p, ch_auto_cheap) || !limited)) return;
  bool continues = p->entered;
  p->entered = true;
  if (!continues && run_once(p, ch_auto_opening)) return;
  bool met = continues && p->rung != run->rung;
  bool sweeps =
      met && ch_auto_yields(p) && p->last->method == &ch_method_ansgs;  // W is not asked for while they get on
  p->rung = run->rung;
  if (sweeps && go_on(p, t->first, t->again)) return;
  look_at_factors(p);
  if (met && !sweeps && go_on(p, t->first, t->again)) return;
  run_tables(p, t->first, t->again);
}

const ChMethod ch_method_auto = {
    .name = "auto",
    .summary = "portfolio with fall-back: sweeps, rest, splitting, Newton, interior point; ends with the best iterate",
    .document = "Cardhouse's own",
    .equation = "docs/theory/auto.md; the best iterate is kept as in Kaufman 2009, section 5.4.4",
    .takes = CH_TAKES_COULOMB | CH_TAKES_ANY_LAW | CH_TAKES_POLYGON | CH_TAKES_RELAXED | CH_TAKES_UNFORMED |
             CH_TAKES_UNSYMMETRIC | CH_IS_EXACT | CH_FORMS_LATE | CH_CLIMBS,
    .options = option_rows,
    .option_count = CH_OPTION_COUNT,
    .solve = solve};
