// Surveys: see survey.h.
#include "measure/survey.h"

#include <math.h>

#include "base/vector.h"
#include "measure/coordination.h"
#include "measure/pair_correlation.h"
#include "measure/profile.h"
#include "measure/segregation.h"

#define RETURNS 10.0  // radii that a grain rises by, from moment to moment, where it came back

ChStatus ch_survey_begin_in(ChContext* context, ChArena* arena, const ChGrains* grains, const ChSurveyOptions* options,
                            int moments, ChSurvey* out) {
  *out = (ChSurvey){.options = *options, .room = moments, .moments = CH_TAKE(arena, moments, ChInstant)};
  if (options->discharge) {
    out->before = CH_TAKE(arena, grains->count, double);
    out->since = CH_TAKE(arena, grains->count, double);
  }
  if (options->pair_correlation)
    out->correlation = ch_pair_correlation_begin_in(arena, grains->dimension, options->resolution, options->reach);
  ChStatus status = CH_OK;
  for (int axis = 0; axis < CH_PROFILE_AXES && status == CH_OK; ++axis)
    if (options->profile[axis])
      status = ch_profile_begin(context, arena, grains, &options->region, (ChProfileAxis)axis, options->bins,
                                &out->profile[axis]);
  return status;
}

static void add_coordination(ChArena* arena, ChSurvey* s, const ChGrains* grains, int count,
                             const ChContactView* contacts, ChInstant* moment) {
  const ChSurveyOptions* o = &s->options;
  ChTouches touches = count > 0 ? ch_touches_of_contacts(arena, grains, count, contacts, o->touch)
                                : ch_touches_of_distances(arena, grains, o->touch);
  ChCoordination now = {0};
  ch_coordination_add(arena, &now, grains, &o->region, &touches);
  ch_coordination_add(arena, &s->coordination, grains, &o->region, &touches);
  moment->coordination = ch_coordination_mean(&now);
  moment->loaded = ch_coordination_loaded(&now);
  moment->rattlers = ch_coordination_rattlers(&now);
}

static void add_forces(ChSurvey* s, const ChGrains* grains, int count, const ChContactView* contacts,
                       ChInstant* moment) {
  const ChSurveyOptions* o = &s->options;
  ChForces now = {0};
  ch_forces_add(&now, grains, &o->region, o->forces, count, contacts);
  ch_forces_add(&s->forces, grains, &o->region, o->forces, count, contacts);
  moment->pressure = ch_forces_pressure(&now);
  moment->normal = now.contacts > 0 ? now.normal / (double)now.contacts : NAN;
  moment->mobilised = now.rubbing > 0 ? now.mobilised / (double)now.rubbing : NAN;
}

// A grain that is higher than at the moment before by more than any collision lifts it was put back in.
static void add_returns(ChSurvey* s, const ChGrains* grains, double time) {
  const int axis = s->options.discharge_axis;
  for (int k = 0; k < grains->count; ++k) {
    const double now = ch_component(grains->at[k], axis), rise = now - s->before[k];
    s->before[k] = now;
    if (s->count == 1) {
      s->since[k] = NAN;
      continue;
    }
    if (!(rise > RETURNS * grains->radius[k]) || now < s->options.discharge_at) continue;
    s->returned += 1.0;
    s->returned_mass += grains->mass[k];
    if (!isnan(s->since[k])) {
      s->stays += 1.0;
      s->residence += time - s->since[k];
    }
    s->since[k] = time;
  }
}

static void add_discharge(ChSurvey* s, const ChGrains* grains, ChInstant* moment) {
  const ChSurveyOptions* o = &s->options;
  add_returns(s, grains, moment->time);
  moment->passed = s->returned;
  moment->passed_mass = s->returned_mass;
  for (int k = 0; k < grains->count; ++k) {
    if (!(ch_component(grains->at[k], o->discharge_axis) < o->discharge_at)) continue;
    moment->passed += 1.0;
    moment->passed_mass += grains->mass[k];
  }
}

void ch_survey_add_in(ChArena* arena, ChSurvey* s, const ChGrains* grains, double time, int contact_count,
                      const ChContactView* contacts) {
  const ChSurveyOptions* o = &s->options;
  if (s->count == s->room) return;
  ChArenaMark mark = ch_arena_mark(arena);
  ChInstant* moment = &s->moments[s->count++];
  *moment =
      (ChInstant){.time = time,
                  .grains = ch_grains_inside(grains, &o->region),
                  .packing = o->packing ? ch_grains_packing(grains, &o->region) : NAN,
                  .temperature = ch_grains_temperature(grains, &o->region),
                  .coordination = NAN,
                  .loaded = NAN,
                  .rattlers = NAN,
                  .pressure = NAN,
                  .normal = NAN,
                  .mobilised = NAN,
                  .passed = NAN,
                  .passed_mass = NAN,
                  .segregation = o->segregation >= 0 ? ch_segregation_index_in(arena, grains, o->segregation) : NAN};
  if (o->coordination) add_coordination(arena, s, grains, contact_count, contacts, moment);
  if (o->forces) add_forces(s, grains, contact_count, contacts, moment);
  if (o->discharge) add_discharge(s, grains, moment);
  if (o->pair_correlation) ch_pair_correlation_add_in(arena, &s->correlation, grains, &o->window);
  for (int axis = 0; axis < CH_PROFILE_AXES; ++axis)
    if (o->profile[axis]) ch_profile_add(arena, &s->profile[axis], grains, &o->region);
  ch_arena_release(arena, mark);
}
