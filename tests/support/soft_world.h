// Deformable bars on meshes in worlds, and what a free body should keep.
#ifndef CH_TESTS_SOFT_WORLD_H
#define CH_TESTS_SOFT_WORLD_H

#include "step/state.h"
#include "support/near.h"
#include "support/soft_parts.h"
#include "support/worlds.h"

static inline int ch_test_bar_body(ChWorld* world, const ChBar* bar, const ChBodyDef* body) {
  ChContext context = {0};
  ChArena* arena = ch_arena_create(NULL);
  ChTetMesh mesh = ch_bar_mesh(arena, bar);
  ChSoftDef def = bar->def;
  def.vertex_count = mesh.vertex_count, def.vertices = mesh.vertices;
  def.tet_count = mesh.tet_count, def.tets = mesh.tets;
  int id = ch_test_body(world, body, NULL);
  CHECK_OK(context, ch_world_add_soft(&context, world, ch_body_id(id), &def, NULL));
  ch_arena_destroy(arena);
  return id;
}

// Of a deformable body about its centre of mass, along the axes of the world.
static inline ChVec3 ch_test_soft_spin(const ChSimulation* s, int body) {
  const ChSoft* soft = s->world->bodies[body].soft;
  const double *q = ch_state_modes(s->world, s->states, body), *rates = ch_state_rates(s->world, s->states, body);
  double C[3 * CH_SOFT_MODES_MAX];
  ChMat3 J;
  ch_soft_inertia(soft, q, &J);
  ch_soft_coupling(soft, q, C);
  ChVec3 L = ch_mat_apply(&J, s->states[body].omega);
  for (int a = 0; a < soft->modes; ++a)
    L = ch_along(L, rates[a], ch_vec(C[a], C[soft->modes + a], C[2 * soft->modes + a]));
  return ch_rotate(s->states[body].orientation, L);
}

static inline double ch_test_energy(const ChSimulation* s) {
  return ch_kinetic_energy(s->world, s->states) + ch_forces_potential(s->world, s->states, s->time);
}

#endif
