// Everything that the next steps depend on as one block of bytes: time, states, warm starts, the adaptive step. A
// simulation of the same world that loads it goes on bit for bit as if it had never stopped. No byte of it depends on
// anything but the motion: two runs write the same.
#include <math.h>
#include <string.h>

#include "base/check.h"
#include "base/vector.h"
#include "step/state.h"
#include "step/states.h"
#include "step/warm.h"

// What is kept of the last step's info: all but the times it took, and momenta, which the states tell.
#define FIGURES(X)          \
  X(step, long)             \
  X(time, double)           \
  X(h, double)              \
  X(substeps, int)          \
  X(rejected, int)          \
  X(shortest, double)       \
  X(contacts, int)          \
  X(islands, int)           \
  X(resting, int)           \
  X(impacts, int)           \
  X(iterations, long)       \
  X(missed, bool)           \
  X(penetration, double)    \
  X(overlap, double)        \
  X(deferred, double)       \
  X(relaxed, double)        \
  X(locked, int)            \
  X(locked_overlap, double) \
  X(uncovered, double)      \
  X(joint_error, double)    \
  X(kinetic, double)        \
  X(potential, double)      \
  X(stored, double)         \
  X(work, double)           \
  X(heat, double)           \
  X(gain, double)           \
  X(exchanged, double)      \
  X(bounds, int)            \
  X(recirculated, int)

#define ONE_field(name, text) +1
#define ONE(name, type) +1
enum { FIGURE_COUNT = FIGURES(ONE) CH_CERTIFICATE_FIELDS(ONE_field) };

typedef struct Header {
  char magic[8];
  int bodies, joints, contacts, dimension, level, good;
  long modes;
  double time, h, memory_h, base_time, base_h;
  long step, base_step, recirculated, inlet_places;
  double info[FIGURE_COUNT];
} Header;

static const char MAGIC[8] = "CHSTATE9";

static size_t size_of(const ChSimulation* s, int contacts) {
  return sizeof(Header) + ch_world_state_bytes(s->world) +
         (size_t)s->world->joint_count * CH_JOINT_ROWS_MAX * sizeof(double) +
         (size_t)contacts * sizeof *s->memory.contacts + (size_t)s->world->body_count;
}

static void write_info(const ChStepInfo* info, double* to) {
#define X(name, type) *to++ = (double)info->name;
  FIGURES(X)
#undef X
#define X(name, text) *to++ = info->certificate.name;
  CH_CERTIFICATE_FIELDS(X)
#undef X
}

// A checkpoint may hold anything: a number that is no count becomes 0.
static double as_long(double x) { return fabs(x) < 2147483647.0 ? x : 0.0; }
static double as_int(double x) { return as_long(x); }
static double as_bool(double x) { return x == 1.0; }
static double as_double(double x) { return x; }

static void read_info(const double* from, ChStepInfo* info) {
  *info = (ChStepInfo){0};
#define X(name, type) info->name = (type)as_##type(*from++);
  FIGURES(X)
#undef X
#define X(name, text) info->certificate.name = *from++;
  CH_CERTIFICATE_FIELDS(X)
#undef X
}

static Header make_header(const ChSimulation* s) {
  Header header = {.bodies = s->world->body_count,
                   .joints = s->world->joint_count,
                   .contacts = s->memory.contact_count,
                   .dimension = s->world->dimension,
                   .level = s->level,
                   .good = s->good,
                   .modes = s->world->mode_count,
                   .time = s->time,
                   .h = s->h,
                   .memory_h = s->memory.h,
                   .base_time = s->base_time,
                   .base_h = s->base_h,
                   .step = s->step,
                   .base_step = s->base_step,
                   .recirculated = s->recirculated,
                   .inlet_places = s->inlet_places};
  memcpy(header.magic, MAGIC, sizeof MAGIC);
  write_info(&s->info, header.info);
  return header;
}

ChStatus ch_simulation_save(ChContext* context, const ChSimulation* s, void* bytes, size_t* size) {
  size_t needed = size_of(s, s->memory.contact_count);
  if (bytes && *size < needed)
    return ch_fail(context, CH_ERR_SIZE, "a checkpoint needs %zu bytes, there are %zu", needed, *size);
  *size = needed;
  if (!bytes) return CH_OK;
  Header header = make_header(s);
  char* at = bytes;
  memcpy(at, &header, sizeof header);
  at += sizeof header;
  memcpy(at, s->states, ch_world_state_bytes(s->world));
  at += ch_world_state_bytes(s->world);
  memcpy(at, s->memory.joints, (size_t)header.joints * CH_JOINT_ROWS_MAX * sizeof(double));
  at += (size_t)header.joints * CH_JOINT_ROWS_MAX * sizeof(double);
  if (header.contacts > 0) memcpy(at, s->memory.contacts, (size_t)header.contacts * sizeof *s->memory.contacts);
  at += (size_t)header.contacts * sizeof *s->memory.contacts;
  memcpy(at, s->memory.unsure, (size_t)header.bodies);
  return CH_OK;
}

// The next step's ledger goes on from them.
static bool energies_are_finite(const Header* h) {
  ChStepInfo info;
  read_info(h->info, &info);
  return isfinite(info.kinetic) && isfinite(info.potential) && isfinite(info.stored);
}

static ChStatus check_header(ChContext* context, const ChSimulation* s, const Header* h, size_t size) {
  if (memcmp(h->magic, MAGIC, sizeof MAGIC) != 0) return ch_fail(context, CH_ERR_FORMAT, "not a checkpoint");
  if (h->bodies != s->world->body_count || h->joints != s->world->joint_count || h->dimension != s->world->dimension)
    return ch_fail(context, CH_ERR_SIZE,
                   "checkpoint of a world with %d bodies and %d joints in dimension %d; this one has %d and %d in %d",
                   h->bodies, h->joints, h->dimension, s->world->body_count, s->world->joint_count,
                   s->world->dimension);
  if (h->modes != s->world->mode_count)
    return ch_fail(context, CH_ERR_SIZE, "checkpoint of a world with %ld modes of deformable bodies; this one has %d",
                   h->modes, s->world->mode_count);
  if (h->contacts < 0 || size != size_of(s, h->contacts))
    return ch_fail(context, CH_ERR_SIZE, "checkpoint has %zu bytes, must have %zu", size,
                   size_of(s, h->contacts < 0 ? 0 : h->contacts));
  bool fine = isfinite(h->time) && isfinite(h->base_time) && isfinite(h->memory_h) && h->h > 0.0 && isfinite(h->h) &&
              h->base_h > 0.0 && isfinite(h->base_h) && h->base_step >= 0 && h->recirculated >= 0 &&
              h->inlet_places >= h->recirculated && h->step >= h->base_step && h->level >= 0 && energies_are_finite(h);
  if (!fine)
    return ch_fail(context, CH_ERR_FORMAT,
                   "checkpoint at time %g s, step %ld of length %g s: no simulation has saved such a state", h->time,
                   h->step, h->h);
  return CH_OK;
}

// Warm starts: joints' reactions first, contacts' then.
static ChStatus check_reactions(ChContext* context, const char* at, const Header* h) {
  size_t joints = (size_t)h->joints * CH_JOINT_ROWS_MAX;
  bool fine = true;
  for (size_t k = 0; k < joints; ++k, at += sizeof(double)) {
    double r;
    memcpy(&r, at, sizeof r);
    fine = fine && isfinite(r);
  }
  for (int k = 0; k < h->contacts; ++k, at += sizeof(ChContactMemory)) {
    ChContactMemory contact;
    memcpy(&contact, at, sizeof contact);
    fine = fine && ch_all_finite(contact.r, CH_BLOCK_MAX) && ch_vec_finite(contact.stretch);
    for (int a = 0; a < 3; ++a) fine = fine && ch_vec_finite(contact.axis[a]);
  }
  return fine ? CH_OK : ch_fail(context, CH_ERR_FORMAT, "checkpoint holds a reaction that is not finite");
}

static ChStatus check_states(ChContext* context, const ChSimulation* s, long step) {
  ChContext own = {0};
  if (ch_states_check(&own, s->world, s->before, step) == CH_OK) return CH_OK;
  return ch_fail(context, CH_ERR_FORMAT, "checkpoint: %s", own.message);
}

ChStatus ch_simulation_load(ChContext* context, ChSimulation* s, const void* bytes, size_t size) {
  Header header;
  if (size < sizeof header)
    return ch_fail(context, CH_ERR_SIZE, "checkpoint has %zu bytes, too few for its head", size);
  memcpy(&header, bytes, sizeof header);
  ChStatus status = check_header(context, s, &header, size);
  if (status == CH_OK) status = ch_memory_reserve(context, s, header.contacts);
  if (status != CH_OK) return status;
  const char* at = (const char*)bytes + sizeof header;
  size_t states = ch_world_state_bytes(s->world);
  memcpy(s->before, at, states);
  status = check_states(context, s, header.step);
  if (status != CH_OK) return status;
  at += states;
  status = check_reactions(context, at, &header);
  if (status != CH_OK) return status;
  memcpy(s->states, s->before, states);
  memcpy(s->memory.joints, at, (size_t)header.joints * CH_JOINT_ROWS_MAX * sizeof(double));
  at += (size_t)header.joints * CH_JOINT_ROWS_MAX * sizeof(double);
  if (header.contacts > 0) memcpy(s->memory.contacts, at, (size_t)header.contacts * sizeof *s->memory.contacts);
  at += (size_t)header.contacts * sizeof *s->memory.contacts;
  memcpy(s->memory.unsure, at, (size_t)header.bodies);
  s->memory.contact_count = header.contacts;
  s->memory.h = header.memory_h;
  s->time = header.time;
  s->h = header.h;
  s->level = header.level;
  s->good = header.good;
  s->base_time = header.base_time;
  s->base_h = header.base_h;
  s->step = header.step;
  s->base_step = header.base_step;
  s->recirculated = header.recirculated;
  s->inlet_places = header.inlet_places;
  read_info(header.info, &s->info);
  ch_momenta(s->world, s->states, &s->info.momentum, &s->info.angular_momentum);
  s->restock = s->step == 0 || s->info.recirculated > 0;
  s->still = s->rest.filled = false;
  s->contact_count = 0;
  return CH_OK;
}
