// Solving a contact problem: methods, their options, and the driver that grades them.
#ifndef CARDHOUSE_SOLVE_H
#define CARDHOUSE_SOLVE_H

#include <stdbool.h>

#include "cardhouse/api.h"
#include "cardhouse/certificate.h"

#ifdef __cplusplus
extern "C" {
#endif

// One method-specific option, e.g. {"nsgs.anderson", 10}. ch_option_info and `cardhouse methods --options` list them
// all; another name is refused, with the nearest known one.
typedef struct ChSetting {
  const char* name;
  double value;
} ChSetting;

// Called once per iteration with the error that the solver sees (scaled, relative: comparable with `natural`), which is
// that of an independent part of the problem by itself. Parts are numbered from 1, small ones first.
typedef void (*ChHistoryFn)(void* user, int part, const char* stage, int iteration, double seconds, double error);

// Whether the caller wants the work to end now. Once true it must stay true until the call has returned.
typedef bool (*ChStopFn)(void* user);

// What a step knows of its contact problem and the problem does not say. Baselines ask for it.
typedef struct ChStepFacts {
  double h;              // seconds
  const double* gap;     // rows: signed gap at the beginning of the step; 0 where a row is no contact's normal
  const double* added;   // rows: what gaps add to u, gamma gap / h with stabilisation
  const double* coasts;  // rows: u if bodies kept their velocities, without loads and reactions; NULL: not known
} ChStepFacts;

// How to solve. A plain value: texts and arrays that it names stay the caller's and must live as long as the call; what
// keeps options for longer, as a simulation does, keeps copies of the names and settings.
typedef struct ChSolveOptions {
  const char* method;  // "auto"
  const char* inner;   // inner convex solver of relaxed, successive, staggered; NULL = the method's own default
  ChPose pose;
  double tolerance;     // on the certificate, default 1e-8
  long max_iterations;  // 0 = the method's own
  double time_limit;    // seconds, default 60; INFINITY: none
  double work_limit;   // counted work, about 1e9 a second: binds at the same place on any machine. Default INFINITY; 0:
                       // by the size of the problem, 2e7 and 1.25e6 a row, at most 1e9
  int threads;         // 1; the answer does not depend on it
  const double* warm;  // start reactions in the problem's units, or NULL
  double accept;       // a start graded at most so is taken as it is, default 0: at the tolerance. One in between is
                       // improved by one iteration
  const ChStepFacts* step;  // that the problem comes from, or NULL
  int setting_count;
  const ChSetting* settings;  // so many, the caller's; what is set twice has its last value
  ChHistoryFn history;
  bool history_every;  // also at iterations at which the method does not look at its error: costs time, not bits
  void* history_user;
  ChStopFn stop;  // asked often, by every thread that solves; NULL: nobody asks to stop
  void* stop_user;
} ChSolveOptions;

// How it went.
typedef struct ChSolveInfo {
  ChStatus status;  // CH_OK only when the certificate meets the tolerance
  ChCertificate certificate;
  long outer, inner;  // iterations
  long factorizations;
  int components;  // independent parts that were solved separately
  double seconds_setup, seconds_solve;
  double work;          // counted, what a work limit speaks of
  char stage[160];      // auto: the stages that ran, e.g. "nsgs admm newton"
  char inner_name[32];  // the inner solver used, or "-"
  char note[160];       // what the method adds, of its last part: counters of its own, how it ended; or empty
} ChSolveInfo;

// Method auto, pose Coulomb, tolerance 1e-8, a minute, one thread. Begin with these and change what should differ.
CH_API ChSolveOptions ch_solve_options_default(void);

// Solves the problem; r (rows), u (rows) and, for the global form, v (dof) belong to the caller. r ends inside its
// cone. Returns CH_OK when solved; CH_MAX_ITER, CH_MAX_TIME, CH_STATIONARY (a local method can do no more),
// CH_STOPPED (options->stop asked for it) or CH_ERR_NUMERIC with the best iterate when not; and another error, with
// nothing written, for bad arguments.
CH_API ChStatus ch_solve(ChContext* context, const ChProblem* problem, const ChSolveOptions* options, double* v,
                         double* u, double* r, ChSolveInfo* info);

// What `cardhouse methods` lists.
typedef struct ChMethodInfo {
  const char* name;
  const char* summary;
  const char* document;    // that it is taken from
  const char* equation;    // where in it, and where in others
  const char* literature;  // more to read, or NULL
  bool exact;              // reaches exact Coulomb
  bool outer;              // takes --inner
  bool inner;              // can be an --inner
  bool local;              // a local or heuristic method: may end short of a solution, by its nature
  bool polygons;           // takes contacts in space over polygons only: ch_problem_set_polygon
  bool baseline;           // no solver: one answer by a rule of its own, without a warm start, graded like any other
} ChMethodInfo;

// How many methods there are, and one of them, `index` from 0; all zero where there is none of this index. Its texts
// belong to the library and live as long as the program.
CH_API int ch_method_count(void);
CH_API ChMethodInfo ch_method_info(int index);

// Iterations in a step of the game engines that a method stands for; steps leave its answer as it is, good or bad. 0:
// it stands for none, or no method has this name.
CH_API int ch_method_engine_sweeps(const char* method);

// One option of one method.
typedef struct ChOptionInfo {
  const char* name;  // "nsgs.anderson"
  const char* text;
  double value, lowest, highest;
} ChOptionInfo;

// How many options all methods have together, and one of them; as above.
CH_API int ch_option_count(void);
CH_API ChOptionInfo ch_option_info(int index);

#ifdef __cplusplus
}
#endif
#endif
