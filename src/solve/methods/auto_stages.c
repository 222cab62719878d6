// The tables of the portfolio: see auto.c. Conditions first, then the stages that run where they hold.
#include <math.h>

#include "solve/linear/wide_system.h"
#include "solve/methods/auto_plan.h"

extern const ChMethod ch_method_admm, ch_method_ansgs, ch_method_apgd, ch_method_ipm, ch_method_leap, ch_method_lemke,
    ch_method_newton, ch_method_nsgs, ch_method_seeded, ch_method_successive, ch_method_trek, ch_method_walk,
    ch_method_working_set;

#define LARGE 40           // blocks from which on sweeps with momentum have a stage of their own
#define DEAR 1500.0        // work a block, some thirty sweeps, from which on a factorisation is dear
#define WALKED 12          // blocks up to which walks find a solution soonest
#define WALKED_SMOOTH 60   // and without friction
#define SMALL 40           // blocks up to which a factorisation costs less than the splitting steps it may save
#define MEDIUM 300         // blocks up to which leaps are tried before splitting,
#define SLID 1000          // and where sweeps slide and are far off
#define LEMKE_ROWS 400     // rows up to which pivoting ends in seconds
#define FAR 1e-2           // error above which sweeps are far off
#define RESTS 1.5          // and one whose slip shows less on its way to rest
#define RESTING 0.1        // error below which splitting is on its way to rest
#define EASED 1e-5         // where easing of the slip slows down
#define LEAP_FREEDOMS 100  // of deformable bodies, up to which all of their contacts are solved for at once,
#define LEAP_CROWD 12      // and rows a freedom; beyond that few of them carry, see working-set
#define HANDFUL 12         // rows up to which W of deformable bodies is formed at once,
#define FEW 4              // where their freedoms are so many times more
#define WALK_FREEDOMS 24   // of them, up to which so few contacts carry that walks find them sooner
#define PILED 4            // rows a freedom, from which on few contacts carry
#define LOOSE_RUNG 2       // 1e-4, the last rung that sweeps alone come to in a jam
#define HALFWAY 1e-5       // as far as iterations without a factorisation go on, once they have met their rung,
#define BEYOND 5e-9        // and where few more of them save the factorisation that a leap is

// --- conditions ------------------------------------------------------------------------------------------------------

static bool is_curved(const Plan* p) { return !p->run->system->polygonal && !p->run->system->relaxed; }
static bool is_smooth(const Plan* p) { return !p->run->system->polygonal; }

// A handful of contacts on bodies of many freedoms: their W is small, of full rank, and formed in no time.
static bool is_handful(const ChSystem* s) { return s->rows <= HANDFUL && FEW * s->rows <= s->bodies->dofs; }

static bool leaps(const Plan* p) {
  const ChSystem* s = p->run->system;
  return is_curved(p) && ch_wide_suits(s) && s->bodies->dofs <= LEAP_FREEDOMS &&
         s->rows <= LEAP_CROWD * s->bodies->dofs && !is_handful(s);
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

bool ch_auto_is_large(const Plan* p) { return is_curved(p) && p->run->system->n >= LARGE; }

// Friction, joints and limits of rigid contact: what the stages before the rungs were measured on.
static bool is_usual(const Plan* p) {
  const ChSystem* s = p->run->system;
  return is_curved(p) && !s->unusual && !s->compliant;
}
// Near as the certificate has it, relative to no reactions: where gaps over a short step make up most of q, every start
// is near in the system's own units.
static double relative_error(const Plan* p) { return p->run->error / fmin(p->run->scale, 1.0); }
static bool starts_warm(const Plan* p) { return p->run->options->warm && relative_error(p) <= NEAR; }
static bool is_warm_and_near(const Plan* p) { return starts_warm(p) && (!is_usual(p) || is_polished(p)); }

static bool sweeps_first(const Plan* p) { return p->o.rest != 2 && p->o.sweeps > 0; }
// Many contacts that yield: sweeps with momentum converge, and nothing is quicker.
bool ch_auto_yields(const Plan* p) { return p->run->system->compliant && ch_auto_is_large(p); }
static bool is_frictionless(const ChSystem* s) {
  for (int i = 0; i < s->n; ++i)
    if (s->block[i].law->cone && s->block[i].mu > 0.0) return false;
  return true;
}
static bool walks_first(const Plan* p) {
  const int n = p->run->system->n;
  const int most = is_frictionless(p->run->system) ? WALKED_SMOOTH : WALKED;
  return is_usual(p) && !is_crowded(p) && n <= most && n > 1 && !is_polished(p);
}
static bool surges(const Plan* p) { return is_usual(p) && p->run->system->n > WALKED; }
static bool sweeps_at_once(const Plan* p) {
  return is_smooth(p) && sweeps_first(p) && !is_crowded(p) && !ch_auto_yields(p) && !surges(p);
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
static bool surges_longer_cold(const Plan* p) { return surges_longer(p) && !p->run->options->warm; }
static bool surges_longer_warm(const Plan* p) { return surges_longer(p) && p->run->options->warm; }
bool ch_auto_is_early(const Plan* p) {
  return is_usual(p) && !is_crowded(p) && p->o.rest != 2 && p->run->system->n <= MEDIUM;
}
static bool leaps_early(const Plan* p) { return ch_auto_is_early(p) && p->run->error > ROUGH; }
// Where sweeps are on their way to slide their end is refined; rest is looked for where they are not.
static bool slid_along(const Plan* p) { return leaps_early(p) && (p->slid || !p->o.rest); }
static bool slid_far(const Plan* p) {
  const int n = p->run->system->n;
  return is_usual(p) && !is_crowded(p) && p->slid && n > MEDIUM && n <= SLID && relative_error(p) > FAR;
}
// Many contacts on few rigid bodies.
static bool is_piled(const Plan* p) {
  const ChSystem* s = p->run->system;
  return is_usual(p) && s->bodies && s->bodies->dofs <= WALK_FREEDOMS && s->n > WALKED &&
         s->rows >= PILED * s->bodies->dofs && !is_polished(p);
}
static bool may_rest_early(const Plan* p) {
  return ch_auto_is_early(p) && p->run->error > ROUGH && p->o.rest && !p->looked && !p->slid;
}
static bool slides(const Plan* p) { return p->slides && p->o.rest && !p->slid && !p->sought; }
static bool leaps_on(const Plan* p) { return ch_auto_is_early(p) && p->run->error <= NEAR; }
static bool sweeps_later(const Plan* p) { return p->o.rest == 2 && p->o.sweeps > 0; }
static bool sweeps_smooth(const Plan* p) { return is_smooth(p) && p->o.sweeps > 0; }
static bool may_rest(const Plan* p) {
  return p->o.rest == 2 || (p->o.rest && !p->looked && (p->run->error > ROUGH || !p->slid));
}
// Without bodies all of W is factored, which leaps do without its symmetry.
static bool may_rest_of_matrix(const Plan* p) { return may_rest(p) && !p->run->system->bodies; }
static bool may_rest_of_bodies(const Plan* p) { return may_rest(p) && p->run->system->bodies; }
static bool rest_is_far(const Plan* p) { return p->looked && !p->sought && !(p->rest < NEAR); }
static bool rests_nearly(const Plan* p) { return leaps_early(p) && rest_is_far(p) && p->rest < RESTING; }

bool ch_auto_is_small(const Plan* p) { return p->run->system->n <= SMALL; }
static bool is_medium(const Plan* p) { return p->run->system->n <= MEDIUM && !p->plane; }
static bool is_plane(const Plan* p) { return p->plane; }
static bool is_plane_and_near(const Plan* p) { return p->plane && is_near(p); }
static bool is_rough(const Plan* p) { return p->run->error > ROUGH; }
static bool is_small_and_rough(const Plan* p) { return ch_auto_is_small(p) && is_rough(p); }
static bool is_far(const Plan* p) { return p->run->error > HANDOVER; }
static bool is_large_and_rough(const Plan* p) { return ch_auto_is_large(p) && is_rough(p); }
// A factorisation that costs as much as many sweeps comes after them. Without bodies sweeps go through W and are dear.
bool ch_auto_factors_are_dear(const Plan* p) { return p->run->system->bodies && p->factor > DEAR * p->run->system->n; }
static bool sweeps_before_factors(const Plan* p) { return ch_auto_is_large(p) && ch_auto_factors_are_dear(p); }
static bool sweeps_before_factors_again(const Plan* p) { return sweeps_before_factors(p) && is_rough(p); }
// A large packing of rigid bodies.
static bool may_jam(const Plan* p) { return sweeps_before_factors(p) && is_usual(p) && p->run->system->n > MEDIUM; }
// From further off paths turn back.
bool ch_auto_jams(const Plan* p) {
  return may_jam(p) && relative_error(p) <= NEAR && !ch_system_is_soft(p->run->system);
}
// Sweeps that went round in circles from a warm start may not do so from none.
static bool starts_anew(const Plan* p) {
  return may_jam(p) && p->run->options->warm && p->rung <= LOOSE_RUNG && relative_error(p) > NEAR;
}
static bool seeds(const Plan* p) { return sweeps_before_factors_again(p) && p->rung > 1; }
static bool sweeps_after_factors(const Plan* p) { return is_large_and_rough(p) && !ch_auto_factors_are_dear(p); }
static bool descends(const Plan* p) {
  return p->round > 0 && ch_auto_is_large(p) && is_usual(p) && p->run->tolerance >= EASED &&
         !ch_auto_factors_are_dear(p);
}
static bool is_space_and_far(const Plan* p) { return p->run->error > HANDOVER && !p->plane; }

static bool begins_anew(const Plan* p) { return p->round == 0 && is_medium(p); }
// Laws that are no cone, which few methods take: those that do get longer.
static bool unusual_begins_anew(const Plan* p) { return p->round == 0 && p->run->system->unusual; }
static bool unusual_leaps_anew(const Plan* p) { return unusual_begins_anew(p) && !begins_anew(p); }
static bool unusual_splits(const Plan* p) { return unusual_begins_anew(p) && !ch_auto_is_small(p) && is_rough(p); }
static bool unusual_sweeps(const Plan* p) { return p->run->system->unusual && !ch_auto_is_small(p) && is_rough(p); }
static bool unusual_sweeps_plain(const Plan* p) { return unusual_sweeps(p) && p->round % 2; }
static bool unusual_sweeps_fast(const Plan* p) { return unusual_sweeps(p) && p->round % 2 == 0; }
// Piles of disks: factors are cheap, and what cycles among kinks may not on a path over them, or in many sweeps.
static bool plane_begins_anew(const Plan* p) { return p->round == 0 && p->plane && is_usual(p) && is_far(p); }
static bool plane_sweeps(const Plan* p) { return p->round % 2 == 0 && p->plane && is_usual(p) && is_far(p); }
static bool eases_half(const Plan* p) { return p->round % 8 == 2; }
static bool eases_third(const Plan* p) { return p->round % 8 == 6; }
static bool eases(const Plan* p) { return p->round % 4 == 2; }
static bool gained_nothing(const Plan* p) { return p->run->error == p->before; }

static bool can_pivot(const Plan* p) {
  return p->round == 0 && p->run->system->formed && p->run->system->rows <= LEMKE_ROWS;
}

// --- stages
// -------------------------------------------------------------------------------------------------------------

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

// The last setting: how many times more sweeps are done where all contacts are of spheres, whose sweeps cost a quarter.
#define ROLLING(times) \
  { "ansgs.spheres", times }

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
     .how = SWEEPS | ROLLS,
     .setting = {{"ansgs.hurry", 20}, {"ansgs.aim", ROUGH}, {"ansgs.check", 10}, {"ansgs.slip", SLIDES}, ROLLING(20)},
     .why = "portfolio.csv: of all methods the most often within twice the fastest to 1e-4; what rests is left to "
            "splitting"},
    {.when = surges_longer_cold,
     .method = &ch_method_ansgs,
     .how = SWEEPS | ROLLS,
     .budget = 200,
     .setting = {{"ansgs.hurry", 20}, {"ansgs.aim", ROUGH}, {"ansgs.check", 10}, {"ansgs.slip", RESTS}, ROLLING(2)},
     .why = "portfolio.csv: packings and walls of 400 to 5,000 contacts, 50 to 250 sweeps to 1e-4"},
    {.when = surges_longer_warm,
     .method = &ch_method_ansgs,
     .how = SWEEPS | ROLLS,
     .budget = 200,
     .setting = {{"ansgs.hurry", 40}, {"ansgs.aim", ROUGH}, {"ansgs.check", 10}, {"ansgs.slip", 0}, ROLLING(2)},
     .why = "portfolio.csv: piles of 590 contacts in the plane from what the step before had: 44 sweeps, 2 ms; "
            "splitting 6 ms"},
    {.when = sweeps_at_once,
     .method = &ch_method_nsgs,
     .how = SWEEPS | FACTORS,
     .setting = {{"nsgs.hurry", 1}, {"nsgs.aim", ROUGH}},
     .why = "portfolio.csv: problems of up to nine contacts are solved here in 394 to 1.7e4 of work, by newton in ten "
            "times that"},
    {.when = slid_far,
     .method = &ch_method_leap,
     .how = FACTORS | LIGHT,
     .budget = 12,
     .why = "portfolio.csv: 464 contacts that slide, 16 ms; ansgs 31 ms, newton 43 ms"},
    {.when = slid_along,
     .method = &ch_method_leap,
     .how = FACTORS | LIGHT,
     .budget = 30,
     .why = "portfolio.csv: one of the two quickest on slides of up to 100 contacts; one or two leaps from where "
            "sweeps end"},
    {.when = may_rest_early,
     .method = &ch_method_admm,
     .how = FACTORS | FROM_NOTHING | STILL | TRIES,
     .budget = 120,
     .setting = {{"admm.aim", ROUGH}, {"admm.rho", 0.01}, {"admm.hurry", 2}},
     .why = "what rests takes 20 to 40 iterations from nothing (cards, arches, walls), and more from where sweeps end"},
    {.when = leaps_on, .method = &ch_method_leap, .budget = 20, .why = "from 1e-3 on one to three leaps do"},
    {.when = rests_nearly,
     .method = &ch_method_ipm,
     .how = STILL | TRIES,
     .tolerance = HANDOVER,
     .budget = 60,
     .setting = {{"ipm.rest", 1}, {"ipm.fraction", 0.99}},
     .why =
         "portfolio.csv: a tower of 50 and a pyramid, on which splitting slows down at 3e-2: 9 to 11 factorisations"},
    {.when = leaps_on, .method = &ch_method_leap, .budget = 20, .why = "from 1e-3 on one to three leaps do"},
    {.when = leaps_early,
     .method = &ch_method_leap,
     .how = FROM_NOTHING | PAUSES | LIGHT,
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
    {.when = ch_auto_yields,
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
    {.when = ch_auto_yields,
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
    {.when = may_jam,
     .method = &ch_method_ansgs,
     .budget = 1500,
     .why = "trek.md: what sweeps do not bring down in fifteen hundred they often do not in ten thousand"},
    {.when = starts_anew,
     .method = &ch_method_ansgs,
     .how = FROM_NOTHING | KEEPS,
     .budget = 2000,
     .why =
         "adaptive_steps.md: of 48 steps of a box that jams, missed to 1e-4 from warm, sweeps from nothing solve 20"},
    {.when = ch_auto_jams,
     .method = &ch_method_trek,
     .factors = 10,
     .setting = {{"trek.sweeps", 0}},
     .why = "trek.md: tries at steps of 945 spheres that jam, to 1e-8: 31 of 36 solved, by condense 26"},
    {.when = ch_auto_jams,
     .method = &ch_method_trek,
     .how = FROM_NOTHING | KEEPS,
     .factors = 20,
     .setting = {{"trek.sweeps", 3000}},
     .why = "trek.md: another start is another path: 34 of the same 36, and four of the five that were left"},
    {.when = sweeps_before_factors,
     .method = &ch_method_ansgs,
     .factors = 8,
     .setting = {{"ansgs.patience", 600}},
     .why = "portfolio.csv: 300 spheres that jam, 7.6e6 of work to 1e-4; newton 1.6e8, ipm 3.7e8"},
    {.when = may_rest_of_bodies,
     .method = &ch_method_admm,
     .how = FROM_NOTHING | STILL | TRIES | AIMS,
     .tolerance = HALFWAY,
     .budget = 60,
     .setting = {{"admm.aim", 0}, {"admm.rho", 0.01}, {"admm.hurry", 1}},
     .why = "sweep: without, 530 solved, work +4 %; of several solutions it is the one in which a structure stands"},
    {.when = may_rest_of_matrix,
     .method = &ch_method_admm,
     .how = FROM_NOTHING | STILL | TRIES | AIMS,
     .tolerance = HALFWAY,
     .budget = 60,
     .setting = {{"admm.aim", 0}, {"admm.rho", 0.01}, {"admm.hurry", 1}, {"admm.beyond", BEYOND}},
     .why = "KaplasTower: 15 iterations from 2e-6 to 1e-9, 2.2 ms; a leap, which factors W anew, 4 ms"},
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
    {.when = is_small_and_rough,
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
    {.when = seeds,
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

static const Cycle penalties = {PENALTIES, {0.2, 0.05, 0.5, 0.1, 0.3, 1.0, 0.02}},
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
    {.when = unusual_leaps_anew,
     .method = &ch_method_leap,
     .how = FROM_NOTHING | KEEPS,
     .budget = 40,
     .why = "rolling.md: a card house of 186 contacts that roll and drill, 22 leaps, where newton circles at 1e-7"},
    {.when = unusual_sweeps_fast,
     .method = &ch_method_ansgs,
     .share = 1.0,
     .setting = {{"ansgs.patience", 1000000}},
     .why = "rolling.md: a pile of 330 contacts that roll, 3,700 sweeps"},
    {.when = unusual_sweeps_plain,
     .method = &ch_method_nsgs,
     .share = 1.0,
     .budget = 1000000,
     .why = "rolling.md: piles that roll and drill, on which sweeps without momentum go on coming down"},
    {.when = unusual_splits,
     .method = &ch_method_admm,
     .how = FROM_NOTHING | HANDS_OVER | KEEPS,
     .budget = 40000,
     .share = 1.0,
     .why = "rolling.md: the same piles, 10,000 to 20,000 iterations"},
    {.when = unusual_begins_anew,
     .method = &ch_method_newton,
     .how = FROM_NOTHING | KEEPS,
     .budget = 1500,
     .setting = FORMS(0),
     .why = "cohesive.md: 140 cohesive disks that strike, 900 factorisations, where all else here misses 1e-4"},
    {.when = plane_begins_anew,
     .method = &ch_method_trek,
     .how = FROM_NOTHING | KEEPS,
     .share = 0.5,
     .why = "rolling.md: 425 contacts of disks, 4.9e7 of work, where all else misses with 4e9"},
    {.when = plane_sweeps,
     .method = &ch_method_ansgs,
     .how = FROM_NOTHING | KEEPS,
     .share = 1.0,
     .setting = {{"ansgs.patience", 1000000}},
     .why = "rolling.md: another 425 contacts of disks, 3.9e8 of work, where the same misses"},
    {.when = sweeps_before_factors_again,
     .method = &ch_method_ansgs,
     .share = 1.0,
     .why = "portfolio.csv: dense packings; with half of all work auto is within three times of sweeps alone"},
    {.when = descends,
     .method = &ch_method_apgd,
     .how = FROM_NOTHING | KEEPS,
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

#define TABLE(stages) \
  { (int)(sizeof(stages) / sizeof *(stages)), stages }

const Table ch_auto_cheap = TABLE(cheap), ch_auto_opening = TABLE(opening);
const TablePair ch_auto_coulomb = {TABLE(coulomb), TABLE(rounds)},
                ch_auto_relaxed = {TABLE(convex), TABLE(convex_rounds)},
                ch_auto_polygonal = {{0}, TABLE(polygonal_rounds)};
