// See rabbit_friction.h.
#include "reproduce/rabbit_friction.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { RED, BLUE, KINDS };
static const char* const kind_name[KINDS] = {"red, mu = 0.4", "blue, mu = 0.1"};
static const double DEGREE = 3.141592653589793 / 180.0;

#define LOADED 0.5     // N: a rabbit weighs a hundred times that
#define STICKS 1e-2    // m/s: slower pairs stick; rabbits slide at one and more
#define APART 0.05     // s without load before an impact
#define APPROACH 0.1   // m/s along the normal
#define AFTER 0.1      // s that are looked at after an impact
#define STEEP 45.0     // degrees from the normal: what comes nearer to it is steep, the rest grazes
#define TURNS_AGAIN 2  // from sticking to slipping, and once more: stick-slip

ChRabbitFriction* ch_rabbit_friction_create(void) {
  ChRabbitFriction* f = calloc(1, sizeof *f);
  if (!f) return NULL;
  f->slips.least_load = LOADED, f->slips.sticks = STICKS;
  f->incidence.apart = APART, f->incidence.approach = APPROACH, f->incidence.after = AFTER;
  return f;
}

static int kind_of(const char* name) {
  if (strncmp(name, "red", 3) == 0) return RED;
  return strncmp(name, "blue", 4) == 0 ? BLUE : -1;
}

void ch_rabbit_friction_add(ChRabbitFriction* f, const ChSimulation* simulation, const ChStepInfo* info) {
  const ChWorld* world = ch_simulation_world(simulation);
  for (int b = 0; b < ch_world_body_count(world) && b < CH_INCIDENCE_BODIES; ++b)
    f->kind[b] = kind_of(ch_world_body_name(world, ch_world_body_at(world, b)));
  ch_slips_add(&f->slips, simulation, info);
  ch_incidence_add(&f->incidence, &f->slips, simulation, info);
}

// The kind of the rabbit in a pair; -1 where there is none, or one of either kind.
static int kind_in(const ChRabbitFriction* f, const int body[2]) {
  int a = body[0] >= 0 && body[0] < CH_INCIDENCE_BODIES ? f->kind[body[0]] : -1;
  int b = body[1] >= 0 && body[1] < CH_INCIDENCE_BODIES ? f->kind[body[1]] : -1;
  if (a < 0 || b < 0) return a < 0 ? b : a;
  return a == b ? a : -1;
}

typedef struct Share {
  int count;
  double sticking, all;  // s
} Share;

static double part(Share s) { return s.all > 0.0 ? s.sticking / s.all : 0.0; }
static Share sum(Share a, Share b) { return (Share){a.count + b.count, a.sticking + b.sticking, a.all + b.all}; }

static void add_impacts(const ChRabbitFriction* f, Share share[KINDS][2]) {
  for (int k = 0; k < f->incidence.count; ++k) {
    const ChImpact* i = &f->incidence.impacts[k];
    int kind = kind_in(f, i->body);
    if (kind < 0) continue;
    Share* s = &share[kind][i->angle > STEEP * DEGREE];
    ++s->count;
    s->sticking += i->sticking, s->all += i->sticking + i->slipping;
  }
}

static const char OURS[] = "gaps are stabilised and cones are round; 8 or 16 rabbits, whose number is not printed";

static void report_kind(ChReport* report, const char* name, const ChRabbitFriction* f, int kind, const Share share[2],
                        int* alternate) {
  double sticking = 0.0, slipping = 0.0;
  int pairs = 0;
  *alternate = 0;
  for (int k = 0; k < f->slips.count; ++k) {
    const ChSlipPair* p = &f->slips.pairs[k];
    if (kind_in(f, p->body) != kind || !(p->sticking + p->slipping > 0.0)) continue;
    ++pairs;
    sticking += p->sticking, slipping += p->slipping;
    *alternate += p->turns >= TURNS_AGAIN && p->returns >= 1;
  }
  ch_report_row(
      report, ch_report_say(report, "%s, %s: rabbits with what they touch", name, kind_name[kind]),
      (ChFacts){.ours = ch_report_say(
                    report,
                    "%d pairs, which stick %.0f %% of their time under load; %d of them stick, slip, stick and "
                    "slip again. In the %g s after an impact: %.0f %% after %d steep ones, %.0f %% after %d "
                    "that graze",
                    pairs, 100.0 * sticking / fmax(1e-9, sticking + slipping), *alternate, AFTER,
                    100.0 * part(share[0]), share[0].count, 100.0 * part(share[1]), share[1].count),
                .reason = "the document prints no number of it"});
}

static void judge_incidence(ChReport* report, const char* name, Share steep, Share grazing) {
  const char* claim = ch_report_say(report, "%s: sticking and sliding depend on the incidence of the impact.", name);
  if (steep.count == 0 || grazing.count == 0) {
    ch_report_row(
        report, claim,
        (ChFacts){.printed = "(claim)",
                  .ours = ch_report_say(report, "%d steep impacts, %d that graze", steep.count, grazing.count),
                  .not_run = "this run has impacts of one sort only"});
    return;
  }
  ch_report_claim(report, claim,
                  (ChFacts){.run = {.changed = OURS},
                            .rule = "1.2 times as much after steep ones, or more",
                            .met = part(steep) > 1.2 * part(grazing)},
                  "In the %g s after an impact a rabbit sticks %.0f %% of the time under load where it came within %g "
                  "degrees of the normal (%d impacts), %.0f %% where it grazed (%d).",
                  AFTER, 100.0 * part(steep), STEEP, steep.count, 100.0 * part(grazing), grazing.count);
}

void ch_rabbit_friction_report(ChReport* report, const char* name, const ChRabbitFriction* f) {
  Share share[KINDS][2] = {{{0}}};
  int alternate[KINDS];
  add_impacts(f, share);
  ch_report_choice(
      report, "sticking, slipping, impacts",
      "Contacts of two bodies are taken together. They stick when they press with %g N or more and slip by "
      "less than %g m/s. An impact: no load for %g s before, and an approach of %g m/s or more; it is steep "
      "within %g degrees of the normal.",
      LOADED, STICKS, APART, APPROACH, STEEP);
  for (int kind = 0; kind < KINDS; ++kind) report_kind(report, name, f, kind, share[kind], &alternate[kind]);
  Share red = sum(share[RED][0], share[RED][1]), blue = sum(share[BLUE][0], share[BLUE][1]);
  ch_report_claim(
      report, ch_report_say(report, "%s: sticking depends on mu.", name),
      (ChFacts){.run = {.changed = OURS},
                .rule = "red ones stick 1.2 times as much, or more",
                .met = part(red) > 1.2 * part(blue)},
      "In the %g s after an impact red rabbits stick %.0f %% of the time under load (%d impacts), blue ones "
      "%.0f %% (%d).",
      AFTER, 100.0 * part(red), red.count, 100.0 * part(blue), blue.count);
  judge_incidence(report, name, sum(share[RED][0], share[BLUE][0]), sum(share[RED][1], share[BLUE][1]));
  ch_report_claim(
      report, ch_report_say(report, "%s: there is stick-slip sliding.", name),
      (ChFacts){.run = {.changed = OURS}, .rule = "one pair or more", .met = alternate[RED] + alternate[BLUE] > 0},
      "Pairs that go from sticking to slipping twice or more while they stay loaded: %d with red rabbits, %d "
      "with blue ones.",
      alternate[RED], alternate[BLUE]);
}
