// A trial: one method on one problem, and what is to be said of it.
//
// The verdict does not trust the method's word: the returned reactions are graded again, by the caller's own call of
// the certificate on the caller's own copy of the problem.
#ifndef CH_TESTS_TRIAL_H
#define CH_TESTS_TRIAL_H

#include "cardhouse/solve.h"

typedef enum ChVerdict {
  CH_VERDICT_SOLVED,       // says so, and it is so
  CH_VERDICT_MISSED,       // says that it fell short
  CH_VERDICT_UNSUPPORTED,  // says that it cannot take the problem
  CH_VERDICT_LIE,          // says solved, and it is not so; or its velocities are not those of its reactions
  CH_VERDICT_CRASH,        // ended by a signal or a fault
  CH_VERDICT_HANG          // far beyond its time limit
} ChVerdict;

typedef struct ChTrialDef {
  const char* method;
  const char* inner;  // or NULL
  ChPose pose;
  int sides;  // contacts in space over polygons of so many sides; 0: as they are
  double tolerance;
  double time_limit;
  bool isolated;  // run in a child process, so that a crash or a hang ends only the trial
} ChTrialDef;

typedef struct ChTrial {
  ChVerdict verdict;
  ChStatus status;            // what the method said
  ChCertificate certificate;  // what its answer is worth
  double seconds;             // setup and solve
  char message[CH_MESSAGE_SIZE];
  double *r, *u;  // the answer; owned, freed by ch_trial_reset
} ChTrial;

ChTrial ch_trial_run(const ChProblem* problem, const ChTrialDef* def);

// The sides that a trial of this method needs: these where there are smooth cones in space and it takes polygons only,
// 0 otherwise.
enum { CH_TRIAL_SIDES = 8 };
int ch_trial_sides(const ChProblem* problem, const ChMethodInfo* method);
void ch_trial_reset(ChTrial* trial);

// How far two answers are apart in velocity, and how far their errors allow them to be where the velocity is unique.
//
// In scaled variables (u' = sqrt(rho) u, r' = r / sqrt(rho)) two points of a monotone problem with natural-map errors
// e_a and e_b satisfy  |v_a - v_b|_M^2 = (u'_a - u'_b) . (r'_a - r'_b) <= (e_a + e_b) (|r'_a - r'_b| + |u'_a - u'_b|),
// and |u'_a - u'_b|^2 <= lambda_max(W') |v_a - v_b|_M^2 with lambda_max(W') <= trace(W') = rows. Both figures are
// relative to |sqrt(rho) q|.
typedef struct ChAgreement {
  double distance, allowed;
} ChAgreement;

ChAgreement ch_trial_compare(const ChProblem* problem, const ChTrial* a, const ChTrial* b);

// |sqrt(rho) u| relative to |sqrt(rho) q|: how much motion is left in an answer.
double ch_trial_motion(const ChProblem* problem, const ChTrial* trial);

const char* ch_verdict_word(ChVerdict verdict);

#endif
