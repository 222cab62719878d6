// A surface of triangles; outside is where normals point.
#include "model/mesh/solid_mesh.h"
#include "model/mesh/soup.h"
#include "model/shapes/shape_kind.h"

static ChMeshUse use_of(const ChBody* body) {
  if (body->kind != CH_BODY_DYNAMIC) return CH_MESH_STANDS;
  return body->mass > 0.0 && !body->spread ? CH_MESH_MOVES : CH_MESH_WEIGHS;
}

static ChStatus make(ChContext* context, ChWorld* world, const ChShapeDef* def, ChShape* shape) {
  const ChMesh* mesh = NULL;
  bool moves = world->bodies[shape->body].kind == CH_BODY_DYNAMIC;
  if (def->soup) {
    ChMesh* soup = NULL;
    if (moves || def->closed)
      return ch_fail(context, CH_ERR_ARGUMENT, "mesh: a soup is ground, %s",
                     moves ? "on a body that no contact moves" : "and never closed");
    ChStatus made = ch_soup_create(context, world->arena, def->point_count, def->points, def->triangle_count,
                                   def->triangles, &soup);
    return ch_shape_take_mesh(made, soup, shape);
  }
  ChStatus status = ch_world_mesh(context, world, def, use_of(&world->bodies[shape->body]), &mesh);
  return ch_shape_take_mesh(status, mesh, shape);
}

static ChMassProperties mass(const ChShape* s, double density) { return ch_mass_of_mesh(s->mesh, density); }

static const ChDefField fields[] = {
    CH_SHAPE_POINTS(0),
    CH_SHAPE_TRIANGLES,
    CH_SHAPE_FILE,
    CH_SHAPE_SCALE,
    {"mesh", CH_DEF_MESH, 0, 0, "name of one of the scene's \"meshes\", instead"},
    CH_SHAPE_FIELD(CH_DEF_FLAG, 0, closed, "refuses a surface with a border"),
    CH_SHAPE_FIELD(CH_DEF_FLAG, 0, soup, "on a fixed body: accepts unconnected triangles as they are"),
    CH_SHAPE_FIELD(CH_DEF_MESH_CONTACT, 0, contact, "source of its contacts when it moves (exact)"),
    CH_SHAPE_FIELD(CH_DEF_SIZE, 0, spacing, "sampled, on a moving body: distance between contact samples, m"),
    CH_SHAPE_FIELD(CH_DEF_CELLS, 0, resolution,
                   "sampled, on a moving body: number of cells of the distance field along its longest side"),
    CH_SHAPE_FIELD(CH_DEF_FLAG, 0, faces, "sampled, on a moving body: samples inside faces, too"),
};

const ChShapeKind ch_shape_kind_mesh = {.info = {.name = "mesh",
                                                 .label = "mesh",
                                                 .summary = "a surface of triangles",
                                                 .dimension = 3,
                                                 CH_SHAPE_FIELDS(fields)},
                                        .make = make,
                                        .mass = mass,
                                        .reach = ch_shape_reach_mesh,
                                        .surface = ch_patches_mesh,
                                        .ray = ch_shape_ray_mesh};
