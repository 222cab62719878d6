// 004, section 7.8 and Fig 7.9(a): soft and rigid bodies stirred by a hand, fast enough to be felt.
//
// The hand moves as a table says. What is measured is the processor time of every step: a step that is certified and
// takes no longer than its own h could be felt as it happens. From the contacts: what sticks, what turns between stick
// and slip, and what jams between the tool and the walls.
#include <math.h>
#include <stdlib.h>

#include "cardhouse/clock.h"
#include "reproduce/squeeze.h"
#include "reproduce/subject.h"

#define LOADED 0.1     // N: two bodies that press with less hardly touch; the tool weighs ten times that
#define STICKS 2e-3    // m/s: slower contacts stick
#define PULLED 0.05    // of its load, carried by friction: a contact that is held and does not merely lie
#define SQUEEZES 2.0   // N of the hand, twice the weight of the tool
#define STILL 1e-2     // m/s: a body that rests; the hand moves at 0.3
#define JAM 0.2        // s at a stretch: a jam
#define HOLD 0.8       // s for which the hand holds
#define STIFFNESS 400  // of the scene's spring from the hand to the tool, N/m

typedef struct Session {
  double h, before, slowest, total;
  long steps, certified, in_time, both;
  int freedoms;
  ChSlips slips;
  ChSqueeze squeeze;
} Session;

static bool look(void* state, const ChSimulation* simulation, const ChStepInfo* info) {
  Session* s = state;
  double now = ch_clock_processor_seconds(), seconds = now - s->before;
  bool in_time = seconds <= info->h;
  ++s->steps;
  s->freedoms = ch_simulation_freedoms(simulation);
  s->certified += !info->missed;
  s->in_time += in_time;
  s->both += in_time && !info->missed;
  s->total += seconds;
  s->slowest = fmax(s->slowest, seconds);
  ch_slips_add(&s->slips, simulation, info);
  ch_squeeze_add(&s->squeeze, &s->slips, simulation, info);
  s->before = ch_clock_processor_seconds();
  return true;
}

static ChStatus hold(ChItemRun* run, const ChSubject* subject, double until, const char* record,
                     const double progress[2], Session* s, ChSummary* summary) {
  ChScene* scene;
  ChStatus status = ch_subject_open(run, subject, &scene);
  if (status != CH_OK) return status;
  ChPlay play = {
      .until = until, .record = record, .every = 20, .progress = {progress[0], progress[1]}, .each = look, .state = s};
  s->h = subject->h;
  s->slips.least_load = LOADED, s->slips.sticks = STICKS, s->slips.pull = PULLED;
  s->squeeze = (ChSqueeze){.squeezes = SQUEEZES, .carries = SQUEEZES / 4, .still = STILL, .stiffness = STIFFNESS};
  s->before = ch_clock_processor_seconds();
  double seconds;
  return ch_item_play_timed(run, scene, &play, summary, &seconds);
}

static double share(long part, long of) { return 100.0 * (double)part / (double)(of > 0 ? of : 1); }

static const char OURS[] =
    "a session of our own, without a device and without a limit of time; gaps stabilised, round cones";

static ChOurRun run_of(const ChSummary* summary) {
  ChOurRun run = ch_subject_run(summary, 1e-6);
  run.changed = OURS;
  return run;
}

static void report_session(ChReport* report, const char* name, const char* printed, double wanted, const Session* s,
                           const ChSummary* summary) {
  double mean = s->total / (double)s->steps;
  ChOurRun how = run_of(summary);
  ch_report_row(
      report, ch_report_say(report, "%s: steps certified at 1e-6 within h", name),
      (ChFacts){
          .printed = printed,
          .ours = ch_report_say(report, "%.1f %% (certified %.1f %%, within h %.1f %%)", share(s->both, s->steps),
                                share(s->certified, s->steps), share(s->in_time, s->steps)),
          .run = how,
          .rule = ch_report_say(report, "%g %% or more", wanted),
          .met = share(s->both, s->steps) >= wanted,
          .reason = ch_report_say(report, "a step takes %.2g ms, the slowest %.2g ms", 1e3 * mean, 1e3 * s->slowest)});
  double contacts = (double)summary->contacts_sum / (double)summary->steps;
  ch_report_row(report, ch_report_say(report, "%s: contacts of a step", name),
                (ChFacts){.printed = "117",
                          .ours = ch_report_say(report, "%.0f, at most %d", contacts, summary->contacts_max),
                          .value = {117.0, contacts},
                          .factor = 1.1,
                          .reason = "the scene is one of our own: the document's is not described"});
}

// --- friction --------------------------------------------------------------------------------------------------------

typedef struct Friction {
  int pairs, held, alternate;  // loaded at some time; held by friction; back and forth between stick and slip
  double gripping, loaded;     // s, of all pairs
  long turns;                  // from stick to slip and from slip to stick
} Friction;

static Friction friction_of(const ChSlips* slips) {
  Friction f = {0};
  for (int k = 0; k < slips->count; ++k) {
    const ChSlipPair* p = &slips->pairs[k];
    f.pairs += p->sticking + p->slipping > 0.0;
    f.held += p->gripping > 0.0;
    f.alternate += p->turns >= 2 && p->returns >= 1;
    f.gripping += p->gripping, f.loaded += p->sticking + p->slipping;
    f.turns += p->turns + p->returns;
  }
  return f;
}

static void report_friction(ChReport* report, const char* name, const Session* s, const ChSummary* summary) {
  ChOurRun how = run_of(summary);
  Friction f = friction_of(&s->slips);
  double seconds = (double)s->steps * s->h;
  ch_report_row(
      report, ch_report_say(report, "%s: sticking", name),
      (ChFacts){.printed = "obtained",
                .ours = ch_report_say(report,
                                      "%d of %d pairs of bodies held by friction at some time, %.0f %% of the time "
                                      "under load",
                                      f.held, f.pairs, 100.0 * f.gripping / fmax(1e-9, f.loaded)),
                .run = how,
                .rule = "one pair or more",
                .met = f.held > 0,
                .reason = "no loaded contact is held by friction"});
  ch_report_row(
      report, ch_report_say(report, "%s: stick-slip", name),
      (ChFacts){.printed = "obtained",
                .ours = ch_report_say(report,
                                      "%d pairs slip, stick and slip again while they stay loaded; %.3g turns a second "
                                      "in all",
                                      f.alternate, (double)f.turns / seconds),
                .run = how,
                .rule = "one pair or more",
                .met = f.alternate > 0,
                .reason = "no pair turns back and forth"});
}

// --- jamming ---------------------------------------------------------------------------------------------------------

static const char* const instants[] = {"2.4", "2.6", "2.8", "3.0", "3.2", "3.4", "3.6"};
enum { INSTANTS = sizeof instants / sizeof *instants, QUICK_INSTANTS = 2 };

static bool jams(const ChSqueeze* q) { return q->longest >= JAM; }

// The hand holds at every instant in turn; the longest jam, and how many there are.
static ChStatus hold_often(ChItemRun* run, const char* mu, const double progress[2], int* jammed, ChSqueeze* longest) {
  Session* s = malloc(sizeof *s);
  if (!s) return ch_fail(run->context, CH_ERR_MEMORY, "out of memory for a session");
  ChStatus status = CH_OK;
  int count = run->quick ? QUICK_INSTANTS : INSTANTS;
  for (int k = 0; k < count && status == CH_OK; ++k) {
    const ChSubject subject = {
        "hold",
        "haptic",
        {{"speed", "2"}, {"margin", "2e-3"}, {"hold", "0.8"}, {"hold-at", instants[k]}, {"mu", mu}},
        1e-2};
    const double width = (progress[1] - progress[0]) / count;
    const double part[2] = {progress[0] + k * width, progress[0] + (k + 1.0) * width};
    ChSummary summary;
    *s = (Session){0};
    status = hold(run, &subject, 0.5 * atof(instants[k]) + HOLD, NULL, part, s, &summary);
    *jammed += jams(&s->squeeze);
    if (k == 0 || s->squeeze.longest > longest->longest) *longest = s->squeeze;
  }
  free(s);
  return status;
}

static const char* say_jam(ChReport* report, int jammed, int of, const ChSqueeze* q) {
  if (q->jammed == 0.0) return ch_report_say(report, "in none of %d sessions anything rests between them", of);
  return ch_report_say(report,
                       "in %d of %d sessions; at the longest for %.3g s at a stretch, of %.3g s of squeezing, under "
                       "%.3g N of the hand at most and through up to %d bodies",
                       jammed, of, q->longest, q->squeezed, q->force, q->most);
}

static ChStatus judge_jamming(ChItemRun* run) {
  ChReport* report = run->report;
  const double progress[3] = {0.7, 0.85, 1.0};
  const int of = run->quick ? QUICK_INSTANTS : INSTANTS;
  int jammed[2] = {0, 0};
  ChSqueeze longest[2];
  ChStatus status = hold_often(run, "0.5", progress, &jammed[0], &longest[0]);
  if (status == CH_OK) status = hold_often(run, "0", progress + 1, &jammed[1], &longest[1]);
  if (status != CH_OK) return status;
  ch_report_row(report, "the hand holds: bodies jam between tool and walls",
                (ChFacts){.printed = "obtained",
                          .ours = say_jam(report, jammed[0], of, &longest[0]),
                          .run = {.changed = OURS, .fitted = "the instants at which the hand stops"},
                          .rule = "one session or more",
                          .met = jammed[0] > 0,
                          .reason = ch_report_say(report, "nothing rests under load for %g s at a stretch", JAM)});
  ch_report_row(report, "the same without friction (mu = 0)",
                (ChFacts){.ours = say_jam(report, jammed[1], of, &longest[1]),
                          .reason = "the document has no session without friction; this row is for comparison"});
  return CH_OK;
}

static void tell(ChReport* report) {
  ch_report_text(
      report,
      "A hand stirs soft and rigid bodies in a box: 72 degrees of freedom. The document reached about 100 Hz "
      "with a hard limit of time, 80 %% of its steps convergent, and thought 1000 Hz possible. Here there is "
      "no limit of time: every step is solved to its end, and its processor time is measured. The document saw "
      "jamming, sticking and stick-slip; here they are counted from the contacts.");
  ch_report_choice(report, "bodies",
                   "A bar, a block and a ring of 6 + 12 degrees of freedom each, a cube, a ball and the tool. A spring "
                   "ties the tool to a point on a prescribed path, which stands in for the haptic device.");
  ch_report_choice(
      report, "sticking, stick-slip",
      "Contacts of two bodies are taken together and count while they press with %g N or more. They stick "
      "when they slip by less than %g m/s; they are held when friction carries %.0f %% of the load or more "
      "meanwhile. Stick-slip: from sticking to slipping, back, and to slipping again.",
      LOADED, STICKS, 100.0 * PULLED);
  ch_report_choice(
      report, "jamming",
      "Nobody holds the device, so the hand is made to stop: in sessions of their own, at 100 Hz, it stays "
      "for %g s where it is at 2.4, 2.6, ... 3.6 s of its round, as it pushes ring and bar along the "
      "wall; each instant is "
      "one session, and all are counted. Tried beforehand: 1.6, 1.7, 2.5, 2.9 and 3.7 to 5.8 s do not "
      "jam, 2.7, 3.1, 3.3 and 3.5 s do. A jam: the hand pulls the tool with %g N or more, twice the "
      "tool's weight; from the "
      "tool a chain of contacts of %g N or more leads through one body or more to the walls; tool and "
      "bodies of the chain are slower than %g m/s, for %g s at a stretch.",
      HOLD, SQUEEZES, SQUEEZES / 4, STILL, JAM);
}

enum { SLOW, FAST, SESSIONS };

static const ChSubject subjects[SESSIONS] = {
    {"100 Hz", "haptic", {{"speed", "2"}, {"margin", "2e-3"}}, 1e-2},
    {"1000 Hz", "haptic", {{"speed", "2"}}, 1e-3},
};

static ChStatus run_sessions(ChItemRun* run, Session* sessions, ChSummary* summary) {
  const double quick[SESSIONS] = {1.2, 0.8}, parts[SESSIONS + 1] = {0.0, 0.2, 0.7};
  ChStatus status = CH_OK;
  for (int k = 0; k < SESSIONS && status == CH_OK; ++k) {
    const char* record = k == FAST && !run->quick ? "haptic.h5" : NULL;
    status = hold(run, &subjects[k], run->quick ? quick[k] : 4.0, record, parts + k, &sessions[k], &summary[k]);
  }
  return status;
}

static void report_all(ChItemRun* run, const Session* sessions, const ChSummary* summary) {
  ChReport* report = run->report;
  const Session *slow = &sessions[SLOW], *fast = &sessions[FAST];
  ch_report_row(report, "degrees of freedom",
                (ChFacts){.printed = "72",
                          .ours = ch_report_say(report, "%d", fast->freedoms),
                          .rule = "the same",
                          .met = fast->freedoms == 72,
                          .reason = "other bodies or modes"});
  report_session(report, "100 Hz", "about 80 %", 80.0, slow, &summary[SLOW]);
  report_session(report, "1000 Hz", NULL, 95.0, fast, &summary[FAST]);
  ChOurRun speed = run_of(&summary[SLOW]);
  speed.contacts[0] = 117.0;
  speed.contacts[1] = (double)summary[SLOW].contacts_sum / (double)summary[SLOW].steps;
  ch_report_row(
      report, "time of a step, h = 1e-2",
      (ChFacts){.printed = "3.2 ms",
                .ours = ch_report_say(report, "%.3g ms", 1e3 * slow->total / (double)slow->steps),
                .run = speed,
                .rule = "ours is not longer",
                .met = slow->total / (double)slow->steps <= 0.0032,
                .reason = "every step goes on to a certificate of 1e-6; the document stopped at a time limit"});
  report_friction(report, "100 Hz", slow, &summary[SLOW]);
  report_friction(report, "1000 Hz", fast, &summary[FAST]);
  ch_report_command(report, "cardhouse run haptic --realtime");
  ch_report_command(report, "cardhouse scene haptic --speed 2 --hold 0.8 --hold-at 2.6 | cardhouse view -");
}

static ChStatus run_item(ChItemRun* run) {
  ChSummary summary[SESSIONS];
  Session* sessions = calloc(SESSIONS, sizeof *sessions);
  if (!sessions) return ch_fail(run->context, CH_ERR_MEMORY, "out of memory for the sessions");
  tell(run->report);
  ChStatus status = run_sessions(run, sessions, summary);
  if (status == CH_OK) {
    report_all(run, sessions, summary);
    status = judge_jamming(run);
    if (run->quick)
      ch_report_text(run->report, "Quick form: the first 1.2 s and 0.8 s at 100 and 1000 Hz; two instants to hold at.");
    else
      ch_report_picture(run->report, "haptic.h5", 1.6, "The hand pushes the ring.");
  }
  free(sessions);
  return status;
}

const ChItem ch_item_004_haptic = {
    .name = "004-fig7.9a",
    .title = "Interaction at haptic rates",
    .source = "004 s7.8, Fig 7.9(a), Table 7.1 [H36, L12]",
    .run = run_item,
};
