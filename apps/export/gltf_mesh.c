// Surfaces as glTF meshes: see gltf_mesh.h. Each corner of a face is a vertex of its own, so that it may have the
// normal that the face has there:
//
//   n_corner = sum of n_face |face| over the faces at the point that turn from this one by less than CREASE
#include "export/gltf_mesh.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "export/box_map.h"

static const double CREASE_COSINE = 0.766;  // 40 degrees

typedef struct Corners {
  const ChPatches* p;
  int* face;         // of each corner
  ChVec3* area;      // of each face, along its normal
  int *first, *met;  // faces at a point: met[first[point]] ... met[first[point + 1] - 1]
  float *at, *normal;
  unsigned* index;
  long triangles;
} Corners;

static void free_corners(Corners* c) {
  free(c->face);
  free(c->area);
  free(c->first);
  free(c->met);
  free(c->at);
  free(c->normal);
  free(c->index);
}

static bool take_corners(Corners* c) {
  const ChPatches* p = c->p;
  size_t corners = (size_t)p->corner_count + 1;
  c->face = calloc(corners, sizeof *c->face);
  c->area = calloc((size_t)p->cell_count + 1, sizeof *c->area);
  c->first = calloc((size_t)p->point_count + 2, sizeof *c->first);
  c->met = calloc(corners, sizeof *c->met);
  c->at = calloc(3 * corners, sizeof *c->at);
  c->normal = calloc(3 * corners, sizeof *c->normal);
  c->index = calloc(3 * corners, sizeof *c->index);
  return c->face && c->area && c->first && c->met && c->at && c->normal && c->index;
}

// Half the sum of the cross products of neighbouring corners.
static ChVec3 area_of(const ChPatches* p, const int* corner, int size) {
  ChVec3 sum = {0};
  const ChVec3 origin = p->points[corner[0]];
  for (int j = 1; j + 1 < size; ++j)
    sum = ch_add(sum, ch_cross(ch_sub(p->points[corner[j]], origin), ch_sub(p->points[corner[j + 1]], origin)));
  return ch_scale(0.5, sum);
}

static void find_faces(Corners* c) {
  const ChPatches* p = c->p;
  int corner = 0;
  for (int k = 0; k < p->cell_count; corner += p->sizes[k++]) {
    c->area[k] = area_of(p, p->corners + corner, p->sizes[k]);
    for (int j = 0; j < p->sizes[k]; ++j) c->face[corner + j] = k;
  }
  for (int k = 0; k < p->corner_count; ++k) ++c->first[p->corners[k] + 2];
  for (int k = 0; k < p->point_count; ++k) c->first[k + 2] += c->first[k + 1];
  for (int k = 0; k < p->corner_count; ++k) c->met[c->first[p->corners[k] + 1]++] = c->face[k];
}

static ChVec3 normal_of(const Corners* c, int corner) {
  const int point = c->p->corners[corner];
  const ChVec3 own = ch_unit(c->area[c->face[corner]]);
  ChVec3 sum = {0};
  for (int k = c->first[point]; k < c->first[point + 1]; ++k)
    if (ch_dot(ch_unit(c->area[c->met[k]]), own) >= CREASE_COSINE) sum = ch_add(sum, c->area[c->met[k]]);
  const ChVec3 unit = ch_unit(sum);
  return ch_vec_is_zero(unit) ? ch_vec(0.0, 0.0, 1.0) : unit;  // of a face without area any will do
}

static void put_vec(float* out, ChVec3 x) { out[0] = (float)x.x, out[1] = (float)x.y, out[2] = (float)x.z; }

static void fill_vertices(Corners* c) {
  const ChPatches* p = c->p;
  for (int k = 0; k < p->corner_count; ++k) {
    put_vec(c->at + 3 * k, p->points[p->corners[k]]);
    put_vec(c->normal + 3 * k, normal_of(c, k));
  }
  int corner = 0;
  for (int k = 0; k < p->cell_count; corner += p->sizes[k++])
    for (int j = 1; j + 1 < p->sizes[k]; ++j, ++c->triangles) {
      unsigned* at = c->index + 3 * c->triangles;
      at[0] = (unsigned)corner, at[1] = (unsigned)(corner + j), at[2] = (unsigned)(corner + j + 1);
    }
}

// Mode a moves vertex v by U[v][.][a] times its amplitude.
static json_t* make_targets(ChGltfBuffer* buffer, const Corners* c, const ChSoftView* soft, float* room) {
  json_t* targets = json_array();
  for (int a = 0; a < soft->modes; ++a) {
    for (int k = 0; k < c->p->corner_count; ++k)
      for (int j = 0; j < 3; ++j)
        room[3 * k + j] = (float)soft->skin->shape[(3 * c->p->corners[k] + j) * soft->modes + a];
    json_array_append_new(
        targets,
        json_pack("{s:i}", "POSITION", ch_gltf_floats(buffer, CH_GLTF_VERTICES, c->p->corner_count, 3, room, true)));
  }
  return targets;
}

static json_t* make_lines(ChGltfBuffer* buffer, const ChPatches* p, Corners* c, int material) {
  long count = 0;
  int corner = 0;
  for (int k = 0; k < p->corner_count; ++k) put_vec(c->at + 3 * k, p->points[p->corners[k]]);
  for (int k = 0; k < p->cell_count; corner += p->sizes[k++])
    for (int j = 0; j + 1 < p->sizes[k]; ++j, count += 2)
      c->index[count] = (unsigned)(corner + j), c->index[count + 1] = (unsigned)(corner + j + 1);
  int at = ch_gltf_floats(buffer, CH_GLTF_VERTICES, p->corner_count, 3, c->at, true);
  return json_pack("{s:{s:i}, s:i, s:i, s:i}", "attributes", "POSITION", at, "indices",
                   ch_gltf_indices(buffer, count, c->index), "mode", 1, "material", material);
}

static json_t* make_triangles(ChGltfBuffer* buffer, const ChPatches* p, Corners* c, const ChSoftView* soft,
                              const ChGltfPaint* paint) {
  find_faces(c);
  fill_vertices(c);
  int at = ch_gltf_floats(buffer, CH_GLTF_VERTICES, p->corner_count, 3, c->at, true);
  int normal = ch_gltf_floats(buffer, CH_GLTF_VERTICES, p->corner_count, 3, c->normal, false);
  json_t* primitive = json_pack("{s:{s:i, s:i}, s:i, s:i}", "attributes", "POSITION", at, "NORMAL", normal, "indices",
                                ch_gltf_indices(buffer, 3 * c->triangles, c->index), "material", paint->material);
  if (paint->textured) {
    ch_box_map(p, c->area, paint->size, c->at);
    for (int k = 0; k < p->corner_count; ++k) c->at[2 * k + 1] = 1.0f - c->at[2 * k + 1];  // the format's v points down
    json_object_set_new(json_object_get(primitive, "attributes"), "TEXCOORD_0",
                        json_integer(ch_gltf_floats(buffer, CH_GLTF_VERTICES, p->corner_count, 2, c->at, false)));
  }
  if (soft) json_object_set_new(primitive, "targets", make_targets(buffer, c, soft, c->at));
  return primitive;
}

json_t* ch_gltf_mesh(ChGltfBuffer* buffer, const ChPatches* p, const ChSoftView* soft, const ChGltfPaint* paint) {
  Corners c = {.p = p};
  json_t* primitive = NULL;
  if (take_corners(&c))
    primitive = p->line ? make_lines(buffer, p, &c, paint->material) : make_triangles(buffer, p, &c, soft, paint);
  free_corners(&c);
  return primitive ? json_pack("{s:[o]}", "primitives", primitive) : NULL;
}
