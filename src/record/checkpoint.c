// Checkpoint files: a head with sizes and a checksum, the scene's text, the state of the records, the simulation's own
// block of bytes. They are for the program and machine type that wrote them; a trajectory is for everybody else.
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/whole_file.h"
#include "cardhouse/record.h"

typedef struct Head {
  char magic[16];
  uint64_t scene_size, record_size, state_size, sum;
} Head;

static const char MAGIC[16] = "cardhouse-check1";

// FNV-1a: tells a damaged file from a good one.
static uint64_t checksum(const unsigned char* bytes, size_t size) {
  uint64_t sum = 0xcbf29ce484222325u;
  for (size_t k = 0; k < size; ++k) sum = (sum ^ bytes[k]) * 0x100000001b3u;
  return sum;
}

ChStatus ch_checkpoint_write(ChContext* context, const char* path, const ChSimulation* simulation, const char* scene,
                             const ChRecordState* records) {
  size_t state = 0, text = strlen(scene);
  ChStatus status = ch_simulation_save(context, simulation, NULL, &state);
  if (status != CH_OK) return status;
  size_t size = sizeof(Head) + text + sizeof *records + state;
  char* bytes = calloc(1, size);
  if (!bytes) return ch_fail(context, CH_ERR_MEMORY, "%s: out of memory for %zu bytes", path, size);
  char* at = bytes + sizeof(Head);
  memcpy(at, scene, text);
  memcpy(at + text, records, sizeof *records);
  status = ch_simulation_save(context, simulation, at + text + sizeof *records, &state);
  Head head = {.scene_size = text, .record_size = sizeof *records, .state_size = state};
  memcpy(head.magic, MAGIC, sizeof MAGIC);
  head.sum = checksum((unsigned char*)at, size - sizeof head);
  memcpy(bytes, &head, sizeof head);
  if (status == CH_OK) status = ch_whole_file_write(context, path, bytes, size);
  free(bytes);
  return status;
}

// The parts of a checkpoint; they belong to the arena.
typedef struct Parts {
  const char *scene, *records, *state;
  size_t scene_size, record_size, state_size;
} Parts;

static ChStatus take_apart(ChContext* context, const char* path, ChArena* arena, Parts* out) {
  ChWholeFile file;
  ChStatus status = ch_whole_file_read(context, path, true, arena, &file);
  if (status != CH_OK) return status;
  Head head = {0};
  memcpy(&head, file.text, file.size < sizeof head ? file.size : sizeof head);
  if (memcmp(head.magic, MAGIC, sizeof MAGIC) != 0)
    return ch_fail(context, CH_ERR_FORMAT, "%s: not a checkpoint of this version of the program", path);
  size_t rest = file.size < sizeof head ? 0 : file.size - sizeof head;
  bool fits = head.scene_size <= rest && head.record_size <= rest && head.state_size <= rest &&
              head.scene_size + head.record_size + head.state_size == rest;
  if (!fits || checksum((unsigned char*)file.text + sizeof head, rest) != head.sum)
    return ch_fail(context, CH_ERR_FORMAT, "%s: the checkpoint is damaged or cut short", path);
  out->scene = file.text + sizeof head;
  out->records = out->scene + head.scene_size;
  out->state = out->records + head.record_size;
  out->scene_size = head.scene_size;
  out->record_size = head.record_size;
  out->state_size = head.state_size;
  return CH_OK;
}

static ChStatus load(ChContext* context, const char* path, const Parts* parts, ChSimulation* simulation,
                     const char* scene, ChRecordState* records) {
  if (strlen(scene) != parts->scene_size || memcmp(scene, parts->scene, parts->scene_size) != 0)
    return ch_fail(context, CH_ERR_ARGUMENT, "%s: checkpoint of another scene, or the scene was changed since", path);
  if (parts->record_size != sizeof *records)
    return ch_fail(context, CH_ERR_FORMAT, "%s: not a checkpoint of this version of the program", path);
  memcpy(records, parts->records, sizeof *records);
  return ch_simulation_load(context, simulation, parts->state, parts->state_size);
}

ChStatus ch_checkpoint_read(ChContext* context, const char* path, ChSimulation* simulation, const char* scene,
                            ChRecordState* records) {
  ChArena* arena = ch_arena_create(NULL);
  if (!arena) return ch_fail(context, CH_ERR_MEMORY, "%s: out of memory", path);
  Parts parts;
  ChStatus status = take_apart(context, path, arena, &parts);
  if (status == CH_OK) status = load(context, path, &parts, simulation, scene, records);
  ch_arena_destroy(arena);
  return status;
}

ChStatus ch_checkpoint_scene(ChContext* context, const char* path, char** scene) {
  *scene = NULL;
  ChArena* arena = ch_arena_create(NULL);
  if (!arena) return ch_fail(context, CH_ERR_MEMORY, "%s: out of memory", path);
  Parts parts;
  ChStatus status = take_apart(context, path, arena, &parts);
  if (status == CH_OK && !(*scene = strndup(parts.scene, parts.scene_size)))
    status = ch_fail(context, CH_ERR_MEMORY, "%s: out of memory", path);
  ch_arena_destroy(arena);
  return status;
}
