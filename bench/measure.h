// Measuring a call that may crash, exit or never end: it runs in a child process under a cap of seconds.
#ifndef CH_BENCH_MEASURE_H
#define CH_BENCH_MEASURE_H

#include <stdbool.h>

// Processor seconds of the calling thread. Everybody here runs on one thread, so this is the time on an idle machine,
// and it stays the same on a busy one. (The clock of the whole process turns coarse while a timer watches it.)
double ch_measure_clock(void);

// What the calling process prints from now on goes nowhere.
void ch_measure_silence(void);

// A number of the command line in [lo, hi]; false when it is anything else.
bool ch_measure_number(const char* text, double lo, double hi, double* out);

typedef struct ChCall {
  double seconds;
  int info;  // 0 = the solver believes that it has solved the problem
} ChCall;

// One cold solve, timed by itself so that what must not count can be left out; r has the problem's rows.
typedef ChCall (*ChCallFn)(void* user, double* r);

typedef enum ChEnding { CH_ENDING_OK, CH_ENDING_CAP, CH_ENDING_CRASH } ChEnding;

typedef struct ChMeasurement {
  ChEnding ending;  // of the first call
  int info;
  int calls;       // calls that the median stands for
  double seconds;  // median, the first call left out unless it was the only one
} ChMeasurement;

// Calls once to warm up; a call of more than half a second is taken as it is, a shorter one is repeated `repeat` times,
// and a very short one more often, until the sum can be trusted. r receives the answer of the first call.
ChMeasurement ch_measure(ChCallFn call, void* user, int rows, double cap, int repeat, double* r);

#endif
