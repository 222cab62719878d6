// The interaction loop, measured: see loop_meter.h.
#include "common/loop_meter.h"

#include <math.h>

#include "cardhouse/clock.h"
#include "common/json.h"

static const double WINDOW = 0.5;  // seconds

void ch_loop_meter_begin(ChLoopMeter* m) { *m = (ChLoopMeter){.began = ch_clock_seconds(), .distance_every = 1}; }

void ch_loop_meter_step(ChLoopMeter* m, double h, double seconds, double limit, bool met, double behind) {
  ++m->steps;
  m->met += met;
  m->in_time += seconds <= limit;
  m->both += met && seconds <= limit;
  m->simulated += h;
  m->busy += seconds;
  m->slowest = fmax(m->slowest, seconds);
  m->late += behind > 0.0;
  m->behind = fmax(m->behind, behind);
}

void ch_loop_meter_distance(ChLoopMeter* m, double time, double distance) {
  if (++m->distance_skip < m->distance_every) return;
  m->distance_skip = 0;
  if (m->distance_count == CH_DISTANCES_MAX) {
    m->distance_count /= 2;
    for (int k = 0; k < m->distance_count; ++k)
      for (int i = 0; i < 2; ++i) m->distances[k][i] = m->distances[2 * k + 1][i];
    m->distance_every *= 2;
  }
  m->distances[m->distance_count][0] = time;
  m->distances[m->distance_count++][1] = distance;
}

bool ch_loop_meter_due(const ChLoopMeter* m) { return ch_clock_seconds() - m->began >= WINDOW; }

// Null where there was no step to tell of.
static json_t* share(double part, double whole) { return whole > 0.0 ? ch_json_real(part / whole) : json_null(); }

json_t* ch_loop_meter_close(ChLoopMeter* m) {
  double wall = ch_clock_seconds() - m->began, steps = (double)m->steps;
  json_t* object =
      json_pack("{s:s, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o}", "type", "loop", "steps_per_second",
                share(steps, wall), "met", share((double)m->met, steps), "in_time", share((double)m->in_time, steps),
                "met_in_time", share((double)m->both, steps), "real_time_factor", share(m->simulated, wall), "busy",
                share(m->busy, wall), "step_seconds", share(m->busy, steps), "slowest_step_seconds",
                m->steps > 0 ? ch_json_real(m->slowest) : json_null(), "behind_seconds",
                m->steps > 0 ? ch_json_real(m->behind) : json_null());
  json_t* distances = json_array();
  for (int k = 0; k < m->distance_count; ++k)
    json_array_append_new(distances,
                          json_pack("[o,o]", ch_json_real(m->distances[k][0]), ch_json_real(m->distances[k][1])));
  if (object && m->distance_count > 0) {
    json_object_set_new(object, "distance", ch_json_real(m->distances[m->distance_count - 1][1]));
    json_object_set(object, "distances", distances);
  }
  json_decref(distances);
  ch_loop_meter_begin(m);
  return object;
}
