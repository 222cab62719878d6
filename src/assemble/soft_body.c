// See soft_body.h.
#include "assemble/soft_body.h"

#include <string.h>

#include "assemble/islands.h"

void ch_soft_mass_bent(const ChSoft* soft, const double* q, const double* B, double* M) {
  int n = soft->modes, size = 6 + n;
  const double* C = B + 6 * n;
  ChMat3 J;
  ch_soft_inertia_bent(soft, q, B, &J);
  memset(M, 0, (size_t)size * (size_t)size * sizeof *M);
  for (int a = 0; a < 3; ++a) {
    M[a * size + a] = soft->mass;
    for (int c = 0; c < 3; ++c) M[(3 + a) * size + 3 + c] = J.m[a][c];
    for (int c = 0; c < n; ++c) M[(3 + a) * size + 6 + c] = M[(6 + c) * size + 3 + a] = C[3 * c + a];
  }
  for (int c = 0; c < n; ++c) M[(6 + c) * size + 6 + c] = 1.0;
}

void ch_soft_mass(const ChSoft* soft, const double* q, double* M) {
  double B[CH_SOFT_BEND * CH_SOFT_MODES_MAX];
  ch_soft_bend(soft, q, B);
  ch_soft_mass_bent(soft, q, B, M);
}

int ch_soft_reduce(const ChWorld* world, int body, const ChBodyState* state, const double* x, double* out) {
  double basis[36];
  int frame = ch_body_basis(world, body, state, basis), n = ch_body_modes(world, body);
  for (int c = 0; c < frame; ++c) {
    out[c] = 0.0;
    for (int a = 0; a < 6; ++a) out[c] += basis[a * frame + c] * x[a];
  }
  memcpy(out + frame, x + 6, (size_t)n * sizeof *out);
  return frame + n;
}

int ch_soft_expand(const ChWorld* world, int body, const ChBodyState* state, const double* x, double* out) {
  double basis[36];
  int frame = ch_body_basis(world, body, state, basis), n = ch_body_modes(world, body);
  for (int a = 0; a < 6; ++a) {
    out[a] = 0.0;
    for (int c = 0; c < frame; ++c) out[a] += basis[a * frame + c] * x[c];
  }
  memcpy(out + 6, x + frame, (size_t)n * sizeof *out);
  return frame + n;
}

int ch_soft_reduce_mass(const ChWorld* world, int body, const ChBodyState* state, const double* M, double* out) {
  int size = 6 + ch_body_modes(world, body), columns = ch_body_freedoms(world, body);
  if (columns == size && ch_body_locks(world, body) == 0) {
    memcpy(out, M, (size_t)size * (size_t)size * sizeof *out);
    return size;
  }
  double unit[CH_SOFT_SIZE_MAX] = {0}, column[CH_SOFT_SIZE_MAX], product[CH_SOFT_SIZE_MAX];
  for (int c = 0; c < columns; ++c) {
    unit[c] = 1.0;
    ch_soft_expand(world, body, state, unit, column);
    unit[c] = 0.0;
    for (int a = 0; a < size; ++a) {
      product[a] = 0.0;
      for (int k = 0; k < size; ++k) product[a] += M[a * size + k] * column[k];
    }
    ch_soft_reduce(world, body, state, product, out + (long)c * columns);
  }
  return columns;
}

// Weights of the nearest point of a triangle's plane, kept within the triangle.
static void barycentric(const ChVec3 corner[3], ChVec3 point, double weight[3]) {
  ChVec3 a = ch_sub(corner[1], corner[0]), b = ch_sub(corner[2], corner[0]), p = ch_sub(point, corner[0]);
  double aa = ch_dot(a, a), ab = ch_dot(a, b), bb = ch_dot(b, b), pa = ch_dot(p, a), pb = ch_dot(p, b);
  double area = aa * bb - ab * ab, sum = 0.0;
  weight[1] = area > 0.0 ? (bb * pa - ab * pb) / area : 0.0;
  weight[2] = area > 0.0 ? (aa * pb - ab * pa) / area : 0.0;
  weight[0] = 1.0 - weight[1] - weight[2];
  for (int k = 0; k < 3; ++k) sum += weight[k] = weight[k] > 0.0 ? weight[k] : 0.0;
  for (int k = 0; k < 3; ++k) weight[k] /= sum;
}

ChSkinPoint ch_skin_point(const ChWorld* world, const ChBodyState* states, const ChGap* gap, int side) {
  int body = gap->body[side], skin = gap->skin[side];
  const ChSoft* soft = world->bodies[body].soft;
  if (!soft || skin == -1) return (ChSkinPoint){0};
  if (skin >= 0) return (ChSkinPoint){.count = 1, .vertex = {skin}, .weight = {1.0}};
  ChSkinPoint point = {.count = 3};
  ChVec3 corner[3];
  for (int k = 0; k < 3; ++k) {
    point.vertex[k] = soft->skin.triangles[3L * (-2 - skin) + k];
    corner[k] = ch_soft_vertex(soft, point.vertex[k], ch_state_modes(world, states, body));
  }
  barycentric(corner, ch_frame_local(ch_state_frame(states, body), gap->point), point.weight);
  return point;
}

ChVec3 ch_skin_velocity(const ChWorld* world, int body, const ChSkinPoint* point, const double* rates) {
  const ChSoft* soft = world->bodies[body].soft;
  ChVec3 sum = ch_vec(0.0, 0.0, 0.0);
  for (int k = 0; k < point->count; ++k)
    sum = ch_along(sum, point->weight[k],
                   ch_soft_displacement(soft->modes, soft->skin.shape + 3L * point->vertex[k] * soft->modes, rates));
  return sum;
}

// Of three vertices the rows are weighted first: every direction reads them.
const double* ch_skin_shape(const ChSoft* soft, const ChSkinPoint* point, double* room) {
  int size = 3 * soft->modes;
  if (point->count == 0) return memset(room, 0, (size_t)size * sizeof *room);
  const double *one = soft->skin.shape + (long)point->vertex[0] * size, s = point->weight[0];
  if (point->count == 1 && s == 1.0) return one;
  for (int k = 0; k < size; ++k) room[k] = s * one[k];
  for (int v = 1; v < point->count; ++v) {
    const double *next = soft->skin.shape + (long)point->vertex[v] * size, t = point->weight[v];
    for (int k = 0; k < size; ++k) room[k] += t * next[k];
  }
  return room;
}

void ch_skin_gradients(const ChWorld* world, const ChBodyState* states, int body, const ChSkinPoint* point, int count,
                       const ChVec3* along, double* restrict out) {
  const ChSoft* soft = world->bodies[body].soft;
  int n = soft->modes;
  double room[3 * CH_SOFT_MODES_MAX];
  const double *U = ch_skin_shape(soft, point, room), *V = U + n, *W = V + n;
  for (int k = 0; k < count; ++k, out += n) {
    ChVec3 d = ch_rotate_back(states[body].orientation, along[k]);
    for (int a = 0; a < n; ++a) out[a] = U[a] * d.x + V[a] * d.y + W[a] * d.z;
  }
}
