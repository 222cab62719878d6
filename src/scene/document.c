// Texts of a scene: see document.h. Every document is checked by itself, so that a message names the right file.
#include "scene/document.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/whole_file.h"
#include "scene/comments.h"
#include "scene/formula.h"
#include "scene/robot/robot.h"

static void free_json(void* root) { json_decref(root); }

const char* ch_path_beside(ChArena* arena, const char* file, const char* name) {
  const char* slash = file ? strrchr(file, '/') : NULL;
  if (name[0] == '/' || !slash) return name;
  size_t folder = (size_t)(slash - file) + 1, length = strlen(name);
  char* path = CH_TAKE(arena, folder + length + 1, char);
  memcpy(path, file, folder);
  memcpy(path + folder, name, length);
  return path;
}

// Where memory runs out inside the parser it may take a word for an invalid one. A tree takes some ten times its text.
static bool memory_is_short(size_t text) {
  void* probe = malloc(24 * text);
  free(probe);
  return !probe;
}

// Line and column, from 1, of a byte of the text.
static ChStatus comment_without_end(ChReader* r, const ChDocument* d, size_t at) {
  size_t line = 1, column = 1;
  for (size_t k = 0; k < at; ++k) {
    column = d->text[k] == '\n' ? 1 : column + 1;
    line += d->text[k] == '\n';
  }
  return ch_fail(r->context, CH_ERR_FORMAT, "%s:%zu:%zu: is not valid JSON: the comment that begins here has no end",
                 d->file, line, column);
}

// A copy of the text in which comments are blanks.
static bool blank_comments(ChReader* r, ChDocument* d) {
  if (!ch_comments_likely(d->text, d->size)) return true;
  size_t at;
  char* copy = CH_TAKE(r->arena, d->size + 1, char);
  memcpy(copy, d->text, d->size);
  bool good = ch_comments_blank(copy, d->size, &at);
  d->text = copy;
  if (!good) r->status = comment_without_end(r, d, at);
  return good;
}

// The parser says "... near '...'" and line and column; a text that is no JSON at all is said to be none.
static bool parse(ChReader* r, ChDocument* document) {
  json_error_t error;
  if (document->size >= 3 && memcmp(document->text, "\xef\xbb\xbf", 3) == 0) {  // some editors begin UTF-8 with it
    document->text += 3;
    document->size -= 3;
  }
  if (document->size >= 4 && memcmp(document->text, "\x89HDF", 4) == 0) {
    r->status =
        ch_fail(r->context, CH_ERR_FORMAT,
                "%s: is an HDF5 file, as recorded runs and contact problems are; a scene is JSON. `cardhouse view` "
                "shows a recorded run, `cardhouse solve` takes a problem",
                document->file);
    return false;
  }
  if (ch_xml_likely(document->text, document->size)) return ch_robot_read(r, document);
  if (!blank_comments(r, document)) return false;
  document->root = json_loadb(document->text, document->size, JSON_REJECT_DUPLICATES, &error);
  if (document->root) {
    ch_arena_defer(r->arena, free_json, document->root);
    return true;
  }
  if (json_error_code(&error) == json_error_out_of_memory || !error.text[0] || memory_is_short(document->size))
    r->status = ch_fail(r->context, CH_ERR_MEMORY, "%s: out of memory while reading JSON", document->file);
  else
    r->status = ch_fail(r->context, CH_ERR_FORMAT, "%s:%d:%d: is not valid JSON: %s", document->file, error.line,
                        error.column, error.text);
  return false;
}

// In the plane gravity is along y.
static ChSceneRoot root_default(int dimension) {
  ChSceneRoot root = {.dimension = dimension, .run = {ch_simulation_options_default(), .until = 10.0, .overlap = -1.0}};
  root.gravity[dimension - 1].base = -9.81;
  return root;
}

// Vectors and the types of shapes depend on the dimension, so it is looked at before everything else.
static bool read_dimension(ChReader* r, const json_t* root) {
  ChPlace top = {0}, at = {&top, "dimension", 0};
  const json_t* value = json_object_get(root, "dimension");
  double dimension = 3.0;
  if (value && !ch_read_number(r, &at, value, CH_TWO_OR_THREE, &dimension)) return false;
  r->dimension = (int)dimension;
  return true;
}

static bool read_root(ChReader* r, ChDocuments* all, int k) {
  ChPlace top = {0};
  json_t* root = all->document[k].root;
  r->document = &all->document[k];
  if (!json_is_object(root)) return ch_reader_wrong(r, &top, "is %s, must be an object: a scene", ch_json_kind(root));
  int dimension = r->dimension;
  if (!ch_formulas_resolve(r, root) || !read_dimension(r, root)) return false;
  if (k > 0 && r->dimension != dimension)
    return ch_reader_wrong(r, &top, "has dimension %d, but the scene that includes it has %d", r->dimension, dimension);
  all->root[k] = root_default(r->dimension);
  if (!ch_form_read(r, &top, root, &ch_form_scene, &all->root[k]) && !ch_reader_goes_on(r)) return false;
  all->root[k].run.options.solve.max_iterations = all->root[k].run.max_iterations;
  return true;
}

static bool include(ChReader* r, ChDocuments* all, int from, size_t index) {
  ChPlace top = {0}, list = {&top, "include", 0}, at = {&list, NULL, index};
  r->document = &all->document[from];
  const char* name = json_string_value(json_array_get(all->root[from].include, index));
  const char* path = ch_path_beside(r->arena, all->document[from].file, name);
  for (int k = 0; k < all->count; ++k)
    if (ch_same_file(all->document[k].file, path)) return ch_reader_wrong(r, &at, "'%.80s' is included twice", name);
  if (all->count > CH_INCLUDES_MAX)
    return ch_reader_wrong(r, &at, "exceeds the limit; %d files at most can be included", (int)CH_INCLUDES_MAX);
  ChWholeFile whole;
  if (!ch_reader_pass_on(r, &at, ch_whole_file_read_up_to(r->context, path, CH_SCENE_BYTES_MAX, r->arena, &whole)))
    return false;
  int k = all->count++;
  all->document[k] = (ChDocument){.file = path, .text = whole.text, .size = whole.size};
  return parse(r, &all->document[k]) && read_root(r, all, k);
}

bool ch_documents_read(ChReader* r, const char* text, size_t size, const char* file, ChDocuments* out) {
  out->count = 1;
  out->document[0] = (ChDocument){.file = file, .text = text, .size = size};
  if (!parse(r, &out->document[0]) || !read_root(r, out, 0)) return false;
  for (int k = 0; k < out->count; ++k)  // grows as included files include others
    for (size_t j = 0; j < json_array_size(out->root[k].include); ++j)
      if (!include(r, out, k, j)) return false;
  return true;
}
