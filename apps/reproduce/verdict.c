// The rule for verdicts: see verdict.h. Conditions are written as what is accepted, so that a NaN never is.
#include "reproduce/verdict.h"

static const double CONTACTS_ALIKE = 1.1;  // counts of contacts that make two times comparable

const char ch_verdict_rule[] =
    "*Reproduced* means that the document prints it, that our run had its setting, that no step missed its tolerance, "
    "and that the figure is within a stated factor, or a stated condition holds. Everything else is *differs*, *ours "
    "alone* (the document does not print it) or *not run*, each with its reason. Choices made after looking at "
    "results, "
    "and settings made easier, are listed beside the verdict. Times compare equal numbers of contacts, to 10 %, or "
    "count as differing.";

const char* ch_verdict_name(ChVerdict verdict) {
  static const char* const words[CH_VERDICTS] = {"reproduced", "differs", "ours alone", "not run"};
  return words[verdict];
}

static bool within(const double value[2], double factor) {
  double ratio = value[1] / value[0];
  return ratio <= factor && ratio >= 1.0 / factor;
}

static bool judged_by_figure(const ChFacts* f) { return f->factor > 1.0; }
static bool met(const ChFacts* f) { return judged_by_figure(f) ? within(f->value, f->factor) : f->met; }
static bool misses_count(const ChFacts* f) { return f->run.missed != 0 && !f->run.claimed; }

static bool contacts_differ(const ChFacts* f) {
  const double* n = f->run.contacts;
  return n[0] != 0.0 && !within(n, CONTACTS_ALIKE);
}

ChVerdict ch_verdict_of(const ChFacts* f) {
  if (f->not_run) return CH_NOT_RUN;
  if (!f->printed) return CH_OURS_ALONE;
  bool sound = met(f) && !f->run.changed && !misses_count(f) && !contacts_differ(f);
  return sound ? CH_REPRODUCED : CH_DIFFERS;
}

const char* ch_verdict_lack(const ChFacts* f) {
  bool reasoned = f->reason && *f->reason;
  return f->not_run || !f->printed || met(f) || reasoned ? NULL : "has no reason";
}

// --- in words --------------------------------------------------------------------------------------------------------

static void put_steps(FILE* out, const ChOurRun* run) {
  fprintf(out, "%ld of %ld steps missed %.2g", run->missed, run->steps, run->tolerance);
}

void ch_verdict_put_basis(FILE* out, const ChFacts* f) {
  const char* next = "";
  if (f->printed && !f->not_run) {
    if (judged_by_figure(f))
      fprintf(out, "judged by: within a factor of %g (ours is %.2g times the printed)", f->factor,
              f->value[1] / f->value[0]);
    else
      fprintf(out, "judged by: %s", f->rule ? f->rule : "no rule stated");
    next = "; ";
  }
  if (f->run.steps > 0) {
    fputs(next, out);
    put_steps(out, &f->run);
    if (f->run.missed != 0 && f->run.claimed) fprintf(out, ", which is the claim: %s", f->run.claimed);
    next = "; ";
  }
  if (f->run.fitted) {
    fprintf(out, "%schosen after looking: %s", next, f->run.fitted);
    next = "; ";
  }
  if (f->run.changed && ch_verdict_of(f) != CH_DIFFERS) fprintf(out, "%snot its setting: %s", next, f->run.changed);
}

static void put_difference(FILE* out, const ChFacts* f) {
  const char* next = "";
  if (!met(f)) {
    fputs(f->reason ? f->reason : "", out);
    next = "; ";
  } else {
    next = "it agrees, but ";
  }
  if (f->run.changed) {
    fprintf(out, "%sour run did not have its setting: %s", next, f->run.changed);
    next = "; ";
  }
  if (misses_count(f)) {
    fputs(next, out);
    put_steps(out, &f->run);
    next = "; ";
  }
  if (contacts_differ(f)) fprintf(out, "%s%g contacts printed, %g here", next, f->run.contacts[0], f->run.contacts[1]);
}

void ch_verdict_put_reason(FILE* out, const ChFacts* f) {
  switch (ch_verdict_of(f)) {
    case CH_DIFFERS:
      put_difference(out, f);
      break;
    case CH_NOT_RUN:
      fputs(f->not_run, out);
      break;
    case CH_OURS_ALONE:
      fputs(f->reason && *f->reason ? f->reason : "the document does not print it", out);
      break;
    default:
      break;
  }
}
