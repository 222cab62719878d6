// What the portfolio's tables (auto_stages.c) and the loop over them (auto.c) have in common.
#ifndef CH_SOLVE_METHODS_AUTO_PLAN_H
#define CH_SOLVE_METHODS_AUTO_PLAN_H

#include "solve/method.h"

#define NEAR 1e-3                   // error below which Newton's method is worth starting
#define ROUGH 1e-4                  // error above which splitting is worth its factorisation
#define SLIDES 4.0                  // times its error: a point whose slip shows that much more is on its way to slide
#define HANDOVER 1e-6               // where splitting and interior point slow down and Newton takes over
enum { PENALTIES = 7, TRIED = 6 };  // penalties of the rounds, one after the other; see Plan

// A refinement of the best point that left it where it was.
typedef struct Tried {
  const ChMethod* method;
  double setting;  // its first
  long budget;
} Tried;

// A run of the portfolio, and where it stands.
typedef struct Plan {
  ChRun* run;
  struct {
    int sweeps, rest;
  } o;                       // of the user: auto.sweeps, auto.rest
  double begun;              // on ch_work_done
  double factor;             // work of a factorisation, as far as it is known
  bool plane;                // in the plane factors are cheap beside what wandering costs
  bool entered;              // beyond what is cheap, by an earlier rung
  int rung;                  // the last
  bool repeats;              // the first table is done
  int next;                  // stage of the table
  const struct Stage* last;  // that ran
  int round;                 // of tables that are repeated
  double before;             // the error with which the last stage began
  bool ready;                // W and what factors of it cost are there
  bool slid;                 // what sweeps left was on its way to slide
  bool slides;               // the best point is a solution, and one that slides
  bool looked, sought;       // for rest; with the interior point, too,
  double rest;               // and with which error as a Coulomb solution that ended
  double tried_at;           // error of the point from which
  int tried_count;           // these ended where they began: from there they would again
  Tried tried[TRIED];
  double *zero, *found;  // no reactions; where the last stage that KEEPS ended
} Plan;

typedef struct Cycle {
  int count;
  double value[7];
} Cycle;

enum {
  FROM_NOTHING = 1 << 0,
  FROM_FOUND = 1 << 1,  // where the last stage that KEEPS ended
  KEEPS = 1 << 2,
  HANDS_OVER = 1 << 3,  // ends at HANDOVER at the latest
  STILL = 1 << 4,       // on the convex view with s = 0; what it finds is graded as a Coulomb solution
  TRIES = 1 << 5,       // STILL, and where it ends far the next stage is run whatever the clock says
  SWEEPS = 1 << 6,      // the user's option is its budget
  RESTARTS = 1 << 7,    // its growth begins again with the penalties
  AIMS = 1 << 8,        // its first setting is the rung's tolerance, ROUGH at most
  FACTORS = 1 << 9,     // needs W where it can be had
  PAUSES = 1 << 10,     // ends at ROUGH whatever is asked for; then it is seen whether what it found slides
  YIELDS = 1 << 11,     // STILL; what rests takes the place of a solution that slides
  ROLLS = 1 << 12,      // more sweeps where all contacts are of spheres: the last setting
  LIGHT = 1 << 13       // left out where factors are dear
};

// `why` is a measurement: what bench/portfolio.csv or a page of docs/theory has, or what became of the conformance
// sweep (608 problems of twelve families, to 1e-8, each with 3e7 of work) without the stage, in the order that the
// stages had before there were rungs. With all of them 528 were solved with 3.77e9 of work, in pose relaxed 572
// with 3.01e9, over polygons 530 with 3.75e9.
typedef struct Stage {
  bool (*when)(const Plan* plan);  // NULL: always
  const ChMethod* method;
  unsigned how;
  double tolerance;     // where it ends at the latest; 0: at the caller's
  long budget, growth;  // iterations, and more of them with every round; 0: the method's own
  double factors;       // work, in factorisations,
  double share;         // and in all that was done before, whichever is more; both 0: no limit of its own
  ChSetting setting[CH_NESTED_SETTINGS];
  const Cycle* cycle;  // of the values of the first setting, by round; NULL: as it is
  const char* why;     // what was measured
} Stage;

typedef struct Table {
  int count;
  const Stage* stages;
} Table;

// What is cheap and what comes before W is formed: each row once.
extern const Table ch_auto_cheap, ch_auto_opening;
// Of a pose: a table that is read once, and one that is read again and again.
typedef struct TablePair {
  Table first, again;
} TablePair;
extern const TablePair ch_auto_coulomb, ch_auto_relaxed, ch_auto_polygonal;

// Many blocks of friction, whose W may cost more to factor than many sweeps.
bool ch_auto_is_large(const Plan* plan);
bool ch_auto_is_small(const Plan* plan);
// So few that leaps and splitting are tried before the rungs.
bool ch_auto_is_early(const Plan* plan);
// Many contacts that yield: sweeps with momentum converge, and nothing is quicker.
bool ch_auto_yields(const Plan* plan);
// A large packing of rigid bodies, which sweeps left not too far off.
bool ch_auto_jams(const Plan* plan);
// A factorisation that costs more than many sweeps comes after them. Without bodies sweeps go through W and are dear.
bool ch_auto_factors_are_dear(const Plan* plan);

#endif
