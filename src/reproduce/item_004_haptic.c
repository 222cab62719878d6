// 004, section 7.8 and Fig 7.9(a): soft and rigid bodies stirred by a hand, fast enough to be felt.
//
// The hand moves as a table says. What is measured is the processor time of every step: a step that is certified and
// takes no longer than its own h could be felt as it happens.
#include <math.h>

#include "base/clock.h"
#include "reproduce/subject.h"

typedef struct Session {
  double h, before, slowest, total;
  long steps, certified, in_time, both;
  int freedoms;
} Session;

static bool look(void* state, const ChSimulation* simulation, const ChStepInfo* info) {
  Session* s = state;
  double now = ch_clock_processor_seconds(), seconds = now - s->before;
  bool in_time = seconds <= info->h;
  ++s->steps;
  s->freedoms = ch_item_freedoms(simulation);
  s->certified += !info->missed;
  s->in_time += in_time;
  s->both += in_time && !info->missed;
  s->total += seconds;
  s->slowest = fmax(s->slowest, seconds);
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
  s->before = ch_clock_processor_seconds();
  double seconds;
  return ch_item_play_timed(run, scene, &play, summary, &seconds);
}

static double share(long part, long of) { return 100.0 * (double)part / (double)(of > 0 ? of : 1); }

static void report_session(ChReport* report, const char* name, const char* printed, double wanted, const Session* s,
                           const ChSummary* summary) {
  double mean = s->total / (double)s->steps;
  ch_report_row(report, ch_report_say(report, "%s: steps certified at 1e-6 within h", name), printed,
                ch_report_say(report, "%.1f %% (certified %.1f %%, within h %.1f %%)", share(s->both, s->steps),
                              share(s->certified, s->steps), share(s->in_time, s->steps)),
                share(s->both, s->steps) >= wanted ? CH_REPRODUCED : CH_DIFFERS,
                ch_report_say(report, "a step takes %.2g ms, the slowest %.2g ms", 1e3 * mean, 1e3 * s->slowest));
  double contacts = (double)summary->contacts_sum / (double)summary->steps;
  ch_report_row(report, ch_report_say(report, "%s: contacts of a step", name), "117",
                ch_report_say(report, "%.0f, at most %d", contacts, summary->contacts_max),
                fabs(contacts / 117.0 - 1.0) < 0.25 ? CH_REPRODUCED : CH_DIFFERS,
                "the scene is one of our own: the document's is not described");
}

static ChStatus run_item(ChItemRun* run) {
  static const ChSubject at_100 = {"100 Hz", "haptic", {{"speed", "2"}, {"margin", "2e-3"}}, 1e-2};
  static const ChSubject at_1000 = {"1000 Hz", "haptic", {{"speed", "2"}}, 1e-3};
  const double until = run->quick ? 1.2 : 4.0, halves[3] = {0.0, 0.3, 1.0};
  ChReport* report = run->report;
  Session slow = {0}, fast = {0};
  ChSummary summary[2];
  ch_report_text(
      report,
      "A hand stirs soft and rigid bodies in a box: 72 degrees of freedom. The document reached about 100 Hz "
      "with a hard limit of time, 80 %% of its steps convergent, and thought 1000 Hz possible. Here there is "
      "no limit of time: every step is solved to its end, and its processor time is measured.");
  ch_report_choice(report, "bodies",
                   "A bar, a block and a ring of 6 + 12 degrees of freedom each, a cube, a ball and the tool, which a "
                   "spring holds to a point that moves as told, in place of a device.");
  ChStatus status = hold(run, &at_100, until, NULL, halves, &slow, &summary[0]);
  if (status == CH_OK)
    status =
        hold(run, &at_1000, run->quick ? 0.8 : until, run->quick ? NULL : "haptic.h5", halves + 1, &fast, &summary[1]);
  if (status != CH_OK) return status;
  ch_report_row(report, "degrees of freedom", "72", ch_report_say(report, "%d", fast.freedoms),
                fast.freedoms == 72 ? CH_REPRODUCED : CH_DIFFERS, "other bodies or modes");
  report_session(report, "100 Hz", "about 80 %", 80.0, &slow, &summary[0]);
  report_session(report, "1000 Hz", "future work (s7.8.1)", 95.0, &fast, &summary[1]);
  ch_report_row(report, "time of a step, h = 1e-2", "3.2 ms",
                ch_report_say(report, "%.3g ms", 1e3 * slow.total / (double)slow.steps),
                slow.total / (double)slow.steps <= 0.0032 ? CH_REPRODUCED : CH_DIFFERS,
                "every step goes on to a certificate of 1e-6; the document stopped at a time limit");
  ch_report_command(report, "cardhouse run haptic --realtime");
  if (run->quick)
    ch_report_text(report, "Quick form: the first 1.2 s and 0.8 s of the session.");
  else
    ch_report_picture(report, "haptic.h5", 1.6, "The hand pushes the ring.");
  return CH_OK;
}

const ChItem ch_item_004_haptic = {
    .name = "004-fig7.9a",
    .title = "Interaction at haptic rates",
    .source = "004 s7.8, Fig 7.9(a), Table 7.1 [H36, L12]",
    .run = run_item,
};
