// Affine problems from JSON: {"cardhouse-mcp": 1, "n": ..., "matrix": [[i, j, value], ...], "b": [...], ...};
// docs/mcp.md.
#include <jansson.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "mcp/entries.h"
#include "mcp/mcp_kind.h"

enum { N_MAX = 10000000 };

typedef struct Reader {
  ChContext* context;
  const char* path;
  ChStatus status;
} Reader;

static bool wrong(Reader* r, const char* format, ...) __attribute__((format(printf, 2, 3)));
static bool wrong(Reader* r, const char* format, ...) {
  char text[256];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  r->status = ch_fail(r->context, CH_ERR_FORMAT, "%s: %s", r->path, text);
  return false;
}

// A number, or null for a bound that is not there.
static bool read_number(Reader* r, const char* key, size_t k, const json_t* value, double absent, double* out) {
  if (json_is_null(value) && isinf(absent)) {
    *out = absent;
    return true;
  }
  if (!json_is_number(value))
    return wrong(r, "$.%s[%zu] must be a number%s", key, k, isinf(absent) ? " or null (no bound)" : "");
  *out = json_number_value(value);
  return true;
}

static bool read_vector(Reader* r, const json_t* root, const char* key, int n, double absent, double* out) {
  const json_t* array = json_object_get(root, key);
  if (!array) return true;  // the default stays
  if (!json_is_array(array) || json_array_size(array) != (size_t)n)
    return wrong(r, "$.%s must be an array of %d numbers", key, n);
  for (int k = 0; k < n; ++k)
    if (!read_number(r, key, (size_t)k, json_array_get(array, (size_t)k), absent, &out[k])) return false;
  return true;
}

static bool read_matrix(Reader* r, const json_t* matrix, ChEntries* e) {
  for (size_t k = 0; k < json_array_size(matrix); ++k) {
    const json_t* entry = json_array_get(matrix, k);
    const json_t *i = json_array_get(entry, 0), *j = json_array_get(entry, 1), *value = json_array_get(entry, 2);
    if (json_array_size(entry) != 3 || !json_is_integer(i) || !json_is_integer(j) || !json_is_number(value))
      return wrong(r, "$.matrix[%zu] must be [row, column, value]", k);
    json_int_t row = json_integer_value(i), column = json_integer_value(j);
    if (row < 0 || row >= e->n || column < 0 || column >= e->n)
      return wrong(r, "$.matrix[%zu]: entry (%lld, %lld) lies outside 0 .. %d", k, (long long)row, (long long)column,
                   e->n - 1);
    ch_entries_add(e, (int)row, (int)column, json_number_value(value));
  }
  return true;
}

static bool check_keys(Reader* r, json_t* root) {
  static const char* const known[] = {"cardhouse-mcp", "name", "n", "matrix", "b", "lower", "upper", "start"};
  const char* key;
  json_t* value;
  json_object_foreach(root, key, value) {
    bool found = false;
    for (size_t k = 0; k < sizeof known / sizeof *known; ++k) found |= strcmp(key, known[k]) == 0;
    if (!found)
      return wrong(r, "$.%s is not known; there are: cardhouse-mcp, name, n, matrix, b, lower, upper, start", key);
  }
  return true;
}

static bool read_problem(Reader* r, ChArena* arena, json_t* root, ChMcp* out) {
  if (!json_is_object(root)) return wrong(r, "$ must be an object");
  if (!check_keys(r, root)) return false;
  const json_t *version = json_object_get(root, "cardhouse-mcp"), *size = json_object_get(root, "n");
  const json_t* matrix = json_object_get(root, "matrix");
  if (!json_is_integer(version) || json_integer_value(version) != 1) return wrong(r, "$.cardhouse-mcp must be 1");
  if (!json_is_integer(size) || json_integer_value(size) < 1 || json_integer_value(size) > N_MAX)
    return wrong(r, "$.n must be a whole number from 1 to %d", (int)N_MAX);
  if (!json_is_array(matrix)) return wrong(r, "$.matrix must be an array of [row, column, value]");
  if (!json_object_get(root, "b")) return wrong(r, "$.b is missing, must be an array of numbers");
  int n = (int)json_integer_value(size);
  ChEntries e = ch_entries_take(arena, n, (long)json_array_size(matrix));
  if (!read_matrix(r, matrix, &e) || !read_vector(r, root, "b", n, 0.0, e.b) ||
      !read_vector(r, root, "lower", n, -INFINITY, e.lower) || !read_vector(r, root, "upper", n, INFINITY, e.upper))
    return false;
  for (int i = 0; i < n; ++i)
    if (!(e.lower[i] <= e.upper[i]))
      return wrong(r, "$.lower[%d] is %g, above $.upper[%d] = %g", i, e.lower[i], i, e.upper[i]);
  *out = ch_entries_mcp(arena, &e);
  return read_vector(r, root, "start", n, 0.0, out->start);
}

static void free_json(void* object) { json_decref(object); }

ChStatus ch_mcp_file_build(ChContext* context, ChArena* arena, const char* path, ChMcp* out) {
  json_error_t error;
  Reader r = {.context = context, .path = path, .status = CH_OK};
  json_t* root = json_load_file(path, JSON_REJECT_DUPLICATES, &error);
  if (!root && (json_error_code(&error) == json_error_out_of_memory || !error.text[0]))
    return ch_fail(context, CH_ERR_MEMORY, "%s: out of memory while reading JSON", path);
  if (!root && error.line < 0) return ch_fail(context, CH_ERR_FILE, "%s: %s", path, error.text);
  if (!root) return ch_fail(context, CH_ERR_FORMAT, "%s:%d:%d: %s", path, error.line, error.column, error.text);
  ch_arena_defer(arena, free_json, root);
  read_problem(&r, arena, root, out);
  return r.status;
}

ChStatus ch_mcp_read(ChContext* context, const char* path, ChMcp** out) {
  return ch_mcp_own(context, ch_mcp_file_build, path, out);
}
