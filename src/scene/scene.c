// Scenes opened and read: text to world and settings.
#include "cardhouse/scene.h"

#include <setjmp.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/whole_file.h"
#include "scene/build.h"
#include "scene/json_text.h"
#include "scene/recorded_scene.h"
#include "scene/scene_look.h"

// -------------------------------------------------------------------------------------------------------- resolved
// text

// Lists and materials of all documents together; settings are the first one's. What was resolved is left out.
static json_t* merged(const ChDocuments* documents) {
  static const char* const lists[] = {"pairs", "bodies", "joints", "forces", "ignore"};
  json_t* root = json_copy(documents->document[0].root);
  if (!root) return NULL;
  json_object_del(root, "parameters");
  json_object_del(root, "include");
  if (documents->count == 1) return root;
  json_t* materials = json_object();
  for (int k = 0; k < documents->count; ++k) json_object_update(materials, documents->root[k].materials);
  json_object_set_new(root, "materials", materials);
  for (int j = 0; j < CH_COUNT(lists); ++j) {
    json_t* list = json_array();
    for (int k = 0; k < documents->count; ++k) {
      json_t* more = json_object_get(documents->document[k].root, lists[j]);
      if (more) json_array_extend(list, more);
    }
    if (json_array_size(list) > 0)
      json_object_set_new(root, lists[j], list);
    else
      json_decref(list);
  }
  return root;
}

static const char* base_name(const char* file) {
  const char* slash = strrchr(file, '/');
  return slash ? slash + 1 : file;
}

// The reader's settings, in memory that lives as long as the scene.
static bool keep_settings(ChSolveOptions* options, ChSetting** out) {
  if (options->setting_count == 0) return true;
  size_t bytes = (size_t)options->setting_count * sizeof **out;
  *out = malloc(bytes);
  if (*out) options->settings = memcpy(*out, options->settings, bytes);
  return *out != NULL;
}

// The notes of all documents.
static bool keep_notes(const ChDocuments* documents, char** out) {
  size_t size = 0;
  for (int k = 0; k < documents->count; ++k)
    if (documents->document[k].notes) size += strlen(documents->document[k].notes) + 1;
  if (size == 0) return true;
  *out = calloc(1, size);
  for (int k = 0; k < documents->count && *out; ++k) {
    if (!documents->document[k].notes) continue;
    if (**out) strcat(*out, "\n");
    strcat(*out, documents->document[k].notes);
  }
  return *out != NULL;
}

static bool out_of_memory(ChReader* r) {
  r->status = ch_fail(r->context, CH_ERR_MEMORY, "out of memory for the text of a scene");
  return false;
}

static bool fill(ChReader* r, const ChDocuments* documents, ChScene* scene) {
  const ChSceneRoot* root = &documents->root[0];
  json_t* all = merged(documents);
  scene->text = all ? ch_json_text(all) : NULL;
  json_decref(all);
  scene->name = strdup(root->name ? root->name : base_name(documents->document[0].file));
  scene->options = root->run.options;
  scene->until = root->run.until;
  if (!keep_notes(documents, &scene->notes)) return out_of_memory(r);
  if (scene->text && scene->name && keep_settings(&scene->options.solve, &scene->settings)) return true;
  return out_of_memory(r);
}

// ------------------------------------------------------------------------------------------------------------- reading

static ChStatus read_scene(ChReader* r, const char* text, size_t size, const char* file, ChScene* scene) {
  ChDocuments* documents = CH_TAKE(r->arena, 1, ChDocuments);
  if (!ch_documents_read(r, text, size, file, documents)) return r->status;
  r->dimension = documents->root[0].dimension;
  ChStatus status = ch_world_create(r->context, r->dimension, &scene->world);
  if (status != CH_OK) return status;
  if (!ch_world_build(r, documents, scene->world)) return r->status;
  // A run that was recorded has passed this, and bodies of a recording have no more than is needed to show them.
  if (!r->recorded && !r->overlapping && !ch_world_check_overlap(r, documents, scene->world)) return r->status;
  if (!ch_look_text(r, documents, scene->world, &scene->look)) return r->status;
  return fill(r, documents, scene) ? CH_OK : r->status;
}

typedef struct Kind {
  const ChRecordedSofts* recorded;
  const ChSceneChoice* choice;  // for a file
  ChSceneFaults* faults;
  bool overlapping;
  bool forgiving;  // of pictures that are not there
} Kind;

static ChStatus read_in_arena(ChContext* context, ChArena* arena, const char* text, size_t size, const char* file,
                              Kind kind, ChScene** out) {
  *out = NULL;
  ChScene* scene = calloc(1, sizeof *scene);
  jmp_buf landing;
  if (!scene || setjmp(landing)) {
    ch_scene_destroy(scene);
    return ch_fail(context, CH_ERR_MEMORY, "out of memory for a scene");
  }
  ch_arena_set_landing(arena, &landing);
  ChContext own = {0};
  ChReader reader = {.context = context ? context : &own,
                     .arena = arena,
                     .choice = kind.choice,
                     .recorded = kind.recorded,
                     .faults = kind.faults,
                     .overlapping = kind.overlapping,
                     .forgiving = kind.forgiving};
  ChStatus status = read_scene(&reader, text, size, file, scene);
  if (status != CH_OK && !ch_reader_settle(&reader)) status = reader.status;
  ch_arena_set_landing(arena, NULL);
  if (status != CH_OK) {
    ch_scene_destroy(scene);
    return status;
  }
  *out = scene;
  return CH_OK;
}

static ChStatus parse(ChContext* context, const char* text, const char* file, Kind kind, ChScene** out) {
  *out = NULL;
  if (!text) return ch_fail(context, CH_ERR_ARGUMENT, "the text of a scene is needed, NULL was given");
  ChArena* arena = ch_arena_create(NULL);
  if (!arena) return ch_fail(context, CH_ERR_MEMORY, "out of memory for a scene");
  ChStatus status = read_in_arena(context, arena, text, strlen(text), file ? file : "scene", kind, out);
  ch_arena_destroy(arena);
  return status;
}

ChStatus ch_scene_parse_recorded(ChContext* context, const char* text, const char* file,
                                 const ChRecordedSofts* recorded, bool forgiving, ChScene** out) {
  return parse(context, text, file, (Kind){.recorded = recorded, .forgiving = forgiving}, out);
}

ChStatus ch_scene_parse(ChContext* context, const char* text, const char* file, ChScene** out) {
  return parse(context, text, file, (Kind){0}, out);
}

ChStatus ch_scene_parse_telling(ChContext* context, const char* text, const char* file, ChSceneFaults* faults,
                                ChScene** out) {
  if (faults) faults->count = faults->more = 0;
  return parse(context, text, file, (Kind){.faults = faults}, out);
}

ChStatus ch_scene_parse_with(ChContext* context, const char* text, const char* file, const ChSceneChoice* choice,
                             ChScene** out) {
  const ChSceneChoice none = {0};
  const ChSceneChoice* chosen = choice ? choice : &none;
  if (chosen->faults) chosen->faults->count = chosen->faults->more = 0;
  return parse(context, text, file,
               (Kind){.choice = chosen->parameter_count > 0 ? chosen : NULL, .faults = chosen->faults}, out);
}

static ChStatus extend(ChReader* r, const char* text, const char* file, ChSimulation* simulation) {
  ChDocuments* documents = CH_TAKE(r->arena, 1, ChDocuments);
  if (!ch_documents_read(r, text, strlen(text), file, documents)) return r->status;
  r->dimension = ch_world_dimension(ch_simulation_world(simulation));
  if (documents->root[0].dimension != r->dimension)
    return ch_fail(r->context, CH_ERR_ARGUMENT, "%s: the scene has dimension %d, the simulation %d", file,
                   documents->root[0].dimension, r->dimension);
  return ch_simulation_extend(r, documents, simulation) ? CH_OK : r->status;
}

ChStatus ch_scene_add_to(ChContext* context, ChSimulation* simulation, const char* text, const char* file) {
  if (!text || !simulation)
    return ch_fail(context, CH_ERR_ARGUMENT, "a simulation and a text are needed, NULL was given");
  ChArena* arena = ch_arena_create(NULL);
  jmp_buf landing;
  if (!arena || setjmp(landing)) {
    ch_arena_destroy(arena);
    return ch_fail(context, CH_ERR_MEMORY, "out of memory for a scene");
  }
  ch_arena_set_landing(arena, &landing);
  ChContext own = {0};
  ChReader reader = {.context = context ? context : &own, .arena = arena};
  ChStatus status = extend(&reader, text, file ? file : "scene", simulation);
  ch_arena_set_landing(arena, NULL);
  ch_arena_destroy(arena);
  return status;
}

static ChStatus open_file(ChContext* context, const char* name, Kind kind, ChScene** out) {
  ChArena* arena = ch_arena_create(NULL);
  if (!arena) return ch_fail(context, CH_ERR_MEMORY, "out of memory for a scene");
  ChWholeFile whole;
  ChStatus status = ch_whole_file_read_up_to(context, name, CH_SCENE_BYTES_MAX, arena, &whole);
  if (status == CH_OK)
    status = read_in_arena(context, arena, whole.text, whole.size, strcmp(name, "-") == 0 ? "standard input" : name,
                           kind, out);
  ch_arena_destroy(arena);
  return status;
}

static bool has_parameter(int builtin, const char* name) {
  for (const ChSceneParameter* p = ch_scene_builtin_parameters(builtin); p && p->name; ++p)
    if (strcmp(p->name, name) == 0) return true;
  return false;
}

// The law of contact comes last: a value for the parameter "contact" stands before it.
static ChStatus open_builtin(ChContext* context, const char* name, const ChSceneChoice* choice, Kind kind,
                             ChScene** out) {
  bool takes = choice->contact && has_parameter(ch_scene_builtin_find(name), "contact");
  const char*(*given)[2] = calloc((size_t)choice->parameter_count + 1, sizeof *given);
  if (!given) return ch_fail(context, CH_ERR_MEMORY, "out of memory for the parameters of %s", name);
  for (int k = 0; k < choice->parameter_count; ++k)
    given[k][0] = choice->parameters[k][0], given[k][1] = choice->parameters[k][1];
  given[choice->parameter_count][0] = "contact", given[choice->parameter_count][1] = choice->contact;
  char* text = NULL;
  ChStatus status =
      ch_scene_builtin(context, name, choice->parameter_count + takes, (const char* const(*)[2])given, &text);
  if (status == CH_OK) status = parse(context, text, name, kind, out);
  free(text);
  free(given);
  return status;
}

static ChStatus open_scene(ChContext* context, const char* name, const ChSceneChoice* choice, Kind kind,
                           ChScene** out) {
  *out = NULL;
  if (!name) return ch_fail(context, CH_ERR_ARGUMENT, "the name of a scene is needed, NULL was given");
  ChContactLaw law;
  if (choice->contact && !ch_contact_law_find(choice->contact, &law))
    return ch_fail(context, CH_ERR_ARGUMENT, "the law of contact is '%.40s', must be rigid or compliant",
                   choice->contact);
  bool file = strcmp(name, "-") == 0 || strpbrk(name, "/.") || access(name, F_OK) == 0;
  bool builtin = ch_scene_builtin_find(name) >= 0 || !file;
  if (!builtin && choice->parameter_count > 0) kind.choice = choice;
  kind.faults = choice->faults;
  if (kind.faults) kind.faults->count = kind.faults->more = 0;
  ChStatus status = builtin ? open_builtin(context, name, choice, kind, out) : open_file(context, name, kind, out);
  if (status == CH_OK && choice->contact) (*out)->options.contact = law;
  return status;
}

ChStatus ch_scene_open_with(ChContext* context, const char* name, const ChSceneChoice* choice, ChScene** out) {
  return open_scene(context, name, choice ? choice : &(ChSceneChoice){0}, (Kind){0}, out);
}

ChStatus ch_scene_open_as(ChContext* context, const char* name, const char* contact, ChScene** out) {
  return open_scene(context, name, &(ChSceneChoice){.contact = contact}, (Kind){0}, out);
}

ChStatus ch_scene_open(ChContext* context, const char* name, ChScene** out) {
  return open_scene(context, name, &(ChSceneChoice){0}, (Kind){0}, out);
}

ChStatus ch_scene_open_overlapping(ChContext* context, const char* name, ChScene** out) {
  return open_scene(context, name, &(ChSceneChoice){0}, (Kind){.overlapping = true}, out);
}

void ch_scene_destroy(ChScene* scene) {
  if (!scene) return;
  ch_world_destroy(scene->world);
  free(scene->name);
  free(scene->text);
  free(scene->look);
  free(scene->settings);
  free(scene->notes);
  free(scene);
}
