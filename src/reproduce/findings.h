// The rows of the ending table: printed numbers beside ours, claims, and what failed, all with a verdict.
#ifndef CH_REPRODUCE_FINDINGS_H
#define CH_REPRODUCE_FINDINGS_H

#include <jansson.h>
#include <stdbool.h>

typedef struct ChFinding {
  bool claim;           // `what` is a sentence of the document, `ours` the evidence
  const char* what;     // never NULL, like the others
  const char* printed;  // "" of a claim
  const char* ours;
  const char* verdict;  // "reproduced", "differs" or "cannot be"
  const char* reason;   // "" where it is reproduced
} ChFinding;

// Borrowed from the result. The last finding of an item that failed or was stopped says so.
int ch_finding_count(const json_t* result);
ChFinding ch_finding_at(const json_t* result, int index);

// Text of an object's member, "" where there is none.
const char* ch_text_of(const json_t* object, const char* key);

typedef struct ChTally {
  int reproduced, differs, cannot;
} ChTally;
void ch_tally_add(ChTally* tally, const json_t* result);

#endif
