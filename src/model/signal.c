// Numbers that change in time: b + r t + a sin(2 pi f t + p), or a table with straight lines between its rows.
#include "base/check.h"
#include "model/world_build.h"

static const double TWO_PI = 6.283185307179586;

// The last row whose time is at or before t; -1 before the first.
static int table_row(const ChSignal* s, double t) {
  int low = -1, high = s->table_count;
  while (high - low > 1) {
    int middle = low + (high - low) / 2;
    if (s->table[2 * middle] <= t)
      low = middle;
    else
      high = middle;
  }
  return low;
}

double ch_signal_value(const ChSignal* s, double t) {
  if (!s) return NAN;
  if (s->table_count == 0) return s->base + s->rate * t + s->amplitude * sin(TWO_PI * s->frequency * t + s->phase);
  int k = table_row(s, t);
  if (k < 0) return s->table[1];
  if (k == s->table_count - 1) return s->table[2 * k + 1];
  const double* row = s->table + 2 * k;
  return row[1] + (row[3] - row[1]) * ((t - row[0]) / (row[2] - row[0]));
}

double ch_signal_rate(const ChSignal* s, double t) {
  if (s->table_count == 0) {
    double pulsation = TWO_PI * s->frequency;
    return s->rate + s->amplitude * pulsation * cos(pulsation * t + s->phase);
  }
  int k = table_row(s, t);
  if (k < 0 || k == s->table_count - 1) return 0.0;
  const double* row = s->table + 2 * k;
  return (row[3] - row[1]) / (row[2] - row[0]);
}

ChStatus ch_signal_check(ChContext* context, const ChSignal* s, const char* what) {
  const double numbers[5] = {s->base, s->rate, s->amplitude, s->frequency, s->phase};
  if (!ch_all_finite(numbers, 5)) return ch_fail(context, CH_ERR_RANGE, "%s: one of its numbers is not finite", what);
  if (s->table_count < 0 || (s->table_count > 0 && !s->table))
    return ch_fail(context, CH_ERR_ARGUMENT, "%s: table_count is %d without a table", what, s->table_count);
  for (int k = 0; k < s->table_count; ++k) {
    const double* row = s->table + 2 * k;
    if (!ch_all_finite(row, 2)) return ch_fail(context, CH_ERR_RANGE, "%s: row %d of its table is not finite", what, k);
    if (k > 0 && !(row[0] > row[-2]))
      return ch_fail(context, CH_ERR_RANGE, "%s: times of its table must ascend, but row %d has %g after %g", what, k,
                     row[0], row[-2]);
  }
  bool formula = s->base != 0.0 || s->rate != 0.0 || s->amplitude != 0.0;
  if (s->table_count > 0 && formula)
    return ch_fail(context, CH_ERR_ARGUMENT, "%s: has a table and a formula; give one of them", what);
  return CH_OK;
}

ChSignal ch_signal_copy(ChWorld* world, const ChSignal* signal) {
  ChSignal copy = *signal;
  copy.table = NULL;
  if (signal->table_count == 0) return copy;
  double* table = CH_TAKE(world->arena, 2 * signal->table_count, double);
  for (int k = 0; k < 2 * signal->table_count; ++k) table[k] = signal->table[k];
  copy.table = table;
  return copy;
}
