// Everything that the next steps depend on as one block of bytes: time, states, warm starts, the adaptive step. A
// simulation of the same world that loads it goes on bit for bit as if it had never stopped.
#include <string.h>

#include "step/state.h"

typedef struct Header {
  char magic[8];
  int bodies, joints, contacts, dimension;
  double time, h, memory_h;
  long step;
  ChStepInfo info;
} Header;

static const char MAGIC[8] = "CHSTATE1";

static size_t size_of(const ChSimulation* s, int contacts) {
  return sizeof(Header) + (size_t)s->world->body_count * sizeof *s->states +
         (size_t)s->world->joint_count * CH_JOINT_ROWS_MAX * sizeof(double) +
         (size_t)contacts * sizeof *s->memory.contacts;
}

ChStatus ch_simulation_save(ChContext* context, const ChSimulation* s, void* bytes, size_t* size) {
  size_t needed = size_of(s, s->memory.contact_count), room = *size;
  *size = needed;
  if (!bytes) return CH_OK;
  if (room < needed) return ch_fail(context, CH_ERR_SIZE, "a checkpoint needs %zu bytes, there are %zu", needed, room);
  Header header;
  memset(&header, 0, sizeof header);
  memcpy(header.magic, MAGIC, sizeof MAGIC);
  header.bodies = s->world->body_count;
  header.joints = s->world->joint_count;
  header.contacts = s->memory.contact_count;
  header.dimension = s->world->dimension;
  header.time = s->time;
  header.h = s->h;
  header.memory_h = s->memory.h;
  header.step = s->step;
  header.info = s->info;
  char* at = bytes;
  memcpy(at, &header, sizeof header);
  at += sizeof header;
  memcpy(at, s->states, (size_t)header.bodies * sizeof *s->states);
  at += (size_t)header.bodies * sizeof *s->states;
  memcpy(at, s->memory.joints, (size_t)header.joints * CH_JOINT_ROWS_MAX * sizeof(double));
  at += (size_t)header.joints * CH_JOINT_ROWS_MAX * sizeof(double);
  if (header.contacts > 0) memcpy(at, s->memory.contacts, (size_t)header.contacts * sizeof *s->memory.contacts);
  return CH_OK;
}

static ChStatus check_header(ChContext* context, const ChSimulation* s, const Header* h, size_t size) {
  if (memcmp(h->magic, MAGIC, sizeof MAGIC) != 0) return ch_fail(context, CH_ERR_FORMAT, "not a checkpoint");
  if (h->bodies != s->world->body_count || h->joints != s->world->joint_count || h->dimension != s->world->dimension)
    return ch_fail(context, CH_ERR_SIZE,
                   "checkpoint of a world with %d bodies and %d joints in dimension %d; this one has %d and %d in %d",
                   h->bodies, h->joints, h->dimension, s->world->body_count, s->world->joint_count,
                   s->world->dimension);
  if (h->contacts < 0 || size != size_of(s, h->contacts))
    return ch_fail(context, CH_ERR_SIZE, "checkpoint has %zu bytes, must have %zu", size,
                   size_of(s, h->contacts < 0 ? 0 : h->contacts));
  return CH_OK;
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
  memcpy(s->states, at, (size_t)header.bodies * sizeof *s->states);
  at += (size_t)header.bodies * sizeof *s->states;
  memcpy(s->memory.joints, at, (size_t)header.joints * CH_JOINT_ROWS_MAX * sizeof(double));
  at += (size_t)header.joints * CH_JOINT_ROWS_MAX * sizeof(double);
  if (header.contacts > 0) memcpy(s->memory.contacts, at, (size_t)header.contacts * sizeof *s->memory.contacts);
  s->memory.contact_count = header.contacts;
  s->memory.h = header.memory_h;
  s->time = header.time;
  s->h = header.h;
  s->step = header.step;
  s->info = header.info;
  s->still = s->rest.filled = false;
  s->contact_count = 0;
  return CH_OK;
}
