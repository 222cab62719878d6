// Deformable bodies from outside: see cardhouse/soft.h.
#include <string.h>

#include "model/soft/soft.h"
#include "model/soft/soft_fold.h"
#include "model/world.h"

static const ChSoft* soft_of(const ChWorld* world, int body) {
  return body >= 0 && body < world->body_count ? world->bodies[body].soft : NULL;
}

bool ch_world_soft(const ChWorld* world, int body, ChSoftView* out) {
  const ChSoft* soft = soft_of(world, body);
  if (soft && out)
    *out = (ChSoftView){.kind = soft->kind,
                        .modes = soft->modes,
                        .clamped = soft->clamped,
                        .recorded = soft->skin_only,
                        .mass = soft->mass,
                        .frequency = soft->frequency,
                        .alpha = soft->alpha,
                        .beta = soft->beta,
                        .young = soft->young,
                        .poisson = soft->poisson,
                        .first_mode = world->bodies[body].first_mode,
                        .skin = &soft->skin};
  return soft != NULL;
}

int ch_world_mode_count(const ChWorld* world) { return world->mode_count; }

ChVec3 ch_soft_point(const ChSoftView* soft, int vertex, const double* q) {
  const double* U = soft->skin->shape + 3L * vertex * soft->modes;
  return ch_add(soft->skin->rest[vertex], ch_soft_displacement(soft->modes, U, q));
}

double ch_soft_bent(const ChSoftView* soft, const double* q) {
  double most = 0.0;
  for (int v = 0; v < soft->skin->vertex_count; ++v) {
    ChVec3 way = ch_sub(ch_soft_point(soft, v, q), soft->skin->rest[v]);
    double square = ch_dot(way, way);
    if (!(square <= most)) most = square;  // NaN stays
    if (isnan(most)) break;
  }
  return sqrt(most);
}

bool ch_world_soft_is_folded(const ChWorld* world, int body, const double* amplitudes) {
  const ChSoft* soft = soft_of(world, body);
  return soft && !soft->skin_only && ch_soft_is_folded(soft, amplitudes);
}

double ch_world_soft_energy(const ChWorld* world, int body, const double* amplitudes) {
  const ChSoft* soft = soft_of(world, body);
  return soft && !soft->skin_only ? ch_soft_energy(soft, amplitudes) : NAN;
}

double ch_world_soft_least_volume(const ChWorld* world, int body, const double* amplitudes) {
  const ChSoft* soft = soft_of(world, body);
  return soft && !soft->skin_only ? ch_soft_least_volume(soft, amplitudes) : NAN;
}

double ch_von_mises(const double s[6]) {
  double a = s[0] - s[1], b = s[1] - s[2], c = s[2] - s[0];
  return sqrt(0.5 * (a * a + b * b + c * c) + 3.0 * (s[3] * s[3] + s[4] * s[4] + s[5] * s[5]));
}

void ch_world_get_modes(const ChWorld* world, int body, double* amplitudes, double* rates) {
  const ChSoft* soft = soft_of(world, body);
  for (int a = 0; soft && a < soft->modes; ++a) {
    if (amplitudes) amplitudes[a] = ch_state_modes(world, world->states, body)[a];
    if (rates) rates[a] = ch_state_rates(world, world->states, body)[a];
  }
}

ChStatus ch_world_set_modes(ChContext* context, ChWorld* world, int body, int amplitude_count, const double* amplitudes,
                            int rate_count, const double* rates) {
  const ChSoft* soft = soft_of(world, body);
  if (!soft || !world->sealed) return ch_fail(context, CH_ERR_ARGUMENT, "body %d is rigid and has no modes", body);
  if (!(amplitude_count >= 0 && amplitude_count <= soft->modes && rate_count >= 0 && rate_count <= soft->modes))
    return ch_fail(context, CH_ERR_SIZE, "body %d has %d modes, but %d amplitudes and %d rates are given", body,
                   soft->modes, amplitude_count, rate_count);
  for (int a = 0; amplitudes && a < amplitude_count; ++a) ch_state_modes(world, world->states, body)[a] = amplitudes[a];
  for (int a = 0; rates && a < rate_count; ++a) ch_state_rates(world, world->states, body)[a] = rates[a];
  return CH_OK;
}
