// Checkpoint files: a head with sizes and a checksum, the scene's text, the run's choices, the state of the records,
// the simulation's own block of bytes. They are for the program and machine type that wrote them; a trajectory is for
// everybody else.
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/whole_file.h"
#include "cardhouse/record.h"
#include "record/choices.h"

typedef struct Head {
  char magic[16];
  uint64_t scene_size, choices_size, record_size, state_size;
  uint64_t shapes, sum;
} Head;

static const char MAGIC[16] = "cardhouse-check2";

// `saved`: the simulation's own bytes, of now or of before.
static ChStatus write_with(ChContext* context, const char* path, const ChSimulation* simulation, const char* scene,
                           const char* choices, const ChRecordState* records, const void* saved, size_t state) {
  size_t text = strlen(scene), chosen = strlen(choices);
  size_t size = sizeof(Head) + text + chosen + sizeof *records + state;
  char* bytes = calloc(1, size);
  if (!bytes) return ch_fail(context, CH_ERR_MEMORY, "%s: out of memory for %zu bytes", path, size);
  char *body = bytes + sizeof(Head), *at = body;
  memcpy(at, scene, text);
  memcpy(at += text, choices, chosen);
  memcpy(at += chosen, records, sizeof *records);
  memcpy(at + sizeof *records, saved, state);
  Head head = {.scene_size = text,
               .choices_size = chosen,
               .record_size = sizeof *records,
               .state_size = state,
               .shapes = ch_shapes_sum(simulation),
               .sum = ch_sum_bytes(CH_SUM_START, body, size - sizeof head)};
  memcpy(head.magic, MAGIC, sizeof MAGIC);
  memcpy(bytes, &head, sizeof head);
  ChStatus status = ch_whole_file_write_durably(context, path, bytes, size);
  free(bytes);
  return status;
}

ChStatus ch_checkpoint_write_saved(ChContext* context, const char* path, const ChSimulation* simulation,
                                   const char* scene, const ChRecordState* records, const void* saved, size_t size) {
  char* choices = ch_choices_text(simulation);
  if (!choices) return ch_fail(context, CH_ERR_MEMORY, "%s: out of memory", path);
  ChStatus status = write_with(context, path, simulation, scene, choices, records, saved, size);
  free(choices);
  return status;
}

ChStatus ch_checkpoint_write(ChContext* context, const char* path, const ChSimulation* simulation, const char* scene,
                             const ChRecordState* records) {
  size_t size = 0;
  ChStatus status = ch_simulation_save(context, simulation, NULL, &size);
  void* saved = status == CH_OK ? malloc(size) : NULL;
  if (status == CH_OK && !saved) status = ch_fail(context, CH_ERR_MEMORY, "%s: out of memory", path);
  if (status == CH_OK) status = ch_simulation_save(context, simulation, saved, &size);
  if (status == CH_OK) status = ch_checkpoint_write_saved(context, path, simulation, scene, records, saved, size);
  free(saved);
  return status;
}

// The parts of a checkpoint; they belong to the arena.
typedef struct Parts {
  const char *scene, *choices, *records, *state;
  Head head;
} Parts;

static bool sizes_fit(const Head* head, size_t rest) {
  return head->scene_size <= rest && head->choices_size <= rest && head->record_size <= rest &&
         head->state_size <= rest &&
         head->scene_size + head->choices_size + head->record_size + head->state_size == rest;
}

static ChStatus take_apart(ChContext* context, const char* path, ChArena* arena, Parts* out) {
  ChWholeFile file;
  ChStatus status = ch_whole_file_read(context, path, true, arena, &file);
  if (status != CH_OK) return status;
  Head head = {0};
  memcpy(&head, file.text, file.size < sizeof head ? file.size : sizeof head);
  if (memcmp(head.magic, MAGIC, sizeof MAGIC) != 0)
    return ch_fail(context, CH_ERR_FORMAT, "%s: not a checkpoint of this version of the program", path);
  size_t rest = file.size < sizeof head ? 0 : file.size - sizeof head;
  if (!sizes_fit(&head, rest) || ch_sum_bytes(CH_SUM_START, file.text + sizeof head, rest) != head.sum)
    return ch_fail(context, CH_ERR_FORMAT, "%s: the checkpoint is damaged or cut short", path);
  out->head = head;
  out->scene = file.text + sizeof head;
  out->choices = out->scene + head.scene_size;
  out->records = out->choices + head.choices_size;
  out->state = out->records + head.record_size;
  return CH_OK;
}

static bool is_count(long x) { return x >= 0 && x < (1L << 53); }

// A sum may be right and what it sums up not what a run wrote: names of bodies are looked up by these, and counts go
// on.
static bool are_records(const ChRecordState* r, const ChWorld* world) {
  const ChSummary* s = &r->summary;
  return s->displaced >= -1 && s->displaced < ch_world_body_count(world) && s->folded >= -1 &&
         s->folded < ch_world_body_count(world) && is_count(s->steps) && is_count(s->missed) && is_count(s->substeps) &&
         is_count(s->rejected) && s->contacts_max >= 0 && is_count(s->iterations_max) && is_count(s->contacts_sum) &&
         is_count(s->iterations_sum) && is_count(s->looks) && is_count(s->looks_folded) &&
         is_count(r->since.iterations) && is_count(r->every) && isfinite(s->time);
}

static ChStatus load(ChContext* context, const char* path, const Parts* parts, ChSimulation* simulation,
                     const char* scene, ChRecordState* records) {
  const Head* head = &parts->head;
  if (strlen(scene) != head->scene_size || memcmp(scene, parts->scene, head->scene_size) != 0)
    return ch_fail(context, CH_ERR_ARGUMENT, "%s: checkpoint of another scene, or the scene has changed since", path);
  if (ch_shapes_sum(simulation) != head->shapes)
    return ch_fail(context, CH_ERR_ARGUMENT, "%s: a mesh or hull of the scene has changed since the checkpoint", path);
  if (head->record_size != sizeof *records)
    return ch_fail(context, CH_ERR_FORMAT, "%s: not a checkpoint of this version of the program", path);
  ChRecordState found;
  memcpy(&found, parts->records, sizeof found);
  if (!are_records(&found, ch_simulation_world(simulation)))
    return ch_fail(context, CH_ERR_FORMAT, "%s: the checkpoint's record of the run is damaged", path);
  *records = found;
  return ch_simulation_load(context, simulation, parts->state, head->state_size);
}

ChStatus ch_checkpoint_read(ChContext* context, const char* path, ChSimulation* simulation, const char* scene,
                            ChRecordState* records) {
  ChArena* arena = ch_arena_create(NULL);
  if (!arena) return ch_fail(context, CH_ERR_MEMORY, "%s: out of memory", path);
  Parts parts = {0};
  ChStatus status = take_apart(context, path, arena, &parts);
  if (status == CH_OK) status = load(context, path, &parts, simulation, scene, records);
  ch_arena_destroy(arena);
  return status;
}

ChStatus ch_checkpoint_scene(ChContext* context, const char* path, char** scene) {
  *scene = NULL;
  ChArena* arena = ch_arena_create(NULL);
  if (!arena) return ch_fail(context, CH_ERR_MEMORY, "%s: out of memory", path);
  Parts parts = {0};
  ChStatus status = take_apart(context, path, arena, &parts);
  if (status == CH_OK && !(*scene = strndup(parts.scene, parts.head.scene_size)))
    status = ch_fail(context, CH_ERR_MEMORY, "%s: out of memory", path);
  ch_arena_destroy(arena);
  return status;
}

ChStatus ch_checkpoint_changes(ChContext* context, const char* path, const ChSimulation* simulation, char** changes) {
  *changes = NULL;
  ChArena* arena = ch_arena_create(NULL);
  char* now = ch_choices_text(simulation);
  Parts parts = {0};
  ChStatus status = arena && now ? take_apart(context, path, arena, &parts)
                                 : ch_fail(context, CH_ERR_MEMORY, "%s: out of memory", path);
  if (status == CH_OK) *changes = ch_choices_compare(parts.choices, parts.head.choices_size, now);
  free(now);
  ch_arena_destroy(arena);
  return status;
}
