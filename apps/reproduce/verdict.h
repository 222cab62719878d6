// The rule by which a finding is judged, one for all items. An item states facts; the verdict follows from them:
//
//   reproduced   the document prints it, our run had its setting, no step missed its tolerance, and the figure is
//   within
//                a stated factor, or a stated condition holds
//   differs      it was printed and run, but one of these fails
//   ours alone   the document does not print it
//   not run      with what it would take
#ifndef CH_REPRODUCE_VERDICT_H
#define CH_REPRODUCE_VERDICT_H

#include <stdbool.h>
#include <stdio.h>

typedef enum ChVerdict { CH_REPRODUCED, CH_DIFFERS, CH_OURS_ALONE, CH_NOT_RUN, CH_VERDICTS } ChVerdict;

// How ours was run. Often the same for several findings of an item.
typedef struct ChOurRun {
  const char* changed;  // what was shorter, smaller, easier or otherwise not the document's setting; NULL: nothing was
  const char* fitted;   // what the document leaves open and was chosen after looking at what comes out; NULL: nothing
  bool whole_in_quick;  // the quick form runs this in full, too
  long steps, missed;   // steps (or solves) taken, and those that missed their tolerance
  double tolerance;     // of the steps
  const char* claimed;  // the finding is that a method misses: how the document says so. Missed steps then don't count
  double contacts[2];   // the printed number and ours, of a finding about speed; 0: not compared
} ChOurRun;

typedef struct ChFacts {
  const char* printed;  // as it stands in the document; NULL: it prints nothing of the kind
  const char* ours;
  ChOurRun run;
  double value[2], factor;  // the printed figure and ours, judged by their ratio where factor > 1
  const char* rule;         // otherwise the condition that was judged, in words: "ours is not longer"
  bool met;                 // whether it holds
  const char* reason;       // why ours is another, where it may be: what was done to find out
  const char* not_run;      // why there is nothing of ours, and what it would take; NULL: it was run
} ChFacts;

// "reproduced", "differs", "ours alone", "not run"
const char* ch_verdict_name(ChVerdict verdict);
ChVerdict ch_verdict_of(const ChFacts* facts);

// What an item has failed to state (a reason why ours is another), or NULL.
const char* ch_verdict_lack(const ChFacts* facts);

// What the verdict goes by: the factor or the condition, steps and misses, what was chosen after looking.
void ch_verdict_put_basis(FILE* f, const ChFacts* facts);
// Why it is not reproduced; nothing where it is.
void ch_verdict_put_reason(FILE* f, const ChFacts* facts);

// The rule in a sentence, as it stands at the head of docs/validation.md.
extern const char ch_verdict_rule[];

#endif
