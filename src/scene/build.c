// Documents to a world: see build.h.
#include "scene/build.h"

#include <stdio.h>
#include <string.h>

#include "cardhouse/shape.h"
#include "cardhouse/text.h"
#include "scene/build_soft.h"
#include "scene/height_map_in.h"

enum { NAMES_MAX = 4096, NAME_SHOWN = 60, COPY_NAME_SIZE = 120 };

typedef struct Build {
  ChReader* reader;
  ChWorld* world;            // that is built, or NULL, and then
  ChSimulation* simulation;  // to which bodies, joints and forces are added
  const ChWorld* there;      // of either
  const ChSceneRoot* root;   // of the document at hand
  json_t* materials;         // name -> id
  json_t* meshes;            // name -> place in mesh_defs
  json_t* broken;            // names of bodies and meshes that have faults: whoever names them has none for that
  int mesh_count, mesh_room;
  ChShapeDef* mesh_defs;
  ChSoftNotes softs;
} Build;

// One entry of a list; `at` is its place.
typedef bool EntryFn(Build* b, const ChPlace* at, json_t* entry);

static bool each(Build* b, const char* key, json_t* list, EntryFn* add) {
  ChPlace top = {0}, place = {&top, key, 0};
  bool good = true;
  for (size_t k = 0; k < json_array_size(list); ++k) {
    ChPlace at = {&place, NULL, k};
    if (add(b, &at, json_array_get(list, k))) continue;
    if (!ch_reader_goes_on(b->reader)) return false;
    good = false;
  }
  return good;
}

static void note_broken(Build* b, const char* name) {
  if (name && b->broken) json_object_set_new(b->broken, name, json_true());
}
static bool is_broken(const Build* b, const char* name) { return json_object_get(b->broken, name) != NULL; }

// ----------------------------------------------------------------------------------------------------------- materials

static bool add_material(Build* b, const ChPlace* at, const char* name, json_t* entry) {
  ChMaterialDef def = ch_material_def_default();
  def.name = name;
  if (entry && !ch_form_read(b->reader, at, entry, &ch_form_material, &def)) return false;
  if (json_object_get(b->materials, name)) return ch_reader_wrong(b->reader, at, "another file has this material too");
  if (!ch_reader_pass_on(b->reader, at, ch_world_add_material(b->reader->context, b->world, &def, NULL))) return false;
  json_object_set_new(b->materials, name, json_integer((json_int_t)json_object_size(b->materials)));
  return true;
}

// In place of a material that is wrong: nobody who names it has a fault for that.
static void stand_in(Build* b, const char* name) {
  ChMaterialDef def = ch_material_def_default();
  def.name = name;
  if (json_object_get(b->materials, name) || ch_world_add_material(NULL, b->world, &def, NULL) != CH_OK) return;
  json_object_set_new(b->materials, name, json_integer((json_int_t)json_object_size(b->materials)));
}

static bool add_materials(Build* b) {
  ChPlace top = {0}, place = {&top, "materials", 0};
  const char* name;
  json_t* entry;
  bool good = true;
  json_object_foreach(b->root->materials, name, entry) {
    ChPlace at = {&place, name, 0};
    if (add_material(b, &at, name, entry)) continue;
    if (!ch_reader_goes_on(b->reader)) return false;
    stand_in(b, name);
    good = false;
  }
  return good;
}

static bool unknown_name(Build* b, const ChPlace* at, const char* what, const char* name, int count,
                         const char* const* known) {
  const char* near = ch_word_nearest(name, count, known);
  if (near)
    return ch_reader_wrong(b->reader, at, "there is no %s '%.*s'; did you mean '%.*s'?", what, NAME_SHOWN, name,
                           NAME_SHOWN, near);
  return ch_reader_wrong(b->reader, at, "there is no %s '%.*s'", what, NAME_SHOWN, name);
}

static bool find_material(Build* b, const ChPlace* at, const char* name, ChMaterialId* out) {
  json_t* id = json_object_get(b->materials, name);
  if (id) {
    *out = ch_material_id((int)json_integer_value(id));
    return true;
  }
  const char *known[NAMES_MAX], *key;
  int count = 0;
  json_object_foreach(b->materials, key, id) if (count < NAMES_MAX) known[count++] = key;
  return unknown_name(b, at, "material", name, count, known);
}

static bool add_pair(Build* b, const ChPlace* at, json_t* entry) {
  ChScenePair pair = {.def = ch_pair_def_default()};
  if (!ch_form_read(b->reader, at, entry, &ch_form_pair, &pair)) return false;
  ChPlace names = {at, "materials", 0};
  for (size_t k = 0; k < 2; ++k) {
    ChPlace name = {&names, NULL, k};
    if (!find_material(b, &name, json_string_value(json_array_get(pair.materials, k)), &pair.def.material[k]))
      return false;
  }
  return ch_reader_pass_on(b->reader, at, ch_world_add_pair(b->reader->context, b->world, &pair.def));
}

// -------------------------------------------------------------------------------------------------------------- bodies

// Points and triangles, a file, or (shapes) the name of a mesh that the scene lists.
static bool shape_sources(Build* b, const ChPlace* at, const ChSceneShape* shape) {
  const ChShapeDef* def = &shape->def;
  const ChShapeInfo* info = ch_shape_info(def->type);
  if (shape->mesh && (def->points || def->triangles || def->file))
    return ch_reader_wrong(b->reader, at, "has \"mesh\" and \"%s\"; give only one of them",
                           def->file     ? "file"
                           : def->points ? "points"
                                         : "triangles");
  if (ch_shape_reads(info, CH_DEF_HEIGHTS)) {
    if (!def->heights == !def->file) return ch_reader_wrong(b->reader, at, "needs either \"heights\" or \"file\"");
    return true;
  }
  if (ch_shape_reads(info, CH_DEF_FILE) && !def->points && !def->file && !shape->mesh)
    return ch_reader_wrong(b->reader, at, "\"points\" or \"file\" is missing");
  if (ch_shape_reads(info, CH_DEF_TRIANGLES) && def->points && !def->triangles)
    return ch_reader_wrong(b->reader, at, "\"triangles\" is missing");
  if (def->file && (def->points || def->triangles))
    return ch_reader_wrong(b->reader, at, "has \"file\" and \"%s\"; give only one of them",
                           def->points ? "points" : "triangles");
  return true;
}

// The resolved scene names files as the working folder sees them.
static void resolve_file(Build* b, json_t* entry, ChShapeDef* def) {
  if (!def->file) return;
  const char* path = ch_path_beside(b->reader->arena, b->reader->document->file, def->file);
  json_object_set_new(entry, "file", json_string(path));  // frees the name as it was given, which may be `path`
  def->file = json_string_value(json_object_get(entry, "file"));
}

static void keep_mesh(Build* b, const char* name, const ChShapeDef* def) {
  if (b->mesh_count == b->mesh_room) {
    b->mesh_room = 2 * b->mesh_room + 8;
    ChShapeDef* larger = CH_TAKE(b->reader->arena, b->mesh_room, ChShapeDef);
    if (b->mesh_count > 0) memcpy(larger, b->mesh_defs, (size_t)b->mesh_count * sizeof *larger);
    b->mesh_defs = larger;
  }
  json_object_set_new(b->meshes, name, json_integer(b->mesh_count));
  b->mesh_defs[b->mesh_count++] = *def;
}

static bool add_mesh(Build* b, const ChPlace* at, const char* name, json_t* entry) {
  ChSceneShape shape = {.def = {.type = CH_SHAPE_MESH}};
  if (!ch_form_read(b->reader, at, entry, &ch_form_mesh, &shape) || !shape_sources(b, at, &shape)) return false;
  if (json_object_get(b->meshes, name)) return ch_reader_wrong(b->reader, at, "another file has this mesh too");
  resolve_file(b, entry, &shape.def);
  keep_mesh(b, name, &shape.def);
  return true;
}

static bool add_meshes(Build* b) {
  ChPlace top = {0}, place = {&top, "meshes", 0};
  const char* name;
  json_t* entry;
  bool good = true;
  json_object_foreach(b->root->meshes, name, entry) {
    ChPlace at = {&place, name, 0};
    if (add_mesh(b, &at, name, entry)) continue;
    if (!ch_reader_goes_on(b->reader)) return false;
    note_broken(b, name);
    good = false;
  }
  return good;
}

static bool find_mesh(Build* b, const ChPlace* at, ChSceneShape* shape) {
  json_t* id = json_object_get(b->meshes, shape->mesh);
  if (!id && is_broken(b, shape->mesh)) return false;
  if (!id) {
    const char *known[NAMES_MAX], *key;
    int count = 0;
    json_object_foreach(b->meshes, key, id) if (count < NAMES_MAX) known[count++] = key;
    ChPlace name = {at, "mesh", 0};
    return unknown_name(b, &name, "mesh", shape->mesh, count, known);
  }
  const ChShapeDef* def = &b->mesh_defs[json_integer_value(id)];
  shape->def.points = def->points, shape->def.point_count = def->point_count;
  shape->def.triangles = def->triangles, shape->def.triangle_count = def->triangle_count;
  shape->def.file = def->file;
  if (def->scale != 0.0) shape->def.scale = def->scale * (shape->def.scale != 0.0 ? shape->def.scale : 1.0);
  return true;
}

// The file of a height field, into the definition.
static bool read_heights(Build* b, const ChPlace* at, ChShapeDef* def) {
  if (!ch_shape_reads(ch_shape_info(def->type), CH_DEF_HEIGHTS)) return true;
  if (def->file) {
    ChPlace file = {at, "file", 0};
    ChHeightMap map;
    if (!ch_reader_pass_on(b->reader, &file,
                           ch_height_map_read_in(b->reader->context, b->reader->arena, def->file, &map)))
      return false;
    def->columns = map.columns, def->rows = map.rows, def->heights = map.heights;
    if (!(def->cell > 0.0)) def->cell = map.cell;
    def->file = NULL;
  }
  return def->cell > 0.0 || ch_reader_wrong(b->reader, at, "\"cell\" is missing");
}

static bool read_shape(Build* b, const ChPlace* at, json_t* entry, ChShapeDef* out) {
  ChSceneShape shape = {.def = ch_shape_def_default(), .material = "default"};
  if (b->reader->dimension == 2) shape.def.normal = (ChVec3){0.0, 1.0, 0.0};
  if (!ch_form_read(b->reader, at, entry, &ch_form_shape, &shape)) return false;
  if (!shape_sources(b, at, &shape)) return false;
  resolve_file(b, entry, &shape.def);
  if (shape.mesh && !find_mesh(b, at, &shape)) return false;
  if (!read_heights(b, at, &shape.def)) return false;
  ChPlace material = {at, "material", 0};
  bool given = json_object_get(entry, "material") != NULL;
  if (!find_material(b, given ? &material : at, shape.material, &shape.def.material)) return false;
  *out = shape.def;
  return true;
}

static bool body_kind(Build* b, const ChPlace* at, const json_t* entry, ChSceneBody* body) {
  bool moves = json_object_get(entry, "motion") || json_object_get(entry, "turn");
  if (moves && body->fixed) return ch_reader_wrong(b->reader, at, "is fixed, but has motion or turn");
  body->def.kind = body->fixed ? CH_BODY_FIXED : moves ? CH_BODY_KINEMATIC : CH_BODY_DYNAMIC;
  bool soft = json_object_get(entry, "soft") != NULL;
  if (body->def.kind == CH_BODY_DYNAMIC && !soft && json_array_size(body->shapes) == 0 && !(body->def.mass > 0.0))
    return ch_reader_wrong(b->reader, at, "has no mass; it needs shapes, or \"mass\", or \"fixed\": true");
  return true;
}

static bool add_soft(Build* b, const ChPlace* at, json_t* entry, ChSceneSoft* soft, ChBodyId body) {
  ChPlace place = {at, "soft", 0}, material = {&place, "material", 0};
  json_t* object = json_object_get(entry, "soft");
  bool given = json_object_get(object, "material") != NULL;
  return find_material(b, given ? &material : &place, soft->material, &soft->def.material) &&
         ch_soft_build(b->reader, &place, object, soft, b->world, body, &b->softs);
}

static bool read_body(Build* b, const ChPlace* at, json_t* entry, ChSceneBody* out) {
  *out = (ChSceneBody){.def = ch_body_def_default(), .soft = {.def = ch_soft_def_default(), .material = "default"}};
  return ch_form_read(b->reader, at, entry, &ch_form_body, out) && body_kind(b, at, entry, out) &&
         ch_soft_fits(b->reader, at, entry);
}

// All shapes of a body, in an array of the arena; NULL where one is wrong.
static ChShapeDef* read_shapes(Build* b, const ChPlace* at, const json_t* list) {
  ChShapeDef* shapes = CH_TAKE(b->reader->arena, json_array_size(list) + 1, ChShapeDef);
  ChPlace above = {at, "shapes", 0};
  for (size_t k = 0; k < json_array_size(list); ++k) {
    ChPlace place = {&above, NULL, k};
    if (!read_shape(b, &place, json_array_get(list, k), &shapes[k])) return NULL;
  }
  return shapes;
}

static bool start_body(Build* b, const ChPlace* at, json_t* entry, ChSceneBody* body, ChBodyId* id) {
  return read_body(b, at, entry, body) &&
         ch_reader_pass_on(b->reader, at, ch_world_add_body(b->reader->context, b->world, &body->def, id));
}

// --- copies: one entry that stands for many bodies

static bool check_copies(Build* b, const ChPlace* at, const json_t* entry, const ChSceneBody* body) {
  ChPlace place = {at, "copies", 0};
  int dimension = b->reader->dimension;
  if (json_object_get(entry, "position")) return ch_reader_wrong(b->reader, &place, "excludes \"position\"");
  if (json_object_get(entry, "soft")) return ch_reader_wrong(b->reader, &place, "excludes \"soft\"");
  if (body->copies.count > 0 && body->copies.count % dimension == 0) return true;
  return ch_reader_wrong(b->reader, &place, "has %d numbers, must have %d for each of at least one body",
                         body->copies.count, dimension);
}

// Copy k of the body, under its own name: "name k", counted from 1.
static bool add_copy(Build* b, const ChPlace* at, const ChSceneBody* body, int k, int shape_count,
                     const ChShapeDef* shapes) {
  char name[COPY_NAME_SIZE];
  ChBodyDef def = body->def;
  ChBodyId id;
  const double* x = body->copies.values + (size_t)k * (size_t)b->reader->dimension;
  snprintf(name, sizeof name, "%.100s %d", def.name ? def.name : "", k + 1);
  if (def.name) def.name = name;
  def.position = ch_vec(x[0], x[1], b->reader->dimension == 3 ? x[2] : 0.0);
  ChContext* context = b->reader->context;
  if (b->simulation)
    return ch_reader_pass_on(b->reader, at,
                             ch_simulation_add_body(context, b->simulation, &def, shape_count, shapes, NULL));
  if (!ch_reader_pass_on(b->reader, at, ch_world_add_body(context, b->world, &def, &id))) return false;
  for (int j = 0; j < shape_count; ++j)
    if (!ch_reader_pass_on(b->reader, at, ch_world_add_shape(context, b->world, id, &shapes[j], NULL))) return false;
  return true;
}

static bool add_copies(Build* b, const ChPlace* at, json_t* entry) {
  ChSceneBody body;
  if (!read_body(b, at, entry, &body) || !check_copies(b, at, entry, &body)) return false;
  const ChShapeDef* shapes = read_shapes(b, at, body.shapes);
  ChPlace list = {at, "copies", 0};
  for (int k = 0; shapes && k < body.copies.count / b->reader->dimension; ++k) {
    ChPlace place = {&list, NULL, (size_t)(k * b->reader->dimension)};
    if (!add_copy(b, &place, &body, k, (int)json_array_size(body.shapes), shapes)) return false;
  }
  return shapes != NULL;
}

static size_t bodies_of(const json_t* entry, int dimension) {
  const json_t* copies = json_object_get(entry, "copies");
  return copies ? json_array_size(copies) / (size_t)dimension : 1;
}

// --- bodies

// Shapes are read, too, where the body has faults of its own.
static bool add_body(Build* b, const ChPlace* at, json_t* entry) {
  if (json_object_get(entry, "copies")) return add_copies(b, at, entry);
  ChSceneBody body;
  ChBodyId id;
  bool good = start_body(b, at, entry, &body, &id);
  if (!good) note_broken(b, json_string_value(json_object_get(entry, "name")));
  if (!good && !ch_reader_goes_on(b->reader)) return false;
  if (json_object_get(entry, "soft")) return good && add_soft(b, at, entry, &body.soft, id);
  ChPlace shapes = {at, "shapes", 0};
  for (size_t k = 0; k < json_array_size(body.shapes); ++k) {
    ChPlace place = {&shapes, NULL, k};
    ChShapeDef def;
    bool read = read_shape(b, &place, json_array_get(body.shapes, k), &def);
    if (read && !good) continue;
    if (read && ch_reader_pass_on(b->reader, &place, ch_world_add_shape(b->reader->context, b->world, id, &def, NULL)))
      continue;
    if (!ch_reader_goes_on(b->reader)) return false;
    good = false;
  }
  return good;
}

// The same while it is simulated, whole.
static bool add_body_later(Build* b, const ChPlace* at, json_t* entry) {
  if (json_object_get(entry, "copies")) return add_copies(b, at, entry);
  ChSceneBody body;
  if (!read_body(b, at, entry, &body)) return false;
  if (json_object_get(entry, "soft"))
    return ch_reader_wrong(b->reader, at, "is deformable; such a body must exist from the start");
  const ChShapeDef* shapes = read_shapes(b, at, body.shapes);
  return shapes && ch_reader_pass_on(b->reader, at,
                                     ch_simulation_add_body(b->reader->context, b->simulation, &body.def,
                                                            (int)json_array_size(body.shapes), shapes, NULL));
}

// --------------------------------------------------------------------------------------------------- joints and forces

static bool find_body(Build* b, const ChPlace* at, const char* name, ChBodyId* out) {
  *out = ch_world_find_body(b->there, name);
  if (ch_body_id_is_none(*out) && strcmp(name, "ground") == 0)
    *out = CH_GROUND;  // the world, where no body is called so
  if (!ch_body_id_is_none(*out)) return true;
  if (is_broken(b, name)) return false;
  const char* known[NAMES_MAX];
  int count = 0;
  for (; count < ch_world_body_count(b->there) && count < NAMES_MAX; ++count)
    known[count] = ch_world_body_name(b->there, ch_world_body_at(b->there, count));
  return unknown_name(b, at, "body", name, count, known);
}

static bool find_bodies(Build* b, const ChPlace* at, const char* key, const json_t* names, ChBodyId out[2]) {
  ChPlace list = {at, key, 0};
  for (size_t k = 0; k < 2; ++k) {
    ChPlace place = {key ? &list : at, NULL, k};
    if (!find_body(b, &place, json_string_value(json_array_get(names, k)), &out[k])) return false;
  }
  return true;
}

static bool add_joint(Build* b, const ChPlace* at, json_t* entry) {
  ChSceneJoint joint = {.def = ch_joint_def_default()};
  if (!ch_form_read(b->reader, at, entry, &ch_form_joint, &joint) ||
      !find_bodies(b, at, "bodies", joint.bodies, joint.def.body))
    return false;
  return ch_reader_pass_on(b->reader, at,
                           b->simulation ? ch_simulation_add_joint(b->reader->context, b->simulation, &joint.def, NULL)
                                         : ch_world_add_joint(b->reader->context, b->world, &joint.def, NULL));
}

static bool add_force(Build* b, const ChPlace* at, json_t* entry) {
  ChSceneForce force = {.def = ch_force_def_default()};
  if (!ch_form_read(b->reader, at, entry, &ch_form_force, &force)) return false;
  ChPlace on = {at, "body", 0};
  if (force.body ? !find_body(b, &on, force.body, &force.def.body[0])
                 : !find_bodies(b, at, "bodies", force.bodies, force.def.body))
    return false;
  force.def.length_as_is = !json_object_get(entry, "length") && !json_object_get(entry, "angle");
  return ch_reader_pass_on(b->reader, at,
                           b->simulation ? ch_simulation_add_force(b->reader->context, b->simulation, &force.def, NULL)
                                         : ch_world_add_force(b->reader->context, b->world, &force.def, NULL));
}

static bool add_ignored(Build* b, const ChPlace* at, json_t* entry) {
  ChBodyId bodies[2];
  return find_bodies(b, at, NULL, entry, bodies) &&
         ch_reader_pass_on(b->reader, at, ch_world_ignore_pair(b->reader->context, b->world, bodies[0], bodies[1]));
}

// ---------------------------------------------------------------------------------------------------------------- all

static bool build_pairs(Build* b) { return each(b, "pairs", b->root->pairs, add_pair); }
static bool build_bodies(Build* b) { return each(b, "bodies", b->root->bodies, add_body); }
static bool build_ties(Build* b) {
  const struct {
    const char* key;
    json_t* list;
    EntryFn* add;
  } ties[] = {{"joints", b->root->joints, add_joint},
              {"forces", b->root->forces, add_force},
              {"ignore", b->root->ignore, add_ignored}};
  bool good = true;
  for (int k = 0; k < CH_COUNT(ties); ++k) {
    if (each(b, ties[k].key, ties[k].list, ties[k].add)) continue;
    if (!ch_reader_goes_on(b->reader)) return false;
    good = false;
  }
  return good;
}

bool ch_body_place(const ChDocuments* documents, int body, ChBodyPlace* out) {
  size_t left = (size_t)body;
  for (int k = 0; body >= 0 && k < documents->count; ++k)
    for (size_t j = 0; j < json_array_size(documents->root[k].bodies); ++j) {
      size_t count = bodies_of(json_array_get(documents->root[k].bodies, j), documents->root[k].dimension);
      if (left < count) {
        *out = (ChBodyPlace){&documents->document[k], j};
        return true;
      }
      left -= count;
    }
  return false;
}

// What is wrong with a body as a whole is known by its name: "body 'crate': ...".
static bool seal(ChReader* r, const ChDocuments* documents, ChWorld* world) {
  ChStatus status = ch_world_seal(r->context, world);
  ChPlace top = {0}, bodies = {&top, "bodies", 0}, at = {&bodies, NULL, 0};
  ChBodyPlace place;
  r->document = &documents->document[0];
  if (status == CH_OK || !ch_body_place(documents, ch_world_refused_body(world), &place))
    return ch_reader_pass_on(r, &bodies, status);
  r->document = place.document;
  at.index = place.index;
  return ch_reader_pass_on(r, &at, status);
}

static void free_json(void* object) { json_decref(object); }

bool ch_world_build(ChReader* r, const ChDocuments* documents, ChWorld* world) {
  bool (*const phases[])(Build*) = {add_materials, build_pairs, add_meshes, build_bodies, build_ties};
  Build b = {.reader = r,
             .world = world,
             .there = world,
             .materials = json_object(),
             .meshes = json_object(),
             .broken = json_object()};
  r->textured = world;
  ch_arena_defer(r->arena, free_json, b.materials);
  ch_arena_defer(r->arena, free_json, b.meshes);
  ch_arena_defer(r->arena, free_json, b.broken);
  for (int phase = 0; phase < CH_COUNT(phases); ++phase) {
    for (int k = 0; k < documents->count; ++k) {
      r->document = &documents->document[k];
      b.root = &documents->root[k];
      if (!phases[phase](&b) && !ch_reader_goes_on(r)) return false;
    }
    ChPlace top = {0};
    r->document = &documents->document[0];
    if (phase == 0 && !json_object_get(b.materials, "default") && !add_material(&b, &top, "default", NULL))
      return false;
  }
  if (!ch_reader_settle(r)) return false;
  if (!ch_reader_pass_on(r, &(ChPlace){0}, ch_world_set_gravity(r->context, world, documents->root[0].gravity)))
    return false;
  ChPlace top = {0}, periodic = {&top, "periodic", 0};
  r->document = &documents->document[0];
  if (!ch_reader_pass_on(r, &periodic, ch_world_set_periodic(r->context, world, &documents->root[0].periodic)))
    return false;
  const ChRecirculation* recirculation = &documents->root[0].recirculation;
  ChPlace recirculate = {&top, "recirculate", 0};
  if (recirculation->radius > 0.0 &&
      !ch_reader_pass_on(r, &recirculate, ch_world_set_recirculation(r->context, world, recirculation)))
    return false;
  if (!seal(r, documents, world)) return false;
  ch_soft_start(world, &b.softs);
  return true;
}

// --------------------------------------------------------------------------------------------------------- while it
// runs

static bool only_what_can_come_later(Build* b) {
  const struct {
    const char *key, *why;
    const json_t* list;
  } lists[] = {{"materials", "materials cannot be added to a simulation", b->root->materials},
               {"pairs", "pairs of materials cannot be added to a simulation", b->root->pairs},
               {"ignore", "pairs that ignore each other cannot be added to a simulation", b->root->ignore}};
  for (int k = 0; k < CH_COUNT(lists); ++k) {
    ChPlace top = {0}, at = {&top, lists[k].key, 0};
    if (lists[k].list)
      return ch_reader_wrong(b->reader, &at, "%s; it keeps those of the scene that it began with", lists[k].why);
  }
  return true;
}

static bool extend_bodies(Build* b) { return each(b, "bodies", b->root->bodies, add_body_later); }
static bool extend_ties(Build* b) {
  return each(b, "joints", b->root->joints, add_joint) && each(b, "forces", b->root->forces, add_force);
}

// What came since is gone again.
static void take_back(ChSimulation* s, int bodies, int joints, int forces) {
  const ChWorld* world = ch_simulation_world(s);
  for (int f = ch_world_force_count(world); f-- > forces;)
    ch_simulation_remove_force(NULL, s, ch_world_force_at(world, f));
  for (int j = ch_world_joint_count(world); j-- > joints;)
    ch_simulation_remove_joint(NULL, s, ch_world_joint_at(world, j));
  for (int k = ch_world_body_count(world); k-- > bodies;)
    ch_simulation_remove_body(NULL, s, ch_world_body_at(world, k));
}

bool ch_simulation_extend(ChReader* r, const ChDocuments* documents, ChSimulation* simulation) {
  bool (*const phases[])(Build*) = {only_what_can_come_later, add_meshes, extend_bodies, extend_ties};
  const ChWorld* world = ch_simulation_world(simulation);
  Build b = {
      .reader = r, .simulation = simulation, .there = world, .materials = json_object(), .meshes = json_object()};
  ch_arena_defer(r->arena, free_json, b.materials);
  ch_arena_defer(r->arena, free_json, b.meshes);
  for (int m = 0; m < ch_world_material_count(world); ++m) {
    const char* name = ch_world_material(world, m).name;
    json_object_set_new(b.materials, name ? name : "default", json_integer(m));
  }
  int bodies = ch_world_body_count(world), joints = ch_world_joint_count(world), forces = ch_world_force_count(world);
  for (int phase = 0; phase < CH_COUNT(phases); ++phase)
    for (int k = 0; k < documents->count; ++k) {
      r->document = &documents->document[k];
      b.root = &documents->root[k];
      if (phases[phase](&b)) continue;
      take_back(simulation, bodies, joints, forces);
      return false;
    }
  return true;
}
