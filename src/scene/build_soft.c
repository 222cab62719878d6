// Deformable bodies of a scene: see build_soft.h.
#include "scene/build_soft.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cardhouse/soft.h"
#include "scene/document.h"

struct ChSoftBent {
  struct ChSoftBent* next;
  int body;
  ChSceneNumbers amplitudes, rates;
};

struct ChSoftMade {
  struct ChSoftMade* next;
  ChTetShapeDef shape;
  ChTetMesh mesh;  // freed with the reader's arena
};

bool ch_soft_fits(ChReader* r, const ChPlace* body, const json_t* entry) {
  static const char* const others[] = {"shapes", "mass", "centre", "inertia", "fixed", "motion", "turn"};
  if (!json_object_get(entry, "soft")) return true;
  for (int k = 0; k < CH_COUNT(others); ++k) {
    const json_t* value = json_object_get(entry, others[k]);
    ChPlace at = {body, others[k], 0};
    if (!value || json_is_false(value)) continue;
    return ch_reader_wrong(
        r, &at,
        "is given together with \"soft\": a deformable body moves freely, and its shape and mass are those "
        "of its mesh%s",
        strcmp(others[k], "fixed") == 0 ? "; use \"clamp\" to hold a part of it" : "");
  }
  return true;
}

// --------------------------------------------------------------------------------------------------------------- cache

static const char* join(ChArena* arena, const char* folder, const char* name) {
  size_t length = strlen(folder), rest = strlen(name) + 1;
  char* path = CH_TAKE(arena, length + rest, char);
  memcpy(path, folder, length);
  memcpy(path + length, name, rest);
  return path;
}

enum { QUICK_TETS = 1000 };  // a named shape of so few is done in a tenth of a second: nothing is kept of it

// Beside the scene's file; for scenes without one, built-ins among them, the user's own (XDG base directories).
static const char* cache_folder(ChReader* r) {
  const char* file = r->document->file;
  if (file && access(file, F_OK) == 0) return ch_path_beside(r->arena, file, ".cardhouse");
  const char *cache = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
  if (cache && cache[0] == '/') return join(r->arena, cache, "/cardhouse");
  return home && home[0] == '/' ? join(r->arena, home, "/.cache/cardhouse") : NULL;
}

// ---------------------------------------------------------------------------------------------------------------- mesh

static bool same_shape(const ChTetShapeDef* a, const ChTetShapeDef* b) {
  return strcmp(a->shape, b->shape) == 0 && memcmp(&a->size, &b->size, sizeof a->size) == 0 &&
         memcmp(a->cells, b->cells, sizeof a->cells) == 0 && a->amplitude == b->amplitude && a->period == b->period &&
         a->phase == b->phase && a->round == b->round;
}

static void free_mesh(void* mesh) { ch_tets_free(mesh); }

// The mesh of a named shape; NULL when it cannot be made, which has been told.
static const ChTetMesh* make_mesh(ChReader* r, const ChPlace* place, const ChTetShapeDef* shape, ChSoftNotes* notes) {
  for (const struct ChSoftMade* made = notes->made; made; made = made->next)
    if (same_shape(&made->shape, shape)) return &made->mesh;
  struct ChSoftMade* made = CH_TAKE(r->arena, 1, struct ChSoftMade);
  *made = (struct ChSoftMade){.next = notes->made, .shape = *shape};
  ChPlace at = {place, "mesh", 0};
  if (!ch_reader_pass_on(r, &at, ch_tets_make(r->context, shape, &made->mesh))) return NULL;
  ch_arena_defer(r->arena, free_mesh, &made->mesh);
  notes->made = made;
  return &made->mesh;
}

static bool find_mesh(ChReader* r, const ChPlace* place, json_t* object, ChSceneSoft* soft, ChSoftNotes* notes) {
  ChSoftDef* def = &soft->def;
  if (def->file) {  // the resolved scene names files as the working folder sees them
    const char* path = ch_path_beside(r->arena, r->document->file, def->file);
    json_object_set_new(object, "mesh", json_string(path));  // frees the name as it was given, which may be `path`
    def->file = json_string_value(json_object_get(object, "mesh"));
    return true;
  }
  const ChTetMesh* mesh = make_mesh(r, place, &soft->shape, notes);
  if (!mesh) return false;
  def->vertex_count = mesh->vertex_count, def->vertices = mesh->vertices;
  def->tet_count = mesh->tet_count, def->tets = mesh->tets;
  return true;
}

// --------------------------------------------------------------------------------------------------------------- start

static bool keep_start(ChReader* r, const ChPlace* place, const ChSceneSoft* soft, const ChWorld* world, int body,
                       ChSoftNotes* notes) {
  const ChSceneNumbers* lists[] = {&soft->amplitudes, &soft->rates};
  static const char* const names[] = {"amplitudes", "rates"};
  ChSoftView view;
  const int modes = ch_world_soft(world, body, &view) ? view.modes : 0;
  for (int k = 0; k < 2; ++k) {
    ChPlace at = {place, names[k], 0};
    if (lists[k]->count > modes)
      return ch_reader_wrong(r, &at, "has %d entries, but the body has %d modes", lists[k]->count, modes);
  }
  if (soft->amplitudes.count + soft->rates.count == 0) return true;
  struct ChSoftBent* start = CH_TAKE(r->arena, 1, struct ChSoftBent);
  *start = (struct ChSoftBent){notes->starts, body, soft->amplitudes, soft->rates};
  notes->starts = start;
  return true;
}

void ch_soft_start(ChWorld* world, const ChSoftNotes* notes) {
  for (const struct ChSoftBent* s = notes->starts; s; s = s->next)
    ch_world_set_modes(NULL, world, s->body, s->amplitudes.count, s->amplitudes.values, s->rates.count,
                       s->rates.values);
}

bool ch_soft_build(ChReader* r, const ChPlace* place, json_t* object, ChSceneSoft* soft, ChWorld* world, ChBodyId body,
                   ChSoftNotes* notes) {
  ChSoftDef* def = &soft->def;
  def->clamped = json_object_get(object, "clamp") != NULL;
  for (int k = 0; k < def->arm_count; ++k)
    if (soft->arm_share[k] > 0.0) def->arms[k].modulus = soft->arm_share[k] * def->young;
  const ChVec3 a = soft->clamp[0], b = soft->clamp[1];  // any two opposite corners
  def->clamp_low = ch_vec(fmin(a.x, b.x), fmin(a.y, b.y), fmin(a.z, b.z));
  def->clamp_high = ch_vec(fmax(a.x, b.x), fmax(a.y, b.y), fmax(a.z, b.z));
  ChStatus status;
  if (r->recorded) {
    status = ch_world_add_recorded_soft(r->context, world, body, def, r->recorded, NULL);
  } else {
    if (!find_mesh(r, place, object, soft, notes)) return false;
    if (def->file || def->tet_count > QUICK_TETS) def->cache = cache_folder(r);
    status = ch_world_add_soft(r->context, world, body, def, NULL);
  }
  return ch_reader_pass_on(r, place, status) &&
         keep_start(r, place, soft, world, ch_world_body_row(world, body), notes);
}
