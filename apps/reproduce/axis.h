// An axis of a chart: where values lie, and ticks at round numbers.
#ifndef CH_REPRODUCE_AXIS_H
#define CH_REPRODUCE_AXIS_H

#include <stdbool.h>

enum { CH_TICKS_MAX = 24, CH_TICK_SIZE = 40 };

typedef struct ChAxis {
  bool log;
  double low, high;  // values at the ends
  double from, to;   // and where these lie, pixels
  int ticks;
  double tick[CH_TICKS_MAX];
  char label[CH_TICKS_MAX][CH_TICK_SIZE];  // UTF-8: a true minus, powers of ten
} ChAxis;

// The axis of the values low ... high. An empty range, or one that is not finite, is widened until there is something
// to see.
ChAxis ch_axis_make(double low, double high, bool log, double from, double to, int wanted);
double ch_axis_place(const ChAxis* axis, double value);
// Whether it can be drawn: finite, and positive on a log axis.
bool ch_axis_takes(const ChAxis* axis, double value);

// "0.25", "−3", "2×10⁻⁵", with `decimals` behind the point where it is a plain number.
void ch_number_label(double value, int decimals, char label[CH_TICK_SIZE]);

#endif
