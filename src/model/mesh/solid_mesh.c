// See solid_mesh.h.
#include "model/mesh/solid_mesh.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "model/mesh/distance_field.h"
#include "model/mesh/mesh.h"
#include "model/mesh/mesh_heal.h"
#include "model/mesh/sample_tree.h"
#include "model/shapes/mass_properties.h"
#include "model/world_build.h"

enum { RESOLUTION = 40, FEWEST_CELLS = 4, MOST_CELLS = 256, MOST_TRIANGLES = 1000000 };
static const double SPACINGS = 32.0;  // along the diagonal of the box

// -------------------------------------------------------------------------------------------------------------- checks

static ChStatus refuse_open(ChContext* context, const ChMesh* mesh, bool weighs) {
  int side = 0;
  while (mesh->across[side] >= 0) ++side;
  return ch_fail(context, CH_ERR_FORMAT,
                 "mesh: is not closed: nothing meets triangle %d along its edge from vertex %d to %d%s", side / 3,
                 mesh->cells[side], mesh->cells[side % 3 == 2 ? side - 2 : side + 1],
                 weighs ? "; a body that moves with an open surface needs a mass and an inertia of its own" : "");
}

static ChStatus check_solid(ChContext* context, const ChMesh* mesh, const ChShapeDef* def) {
  if (!mesh->closed && def->contact == CH_MESH_SAMPLED) return refuse_open(context, mesh, false);
  if (mesh->cell_count > MOST_TRIANGLES)
    return ch_fail(context, CH_ERR_SIZE, "mesh: has %d triangles; on a moving body at most %d are allowed",
                   mesh->cell_count, MOST_TRIANGLES);
  ChVec3 side = ch_sub(mesh->nodes[0].box.high, mesh->nodes[0].box.low);
  double volume = ch_mass_of_mesh(mesh, 1.0).mass, room = side.x * side.y * side.z;
  if (mesh->closed && volume < 0.0)
    return ch_fail(context, CH_ERR_FORMAT,
                   "mesh: is inside out: its volume is %g m^3; triangles must be counter-clockwise from outside",
                   volume);
  if (mesh->closed && !(volume > 1e-9 * room))
    return ch_fail(context, CH_ERR_RANGE, "mesh: holds no volume: %g m^3 in a box of %g m^3", volume, room);
  if (def->resolution != 0 && (def->resolution < FEWEST_CELLS || def->resolution > MOST_CELLS))
    return ch_fail(context, CH_ERR_RANGE, "mesh: resolution is %d, must be %d to %d cells along the longest side",
                   def->resolution, FEWEST_CELLS, MOST_CELLS);
  if (!(isfinite(def->spacing) && def->spacing >= 0.0))
    return ch_fail(context, CH_ERR_RANGE, "mesh: spacing is %g, must be finite and > 0", def->spacing);
  return CH_OK;
}

static ChStatus make_solid(ChContext* context, ChArena* arena, const ChShapeDef* def, ChMesh* mesh) {
  ChStatus status = check_solid(context, mesh, def);
  mesh->moves = status == CH_OK;
  if (status != CH_OK || def->contact != CH_MESH_SAMPLED) return status;
  ChVec3 side = ch_sub(mesh->nodes[0].box.high, mesh->nodes[0].box.low);
  double spacing = def->spacing > 0.0 ? def->spacing : ch_norm(side) / SPACINGS;
  status = ch_sample_tree_create(context, arena, mesh, spacing, def->faces, &mesh->samples);
  if (status != CH_OK) return status;
  return ch_distance_field_create(context, arena, mesh, def->resolution > 0 ? def->resolution : RESOLUTION,
                                  &mesh->field);
}

static ChStatus make_mesh(ChContext* context, ChArena* arena, const ChShapeDef* def, ChMeshUse use, ChMesh** mesh) {
  ChStatus status =
      ch_mesh_create(context, arena, def->point_count, def->points, def->triangle_count, def->triangles, 3, mesh);
  if (status == CH_OK && def->uv) {
    size_t count = 6 * (size_t)def->triangle_count;
    (*mesh)->uv = memcpy(CH_TAKE(arena, count, double), def->uv, count * sizeof *def->uv);
  }
  bool closes = def->closed || use == CH_MESH_WEIGHS;
  if (status == CH_OK && closes && !(*mesh)->closed) status = refuse_open(context, *mesh, !def->closed);
  if (status == CH_OK && use != CH_MESH_STANDS) status = make_solid(context, arena, def, *mesh);
  return status;
}

// ------------------------------------------------------------------------------------------------------------- healing

static bool is_legible(const ChShapeDef* def) {
  for (int k = 0; k < def->point_count; ++k)
    if (!ch_vec_finite(def->points[k])) return false;
  for (long k = 0; k < 3L * def->triangle_count; ++k)
    if (def->triangles[k] < 0 || def->triangles[k] >= def->point_count) return false;
  return def->point_count > 0 && def->triangle_count > 0;
}

// What was refused, once more, healed. Where that does not help, the message is that of the mesh as it was given.
static ChStatus make_healed(ChContext* context, ChWorld* world, const ChShapeDef* def, ChMeshUse use, ChMesh** mesh,
                            ChStatus refused) {
  const bool solid = use != CH_MESH_STANDS;
  ChMeshHeal heal;
  ChContext own = {0};
  if (!is_legible(def) ||
      !ch_mesh_heal(world->arena, def->point_count, def->points, def->triangle_count, def->triangles, solid, &heal))
    return refused;
  ChShapeDef healed = *def;
  healed.point_count = heal.vertex_count, healed.points = heal.vertices;
  healed.triangle_count = heal.triangle_count, healed.triangles = heal.triangles;
  healed.uv = NULL;
  if (make_mesh(&own, world->arena, &healed, use, mesh) != CH_OK) return refused;
  char text[1024], line[1200];
  ch_mesh_heal_tell(&heal, sizeof text, text);
  snprintf(line, sizeof line, "mesh %.100s of %d triangles: healed: %s", def->file ? def->file : "of points",
           def->triangle_count, text);
  ch_notice(context, "%s", line);
  CH_GROW(world, notes, note_count, note_room);
  world->notes[world->note_count++] = ch_world_copy_text(world, line);
  if (context) {
    context->status = CH_OK;
    context->message[0] = '\0';
  }
  return CH_OK;
}

// ------------------------------------------------------------------------------------------------------------- sharing

static bool same_choices(const ChSharedMesh* s, const ChShapeDef* def, ChMeshUse use) {
  const bool solid = use != CH_MESH_STANDS;
  bool sampled = solid && def->contact == CH_MESH_SAMPLED;
  return s->solid == solid && (!solid || s->contact == def->contact) &&
         (!sampled || (s->spacing == def->spacing && s->resolution == def->resolution && s->faces == def->faces)) &&
         (s->mesh->closed || !(def->closed || use == CH_MESH_WEIGHS));
}

static bool same_points(const ChMesh* mesh, const ChShapeDef* def) {
  return mesh->vertex_count == def->point_count && mesh->cell_count == def->triangle_count &&
         memcmp(mesh->vertices, def->points, (size_t)def->point_count * sizeof *def->points) == 0 &&
         memcmp(mesh->cells, def->triangles, 3 * (size_t)def->triangle_count * sizeof *def->triangles) == 0;
}

const ChMesh* ch_world_file_mesh(const ChWorld* world, const char* file, double scale) {
  for (int k = 0; k < world->mesh_count; ++k)
    if (world->meshes[k].file && world->meshes[k].scale == scale && strcmp(world->meshes[k].file, file) == 0)
      return world->meshes[k].mesh;
  return NULL;
}

ChStatus ch_world_mesh(ChContext* context, ChWorld* world, const ChShapeDef* def, ChMeshUse use, const ChMesh** out) {
  for (int k = 0; k < world->mesh_count; ++k)
    if (same_choices(&world->meshes[k], def, use) && same_points(world->meshes[k].mesh, def)) {
      *out = world->meshes[k].mesh;
      return CH_OK;
    }
  ChMesh* mesh = NULL;
  ChStatus status = make_mesh(context, world->arena, def, use, &mesh);
  if (status == CH_ERR_FORMAT || status == CH_ERR_RANGE) status = make_healed(context, world, def, use, &mesh, status);
  if (status != CH_OK) return status;
  CH_GROW(world, meshes, mesh_count, mesh_room);
  world->meshes[world->mesh_count++] = (ChSharedMesh){mesh,
                                                      ch_world_copy_text(world, def->file),
                                                      def->scale,
                                                      def->spacing,
                                                      def->resolution,
                                                      def->contact,
                                                      def->faces,
                                                      use != CH_MESH_STANDS};
  *out = mesh;
  return CH_OK;
}
