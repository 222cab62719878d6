// The rows of the ending table: printed numbers beside ours, claims, and what failed, all with a verdict.
#ifndef CH_REPRODUCE_FINDINGS_H
#define CH_REPRODUCE_FINDINGS_H

#include <jansson.h>
#include <stdbool.h>
#include <stdio.h>

#include "reproduce/verdict.h"

typedef struct ChFinding {
  bool claim;           // `what` is a sentence of the document, `ours` the evidence
  const char* what;     // never NULL, like the others
  const char* printed;  // "not printed" where the document prints nothing, "a claim" of a claim
  const char* ours;
  const char* verdict;  // a name of a ChVerdict
  const char* basis;    // what the verdict goes by
  const char* reason;   // "" where it is reproduced
} ChFinding;

// Borrowed from the result. The last finding of an item that failed or was stopped says so.
int ch_finding_count(const json_t* result);
ChFinding ch_finding_at(const json_t* result, int index);

// Text of an object's member, "" where there is none.
const char* ch_text_of(const json_t* object, const char* key);

bool ch_finding_is(const ChFinding* finding, ChVerdict verdict);

typedef struct ChTally {
  int count[CH_VERDICTS], all;
} ChTally;
void ch_tally_add(ChTally* tally, const json_t* result);
// "3 reproduced, 2 differ, 1 are ours alone, 0 not run"
void ch_tally_put(FILE* f, const ChTally* tally);

#endif
