// A scene: a world and how to run it, as JSON text. docs/scene.md describes the form, docs/scene.schema.json states it.
#ifndef CARDHOUSE_SCENE_H
#define CARDHOUSE_SCENE_H

#include "cardhouse/api.h"
#include "cardhouse/simulation.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct ChScene {
  char* name;
  char* text;      // the scene as JSON, includes and parameters resolved
  ChWorld* world;  // NULL once a simulation took it over
  ChSimulationOptions options;
  double until;  // seconds
} ChScene;

// Reads a scene from text. `file` names it in messages and is where relative paths begin; NULL: the working folder.
// A wrong scene is refused with file, line, column, JSON path, what is there and what would be right.
CH_API ChStatus ch_scene_parse(ChContext* context, const char* text, const char* file, ChScene** out);
// The same from a file, or "-" for standard input, or the name of a built-in scene.
CH_API ChStatus ch_scene_open(ChContext* context, const char* name, ChScene** out);
CH_API void ch_scene_destroy(ChScene* scene);

// Built-in scenes: parameters are pairs of name and value as text ("levels", "4").
CH_API int ch_scene_builtin_count(void);
CH_API const char* ch_scene_builtin_name(int index);
CH_API const char* ch_scene_builtin_summary(int index);
CH_API int ch_scene_builtin_find(const char* name);  // -1 when there is none

typedef struct ChSceneParameter {
  const char* name;
  const char* value;  // default, as text
  const char* text;   // meaning, with its unit
  double lowest, highest;
  bool whole;
  const char* words;  // "one|another" instead of a number, or NULL
} ChSceneParameter;
// NULL-terminated by a parameter without a name.
CH_API const ChSceneParameter* ch_scene_builtin_parameters(int index);

// The scene as JSON text; the caller frees it. Unknown names and parameters are refused with the nearest known one.
CH_API ChStatus ch_scene_builtin(ChContext* context, const char* name, int count, const char* const (*parameters)[2],
                                 char** text);

// What a scene may hold, as JSON Schema (draft 2020-12); the caller frees it. NULL when out of memory.
CH_API char* ch_scene_schema_text(void);

#ifdef __cplusplus
}
#endif
#endif
