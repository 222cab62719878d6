// Steps against the clock: see pace.h.
#include "serve/pace.h"

#include <math.h>

static const double FELT_LIMIT = 3.0, FELT_LEAST = 0.5;  // of h
static const double FELT_LAG = 0.5, WATCHED_LAG = 0.1;   // seconds
static const double FELT_STEP = 0.002;                   // seconds: no longer, to be felt
static const double PER_BODY = 1e-4;                     // seconds that a body takes at least
static const double FIRST_ANSWER = 0.02;                 // seconds: fewer would leave no time for one

ChPace ch_pace_felt(double h, double speed) {
  double real = h / (speed > 0.0 ? speed : 1.0);
  return (ChPace){.speed = speed, .limit = FELT_LIMIT * real, .lag = FELT_LAG, .least = FELT_LEAST * real};
}

ChPace ch_pace_watched(double h, double speed, double own, int bodies, int worlds) {
  double real = h / (speed > 0.0 ? speed : 1.0), work = PER_BODY * bodies * worlds;
  if (speed > 0.0 && real <= FELT_STEP && work <= real) return ch_pace_felt(h, speed);
  double least = fmin(own, FIRST_ANSWER * worlds + work);
  return (ChPace){
      .speed = speed, .limit = fmin(own, fmax(WATCHED_LAG + real, least)), .lag = WATCHED_LAG, .least = least};
}

void ch_pace_start(ChPace* p, double now, double time) {
  p->wall = now;
  p->time = time;
}

double ch_pace_due(const ChPace* p, double time) { return p->wall + (time - p->time) / p->speed; }

double ch_pace_allowance(const ChPace* p, double now, double time) {
  if (!(p->speed > 0.0)) return p->limit;
  return fmin(p->limit, fmax(ch_pace_due(p, time) + p->lag - now, p->least));
}

double ch_pace_behind(const ChPace* p, double now, double time) {
  return p->speed > 0.0 ? fmax(now - ch_pace_due(p, time), 0.0) : 0.0;
}

void ch_pace_forgive(ChPace* p, double now, double time) {
  if (ch_pace_behind(p, now, time) > 2.0 * p->lag) ch_pace_start(p, now - 2.0 * p->lag, time);
}
