// See soft_grip.h.
#include "model/soft/soft_grip.h"

#include <math.h>
#include <string.h>

#include "linalg/small.h"

#define FLAT 1e-2   // share of the largest spread of vertices below which they lie in a plane,
#define THIN 1e-10  // and on a line
enum { POLAR_STEPS = 60 };

static bool invert(const ChMat3* a, ChMat3* out) { return ch_small_invert_3(&a->m[0][0], &out->m[0][0]); }

static ChVec3 column(const ChMat3* a, int k) { return ch_vec(a->m[0][k], a->m[1][k], a->m[2][k]); }

// --- which vertices

static int nearest(const ChSoftSkin* skin, ChVec3 at) {
  int best = 0;
  double least = INFINITY;
  for (int v = 0; v < skin->vertex_count; ++v) {
    ChVec3 d = ch_sub(skin->rest[v], at);
    if (ch_dot(d, d) < least) least = ch_dot(d, d), best = v;
  }
  return best;
}

ChVec3 ch_soft_rest_place(const ChSoft* soft, const double* q, ChVec3 now) {
  ChVec3 moved = {0, 0, 0};
  double least = INFINITY;
  for (int v = 0; v < soft->skin.vertex_count; ++v) {
    ChVec3 d = ch_sub(now, ch_soft_vertex(soft, v, q));
    if (ch_dot(d, d) < least) least = ch_dot(d, d), moved = ch_add(soft->skin.rest[v], d);
  }
  return moved;
}

static void mark_ring(const ChSoftSkin* skin, int vertex, bool* in) {
  for (int t = 0; t < skin->triangle_count; ++t) {
    const int* v = skin->triangles + 3L * t;
    if (v[0] != vertex && v[1] != vertex && v[2] != vertex) continue;
    for (int k = 0; k < 3; ++k) in[v[k]] = true;
  }
}

static void mark_ball(const ChSoftSkin* skin, ChVec3 at, double reach, bool* in) {
  for (int v = 0; v < skin->vertex_count; ++v) in[v] = ch_norm(ch_sub(skin->rest[v], at)) <= reach;
}

// --- F

// A and its inverse, that of the plane where vertices lie in one. False: on a line.
static bool spread(ChSoftGrip* grip, const ChSoftSkin* skin, const bool* in, ChMat3* inverse) {
  ChMat3 A = {0};
  for (int v = 0; v < skin->vertex_count; ++v) {
    if (!in[v]) continue;
    ChVec3 d = ch_sub(skin->rest[v], grip->centre);
    ch_mat_add_outer(&A, 1.0, d, d);
  }
  const ChVec3 size = ch_mat_principal(A);
  if (!(size.y > THIN * size.z)) return false;
  grip->flat = size.x <= FLAT * size.z;
  if (!grip->flat) return invert(&A, inverse);
  ChMat3 off = ch_mat_diagonal(ch_vec(size.x, size.x, size.x)), rest = ch_mat_along(&A, -1.0, &off);
  ChVec3 normal = {0, 0, 0};  // what is across two columns of A - smallest
  for (int k = 0; k < 3; ++k) {
    ChVec3 across = ch_cross(column(&rest, k), column(&rest, (k + 1) % 3));
    if (ch_norm(across) > ch_norm(normal)) normal = across;
  }
  grip->plane[2] = ch_unit(normal);
  ch_tangents(grip->plane[2], &grip->plane[0], &grip->plane[1]);
  ch_mat_add_outer(&A, size.z, grip->plane[2], grip->plane[2]);
  return invert(&A, inverse);
}

static void fill(ChSoftGrip* grip, const ChSoft* soft, const bool* in, const ChMat3* inverse) {
  const ChSoftSkin* skin = &soft->skin;
  const int n = soft->modes;
  for (int v = 0; v < skin->vertex_count; ++v) {
    if (!in[v]) continue;
    const double* shape = skin->shape + 3L * v * n;
    ChVec3 d = ch_sub(skin->rest[v], grip->centre);
    if (grip->flat) d = ch_along(d, -ch_dot(d, grip->plane[2]), grip->plane[2]);
    d = ch_mat_apply(inverse, d);
    for (int i = 0; i < 3; ++i)
      for (int a = 0; a < n; ++a) {
        const double u = shape[i * n + a];
        grip->U[i * n + a] += u / grip->count;
        for (int j = 0; j < 3; ++j) grip->G[(3 * i + j) * n + a] += u * ch_component(d, j);
      }
  }
}

ChStatus ch_soft_grip_make(ChContext* context, ChArena* arena, const ChSoft* soft, ChVec3 at, double reach,
                           const char* what, const ChSoftGrip** out) {
  const ChSoftSkin* skin = &soft->skin;
  ChSoftGrip* grip = CH_TAKE(arena, 1, ChSoftGrip);
  bool* in = CH_TAKE(arena, skin->vertex_count, bool);
  ChMat3 inverse = {0};
  *grip = (ChSoftGrip){.modes = soft->modes, .reach = reach};
  grip->U = CH_TAKE(arena, 3L * soft->modes, double);
  grip->G = CH_TAKE(arena, 9L * soft->modes, double);
  if (reach > 0.0)
    mark_ball(skin, at, reach, in);
  else
    mark_ring(skin, nearest(skin, at), in);
  for (int v = 0; v < skin->vertex_count; ++v)
    if (in[v]) grip->centre = ch_add(grip->centre, skin->rest[v]), ++grip->count;
  if (grip->count > 0) grip->centre = ch_scale(1.0 / grip->count, grip->centre);
  if (grip->count < 3 || !spread(grip, skin, in, &inverse))
    return ch_fail(
        context, CH_ERR_RANGE,
        "%s: within reach = %g m of its point the deformable body has %d vertices%s; following its turns needs three "
        "that are not on a line: give a larger reach, or 0 for the nearest vertex and its neighbours",
        what, reach, grip->count, grip->count < 3 ? "" : " on a line");
  fill(grip, soft, in, &inverse);
  *out = grip;
  return CH_OK;
}

// --- where it is

// The rotation of F, by Newton's method R <- (R + R^-T) / 2. Where F is turned inside out there is none: R = 1.
static ChMat3 polar(const ChMat3* F) {
  const ChMat3 one = ch_mat_diagonal(ch_vec(1.0, 1.0, 1.0));
  ChMat3 R = *F, inverse;
  for (int k = 0; k < POLAR_STEPS && invert(&R, &inverse); ++k) {
    ChMat3 back = ch_mat_transposed(&inverse), next = {0};
    double change = 0.0;
    next = ch_mat_along(&next, 0.5, &R);
    next = ch_mat_along(&next, 0.5, &back);
    for (int i = 0; i < 9; ++i) change = fmax(change, fabs((&next.m[0][0])[i] - (&R.m[0][0])[i]));
    R = next;
    if (change <= 1e-15) return ch_dot(ch_cross(column(&R, 0), column(&R, 1)), column(&R, 2)) > 0.0 ? R : one;
    if (!isfinite(change)) break;
  }
  return one;
}

static void gradient_of(const ChSoftGrip* grip, const double* q, ChMat3* F) {
  const int n = grip->modes;
  *F = ch_mat_diagonal(ch_vec(1.0, 1.0, 1.0));
  if (grip->flat) ch_mat_add_outer(F, -1.0, grip->plane[2], grip->plane[2]);
  for (int k = 0; k < 9 && q; ++k)
    for (int a = 0; a < n; ++a) (&F->m[0][0])[k] += grip->G[k * n + a] * q[a];
}

static void find_turn(const ChSoftGrip* grip, const ChMat3* F, const ChMat3* R, const ChVec3 t[2], double* T) {
  const int n = grip->modes;
  ChMat3 back = ch_mat_transposed(R), S = ch_mat_product(&back, F), K, inverse;
  const double trace = S.m[0][0] + S.m[1][1] + S.m[2][2];
  ChMat3 size = ch_mat_diagonal(ch_vec(trace, trace, trace));
  K = ch_mat_along(&size, -1.0, &S);
  memset(T, 0, 3 * (size_t)n * sizeof *T);
  if (!invert(&K, &inverse)) return;
  const ChVec3 m = ch_cross(t[0], t[1]), unit = ch_unit(m);
  const double length = ch_norm(m);
  for (int a = 0; a < n; ++a) {
    ChMat3 D;
    for (int k = 0; k < 9; ++k) (&D.m[0][0])[k] = grip->G[k * n + a];
    if (grip->flat) {  // the normal turns with the axes in the plane
      const ChVec3 d0 = ch_mat_apply(&D, grip->plane[0]), d1 = ch_mat_apply(&D, grip->plane[1]);
      ChVec3 dm = ch_add(ch_cross(d0, t[1]), ch_cross(t[0], d1));
      dm = ch_scale(1.0 / length, ch_along(dm, -ch_dot(dm, unit), unit));
      ch_mat_add_outer(&D, 1.0, dm, grip->plane[2]);
    }
    ChMat3 M = ch_mat_product(&back, &D);
    ChVec3 axis = ch_vec(M.m[2][1] - M.m[1][2], M.m[0][2] - M.m[2][0], M.m[1][0] - M.m[0][1]);
    axis = ch_mat_apply(R, ch_mat_apply(&inverse, axis));
    T[a] = axis.x, T[n + a] = axis.y, T[2 * n + a] = axis.z;
  }
}

void ch_soft_grip_find(const ChSoftGrip* grip, const double* q, ChSoftGripPose* pose, double* T) {
  ChMat3 F;
  gradient_of(grip, q, &F);
  const ChVec3 t[2] = {ch_mat_apply(&F, grip->plane[0]), ch_mat_apply(&F, grip->plane[1])};
  if (grip->flat) ch_mat_add_outer(&F, 1.0, ch_unit(ch_cross(t[0], t[1])), grip->plane[2]);
  pose->turn = polar(&F);
  pose->centre = q ? ch_add(grip->centre, ch_soft_displacement(grip->modes, grip->U, q)) : grip->centre;
  if (T) find_turn(grip, &F, &pose->turn, t, T);
}

static ChQuat as_quat(const ChMat3* R) { return ch_quat_from_axes(column(R, 0), column(R, 1), column(R, 2)); }

ChFrame ch_soft_grip_frame(const ChSoftGrip* grip, const double* q, ChFrame rest) {
  ChSoftGripPose pose;
  ch_soft_grip_find(grip, q, &pose, NULL);
  return (ChFrame){ch_add(pose.centre, ch_mat_apply(&pose.turn, ch_sub(rest.at, grip->centre))),
                   ch_quat_product(as_quat(&pose.turn), rest.orientation)};
}

ChFrame ch_soft_grip_rest(const ChSoftGrip* grip, const double* q, ChFrame now) {
  ChSoftGripPose pose;
  ch_soft_grip_find(grip, q, &pose, NULL);
  return (ChFrame){ch_add(grip->centre, ch_mat_apply_transposed(&pose.turn, ch_sub(now.at, pose.centre))),
                   ch_quat_product(ch_quat_conjugate(as_quat(&pose.turn)), now.orientation)};
}

void ch_soft_grip_gradient(const ChSoftGrip* grip, const ChSoftGripPose* pose, const double* T, ChVec3 force,
                           ChVec3 torque, double* out) {
  const int n = grip->modes;
  const ChVec3 about = ch_sub(torque, ch_cross(pose->centre, force));
  const double *U = grip->U, *V = U + n, *W = V + n;
  for (int a = 0; a < n; ++a)
    out[a] =
        U[a] * force.x + V[a] * force.y + W[a] * force.z + T[a] * about.x + T[n + a] * about.y + T[2 * n + a] * about.z;
}
