// Results of items: see result.h.
#include "reproduce/result.h"

#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

#include "cardhouse/disk.h"
#include "cardhouse/scene.h"
#include "common/json.h"

enum { PATH_SIZE = 4096, LINE_SIZE = 512, RESULT_LIMIT = 256 << 20 };

// --- the key ---------------------------------------------------------------------------------------------------------

// FNV-1a, 64 bits, over the words of a file: a change of the program must show, nobody forges it.
static bool hash_file(const char* path, uint64_t* hash) {
  FILE* file = fopen(path, "rb");
  if (!file) return false;
  uint64_t words[8192];
  size_t got;
  while (memset(words, 0, sizeof words), (got = fread(words, 1, sizeof words, file)) > 0)
    for (size_t k = 0; k < (got + 7) / 8; ++k) *hash = (*hash ^ words[k] ^ got) * UINT64_C(0x100000001b3);
  bool whole = !ferror(file);
  fclose(file);
  return whole;
}

static const uint64_t START = UINT64_C(0xcbf29ce484222325);

// The program, and the library where that is a file of its own.
static void hash_program(char out[24]) {
  uint64_t hash = START;
  Dl_info library;
  bool whole = hash_file("/proc/self/exe", &hash);
  if (whole && dladdr((void*)(uintptr_t)ch_scene_open, &library) && library.dli_fname &&
      strstr(library.dli_fname, ".so"))
    whole = hash_file(library.dli_fname, &hash);
  out[0] = '\0';
  if (whole) snprintf(out, 24, "%016llx", (unsigned long long)hash);
}

ChStatus ch_result_key(ChContext* context, const char* version, bool quick, const char* engines_csv, ChResultKey* out) {
  *out = (ChResultKey){.version = version, .quick = quick};
  hash_program(out->build);
  if (!engines_csv) return CH_OK;
  uint64_t hash = START;
  if (!hash_file(engines_csv, &hash)) return ch_fail(context, CH_ERR_FILE, "%s: cannot be read", engines_csv);
  snprintf(out->engines, sizeof out->engines, "%016llx", (unsigned long long)hash);
  return CH_OK;
}

// --- the machine -----------------------------------------------------------------------------------------------------

static void processor_name(char* name, size_t size) {
  name[0] = '\0';
  FILE* file = fopen("/proc/cpuinfo", "r");
  char line[LINE_SIZE];
  while (file && !name[0] && fgets(line, sizeof line, file)) {
    char* colon = strchr(line, ':');
    if (colon && strncmp(line, "model name", 10) == 0)
      snprintf(name, size, "%.*s", (int)strcspn(colon + 2, "\n"), colon + 2);
  }
  if (file) fclose(file);
}

const char* ch_machine_name(void) {
  static char text[LINE_SIZE];
  char processor[256];
  struct utsname system;
  processor_name(processor, sizeof processor);
  bool known = uname(&system) == 0;
  long count = sysconf(_SC_NPROCESSORS_ONLN);
  snprintf(text, sizeof text, "%s%s%.64s, %ld processor%s", processor, processor[0] ? ", " : "",
           known ? system.machine : "unknown machine", count, count == 1 ? "" : "s");
  return text;
}

// --- making, keeping -------------------------------------------------------------------------------------------------

const char* ch_today(void) {
  static char text[32];
  time_t now = time(NULL);
  struct tm day;
  return gmtime_r(&now, &day) && strftime(text, sizeof text, "%Y-%m-%d", &day) ? text : "";
}

json_t* ch_result_make(const ChItem* item, const ChResultKey* key, json_t* report, const char* failure) {
  return json_pack("{s:s, s:s, s:s, s:b, s:s, s:s, s:s, s:o, s:o, s:o, s:b, s:o}", "cardhouse", key->version, "build",
                   key->build, "engines", item->reads_engines ? key->engines : "", "quick", (int)key->quick, "name",
                   item->name, "title", item->title, "source", item->source, "machine", ch_json_path(ch_machine_name()),
                   "date", json_string(ch_today()), "failure", failure ? ch_json_path(failure) : json_null(),
                   "interrupted", 0, "report", report);
}

static void result_path(const char* folder, const ChItem* item, char path[PATH_SIZE]) {
  snprintf(path, PATH_SIZE, "%s/items/%s.json", folder, item->name);
}

ChStatus ch_result_write(ChContext* context, const char* folder, const ChItem* item, const json_t* result) {
  char path[PATH_SIZE];
  result_path(folder, item, path);
  char* text = json_dumps(result, JSON_COMPACT | JSON_REAL_PRECISION(12));
  if (!text) return ch_fail(context, CH_ERR_MEMORY, "%s: out of memory", path);
  ChStatus status = ch_whole_file_write(context, path, text, strlen(text));
  free(text);
  return status;
}

// A damaged or foreign file counts as none: the item is then run.
static bool plausible(const json_t* result, const ChItem* item) {
  const char* name = json_string_value(json_object_get(result, "name"));
  const json_t* report = json_object_get(result, "report");
  static const char* const lists[] = {"text", "choices", "commands", "rows", "claims", "figures"};
  for (size_t k = 0; k < sizeof lists / sizeof *lists; ++k)
    if (!json_is_array(json_object_get(report, lists[k]))) return false;
  return name && strcmp(name, item->name) == 0;
}

json_t* ch_result_read(const char* folder, const ChItem* item) {
  char path[PATH_SIZE];
  result_path(folder, item, path);
  ChContext context = {0};
  char* text = NULL;
  size_t size = 0;
  json_t* result = NULL;
  if (ch_file_load(&context, path, RESULT_LIMIT, &text, &size) == CH_OK) result = json_loadb(text, size, 0, NULL);
  free(text);
  if (result && plausible(result, item)) return result;
  json_decref(result);
  return NULL;
}

static bool same_text(const json_t* object, const char* key, const char* text) {
  const char* is = json_string_value(json_object_get(object, key));
  return is && strcmp(is, text) == 0;
}

bool ch_result_failed(const json_t* result) { return !json_is_null(json_object_get(result, "failure")); }

bool ch_result_fresh(const json_t* result, const ChItem* item, const ChResultKey* key) {
  return result && key->build[0] && !ch_result_failed(result) &&
         json_is_false(json_object_get(result, "interrupted")) && same_text(result, "build", key->build) &&
         same_text(result, "cardhouse", key->version) &&
         same_text(result, "engines", item->reads_engines ? key->engines : "") &&
         json_is_true(json_object_get(result, "quick")) == key->quick;
}
