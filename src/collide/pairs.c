// Which routine serves which two shapes, and the growing list that routines write to. See pairs.h.
#include "collide/pairs.h"
#include "base/check.h"

#include <stdlib.h>

void ch_manifold_add(ChManifold* m, ChVec3 point, ChVec3 normal, double gap, uint64_t key) {
  if (m->count == m->room) {
    int room = m->room ? 2 * m->room : 64;
    ChGap* grown = realloc(m->points, (size_t)room * sizeof *grown);
    if (!grown) {
      m->failed = true;
      return;
    }
    m->points = grown;
    m->room = room;
  }
  m->points[m->count++] = (ChGap){.point = point, .normal = normal, .gap = gap, .key = key, .skin = {-1, -1}};
}

void ch_manifold_free(ChManifold* m) {
  free(m->points);
  ch_arena_destroy(m->scratch);
  m->points = NULL;
  m->scratch = NULL;
  m->count = m->room = 0;
}

static const ChPairFn table[CH_SHAPE_TYPE_COUNT][CH_SHAPE_TYPE_COUNT] = {
    [CH_SHAPE_SPHERE] =
        {
            [CH_SHAPE_SPHERE] = ch_pair_sphere_sphere,
            [CH_SHAPE_CAPSULE] = ch_pair_sphere_capsule,
            [CH_SHAPE_BOX] = ch_pair_sphere_polytope,
            [CH_SHAPE_HULL] = ch_pair_sphere_polytope,
            [CH_SHAPE_HALFSPACE] = ch_pair_sphere_halfspace,
            [CH_SHAPE_MESH] = ch_pair_round_mesh,
        },
    [CH_SHAPE_CAPSULE] =
        {
            [CH_SHAPE_CAPSULE] = ch_pair_capsule_capsule,
            [CH_SHAPE_BOX] = ch_pair_capsule_polytope,
            [CH_SHAPE_HULL] = ch_pair_capsule_polytope,
            [CH_SHAPE_HALFSPACE] = ch_pair_capsule_halfspace,
            [CH_SHAPE_MESH] = ch_pair_round_mesh,
        },
    [CH_SHAPE_BOX] =
        {
            [CH_SHAPE_BOX] = ch_pair_polytope_polytope,
            [CH_SHAPE_HULL] = ch_pair_polytope_polytope,
            [CH_SHAPE_HALFSPACE] = ch_pair_polytope_halfspace,
            [CH_SHAPE_MESH] = ch_pair_polytope_mesh,
        },
    [CH_SHAPE_HULL] =
        {
            [CH_SHAPE_HULL] = ch_pair_polytope_polytope,
            [CH_SHAPE_HALFSPACE] = ch_pair_polytope_halfspace,
            [CH_SHAPE_MESH] = ch_pair_polytope_mesh,
        },
    [CH_SHAPE_CYLINDER] =
        {
            [CH_SHAPE_SPHERE] = ch_pair_smooth_convex,
            [CH_SHAPE_CAPSULE] = ch_pair_smooth_convex,
            [CH_SHAPE_BOX] = ch_pair_smooth_convex,
            [CH_SHAPE_HULL] = ch_pair_smooth_convex,
            [CH_SHAPE_CYLINDER] = ch_pair_smooth_convex,
            [CH_SHAPE_ELLIPSOID] = ch_pair_smooth_convex,
            [CH_SHAPE_HALFSPACE] = ch_pair_smooth_halfspace,
            [CH_SHAPE_MESH] = ch_pair_round_mesh,
        },
    [CH_SHAPE_ELLIPSOID] =
        {
            [CH_SHAPE_SPHERE] = ch_pair_smooth_convex,
            [CH_SHAPE_CAPSULE] = ch_pair_smooth_convex,
            [CH_SHAPE_BOX] = ch_pair_smooth_convex,
            [CH_SHAPE_HULL] = ch_pair_smooth_convex,
            [CH_SHAPE_ELLIPSOID] = ch_pair_smooth_convex,
            [CH_SHAPE_HALFSPACE] = ch_pair_smooth_halfspace,
            [CH_SHAPE_MESH] = ch_pair_round_mesh,
        },
    [CH_SHAPE_MESH] =
        {
            [CH_SHAPE_HALFSPACE] = ch_pair_mesh_halfspace,
            [CH_SHAPE_MESH] = ch_pair_mesh_mesh,
        },
    [CH_SHAPE_SOFT] =
        {
            [CH_SHAPE_SPHERE] = ch_pair_soft_rigid,
            [CH_SHAPE_CAPSULE] = ch_pair_soft_rigid,
            [CH_SHAPE_BOX] = ch_pair_soft_rigid,
            [CH_SHAPE_HULL] = ch_pair_soft_rigid,
            [CH_SHAPE_CYLINDER] = ch_pair_soft_rigid,
            [CH_SHAPE_ELLIPSOID] = ch_pair_soft_rigid,
            [CH_SHAPE_HALFSPACE] = ch_pair_soft_rigid,
            [CH_SHAPE_MESH] = ch_pair_soft_rigid,
            [CH_SHAPE_SOFT] = ch_pair_soft_soft,
        },
    [CH_SHAPE_DISK] =
        {
            [CH_SHAPE_DISK] = ch_pair_plane_disk_disk,
            [CH_SHAPE_RECTANGLE] = ch_pair_plane_disk_polygon,
            [CH_SHAPE_POLYGON] = ch_pair_plane_disk_polygon,
            [CH_SHAPE_HALFPLANE] = ch_pair_plane_convex_halfplane,
            [CH_SHAPE_CHAIN] = ch_pair_plane_convex_chain,
        },
    [CH_SHAPE_ELLIPSE] =
        {
            [CH_SHAPE_DISK] = ch_pair_plane_ellipse_convex,
            [CH_SHAPE_ELLIPSE] = ch_pair_plane_ellipse_convex,
            [CH_SHAPE_RECTANGLE] = ch_pair_plane_ellipse_convex,
            [CH_SHAPE_POLYGON] = ch_pair_plane_ellipse_convex,
            [CH_SHAPE_HALFPLANE] = ch_pair_plane_convex_halfplane,
            [CH_SHAPE_CHAIN] = ch_pair_plane_convex_chain,
        },
    [CH_SHAPE_RECTANGLE] =
        {
            [CH_SHAPE_RECTANGLE] = ch_pair_plane_polygon_polygon,
            [CH_SHAPE_POLYGON] = ch_pair_plane_polygon_polygon,
            [CH_SHAPE_HALFPLANE] = ch_pair_plane_convex_halfplane,
            [CH_SHAPE_CHAIN] = ch_pair_plane_convex_chain,
        },
    [CH_SHAPE_POLYGON] =
        {
            [CH_SHAPE_POLYGON] = ch_pair_plane_polygon_polygon,
            [CH_SHAPE_HALFPLANE] = ch_pair_plane_convex_halfplane,
            [CH_SHAPE_CHAIN] = ch_pair_plane_convex_chain,
        },
};

// Curved convex shapes that the table does not name go with every shape of space, by their support and distance.
static ChPairFn round_pair(const ChShapeKind* a, const ChShapeKind* b) {
  if (a->info.skin && b->round.support) return ch_pair_soft_rigid;
  if (!a->round.support || b->info.dimension != 3 || b->info.skin) return NULL;
  if (b->info.endless) return ch_pair_smooth_halfspace;
  return ch_shape_reads(&b->info, CH_DEF_TRIANGLES) ? ch_pair_round_mesh : ch_pair_smooth_convex;
}

static ChPairFn pair_of(ChShapeType a, ChShapeType b) {
  const ChShapeKind *first = ch_shape_kinds[a], *second = ch_shape_kinds[b];
  if (first->net) return second->info.dimension == 3 ? ch_pair_net : NULL;
  if (second->net) return NULL;
  if (second->ground)
    return first->info.dimension == 3 && !first->info.endless && !first->ground ? ch_pair_field : NULL;
  if (first->ground) return NULL;
  return table[a][b] || table[b][a] ? table[a][b] : round_pair(ch_shape_kinds[a], ch_shape_kinds[b]);
}

ChPairFn ch_pair_find(ChShapeType a, ChShapeType b, bool* swapped) {
  ChPairFn pair = pair_of(a, b);
  *swapped = !pair;
  return pair ? pair : pair_of(b, a);
}

void ch_pair_collide(const ChPosed* a, const ChPosed* b, double margin, ChManifold* out) {
  CH_ASSERT(a->shape && b->shape && margin >= 0.0);
  bool swapped;
  ChPairFn routine = ch_pair_find(a->shape->type, b->shape->type, &swapped);
  int first = out->count;
  if (!routine) return;
  routine(swapped ? b : a, swapped ? a : b, margin, out);
  if (swapped)
    for (int i = first; i < out->count; ++i) {
      ChGap* p = &out->points[i];
      int skin = p->skin[0];
      p->normal = ch_neg(p->normal);
      p->skin[0] = p->skin[1];
      p->skin[1] = skin;
    }
}
