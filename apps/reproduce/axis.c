// Axes: see axis.h. Ticks stand at 1, 2 or 5 times a power of ten.
#include "reproduce/axis.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const double PLAIN_LOW = 1e-4, PLAIN_HIGH = 1e5;  // between these, numbers are written out

static void append(char label[CH_TICK_SIZE], const char* text) {
  size_t used = strlen(label);
  snprintf(label + used, CH_TICK_SIZE - used, "%s", text);
}

static void append_power(int exponent, char label[CH_TICK_SIZE]) {
  static const char* const digits[] = {"⁰", "¹", "²", "³", "⁴", "⁵", "⁶", "⁷", "⁸", "⁹"};
  append(label, "10");
  if (exponent < 0) append(label, "⁻");
  char plain[16];
  snprintf(plain, sizeof plain, "%d", abs(exponent));
  for (const char* c = plain; *c; ++c) append(label, digits[*c - '0']);
}

void ch_number_label(double value, int decimals, char label[CH_TICK_SIZE]) {
  label[0] = '\0';
  if (value < 0.0) append(label, "−");
  double size = fabs(value);
  char plain[CH_TICK_SIZE];
  if (size == 0.0) decimals = 0;
  if (size == 0.0 || (size >= PLAIN_LOW && size < PLAIN_HIGH)) {
    snprintf(plain, sizeof plain, "%.*f", decimals > 6 ? 6 : decimals, size);
    append(label, plain);
    return;
  }
  int exponent = (int)floor(log10(size) + 1e-9);
  snprintf(plain, sizeof plain, "%.3g", size / pow(10.0, exponent));
  if (strcmp(plain, "1") != 0) {
    append(label, plain);
    append(label, "×");
  }
  append_power(exponent, label);
}

static void add_tick(ChAxis* axis, double value, int decimals) {
  if (axis->ticks == CH_TICKS_MAX) return;
  axis->tick[axis->ticks] = value;
  ch_number_label(value, decimals, axis->label[axis->ticks++]);
}

static void mark_linear(ChAxis* axis, int wanted) {
  double rough = (axis->high - axis->low) / wanted, power = pow(10.0, floor(log10(rough))), part = rough / power;
  double step = power * (part < 1.5 ? 1.0 : part < 3.5 ? 2.0 : part < 7.5 ? 5.0 : 10.0);
  int decimals = (int)fmax(0.0, -floor(log10(step) + 1e-9));
  double first = ceil(axis->low / step - 1e-9);
  for (double k = first; k * step <= axis->high + 1e-9 * step && axis->ticks < CH_TICKS_MAX; k += 1.0)
    add_tick(axis, k == 0.0 ? 0.0 : k * step, decimals);
}

// Written out where all labels are short, as powers of ten otherwise.
static void add_log_tick(ChAxis* axis, int factor, int exponent) {
  double value = factor * pow(10.0, exponent);
  if (!(value >= axis->low * (1.0 - 1e-9) && value <= axis->high * (1.0 + 1e-9)) || axis->ticks == CH_TICKS_MAX) return;
  if (axis->low >= 0.9e-3 && axis->high <= 1.1e4) {
    add_tick(axis, value, exponent < 0 ? -exponent : 0);
    return;
  }
  char* label = axis->label[axis->ticks];
  axis->tick[axis->ticks++] = value;
  snprintf(label, CH_TICK_SIZE, "%s", factor == 2 ? "2×" : factor == 5 ? "5×" : "");
  append_power(exponent, label);
}

static void mark_log(ChAxis* axis, int wanted) {
  int first = (int)floor(log10(axis->low)), last = (int)ceil(log10(axis->high));
  double decades = log10(axis->high / axis->low);
  int stride = (int)fmax(1.0, ceil(decades / wanted));
  for (int e = first; e <= last; ++e) {
    if (((e % stride) + stride) % stride == 0) add_log_tick(axis, 1, e);
    for (int m = 2; m <= 5 && decades < 2.0; m += 3) add_log_tick(axis, m, e);
  }
}

ChAxis ch_axis_make(double low, double high, bool log, double from, double to, int wanted) {
  bool usable = isfinite(low) && isfinite(high) && low <= high && (!log || low > 0.0);
  if (!usable) low = log ? 0.1 : 0.0, high = 1.0;
  if (log && high < low * 1.5) low /= 1.5, high *= 1.5;
  if (!log && high - low <= 1e-12 * fmax(fabs(low), fabs(high))) {
    double room = low == 0.0 ? 1.0 : 0.1 * fabs(low);
    low -= room;
    high += room;
  }
  ChAxis axis = {.log = log, .low = low, .high = high, .from = from, .to = to};
  if (log)
    mark_log(&axis, wanted);
  else
    mark_linear(&axis, wanted);
  return axis;
}

double ch_axis_place(const ChAxis* axis, double value) {
  double part =
      axis->log ? log(value / axis->low) / log(axis->high / axis->low) : (value - axis->low) / (axis->high - axis->low);
  return axis->from + part * (axis->to - axis->from);
}

bool ch_axis_takes(const ChAxis* axis, double value) { return isfinite(value) && (!axis->log || value > 0.0); }
