// Steps against the clock: see pace.h.
#include "common/pace.h"

#include <math.h>

static const double FELT_LIMIT = 6.0, FELT_LEAST = 0.5;  // of h
static const double FELT_LAG = 0.5, WATCHED_LAG = 0.1;   // seconds
static const double FELT_STEP = 0.002;                   // seconds: no longer, to be felt
static const double PER_BODY = 1e-4;                     // seconds that a body takes at least
static const double FIRST_ANSWER = 0.02;                 // seconds: fewer would leave no time for one

// Of a step on the clock; where none is kept, as if it went at life's speed.
static double real(double h, double speed) { return h / (speed > 0.0 ? speed : 1.0); }

ChPaceTerms ch_pace_felt(double h, double speed) {
  return (ChPaceTerms){.limit = FELT_LIMIT * real(h, speed), .lag = FELT_LAG, .least = FELT_LEAST * real(h, speed)};
}

ChPaceTerms ch_pace_watched(double h, double speed, double own, int bodies, int worlds) {
  double answer = (FIRST_ANSWER + PER_BODY * bodies) * worlds;
  double limit = fmin(own, fmax(WATCHED_LAG + real(h, speed), answer));
  return (ChPaceTerms){.limit = limit, .lag = WATCHED_LAG, .least = limit};
}

ChPace ch_pace_exact(double speed, double own) {
  const ChPaceTerms terms = {.limit = own, .lag = WATCHED_LAG, .least = own};
  return (ChPace){.speed = speed, .terms = terms, .slow = terms};
}

ChPace ch_pace_live(double h, double speed, double own, int bodies, int worlds) {
  double step = real(h, speed);
  bool felt = speed > 0.0 && step <= FELT_STEP && PER_BODY * bodies * worlds <= step;
  ChPaceTerms watched = ch_pace_watched(h, speed, own, bodies, worlds);
  return (ChPace){.speed = speed, .terms = felt ? ch_pace_felt(h, speed) : watched, .slow = watched};
}

void ch_pace_start(ChPace* p, double now, double time) {
  p->wall = now;
  p->time = time;
}

double ch_pace_due(const ChPace* p, double time) { return p->wall + (time - p->time) / p->speed; }

double ch_pace_allowance(const ChPace* p, double now, double time) {
  if (!(p->speed > 0.0)) return p->terms.limit;
  return fmin(p->terms.limit, fmax(ch_pace_due(p, time) + p->terms.lag - now, p->terms.least));
}

double ch_pace_behind(const ChPace* p, double now, double time) {
  return p->speed > 0.0 ? fmax(now - ch_pace_due(p, time), 0.0) : 0.0;
}

static void change_terms(ChPace* p) {
  ChPaceTerms before = p->terms;
  p->terms = p->slow;
  p->slow = before;
  p->is_slow = !p->is_slow;
}

void ch_pace_forgive(ChPace* p, double now, double time) {
  double behind = ch_pace_behind(p, now, time);
  bool lost = behind > p->terms.lag, kept = !(behind > 0.0);
  if (p->is_slow ? kept : lost) change_terms(p);
  if (lost) ch_pace_start(p, now - p->terms.lag, time);
}
