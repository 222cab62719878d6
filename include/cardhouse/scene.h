// A scene: a world and how to run it, as JSON text. docs/scene.md describes the form, docs/scene.schema.json states it.
// The functions that read a scene also read a robot in URDF or MJCF: docs/robots.md.
#ifndef CARDHOUSE_SCENE_H
#define CARDHOUSE_SCENE_H

#include "cardhouse/api.h"
#include "cardhouse/simulation.h"

#ifdef __cplusplus
extern "C" {
#endif

// A scene that was read. It owns everything in it; options name texts that live as long as the scene.
typedef struct ChScene {
  char* name;
  char* text;      // the scene as JSON, includes and parameters resolved
  char* look;      // the scene's key "look" as checked JSON, for drawing; NULL if there is none
  ChWorld* world;  // NULL once a simulation has taken it over
  ChSimulationOptions options;
  double until;         // seconds
  ChSetting* settings;  // those of options.solve
  char* notes;  // for a robot's file: one line for everything that was read differently or left out; NULL: nothing
} ChScene;

// Reads a scene from text. `file` names it in messages and is the start of relative paths; NULL: the working folder. A
// wrong scene is refused. The message gives file, line, column, JSON path, the value found and what would be right.
CH_API ChStatus ch_scene_parse(ChContext* context, const char* text, const char* file, ChScene** out);
// Reads a scene from a file, from standard input ("-"), or by the name of a built-in scene.
CH_API ChStatus ch_scene_open(ChContext* context, const char* name, ChScene** out);
// Opens a scene as ch_scene_open does, with the law of contact `contact`: "rigid" or "compliant" (ch_contact_law_name);
// NULL: as the scene says. A built-in scene with a parameter "contact" is made for that law.
CH_API ChStatus ch_scene_open_as(ChContext* context, const char* name, const char* contact, ChScene** out);

// All faults of a scene, in the order of the text, each with the message that a context would hold.
enum { CH_SCENE_FAULTS_MAX = 50 };
typedef struct ChSceneFaults {
  int count, more;  // `more` is the number of faults for which there was no room
  char text[CH_SCENE_FAULTS_MAX][CH_MESSAGE_SIZE];
} ChSceneFaults;

// Reads a scene from text as ch_scene_parse does, and lists all of its faults; see ChSceneChoice.
CH_API ChStatus ch_scene_parse_telling(ChContext* context, const char* text, const char* file, ChSceneFaults* faults,
                                       ChScene** out);

// How to open a scene.
typedef struct ChSceneChoice {
  const char* contact;                 // law of contact as for ch_scene_open_as; NULL: as the scene says
  int parameter_count;                 // pairs in
  const char* const (*parameters)[2];  // name and value as text, for a built-in scene or for a file's "parameters"
  // Where to list all faults of a scene that is refused; the context has the first. Faults that show only when the
  // world is built (a body's mass, overlaps) come last in the list. NULL: reading ends at the first fault.
  ChSceneFaults* faults;
} ChSceneChoice;
// Opens a scene as ch_scene_open does, with the law, parameters and list of faults that `choice` gives. An unknown name
// is refused with the nearest known one. A value for a file's parameter may be a formula ("2*pi", "n/4") in terms of
// parameters that the file states before it.
CH_API ChStatus ch_scene_open_with(ChContext* context, const char* name, const ChSceneChoice* choice, ChScene** out);
// Reads a scene from text, with values for its parameters and the list of faults that `choice` asks for.
// `choice->contact` is not read.
CH_API ChStatus ch_scene_parse_with(ChContext* context, const char* text, const char* file, const ChSceneChoice* choice,
                                    ChScene** out);
// Opens a scene as ch_scene_open does, but accepts any overlap at the start. ch_simulation_heal needs such scenes.
CH_API ChStatus ch_scene_open_overlapping(ChContext* context, const char* name, ChScene** out);
// Adds the content of a scene's text to a simulation between two steps: its bodies, joints and forces, in the last
// rows. Materials are those of the simulation's world; other settings of the text are ignored. Points and axes of
// joints are in the world as it is now. If something is wrong, nothing is added. Deformable bodies cannot be added in
// this way.
CH_API ChStatus ch_scene_add_to(ChContext* context, ChSimulation* simulation, const char* text, const char* file);
// Frees the scene, and its world unless a simulation took it over. NULL is legal.
CH_API void ch_scene_destroy(ChScene* scene);

// Returns how many built-in scenes there are.
CH_API int ch_scene_builtin_count(void);
// Return the name of built-in scene `index` (0 to ch_scene_builtin_count() - 1), and one line about it. The texts
// belong to the library.
CH_API const char* ch_scene_builtin_name(int index);
CH_API const char* ch_scene_builtin_summary(int index);
// Returns the index of a built-in scene, -1 if none has this name.
CH_API int ch_scene_builtin_find(const char* name);

// A parameter of a built-in scene.
typedef struct ChSceneParameter {
  const char* name;
  const char* value;  // default, as text
  const char* text;   // meaning, with its unit
  double lowest, highest;
  bool whole;
  const char* words;  // "one|another" instead of a number, or NULL
} ChSceneParameter;
// Returns the parameters of built-in scene `index`; an entry without a name follows the last.
CH_API const ChSceneParameter* ch_scene_builtin_parameters(int index);

// Returns the built-in scene as JSON text, which the caller frees; `parameters` are `count` pairs of name and value as
// text ("levels", "4"). Unknown names and parameters are refused with the nearest known one.
CH_API ChStatus ch_scene_builtin(ChContext* context, const char* name, int count, const char* const (*parameters)[2],
                                 char** text);

// Returns the form of scenes as JSON Schema (draft 2020-12); the caller frees it. NULL if memory runs out.
CH_API char* ch_scene_schema_text(void);

#ifdef __cplusplus
}
#endif
#endif
