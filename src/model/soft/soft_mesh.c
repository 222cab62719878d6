// Raising a mesh: middles of edges, mass, centre. See soft_mesh.h.
#include "model/soft/soft_mesh.h"

#include <stdlib.h>
#include <string.h>

typedef struct Edge {
  int low, high;
  int tet, which;  // whose edge, and the place of its middle among the ten nodes
} Edge;

static int compare_edges(const void* a, const void* b) {
  const Edge *x = a, *y = b;
  if (x->low != y->low) return x->low < y->low ? -1 : 1;
  if (x->high != y->high) return x->high < y->high ? -1 : 1;
  if (x->tet != y->tet) return x->tet < y->tet ? -1 : 1;
  return x->which - y->which;
}

static Edge* list_edges(ChArena* arena, const ChTetMesh* mesh) {
  Edge *edges = CH_TAKE(arena, 6L * mesh->tet_count, Edge), *next = edges;
  for (int t = 0; t < mesh->tet_count; ++t)
    for (int i = 0, which = 4; i < 4; ++i)
      for (int j = i + 1; j < 4; ++j, ++which) {
        int a = mesh->tets[4 * t + i], b = mesh->tets[4 * t + j];
        *next++ = (Edge){a < b ? a : b, a < b ? b : a, t, which};
      }
  qsort(edges, 6 * (size_t)mesh->tet_count, sizeof *edges, compare_edges);
  return edges;
}

static bool same_edge(const Edge* a, const Edge* b) { return a->low == b->low && a->high == b->high; }

// Numbers the nodes of every tetrahedron and places the middles.
static void add_middles(ChArena* arena, const ChTetMesh* mesh, const bool* held, ChSoftMesh* out) {
  ChArenaMark mark = ch_arena_mark(arena);
  const Edge* edges = list_edges(arena, mesh);
  long count = 6L * mesh->tet_count;
  int node = out->corner_count - 1;
  for (long e = 0; e < count; ++e) {
    if (e == 0 || !same_edge(&edges[e], &edges[e - 1])) {
      ++node;
      out->nodes[node] = ch_scale(0.5, ch_add(out->nodes[edges[e].low], out->nodes[edges[e].high]));
      out->place[node] = held && held[edges[e].low] && held[edges[e].high] ? -1 : 0;
    }
    out->tets[CH_TET_NODES * edges[e].tet + edges[e].which] = node;
  }
  out->node_count = node + 1;
  ch_arena_release(arena, mark);
}

// int x x' = V / 20 (sum x_i x_i' + s s'), s = sum x_i, over a tetrahedron.
static void weigh(const ChTetMesh* mesh, ChSoftMesh* out) {
  ChVec3 moment = {0};
  double volume = 0.0;
  for (int t = 0; t < mesh->tet_count; ++t) {
    const int* v = mesh->tets + 4L * t;
    double part = ch_tet_geometry(mesh->vertices, v).volume;
    volume += part;
    for (int i = 0; i < 4; ++i) moment = ch_along(moment, 0.25 * part, mesh->vertices[v[i]]);
  }
  out->mass = out->density * volume;
  out->centre = ch_scale(1.0 / volume, moment);
  for (int t = 0; t < mesh->tet_count; ++t) {
    const int* v = mesh->tets + 4L * t;
    double share = out->density * ch_tet_geometry(mesh->vertices, v).volume / 20.0;
    ChVec3 sum = {0};
    for (int i = 0; i < 4; ++i) {
      ChVec3 x = ch_sub(mesh->vertices[v[i]], out->centre);
      ch_mat_add_outer(&out->spread, share, x, x);
      sum = ch_add(sum, x);
    }
    ch_mat_add_outer(&out->spread, share, sum, sum);
  }
}

ChSoftMesh ch_soft_mesh_raise(ChArena* arena, const ChTetMesh* mesh, double density, const bool* held) {
  ChSoftMesh out = {.corner_count = mesh->vertex_count, .tet_count = mesh->tet_count, .density = density};
  long most = mesh->vertex_count + 6L * mesh->tet_count;
  out.nodes = CH_TAKE(arena, most, ChVec3);
  out.place = CH_TAKE(arena, most, int);
  out.tets = CH_TAKE(arena, (long)CH_TET_NODES * mesh->tet_count, int);
  weigh(mesh, &out);
  for (int v = 0; v < mesh->vertex_count; ++v) {
    out.nodes[v] = ch_sub(mesh->vertices[v], out.centre);
    out.place[v] = held && held[v] ? -1 : 0;
  }
  for (int t = 0; t < mesh->tet_count; ++t)
    memcpy(out.tets + (long)CH_TET_NODES * t, mesh->tets + 4L * t, 4 * sizeof *out.tets);
  add_middles(arena, mesh, held, &out);
  for (int k = 0; k < out.node_count; ++k)
    if (out.place[k] == 0) out.place[k] = out.moving_count++;
  return out;
}

void ch_soft_mesh_gradient(const ChSoftMesh* mesh, int tet, const ChVec3 slope[CH_TET_NODES], const double* u,
                           double D[3][3]) {
  memset(D, 0, 9 * sizeof **D);
  for (int k = 0; k < CH_TET_NODES; ++k) {
    int place = mesh->place[mesh->tets[(long)CH_TET_NODES * tet + k]];
    if (place < 0) continue;
    for (int i = 0; i < 3; ++i) {
      double value = u[3L * place + i];
      D[i][0] += value * slope[k].x, D[i][1] += value * slope[k].y, D[i][2] += value * slope[k].z;
    }
  }
}
