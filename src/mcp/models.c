// The table of built-in problems, and the reading of "name:key=value,key=value".
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "mcp/mcp_kind.h"

static const ChMcpKind* const models[] = {&ch_model_control,         &ch_model_spatial_price, &ch_model_scarf_sum,
                                          &ch_model_scarf_numeraire, &ch_model_grasp_sliding, &ch_model_grasp_coulomb,
                                          &ch_model_grasp_pyramid};
enum { MODELS = sizeof models / sizeof *models };

int ch_mcp_model_count(void) { return MODELS; }
const ChMcpModel* ch_mcp_model_at(int k) { return k >= 0 && k < MODELS ? &models[k]->model : NULL; }

static const ChMcpKind* find(const char* name, size_t length) {
  for (int k = 0; k < MODELS; ++k)
    if (strlen(models[k]->model.name) == length && strncmp(models[k]->model.name, name, length) == 0) return models[k];
  return NULL;
}

static void list_names(char* text, size_t size) {
  text[0] = '\0';
  for (int k = 0; k < MODELS; ++k) {
    size_t used = strlen(text);
    snprintf(text + used, size - used, "%s%s", k ? ", " : "", models[k]->model.name);
  }
}

static void list_keys(const ChMcpModel* model, char* text, size_t size) {
  text[0] = '\0';
  for (int k = 0; k < CH_MCP_KEYS && model->keys[k].name; ++k) {
    size_t used = strlen(text);
    snprintf(text + used, size - used, "%s%s", k ? ", " : "", model->keys[k].name);
  }
}

// One "key=value" of `length` characters.
static ChStatus read_key(ChContext* context, const ChMcpModel* model, const char* word, size_t length, int* values) {
  char known[128];
  for (int k = 0; k < CH_MCP_KEYS && model->keys[k].name; ++k) {
    const ChMcpKey* key = &model->keys[k];
    size_t name = strlen(key->name);
    if (length <= name || strncmp(word, key->name, name) != 0 || word[name] != '=') continue;
    char* end;
    long value = strtol(word + name + 1, &end, 10);
    bool whole = end == word + length && end > word + name + 1;
    if (!whole || value < key->lowest || value > key->highest)
      return ch_fail(context, CH_ERR_RANGE, "%s: %s is '%.*s', must be a whole number from %d to %d (%s)", model->name,
                     key->name, (int)(length - name - 1), word + name + 1, key->lowest, key->highest, key->text);
    values[k] = (int)value;
    return CH_OK;
  }
  list_keys(model, known, sizeof known);
  return ch_fail(context, CH_ERR_ARGUMENT, "%s: '%.*s' is not understood, must be KEY=NUMBER with KEY one of: %s",
                 model->name, (int)length, word, known);
}

ChStatus ch_mcp_model_build(ChContext* context, ChArena* arena, const char* words, ChMcp* out) {
  char names[512];
  size_t length = strcspn(words, ":");
  const ChMcpKind* kind = find(words, length);
  list_names(names, sizeof names);
  if (!kind)
    return ch_fail(context, CH_ERR_ARGUMENT, "'%.*s' is neither a file nor a built-in problem; there are: %s",
                   (int)length, words, names);
  const ChMcpModel* model = &kind->model;
  int values[CH_MCP_KEYS] = {0};
  for (int k = 0; k < CH_MCP_KEYS; ++k) values[k] = model->keys[k].start;
  for (const char* at = words + length; *at;) {
    const char* word = at + 1;  // after the colon or the comma
    length = strcspn(word, ",");
    ChStatus status = read_key(context, model, word, length, values);
    if (status != CH_OK) return status;
    at = word + length;
  }
  kind->build(arena, values, out);
  return CH_OK;
}

typedef struct OwnedMcp {
  ChMcp mcp;
  ChArena* arena;
} OwnedMcp;

static void release_owned(ChMcp* mcp) { ch_arena_destroy(((OwnedMcp*)mcp)->arena); }

ChStatus ch_mcp_own(ChContext* context, ChMcpBuildFn build, const char* words, ChMcp** out) {
  ChArena* volatile arena = NULL;
  jmp_buf landing;
  *out = NULL;
  if (setjmp(landing) || !(arena = ch_arena_create(NULL))) {
    ch_arena_destroy(arena);
    return ch_fail(context, CH_ERR_MEMORY, "out of memory for the complementarity problem %s", words);
  }
  ch_arena_set_landing(arena, &landing);
  OwnedMcp* owned = CH_TAKE(arena, 1, OwnedMcp);
  ChStatus status = build(context, arena, words, &owned->mcp);
  ch_arena_set_landing(arena, NULL);
  if (status != CH_OK) {
    ch_arena_destroy(arena);
    return status;
  }
  owned->mcp.release = release_owned;
  owned->arena = arena;
  *out = &owned->mcp;
  return CH_OK;
}

ChStatus ch_mcp_model_create(ChContext* context, const char* words, ChMcp** out) {
  return ch_mcp_own(context, ch_mcp_model_build, words, out);
}
