// See mesh_features.h.
#include "model/mesh/mesh_features.h"

#include "cardhouse/union_find.h"

static const double BELOW = 0.5;  // sine: a line that leads into a body, so far below a face, is in it for a while

static ChVec3 corner(const ChMesh* mesh, int place) { return mesh->vertices[mesh->cells[place]]; }
static int next_of(int place) { return place % 3 == 2 ? place - 2 : place + 1; }

// Where the triangle across has the edge.
static int twin(const ChMesh* mesh, int place) {
  int other = mesh->across[place], from = mesh->cells[place], to = mesh->cells[next_of(place)];
  for (int k = 3 * other; k < 3 * other + 3; ++k)
    if (mesh->cells[k] == to && mesh->cells[next_of(k)] == from) return k;
  return -1;
}

static ChBend bend_of(const ChMesh* mesh, int place) {
  if (mesh->across[place] < 0) return CH_BEND_RIM;
  double rise = ch_dot(mesh->normals[place / 3], mesh->inward[twin(mesh, place)]);
  bool folded = ch_dot(mesh->normals[place / 3], mesh->normals[mesh->across[place]]) < 0.0;
  if (fabs(rise) <= CH_MESH_SMOOTH && !folded) return CH_BEND_FLAT;
  return rise < 0.0 || (folded && rise <= CH_MESH_SMOOTH) ? CH_BEND_CONVEX : CH_BEND_HOLLOW;
}

static void find_patches(ChArena* arena, const ChMesh* mesh, ChMeshFeatures* f) {
  int n = mesh->cell_count;
  f->bends = CH_TAKE(arena, 3 * n, unsigned char);
  f->patch = CH_TAKE(arena, n, int);
  ChArenaMark mark = ch_arena_mark(arena);
  int* parent = CH_TAKE(arena, n, int);
  ch_sets_init(n, parent);
  for (int place = 0; place < 3 * n; ++place) {
    ChBend bend = bend_of(mesh, place);
    f->bends[place] = (unsigned char)bend;
    if (bend == CH_BEND_FLAT) ch_sets_join(parent, place / 3, mesh->across[place]);
  }
  ch_sets_label(n, parent, f->patch);
  ch_arena_release(arena, mark);
}

// --- edges -----------------------------------------------------------------------------------------------------------

// Edges that stand out, of both sides of an open surface, with the lower of their triangles.
static int list_edges(const ChMesh* mesh, const ChMeshFeatures* f, ChMeshEdge* out) {
  int count = 0;
  for (int c = 0; c < mesh->cell_count; ++c) {
    if (f->edge_start) f->edge_start[c] = count;
    for (int place = 3 * c; place < 3 * c + 3; ++place) {
      ChBend bend = (ChBend)f->bends[place];
      if (bend == CH_BEND_FLAT || (bend == CH_BEND_HOLLOW && mesh->closed) ||
          (bend != CH_BEND_RIM && mesh->across[place] < c))
        continue;
      if (out)
        out[count] = (ChMeshEdge){
            .place = place, .other = bend == CH_BEND_RIM ? -1 : twin(mesh, place), .back = bend == CH_BEND_HOLLOW};
      ++count;
    }
  }
  if (f->edge_start) f->edge_start[mesh->cell_count] = count;
  return count;
}

static bool same_line(const ChMeshFeatures* f, const ChMeshEdge* a, const ChMeshEdge* b) {
  if (!(ch_norm(ch_cross(a->along, b->along)) <= CH_MESH_SMOOTH)) return false;
  int a0 = f->patch[a->place / 3], a1 = a->other < 0 ? -1 : f->patch[a->other / 3];
  int b0 = f->patch[b->place / 3], b1 = b->other < 0 ? -1 : f->patch[b->other / 3];
  return a->back == b->back && ((a0 == b0 && a1 == b1) || (a0 == b1 && a1 == b0));
}

// The edges that meet at a vertex: around[start[v]] ..
static void list_around(const ChMesh* mesh, const ChMeshFeatures* f, int* start, int* around) {
  for (int e = 0; e < f->edge_count; ++e) {
    ++start[mesh->cells[f->edges[e].place] + 2];
    ++start[mesh->cells[next_of(f->edges[e].place)] + 2];
  }
  for (int v = 0; v < mesh->vertex_count; ++v) start[v + 2] += start[v + 1];
  for (int e = 0; e < f->edge_count; ++e) {
    around[start[mesh->cells[f->edges[e].place] + 1]++] = e;
    around[start[mesh->cells[next_of(f->edges[e].place)] + 1]++] = e;
  }
}

static void find_chains(ChArena* arena, const ChMesh* mesh, ChMeshFeatures* f) {
  ChArenaMark mark = ch_arena_mark(arena);
  int* parent = CH_TAKE(arena, f->edge_count, int);
  int* label = CH_TAKE(arena, f->edge_count, int);
  int* start = CH_TAKE(arena, mesh->vertex_count + 2, int);
  int* around = CH_TAKE(arena, 2 * f->edge_count, int);
  ch_sets_init(f->edge_count, parent);
  list_around(mesh, f, start, around);
  for (int v = 0; v < mesh->vertex_count; ++v)
    for (int i = start[v]; i < start[v + 1]; ++i)
      for (int j = i + 1; j < start[v + 1]; ++j)
        if (same_line(f, &f->edges[around[i]], &f->edges[around[j]])) ch_sets_join(parent, around[i], around[j]);
  ch_sets_label(f->edge_count, parent, label);
  for (int e = 0; e < f->edge_count; ++e) f->edges[e].chain = label[e];
  ch_arena_release(arena, mark);
}

// The triangles at a vertex: around[start[v]] .. as places of that corner.
static void list_places(const ChMesh* mesh, int* start, int* around) {
  int n = 3 * mesh->cell_count;
  for (int place = 0; place < n; ++place) ++start[mesh->cells[place] + 2];
  for (int v = 0; v < mesh->vertex_count; ++v) start[v + 2] += start[v + 1];
  for (int place = 0; place < n; ++place) around[start[mesh->cells[place] + 1]++] = place;
}

// Whether a direction from this corner of a triangle leads into the triangle, or, of a body, not far below it.
static bool leads_in(const ChMesh* mesh, int place, ChVec3 way) {
  int cell = place / 3, next = next_of(place), last = next_of(next);
  double rise = ch_dot(mesh->normals[cell], way);
  if (rise > CH_MESH_SMOOTH || rise < (mesh->closed ? -BELOW : -CH_MESH_SMOOTH)) return false;
  return ch_dot(mesh->inward[place], way) >= -CH_MESH_SMOOTH && ch_dot(mesh->inward[last], way) >= -CH_MESH_SMOOTH;
}

static void find_ends(ChArena* arena, const ChMesh* mesh, ChMeshFeatures* f) {
  ChArenaMark mark = ch_arena_mark(arena);
  int *start = CH_TAKE(arena, mesh->vertex_count + 2, int), *around = CH_TAKE(arena, 3 * mesh->cell_count, int);
  list_places(mesh, start, around);
  for (int e = 0; e < f->edge_count; ++e)
    for (int end = 0; end < 2; ++end) {
      ChMeshEdge* edge = &f->edges[e];
      int v = mesh->cells[end ? next_of(edge->place) : edge->place];
      ChVec3 beyond = end ? edge->along : ch_neg(edge->along);
      for (int i = start[v]; i < start[v + 1] && !edge->goes_on[end]; ++i)
        edge->goes_on[end] = leads_in(mesh, around[i], beyond);
    }
  ch_arena_release(arena, mark);
}

static void find_edges(ChArena* arena, const ChMesh* mesh, ChMeshFeatures* f) {
  f->edge_count = list_edges(mesh, f, NULL);
  f->edge_start = CH_TAKE(arena, mesh->cell_count + 1, int);
  f->edges = CH_TAKE(arena, f->edge_count, ChMeshEdge);
  list_edges(mesh, f, f->edges);
  for (int e = 0; e < f->edge_count; ++e) {
    ChMeshEdge* edge = &f->edges[e];
    ChVec3 d = ch_sub(corner(mesh, next_of(edge->place)), corner(mesh, edge->place));
    edge->length = ch_norm(d);
    edge->along = ch_scale(1.0 / edge->length, d);
  }
  find_chains(arena, mesh, f);
  find_ends(arena, mesh, f);
}

// --- corners ---------------------------------------------------------------------------------------------------------

enum { STANDS_FRONT = 1, STANDS_BACK = 2, ON_RIM = 4 };

// Where one straight edge goes on through a vertex, and nothing else meets it, there is no corner: the ends of the
// chain touch before.
static void smooth_chains(ChArena* arena, const ChMesh* mesh, const ChMeshFeatures* f, unsigned char* marks) {
  int* chain = CH_TAKE(arena, mesh->vertex_count, int);
  int* count = CH_TAKE(arena, mesh->vertex_count, int);
  bool* mixed = CH_TAKE(arena, mesh->vertex_count, bool);
  for (int e = 0; e < f->edge_count; ++e)
    for (int k = 0; k < 2; ++k) {
      int place = f->edges[e].place, v = mesh->cells[k ? next_of(place) : place];
      if (count[v]++ > 0 && chain[v] != f->edges[e].chain) mixed[v] = true;
      chain[v] = f->edges[e].chain;
    }
  for (int v = 0; v < mesh->vertex_count; ++v)
    if (count[v] == 2 && !mixed[v] && !(mesh->closed && (marks[v] & STANDS_BACK))) marks[v] = 0;
}

static void note_bends(const ChMesh* mesh, const ChMeshFeatures* f, unsigned char* marks, int* owner, int* degree) {
  for (int v = 0; v < mesh->vertex_count; ++v) owner[v] = -1;
  for (int place = 0; place < 3 * mesh->cell_count; ++place) {
    static const unsigned char says[] = {
        [CH_BEND_FLAT] = 0, [CH_BEND_CONVEX] = STANDS_FRONT, [CH_BEND_HOLLOW] = STANDS_BACK, [CH_BEND_RIM] = ON_RIM};
    int from = mesh->cells[place], to = mesh->cells[next_of(place)];
    marks[from] |= says[f->bends[place]], marks[to] |= says[f->bends[place]];
    if (owner[from] < 0) owner[from] = place / 3;
    ++degree[from];
    degree[to] += f->bends[place] == CH_BEND_RIM;
  }
}

// Every half-edge that begins at a vertex leads to a neighbour; at a rim one that ends there comes from another.
static void list_fans(const ChMesh* mesh, const ChMeshFeatures* f, const int* first, int* filled) {
  for (int place = 0; place < 3 * mesh->cell_count; ++place) {
    int from = mesh->cells[place], to = mesh->cells[next_of(place)];
    if (first[from] >= 0) f->fan[first[from] + filled[from]++] = to;
    if (first[to] >= 0 && f->bends[place] == CH_BEND_RIM) f->fan[first[to] + filled[to]++] = from;
  }
}

// Corners of a vertex, as many as it has sides that stand out.
static int corners_of(const ChMesh* mesh, unsigned char marks, ChMeshSide sides[2]) {
  int count = 0;
  if (marks & ON_RIM) {
    sides[count++] = CH_SIDE_RIM;
    return count;
  }
  if (marks & STANDS_FRONT) sides[count++] = CH_SIDE_FRONT;
  if ((marks & STANDS_BACK) && !mesh->closed) sides[count++] = CH_SIDE_BACK;
  return count;
}

static void add_corners(const ChMesh* mesh, ChMeshFeatures* f, const unsigned char* marks, const int* owner,
                        const int* first, const int* degree) {
  int count = 0;
  ChMeshSide sides[2];
  for (int v = 0; v < mesh->vertex_count; ++v) f->corner_of[v] = -1;
  for (int c = 0; c < mesh->cell_count; ++c) {
    f->corner_start[c] = count;
    for (int k = 0; k < 3; ++k) {
      int v = mesh->cells[3 * c + k];
      int here = owner[v] == c ? corners_of(mesh, marks[v], sides) : 0;
      if (here > 0) f->corner_of[v] = count;
      for (int i = 0; i < here; ++i) f->corners[count++] = (ChMeshCorner){v, first[v], degree[v], sides[i]};
    }
  }
  f->corner_start[mesh->cell_count] = count;
}

static void find_corners(ChArena* arena, const ChMesh* mesh, ChMeshFeatures* f) {
  int n = mesh->vertex_count, fan_count = 0;
  ChMeshSide sides[2];
  unsigned char* marks = CH_TAKE(arena, n, unsigned char);
  int *owner = CH_TAKE(arena, n, int), *degree = CH_TAKE(arena, n, int);
  int *first = CH_TAKE(arena, n, int), *filled = CH_TAKE(arena, n, int);
  note_bends(mesh, f, marks, owner, degree);
  smooth_chains(arena, mesh, f, marks);
  for (int v = 0; v < n; ++v) {
    int here = owner[v] < 0 ? 0 : corners_of(mesh, marks[v], sides);
    first[v] = here > 0 ? fan_count : -1;
    fan_count += here > 0 ? degree[v] : 0;
    f->corner_count += here;
  }
  f->corner_of = CH_TAKE(arena, n, int);
  f->fan = CH_TAKE(arena, fan_count, int);
  f->corners = CH_TAKE(arena, f->corner_count, ChMeshCorner);
  f->corner_start = CH_TAKE(arena, mesh->cell_count + 1, int);
  list_fans(mesh, f, first, filled);
  add_corners(mesh, f, marks, owner, first, degree);
}

ChMeshFeatures* ch_mesh_features(ChArena* arena, const ChMesh* mesh) {
  ChMeshFeatures* f = CH_TAKE(arena, 1, ChMeshFeatures);
  find_patches(arena, mesh, f);
  find_edges(arena, mesh, f);
  find_corners(arena, mesh, f);
  return f;
}

// --- lines -----------------------------------------------------------------------------------------------------------

// Corners that cell c is the first to have.
static void own_corners(const ChMesh* mesh, ChMeshFeatures* f, int c, const int* first, const int* degree) {
  f->corner_start[c] = f->corner_count;
  for (int k = 0; k < 2; ++k) {
    int v = mesh->cells[3 * c + k];
    if (f->corner_of[v] >= 0) continue;
    f->corner_of[v] = f->corner_count;
    f->corners[f->corner_count++] = (ChMeshCorner){v, first[v], degree[v], CH_SIDE_RIM};
  }
}

ChMeshFeatures* ch_line_features(ChArena* arena, const ChMesh* mesh, bool segments) {
  int n = mesh->cell_count, points = mesh->vertex_count;
  ChMeshFeatures* f = CH_TAKE(arena, 1, ChMeshFeatures);
  f->patch = CH_TAKE(arena, n, int), f->bends = CH_TAKE(arena, 3 * n, unsigned char);
  f->edge_start = CH_TAKE(arena, n + 1, int), f->corner_start = CH_TAKE(arena, n + 1, int);
  f->edges = CH_TAKE(arena, n, ChMeshEdge), f->corners = CH_TAKE(arena, points, ChMeshCorner);
  f->corner_of = CH_TAKE(arena, points, int), f->fan = CH_TAKE(arena, 2 * n, int);
  int *degree = CH_TAKE(arena, points, int), *first = CH_TAKE(arena, points + 1, int);
  int* filled = CH_TAKE(arena, points, int);
  for (int c = 0; c < n && segments; ++c)
    for (int k = 0; k < 2; ++k) ++degree[mesh->cells[3 * c + k]];
  for (int v = 0; v < points; ++v) first[v + 1] = first[v] + degree[v], f->corner_of[v] = -1;
  for (int c = 0; c < n; ++c) {
    int from = mesh->cells[3 * c], to = mesh->cells[3 * c + 1];
    f->patch[c] = c;
    for (int k = 0; k < 3; ++k) f->bends[3 * c + k] = CH_BEND_RIM;
    own_corners(mesh, f, c, first, degree);
    f->edge_start[c] = f->edge_count;
    if (!segments) continue;
    ChVec3 d = ch_sub(mesh->vertices[to], mesh->vertices[from]);
    double length = ch_norm(d);
    f->edges[f->edge_count++] =
        (ChMeshEdge){.place = 3 * c, .other = -1, .chain = c, .along = ch_scale(1.0 / length, d), .length = length};
    f->fan[first[from] + filled[from]++] = to, f->fan[first[to] + filled[to]++] = from;
  }
  f->corner_start[n] = f->corner_count, f->edge_start[n] = f->edge_count;
  return f;
}

// --- foreign cells ---------------------------------------------------------------------------------------------------

static void disown_edges(ChMeshFeatures* f, int cells, const unsigned char* foreign) {
  int kept = 0;
  for (int c = 0, from = 0; c < cells; ++c) {
    int until = f->edge_start[c + 1];
    f->edge_start[c] = kept;
    for (int e = from; e < until; ++e) {
      int other = f->edges[e].other;
      if (!foreign[c] && !(other >= 0 && foreign[other / 3] == CH_FOREIGN_FIRST)) f->edges[kept++] = f->edges[e];
    }
    from = until;
  }
  f->edge_start[cells] = f->edge_count = kept;
}

void ch_mesh_disown(ChMesh* mesh, const unsigned char* foreign) {
  ChMeshFeatures* f = mesh->features;
  int kept = 0, cells = mesh->cell_count;
  mesh->foreign = foreign;
  disown_edges(f, cells, foreign);
  for (int v = 0; v < mesh->vertex_count; ++v) f->corner_of[v] = -1;
  for (int c = 0, from = 0; c < cells; ++c) {
    int until = f->corner_start[c + 1];
    f->corner_start[c] = kept;
    for (int k = from; k < until && !foreign[c]; ++k) {
      f->corner_of[f->corners[k].vertex] = kept;
      f->corners[kept++] = f->corners[k];
    }
    from = until;
  }
  f->corner_start[cells] = f->corner_count = kept;
}
