// The certificate of several answers to one problem: what it needs of the problem alone is computed once.
#ifndef CH_PROBLEM_GRADER_H
#define CH_PROBLEM_GRADER_H

#include <math.h>

#include "base/arena.h"
#include "cardhouse/certificate.h"

typedef struct ChGrader ChGrader;

// What the certificate needs that neither r nor a law is part of. A problem that may be solved again and again keeps
// it (contact_problem.h), for as long as its f and w are those that it was laid for; a grader of any other makes it.
typedef struct ChGroundwork {
  struct ChCompliance* mass;  // M^-1: global form
  double* free_velocity;      // M^-1 f, or NULL where f = 0
  double* q;                  // u that follows from r = 0
  double* diagonal;           // of W,
  double* inertia;            // and of M: global form
  double *f, *w;              // of the problem as it was
} ChGroundwork;

ChStatus ch_groundwork_create(ChContext* context, ChArena* arena, const ChProblem* problem, ChGroundwork** out);

// What is said as long as nothing is known: it passes nothing.
static inline ChCertificate ch_certificate_unknown(void) {
  ChCertificate unknown;
#define X(name, text) unknown.name = NAN;
  CH_CERTIFICATE_FIELDS(X)
#undef X
  return unknown;
}

// Lives in the arena, which must have a landing. The problem must not change as long as the grader is used.
ChStatus ch_grader_create(ChContext* context, ChArena* arena, const ChProblem* problem, ChPose pose, ChGrader** out);

// The u that follows from r = 0.
const double* ch_grader_free(const ChGrader* grader);

// A first look: whether r cannot pass, by its natural error alone and with the u = W r + q that the caller computed.
// Says nothing where it may pass.
bool ch_grader_rules_out(const ChGrader* grader, const double* r, const double* u, double tolerance);

// What every block does at (r, u), see ch_problem_branches.
void ch_grader_branches(const ChGrader* grader, const double* r, const double* u, ChBranch* branch);

// rho, of every row.
const double* ch_grader_weights(const ChGrader* grader);

// What one block adds to the figures, r and u its own: so that a problem whose parts are in several places can be
// graded where they are. Sums are to be added up over all blocks, extremes compared; ch_grade_whole makes a certificate
// of them.
enum {
  CH_PART_NATURAL,
  CH_PART_HIDDEN,
  CH_PART_SICONOS,
  CH_PART_SIZE_R,
  CH_PART_SIZE_U,
  CH_PART_SIZE_Q,
  CH_PART_NOTHING,
  CH_PART_DRIVE,
  CH_PART_RIGID,
  CH_PART_RIGID_HIDDEN,
  CH_PART_RIGID_NOTHING,
  CH_PART_RIGID_DRIVE,
  CH_PART_SUMS
};
enum {
  CH_PART_OUTSIDE,
  CH_PART_LARGEST_R,
  CH_PART_LARGEST_Q,
  CH_PART_SIGNORINI,
  CH_PART_DISSIPATION,
  CH_PART_EXTREMES
};
typedef struct ChGradePart {
  double sum[CH_PART_SUMS], most[CH_PART_EXTREMES];
} ChGradePart;
void ch_grader_part(const ChGrader* grader, int block, const double* r, const double* u, ChGradePart* out);
ChCertificate ch_grade_whole(const ChGradePart* all, bool compliant, double balance);

// As ch_certify.
ChStatus ch_grader_grade(ChContext* context, ChGrader* grader, const double* r, const double* v, ChCertificate* out);

#endif
