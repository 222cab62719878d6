// The cannonball piles of 000 and 002: n disks of diameter 3 on a plank, n - 1 on top of them, and so forth, and the
// three ways in which 000 solves a step of them.
#ifndef CH_REPRODUCE_CANNONBALL_H
#define CH_REPRODUCE_CANNONBALL_H

#include "cardhouse/solve.h"
#include "reproduce/play.h"

// The contact problem of the first step, h = 0.05 s from rest. The caller destroys it.
ChStatus ch_cannonball_problem(ChItemRun* run, int base, double mu, ChProblem** out);

// Gives the contacts with the plank another friction.
void ch_cannonball_set_plank(ChProblem* problem, double mu);

typedef enum ChLcp012 {
  CH_LCP0,          // Lemke's pivoting on (6)-(7), from slacks, nothing else
  CH_LCP1,          // (15) with Gamma = mu Lambda(v) until Lambda changes by less than 1e-5
  CH_LCP2,          // (15) with Gamma = 0
  CH_LCP2_PIVOTED,  // the same by Lemke's pivoting on (12)-(13), which is nearer to what the document does
  CH_EXACT          // auto: what a user of Cardhouse gets
} ChLcp012;

typedef struct ChPileAnswer {
  ChStatus status;  // of LCP1: CH_OK when its own rule ended it
  double seconds;   // of the processor
  long pivots;      // LCP0
  long passes;      // LCP1
  double natural;   // certificate: LCP2's own in pose relaxed, the others' in pose coulomb
  ChTakeOff error;  // the normal velocity of loaded contacts (000, s4.B)
  double rms;       // of the same
  char stage[160];
} ChPileAnswer;

// `most`: pivots of LCP0 or passes of LCP1, 0 = 10,000.
ChStatus ch_cannonball_solve(ChContext* context, const ChProblem* problem, ChLcp012 method, long most,
                             ChPileAnswer* out);

// "0.65 s", or "MAX ITER (10000 pivots, 2.1 s)".
const char* ch_cannonball_say(ChReport* report, const ChPileAnswer* answer);

int ch_cannonball_disks(int base);
int ch_cannonball_contacts(int base);  // of the full triangle: n + 3 n (n - 1) / 2

#endif
