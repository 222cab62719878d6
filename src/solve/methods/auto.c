// auto: a portfolio with fall-back that always ends with the best certified iterate.
//
// It is the tables below, read from top to bottom; a stage runs where its condition holds, and all ends with the stage
// that meets the tolerance:
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

#include "solve/linear/linear_system.h"
#include "solve/linear/wide_system.h"
#include "solve/method.h"

#define CH_OPTION_PREFIX "auto"
#define AUTO_OPTIONS(X)                                                                                  \
  X(int, sweeps, 100, 0, 100000, "Gauss-Seidel sweeps at the start, as long as they promise to suffice") \
  X(int, rest, 1, 0, 2, "look for rest first: 0 = never, 1 = where sweeps do not settle it, 2 = always")
CH_OPTIONS(AUTO_OPTIONS)

extern const ChMethod ch_method_admm, ch_method_ansgs, ch_method_apgd, ch_method_ipm, ch_method_leap, ch_method_lemke,
    ch_method_newton, ch_method_nsgs, ch_method_seeded, ch_method_successive, ch_method_walk, ch_method_working_set;

#define LARGE 40            // blocks from which on sweeps with momentum have a stage of their own
#define FACTOR_LEAST 400.0  // work a block, of what goes with a factorisation at least
#define DEAR 1500.0         // work a block, some thirty sweeps, from which on a factorisation is dear
#define WALKED 12           // blocks up to which walks find a solution soonest
#define SMALL 40            // blocks up to which a factorisation costs less than the splitting steps it may save
#define MEDIUM 300          // blocks up to which leaps are tried before splitting,
#define SLID 1000           // and where sweeps slide and are far off
#define LEMKE_ROWS 400      // rows up to which pivoting ends in seconds
#define FAR 1e-2            // error above which sweeps are far off
#define NEAR 1e-3           // error below which Newton's method is worth starting
#define ROUGH 1e-4          // error above which splitting is worth its factorisation
#define SLIDES 5.0          // times its error: a point whose slip shows that much more is on its way to slide
#define EASED 1e-5          // where easing of the slip slows down
#define LEAP_FREEDOMS 100   // of deformable bodies, up to which all of their contacts are solved for at once,
#define LEAP_CROWD 12       // and rows a freedom; beyond that few of them carry, see working-set
#define WALK_FREEDOMS 24    // of them, up to which so few contacts carry that walks find them sooner
#define PILED 4             // rows a freedom, from which on few contacts carry
#define HANDOVER 1e-6       // where splitting and interior point slow down and Newton takes over
#define SETTLED 1e-5        // where sweeps end if leaps can go on
#define FINE 1e-9           // as far as iterations without a factorisation go on, once they have met their rung
enum { ROUNDS = 40 };

// A run of the portfolio, and where it stands.
typedef struct Plan {
  ChRun* run;
  Options o;
  double begun;              // on ch_work_done
  double factor;             // work of a factorisation, as far as it is known
  bool plane;                // in the plane factors are cheap beside what wandering costs
  bool entered;              // beyond what is cheap, by an earlier rung
  int rung;                  // the last
  bool repeats;              // the first table is done
  int next;                  // stage of the table
  const struct Stage* last;  // that ran
  int round;                 // of tables that are repeated
  double before;             // the error with which the last stage began
  bool ready;                // W and what factors of it cost are there
  bool slid;                 // what sweeps left was on its way to slide
  bool slides;               // the best point is a solution, and one that slides
  bool looked;               // for rest,
  double rest;               // and with which error as a Coulomb solution that ended
  double *zero, *found;      // no reactions; where the last stage that KEEPS ended
} Plan;

// --- conditions ------------------------------------------------------------------------------------------------------

static bool is_curved(const Plan* p) { return !p->run->system->polygonal && !p->run->system->relaxed; }
static bool is_smooth(const Plan* p) { return !p->run->system->polygonal; }

static bool leaps(const Plan* p) {
  const ChSystem* s = p->run->system;
  return is_curved(p) && ch_wide_suits(s) && s->bodies->dofs <= LEAP_FREEDOMS &&
         s->rows <= LEAP_CROWD * s->bodies->dofs;
}

// One iteration is asked for where the start has met the tolerance and is to be better: a leap is that.
static bool is_polished(const Plan* p) { return ch_run_iterations_left(p->run) == 1; }

static bool walks(const Plan* p) {
  return leaps(p) && !is_polished(p) && p->run->system->bodies->dofs <= WALK_FREEDOMS;
}

static bool is_crowded(const Plan* p) {
  const ChSystem* s = p->run->system;
  return is_curved(p) && !s->formed && ch_system_is_soft(s) && ch_system_is_crowded(s);
}

static bool is_near(const Plan* p) { return p->run->error <= NEAR; }
static bool is_crowded_and_near(const Plan* p) { return is_crowded(p) && is_near(p); }

static bool is_large(const Plan* p) { return is_curved(p) && p->run->system->n >= LARGE; }

// Friction, joints and limits of rigid contact: what the stages before the rungs were measured on.
static bool is_usual(const Plan* p) {
  const ChSystem* s = p->run->system;
  return is_curved(p) && !s->unusual && !s->compliant;
}
// Near as the certificate has it, relative to no reactions: where gaps over a short step make up most of q, every start
// is near in the system's own units.
static bool starts_warm(const Plan* p) {
  return p->run->options->warm && p->run->error <= NEAR * fmin(p->run->scale, 1.0);
}
static bool is_warm_and_near(const Plan* p) { return starts_warm(p) && (!is_usual(p) || is_polished(p)); }

static bool sweeps_first(const Plan* p) { return p->o.rest != 2 && p->o.sweeps > 0; }
// Many contacts that yield: sweeps with momentum converge, and nothing is quicker.
static bool yields(const Plan* p) { return p->run->system->compliant && is_large(p); }
static bool walks_first(const Plan* p) {
  const int n = p->run->system->n;
  return is_usual(p) && !is_crowded(p) && n <= WALKED && n > 1 && !is_polished(p);
}
static bool surges(const Plan* p) { return is_usual(p) && p->run->system->n > WALKED; }
static bool sweeps_at_once(const Plan* p) {
  return is_smooth(p) && sweeps_first(p) && !is_crowded(p) && !yields(p) && !surges(p);
}
static bool starts_near(const Plan* p) {
  return is_usual(p) && !is_crowded(p) && starts_warm(p) && p->run->system->n > WALKED;
}
static bool surges_at_once(const Plan* p) {
  return surges(p) && sweeps_first(p) && !is_crowded(p) && p->run->system->n <= MEDIUM;
}
static bool surges_longer(const Plan* p) {
  return surges(p) && sweeps_first(p) && !is_crowded(p) && p->run->system->n > MEDIUM;
}
static bool is_early(const Plan* p) {
  return is_usual(p) && !is_crowded(p) && p->o.rest != 2 && p->run->system->n <= MEDIUM;
}
static bool leaps_early(const Plan* p) { return is_early(p) && p->run->error > ROUGH; }
// Where sweeps are on their way to slide their end is refined; rest is looked for where they are not.
static bool slid_along(const Plan* p) { return leaps_early(p) && (p->slid || !p->o.rest); }
static bool slid_far(const Plan* p) {
  const int n = p->run->system->n;
  return is_usual(p) && !is_crowded(p) && p->slid && n > MEDIUM && n <= SLID && p->run->error > FAR;
}
// Many contacts on few rigid bodies.
static bool is_piled(const Plan* p) {
  const ChSystem* s = p->run->system;
  return is_usual(p) && s->bodies && s->bodies->dofs <= WALK_FREEDOMS && s->n > WALKED &&
         s->rows >= PILED * s->bodies->dofs && !is_polished(p);
}
static bool may_rest_early(const Plan* p) {
  return is_early(p) && p->run->error > ROUGH && p->o.rest && !p->looked && !p->slid;
}
static bool slides(const Plan* p) { return p->slides && p->o.rest && !p->slid; }
static bool leaps_on(const Plan* p) { return is_early(p) && p->run->error <= NEAR; }
static bool sweeps_later(const Plan* p) { return p->o.rest == 2 && p->o.sweeps > 0; }
static bool sweeps_smooth(const Plan* p) { return is_smooth(p) && p->o.sweeps > 0; }
static bool may_rest(const Plan* p) {
  return p->o.rest == 2 || (p->o.rest && !p->looked && (p->run->error > ROUGH || !p->slid));
}
static bool rest_is_far(const Plan* p) { return p->looked && !(p->rest < NEAR); }

static bool is_small(const Plan* p) { return p->run->system->n <= SMALL; }
static bool is_medium(const Plan* p) { return p->run->system->n <= MEDIUM && !p->plane; }
static bool is_plane(const Plan* p) { return p->plane; }
static bool is_plane_and_near(const Plan* p) { return p->plane && is_near(p); }
static bool is_rough(const Plan* p) { return p->run->error > ROUGH; }
static bool is_large_and_rough(const Plan* p) { return is_large(p) && is_rough(p); }
// A factorisation that costs as much as many sweeps comes after them. Without bodies sweeps go through W and are dear.
static bool factors_are_dear(const Plan* p) { return p->run->system->bodies && p->factor > DEAR * p->run->system->n; }
static bool sweeps_before_factors(const Plan* p) { return is_large(p) && factors_are_dear(p); }
static bool sweeps_before_factors_again(const Plan* p) { return sweeps_before_factors(p) && is_rough(p); }
static bool sweeps_after_factors(const Plan* p) { return is_large_and_rough(p) && !factors_are_dear(p); }
static bool descends(const Plan* p) {
  return is_large(p) && is_usual(p) && p->run->tolerance >= EASED && !factors_are_dear(p);
}
static bool is_space_and_far(const Plan* p) { return p->run->error > HANDOVER && !p->plane; }

static bool begins_anew(const Plan* p) { return p->round == 0 && is_medium(p); }
static bool unusual_begins_anew(const Plan* p) { return p->round == 0 && p->run->system->unusual; }
static bool eases_half(const Plan* p) { return p->round % 8 == 2; }
static bool eases_third(const Plan* p) { return p->round % 8 == 6; }
static bool eases(const Plan* p) { return p->round % 4 == 2; }
static bool gained_nothing(const Plan* p) { return p->run->error == p->before; }

static bool can_pivot(const Plan* p) {
  return p->round == 0 && p->run->system->formed && p->run->system->rows <= LEMKE_ROWS;
}

// --- stages ----------------------------------------------------------------------------------------------------------

typedef struct Cycle {
  int count;
  double value[7];
} Cycle;

enum {
  FROM_NOTHING = 1 << 0,
  FROM_FOUND = 1 << 1,  // where the last stage that KEEPS ended
  KEEPS = 1 << 2,
  HANDS_OVER = 1 << 3,  // ends at HANDOVER at the latest
  STILL = 1 << 4,       // on the convex view with s = 0; what it finds is graded as a Coulomb solution
  TRIES = 1 << 5,       // STILL, and where it ends far the next stage is run whatever the clock says
  SWEEPS = 1 << 6,      // the user's option is its budget
  RESTARTS = 1 << 7,    // its growth begins again with the penalties
  AIMS = 1 << 8,        // its first setting is the rung's tolerance, ROUGH at most
  FACTORS = 1 << 9,     // needs W where it can be had
  PAUSES = 1 << 10,     // ends at ROUGH whatever is asked for; then it is seen whether what it found slides
  YIELDS = 1 << 11      // STILL; what rests takes the place of a solution that slides
};

// `why` is a measurement: what bench/portfolio.csv or a page of docs/theory has, or what became of the conformance
// sweep (608 problems of twelve families, to 1e-8, each with 3e7 of work) without the stage, in the order that the
// stages had before there were rungs. With all of them 528 were solved with 3.77e9 of work, in pose relaxed 572
// with 3.01e9, over polygons 530 with 3.75e9.
typedef struct Stage {
  bool (*when)(const Plan* plan);  // NULL: always
  const ChMethod* method;
  unsigned how;
  double tolerance;     // where it ends at the latest; 0: at the caller's
  long budget, growth;  // iterations, and more of them with every round; 0: the method's own
  double factors;       // work, in factorisations,
  double share;         // and in all that was done before, whichever is more; both 0: no limit of its own
  ChSetting setting[CH_NESTED_SETTINGS];
  const Cycle* cycle;  // of the values of the first setting, by round; NULL: as it is
  const char* why;     // what was measured
} Stage;

// Where the interior point with the slip coupled in begins. The path from one start may turn back before it has come to
// a solution, which shows soon; that from another start is another path.
#define INTERIOR(smoothing, size, fraction)                                         \
  {                                                                                 \
    {"ipm.smoothing", smoothing}, {"ipm.start", size}, { "ipm.fraction", fraction } \
  }
#define USUAL INTERIOR(30.0, 0.1, 0.95)
#define LOW INTERIOR(0.0, 0.01, 0.95)
#define CAREFUL INTERIOR(30.0, 0.1, 0.7)
#define HIGH INTERIOR(0.0, 1.0, 0.7)
#define FORMS(number)            \
  {                              \
    { "newton.forms", (number) } \
  }

static const Stage cheap[] = {
    {.when = walks,
     .method = &ch_method_working_set,
     .budget = 2000,
     .why = "working_set.md: sets of up to twenty blocks are walked, which solves all but one in two hundred"},
    {.when = leaps,
     .method = &ch_method_leap,
     .why = "leap.md: of the steps of `haptic`, half are solved to 1e-6 in 7 leaps, nine of ten in 25"},
    {.when = walks_first,
     .method = &ch_method_walk,
     .how = FACTORS,
     .budget = 12,
     .why = "portfolio.csv: below 20 contacts walk solves all, on all but four within 1.4 times the fastest"},
    {.when = is_piled,
     .method = &ch_method_working_set,
     .budget = 200,
     .why = "portfolio.csv: six chairs with 36 contacts each, 1.1 ms; leap 3.4 ms, sweeps and splitting more"},
    {.when = starts_near,
     .method = &ch_method_leap,
     .how = FACTORS,
     .budget = 20,
     .why = "portfolio.csv: warm starts of stacks to 1e-8, leap 0.34 ms, newton 0.47, splitting 15"},
    {.when = surges_at_once,
     .method = &ch_method_ansgs,
     .how = SWEEPS,
     .setting = {{"ansgs.hurry", 20}, {"ansgs.aim", ROUGH}, {"ansgs.check", 10}, {"ansgs.slip", SLIDES}},
     .why = "portfolio.csv: of all methods the most often within twice the fastest to 1e-4; what rests is left to "
            "splitting"},
    {.when = surges_longer,
     .method = &ch_method_ansgs,
     .how = SWEEPS,
     .budget = 200,
     .setting = {{"ansgs.hurry", 40}, {"ansgs.aim", ROUGH}, {"ansgs.check", 10}},
     .why = "portfolio.csv: packings and walls of 400 to 5,000 contacts, 50 to 250 sweeps to 1e-4"},
    {.when = sweeps_at_once,
     .method = &ch_method_nsgs,
     .how = SWEEPS | FACTORS,
     .setting = {{"nsgs.hurry", 1}, {"nsgs.aim", ROUGH}},
     .why = "portfolio.csv: problems of up to nine contacts are solved here in 394 to 1.7e4 of work, by newton in ten "
            "times that"},
    {.when = slid_far,
     .method = &ch_method_leap,
     .how = FACTORS,
     .budget = 12,
     .why = "portfolio.csv: 464 contacts that slide, 16 ms; ansgs 31 ms, newton 43 ms"},
    {.when = slid_along,
     .method = &ch_method_leap,
     .how = FACTORS,
     .budget = 30,
     .why = "portfolio.csv: one of the two quickest on slides of up to 100 contacts; one or two leaps from where "
            "sweeps end"},
    {.when = may_rest_early,
     .method = &ch_method_admm,
     .how = FACTORS | FROM_NOTHING | STILL | TRIES,
     .budget = 60,
     .setting = {{"admm.aim", ROUGH}, {"admm.rho", 0.01}, {"admm.hurry", 2}},
     .why = "what rests takes 20 to 40 iterations from nothing (cards, arches, walls), and more from where sweeps end"},
    {.when = leaps_on, .method = &ch_method_leap, .budget = 20, .why = "from 1e-3 on one to three leaps do"},
    {.when = leaps_early,
     .method = &ch_method_leap,
     .how = FROM_NOTHING | PAUSES,
     .budget = 15,
     .why = "stacks under a heavy load, on which splitting takes 445 to 1,935 iterations: 7 to 11 leaps"},
    {.when = slides,
     .method = &ch_method_ipm,
     .how = STILL | YIELDS,
     .tolerance = HANDOVER,
     .budget = 60,
     .setting = {{"ipm.rest", 1}, {"ipm.fraction", 0.99}},
     .why = "what leaps found from nothing slides: 3 to 6 factorisations tell whether something rests, too"},
    {.when = leaps_on, .method = &ch_method_leap, .budget = 20, .why = "from 1e-3 on one to three leaps do"},
    {.when = yields,
     .method = &ch_method_ansgs,
     .budget = 600,
     .setting = {{"ansgs.climbs", 1}},
     .why = "ansgs.md: 1,000 compliant spheres in a jam take 100 to 200 sweeps to 1e-6, 6 ms a step; six "
            "factorisations first, 57 ms"},
};

static const Stage opening[] = {
    {.when = is_crowded,
     .method = &ch_method_working_set,
     .budget = 2000,
     .why = "leap.md: a chair that lands with 196 samples takes over a hundred leaps; its handful that carries, few"},
    {.when = is_crowded,
     .method = &ch_method_ipm,
     .how = HANDS_OVER,
     .budget = 60,
     .setting = USUAL,
     .why = "working_set.md: where no set is solved, all contacts go to the interior point"},
    {.when = is_crowded_and_near,
     .method = &ch_method_newton,
     .budget = 25,
     .setting = FORMS(2),
     .why = "auto.md: from 1e-6 on Newton converges in a few factorisations"},
    {.when = is_crowded,
     .method = &ch_method_newton,
     .budget = 25,
     .setting = FORMS(2),
     .why = "auto.md: the same from where the interior point ended, near or not"},
    {.when = is_crowded,
     .method = &ch_method_ipm,
     .how = HANDS_OVER,
     .budget = 60,
     .setting = CAREFUL,
     .why = "auto.md: a path that turned back may not do so from another start"},
    {.when = is_crowded_and_near,
     .method = &ch_method_newton,
     .budget = 25,
     .setting = FORMS(2),
     .why = "auto.md: as after the first start"},
    {.when = yields,
     .method = &ch_method_ansgs,
     .budget = 2000,
     .setting = {{"ansgs.patience", 600}},
     .why = "the same from where these sweeps ended, and where little work is left and parts climb together"},
    {.when = is_warm_and_near,
     .method = &ch_method_newton,
     .budget = 6,
     .setting = FORMS(2),
     .why = "auto.md: a start that is near is worth six factorisations before anything else"},
};

static const Stage coulomb[] = {
    {.when = sweeps_before_factors,
     .method = &ch_method_ansgs,
     .factors = 8,
     .setting = {{"ansgs.patience", 600}},
     .why = "portfolio.csv: 300 spheres that jam, 7.6e6 of work to 1e-4; newton 1.6e8, ipm 3.7e8"},
    {.when = may_rest,
     .method = &ch_method_admm,
     .how = FROM_NOTHING | STILL | TRIES | AIMS,
     .tolerance = FINE,
     .budget = 60,
     .setting = {{"admm.aim", 0}, {"admm.rho", 0.01}, {"admm.hurry", 1}},
     .why = "sweep: without, 530 solved, work +4 %; of several solutions it is the one in which a structure stands"},
    {.when = is_near,
     .method = &ch_method_leap,
     .budget = 20,
     .why = "BoxesStack1 from 4e-5 to 1e-10: 8 factorisations, newton 32"},
    {.when = rest_is_far,
     .method = &ch_method_ipm,
     .how = STILL,
     .tolerance = HANDOVER,
     .budget = 60,
     .setting = {{"ipm.rest", 1}, {"ipm.fraction", 0.99}},
     .why = "portfolio.csv: an aqueduct of 5,024 contacts in 12 factorisations, where sweeps and newton miss 1e-4"},
    {.when = sweeps_after_factors,
     .method = &ch_method_ansgs,
     .factors = 8,
     .setting = {{"ansgs.patience", 600}},
     .why = "portfolio.csv: a shaken pyramid of 960 contacts, 1.2e7 of work to 1e-4, the least of all"},
    {.when = is_near,
     .method = &ch_method_leap,
     .budget = 20,
     .why = "BoxesStack1 from 4e-5 to 1e-10: 8 factorisations, newton 32"},
    {.when = sweeps_later,
     .method = &ch_method_nsgs,
     .how = SWEEPS | AIMS,
     .setting = {{"nsgs.aim", 0}, {"nsgs.hurry", 1}},
     .why = "auto.rest = 2 looks for rest before it sweeps"},
    {.when = is_medium,
     .method = &ch_method_leap,
     .budget = 20,
     .why = "portfolio.csv: of slides with up to 100 contacts leap is the cheapest on most"},
    {.when = is_small,
     .method = &ch_method_newton,
     .budget = 15,
     .setting = FORMS(2),
     .why = "sweep: without, 528 solved, work +0.4 %"},
    {.when = is_plane,
     .method = &ch_method_ipm,
     .how = HANDS_OVER,
     .budget = 60,
     .setting = LOW,
     .why = "sweep: without, 521 solved, work +3 %; auto.md has the first step of 210 disks at twelve frictions"},
    {.when = is_plane_and_near,
     .method = &ch_method_newton,
     .budget = 25,
     .setting = FORMS(2),
     .why = "auto.md: each start is refined where it comes near"},
    {.when = is_plane,
     .method = &ch_method_ipm,
     .how = HANDS_OVER,
     .budget = 60,
     .setting = CAREFUL,
     .why = "sweep: without, 528 solved, work -0.2 %; auto.md: another path where the first one turns back"},
    {.when = is_plane_and_near,
     .method = &ch_method_newton,
     .budget = 25,
     .setting = FORMS(2),
     .why = "auto.md: each start is refined where it comes near"},
    {.when = sweeps_before_factors_again,
     .method = &ch_method_seeded,
     .how = KEEPS,
     .factors = 36,
     .why = "adaptive_steps.md: short steps of a box of 1,000 that sweeps leave at 1e-3"},
    {.when = sweeps_before_factors_again,
     .method = &ch_method_admm,
     .how = KEEPS,
     .factors = 60,
     .why = "adaptive_steps.md: the same where the interior point is no start; 2,400 and 3,800 iterations"},
    {.when = is_rough,
     .method = &ch_method_admm,
     .how = FROM_NOTHING | HANDS_OVER,
     .budget = 200,
     .setting = {{"admm.rho", 0.2}, {"admm.patience", 100}},
     .why = "sweep: without, 527 solved, work +3 %"},
    {.method = &ch_method_newton, .budget = 25, .setting = FORMS(2), .why = "sweep: without, 524 solved, work +5 %"},
    {.when = is_space_and_far,
     .method = &ch_method_ipm,
     .how = HANDS_OVER,
     .budget = 60,
     .setting = USUAL,
     .why = "sweep: without, 531 solved, work +-0; it is for slip that splitting does not find"},
    {.method = &ch_method_newton,
     .budget = 40,
     .setting = FORMS(2),
     .why = "sweep: without, 528 solved, work -0.2 %; it refines what the interior point leaves"},
    {.when = is_plane,
     .method = &ch_method_ipm,
     .how = HANDS_OVER,
     .budget = 60,
     .setting = HIGH,
     .why = "sweep: without, 528 solved, work +0.4 %; auto.md: the third path"},
    {.when = is_plane_and_near,
     .method = &ch_method_newton,
     .budget = 25,
     .setting = FORMS(2),
     .why = "auto.md: each start is refined where it comes near"},
};

static const Cycle penalties = {7, {0.2, 0.05, 0.5, 0.1, 0.3, 1.0, 0.02}},
                   polygonal_penalties = {6, {0.2, 0.05, 0.5, 0.1, 1.0, 0.02}},
                   convex_penalties = {4, {0.05 * 1, 0.05 * 2, 0.05 * 3, 0.05 * 4}};

// Slip by small steps: the convex problem of a slip, part of the new slip, and again. Where a structure locks and
// slides at once, as a pile near the friction it needs, this comes down where all else wanders about.
#define EASE(damping)                                             \
  {                                                               \
    {"successive.anderson", 0}, { "successive.damping", damping } \
  }

static const Stage rounds[] = {
    {.when = begins_anew,
     .method = &ch_method_leap,
     .how = FROM_NOTHING | KEEPS,
     .budget = 40,
     .why = "tight_fits.md: steps of shelves that fall, where newton from all that was found stays above 1e-8"},
    {.when = begins_anew,
     .method = &ch_method_newton,
     .how = FROM_NOTHING | KEEPS,
     .budget = 100,
     .setting = FORMS(0),
     .why = "tight_fits.md: the same where leap misses"},
    {.when = unusual_begins_anew,
     .method = &ch_method_newton,
     .how = FROM_NOTHING | KEEPS,
     .budget = 1500,
     .setting = FORMS(0),
     .why = "cohesive.md: 140 cohesive disks that strike, 900 factorisations, where all else here misses 1e-4"},
    {.when = sweeps_before_factors_again,
     .method = &ch_method_ansgs,
     .share = 1.0,
     .why = "portfolio.csv: dense packings; with half of all work auto is within three times of sweeps alone"},
    {.when = descends,
     .method = &ch_method_apgd,
     .how = FROM_NOTHING,
     .share = 1.5,
     .why = "a shaken card house of 510 contacts to 1e-4, 5.6e8 of work, where all else misses; with this share auto "
            "takes 1.1e9"},
    {.method = &ch_method_newton,
     .how = RESTARTS,
     .budget = 100,
     .growth = 200,
     .setting = FORMS(0),
     .why = "sweep: without, 528 solved, work +0.2 %: few of its problems come so far"},
    {.when = eases_half,
     .method = &ch_method_successive,
     .how = FROM_NOTHING | KEEPS,
     .tolerance = EASED,
     .budget = 200,
     .setting = EASE(0.5),
     .why = "auto.md: a pile of 20 just below the friction it needs, in one to two seconds, where all else wanders"},
    {.when = eases_third,
     .method = &ch_method_successive,
     .how = FROM_NOTHING | KEEPS,
     .tolerance = EASED,
     .budget = 200,
     .setting = EASE(0.3),
     .why = "auto.md: the same with smaller steps"},
    {.when = eases,
     .method = &ch_method_newton,
     .how = FROM_FOUND,
     .budget = 40,
     .setting = FORMS(0),
     .why = "auto.md: easing slows down at 1e-5"},
    {.method = &ch_method_admm,
     .how = FROM_NOTHING | HANDS_OVER | KEEPS,
     .budget = 1000,
     .growth = 1000,
     .setting = {{"admm.rho", 0}, {"admm.patience", 1000000}},
     .cycle = &penalties,
     .why = "auto.md: another penalty is another path; longer limits do help"},
    {.when = gained_nothing,
     .method = &ch_method_newton,
     .how = FROM_FOUND,
     .budget = 80,
     .setting = FORMS(0),
     .why = "auto.md: where splitting ended is another start for Newton, better or not"},
};

static const Stage refinement = {
    .method = &ch_method_leap, .budget = 20, .why = "BoxesStack1 from 4e-5 to 1e-10: 8 factorisations, newton 32"};

static const Stage convex[] = {
    {.when = sweeps_smooth,
     .method = &ch_method_nsgs,
     .how = SWEEPS,
     .setting = {{"nsgs.hurry", 1}},
     .why = "sweep, relaxed: without, 572 of 572 solved, work -3 %; easy problems end here"},
    {.when = is_smooth,
     .method = &ch_method_ipm,
     .how = HANDS_OVER,
     .budget = 60,
     .setting = USUAL,
     .why = "sweep, relaxed: without, 506 of 572 solved, work +61 %"},
    {.method = &ch_method_newton,
     .budget = 200,
     .setting = FORMS(0),
     .why = "sweep, relaxed: without, 503 of 572 solved, work +78 %"},
};

static const Stage convex_rounds[] = {
    {.method = &ch_method_admm,
     .how = FROM_NOTHING | HANDS_OVER,
     .budget = 5000,
     .growth = 5000,
     .setting = {{"admm.rho", 0}, {"admm.patience", 500}},
     .cycle = &convex_penalties,
     .why = "auto.md: in turn with newton, a penalty each time"},
    {.method = &ch_method_newton, .budget = 200, .setting = FORMS(0), .why = "auto.md: refines what splitting leaves"},
};

// De Saxce's map is piecewise linear over polygons.
static const Stage polygonal_rounds[] = {
    {.method = &ch_method_admm,
     .how = FROM_NOTHING | HANDS_OVER,
     .budget = 200,
     .growth = 200,
     .setting = {{"admm.rho", 0}, {"admm.patience", 200}},
     .cycle = &polygonal_penalties,
     .why = "sweep, polygons of 8: without, 503 of 530 solved, work +23 %"},
    {.method = &ch_method_newton,
     .budget = 60,
     .setting = FORMS(0),
     .why = "auto.md: De Saxce's map is piecewise linear here"},
    {.when = can_pivot, .method = &ch_method_lemke, .budget = 20000, .why = "up to 400 rows pivoting ends in seconds"},
};

// --- running them ----------------------------------------------------------------------------------------------------

// Where it ends at the latest. What hands over goes on below a loose rung, for Newton to begin near.
static double tolerance_of(const Plan* p, const Stage* stage) {
  double rung = p->run->tolerance;
  if (stage->how & PAUSES) return ROUGH;
  if ((stage->how & SWEEPS) && is_early(p)) return fmax(rung, SETTLED);
  if (stage->how & HANDS_OVER) return fmax(HANDOVER, fmin(rung, ROUGH));
  if (stage->how & STILL) return stage->tolerance > 0.0 ? fmin(rung, stage->tolerance) : rung;
  return stage->tolerance > 0.0 ? fmax(stage->tolerance, rung) : 0.0;
}

static ChNested nested_of(const Plan* p, const Stage* stage) {
  ChNested nested = {.method = stage->method, .tolerance = tolerance_of(p, stage), .max_iterations = stage->budget};
  memcpy(nested.setting, stage->setting, sizeof nested.setting);
  if (stage->how & FROM_NOTHING) nested.start = p->zero;
  if (stage->how & FROM_FOUND) nested.start = p->found;
  if (stage->how & SWEEPS) nested.max_iterations = stage->budget > 0 ? stage->budget : p->o.sweeps;
  nested.max_iterations += stage->growth * (stage->how & RESTARTS ? p->round % penalties.count : p->round);
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

static bool lies_in_plane(const ChSystem* s) {
  for (int i = 0; i < s->n; ++i)
    if (s->block[i].law->cone && s->dim[i] > 2) return false;
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
  p->plane = !is_small(p) && lies_in_plane(s);
  if (p->factor == 0.0 && is_large(p))
    p->factor = fmax(ch_linear_work(ch_run_linear(p->run, CH_SPACE_AUTO, false)), FACTOR_LEAST * s->n);
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

static bool run_stage(Plan* p, const Stage* stage) {
  if (stage->how & FACTORS) look_at_factors(p);
  ChNested nested = nested_of(p, stage);
  p->before = p->run->error;
  p->last = stage;
  if (stage->how & PAUSES) return pause_at_slip(p, &nested);
  if (stage->how & STILL) return look_for_rest(p, stage, &nested);
  bool done = run_nested(p->run, &nested, stage->how & KEEPS ? p->found : NULL);
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

typedef struct Table {
  int count;
  const Stage* stages;
} Table;
#define TABLE(stages) \
  { (int)(sizeof(stages) / sizeof *(stages)), stages }

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
  return run_stage(p, hands_over ? &refinement : last);
}

// The plan of this part: the one of the last rung, or a new one. Called by another method it has no rungs, and `own`.
static Plan* plan_of(ChRun* run, Plan* own) {
  _Static_assert(sizeof(Plan) <= sizeof run->shared->plan, "a plan fits into its room");
  Plan* p = run->part ? (Plan*)run->shared->plan : own;
  if (!run->part || !run->shared->planned) *p = (Plan){.begun = ch_work_done()};
  if (run->part) run->shared->planned = true;
  p->run = run;
  p->o = read_options(run->options);
  return p;
}

static void solve(ChRun* run) {
  static const Table openings = TABLE(opening), simple = TABLE(cheap);
  static const Table tables[3][2] = {
      {TABLE(coulomb), TABLE(rounds)}, {TABLE(convex), TABLE(convex_rounds)}, {{0}, TABLE(polygonal_rounds)}};
  const ChSystem* s = run->system;
  const Table* t = tables[s->relaxed ? 1 : s->polygonal ? 2 : 0];
  Plan own, *p = plan_of(run, &own);
  p->ready = false;
  bool limited = !run->part || run->max_iterations > 1;  // no rungs; one iteration is to improve a start that is good
  if ((run->rung == 0 || limited) && (run_once(p, simple) || !limited)) return;
  bool continues = p->entered;
  p->entered = true;
  if (!continues && run_once(p, openings)) return;
  bool met = continues && p->rung != run->rung;
  bool sweeps = met && yields(p) && p->last->method == &ch_method_ansgs;  // W is not asked for while they get on
  p->rung = run->rung;
  if (sweeps && go_on(p, t[0], t[1])) return;
  look_at_factors(p);
  if (met && !sweeps && go_on(p, t[0], t[1])) return;
  run_tables(p, t[0], t[1]);
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
