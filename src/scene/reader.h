// Reading JSON into plain structs by tables.
//
// A kind of object is a form: rows of key, type, place in the struct, range, meaning. The rows read and check a scene,
// and the same rows state docs/scene.schema.json (schema.c). A failure names file, line, column and JSON path.
#ifndef CH_SCENE_READER_H
#define CH_SCENE_READER_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"
#include "cardhouse/def_field.h"
#include "cardhouse/status.h"

// Where in a document: a chain of keys and indices that ends at the root (above = NULL).
typedef struct ChPlace {
  const struct ChPlace* above;
  const char* key;  // NULL: index
  size_t index;
} ChPlace;

struct ChDocument;
// Line and column, from 1, of the text that a place of the scene comes from.
typedef void ChLocateFn(const struct ChDocument* document, const ChPlace* place, long* line, long* column);

// One text with what it says. Formulas are replaced by their values, so paths are the same in both.
typedef struct ChDocument {
  const char* file;  // for messages, and where relative paths begin
  const char* text;
  size_t size;
  json_t* root;
  const char* notes;  // lines about what was not taken over from another format; NULL: none
  const struct ChRobotOrigins* origins;
  ChLocateFn* locate;  // of a document that was another format; NULL: the text is JSON
} ChDocument;

typedef struct ChReader {
  ChContext* context;
  ChArena* arena;  // has a landing
  const ChDocument* document;
  int dimension;
  bool overlapping;                        // bodies may overlap at the start, however deep
  const struct ChSceneChoice* choice;      // values for the first document's parameters, or NULL
  const struct ChRecordedSofts* recorded;  // of a recording's scene: what its deformable bodies are made of; else NULL
  struct ChWorld* textured;                // takes the pictures that looks name; NULL: they name none
  bool forgiving;                          // pictures that are not there are left out
  struct ChSceneFaults* faults;            // all that is wrong is kept there; NULL: the first fault ends it
  ChStatus first;                          // status of the first fault of the list
  bool settled;
  ChStatus status;
} ChReader;

// Records "file:line:column: $.path: ..." unless there was a failure before; returns false.
bool ch_reader_wrong(ChReader* reader, const ChPlace* place, const char* format, ...)
    __attribute__((format(printf, 3, 4)));
// The same for what the context already says, keeping its status.
bool ch_reader_pass_on(ChReader* reader, const ChPlace* place, ChStatus status);
// After something was wrong: keeps the fault and returns true where the next thing may be read all the same.
bool ch_reader_goes_on(ChReader* reader);
// Where all that came before must be right: false when something was not, and the first fault is then the reader's.
bool ch_reader_settle(ChReader* reader);
// "$.bodies[3].mass"
void ch_place_write(const ChPlace* place, char* text, size_t size);
// Line and column, from 1, of a value (or of its key) in valid JSON text; of the nearest thing around it that is there.
void ch_text_locate(const char* text, size_t size, const ChPlace* place, bool at_key, long* line, long* column);

// --- forms

typedef enum ChRange {
  CH_ANY,
  CH_POSITIVE,
  CH_NOT_NEGATIVE,
  CH_DENSITY,   // 0, or not so small that products with it vanish
  CH_FRICTION,  // a coefficient
  CH_STEP,      // the length of a step, s
  CH_THREADS,
  CH_HALVINGS,    // of a step
  CH_CELLS,       // of a distance field
  CH_GRID,        // cells along a side of a mesh
  CH_MODES,       // of a deformable body
  CH_POISSON,     // a ratio
  CH_DURATION,    // s
  CH_SHARE,       // above 0, at most 1
  CH_UNIT,        // 0 to 1
  CH_LATER_HALF,  // 0.5 to 1
  CH_TOLERANCE,
  CH_WHOLE_0,
  CH_WHOLE_1,
  CH_TWO_OR_THREE,
  CH_ANGLE,  // of view, degrees
  CH_ONE,
} ChRange;

typedef struct ChBounds {
  double lowest, highest;
  bool open;         // lowest itself is not allowed
  const char* text;  // "must be > 0"
} ChBounds;
const ChBounds* ch_range_bounds(ChRange range);

enum {
  CH_REQUIRED = CH_DEF_REQUIRED,
  CH_PLANE = CH_DEF_PLANE,  // in such worlds only
  CH_SPACE = CH_DEF_SPACE,
  CH_NOWHERE = 8,  // not in scenes
};

typedef struct ChField ChField;

typedef struct ChFieldType {
  bool (*read)(ChReader* reader, const ChPlace* place, json_t* value, const ChField* field, void* out);
  json_t* (*schema)(const ChField* field, int dimension);
} ChFieldType;

struct ChField {
  const char* key;
  const ChFieldType* type;
  size_t offset;
  const char* text;  // meaning, with its unit
  unsigned flags;
  ChRange range;
  const void* more;  // words of a choice, form of an object
};

typedef struct ChVariant {
  const char* name;
  int value;
  unsigned flags;  // CH_PLANE, CH_SPACE or both
  int count;
  const ChField* fields;         // or NULL, and
  const ChDefField* def_fields;  // rows of the engine's tables, for the definition at `def` of the struct
  size_t def;
} ChVariant;

typedef struct ChSceneForm {
  const char* name;
  bool same;  // in the plane and in space
  int count;
  const ChField* fields;
  // Objects whose further fields depend on "type", kept at `tag` as an int.
  bool (*variant)(int k, ChVariant* out);  // number k; false when there are no more. NULL: there are none
  size_t tag;
} ChSceneForm;

#define CH_COUNT(array) ((int)(sizeof(array) / sizeof *(array)))

bool ch_form_read(ChReader* reader, const ChPlace* place, json_t* object, const ChSceneForm* form, void* out);
// A field of a variant: def_variants.c.
ChField ch_variant_field(const ChVariant* variant, int k);
// Whether a row is for worlds of this dimension.
bool ch_flags_fit(unsigned flags, int dimension);

// --- types

bool ch_read_number(ChReader* reader, const ChPlace* place, const json_t* value, ChRange range, double* out);
// An array of `count` numbers.
bool ch_read_numbers(ChReader* reader, const ChPlace* place, const json_t* value, size_t count, ChRange range,
                     double* out);
// A word of a NULL-terminated list.
bool ch_read_word(ChReader* reader, const ChPlace* place, const json_t* value, const char* const* words, int* out);
// "a number", "an object", for messages.
const char* ch_json_kind(const json_t* value);

extern const ChFieldType ch_type_number;  // double
extern const ChFieldType ch_type_whole;   // int
extern const ChFieldType ch_type_flag;    // bool
extern const ChFieldType ch_type_text;    // const char*, which lives as long as the document
extern const ChFieldType ch_type_choice;  // int, place in the NULL-terminated list `more`
extern const ChFieldType ch_type_vector;  // ChVec3; in the plane two entries
extern const ChFieldType ch_type_form;    // struct of the form `more`
extern const ChFieldType ch_type_list;    // json_t*: an array of objects of the form `more`, read later
extern const ChFieldType ch_type_map;     // json_t*: an object of objects of the form `more`, read later
extern const ChFieldType ch_type_texts;   // json_t*: an array of texts

json_t* ch_schema_number(ChRange range, bool whole);
json_t* ch_schema_array(json_t* items, int fewest, int most);  // most < 0: any number
void ch_schema_name(const ChSceneForm* form, int dimension, char* name, size_t size);
json_t* ch_schema_reference(const ChSceneForm* form, int dimension);
json_t* ch_schema_either(json_t* one, json_t* other);

#endif
