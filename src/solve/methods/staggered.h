// What the files of staggered projections share: the two halves, their projections, the closing of a run.
//
//   contact    r_N = a(x)   normal reactions for the friction x          Kaufman 2009, (6.1)
//   friction   f   = b(a)   friction for the normal reactions a          (6.2)
//
// Serially a is the newest r_N and x the last f; in parallel (6.9) both are those of the iteration before.
#ifndef CH_SOLVE_METHODS_STAGGERED_H
#define CH_SOLVE_METHODS_STAGGERED_H

#include "solve/method.h"
#include "solve/qp/convex_view.h"
#include "solve/staggered/half_system.h"

typedef struct ChStaggered {
  ChRun* run;
  const ChSystem* s;
  ChHalfSystem normal, tangential;
  ChConvexView contact, friction;
  bool only_loaded;        // friction is posed over contacts with r_N > 0 alone (5.3.6)
  bool apart;              // both problems are cut into sets that carrying contacts connect (7.9)
  double *r_n, *f;         // the newest answers of the two
  double *x, *a;           // what they were given
  double *r, *u;           // the whole
  double *change, *Wf;     // of the friction, for the stopping rule
  unsigned char* loaded;   // per block of the whole
  double contact_seconds;  // that the last contact problem took
} ChStaggered;

// In place: the views keep addresses inside themselves. `space` asks for the contact problem in contacts (CH_SPACE_R,
// the dual form) or in velocities (CH_SPACE_V, the primal form, where bodies are known).
void ch_staggered_init(ChStaggered* g, ChRun* run, bool only_loaded, int space);

// r_n <- a(friction) from where it stands, and f <- b(given) from `start`; both return the error of the inner solve.
double ch_staggered_contact(ChStaggered* g, const double* friction, double tolerance, ChDeadline deadline);
double ch_staggered_friction(ChStaggered* g, const double* given, const double* start, double tolerance);

// The same, cut into independent sets, for the q of that half; the friction starts from f. -1, and nothing done, where
// one set holds most of the contacts.
double ch_staggered_contact_apart(ChStaggered* g, const double* q, double tolerance, ChDeadline deadline);
double ch_staggered_friction_apart(ChStaggered* g, const double* given, const double* q, double tolerance);

// Rows `to` of W times the reactions `part` of rows `from`.
void ch_staggered_across(ChStaggered* g, const ChHalfSystem* from, const double* part, const ChHalfSystem* to,
                         double* out);

// |f_i| <= mu_i given_i, as discs, polygons or intervals of the tangential half
void ch_staggered_radii(ChStaggered* g, const ChHalfSystem* half, const double* given);

// r <- (r_n, f)
void ch_staggered_join(ChStaggered* g, const double* r_n, const double* f);

// Closes a run with reactions that obey Signorini's law and lie in their cones (5.4.2). `settle` starts from the best
// pair of the run and keeps its ratios of friction to normal reaction where it can; `close` starts from the friction f.
void ch_staggered_settle(ChStaggered* g);
void ch_staggered_close(ChStaggered* g, double tolerance);

#endif
