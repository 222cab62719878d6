// See particle.h. The particle is a disk that cannot turn, so that the height of its lowest point is q_2.
#include "reproduce/particle.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cardhouse/disk.h"

#define RADIUS 0.1
static const double GRAVITY = 9.81;

enum { SCENE_SIZE = 4096 };

static void write_scene(const ChParticle* p, char text[SCENE_SIZE]) {
  static const char line[] =
      "{\"name\": \"line\", \"fixed\": true, \"shapes\": [{\"type\": \"halfplane\", \"normal\": [0, 1], \"material\": "
      "\"m\"}]}, ";
  char forces[256] = "";
  if (p->well)
    snprintf(forces, sizeof forces,
             "{\"type\": \"well\", \"body\": \"particle\", \"at\": [0, %g], \"r2\": 1, \"r4\": -2, \"r6\": 1}", RADIUS);
  snprintf(text, SCENE_SIZE,
           "{\"cardhouse\": 1, \"name\": \"particle\", \"dimension\": 2, \"gravity\": [0, %g],\n"
           " \"step\": {\"h\": %.17g, \"until\": %.17g, \"integrator\": \"%s\"}, \"method\": {\"tolerance\": 1e-12},\n"
           " \"materials\": {\"m\": {\"friction\": %.17g}},\n"
           " \"bodies\": [%s{\"name\": \"particle\", \"position\": [%.17g, %.17g], \"velocity\": [%.17g, %.17g],\n"
           "   \"mass\": %.17g, \"lock\": [%s\"rz\"],\n"
           "   \"shapes\": [{\"type\": \"disk\", \"radius\": %g, \"material\": \"m\"}]}],\n"
           " \"forces\": [%s]}\n",
           p->well ? 0.0 : -GRAVITY, p->h, p->until, p->integrator, p->mu, p->floor ? line : "", p->at[0],
           p->at[1] + RADIUS, p->velocity[0], p->velocity[1], p->mass, p->well ? "" : "\"x\", ", RADIUS, forces);
}

// The scene beside its trajectory, for the reader: particle.h5 -> particle.json.
static ChStatus keep_scene(ChItemRun* run, const ChParticle* p, const char* text) {
  char path[SCENE_SIZE];
  snprintf(path, sizeof path, "%s/%.*s.json", run->folder, (int)strcspn(p->record, "."), p->record);
  return ch_whole_file_write(run->context, path, text, strlen(text));
}

// --- step by step

typedef struct Watch {
  const ChParticle* particle;
  ChParticleMotion* motion;
  long every;
  double last, before;  // energy of the last step, and before the bounce at hand
  bool pressed;
} Watch;

static void sample(const Watch* w, double time, const ChSimulation* s, double energy) {
  ChParticleMotion* m = w->motion;
  if (m->count == CH_SAMPLES_MAX) return;
  ChBodyView at = ch_simulation_body_at(s, w->particle->floor ? 1 : 0);
  m->time[m->count] = time;
  m->q1[m->count] = at.position.x;
  m->q2[m->count] = at.position.y - RADIUS;
  m->energy[m->count++] = energy;
}

static double energy_of(const ChParticle* p, ChStepInfo info) {
  return info.kinetic + info.potential - (p->well ? 0.0 : p->mass * GRAVITY * RADIUS);
}

// A bounce begins with the first step that presses and ends with the first one that does not.
static void watch_bounce(Watch* w, bool presses, double energy) {
  ChParticleMotion* m = w->motion;
  if (presses && !w->pressed) w->before = w->last;
  if (!presses && w->pressed) {
    if (m->bounces < CH_BOUNCES_MAX) m->restitution[m->bounces] = sqrt(fmax(energy, 0.0) / w->before);
    ++m->bounces;
  }
  w->pressed = presses;
}

static bool each(void* state, const ChSimulation* s, const ChStepInfo* info) {
  Watch* w = state;
  ChParticleMotion* m = w->motion;
  double energy = energy_of(w->particle, *info);
  int count;
  const ChContactView* contact = ch_simulation_contacts(s, &count);
  bool presses = count > 0 && contact[0].force.y != 0.0, rubs = count > 0 && contact[0].force.x != 0.0;
  if (w->particle->floor) watch_bounce(w, presses, energy);
  if (rubs)
    m->rubbed += w->last - energy;
  else
    m->elsewhere = fmax(m->elsewhere, fabs(energy - (m->start - m->rubbed)));
  m->least = fmin(m->least, energy);
  m->most = fmax(m->most, energy);
  m->deepest = fmax(m->deepest, info->penetration);
  m->missed += info->missed;
  m->slid += rubs && fabs(contact[0].slip.x) > 1e-9;
  m->end = w->last = energy;
  if (++m->steps % w->every == 0) sample(w, info->time, s, energy);
  return true;
}

// --- the run

static double start_energy(const ChParticle* p) {
  double v2 = p->velocity[0] * p->velocity[0] + p->velocity[1] * p->velocity[1];
  double s = p->at[0] * p->at[0] + p->at[1] * p->at[1];
  return 0.5 * p->mass * v2 + (p->well ? s * (s - 1.0) * (s - 1.0) : p->mass * GRAVITY * p->at[1]);
}

static bool begin(const ChParticle* p, ChParticleMotion* m) {
  *m = (ChParticleMotion){0};
  double** arrays[] = {&m->time, &m->q1, &m->q2, &m->energy};
  for (int k = 0; k < 4; ++k)
    if (!(*arrays[k] = calloc(CH_SAMPLES_MAX, sizeof(double)))) return false;
  m->start = m->least = m->most = m->end = m->energy[0] = start_energy(p);
  m->q1[0] = p->at[0];
  m->q2[0] = p->at[1];
  m->count = 1;
  return true;
}

ChStatus ch_particle_run(ChItemRun* run, const ChParticle* particle, ChParticleMotion* motion) {
  char text[SCENE_SIZE];
  ChScene* scene;
  if (!begin(particle, motion)) return ch_fail(run->context, CH_ERR_MEMORY, "out of memory for the path of a particle");
  write_scene(particle, text);
  ChStatus status = particle->record ? keep_scene(run, particle, text) : CH_OK;
  if (status == CH_OK) status = ch_scene_parse(run->context, text, "particle", &scene);
  if (status != CH_OK) return status;
  long every = (long)ceil(particle->until / particle->h / (CH_SAMPLES_MAX - 2));
  Watch watch = {.particle = particle, .motion = motion, .every = every, .last = motion->start};
  ChPlay play = {.record = particle->record, .every = (int)every, .each = each, .state = &watch};
  status = ch_item_play(run, scene, &play, NULL);
  ch_scene_destroy(scene);
  return status;
}

void ch_particle_clear(ChParticleMotion* m) {
  free(m->time);
  free(m->q1);
  free(m->q2);
  free(m->energy);
  *m = (ChParticleMotion){0};
}
