// Solving a contact problem: methods, their options, and the driver that grades them.
#ifndef CARDHOUSE_SOLVE_H
#define CARDHOUSE_SOLVE_H

#include <stdbool.h>

#include "cardhouse/api.h"
#include "cardhouse/certificate.h"

#ifdef __cplusplus
extern "C" {
#endif

// One method-specific option, for example {"nsgs.anderson", 10}. ch_option_info and `cardhouse methods --options` list
// them all. An unknown name is refused, and the message suggests the nearest known one.
typedef struct ChSetting {
  const char* name;
  double value;
} ChSetting;

// Called after each iteration with the error that the solver sees: scaled and relative, so that it can be compared with
// `natural`. It is the error of one independent part of the problem. Parts are numbered from 1, small ones first.
typedef void (*ChHistoryFn)(void* user, int part, const char* stage, int iteration, double seconds, double error);

// Returns true if the caller wants the work to end now. Once true, it must stay true until the call has returned.
typedef bool (*ChStopFn)(void* user);

// Facts about a step that its contact problem does not contain. Baseline methods use them.
typedef struct ChStepFacts {
  double h;              // seconds
  const double* gap;     // rows: signed gap at the beginning of the step; 0 in a row that is not a contact's normal
  const double* added;   // rows: the term that stabilisation adds to u for a gap, gamma gap / h
  const double* coasts;  // rows: u from the bodies' present velocities, without loads and reactions; NULL: not known
} ChStepFacts;

// How to solve. A plain value: the texts and arrays that it names stay the caller's and must live as long as the call.
// An object that keeps options for longer, such as a simulation, copies the names and settings.
typedef struct ChSolveOptions {
  const char* method;  // "auto"
  const char* inner;   // inner convex solver of relaxed, successive, staggered; NULL = the method's own default
  ChPose pose;
  double tolerance;     // on the certificate, default 1e-8
  long max_iterations;  // 0 = the method's own limit
  double time_limit;    // seconds, default 60; INFINITY: none
  double work_limit;   // counted work, about 1e9 a second: stops at the same place on any machine. Default INFINITY; 0:
                       // by the size of the problem: 2e7 plus 1.25e6 a row, at most 1e9 or 6e3 a row, whichever is more
  int threads;         // 1; the answer does not depend on it
  const double* warm;  // reactions to start from, in the problem's units, or NULL
  double accept;  // a start whose error is at most this is kept; default 0: the tolerance. A start between this and the
                  // tolerance is improved by one iteration
  const ChStepFacts* step;  // facts of the step that the problem comes from, or NULL
  int setting_count;
  const ChSetting* settings;  // the caller's settings; of a repeated setting the last value counts
  ChHistoryFn history;
  bool history_every;  // calls `history` also at iterations in which the method does not compute its error: costs time,
                       // changes no bits
  void* history_user;
  ChStopFn stop;  // called often, by every thread that solves; NULL: no stop
  void* stop_user;
} ChSolveOptions;

// The report of a solve.
typedef struct ChSolveInfo {
  ChStatus status;  // CH_OK only when the certificate meets the tolerance
  ChCertificate certificate;
  long outer, inner;  // iterations
  long factorizations;
  int components;  // independent parts that were solved separately
  double seconds_setup, seconds_solve;
  double work;          // counted work, to which a work limit refers
  char stage[160];      // auto: the stages that ran, for example "nsgs admm newton"
  char inner_name[32];  // the inner solver used, or "-"
  char note[160];       // the method's remarks on the last part, such as its counters and how it ended; or empty
} ChSolveInfo;

// Returns method auto, pose Coulomb, tolerance 1e-8, a minute, one thread. Start from these and change the ones you
// need.
CH_API ChSolveOptions ch_solve_options_default(void);

// Solves the problem; r (rows), u (rows) and, for the global form, v (dof) belong to the caller. r ends inside its
// cone. Returns CH_OK if solved. If not, returns CH_MAX_ITER, CH_MAX_TIME, CH_STATIONARY (a local method can do no
// more), CH_STOPPED (options->stop asked for it) or CH_ERR_NUMERIC, with the best iterate. For bad arguments it returns
// another error and writes nothing.
CH_API ChStatus ch_solve(ChContext* context, const ChProblem* problem, const ChSolveOptions* options, double* v,
                         double* u, double* r, ChSolveInfo* info);

// One row of `cardhouse methods`.
typedef struct ChMethodInfo {
  const char* name;
  const char* summary;
  const char* document;    // its source
  const char* equation;    // the equation there, and in other sources
  const char* literature;  // further reading, or NULL
  bool exact;              // reaches exact Coulomb friction
  bool outer;              // takes --inner
  bool inner;              // can be used as --inner
  bool local;              // a local or heuristic method, which may end short of a solution
  bool polygons;           // in space the method takes only polygonal contacts: ch_problem_set_polygon
  bool baseline;  // not a solver: gives one answer by its own rule, without a warm start, graded like any other
} ChMethodInfo;

// Return how many methods there are, and one of them, `index` from 0; all zero beyond the last. Its texts belong to the
// library and live as long as the program.
CH_API int ch_method_count(void);
CH_API ChMethodInfo ch_method_info(int index);

// Returns how many iterations a step makes in the game engines that a method stands for. Steps keep the answer of such
// a method, good or bad. 0: the method stands for no engine, or no method has this name.
CH_API int ch_method_engine_sweeps(const char* method);

// One option of a method.
typedef struct ChOptionInfo {
  const char* name;  // "nsgs.anderson"
  const char* text;
  double value, lowest, highest;
} ChOptionInfo;

// Return how many options all methods have together, and one of them, `index` from 0; all zero beyond the last.
CH_API int ch_option_count(void);
CH_API ChOptionInfo ch_option_info(int index);

#ifdef __cplusplus
}
#endif
#endif
