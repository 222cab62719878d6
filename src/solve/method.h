// A method is one file and one row of the registry. It sees a scaled system and improves run->r; the driver grades it.
#ifndef CH_SOLVE_METHOD_H
#define CH_SOLVE_METHOD_H

#include <stdbool.h>

#include "base/arena.h"
#include "base/work.h"
#include "cardhouse/diagnostics.h"
#include "cardhouse/solve.h"
#include "system/system.h"

typedef struct ChMethod ChMethod;

enum { CH_PLAN_ROOM = 56 };  // doubles

// Linear systems that all methods called for one part share, made on first use in an arena of their own.
typedef struct ChShared {
  ChArena* arena;
  ChSystem* system;
  struct ChLinearSystem* linear[2];  // LU, Cholesky
  struct ChActiveSet* active_set;    // of the last call, for a hot start of the next
  bool planned;  // a portfolio that is called again for a tighter tolerance has left where it stood:
  double plan[CH_PLAN_ROOM];
} ChShared;

// What a method can take; nobody switches on its name.
enum {
  CH_TAKES_COULOMB = 1 << 0,   // pose coulomb
  CH_TAKES_RELAXED = 1 << 1,   // pose relaxed (with CH_IS_INNER: serves as --inner)
  CH_TAKES_UNFORMED = 1 << 2,  // W applied through bodies
  CH_TAKES_UNSYMMETRIC = 1 << 3,
  CH_TAKES_DISC = 1 << 4,          // the tangential half of a staggered step
  CH_IS_INNER = 1 << 5,            // serves as --inner
  CH_IS_OUTER = 1 << 6,            // takes --inner
  CH_TAKES_POLYGON = 1 << 8,       // polygonal cones in space
  CH_NEEDS_POLYGON = 1 << 9,       // and no smooth ones
  CH_FORMS_LATE = 1 << 11,         // begins without W and asks for it: ch_run_form
  CH_IS_LOCAL = 1 << 10,           // may end where it can do no more, short of a solution
  CH_IS_EXACT = 1 << 7,            // its fixed points are exact Coulomb
  CH_IS_BASELINE = 1 << 12,        // no solver: one answer by a rule of its own, from no start, kept whatever its error
  CH_NEEDS_BODIES = 1 << 13,       // the system must know its bodies, two a block at most
  CH_TAKES_ANY_LAW = 1 << 14,      // uses nothing of a law but projection, derivative, slip and exact local solution
  CH_TAKES_ANY_BARRIER = 1 << 16,  // ... or nothing but the barrier: takes what has one
  CH_REPEATS = 1 << 17,            // its start, settings and number of iterations say what it does: from the same ones
                                   // it goes the same way, whatever the tolerance
  CH_CLIMBS = 1 << 15              // is asked for ever tighter tolerances, each from where the last one ended: driver.c
};

// Whether the method can take the laws of this system.
static inline bool ch_method_takes_laws(unsigned takes, const ChSystem* s) {
  return !s->unusual || (takes & CH_TAKES_ANY_LAW) || (!s->unbarred && (takes & CH_TAKES_ANY_BARRIER));
}

// One call of a method on one system.
typedef struct ChRun {
  const ChSystem* system;
  ChArena* arena;
  const ChSolveOptions* options;
  const ChStaggeredWatch* watch;  // or NULL
  const ChMethod* inner_method;
  double tolerance;  // on ch_system_error
  double started;    // clock seconds
  double begun;      // on ch_work_done
  ChDeadline deadline;
  long max_iterations;  // 0: the method's own
  int rung;  // of a method that climbs: 0 asks for what is cheap, to the last tolerance; 1, 2, ...: see driver.c
  const char* stage;
  double scale;             // error of r = 0: history shows error / scale
  int depth;                // of method calling method
  struct ChShared* shared;  // what the methods of one part have in common
  const ChComponent* part;  // where the system comes from; NULL in nested runs
  int number;               // of the part, from 1: history tells it

  double* r;         // in: start; out: the best iterate seen
  double error;      // its error
  double* withheld;  // baselines on bodies: impulses of r that a body does not get, per degree of freedom; else NULL
  bool
      resumes;  // the driver calls again where it left, once it has looked at the certificate: `unfinished` asks for it
  bool unfinished;
  bool answered;    // r is the answer of a rule, good or bad: ch_run_answer
  ChStatus ending;  // CH_STATIONARY where the method ended because it can do no more; CH_OK: a limit, or solved
  long outer, inner, factorizations;
  char stages[96];  // auto: what ran
  char note[160];   // what else a user may want to know: counters of a method's own, how it ended
} ChRun;

struct ChMethod {
  const char* name;
  const char* summary;
  const char* document;    // that it is taken from
  const char* equation;    // where in it: equation, section, algorithm; other documents after a semicolon
  const char* literature;  // beyond the documents, or NULL
  unsigned takes;
  int largest;        // rows, or variables of the polygonal problem (polygon_lcp.h), that a dense method takes; 0: any
  int engine_sweeps;  // see ch_method_engine_sweeps
  const struct ChOption* options;
  int option_count;
  void (*solve)(ChRun* run);
};

// The limit on work that a solve of this problem has: the options', or one by the problem's size where they have none.
double ch_work_limit(const ChSolveOptions* options, const ChProblem* problem);

// The option of this name, or NULL.
const struct ChOption* ch_method_option(const ChMethod* method, const char* name);

// Registry.
const ChMethod* ch_method_find(const char* name);
const ChMethod* ch_method_at(int index);

// Keeps r when it is better than the best so far; returns its error. u = W r + q must be given.
double ch_run_offer(ChRun* run, const double* r, const double* u);
// The same where the error is known.
double ch_run_offer_graded(ChRun* run, const double* r, double error);
// The answer of a baseline: takes the place of what there is, better or worse. False where it is not finite:
// then what there is stays.
bool ch_run_answer(ChRun* run, const double* r, double* u_scratch);
// The first, computing u in scratch.
double ch_run_offer_reaction(ChRun* run, const double* r, double* u_scratch);
// A text into a field of so many bytes, cut where it does not fit; for what snprintf would be too slow.
void ch_put_word(size_t size, char* to, const char* text);
// Tells the history about an iteration.
void ch_run_note(ChRun* run, long iteration, double error);
// The same between two checks of the error, where somebody wants every iteration; changes nothing in the run.
void ch_run_note_between(ChRun* run, long iteration, const double* r, double* u_scratch);
// Whether errors that fell from `before` to `now` in so many iterations will come to `aim` within `left` more.
bool ch_run_promising(double aim, double before, double now, long iterations, long left);
// The error of the best point as a solution that rests: in the convex view, where s = 0. Where it is not small beside
// that of the Coulomb problem, loaded contacts slip.
double ch_run_slip(const ChRun* run);
// The tolerance is met or the time is over.
bool ch_run_finished(const ChRun* run);
bool ch_run_late(const ChRun* run);
// Iterations that the caller leaves; LONG_MAX without a limit.
long ch_run_iterations_left(const ChRun* run);

enum { CH_NESTED_SETTINGS = 5 };

// A method called by another: where it starts and how far it may go. Zero means: as the caller.
typedef struct ChNested {
  const ChMethod* method;
  const ChSystem* system;  // another view of the same rows, e.g. the relaxed one
  const double* start;     // NULL: the caller's best
  double tolerance;
  long max_iterations;
  double work;                            // at most, counted
  ChSetting setting[CH_NESTED_SETTINGS];  // on top of the caller's
} ChNested;

// Runs it. Without another system, what it found is offered to the caller; `found` (may be NULL) gets it in any case.
// Returns the error it reached, on its own system.
double ch_run_nested(ChRun* run, const ChNested* nested, double* found);

// Forms W where that was put off; linear systems are chosen anew.
void ch_run_form(ChRun* run);

// The linear system of this run's W: the shared one, or one of its own where the run looks at another W or asks for a
// certain space.
struct ChLinearSystem* ch_run_linear(ChRun* run, int space, bool symmetric);

// A factor between exp(-spread) and exp(spread), another one each time; from one seed always the same sequence.
double ch_run_vary(unsigned long* seed, double spread);

// One row of a method's option table. Values are doubles on the way in; a whole-number option says so.
typedef struct ChOption {
  const char* name;  // "nsgs.anderson"
  double value, lowest, highest;
  bool whole;
  const char* text;
} ChOption;

// What the user set for this option, or its default.
double ch_option_value(const ChSolveOptions* options, const char* name, double fallback);
// Settings after those of the options, which they overrule; in the arena.
void ch_settings_append(ChArena* arena, ChSolveOptions* options, int count, const ChSetting* settings);

// An option table from rows X(type, name, default, lowest, highest, text): the struct, its reader and its listing.
#define CH_OPTION_FIELD(type, name, fallback, lowest, highest, text) type name;
#define CH_OPTION_ROW(type, name, fallback, lowest, highest, text) \
  {CH_OPTION_PREFIX "." #name, fallback, lowest, highest, (type)0.5 == (type)0, text},
#define CH_OPTION_READ(type, name, fallback, lowest, highest, text) \
  o.name = (type)ch_option_value(options, CH_OPTION_PREFIX "." #name, fallback);
#define CH_OPTIONS(LIST)                                       \
  typedef struct Options {                                     \
    LIST(CH_OPTION_FIELD)                                      \
  } Options;                                                   \
  static const ChOption option_rows[] = {LIST(CH_OPTION_ROW)}; \
  static Options read_options(const ChSolveOptions* options) { \
    Options o;                                                 \
    LIST(CH_OPTION_READ)                                       \
    return o;                                                  \
  }
#define CH_OPTION_COUNT ((int)(sizeof option_rows / sizeof option_rows[0]))

#endif
