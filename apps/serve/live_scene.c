// Scenes of the live session: opened, started, rebuilt with what was shot into them.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "serve/live_state.h"

#define LONGEST_SOLVE 20.0  // seconds: who watches does not wait longer

void ch_live_scene_clear(ChLiveScene* scene) {
  free(scene->name);
  free(scene->word);
  free(scene->text);
  free(scene->file);
  free(scene->look);
  free(scene->settings);
  json_decref(scene->parameters);
  *scene = (ChLiveScene){0};
}

// `law`: of the command line, where the page chose none.
static ChStatus open_builtin(ChContext* context, const char* word, const char* law, int count,
                             const char (*parameters)[2][CH_ORDER_WORD], ChScene** out) {
  const char* pairs[CH_ORDER_PARAMETERS_MAX][2];
  for (int k = 0; k < count; ++k) {
    pairs[k][0] = parameters[k][0];
    pairs[k][1] = parameters[k][1];
    if (strcmp(pairs[k][0], "contact") == 0) law = NULL;
  }
  const ChSceneChoice choice = {.contact = law, .parameter_count = count, .parameters = (const char* const(*)[2])pairs};
  return ch_scene_open_with(context, word, &choice, out);
}

static ChStatus keep_scene(ChContext* context, ChScene* scene, const char* word, int count,
                           const char (*parameters)[2][CH_ORDER_WORD], ChLiveScene* out) {
  const char* slash = strrchr(word, '/');
  *out = (ChLiveScene){.name = strdup(scene->name),
                       .word = strdup(word),
                       .text = strdup(scene->text),
                       .file = strdup(slash ? slash + 1 : word),  // the text's paths begin in the working folder
                       .parameters = json_object(),
                       .options = scene->options,
                       .settings = scene->settings,
                       .look = scene->look,
                       .until = scene->until};
  scene->settings = NULL;  // they live as long as the options
  scene->look = NULL;
  for (int k = 0; k < count; ++k) json_object_set_new(out->parameters, parameters[k][0], json_string(parameters[k][1]));
  if (out->name && out->word && out->text && out->file && out->parameters) return CH_OK;
  ch_live_scene_clear(out);
  return ch_fail(context, CH_ERR_MEMORY, "out of memory for a scene");
}

// Only built-ins, and the scene that the user named on the command line: a page opens no other file.
ChStatus ch_live_scene_open(ChContext* context, const ChLive* live, const char* word, int count,
                            const char (*parameters)[2][CH_ORDER_WORD], ChLiveScene* out) {
  ChScene* scene = NULL;
  ChStatus status;
  bool first = live->first && strcmp(word, live->first) == 0;
  const char* law = first ? live->choice.contact : NULL;
  if (first && ch_scene_builtin_find(word) < 0) {
    status = live->first_text ? ch_scene_parse(context, live->first_text, word, &scene)
                              : ch_scene_open_with(context, word, &live->choice, &scene);
    if (status == CH_OK && law) ch_contact_law_find(law, &scene->options.contact);
  } else if (ch_scene_builtin_find(word) >= 0) {
    status = open_builtin(context, word, law, count, parameters, &scene);
  } else {
    status = ch_scene_builtin(context, word, 0, NULL, &(char*){NULL});  // refuses it with the nearest name
  }
  if (status == CH_OK) status = keep_scene(context, scene, word, count, parameters, out);
  ch_scene_destroy(scene);
  return status;
}

void ch_live_use_method(ChSimulationOptions* options, const char* method) {
  if (!method) return;
  options->solve.method = method;
  if (options->solve.max_iterations == 0) options->solve.max_iterations = ch_method_engine_sweeps(method);
}

ChSimulationOptions ch_live_options(const ChLive* live, int pane) {
  ChSimulationOptions options = live->setup.options;
  ch_live_use_method(&options, live->methods[pane]);
  return options;
}

static ChStatus create_panes(ChContext* context, const ChPaneSetup* setup, int count, const char* const* methods,
                             const ChPane* from, ChPane* out) {
  ChStatus status = CH_OK;
  for (int k = 0; k < count && status == CH_OK; ++k) {
    ChPaneSetup own = *setup;
    ch_live_use_method(&own.options, methods[k]);
    status = ch_pane_create(context, &own, from ? from[k].simulation : NULL, &out[k]);
  }
  for (int k = 0; k < count && status != CH_OK; ++k) ch_pane_destroy(&out[k]);
  return status;
}

static void replace_panes(ChLive* live, int count, const ChPane* panes) {
  for (int k = 0; k < CH_PANES_MAX; ++k) {
    ch_pane_destroy(&live->panes[k]);
    if (k >= count) ch_exchange_hide(live->exchange, k);
  }
  for (int k = 0; k < count; ++k) live->panes[k] = panes[k];
  live->pane_count = count;
  ++live->generation;
  live->changed = true;
}

ChStatus ch_live_start(ChContext* context, ChLive* live, ChLiveScene* scene, int method_count,
                       const char* const* methods) {
  ChPaneSetup setup = {.text = scene->text, .file = scene->file, .options = scene->options, .friction = -1.0};
  setup.options.solve.time_limit = fmin(setup.options.solve.time_limit, LONGEST_SOLVE);  // somebody is watching
  int count = method_count > 1 ? method_count : 1;
  const char* given[CH_PANES_MAX] = {NULL};
  for (int k = 0; k < method_count; ++k) given[k] = methods[k];
  ChPane panes[CH_PANES_MAX] = {0};
  ChStatus status = create_panes(context, &setup, count, given, NULL, panes);
  if (status != CH_OK) return status;
  if (scene != &live->scene) {
    ch_live_scene_clear(&live->scene);
    live->scene = *scene;
  }
  live->setup = setup;
  memcpy(live->methods, given, sizeof given);
  live->drag = (ChOrder){0};
  live->limit_given = 0.0;
  ch_exchange_clear_stats(live->exchange);
  replace_panes(live, count, panes);
  for (int k = 0; k < count; ++k) ch_pane_tell_start(&live->panes[k], live->exchange, k);
  ch_loop_meter_begin(&live->meter);
  ch_live_set_pace(live);
  ch_live_tell_scenes(live);
  ch_live_tell_state(live);
  return CH_OK;
}

ChStatus ch_live_rebuild(ChContext* context, ChLive* live) {
  ChPane panes[CH_PANES_MAX] = {0};
  ChStatus status = create_panes(context, &live->setup, live->pane_count, live->methods, live->panes, panes);
  if (status != CH_OK) return status;
  replace_panes(live, live->pane_count, panes);
  ch_live_set_pace(live);
  ch_live_tell_scenes(live);
  ch_live_tell_state(live);
  return CH_OK;
}
