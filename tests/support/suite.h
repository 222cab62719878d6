// The problems over which all tests loop: one list, each with what is known of it beforehand.
#ifndef CH_TESTS_SUITE_H
#define CH_TESTS_SUITE_H

#include "support/families.h"

typedef enum ChCaseSize { CH_CASE_SMALL, CH_CASE_MEDIUM, CH_CASE_LARGE } ChCaseSize;

enum {
  CH_FACT_NONE = 0,
  CH_FACT_UNIQUE = 1,       // exact Coulomb has one velocity: all exact methods must agree on it
  CH_FACT_EQUILIBRIUM = 2,  // u = 0 is a solution, and the one that a portfolio must find
  CH_FACT_APART = 4,        // nothing touches: r = 0
  CH_FACT_ASYMMETRIC = 8,   // W is not symmetric
  CH_FACT_HARD = 16         // no method here is known to solve it in seconds: large structures that collapse
};

typedef struct ChCase {
  const char* name;
  const char* family;
  const char* settings;  // "n=4 mu=0.8": what differs from the family's defaults
  ChForm form;
  ChCaseSize size;  // small: below 150 contacts, medium: below 2,000
  int facts;
} ChCase;

int ch_case_count(void);
const ChCase* ch_case_at(int index);

ChStatus ch_case_generate(ChContext* context, const ChCase* item, ChProblem** out);

#endif
