// See run_hints.h.
#include "cli/run_hints.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>

static const long DENSE = 200;       // contacts in a step, from which on its reactions are hardly determined
static const double ENOUGH = 0.9;    // share of the missed steps that a tolerance is for
static const double LOOSEST = 1e-2;  // that is worth naming

__attribute__((format(printf, 2, 3))) static void say(ChHints* hints, const char* format, ...) {
  if (hints->count == CH_HINTS_MAX) return;
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(hints->text[hints->count++], CH_HINT_SIZE, format, arguments);
  va_end(arguments);
}

// The clock, or a rule of so many sweeps, ended the solves: more of what follows would not help.
static bool was_cut_off(const ChRunReport* r, ChHints* hints) {
  const ChSimulationOptions* o = &r->options;
  int sweeps = ch_method_engine_sweeps(o->solve.method);
  if (sweeps > 0)
    say(hints,
        "method %s ends after a fixed number of sweeps, however large the error; --method auto continues until the "
        "tolerance is met",
        o->solve.method);
  else if (r->realtime->pace.terms.limit > 0.0)
    say(hints, "a step could take %.4g ms on the clock; a run without %s has no such limit",
        1e3 * r->realtime->pace.terms.limit, r->realtime->pace.speed > 0.0 ? "--realtime" : "--step-limit");
  else if (isfinite(o->solve.time_limit))
    say(hints, "a solve could take %.4g ms on the clock (\"time_limit\")", 1e3 * o->solve.time_limit);
  return hints->count > 0;
}

static void say_adaptive(const ChRunReport* r, ChHints* hints) {
  const ChSimulationOptions* o = &r->options;
  double least = ldexp(o->h, -o->halvings);
  if (r->summary.rejected == 0 && o->adaptive != CH_ADAPTIVE_MISS)
    say(hints, "--adaptive miss undoes a step that misses and repeats it in substeps, down to %.3g s", least);
  else if (o->adaptive != CH_ADAPTIVE_MISS)
    say(hints,
        "halving did not help within four work limits a step; --adaptive miss allows 64, and substeps down to %.3g s",
        least);
  else if (r->summary.shortest <= 1.01 * least)
    say(hints,
        "substeps of %.3g s, the shortest, missed as well; \"adaptive\": {\"on\": \"miss\", \"halvings\": %d} goes on "
        "to %.3g s",
        least, o->halvings + 2, 0.25 * least);
}

static void say_compliant(const ChRunReport* r, ChHints* hints) {
  long contacts = r->summary.missed_contacts / r->summary.missed;
  if (contacts < DENSE || r->options.contact == CH_CONTACT_COMPLIANT) return;
  say(hints,
      "missed steps had %ld contacts on average; --contact compliant determines the reactions of so many, and lets "
      "bodies overlap a little",
      contacts);
}

static void say_tolerance(const ChRunReport* r, ChHints* hints) {
  const ChSummary* s = &r->summary;
  double tolerance = r->options.solve.tolerance;
  for (int k = 0; k < CH_DECADES; ++k) {
    tolerance *= 10.0;
    if (tolerance > LOOSEST) return;
    if ((double)s->missed_within[k] < ENOUGH * (double)s->missed) continue;
    say(hints, "--tol %.0e would have been met by %ld of the %ld", tolerance, s->missed_within[k], s->missed);
    return;
  }
}

// Errors near one: the step asks for what cannot be.
static void say_hopeless(const ChRunReport* r, ChHints* hints) {
  const ChSummary* s = &r->summary;
  int k = 0;
  for (double tolerance = 10.0 * r->options.solve.tolerance; tolerance < 0.99 * LOOSEST; tolerance *= 10.0) ++k;
  if (k >= CH_DECADES || 2 * s->missed_within[k] >= s->missed) return;
  say(hints,
      "%ld of the %ld are worse than %g: drives that contradict each other, or bodies wedged into each other, have no "
      "answer at any step",
      s->missed - s->missed_within[k], s->missed, LOOSEST);
}

ChHints ch_run_hints(const ChRunReport* r) {
  ChHints hints = {0};
  if (r->summary.missed == 0 || was_cut_off(r, &hints)) return hints;
  say_hopeless(r, &hints);
  say_adaptive(r, &hints);
  say_compliant(r, &hints);
  say_tolerance(r, &hints);
  say(&hints, "--h %.3g halves the steps: less happens in each, and the last reactions are a better start",
      0.5 * r->options.h);
  return hints;
}
